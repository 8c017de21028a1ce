"""Significance tests between runs, and verdicts in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from excerpt.evaluation.scoring import Progress
from excerpt.experiments.comparison import Comparison, compare
from excerpt.experiments.study import generator
from excerpt.model.spans import BoolArray, FloatArray
from excerpt.notices import Notices
from excerpt.scores.score_table import ScoreTable
from excerpt.stats.resampling import ScoreUnits, resampled_sums

SEED = 1
SAMPLES = 10_000
ALPHA = 0.05
TEST, CORRECTION = "bootstrap", "by"

#: Most steps of the search for sets; after that, only sets of consecutive runs are found.
_MOST_STEPS = 20_000


def compare_runs(table: ScoreTable, place: int, progress: Progress | None = None) -> Comparison | None:
    """Comparison of all pairs of runs by one measure; None for fewer than two runs or topics."""
    complete = ~np.isnan(table.values[:, :, place]).any(axis=0)
    if len(table.runs) < 2 or int(complete.sum()) < 2:
        return None
    how: dict[str, Any] = {"test": TEST, "correction": CORRECTION, "alpha": ALPHA, "samples": SAMPLES}
    how |= {"seed": SEED, "notices": Notices(), "progress": progress}
    comparison: Comparison = compare(table, [table.measures[place]], **how).details["comparisons"][0]
    return comparison


def comparison_by(table: ScoreTable, place: int, progress: Progress | None = None) -> dict[str, Any]:
    """Intervals of the means, comparison of all pairs and verdict by one measure."""
    compared = comparison_data(compare_runs(table, place, progress), table)
    intervals, words = mean_intervals(table, place), verdict(table, place, compared)
    return {"intervals": intervals, "comparisons": compared, "verdicts": words}


def comparison_data(comparison: Comparison | None, table: ScoreTable) -> dict[str, Any] | None:
    """Data of all pairs of runs as columns, the run with the higher mean first."""
    if comparison is None:
        return None
    order = [table.runs.index(run) for run in comparison.runs]
    above, below = np.triu_indices(len(order), 1)
    rejected = comparison.corrected.rejected
    either = (rejected | rejected.T)[above, below]
    effect = comparison.effects["effect"][above, below].tolist()
    numbers = np.array(order)
    return {
        "order": order,
        "alike": [[order[place] for place in places] for places in maximal_sets(~(rejected | rejected.T))],
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
        "tests": comparison.summary()["tests"],
        "sides": comparison.procedure["sides"],
        "count": len(above),
        "significant": int(either.sum()),
        "test": TEST,
        "correction": CORRECTION,
        "alpha": ALPHA,
        "samples": SAMPLES,
        "topics": comparison.procedure["topics"],
    }


def maximal_sets(together: BoolArray) -> list[list[int]]:
    """Maximal sets of two or more runs (by index) of which no pair differs, sorted by their first runs.

    >>> maximal_sets(np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], bool))
    [[0, 1], [1, 2]]
    """
    neighbours = [
        sum(1 << other for other in np.flatnonzero(row).tolist() if other != place)
        for place, row in enumerate(together)
    ]
    sets = _cliques(neighbours)
    return sorted(_neighbouring(together) if sets is None else sets)


def _cliques(neighbours: Sequence[int]) -> list[list[int]] | None:
    """All maximal cliques of two or more (Bron and Kerbosch with a pivot); None if there are too many."""
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
    """Maximal sets of consecutive runs of which no pair differs."""
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
    """95 % bootstrap interval of the mean of each run; None for fewer than two topics."""
    values = table.values[:, :, place]
    defined = ~np.isnan(values)
    if len(values) and (defined == defined[0]).all():
        return _intervals(values[:, defined[0]])
    return [_intervals(row[mask][None])[0] for row, mask in zip(values, defined, strict=True)]


def _intervals(scores: FloatArray) -> list[list[float] | None]:
    if scores.shape[1] < 2:
        return [None] * len(scores)
    units = ScoreUnits.of(scores)
    sums = resampled_sums(units, SAMPLES, generator(SEED))
    limits = np.quantile(sums, (ALPHA / 2, 1 - ALPHA / 2), axis=1) * (units.unit / scores.shape[1])
    return [[float(low), float(high)] for low, high in limits.T]


_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven")
#: Most runs that a sentence names.
_NAMED = 4

Lead = list[tuple[str, int]]


def whole(number: int) -> str:
    """An integer with narrow no-break spaces between thousands.

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
    """Data of a verdict: headline, lead (texts, strong or not) and test procedure."""
    means = table.means()[:, place].tolist()
    measure = table.measures[place]
    if comparison is None:
        return _untested(table, measure, means)
    order = comparison["order"]
    names = [table.runs[run] for run in order]
    similar = _not_different(comparison, order[0])
    equal = [run for run in order[1:] if means[run] == means[order[0]]]
    pairs, different = comparison["count"], comparison["significant"]
    differ = _differ(pairs, different)
    if equal:
        headline = f"{_joined([names[0], *(table.runs[run] for run in equal)])} share rank 1."
        lead: Lead = [(f"Their means are equal. {differ}", 0)]
    elif not similar:
        others = names[1] if len(names) == 2 else f"each of the {in_words(len(names) - 1)} other runs"
        headline = f"{names[0]} is significantly better than {others}."
        lead = [*_next_set(comparison, names), (differ, 0)] if pairs > 1 else []
    else:
        few = len(similar) < _NAMED
        others = _joined([table.runs[run] for run in similar]) if few else f"{in_words(len(similar))} runs"
        ranks = ranks_in_words([order.index(run) for run in similar])
        headline = f"{names[0]} is first, but not significantly different from {others} ({ranks})."
        better = _better_than_the_rest(len(order) - 1 - len(similar))
        lead = [(f"{better}{differ}" if pairs > 1 else "The difference may be due to chance.", 0)]
    return {"headline": headline, "lead": [list(part) for part in lead], "how": _how(comparison)}


