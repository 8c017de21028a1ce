"""Tests of agreement on generated campaigns, against sets of characters and fractions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.span_sets import END, SPANS, Spans, characters, spans_of, tidy

from excerpt.assess.kappa import (
    AgreementEstimate,
    AgreementSettings,
    Cells,
    DocumentCounts,
    Level,
    Resamples,
    assessor_pairs,
    compare_all,
    count_characters,
    count_documents,
    count_passages,
    exact,
    kappas,
    limits,
    right_reasons,
)
from excerpt.assess.kappa import kappa as kappa_kappa
from excerpt.assess.opinions import Grade, JudgedPair, Label, Opinion, Opinions
from excerpt.assess.procedures import procedure_of
from excerpt.errors import ExcerptError

NAMES = ("ann", "bob", "eve")
PAIRS = [JudgedPair(topic, document) for topic in ("1", "2") for document in ("A", "B")]
LENGTHS = {"A": END, "B": END + 7}


@st.composite
def opinions(draw: st.DrawFn) -> list[tuple[JudgedPair, str, bool, Spans]]:
    """Opinions of assessors: finished documents and highlights."""
    asked = st.tuples(st.sampled_from(PAIRS), st.sampled_from(NAMES))
    chosen = draw(st.lists(asked, unique=True, max_size=10))
    return [(pair, name, draw(st.booleans()) or draw(st.booleans()), draw(SPANS)) for pair, name in chosen]


def mean(values: list[Fraction]) -> float | None:
    """Mean of fractions."""
    return float(sum(values, Fraction(0)) / len(values)) if values else None


def kappa(cells: list[int]) -> float | None:
    """Kappa of the numbers of both, first only, second only and neither."""
    both, first, second, neither = map(Fraction, cells)
    total = both + first + second + neither
    chance = ((both + first) * (both + second) + (neither + first) * (neither + second)) / total / total
    return None if chance == 1 else float(((both + neither) / total - chance) / (1 - chance))


def cells(one: set[int], two: set[int], length: int) -> list[int]:
    """Both, first only, second only, neither."""
    return [len(one & two), len(one - two), len(two - one), length - len(one | two)]


def expected(common: list[tuple[JudgedPair, set[int], set[int]]]) -> dict[str, Any]:
    """Expected scores of characters and documents that two assessors have in common."""
    known = [(one, two) for _, one, two in common if one | two]
    together = [cells(one, two, LENGTHS[pair.document]) for pair, one, two in common]
    said = [(bool(one), bool(two)) for _, one, two in common]
    both, either = sum(a and b for a, b in said), sum(a or b for a, b in said)
    marked = sum(a + b for a, b in said)
    documents = [both, sum(a and not b for a, b in said), sum(b and not a for a, b in said)]
    return {
        "documents": len(common),
        "left_out": len(common) - len(known),
        "jaccard": mean([Fraction(len(one & two), len(one | two)) for one, two in known]),
        "f": mean([Fraction(2 * len(one & two), len(one) + len(two)) for one, two in known]),
        "kappa": kappa([sum(column) for column in zip(*together, strict=True)]),
        "of documents": (
            both / either if either else None,
            2 * both / marked if marked else None,
            kappa([*documents, len(said) - sum(documents)]),
        ),
    }


def alpha_of(units: list[list[int]]) -> float | None:
    """Alpha of zeros and ones, from counts of zeros and ones."""
    paired = [unit for unit in units if len(unit) > 1]
    ones, total = sum(map(sum, paired)), sum(map(len, paired))
    if not 0 < ones < total:
        return None
    apart = sum(Fraction(2 * sum(unit) * (len(unit) - sum(unit)), len(unit) - 1) for unit in paired)
    return float(1 - (total - 1) * apart / (2 * ones * (total - ones)))


def units_of(row: dict[str, Any], finished: dict[tuple[JudgedPair, str], set[int]]) -> list[list[int]]:
    """Zeros and ones of the documents or characters of a row."""
    names = [name for name in NAMES if row["assessors"] == "all" or name in row["assessors"]]
    pairs = [pair for pair in PAIRS if row["topic"] in {"all", pair.topic}]
    judged = [[finished[pair, name] for name in names if (pair, name) in finished] for pair in pairs]
    if row["level"] == "document":
        return [[int(bool(marked)) for marked in some] for some in judged]
    sized = zip(judged, (LENGTHS[pair.document] for pair in pairs), strict=True)
    return [[int(at in marked) for marked in some] for some, size in sized for at in range(size)]


@given(opinions())
def test_rows(said: list[tuple[JudgedPair, str, bool, Spans]]) -> None:
    """Rows exist for every two assessors with common pairs, for all together, and by topic."""
    made = [Opinion(pair, (name,), done, tidy(spans)) for pair, name, done, spans in said]
    shared = assessor_pairs(Opinions.collect(PAIRS, made))
    overall, by_topic = compare_all(AgreementSettings(procedure_of("inex2007"), LENGTHS, samples=10), shared)
    finished = {(pair, name): characters(spans) for pair, name, done, spans in said if done}
    wanted: dict[str, list[tuple[JudgedPair, set[int], set[int]]]] = {}
    for one, two in combinations(NAMES, 2):
        common = [
            (pair, finished[pair, one], finished[pair, two])
            for pair in PAIRS
            if (pair, one) in finished and (pair, two) in finished
        ]
        if common:
            wanted[f"{one}, {two}"] = common
    both = {one.pair for two in shared for one, _ in two.opinions}
    assert both == {pair for common in wanted.values() for pair, _, _ in common}
    if len(wanted) > 1:
        wanted["all"] = [item for common in wanted.values() for item in common]
    assert {row["assessors"] for row in overall} == wanted.keys()
    for row in (*overall, *by_topic):
        common = [item for item in wanted[row["assessors"]] if row["topic"] in {"all", item[0].topic}]
        numbers = expected(common)
        if row["level"] == "character":
            for name in ("documents", "left_out", "jaccard", "f"):
                assert row[name] == numbers[name], name
            assert row["kappa"] == (None if row["assessors"] == "all" else numbers["kappa"])
        if row["level"] == "document":
            jaccard, f, chance = numbers["of documents"]
            assert (row["jaccard"], row["f"]) == (jaccard, f)
            assert row["kappa"] == (None if row["assessors"] == "all" else chance)
        if row["level"] == "passage":
            assert (row["kappa"], row["exact"], row["left_out"]) == (None, None, numbers["left_out"])
        if row["level"] != "passage":
            assert row["alpha"] == alpha_of(units_of(row, finished))
    topics = {(row["assessors"], row["topic"]) for row in by_topic}
    last = list(wanted)[-1:]
    assert topics == {(name, pair.topic) for name in last for pair, _, _ in wanted[name]}


def graded(name: str, inferred: dict[str, Any] | None = None, **grades: Any) -> Opinion:
    """An opinion on elements a, b, …"""
    return Opinion(PAIRS[0], (name,), grades=grades, inferred=inferred or {})


def test_grades() -> None:
    """Each dimension is compared over elements that both graded; others are counted."""
    one = graded("ann", a=(1, 2), b=(3, 3), c=(0, 0), e=(1, 1))
    two = graded("bob", {"d": (0, 0)}, a=(1, 3), b=(3, 3), c=(1, 1))
    rows = list(AgreementSettings(procedure_of("inex2004"), LENGTHS).rows("ann, bob", [(one, two)]))
    assert [row["level"] for row in rows] == ["document", "element: exhaustivity", "element: specificity"]
    assert (rows[1]["exact"], rows[2]["exact"]) == (2 / 3, 1 / 3)
    assert (rows[1]["left_out"], rows[1]["jaccard"], rows[1]["jaccard_together"]) == (2, None, None)
    # Chance for exhaustivity: the first says 0, 1 and 3 once each; the second 1 twice, and 3 once.
    assert rows[1]["kappa"] == float((Fraction(2, 3) - Fraction(3, 9)) / (1 - Fraction(3, 9)))
    assert rows[0]["jaccard"] == 1.0


def test_grades_of_2002_and_2005() -> None:
    """Coverage is compared by letter, exhaustivity with `?`."""
    letters = [(graded("ann", a=(1, "L"), b=(2, "E")), graded("bob", a=(1, "S"), b=(2, "E")))]
    rows = {
        row["level"]: row["exact"]
        for row in AgreementSettings(procedure_of("inex2002"), LENGTHS).rows("x", letters)
    }
    assert rows == {"document": 1.0, "element: relevance": 1.0, "element: coverage": 0.5}
    marks = [(graded("ann", a=2, b="?"), graded("bob", a=1, b="?"))]
    (last,) = list(AgreementSettings(procedure_of("inex2005"), LENGTHS).rows("x", marks))[-1:]
    assert (last["level"], last["exact"]) == ("element: exhaustivity", 0.5)


LABELS = st.lists(st.tuples(st.integers(0, END - 1), st.sampled_from("xyz")), max_size=6)


def labelled(name: str, spans: Spans, cuts: list[tuple[int, str]]) -> tuple[Opinion, dict[int, str]]:
    """An opinion with labels, and its label per character."""
    labels = []
    said: dict[int, str] = {}
    for start, end in tidy(spans):
        inside = sorted({at: label for at, label in cuts if start <= at < end}.items())
        for (at, label), (after, _) in zip(inside, [*inside[1:], (end, "")], strict=False):
            labels.append(Label(at, after, label, "", name))
            said |= dict.fromkeys(range(at, after), label)
    return Opinion(PAIRS[0], (name,), highlights=tidy(spans), labels=tuple(labels)), said


@given(SPANS, LABELS, SPANS, LABELS)
def test_labels(
    first: Spans, cuts: list[tuple[int, str]], second: Spans, others: list[tuple[int, str]]
) -> None:
    """Labels are compared over characters that both labelled; other common highlights are counted."""
    (one, said), (two, other) = labelled("ann", first, cuts), labelled("bob", second, others)
    rows = {
        row["level"]: row
        for row in AgreementSettings(procedure_of("evidence"), LENGTHS).rows("x", [(one, two)])
    }
    common = said.keys() & other.keys()
    same = sum(said[at] == other[at] for at in common)
    assert rows["label"]["exact"] == (same / len(common) if common else None)
    marked = characters(first) & characters(second)
    assert rows["label"]["left_out"] == len(marked - common)


def test_right_for_the_right_reason() -> None:
    """Counts documents relevant for both, and those with overlapping highlights."""
    both = [
        (Opinion(PAIRS[0], (), highlights=one), Opinion(PAIRS[0], (), highlights=two))
        for one, two in (
            (((0, 5),), ((4, 9),)),
            (((0, 5),), ((5, 9),)),
            (((0, 5),), ()),
        )
    ]
    assert right_reasons(both) == (2, 1)


def test_mistakes() -> None:
    """Invalid seeds and numbers of samples are errors."""
    with pytest.raises(
        ExcerptError,
        match="found seed -1 and 1000 samples, expected at least 0 and at least 1",
    ):
        AgreementSettings(procedure_of("inex2007"), {}, seed=-1)


COUNTING_PAIRS = st.lists(st.tuples(st.sampled_from(["1", "2", "3"]), SPANS, SPANS), min_size=1, max_size=6)


def groups(one: Spans, two: Spans) -> list[set[int]]:
    """Overlapping passages of both, joined, as 1, 2 or 3 (both)."""
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
    """Cohen's kappa by definition: observed and expected agreement."""
    total = len(values)
    if not total:
        return None
    first, second = Counter(a for a, _ in values), Counter(b for _, b in values)
    observed = Fraction(sum(a == b for a, b in values), total)
    expected = sum((Fraction(first[v], total) * Fraction(second[v], total) for v in first), Fraction(0))
    return None if expected == 1 else (observed - expected) / (1 - expected)


