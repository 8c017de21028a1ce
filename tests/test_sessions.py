"""Sessions of noxfile.py: what they run, with which arguments, and that each says what it is for."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent


class Refused(Exception):
    """A session was ended with this message."""


class Session:
    """Commands of a session, noted and not run."""

    def __init__(self, *posargs: str, printed: str = "") -> None:
        self.posargs = list(posargs)
        self.printed = printed
        self.ran: list[list[str]] = []

    def run(self, *command: str, **_: object) -> str:
        self.ran.append(list(command))
        return self.printed

    run_install = run

    def install(self, *packages: str) -> None:
        self.ran.append(["install", *packages])

    def error(self, message: str) -> None:
        raise Refused(message)

    def log(self, message: str) -> None:
        pass


@pytest.fixture
def sessions(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The file as a module; it changes the path of programs."""
    monkeypatch.setenv("PATH", os.environ["PATH"])
    monkeypatch.setattr("nox.registry._REGISTRY", {})
    monkeypatch.chdir(ROOT)
    spec = importlib.util.spec_from_file_location("noxfile", ROOT / "noxfile.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_nox_knows_the_sessions_that_dev_offers(tmp_path: Path) -> None:
    """dev.py reads them without nox; the Pythons are those of pyproject.toml."""
    command = [sys.executable, "-m", "nox", "--noxfile", str(ROOT / "noxfile.py"), "--list-sessions"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    listed = {line.split()[1]: line for line in done.stdout.splitlines() if line[:2] in {"- ", "* "}}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pythons = [name.split(" :: ")[-1] for name in project["classifiers"] if "Python :: 3." in name]
    expected = {f"pythons-{version}" for version in pythons}
    assert {name for name in listed if "-" in name} == expected
    help_ = subprocess.run(
        [sys.executable, str(ROOT / "dev.py"), "--help"], capture_output=True, text=True, check=False
    ).stdout
    for name, line in listed.items():
        short = name.partition("-")[0]
        assert " -> " in line, name  # what the session is for
        assert short == "tests" or f"\n  {short} " in help_
    assert [name for name, line in listed.items() if line.startswith("* ")] == ["tests"]


@pytest.mark.parametrize("fix", [[], ["--fix"]])
def test_lint_changes_nothing_unless_asked(sessions: Any, fix: list[str]) -> None:
    """Formatters only check then; types come last."""
    session = Session(*fix)
    sessions.lint(session)
    assert [command[0] for command in session.ran] == ["ruff", "ruff", "deno", "deno", "deno", "mypy"]
    for command in session.ran[:4]:
        formats = command[1] in {"format", "fmt"}
        assert ("--fix" in command) is (bool(fix) and not formats)
        assert ("--check" in command) is (formats and not fix)


def test_lint_refuses_what_it_does_not_know(sessions: Any) -> None:
    """A mistyped option is refused before anything is changed."""
    session = Session("--fux")
    with pytest.raises(Refused, match=r"^found --fux, expected --fix or nothing$"):
        sessions.lint(session)
    assert session.ran == []


@pytest.mark.parametrize("status", [0, 3])
def test_types_are_checked_beside_the_tests(
    sessions: Any, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    """All must be right; who checks types is heard after the tests, and only where it finds something."""
    code = f"print('a.py:1: error'); raise SystemExit({status})"
    session = Session("--quick")
    monkeypatch.setattr(sessions, "NOX", (sys.executable, "-c", code))
    if status:
        with pytest.raises(Refused, match=r"^types failed\na.py:1: error\n$"):
            sessions.tests(session)
    else:
        sessions.tests(session)
    assert session.ran == [[*sessions.NOX, "style"], ["pytest", *sessions.SHARED, "--quick"]]


def test_failed_tests_do_not_hide_types(sessions: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check of types is waited for, and its errors are told."""

    class Failing(Session):
        def run(self, *command: str, **_: object) -> str:
            if command[0] == "pytest":
                raise RuntimeError("tests failed")
            return ""

    monkeypatch.setattr(sessions, "NOX", (sys.executable, "-c", "raise SystemExit(1)"))
    with pytest.raises(Refused, match="types failed"):
        sessions.tests(Failing())
    monkeypatch.setattr(sessions, "NOX", (sys.executable, "-c", ""))
    with pytest.raises(RuntimeError, match="tests failed"):
        sessions.tests(Failing())


@pytest.mark.parametrize(
    ("name", "kind", "option"),
    [("oldest", "oldest", []), ("thorough", "thorough", ["--thorough"]), ("pythons", "dev", [])],
)
def test_other_libraries_come_from_their_lock(sessions: Any, name: str, kind: str, option: list[str]) -> None:
    """By digest, exactly; then excerpt itself, and the tests with the arguments."""
    session = Session("-k", "span")
    getattr(sessions, name)(session)
    locked, project, tests = session.ran
    assert locked[:3] == ["uv", "pip", "sync"]
    assert locked[-2:] == ["--require-hashes", f"requirements/{kind}.lock"]
    assert project == ["install", "--no-deps", "--no-build-isolation", "--editable", "."]
    assert tests == ["pytest", *option, *sessions.SHARED, "-k", "span"]


def test_every_lock_is_written(sessions: Any) -> None:
    """From files that exist, after those that limit it, without an address."""
    session = Session("--upgrade")
    sessions.lock(session)
    oldest, *locks = session.ran
    assert "lowest-direct" in oldest
    written = [command[command.index("--output-file") + 1] for command in locks]
    assert sorted(written) == sorted(f"requirements/{path.name}" for path in ROOT.glob("requirements/*.lock"))
    for number, command in enumerate(locks):
        assert {"--generate-hashes", "--universal", "--no-emit-index-url", "--upgrade"} <= set(command)
        inputs = [word for word in command if word.endswith((".in", ".toml"))]
        assert all((ROOT / path).is_file() for path in inputs)
        for place, word in enumerate(command):
            assert word != "--constraint" or command[place + 1] in written[:number]


@pytest.mark.parametrize(("tag", "right"), [((), True), (("v1.2.0",), True), (("v1.2",), False)])
def test_a_release_is_built_from_its_tag(
    sessions: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tag: tuple[str, ...], *, right: bool
) -> None:
    """Another tag than that of the version builds nothing; what was built before goes."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dist").mkdir()
    session = Session(*tag, printed="1.2.0\n")
    if right:
        sessions.build(session)
    else:
        with pytest.raises(Refused, match=r"^found the tag v1\.2, expected v1\.2\.0, that of src/excerpt$"):
            sessions.build(session)
    assert (session.ran[1:] == [["hatchling", "build", "-d", "dist"]]) is right
    assert (tmp_path / "dist").exists() is not right


@pytest.mark.parametrize(
    "script", ["tests/support/fuzz/session.py", "tools/smoke.py", "tools/public_names.py"]
)
def test_scripts_of_sessions_exist(sessions: Any, script: str) -> None:
    """Each is where its session looks for it."""
    session = Session("x")
    for name in ("fuzz", "smoke", "api"):
        getattr(sessions, name)(session)
    assert script in {command[1] for command in session.ran}
    assert (ROOT / script).is_file()
