"""Measures of elements and of entry points again, slowly, from their definitions: fractions and plain loops.

Written from the specification (inex.md, sections 3.1 to 3.4, 3.6 and 3.8) before the measures were read.
`None` is an undefined score.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

from support.oracle import Asked

from excerpt import Judgments, OffsetIndex, Policy, Result, Run, evaluate
from excerpt.model.elements import GradedElement

POINTS = [Fraction(k, 100) for k in range(1, 101)]
ZERO = Fraction(0)
Key = tuple[str, str]

# --- quantisations -------------------------------------------------------------------------------------

#: Relevance and coverage (2002), then exhaustivity and specificity 0 to 3 (2003, 2004): value → pairs.
TABLES: dict[tuple[str, str], dict[str, str]] = {
    ("relevance and coverage", "strict"): {"1": "3E"},
    ("relevance and coverage", "generalised"): {
        "1": "3E",
        "3/4": "2E 3L",
        "1/2": "1E 2L 2S",
        "1/4": "1S 1L",
    },
    ("exhaustivity and specificity", "strict"): {"1": "33"},
    ("exhaustivity and specificity", "generalised"): {
        "1": "33",
        "3/4": "23 32 31",
        "1/2": "13 22 21",
        "1/4": "12 11",
    },
    ("exhaustivity and specificity", "sog"): {
        "1": "33",
        "9/10": "23",
        "3/4": "13 32",
        "1/2": "22",
        "1/4": "12 31",
        "1/10": "21 11",
    },
    ("exhaustivity and specificity", "any_relevant"): {"1": "11 12 13 21 22 23 31 32 33"},
    ("exhaustivity and specificity", "e3_s32"): {"1": "33 32"},
    ("exhaustivity and specificity", "e3_s321"): {"1": "33 32 31"},
    ("exhaustivity and specificity", "s3_e32"): {"1": "33 23"},
    ("exhaustivity and specificity", "s3_e321"): {"1": "33 23 13"},
}
#: Exhaustivity 0, 1, 2, ? (-1) and specificity as a share (2005); highlighted text only (2006).
SHARES: dict[tuple[str, str], Callable[[int, Fraction], Fraction]] = {
    ("exhaustivity 0-2", "strict"): lambda e, s: Fraction(int(e == 2 and s == 1)),
    ("exhaustivity 0-2", "fully_specific"): lambda e, s: Fraction(int(s == 1)),
    ("exhaustivity 0-2", "generalised"): lambda e, s: e * s if e in {1, 2} else ZERO,
    ("exhaustivity 0-2", "generalised_lifted"): lambda e, s: {-1: 1, 0: 0, 1: 2, 2: 3}[e] * s,
    ("exhaustivity 0-2", "binary_exhaustivity"): lambda e, s: s if e in {-1, 1, 2} else ZERO,
    ("exhaustivity 0-2", "binary_exhaustivity_zero"): lambda e, s: s if e in {1, 2} else ZERO,
    ("highlights", "specificity"): lambda e, s: s,
    ("highlights", "strict"): lambda e, s: Fraction(int(s == 1)),
}
DEFAULTS = {
    "relevance and coverage": "generalised",
    "exhaustivity and specificity": "generalised",
    "exhaustivity 0-2": "generalised",
    "highlights": "specificity",
}


def names(scale: str) -> list[str]:
    """The quantisations of a scale."""
    return [name for of, name in [*TABLES, *SHARES] if of == scale]


def quantise(scale: str, name: str, element: GradedElement) -> Fraction:
    """The value of an assessed element."""
    if (scale, name) in SHARES:
        share = Fraction(element.relevant, element.size) if element.size else ZERO
        return SHARES[scale, name](element.exhaustivity, share)
    letters = "NSLE" if scale == "relevance and coverage" else "0123"
    pair = f"{element.exhaustivity}{letters[element.specificity]}"
    for value, pairs in TABLES[scale, name].items():
        if pair in pairs.split():
            return Fraction(value)
    return ZERO


def canonical(path: str) -> str:
    """A path with a position at every step."""
    steps = path.strip("/").split("/")
    return "".join("/" + (step if step.endswith("]") else f"{step}[1]") for step in steps)


def above(one: Key, other: Key) -> bool:
    """Return whether the first element contains the second, or is the same."""
    mine, theirs = one[1].strip("/").split("/"), other[1].strip("/").split("/")
    return one[0] == other[0] and theirs[: len(mine)] == mine


def overlap(one: Key, other: Key) -> bool:
    """Return whether two elements share text, judged by their paths."""
    return above(one, other) or above(other, one)


# --- one topic -----------------------------------------------------------------------------------------


@dataclass
class ElementTopic:
    """One topic of one run of elements, with its assessments."""

    scale: str
    assessed: dict[Key, GradedElement]
    results: list[Result]

    @classmethod
    def of(
        cls, topic: str, scale: str, elements: Iterable[GradedElement], results: Iterable[Result]
    ) -> ElementTopic:
        """The topic's part of judgments and a run."""
        assessed = {(row.document, canonical(row.path)): row for row in elements if row.topic == topic}
        return cls(scale, assessed, [row for row in results if row.topic == topic])

    def score(self, asked: Asked) -> Fraction | None:
        """The score by any of the measures of elements."""
        options = dict(asked.parameters)
        if asked.name == "inex_eval_ng":
            return self.ng(asked.cutoff, options)
        value = self.values(
            options.get("quantisation", DEFAULTS[self.scale]), int(options.get("too_small", 0))
        )
        if not any(value.values()):
            return None
        if asked.name == "inex_eval":
            return self.precall(asked.cutoff, options, value)
        return self.gains(value, options).score(asked)

    def values(self, quantisation: str, too_small: int = 0) -> dict[Key, Fraction]:
        """f of every assessed element; 0 for those below a size."""
        return {
            key: quantise(self.scale, quantisation, row) if row.size >= too_small else ZERO
            for key, row in self.assessed.items()
        }

    @property
    def keys(self) -> list[Key | None]:
        """The element of each result; None where it names one for the second time, or none at all."""
        found: list[Key | None] = []
        for row in self.results:
            key = (row.document, canonical(row.path)) if row.path else None
            found.append(None if key in found else key)
        return found

    # 3.1 --------------------------------------------------------------------------------------------

    def ranks(self) -> list[list[Key | None]]:
        """Results of equal score together."""
        ranks: list[list[Key | None]] = []
        before: float | None = None
        for row, key in zip(self.results, self.keys, strict=True):
            if ranks and row.score is not None and row.score == before:
                ranks[-1].append(key)
            else:
                ranks.append([key])
            before = row.score
        return ranks

    def precall(self, cutoff: str | None, options: Mapping[str, str], value: dict[Key, Fraction]) -> Fraction:
        """P(x), or the mean over 100 points."""
        total = sum(value.values(), ZERO)
        fractional = options.get("nonrel") == "fractional"

        def irrelevant(f: Fraction) -> Fraction:
            return max(1 - f, ZERO) if fractional else Fraction(int(f == 0))

        ranks = [[value.get(key, ZERO) if key else ZERO for key in rank] for rank in self.ranks()]
        sums = [(sum(rank, ZERO), sum(map(irrelevant, rank), ZERO)) for rank in ranks]
        if "collection_size" in options:
            rest = [f for key, f in value.items() if key not in self.keys and f > 0]
            returned = sum(key is not None for key in self.keys)
            others = max(0, int(options["collection_size"]) - returned - len(rest))
            sums.append((sum(rest, ZERO), others + sum(map(irrelevant, rest), ZERO)))

        def precision(x: Fraction) -> Fraction:
            target, found, bad = x * total, ZERO, ZERO
            for number, (relevant, nonrelevant) in enumerate(sums, 1):
                if found + relevant >= target:
                    under = number if options.get("denominator") == "as_printed" else relevant + 1
                    return target / (target + bad + (target - found) * nonrelevant / under)
                found, bad = found + relevant, bad + nonrelevant
            return ZERO

        if cutoff is not None:
            return precision(Fraction(cutoff))
        return sum(map(precision, POINTS), ZERO) / 100

    # 3.2 --------------------------------------------------------------------------------------------

    def ng(self, cutoff: str | None, options: Mapping[str, str]) -> Fraction | None:
        """Interpolated precision at x, or the mean over 100 points."""
        new_only = options.get("overlap", "true") == "true"
        rel, cov = self.ng_grades(options.get("quantisation") == "strict", int(options.get("too_small", 0)))
        whole = sum((max(map(rel, rows)) for rows in self.whole_documents), ZERO)
        if not whole:
            return None
        seen: dict[str, set[int]] = {}
        recall, covered, read = ZERO, ZERO, 0
        curve: list[tuple[Fraction, Fraction]] = []
        for result in self.results:
            text = set(range(result.start, result.end))
            old = seen.setdefault(result.document, set())
            size = len(text - old) if new_only else len(text)
            old |= text
            element = self.assessed.get((result.document, canonical(result.path or "")))
            if element and text:
                recall += rel(element) * Fraction(size, len(text)) / whole
                covered += cov(element) * size
            read += size
            curve.append((recall, Fraction(covered, read) if read else ZERO))

        if options.get("extrapolate") == "true":
            roots = [row for row in self.assessed.values() if re.fullmatch(r"/[^/]+", row.path)]
            total = sum((cov(row) * row.size for row in roots), ZERO)
            rest = max(0, int(options["collection_size"]) - sum(map(len, seen.values())))
            curve.append((max(recall, Fraction(1)), Fraction(max(covered, total), (read + rest) or 1)))

        def precision(x: Fraction) -> Fraction:
            return max((p for r, p in curve if r >= x), default=ZERO)

        if cutoff is not None:
            return precision(Fraction(cutoff))
        return sum(map(precision, POINTS), ZERO) / 100

    @property
    def whole_documents(self) -> list[list[GradedElement]]:
        """The root of each document, or all its assessed elements if the root was not assessed."""
        documents: dict[str, list[GradedElement]] = {}
        for row in self.assessed.values():
            documents.setdefault(row.document, []).append(row)
        return [
            [row for row in rows if re.fullmatch(r"/[^/]+", row.path)] or rows for rows in documents.values()
        ]

    @property
    def highlighted(self) -> int:
        """|topic|: the highlighted characters of all documents."""
        return sum(max(row.relevant for row in rows) for rows in self.whole_documents)

    def ng_grades(
        self, strict: bool, too_small: int
    ) -> tuple[Callable[[GradedElement], Fraction], Callable[[GradedElement], Fraction]]:
        """rel and cov of an assessed element by its scale; strict: 1 where it is 1, else 0."""

        def kept(value: Fraction, row: GradedElement) -> Fraction:
            return value if row.size >= too_small and (value == 1 or not strict) else ZERO

        def rel(row: GradedElement) -> Fraction:
            if self.scale == "highlights":
                return kept(Fraction(row.relevant, self.highlighted or 1), row)
            most = {"exhaustivity 0-2": 2}.get(self.scale, 3)
            return kept(Fraction(max(row.exhaustivity, 0), most), row)

        def cov(row: GradedElement) -> Fraction:
            if self.scale == "relevance and coverage":
                return kept([ZERO, ZERO, Fraction(1, 2), Fraction(1)][row.specificity], row)
            if self.scale == "exhaustivity and specificity":
                return kept(Fraction(row.specificity, 3), row)
            return kept(Fraction(row.relevant, row.size) if row.size else ZERO, row)

        return rel, cov

    # 3.3 and 3.4 ------------------------------------------------------------------------------------

    def gains(self, value: dict[Key, Fraction], options: Mapping[str, str]) -> Gains:
        """The gains of the run and of the ideal list."""
        ideal, alpha = options.get("ideal", "thorough"), Fraction(options.get("alpha", "0"))
        focused = ideal_recall_base(value) if ideal != "thorough" else set()
        keys = [key if key in value else None for key in self.keys]
        if focused:
            run = normalised(keys, value, focused, as_printed=options.get("gain") == "as_printed")
        elif alpha:
            size = {key: row.size for key, row in self.assessed.items()}
            returned = [[one for one in self.keys[:rank] if one] for rank in range(len(keys))]
            run = [
                remaining(key, value, size, before, alpha) if key else ZERO
                for key, before in zip(keys, returned, strict=True)
            ]
        else:
            run = [value[key] if key else ZERO for key in keys]
        best = focused if ideal == "focused" else set(value)
        return Gains(run, sorted((value[key] for key in best if value[key] > 0), reverse=True))