@given(COUNTING_PAIRS)
def test_characters(pairs: list[tuple[str, Spans, Spans]]) -> None:
    """Jaccard and F are means over documents with highlights; kappa is over all characters."""
    units = [DocumentCounts.of(topic, count_characters(tidy(a), tidy(b), END)) for topic, a, b in pairs]
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
    """Passages that share a character are joined; adjacent ones are not."""
    found = groups(one, two)
    counted = count_passages(tidy(one), tidy(two))
    assert counted == Cells(found.count({1, 2}), found.count({1}), found.count({2}), 0)
    if found:
        assert counted.jaccard == Fraction(found.count({1, 2}), len(found))
    else:
        assert (counted.jaccard, counted.f) == (None, None)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=8))
def test_documents(said: list[tuple[bool, bool]]) -> None:
    """All documents are counted together."""
    level = Level(
        [DocumentCounts.of(str(n % 3), count_documents(*pair)) for n, pair in enumerate(said)], mean=False
    )
    both, either = sum(a and b for a, b in said), sum(a or b for a, b in said)
    assert level.jaccard.value == (Fraction(both, either) if either else None)
    marked = sum(a + b for a, b in said)
    assert level.f.value == (Fraction(2 * both, marked) if marked else None)
    assert level.kappa.value == chance_corrected(said)
    assert level.left_out == len(said) - either


