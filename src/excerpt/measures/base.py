"""Base class of measures, their parameters, and the registry of measures."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, TypeAlias

from excerpt._lazy import MEASURES
from excerpt.errors import ExcerptError, UnknownName
from excerpt.model.join import Joined
from excerpt.model.spans import MAX_OFFSET, FloatArray, IntArray

if TYPE_CHECKING:
    from fractions import Fraction

    from excerpt.model.samples import Samples

_measures: dict[str, type[Measure]] = {}
#: Modules of measures by name, in the order of listings. A measure's module is imported when the measure is
#: used, since importing all takes longer than scoring a run. An entry is optional: measures without one are
#: found by importing all modules, and are listed last.
FAMILIES = {
    name: module
    for names, module in (
        ("iP AiP MAiP", "interpolated_precision"),
        ("charP charR charF IoU", "characters"),
        ("charAP charMAP", "average_precision"),
        ("articleP articleR articleF articleAP articleMAP", "articles"),
        ("hit RR MRR nDCG found allfound abstained", "evidence"),
        ("BEPD EPRUM", "best_in_context"),
        ("gP gR AgP MAgP", "generalised_precision"),
        ("judged", "characters"),
        ("inex_eval_ng", "ng"),
        ("inex_eval", "precall"),
        ("articleRR articleMRR articleHit articleNDCG", "articles"),
        ("articleRprec articleBpref articleInfAP articleERR articleRBP", "articles"),
        ("read", "characters"),
        ("xCG xCI gr nxCG MAnxCG ep MAep iMAep Q R", "xcg"),
    )
    for name in names.split()
}
#: References of several families.
CUMULATED_GAIN = (
    "K. Järvelin, J. Kekäläinen: Cumulated Gain-Based Evaluation of IR Techniques. "
    "ACM Transactions on Information Systems 20(4), 2002"
)
INEX_2006 = (
    "M. Lalmas, G. Kazai, J. Kamps, J. Pehcevski, B. Piwowarski, S. Robertson: INEX 2006 Evaluation "
    "Measures. Comparative Evaluation of XML Information Retrieval Systems, LNCS 4518, 2007"
)


def find(name: str) -> type[Measure] | None:
    """Return the measure with a name; all modules are imported if the table does not have it."""
    if name not in _measures and (name in FAMILIES or name in MEASURES):
        importlib.import_module(f"excerpt.{MEASURES.get(name) or f'measures.{FAMILIES[name]}'}")
    return _measures.get(name) or registry().get(name)


def registry() -> dict[str, type[Measure]]:
    """Return all measures by name, with both names per topic (AiP) and names of means (MAiP)."""
    for module in (*_families(), *(f"excerpt.{name}" for name in MEASURES.values())):
        importlib.import_module(module)
    _load_others()
    return {name: _measures[name] for name in dict.fromkeys((*FAMILIES, *_measures))}


@cache
def _families() -> tuple[str, ...]:
    """List the modules of this folder that define measures: all but `base` and helper modules."""
    from pkgutil import iter_modules

    package = importlib.import_module("excerpt.measures")
    names = [module.name for module in iter_modules(package.__path__)]
    return tuple(f"excerpt.measures.{name}" for name in names if name != "base" and not name.startswith("_"))


@cache
def _load_others() -> None:
    """Import the measures of other packages, through the entry-point group `excerpt.measures`."""
    from importlib.metadata import entry_points

    for entry in entry_points(group="excerpt.measures"):
        entry.load()


class Parameter(NamedTuple):
    """Parser, printer and valid values of a measure's parameter."""

    parse: Callable[[str], Any]
    show: Callable[[Any], str]
    values: str
    cutoff: bool = False
    example: str = ""


def parameter(kind: Parameter, default: Any) -> Any:
    """Declare a parameter of a measure; `default=None` for a cut-off means the whole list."""
    return dataclasses.field(default=default, metadata={"parameter": kind})


def required(kind: Parameter) -> Any:
    """Declare a cut-off without which a measure cannot be computed."""
    return dataclasses.field(default=None, metadata={"parameter": kind, "required": True})


