"""Settings of a project: excerpt.toml with its mistakes, and which value counts."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from excerpt.errors import ExcerptError
from excerpt.project import Project, ProjectFile, config


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a file of settings and runs, and the working folder in it."""
    for name in ("runs/b.fol", "runs/a.fol", "runs/old/c.fol", "q.fol", "sub/none"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / ".git").mkdir()
    (tmp_path / "excerpt.toml").write_text(
        'qrels = "q.fol"\nruns = ["runs/*.fol", "runs/**/*.fol"]\nmeasures = ["iP[0.01]", "P@10", "rag"]\n'
        "[policy]\nlimit = 20\n"
    )
    monkeypatch.chdir(tmp_path / "sub")
    return tmp_path


def test_who_comes_first(project: Path) -> None:
    """Every value with where it comes from."""
    assert project
    found = config({"overlap": "first"}, environment={"EXCERPT_LIMIT": "7", "EXCERPT_ORDER": " "})
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
    assert config(environment={})["limit"] == 20
    assert config(environment={"EXCERPT_CONFIG": "none"})["limit"] == 1500


def test_how_it_is_shown(project: Path) -> None:
    """As a table and as an object."""
    assert project
    found = config(environment={"EXCERPT_RUNS": "../runs"})
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
        ({"EXCERPT_INDEX": "no.index"}, "EXCERPT_INDEX: index = 'no.index' does not exist"),
        ({"EXCERPT_RUNS": "*.no"}, "EXCERPT_RUNS: runs = '*.no' matches no file"),
        ({"EXCERPT_MEASURES": "MAiPP"}, "EXCERPT_MEASURES: unknown measure 'MAiPP'; did you mean 'MAiP'?"),
    ],
)
def test_what_cannot_hold(project: Path, environment: dict[str, str], message: str) -> None:
    """A mistake names the variable, or the file and its line."""
    with pytest.raises(ExcerptError) as caught:
        config(environment=environment)
    assert str(caught.value).startswith(message)
    ((variable, value),) = environment.items()
    key = variable.removeprefix("EXCERPT_").lower()
    (project / "excerpt.toml").write_text(f"# mine\n{key} = {json.dumps(value)}\n")
    with pytest.raises(ExcerptError) as caught:
        config(environment={})
    assert str(caught.value).startswith("../excerpt.toml:2: ")


@pytest.mark.parametrize("root", ["{root}", "{root}.", "{up}", "link"])
def test_the_root_of_the_file_system_is_no_corpus(project: Path, root: str) -> None:
    """It would walk through the whole machine; the line of the setting is in the error."""
    Path("link").symlink_to(project.anchor)
    root = root.format(root=project.anchor, up=f"{os.pardir}{os.sep}" * 50)
    named = root if root != "link" else str(Path("link").absolute())
    (project / "excerpt.toml").write_text(f"# mine\ncorpus = {json.dumps(named)}\n")
    said = f"found corpus = {named!r:.20}"
    with pytest.raises(ExcerptError) as caught:
        config(environment={})
    assert str(caught.value).startswith(f"../excerpt.toml:2: {said}")
    expected = ", the root of the file system, expected a folder of documents"
    assert str(caught.value).endswith(expected)
    with pytest.raises(ExcerptError, match=r"^EXCERPT_CORPUS: found corpus = .*, the root"):
        config(environment={"EXCERPT_CORPUS": root})


def test_variables_that_are_none_of_ours(project: Path) -> None:
    """A variable that looks like ours is doubtful; a setting that is none is an error."""
    assert project
    doubts = config(environment={"EXCERPT_OVERLAPP": "first", "EXCERPT_MAX_SIZE": "8G"}).warnings
    assert doubts == ("unknown variable 'EXCERPT_OVERLAPP'; did you mean 'EXCERPT_OVERLAP'?",)
    with pytest.raises(ExcerptError, match="unknown setting 'overlapp'"):
        config({"overlapp": "first"})
    with pytest.raises(ExcerptError, match="unknown setting 'nothing'"):
        config(environment={})["nothing"]


def test_config_has_no_figure() -> None:
    """It says itself in a few words."""
    found = config(environment={"EXCERPT_CONFIG": "none"})
    assert repr(found) == "<Config: no file>"
    with pytest.raises(ExcerptError, match="<Config: no file> has no figure"):
        found.draw("svg")


