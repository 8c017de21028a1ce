"""A measure is a value: a name, parameters and a function from a joined run to one score per topic.

Names are written `Name(key=value, …)[cut-off]` or `Name(key=value, …)@cut-off`; parsing and printing are
inverse. A new measure is one class in one file of this folder; other packages offer theirs through the
entry-point group `excerpt.measures`.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from typing import Any, ClassVar, Literal, TypeAlias

from excerpt.errors import ExcerptError, UnknownName
from excerpt.model.joined import Joined
from excerpt.model.samples import Samples
from excerpt.model.spans import MAX_OFFSET, FloatArray

#: What a measure may need: of the run text spans, entry points or element paths; of the judgments highlighted
#: text, lengths of documents, best entry points, graded elements, or the mean length of all documents.
Need: TypeAlias = Literal[
    "spans",
    "entry points",
    "element paths",
    "highlights",
    "document lengths",
    "judged entry points",
    "graded elements",
    "element sizes",
    "mean document length",
]

_registry: dict[str, type[Measure]] = {}


@dataclasses.dataclass(frozen=True)
class Parameter:
    """How a parameter is read from text and printed, and which values it takes."""

    parse: Callable[[str], Any]
    show: Callable[[Any], str]
    values: str
    cutoff: bool = False
    example: str = ""


def parameter(kind: Parameter, default: Any) -> Any:
    """A field of a measure; `default=None` for a cut-off means "the whole list"."""
    return dataclasses.field(default=default, metadata={"parameter": kind})


def required(kind: Parameter) -> Any:
    """A field of a measure that has no default."""
    return dataclasses.field(kw_only=True, metadata={"parameter": kind})


@dataclasses.dataclass(frozen=True)
class Measure(ABC):
    """A measure with its parameters; `str(measure)` is its name and `parse` reads it back."""

    name: ClassVar[str] = ""
    #: The customary name of the mean over topics, where it has one.
    mean_name: ClassVar[str | None] = None
    reference: ClassVar[str] = ""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls.__dict__.get("name"):
            for name in filter(None, (cls.name, cls.mean_name)):
                _registry[name] = cls

    def __post_init__(self) -> None:
        for field, kind in parameters(type(self)):
            value = getattr(self, field.name)
            if value is None and field.default is None:
                continue
            text = str(value).lower() if isinstance(value, bool) else str(value)
            object.__setattr__(self, field.name, _read(type(self), field.name, kind, text))

    @property
    def needs(self) -> frozenset[Need]:
        """What the run and the judgments must have."""
        return frozenset({"spans", "highlights"})

    @abstractmethod
    def scores(self, joined: Joined) -> FloatArray:
        """One score per judged topic; what it says of topics without relevant text is not used."""

    def sample_scores(self, samples: Samples) -> FloatArray | None:  # noqa: ARG002
        """By sample and topic, the `scores` beside each sample of the judgments, all counted together.

        None from measures that are asked for the scores of one sample after the other.
        """
        return None

    def __str__(self) -> str:
        cutoff, shown = "", []
        for field, kind in parameters(type(self)):
            value = getattr(self, field.name)
            if kind.cutoff:
                cutoff = "" if value is None else f"[{kind.show(value)}]"
            elif value != _default(type(self), field):
                shown.append(f"{field.name}={kind.show(value)}")
        return self.name + (f"({', '.join(shown)})" if shown else "") + cutoff


def parameters(measure: type[Measure]) -> Iterator[tuple[dataclasses.Field[Any], Parameter]]:
    """The parameters of a measure, with how each is read and printed."""
    for field in dataclasses.fields(measure):
        yield field, field.metadata["parameter"]


def _default(measure: type[Measure], field: dataclasses.Field[Any]) -> Any:
    kind: Parameter = field.metadata["parameter"]
    if field.default is None or field.default is dataclasses.MISSING:
        return field.default
    return _read(measure, field.name, kind, str(field.default).lower())


def _read(measure: type[Measure], name: str, kind: Parameter, text: str) -> Any:
    try:
        return kind.parse(text)
    except (ValueError, ZeroDivisionError):
        what = "cut-off" if kind.cutoff else f"parameter {name}"
        raise ExcerptError(f"found {text!r} as {what} of {measure.name}, expected {kind.values}") from None


def decimal(text: str) -> Fraction:
    """A decimal number or a fraction, exactly; an error for anything else, however Python would read it."""
    if not re.fullmatch(r"[+-]?\d*\.?\d*(?:[eE][+-]?\d{1,2})?(?:/\d+)?", text.strip(), re.ASCII):
        raise ValueError(text)
    return Fraction(text.strip())


def show_decimal(value: Fraction, places: int = 0) -> str:
    """A fraction as a decimal number with at least so many places, exactly, else as numerator/denominator."""
    rest, digits = value.denominator, 0
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest != 1:
        return str(value)
    while (value * 10**digits).denominator != 1:
        digits += 1
    digits = max(digits, places)
    whole = str(abs(int(value * 10**digits))).rjust(digits + 1, "0")
    sign = "-" if value < 0 else ""
    return sign + (whole if not digits else f"{whole[:-digits]}.{whole[-digits:]}")


def _share(text: str) -> Fraction:
    value = decimal(text)
    if not 0 <= value <= 1:
        raise ValueError(text)
    return value


def _positive_share(text: str) -> Fraction:
    value = _share(text)
    if not value:
        raise ValueError(text)
    return value


def _word(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z_][\w-]*", text):
        raise ValueError(text)
    return text


def _positive(text: str) -> int:
    value = int(text) if text.isascii() and text.isdecimal() else 0
    if not 1 <= value <= MAX_OFFSET:
        raise ValueError(text)
    return value


def _positive_number(text: str) -> Fraction:
    value = decimal(text)
    if value <= 0:
        raise ValueError(text)
    return value


def _not_negative(text: str) -> Fraction:
    value = decimal(text)
    if value < 0:
        raise ValueError(text)
    return value


def _truth(text: str) -> bool:
    return {"true": True, "false": False}[text.lower()] if text.lower() in {"true", "false"} else _bad(text)


def _bad(text: str) -> Any:
    raise ValueError(text)


def choice(*values: str) -> Parameter:
    """A parameter that takes one of a few words, in any case."""
    known = {value.lower(): value for value in values}
    return Parameter(lambda text: known.get(text.lower()) or _bad(text), str, " or ".join(values))


RECALL_LEVEL = Parameter(
    _share, lambda value: show_decimal(value, 2), "a number from 0.00 to 1.00", True, "0.01"
)
POSITIVE_LEVEL = Parameter(
    _positive_share, lambda value: show_decimal(value, 2), "a number above 0.00, up to 1.00", True, "0.10"
)
QUANTISATION = Parameter(_word, str, "the name of a quantisation (see excerpt quantisations)")
LENGTH = Parameter(_positive_number, show_decimal, "a number above 0")
RANK = Parameter(_positive, str, f"a rank from 1 to {MAX_OFFSET}", True, "10")
COUNT = Parameter(_positive, str, f"a whole number from 1 to {MAX_OFFSET}")
WEIGHT = Parameter(_not_negative, show_decimal, "a number of at least 0")
TRUTH = Parameter(_truth, lambda value: str(value).lower(), "true or false")

_GRAMMAR = re.compile(
    r"\s*(?P<name>\w+)\s*(?:\((?P<parameters>[^()]*)\))?\s*(?:\[(?P<bracket>[^\[\]]*)\]|@(?P<at>\S+))?\s*"
)


def parse(text: str) -> Measure:
    """The measure that a name stands for.

    >>> from excerpt.measures import parse
    >>> print(parse("iP@0.1"), parse("MAgP(beta=0.25)"), parse("gP(score=T2I)[10]"))
    iP[0.10] AgP(beta=0.25) gP(score=T2I)[10]
    """
    match = _GRAMMAR.fullmatch(text)
    if not match:
        raise ExcerptError(
            f"found {text!r}, expected a measure such as iP[0.01], iP@0.01, MAiP or AgP(beta=0.25)",
            hint="excerpt measures lists them",
        )
    measure = _find(match["name"])
    return _make(measure, _arguments(measure, match))


def _find(name: str) -> type[Measure]:
    for module in _families():
        if name in _registry:
            break
        importlib.import_module(module)
    known = _registry if name in _registry else registry()
    if name not in known:
        raise UnknownName("measure", name, known)
    return known[name]


def _arguments(measure: type[Measure], match: re.Match[str]) -> dict[str, str]:
    kinds = {field.name: kind for field, kind in parameters(measure)}
    given: dict[str, str] = {}
    for item in filter(str.strip, (match["parameters"] or "").split(",")):
        key, equals, value = (part.strip() for part in item.partition("="))
        if not equals:
            raise ExcerptError(f"found {item.strip()!r} in {match[0]!r}, expected key=value")
        names = [name for name, kind in kinds.items() if not kind.cutoff]
        if key not in names:
            raise UnknownName(f"parameter of {measure.name}", key, names)
        if key in given:
            raise ExcerptError(f"found {key} twice in {match[0]!r}, expected it once")
        given[key] = value
    cutoff = match["bracket"] if match["bracket"] is not None else match["at"]
    if cutoff is not None:
        field = next((name for name, kind in kinds.items() if kind.cutoff), None)
        if field is None:
            raise ExcerptError(
                f"found cut-off {cutoff!r}, but {measure.name} has none", hint=f"try {measure.name}"
            )
        given[field] = cutoff.strip()
    return given


def _make(measure: type[Measure], given: dict[str, str]) -> Measure:
    for field, kind in parameters(measure):
        if field.default is dataclasses.MISSING and field.name not in given:
            raise ExcerptError(
                f"{measure.name} needs a cut-off, {kind.values}", hint=f"try {measure.name}[{kind.example}]"
            )
    return measure(**given)


def definition(measure: type[Measure]) -> str:
    """The documentation of a measure: its definition, what it ignores and a worked example."""
    return inspect.getdoc(measure) or ""


@cache
def _families() -> tuple[str, ...]:
    """The modules of this folder; most names are found in the first, and the others need not be imported."""
    package = importlib.import_module("excerpt.measures")
    found = [f"excerpt.measures.{module.name}" for module in pkgutil.iter_modules(package.__path__)]
    common = [f"excerpt.measures.{name}" for name in ("interpolated_precision", "characters", "articles")]
    return tuple(dict.fromkeys([*common, *found]))


@cache
def _load_others() -> None:
    """Import the measures of other packages, through the entry-point group `excerpt.measures`."""
    from importlib.metadata import entry_points

    for entry in entry_points(group="excerpt.measures"):
        entry.load()


def registry() -> dict[str, type[Measure]]:
    """Every known measure by name, per-topic names and names of means alike."""
    for module in _families():
        importlib.import_module(module)
    _load_others()
    return dict(_registry)
