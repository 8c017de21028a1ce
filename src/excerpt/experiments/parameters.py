"""Options of experiments: their defaults, help and checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any, Self

from excerpt.errors import ExcerptError, UnknownName, short
from excerpt.options import FLAG, TEXT, Option, OptionKind, Role, choice, names, number, share, whole
from excerpt.stats import ALL_TESTS, CORRECTION_NAMES, TEST_NAMES, check_test, require_scipy


def numbers(value: Any) -> tuple[int, ...]:
    """Parse whole numbers, separated by commas in text."""
    parts = [part for part in value.split(",") if part.strip()] if isinstance(value, str) else value
    try:
        parsed = tuple(whole(part.strip() if isinstance(part, str) else part) for part in parts)
    except (TypeError, ValueError):
        parsed = ()
    if not parsed:
        raise ValueError(f"found {str(value)!r}, expected whole numbers of at least 1")
    return tuple(dict.fromkeys(parsed))


def per_cent(value: Any) -> tuple[int, ...]:
    """Parse percentages: whole numbers from 1 to 100."""
    levels = numbers(value)
    if max(levels) > 100:
        raise ValueError(f"found level {max(levels)}, expected a percentage from 1 to 100")
    return levels


def named_tests(value: Any) -> tuple[str, ...]:
    """Parse names of significance tests."""
    tests = names(value)
    for unknown in [name for name in tests if name not in TEST_NAMES]:
        raise UnknownName("test", unknown, TEST_NAMES)
    if not tests:
        raise ValueError(f"no test given, expected at least one of {', '.join(TEST_NAMES)}")
    return tuple(dict.fromkeys(tests))


def differences(value: Any) -> tuple[float, ...]:
    """Parse differences of scores above 0, separated by commas in text; a number is a list of one."""
    parts = value.split(",") if isinstance(value, str) else value
    try:
        parsed = tuple(map(float, [parts] if isinstance(parts, int | float) else parts))
    except (TypeError, ValueError):
        parsed = ()
    if not parsed or not all(0 < number < float("inf") for number in parsed):
        raise ValueError(f"found {str(value)!r}, expected differences above 0")
    return tuple(dict.fromkeys(parsed))


def rank_bands(value: Any) -> tuple[tuple[int, int], ...]:
    """Parse bands of ranks: the first and the last rank of each.

    >>> rank_bands("1-21,31")
    ((1, 21), (31, 31))
    """
    parts = [part.partition("-") for part in str(value).split(",")]
    try:
        bands = tuple((whole(one.strip()), whole((two if dash else one).strip())) for one, dash, two in parts)
    except ValueError:
        bands = ()
    if not bands or any(first > last for first, last in bands):
        raise ValueError(f"found {short(str(value))!r}, expected ranks such as 1-21,31-50")
    return bands


def _ranks(value: Any) -> str:
    rank_bands(value)
    return str(value)


def measure_pairs(value: Any) -> Any:
    """Parse pairs of measures; a text is one word of the command line."""
    if isinstance(value, str):
        return value
    listed = value if isinstance(value, list | tuple) else ()
    pairs = [tuple(pair) if isinstance(pair, list | tuple) else () for pair in listed]
    if not pairs or not all(len(pair) == 2 and all(isinstance(name, str) for name in pair) for pair in pairs):
        raise ValueError(f"found {short(str(value))!r}, expected pairs of measures")
    return tuple(pairs)


def run_names(value: Any) -> Any:
    """Parse the names of one run or of several; a text is one word of the command line."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list | tuple) or not value or not all(isinstance(name, str) for name in value):
        raise ValueError(f"found {short(str(value))!r}, expected names of runs")
    return tuple(value) if len(value) > 1 else value[0]


def option(
    default: Any,
    help_: str,
    *,
    metavar: str | None = None,
    choices: Sequence[str] = (),
    check: Callable[[Any], Any] | None = None,
    role: Role = "plain",
    **more: Any,
) -> Any:
    """Define a field with its entry in the table of options; `check` parses text or a value of a record."""
    is_flag = default is False
    shown = ",".join(map(str, default)) if isinstance(default, tuple) else default
    entry = Option(
        "",
        help_ + ("" if is_flag or default is None else f" (default: {shown})"),
        kind=OptionKind(check) if check else FLAG if is_flag else choice(*choices) if choices else TEXT,
        default=default,
        metavar=metavar,
        role=role,
        group="options of the experiment",
        **more,
    )
    return field(default=default, metadata={"option": entry})


def _flag(help_: str) -> Any:
    return option(default=False, help_=help_)


_RANKS = partial(
    option,
    None,
    "use only the runs with these ranks by the first measure, such as 1-21,31-50 (default: all; of runs with "
    "equal means the one given first has the better rank)",
    metavar="RANKS",
)


