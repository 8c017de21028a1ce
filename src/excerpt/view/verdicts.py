"""Verdicts: differences of runs, tested and put into words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from excerpt.experiments.comparison import Comparison, compare
from excerpt.experiments.study import generator
from excerpt.model.scores import ScoreTable
from excerpt.model.spans import BoolArray, FloatArray
from excerpt.notices import Notices
from excerpt.stats.resampling import Units, resampled_sums

SEED = 1
SAMPLES = 10_000
ALPHA = 0.05
TEST, CORRECTION = "bootstrap", "by"

#: Steps of the search for sets; beyond it sets of neighbours are taken, as runs are ordered by means.
_MOST_STEPS = 20_000


def comparisons(table: ScoreTable) -> list[Comparison | None]:
    """By measure, what `compare` says of all pairs; None where there are not two runs and two topics."""
    found: list[Comparison | None] = []
    for place, measure in enumerate(table.measures):
        complete = ~np.isnan(table.values[:, :, place]).any(axis=0)
        if len(table.runs) < 2 or int(complete.sum()) < 2:
            found.append(None)
            continue
        how: dict[str, Any] = {"test": TEST, "correction": CORRECTION, "alpha": ALPHA, "samples": SAMPLES}
        outcome = compare(table, [measure], seed=SEED, notices=Notices(), **how)
        found.append(outcome.details["comparisons"][0])
    return found


def comparison_data(comparison: Comparison | None, table: ScoreTable) -> dict[str, Any] | None:
    """All pairs of a measure as columns, the run with the higher mean first."""
    if comparison is None:
        return None
    order = [table.runs.index(run) for run in comparison.runs]
    above, below = np.triu_indices(len(order), 1)
    rejected = comparison.corrected.rejected
    either = (rejected | rejected.T)[above, below]
    effect = comparison.effect[above, below].tolist()
    numbers = np.array(order)
    return {
        "order": order,
        "alike": [[order[place] for place in places] for places in alike(~(rejected | rejected.T))],
        "pairs": {
            "first": numbers[above].tolist(),
            "second": numbers[below].tolist(),
            "difference": comparison.difference[above, below].tolist(),
            "low": comparison.intervals.low[above, below].tolist(),
            "high": comparison.intervals.high[above, below].tolist(),
            "p": comparison.p[above, below].tolist(),
            "adjusted": comparison.corrected.adjusted[above, below].tolist(),
            "effect": [None if math.isnan(value) else value for value in effect],
            "significant": either.astype(np.int64).tolist(),
        },
        "tests": 2 * len(above),
        "count": len(above),
        "significant": int(either.sum()),
        "test": TEST,
        "correction": CORRECTION,
        "alpha": ALPHA,
        "samples": SAMPLES,
        "topics": comparison.procedure["topics"],
    }


def alike(together: BoolArray) -> list[list[int]]:
    """Maximal sets of at least two places that are pairwise together, by their first places.

    >>> alike(np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], bool))
    [[0, 1], [1, 2]]
    """
    neighbours = [
        sum(1 << other for other in np.flatnonzero(row).tolist() if other != place)
        for place, row in enumerate(together)
    ]
    sets = _cliques(neighbours)
    return sorted(_neighbouring(together) if sets is None else sets)


def _cliques(neighbours: Sequence[int]) -> list[list[int]] | None:
    """All maximal cliques of two or more (Bron and Kerbosch with a pivot); None where there are too many."""
    found: list[list[int]] = []
    waiting = [(0, (1 << len(neighbours)) - 1, 0)]
    for _ in range(_MOST_STEPS):
        if not waiting:
            return found
        chosen, candidates, done = waiting.pop()
        if not candidates:
            if not done and chosen.bit_count() > 1:
                found.append(_bits(chosen))
            continue
        pivot = max(_bits(candidates | done), key=lambda place: (neighbours[place] & candidates).bit_count())
        for place in _bits(candidates & ~neighbours[pivot]):
            near = neighbours[place]
            waiting.append((chosen | 1 << place, candidates & near, done & near))
            candidates &= ~(1 << place)
            done |= 1 << place
    return None


def _bits(mask: int) -> list[int]:
    return [place for place in range(mask.bit_length()) if mask >> place & 1]


def _neighbouring(together: BoolArray) -> list[list[int]]:
    """Maximal sets of neighbouring places that are pairwise together."""
    sets: list[list[int]] = []
    reached = 0
    for low in range(len(together)):
        high = low + 1
        while high < len(together) and together[low:high, high].all():
            high += 1
        if high - low > 1 and high > reached:
            sets.append(list(range(low, high)))
            reached = high
    return sets


def mean_intervals(table: ScoreTable, place: int) -> list[list[float] | None]:
    """By run, the middle 95 % of the means over resampled topics; None under two topics."""
    values = table.values[:, :, place]
    defined = ~np.isnan(values)
    if len(values) and (defined == defined[0]).all():
        return _intervals(values[:, defined[0]])
    return [_intervals(row[known][None])[0] for row, known in zip(values, defined, strict=True)]


def _intervals(scores: FloatArray) -> list[list[float] | None]:
    if scores.shape[1] < 2:
        return [None] * len(scores)
    units = Units.of(scores)
    sums = resampled_sums(units, SAMPLES, generator(SEED))
    limits = np.quantile(sums, (ALPHA / 2, 1 - ALPHA / 2), axis=1) * (units.unit / scores.shape[1])
    return [[float(low), float(high)] for low, high in limits.T]


_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven")
#: So many runs are named in a sentence, not more.
_NAMED = 4

Lead = list[tuple[str, int]]


def whole(number: int) -> str:
    """A whole number with thin spaces that do not break between thousands.

    >>> whole(1386) == "1\\u202f386", whole(45)
    (True, '45')
    """
    return f"{number:,}".replace(",", "\u202f")


def in_words(number: int) -> str:
    """A small number as a word.

    >>> in_words(9), in_words(60)
    ('nine', '60')
    """
    return _WORDS[number] if number < len(_WORDS) else whole(number)


def verdict(table: ScoreTable, place: int, comparison: dict[str, Any] | None) -> dict[str, Any]:
    """Headline, lead (pieces of text, strong or not) and how it was found."""
    means = table.means()[:, place].tolist()
    measure = table.measures[place]
    if comparison is None:
        return _alone(table, measure, means)
    order = comparison["order"]
    names = [table.runs[run] for run in order]
    near = _not_separated(comparison, order[0])
    equal = [run for run in order[1:] if means[run] == means[order[0]]]
    pairs, different = comparison["count"], comparison["significant"]
    differ = _differ(pairs, different)
    if equal:
        headline = f"{_joined([names[0], *(table.runs[run] for run in equal)])} are first together."
        lead: Lead = [(f"Their means are equal. {differ}", 0)]
    elif not near:
        others = names[1] if len(names) == 2 else f"each of the {in_words(len(names) - 1)} others"
        headline = f"{names[0]} is first, and the lead is real: significantly better than {others}."
        lead = [*_next_set(comparison, names), (differ, 0)] if pairs > 1 else []
    else:
        few = len(near) < _NAMED
        who = _joined([table.runs[run] for run in near]) if few else f"{in_words(len(near))} others"
        where = places([order.index(run) for run in near])
        headline = f"{names[0]} is first, but cannot be told apart from {who} in {where}."
        better = _better_than_the_rest(len(order) - 1 - len(near))
        lead = [(f"{better}{differ}" if pairs > 1 else "The difference may be chance.", 0)]
    return {"headline": headline, "lead": [list(part) for part in lead], "how": _how(comparison)}


def _alone(table: ScoreTable, measure: str, means: Sequence[float]) -> dict[str, Any]:
    """Where nothing was tested: one run, or fewer than two topics."""
    known = [run for run, mean in enumerate(means) if not math.isnan(mean)]
    if not known:
        return {"headline": f"{measure} is not defined for any run.", "lead": [], "how": ""}
    best = max(known, key=lambda run: means[run])
    if len(means) == 1:
        headline = f"{table.runs[best]} reaches {measure} {means[best]:.4f}."
        return {"headline": headline, "lead": [["One run alone: there is nothing to compare.", 0]], "how": ""}
    return {
        "headline": f"{table.runs[best]} is first by {measure}, but nothing was tested.",
        "lead": [["Fewer than two topics have a score of every run.", 0]],
        "how": "",
    }


def _not_separated(comparison: dict[str, Any], run: int) -> list[int]:
    """The runs that no test separates from one."""
    pairs = comparison["pairs"]
    return [
        second if first == run else first
        for first, second, differs in zip(pairs["first"], pairs["second"], pairs["significant"], strict=True)
        if run in {first, second} and not differs
    ]


def _differ(pairs: int, different: int) -> str:
    if pairs == 1:
        return "The two differ." if different else "The two cannot be told apart."
    if different == pairs:
        return f"All {whole(pairs)} pairs differ."
    return f"{whole(different) if different else 'None'} of {whole(pairs)} pairs differ."


def _joined(names: Sequence[str]) -> str:
    if len(names) > _NAMED:
        return f"{', '.join(names[:2])} and {in_words(len(names) - 2)} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def places(numbers: Sequence[int]) -> str:
    """Places from 1 on, as said in a sentence.

    >>> places([1]), places([1, 2, 3]), places([1, 3, 4])
    ('place 2', 'places 2 to 4', 'places 2, 4 and 5')
    """
    shown = [str(number + 1) for number in numbers]
    if len(shown) == 1:
        return f"place {shown[0]}"
    if len(shown) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"places {shown[0]} to {shown[-1]}"
    if len(shown) > _NAMED:
        return f"places between {shown[0]} and {shown[-1]}"
    return f"places {', '.join(shown[:-1])} and {shown[-1]}"


def _better_than_the_rest(rest: int) -> str:
    if rest == 0:
        return ""
    if rest == 1:
        return "It is significantly better than the other one. "
    return f"It is significantly better than each of the {in_words(rest)} others. "


def _next_set(comparison: dict[str, Any], names: Sequence[str]) -> Lead:
    """The first set of runs that cannot be told apart, named."""
    if not comparison["alike"]:
        return []
    order = comparison["order"]
    found = sorted(order.index(run) for run in comparison["alike"][0])
    said = places(found)
    said = said[0].upper() + said[1:]
    if len(found) > _NAMED:
        return [(f"{said} cannot be told apart. ", 0)]
    *before, last = [names[place] for place in found]
    named: Lead = [(", ".join(before), 1), (" and ", 0), (last, 1)]
    return [(f"{said}, ", 0), *named, (", cannot be told apart. ", 0)]


def _how(comparison: dict[str, Any]) -> str:
    return (
        f"Paired bootstrap, {whole(SAMPLES)} samples, Benjamini\u2013Yekutieli over "
        f"{whole(comparison['tests'])} tests, \u03b1 {ALPHA}, {comparison['topics']} topics."
    )
