"""Contents of a campaign: documents, topics, pool and suggestions that it was made from."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import NamedTuple

from excerpt.assess.folder import AGAIN, SETTINGS
from excerpt.assess.materials import Known
from excerpt.assess.people import Pair, share_of
from excerpt.assess.settings import Settings, check_fixed
from excerpt.assess.store import Row, Store
from excerpt.corpus import Corpus
from excerpt.errors import ExcerptError, plural, short
from excerpt.files import Input
from excerpt.formats.source import Source
from excerpt.formats.text.json_lines import Record, records
from excerpt.formats.topics import Topic
from excerpt.notices import Gathering, Notices
from excerpt.pooling import PoolInput, PoolItem

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


#: What a campaign is made from.
_COUNTED = ("topic", "document", "item", "suggestion")


def topic_row(place: int, topic: Topic) -> Row:
    """A topic as it is kept."""
    body = {name: value for name, value in asdict(topic).items() if name not in {"id", "line"} and value}
    return {"id": topic.id, "place": place, "body": json.dumps(body)}


def item_row(item: PoolItem) -> Row:
    """An item of the pool as it is kept."""
    row = {"topic": item.topic, "document": item.document, "place": item.order, "stratum": item.stratum}
    row["probability"] = "-" if item.probability is None else str(item.probability)
    return {**row, "runs": json.dumps(item.runs), "passages": json.dumps(item.passages)}


_fraction = lru_cache(maxsize=1_000)(Fraction)  # a topic has few, and reading one takes long


def _item(row: Row) -> PoolItem:
    probability = None if row["probability"] == "-" else _fraction(row["probability"])
    passages = tuple(tuple(tuple(passage) for passage in group) for group in json.loads(row["passages"]))
    runs = tuple(json.loads(row["runs"]))
    return PoolItem(row["topic"], row["document"], row["place"], row["stratum"], probability, runs, passages)


def count_row(rows: Mapping[str, Sequence[Row]]) -> Row:
    """How many rows there are of what a campaign was made from; a journal that was cut has fewer."""
    counts = {table: len(rows[table]) for table in _COUNTED}
    return {"key": "rows", "value": json.dumps(counts)}


def read_meta(store: Store, path: str, hint: str) -> dict[str, str]:
    """What is known of a campaign as a whole; an error where some of what it was made from is missing."""
    meta = {row["key"]: row["value"] for row in store.rows("meta")}
    if not {"settings", "inputs"} <= meta.keys():
        raise ExcerptError("found no settings of a campaign, expected them", path=path, hint=hint)
    for table, count in json.loads(meta.get("rows", "{}")).items():
        found = sum(1 for _ in store.rows(table))
        if found != count:
            message = f"found {plural(found, 'row')} of {table}, expected {count}, as it was made"
            raise ExcerptError(message, path=path, hint=hint)
    return meta


class Contents:
    """What never changes while people judge."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._settings = settings
        meta = read_meta(store, str(store.path), AGAIN.format(store.path.parent))
        check_fixed(settings, meta["settings"], str(store.path.parent / SETTINGS))
        #: The runs that the pool was made from.
        self.inputs = tuple(PoolInput(*given) for given in json.loads(meta["inputs"]))
        topics = sorted(store.rows("topic"), key=lambda row: row["place"])
        self.topics = tuple(Topic(id=row["id"], **json.loads(row["body"])) for row in topics)
        self.known = {
            row["id"]: Known(row["sha256"], row["length"], row["title"], row["kind"])
            for row in store.rows("document")
        }
        self._rows: dict[str, dict[str, Row]] = {topic.id: {} for topic in self.topics}
        for row in sorted(store.rows("item"), key=lambda row: row["place"]):
            self._rows[row["topic"]][row["document"]] = row
        self.suggestions = [Suggestion(**row) for row in store.rows("suggestion")]

    def __contains__(self, pair: Pair) -> bool:
        return pair[1] in self._rows.get(pair[0], {})

    def has_topic(self, topic: str) -> bool:
        """Whether there is such a topic."""
        return topic in self._rows

    def documents(self, topic: str) -> list[str]:
        """The documents of a topic in the order of the pool."""
        return list(self._rows[topic])

    def item(self, pair: Pair) -> PoolItem:
        """An item of the pool."""
        return _item(self._rows[pair[0]][pair[1]])

    def items(self, topic: str) -> list[PoolItem]:
        """The items of a topic in their order."""
        return [_item(row) for row in self._rows[topic].values()]

    @cached_property
    def pairs(self) -> list[Pair]:
        """Every (topic, document)."""
        return [(topic, document) for topic, rows in self._rows.items() for document in rows]

    @cached_property
    def twice(self) -> frozenset[Pair]:
        """The pairs that two assessors judge."""
        return share_of(self._settings.seed, "double", self.pairs, self._settings.double or 0.0)

    @cached_property
    def suggested(self) -> Mapping[Pair, Sequence[Suggestion]]:
        """Suggestions by pair."""
        found: dict[Pair, list[Suggestion]] = {}
        for suggestion in self.suggestions:
            found.setdefault((suggestion.topic, suggestion.document), []).append(suggestion)
        return found

    @cached_property
    def control(self) -> frozenset[Pair]:
        """The pairs whose suggestions nobody gets to see."""
        return share_of(self._settings.seed, "control", self.suggested, self._settings.control)

    def shown(self, pair: Pair) -> Sequence[Suggestion]:
        """The suggestions that may be shown for a pair, once it was finished."""
        return () if pair in self.control else self.suggested.get(pair, ())
