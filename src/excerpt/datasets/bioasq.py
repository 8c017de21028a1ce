"""BioASQ: gold and answers of systems, which have one form; the place on the command line decides."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from excerpt.errors import short
from excerpt.formats.judgments.gold_files import recognise
from excerpt.formats.registry import Format, register_run
from excerpt.formats.runs.jsonl import run_of
from excerpt.formats.source import Source
from excerpt.gold.file import Gold, GoldFile, GoldFormat, GoldItem, lists
from excerpt.model.run import Run
from excerpt.records.rows import RowTable, apart

_BIOASQ = {"id", "body", "type", "documents", "snippets", "concepts", "triples", "ideal_answer"}
_BIOASQ |= {"exact_answer"}
_SNIPPET = {"document", "text", "beginSection", "endSection"}
_SNIPPET |= {"offsetInBeginSection", "offsetInEndSection", "score"}
_DIGITS = 11  # fewer than that a number below 2**31 has


def read_bioasq(file: GoldFile) -> Gold:
    """Read BioASQ: questions with snippets of sections; a document is a section, with the id `PMID#section`.

    Sections have the names of the file: `title`, `abstract` or `sections.0`. A snippet lies in one section.
    The group of a question is its type.
    """
    gold = Gold(file)
    for question in file.object().each("questions"):
        question.note_unknown(_BIOASQ)
        group = question.name("type", missing="")
        topic = gold.add_question(question, question.name("id"), question.text("body"), group)
        for snippet in question.each("snippets", needed=False):
            snippet.note_unknown(_SNIPPET)
            place, quote = _place(snippet), snippet.text("text", missing="")
            if place is not None:
                gold.add_evidence(snippet, topic, *place, quote)
    return gold


def _article(url: str) -> str:
    """Return the id of an article: what follows the last slash."""
    return url.rstrip("/").rpartition("/")[2]


def _place(snippet: GoldItem) -> tuple[str, int, int] | None:
    """Return section, start and end of a snippet; report one that has none."""
    article = _article(snippet.name("document"))
    first, last = snippet.name("beginSection"), snippet.name("endSection")
    start, end = (_offset(snippet, key) for key in ("offsetInBeginSection", "offsetInEndSection"))
    if not article or not first or not last or start < 0 or end < 0:
        return None
    if first.replace("sections.", "section.") != last.replace("sections.", "section."):
        snippet.fault(f"found a snippet from {first} to {last}, expected one in one section")
        return None
    return f"{article}#{first}", start, end


def _offset(snippet: GoldItem, key: str) -> int:
    """Return an offset, which may be written as text; report all other values and return -1."""
    value = snippet.value.get(key)
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < _DIGITS:
        return int(value)
    return snippet.whole(key)


KIND = GoldFormat(
    "bioasq",
    '{"questions": [{"id": …, "body": …, "snippets": [{"document": …, "text": …, "beginSection": …, '
    '"endSection": …, "offsetInBeginSection": …, "offsetInEndSection": …}]}]}',
    "questions with snippets of sections (BioASQ)",
    """\
{"questions": [{"id": "1", "type": "factoid", "body": "When is the rent due?", "documents": [],
  "snippets": [{"document": "http://www.ncbi.nlm.nih.gov/pubmed/A", "text": "in May",
   "beginSection": "abstract", "endSection": "abstract",
   "offsetInBeginSection": 120, "offsetInEndSection": 126}]}]}
""",
    read_bioasq,
    lambda value: lists(value, "questions", "body", "snippets", "documents"),
    keys=("questions", "body"),
)
_LAYOUT = '{"questions": [{"id": …, "snippets": [{"document": …, "beginSection": …, …}], "documents": […]}]}'


def read_answers(source: Source) -> Run:
    """Read the answers of a system: snippets in their order, or documents if no question has snippets."""
    questions = [one for whole in source.gold_file.whole() for one in whole.each("questions")]
    of_documents = not any(question.value.get("snippets") for question in questions)
    found: list[tuple[int, dict[str, Any]]] = []
    seen: set[str] = set()
    for question in questions:
        topic = question.name("id")
        if topic in seen:
            question.fault(f"found question {short(topic)} again, expected each id once")
        seen.add(topic)
        for item, row in _documents(question) if of_documents else _snippets(question):
            found.append((item.line, {"topic": topic, **row}))
    source.faults.settle()
    return run_of(source, RowTable.of(*apart(found)), "documents" if of_documents else None)


def _snippets(question: GoldItem) -> Iterator[tuple[GoldItem, dict[str, Any]]]:
    for snippet in question.each("snippets", needed=False):
        quote, place = snippet.text("text", missing=""), _place(snippet)
        if place is not None:
            row = dict(zip(("document", "start", "end"), place, strict=True))
            yield snippet, row | ({"text": quote} if quote else {})


def _documents(question: GoldItem) -> Iterator[tuple[GoldItem, dict[str, Any]]]:
    for url in dict.fromkeys(question.texts("documents")):
        yield question, {"document": _article(url)}


register_run(
    Format(
        KIND.name,
        "run",
        _LAYOUT,
        "snippets of sections, or articles (BioASQ)",
        read_answers,
        partial(recognise, kind=KIND),
        example=KIND.example,
        forms=("json",),
    )
)