def remaining(
    key: Key, value: Mapping[Key, Fraction], size: Mapping[Key, int], returned: Sequence[Key], alpha: Fraction
) -> Fraction:
    """Section 3.3, overlap-aware gain: what an element is worth after others, which may be unassessed."""
    if any(above(other, key) for other in returned):
        return (1 - alpha) * value[key]
    if not any(above(key, other) for other in returned):
        return value[key]
    inside = [other for other in value if other != key and above(key, other)]
    children = [one for one in inside if not any(two != one and above(two, one) for two in inside)]
    rest = sum((remaining(child, value, size, returned, alpha) * size[child] for child in children), ZERO)
    return alpha * rest / size[key] + (1 - alpha) * value[key]


def ideal_recall_base(value: dict[Key, Fraction]) -> set[Key]:
    """Section 3.4: the winner of every maximal relevant path, without those below other winners."""
    relevant = [key for key, f in value.items() if f > 0]
    winners: set[Key] = set()
    for leaf in relevant:
        if any(above(leaf, other) for other in relevant if other != leaf):
            continue
        path = sorted((key for key in relevant if above(key, leaf)), key=lambda key: key[1].count("/"))
        winners.add(max(path, key=lambda key: value[key]))  # the first of equals, nearest to the root
    return {key for key in winners if not any(above(other, key) for other in winners if other != key)}