GRADES = st.sampled_from([(0, 0), (1, 2), (3, 1), "?", 1, 2])


@given(st.lists(st.tuples(GRADES, GRADES), max_size=12))
def test_counting_grades(said: list[tuple[Hashable, Hashable]]) -> None:
    """Any values can be compared."""
    crossed = Counter(said)
    assert kappa_kappa(crossed) == chance_corrected(said)  # type: ignore[arg-type]
    same = sum(a == b for a, b in said)
    assert exact(crossed) == (Fraction(same, len(said)) if said else None)  # type: ignore[arg-type]


@given(COUNTING_PAIRS, st.integers(0, 3))
def test_intervals_hold_what_resamples_give(pairs: list[tuple[str, Spans, Spans]], seed: int) -> None:
    """Intervals are reproducible, in the range of the score, and need two documents."""
    units = [DocumentCounts.of(topic, count_characters(tidy(a), tidy(b), END)) for topic, a, b in pairs]
    level, again = (Level(units, seed=seed, samples=50) for _ in range(2))
    for name, least in (("jaccard", 0), ("f", 0), ("kappa", -1)):
        found = getattr(level, name)
        assert found == getattr(again, name)
        if found.low is None:
            assert found.high is None
            continue
        assert least <= found.low <= float(found.value) <= found.high <= 1
        assert len(units) > 1


