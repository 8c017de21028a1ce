"""BioASQ: questions with snippets of sections; a document is a section, called `PMID#section`.

The section is called as the file calls it: `title`, `abstract` or `sections.0`. A snippet lies
in one section.
"""

from __future__ import annotations

from typing import Any

from excerpt.gold.content import Gold, Kind, first_has, list_in
from excerpt.gold.file import GoldFile, Item

LAYOUT = (
    '{"questions": [{"id": …, "body": …, "snippets": [{"document": …, "text": …, "beginSection": …, '
    '"endSection": …, "offsetInBeginSection": …, "offsetInEndSection": …}]}]}'
)
EXAMPLE = """\
{"questions": [{"id": "1", "type": "factoid", "body": "When is the rent due?", "documents": [],
  "snippets": [{"document": "http://www.ncbi.nlm.nih.gov/pubmed/1234567", "text": "in May",
   "beginSection": "abstract", "endSection": "abstract",
   "offsetInBeginSection": 120, "offsetInEndSection": 126}]}]}
"""
_QUESTION = frozenset({"id", "body", "type", "documents", "snippets", "concepts", "triples", "ideal_answer"})
_QUESTION |= {"exact_answer"}
_SNIPPET = frozenset({"document", "text", "beginSection", "endSection"})
_SNIPPET |= {"offsetInBeginSection", "offsetInEndSection", "score"}


def read(file: GoldFile) -> Gold:
    """The questions of a file; the group of each is its type."""
    gold = Gold(file)
    for question in file.object().each("questions"):
        question.know(_QUESTION)
        group = question.name("type", missing="")
        topic = gold.ask(question, question.name("id"), question.text("body"), group)
        for snippet in question.each("snippets", needed=False):
            snippet.know(_SNIPPET)
            _add(gold, snippet, topic)
    return gold


def _add(gold: Gold, snippet: Item, topic: str) -> None:
    """A snippet as evidence in its section."""
    article = snippet.name("document").rstrip("/").rpartition("/")[2]
    first, last = snippet.name("beginSection"), snippet.name("endSection")
    start, end = snippet.whole("offsetInBeginSection"), snippet.whole("offsetInEndSection")
    quote = snippet.text("text") if snippet.has("text") else ""
    if not article or not first or not last or start < 0 or end < 0:
        return
    if first.replace("sections.", "section.") != last.replace("sections.", "section."):
        snippet.fault(f"found a snippet from {first} to {last}, expected one in one section")
    elif start >= end:
        snippet.fault(f"found a snippet from {start} to {end}, expected an end after the start")
    else:
        gold.add(snippet, topic, f"{article}#{first}", start, end, quote)


def _fits(value: Any) -> bool:
    return first_has(list_in(value, "questions"), "body", "snippets")


KIND = Kind(
    "bioasq",
    LAYOUT,
    "questions with snippets of sections (BioASQ)",
    EXAMPLE,
    read,
    _fits,
    keys=("questions", "body"),
)
