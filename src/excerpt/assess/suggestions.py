"""What a machine suggests to highlight: spans with model and prompt, one JSON object per line.

`{"topic": "1", "document": "A", "start": 10, "end": 50, "quote": …, "label": …, "model": …, "prompt": …}`;
`quote` (the text itself) and `label` may be left out; `prompt` is a hash of what the model was asked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from excerpt.corpus import Corpus
from excerpt.errors import short
from excerpt.files import Input
from excerpt.formats.source import Source
from excerpt.formats.text.json_lines import Record, records
from excerpt.notices import Gathering, Notices

_LONGEST = 1000  # characters of a model's name or a hash


class Suggestion(NamedTuple):
    """A stretch of text that a machine takes for relevant; numbered from 0 in the order of the file."""

    number: int
    topic: str
    document: str
    start: int
    end: int
    label: str | None
    model: str
    prompt: str


def read_suggestions(
    source: Input,
    corpus: Corpus,
    pairs: Iterable[tuple[str, str]],
    *,
    labels: Collection[str] | None = None,
    notices: Notices | None = None,
) -> list[Suggestion]:
    """The suggestions for judged pairs (topic, document), documents named as there; others are counted.

    A quote that is not the text of its place is an error, as is a place outside the text, or a label that is
    not among `labels` (None: any).
    """
    with Gathering(notices) as gathered:
        opened = Source.open(source, notices=gathered, expected="suggestions, one JSON object per line")
        reader = _Reader(corpus, pairs, labels)
        found: list[Suggestion] = []
        outside = 0
        for record in records(opened):
            suggestion = reader.read(record, len(found))
            if suggestion is None:
                outside += 1
            else:
                found.append(suggestion)
        opened.faults.settle()
        gathered.add(
            "suggestion is for a document that is not in the pool, and was left out",
            outside,
            where=opened.name,
        )
        return found


class _Reader:
    """Reads records into suggestions."""

    def __init__(
        self, corpus: Corpus, pairs: Iterable[tuple[str, str]], labels: Collection[str] | None
    ) -> None:
        self._corpus = corpus
        self._labels = labels
        #: The name that a document has in the pool, by topic and its own id.
        self._pool = {(topic, corpus.resolve(document)): document for topic, document in pairs}

    def read(self, record: Record, number: int) -> Suggestion | None:
        """A suggestion; None where its document is not in the pool."""
        topic, document = record.name("topic"), record.name("document")
        start, end = record.span() or (0, 0)
        model, prompt = self._text(record, "model"), self._text(record, "prompt")
        label = self._label(record)
        known = self._pool.get((topic, self._corpus.resolve(document) if document else None))
        if known is None:
            return None
        self._check_place(record, known, start, end)
        return Suggestion(number, topic, known, start, end, label, model, prompt)

    @staticmethod
    def _text(record: Record, key: str) -> str:
        value = record.fields.get(key)
        if isinstance(value, str) and value.strip() and len(value) <= _LONGEST:
            return value
        found = f"no {key}" if value is None else f"{key} {short(repr(value))}"
        record.fault(found, "the name of the model" if key == "model" else "a hash of the prompt")
        return ""

    def _label(self, record: Record) -> str | None:
        label = record.fields.get("label")
        if label is None or (isinstance(label, str) and (self._labels is None or label in self._labels)):
            return label
        known = ", ".join(self._labels) if self._labels else "none"
        record.fault(f"label {short(repr(label))}", f"one of the campaign's labels ({known})")
        return None

    def _check_place(self, record: Record, document: str, start: int, end: int) -> None:
        text = self._corpus[document]
        if not 0 <= start < end <= len(text):
            name = f"{short(document)}, which has {len(text)} characters"
            record.fault(f"span [{start}, {end}) of document {name}", "a span of its text")
            return
        quote = record.fields.get("quote")
        if quote is not None and quote != text[start:end]:
            record.fault(
                f"quote {short(repr(quote))}",
                f"the text of document {short(document)} there, {short(repr(text[start:end]))}",
            )
