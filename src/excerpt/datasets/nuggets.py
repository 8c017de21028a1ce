"""Nuggets of TREC RAG: gold, and assignments of nuggets to answers; they name no documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from excerpt.errors import FormatError, plural
from excerpt.formats.registry import Format
from excerpt.formats.source import Source
from excerpt.gold.file import GoldItem
from excerpt.model.judgments import Judgments, Question, collect_judgments
from excerpt.model.spans import IntArray

NAME = "nuggets"
_LAYOUT = (
    '{"qid": …, "query": …, "nuggets": [{"text": …, "importance": "vital" | "okay", "assignment": …}, …]}'
)
_EXAMPLE = """\
{"qid": "1", "query": "When is the rent due?", "nuggets": [{"text": "in May", "importance": "vital"}]}
"""
_FIT = 200
_KEYS = ("nuggets", "vital")


def read(source: Source) -> Judgments:
    """Read the questions; numbers of nuggets, of vital ones and of assignments are counted as evidence."""
    questions: dict[str, Question] = {}
    counts = Counter[str](dict.fromkeys(_KEYS, 0))
    for item in source.gold_file.objects():
        name = item.name("qid")
        questions.setdefault(name, Question(name, item.text("query", missing="")))
        for nugget in item.each("nuggets"):
            counts.update(_kinds(nugget))
    source.faults.settle()
    if not questions and not source.faults:
        raise FormatError(f"found no nuggets, expected {_LAYOUT}", path=source.name)
    none: IntArray = np.zeros(0, np.int64)
    columns = tuple(questions), (), none, none, none, none
    judgments = collect_judgments(*columns, source=source.name, questions=questions)
    return replace(judgments, evidence=counts)


def _kinds(nugget: GoldItem) -> list[str]:
    """Return what a nugget counts as; report one without an importance."""
    kinds = ["nuggets"]
    if nugget.text("importance") == "vital":
        kinds.append("vital")
    if nugget.has("assignment"):
        kinds.append(nugget.text("assignment"))
    return kinds


def summary(judgments: Judgments) -> str:
    """Numbers of topics, nuggets and assignments, in one line."""
    counts = dict(judgments.evidence)
    nuggets, vital = (counts.pop(key) for key in _KEYS)
    assigned = "".join(f", {count} {kind}" for kind, count in counts.items())
    kind = "judgments: assignments of nuggets," if counts else "judgments: nuggets,"
    topics = plural(len(judgments.topics), "topic")
    return f"{kind} {topics}, {plural(nuggets, 'nugget')}, {vital} vital{assigned}"


def recognise(source: Source) -> int:
    """Detect the format by the keys of the first object."""
    first = next((row for row in source.first_rows if isinstance(row, Mapping)), {})
    return _FIT if "qid" in first and isinstance(first.get("nuggets"), list) else 0


GOLD = Format(
    NAME,
    "judgments",
    _LAYOUT,
    "nuggets of answers, without documents (TREC RAG)",
    read,
    recognise,
    example=_EXAMPLE,
    forms=("json",),
    summary=summary,
)
