"""In which order an assessor gets the documents of a topic: the pool's, at random, or by what is known."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Mapping

from excerpt.assess.assigning import Pair, rank_of
from excerpt.assess.contents import Contents
from excerpt.assess.recording import Recorder
from excerpt.assess.refusals import NoRoom
from excerpt.assess.settings import Settings
from excerpt.assess.store import Key, Row
from excerpt.pooling.adaptive import next_order

#: The kind of a trace that says what comes next.
ORDER = "order"


class Orders:
    """The orders of a campaign; those that follow what was judged are kept until that changes."""

    def __init__(self, recorder: Recorder, contents: Contents, settings: Settings) -> None:
        self._recorder = recorder
        self._contents = contents
        self._settings = settings
        #: By topic: what was judged, and the others in the order that follows from it.
        self._known: dict[str, tuple[dict[str, bool], list[str]]] = {}
        #: What came next for an assessor in a topic, when it was last asked for.
        self._next: dict[Pair, str] = {}

    def documents(
        self, name: str, mine: Collection[Pair], finished: Mapping[Pair, int]
    ) -> dict[str, list[str]]:
        """An assessor's documents of every topic; `finished` has the number of the event for each pair."""
        pool = {topic.id: self._contents.documents(topic.id) for topic in self._contents.topics}
        own = {topic: [each for each in pool[topic] if (topic, each) in mine] for topic in pool}
        if self._settings.order == "pool":
            return own
        if self._settings.order == "random":
            return {topic: self._shuffled(name, topic, documents) for topic, documents in own.items()}
        judged = _judged(self._recorder.summaries())
        done = {
            topic: sorted(
                (each for each in documents if (topic, each) in finished), key=_when(topic, finished)
            )
            for topic, documents in own.items()
        }
        left = {
            topic: self._left(topic, set(documents).difference(done[topic]), judged.get(topic, {}))
            for topic, documents in own.items()
        }
        self._tell({(name, topic): documents[0] for topic, documents in left.items() if documents})
        return {topic: [*done[topic], *left[topic]] for topic in own}

    def _left(self, topic: str, wanted: set[str], judged: dict[str, bool]) -> list[str]:
        """Those of the documents that nobody has finished in the order of now, then those of others."""
        if not wanted:
            return []
        coming = self._coming(topic, judged)
        rest = (document for document in self._contents.documents(topic) if document in judged)
        return [document for document in (*coming, *rest) if document in wanted]

    def _shuffled(self, name: str, topic: str, documents: list[str]) -> list[str]:
        seed = self._settings.seed
        return sorted(documents, key=lambda document: rank_of(seed, ORDER, name, topic, document))

    def _coming(self, topic: str, judged: dict[str, bool]) -> list[str]:
        """The documents that nobody has finished, in the order of now."""
        if topic not in self._known or self._known[topic][0] != judged:
            items = self._contents.items(topic)
            order = next_order(self._settings.order, items, judged, self._settings.seed)
            self._known[topic] = (judged, order)
        return self._known[topic][1]

    def _tell(self, following: Mapping[Pair, str]) -> None:
        """Note in the log, in one go, where something else comes next than was to come."""
        new = {pair: document for pair, document in following.items() if self._next.get(pair) != document}
        if new:
            self._next |= new
            keys = [(topic, document, name) for (name, topic), document in new.items()]
            with contextlib.suppress(NoRoom):  # the order itself follows from the log
                self._recorder.trace_all(keys, ORDER, {"order": self._settings.order})


def _when(topic: str, finished: Mapping[Pair, int]) -> Callable[[str], int]:
    return lambda document: finished[topic, document]


def _judged(summaries: Mapping[Key, Row]) -> dict[str, dict[str, bool]]:
    """By topic, the documents that somebody has finished, and whether anybody found them relevant."""
    found: dict[str, dict[str, bool]] = {}
    for (topic, document, _), row in summaries.items():
        if row["done"]:
            known = found.setdefault(topic, {})
            known[document] = known.get(document, False) or bool(row["relevant"])
    return found
