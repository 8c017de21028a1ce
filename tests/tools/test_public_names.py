"""The comparison of public names with those of the last release, in a small package under git."""

from __future__ import annotations

import subprocess
from pathlib import Path

import public_names
import pytest

INIT = '''"""A package."""
_PUBLIC = {"Run": "model", "evaluate": "evaluation", "judge": "evaluation:judge_runs", "gone": "evaluation"}
__all__ = list(_PUBLIC)
'''
MODEL = '''"""Runs."""
class Shown:
    """What is shown."""
    def page(self): ...
class Run(Shown):
    """A run."""
    def take(self, rows, order=None): ...
    def _hidden(self): ...
'''
EVALUATION = '''"""Evaluation."""
from typing import TypedDict, Unpack
class Reading(TypedDict, total=False):
    """Options."""
    ids: str
    limit: int
def evaluate(runs, measures=None, **reading: Unpack[Reading]): ...
def judge_runs(runs, depth=10): ...
def gone(): ...
def internal(depth): ...
'''


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with the release v0.1.0 and a commit after it."""
    package = tmp_path / "src" / "excerpt"
    package.mkdir(parents=True)
    for name, text in (("__init__", INIT), ("model", MODEL), ("evaluation", EVALUATION)):
        (package / f"{name}.py").write_text(text, encoding="utf-8")
    announce(tmp_path, "")
    git(tmp_path, "init", "--quiet")
    commit(tmp_path)
    git(tmp_path, "tag", "v0.1.0")
    commit(tmp_path)
    monkeypatch.setattr(public_names, "ROOT", tmp_path)
    return tmp_path


def git(folder: Path, *arguments: str) -> None:
    """git with a name of its own."""
    who = ("-c", "user.name=x", "-c", "user.email=x", "-c", "commit.gpgsign=false", "-c", "tag.gpgsign=false")
    subprocess.run(("git", *who, *arguments), cwd=folder, check=True, capture_output=True)


def commit(folder: Path) -> None:
    """A commit of what is there."""
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--allow-empty", "-m", "x")


def announce(folder: Path, line: str) -> None:
    """A changelog with this line in its newest section."""
    text = f"# Changelog\n\n## Unreleased\n\n{line}\n\n## 0.1.0\n\n- `Run.page`, `gone`, `Run.take(order)`.\n"
    (folder / "CHANGELOG.md").write_text(text, encoding="utf-8")


def change(folder: Path, module: str, before: str, after: str) -> None:
    """Change the text of a module."""
    path = folder / "src" / "excerpt" / f"{module}.py"
    text = path.read_text(encoding="utf-8")
    assert text.count(before) == 1
    path.write_text(text.replace(before, after), encoding="utf-8")


@pytest.mark.parametrize(
    ("module", "before", "after", "name"),
    [
        ("__init__", ', "gone": "evaluation"', "", "gone"),
        ("model", "rows, order=None", "rows", "Run.take(order)"),
        ("model", "rows, order=None", "rows, order=None, *, least", "Run.take(least)"),
        ("model", "    def page(self): ...\n", "", "Run.page"),
        ("evaluation", "runs, measures=None", "runs, measures", "evaluate(measures)"),
        ("evaluation", "depth=10", "depth=20", "judge(depth)"),
        ("evaluation", "    ids: str\n", "", "evaluate().ids"),
    ],
)
def test_a_break_must_be_in_the_changelog(
    project: Path, capsys: pytest.CaptureFixture[str], module: str, before: str, after: str, name: str
) -> None:
    """Then the status is 0."""
    change(project, module, before, after)
    assert public_names.main([]) == 1
    assert f"MISSING `{name}`: " in capsys.readouterr().out
    announce(project, f"- `{name}` is other than before.")
    assert public_names.main([]) == 0
    assert capsys.readouterr().out.startswith(f"named   `{name}`: ")


@pytest.mark.parametrize(
    ("line", "known"),
    [
        ("- `Run.take(order)` is gone.", True),
        ("- `take` of `Run` has no `order`.", True),
        ("- `Run.take` has no order.", False),
        ("- `Run` has no `order`.\n- `take` differs.", False),
        ("", False),
    ],
)
def test_the_changelog_names_every_part(project: Path, line: str, *, known: bool) -> None:
    """In backticks in one line of its newest section, not in that of an older release."""
    announce(project, line)
    changelog = (project / "CHANGELOG.md").read_text(encoding="utf-8")
    assert public_names.announced("Run.take(order)", changelog) is known
    assert not public_names.announced("Run.page", changelog)


@pytest.mark.parametrize(
    ("module", "before", "after"),
    [
        ("model", "    def _hidden(self): ...\n", "    def more(self): ...\n"),
        ("model", "class Shown:", "class Other:\n    pass\nclass Shown:"),
        ("evaluation", "def internal(depth)", "def other()"),
        ("evaluation", "    limit: int\n", "    limit: int\n    offset: int\n"),
        ("evaluation", "runs, measures=None", "runs, measures=None, *, top=5"),
    ],
)
def test_what_users_do_not_see_is_no_break(
    project: Path, capsys: pytest.CaptureFixture[str], module: str, before: str, after: str
) -> None:
    """Names inside the package may go, and public ones may come."""
    change(project, module, before, after)
    assert public_names.main([]) == 0
    assert capsys.readouterr().out.startswith("0 breaks since v0.1.0;")


def test_a_release_is_compared_with_the_one_before(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Not with its own tag; of the very first release there is nothing to say."""
    change(project, "evaluation", "def gone(): ...\n", "def gone(now): ...\n")
    commit(project)
    git(project, "tag", "v0.2.0")
    assert public_names.main([]) == 1
    assert "MISSING `gone(now)`: " in capsys.readouterr().out
    assert public_names.main(["v0.2.0"]) == 0
    git(project, "tag", "--delete", "v0.1.0")
    capsys.readouterr()
    assert public_names.main([]) == 0
    assert capsys.readouterr().out == "no release to compare with\n"


@pytest.mark.slow
def test_every_public_name_of_excerpt_is_found(root: Path) -> None:
    """By the names of the real package, with the options of its functions."""
    import excerpt

    found = public_names.public(public_names.load(root))
    assert set(excerpt.__all__) <= set(found)
    assert "evaluate()" in found
