"""Files for the hosts of repository and documentation, and hooks: they call scripts and contain no logic."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
FILES = sorted(
    [
        *ROOT.glob(".github/**/*.yml"),
        ROOT / ".readthedocs.yaml",
        ROOT / ".pre-commit-config.yaml",
        ROOT / "action.yml",
    ]
)
WORKFLOWS = {path.stem: path for path in ROOT.glob(".github/workflows/*.yml")}
#: What a workflow may call; the value of a variable in quotes is one argument.
COMMAND = re.compile(
    r'python dev\.py (demo|test|test "\$OPTION"|api|build "\$TAG"|publish|lock --upgrade)'
    r"|python tools/smoke\.py dist"
)
ACTION = re.compile(
    r"(actions/(checkout|setup-python|upload-artifact|download-artifact)|peter-evans/create-pull-request)"
    r"@[0-9a-f]{40}"
)


def read(path: Path) -> Any:
    """The content of a file; `on` is a name in workflows, which YAML 1.1 takes for a truth value."""
    return yaml.safe_load(re.sub(r"^on:", '"on":', path.read_text(encoding="utf-8"), flags=re.MULTILINE))


def jobs() -> Iterator[tuple[str, str, Any]]:
    """All jobs: the name of the workflow, that of the job, the job."""
    for name, path in WORKFLOWS.items():
        for job, content in read(path)["jobs"].items():
            yield name, job, content


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_file_can_be_read_and_names_no_address(path: Path) -> None:
    """No address, no host of packages, no secret."""
    assert isinstance(read(path), dict)
    text = path.read_text(encoding="utf-8")
    assert re.findall(r"://|\bsecrets\b|\b(?:www|pypi|files)\.\w+", text) == []


def test_steps_call_scripts_and_pinned_actions_only() -> None:
    """Tags of actions can be moved; commits cannot."""
    for _, _, job in jobs():
        for step in job["steps"]:
            if "run" in step:
                assert COMMAND.fullmatch(step["run"]), step
            else:
                assert ACTION.fullmatch(step["uses"]), step
                assert "checkout" not in step["uses"] or step["with"]["persist-credentials"] is False


def test_the_two_commands_run_on_every_system_and_python() -> None:
    """Three systems; the Pythons of pyproject.toml; a browser for each system."""
    job = read(WORKFLOWS["test"])["jobs"]["test"]
    matrix = job["strategy"]["matrix"]
    assert [step["run"] for step in job["steps"] if "run" in step] == [
        "python dev.py demo",
        "python dev.py test",
    ]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    supported = [name.split(" :: ")[-1] for name in project["classifiers"] if "Python :: 3." in name]
    assert matrix["python"] == supported
    assert {name.partition("-")[0] for name in matrix["system"]} == {"ubuntu", "macos", "windows"}
    assert [row["system"] for row in matrix["include"] if row["browser"]] == matrix["system"]


def test_rights_are_those_of_the_job() -> None:
    """Publishing has an identity, new locks are proposed; all other jobs may read the repository."""
    rights = {(name, job): content.get("permissions") for name, job, content in jobs()}
    assert rights.pop(("release", "publish")) == {"contents": "read", "id-token": "write"}
    assert rights.pop(("weekly", "locks")) == {"contents": "write", "pull-requests": "write"}
    assert set(rights.values()) == {None}
    for path in WORKFLOWS.values():
        assert read(path)["permissions"] == {"contents": "read"}
    assert read(WORKFLOWS["release"])["on"] == {"push": {"tags": ["v*"]}}


def test_a_release_is_what_was_tried() -> None:
    """It is built once; its wheel is tried on every system, and published after that and all tests."""
    found = read(WORKFLOWS["release"])["jobs"]
    runs = {name: [step["run"] for step in job["steps"] if "run" in step] for name, job in found.items()}
    assert runs == {
        "test": ["python dev.py api", "python dev.py test"],
        "build": ['python dev.py build "$TAG"'],
        "smoke": ["python tools/smoke.py dist"],
        "publish": ["python dev.py publish"],
    }
    assert found["smoke"]["needs"] == "build"
    assert set(found["publish"]["needs"]) == {"test", "smoke"}
    systems = read(WORKFLOWS["test"])["jobs"]["test"]["strategy"]["matrix"]["system"]
    assert found["smoke"]["strategy"]["matrix"]["system"] == systems
    for name, action in (("build", "upload"), ("smoke", "download"), ("publish", "download")):
        (step,) = [step for step in found[name]["steps"] if "-artifact@" in step.get("uses", "")]
        assert step["uses"].startswith(f"actions/{action}-artifact@")
        assert (step["with"]["name"], step["with"]["path"]) == ("dist", "dist/")
    (checkout, *_) = found["test"]["steps"]
    assert checkout["with"]["fetch-depth"] == 0  # else there is no tag to compare with


def test_hooks_call_sessions() -> None:
    """Of noxfile.py, by dev.py, so that versions are those of the lock."""
    sessions = (ROOT / "noxfile.py").read_text(encoding="utf-8")
    (local,) = read(ROOT / ".pre-commit-config.yaml")["repos"]
    assert local["repo"] == "local"
    for hook in local["hooks"]:
        called = re.fullmatch(r"python3 dev\.py (\w+)( --fix)?", hook["entry"])
        assert called is not None
        assert f"\ndef {called[1]}(" in sessions


def test_updates_come_for_all_that_is_pinned() -> None:
    """Actions by their host's service, packages by the weekly workflow."""
    (update,) = read(ROOT / ".github" / "dependabot.yml")["updates"]
    assert update["package-ecosystem"] == "github-actions"
    steps = read(WORKFLOWS["weekly"])["jobs"]["locks"]["steps"]
    assert "python dev.py lock --upgrade" in [step.get("run") for step in steps]
    assert steps[-1]["with"]["add-paths"] == "requirements/"


def test_the_documentation_is_built_by_dev() -> None:
    """Then copied to where its host looks."""
    first, *others = read(ROOT / ".readthedocs.yaml")["build"]["jobs"]["build"]["html"]
    assert first == "python dev.py docs"
    assert [command.split()[0] for command in others] == ["mkdir", "cp"]
