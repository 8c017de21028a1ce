"""Campaigns: contents, permissions of assessors, and recording of events."""

from __future__ import annotations

import contextlib
import copy
import json
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Self

from excerpt.assess.assignment import Permissions
from excerpt.assess.contents import Contents
from excerpt.assess.events import Basis, Event, State, check_text, parse_event, seconds_in
from excerpt.assess.folder import (
    BACKUPS,
    DATABASE,
    REBUILD_HINT,
    NotAllowed,
    NotFound,
    folder_of,
    make_private,
    seconds_of,
    serving,
    stamp,
)
from excerpt.assess.journal import Backups, fresh_name
from excerpt.assess.materials import Material, Materials, find_corpus, open_corpus
from excerpt.assess.people import (
    ADDING,
    ADJUDICATOR,
    ASSESSOR,
    REMOVED,
    AssignedPair,
    Person,
    check_name,
    hash_of,
    new_token,
)
from excerpt.assess.procedures import Procedure, procedure_of
from excerpt.assess.queue import Orders, document_for, pool_for
from excerpt.assess.recorder import SUGGESTIONS, Action, JudgedState, Recorder, key_of, meaning_of, state_row
from excerpt.assess.rules import ElementTree, Rules
from excerpt.assess.settings import Settings, read_settings, write_settings
from excerpt.assess.store import DAMAGE, POOL, StateKey, explained
from excerpt.corpus import Corpus
from excerpt.errors import ExcerptError, UnknownName, short
from excerpt.notices import Notices
from excerpt.queries import Topic


