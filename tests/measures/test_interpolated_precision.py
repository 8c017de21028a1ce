"""iP[x] and AiP against worked examples, their definition and what must always hold."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.oracle import Asked, IntervalTopic, Topic, assert_agreement, score
from support.strategies import Case, cases, exact_recalls, focused_measures, policies

from excerpt import Judgments, Policy, Result, Run, Span, evaluate
from excerpt.measures import interpolated_precision

E6 = Case(
    highlights=(("1", "A", 10, 50), ("1", "A", 100, 120), ("1", "B", 0, 40), ("2", "D", 400, 500)),
    irrelevant=(("1", "C"),),
    sizes={"A": 200, "B": 100, "C": 300, "D": 1000},
    results=(
        ("1", "A", 0, 50),
        ("1", "C", 0, 30),
        ("1", "B", 20, 60),
        ("1", "A", 100, 150),
        ("2", "D", 350, 450),
        ("2", "E", 0, 100),
    ),
)


def test_worked_example_e6() -> None:
    """Example E6 of the specification: each score is exactly the double nearest to the fraction."""
    early = ["iP[0.00]", "iP[0.01]", "iP[0.05]", "iP[0.10]"]
    late = ["iP[0.41]", "iP[0.60]", "iP[0.61]", "iP[0.80]", "iP[0.81]"]
    table = evaluate(E6.judgments(), [E6.run()], [*early, *late, "AiP"])
    assert [table["run", "1", name] for name in early] == [4 / 5] * 4
    assert [table["run", "2", name] for name in early] == [1 / 2] * 4
    assert [table["run", "1", name] for name in late] == [1 / 2, 1 / 2, 8 / 17, 8 / 17, 0]
    assert table["run", "1", "AiP"] == float(Fraction(4438, 8585))
    assert table["run", "2", "AiP"] == float(Fraction(51, 202))
    assert table.mean("run", "AiP") == float(Fraction(13211, 34340))


@settings(max_examples=25)
@given(cases())
def test_topics_averaged_in_blocks_score_the_same(case: Case) -> None:
    """The number of topics that are averaged together changes no score."""
    policy = Policy(overlap="first")
    together = evaluate(case.judgments(), [case.run()], ["AiP"], policy=policy)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(interpolated_precision, "_CELLS", 1)
        apart = evaluate(case.judgments(), [case.run()], ["AiP"], policy=policy)
    assert together.to_json() == apart.to_json()


def test_worked_example_e7() -> None:
    """Example E7: a recall of exactly 29 % reaches the level 0.29: AiP is 30/101, not the tool's 29/101."""
    judgments = Judgments.of([("1", Span("A", 0, 100))], sizes={"A": 200})
    table = evaluate(judgments, [Run.of("run", [Result("1", "A", 0, 29)])], ["AiP", "iP[0.29]", "iP[0.30]"])
    assert table.means().tolist() == [[float(Fraction(30, 101)), 1.0, 0.0]]


@pytest.mark.parametrize("unit", [1, 3, 10_007, 21_474_836])
def test_every_exact_percentage_reaches_its_level(unit: int) -> None:
    """A recall of exactly k/100 reaches the level k/100 and none above it, for every k and amount of text."""
    judgments = Judgments.of([("1", Span("A", 0, 100 * unit))])
    for percent in range(1, 100):
        run = Run.of("run", [Result("1", "A", 0, percent * unit)])
        names = [f"iP[{percent / 100:.2f}]", f"iP[{percent / 100:.2f}0001]", "AiP"]
        expected = [1.0, 0.0, float(Fraction(percent + 1, 101))]
        assert evaluate(judgments, [run], names).means().tolist() == [expected]


@pytest.mark.parametrize("unit", [3, 10_007, 21_474_836])
def test_one_character_less_misses_the_level(unit: int) -> None:
    """A recall one character below k/100 does not reach the level k/100."""
    judgments = Judgments.of([("1", Span("A", 0, 100 * unit))])
    for percent in range(1, 101):
        run = Run.of("run", [Result("1", "A", 1, percent * unit)])
        names = [f"iP[{percent / 100:.2f}]", f"iP[{(percent - 1) / 100:.2f}]", "AiP"]
        expected = [0.0, 1.0, float(Fraction(percent, 101))]
        assert evaluate(judgments, [run], names).means().tolist() == [expected]


