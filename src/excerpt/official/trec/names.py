"""Names of trec_eval's measures."""

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

#: What stands behind the point of a name: nothing, ranks, shares, numbers, or gains of grades.
Kind: TypeAlias = Literal["nothing", "ranks", "shares", "numbers", "pairs"]
#: How topics become one figure: their mean, sum or geometric mean, how many they are, or no figure at all.
Average: TypeAlias = Literal["mean", "sum", "geometric", "number", "none", "run"]


#: Numbers, or grades with their gains, that stand behind a name.
Given: TypeAlias = tuple[Any, ...]


class Sort(NamedTuple):
    """A measure of the tool: its parameters, and how it is computed of them."""

    kind: Kind = "nothing"
    default: Given = ()
    average: Average = "mean"
    compute: Callable[..., Any] = lambda ranked: np.ones(len(ranked.topics))


_RANKS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_SHARES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
_MULTIPLES = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)


def _persistence(given: Given) -> float:
    """The last that was given."""
    return float({"p": 0.9, **dict(given)}["p"])


#: Every measure that is computed here, in the order in which the tool prints them.
MEASURES = {
    "runid": Sort(average="run"),
    "num_q": Sort(average="number"),
    "num_ret": Sort(average="sum", compute=lambda ranked: ranked.returned),
    "num_rel": Sort(average="sum", compute=lambda ranked: ranked.total),
    "num_rel_ret": Sort(average="sum", compute=lambda ranked: ranked.retrieved),
    "map": Sort(compute=Rankings.average_precision),
    "gm_map": Sort(average="geometric", compute=figures.log_average_precision),
    "Rprec": Sort(compute=Rankings.r_precision),
    "bpref": Sort(compute=Rankings.bpref),
    "recip_rank": Sort(compute=Rankings.reciprocal_rank),
    "iprec_at_recall": Sort("shares", _SHARES, compute=lambda ranked, share: interpolated(ranked).at(share)),
    "P": Sort("ranks", _RANKS, compute=Rankings.precision),
    "relstring": Sort(
        "numbers", (10.0,), "none", lambda ranked, given: figures.relevance_string(ranked, *given)
    ),
    "recall": Sort("ranks", _RANKS, compute=Rankings.recall),
    "infAP": Sort(compute=figures.inferred_precision),
    "gm_bpref": Sort(average="geometric", compute=figures.log_bpref),
    "Rprec_mult": Sort("shares", _MULTIPLES, compute=figures.r_precision_at),
    "utility": Sort("numbers", (1.0, -1.0, 0.0, 0.0), compute=figures.utility),
    "11pt_avg": Sort("numbers", _SHARES, compute=lambda ranked, given: interpolated(ranked).mean(given)),
    "binG": Sort(compute=figures.binary_gain),
    "G": Sort("pairs", compute=lambda ranked, given: gained(ranked, given).cumulated()),
    "dcg": Sort("pairs", compute=lambda ranked, given: gained(ranked, given).discounted),
    "ideal_dcg": Sort("pairs", compute=lambda ranked, given: gained(ranked, given).best_discounted),
    "ndcg": Sort("pairs", compute=lambda ranked, given: gained(ranked, given).normalised()),
    "ndcg_rel": Sort("pairs", compute=lambda ranked, given: gained(ranked, given).at_relevant()),
    "Rndcg": Sort("pairs", compute=lambda ranked, given: gained(ranked, given).at_levels()),
    "ndcg_cut": Sort("ranks", _RANKS, compute=Rankings.normalised_gain),
    "map_cut": Sort("ranks", _RANKS, compute=Rankings.average_precision),
    "relative_P": Sort("ranks", _RANKS, compute=figures.relative_precision),
    "success": Sort("ranks", (1, 5, 10), compute=Rankings.success),
    "set_P": Sort(compute=Rankings.precision),
    "set_relative_P": Sort(
        compute=lambda ranked: ratio(ranked.retrieved, np.minimum(ranked.returned, ranked.total))
    ),
    "set_recall": Sort(compute=Rankings.recall),
    "set_map": Sort(compute=lambda ranked: ratio(ranked.retrieved**2, ranked.returned * ranked.total)),
    "set_F": Sort("numbers", (1.0,), compute=lambda ranked, given: figures.set_f(ranked, *given)),
    "num_nonrel_judged_ret": Sort(average="sum", compute=figures.irrelevant_returned),
    "yaap": Sort(compute=figures.smoothed_precision),
    "rbp": Sort("pairs", compute=lambda ranked, given: gained(ranked, given).biased(_persistence(given))),
    "rbp_resid": Sort(
        "pairs", compute=lambda ranked, given: figures.biased_residual(ranked, _persistence(given))
    ),
    "unj": Sort("ranks", (5, 10, 20), compute=figures.unjudged),
}