def normalised(
    keys: Sequence[Key | None], value: dict[Key, Fraction], ideal: set[Key], *, as_printed: bool
) -> list[Fraction]:
    """Equation 8 as resolved: no ideal element gives more than itself; or as printed, but at least 0."""
    before: list[tuple[Key, Fraction]] = []
    gains: list[Fraction] = []
    for key in keys:
        gain = ZERO
        if key and value.get(key, ZERO) > 0:
            near = [best for best in ideal if overlap(key, best)]
            taken = {
                best: sum(
                    (value[other] if as_printed else g for other, g in before if overlap(other, best)), ZERO
                )
                for best in near
            }
            if as_printed:
                gain = max(ZERO, *(min(value[key], value[best]) - taken[best] for best in near))
            else:
                gain = max(ZERO, min(value[key], max(value[best] - taken[best] for best in near)))
            before.append((key, gain))
        gains.append(gain)
    return gains


@dataclass
class Gains:
    """xG and xI; rank i is at place i-1."""

    run: list[Fraction]
    ideal: list[Fraction]

    def run_sum(self, i: int) -> Fraction:
        """xCG[i]."""
        return sum(self.run[:i], ZERO)

    def ideal_sum(self, i: int) -> Fraction:
        """xCI[i]."""
        return sum(self.ideal[:i], ZERO)

    @staticmethod
    def reach(gains: Sequence[Fraction], target: Fraction) -> int | None:
        """The first rank whose cumulated gain is at least the target."""
        return next((i for i, found in enumerate(accumulate(gains), 1) if found >= target), None)

    def reached(self, target: Fraction) -> int:
        """The rank where the ideal list has a gain; its last one if it never gains as much as the run."""
        return self.reach(self.ideal, target) or len(self.ideal)

    def effort(self, share: Fraction) -> Fraction:
        """ep at a gain recall."""
        target = share * self.ideal_sum(len(self.ideal))
        best, mine = self.reach(self.ideal, target), self.reach(self.run, target)
        assert best is not None
        return Fraction(best, mine) if mine else ZERO

    def ceiling(self, share: Fraction) -> Fraction:
        """The best ep at a gain recall or above: between two gains of the run ep is best at the later."""
        target = share * self.ideal_sum(len(self.ideal))
        reached = [(i, self.run_sum(i)) for i in range(1, len(self.run) + 1) if self.run_sum(i) >= target]
        return max((Fraction(self.reached(found), i) for i, found in reached), default=ZERO)

    def sakai(self, i: int) -> Fraction:
        """The blended ratio at a rank."""
        count = sum(gain > 0 for gain in self.run[:i])
        return (count + self.run_sum(i)) / (i + self.ideal_sum(i))

    def score(self, asked: Asked) -> Fraction:
        """Any of the measures of cumulated gain."""
        n = len(self.ideal)
        k = int(asked.cutoff) if asked.cutoff and asked.name != "ep" else 0
        hits = [i for i, gain in enumerate(self.run, 1) if gain > 0]
        effort = self.ceiling if ("interpolation", "ceiling") in asked.parameters else self.effort
        if asked.name in {"nxCG", "xCG", "xCI", "gr"}:
            run, ideal = self.run_sum(k), self.ideal_sum(k)
            return {
                "nxCG": run / ideal,
                "xCG": run,
                "xCI": ideal,
                "gr": run / self.ideal_sum(n),
            }[asked.name]
        if asked.name == "ep":
            return effort(Fraction(asked.cutoff or ""))
        if asked.name == "R":
            return self.sakai(n)
        terms, count = {
            "MAnxCG": ((self.run_sum(i) / self.ideal_sum(i) for i in range(1, k + 1)), k),
            "iMAep": (map(effort, POINTS), 100),
            "MAep": ((Fraction(self.reached(self.run_sum(i)), i) for i in hits), n),
            "Q": (map(self.sakai, hits), n),
        }[asked.name]
        return sum(terms, ZERO) / count


