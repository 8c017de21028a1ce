"""BEPD and EPRUM against worked examples and their definitions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.element_oracle import assert_agrees, entry_score
from support.element_strategies import LEVELS, RANKS
from support.oracle import Asked

from excerpt import ExcerptError, Judgments, Policy, Result, Run, Span, evaluate
from excerpt.measures import parse


def _example(distances: list[int | None], total: int) -> tuple[Judgments, Run]:
    """Entry points at such distances from the best ones (None: a document without), of so many best ones."""
    relevant = [f"D{rank}" for rank, d in enumerate(distances) if d is not None]
    relevant += [f"M{rest}" for rest in range(total - len(relevant))]
    judgments = Judgments.of(
        [("1", Span(document, 0, 9)) for document in relevant],
        entries={("1", document): 1000 for document in relevant},
    )
    rows = []
    for rank, d in enumerate(distances):
        start = 1000 + (d or 0) * (-1) ** rank
        rows.append(Result("1", f"D{rank}", start, start + 1))
    return judgments, Run.of("r", rows)


def _check(judgments: Judgments, run: Run, expected: dict[str, str]) -> None:
    table = evaluate(judgments, [run], expected)
    for name, value in expected.items():
        assert table.mean("r", name) == pytest.approx(float(Fraction(value)), rel=1e-15, abs=0), name


def test_worked_example_e8() -> None:
    judgments, run = _example([0, None, 100, 300], 3)
    expected = {
        "BEPD(L=1000)": "7/12",
        "BEPD(A=1, L=100)": "7/12",
        "EPRUM(L=1000)": "143/288",
        "EPRUM(L=1000)[1/3]": "1",
        "EPRUM(L=1000)[0.33]": "1",
        "EPRUM(L=1000)[0.34]": "19/48",
        "EPRUM(L=1000)[2/3]": "19/48",
        "EPRUM(L=1000)[0.67]": "3/32",
        "EPRUM(L=1000)[1]": "3/32",
    }
    rank = {"1": "1", "2": "1/2", "3": "1/2", "4": "7/16", "7": "1/4"}
    expected |= {f"EPRUM(at=rank, L=1000)[{r}]": value for r, value in rank.items()}
    _check(judgments, run, expected)


def test_worked_example_e8_halves() -> None:
    judgments, run = _example([100, 100], 2)
    _check(judgments, run, {"EPRUM(L=1000)[0.5]": "5/8", "EPRUM(L=1000)[1]": "1/4", "EPRUM(L=1000)": "7/16"})


def test_worked_example_e8_nine_tenths() -> None:
    judgments, run = _example([100, None, 0], 2)
    chosen = "A=0.9, L=1000"
    _check(
        judgments,
        run,
        {f"EPRUM({chosen})[0.5]": "14/15", f"EPRUM({chosen})[1]": "3/5", f"EPRUM({chosen})": "23/30"},
    )


#: Documents a to d are relevant, e was judged, y was not; -1 starts nowhere.
_RESULTS = st.lists(st.tuples(st.sampled_from("aabbccddey"), st.integers(-1, 60)), max_size=10)
_ENTRIES = st.dictionaries(st.sampled_from("abcd"), st.integers(0, 60))
_OPTIONS = st.tuples(
    st.sampled_from(("", "0.01", "0.1", "1", "10", "0.3")),
    st.sampled_from(("1", "7", "33", "99", "100", "3140")),
)


def _asked(options: tuple[str, str], level: str, rank: str) -> list[Asked]:
    chosen = (*((("A", options[0]),) if options[0] else ()), ("L", options[1]))
    return [
        Asked("BEPD", None, chosen),
        Asked("EPRUM", None, chosen),
        Asked("EPRUM", level, chosen),
        Asked("EPRUM", "1.00", chosen),
        Asked("EPRUM", rank, (("at", "rank"), *chosen)),
    ]


@settings(max_examples=200)
@given(_RESULTS, _ENTRIES, st.builds(_asked, _OPTIONS, LEVELS, RANKS), st.booleans())
def test_agrees_with_the_definition(
    results: list[tuple[str, int]], entries: dict[str, int], asked: list[Asked], several: bool
) -> None:
    """Topic 1 has the entry points, topic 2 has one, topic 3 relevant text without one, topic 4 neither."""
    if not several:
        results = list(dict(reversed(results)).items())[::-1]
    judgments = Judgments.of(
        [(topic, Span(document, 0, 9)) for topic in "123" for document in "abcd"],
        irrelevant=[(topic, name) for topic in "1234" for name in ("e", *(row[0] for row in results[:1]))],
        entries={("1", document): place for document, place in entries.items()} | {("2", "b"): 30},
    )
    run = Run.of(
        "run",
        [Result(topic, document, start, start) for topic in "1234" for document, start in results],
    )
    points = {"1": entries, "2": {"b": 30}}
    if len({document for document, _ in results}) < len(results):  # BEPD refuses several entries
        asked = [one for one in asked if one.name != "BEPD"]
    assert_agrees(judgments, run, asked, lambda topic, one: entry_score(results, points.get(topic, {}), one))


def test_judgments_without_entry_points_are_refused() -> None:
    judgments = Judgments.of([("1", Span("A", 0, 9))])
    for name in ("BEPD(L=1)", "EPRUM(L=1)"):
        with pytest.raises(ExcerptError, match="entry points"):
            evaluate(judgments, [Run.of("r", [Result("1", "A", 0, 1)])], [name])


def test_a_long_list_of_many_entry_points() -> None:
    """300 documents, none found for sure: probabilities stay probabilities."""
    judgments, run = _example([rank % 50 for rank in range(300)], 320)
    asked = [Asked("EPRUM", x, (("L", "100"),)) for x in (None, "0.1", "0.5", "0.9")]
    topic = {f"D{rank}": 1000 for rank in range(300)} | {f"M{rest}": 1000 for rest in range(20)}
    scores = evaluate(judgments, [run], [str(one) for one in asked]).means()[0]
    # The same in doubles: a recurrence over Pr(N = k).
    chance = np.array([10 / (10 + rank % 50) for rank in range(300)])
    exactly = np.zeros(len(topic) + 1)
    exactly[0] = 1
    precision = np.zeros(len(topic) + 1)
    for m, p in enumerate(chance.tolist(), 1):
        precision[1:] += np.arange(1, len(precision)) / m * exactly[:-1] * p
        exactly[1:] = exactly[1:] * (1 - p) + exactly[:-1] * p
        exactly[0] *= 1 - p
    right = [precision[1:].sum() / 320, precision[32], precision[160], precision[288]]
    np.testing.assert_allclose(scores, right, rtol=1e-11, atol=1e-15)


def test_several_entries_into_one_document() -> None:
    """BEPD refuses them as the task demands, or takes the first; EPRUM gives each its chance."""
    judgments = Judgments.of([("1", Span("A", 0, 9))], entries={("1", "A"): 100})
    run = Run.of("r", [Result("1", "A", 0, 1), Result("1", "A", 0, 101)])
    with pytest.raises(ExcerptError, match="second result"):
        evaluate(judgments, [run], ["BEPD(L=1000)"])
    table = evaluate(judgments, [run], ["BEPD(L=1000)"], policy=Policy(overlap="first"))
    assert table.means().tolist() == [[0.5]]
    # Seen at rank 1 with 1/2, else at rank 2 with 1/2: 1/2 + 1/2·1/4.
    table = evaluate(judgments, [run], ["EPRUM(L=1000)", "EPRUM(at=rank, L=1000)[2]"])
    assert table.means().tolist() == [[0.625, 0.375]]


def test_l_is_required_without_an_index() -> None:
    judgments, run = _example([0], 1)
    for name in ("BEPD", "EPRUM", "EPRUM[0.5]"):
        with pytest.raises(ExcerptError, match="L"):
            evaluate(judgments, [run], [name])


@pytest.mark.parametrize("cutoff", ["1e400", "1e9999", "x", "1/0", "-1", "0", "nan", "٣"])
def test_bad_cutoffs_are_refused_in_a_line(cutoff: str) -> None:
    for options in ("L=1", "L=1, at=rank"):
        with pytest.raises(ExcerptError) as caught:
            parse(f"EPRUM({options})[{cutoff}]")
        assert len(str(caught.value)) < 200