class Campaign:
    """An assessment campaign: `create` a folder or `open` one; close it, or use it as a context."""

    def __init__(
        self, folder: Path, settings: Settings, corpus: Corpus | None, clock: Callable[[], float]
    ) -> None:
        #: The folder, as the caller named it.
        self.folder = folder
        self.settings = settings
        #: Warnings, such as that the journal had to be repaired.
        self.notices = Notices()
        self._given_corpus = corpus
        self._clock = clock
        self._backups = Backups(folder, clock, self.notices)
        self.recorder = Recorder(
            folder, clock=clock, rules=self.rules_of, before=partial(self._backups.now, why="migration")
        )
        try:
            #: The first fault of the journal; the database itself is sound.
            self.journal_fault = self.recorder.journal.verify()
            self.contents = Contents(self.recorder.store, settings)
        except (ValueError, TypeError, KeyError, AttributeError) as error:  # contents of a damaged journal
            self.recorder.close()
            message = f"the contents of the campaign cannot be read: {error}"
            hint = REBUILD_HINT.format(folder)
            raise ExcerptError(message, path=str(folder / DATABASE), hint=hint) from None
        except BaseException:
            self.recorder.close()
            raise
        self.permissions = Permissions(self.recorder, self.contents, settings)
        self.orders = Orders(self.recorder, self.contents, settings)
        self._backups.count = self.recorder.store.count_events()

    @classmethod
    def create(cls, folder: str | os.PathLike[str], **options: Any) -> Campaign:
        """Create a campaign in a new folder; see `creation.create_folder` for the arguments."""
        from excerpt.assess.creation import create_folder

        clock = options.pop("clock", time.time)
        corpus = create_folder(folder, clock=clock, **options)
        try:
            return cls.open(folder, corpus=corpus, clock=clock)
        except BaseException:  # such as a full disk
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
        """Open a campaign; documents are read on demand, from `corpus` or from where they were."""
        path = folder_of(folder)
        settings = read_settings(path)
        if isinstance(corpus, str | os.PathLike):
            corpus = Corpus.read(corpus, **settings.corpus_options)
        try:
            return cls(path, settings, corpus, clock)
        except DAMAGE as error:
            raise explained(error, path / DATABASE) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Wait for pending writes and close all files."""
        self._backups.wait()
        self.recorder.close()
        make_private(self.folder)

    def refresh(self) -> None:
        """Read the contents again if the campaign was extended, perhaps by another process."""
        with self.recorder.reading() as store:
            if store.last_change(POOL) == self.contents.last:
                return
            self.contents = Contents(store, self.settings)
            self.permissions = self.permissions.read_from(self.recorder, self.contents)
            self.orders = Orders(self.recorder, self.contents, self.settings)
            for name in ("lengths", "_materials"):
                self.__dict__.pop(name, None)
            if self._given_corpus is None and any(one not in self.corpus for one in self.contents.records):
                self.__dict__.pop("corpus")  # files were added since it was opened

    @cached_property
    def corpus(self) -> Corpus:
        given = self._given_corpus
        return open_corpus(self.folder, self.settings) if given is None else given

    @cached_property
    def _materials(self) -> Materials:
        return Materials(self.corpus, self.contents.records)

    def material(self, document: str) -> Material:
        """Return a document of the pool with its structure; raise an error if its text has changed."""
        return self._materials.get(document)

    def check_corpus(self) -> None:
        """Raise an error that names every document whose text has changed since the campaign was created."""
        self._materials.check()

    def check_used(self, documents: Iterable[str]) -> None:
        """Raise an error if any of these documents has changed; a missing corpus is not checked."""
        if self.has_corpus:
            self._materials.check(documents)

    @property
    def has_corpus(self) -> bool:
        return self._given_corpus is not None or bool(find_corpus(self.folder, self.settings))

    @property
    def topics(self) -> tuple[Topic, ...]:
        """The topics, in the order of the pool."""
        return self.contents.topics

    @cached_property
    def lengths(self) -> dict[str, int]:
        """Length of every document of the pool."""
        return {name: record.length for name, record in self.contents.records.items()}

    @property
    def procedure(self) -> Procedure:
        """The assessment procedure, as it was when the campaign was created."""
        return procedure_of(self.settings.procedure, self.settings.version)

    @property
    def renamed(self) -> str:
        """A sentence if the procedure of the campaign has another name now; else empty."""
        old, new = self.settings.procedure, self.procedure.name
        return "" if old == new else f"procedure {old} of this campaign is now called {new}; its rules stay"

    def rules_of(self, key: StateKey) -> Rules:
        structure = self.material(key[1]).structure if self.procedure.scale else ElementTree(None)
        pooled = self.contents.pooled(key[:2]) if self.procedure.pooled else ()
        how: dict[str, Any] = {"labels": self.settings.labels, "pooled": pooled}
        if self.is_adjudicator(key[2]):
            from excerpt.assess.adjudication import AdjudicationRules, opinions_on

            read = partial(opinions_on, self, key[:2])
            return AdjudicationRules(self.procedure, structure, opinions=read, **how)
        spans = {one.number: (one.start, one.end) for one in self.contents.shown(key[:2])}
        return Rules(self.procedure, structure, suggestions=spans, **how)

    def people(self) -> list[Person]:
        """Return all assessors and adjudicators, removed ones included."""
        return self.permissions.people().all()

    def is_adjudicator(self, name: str) -> bool:
        return self.permissions.role_of(name) == ADJUDICATOR

    def add_person(self, name: str, role: str = ASSESSOR) -> str:
        """Add an assessor or an adjudicator; return the token, which is not stored.

        An older token of theirs expires. Nobody changes the role, since adjudicators see all judgments.
        """
        if role not in ADDING:
            raise UnknownName("role", role, ADDING)
        self.check_role(name, role)
        token = new_token()
        row = {"name": check_name(name), "change": ADDING[role], "token": hash_of(token)}
        self.recorder.log("person", [row])
        return token

    def check_role(self, name: str, role: str) -> None:
        """Raise an error if somebody has another role."""
        known = self.permissions.people().role_of(name)
        if known is None and name in self.contents.imported:
            known = ASSESSOR
        if known not in {None, role}:
            hint = "nobody has two roles; choose another name"
            raise ExcerptError(f"{short(str(name))} is an {known} of this campaign", hint=hint)

    def remove_person(self, name: str) -> None:
        """Remove an assessor or an adjudicator: the token expires, the judgments stay."""
        if name not in [person.name for person in self.people() if not person.removed]:
            raise ExcerptError(f"the campaign has no assessor {short(str(name))!r}")
        self.recorder.log("person", [{"name": name, "change": REMOVED, "token": ""}])

    def identify(self, token: str) -> str | None:
        return self.permissions.people().identify(token)

    def work_of(self, name: str) -> tuple[dict[AssignedPair, float], dict[AssignedPair, int]]:
        """Return the seconds that an assessor worked on each document, and the documents once finished."""
        with self.recorder.reading() as store:
            return store.seconds(name), store.finished(name)

    def pair_of(self, name: str, topic: str, document: str) -> AssignedPair:
        """Return the pair, given any name of the document; raise an error if it is not assigned to `name`."""
        pair = self.find_pair(topic, document)
        if self.is_adjudicator(name):
            from excerpt.assess.adjudication import check_turn

            check_turn(self, name, pair)
            return pair
        if not self.permissions.assigned([pair], name):
            raise NotAllowed(f"document {short(document)!r} is assigned to another assessor")
        return pair

    def find_pair(self, topic: str, document: str) -> AssignedPair:
        """Return a pair of the pool, given any name of the document."""
        self.refresh()
        self.contents.check_topic(topic)
        pair = (topic, document)
        if pair not in self.contents:
            resolve = self.corpus.resolve
            own = resolve(document)
            if own is not None and document in self.corpus.names(own):  # not an id that only resembles one
                same = (each for each in self.contents.documents(topic) if resolve(each) == own)
                pair = (topic, next(same, document))
        if pair not in self.contents:
            raise NotFound(f"the pool of topic {short(topic)} has no document {short(document)!r}")
        return pair

    def pool_for(self, name: str, topic: str | None = None) -> dict[str, Any]:
        """Return the documents that an assessor has to judge, of one topic or of all."""
        self.refresh()
        if self.is_adjudicator(name):
            from excerpt.assess.decisions import pool_to_decide

            return pool_to_decide(self, name, topic)
        return pool_for(self, name, topic)

    def document_for(self, name: str, topic: str, document: str, show: Sequence[str] = ()) -> dict[str, Any]:
        """Return a document with an assessor's judgments; `show` may contain `runs` and `suggestions`."""
        pair = self.pair_of(name, topic, document)
        if self.is_adjudicator(name):
            from excerpt.assess.decisions import document_to_decide

            return document_to_decide(self, name, pair, show)
        return document_for(self, name, pair, show)

    def record(self, name: str, event: Mapping[str, Any]) -> dict[str, Any]:
        """Store an event of an assessor, on disk before this returns; sending it again changes nothing."""
        parsed = parse_event(event)
        decides = self.is_adjudicator(name)
        if parsed.kind == "decide" and not decides:
            raise NotAllowed("only adjudicators decide between assessors")
        pair = self.pair_of(name, parsed.topic, parsed.document)
        text = self.material(pair[1]).text
        basis: Callable[[], Basis] | None = None
        if decides:
            from excerpt.assess.adjudication import basis_of

            basis = partial(basis_of, self, pair)  # what is decided on when the event is stored
        own = replace(parsed, document=pair[1])
        state, new = self.recorder.record(name, own, lambda one: check_text(one, text), basis)
        if new:
            self._backups.note_event()
        return {"version": state.version, "state": state.to_json()}

    def record_all(
        self, name: str, events: Sequence[Mapping[str, Any]]
    ) -> tuple[list[dict[str, Any]], ExcerptError | None]:
        """Store events in order up to the first invalid one; return the answers and that error."""
        answers: list[dict[str, Any]] = []
        for event in events:
            try:
                answers.append(self.record(name, event))
            except ExcerptError as error:
                return answers, error
        return answers, None

    def enter_all(self, assessor: str, events: Sequence[Event]) -> None:
        """Store imported judgments as events of an assessor, who need not be active; all or none."""

        def check(event: Event) -> Event:
            return check_text(event, self.material(event.document).text)

        self.recorder.enter_all(assessor, list(events), check)

    def trace(self, name: str, topic: str, document: str, kind: str, body: Mapping[str, Any]) -> None:
        """Log what was shown or, with the kind `work`, the seconds that an assessor worked."""
        pair = self.pair_of(name, topic, document)
        self.recorder.trace([(*pair, name)], kind, body, seconds_in(body) if kind == "work" else 0)

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[Campaign]:
        """The campaign as it is now, for reports: later writes are neither seen nor blocked.

        It is read through a connection of its own; a snapshot is its own snapshot.
        """
        if self.recorder.is_snapshot:
            yield self
            return
        snapshot = copy.copy(self)
        with contextlib.closing(self.recorder.snapshot(snapshot.rules_of)) as snapshot.recorder:
            snapshot.permissions = self.permissions.read_from(snapshot.recorder, self.contents)
            snapshot.refresh()
            yield snapshot

    def judged(self, role: str = ASSESSOR) -> list[JudgedState]:
        """Return the state of every document with an event, by assessor (or adjudicator), topic, document."""
        with self.snapshot() as snapshot, snapshot.recorder.reading() as store:
            people = snapshot.permissions.people()
            shown = store.first_shown(SUGGESTIONS)
            judged = []
            for row in store.states(body=True):
                key = key_of(row)
                if (people.role_of(key[2]) or ASSESSOR) != role:
                    continue
                before = snapshot.recorder.finished_before(key, shown[key]) if key in shown else None
                judged.append(JudgedState(*key, State.from_json(json.loads(row["body"])), before))
            return judged

    def actions(self, assessor: str | None = None) -> list[Action]:
        """Return all events and traces, in the order of the log."""
        with self.snapshot() as snapshot, snapshot.recorder.reading() as store:
            return [
                Action(name, topic, document, seconds_of(at), kind)
                for name, topic, document, at, kind in store.actions()
                if assessor in {None, name}
            ]

    def shown(self) -> set[AssignedPair]:
        """Return the pairs whose suggestions were shown to an assessor."""
        with self.snapshot() as snapshot, snapshot.recorder.reading() as store:
            return {key[:2] for key in store.first_shown(SUGGESTIONS)}

    @contextlib.contextmanager
    def serve_lock(self) -> Iterator[None]:
        """Lock the campaign for one server; check the journal against the database and back it up."""
        with serving(self.folder):
            moment = stamp(self._clock()).replace(":", "").replace("-", "")[:15]
            keep = fresh_name(self.folder / BACKUPS, f"journal-damaged-{moment}", ".jsonl")
            if warning := self.recorder.check_journal(keep):
                self.notices.add(warning)
            self.check_states()
            self.backup()
            yield

    def check(self) -> None:
        """Raise an error if the journal is damaged, or a stored state differs from the events."""
        if self.journal_fault:
            raise self.journal_fault
        self.check_states()

    def check_states(self) -> None:
        """Raise an error if a stored state differs from the events; grades need a corpus for it."""
        with self.snapshot() as snapshot, snapshot.recorder.reading() as store:
            keys = store.judged_keys()
            try:
                stored = {key_of(row): meaning_of(row) for row in store.states(body=True)}
                states = [snapshot.recorder.history_at(key, store.version(key)).state for key in keys]
            except ExcerptError:
                if self.procedure.scale:
                    return
                raise
            except (ValueError, TypeError, KeyError, AttributeError):
                stored, states = {}, []
        derived = {key: meaning_of(state_row(key, state)) for key, state in zip(keys, states, strict=False)}
        if stored != derived or len(keys) > len(derived):
            message = "has states that differ from the events"
            path, hint = str(self.folder / DATABASE), REBUILD_HINT.format(self.folder)
            raise ExcerptError(message, path=path, hint=hint)

    def backup(self) -> Path:
        with self.recorder.reading() as store:
            return self._backups.now(store)

    def set_address(self, host: str, port: int, **more: Any) -> None:
        """Store the address of the server, and its further `names` or `url`: links depend on them."""
        self.settings = replace(self.settings, host=host, port=port, **more)
        write_settings(self.folder, self.settings)
