"""HiCBench: questions with quotes of a document, which the corpus has; a record may also have it itself."""

from __future__ import annotations

from typing import Any

from excerpt.gold.content import Gold, Kind
from excerpt.gold.file import GoldFile

LAYOUT = '{"_id": …, "input": …, "answers": […], "facts": […], "evidences": [quote, …]}'
EXAMPLE = (
    '{"_id": "A", "input": "When is the rent due?", "answers": ["In May."], "facts": [], '
    '"evidences": ["The rent is due in May."], "context": "The rent is due in May. Pets are allowed."}\n'
)
_RECORD = frozenset({"_id", "input", "answers", "facts", "evidences", "all_classes", "context"})
_RECORD |= {"length", "dataset", "language", "level"}


def read(file: GoldFile) -> Gold:
    """The questions of a file, which are numbered from 1 on; the group of each is its document."""
    gold = Gold(file)
    for record in file.objects():
        record.know(_RECORD)
        document = record.name("_id")
        topic = gold.number(record, record.text("input"), document)
        if document:
            gold.judged.append((topic, document))
        if record.has("context"):
            gold.carry(record, document, record.text("context"))
        for quote in filter(str.strip, record.texts("evidences", needed=True)):
            gold.add(record, topic, document, quote=quote)
    return gold


def _fits(value: Any) -> bool:
    value = value[0] if isinstance(value, list) and value else value
    return isinstance(value, dict) and {"input", "evidences"} <= value.keys()


KIND = Kind(
    "hicbench",
    LAYOUT,
    "questions with quotes of documents (HiCBench)",
    EXAMPLE,
    read,
    _fits,
    keys=("input", "evidences"),
    carries=True,
)
