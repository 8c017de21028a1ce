"""Agreement of two, said again with sets of characters and fractions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from span_sets import END, SPANS, Spans, characters, spans_of, tidy

from excerpt.assess.counting import (
    Cells,
    Estimate,
    Level,
    Unit,
    count_characters,
    count_documents,
    count_passages,
    exact,
    kappa,
)

PAIRS = st.lists(st.tuples(st.sampled_from(["1", "2", "3"]), SPANS, SPANS), min_size=1, max_size=6)


def groups(one: Spans, two: Spans) -> list[set[int]]:
    """Passages of both joined wherever two share a character, as 1, 2 or both who have a part in it."""
    found: list[tuple[set[int], set[int]]] = []
    for who, spans in ((1, spans_of(characters(one))), (2, spans_of(characters(two)))):
        for start, end in spans:
            held, names = set(range(start, end)), {who}
            for other in [group for group in found if group[0] & held]:
                found.remove(other)
                held, names = held | other[0], names | other[1]
            found.append((held, names))
    return [names for _, names in found]


def chance_corrected(values: Sequence[tuple[Hashable, Hashable]]) -> Fraction | None:
    """Cohen's kappa from its definition: observed and expected agreement."""
    total = len(values)
    if not total:
        return None
    first, second = Counter(a for a, _ in values), Counter(b for _, b in values)
    observed = Fraction(sum(a == b for a, b in values), total)
    expected = sum((Fraction(first[v], total) * Fraction(second[v], total) for v in first), Fraction(0))
    return None if expected == 1 else (observed - expected) / (1 - expected)


@given(PAIRS)
def test_characters(pairs: list[tuple[str, Spans, Spans]]) -> None:
    """Means over documents in which either has something; kappa over all characters of all documents."""
    units = [Unit.of(topic, count_characters(tidy(a), tidy(b), END)) for topic, a, b in pairs]
    level = Level(units)
    sets = [(characters(a), characters(b)) for _, a, b in pairs]
    known = [(a, b) for a, b in sets if a | b]
    assert level.left_out == len(sets) - len(known)
    jaccards = [Fraction(len(a & b), len(a | b)) for a, b in known]
    fs = [Fraction(2 * len(a & b), len(a) + len(b)) for a, b in known]
    assert level.jaccard.value == (sum(jaccards) / len(known) if known else None)
    assert level.f.value == (sum(fs) / len(known) if known else None)
    said = [(at in a, at in b) for a, b in sets for at in range(END)]
    assert level.kappa.value == chance_corrected(said)
    assert level.exact == Fraction(sum(a == b for a, b in said), len(said))
    either = sum(len(a | b) for a, b in sets)
    both = sum(len(a & b) for a, b in sets)
    assert level.together.jaccard == (Fraction(both, either) if either else None)


@given(SPANS, SPANS)
def test_passages(one: Spans, two: Spans) -> None:
    """Those that share a character are one; neighbours that only touch are two."""
    found = groups(one, two)
    counted = count_passages(tidy(one), tidy(two))
    assert counted == Cells(found.count({1, 2}), found.count({1}), found.count({2}), 0)
    if found:
        assert counted.jaccard == Fraction(found.count({1, 2}), len(found))
    else:
        assert (counted.jaccard, counted.f) == (None, None)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=8))
def test_documents(said: list[tuple[bool, bool]]) -> None:
    """All documents together: a single one has no F of its own worth a mean."""
    level = Level([Unit.of(str(n % 3), count_documents(*pair)) for n, pair in enumerate(said)], mean=False)
    both, either = sum(a and b for a, b in said), sum(a or b for a, b in said)
    assert level.jaccard.value == (Fraction(both, either) if either else None)
    marked = sum(a + b for a, b in said)
    assert level.f.value == (Fraction(2 * both, marked) if marked else None)
    assert level.kappa.value == chance_corrected(said)
    assert level.left_out == len(said) - either


GRADES = st.sampled_from([(0, 0), (1, 2), (3, 1), "?", 1, 2])


@given(st.lists(st.tuples(GRADES, GRADES), max_size=12))
def test_grades(said: list[tuple[Hashable, Hashable]]) -> None:
    """Any values are compared as they are."""
    crossed = Counter(said)
    assert kappa(crossed) == chance_corrected(said)  # type: ignore[arg-type]
    same = sum(a == b for a, b in said)
    assert exact(crossed) == (Fraction(same, len(said)) if said else None)  # type: ignore[arg-type]


@given(PAIRS, st.integers(0, 3))
def test_intervals_hold_what_resamples_give(pairs: list[tuple[str, Spans, Spans]], seed: int) -> None:
    """They are the same every time, lie in the range of the number, and need more than one document."""
    units = [Unit.of(topic, count_characters(tidy(a), tidy(b), END)) for topic, a, b in pairs]
    level, again = (Level(units, seed=seed, samples=50) for _ in range(2))
    for name, least in (("jaccard", 0), ("f", 0), ("kappa", -1)):
        found = getattr(level, name)
        assert found == getattr(again, name)
        if found.low is None:
            assert found.high is None
            continue
        assert least <= found.low <= float(found.value) <= found.high <= 1
        assert len(units) > 1


def test_intervals_are_over_topics() -> None:
    """Documents of a topic go together; those of a single topic go one by one."""
    perfect, nothing = Cells(5, 0, 0, 5), Cells(0, 5, 5, 0)
    two = Level([Unit.of("1", perfect)] * 9 + [Unit.of("2", nothing)], samples=200)
    assert two.jaccard == (Fraction(9, 10), 0.0, 1.0)
    one = Level([Unit.of("1", perfect)] * 9 + [Unit.of("1", nothing)], samples=200)
    assert one.jaccard.value == Fraction(9, 10)
    assert one.jaccard.low is not None
    assert 0.5 < one.jaccard.low < 0.9
    same = Level([Unit.of("1", perfect)] * 4, samples=200)
    assert same.jaccard == Estimate(Fraction(1), 1.0, 1.0)
    assert same.kappa.value == 1
    assert Level([Unit.of("1", perfect)]).jaccard == Estimate(Fraction(1))
    assert Level([]).kappa == (None, None, None)


@pytest.mark.parametrize("mean", [True, False])
def test_resampling_every_document_once_gives_the_number(mean: bool) -> None:
    """With all documents alike each resample is the sample itself."""
    cells = Cells(3, 1, 2, 4)
    level = Level([Unit.of("1", cells)] * 3, mean=mean, samples=20)
    for found in (level.jaccard, level.f, level.kappa):
        assert found.value is not None
        assert (found.low, found.high) == (float(found.value), float(found.value))


def test_resamples_keep_every_digit() -> None:
    """With two documents each resample is one of them twice, or both: the limits are their own numbers."""
    units = [Unit.of("1", Cells(1, 5, 5, 3)), Unit.of("1", Cells(1, 4, 1, 9))]
    level = Level(units, samples=100)
    assert (level.jaccard.low, level.jaccard.high) == (1 / 11, 1 / 6)
    assert (level.f.low, level.f.high) == (1 / 6, 2 / 7)


def test_nothing_in_common_has_no_interval() -> None:
    """Of grades that both gave there may be none."""
    assert Level([Unit("1", {}), Unit("2", {})]).kappa == Estimate(None)


def test_passages_have_no_chance() -> None:
    """Nobody can say how many passages neither highlighted."""
    level = Level([Unit.of("1", count_passages([(0, 5)], [(3, 9)]))], bounded=False)
    assert (level.kappa.value, level.exact, level.jaccard.value) == (None, None, Fraction(1))
