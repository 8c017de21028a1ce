"""Contents of a campaign: documents, topics, pools, suggestions and guidelines; pools may be added."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import accumulate, chain, pairwise
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

from excerpt.assess.events import KINDS
from excerpt.assess.folder import REBUILD_HINT, SETTINGS, NotFound, seconds_of
from excerpt.assess.materials import DocumentRecord
from excerpt.assess.people import AssignedPair, draw_pairs
from excerpt.assess.settings import Settings, check_fixed
from excerpt.assess.store import POOL, Row, Store
from excerpt.corpus import Corpus
from excerpt.errors import ExcerptError, plural, short
from excerpt.files import Input
from excerpt.formats.source import Source
from excerpt.notices import Gathering, Notices
from excerpt.pooling import PoolInput, PoolItem
from excerpt.pooling.pools import PoolUnit
from excerpt.queries import Topic
from excerpt.records.record import Odd, Records, as_grade, is_text
from excerpt.records.results import ResultTexts, places
from excerpt.records.rows import is_absent

if TYPE_CHECKING:
    from excerpt.bridges.judged_rows import JudgedRow

_LONGEST = 1000  # characters of a model's name or a hash


class Suggestion(NamedTuple):
    """What a machine suggests: a relevant passage, or the grade of a whole document; numbered from 0."""

    number: int
    topic: str
    document: str
    start: int
    #: The end of the passage; 0 for a whole document.
    end: int
    #: The label of the passage, or the grade of the whole document.
    label: str | None
    model: str
    prompt: str

    @property
    def grade(self) -> int | None:
        """The grade of a whole document; None for a passage.

        >>> Suggestion(0, "1", "A", 0, 0, "2", "m-1", "ab12").grade
        2
        """
        return int(self.label or 0) if not self.end else None


def read_suggestions(
    source: Input,
    corpus: Corpus,
    pairs: Iterable[tuple[str, str]],
    *,
    labels: Collection[str] | None = None,
    notices: Notices | None = None,
) -> list[Suggestion]:
    """Read the suggestions for (topic, document) pairs, with the pairs' document names; count the others.

    A row without a place that has a grade suggests it for the whole document, as does a line of TREC. A
    quote that differs from the text of its span is an error, as is a span outside the text, or a label
    that is not among `labels` (None: any).
    """
    pool = {(topic, corpus.resolve(document)): document for topic, document in pairs}
    with Gathering(notices) as gathered:
        expected = "suggestions, one JSON object per line"
        opened = Source.open(source, notices=gathered, expected=expected, corpus=corpus)
        if opened.tool or _is_qrels(opened):
            return _of_judgments(opened, pool, corpus)
        records = Records(opened.table("judgment"), "judgment", opened.faults)
        topics, documents = (_names(records, role) for role in ("topic", "document"))
        start, end, placed = places(records, ResultTexts(records))
        models, prompts = _texts(records, "model"), _texts(records, "prompt")
        suggestions: list[Suggestion] = []
        outside = 0
        for row, (topic, document) in enumerate(zip(topics, documents, strict=True)):
            graded = None if placed[row] else _grade(records, row)
            label = _label(records, row, labels) if graded is None else str(graded)
            name = pool.get((topic, corpus.resolve(document) if document else None))
            if name is None:
                outside += 1
                continue
            span = (int(start[row]), int(end[row])) if placed[row] else (0, 0)
            if graded is None:
                _check_span(records, row, name, corpus[name], *span)
            place = topic, name, *span
            suggestions.append(Suggestion(len(suggestions), *place, label, models[row], prompts[row]))
        opened.faults.settle()
        one = "suggestion is for a document outside the pool and is left out"
        many = "suggestions are for documents outside the pool and are left out"
        gathered.add(one, many, outside, where=opened.name)
        return suggestions


def _is_qrels(source: Source) -> bool:
    """Return whether a file begins with the four columns of TREC: topic, iteration, document, grade."""
    return bool(source.head) and len(source.head[0]) == 4


def _judged(source: Source) -> Iterable[JudgedRow]:
    """Return the judgments in a file of an annotation tool, or what it predicted, or those of TREC."""
    from excerpt.bridges.exchange import rows_of
    from excerpt.bridges.tools import read_rows
    from excerpt.formats.reader import judgments_from

    if not source.tool:
        return rows_of(judgments_from(source))
    return read_rows(source.tool, [source], predictions=True) or read_rows(source.tool, [source])


def _of_judgments(
    source: Source, pool: Mapping[tuple[str, str | None], str], corpus: Corpus
) -> list[Suggestion]:
    """Return highlights, and grades of whole documents, as suggestions; a judge is the model."""
    kind = source.tool or "qrels"
    model = source.tool or PurePath(source.name).stem
    suggestions: list[Suggestion] = []
    outside = empty = 0
    for row in _judged(source):
        name = pool.get((row.topic, corpus.resolve(row.document)))
        if name is None:
            outside += 1
            continue
        empty += not row.spans and row.grade is None
        if row.grade is not None:
            about = str(row.grade), row.judge or model, kind
            suggestions.append(Suggestion(len(suggestions), row.topic, name, 0, 0, *about))
        for start, end in row.spans:
            if end > len(corpus[name]):
                found = f"found span [{start}, {end}) of document {short(name)}"
                message = f"{found}, which has {len(corpus[name])} characters"
                raise ExcerptError(message, path=source.name)
            place = row.topic, name, start, end
            suggestions.append(Suggestion(len(suggestions), *place, None, row.judge or model, kind))
    for what, count in (("for documents outside the pool", outside), ("without a passage or a grade", empty)):
        one, many = f"suggestion is left out: {what}", f"suggestions are left out: {what}"
        source.notices.add(one, many, count, where=source.name)
    return suggestions


def _names(records: Records, role: str) -> list[str]:
    names = records.topics() if role == "topic" else records.coded(role)
    records.report_missing(role, names.where(""))
    return names.names()


def _texts(records: Records, key: str) -> list[str]:
    values: list[Any] = [None] * len(records)
    if key in records.table.keys:
        values = records.table.values(key)
    expected = "the name of the model" if key == "model" else "a hash of the prompt"
    for row, value in enumerate(values):
        if is_absent(value):
            records.fault(row, f"key {key} is missing, expected {expected}")
        elif not (isinstance(value, str) and value.strip() and len(value) <= _LONGEST and is_text(value)):
            records.fault(row, f"found {key} {short(repr(value))}, expected {expected}")
    return values


def _grade(records: Records, row: int) -> int | None:
    """Return the grade of a row that has neither a quote nor a place; None for another row."""
    values = {role: records.values(role)[row] for role in ("grade", "start", "end", "quote")}
    grade = values.pop("grade")
    if is_absent(grade) or not all(map(is_absent, values.values())):
        return None
    try:
        return as_grade(grade)
    except Odd:
        return None


def _label(records: Records, row: int, labels: Collection[str] | None) -> str | None:
    label = records.values("grade")[row]
    if is_absent(label):
        return None
    if isinstance(label, str) and (is_text(label) if labels is None else label in labels):
        return label
    expected = f"one of the campaign's labels ({', '.join(labels) if labels else 'none'})"
    records.fault(row, f"found label {short(repr(label))}, expected {expected}")
    return None


def _check_span(records: Records, row: int, document: str, text: str, start: int, end: int) -> None:
    if not 0 <= start < end <= len(text):
        name = f"{short(document)}, which has {len(text)} characters"
        records.fault(row, f"found span [{start}, {end}) of document {name}, expected a span of its text")
        return
    quote = records.values("quote")[row]
    if not is_absent(quote) and quote != text[start:end]:
        expected = f"{short(repr(text[start:end]))}, the text of the span in document {short(document)}"
        records.fault(row, f"found quote {short(repr(quote))}, expected {expected}")


#: Tables whose rows are counted when a campaign is created.
COUNTED = ("topic", "document", "item", "suggestion")


def item_row(item: PoolItem) -> Row:
    """Return the database row of an item of the pool."""
    row = {"topic": item.topic, "document": item.document, "place": item.order, "stratum": item.stratum}
    row["probability"] = "-" if item.probability is None else str(item.probability)
    return {**row, "runs": json.dumps(item.runs), "passages": json.dumps(item.passages)}


_fraction = lru_cache(maxsize=1_000)(Fraction)  # a topic has few different ones, and parsing is slow


def _item(row: Row) -> PoolItem:
    probability = None if row["probability"] == "-" else _fraction(row["probability"])
    passages = tuple(tuple(tuple(passage) for passage in group) for group in json.loads(row["passages"]))
    runs = tuple(json.loads(row["runs"]))
    return PoolItem(row["topic"], row["document"], row["place"], row["stratum"], probability, runs, passages)


#: Types of columns that are not text.
_TYPES: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("number", "place", "length", "start", "end", "version", "base"), (int,)),
    "seconds": (int, float),
    "label": (str, type(None)),
}
#: Columns that are JSON.
_JSON = {"body", "runs", "passages"}


def is_readable(table: str, row: Row) -> bool:
    """Return True if the values of a row can be read; a line of 0.2.0 has no checksum that would tell."""
    try:
        for name, value in row.items():
            if type(value) not in _TYPES.get(name, (str,)):
                return False
            if name in _JSON:
                json.loads(value)
            elif name == "at":
                seconds_of(value)
        if table == "meta":
            return _is_readable_meta(row["key"], row["value"])
        if table == "topic":
            Topic(id=row["id"], **json.loads(row["body"]))
        if table == "item":
            _item(row)
    except (ValueError, TypeError, AttributeError, ZeroDivisionError, RecursionError):
        return False
    return table != "event" or row["kind"] in KINDS


def _is_readable_meta(key: str, value: str) -> bool:
    if key == "inputs":
        return all(PoolInput(*fields) for fields in json.loads(value))
    if key == "rows":
        counts = json.loads(value)
        return counts.keys() <= set(COUNTED) and all(type(count) is int for count in counts.values())
    return key != "settings" or json.loads(value).keys() <= Settings.__dataclass_fields__.keys()


def read_meta(store: Store, path: str, hint: str) -> dict[str, str]:
    """Read the metadata of a campaign; raise an error if rows of its contents are missing."""
    meta = {row["key"]: row["value"] for row in store.rows("meta")}
    if not {"settings", "inputs"} <= meta.keys():
        raise ExcerptError("the settings of the campaign are missing", path=path, hint=hint)
    if "rows" not in meta and next(iter(store.rows("item")), None) is None:
        raise ExcerptError("the documents of the pool are missing", path=path, hint=hint)
    for table, count in json.loads(meta.get("rows", "{}")).items():
        found = store.count_created(table)
        if found != count:
            message = f"found {plural(found, 'row')} of table {table}, expected {count}"
            raise ExcerptError(message, path=path, hint=hint)
    return meta


class Contents:
    """Contents of a campaign; a further pool adds to them, and nothing else changes them."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._settings = settings
        meta = read_meta(store, str(store.path), REBUILD_HINT.format(store.path.parent))
        check_fixed(settings, meta["settings"], str(store.path.parent / SETTINGS))
        further = store.changes(POOL)
        #: Number of the log at the last pool.
        self.last = further[-1]["number"] if further else 0
        first = {"inputs": json.loads(meta["inputs"]), "pairs": store.count_created("item")}
        first |= {"file": meta.get("pool", ""), "sha256": settings.pool_sha256, "added": settings.created}
        #: File, hash, time, runs and number of pairs of each pool.
        self.pools: list[dict[str, Any]] = [first]
        self.pools += ({**json.loads(row["body"]), "added": row["at"]} for row in further)
        #: The runs that the pools were built from.
        inputs = chain.from_iterable(pool["inputs"] for pool in self.pools)
        self.inputs = tuple(dict.fromkeys(PoolInput(*fields) for fields in inputs))
        self.unit: PoolUnit = "passage" if meta.get("unit") == "passage" else "document"
        self.guidelines = meta.get("guidelines", "")
        #: Assessors of imported judgments, whose finished documents are not judged again.
        self.imported: frozenset[str] = frozenset(json.loads(meta.get("imported", "[]")))
        topics = sorted(store.rows("topic"), key=lambda row: row["place"])
        self.topics = tuple(Topic(id=row["id"], **json.loads(row["body"])) for row in topics)
        self.records = {
            row["id"]: DocumentRecord(row["sha256"], row["length"], row["title"], row["kind"])
            for row in store.rows("document")
        }
        self._rows: dict[str, dict[str, Row]] = {topic.id: {} for topic in self.topics}
        rows = list(store.rows("item"))
        bounds = accumulate((pool["pairs"] for pool in self.pools), initial=0)
        #: Pairs of each pool.
        self._batches = [
            [(row["topic"], row["document"]) for row in rows[begin:end]] for begin, end in pairwise(bounds)
        ]
        for row in sorted(rows, key=lambda row: row["place"]):
            self._rows[row["topic"]][row["document"]] = row
        self.suggestions = [Suggestion(**row) for row in store.rows("suggestion")]

    def __contains__(self, pair: AssignedPair) -> bool:
        return pair[1] in self._rows.get(pair[0], {})

    def has_topic(self, topic: str) -> bool:
        return topic in self._rows

    def check_topic(self, topic: str) -> None:
        """Raise an error for a topic that the campaign does not have."""
        if topic not in self._rows:
            raise NotFound(f"the campaign has no topic {short(topic)!r}")

    def last_place(self, topic: str) -> int:
        """Return the place of the last document of a topic, 0 if it is a new topic."""
        return max((row["place"] for row in self._rows.get(topic, {}).values()), default=0)

    def documents(self, topic: str) -> list[str]:
        """Return the documents of a topic in the order of the pool."""
        return list(self._rows[topic])

    @property
    def is_sampled(self) -> bool:
        """Whether documents of the pool were drawn, so that some have a probability below 1."""
        rows = (row for topic in self._rows.values() for row in topic.values())
        return any(row["probability"] not in {"-", "1"} for row in rows)

    def item(self, pair: AssignedPair) -> PoolItem:
        return _item(self._rows[pair[0]][pair[1]])

    def items(self, topic: str) -> list[PoolItem]:
        """Return the items of a topic in the order of the pool."""
        return [_item(row) for row in self._rows[topic].values()]

    def pooled(self, pair: AssignedPair) -> list[tuple[int, int]]:
        """Return the spans of a document that the pool has; none if it has whole documents."""
        groups = self.item(pair).passages if self.unit == "passage" else ()
        return [(start, end) for group in groups for _, start, end in group]

    @cached_property
    def pairs(self) -> list[AssignedPair]:
        return [(topic, document) for topic, rows in self._rows.items() for document in rows]

    @cached_property
    def twice(self) -> frozenset[AssignedPair]:
        """The pairs that two assessors judge, drawn from each pool: a further one changes nothing before."""
        seed, double = self._settings.seed, self._settings.double or 0.0
        return frozenset().union(*(draw_pairs(seed, "double", pairs, double) for pairs in self._batches))

    @cached_property
    def suggested(self) -> Mapping[AssignedPair, Sequence[Suggestion]]:
        by_pair: dict[AssignedPair, list[Suggestion]] = {}
        for suggestion in self.suggestions:
            by_pair.setdefault((suggestion.topic, suggestion.document), []).append(suggestion)
        return by_pair

    @cached_property
    def control(self) -> frozenset[AssignedPair]:
        """The control group: pairs whose suggestions are never shown."""
        return draw_pairs(self._settings.seed, "control", self.suggested, self._settings.control)

    def shown(self, pair: AssignedPair) -> Sequence[Suggestion]:
        """Return the suggestions that may be shown for a pair once it is finished."""
        return () if pair in self.control else self.suggested.get(pair, ())
