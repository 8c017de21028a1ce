"""Making a campaign: everything is read and compared first, then the folder appears whole or not at all."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from excerpt.assess.campaign import Campaign
from excerpt.assess.contents import count_row, item_row, topic_row
from excerpt.assess.events import is_text
from excerpt.assess.folder import BACKUPS, DATABASE, JOURNAL, check_local, sync_folder
from excerpt.assess.importing import import_judgments, pool_of, read_earlier
from excerpt.assess.journal import line_of, lines_of
from excerpt.assess.materials import sha256_of
from excerpt.assess.people import check_name
from excerpt.assess.procedures import DEFAULT, procedure_of
from excerpt.assess.settings import Settings, check_settings, fixed, write_settings
from excerpt.assess.store import Row, Store
from excerpt.assess.suggestions import read_suggestions
from excerpt.assess.times import stamp
from excerpt.corpus import Corpus
from excerpt.errors import ExcerptError, plural, short, short_list
from excerpt.files import Input, describe, is_folder, keep_content, read_bytes, require_path, write_bytes
from excerpt.formats.topics import Topic, Topics, read_topics
from excerpt.model.judgments import Judgments
from excerpt.model.topic_choice import TopicChoice, TopicIds
from excerpt.notices import Notices
from excerpt.pooling import Pool, PoolItem, read_pool

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
    given = read_earlier(qrels, qrels_format, choice, notices)
    if pool is None and given is not None:
        pool = pool_of(given)
    kept_pool = pool if pool is None or isinstance(pool, Pool) else keep_content(pool)
    read = kept_pool if kept_pool is None or isinstance(kept_pool, Pool) else read_pool(kept_pool)
    items = _items(read, opened, asked, _named(pool), choice)
    rows: dict[str, list[Row]] = {
        "meta": [{"key": "inputs", "value": json.dumps([] if read is None else read.inputs)}],
        "topic": _topic_rows(asked, items),
        "document": _document_rows(opened, items, procedure),
        "item": [item_row(item) for item in items],
        "suggestion": _suggestion_rows(
            suggestions, opened, items, labels if procedure_of(procedure).labels else None, notices
        ),
    }
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
        corpus_sha256=_digest(f"{row['id']} {row['sha256']}" for row in rows["document"]),
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


def _named(given: object) -> str | None:
    """The path of what was given, if it has one."""
    return os.fspath(given) if isinstance(given, str | os.PathLike) else None


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


def _suggestion_rows(
    given: Input | None,
    corpus: Corpus,
    items: list[PoolItem],
    labels: Sequence[str] | None,
    notices: Notices | None,
) -> list[Row]:
    """What a machine suggests for the pairs of the pool."""
    if given is None:
        return []
    pairs = [(item.topic, item.document) for item in items]
    return [
        found._asdict() for found in read_suggestions(given, corpus, pairs, labels=labels, notices=notices)
    ]


def _hash(given: Any, table: str, rows: Mapping[str, list[Row]]) -> str:
    """The hash of a file as it is, of all else as the campaign has it."""
    whole = isinstance(given, str | os.PathLike | bytes) or hasattr(given, "read")
    if whole and not is_folder(given):
        return hashlib.sha256(_raw(given)).hexdigest()
    return hashlib.sha256(b"".join(line_of(table, row) for row in rows[table])).hexdigest()


def _raw(given: Any) -> bytes:
    return Path(given).read_bytes() if isinstance(given, str | os.PathLike) else read_bytes(given)


def _digest(lines: Iterator[str]) -> str:
    return hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()


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
