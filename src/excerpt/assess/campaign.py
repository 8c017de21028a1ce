"""Campaigns: permissions, and what is done with an event."""

from __future__ import annotations

import contextlib
import copy
import json
import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from excerpt.assess.contents import Contents, Suggestion
from excerpt.assess.events import Event, State, check_text, parse_event, seconds_in
from excerpt.assess.folder import (
    BACKUPS,
    DATABASE,
    NotAllowed,
    NotFound,
    check_local,
    folder_of,
    seconds_of,
    serving,
    stamp,
)
from excerpt.assess.journal import Copies, fresh_name
from excerpt.assess.materials import Material, Materials, find_corpus, open_corpus
from excerpt.assess.people import (
    ADDED,
    REMOVED,
    Pair,
    People,
    Person,
    assessors_of,
    check_name,
    hash_of,
    new_token,
    ranked,
)
from excerpt.assess.procedures import PROCEDURES, Procedure
from excerpt.assess.queue import Orders, document_for, pool_for
from excerpt.assess.recorder import SUGGESTIONS, Action, Judged, Recorder, key_of
from excerpt.assess.rules import Rules, Structure
from excerpt.assess.settings import Settings, read_settings, write_settings
from excerpt.assess.store import Key, explained
from excerpt.corpus import Corpus
from excerpt.errors import ExcerptError, short
from excerpt.formats.topics import Topic
from excerpt.notices import Notices
from excerpt.pooling import PoolInput, PoolItem


class Rights:
    """People and their pairs, as the database has them now."""

    def __init__(self, recorder: Recorder, contents: Contents, settings: Settings) -> None:
        self._recorder = recorder
        self._contents = contents
        self._settings = settings
        self._people: tuple[int, People] = (-1, People(()))
        #: The people, and for each pair the order in which they are asked.
        self._ranked: tuple[list[str], dict[Pair, tuple[str, ...]]] = ([], {})

    def read_from(self, recorder: Recorder) -> Rights:
        """The same, as another recorder knows it."""
        found = Rights(recorder, self._contents, self._settings)
        found._ranked = self._ranked  # takes long, and depends on names alone
        return found

    def people(self) -> People:
        """The people as they are now; another process may have added some."""
        with self._recorder.reading() as store:
            last = store.last_of("person")
            if last != self._people[0]:
                self._people = (last, People(store.rows("person")))
            return self._people[1]

    def assigned(self, pairs: Sequence[Pair], name: str) -> list[Pair]:
        """Those of the pairs that an assessor may judge."""
        if self._settings.double is None:
            return list(pairs)
        return [pair for pair, names in self._shared_out(pairs) if name in names]

    def by_assessor(self, pairs: Sequence[Pair]) -> dict[str, list[Pair]]:
        """For everybody who takes part, those of the pairs that they may judge."""
        found: dict[str, list[Pair]] = {name: [] for name in self.people().names()}
        if self._settings.double is None:
            return {name: list(pairs) for name in found}
        for pair, names in self._shared_out(pairs):
            for name in names:
                if name in found:  # else they have finished it and left
                    found[name].append(pair)
        return found

    def _shared_out(self, pairs: Sequence[Pair]) -> Iterator[tuple[Pair, tuple[str, ...]]]:
        people = self.people()
        here, once = people.names(), {person.name for person in people.all()}
        begun = self._begun(pairs, set(here), once)
        return ((pair, self._assessors(pair, here, begun.get(pair, set()))) for pair in pairs)

    def _begun(self, pairs: Sequence[Pair], here: set[str], once: set[str]) -> dict[Pair, set[str]]:
        """Who has begun a pair and is still here, or has finished it before leaving."""
        summaries = self._recorder.summaries()
        wanted = set(pairs)
        keys: Iterable[Key] = summaries
        if len(pairs) * len(once) < len(summaries):
            keys = ((*pair, name) for pair in pairs for name in once if (*pair, name) in summaries)
        found: dict[Pair, set[str]] = {}
        for key in keys:
            if key[:2] in wanted and (key[2] in here or (key[2] in once and summaries[key]["done"])):
                found.setdefault(key[:2], set()).add(key[2])
        return found

    def _assessors(self, pair: Pair, people: list[str], begun: set[str]) -> tuple[str, ...]:
        here, known = self._ranked  # another thread may change it
        if here != people:
            known = {}
            self._ranked = (people, known)
        if pair not in known:
            known[pair] = ranked(pair, people, self._settings.seed)
        return assessors_of(known[pair], wanted=2 if pair in self._contents.twice else 1, begun=begun)


