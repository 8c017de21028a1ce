"""CLAPNQ: questions with the sentences of a passage that answer them.

A document is a passage, called by its title, and by a number too where several passages have the title. The
ranges in ids of passages are not used: they seldom fit the text. What any annotator selected is relevant.
"""

from __future__ import annotations

from typing import Any

from excerpt.gold.content import NOWHERE, Gold, Kind, Titles
from excerpt.gold.file import GoldFile, Item

LAYOUT = (
    '{"id": …, "input": …, "passages": [{"title": …, "text": …, "sentences": […]}], '
    '"output": [{"selected_sentences": […]}]}'
)
EXAMPLE = (
    '{"id": "1", "input": "when is the rent due", "passages": [{"title": "Leases", "text": '
    '"The rent is due in May . Pets are allowed . ", "sentences": ["The rent is due in May .", '
    '"Pets are allowed ."]}], "output": [{"answer": "In May.", "selected_sentences": '
    '["The rent is due in May ."], "meta": {"skip": false}}]}\n'
)
_RECORD = frozenset({"id", "input", "passages", "output", "doc-id-list", "doc_id_list"})


def read(file: GoldFile) -> Gold:
    """The questions of all records."""
    gold = Gold(file)
    records = list(file.objects())
    passages = [
        [(one, one.name("title"), one.text("text")) for one in item.each("passages")] for item in records
    ]
    titles = Titles((title, text) for some in passages for _, title, text in some)
    for record, some in zip(records, passages, strict=True):
        record.know(_RECORD)
        documents = {titles.name(title, text): text for _, title, text in some if title}
        for passage, title, text in some:
            gold.carry(passage, titles.name(title, text) if title else "", text)
        group = some[0][1] if some else ""
        topic = gold.ask(record, record.name("id"), record.text("input"), group)
        gold.judged += [(topic, document) for document in documents if topic]
        for output in record.each("output", needed=False):
            for quote in filter(str.strip, output.texts("selected_sentences")):
                _add(gold, output, topic, documents, quote)
    return gold


def _add(gold: Gold, output: Item, topic: str, documents: dict[str, str], quote: str) -> None:
    """A sentence, in the first passage that has it."""
    if not documents:
        output.fault("found selected sentences without passages, expected the text they are of")
        return
    place = next((name for name, text in documents.items() if quote in text), next(iter(documents)))
    start = documents[place].find(quote)
    end = start + len(quote) if start >= 0 else NOWHERE
    gold.add(output, topic, place, start, end, quote)


def _fits(value: Any) -> bool:
    value = value[0] if isinstance(value, list) and value else value
    return isinstance(value, dict) and {"input", "passages"} <= value.keys()


KIND = Kind(
    "clapnq",
    LAYOUT,
    "questions with selected sentences of passages (CLAPNQ)",
    EXAMPLE,
    read,
    _fits,
    keys=("input", "passages"),
    carries=True,
)
