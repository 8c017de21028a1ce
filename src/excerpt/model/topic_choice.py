"""Which topics count: some by their ids or by ranges of numbers, all but some, or all of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

import numpy as np

from excerpt.errors import ExcerptError, UnknownName, short, short_list
from excerpt.model.judgments import Judgments
from excerpt.model.run import Run
from excerpt.model.scores import ScoreTable
from excerpt.model.spans import BoolArray, IntArray, KeyedSpans

#: Topics as a caller names them: `201,205-210`, or several such names, or numbers.
TopicIds: TypeAlias = str | int | Iterable[str | int] | None

#: A prefix and a number, twice; the prefix may be left out the second time.
_RANGE = r"(?s)(?P<prefix>.*?)(?P<first>\d{1,18})\s*-\s*(?P<again>.*?)(?P<last>\d{1,18})"
_NUMBERED = r"(?s)(?P<prefix>.*?)(?P<number>\d{1,18})"


class TopicChoice(NamedTuple):
    """The topics that count; each item is an id or a range of numbered ids.

    >>> TopicChoice.of("201,205-207").kept(["201", "202", "206", "x"])
    ['201', '206']
    >>> TopicChoice.of(exclude="CU05-CU10").kept(["CU04", "CU05", "CU7", "CU11"])
    ['CU04', 'CU11']
    """

    only: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    @classmethod
    def of(cls, only: TopicIds = None, exclude: TopicIds = None) -> TopicChoice:
        """A choice from what a caller gave."""
        choice = cls(_items(only, "only"), _items(exclude, "exclude"))
        if only is not None and not choice.only:
            raise ExcerptError("found no topic to choose, expected ids such as 201,205-210")
        return choice

    def __bool__(self) -> bool:
        return bool(self.only or self.exclude)

    def mask(self, names: Sequence[str], *, known: bool = False) -> BoolArray:
        """Which of some topics count; `known` says that these are all there are: others are a mistake."""
        kept = self._any(self.only, names, known=known) if self.only else np.ones(len(names), np.bool_)
        kept = kept & ~self._any(self.exclude, names, known=known)
        if known and len(names) and not kept.any():
            raise ExcerptError(
                f"found no topic left of {short_list(names, 3)}, expected at least one",
                hint="choose others by ⟨only⟩ and ⟨exclude⟩",
            )
        return kept

    def kept(self, names: Sequence[str], *, known: bool = False) -> list[str]:
        """The topics that count, in their order."""
        mask = self.mask(names, known=known).tolist()
        return [name for name, counts in zip(names, mask, strict=True) if counts]

    @staticmethod
    def _any(items: Sequence[str], names: Sequence[str], *, known: bool) -> BoolArray:
        found = np.zeros(len(names), np.bool_)
        if not items:
            return found
        lookup = _Lookup(names)
        for item in items:
            fitting = lookup.fitting(item)
            if known and not len(fitting):
                raise _stranger(item, names)
            found[fitting] = True
        return found

    def of_judgments(self, judgments: Judgments, *, known: bool = True) -> Judgments:
        """The judgments of the topics that count; how long documents are is known as before.

        Unless all topics should be `known` here, those that are not are no mistake.
        """
        if not self:
            return judgments
        kept = self.mask(judgments.topics, known=known)
        topics = tuple(self.kept(judgments.topics))
        place = np.cumsum(kept) - 1
        pairs = kept[judgments.pair_topic]
        pair = np.cumsum(pairs) - 1
        spans, inside = judgments.spans, pairs[judgments.spans.group]
        elements = judgments.elements
        return replace(
            judgments,
            topics=topics,
            pair_topic=place[judgments.pair_topic[pairs]],
            pair_document=judgments.pair_document[pairs],
            pair_size=judgments.pair_size[pairs],
            pair_entry=judgments.pair_entry[pairs],
            grades=None if judgments.grades is None else judgments.grades[pairs],
            spans=KeyedSpans(pair[spans.group[inside]], spans.start[inside], spans.end[inside]),
            elements=None if elements is None else elements.of_pairs(pairs),
            questions={name: told for name, told in judgments.questions.items() if name in set(topics)},
            sizes=judgments.document_sizes,
        )

    def of_run(self, run: Run) -> Run:
        """The results for the topics that count."""
        if not self:
            return run
        kept = self.mask(run.topics)
        if kept.all():
            return run
        chosen = run.take(np.flatnonzero(kept[run.topic]))
        return replace(chosen, topics=tuple(self.kept(run.topics)), topic=(np.cumsum(kept) - 1)[chosen.topic])

    def of_table(self, table: ScoreTable) -> ScoreTable:
        """The scores of the topics that count."""
        return table.of_topics(np.flatnonzero(self.mask(table.topics, known=True))) if self else table


def _items(given: TopicIds, what: str) -> tuple[str, ...]:
    """The items of one text, or of several texts or numbers."""
    parts = [given] if isinstance(given, str | int) else [] if given is None else given
    if not isinstance(parts, Iterable):
        parts = [parts]
    found: list[str] = []
    for part in parts:
        if isinstance(part, bool) or not isinstance(part, str | int | np.integer):
            raise ExcerptError(f"found {short(repr(part))} as {what}, expected ids of topics")
        found += (item.strip() for item in str(part).split(","))
    return tuple(dict.fromkeys(filter(None, found)))


class _Lookup:
    """Topics by their names, and by the prefixes and numbers of these."""

    def __init__(self, names: Sequence[str]) -> None:
        self._places = {name: place for place, name in enumerate(names)}
        found: dict[str, list[tuple[int, int]]] = {}
        for place, name in enumerate(names):
            if (numbered := _numbered(name)) is not None:
                found.setdefault(numbered[0], []).append((numbered[1], place))
        self._numbers = {prefix: np.array(pairs).T for prefix, pairs in found.items()}

    def fitting(self, item: str) -> IntArray:
        """Where those stand that an item means: the name itself, else the same number, else a range."""
        if item in self._places:
            return np.array([self._places[item]])
        one, range_ = _numbered(item), re.fullmatch(_RANGE, item)
        found = self._between(one[0], one[1], one[1]) if one else self._between("", 1, 0)
        if range_ and not len(found) and range_["again"] in ("", range_["prefix"]):
            found = self._between(range_["prefix"], int(range_["first"]), int(range_["last"]))
        return found

    def _between(self, prefix: str, first: int, last: int) -> IntArray:
        numbers, places = self._numbers.get(prefix, np.zeros((2, 0), np.int64))
        return np.asarray(places[(first <= numbers) & (numbers <= last)])


def _numbered(name: str) -> tuple[str, int] | None:
    """The prefix and the number of an id; leading zeros do not count, which files write differently."""
    match = re.fullmatch(_NUMBERED, name)
    return None if match is None else (match["prefix"], int(match["number"]))


def _nearest(item: str, names: Sequence[str]) -> str:
    """The name whose number is nearest, of those that begin alike; nothing where there is none."""
    asked = _numbered(item)
    found = [(name, _numbered(name)) for name in names]
    alike = [(abs(own[1] - asked[1]), name) for name, own in found if asked and own and own[0] == asked[0]]
    return min(alike, default=(0, ""))[1]


def _stranger(item: str, names: Sequence[str]) -> ExcerptError:
    """The error for an item that means no topic."""
    range_ = re.fullmatch(_RANGE, item)
    if range_ is None or range_["again"] not in ("", range_["prefix"]):
        error = UnknownName("topic", item, names)
        if near := _nearest(item, names):
            error.hint = f"did you mean {near!r}? known: {error.hint.partition('known: ')[2]}"
        return error
    if int(range_["first"]) > int(range_["last"]):
        return ExcerptError(f"found the topics {short(item)}, expected the smaller number first")
    return ExcerptError(f"found no topic in the range {short(item)}, expected some of {short_list(names, 3)}")
