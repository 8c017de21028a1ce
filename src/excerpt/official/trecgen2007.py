"""Drop-in for trecgen2007_score.py of the TREC Genomics track: DOCUMENT, PASSAGE, ASPECT and PASSAGE2.

Bytes are compared, not characters. Where its figures surprise, a warning says how many results they concern.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from excerpt.errors import short
from excerpt.files import Input
from excerpt.official.java_doubles import added
from excerpt.official.printout import Printout, Printouts, each_run
from excerpt.official.track_file import TrackFile, file_name

HEAD = "RUN\tMEASURE\tTOPIC\tSCORE"
MEASURES = ("DOCUMENT", "PASSAGE", "ASPECT", "PASSAGE2")
_GOLD = "topic, document, offset, length, aspects, with a tab between them"
_RUN = "topic document rank score offset length"
_WHOLE = re.compile(rb"[+-]?[0-9]{1,18}")
_DIGITS = 40  # fewer in all numbers of a line need no look at each
#: Characters whose precisions are added at a time.
_MANY = 1 << 20


class GoldPassage(NamedTuple):
    """A line of the gold."""

    start: int
    end: int
    aspects: tuple[bytes, ...]
    line: int

    @property
    def named(self) -> GoldPassage:
        """The passage without the empty aspect."""
        return self._replace(aspects=tuple(filter(None, self.aspects)))


class RankedPassage(NamedTuple):
    """A line of a run; results are sorted by rank, document, offset and length."""

    rank: int
    document: bytes
    offset: int
    length: int
    line: int

    @property
    def end(self) -> int:
        """End of the passage, exclusive."""
        return self.offset + self.length


class Shared(NamedTuple):
    """A gold passage with which a result shares bytes."""

    passage: GoldPassage
    start: int
    end: int


@dataclass(frozen=True)
class GoldTopic:
    """The gold of a topic: passages by document, in the order of the file."""

    passages: Mapping[bytes, Sequence[GoldPassage]]

    def __iter__(self) -> Iterator[tuple[bytes, GoldPassage]]:
        return ((document, one) for document, some in self.passages.items() for one in some)

    @cached_property
    def distinct(self) -> frozenset[tuple[bytes, int, int]]:
        """Distinct passages: document, start and end."""
        return frozenset((document, one.start, one.end) for document, one in self)

    @cached_property
    def aspects(self) -> frozenset[bytes]:
        """Distinct aspects."""
        return frozenset(aspect for _, one in self for aspect in one.aspects)

    @cached_property
    def relevant(self) -> dict[bytes, list[tuple[int, int]]]:
        """Disjoint relevant stretches of each document, in order."""
        return {document: _union(some) for document, some in self.passages.items()}

    @cached_property
    def characters(self) -> int:
        """Number of relevant bytes."""
        return sum(end - start for some in self.relevant.values() for start, end in some)

    def shared(self, result: RankedPassage) -> list[Shared]:
        """Gold passages with which a result shares bytes, in the order of the gold; the first is its hit."""
        passages = self.passages.get(result.document)
        if passages is None:
            return []
        low, high = result.offset, result.end
        both = ((one, max(one.start, low), min(one.end, high)) for one in passages)
        return [Shared(*one) for one in both if one[1] < one[2]]

    @cached_property
    def named(self) -> GoldTopic:
        """The topic without the empty aspect."""
        return GoldTopic({name: [one.named for one in some] for name, some in self.passages.items()})


@dataclass(frozen=True)
class GenomicsGold:
    """The gold of all topics, in numeric order."""

    file: TrackFile
    topics: Mapping[int, GoldTopic]


def _union(passages: Iterable[GoldPassage]) -> list[tuple[int, int]]:
    """Return the stretches that passages cover together."""
    found: list[tuple[int, int]] = []
    for start, end in sorted((one.start, one.end) for one in passages if one.end > one.start):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found


def read_gold(given: Input) -> GenomicsGold:
    """Read the gold; lines with fewer than five columns are skipped."""
    file = TrackFile.open(given)
    topics: dict[int, dict[bytes, list[GoldPassage]]] = {}
    for line, text in enumerate(file.data.split(b"\n"), 1):
        columns = [column.strip() for column in text.split(b"\t")]
        if len(columns) < 5:
            continue
        topic, offset, length = _numbers(file, line, columns, {"topic": 0, "offset": 2, "length": 3}, _GOLD)
        aspects = tuple(aspect.strip() for aspect in columns[4].split(b"|"))
        passage = GoldPassage(offset, offset + length, aspects, line)
        topics.setdefault(topic, {}).setdefault(columns[1], []).append(passage)
    if not topics:
        raise file.fault(f"found no topic, expected lines of {_GOLD}")
    gold = GenomicsGold(file, {number: GoldTopic(topics[number]) for number in sorted(topics)})
    for number, one in gold.topics.items():
        if not one.characters:
            first = min(passage.line for _, passage in one)
            message = f"found only passages of length 0 for topic {number}, expected one with characters"
            raise file.fault(message, first, "the official program divides by their number")
    return gold


def _numbers(
    file: TrackFile, line: int, columns: Sequence[bytes], places: Mapping[str, int], layout: str
) -> list[int]:
    """Return whole numbers in some columns of a line."""
    texts = [columns[place] for place in places.values()]
    joined = b"".join(texts)
    if not (joined.isdigit() and all(texts) and len(joined) < _DIGITS):
        for name, text in zip(places, texts, strict=True):
            if not _WHOLE.fullmatch(text):
                found = short(text.decode("utf-8", "replace"))
                raise file.fault(f"found {name} {found!r}, expected a whole number ({layout})", line)
    return list(map(int, texts))


def _read_run(file: TrackFile, gold: GenomicsGold) -> dict[int, list[RankedPassage]]:
    """Return the results of each topic of the gold, in the order of the file."""
    found: dict[int, list[RankedPassage]] = {topic: [] for topic in gold.topics}
    places = {"topic": 0, "rank": 2, "offset": 4, "length": 5}
    lines = 0
    for line, text in enumerate(file.data.split(b"\n"), 1):
        columns = text.split(None, 6)
        if not columns:
            continue
        lines += 1
        if len(columns) < 6:
            raise file.fault(f"found {len(columns)} columns, expected at least 6 ({_RUN})", line)
        topic, rank, offset, length = _numbers(file, line, columns, places, _RUN)
        if (results := found.get(topic)) is not None:
            results.append(RankedPassage(rank, columns[1], offset, length, line))
    if not any(found.values()):
        what = "no topic of the gold" if lines else "no result"
        file.notices.add(f"the run has {what} and scores 0", where=file.name)
    return found


def document_score(topic: GoldTopic, results: Sequence[RankedPassage]) -> float:
    """DOCUMENT: average precision of the documents, each at its first result."""
    relevant = 0
    total = 0.0
    for rank, document in enumerate(dict.fromkeys(result.document for result in results), 1):
        if document in topic.passages:
            relevant += 1
            total += relevant / rank
    return total / len(topic.passages)


def passage_score(
    topic: GoldTopic, results: Sequence[RankedPassage], hits: Sequence[Sequence[Shared]]
) -> float:
    """PASSAGE: precision in characters at each hit, over hits and gold passages that were none."""
    read = found = count = 0
    total = 0.0
    missed = set(topic.distinct)
    for result, some in zip(results, hits, strict=True):
        read += result.length
        if some:
            found += sum(one.end - one.start for one in some)
            count += 1
            total += found / read
            missed -= {(result.document, one.passage.start, one.passage.end) for one in some}
    return total / (count + len(missed))


def aspect_score(topic: GoldTopic, hits: Sequence[Sequence[Shared]]) -> float:
    """ASPECT: precision at each result with new aspects, for each of them; hits without any are not read."""
    read = found = 0
    total = 0.0
    seen: set[bytes] = set()
    for some in hits:
        new = {aspect for one in some for aspect in one.passage.aspects} - seen
        if not some:
            read += 1
        elif new:
            found += 1
            read += 1
            total += len(new) * (found / read)
            seen |= new
    return total / len(topic.aspects) if topic.aspects else 0.0


def passage2_score(topic: GoldTopic, results: Sequence[RankedPassage]) -> float:
    """PASSAGE2: precision at each relevant character that is new, over all relevant characters."""
    others = 0
    stretches: list[tuple[int, int]] = []  # other characters read before, and number of new ones in a row
    unseen = {document: list(some) for document, some in topic.relevant.items()}
    for result in results:
        relevant = topic.relevant.get(result.document)
        if relevant is None:
            others += max(result.length, 0)
            continue
        at, end = result.offset, result.end
        relevant = _inside(relevant, at, end)
        for start, stop in relevant:
            others += start - at
            at = stop
            stretches += [
                (others, last - first) for first, last in _inside(unseen[result.document], start, stop)
            ]
        others += max(end - at, 0)
        if relevant:
            unseen[result.document] = _outside(unseen[result.document], result.offset, end)
    return _sum_of_precisions(stretches) / topic.characters


def _sum_of_precisions(stretches: Iterable[tuple[int, int]]) -> float:
    """Add the precision at each new character, one after the other."""
    import numpy as np

    total, found = 0.0, 0
    for others, count in stretches:
        for begin in range(0, count, _MANY):
            number = np.arange(found + 1, found + min(count - begin, _MANY) + 1)
            precision = number / (number + others)
            precision[0] += total
            total = float(precision.cumsum()[-1])  # adds in order, like the program; a sum would not
            found = int(number[-1])
    return total


def _inside(stretches: Iterable[tuple[int, int]], start: int, end: int) -> list[tuple[int, int]]:
    """Return the parts of stretches in a span."""
    return [(max(low, start), min(high, end)) for low, high in stretches if low < end and high > start]


def _outside(stretches: Iterable[tuple[int, int]], start: int, end: int) -> list[tuple[int, int]]:
    """Return the parts of stretches outside of a span."""
    parts = [part for low, high in stretches for part in ((low, min(high, start)), (max(low, end), high))]
    return [(low, high) for low, high in parts if low < high]


def _figures(
    topic: GoldTopic, results: Sequence[RankedPassage], hits: Sequence[Sequence[Shared]]
) -> tuple[float, ...]:
    """Return the values of the four measures."""
    return (
        document_score(topic, results),
        passage_score(topic, results, hits),
        aspect_score(topic, hits),
        passage2_score(topic, results),
    )


class _Surprises(NamedTuple):
    """Warnings about rules that change a topic's figures, each with a count and the first place."""

    gold: TrackFile
    run: TrackFile
    topic: GoldTopic

    def note(
        self,
        given: Sequence[RankedPassage],
        results: Sequence[RankedPassage],
        shared: Sequence[Sequence[Shared]],
        figures: tuple[float, ...],
    ) -> None:
        """Note every rule that changes figures; the results are also `given` in the order of their file."""
        topic, hits = self.topic, [some[:1] for some in shared]
        self._add(*_TIED, self._moved(given, results, figures))
        several = [result for result, some in zip(results, shared, strict=True) if some[1:]]
        if several and (passage_score(topic, results, shared), aspect_score(topic, shared)) != figures[1:3]:
            self._add(*_FIRST_ALONE, several)
        self._add(*_AGAIN, _repeated(results, hits))
        empty = [one.line for _, one in topic if b"" in one.aspects]
        if empty and aspect_score(topic.named, [[*map(_named, some)] for some in hits]) != figures[2]:
            self.run.notices.add(*_EMPTY, len(empty), where=self.gold.place(min(empty)))

    def _moved(
        self, given: Sequence[RankedPassage], results: Sequence[RankedPassage], figures: tuple[float, ...]
    ) -> list[RankedPassage]:
        """Results of tied ranks in another place than in their file, if that changes a figure."""
        if len({result.rank for result in results}) == len(results):
            return []
        as_given = sorted(given, key=lambda result: result.rank)
        moved = [one for one, other in zip(as_given, results, strict=True) if one[:4] != other[:4]]
        hits = [self.topic.shared(result)[:1] for result in as_given]
        return moved if moved and _figures(self.topic, as_given, hits) != figures else []

    def _add(self, one: str, many: str, results: Sequence[RankedPassage]) -> None:
        first = self.run.place(min((result.line for result in results), default=0))
        self.run.notices.add(one, many, len(results), where=first)


