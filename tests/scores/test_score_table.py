"""Tables of scores: access, means, and what is saved comes back."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from excerpt import ExcerptError, ScoreTable, save_scores
from excerpt.errors import UnknownName
from excerpt.model.judgments import Question
from excerpt.model.spans import FloatArray, exact_means
from excerpt.scores.score_outputs import frames
from excerpt.scores.score_table import find_measure, other_runs, value_of

EXAMPLE = ScoreTable(
    ("r", "s"),
    ("r.run", "s.run"),
    ("1", "2", "3"),
    ("AiP", "iP[0.01]"),
    np.array([[[0.1, 1], [0.2, math.nan], [0.3, 0]], [[math.nan, 0.5], [math.nan, math.nan], [math.nan, 1]]]),
)


def test_means_leave_undefined_scores_out() -> None:
    """The mean is over defined scores, exactly rounded; it is undefined where no score is defined."""
    assert EXAMPLE.mean("r", "AiP") == math.fsum([0.1, 0.2, 0.3]) / 3
    assert EXAMPLE.mean("r", "iP[0.01]") == 0.5
    assert math.isnan(EXAMPLE.mean("s", "AiP"))
    assert EXAMPLE.mean("s", "iP[0.01]") == 0.75
    assert EXAMPLE["r", "2", "AiP"] == 0.2


def test_unknown_names_are_refused() -> None:
    """A run, topic or measure that is not in the table is an error that suggests one that is."""
    for key in (("x", "1", "AiP"), ("r", "9", "AiP"), ("r", "1", "AiPP")):
        with pytest.raises(UnknownName):
            EXAMPLE[key]
    with pytest.raises(UnknownName, match="did you mean 'AiP'"):
        EXAMPLE.mean("r", "AiPP")


@settings(max_examples=150)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=60))
def test_means_do_not_depend_on_the_order(scores: list[float]) -> None:
    """The mean is within one rounding of the exact mean, whatever the order of topics."""

    def mean(values: list[float]) -> float:
        topics = tuple(map(str, range(len(values))))
        return ScoreTable(("r",), ("",), topics, ("m",), np.array(values).reshape(1, -1, 1)).mean("r", "m")

    exact = sum(map(Fraction, scores), Fraction(0)) / len(scores)
    assert mean(scores) == mean(sorted(scores)) == mean(scores[::-1])
    assert abs(Fraction(mean(scores)) - exact) <= Fraction(1, 2**52) * exact + Fraction(1, 2**1074)


def test_printed_object() -> None:
    """The object that the command line prints has null for undefined scores, and topics only if asked."""
    shown = EXAMPLE.to_dict()
    assert shown["measures"] == ["AiP", "iP[0.01]"]
    assert shown["runs"][1] == {
        "name": "s",
        "file": "s.run",
        "scores": {"AiP": None, "iP[0.01]": 0.75},
        "intervals": {"AiP": None, "iP[0.01]": [0.5, 1.0]},
        "aliases": {},
    }
    topics = EXAMPLE.to_dict(per_topic=True)["runs"][1]["topics"]
    assert topics["1"] == {"AiP": None, "iP[0.01]": 0.5}
    assert topics["2"] == {"AiP": None, "iP[0.01]": None}
    assert list(topics) == ["1", "2", "3"]
    json.dumps(shown, allow_nan=False)


def test_wide_form() -> None:
    """A pandas frame of means has a row per run and a column per measure."""
    pytest.importorskip("pandas", reason="data frames need pandas")
    frame = EXAMPLE.wide()
    assert (list(frame.index), list(frame.columns)) == (["r", "s"], ["AiP", "iP[0.01]"])
    assert frame.loc["s", "iP[0.01]"] == 0.75
    assert math.isnan(frame.loc["s", "AiP"])


def test_some_topics() -> None:
    """The scores of the topics at some places."""
    some = EXAMPLE.of_topics([2, 0])
    assert some.topics == ("3", "1")
    assert some["r", "3", "AiP"] == 0.3


def test_pandas_long_form() -> None:
    """A pandas frame has one row per score."""
    pytest.importorskip("pandas", reason="data frames need pandas")
    frame = EXAMPLE.to_pandas()
    assert list(frame.columns) == ["run", "topic", "measure", "score"]
    assert len(frame) == 12
    assert frame["score"].isna().sum() == 5


def test_polars_is_given_the_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library makes a frame of the columns that all frames and files have."""
    import sys
    from types import SimpleNamespace

    monkeypatch.setitem(sys.modules, "polars", SimpleNamespace(DataFrame=dict))
    assert repr(EXAMPLE.to_polars()) == repr(EXAMPLE.columns())  # NaN is equal to nothing