class Campaign:
    """Judgments being made. `create` makes a folder, `open` opens one; close it, or use it as a context."""

    def __init__(
        self, folder: Path, settings: Settings, corpus: Corpus | None, clock: Callable[[], float]
    ) -> None:
        #: The folder, as it was given.
        self.folder = folder
        self.settings = settings
        #: Doubts that came up, such as a journal that had to be repaired.
        self.notices = Notices()
        self._given = corpus
        self._clock = clock
        self._copies = Copies(folder, clock, self.notices)
        self.recorder = Recorder(folder, clock=clock, rules=self._rules, before=self._copies.before_migration)
        try:
            self.contents = Contents(self.recorder.store, settings)
        except BaseException:
            self.recorder.close()
            raise
        self.rights = Rights(self.recorder, self.contents, settings)
        self.orders = Orders(self.recorder, self.contents, settings)
        self._copies.count = self.recorder.store.count_events()

    @classmethod
    def create(cls, folder: str | os.PathLike[str], **how: Any) -> Campaign:
        """Make a campaign in a new folder; `creation.create_folder` says what can be set."""
        from excerpt.assess.creation import create_folder

        clock = how.pop("clock", time.time)
        corpus = create_folder(folder, clock=clock, **how)
        try:
            return cls.open(folder, corpus=corpus, clock=clock)
        except BaseException:  # as on a full disk
            shutil.rmtree(folder, ignore_errors=True)
            raise

    @classmethod
    def open(
        cls,
        folder: str | os.PathLike[str],
        *,
        corpus: Corpus | str | os.PathLike[str] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> Campaign:
        """Open a campaign; documents are read when they are needed, from where they were or from `corpus`."""
        path = folder_of(folder)
        check_local(path)
        given = Corpus.read(corpus) if isinstance(corpus, str | os.PathLike) else corpus
        settings = read_settings(path)
        try:
            return cls(path, settings, given, clock)
        except sqlite3.Error as error:
            raise explained(error, path / DATABASE) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Wait for what is being written, and close all files."""
        self._copies.wait()
        self.recorder.close()

    @cached_property
    def corpus(self) -> Corpus:
        """The documents."""
        return open_corpus(self.folder, self.settings) if self._given is None else self._given

    @cached_property
    def _materials(self) -> Materials:
        return Materials(self.corpus, self.contents.known)

    def material(self, document: str) -> Material:
        """A document of the pool with its structure; an error where its text has changed."""
        return self._materials.get(document)

    def check_corpus(self) -> None:
        """An error that names every document whose text has changed since the campaign was made."""
        self._materials.check()

    def check_used(self, documents: Iterable[str]) -> None:
        """An error that names those of some documents whose text has changed, unless the corpus is gone."""
        if self.has_corpus:
            self._materials.check(documents)

    @property
    def has_corpus(self) -> bool:
        """Whether the documents are there."""
        return self._given is not None or bool(find_corpus(self.folder, self.settings))

    @property
    def topics(self) -> tuple[Topic, ...]:
        """The topics, in the order of the pool."""
        return self.contents.topics

    def items(self, topic: str) -> list[PoolItem]:
        """The pool of a topic."""
        return self.contents.items(topic)

    @cached_property
    def documents(self) -> dict[str, tuple[str, int]]:
        """Hash and length of every document of the pool."""
        return {name: (known.sha256, known.length) for name, known in self.contents.known.items()}

    @property
    def inputs(self) -> tuple[PoolInput, ...]:
        """The runs that the pool was made from."""
        return self.contents.inputs

    @property
    def procedure(self) -> Procedure:
        """What assessors are asked for."""
        return PROCEDURES[self.settings.procedure]

    @property
    def suggestions(self) -> list[Suggestion]:
        """What machines suggest."""
        return self.contents.suggestions

    def in_control(self, topic: str, document: str) -> bool:
        """Whether the suggestions for a pair are never shown."""
        return (topic, document) in self.contents.control

    def _rules(self, key: Key) -> Rules:
        structure = self.material(key[1]).structure if self.procedure.scale else Structure(None)
        spans = {given.number: (given.start, given.end) for given in self.contents.shown(key[:2])}
        return Rules(self.procedure, structure, labels=self.settings.labels, suggestions=spans)

    def people(self) -> list[Person]:
        """Everybody who was ever added."""
        return self.rights.people().all()

    def add_person(self, name: str) -> str:
        """Let somebody take part; the token is given once and not kept. An older token of theirs ends."""
        token = new_token()
        self.recorder.person(check_name(name), ADDED, hash_of(token))
        return token

    def remove_person(self, name: str) -> None:
        """End somebody's token; the judgments stay."""
        if name not in self.rights.people().names():
            raise ExcerptError(f"found no assessor {short(str(name))!r}, expected one of the campaign")
        self.recorder.person(name, REMOVED, "")

    def identify(self, token: str) -> str | None:
        """Whose token this is; None if nobody's."""
        return self.rights.people().identify(token)

    def assigned(self, name: str) -> list[Pair]:
        """The pairs that an assessor may judge."""
        return self.rights.assigned(self.contents.pairs, name)

    def work_of(self, name: str) -> tuple[dict[Pair, float], dict[Pair, int]]:
        """For how many seconds somebody worked on each document, and which were finished at least once."""
        with self.recorder.reading() as store:
            return store.seconds(name), store.finished(name)

    def pair_of(self, name: str, topic: str, document: str) -> Pair:
        """The pair that is meant, by any name of the document; a refusal where it is none, or not theirs."""
        if not self.contents.has_topic(topic):
            raise NotFound(f"found no topic {short(topic)!r} in the campaign")
        pair = (topic, document)
        if pair not in self.contents:
            resolve = self.corpus.resolve
            own = resolve(document)
            same = (known for known in self.contents.documents(topic) if resolve(known) == own)
            pair = (topic, next(same, document) if own is not None else document)
        if pair not in self.contents:
            raise NotFound(f"found no document {short(document)!r} in the pool of topic {short(topic)}")
        if not self.rights.assigned([pair], name):
            raise NotAllowed(f"found document {short(document)!r}, which somebody else judges")
        return pair

    def pool_for(self, name: str, topic: str | None = None) -> dict[str, Any]:
        """What an assessor has to judge, of one topic or of all."""
        return pool_for(self, name, topic)

    def document_for(self, name: str, topic: str, document: str, show: Sequence[str] = ()) -> dict[str, Any]:
        """A document with what an assessor has made of it; `show` may name `runs` and `suggestions`."""
        return document_for(self, name, self.pair_of(name, topic, document), show)

    def record(self, name: str, event: Mapping[str, Any]) -> dict[str, Any]:
        """Do what an assessor did; it is on disk when this returns. The same event again changes nothing."""
        parsed = parse_event(event)
        _, document = self.pair_of(name, parsed.topic, parsed.document)
        text = self.material(document).text
        state, new = self.recorder.record(
            name, replace(parsed, document=document), lambda given: check_text(given, text)
        )
        if new:
            self._copies.note_event()
        return {"version": state.version, "state": state.to_json()}

    def record_all(
        self, name: str, events: Sequence[Mapping[str, Any]]
    ) -> tuple[list[dict[str, Any]], ExcerptError | None]:
        """Several events in order, up to the first that is refused: the answers, and the refusal."""
        answers: list[dict[str, Any]] = []
        for event in events:
            try:
                answers.append(self.record(name, event))
            except ExcerptError as refusal:
                return answers, refusal
        return answers, None

    def enter_all(self, assessor: str, events: Sequence[Event]) -> None:
        """Judgments that were made elsewhere: events of somebody who need not take part, all or none."""
        self.recorder.enter_all(
            assessor, list(events), lambda event: check_text(event, self.material(event.document).text)
        )

    def trace(self, name: str, topic: str, document: str, kind: str, body: Mapping[str, Any]) -> None:
        """Note what was shown or, with the kind `work`, for how many seconds somebody worked."""
        pair = self.pair_of(name, topic, document)
        self.recorder.trace([(*pair, name)], kind, body, seconds_in(body) if kind == "work" else 0)

    @contextlib.contextmanager
    def at_one_moment(self) -> Iterator[Campaign]:
        """The campaign as it is now, to report on: those who judge meanwhile are neither seen nor held up.

        It is read through a connection of its own; one that stands still is itself.
        """
        if self.recorder.stands_still:
            yield self
            return
        still = copy.copy(self)
        with contextlib.closing(self.recorder.at_one_moment()) as still.recorder:
            still.rights = self.rights.read_from(still.recorder)
            yield still

    def judged(self) -> list[Judged]:
        """What every assessor has made of every document with an event; by assessor, topic and document."""
        with self.at_one_moment() as still, still.recorder.reading() as store:
            shown = store.first_shown(SUGGESTIONS)
            found = []
            for row in store.states(body=True):
                key = key_of(row)
                before = still.recorder.finished_before(key, shown[key]) if key in shown else None
                found.append(Judged(*key, State.from_json(json.loads(row["body"])), before))
            return found

    def actions(self, assessor: str | None = None) -> list[Action]:
        """Everything that was done and shown, in the order of the log."""
        with self.at_one_moment() as still, still.recorder.reading() as store:
            return [
                Action(name, topic, document, seconds_of(at), kind)
                for name, topic, document, at, kind in store.actions()
                if assessor in {None, name}
            ]

    def shown(self) -> set[Pair]:
        """The pairs whose suggestions somebody has seen."""
        with self.at_one_moment() as still, still.recorder.reading() as store:
            return {key[:2] for key in store.first_shown(SUGGESTIONS)}

    @contextlib.contextmanager
    def serve_lock(self) -> Iterator[None]:
        """Be the only server; the journal is compared with the database, and a copy is made."""
        with serving(self.folder):
            moment = stamp(self._clock()).replace(":", "").replace("-", "")[:15]
            keep = fresh_name(self.folder / BACKUPS, f"journal-damaged-{moment}", ".jsonl")
            if told := self.recorder.check_journal(keep):
                self.notices.add(told)
            self.backup()
            yield

    def backup(self) -> Path:
        """Copy the database into the folder of backups."""
        with self.recorder.reading() as store:
            return self._copies.now(store)

    def integrity(self) -> list[str]:
        """What is wrong with the database; nothing as a rule."""
        with self.recorder.reading() as store:
            return store.faults()

    def set_address(self, host: str, port: int, names: tuple[str, ...] | None = None) -> None:
        """Keep where the campaign is served, and under which further names: links depend on it."""
        names = self.settings.names if names is None else names
        self.settings = replace(self.settings, host=host, port=port, names=names)
        write_settings(self.folder, self.settings)
