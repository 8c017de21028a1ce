"""What holds: options before variables, variables before the file, the file before defaults."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import excerpt
from excerpt.errors import ExcerptError


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a file of settings and runs, and the working folder in it."""
    for name in ("runs/b.fol", "runs/a.fol", "runs/old/c.fol", "q.fol", "sub/none"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "excerpt.toml").write_text(
        'qrels = "q.fol"\nruns = ["runs/*.fol", "runs/**/*.fol"]\nmeasures = ["iP[0.01]", "P@10", "rag"]\n'
        "[policy]\nlimit = 20\n"
    )
    monkeypatch.chdir(tmp_path / "sub")
    return tmp_path


def test_who_comes_first(project: Path) -> None:
    """Every value with where it comes from."""
    assert project
    found = excerpt.config({"overlap": "first"}, environment={"EXCERPT_LIMIT": "7", "EXCERPT_ORDER": " "})
    assert found.file == "../excerpt.toml"
    assert {name: held.origin for name, held in found.held.items() if held.origin != "default"} == {
        "qrels": "../excerpt.toml:1",
        "runs": "../excerpt.toml:2",
        "measures": "../excerpt.toml:3",
        "overlap": "option",
        "limit": "EXCERPT_LIMIT",
    }
    assert (found["limit"], found["overlap"], found["qrels"]) == (7, "first", "../q.fol")
    assert found["runs"] == ("../runs/a.fol", "../runs/b.fol", "../runs/old/c.fol")  # each once, by name
    assert excerpt.config(environment={})["limit"] == 20
    assert excerpt.config(environment={"EXCERPT_CONFIG": "none"})["limit"] == 1500


def test_how_it_is_shown(project: Path) -> None:
    """As a table and as an object."""
    assert project
    found = excerpt.config(environment={"EXCERPT_RUNS": "../runs"})
    rows = [line.split() for line in str(found).splitlines()]
    assert ["runs", "../runs", "EXCERPT_RUNS"] in rows
    assert ["include-empty", "no", "default"] in rows
    told = json.loads(json.dumps(found.to_dict()))
    assert told["settings"]["measures"] == {"value": ["iP[0.01]", "P@10", "rag"], "from": "../excerpt.toml:3"}
    assert told["file"] == "../excerpt.toml"


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        (
            {"EXCERPT_LIMIT": "ten"},
            "EXCERPT_LIMIT: found 'ten', expected a whole number of at least 1, or none",
        ),
        ({"EXCERPT_INDEX": "no.index"}, "EXCERPT_INDEX: found index = 'no.index', which does not exist"),
        ({"EXCERPT_RUNS": "*.no"}, "EXCERPT_RUNS: found runs = '*.no', which fits no file"),
        ({"EXCERPT_MEASURES": "MAiPP"}, "EXCERPT_MEASURES: unknown measure 'MAiPP'; did you mean 'MAiP'?"),
    ],
)
def test_what_cannot_hold(project: Path, environment: dict[str, str], message: str) -> None:
    """A mistake names the variable, or the file and its line."""
    with pytest.raises(ExcerptError) as caught:
        excerpt.config(environment=environment)
    assert str(caught.value).startswith(message)
    ((variable, value),) = environment.items()
    key = variable.removeprefix("EXCERPT_").lower()
    (project / "excerpt.toml").write_text(f"# mine\n{key} = {json.dumps(value)}\n")
    with pytest.raises(ExcerptError) as caught:
        excerpt.config(environment={})
    assert str(caught.value).startswith("../excerpt.toml:2: ")


def test_variables_that_are_none_of_ours(project: Path) -> None:
    """A variable that looks like ours is doubtful; a setting that is none is an error."""
    assert project
    doubts = excerpt.config(environment={"EXCERPT_OVERLAPP": "first", "EXCERPT_MAX_SIZE": "8G"}).warnings
    assert doubts == ("unknown variable 'EXCERPT_OVERLAPP'; did you mean 'EXCERPT_OVERLAP'?",)
    with pytest.raises(ExcerptError, match="unknown setting 'overlapp'"):
        excerpt.config({"overlapp": "first"})
    with pytest.raises(ExcerptError, match="unknown setting 'nothing'"):
        excerpt.config(environment={})["nothing"]


def test_config_has_no_figure() -> None:
    """It says itself in a few words."""
    found = excerpt.config(environment={"EXCERPT_CONFIG": "none"})
    assert repr(found) == "<Config: no file>"
    with pytest.raises(ExcerptError, match="found <Config: no file>, which has no figure"):
        found.draw("svg")
