"""Options of experiments and their values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any, Self

from excerpt.errors import ExcerptError, UnknownName
from excerpt.options import FLAG, Kind, Option, Role, names, share, whole
from excerpt.stats import ALL_TESTS, CORRECTION_NAMES, TEST_NAMES, check_test, require_scipy


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


def named_tests(value: Any) -> tuple[str, ...]:
    """Names of tests."""
    found = names(value)
    for unknown in [name for name in found if name not in TEST_NAMES]:
        raise UnknownName("test", unknown, TEST_NAMES)
    if not found:
        raise ValueError(f"found no test, expected at least one of {', '.join(TEST_NAMES)}")
    return tuple(dict.fromkeys(found))


def differences(value: Any) -> tuple[float, ...]:
    """Differences of scores above 0, with commas between them as text; one number is one of them."""
    parts = value.split(",") if isinstance(value, str) else value
    try:
        found = tuple(map(float, [parts] if isinstance(parts, int | float) else parts))
    except (TypeError, ValueError):
        found = ()
    if not found or not all(0 < number < float("inf") for number in found):
        raise ValueError(f"found {str(value)!r}, expected differences above 0")
    return tuple(dict.fromkeys(found))


def option(
    default: Any,
    help_: str,
    *,
    metavar: str | None = None,
    choices: Sequence[str] = (),
    check: Callable[[Any], Any] = str,
    role: Role = "plain",
) -> Any:
    """A field with what the table of options must know of it; `check` takes text, or what a record has."""
    is_flag = default is False
    shown = ",".join(map(str, default)) if isinstance(default, tuple) else default
    described = Option(
        "",
        help_ + ("" if is_flag or default is None else f" (default: {shown})"),
        kind=FLAG if is_flag else Kind(check, choices=tuple(choices)),
        default=default,
        metavar=metavar,
        role=role,
        group="options of the experiment",
    )
    return field(default=default, metadata={"option": described})


@dataclass(frozen=True)
class Options:
    """The options of an experiment without any."""

    @classmethod
    def options(cls) -> tuple[Option, ...]:
        """The entries of the table of options, one for each field."""
        return tuple(item.metadata["option"].but(name=item.name.replace("_", "-")) for item in fields(cls))

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """Options from their names and values, each of them checked."""
        known = {option.dest: option for option in cls.options()}
        found = {}
        for name, value in given.items():
            if name not in known:
                raise UnknownName("option", name, known)
            check, choices = known[name].kind.parse, known[name].kind.choices
            absent = value is None and known[name].default is None
            if choices and value not in choices and not absent:
                raise UnknownName(name, str(value), choices)
            try:
                found[name] = value if check is str or absent else check(value)
            except ValueError as error:
                raise ExcerptError(f"{name}: {error}") from None
        return cls(**found)


_CORRECTIONS = "for many tests: Benjamini-Yekutieli (by), Benjamini-Hochberg (bh), Holm, Bonferroni or none"
_TEST = "one-sided test of every ordered pair of runs"
#: Differences that people ask about.
DIFFERENCES = (0.01, 0.02, 0.05, 0.1)
_SEED = option(1, "seed of the random numbers", metavar="N", check=partial(whole, least=0))


@dataclass(frozen=True)
class Sampling(Options):
    """How sure a decision is to be, and how much is drawn at random for it."""

    alpha: float = option(0.05, "level of significance", metavar="X", check=share)
    samples: int = option(10_000, "number of resamples or permutations", metavar="N", check=whole)
    seed: int = _SEED


@dataclass(frozen=True)
class Significance(Sampling):
    """How a difference is declared significant."""

    correction: str = option("by", _CORRECTIONS, choices=CORRECTION_NAMES)


@dataclass(frozen=True)
class AgreementOptions(Significance):
    """Of `agreement`."""

    test: str = option("bootstrap", _TEST, choices=TEST_NAMES)

    def __post_init__(self) -> None:
        check_test(self.test)


@dataclass(frozen=True)
class CompareOptions(Sampling):
    """Of `compare`."""

    test: str = option(
        "bootstrap",
        f"{_TEST}; tukey (randomised Tukey HSD) and anova (Tukey HSD of a two-way analysis of variance) are "
        "two-sided and of all pairs together",
        choices=ALL_TESTS,
    )
    correction: str | None = option(
        None, f"{_CORRECTIONS} (default: by; beside tukey and anova none)", choices=CORRECTION_NAMES
    )
    plus_one: bool = option(default=False, help_="bootstrap: p = (count + 1) / (samples + 1), never 0")
    baseline: str | None = option(
        None, "put every other run beside this one (its name or file), not beside each other", metavar="RUN"
    )
    per_topic: bool = option(
        default=False, help_="differences on every topic, with wins, ties and losses, and a figure of bars"
    )

    def __post_init__(self) -> None:
        check_test(self.test, ALL_TESTS)


@dataclass(frozen=True)
class PowerOptions(Options):
    """Of `power`."""

    difference: tuple[float, ...] | None = option(
        None,
        "differences of means to be seen (default: 0.01,0.02,0.05,0.1, or with a baseline those at hand)",
        metavar="LIST",
        check=differences,
    )
    power: float = option(0.8, "how often they are to be seen", metavar="X", check=share)
    alpha: float = option(0.05, "level of significance", metavar="X", check=share)
    size: int | None = option(
        None,
        "number of topics to ask about (default: those at hand)",
        metavar="N",
        check=partial(whole, least=2, most=1_000_000),
    )
    one_sided: bool = option(default=False, help_="the test is one-sided, as those of excerpt compare are")
    baseline: str | None = option(
        None,
        "ask about each other run beside this one (its name or file), not about all pairs",
        metavar="RUN",
    )

    def __post_init__(self) -> None:
        require_scipy("the power of a test")


@dataclass(frozen=True)
class VarianceOptions(Options):
    """Of `anova`."""

    def __post_init__(self) -> None:
        check_test("anova", ALL_TESTS)


@dataclass(frozen=True)
class JudgingOptions(Significance):
    """Of `testerror`."""

    tests: tuple[str, ...] = option(
        TEST_NAMES[:4], f"tests to judge, out of {','.join(TEST_NAMES)}", metavar="LIST", check=named_tests
    )
    splits: int = option(50, "how often to split the topics into halves", metavar="N", check=whole)

    def __post_init__(self) -> None:
        for test in self.tests:
            check_test(test)


@dataclass(frozen=True)
class CorrelateOptions(Options):
    """Of `correlate`."""

    qrels2: str | None = option(
        None, "other judgments: correlate each measure with itself under both", metavar="FILE", role="reads"
    )
    drop_tags2: tuple[str, ...] | None = option(
        None,
        "leave out elements with these tags on the second side, as INEX 2006 did with links",
        metavar="TAG,TAG",
        check=names,
    )
    ranks: bool = option(
        default=False, help_="fit the line to ranks of the runs, not to scores, and draw them"
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
    role="reads",
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
        None,
        "file with a run and its group on each line; a group is left out together",
        metavar="FILE",
        role="reads",
    )


@dataclass(frozen=True)
class WholeOptions(ErrorsOptions, PoolOptions):
    """Of `stability all`."""