def _untested(table: ScoreTable, measure: str, means: Sequence[float]) -> dict[str, Any]:
    """Verdict without a test: for one run, or fewer than two topics."""
    scored = [run for run, mean in enumerate(means) if not math.isnan(mean)]
    if not scored:
        return {"headline": f"{measure} is not defined for any run.", "lead": [], "how": ""}
    best = max(scored, key=lambda run: means[run])
    if len(means) == 1:
        headline = f"{table.runs[best]} reaches {measure} {means[best]:.4f}."
        return {"headline": headline, "lead": [["There is no other run to compare it with.", 0]], "how": ""}
    return {
        "headline": f"{table.runs[best]} has the highest {measure}, but no difference was tested.",
        "lead": [["Fewer than two topics have a score for every run.", 0]],
        "how": "",
    }


def _not_different(comparison: dict[str, Any], run: int) -> list[int]:
    """Runs that do not differ significantly from one run."""
    pairs = comparison["pairs"]
    return [
        second if first == run else first
        for first, second, differs in zip(pairs["first"], pairs["second"], pairs["significant"], strict=True)
        if run in {first, second} and not differs
    ]


def _differ(pairs: int, different: int) -> str:
    if pairs == 1:
        return f"The two runs {'differ' if different else 'do not differ'} significantly."
    if different == pairs:
        return f"All {whole(pairs)} pairs of runs differ significantly."
    count = whole(different) if different else "None"
    return f"{count} of {whole(pairs)} pairs of runs differ significantly."


def _joined(names: Sequence[str]) -> str:
    if len(names) > _NAMED:
        return f"{', '.join(names[:2])} and {in_words(len(names) - 2)} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def ranks_in_words(numbers: Sequence[int]) -> str:
    """Ranks of runs, counted from 1, in words.

    >>> ranks_in_words([1]), ranks_in_words([1, 2, 3]), ranks_in_words([1, 3, 4])
    ('rank 2', 'ranks 2 to 4', 'ranks 2, 4 and 5')
    """
    shown = [str(number + 1) for number in numbers]
    if len(shown) == 1:
        return f"rank {shown[0]}"
    if len(shown) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"ranks {shown[0]} to {shown[-1]}"
    if len(shown) > _NAMED:
        return f"ranks between {shown[0]} and {shown[-1]}"
    return f"ranks {', '.join(shown[:-1])} and {shown[-1]}"


def _better_than_the_rest(rest: int) -> str:
    if rest == 0:
        return ""
    if rest == 1:
        return "It is significantly better than the remaining run. "
    return f"It is significantly better than each of the {in_words(rest)} remaining runs. "


def _next_set(comparison: dict[str, Any], names: Sequence[str]) -> Lead:
    """Sentence on the first set of runs that do not differ significantly."""
    if not comparison["alike"]:
        return []
    order = comparison["order"]
    members = sorted(order.index(run) for run in comparison["alike"][0])
    ranks, end = ranks_in_words(members), "do not differ significantly from each other. "
    # Some runs between the first and the last rank may not be members.
    some = "between" in ranks
    runs = f"{in_words(len(members)).capitalize()} runs at {ranks}" if some else f"The runs at {ranks}"
    if len(members) > _NAMED:
        return [(f"{runs} {end}", 0)]
    *before, last = [names[place] for place in members]
    named: Lead = [(", ".join(before), 1), (" and ", 0), (last, 1)]
    return [(f"{runs}, ", 0), *named, (f", {end}", 0)]


def _how(comparison: dict[str, Any]) -> str:
    return (
        f"Paired bootstrap, {whole(SAMPLES)} samples, Benjamini\u2013Yekutieli over "
        f"{whole(comparison['tests'])} two-sided tests, \u03b1 {ALPHA}, {comparison['topics']} topics."
    )