_TIED = (
    "result of a tied rank is ordered by document (as text: 10 before 9) and offset, not as in the file",
    "results of tied ranks are ordered by document (as text: 10 before 9) and offset, not as in the file",
)
_FIRST_ALONE = (
    "result shares text with several gold passages and counts for the first of them alone",
    "results share text with several gold passages and count for the first of them alone",
)
_AGAIN = (
    "result repeats relevant text, which PASSAGE counts again in full",
    "results repeat relevant text, which PASSAGE counts again in full",
)
_EMPTY = (
    "gold passage has an empty aspect, which ASPECT counts like any other",
    "gold passages have an empty aspect, which ASPECT counts like any other",
)


def _named(shared: Shared) -> Shared:
    """Return a shared passage without the empty aspect."""
    return shared._replace(passage=shared.passage.named)


def _repeated(results: Sequence[RankedPassage], hits: Sequence[Sequence[Shared]]) -> list[RankedPassage]:
    """Return the results whose hit is, in part, of text that an earlier hit has."""
    found: dict[bytes, list[tuple[int, int]]] = {}
    again = []
    for result, hit in zip(results, hits, strict=True):
        for one in hit:
            before = found.setdefault(result.document, [])
            if _inside(before, one.start, one.end):
                again.append(result)
            before.append((one.start, one.end))
    return again


