"""Who takes part in a campaign and may judge what; people may come and go while it is served."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from excerpt.assess.assigning import Pair, assessors_of, ranked
from excerpt.assess.contents import Contents
from excerpt.assess.people import ADDED, REMOVED, People, check_name, hash_of, new_token
from excerpt.assess.recording import Recorder
from excerpt.assess.refusals import NotAllowed, NotFound
from excerpt.assess.settings import Settings
from excerpt.assess.store import Key
from excerpt.errors import ExcerptError, short


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

    def add(self, name: str) -> str:
        """A new token for somebody; an older one ends."""
        token = new_token()
        self._recorder.person(check_name(name), ADDED, hash_of(token))
        return token

    def remove(self, name: str) -> None:
        """End somebody's token; the judgments stay."""
        if name not in self.people().names():
            raise ExcerptError(f"found no assessor {short(str(name))!r}, expected one of the campaign")
        self._recorder.person(name, REMOVED, "")

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

    def pair_of(self, name: str, topic: str, document: str, resolve: Callable[[str], str | None]) -> Pair:
        """The pair that is meant, by any name that the document has; a refusal if not theirs."""
        if not self._contents.has_topic(topic):
            raise NotFound(f"found no topic {short(topic)!r} in the campaign")
        pair = (topic, document)
        if pair not in self._contents:
            own = resolve(document)
            same = (known for known in self._contents.documents(topic) if resolve(known) == own)
            pair = (topic, next(same, document) if own is not None else document)
        if pair not in self._contents:
            raise NotFound(f"found no document {short(document)!r} in the pool of topic {short(topic)}")
        if not self.assigned([pair], name):
            raise NotAllowed(f"found document {short(document)!r}, which somebody else judges")
        return pair

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