@pytest.mark.parametrize("total", [7, 1000, 1_234_567, 2_000_000_000])
@pytest.mark.parametrize(
    "level", ["0.30000000000000004", "0.1000000000000001", "0.1234567890123456789", "1/3", "1e-9", "0.29"]
)
def test_levels_with_many_digits_are_exact(level: str, total: int) -> None:
    """A level may have as many digits as a float prints (0.1 + 0.2): products of integers do not overflow."""
    wanted = Fraction(level) * total
    enough = -(-wanted.numerator // wanted.denominator)
    judgments = Judgments.of([("1", Span("A", 0, total))])
    for read in {enough, enough - 1, total, total // 2, total // 5, total // 10} - {0}:
        run = Run.of("run", [Result("1", "A", 0, read)])
        assert evaluate(judgments, [run], [f"iP[{level}]"]).means().tolist() == [[float(read >= wanted)]], (
            read
        )


@settings(max_examples=75)
@given(cases(), focused_measures(), policies())
def test_agrees_with_the_definition(case: Case, asked: list[Asked], rules: list[Policy]) -> None:
    """Scores and means are the exact ones under every policy, and overlap is refused when it must be."""
    judgments, run, topics = case.judgments(), case.run(), case.topics(Topic)
    for policy in rules:
        assert_agreement(judgments, run, topics, asked, policy)


@settings(max_examples=75)
@given(exact_recalls(), policies())
def test_exact_recall_levels(generated: tuple[Case, list[Asked]], rules: list[Policy]) -> None:
    """A recall of exactly k/100 reaches its level; this is decided without rounding."""
    case, asked = generated
    assert_agreement(case.judgments(), case.run(), case.topics(Topic), asked, rules[0])


@settings(max_examples=75)
@given(cases(), focused_measures(), policies())
def test_the_two_oracles_agree(case: Case, asked: list[Asked], rules: list[Policy]) -> None:
    """Counting with spans gives the very fractions that counting with characters gives."""
    sets, intervals = case.topics(Topic), case.topics(IntervalTopic)
    policy = rules[1]
    for name in sets:
        for measure in asked:
            assert score(measure, sets[name], policy) == score(measure, intervals[name], policy)


@settings(max_examples=75)
@given(cases(), policies())
def test_does_not_rise_with_recall(case: Case, rules: list[Policy]) -> None:
    """iP never rises from one recall level to the next, and AiP lies between its ends."""
    names = [f"iP[{level / 100:.2f}]" for level in range(101)]
    for policy in rules[1:]:
        rows = evaluate(case.judgments(), [case.run()], [*names, "AiP"], policy=policy).values[0].tolist()
        for *levels, average in rows:
            assert all(high >= low for high, low in pairwise(levels) if high == high)  # noqa: PLR0124
            # The mean of 101 equal doubles may be off by a rounding.
            assert not average > levels[0] * (1 + 1e-15)
            assert not average < levels[-1] * (1 - 1e-15)


@settings(max_examples=75)
@given(cases(), st.integers(0, 40))
def test_irrelevant_text_at_the_end_changes_nothing(case: Case, length: int) -> None:
    """Irrelevant text below the last result changes neither iP nor AiP: they take the best point."""
    names = ["iP[0.00]", "iP[0.50]", "AiP"]
    policy = Policy(overlap="first", limit=None)
    longer = Case(
        case.highlights,
        (*case.results, *((topic, "nowhere", 0, length) for topic in case.topics(Topic) if case.results)),
        case.irrelevant,
        case.sizes,
    )
    before = evaluate(case.judgments(), [case.run()], names, policy=policy).values
    after = evaluate(longer.judgments(), [longer.run()], names, policy=policy).values
    assert str(before.tolist()) == str(after.tolist())
