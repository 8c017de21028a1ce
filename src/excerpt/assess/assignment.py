"""Assignment of documents to assessors: tables of the organiser, and what each assessor may judge."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from excerpt.assess.contents import Contents
from excerpt.assess.folder import InvalidEvent, NotFound
from excerpt.assess.people import AssignedPair, People, assessors_of, rank_of, ranked
from excerpt.assess.recorder import Recorder
from excerpt.assess.settings import Settings
from excerpt.assess.store import ASSIGNED, StateKey
from excerpt.errors import ExcerptError, UnknownName, plural, short
from excerpt.files import Input
from excerpt.formats.source import Source

if TYPE_CHECKING:
    from excerpt.assess.campaign import Campaign

#: Assessors by topic and document; those of the document "" judge the whole topic.
AssignmentTable: TypeAlias = dict[str, dict[str, list[str]]]
#: What is dealt: topics, or documents of topics.
_Dealt = TypeVar("_Dealt")
_ADD_HINT = "excerpt assess people FOLDER add NAME"
_HEADS = (["topic", "name"], ["topic", "document", "name"])


def read_table(source: Input, campaign: Campaign) -> AssignmentTable:
    """Read a table of assignments, a line each: topic and name, or topic, document and name."""
    opened = Source.open(source, expected="lines of topic TAB name")
    names, topics = campaign.permissions.people().names(), [topic.id for topic in campaign.topics]
    table: AssignmentTable = {}
    for number, line in enumerate(opened.text.decode().split("\n"), 1):
        cells = line.split("\t")
        if not line.strip() or (number == 1 and cells in _HEADS):
            continue
        if len(cells) not in {2, 3}:
            message = f"found {plural(len(cells), 'column')}, expected topic TAB name, or topic TAB document"
            raise ExcerptError(f"{message} TAB name", path=opened.name, line=number)
        topic, name = cells[0], cells[-1]
        try:
            for kind, value, known in (("topic", topic, topics), ("assessor", name, names)):
                if value not in known:
                    raise UnknownName(kind, value, known)
            document = campaign.find_pair(topic, cells[1])[1] if len(cells) == 3 else ""
        except ExcerptError as error:
            raise ExcerptError(error.message, path=opened.name, line=number, hint=error.hint) from None
        assessors = table.setdefault(topic, {}).setdefault(document, [])
        if name not in assessors:
            assessors.append(name)
    return table


def deal_topics(campaign: Campaign, double: float = 0.0) -> AssignmentTable:
    """Deal whole topics to the assessors, a proportion to two; their numbers differ by at most one.

    Assessors keep topics that they have started, as far as that is possible.
    """
    names, seed = campaign.permissions.people().names(), campaign.settings.seed
    _check_double(double)
    topics = sorted((topic.id for topic in campaign.topics), key=lambda topic: rank_of(seed, "deal", topic))
    twice = round(double * len(topics))
    if len(names) < 1 + (twice > 0):
        found = f"the campaign has {plural(len(names), 'assessor')}"
        raise ExcerptError(f"{found}, expected more", hint=_ADD_HINT)
    started: dict[str, Counter[str]] = {topic: Counter() for topic in topics}
    for topic, _, name in campaign.recorder.summaries():
        if name in names:
            started[topic][name] += 1
    needed = {topic: 1 + (place < twice) for place, topic in enumerate(topics)}
    dealt = {topic: [name for name, _ in started[topic].most_common(needed[topic])] for topic in topics}
    even(dealt, needed, names)
    return {topic.id: {"": sorted(dealt[topic.id])} for topic in campaign.topics}


def deal_documents(campaign: Campaign, each: int, share: float = 1.0) -> AssignmentTable:
    """Deal documents to `each` assessors, or a proportion of them to so many and the rest to one.

    The numbers of assessors differ by at most one document, and who has begun a document keeps it, as far as
    that is possible.
    """
    names, seed = campaign.permissions.people().names(), campaign.settings.seed
    _check_double(share)
    if each < 1 or len(names) < each:
        message = f"found {each} assessors for each document, expected 1 to {len(names)}: the assessors"
        raise ExcerptError(f"{message} of the campaign", hint=_ADD_HINT)
    pairs = sorted(campaign.contents.pairs, key=lambda pair: rank_of(seed, "deal", *pair))
    many = round(share * len(pairs))
    needed = {pair: each if place < many else 1 for place, pair in enumerate(pairs)}
    dealt: dict[AssignedPair, list[str]] = {pair: [] for pair in pairs}
    for (topic, document, name), row in campaign.recorder.summaries().items():
        pair = (topic, document)
        if name in names and row["version"] and len(dealt.get(pair, [])) < needed.get(pair, 0):
            dealt[pair].append(name)
    even(dealt, needed, names)
    table: AssignmentTable = {topic.id: {} for topic in campaign.topics}
    for topic, document in campaign.contents.pairs:
        table[topic][document] = sorted(dealt[topic, document])
    return table


def _check_double(double: float) -> None:
    if not 0 <= double <= 1:
        raise ExcerptError(f"found double {double:g}, expected a proportion from 0 to 1")


def even(dealt: dict[_Dealt, list[str]], needed: Mapping[_Dealt, int], names: Sequence[str]) -> None:
    """Complete a deal, and move topics or documents until nobody has two more than another.

    >>> dealt = {"1": ["ann"], "2": ["ann"], "3": []}
    >>> even(dealt, {"1": 1, "2": 2, "3": 1}, ["ann", "bob"])
    >>> dealt
    {'1': ['ann'], '2': ['ann', 'bob'], '3': ['bob']}
    """
    load = Counter(dict.fromkeys(names, 0))
    load.update(name for some in dealt.values() for name in some)
    for topic, some in dealt.items():
        while len(some) < needed[topic]:
            some.append(min((name for name in names if name not in some), key=load.__getitem__))
            load[some[-1]] += 1
    while True:
        most, least = max(names, key=load.__getitem__), min(names, key=load.__getitem__)
        if load[most] - load[least] < 2:
            return
        moved = next(some for some in dealt.values() if most in some and least not in some)
        moved[moved.index(most)] = least
        load.update({most: -1, least: 1})


def reassign(campaign: Campaign, topic: object, names: object) -> None:
    """Assign a whole topic to assessors, and to nobody else; other topics keep theirs."""
    campaign.refresh()
    if not isinstance(topic, str) or not campaign.contents.has_topic(topic):
        raise NotFound(f"the campaign has no topic {short(repr(topic))}")
    known = campaign.permissions.people().names()
    if not isinstance(names, list) or any(name not in known for name in names):
        raise InvalidEvent(f"found {short(repr(names))}, expected a list of names of assessors")
    campaign.permissions.assign({topic: {"": names}}, whole=False)


def table_lines(table: AssignmentTable) -> Iterator[str]:
    """Yield a table as the lines that `read_table` reads."""
    for topic, documents in table.items():
        for document, names in documents.items():
            for name in names:
                yield "\t".join((topic, document, name) if document else (topic, name))


class Permissions:
    """Permissions: the assessors, and the documents assigned to each."""

    def __init__(self, recorder: Recorder, contents: Contents, settings: Settings) -> None:
        self._recorder = recorder
        self._contents = contents
        self._settings = settings
        self._people: tuple[int, People] = (-1, People(()))
        self._table: tuple[int, AssignmentTable | None] = (0, None)
        #: The assessors, and for each pair the order in which it is offered to them.
        self._ranked: tuple[list[str], dict[AssignedPair, tuple[str, ...]]] = ([], {})

    def read_from(self, recorder: Recorder, contents: Contents) -> Permissions:
        """Return the same permissions, read through another recorder or for more contents."""
        permissions = Permissions(recorder, contents, self._settings)
        permissions._ranked = self._ranked  # takes long, and depends on names alone
        return permissions

    def people(self) -> People:
        """Return the current assessors; another process may have added some."""
        with self._recorder.reading() as store:
            last = store.last_of("person")
            if last != self._people[0]:
                self._people = (last, People(store.rows("person")))
            return self._people[1]

    def role_of(self, name: str) -> str | None:
        """Return the role of a person, which never changes; None for somebody unknown."""
        known = self._people[1].role_of(name)
        return self.people().role_of(name) if known is None else known

    def table(self) -> AssignmentTable | None:
        """Return the current table of the organiser, or None; another process may have changed it."""
        with self._recorder.reading() as store:
            last = store.last_change(ASSIGNED)
            if last != self._table[0]:
                table: AssignmentTable = {}
                for change in (json.loads(row["body"]) for row in store.changes(ASSIGNED)):
                    table = change["topics"] if change["whole"] else {**table, **change["topics"]}
                self._table = (last, table)
            return self._table[1]

    @property
    def is_open(self) -> bool:
        """True if every assessor may judge everything."""
        return self._settings.double is None and self.table() is None

    def assign(self, table: AssignmentTable, *, whole: bool = True) -> None:
        """Store a table: all of it, or the topics that change."""
        if not whole and self.table() is None:
            table, whole = {**self.current(), **table}, True
        body = json.dumps({"whole": whole, "topics": table}, separators=(",", ":"))
        self._recorder.log("change", [{"kind": ASSIGNED, "body": body}])

    def current(self) -> AssignmentTable:
        """Return the table of the organiser, else the table that corresponds to the current permissions."""
        if (table := self.table()) is not None:
            return table
        names = self.people().names()
        table = {topic.id: {"": names} if self.is_open else {} for topic in self._contents.topics}
        for (topic, document), assessors in self._assignments(self._contents.pairs):
            if assessors is not None:
                table[topic][document] = [name for name in assessors if name in names]
        return table

    def assigned(self, pairs: Sequence[AssignedPair], name: str) -> list[AssignedPair]:
        """Return those of the pairs that an assessor may judge."""
        return [pair for pair, names in self._assignments(pairs) if names is None or name in names]

    def to_judge(self, pairs: Sequence[AssignedPair], name: str) -> list[AssignedPair]:
        """Return the pairs that an assessor is asked to judge: all assigned ones that are not taken."""
        taken, started = self.taken(), self._recorder.summaries()
        return [pair for pair in self.assigned(pairs, name) if pair not in taken or (*pair, name) in started]

    def taken(self) -> set[AssignedPair]:
        """Return the pairs finished by imported judgments, or by an assessor who had them before another."""
        table, imported = self.table(), self._contents.imported
        if table is None and not imported:
            return set()
        names = {person.name for person in self.people().assessors()} if table is not None else ()
        return {
            key[:2]
            for key, row in self._recorder.summaries().items()
            if row["done"]
            and (key[2] in imported or (key[2] in names and key[2] not in _names(table or {}, key[:2])))
        }

    def by_assessor(self, pairs: Sequence[AssignedPair]) -> dict[str, list[AssignedPair]]:
        """Return those of the pairs that each active assessor is asked to judge."""
        assigned: dict[str, list[AssignedPair]] = {name: [] for name in self.people().names()}
        taken, started = self.taken(), self._recorder.summaries()
        for pair, names in self._assignments(pairs):
            for name in assigned if names is None else names:
                # Others finished the pair before they were removed.
                if name in assigned and (pair not in taken or (*pair, name) in started):
                    assigned[name].append(pair)
        return assigned

    def _assignments(
        self, pairs: Sequence[AssignedPair]
    ) -> Iterator[tuple[AssignedPair, Sequence[str] | None]]:
        """Yield the pairs with their assessors, None if those are all."""
        people, table = self.people(), self.table()
        if table is not None:
            return ((pair, _names(table, pair)) for pair in pairs)
        if self._settings.double is None:
            return ((pair, None) for pair in pairs)
        active, all_names = people.names(), {person.name for person in people.assessors()}
        begun = self._begun(pairs, set(active), all_names)
        return ((pair, self._assessors(pair, active, begun.get(pair, set()))) for pair in pairs)

    def _begun(
        self, pairs: Sequence[AssignedPair], active: set[str], names: set[str]
    ) -> dict[AssignedPair, set[str]]:
        """Return the active assessors who started each pair, and removed ones who finished it."""
        summaries = self._recorder.summaries()
        chosen = set(pairs)
        keys: Iterable[StateKey] = summaries
        if len(pairs) * len(names) < len(summaries):
            keys = ((*pair, name) for pair in pairs for name in names if (*pair, name) in summaries)
        begun: dict[AssignedPair, set[str]] = {}
        for key in keys:
            if key[:2] in chosen and (key[2] in active or (key[2] in names and summaries[key]["done"])):
                begun.setdefault(key[:2], set()).add(key[2])
        return begun

    def _assessors(self, pair: AssignedPair, active: list[str], begun: Collection[str]) -> tuple[str, ...]:
        names, order = self._ranked  # another thread may change it
        if names != active:
            order = {}
            self._ranked = (active, order)
        if pair not in order:
            order[pair] = ranked(pair, active, self._settings.seed)
        return assessors_of(order[pair], count=2 if pair in self._contents.twice else 1, begun=begun)


def _names(table: AssignmentTable, pair: AssignedPair) -> list[str]:
    """Return the assessors of a pair: of the document, and of the whole topic."""
    documents = table.get(pair[0], {})
    return [*documents.get("", ()), *documents.get(pair[1], ())]
