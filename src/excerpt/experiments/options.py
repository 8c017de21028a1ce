"""The options of the experiments: what can be set, what it may be, and what it means; loads no numbers.

A field's metadata says how the command line reads it. The names are those of the keyword arguments of the
experiment's function, and of its record.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any, Self

from excerpt.errors import ExcerptError, UnknownName
from excerpt.stats import CORRECTION_NAMES, TEST_NAMES


def option(
    default: Any,
    help_: str,
    *,
    metavar: str | None = None,
    choices: Sequence[str] = (),
    check: Callable[[Any], Any] | None = None,
) -> Any:
    """A field with what the command line must know of it."""
    described = {"help": help_, "metavar": metavar, "choices": tuple(choices), "check": check}
    return field(default=default, metadata=described)


def whole(value: Any, least: int = 1) -> int:
    """A whole number of at least 1, or 0."""
    text = str(value)
    if isinstance(value, bool) or not (text.isascii() and text.isdecimal()) or int(text) < least:
        raise ValueError(f"found {text!r}, expected a whole number of at least {least}")
    return int(text)


def share(value: Any, *, zero: bool = False) -> float:
    """A number between 0 and 1, or also `zero`."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = -1.0
    if not (0 < number < 1 or (zero and number == 0)):
        range_ = "from 0 to below 1" if zero else "between 0 and 1"
        raise ValueError(f"found {str(value)!r}, expected a number {range_}")
    return number


def numbers(value: Any) -> tuple[int, ...]:
    """Whole numbers, with commas between them as text."""
    parts = [part for part in value.split(",") if part.strip()] if isinstance(value, str) else value
    try:
        found = tuple(whole(part.strip() if isinstance(part, str) else part) for part in parts)
    except (TypeError, ValueError):
        found = ()
    if not found:
        raise ValueError(f"found {str(value)!r}, expected whole numbers of at least 1")
    return tuple(dict.fromkeys(found))


def per_cent(value: Any) -> tuple[int, ...]:
    """Levels: whole numbers from 1 to 100."""
    found = numbers(value)
    if max(found) > 100:
        raise ValueError(f"found level {max(found)}, expected a percentage from 1 to 100")
    return found


def tests(value: Any) -> tuple[str, ...]:
    """Names of tests."""
    found = names(value)
    for unknown in [name for name in found if name not in TEST_NAMES]:
        raise UnknownName("test", unknown, TEST_NAMES)
    if not found:
        raise ValueError(f"found no test, expected at least one of {', '.join(TEST_NAMES)}")
    return tuple(dict.fromkeys(found))


def names(value: Any) -> tuple[str, ...]:
    """Names, with commas between them as text."""
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list | tuple):
        raise ValueError(f"found {str(value)!r}, expected names separated by commas")  # noqa: TRY004
    return tuple(filter(None, (str(part).strip() for part in parts)))


@dataclass(frozen=True)
class Options:
    """The options of an experiment without any."""

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """Options from their names and values, each of them checked."""
        known = {item.name: item for item in fields(cls)}
        found = {}
        for name, value in given.items():
            if name not in known:
                raise UnknownName("option", name, known)
            check, choices = known[name].metadata["check"], known[name].metadata["choices"]
            if choices and value not in choices:
                raise UnknownName(name, str(value), choices)
            try:
                found[name] = value if check is None or value is None else check(value)
            except ValueError as error:
                raise ExcerptError(f"{name}: {error}") from None
        return cls(**found)


_SEED = option(1, "seed of the random numbers", metavar="N", check=partial(whole, least=0))


@dataclass(frozen=True)
class Significance(Options):
    """How a difference is declared significant."""

    correction: str = option(
        "by",
        "for many tests: Benjamini-Yekutieli (by), Benjamini-Hochberg (bh), Holm, Bonferroni or none",
        choices=CORRECTION_NAMES,
    )
    alpha: float = option(0.05, "level of significance", metavar="X", check=share)
    samples: int = option(10_000, "number of resamples (bootstrap, permutation)", metavar="N", check=whole)
    seed: int = _SEED


@dataclass(frozen=True)
class AgreementOptions(Significance):
    """Of `agreement`."""

    test: str = option("bootstrap", "one-sided test of every ordered pair of runs", choices=TEST_NAMES)


@dataclass(frozen=True)
class CompareOptions(AgreementOptions):
    """Of `compare`."""

    plus_one: bool = option(default=False, help_="bootstrap: p = (count + 1) / (samples + 1), never 0")
    baseline: str | None = option(
        None, "put every other run beside this one (its name or file), not beside each other", metavar="RUN"
    )


@dataclass(frozen=True)
class JudgingOptions(Significance):
    """Of `testerror`."""

    tests: tuple[str, ...] = option(
        TEST_NAMES[:4], f"tests to judge, out of {','.join(TEST_NAMES)}", metavar="LIST", check=tests
    )
    splits: int = option(50, "how often to split the topics into halves", metavar="N", check=whole)


@dataclass(frozen=True)
class CorrelateOptions(Options):
    """Of `correlate`."""

    qrels2: str | None = option(
        None, "other judgments: correlate each measure with itself under both", metavar="FILE"
    )
    drop_tags2: tuple[str, ...] | None = option(
        None,
        "leave out elements with these tags on the second side, as INEX 2006 did with links",
        metavar="TAG,TAG",
        check=names,
    )


@dataclass(frozen=True)
class TopicsOptions(Options):
    """Of `stability topics`."""

    levels: tuple[int, ...] = option(
        (80, 60, 40, 20), "sizes of the samples, in per cent", metavar="LIST", check=per_cent
    )
    samples: int = option(10, "samples per level", metavar="N", check=whole)
    seed: int = _SEED


@dataclass(frozen=True)
class ErrorsOptions(TopicsOptions):
    """Of `stability errors`."""

    fuzziness: float = option(
        0.05, "treat scores this close as ties", metavar="X", check=partial(share, zero=True)
    )
    absolute: bool = option(default=False, help_="fuzziness is a difference, not a share of the score")
    disjoint: bool = option(default=False, help_="compare samples that share no topics (an upper bound)")


_UNIT = option(
    "document",
    "what a result adds to the pool: all passages of its document, or those it overlaps",
    choices=("document", "passage"),
)


_POOL = option(
    None,
    "pool file: the pool as it really was, by the runs and ranks in it (see excerpt pool)",
    metavar="FILE",
)


@dataclass(frozen=True)
class PoolOptions(TopicsOptions):
    """Of `stability pool`."""

    least: int = option(10, "leave out topics with fewer relevant passages", metavar="N", check=whole)


@dataclass(frozen=True)
class DepthOptions(Options):
    """Of `stability depth`."""

    depths: tuple[int, ...] = option(
        (1, 5, 10, 20, 50, 100), "depths of the pool", metavar="LIST", check=numbers
    )
    unit: str = _UNIT
    pool: str | None = _POOL


@dataclass(frozen=True)
class UnpooledOptions(Options):
    """Of `stability unpooled`."""

    depth: int | None = option(
        None, "depth of the pool (default: 100, of a pool file all that is in it)", metavar="N", check=whole
    )
    unit: str = _UNIT
    pool: str | None = _POOL
    groups: str | None = option(
        None, "file with a run and its group on each line; a group is left out together", metavar="FILE"
    )


@dataclass(frozen=True)
class WholeOptions(ErrorsOptions, PoolOptions):
    """Of `stability all`."""
