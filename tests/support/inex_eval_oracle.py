"""The lines of inex_eval 3.1 again, slowly, by its rules: characters one by one, scores as fractions.

One rule is kept in doubles as the tool has it: the recall level of a result is floor(100 * recall).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from support.exact_numbers import ZERO
from support.oracle import f_measure, ratio

RANKS = (1, 2, 3, 5, 10, 25, 50)
#: Lines that are summed over topics.
NUMBERS = ("num_ret", "num_rel", "num_rel_ret", "ret_size", "rel_size", "rel_ret_size")
#: Names of means that differ from the names per topic.
MEANS = {"AiP": "MAiP", "AgP": "MAgP"}
#: Offset that a passage without a place has in the task of entry points, and its length in the others.
NOWHERE, NOWHERE_LENGTH = -10000, 18


class Rejected(Exception):
    """The tool rejects the whole run."""


@dataclass
class Article:
    """What the qrels say of an article: sizes of its first line, entry point of its last line with text."""

    rsize: int
    size: int
    bep: int | None = None
    #: Number of passages that contain each relevant character.
    text: Counter[int] = field(default_factory=Counter)
    lines: int = 0

    @property
    def relevant(self) -> bool:
        """Return whether the article counts as relevant."""
        return self.rsize > 0


@dataclass(frozen=True)
class Passage:
    """One line of a run; a start of None is no place."""

    article: str
    start: int | None
    length: int

    @property
    def text(self) -> range:
        """The characters of the passage."""
        return range(0) if self.start is None else range(self.start, self.start + self.length)


@dataclass(frozen=True)
class Options:
    """The letter of the task, and the options -c, -n, -beta and -irr."""

    task: str
    complete: bool = False
    n: int = 500
    beta: Fraction = Fraction(1, 4)
    irrelevant: int = 300


@dataclass
class OfficialTopic:
    """One topic of the qrels with the lines of a run."""

    articles: dict[str, Article]
    rel_size: int
    num_rel: int
    passages: list[Passage]

    def judged(self, article: str) -> Article:
        """What is known of an article; nothing of one that is not in the qrels."""
        return self.articles.get(article, Article(0, 0))

    @property
    def returned(self) -> list[str]:
        """The articles in order of first appearance."""
        return list(dict.fromkeys(passage.article for passage in self.passages))

    @property
    def num_rel_ret(self) -> int:
        """Number of relevant articles returned."""
        return sum(self.judged(article).relevant for article in self.returned)

    def check(self, task: str) -> None:
        """Reject overlapping passages and articles that come back, as the task does."""
        for place, passage in enumerate(self.passages):
            before = [other for other in self.passages[:place] if other.article == passage.article]
            if task != "t" and any(overlaps(passage, other) for other in before):
                raise Rejected
            if task in "rbi" and before and self.passages[place - 1].article != passage.article:
                raise Rejected
            if task == "b" and before:
                raise Rejected

    def sizes(self, task: str) -> list[tuple[int, int]]:
        """Characters and relevant characters of each passage."""
        seen: set[tuple[str, int]] = set()
        counted = []
        for passage in self.passages:
            judged = self.judged(passage.article)
            thorough = task == "t" and judged.relevant
            text = [at for at in passage.text if not thorough or (passage.article, at) not in seen]
            read = len(text)
            if passage.start is None:
                read = 0 if thorough else NOWHERE_LENGTH
            counted.append((read, sum(judged.text[at] for at in text) if judged.relevant else 0))
            seen |= {(passage.article, at) for at in passage.text}
        return counted

    def score(self, article: str, options: Options) -> Fraction:
        """The score of a returned article under an in-context task."""
        judged = self.judged(article)
        own = [place for place, passage in enumerate(self.passages) if passage.article == article]
        if options.task == "i":
            texts = [self.passages[place].text for place in own if self.passages[place].start is not None]
            return tolerance(judged, texts, options.irrelevant) if judged.text else ZERO
        if not judged.relevant:
            return ZERO
        if options.task == "b":
            start = self.passages[own[0]].start
            distance = abs((NOWHERE if start is None else start) - (judged.bep or 0))
            near = judged.bep is not None and judged.bep >= 0 and distance <= options.n
            return Fraction(options.n - distance, options.n) if near else ZERO
        counts = [self.sizes(options.task)[place] for place in own]
        read, relevant = (sum(column) for column in zip(*counts, strict=True))
        return f_measure(ratio(relevant, read), ratio(relevant, judged.rsize), options.beta)


def tolerance(judged: Article, passages: list[range], limit: int) -> Fraction:
    """Proportion of relevant text read until so many irrelevant characters were read.

    The reader reads the passages by their starts, then from the end of each to the start of the next, and
    from the last to the end of the article; what is in two of these parts is read twice.
    """
    passages = sorted(passages, key=lambda text: text.start)
    ends, starts = [0, *(text.stop for text in passages)], [*(text.start for text in passages), judged.size]
    gaps = [range(end, start) for end, start in zip(ends, starts, strict=True)]
    good = bad = 0
    for place in (place for part in (*passages, *gaps) for place in part):
        good, bad = good + (place in judged.text), bad + (place not in judged.text)
        if bad == limit:
            break
    return ratio(good, good + bad)


def overlaps(one: Passage, other: Passage) -> bool:
    """Return whether passages share a character, or an empty one is strictly inside of the other."""
    if one.start is None or other.start is None:
        return False
    return one.start < other.text.stop and other.start < one.text.stop


Line = tuple[str, str, Fraction | str | None]


def read_qrels(text: str) -> dict[str, OfficialTopic]:
    """The topics of qrels, sorted by their names, without results."""
    topics: dict[str, OfficialTopic] = {}
    for topic, _, article, rsize, size, *rest in map(str.split, text.splitlines()):
        one = topics.setdefault(topic, OfficialTopic({}, 0, 0, []))
        judged = one.articles.setdefault(article, Article(int(rsize), int(size)))
        one.num_rel += int(rsize) > 0
        one.rel_size += max(int(rsize), 0)
        if len(rest) > 1:
            judged.bep = int(rest[0])
        for pair in rest[1:]:
            start, length = map(int, pair.split(":"))
            judged.text.update(range(start, start + length))
    return dict(sorted(topics.items()))


def read_run(text: str, topics: dict[str, OfficialTopic]) -> str:
    """Add the lines of a run to the topics; return its id."""
    run_id = ""
    for topic, _, article, _, _, name, offset, length in map(str.split, text.splitlines()):
        if topic in topics:
            run_id = name
            nowhere = offset in {"X", "-1"}
            passage = Passage(article, None if nowhere else int(offset), 0 if nowhere else int(length))
            topics[topic].passages.append(passage)
    return run_id


def lines(qrels: str, run: str, options: Options, *, per_topic: bool) -> Iterator[Line]:
    """Name, topic and value of each line; None is NaN. Rejected runs raise."""
    topics = read_qrels(qrels)
    read_run(run, topics)
    for topic in topics.values():
        topic.check(options.task)
    counted = {name: topic for name, topic in topics.items() if options.complete or topic.passages}
    in_context = options.task in "rbi"
    values_of = in_context_lines if in_context else focused_lines
    table = {name: values_of(topic, options) for name, topic in counted.items()}
    for name, values in table.items() if per_topic else ():
        yield from ((line, name, value) for line, value in values.items() if not line.startswith("ircl"))
    yield "num_q", "all", Fraction(len(counted))
    for line in values_of(OfficialTopic({}, 0, 0, []), options):
        if line in NUMBERS:
            summed = topics if in_context else counted
            yield line, "all", sum((numbers(topic, options.task)[line] for topic in summed.values()), ZERO)
        else:
            values_by_topic = [of[line] for of in table.values()]
            known = [value for value in values_by_topic if value is not None]
            whole = known and len(known) == len(values_by_topic)
            yield MEANS.get(line, line), "all", sum(known, ZERO) / len(known) if whole else None


def numbers(topic: OfficialTopic, task: str) -> dict[str, Fraction]:
    """The six numbers of a topic."""
    sizes = topic.sizes(task) if task != "b" else []
    values = (
        len(topic.returned),
        topic.num_rel,
        topic.num_rel_ret,
        sum(read for read, _ in sizes),
        topic.rel_size,
        sum(relevant for _, relevant in sizes),
    )
    return dict(zip(NUMBERS, map(Fraction, values), strict=True))


def over(part: Fraction, whole: Fraction) -> Fraction | None:
    """A quotient; None for 0/0."""
    return part / whole if whole else None


def harmonic(precision: Fraction | None, recall: Fraction | None) -> Fraction | None:
    """2PR/(P+R); 0 if P is 0."""
    if not precision:
        return ZERO
    return None if recall is None else 2 * precision * recall / (precision + recall)


def best_above(points: Sequence[tuple[int, Fraction]], levels: int) -> list[Fraction]:
    """The highest precision at each recall level or above."""
    return [max((p for at, p in points if at >= level), default=ZERO) for level in range(levels)]


def focused_lines(topic: OfficialTopic, options: Options) -> dict[str, Fraction | None]:
    """The lines of a topic under -t and -f, with those that are printed as means only."""
    values: dict[str, Fraction | None] = {**numbers(topic, options.task)}
    amounts = list(numbers(topic, options.task).values())
    for name, (returned, relevant, both) in {"art": amounts[:3], "char": amounts[3:]}.items():
        precision, recall = over(both, returned) or ZERO, over(both, relevant)
        values |= {f"{name}_prec": precision, f"{name}_rec": recall}
        values[f"{name}_f1"] = harmonic(precision, recall)
    read = found = 0
    points = []
    for size, gained in topic.sizes(options.task):
        read, found = read + size, found + gained
        level = math.floor(100 * (found / topic.rel_size)) if topic.rel_size else 0
        if read and level <= 100:
            points.append((level, Fraction(found, read)))
    levels = best_above(points, 101)
    values |= {f"iP[{level / 100:.2f}]": levels[level] for level in (0, 1, 5, 10)}
    values["AiP"] = sum(levels, ZERO) / 101
    return values | {f"ircl_prn.{level / 100:.2f}": value for level, value in enumerate(levels)}


def in_context_lines(topic: OfficialTopic, options: Options) -> dict[str, Fraction | None]:
    """The lines of a topic under -r, -b and -i, with those that are printed as means only."""
    score = found = total = ZERO
    precision, recall, points = list[Fraction](), list[Fraction | None](), []
    for rank, article in enumerate(topic.returned, 1):
        score += topic.score(article, options)
        found += topic.judged(article).relevant
        precision.append(score / rank)
        recall.append(over(found, Fraction(topic.num_rel)))
        total += precision[-1] if topic.judged(article).relevant else ZERO
        points.append((math.floor(10 * (recall[-1] or 0)), precision[-1]))
    values: dict[str, Fraction | None] = {**numbers(topic, options.task)}
    for rank in RANKS:
        values[f"gP[{rank}]"] = precision[min(rank, len(precision)) - 1] if precision else ZERO
        values[f"gR[{rank}]"] = recall[min(rank, len(recall)) - 1] if recall else ZERO
    values["AgP"] = over(total, Fraction(topic.num_rel))
    return values | {f"ircl_prn.{tenth / 10:.2f}": p for tenth, p in enumerate(best_above(points, 11))}
