"""Lock files: every package by digest, no address, the same versions in all, the oldest that are promised."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LOCKS = sorted((ROOT / "requirements").glob("*.lock"))
REQUIREMENT = re.compile(r"^[A-Za-z0-9._-]+==[^ ]+( ; [^\\]+)? \\$")
HASH = re.compile(r"^    --hash=sha256:[0-9a-f]{64}( \\)?$")


def versions(kind: str) -> dict[str, str]:
    """Versions in a lock by package."""
    text = (ROOT / "requirements" / f"{kind}.lock").read_text(encoding="utf-8")
    return dict(re.findall(r"^([\w.-]+)==([^ ]+)", text, re.MULTILINE))


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.stem)
def test_every_locked_version_has_hashes(path: Path) -> None:
    """Each requirement in a lock file is one exact version with at least one digest."""
    lines = path.read_text(encoding="utf-8").splitlines()
    lines = [line for line in lines if not line.lstrip().startswith("#")]
    assert lines
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        assert REQUIREMENT.match(line) or HASH.match(line), line
        assert not REQUIREMENT.match(line) or HASH.match(after), line


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.stem)
def test_locks_name_no_address(path: Path) -> None:
    """A lock file names no registry and no file of the machine it was made on."""
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"https?:|://|index-url|find-links|(^|\s)/\w", text)


def test_versions_are_the_same_in_all_environments() -> None:
    """Those of development run the version that the demo runs, and thorough tests those of the others."""
    run, dev, thorough = (set(versions(kind).items()) for kind in ("run", "dev", "thorough"))
    assert run < dev < thorough


def test_the_oldest_versions_are_those_of_the_project() -> None:
    """The lock of the oldest versions has the lower bounds of pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [*project["optional-dependencies"].values(), project["dependencies"]]
    named = {item.partition(">=")[0]: item.partition(">=")[2] for extra in extras for item in extra}
    named = {name: least for name, least in named.items() if not name.startswith("excerpt[")}
    found = versions("oldest")
    assert len(named) > 12
    for name, version in named.items():
        assert found[name] == version or found[name].startswith(f"{version}."), name


@pytest.mark.parametrize(
    ("name", "fixed"),
    [
        ("starlette", (1, 3, 1)),  # CVE-2025-62727, CVE-2026-48710, CVE-2026-54283
        ("h11", (0, 16)),  # CVE-2025-43859
    ],
)
def test_no_known_holes_are_allowed(name: str, fixed: tuple[int, ...]) -> None:
    """The lower bound of a library of the servers is at least the version that fixed its known holes."""
    bound = re.search(rf'"{name}>=([0-9.]+)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert bound is not None
    assert tuple(map(int, bound[1].split("."))) >= fixed
