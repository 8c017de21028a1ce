"""Groups of runs or of topics, in each of which a study is repeated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from excerpt.errors import ExcerptError, UnknownName, plural
from excerpt.experiments.parameters import WITHIN
from excerpt.experiments.study import Evaluating, Group, Within
from excerpt.files import display_name
from excerpt.model.spans import FloatArray, IntArray, exact_means
from excerpt.notices import Notices
from excerpt.pooling.returned import read_groups
from excerpt.queries import Topics, read_topics
from excerpt.scores.score_table import ScoreTable


@dataclass(frozen=True)
class Grouping:
    """Rule by which runs or topics are put into groups."""

    rule: str = ""
    #: Groups by run or by topic, and the file that has them.
    given: Mapping[str, str] = field(default_factory=dict)
    path: str | None = None
    complete: bool = True  # whether all runs and topics are in the study, so that other names are unknown
    topics: Topics = field(default_factory=Topics)

    @classmethod
    def of(cls, within: Within, how: Evaluating) -> Grouping:
        """Read the groups, or the topics that a rule needs, before any run is read."""
        complete = not any(how.get(name) for name in ("ranks", "only", "exclude"))
        if isinstance(within, Mapping):
            return cls(given=within, complete=complete)
        if not isinstance(within, str) or within not in WITHIN:
            groups = read_groups(within, of="run or topic")
            return cls(given=groups, path=display_name(within), complete=complete)
        if within == "difficulty":
            return cls(within)
        topics = how.get("topics")
        if topics is None:
            raise ExcerptError(f"groups by {within} need topics", hint="give ⟨topics=FILE⟩")
        how["topics"] = read = read_topics(topics, notices=Notices())  # a stream is read once
        return cls(within, topics=read)

    def groups(self, table: ScoreTable, known: Sequence[str], notices: Notices) -> list[Group]:
        """Groups of the runs and topics of a table; topics that are `known` may be missing in it."""
        noun, of = self._by_name(table, {"run": table.runs, "topic": known})
        names = table.runs if noun == "run" else table.topics
        found = {group: np.flatnonzero([of.get(name) == group for name in names]) for group in of.values()}
        found = {group: places for group, places in found.items() if len(places) or self.complete}
        if not found:
            raise ExcerptError(f"no {noun} has a group", path=self.path)
        for group, places in found.items():
            sizes = {"run": len(table.runs), "topic": len(table.topics), noun: len(places)}
            for what in [name for name, size in sizes.items() if size < 2]:
                message = f"found {plural(sizes[what], what)} in group {group}, expected at least 2"
                raise ExcerptError(message, path=self.path)
        one, many = f"{noun} has no group and is left out", f"{noun}s have no group and are left out"
        for name in names:
            notices.add(one, many, int(name not in of), where=f"{noun} {name}")
        every = slice(None)
        return [
            Group(places if noun == "run" else every, places if noun == "topic" else every, {"group": group})
            for group, places in found.items()
        ]

    def _by_name(
        self, table: ScoreTable, known: Mapping[str, Sequence[str]]
    ) -> tuple[str, Mapping[str, str]]:
        """Whether runs or topics are put into groups, and the group of each by its name."""
        topics = [name for name in table.topics if name in self.topics or self.rule == "difficulty"]
        if self.rule == "difficulty":
            means = exact_means(table.values[:, :, 0].T)
            scored = np.flatnonzero(~np.isnan(means))
            return "topic", _halves([topics[place] for place in scored], means[scored], ("hard", "easy"))
        if self.rule == "kind":
            kinds = {name: "CO" if self.topics[name].kind == "CO" else "CAS" for name in topics}
            return "topic", dict(sorted(kinds.items(), key=lambda item: item[1], reverse=True))
        if self.rule == "query-length":
            words = [len((self.topics[name].title or self.topics[name].text).split()) for name in topics]
            return "topic", _halves(topics, np.array(words), ("short", "long"))
        noun = max(known, key=lambda noun: len(set(self.given) & set(known[noun])))
        for unknown in [name for name in self.given if name not in known[noun]] if self.complete else ():
            raise UnknownName(f"{noun} in the groups", unknown, known[noun], path=self.path)
        return noun, self.given


def _halves(topics: Sequence[str], values: FloatArray | IntArray, names: tuple[str, str]) -> dict[str, str]:
    """Groups of topics by low and high values; of an odd number the middle one belongs to the low half.

    >>> _halves("abc", np.array([3, 1, 2]), ("short", "long"))
    {'b': 'short', 'c': 'short', 'a': 'long'}
    """
    order, low = np.argsort(values, kind="stable").tolist(), (len(topics) + 1) // 2
    return {topics[place]: names[number >= low] for number, place in enumerate(order)}