def test_polars_long_form() -> None:
    """A polars frame has one row per score."""
    pytest.importorskip("polars", reason="polars comes with --thorough")
    frame = EXAMPLE.to_polars()
    assert frame.columns == ["run", "topic", "measure", "score"]
    assert frame.height == 12


def test_missing_libraries_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A frame or file that needs a library which is not there says what to install."""
    import sys

    for library in ("pandas", "polars", "pyarrow"):
        monkeypatch.setitem(sys.modules, library, None)
    for make in (EXAMPLE.to_pandas, EXAMPLE.to_polars, lambda: save_scores(EXAMPLE, "x.parquet")):
        with pytest.raises(ExcerptError, match=r"pip install 'excerpt\[frames\]'"):
            make()


def test_a_run_alone_is_its_means() -> None:
    """`table[run]` has the mean by every measure; anything else than a run or three names is explained."""
    assert EXAMPLE["r"] == {"AiP": EXAMPLE.mean("r", "AiP"), "iP[0.01]": 0.5}
    with pytest.raises(UnknownName, match="unknown run 'x'; known: r, s"):
        EXAMPLE["x"]
    with pytest.raises(ExcerptError, match="expected a run, or a run, a topic and a measure"):
        EXAMPLE["r", "1"]  # type: ignore[index]


@pytest.mark.parametrize("saved", ["charR@5", "charR[5]"])
@pytest.mark.parametrize("asked", ["charR@5", "charR[5]", " charR [5]"])
def test_measures_are_found_however_they_are_spelt(saved: str, asked: str) -> None:
    """A table knows a measure by each of its spellings, also one that was saved and loaded."""
    table = ScoreTable.from_csv(ScoreTable.from_scores({("r", "1", saved): 0.25}).to_csv())
    assert table.mean("r", asked) == table["r", "1", asked] == 0.25
    assert table.select([asked]).measures == (saved,)


def test_means_names_are_the_measure() -> None:
    """MAiP and AiP are the same measure."""
    assert EXAMPLE.mean("r", "MAiP") == EXAMPLE.mean("r", "AiP")


def test_equal_means_are_equal() -> None:
    """The same scores in another order have the same mean."""
    rows = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]])
    assert rows[0].mean() != rows[1].mean()
    assert len(set(exact_means(rows).tolist())) == 1
    assert exact_means(np.empty((2, 0))).tolist() == pytest.approx([math.nan] * 2, nan_ok=True)


@given(arrays(np.float64, (7, 5), elements=st.just(math.nan) | st.floats(0, 1) | st.floats(-1, 1e300)))
def test_exact_means_are_correctly_rounded(rows: FloatArray) -> None:
    """Sums are what `math.fsum` gives, also of negative and of very different numbers."""
    for row, mean in zip(rows.tolist(), exact_means(rows).tolist(), strict=True):
        defined = [score for score in row if not math.isnan(score)]
        wanted = math.fsum(defined) / len(defined) if defined else math.nan
        assert mean == wanted or (math.isnan(mean) and math.isnan(wanted))


def test_a_table_of_nearly_nothing() -> None:
    """Few scores of very many runs, topics and measures do not take memory for all of them."""
    scores = {(f"r{i}", f"t{i}", f"m{i}"): 0.5 for i in range(300)}
    with pytest.raises(ExcerptError, match=r"found 300 scores for 27000000 cells \(300 runs"):
        ScoreTable.from_scores(scores)


ALIASES = {"recall@5": "charR@5"}


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("charR[5]", "recall@5"),
        ("charR@5", "recall@5"),
        ("recall@5", "recall@5"),
        ("charR[6]", None),
        ("my own", "my own"),
        ("mine", None),
    ],
)
def test_spellings(name: str, found: str | None) -> None:
    """By its value, or by its name where that is no measure."""
    assert find_measure(name, ["my own", "recall@5"], ALIASES) == found


def test_one_name_for_two_measures_is_refused() -> None:
    """An everyday name may have another meaning in each table."""
    with pytest.raises(ExcerptError, match=r"found recall@5 for two measures, charF\[5\] and charR\[5\]"):
        find_measure("recall@5", ["recall@5"], ALIASES, {"recall@5": "charF@5"})


def test_values() -> None:
    """Names that are no measures have none."""
    assert value_of("iP@0.01") == value_of("iP[0.01]")
    assert value_of("no measure") is None


SCORES = {
    ("a", "1", "AiP"): 0.5,
    ("a", "2", "AiP"): None,
    ("b", "1", "AiP"): 0.25,
    ("b", "2", "AiP"): 0.75,
}


def table(scores: dict[tuple[str, str, str], float | None]) -> ScoreTable:
    """A table of some scores."""
    return ScoreTable.from_scores(scores)


def part(run: str, measure: str = "AiP", topics: str = "12") -> ScoreTable:
    """The scores of one run, in another order of topics, by another name of the measure."""
    return table({(run, topic, measure): SCORES[run, topic, "AiP"] for topic in topics})


def test_runs_are_joined() -> None:
    """Also where topics are in another order and the measure is spelt otherwise."""
    joined = part("a", "iP@0.01") + part("b", "iP[0.01]", "21")
    assert (joined.runs, joined.topics, joined.measures) == (("a", "b"), ("1", "2"), ("iP@0.01",))
    assert joined["b", "2", "iP@0.01"] == 0.75
    assert math.isnan(joined["a", "2", "iP@0.01"])


def test_measures_are_joined() -> None:
    """Scores in both tables must agree; warnings and questions of both are kept."""
    first = replace(table(SCORES), warnings=("one", "two"), questions={"1": Question("1", "Who?")})
    more = {(run, topic, "charR"): 0.5 for run, topic, _ in SCORES}
    second = replace(table({**SCORES, **more}), warnings=("two", "three"), single_documents={"2": "D"})
    joined = first + second
    assert (joined.runs, joined.measures) == (("a", "b"), ("AiP", "charR"))
    assert joined.warnings == ("one", "two", "three")
    assert (joined.questions["1"].text, joined.single_documents) == ("Who?", {"2": "D"})
    assert joined["b", "1", "charR"] == 0.5
    assert (first + second + joined).to_json() == joined.to_json()


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (table({("b", "1", "AiP"): 1.0}), "found topic 2 only in the first table, expected the same topics"),
        (
            table({("b", topic, "AiP"): 1.0 for topic in "123456"}),
            "found topics 3, 4, 5 and 1 more only in the second table",
        ),
        (
            table({("a", topic, "AiP"): 0.5 for topic in "12"}),
            "found other scores of run a by AiP in the second table, expected the same scores; different",
        ),
        (
            table({("b", topic, "charR"): 0.5 for topic in "12"}),
            "run a has no scores by charR; every run needs scores by every measure",
        ),
    ],
)
def test_what_cannot_be_joined(other: ScoreTable, said: str) -> None:
    """One sentence that says why."""
    with pytest.raises(ExcerptError, match=said):
        part("a") + other


def test_one_alias_of_two_measures() -> None:
    """An everyday name that means two things is refused."""
    first = replace(part("a", "recall@5"), aliases={"recall@5": "charR@5"})
    second = replace(part("b", "recall@5"), aliases={"recall@5": "charF@5"})
    with pytest.raises(ExcerptError, match="found recall@5 for two measures"):
        first + second
    same = first + replace(second, measures=("charR@5",), aliases={})
    assert same.measures == ("recall@5",)


def test_what_is_no_table() -> None:
    """Python says that they cannot be added."""
    with pytest.raises(TypeError, match="unsupported operand"):
        part("a") + 1  # type: ignore[operator]


def test_other_runs_of_a_name() -> None:
    """Runs with other scores by a measure of both tables, under any name and in any order of topics."""
    assert other_runs(part("a", "iP@0.01"), part("a", "iP[0.01]", "21")) == []
    assert other_runs(part("a"), table({("a", topic, "AiP"): 0.5 for topic in "12"})) == ["a"]
    assert other_runs(part("a"), table({("a", topic, "charR"): 0.5 for topic in "12"})) == []
    assert other_runs(part("a"), part("b")) == []


def test_renamed_runs() -> None:
    """Two runs of one name can be compared under two."""
    renamed = part("a").rename({"a": "main"}) + part("a")
    assert renamed.runs == ("main", "a")
    with pytest.raises(ExcerptError, match="found the name b for two runs"):
        table(SCORES).rename({"a": "b"})
    with pytest.raises(ExcerptError, match="unknown run 'x'"):
        part("a").rename({"x": "y"})


def test_a_missing_library_is_named() -> None:
    """The error says how to install it."""
    with pytest.raises(
        ExcerptError, match=r"no_such_frames is not installed; pip install 'excerpt\[frames\]'"
    ):
        frames("no_such_frames")
    assert frames("json").__name__ == "json"