def test_intervals_are_over_documents() -> None:
    """Documents are resampled, whatever their topics; the pairs of one document are drawn together."""
    perfect, nothing = Cells(5, 0, 0, 5), Cells(0, 5, 5, 0)
    for topic in ("1", "2"):
        found = Level(
            [DocumentCounts.of("1", perfect)] * 9 + [DocumentCounts.of(topic, nothing)], samples=200
        )
        assert found.jaccard.value == Fraction(9, 10)
        assert found.jaccard.low is not None
        assert 0.5 < found.jaccard.low < 0.9
    three = [DocumentCounts.of("1", cells, "A") for cells in (perfect, nothing, nothing)]
    assert Level(three, samples=200).jaccard == AgreementEstimate(Fraction(1, 3))
    same = Level([DocumentCounts.of("1", perfect)] * 4, samples=200)
    assert same.jaccard == AgreementEstimate(Fraction(1), 1.0, 1.0)
    assert same.kappa.value == 1
    assert Level([DocumentCounts.of("1", perfect)]).jaccard == AgreementEstimate(Fraction(1))
    assert Level([]).kappa == (None, None, None)


@pytest.mark.parametrize("mean", [True, False])
def test_resampling_every_document_once_gives_the_number(mean: bool) -> None:
    """With identical documents each resample equals the sample."""
    cells = Cells(3, 1, 2, 4)
    level = Level([DocumentCounts.of("1", cells)] * 3, mean=mean, samples=20)
    for found in (level.jaccard, level.f, level.kappa):
        assert found.value is not None
        assert (found.low, found.high) == (float(found.value), float(found.value))


