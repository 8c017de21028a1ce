"""Names, parameters and definitions of trec_eval's measures."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from excerpt.errors import ExcerptError, UnknownName, short
from excerpt.formats.text.columns import decimal
from excerpt.model.rankings import Rankings, ratio
from excerpt.official.trec import figures
from excerpt.official.trec.figures import gained, interpolated

#: Kinds of parameters after the point of a name: none, ranks, proportions, numbers, or gains of grades.
ParameterKind: TypeAlias = Literal["nothing", "ranks", "shares", "numbers", "pairs"]
#: Summary over topics: their mean, sum or geometric mean, their number, none, or the run's id.
Average: TypeAlias = Literal["mean", "sum", "geometric", "number", "none", "run"]

Parameters: TypeAlias = tuple[Any, ...]  # numbers, or grades with their gains, after the point of a name
_RANKS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_SHARES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
_MULTIPLES = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)


class Definition(NamedTuple):
    """A measure of the tool: its parameters, its summary over topics, and the function that computes it."""

    kind: ParameterKind = "nothing"
    default: Parameters = ()
    average: Average = "mean"
    compute: Callable[..., Any] = lambda ranked: np.ones(len(ranked.topics))


def _persistence(pairs: Parameters) -> float:
    """Persistence p among the parameters; the last one counts."""
    return float({"p": 0.9, **dict(pairs)}["p"])


#: Measures in the order in which the tool prints them.
MEASURES = {
    "runid": Definition(average="run"),
    "num_q": Definition(average="number"),
    "num_ret": Definition(average="sum", compute=lambda ranked: ranked.returned),
    "num_rel": Definition(average="sum", compute=lambda ranked: ranked.total),
    "num_rel_ret": Definition(average="sum", compute=lambda ranked: ranked.retrieved),
    "map": Definition(compute=Rankings.average_precision),
    "gm_map": Definition(
        average="geometric", compute=lambda ranked: figures.logarithm(ranked.average_precision())
    ),
    "Rprec": Definition(compute=Rankings.r_precision),
    "bpref": Definition(compute=Rankings.bpref),
    "recip_rank": Definition(compute=Rankings.reciprocal_rank),
    "iprec_at_recall": Definition(
        "shares", _SHARES, compute=lambda ranked, share: interpolated(ranked).at(share)
    ),
    "P": Definition("ranks", _RANKS, compute=Rankings.precision),
    "relstring": Definition(
        "numbers", (10.0,), "none", lambda ranked, length: figures.relevance_string(ranked, *length)
    ),
    "recall": Definition("ranks", _RANKS, compute=Rankings.recall),
    "infAP": Definition(compute=figures.inferred_precision),
    "gm_bpref": Definition(average="geometric", compute=lambda ranked: figures.logarithm(ranked.bpref())),
    "Rprec_mult": Definition("shares", _MULTIPLES, compute=figures.r_precision_at),
    "utility": Definition("numbers", (1.0, -1.0, 0.0, 0.0), compute=figures.utility),
    "11pt_avg": Definition(
        "numbers", _SHARES, compute=lambda ranked, recalls: interpolated(ranked).mean(recalls)
    ),
    "binG": Definition(compute=figures.binary_gain),
    "G": Definition("pairs", compute=lambda ranked, gains: gained(ranked, gains).cumulated()),
    "dcg": Definition("pairs", compute=lambda ranked, gains: gained(ranked, gains).discounted),
    "ideal_dcg": Definition("pairs", compute=lambda ranked, gains: gained(ranked, gains).best_discounted),
    "ndcg": Definition("pairs", compute=lambda ranked, gains: gained(ranked, gains).normalised()),
    "ndcg_rel": Definition("pairs", compute=lambda ranked, gains: gained(ranked, gains).at_relevant()),
    "Rndcg": Definition("pairs", compute=lambda ranked, gains: gained(ranked, gains).at_levels()),
    "ndcg_cut": Definition("ranks", _RANKS, compute=Rankings.normalised_gain),
    "map_cut": Definition("ranks", _RANKS, compute=Rankings.average_precision),
    "relative_P": Definition(
        "ranks",
        _RANKS,
        compute=lambda ranked, k: ratio(ranked.until(ranked.relevant, k), np.minimum(ranked.total, k)),
    ),
    "success": Definition("ranks", (1, 5, 10), compute=Rankings.success),
    "set_P": Definition(compute=Rankings.precision),
    "set_relative_P": Definition(
        compute=lambda ranked: ratio(ranked.retrieved, np.minimum(ranked.returned, ranked.total))
    ),
    "set_recall": Definition(compute=Rankings.recall),
    "set_map": Definition(compute=lambda ranked: ratio(ranked.retrieved**2, ranked.returned * ranked.total)),
    "set_F": Definition("numbers", (1.0,), compute=lambda ranked, weight: figures.set_f(ranked, *weight)),
    "num_nonrel_judged_ret": Definition(
        average="sum", compute=lambda ranked: ranked.count(ranked.topic[ranked.grade >= 0]) - ranked.retrieved
    ),
    "yaap": Definition(compute=figures.smoothed_precision),
    "rbp": Definition(
        "pairs", compute=lambda ranked, gains: gained(ranked, gains).biased(_persistence(gains))
    ),
    "rbp_resid": Definition(
        "pairs", compute=lambda ranked, gains: figures.biased_residual(ranked, _persistence(gains))
    ),
    "unj": Definition(
        "ranks", (5, 10, 20), compute=lambda ranked, k: np.asarray(ranked.until(ranked.grade < 0, k) / k)
    ),
}

#: Sets of measures by name.
SETS = {
    "official": (*list(MEASURES)[:12],),
    "all_trec": tuple(name for name in MEASURES if name not in {"dcg", "ideal_dcg", "yaap"}),
    "set": (
        *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "utility"),
        *("set_P", "set_recall", "set_relative_P", "set_map", "set_F"),
    ),
}
_MOST = 1_000_000_000  # largest rank or gain, so that ranks and sums stay exact
_UNSUPPORTED = re.compile(r"(all_)?prefs(_\w+)?|qrels_jg|\w+_avgjg")


class SelectedMeasure(NamedTuple):
    """A measure with its parameters; `text` are the parameters as they were written, if any."""

    name: str
    parameters: Parameters
    text: str = ""

    @property
    def definition(self) -> Definition:
        """Definition of the measure."""
        return MEASURES[self.name]

    def values(self, ranked: Rankings) -> list[tuple[str, Any]]:
        """Printed names, each with a value for each topic."""
        kind, compute = self.definition.kind, self.definition.compute
        if kind == "nothing":
            return [(self.name, compute(ranked))]
        if kind in {"ranks", "shares"}:
            shown = "{}_{}" if kind == "ranks" else "{}_{:3.2f}"
            return [(shown.format(self.name, value), compute(ranked, value)) for value in self.parameters]
        return [(f"{self.name}_{self.text}" if self.text else self.name, compute(ranked, self.parameters))]


def ask(names: Iterable[str]) -> list[SelectedMeasure]:
    """Parse names of measures; return each measure once, in the order of printing (default: official).

    >>> [(measure.name, measure.parameters) for measure in ask(["ndcg_cut.10,5", "map"])]
    [('map', ()), ('ndcg_cut', (5, 10))]
    """
    texts: dict[str, str] = {}
    for full in tuple(names) or ("official",):
        name, point, text = full.partition(".")
        for one in SETS.get(name, (name,)):
            if one not in MEASURES:
                raise _unknown(full, name)
            if point and texts.get(one):
                raise ExcerptError(
                    f"found {one}.{texts[one]} and {full}, expected parameters once",
                    hint="separate parameters by commas, as in P.5,10",
                )
            texts[one] = text or texts.get(one, "")
        if point and (not text or name in SETS or MEASURES[name].kind == "nothing"):
            raise ExcerptError(f"found {full!r} as measure, expected {name} without a point")
    return [_select(name, texts[name]) for name in MEASURES if name in texts]


def _unknown(full: str, name: str) -> ExcerptError:
    if _UNSUPPORTED.fullmatch(name):
        return ExcerptError(
            f"trec_eval's {name} needs preferences or groups of judgments, which excerpt does not read",
            hint="use trec_eval itself",
        )
    error = UnknownName("measure", full, {*MEASURES, *SETS})
    cut = re.fullmatch(r"(.+)_(\d+(?:\.\d+)?)", name)
    if cut and cut[1] in MEASURES:
        error.hint = f"trec_eval writes {cut[1]}.{cut[2]}"
    return error


def _select(name: str, text: str) -> SelectedMeasure:
    kind, default = MEASURES[name].kind, MEASURES[name].default
    if not text:
        return SelectedMeasure(name, default)
    parts = text.split(",")
    if kind == "pairs":
        return SelectedMeasure(name, tuple(_pair(name, part) for part in parts), text)
    if kind == "numbers":
        parameters = tuple(_number(name, part) for part in parts)
        if name != "11pt_avg" and len(parameters) != len(default):
            raise ExcerptError(f"found {text!r} after {name}, expected {len(default)} numbers")
        return SelectedMeasure(name, parameters, text)
    numbers = sorted(_number(name, part) for part in parts)
    values = [int(number) for number in numbers] if kind == "ranks" else numbers
    if len(set(values)) < len(values) or (kind == "ranks" and values[0] < 1):
        what = "ranks from 1" if kind == "ranks" else "numbers"
        raise ExcerptError(f"found {text!r} after {name}, expected different {what}")
    return SelectedMeasure(name, tuple(values))


def _pair(name: str, text: str) -> tuple[str, float]:
    key, equals, value = text.partition("=")
    if not equals:
        raise ExcerptError(f"found {text!r} after {name}, expected pairs such as 1=3.5, separated by commas")
    number = _number(name, value)
    if key == "p" and not 0 <= number <= 1:
        raise ExcerptError(f"found {short(text)!r} after {name}, expected a probability from 0 to 1")
    return key, number


def _number(name: str, text: str) -> float:
    value = decimal(text.strip())
    if not abs(value) <= _MOST:
        most = f" up to {_MOST}" if math.isfinite(value) else ""
        raise ExcerptError(f"found {short(text)!r} after {name}, expected a number{most}")
    return value