def score_run(gold: GenomicsGold, given: Input, *, head: bool) -> Printout:
    """Score one run; `head` adds the line with the names of the columns."""
    file = TrackFile.open(given)
    values: dict[str, list[float]] = {name: [] for name in MEASURES}
    for topic, found in zip(gold.topics.values(), _read_run(file, gold).values(), strict=True):
        results = sorted(found)
        shared = [topic.shared(result) for result in results]
        try:
            figures = _figures(topic, results, [some[:1] for some in shared])
        except ZeroDivisionError:
            message = "found lengths below 0 that make the text read 0, expected lengths of at least 0"
            raise file.fault(message, min(one.line for one in results if one.length < 0)) from None
        for name, value in zip(MEASURES, figures, strict=True):
            values[name].append(value)
        _Surprises(gold.file, file, topic).note(found, results, shared, figures)
    name = file_name(given).partition(".")[0]
    lines = [HEAD] if head else []
    scores: dict[tuple[str, str], float] = {}
    for measure, some in values.items():
        rows = dict(zip(map(str, gold.topics), some, strict=True))
        rows["MAP"] = added(some) / len(some)
        lines += [f"{name}\t{measure}\t{topic}\t{value:.8f}" for topic, value in rows.items()]
        scores |= {(measure, topic): value for topic, value in rows.items()}
    return Printout(file.name, tuple(lines), tuple(file.notices), scores=scores)


def genomics(gold: Input, runs: Iterable[Input] | Input) -> Printouts:
    """Score runs of TREC Genomics 2006 and 2007 as the track's trecgen2007_score.py does, with its lines.

    >>> gold = b"200\\ta\\t10\\t10\\tX|Y\\n200\\ta\\t30\\t10\\tX\\n200\\tb\\t0\\t5\\tZ\\n"
    >>> printed = genomics(gold, b"200 a 1 0.9 5 30 mine\\n")
    >>> printed[0].values["PASSAGE2", "200"]
    0.28560349612073754
    """
    each, judged = each_run(runs), read_gold(gold)
    return Printouts(score_run(judged, run, head=not number) for number, run in enumerate(each))
