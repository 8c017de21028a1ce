"""Comparison and analysis of variance by factors, from functions and from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import excerpt
from excerpt.cli import main
from excerpt.errors import ExcerptError
from excerpt.scores.score_table import ScoreTable

PATTERN = "{chunker}-{size}-{retriever}"
COLUMNS = ["factor", "level", "effect", "low", "high", "p", "adjusted", "significant"]


def made(topics: int = 12, *, leave: tuple[str, ...] = (), together: float = 0.0) -> ScoreTable:
    """Two chunkers, three sizes and two retrievers; a sentence chunker is better by 0.1."""
    rng, scores = np.random.default_rng(1), {}
    for chunker, size, retriever in np.ndindex(2, 3, 2):
        name = f"{('fixed', 'sent')[chunker]}-{(1000, 200, 400)[size]}-{('bm25', 'dense')[retriever]}"
        for topic in range(topics if name not in leave else 0):
            score = 0.3 + 0.1 * chunker + together * (chunker == retriever) + rng.normal(0, 0.02)
            scores[name, str(topic), "P"] = score
    return ScoreTable.from_scores(scores)


def test_rows_have_the_effect_of_every_level() -> None:
    """Levels of a factor differ from its mean by amounts that add up to 0; numbers are in their order."""
    table = made()
    rows = excerpt.compare(table, factors=PATTERN).rows
    assert [*rows[0]] == COLUMNS
    assert [(row["factor"], row["level"]) for row in rows] == [
        ("chunker", "fixed"), ("chunker", "sent"), ("size", "200"), ("size", "400"), ("size", "1000"),
        ("retriever", "bm25"), ("retriever", "dense"),
    ]  # fmt: skip
    means = dict(zip(table.runs, table.means()[:, 0].tolist(), strict=True))
    sent = [mean for run, mean in means.items() if run.startswith("sent")]
    assert rows[1]["effect"] == pytest.approx(np.mean(sent) - np.mean(list(means.values())))
    assert [row["significant"] for row in rows] == [True, True, False, False, False, False, False]
    assert rows[0]["adjusted"] == rows[0]["p"]  # two levels are one hypothesis
    assert rows[0]["low"] < rows[0]["effect"] < rows[0]["high"] < 0


def test_measures_are_named_if_there_are_several() -> None:
    """Each measure has its own rows."""
    table = made()
    both = ScoreTable(table.runs, table.files, table.topics, ("P", "Q"), np.repeat(table.values, 2, axis=2))
    rows = excerpt.compare(both, factors=PATTERN).rows
    assert [*rows[0]] == ["measure", *COLUMNS]
    assert [{**row, "measure": "P"} for row in rows[7:]] == list(rows[:7])


def test_a_baseline_level() -> None:
    """Effects are differences from that level, which has no row; other factors keep their mean."""
    table = made()
    rows = excerpt.compare(table, factors=PATTERN, baseline="size=400,fixed").rows
    assert [row["level"] for row in rows] == ["sent", "200", "1000", "bm25", "dense"]
    means = {
        size: table.means()[[size in run for run in table.runs], 0].mean() for size in ("-200-", "-400-")
    }
    assert rows[1]["effect"] == pytest.approx(means["-200-"] - means["-400-"])
    assert rows[1]["adjusted"] >= rows[1]["p"]


def test_interactions_are_named() -> None:
    """Two factors that suit each other are named with the levels that differ most, others are not."""
    said = excerpt.compare(made(together=0.2), factors=PATTERN).notes()
    assert said[0].startswith("chunker and retriever interact (adjusted p 0.00")
    assert sum("interact (" in note for note in said) == 1
    assert (
        "no interaction of two factors is significant (3 pairs tested)"
        in excerpt.compare(made(), factors=PATTERN).notes()
    )


def test_missing_cells_are_said() -> None:
    """A level is compared where all levels have a run, so that a missing good run is no effect."""
    table = made(leave=("sent-200-bm25",))
    outcome = excerpt.compare(table, factors=PATTERN)
    missing = "1 of 12 combinations of the factors has no run (sent 200 bm25)"
    assert missing in outcome.warnings
    assert missing in outcome.notes()
    said = "size is compared on 3 of 4 combinations of the other factors, which have a run at every level"
    assert said in outcome.notes()
    complete = [run for run in table.runs if run != "fixed-200-bm25"]
    rest = table.of_runs([table.place("run", run) for run in complete])
    means = {
        name: np.mean([rest.mean(run, "P") for run in complete if name in run]) for name in ("fixed", "sent")
    }
    row = outcome.rows[0]
    assert row["effect"] == pytest.approx((means["fixed"] - means["sent"]) / 2)
    with pytest.raises(ExcerptError, match=r"1 of 12 combinations .* expected a run for each"):
        excerpt.anova(table, factors=PATTERN)


def test_a_table_is_a_pattern_written_out(tmp_path: Path) -> None:
    """Tabs or commas, more rows than runs, and runs by their files."""
    table = made()
    file, lines = tmp_path / "factors.tsv", ["run\tchunker\tsize\tretriever"]
    lines += [f"{run}\t" + "\t".join(run.split("-")) for run in table.runs]
    file.write_text("\n".join([*lines, "other\tx\ty\tz"]))
    with pytest.warns(UserWarning, match=r"1 row names no run that is compared \(.*run other\)"):
        outcome = excerpt.compare(table, factors=file)
    assert outcome.rows == excerpt.compare(table, factors=PATTERN).rows
    named = {run: dict(zip(("a", "b", "c"), run.split("-"), strict=True)) for run in table.runs}
    mapped = excerpt.compare(table, factors=named).rows
    assert [row["p"] for row in mapped] == [row["p"] for row in outcome.rows]
    assert [row["factor"] for row in mapped[:2]] == ["a", "a"]


def test_runs_without_factors_are_left_out() -> None:
    """A pattern that some runs match leaves out the others, with a warning."""
    table = made().rename({"sent-200-bm25": "mine"})
    with pytest.warns(UserWarning, match=r"1 run has no factors and is left out \(run mine\)"):
        rows = excerpt.compare(table, factors=PATTERN).rows
    assert len(rows) == 7


@pytest.mark.parametrize(
    ("factors", "message"),
    [
        ("{a}_{b}", "the pattern {a}_{b} matches no run (of 12 runs, the first is fixed-1000-bm25)"),
        ("{a}-{b}", "as fixed 1000-bm25 and as fixed-1000 bm25, expected one way"),
        ("{a}{b}", "expected text between two factors"),
        ("{a}-{a}-{b}", "found {a} in the pattern"),
        ("{}-x", "found {} in the pattern"),
        ("fixed-{size}-bm25x{r}", "matches no run"),
        ("{a}-1000-{c}", ""),
        ({"fixed-200-bm25": {"a": "1"}, "sent-200-bm25": {"a": "1"}}, "factor a has one level (1)"),
        ({"x": {"a": "1"}}, "no run has factors"),
        ({"x": {"a": "1"}, "y": {"b": "1"}}, "found runs with different factors"),
        (
            b"run,a\nfixed-200-bm25,1\nsent-200-bm25,",
            "<bytes>:3: found no a, expected a value in every column",
        ),
        (b"run,a\nfixed-200-bm25,1\nfixed-200-bm25,2", "<bytes>:3: found run fixed-200-bm25 again"),
        (b"name,a\nfixed-200-bm25,1", "found columns name, a, expected run and the factors"),
        (b"run\nfixed-200-bm25", "found columns run, expected run and the factors"),
        (b"run,a", "found a header alone"),
        (b"run,a\nfixed-200-bm25", "found 1 columns, expected 2"),
    ],
)
def test_wrong_factors_are_one_line(factors: Any, message: str) -> None:
    """What was found, what was expected, and where."""
    if not message:
        with pytest.warns(UserWarning, match="have no factors"):
            assert excerpt.compare(made(), factors=factors).rows
        return
    with pytest.raises(ExcerptError) as caught, np.errstate(all="raise"):
        excerpt.compare(made(), factors=factors, notices=excerpt.Notices())
    said = str(caught.value)
    assert message in said
    assert "\n" not in said


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"test": "t"}, 'test="t" and factors cannot be combined'),
        ({"sides": 1}, "sides=1 and factors cannot be combined"),
        ({"per_topic": True}, "factors cannot be combined"),
        ({"baseline": "nothing"}, "unknown level 'nothing'"),
        ({"baseline": "colour=red"}, "unknown factor 'colour'"),
        ({"baseline": "size=red"}, "unknown level of size 'red'"),
    ],
)
def test_options_that_do_not_fit(given: dict[str, Any], message: str) -> None:
    """Options of pairs of runs, and levels that no run has."""
    with pytest.raises(ExcerptError) as caught:
        excerpt.compare(made(), factors=PATTERN, **given)
    assert message in str(caught.value)


def test_variance_names_its_sources() -> None:
    """A row per topic, factor and pair of factors, each followed by its interaction with topics."""
    outcome = excerpt.anova(made(), factors=PATTERN)
    sources = [row["source"] for row in outcome.rows]
    assert sources[:3] == ["topic", "chunker", "chunker:topic"]
    assert sources[-1] == "other interactions"
    assert len(sources) == 1 + 2 * 6 + 1
    assert outcome.rows[1]["p"] < 1e-6
    assert outcome.notes()[0].startswith("chunker explains")


def test_commands_draw_and_repeat(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A record repeats the rows; the figure has a panel per factor."""
    pytest.importorskip("matplotlib")
    scores, record, figure = tmp_path / "scores.json", tmp_path / "record.json", tmp_path / "effects.svg"
    excerpt.save_scores(made(), str(scores))
    given = ["compare", str(scores), "-m", "P", "--factors", PATTERN, "--samples", "500"]
    data = tmp_path / "effects.csv"
    main([*given, "--record", str(record), "--figure", str(figure), "--data", str(data), "--format", "json"])
    printed = json.loads(capsys.readouterr().out)
    assert printed["record"]["options"]["factors"] == PATTERN
    assert [*printed["rows"][0]] == COLUMNS
    drawn = figure.read_text(encoding="utf-8")
    assert all(drawn.count(f">{name}<") == 1 for name in ("chunker", "size", "retriever"))
    assert len(data.read_text(encoding="utf-8").splitlines()) == 8
    main(["rerun", str(record), "--check"])
    assert "7 rows, the same as before" in capsys.readouterr().out
    main(["anova", str(scores), "-m", "P", "--factors", PATTERN, "--figure", str(figure)])
    assert "with topics" in figure.read_text(encoding="utf-8")
    assert main(["compare", str(scores), "-m", "P", "--factors", "{a}_{b}"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("excerpt: the pattern {a}_{b} matches no run")
    assert said.count("\n") == 1