#: Several measures under one name.
SETS = {
    "official": (*list(MEASURES)[:12],),
    "all_trec": tuple(name for name in MEASURES if name not in {"dcg", "ideal_dcg", "yaap"}),
    "set": (
        *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "utility"),
        *("set_P", "set_recall", "set_relative_P", "set_map", "set_F"),
    ),
}
#: Beyond any rank or gain; ranks and sums stay whole numbers that can be counted.
_MOST = 1_000_000_000
_ELSEWHERE = re.compile(r"(all_)?prefs(_\w+)?|qrels_jg|\w+_avgjg")


class Asked(NamedTuple):
    """A measure with what stands behind its name; `text` is that as it was written, if anything was."""

    name: str
    given: Given
    text: str = ""

    @property
    def sort(self) -> Sort:
        """What kind of measure it is."""
        return MEASURES[self.name]

    def figures(self, ranked: Rankings) -> list[tuple[str, Any]]:
        """The names under which figures are printed, with a value for each topic."""
        sort = self.sort
        if sort.kind == "nothing":
            return [(self.name, sort.compute(ranked))]
        if sort.kind in {"ranks", "shares"}:
            shown = "{}_{}" if sort.kind == "ranks" else "{}_{:3.2f}"
            return [(shown.format(self.name, value), sort.compute(ranked, value)) for value in self.given]
        return [(f"{self.name}_{self.text}" if self.text else self.name, sort.compute(ranked, self.given))]


def ask(names: Iterable[str]) -> list[Asked]:
    """The measures of names, each once, in the order of printing; without names the official ones.

    >>> [(asked.name, asked.given) for asked in ask(["ndcg_cut.10,5", "map"])]
    [('map', ()), ('ndcg_cut', (5, 10))]
    """
    wanted: dict[str, str] = {}
    for given in tuple(names) or ("official",):
        name, point, text = given.partition(".")
        for one in SETS.get(name, (name,)):
            if one not in MEASURES:
                raise _unknown(given, name)
            if point and wanted.get(one):
                raise ExcerptError(
                    f"found {one}.{wanted[one]} and {given}, expected parameters once",
                    hint="write them with commas, as in P.5,10",
                )
            wanted[one] = text or wanted.get(one, "")
        if point and (not text or name in SETS or MEASURES[name].kind == "nothing"):
            raise ExcerptError(f"found {given!r} as measure, expected {name} without a point")
    return [_asked(name, wanted[name]) for name in MEASURES if name in wanted]


def _unknown(given: str, name: str) -> ExcerptError:
    if _ELSEWHERE.fullmatch(name):
        return ExcerptError(
            f"found measure {name} of trec_eval, which needs preferences or groups of judgments",
            hint="they are not read here; trec_eval itself computes it",
        )
    error = UnknownName("measure", given, {*MEASURES, *SETS})
    cut = re.fullmatch(r"(.+)_(\d+(?:\.\d+)?)", name)
    if cut and cut[1] in MEASURES:
        error.hint = f"trec_eval writes {cut[1]}.{cut[2]}"
    return error


def _asked(name: str, text: str) -> Asked:
    sort = MEASURES[name]
    if not text:
        return Asked(name, sort.default)
    parts = text.split(",")
    if sort.kind == "pairs":
        return Asked(name, tuple(_pair(name, part) for part in parts), text)
    if sort.kind == "numbers":
        given = tuple(_number(name, part) for part in parts)
        if name != "11pt_avg" and len(given) != len(sort.default):
            raise ExcerptError(f"found {text!r} behind {name}, expected {len(sort.default)} numbers")
        return Asked(name, given, text)
    numbers = sorted(_number(name, part) for part in parts)
    values = [int(number) for number in numbers] if sort.kind == "ranks" else numbers
    if len(set(values)) < len(values) or (sort.kind == "ranks" and values[0] < 1):
        what = "ranks from 1 on" if sort.kind == "ranks" else "numbers"
        raise ExcerptError(f"found {text!r} behind {name}, expected different {what}")
    return Asked(name, tuple(values))


def _pair(name: str, text: str) -> tuple[str, float]:
    key, equals, value = text.partition("=")
    if not equals:
        raise ExcerptError(f"found {text!r} behind {name}, expected pairs such as 1=3.5 with commas")
    number = _number(name, value)
    if key == "p" and not 0 <= number <= 1:
        raise ExcerptError(f"found {short(text)!r} behind {name}, expected a probability from 0 to 1")
    return key, number


def _number(name: str, text: str) -> float:
    value = decimal(text.strip())
    if not abs(value) <= _MOST:
        most = f" up to {_MOST}" if math.isfinite(value) else ""
        raise ExcerptError(f"found {short(text)!r} behind {name}, expected a number{most}")
    return value
