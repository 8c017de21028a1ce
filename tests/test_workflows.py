"""Files for the hosts of repository and documentation: they call dev.py and contain no logic."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
FILES = sorted([*ROOT.glob(".github/**/*.yml"), ROOT / ".readthedocs.yaml"])
WORKFLOWS = {path.stem: path for path in ROOT.glob(".github/workflows/*.yml")}
#: Commands of dev.py that a workflow may call; the value of a variable in quotes is one argument.
COMMAND = re.compile(r'python dev\.py (demo|test|build "\$TAG"|publish)')


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


def test_steps_call_dev_and_pinned_actions_only() -> None:
    """Tags of actions can be moved; commits cannot."""
    for _, _, job in jobs():
        for step in job["steps"]:
            if "run" in step:
                assert COMMAND.fullmatch(step["run"]), step
            else:
                assert re.fullmatch(r"actions/(checkout|setup-python)@[0-9a-f]{40}", step["uses"]), step


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


def test_only_publishing_has_an_identity() -> None:
    """The job that publishes a tag; all others may read the repository."""
    rights = {(name, job): content.get("permissions") for name, job, content in jobs()}
    assert rights.pop(("release", "publish")) == {"contents": "read", "id-token": "write"}
    assert set(rights.values()) == {None}
    for path in WORKFLOWS.values():
        assert read(path)["permissions"] == {"contents": "read"}
    assert read(WORKFLOWS["release"])["on"] == {"push": {"tags": ["v*"]}}


def test_the_documentation_is_built_by_dev() -> None:
    """Then copied to where its host looks."""
    first, *others = read(ROOT / ".readthedocs.yaml")["build"]["jobs"]["build"]["html"]
    assert first == "python dev.py docs"
    assert [command.split()[0] for command in others] == ["mkdir", "cp"]
