"""Choice of topics by ids or ranges of numbers: `only` some, or all without `exclude`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from excerpt.errors import ExcerptError, UnknownName, short, short_list
from excerpt.model.judgments import Judgments
from excerpt.model.run import Run
from excerpt.model.spans import BoolArray, IntArray, KeyedSpans

if TYPE_CHECKING:
    from excerpt.scores.score_table import ScoreTable

#: Topics as an argument: `201,205-210`, or several such texts, or numbers.
TopicIds: TypeAlias = str | int | Iterable[str | int] | None

#: Two numbers with the same prefix, which may be omitted before the second.
_RANGE = r"(?s)(?P<prefix>.*?)(?P<first>\d{1,18})\s*-\s*(?P<again>.*?)(?P<last>\d{1,18})"
_NUMBERED = r"(?s)(?P<prefix>.*?)(?P<number>\d{1,18})"


class TopicChoice(NamedTuple):
    """Chosen topics; each item is an id or a range of numbered ids.

    >>> TopicChoice.of("201,205-207").kept(["201", "202", "206", "x"])
    ['201', '206']
    >>> TopicChoice.of(exclude="CU05-CU10").kept(["CU04", "CU05", "CU7", "CU11"])
    ['CU04', 'CU11']
    """

    only: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    @classmethod
    def of(cls, only: TopicIds = None, exclude: TopicIds = None) -> TopicChoice:
        """Parse the arguments `only` and `exclude`."""
        choice = cls(_items(only, "only"), _items(exclude, "exclude"))
        if only is not None and not choice.only:
            raise ExcerptError("no topic given to choose, expected ids such as 201,205-210")
        return choice

    def __bool__(self) -> bool:
        return bool(self.only or self.exclude)

    def mask(self, names: Sequence[str], *, known: bool = False) -> BoolArray:
        """Mask of the topics that count; with `known`, an item that names no topic is an error."""
        kept = self._any(self.only, names, known=known) if self.only else np.ones(len(names), np.bool_)
        kept = kept & ~self._any(self.exclude, names, known=known)
        if known and len(names) and not kept.any():
            hint = "choose other topics by ⟨only⟩ and ⟨exclude⟩"
            raise ExcerptError(f"no topic is left of {short_list(names, 3)}", hint=hint)
        return kept

    def kept(self, names: Sequence[str], *, known: bool = False) -> list[str]:
        """List the topics that count, in their order."""
        mask = self.mask(names, known=known).tolist()
        return [name for name, counts in zip(names, mask, strict=True) if counts]

    @staticmethod
    def _any(items: Sequence[str], names: Sequence[str], *, known: bool) -> BoolArray:
        matched = np.zeros(len(names), np.bool_)
        if not items:
            return matched
        lookup = _TopicLookup(names)
        for item in items:
            matching = lookup.matching(item)
            if known and not len(matching):
                raise _unknown_topic(item, names)
            matched[matching] = True
        return matched

    def of_judgments(self, judgments: Judgments, *, known: bool = True) -> Judgments:
        """Return the judgments of the topics that count; with `known`, a topic that they lack is an error."""
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
            questions={name: text for name, text in judgments.questions.items() if name in set(topics)},
            sizes=judgments.document_sizes,
            alternatives={name: some for name, some in judgments.alternatives.items() if name in set(topics)},
            rows=tuple(row for row in judgments.rows if row.topic in set(topics)),
        )

    def of_run(self, run: Run) -> Run:
        """Return the results for the topics that count."""
        if not self:
            return run
        kept = self.mask(run.topics)
        if kept.all():
            return run
        chosen = run.take(np.flatnonzero(kept[run.topic_code]))
        return replace(
            chosen, topics=tuple(self.kept(run.topics)), topic_code=(np.cumsum(kept) - 1)[chosen.topic_code]
        )

    def of_table(self, table: ScoreTable) -> ScoreTable:
        """Return the scores of the topics that count."""
        return table.of_topics(np.flatnonzero(self.mask(table.topics, known=True))) if self else table


def _items(ids: TopicIds, what: str) -> tuple[str, ...]:
    parts = [ids] if isinstance(ids, str | int) else [] if ids is None else ids
    if not isinstance(parts, Iterable):
        parts = [parts]
    items: list[str] = []
    for part in parts:
        if isinstance(part, bool) or not isinstance(part, str | int | np.integer):
            raise ExcerptError(f"found {short(repr(part))} as {what}, expected ids of topics")
        items += (item.strip() for item in str(part).split(","))
    return tuple(dict.fromkeys(filter(None, items)))


class _TopicLookup:
    """Topics by name, and by prefix and number."""

    def __init__(self, names: Sequence[str]) -> None:
        self._places = {name: place for place, name in enumerate(names)}
        by_prefix: dict[str, list[tuple[int, int]]] = {}
        for place, name in enumerate(names):
            if (numbered := _numbered(name)) is not None:
                by_prefix.setdefault(numbered[0], []).append((numbered[1], place))
        self._numbers = {prefix: np.array(pairs).T for prefix, pairs in by_prefix.items()}

    def matching(self, item: str) -> IntArray:
        """Positions of the topics that an item names: the same id, else the same number, else a range."""
        if item in self._places:
            return np.array([self._places[item]])
        one, range_ = _numbered(item), re.fullmatch(_RANGE, item)
        places = self._between(one[0], one[1], one[1]) if one else self._between("", 1, 0)
        if range_ and not len(places) and range_["again"] in ("", range_["prefix"]):
            places = self._between(range_["prefix"], int(range_["first"]), int(range_["last"]))
        return places

    def _between(self, prefix: str, first: int, last: int) -> IntArray:
        numbers, places = self._numbers.get(prefix, np.zeros((2, 0), np.int64))
        return np.asarray(places[(first <= numbers) & (numbers <= last)])


def _numbered(name: str) -> tuple[str, int] | None:
    """Prefix and number of an id; leading zeros are ignored, since files differ in them."""
    match = re.fullmatch(_NUMBERED, name)
    return None if match is None else (match["prefix"], int(match["number"]))


def _nearest(item: str, names: Sequence[str]) -> str:
    """Name with the nearest number among those with the same prefix; empty if there is none."""
    wanted = _numbered(item)
    numbered = [(name, _numbered(name)) for name in names]
    same = [(abs(n[1] - wanted[1]), name) for name, n in numbered if wanted and n and n[0] == wanted[0]]
    return min(same, default=(0, ""))[1]


def _unknown_topic(item: str, names: Sequence[str]) -> ExcerptError:
    range_ = re.fullmatch(_RANGE, item)
    if range_ is None or range_["again"] not in ("", range_["prefix"]):
        error = UnknownName("topic", item, names)
        if near := _nearest(item, names):
            error.hint = f"did you mean {near!r}? known: {error.hint.partition('known: ')[2]}"
        return error
    if int(range_["first"]) > int(range_["last"]):
        return ExcerptError(f"found the topics {short(item)}, expected the smaller number first")
    return ExcerptError(f"no topic is in the range {short(item)}; there are {short_list(names, 3)}")