def decimal(text: str) -> Fraction:
    """Parse a decimal number or a fraction exactly; raise ValueError for anything else."""
    if not re.fullmatch(r"[+-]?\d*\.?\d*(?:[eE][+-]?\d{1,2})?(?:/\d+)?", text.strip(), re.ASCII):
        raise ValueError(text)
    from fractions import Fraction  # few measures have such a parameter

    return Fraction(text.strip())


def show_decimal(value: Fraction, places: int = 0) -> str:
    """Print a fraction as an exact decimal number with at least some places, else as a/b."""
    most = places + value.denominator.bit_length()
    digits = next((count for count in range(places, most) if (value * 10**count).denominator == 1), None)
    if digits is None:
        return str(value)
    whole, rest = divmod(abs(int(value * 10**digits)), 10**digits)
    return f"{'-' if value < 0 else ''}{whole}" + (f".{rest:0{digits}}" if digits else "")


def _number(text: str, *, most: float = math.inf, zero: bool = True) -> Fraction:
    """Parse a number from 0 (or above 0) up to `most`."""
    value = decimal(text)
    if not 0 <= value <= most or not (value or zero):
        raise ValueError(text)
    return value


def _word(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z_][\w-]*", text):
        raise ValueError(text)
    return text


def _positive(most: int, text: str) -> int:
    value = int(text) if text.isascii() and text.isdecimal() and len(text) < 30 else 0
    if not 1 <= value <= most:
        raise ValueError(text)
    return value


def _one_of(words: dict[str, Any], text: str) -> Any:
    if text.lower() not in words:
        raise ValueError(text)
    return words[text.lower()]


def choice(*values: str) -> Parameter:
    """Declare a parameter that takes one of a few words, in upper or lower case."""
    words = {value.lower(): value for value in values}
    return Parameter(partial(_one_of, words), str, f"{', '.join(values[:-1])} or {values[-1]}")


_show_level = partial(show_decimal, places=2)
RECALL_LEVEL = Parameter(partial(_number, most=1), _show_level, "a number from 0.00 to 1.00", True, "0.01")
POSITIVE_LEVEL = Parameter(
    partial(_number, most=1, zero=False), _show_level, "a number above 0.00, up to 1.00", True, "0.10"
)
QUANTISATION = Parameter(_word, str, "the name of a quantisation (see excerpt quantisations)")
LENGTH = Parameter(partial(_number, zero=False), show_decimal, "a number above 0")
RANK = Parameter(partial(_positive, MAX_OFFSET), str, f"a rank from 1 to {MAX_OFFSET}", True, "10")
COUNT = Parameter(partial(_positive, MAX_OFFSET), str, f"a whole number from 1 to {MAX_OFFSET}")
GRADE = Parameter(partial(_positive, 100), str, "a grade from 1 to 100")
#: Number of characters of a collection.
TEXT_SIZE = Parameter(partial(_positive, 10**15), str, "a whole number from 1 to 10**15")
SHARE = Parameter(partial(_number, most=1), show_decimal, "a number from 0 to 1")
SOME_SHARE = Parameter(partial(_number, most=1, zero=False), show_decimal, "a number above 0, up to 1")
WEIGHT = Parameter(_number, show_decimal, "a number of at least 0")
TRUTH = Parameter(
    partial(_one_of, {"true": True, "false": False}), lambda value: str(value).lower(), "true or false"
)


#: Name of an input that a measure needs from the run or the judgments, such as `spans` or `highlights`;
#: `excerpt.evaluation.needs` has the table of all.
Need: TypeAlias = str

#: Types of a parameter's value in Python; a number means its printed form.
ParameterValue: TypeAlias = "float | str | Fraction"


