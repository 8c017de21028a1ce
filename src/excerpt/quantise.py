"""Quantisations of INEX 2002 to 2006: the gain of an element from its grades.

A quantisation is a small function of one assessed element's grades, with exact values. The function of a name
depends on the scale of the judgments. References: Gövert & Kazai (2002) for relevance and coverage;
Ogilvie & Lalmas (CIKM 2006), tables 1 and 2, for exhaustivity and specificity; Lalmas et al. (INEX 2006) for
highlighted text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from numbers import Rational
from typing import NamedTuple, TypeAlias

import numpy as np

from excerpt.errors import ExcerptError, UnknownName
from excerpt.files import Input, display_name, read_bytes
from excerpt.model.elements import TOO_SMALL, GradedElements
from excerpt.model.join import clear_caches
from excerpt.model.judgments import Scale
from excerpt.model.spans import IntArray

#: Exhaustivity (relevance in 2002) and specificity of an element; `?` is -1. Coverage N, S, L, E is 0 to 3.
Function: TypeAlias = Callable[[int, Fraction], Fraction]


class Gains(NamedTuple):
    """Exact quantised values: numerators and denominators."""

    numerator: IntArray
    denominator: IntArray


@dataclass(frozen=True)
class Quantisation:
    """A named function for one scale."""

    name: str
    scale: Scale
    description: str
    function: Function
    #: For a weight per exhaustivity times specificity: the weights, and whether only s = 1 counts.
    weights: tuple[dict[int, int], bool] | None = None


_registry: dict[tuple[Scale, str], Quantisation] = {}
_GRADES: Scale = "exhaustivity and specificity"
_COVERAGE: Scale = "relevance and coverage"
_PROPORTION: Scale = "exhaustivity 0-2"
_TEXT: Scale = "highlights"
_COVERAGES = "NSLE"
_SECOND = {grade: number % 4 for number, grade in enumerate(f"{_COVERAGES}0123")}
_LARGEST = 2**31


def register(name: str, scale: Scale, description: str) -> Callable[[Function], Function]:
    """Register a function as the quantisation of a name and scale."""

    def keep(function: Function) -> Function:
        if (scale, name) in _registry:  # such as when a notebook's cell is run again
            clear_caches()
        _registry[scale, name] = Quantisation(name, scale, description, function)
        return function

    return keep


def _table(name: str, scale: Scale, description: str, values: Mapping[str, str]) -> None:
    """Register a quantisation from its values, each with pairs of grades such as 3E or 32."""
    register(name, scale, description)(
        _GradeTable.of({pair: value for value, pairs in values.items() for pair in pairs.split()})
    )


@dataclass(frozen=True)
class _GradeTable:
    """A table as a function; unlike a nested function it can be sent to other processes."""

    values: dict[tuple[int, int], Fraction]

    @classmethod
    def of(cls, values: Mapping[str, str]) -> _GradeTable:
        """Return the function of a table of values by pair of grades, such as 3E or 32."""
        return cls({(int(pair[0]), _SECOND[pair[1]]): Fraction(value) for pair, value in values.items()})

    def __call__(self, e: int, s: Fraction) -> Fraction:
        return self.values.get((e, int(s)), Fraction(0))


@dataclass(frozen=True)
class _Weights:
    """Weights of exhaustivity as a function: times specificity, or only for fully highlighted elements."""

    values: dict[int, Fraction]
    fully_specific: bool

    @classmethod
    def of(cls, values: Mapping[str, str], fully_specific: bool) -> _Weights:
        """Return the function of weights by grade, such as 2 or ?."""
        by = {TOO_SMALL if grade == "?" else int(grade): Fraction(value) for grade, value in values.items()}
        return cls(by, fully_specific)

    def __call__(self, e: int, s: Fraction) -> Fraction:
        return self.values.get(e, Fraction(0)) * (Fraction(s == 1) if self.fully_specific else s)


_table("strict", _COVERAGE, "1 for 3E", {"1": "3E"})
_table(
    "generalised",
    _COVERAGE,
    "3E 1; 2E, 3L 0.75; 1E, 2L, 2S 0.5; 1S, 1L 0.25",
    {"1": "3E", "0.75": "2E 3L", "0.5": "1E 2L 2S", "0.25": "1S 1L"},
)
_table("strict", _GRADES, "1 for e = 3 and s = 3", {"1": "33"})
_table(
    "generalised",
    _GRADES,
    "33 1; 23, 32, 31 0.75; 13, 22, 21 0.5; 12, 11 0.25",
    {"1": "33", "0.75": "23 32 31", "0.5": "13 22 21", "0.25": "12 11"},
)
_table(
    "sog",
    _GRADES,
    "specificity-oriented: 33 1; 23 0.9; 13, 32 0.75; 22 0.5; 12, 31 0.25; 21, 11 0.1",
    {"1": "33", "0.9": "23", "0.75": "13 32", "0.5": "22", "0.25": "12 31", "0.1": "21 11"},
)
_table("any_relevant", _GRADES, "1 for e > 0 and s > 0", {"1": "11 12 13 21 22 23 31 32 33"})
_table("e3_s32", _GRADES, "1 for e = 3 and s in 3, 2", {"1": "33 32"})
_table("e3_s321", _GRADES, "1 for e = 3 and s in 3, 2, 1", {"1": "33 32 31"})
_table("s3_e32", _GRADES, "1 for s = 3 and e in 3, 2", {"1": "33 23"})
_table("s3_e321", _GRADES, "1 for s = 3 and e in 3, 2, 1", {"1": "33 23 13"})


def _weigh(
    name: str, scale: Scale, description: str, *, by: Mapping[int, int], fully_specific: bool = False
) -> None:
    """Register a weight per exhaustivity, times specificity or only for fully highlighted elements."""
    function = _Weights({e: Fraction(weight) for e, weight in by.items()}, fully_specific)
    _registry[scale, name] = Quantisation(name, scale, description, function, (dict(by), fully_specific))


_ANY = {TOO_SMALL: 1, 0: 1, 1: 1, 2: 1}
_weigh("strict", _PROPORTION, "1 for e = 2 and s = 1", by={2: 1}, fully_specific=True)
_weigh("fully_specific", _PROPORTION, "1 for s = 1", by=_ANY, fully_specific=True)
_weigh("generalised", _PROPORTION, "e times s; 0 for ?", by={1: 1, 2: 2})
_weigh("generalised_lifted", _PROPORTION, "(e + 1) times s; s for ?", by={TOO_SMALL: 1, 1: 2, 2: 3})
_weigh("binary_exhaustivity", _PROPORTION, "s for e in ?, 1, 2", by={TOO_SMALL: 1, 1: 1, 2: 1})
_weigh("binary_exhaustivity_zero", _PROPORTION, "s for e in 1, 2; 0 for ?", by={1: 1, 2: 1})
_weigh("specificity", _TEXT, "the proportion of highlighted text", by=_ANY)
_weigh("strict", _TEXT, "1 if all text is highlighted", by=_ANY, fully_specific=True)

_DEFAULTS: dict[Scale, str] = {_TEXT: "specificity"}


def default(scale: Scale) -> str:
    """Return the name of the default quantisation of a scale."""
    return _DEFAULTS.get(scale, "generalised")


_packaged = set(_registry)  # quantisations of packages, which every process can import


@cache
def _load_others() -> None:
    """Import the quantisations of other packages (entry-point group `excerpt.quantisations`)."""
    from importlib.metadata import entry_points

    before = set(_registry)
    for entry in entry_points(group="excerpt.quantisations"):
        entry.load()
    _packaged.update(_registry.keys() - before)


def registered_here() -> tuple[Quantisation, ...]:
    """Return the quantisations that a script registered in this process."""
    return tuple(quantisation for key, quantisation in _registry.items() if key not in _packaged)


def adopt(others: tuple[Quantisation, ...]) -> None:
    """Register quantisations of another process in this one."""
    for other in others:
        _registry[other.scale, other.name] = other


def quantisations() -> list[Quantisation]:
    """Return every registered quantisation, by scale."""
    _load_others()
    return list(_registry.values())


def find(name: str | None, scale: Scale, own: Iterable[Quantisation] = ()) -> Quantisation:
    """Return the quantisation of a name and scale, from the caller's `own` or from the registry."""
    chosen = name or default(scale)
    mine = {other.name: other for other in own if other.scale == scale}
    if chosen not in mine and (scale, chosen) not in _registry:
        _load_others()
    if chosen not in mine and (scale, chosen) not in _registry:
        known = [*mine, *(other for of, other in _registry if of == scale)]
        raise UnknownName(f"quantisation for judgments of {scale}", chosen, known)
    return mine.get(chosen) or _registry[scale, chosen]


