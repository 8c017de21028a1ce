"""Creation of campaigns: new folders, imported judgments."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from excerpt.assess.campaign import Campaign
from excerpt.assess.contents import COUNTED, item_row, read_suggestions
from excerpt.assess.events import LONGEST_QUOTE, Event, is_text
from excerpt.assess.folder import BACKUPS, DATABASE, JOURNAL, check_local, stamp
from excerpt.assess.journal import line_of, lines_of
from excerpt.assess.materials import sha256_of
from excerpt.assess.opinions import JudgedPair, order_of
from excerpt.assess.people import check_name
from excerpt.assess.procedures import DEFAULT, procedure_of
from excerpt.assess.settings import Settings, check_settings, fixed_settings, write_settings
from excerpt.assess.store import Row, Store
from excerpt.corpus import Corpus
from excerpt.errors import ExcerptError, plural, short, short_list
from excerpt.files import (
    Input,
    describe,
    is_folder,
    keep_content,
    read_bytes,
    require_path,
    sync_folder,
    write_bytes,
)
from excerpt.formats import read_judgments
from excerpt.formats.source import Source
from excerpt.model.judgments import Judgments
from excerpt.model.spans import UNKNOWN
from excerpt.model.topic_choice import TopicChoice, TopicIds
from excerpt.notices import Gathering, Notices
from excerpt.pooling import Pool, PoolItem, read_pool
from excerpt.queries import Topic, Topics, read_topics
from excerpt.records.fingerprints import beside, compare_texts

if TYPE_CHECKING:
    from excerpt.assess.events import History


def pool_of(*judgments: Judgments) -> Pool:
    """Return the judged pairs as a pool."""
    order: defaultdict[str, count[int]] = defaultdict(lambda: count(1))
    pairs: dict[tuple[str, str], None] = {}
    for one in judgments:
        codes = zip(one.pair_topic.tolist(), one.pair_document.tolist(), strict=True)
        pairs |= dict.fromkeys((one.topics[topic], one.documents[document]) for topic, document in codes)
    return Pool.of(PoolItem(*pair, next(order[pair[0]]), "given", None, (), ()) for pair in pairs)


def import_judgments(
    campaign: Campaign, judgments: Judgments, name: str, *, notices: Notices | None = None
) -> int:
    """Import judgments as events of the assessor `name`, all or none; return the number of pairs.

    A pair is finished if nothing that the procedure requires is missing; a missing entry point is not made
    up. Offsets beyond the end of a document are an error; pairs that are not in the pool, or that the
    assessor has judged already, are counted.
    """
    _check_scale(campaign, judgments)
    records = campaign.contents.records
    hashes = {own: records[own].sha256 for own in judgments.documents if own in records}
    compare_texts(judgments.source or name, judgments.fingerprints, hashes.get, judgments.documents)
    with Gathering(notices) as gathered:
        rows = _pairs_in_pool(campaign, judgments, gathered)
        judged = [row for row, pair in rows.items() if campaign.recorder.store.version((*pair, name))]
        rows = {row: rows[row] for row in rows.keys() - set(judged)} if judged else rows
        one = f"judgment of {name} repeats a document of an earlier file and is left out"
        many = f"judgments of {name} repeat documents of an earlier file and are left out"
        gathered.add(one, many, len(judged))
        _check_ends(campaign, judgments, rows)
        importer = _Importer(campaign, judgments, name)
        events: list[Event] = []
        unfinished = 0
        for row, pair in rows.items():
            history, pair_events = importer.events(row, pair)
            events += pair_events
            unfinished += not history.state.done
        required = f"input that procedure {campaign.procedure.name} requires"
        one = f"imported judgment lacks {required} and stays unfinished"
        gathered.add(one, f"imported judgments lack {required} and stay unfinished", unfinished)
        campaign.enter_all(name, events)
    return len(rows)


def _check_scale(campaign: Campaign, judgments: Judgments) -> None:
    """Raise an error if the judgments have another scale or unit than those of the procedure."""
    name, scale = campaign.procedure.name, campaign.procedure.exports
    of_text = {"highlights", "exhaustivity 0-2"} if campaign.procedure.marks else set()
    fits = judgments.scale in {scale, *of_text}
    empty = judgments.elements is None and not len(judgments.spans)
    if judgments.unit != "char" or not (fits or empty):
        found, expected = ("bytes", "characters") if fits else (judgments.scale, scale)
        message = f"found judgments by {found}, expected {expected} for procedure {name}"
        raise ExcerptError(message, path=judgments.source or None)


def _pairs_in_pool(campaign: Campaign, judgments: Judgments, notices: Notices) -> dict[int, JudgedPair]:
    """Return the judged pairs that are in the pool, by row, with the document names of the pool."""
    resolve = campaign.corpus.resolve
    names = {(topic, resolve(document)): document for topic, document in campaign.contents.pairs}
    pairs: dict[int, JudgedPair] = {}
    for row in range(len(judgments)):
        topic = judgments.topics[int(judgments.pair_topic[row])]
        document = judgments.documents[int(judgments.pair_document[row])]
        name = names.get((topic, resolve(document)))
        if name is None:
            where = f"topic {short(topic)} document {short(document)}"
            singular = "judged document is not in the pool and is left out"
            notices.add(singular, "judged documents are not in the pool and are left out", where=where)
        else:
            pairs[row] = JudgedPair(topic, name)
    return pairs


def _check_ends(campaign: Campaign, judgments: Judgments, rows: dict[int, JudgedPair]) -> None:
    """Raise an error if offsets are beyond the end of a document, or its length differs."""
    last = np.maximum(judgments.pair_entry + 1, 0)
    np.maximum.at(last, judgments.spans.group, judgments.spans.end)
    wrong = []
    for row, pair in rows.items():
        length = campaign.lengths[pair.document]
        size = int(judgments.pair_size[row])
        other = size not in {UNKNOWN, length} and bool(judgments.relevant_by_pair[row])
        if int(last[row]) > length or other:
            wrong.append(f"{short(pair.document)} (up to {max(int(last[row]), size)} of {length})")
    if wrong:
        found = f"offsets or lengths do not match the corpus in {plural(len(wrong), 'document')}"
        message = f"{found}: {short_list(wrong, 4)}; expected the judged texts, with offsets in characters"
        raise ExcerptError(message, path=judgments.source or None)


class _Importer:
    def __init__(self, campaign: Campaign, judgments: Judgments, name: str) -> None:
        self._campaign = campaign
        self._judgments = judgments
        self._name = name
        self._procedure = campaign.procedure
        self._first = np.searchsorted(judgments.spans.group, np.arange(len(judgments) + 1)).tolist()
        self._grades: dict[int, list[tuple[str, Any]]] = {}
        elements = judgments.elements
        if elements is not None and self._procedure.scale:
            for number, row in enumerate(elements.pair.tolist()):
                grade = self._grade(int(elements.exhaustivity[number]), int(elements.specificity[number]))
                path = elements.paths[int(elements.path[number])]
                self._grades.setdefault(row, []).append((path, grade))

    def _grade(self, first: int, second: int) -> Any:
        """Return a grade as assessors give it, or None if an element has no grade."""
        scales = ({order_of(value): value for value, _ in part.values} for part in self._procedure.scale)
        codes = zip(scales, (first, second), strict=False)
        grade = [values.get(code, code or None) for values, code in codes]
        return grade if len(grade) > 1 else grade[0]

    def events(self, row: int, pair: JudgedPair) -> tuple[History, list[Event]]:
        """Return the events for a document and their history, finished if nothing is missing."""
        history = self._campaign.recorder.history((*pair, self._name))
        events: list[Event] = []
        for kind, body in self._bodies(row, pair):
            event = self._event(pair, history.version, kind, body)
            try:
                history = history.apply(event)
            except ExcerptError as error:
                message = f"topic {short(pair.topic)} document {short(pair.document)}: {error.message}"
                raise ExcerptError(message, path=self._judgments.source or None) from None
            events.append(event)
        if not history.state.problems:
            event = self._event(pair, history.version, "done", {})
            history = history.apply(event)
            events.append(event)
        return history, events

    def _bodies(self, row: int, pair: JudgedPair) -> Iterator[tuple[str, dict[str, Any]]]:
        if self._procedure.marks:
            text = self._campaign.material(pair.document).text
            spans = slice(self._first[row], self._first[row + 1])
            starts, ends = self._judgments.spans.start[spans], self._judgments.spans.end[spans]
            for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
                long = end - start > LONGEST_QUOTE
                quote = f"sha256:{sha256_of(text[start:end])}" if long else text[start:end]
                yield "highlight", {"start": start, "end": end, "quote": quote}
            entry = int(self._judgments.pair_entry[row])
            if self._procedure.entry and entry != UNKNOWN and len(starts):
                yield "bep", {"start": entry}
        grades = [(path, grade) for path, grade in self._grades.get(row, ()) if grade is not None]
        if grades and self._procedure.phases:
            yield "close-phase", {}
        for path, grade in grades or self._irrelevant(pair):
            sure = self._procedure.rest is not None and grade == self._procedure.rest.grade
            yield "grade", {"path": path, "grade": grade, **({"sure": True} if sure else {})}

    def _irrelevant(self, pair: JudgedPair) -> list[tuple[str, Any]]:
        """Return the grade of a document that is judged without relevant elements."""
        nodes = self._campaign.material(pair.document).structure.nodes if self._procedure.pooled else ()
        nothing = [part.values[0][0] for part in self._procedure.scale]
        return [(node.path, nothing) for node in nodes[:1] if node.end > node.start]

    def _event(self, pair: JudgedPair, base: int, kind: str, body: dict[str, Any]) -> Event:
        parts = "\0".join((self._name, *pair, str(base)))
        number = hashlib.blake2b(parts.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        return Event(f"import-{number}", *pair, base, kind, body=body)


#: Most pairs of a campaign without a pool, in which every document is judged for every topic.
_MOST_PAIRS = 100_000
_SHOWN = 5  # names in messages
LABELS = ("supports", "contradicts")


def create_folder(
    folder: str | os.PathLike[str],
    *,
    corpus: Corpus | str | os.PathLike[str],
    topics: Input | Mapping[str, Topic | str],
    clock: Callable[[], float],
    include: Sequence[str] = (),
    encoding: str | None = None,
    pool: Input | Pool | None = None,
    procedure: str = DEFAULT,
    double: float | None = None,
    order: str = "pool",
    seed: int = 1,
    control: float = 0.2,
    labels: Sequence[str] = LABELS,
    title: str | None = None,
    suggestions: Input | None = None,
    qrels: Input | Judgments | Mapping[str, Input | Judgments] | None = None,
    qrels_as: str = "imported",
    qrels_format: str | None = None,
    again: bool = False,
    guidelines: Input | None = None,
    only: TopicIds = None,
    exclude: TopicIds = None,
    notices: Notices | None = None,
) -> Corpus:
    """Create the folder of a campaign, which must be new or empty; return the opened corpus.

    `double` is the proportion of pairs that two assessors judge; without it every assessor may judge all.
    `control` is the proportion of pairs with suggestions for which suggestions are never shown. `qrels` are
    existing judgments, imported as those of the assessor `qrels_as`, or several by the names of assessors;
    JSON Lines may name assessors themselves. Without a pool their pairs are the pool. Finished pairs are
    judged `again` only if asked for. `include` and `encoding` say how the files of the corpus are read, also
    later. `guidelines` are shown to assessors. `only` and `exclude` select topics.
    """
    target = _new_folder(folder)
    opened = corpus if isinstance(corpus, Corpus) else Corpus.read(corpus, include=include, encoding=encoding)
    topic_input = topics if isinstance(topics, Mapping) else keep_content(topics)
    topic_set = read_topics(topic_input, notices=notices, only=only, exclude=exclude)
    choice = TopicChoice.of(only, exclude)
    files = qrels if isinstance(qrels, Mapping) else {} if qrels is None else {qrels_as: qrels}
    imported = [
        (check_name(name), choice.of_judgments(judgments, known=False))
        for given, file in files.items()
        for name, judgments in _opinions(file, given, qrels_format, notices)
    ]
    text = "" if guidelines is None else _guidelines(guidelines, notices)
    if pool is None and imported:
        pool = pool_of(*(judgments for _, judgments in imported))
    given_pool = None if pool is None else GivenPool.of(pool)
    read, where = (given_pool.pool, given_pool.where) if given_pool else (None, None)
    items = _all_pairs(opened, topic_set) if read is None else pool_items(read, opened, where, choice)
    rows: dict[str, list[Row]] = {
        "meta": [{"key": "inputs", "value": json.dumps([] if read is None else read.inputs)}],
        "topic": topic_rows(topic_set, items),
        "document": document_rows(opened, items, procedure),
        "item": [item_row(item) for item in items],
        "suggestion": [],
    }
    if suggestions is not None:
        pairs = [(item.topic, item.document) for item in items]
        allowed = labels if procedure_of(procedure).labels else None
        suggested = read_suggestions(suggestions, opened, pairs, labels=allowed, notices=notices)
        rows["suggestion"] = [suggestion._asdict() for suggestion in suggested]
    path = None if isinstance(corpus, Corpus) else Path(os.path.realpath(corpus))
    is_near = path is not None and target.parent in {path, *path.parents}
    settings = Settings(
        title=title or os.fsencode(target.name).decode(errors="replace"),
        procedure=procedure,
        double=double,
        order=order,
        seed=seed,
        control=control,
        labels=tuple(labels),
        # Relative if it is next to the folder, so that both can be moved.
        corpus=() if path is None else (os.path.relpath(path, target) if is_near else str(path),),
        corpus_made=corpus_path(corpus),
        corpus_sha256=sha256_of("".join(f"{row['id']} {row['sha256']}\n" for row in rows["document"])),
        topics_sha256=hash_of_input(topic_input, "topic", rows),
        pool_sha256=hash_of_input(given_pool and given_pool.content, "item", rows),
        guidelines_sha256=sha256_of(text) if text else "",
        include=tuple(include) if path is not None else (),
        encoding=encoding or "" if path is not None else "",
        created=stamp(clock()),
    )
    check_settings(settings)
    names = [] if again else sorted({name for name, _ in imported})
    meta = {
        "unit": "passage" if read is not None and read.unit == "passage" else "",
        "settings": fixed_settings(settings),
        # A journal that was cut off has fewer rows.
        "rows": json.dumps({table: len(rows[table]) for table in COUNTED}),
        "pool": Path(where).name if where else "",
        "guidelines": text,
        "imported": json.dumps(names) if names else "",
    }
    rows["meta"] += [{"key": key, "value": value} for key, value in meta.items() if value]
    with _temporary_folder(target) as temporary:
        _write_folder(temporary, settings, rows)
        if imported:
            with Campaign(temporary, settings, opened, clock) as campaign:
                for name, judgments in imported:
                    import_judgments(campaign, judgments, name, notices=notices)
    return opened


def _opinions(
    given: Input | Judgments, name: str, format_: str | None, notices: Notices | None
) -> list[tuple[str, Judgments]]:
    """Return the judgments of a file, as those of `name` or of the assessors whom JSON Lines name."""
    if isinstance(given, Judgments):
        return [(name, given)]
    file = keep_content(given)
    judgments = read_judgments(file, format=format_, notices=notices)
    lines = [] if is_folder(file) else Source.open(file, kind="judgments").data.split(b"\n")
    names = [_assessors(line) for line in lines]
    if not any(names):
        return [(name, judgments)]
    named = [(one, line) for one, line in zip(names, lines, strict=True) if line.strip()]
    return [
        (who or name, read_judgments(b"\n".join(line for one, line in named if one == who), format=format_))
        for who in dict.fromkeys(one for one, _ in named)
    ]


def _assessors(line: bytes) -> str:
    """Return the assessors of a line of JSON, those of a merged judgment together; "" if it has none.

    >>> _assessors(b'{"assessors": ["ann", "bob"]}'), _assessors(b"7 Q0 a 0 10")
    ('ann, bob', '')
    """
    try:
        names = json.loads(line)["assessors"] if b"assessors" in line else []
        return ", ".join(names) if isinstance(names, list) else ""
    except (ValueError, TypeError, KeyError, RecursionError):
        return ""


_MOST_GUIDELINES = 100_000  # characters


def _guidelines(given: Input, notices: Notices | None) -> str:
    """Read guidelines; markup is shown as text, which a warning says."""
    source = Source.open(given, expected="guidelines, text in Markdown")
    text = source.text.decode()
    if len(text) > _MOST_GUIDELINES:
        message = f"found guidelines of {len(text)} characters, expected at most {_MOST_GUIDELINES}"
        raise ExcerptError(message, path=source.name)
    with Gathering(notices) as gathered:
        tags = len(re.findall("<[A-Za-z!/?]", text))
        shown = "shown as text"
        gathered.add(f"HTML tag is {shown}", f"HTML tags are {shown}", tags, where=source.name)
    return text


def _new_folder(folder: object) -> Path:
    name = require_path(folder, "folder")
    if not name:
        raise ExcerptError("found an empty name, expected the name of a new folder")
    try:
        target = Path(os.path.realpath(name))
        taken = target.exists() and (not target.is_dir() or any(target.iterdir()))
    except OSError as error:
        raise ExcerptError(f"cannot be written: {describe(error)}", path=name) from None
    except ValueError as error:  # a NUL character in the name
        raise ExcerptError(f"is not a file name: {error}", path=name) from None
    if taken:
        raise ExcerptError("exists already, expected a new or empty folder", path=name)
    check_local(target.parent)
    return target


def corpus_path(corpus: object) -> tuple[str, ...]:
    """Return the absolute path of the corpus, if it has one that TOML can store."""
    path = os.path.realpath(corpus) if isinstance(corpus, str | os.PathLike) else ""
    return (path,) if path and is_text(path) else ()


class GivenPool(NamedTuple):
    """A pool that was given: the pool, its content to be hashed, and its path, None without one."""

    pool: Pool
    content: Any
    where: str | None

    @classmethod
    def of(cls, given: Input | Pool) -> GivenPool:
        content = given if isinstance(given, Pool) else keep_content(given)
        pool = content if isinstance(content, Pool) else read_pool(content)
        return cls(pool, content, os.fspath(given) if isinstance(given, str | os.PathLike) else None)


def pool_items(pool: Pool, corpus: Corpus, where: str | None, choice: TopicChoice) -> list[PoolItem]:
    """Return the items of a pool for the chosen topics; every document must be in the corpus, once."""
    items = [item for topic in choice.kept(tuple(pool.by_topic)) for item in pool.by_topic[topic]]
    if where is not None:
        compare_texts(where, beside(where), corpus.known_hash, pool.documents)
    if not items:
        raise ExcerptError("the pool is empty, expected documents to judge", path=where)
    unknown = sorted({item.document for item in items if item.document not in corpus})
    if unknown:
        lacks = f"the corpus lacks {plural(len(unknown), 'document')} of the pool"
        hint = "was the pool built from runs on another corpus?"
        raise ExcerptError(f"{lacks}: {short_list(unknown, _SHOWN)}", path=where, hint=hint)
    _check_names(items, corpus, where)
    return items


def _all_pairs(corpus: Corpus, topics: Topics) -> list[PoolItem]:
    if len(corpus) * len(topics) > _MOST_PAIRS:
        message = f"{len(corpus)} documents for {len(topics)} topics are too many to judge without a pool"
        raise ExcerptError(message, hint="give ⟨pool⟩")
    return [
        PoolItem(topic, document, order, "given", None, (), ())
        for topic in topics
        for order, document in enumerate(corpus, 1)
    ]


def _check_names(items: list[PoolItem], corpus: Corpus, where: str | None) -> None:
    """Raise an error if the pool has a document under two names."""
    first: dict[str | None, PoolItem] = {}
    for item in items:
        other = first.setdefault(corpus.resolve(item.document), item)
        if other.document != item.document:
            topics = "" if other.topic == item.topic else f" (topic {short(other.topic)})"
            found = f"{short(other.document)}{topics} and {short(item.document)} in topic {short(item.topic)}"
            expected = "two names of one document; expected one name of each document"
            raise ExcerptError(f"found {found}, {expected}", path=where)


def topic_rows(topics: Topics, items: list[PoolItem], first: int = 1) -> list[Row]:
    """Return the topics of the pool as rows, in its order from place `first`; each must have a text."""
    names = list(dict.fromkeys(item.topic for item in items))
    missing = [name for name in names if name not in topics]
    if missing:
        raise ExcerptError(f"missing topics of the pool: {short_list(missing, _SHOWN)}", path=topics.source)
    rows: list[Row] = []
    for place, topic in enumerate((topics[name] for name in names), first):
        if not (topic.title or topic.text or topic.narrative).strip():
            message = f"topic {short(topic.id)} has no text, expected a title, a question or a narrative"
            raise ExcerptError(message, path=topics.source, line=topic.line)
        body = {name: value for name, value in asdict(topic).items() if name not in {"id", "line"} and value}
        rows.append({"id": topic.id, "place": place, "body": json.dumps(body)})
    return rows


def document_rows(corpus: Corpus, items: list[PoolItem], procedure: str) -> list[Row]:
    """Return the documents of the pool as rows; if elements are graded, all documents must have elements."""
    rows: list[Row] = []
    plain = []
    for name in dict.fromkeys(item.document for item in items):
        document = corpus.document(name)
        if document.elements is None:
            plain.append(name)
        row = {"id": name, "sha256": sha256_of(document.text), "length": len(document.text)}
        rows.append({**row, "title": document.title, "kind": document.kind})
    if plain and procedure_of(procedure).scale:
        found = f"{plural(len(plain), 'document')} without elements: {short_list(plain, _SHOWN)}"
        message = f"found {found}; expected XML: procedure {procedure} grades elements"
        raise ExcerptError(message, hint=f"⟨procedure={DEFAULT}⟩ accepts plain text")
    return rows


def hash_of_input(source: Any, table: str, rows: Mapping[str, list[Row]]) -> str:
    """Return the hash of a file's bytes, or of the rows if the source is not a file."""
    is_file = isinstance(source, str | os.PathLike | bytes) or hasattr(source, "read")
    if is_file and not is_folder(source):
        named = isinstance(source, str | os.PathLike)
        return hashlib.sha256(Path(source).read_bytes() if named else read_bytes(source)).hexdigest()
    return hashlib.sha256(b"".join(line_of(table, row) for row in rows[table])).hexdigest()


def _write_folder(folder: Path, settings: Settings, rows: Mapping[str, list[Row]]) -> None:
    with contextlib.closing(Store(folder / DATABASE, new=True)) as store:
        with store.writing():
            for table, table_rows in rows.items():
                store.add(table, table_rows)
        write_bytes(folder / JOURNAL, b"".join(lines_of(store)))
    (folder / BACKUPS).mkdir()
    write_settings(folder, settings)


@contextlib.contextmanager
def _temporary_folder(target: Path) -> Iterator[Path]:
    """A folder next to the target, renamed to it on success and removed on failure."""
    temporary = target.with_name(f".{target.name}.{os.urandom(4).hex()}.tmp")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary.mkdir(mode=0o700)
        yield temporary
        temporary.rename(target)
        sync_folder(target.parent)
    except OSError as error:
        raise ExcerptError(f"cannot be written: {describe(error)}", path=str(target)) from None
    except ExcerptError as error:
        if not (error.path or "").startswith(str(temporary)):
            raise
        raise ExcerptError(error.message, path=str(target), hint="nothing was left behind") from None
    finally:
        if temporary.exists():
            shutil.rmtree(temporary, ignore_errors=True)