@dataclass(frozen=True)
class Options:
    """Options of every experiment."""

    ranks: str | None = _RANKS(check=_ranks)

    @classmethod
    def options(cls) -> tuple[Option, ...]:
        """Entries of the table of options, one for each field; those of every experiment come last."""
        every = [item.name for item in fields(Options)]
        own = sorted(fields(cls), key=lambda item: item.name in every)
        return tuple(item.metadata["option"].but(name=item.name.replace("_", "-")) for item in own)

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """Make options from names and values; raise an error for an unknown or invalid one."""
        known = {option.dest: option for option in cls.options()}
        values = {}
        for name, value in given.items():
            if name not in known:
                raise UnknownName("option", name, known)
            kind, choices = known[name].kind, known[name].kind.choices
            absent = value is None and known[name].default is None
            if choices and value not in choices and not absent:
                raise UnknownName(name, str(value), choices)
            try:
                values[name] = value if absent or kind in (TEXT, FLAG) else kind.convert(value)
            except ValueError as error:
                raise ExcerptError(f"{name}: {error}") from None
        return cls(**values)


_CORRECTIONS = (
    "correction for many tests: Benjamini-Yekutieli (by), Benjamini-Hochberg (bh), Holm, Bonferroni or none"
)
_ONE_SIDED = "one-sided test of every ordered pair of runs"
EFFORT_STRATEGIES = ("depth", "adaptive")
SAMPLING_RATES = (0.2, 0.3, 0.5)  # default rates in `stability sampled`
DIFFERENCES = (0.01, 0.02, 0.05, 0.1)  # default differences of means in `power`
_SEED = option(1, "seed of the random numbers", metavar="N", check=partial(whole, least=0))
_BASELINE = option(
    None, "compare each run with this one, given by name or file (default: all pairs)", metavar="RUN"
)
_FACTORS = partial(
    option,
    None,
    metavar="FILE|PATTERN",
    role="reads",
)


def is_pattern(value: object) -> bool:
    """Return whether a text is a pattern of names of runs, with factors in braces, and no file.

    >>> is_pattern("{chunker}-{size}"), is_pattern("factors.tsv")
    (True, False)
    """
    return isinstance(value, str) and "{" in value


@dataclass(frozen=True)
class Sampling(Options):
    """Significance level, number of samples and seed."""

    alpha: float = option(0.05, "significance level", metavar="X", check=share)
    samples: int = option(10_000, "number of resamples or permutations", metavar="N", check=whole)
    seed: int = _SEED


@dataclass(frozen=True)
class Significance(Sampling):
    """Options of a significance test: sampling and correction."""

    correction: str = option("by", _CORRECTIONS, choices=CORRECTION_NAMES)


@dataclass(frozen=True)
class AgreementOptions(Significance):
    """Options of `agreement`."""

    test: str = option("bootstrap", _ONE_SIDED, choices=TEST_NAMES)
    common_topics: bool = _flag("test all measures on the topics that have scores by every measure")
    min_difference: float = option(
        0.0,
        "count a pair of runs as significantly different only if the means differ by at least X",
        metavar="X",
        check=partial(number, least=0),
    )
    all_pairs: bool = _flag(
        "draw all pairs of runs, also those that no measure finds significantly different"
    )

    def __post_init__(self) -> None:
        check_test(self.test)


@dataclass(frozen=True)
class CompareOptions(Sampling):
    """Options of `compare`."""

    test: str = option(
        "bootstrap",
        "test of every pair of runs; tukey (randomised Tukey HSD) and anova (Tukey HSD of a two-way analysis "
        "of variance) test all pairs together",
        choices=ALL_TESTS,
    )
    sides: int = option(
        2,
        "2: two-sided tests, each pair counts once in the correction; 1: one-sided tests of both directions",
        metavar="1|2",
        check=partial(whole, least=1, most=2),
    )
    correction: str | None = option(
        None, f"{_CORRECTIONS} (default: by; none with tukey and anova)", choices=CORRECTION_NAMES
    )
    plus_one: bool = _flag("bootstrap: p = (count + 1) / (samples + 1), never 0")
    baseline: str | tuple[str, ...] | None = option(
        None,
        "compare each run with this one, given by name or file; may be repeated (default: all pairs); with "
        "factors, the baseline LEVEL, or FACTOR=LEVEL, separated by commas (default: the mean of the levels)",
        metavar="RUN",
        check=run_names,
        many=True,
    )
    factors: str | None = _FACTORS(
        help_="effects of the factors of the runs, such as chunker and size: a table with a column run and "
        "one per factor, or a pattern of the names, such as {chunker}-{size}"
    )
    per_topic: bool = _flag(
        "print the differences per topic, with wins, ties and losses; a figure shows them as bars"
    )

    def __post_init__(self) -> None:
        check_test(self.test, ALL_TESTS)