def gains(quantisation: Quantisation, elements: GradedElements) -> Gains:
    """Return the exact gain of every assessed element."""
    numerator, denominator = _specificity(quantisation.scale, elements)
    if quantisation.weights is not None:
        by, fully_specific = quantisation.weights
        weight = np.array([by.get(e, 0) for e in range(TOO_SMALL, 4)], np.int64)[
            elements.exhaustivity - TOO_SMALL
        ]
        if fully_specific:
            return Gains(weight * (numerator == denominator), np.ones(len(elements), np.int64))
        return Gains(weight * numerator, denominator)
    return _one_by_one(quantisation, elements.exhaustivity, numerator, denominator)


def _specificity(scale: Scale, elements: GradedElements) -> Gains:
    """Return specificity as an exact fraction: a grade, or the proportion of highlighted text."""
    if scale in {_COVERAGE, _GRADES}:
        return Gains(np.maximum(elements.specificity, 0), np.ones(len(elements), np.int64))
    size = np.maximum(elements.size, 1)
    divisor = np.maximum(np.gcd(elements.relevant, size), 1)
    return Gains(elements.relevant // divisor, size // divisor)


def _one_by_one(
    quantisation: Quantisation, exhaustivity: IntArray, numerator: IntArray, denominator: IntArray
) -> Gains:
    """Call a function once for each combination of grades."""
    known: dict[tuple[int, int, int], Fraction] = {}
    values = []
    for key in zip(exhaustivity.tolist(), numerator.tolist(), denominator.tolist(), strict=True):
        if key not in known:
            known[key] = _check_value(quantisation, key[0], Fraction(key[1], key[2]))
        values.append(known[key])
    return Gains(
        np.array([value.numerator for value in values], np.int64),
        np.array([value.denominator for value in values], np.int64),
    )


def _check_value(quantisation: Quantisation, e: int, s: Fraction) -> Fraction:
    """Return the value of a function for grades; raise an error if it cannot be a gain.

    Floating-point numbers become the nearest fraction with a denominator below 2**20, so that gains can
    be added and compared exactly.
    """
    value = quantisation.function(e, s)
    if isinstance(value, float) and math.isfinite(value) and 0 <= value < _LARGEST:
        value = Fraction(value).limit_denominator(1 << 20)
    is_gain = isinstance(value, Rational) and 0 <= value < _LARGEST and value.denominator < _LARGEST
    if not is_gain or isinstance(value, bool):
        raise ExcerptError(
            f"found {value!r} from quantisation {quantisation.name} for grades {e} and {s}, "
            "expected a number of at least 0, or a Fraction"
        )
    return Fraction(value)


def read_quantisations(source: Input) -> tuple[Quantisation, ...]:
    """Read quantisations from a TOML file, its bytes, or an open file, without registering them.

    A table is `[name]`, `scale = "…"`, `values = {"33" = 1, "32" = 0.75}`. For the scale `exhaustivity 0-2`
    the values are weights of exhaustivity, `{"2" = 1, "?" = 0.5}`, times the highlighted proportion of an
    element; with `fully_specific = true` only elements that are highlighted as a whole count.
    """
    import tomllib

    path = display_name(source)
    try:
        tables = tomllib.loads(read_bytes(source).decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise ExcerptError(f"not valid TOML: {str(error)[:100]}", path=path) from None
    return tuple(_from_toml(name, table, path) for name, table in tables.items())


#: Scales of tables: the pattern and an example of a grade or pair of grades.
_KEYS: dict[Scale, tuple[str, str]] = {
    _PROPORTION: (r"[012?]", "an exhaustivity such as 2 or ?"),
    _GRADES: (r"[0-3][0-3]", "a pair of grades such as 33"),
    _COVERAGE: (rf"[0-3][{_COVERAGES}]", "a pair of grades such as 3E"),
}


def _from_toml(name: str, table: object, path: str) -> Quantisation:
    scale = table.get("scale") if isinstance(table, dict) else None
    values = table.get("values") if isinstance(table, dict) else None
    if not isinstance(table, dict) or scale not in [*_KEYS] or not isinstance(values, dict):
        raise ExcerptError(
            f"[{name}] needs a scale ({', '.join(_KEYS)}) and values such as "
            '{"33" = 1, "32" = 0.75}, or {"2" = 1, "?" = 0.5} for exhaustivity 0-2',
            path=path,
        )
    if any(known.name == name and known.scale == scale for known in quantisations()):
        raise ExcerptError(f"found [{name}], expected a name that is not in use", path=path)
    pattern, example = _KEYS[scale]
    for key, value in values.items():
        if not re.fullmatch(pattern, key) or not _is_value(value):
            message = f"found {key} = {value} in [{name}], expected {example} and a number of at least 0"
            raise ExcerptError(message, path=path)
    full = table.get("fully_specific", False)
    if not isinstance(full, bool):
        raise ExcerptError(f"found fully_specific = {full} in [{name}], expected true or false", path=path)
    if full and scale != _PROPORTION:
        raise ExcerptError(f"fully_specific of [{name}] needs the scale {_PROPORTION}", path=path)
    for key in sorted(table.keys() - {"scale", "values", "fully_specific"}) if scale == _PROPORTION else ():
        raise ExcerptError(f"found {key} in [{name}], expected scale, values or fully_specific", path=path)
    given = {key: str(value) for key, value in values.items()}
    function = _Weights.of(given, full) if scale == _PROPORTION else _GradeTable.of(given)
    return Quantisation(name, scale, f"from {path}", function)


def _is_value(value: object) -> bool:
    """Return whether a value of a table is a number whose fraction fits into the columns of gains."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return False
    if not re.fullmatch(r"\d{1,12}(\.\d{1,12})?(/[1-9]\d{0,11})?|\d\.?\d{0,11}e-\d", str(value), re.ASCII):
        return False
    number = Fraction(str(value))
    return number < _LARGEST and number.denominator < _LARGEST