def test_resamples_keep_every_digit() -> None:
    """With two documents the limits are the scores of the documents."""
    units = [DocumentCounts.of("1", Cells(1, 5, 5, 3)), DocumentCounts.of("1", Cells(1, 4, 1, 9))]
    level = Level(units, samples=100)
    assert (level.jaccard.low, level.jaccard.high) == (1 / 11, 1 / 6)
    assert (level.f.low, level.f.high) == (1 / 6, 2 / 7)


def test_nothing_in_common_has_no_interval() -> None:
    """Without units there is no interval."""
    assert Level([DocumentCounts("1", {}), DocumentCounts("2", {})]).kappa == AgreementEstimate(None)


def test_passages_have_no_chance() -> None:
    """Passages have no kappa, since those that neither highlighted cannot be counted."""
    level = Level([DocumentCounts.of("1", count_passages([(0, 5)], [(3, 9)]))], bounded=False)
    assert (level.kappa.value, level.exact, level.jaccard.value) == (None, None, Fraction(1))


SHARES = st.fractions(0, 1, max_denominator=10**6)
SAMPLES = 20


def drawn(clusters: int) -> list[list[int]]:
    """The clusters of each resample, as the class draws them."""
    resamples = Resamples(clusters, SAMPLES, seed=3)
    each = [resamples.sums([int(own == other) for own in range(clusters)]) for other in range(clusters)]
    return [[n for n in range(clusters) for _ in range(each[n][at])] for at in range(SAMPLES)]


@given(st.lists(st.tuples(SHARES, st.integers(0, 3)), min_size=2, max_size=8))
def test_means_are_rounded_once(clusters: list[tuple[Fraction, int]]) -> None:
    """Each mean is the float nearest to the exact mean."""
    totals, counts = [total if count else Fraction(0) for total, count in clusters], [c for _, c in clusters]
    found = Resamples(len(clusters), SAMPLES, seed=3).means(totals, counts)
    for value, chosen in zip(found.tolist(), drawn(len(clusters)), strict=True):
        units = sum(counts[n] for n in chosen)
        wanted = sum((totals[n] for n in chosen), Fraction(0))
        assert np.isnan(value) if not units else value == float(wanted / units)


CROSSED = st.dictionaries(
    st.tuples(st.sampled_from([0, 1, "?"]), st.sampled_from([0, 1, "?"])), st.integers(0, 10**9)
)


@given(st.lists(CROSSED, min_size=2, max_size=5))
def test_kappas_are_rounded_once(clusters: list[dict[tuple[Grade, Grade], int]]) -> None:
    """Each kappa is the float nearest to the exact kappa."""
    resamples = Resamples(len(clusters), SAMPLES, seed=3)
    pairs = {pair for cluster in clusters for pair in cluster} | {(0, 0)}
    found = kappas({pair: resamples.sums([one.get(pair, 0) for one in clusters]) for pair in pairs})
    for value, chosen in zip(found.tolist(), drawn(len(clusters)), strict=True):
        together: Counter[tuple[Grade, Grade]] = Counter()
        for n in chosen:
            together.update(clusters[n])
        wanted = kappa_kappa(together)
        assert np.isnan(value) if wanted is None else value == float(wanted)


def test_limits_leave_out_a_twentieth() -> None:
    """Limits are interpolated, and widened to contain the score."""
    assert limits(Fraction(20), np.arange(41.0)) == (1.0, 39.0)
    assert limits(Fraction(40), np.arange(41.0)) == (1.0, 40.0)
    assert limits(None, np.arange(41.0)) == (None, None)
    assert limits(Fraction(1), np.array([np.nan])) == (None, None)
