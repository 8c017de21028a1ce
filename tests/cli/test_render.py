"""excerpt render: what was saved, printed and drawn."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Excerpt

MEASURES = ("-m", "charP", "-m", "charR")


@pytest.fixture
def saved(files: Path, excerpt: Excerpt) -> None:
    """Scores of two runs, and an experiment on them."""
    Path("other").write_text(Path("run").read_text().replace("mine", "other").replace("0 50", "0 20"))
    assert excerpt("evaluate", "qrels", "run", "other", *MEASURES, "--save", "scores.json").status == 0
    for name in ("compare", "stability topics"):
        record = f"{name.split()[0]}.json"
        given = (*name.split(), "scores.json", "-m", "charP", "--samples", "20", "--record", record)
        assert excerpt(*given).status == 0


@pytest.mark.usefixtures("saved")
@pytest.mark.parametrize(
    "options",
    [(), ("--per-topic",), ("-m", "charR"), ("--interval", "0.9"), ("--format", "latex"), ("--digits", "2")],
)
def test_scores_are_those_of_evaluate(options: tuple[str, ...], excerpt: Excerpt) -> None:
    """The same bytes as when they are computed."""
    measures = () if "-m" in options else MEASURES
    computed = excerpt("evaluate", "qrels", "run", "other", *measures, *options)
    rendered = excerpt("render", "scores.json", *options)
    assert (rendered.status, rendered.out) == (0, computed.out)


@pytest.mark.usefixtures("saved")
def test_by_the_ending_of_the_file(excerpt: Excerpt) -> None:
    """LaTeX, CSV and a figure; options of looks of each."""
    pytest.importorskip("matplotlib")
    assert excerpt("render", "scores.json", "-o", "s.tex", "--caption", "Scores").status == 0
    assert r"\caption{Scores}" in Path("s.tex").read_text()
    assert excerpt("render", "scores.json", "-o", "s.csv").status == 0
    assert Path("s.csv").read_text().startswith("run,")
    assert excerpt("render", "scores.json", "-o", "s.svg", "--title", "Two runs").status == 0
    assert ">Two runs</text>" in Path("s.svg").read_text()


@pytest.mark.usefixtures("saved")
@pytest.mark.parametrize("name", ["compare", "stability"])
def test_rows_of_an_experiment(name: str, excerpt: Excerpt) -> None:
    """Its table, its rows and its figure are those that the experiment printed and drew."""
    pytest.importorskip("matplotlib")
    given = ("compare",) if name == "compare" else ("stability", "topics")
    how = (*given, "scores.json", "-m", "charP", "--samples", "20")
    for format_ in ("table", "csv"):
        printed = excerpt(*how, "--format", format_).out
        assert excerpt("render", f"{name}.json", "--format", format_).out == printed
    assert excerpt(*how, "--figure", "a.svg").status == 0
    assert excerpt("render", f"{name}.json", "-o", "b.svg").status == 0
    assert Path("a.svg").read_bytes() == Path("b.svg").read_bytes()


@pytest.mark.usefixtures("saved")
def test_rows_without_their_files(excerpt: Excerpt) -> None:
    """A comparison whose scores are gone has its rows still; its figure needs them."""
    pytest.importorskip("matplotlib")
    Path("scores.json").unlink()
    done = excerpt("render", "compare.json")
    assert done.status == 0
    assert "only the rows are printed" in done.err
    assert done.out.startswith("measure")
    assert excerpt("render", "compare.json", "-o", "b.svg").status == 2
    assert not Path("b.svg").exists()


@pytest.mark.usefixtures("saved")
def test_a_folder_of_settings_that_were_tried(excerpt: Excerpt) -> None:
    """Its scores are what is rendered."""
    Path("tried").mkdir()
    Path("scores.json").rename("tried/scores.json")
    assert "charR" in excerpt("render", "tried").out


@pytest.mark.usefixtures("saved")
def test_settings_of_looks(excerpt: Excerpt, monkeypatch: pytest.MonkeyPatch) -> None:
    """`[render]` of excerpt.toml holds where the output has the look, and is no mistake elsewhere."""
    monkeypatch.delenv("EXCERPT_CONFIG", raising=False)
    Path("excerpt.toml").write_text('[render]\ncaption = "Of the file"\ndigits = 2\ntitle = "T"\n')
    assert excerpt("render", "scores.json", "-o", "s.tex").status == 0
    assert r"\caption{Of the file}" in Path("s.tex").read_text()
    done = excerpt("evaluate", "qrels", "run", "-m", "charP")
    assert done.status == 0
    assert done.out.splitlines()[2].rsplit(maxsplit=1)[1].partition(".")[2].__len__() == 2


@pytest.mark.usefixtures("saved")
@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("compare.json", "-m", "charP"), "compare.json: --measure needs saved scores"),
        (("compare.json", "scores.json"), "compare.json: is not a file of saved scores, of which several"),
        (("nothing.json",), "nothing.json: "),
        (("qrels",), "qrels: found invalid JSON"),
        (("strange.json",), "strange.json: unknown experiment 'tea'"),
        (("trial.json",), "trial.json: found the record of a trial, expected its folder or its scores.json"),
        (("scores.json", "--samples", "5"), "--samples needs --interval LEVEL"),
        (("scores.json", "-o", "s.doc"), "s.doc: found extension .doc, expected"),
    ],
)
def test_mistakes(given: tuple[str, ...], said: str, excerpt: Excerpt) -> None:
    """One line that says what is wrong, and nothing written."""
    content = json.loads(Path("stability.json").read_text())
    content["record"]["experiment"] = "tea"
    Path("strange.json").write_text(json.dumps(content))
    content["record"]["experiment"] = "try"
    Path("trial.json").write_text(json.dumps(content))
    done = excerpt("render", *given)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f"excerpt: {said}")
    assert done.err.count("\n") == 1
    assert not Path("s.doc").exists()


def test_the_old_ways_say_where_to_go(files: Path, excerpt: Excerpt) -> None:
    """`evaluate SCORES` and `rerun --figure` work for one more version."""
    pytest.importorskip("matplotlib")
    assert excerpt("evaluate", "qrels", "run", "-m", "charP", "--save", "s.json").status == 0
    assert "saved scores are printed by excerpt render" in excerpt("evaluate", "s.json").err
    Path("other").write_text(Path("run").read_text().replace("mine", "other"))
    given = ("stability", "topics", "qrels", "run", "other", "-m", "charP", "--record", "t.json")
    assert excerpt(*given, "--samples", "5").status == 0
    done = excerpt("rerun", "t.json", "--figure", "t.svg")
    assert done.status == 0
    assert "excerpt rerun takes --figure in this version only; instead: excerpt render" in done.err