@dataclass(frozen=True)
class PowerOptions(Options):
    """Options of `power`."""

    difference: tuple[float, ...] | None = option(
        None,
        "differences of means to detect (default: 0.01,0.02,0.05,0.1; with a baseline, those observed)",
        metavar="LIST",
        check=differences,
    )
    power: float = option(0.8, "probability of detecting the difference", metavar="X", check=share)
    alpha: float = option(0.05, "significance level", metavar="X", check=share)
    size: int | None = option(
        None,
        "number of topics (default: as many as have scores)",
        metavar="N",
        check=partial(whole, least=2, most=1_000_000),
    )
    one_sided: bool = _flag("one-sided test (default: two-sided, as in excerpt compare)")
    baseline: str | None = _BASELINE

    def __post_init__(self) -> None:
        require_scipy("the power of a test")


@dataclass(frozen=True)
class VarianceOptions(Options):
    """Options of `anova`."""

    factors: str | None = _FACTORS(
        help_="analyse by factors of the runs: a table with a column run and one per factor, or a pattern of "
        "the names, such as {chunker}-{size} (default: by run)"
    )

    def __post_init__(self) -> None:
        check_test("anova", ALL_TESTS)


@dataclass(frozen=True)
class JudgingOptions(Significance):
    """Options of `testerror`."""

    tests: tuple[str, ...] = option(
        TEST_NAMES[:4], f"tests to judge, out of {','.join(TEST_NAMES)}", metavar="LIST", check=named_tests
    )
    splits: int = option(50, "number of random splits of the topics into halves", metavar="N", check=whole)

    def __post_init__(self) -> None:
        for test in self.tests:
            check_test(test)


@dataclass(frozen=True)
class CorrelateOptions(Options):
    """Options of `correlate`."""

    #: Without ranks (True) as `by_rank`; older records have False.
    ranks: Any = _RANKS(
        check=lambda value: (value or None) if isinstance(value, bool) else _ranks(value), alone=True
    )
    qrels2: str | None = option(
        None, "second judgments: correlate the scores of each measure by both", metavar="QRELS", role="reads"
    )
    drop_tags2: tuple[str, ...] | None = option(
        None,
        "leave out elements with these tags in the second evaluation, such as collectionlink (default: none)",
        metavar="TAG,TAG",
        check=names,
    )
    pair: tuple[tuple[str, str], ...] | None = option(
        None,
        "correlate these two measures; may be repeated (default: all pairs of measures)",
        metavar="MEASURE",
        check=measure_pairs,
        many=True,
        words=2,
    )
    common_topics: bool = _flag("use the topics that have scores of every run by every measure")
    by_rank: bool = _flag("fit the line to the ranks of the runs and draw ranks, instead of scores")
    seed: int = _SEED


WITHIN = ("difficulty", "kind", "query-length")  # rules that put topics into groups
#: Percentages of the passages or topics in the samples, as in the paper; the ranking by all topics is 100.
LEVELS = (80, 60, 40, 20)
TOPIC_LEVELS = (100, *LEVELS)
_LEVELS = partial(option, help_="sizes of the samples, in per cent", metavar="LIST", check=per_cent)


_WITHIN = option(
    None,
    "repeat the study in each group: of a FILE with a run or a topic and its group on each line, or of "
    "topics by difficulty, kind (CO or CAS) or query-length (default: all runs and topics together)",
    metavar="FILE|" + "|".join(WITHIN),
    role="reads",
)


@dataclass(frozen=True)
class SampleOptions(Options):
    """Options of samples of passages or topics."""

    levels: tuple[int, ...] | None = _LEVELS(LEVELS)
    samples: int = option(10, "samples per level", metavar="N", check=whole)
    seed: int = _SEED
    within: str | None = _WITHIN


@dataclass(frozen=True)
class TopicsOptions(SampleOptions):
    """Options of `stability topics`."""

    levels: tuple[int, ...] | None = _LEVELS(TOPIC_LEVELS)


@dataclass(frozen=True)
class ErrorsOptions(SampleOptions):
    """Options of `stability errors`."""

    fuzziness: float = option(
        0.05, "relative difference up to which scores tie", metavar="X", check=partial(share, zero=True)
    )
    absolute: bool = _flag("fuzziness is an absolute difference of scores (default: relative)")
    disjoint: bool = _flag("compare samples that share no topics (an upper bound)")
    replacement: bool = _flag("draw topics with replacement, so that a sample may repeat a topic")
    versus: str | None = option(
        None,
        "compare the error rates of the other measures with that of this one, on the same samples",
        metavar="MEASURE",
    )


