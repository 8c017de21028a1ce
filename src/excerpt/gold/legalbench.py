"""LegalBench-RAG: questions with snippets, each a span of characters of a file."""

from __future__ import annotations

import json
from typing import Any

from excerpt.errors import short
from excerpt.gold.content import Gold, Kind, first_has, list_in
from excerpt.gold.file import GoldFile, Item, show
from excerpt.model.spans import MAX_OFFSET

LAYOUT = '{"tests": [{"query": …, "snippets": [{"file_path": …, "span": [start, end], "answer": …}]}]}'
EXAMPLE = """\
{"tests": [{"query": "When is the rent due?", "snippets": [
  {"file_path": "A", "span": [120, 126], "answer": "in May"}]}]}
"""
_TEST = frozenset({"query", "snippets", "tags"})
_SNIPPET = frozenset({"file_path", "span", "answer"})


def read(file: GoldFile) -> Gold:
    """The questions of a file, which are numbered from 1 on; their group is the file."""
    gold = Gold(file)
    whole = file.object()
    whole.know(frozenset({"tests"}))
    for test in whole.each("tests"):
        test.know(_TEST)
        snippets = test.each("snippets")
        topic = gold.number(test, test.text("query"), file.stem or _folder(snippets))
        for snippet in snippets:
            snippet.know(_SNIPPET)
            start, end = _span(snippet)
            if start >= 0:
                quote = snippet.text("answer") if snippet.has("answer") else ""
                gold.add(snippet, topic, snippet.name("file_path"), start, end, quote)
    return gold


def _folder(snippets: list[Item]) -> str:
    """The collection that a path begins with."""
    return snippets[0].name("file_path", missing="").rpartition("/")[0] if snippets else ""


def _span(snippet: Item) -> tuple[int, int]:
    """Start and end; a fault and -1 where they are no pair of numbers that ascend."""
    span = snippet.value.get("span")
    if isinstance(span, list) and len(span) == 2 and all(type(place) is int for place in span):
        start, end = span
        if 0 <= start < end <= MAX_OFFSET:
            return start, end
        snippet.fault(f"found span [{start}, {end}], expected a start from 0 on and an end after it")
        return -1, -1
    if isinstance(span, list) and len(span) == 2:
        wrong = next(place for place in span if type(place) is not int)
        snippet.fault(f"found {show(wrong)} in span {short(json.dumps(span))}, expected whole numbers")
        return -1, -1
    shown = f"span {show(span)}" if span is not None else "no span"
    snippet.fault(f"found {shown}, expected a pair [start, end]")
    return -1, -1


def _fits(value: Any) -> bool:
    return first_has(list_in(value, "tests"), "query", "snippets")


KIND = Kind(
    "legalbench-rag",
    LAYOUT,
    "questions with spans of files (LegalBench-RAG)",
    EXAMPLE,
    read,
    _fits,
    keys=("tests", "query"),
)