def said(folder: Path, text: str | bytes) -> str:
    """Return the error for a project file with this text."""
    (folder / "excerpt.toml").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ExcerptError) as caught:
        ProjectFile.read(str(folder / "excerpt.toml"))
    assert "\n" not in str(caught.value)
    return str(caught.value).removeprefix(f"{folder}{os.sep}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("index = 3", "excerpt.toml:1: found index = 3, expected a text"),
        ('\n[policy]\nlimit = "many"', "excerpt.toml:3: found limit = 'many', expected a whole number"),
        ("policy.include-empty = 1", "excerpt.toml:1: found include-empty = 1, expected true or false"),
        ('policy = { order = "up" }', "excerpt.toml:1: found order = 'up', expected one of: file, rank, "),
        ("limit = 3\n[policy]\nlimit = 4", "excerpt.toml:3: found limit a second time, expected it once"),
        ("policy = 3", "excerpt.toml:1: found policy = 3, expected a table: [policy]"),
        ("\n[[policy]]\nlimit = 3", "excerpt.toml:2: found policy = "),
        ("[polcy]\nlimit = 3", "excerpt.toml:1: unknown setting 'polcy'; did you mean 'policy'?"),
        ("[other]\nx = 1", "excerpt.toml:1: unknown setting 'other'"),
    ],
)
def test_mistakes(tmp_path: Path, text: str, message: str) -> None:
    """Each with its line, what was found and what was expected."""
    assert said(tmp_path, text).startswith(message)


def test_mistakes_of_names_and_of_toml(tmp_path: Path) -> None:
    """An unknown name suggests the nearest one; what is no TOML is said with its place."""
    assert "did you mean 'measures'?" in said(tmp_path, 'qrels = "q"\nmesures = ["MAiP"]')
    unknown = said(tmp_path, '# first\n[policy]\noverlp = "first"')
    assert unknown.startswith("excerpt.toml:3: unknown setting of [policy] 'overlp'; did you mean 'overlap'?")
    assert "unknown setting of [policy] 'index'" in said(tmp_path, '[policy]\nindex = "x"')
    assert said(tmp_path, 'index = "a"\nruns = [').startswith("excerpt.toml")
    assert said(tmp_path, 'index = "a"\nindex == 3').startswith("excerpt.toml:2: not valid TOML in column 8 ")
    for odd in ("limit = " + 5000 * "9", "runs = " + 5000 * "["):
        assert said(tmp_path, odd).startswith("excerpt.toml: not valid TOML (")
    assert "not UTF-8" in said(tmp_path, b'index = "\xff"')


def test_lines_and_spellings(tmp_path: Path) -> None:
    """Keys may be in the table or above, with either kind of dash, quoted, over several lines."""
    (tmp_path / "excerpt.toml").write_text(
        '\ufeff# mine\nruns = [\n  "a",\n  "b",\n]\n"measures" = "MAiP"\noverlap = "first"\n\n'
        "[ policy ]  # more\nunknown_length = 18\n"
    )
    lines = ProjectFile.read(str(tmp_path / "excerpt.toml")).lines
    assert {name: (line.value, line.line) for name, line in lines.items()} == {
        "runs": (("a", "b"), 2),
        "measures": (("MAiP",), 6),
        "overlap": ("first", 7),
        "unknown-length": (18, 10),
    }


def test_the_nearest_file_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is looked for upwards; a variable names another, or none."""
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "excerpt.toml").write_text("limit = 1\n")
    monkeypatch.chdir(inner)
    assert Project.here({}).file is None  # without a repository, only the folder itself
    (tmp_path / ".git").touch()
    (tmp_path / "other.toml").write_text("limit = 2\n")
    monkeypatch.chdir(inner)
    found = Project.here({}).file
    assert found is not None
    assert (found.path, found.folder) == (os.path.join("..", "..", "excerpt.toml"), os.path.join("..", ".."))  # noqa: PTH118
    named = Project.here({"EXCERPT_CONFIG": str(tmp_path / "other.toml")}).file
    assert named is not None
    assert named.lines["limit"].value == 2
    assert Project.here({"EXCERPT_CONFIG": "none"}).file is None
    with pytest.raises(ExcerptError, match="no such file"):
        Project.here({"EXCERPT_CONFIG": "nowhere.toml"})
    (tmp_path / "a" / "excerpt.toml").mkdir()  # a folder is no file
    assert Project.here({}).file == found
    (inner / ".git").mkdir()  # none above the root of a repository
    assert Project.here({}).file is None
    (inner / "excerpt.toml").write_text("limit = 3\n")
    assert Project.here({}).file is not None


@pytest.mark.skipif(os.name != "posix", reason="files have no owner elsewhere")
def test_a_file_of_another_user_is_ignored(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless it is named; and then code that it names is not run."""
    monkeypatch.setattr(os, "getuid", lambda: project.stat().st_uid + 1)
    assert Project.here({}).file is None
    (said,) = config(environment={}).warnings
    path = str(Path("..", "excerpt.toml"))
    assert said == f"{path} belongs to another user and is ignored; EXCERPT_CONFIG={path} uses it"
    named = Project.here({"EXCERPT_CONFIG": path})
    assert named.value("limit").value == 20
    (project / "excerpt.toml").write_text('corpus = "docs@parsers:read"\n')
    with pytest.raises(ExcerptError, match="names code, in a file of another user"):
        Project.here({"EXCERPT_CONFIG": path}).value("corpus")


@pytest.mark.skipif(os.name != "posix", reason="elsewhere the working folder cannot be removed")
def test_a_working_folder_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is found where there is nothing."""
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert Project.here({}).file is None
