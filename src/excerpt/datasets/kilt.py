"""KILT: pages that answer questions, in the gold and in guesses, which have one form.

The place on the command line decides. A question is known by its `id`, a page by its `wikipedia_id`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from excerpt.errors import FormatError, short
from excerpt.formats.judgments.spans_jsonl import judgments_of
from excerpt.formats.registry import Format, register_run
from excerpt.formats.runs.jsonl import run_of
from excerpt.formats.source import Source
from excerpt.gold.file import GoldItem
from excerpt.model.alternatives import Parts, arrange
from excerpt.model.judgments import Judgments, Question
from excerpt.model.run import Run
from excerpt.model.spans import Span
from excerpt.records.rows import RowTable, apart

NAME = "kilt"
LAYOUT = '{"id": …, "input": …, "output": [{"answer": …, "provenance": [{"wikipedia_id": …}, …]}, …]}'
EXAMPLE = """\
{"id": "1", "input": "When is the rent due?", "output": [{"provenance": [{"wikipedia_id": "A"}]}]}
"""
_PAGE = "wikipedia_id"
#: The first is more than that of answers with citations; a file that may be both is gold.
_RUN_FIT, _GOLD_FIT = 101, 102


def _questions(source: Source) -> Iterator[tuple[str, GoldItem]]:
    """Yield id and object of each line; report an id that was used before."""
    lines: dict[str, int] = {}
    for item in source.gold_file.objects():
        name = item.name("id").strip()
        if name in lines:
            item.fault(
                f"found question {short(name)} again (first in line {lines[name]}), expected each id once"
            )
        elif name:
            lines[name] = item.line
            yield name, item


def _provenances(question: GoldItem) -> list[list[str]]:
    """Return the distinct pages of each output that has provenance, in order."""
    return [
        list(
            dict.fromkeys(
                str(one.value[_PAGE]).strip() for one in output.each("provenance") if one.has(_PAGE)
            )
        )
        for output in question.each("output")
        if output.has("provenance")
    ]


def read_gold(source: Source) -> Judgments:
    """Read the gold: every page of an output is relevant, and the pages of each output are a need."""
    found: list[tuple[int, dict[str, Any]]] = []
    needs: dict[str, list[list[Parts]]] = {}
    questions: dict[str, Question] = {}
    for topic, item in _questions(source):
        questions[topic] = Question(topic, item.text("input", missing=""))
        outputs = [pages for pages in _provenances(item) if pages]
        pages = dict.fromkeys(page for pages in outputs for page in pages)
        found += [(item.line, {"topic": topic, "document": page, "relevance": 1}) for page in pages]
        sets = list(dict.fromkeys(map(frozenset, outputs)))
        needs[topic] = [[tuple(Span(page, 0, 1) for page in sorted(pages))] for pages in sets]
    source.faults.settle()
    if not found and not source.faults:
        raise FormatError("found no page in any provenance, expected at least one", path=source.name)
    judgments = judgments_of(source, RowTable.of(*apart(found)))
    every = {name: one for name, one in questions.items() if name in judgments.topic_codes}
    return replace(judgments, questions=every, alternatives=arrange(needs))


def read_guesses(source: Source) -> Run:
    """Read guesses: the pages of the output with provenance, in their order, each once."""
    found: list[tuple[int, dict[str, Any]]] = []
    for topic, item in _questions(source):
        listed = _provenances(item)
        if len(listed) > 1:
            item.fault(f"found {len(listed)} outputs with provenance, expected one, as in a guess")
        pages = listed[0] if listed else []
        found += [(item.line, {"topic": topic, "document": page}) for page in pages]
    source.faults.settle()
    return run_of(source, RowTable.of(*apart(found)), "documents")


def recognise(source: Source, fit: int = 1) -> int:
    """Detect the format by the first object: an id, and outputs."""
    if source.form != "json" or source.is_list:
        return 0
    first = next((row for row in source.first_rows if isinstance(row, Mapping)), {})
    outputs = first.get("output")
    is_output = isinstance(outputs, list) and all(isinstance(one, Mapping) for one in outputs)
    known = is_output and (
        not outputs or any(key in one for one in outputs for key in ("provenance", "answer"))
    )
    return fit if known and "id" in first and "passages" not in first else 0


GOLD = Format(
    NAME,
    "judgments",
    LAYOUT,
    "pages that answer questions (KILT)",
    read_gold,
    partial(recognise, fit=_GOLD_FIT),
    example=EXAMPLE,
    forms=("json",),
)
register_run(
    Format(
        NAME,
        "run",
        LAYOUT,
        "pages that a system retrieved (KILT)",
        read_guesses,
        partial(recognise, fit=_RUN_FIT),
        example=EXAMPLE,
        forms=("json",),
    )
)