# --- 3.6: entry points ---------------------------------------------------------------------------------


def _number_seen(chances: Iterable[Fraction]) -> list[Fraction]:
    """Pr(N = k) of the number N of independent events that happen."""
    exactly = [Fraction(1)]
    for p in chances:
        exactly = [a * (1 - p) + b * p for a, b in zip([*exactly, ZERO], [ZERO, *exactly], strict=True)]
    return exactly


def entry_score(
    results: Sequence[tuple[str, int]], entries: Mapping[str, int], asked: Asked
) -> Fraction | None:
    """BEPD and EPRUM; results are (document, start) with a start below 0 for what does not exist."""
    options = dict(asked.parameters)
    reach = Fraction(options.get("A", "0.1")) * Fraction(options["L"])
    if not entries:
        return None

    def shown(document: str, start: int) -> Fraction:
        if document not in entries or start < 0:
            return ZERO
        return reach / (reach + abs(start - entries[document]))

    if asked.name == "BEPD":
        return sum((shown(*row) for row in results), ZERO) / len(entries)
    missed = dict.fromkeys(entries, Fraction(1))  # probability that no result so far shows the BEP
    at_least: list[list[Fraction]] = []  # after m ranks: Pr(N >= R) for R = 0 … T
    expected: list[Fraction] = []
    for m in range(len(results) + 1):
        if m and results[m - 1][0] in missed:
            missed[results[m - 1][0]] *= 1 - shown(*results[m - 1])
        exactly = _number_seen(1 - miss for miss in missed.values())
        at_least.append([sum(exactly[k:], ZERO) for k in range(len(exactly))])
        expected.append(sum((1 - miss for miss in missed.values()), ZERO))
    total = len(entries)

    def precision(count: int) -> Fraction:
        return sum(
            (
                Fraction(count, m) * (at_least[m][count] - at_least[m - 1][count])
                for m in range(1, len(results) + 1)
            ),
            ZERO,
        )

    if options.get("at") == "rank":
        rank = int(asked.cutoff or "")
        return expected[min(rank, len(results))] / rank
    if asked.cutoff is not None:
        return precision(math.ceil(Fraction(asked.cutoff) * total))
    return sum(map(precision, range(1, total + 1)), ZERO) / total