_UNIT = option(
    "document",
    "relevant passages that a result adds to the pool: all of its document, or those that it overlaps "
    "(graded elements: all of its document, or the one that it returns)",
    choices=("document", "passage"),
)
_POOL = option(
    None,
    "pool file (see excerpt pool), whose runs and ranks make the pool instead of the evaluated runs",
    metavar="FILE",
    role="reads",
)


@dataclass(frozen=True)
class PoolOptions(SampleOptions):
    """Options of `stability pool`."""

    least: int = option(
        10, "leave out topics with fewer relevant passages (or graded elements)", metavar="N", check=whole
    )


@dataclass(frozen=True)
class DepthOptions(Options):
    """Options of `stability depth`."""

    depths: tuple[int, ...] = option(
        (1, 5, 10, 20, 50, 100), "depths of the pool", metavar="LIST", check=numbers
    )
    unit: str = _UNIT
    pool: str | None = _POOL
    within: str | None = _WITHIN


@dataclass(frozen=True)
class UnpooledOptions(Options):
    """Options of `stability unpooled`."""

    depth: int | None = option(
        None, "depth of the pool (default: 100; of a pool file, all of it)", metavar="N", check=whole
    )
    unit: str = _UNIT
    pool: str | None = _POOL
    groups: str | None = option(
        None,
        "file with a run and its group on each line; a group is left out as a whole",
        metavar="FILE",
        role="reads",
    )
    within: str | None = _WITHIN


def amounts(value: Any) -> tuple[float, ...]:
    """Parse amounts above 0, separated by commas in text.

    >>> amounts("100,250.5")
    (100, 250.5)
    """
    parts = value.split(",") if isinstance(value, str) else value
    parts = [parts] if isinstance(parts, int | float) else parts
    parsed = [number(part.strip() if isinstance(part, str) else part, 0) for part in parts]
    if not parsed or not all(parsed):
        raise ValueError(f"found {str(value)!r}, expected amounts above 0, such as 100,200")
    return tuple(int(amount) if amount == int(amount) else amount for amount in dict.fromkeys(parsed))


def strategies(value: Any) -> tuple[str, ...]:
    """Parse strategies of judging."""
    found = names(value)
    for unknown in [name for name in found if name not in EFFORT_STRATEGIES]:
        raise UnknownName("strategy", unknown, EFFORT_STRATEGIES)
    if not found:
        raise ValueError(f"no strategy given, expected {' or '.join(EFFORT_STRATEGIES)}")
    return tuple(dict.fromkeys(found))


@dataclass(frozen=True)
class EffortOptions(Options):
    """Options of `stability effort`."""

    budget: tuple[float, ...] | None = option(
        None,
        "budgets of judgments, in units of the cost (default: the pool of depth 1 on all topics)",
        metavar="N[,N…]",
        check=amounts,
    )
    cost: str = option(
        "documents",
        "what a budget counts: documents, characters, or seconds=FILE or seconds=CAMPAIGN, by the times in a "
        "file (topic document seconds, or procedure seconds) or in the log of a campaign",
        metavar="UNIT",
    )
    strategies: tuple[str, ...] = option(
        EFFORT_STRATEGIES, "how a budget is spent: depth, adaptive", metavar="LIST", check=strategies
    )
    samples: int = option(100, "number of samples of the topics", metavar="N", check=whole)
    seed: int = _SEED


def rates(value: Any) -> tuple[float, ...]:
    """Parse proportions above 0 and up to 1.

    >>> rates("0.1,0.5")
    (0.1, 0.5)
    """
    parts = value.split(",") if isinstance(value, str) else value
    parts = [parts] if isinstance(parts, int | float) else parts
    parsed = tuple(share(part.strip() if isinstance(part, str) else part, one=True) for part in parts)
    if not parsed:
        raise ValueError(f"found {str(value)!r}, expected proportions such as 0.1,0.2")
    return tuple(dict.fromkeys(parsed))


@dataclass(frozen=True)
class SampledOptions(Options):
    """Options of `stability sampled`."""

    rates: tuple[float, ...] = option(
        SAMPLING_RATES,
        "proportions of the documents outside of the pool to draw",
        metavar="LIST",
        check=rates,
    )
    depth: int = option(
        10,
        "depth of the pool that is judged in any case; 0: none",
        metavar="N",
        check=partial(whole, least=0),
    )
    samples: int = option(200, "number of samples", metavar="N", check=partial(whole, least=2))
    seed: int = _SEED


@dataclass(frozen=True)
class WholeOptions(ErrorsOptions, PoolOptions):
    """Options of `stability all`."""

    levels: tuple[int, ...] | None = option(
        None,
        f"sizes of the samples, in per cent (default: {','.join(map(str, LEVELS))}; of topics also 100)",
        metavar="LIST",
        check=per_cent,
    )
