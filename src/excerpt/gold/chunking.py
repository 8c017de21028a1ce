"""chunking_evaluation: a table of questions with references, each with its text and its place."""

from __future__ import annotations

import json

from excerpt.gold.content import Gold, Kind
from excerpt.gold.file import GoldFile, Item

LAYOUT = "question,references,corpus_id with references as JSON: [{content, start_index, end_index}, …]"
EXAMPLE = """\
question,references,corpus_id
When is the rent due?,"[{""content"": ""in May"", ""start_index"": 120, ""end_index"": 126}]",A
"""
_COLUMNS = frozenset({"question", "references", "corpus_id"})
_REFERENCE = frozenset({"content", "start_index", "end_index"})


def read(file: GoldFile) -> Gold:
    """The questions of a file, which are numbered from 1 on; the group of each is its document."""
    gold = Gold(file)
    for row in file.rows():
        row.know(_COLUMNS)
        document = row.name("corpus_id")
        topic = gold.number(row, row.text("question"), document)
        if document:
            gold.judged.append((topic, document))
        for reference in _references(row):
            reference.know(_REFERENCE)
            start, end = reference.whole("start_index"), reference.whole("end_index")
            quote = reference.text("content") if reference.has("content") else ""
            if 0 <= end <= start:
                reference.fault(
                    f"found start_index {start} and end_index {end}, expected an end after the start"
                )
            elif start >= 0 and end >= 0:
                gold.add(reference, topic, document, start, end, quote)
    return gold


def _references(row: Item) -> list[Item]:
    """The references of a row; what is no list of objects is a fault."""
    given = row.text("references")
    try:
        found = json.loads(given or "[]")
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list):
        row.fault("found references that are no JSON list, expected [{content, start_index, end_index}, …]")
        return []
    return row.here({"references": found}).each("references")


class _Table(Kind):
    """Known by its first row."""

    def recognise(self, file: GoldFile) -> bool:
        """Whether the first line names the columns."""
        names = file.head.lstrip("\ufeff").partition("\n")[0].strip().replace('"', "").split(",")
        return set(names) >= _COLUMNS


KIND = _Table(
    "chunking-evaluation",
    LAYOUT,
    "questions with references in a table (chunking_evaluation)",
    EXAMPLE,
    read,
    lambda _value: False,
)
