"""Creation of campaigns: new, imported, rebuilt."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from excerpt.assess.campaign import Campaign
from excerpt.assess.contents import count_row, item_row, read_meta, read_suggestions, topic_row
from excerpt.assess.events import LONGEST_QUOTE, Event, is_text
from excerpt.assess.folder import (
    BACKUPS,
    DATABASE,
    JOURNAL,
    Busy,
    TooNew,
    WriteLock,
    check_local,
    folder_of,
    serving,
    stamp,
    sync_folder,
)
from excerpt.assess.journal import count_lacking, fresh_name, line_of, lines_of, read_lines
from excerpt.assess.materials import sha256_of
from excerpt.assess.opinions import Pair, order_of
from excerpt.assess.people import check_name
from excerpt.assess.procedures import DEFAULT, procedure_of
from excerpt.assess.recorder import state_row
from excerpt.assess.settings import Settings, check_settings, fixed, write_settings
from excerpt.assess.store import TABLES, Row, Store
from excerpt.corpus import Corpus
from excerpt.errors import ExcerptError, plural, short, short_list
from excerpt.files import Input, describe, is_folder, keep_content, read_bytes, require_path, write_bytes
from excerpt.formats import read_judgments
from excerpt.formats.topics import Topic, Topics, read_topics
from excerpt.model.judgments import Judgments
from excerpt.model.spans import UNKNOWN
from excerpt.model.topic_choice import TopicChoice, TopicIds
from excerpt.notices import Gathering, Notices
from excerpt.pooling import Pool, PoolItem, read_pool

if TYPE_CHECKING:
    from excerpt.assess.events import History


def pool_of(judgments: Judgments) -> Pool:
    """The judged pairs as a pool, where there is no other."""
    codes = zip(judgments.pair_topic.tolist(), judgments.pair_document.tolist(), strict=True)
    order: Counter[str] = Counter()
    items = []
    for topic, document in ((judgments.topics[one], judgments.documents[other]) for one, other in codes):
        order[topic] += 1
        items.append(PoolItem(topic, document, order[topic], "given", None, (), ()))
    return Pool.of(items)


def import_judgments(
    campaign: Campaign, judgments: Judgments, name: str, *, notices: Notices | None = None
) -> int:
    """Enter judgments as what the assessor `name` did, all or none; how many pairs there were.

    A pair is finished where the procedure has all that it asks for; a missing entry point, say, is not made
    up. Offsets beyond the end of a document are an error; pairs that are not in the pool are counted.
    """
    _check_scale(campaign, judgments)
    with Gathering(notices) as gathered:
        rows = _placed(campaign, judgments, gathered)
        _check_ends(campaign, judgments, rows)
        entry = _Entry(campaign, judgments, name)
        events: list[Event] = []
        unfinished = 0
        for row, pair in rows.items():
            history, made = entry.events(row, pair)
            events += made
            unfinished += not history.state.done
        gathered.add(
            f"imported judgment lacks something that procedure {campaign.settings.procedure} asks for, and "
            "stays unfinished",
            unfinished,
        )
        campaign.enter_all(name, events)
    return len(rows)


def _check_scale(campaign: Campaign, judgments: Judgments) -> None:
    """An error where judgments are not what the procedure makes."""
    name, wanted = campaign.procedure.name, campaign.procedure.exports
    fits = judgments.scale == wanted or (
        judgments.scale in {"highlights", "exhaustivity 0-2"} and campaign.procedure.marks
    )
    nothing = judgments.elements is None and not len(judgments.spans)
    if judgments.unit != "char" or not (fits or nothing):
        found = "bytes" if fits else judgments.scale
        raise ExcerptError(
            f"found judgments by {found}, expected {'characters' if fits else wanted} for {name}",
            path=judgments.source or None,
        )


def _placed(campaign: Campaign, judgments: Judgments, notices: Notices) -> dict[int, Pair]:
    """The rows of judged pairs that are in the pool, by the names that they have there."""
    resolve = campaign.corpus.resolve
    known = {(topic, resolve(document)): document for topic, document in campaign.contents.pairs}
    found: dict[int, Pair] = {}
    for row in range(len(judgments)):
        topic = judgments.topics[int(judgments.pair_topic[row])]
        document = judgments.documents[int(judgments.pair_document[row])]
        there = known.get((topic, resolve(document)))
        if there is None:
            where = f"topic {short(topic)} document {short(document)}"
            notices.add("judged document is not in the pool and was left out", where=where)
        else:
            found[row] = Pair(topic, there)
    return found


def _check_ends(campaign: Campaign, judgments: Judgments, rows: dict[int, Pair]) -> None:
    """An error where text or an entry point is beyond the end of a document, or its length another."""
    last = np.maximum(judgments.pair_entry + 1, 0)
    np.maximum.at(last, judgments.spans.group, judgments.spans.end)
    wrong = []
    for row, pair in rows.items():
        length = campaign.documents[pair.document][1]
        size = int(judgments.pair_size[row])
        other = size not in {UNKNOWN, length} and bool(judgments.relevant_by_pair[row])
        if int(last[row]) > length or other:
            wrong.append(f"{short(pair.document)} (up to {max(int(last[row]), size)} of {length})")
    if wrong:
        raise ExcerptError(
            f"found judgments of another text in {plural(len(wrong), 'document')}: {short_list(wrong, 4)}; "
            "expected offsets and lengths of the corpus, in characters",
            path=judgments.source or None,
        )


class _Entry:
    """Makes the events of judged pairs."""

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
        """A grade as assessors give it; None where an element has none."""
        known = ({order_of(value): value for value, _ in part.values} for part in self._procedure.scale)
        grade = [values.get(code, code) for values, code in zip(known, (first, second), strict=False)]
        return grade if len(grade) > 1 else grade[0] or None

    def events(self, row: int, pair: Pair) -> tuple[History, list[Event]]:
        """What the assessor did on a document, and what came of it; finished, if nothing is missing."""
        history = self._campaign.recorder.history((*pair, self._name))
        made: list[Event] = []
        for kind, body in self._bodies(row, pair):
            event = self._event(pair, history.version, kind, body)
            try:
                history = history.apply(event)
            except ExcerptError as error:
                raise ExcerptError(
                    f"topic {short(pair.topic)} document {short(pair.document)}: {error.message}",
                    path=self._judgments.source or None,
                ) from None
            made.append(event)
        if not history.state.problems:
            event = self._event(pair, history.version, "done", {})
            history = history.apply(event)
            made.append(event)
        return history, made

    def _bodies(self, row: int, pair: Pair) -> Iterator[tuple[str, dict[str, Any]]]:
        if self._procedure.marks:
            text = self._campaign.material(pair.document).text
            spans = slice(self._first[row], self._first[row + 1])
            starts, ends = self._judgments.spans.start[spans], self._judgments.spans.end[spans]
            for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
                yield "highlight", {"start": start, "end": end, "quote": _quote(text[start:end])}
            entry = int(self._judgments.pair_entry[row])
            if self._procedure.entry and entry != UNKNOWN and len(starts):
                yield "bep", {"start": entry}
        for path, grade in self._grades.get(row, ()):
            if grade is not None:
                yield "grade", {"path": path, "grade": grade}

    def _event(self, pair: Pair, base: int, kind: str, body: dict[str, Any]) -> Event:
        parts = "\0".join((self._name, *pair, str(base)))
        number = hashlib.blake2b(parts.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        return Event(f"import-{number}", *pair, base, kind, body=body)


def _quote(text: str) -> str:
    """The text itself, or the hash that stands for a long one."""
    if len(text) <= LONGEST_QUOTE:
        return text
    return f"sha256:{sha256_of(text)}"


#: Without a pool every document is judged for every topic, if these are few.
_MOST = 100_000
_SHOWN = 5  # names in messages
LABELS = ("supports", "contradicts")


def create_folder(
    folder: str | os.PathLike[str],
    *,
    corpus: Corpus | str | os.PathLike[str],
    topics: Input | Mapping[str, Topic | str],
    clock: Callable[[], float],
    pool: Input | Pool | None = None,
    procedure: str = DEFAULT,
    double: float | None = None,
    order: str = "pool",
    seed: int = 1,
    control: float = 0.2,
    labels: Sequence[str] = LABELS,
    title: str | None = None,
    suggestions: Input | None = None,
    qrels: Input | Judgments | None = None,
    qrels_as: str = "imported",
    qrels_format: str | None = None,
    only: TopicIds = None,
    exclude: TopicIds = None,
    notices: Notices | None = None,
) -> Corpus:
    """Make the folder of a campaign, which must be new or empty; gives the corpus as it was opened.

    `double` is the share of pairs that two assessors judge; without it everybody may judge everything.
    `control` is the share of pairs with suggestions that are judged without ever seeing them. `qrels` are
    judgments that were made elsewhere: they become those of an assessor, and without a pool their pairs do.
    `only` and `exclude` choose topics.
    """
    target = _target(folder)
    opened = corpus if isinstance(corpus, Corpus) else Corpus.read(corpus)
    given_topics = topics if isinstance(topics, Mapping) else keep_content(topics)
    asked = read_topics(given_topics, notices=notices, only=only, exclude=exclude)
    choice = TopicChoice.of(only, exclude)
    if qrels is not None and not isinstance(qrels, Judgments):
        qrels = read_judgments(qrels, format=qrels_format, notices=notices)
    given = None if qrels is None else choice.of_judgments(qrels, known=False)
    if pool is None and given is not None:
        pool = pool_of(given)
    kept_pool = pool if pool is None or isinstance(pool, Pool) else keep_content(pool)
    read = kept_pool if kept_pool is None or isinstance(kept_pool, Pool) else read_pool(kept_pool)
    where = os.fspath(pool) if isinstance(pool, str | os.PathLike) else None
    items = _items(read, opened, asked, where, choice)
    rows: dict[str, list[Row]] = {
        "meta": [{"key": "inputs", "value": json.dumps([] if read is None else read.inputs)}],
        "topic": _topic_rows(asked, items),
        "document": _document_rows(opened, items, procedure),
        "item": [item_row(item) for item in items],
        "suggestion": [],
    }
    known = labels if procedure_of(procedure).labels else None
    if suggestions is not None:
        pairs = [(item.topic, item.document) for item in items]
        found = read_suggestions(suggestions, opened, pairs, labels=known, notices=notices)
        rows["suggestion"] = [suggestion._asdict() for suggestion in found]
    settings = Settings(
        title=title or os.fsencode(target.name).decode(errors="replace"),
        procedure=procedure,
        double=double,
        order=order,
        seed=seed,
        control=control,
        labels=tuple(labels),
        corpus=() if isinstance(corpus, Corpus) else (_written(corpus, target),),
        corpus_made=_place(corpus),
        corpus_sha256=sha256_of("".join(f"{row['id']} {row['sha256']}\n" for row in rows["document"])),
        topics_sha256=_hash(given_topics, "topic", rows),
        pool_sha256=_hash(kept_pool, "item", rows),
        created=stamp(clock()),
    )
    check_settings(settings)
    rows["meta"] += [{"key": "settings", "value": fixed(settings)}, count_row(rows)]
    with _filling(target) as temporary:
        _fill(temporary, settings, rows)
        if given is not None:
            with Campaign(temporary, settings, opened, clock) as campaign:
                import_judgments(campaign, given, check_name(qrels_as), notices=notices)
    return opened


def _target(folder: object) -> Path:
    name = require_path(folder, "folder")
    if not name:
        raise ExcerptError("found an empty name, expected that of a folder to make")
    try:
        target = Path(os.path.realpath(name))
        taken = target.exists() and (not target.is_dir() or any(target.iterdir()))
    except OSError as error:
        raise ExcerptError(f"cannot be written: {describe(error)}", path=name) from None
    except ValueError as error:  # a NUL character in the name
        raise ExcerptError(f"is not a file name: {error}", path=name) from None
    if taken:
        raise ExcerptError("is there already, expected a new or an empty folder", path=name)
    check_local(target.parent)
    return target


def _written(corpus: str | os.PathLike[str], target: Path) -> str:
    """How the settings name the corpus: from the folder if it is beside it, so that both can be moved."""
    path = Path(os.path.realpath(corpus))
    beside = target.parent in {path, *path.parents}
    return os.path.relpath(path, target) if beside else str(path)


def _place(corpus: object) -> tuple[str, ...]:
    """Where a corpus is, if that is a name that can be written."""
    path = os.path.realpath(corpus) if isinstance(corpus, str | os.PathLike) else ""
    return (path,) if path and is_text(path) else ()


def _items(
    pool: Pool | None, corpus: Corpus, topics: Topics, where: str | None, choice: TopicChoice
) -> list[PoolItem]:
    """The pool of the topics that count, one item per document, all of them known."""
    if pool is None:
        return _everything(corpus, topics)
    items = [item for topic in choice.kept(tuple(pool.by_topic)) for item in pool.by_topic[topic]]
    if not items:
        raise ExcerptError("found an empty pool, expected documents to judge", path=where)
    unknown = sorted({item.document for item in items if item.document not in corpus})
    if unknown:
        raise ExcerptError(
            f"found {plural(len(unknown), 'document')} that the corpus does not have: "
            f"{short_list(unknown, _SHOWN)}; expected all of them there",
            path=where,
        )
    _check_names(items, corpus, where)
    return items


def _everything(corpus: Corpus, topics: Topics) -> list[PoolItem]:
    if len(corpus) * len(topics) > _MOST:
        raise ExcerptError(
            f"found {len(corpus)} documents for {len(topics)} topics, expected a pool of what to judge",
            hint="give a ⟨pool⟩",
        )
    return [
        PoolItem(topic, document, order, "given", None, (), ())
        for topic in topics
        for order, document in enumerate(corpus, 1)
    ]


def _check_names(items: list[PoolItem], corpus: Corpus, where: str | None) -> None:
    """An error where a topic has a document under two names."""
    own: dict[tuple[str, str | None], str] = {}
    for item in items:
        first = own.setdefault((item.topic, corpus.resolve(item.document)), item.document)
        if first != item.document:
            raise ExcerptError(
                f"found {short(first)} and {short(item.document)} in topic {short(item.topic)}, which are "
                "one document; expected it once",
                path=where,
            )


def _topic_rows(topics: Topics, items: list[PoolItem]) -> list[Row]:
    """The topics of the pool, in its order; each must say what is asked."""
    names = list(dict.fromkeys(item.topic for item in items))
    missing = [name for name in names if name not in topics]
    if missing:
        raise ExcerptError(
            f"found no topic {short_list(missing, _SHOWN)}, expected every topic of the pool",
            path=topics.source,
        )
    found = [topics[name] for name in names]
    for topic in found:
        if not (topic.title or topic.text or topic.narrative).strip():
            raise ExcerptError(
                f"found topic {short(topic.id)} without text, expected what assessors should look for",
                path=topics.source,
                line=topic.line,
            )
    return [topic_row(place, topic) for place, topic in enumerate(found, 1)]


def _document_rows(corpus: Corpus, items: list[PoolItem], procedure: str) -> list[Row]:
    """The documents of the pool with their hashes; where elements are graded all must have some."""
    found: list[Row] = []
    plain = []
    for name in dict.fromkeys(item.document for item in items):
        document = corpus.document(name)
        if document.elements is None:
            plain.append(name)
        row = {"id": name, "sha256": sha256_of(document.text), "length": len(document.text)}
        found.append({**row, "title": document.title, "kind": document.kind})
    if plain and procedure_of(procedure).scale:
        raise ExcerptError(
            f"found {plural(len(plain), 'document')} without elements: {short_list(plain, _SHOWN)}; "
            f"expected XML, for {procedure} grades elements",
            hint=f"⟨procedure={DEFAULT}⟩ takes plain text, too",
        )
    return found


def _hash(given: Any, table: str, rows: Mapping[str, list[Row]]) -> str:
    """The hash of a file as it is, of all else as the campaign has it."""
    whole = isinstance(given, str | os.PathLike | bytes) or hasattr(given, "read")
    if whole and not is_folder(given):
        named = isinstance(given, str | os.PathLike)
        return hashlib.sha256(Path(given).read_bytes() if named else read_bytes(given)).hexdigest()
    return hashlib.sha256(b"".join(line_of(table, row) for row in rows[table])).hexdigest()


def _fill(folder: Path, settings: Settings, rows: Mapping[str, list[Row]]) -> None:
    with contextlib.closing(Store(folder / DATABASE, new=True)) as store:
        with store.writing():
            for table, wanted in rows.items():
                store.add(table, wanted)
        write_bytes(folder / JOURNAL, b"".join(lines_of(store)))
    (folder / BACKUPS).mkdir()
    write_settings(folder, settings)


@contextlib.contextmanager
def _filling(target: Path) -> Iterator[Path]:
    """A folder beside the target that gets its name when all went well, and is removed when not."""
    temporary = target.with_name(f".{target.name}.{os.urandom(4).hex()}.tmp")
    try:
        temporary.mkdir(parents=True)
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


def rebuild(folder: str | os.PathLike[str], *, corpus: Corpus | str | os.PathLike[str] | None = None) -> int:
    """Derive all states again; from the journal where the database is lost or older. How many events."""
    path = folder_of(folder)
    check_local(path)
    with serving(path):
        with contextlib.closing(WriteLock(path)) as lock, lock.held():  # `people` may be at work
            if not _is_usable(path / DATABASE, path / JOURNAL):
                rebuild_from_journal(path)
        with Campaign.open(path, corpus=corpus) as campaign:
            return derive_states(campaign)


def derive_states(campaign: Campaign) -> int:
    """Fold every history again and keep what it comes to; how many events there are."""
    recorder = campaign.recorder
    with recorder.writing() as store:
        store.clear_states()
        for key in store.judged_keys():
            store.put_state(state_row(key, recorder.history_at(key, store.version(key)).state))
        return store.count_events()


def rebuild_from_journal(folder: Path) -> None:
    """Make the database again, line by line; what was there goes to the backups. States are not derived."""
    journal = folder / JOURNAL
    if not journal.is_file():
        hint = f"copies of the database may be in {BACKUPS}"
        raise ExcerptError("cannot be read: there is no journal", path=str(journal), hint=hint)
    temporary = folder / f".{DATABASE}.{os.urandom(4).hex()}.tmp"
    try:
        with contextlib.closing(Store(temporary, new=True)) as store, store.writing():
            for table, row in read_lines(journal):
                _add(store, table, row, str(journal))
            read_meta(store, str(journal), "it was cut off; nothing was changed")
        _move_away(folder)
        temporary.replace(folder / DATABASE)
        sync_folder(folder)
    except OSError as error:
        raise ExcerptError(f"cannot be written: {describe(error)}", path=str(folder)) from None
    finally:
        for suffix in ("", "-wal", "-shm"):
            Path(f"{temporary}{suffix}").unlink(missing_ok=True)


def _add(store: Store, table: str, row: Row, place: str) -> None:
    if table not in TABLES or set(row) != set(TABLES[table]):
        raise ExcerptError(f"found a row of {short(str(table))} with other columns than it has", path=place)
    try:
        store.add(table, [row])
    except sqlite3.Error as error:
        raise ExcerptError(f"found a row of {table} that does not fit: {error}", path=place) from None


def _is_usable(path: Path, journal: Path) -> bool:
    """Whether a database can be opened, is whole, and has all that the journal has."""
    if not path.exists():
        return False
    try:
        with contextlib.closing(Store(path)) as store:
            read_meta(store, str(path), "")
            return not store.faults() and not (journal.exists() and count_lacking(journal, store))
    except (TooNew, Busy):
        raise
    except (sqlite3.DatabaseError, ExcerptError):
        return False


def _move_away(folder: Path) -> None:
    """Put a database that is of no use any more, with its log, among the backups."""
    moment = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
    for suffix in ("", "-wal", "-shm"):
        old = Path(f"{folder / DATABASE}{suffix}")
        if old.exists():
            old.replace(fresh_name(folder / BACKUPS, f"damaged-{moment}", f".sqlite{suffix}"))