# --- 3.8: HiXEval as published -------------------------------------------------------------------------


def hixeval(
    results: Sequence[tuple[str, int, int]], passages: Mapping[str, Sequence[tuple[int, int]]], asked: Asked
) -> Fraction | None:
    """charP, charR and charF with the published weights; a start below 0 costs 18 characters."""
    options = dict(asked.parameters)
    alpha, beta = Fraction(options.get("alpha", "1")), Fraction(options.get("beta", "1"))
    relevant = {
        (document, place)
        for document, spans in passages.items()
        for start, end in spans
        for place in range(start, end)
    }
    if not relevant:
        return None
    seen: set[tuple[str, int]] = set()
    found, read = ZERO, 0
    for document, start, end in results[: int(asked.cutoff)] if asked.cutoff else results:
        if start < 0:
            read += 18
            continue
        text = {(document, place) for place in range(start, end)}
        if text:
            weight = 1 - alpha * Fraction(len(text & seen), len(text))
            found += weight * len(text & relevant)
        read += len(text)
        seen |= text
    precision, recall = (Fraction(found, read) if read else ZERO), found / len(relevant)
    if asked.name == "charP":
        return precision
    if asked.name == "charR":
        return recall
    under = beta**2 * precision + recall
    return (1 + beta**2) * precision * recall / under if under else ZERO


# --- agreement -----------------------------------------------------------------------------------------


def assert_agrees(
    judgments: Judgments,
    run: Run,
    asked: Sequence[Asked],
    expected: Callable[[str, Asked], Fraction | None],
    policy: Policy | None = None,
    index: OffsetIndex | None = None,
) -> None:
    """Every score of every topic is that of the oracle, to 1e-12; 0 is 0 and undefined is undefined."""
    table = evaluate(judgments, [run], [str(one) for one in asked], policy=policy, index=index)
    for topic in judgments.topics:
        for one in asked:
            score, right = table[run.name, topic, str(one)], expected(topic, one)
            where = f"{one} of topic {topic}: {score}, expected {right}"
            if right is None:
                assert math.isnan(score), where
            elif right == 0:
                assert score == 0, where
            else:
                assert math.isfinite(score), where
                assert abs(Fraction(score) - right) <= Fraction(1, 10**12) * right, where