@dataclasses.dataclass(frozen=True)
class Measure(ABC):
    """A measure with its parameters; `str(measure)` is its name and `parse` reads it back.

    >>> from excerpt.measures import AgP, gP, iP
    >>> iP @ 0.1, AgP(beta=0.25), gP(score="BEP") @ 5
    (iP[0.10], AgP(beta=0.25), gP(score=BEP)[5])
    """

    name: ClassVar[str] = ""
    mean_name: ClassVar[str | None] = None  # customary name of the mean over topics, if it has one
    reference: ClassVar[str] = ""
    #: True if scores are between 0 and 1; False for amounts, which are never averaged with other measures.
    is_share: ClassVar[bool] = True
    #: Name of its cut-offs on an axis, if they are proportions.
    levels: ClassVar[str] = "recall"
    #: Optional inputs; if one is missing, a warning says how the measure is computed instead.
    wishes: ClassVar[frozenset[Need]] = frozenset()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        setattr(cls, "__repr__", Measure.__str__)  # noqa: B010  or dataclass would generate one
        if cls.__dict__.get("name"):
            _measures.update({name: cls for name in (cls.name, cls.mean_name) if name})

    def __post_init__(self) -> None:
        for field, kind in parameters(type(self)):
            value = getattr(self, field.name)
            if value is None and field.default is None:
                continue
            text = str(value).lower() if isinstance(value, bool) else str(value)
            object.__setattr__(self, field.name, _read(type(self), field.name, kind, text))

    @property
    def needs(self) -> frozenset[Need]:
        """Inputs that the run and the judgments must have."""
        return frozenset({"spans", "highlights"})

    @property
    def document_score(self) -> tuple[object, ...] | None:
        """Settings of the score of a document, for measures with `by_document`; None for others."""
        return None

    def costs(self, joined: Joined) -> IntArray:
        """Cost of reading each result, which uses up a budget: its characters, or another unit."""
        return joined.size

    def by_document(self, joined: Joined) -> dict[str, FloatArray]:
        """Columns of `joined.articles`: P, R, F and score of each document, and gP up to it."""
        raise NotImplementedError

    @abstractmethod
    def scores(self, joined: Joined) -> FloatArray:
        """Scores by judged topic; the scores of topics without relevant text are ignored."""

    def sample_scores(self, samples: Samples) -> FloatArray | None:  # noqa: ARG002
        """Scores by sample of the judgments and topic, computed together; None if that is not supported."""
        return None

    def __call__(self, **values: ParameterValue) -> Self:
        """Return the measure with other values of some parameters."""
        names = [field.name for field, kind in parameters(type(self)) if not kind.cutoff]
        for name in values:
            if name not in names:
                raise UnknownName(f"parameter of {self.name}", name, names)
        return dataclasses.replace(self, **values)

    def __matmul__(self, cutoff: ParameterValue) -> Self:
        """Return the measure at a cut-off."""
        field = next((field.name for field, kind in parameters(type(self)) if kind.cutoff), None)
        if field is None:
            raise ExcerptError(f"found cut-off {str(cutoff)!r}, but {self.name} has none", hint=f"try {self}")
        return dataclasses.replace(self, **{field: cutoff})

    def check_cutoff(self) -> Self:
        """Return the measure itself; raise if a required cut-off is missing."""
        for field, kind in parameters(type(self)):
            if field.metadata.get("required") and getattr(self, field.name) is None:
                raise ExcerptError(
                    f"{self} needs a cut-off, {kind.values}", hint=f"try {self}[{kind.example}]"
                )
        return self

    def __str__(self) -> str:
        cutoff, shown = "", []
        for field, kind in parameters(type(self)):
            value, usual = getattr(self, field.name), field.default
            if usual is not None:
                usual = _read(type(self), field.name, kind, str(usual).lower())
            if kind.cutoff:
                cutoff = "" if value is None else f"[{kind.show(value)}]"
            elif value != usual:
                shown.append(f"{field.name}={kind.show(value)}")
        return self.name + (f"({', '.join(shown)})" if shown else "") + cutoff


def parameters(measure: type[Measure]) -> Iterator[tuple[dataclasses.Field[Any], Parameter]]:
    """Yield the parameters of a measure, each with its parser and printer."""
    for field in dataclasses.fields(measure):
        yield field, field.metadata["parameter"]


def _read(measure: type[Measure], name: str, kind: Parameter, text: str) -> Any:
    try:
        return kind.parse(text)
    except (ValueError, ZeroDivisionError):
        what = "cut-off" if kind.cutoff else f"parameter {name}"
        raise ExcerptError(f"found {text!r} as {what} of {measure.name}, expected {kind.values}") from None


def definition(measure: type[Measure]) -> str:
    """Return the documentation of a measure: its definition and a worked example."""
    return inspect.getdoc(measure) or ""
