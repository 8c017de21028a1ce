"""The script that sets up the checkout: its stamp, its messages, its arguments and its lock files."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

ROOT = Path(__file__).resolve().parent.parent

if TYPE_CHECKING:
    from collections.abc import Sequence

    import dev
else:
    _spec = importlib.util.spec_from_file_location("dev", ROOT / "dev.py")
    dev = importlib.util.module_from_spec(_spec)
    _spec.loader.exec_module(dev)

REQUIREMENT = re.compile(r"^[A-Za-z0-9._-]+==[^ ]+( ; [^\\]+)? \\$")
HASH = re.compile(r"^    --hash=sha256:[0-9a-f]{64}( \\)?$")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with just the files that the stamp looks at, and a first `.venv`."""
    (tmp_path / "requirements").mkdir()
    for kind in dev.LOCKED_KINDS:
        (tmp_path / "requirements" / f"{kind}.lock").write_text(f"# {kind}\n", encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text("[project]\n", encoding="utf-8")
    (tmp_path / ".venv").mkdir()
    return tmp_path


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Every command that setting up would run, in order, without running it."""
    ran: list[list[str]] = []

    def note(command: Sequence[str], what: str, log: Path) -> None:
        ran.append(list(command))

    monkeypatch.setattr(dev, "_quietly", note)
    return ran


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Every program of the environment that would be run, in order, without running it."""
    called: list[list[str]] = []

    def call(environment: dev.Environment, command: list[str]) -> int:
        called.append(command)
        return 0

    def start(environment: dev.Environment, command: list[str]) -> subprocess.Popen[str]:
        called.append(command)
        return subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE, text=True)

    monkeypatch.setattr(dev, "_call", call)
    monkeypatch.setattr(dev, "_start", start)
    return called


@pytest.fixture(autouse=True)
def browser(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program in the place of a browser, so that no test installs one."""
    monkeypatch.setenv(dev.BROWSER, sys.executable)


def stamped(checkout: Path, kind: str) -> dev.Environment:
    """An environment that carries the stamp of an up-to-date one."""
    environment = dev.Environment(checkout)
    dev.Stamp.wanted(checkout, kind).write(environment.stamp)
    return environment


def test_fresh_checkout_is_not_ready(checkout: Path) -> None:
    """Without a stamp an environment is never taken as finished."""
    assert not dev.Environment(checkout).ready_for("run")


@pytest.mark.parametrize(
    ("made", "wanted", "ready"),
    [("run", "run", True), ("dev", "dev", True), ("dev", "run", True), ("run", "dev", False)],
)
def test_dev_serves_the_demo(checkout: Path, made: str, wanted: str, *, ready: bool) -> None:
    """A development environment serves the demo, and not the other way round."""
    assert stamped(checkout, made).ready_for(wanted) is ready


@pytest.mark.parametrize(("arguments", "calls"), [([], 2), (["--path"], 1)])
def test_the_demo_ends_with_where_its_report_lies(
    checkout: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    arguments: list[str],
    calls: int,
) -> None:
    """In the environment, so that the checkout stays clean; not where something else was asked for."""
    called: list[list[str]] = []

    def call(environment: dev.Environment, command: list[str], **_: bool) -> int:
        called.append(command[1:])
        return 0

    monkeypatch.setattr(dev, "_call", call)
    stamped(checkout, "run")
    assert dev.main(["demo", *arguments], root=checkout) == 0
    report = checkout / ".venv" / "report.html"
    assert called == [["demo", *arguments], ["demo", "--report", str(report)]][:calls]
    said = f"\nA report of all runs, to open in a browser: {report}\n"
    assert capfd.readouterr().out == (said if calls == 2 else "")


def test_a_quiet_program_is_heard_where_it_fails(checkout: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Else nothing is seen of it."""
    environment = stamped(checkout, "run")
    for status, said in ((0, ""), (3, "why")):
        code = f"import sys; print('out'); sys.stderr.write('why'); sys.exit({status})"
        assert dev._call(environment, [sys.executable, "-c", code], quiet=True) == status
        heard = capfd.readouterr()
        assert (heard.out, heard.err) == ("", said)


def test_benchmarks_have_their_own_environment(
    checkout: Path, commands: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The peers of the benchmarks are installed apart, so that they change nothing for the tests."""
    called: list[list[str]] = []

    def call(environment: dev.Environment, command: list[str], *, here: bool) -> int:
        called.append(command)
        return 0

    monkeypatch.setattr(dev, "_call", call)
    stamped(checkout, "dev")
    assert dev.main(["bench", "--quick"], root=checkout) == 0
    assert called[0][1:] == [str(checkout / "benchmarks" / "run.py"), "--quick"]
    assert called[0][0].startswith(str(checkout / ".venv-bench"))
    assert str(checkout / "requirements" / "bench.lock") in commands[1]
    assert not dev.Environment(checkout).ready_for("bench")
    assert not dev.Environment(checkout, ".venv-bench").ready_for("run")


@pytest.mark.parametrize(("kind", "goes_on"), [("bench", True), ("dev", False)])
def test_peers_that_cannot_be_installed_are_left_out(
    checkout: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    kind: str,
    *,
    goes_on: bool,
) -> None:
    """If a peer cannot be installed, the others are installed one by one; elsewhere all are needed."""
    digest = "    --hash=sha256:" + "0" * 64
    locked = [f"{name}==1 \\\n{digest} \\\n{digest}\n    # via x\n" for name in ("good", "bad", "fine")]
    (checkout / "requirements" / f"{kind}.lock").write_text("# head\n" + "".join(locked), encoding="utf-8")
    installed: list[str] = []

    def install(command: Sequence[str], what: str, log: Path) -> None:
        if "--requirement" in command:
            lock = Path(command[-1]).read_text(encoding="utf-8")
            if "bad==1" in lock:
                raise dev.DevError(f"{what} failed")
            assert lock.count("--hash") == 2
            installed.append(what)

    monkeypatch.setattr(dev, "_quietly", install)
    environment = dev.Environment(checkout, ".venv-bench")
    if not goes_on:
        with pytest.raises(dev.DevError, match=r"dev\.lock failed"):
            environment.prepare(kind)
        return
    environment.prepare(kind)
    assert installed == ["installing good", "installing fine"]
    assert "dev.py: going on without bad: installing bad failed\n" in capsys.readouterr().err
    assert environment.ready_for(kind)


@pytest.mark.parametrize("name", ["requirements/dev.lock", "pyproject.toml"])
def test_changed_input_makes_it_stale(checkout: Path, name: str) -> None:
    """A change of the lock file or of the project's description is noticed."""
    environment = stamped(checkout, "dev")
    with (checkout / name).open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    assert not environment.ready_for("dev")


def test_moved_checkout_is_stale(checkout: Path) -> None:
    """An environment that was moved with its checkout is made again: its scripts name the old place."""
    stamped(checkout, "dev")
    moved = checkout.rename(checkout.with_name("moved"))
    assert not dev.Environment(moved).ready_for("dev")


def test_other_python_is_stale(checkout: Path) -> None:
    """Another Python needs another environment."""
    environment = stamped(checkout, "dev")
    environment.python = dev.Interpreter("python", "3.99")
    assert not environment.ready_for("dev")


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"kind": "dev", "colour": "red"}', "\x00"])
def test_damaged_stamp_is_no_stamp(checkout: Path, text: str) -> None:
    """A stamp that cannot be read is the same as none."""
    environment = dev.Environment(checkout)
    environment.stamp.write_text(text, encoding="utf-8")
    assert dev.Stamp.read(environment.stamp) is None
    assert not environment.ready_for("run")


def test_missing_lock_is_named(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A missing lock file gives one line that names it, and status 2."""
    (checkout / "requirements" / "run.lock").unlink()
    assert dev.main(["demo"], root=checkout) == 2
    told = capsys.readouterr().err
    assert told.count("\n") <= 2
    assert told.rstrip().endswith("requirements/run.lock is missing; is this a complete clone?")


def test_set_up_installs_by_hash_then_the_project(checkout: Path, commands: list[list[str]]) -> None:
    """Setting up makes the environment, installs the lock by hash, then the project, and is then ready."""
    environment = dev.Environment(checkout)
    environment.prepare("dev")
    made, locked, project = commands
    assert made[1:3] == ["-m", "venv"]
    assert {"--require-hashes", str(checkout / "requirements" / "dev.lock")} <= set(locked)
    assert {"--no-build-isolation", "--no-deps", "--editable"} <= set(project)
    assert environment.ready_for("dev")
    environment.prepare("run")
    assert len(commands) == 3


DIGEST = "    --hash=sha256:" + "0" * 64


@pytest.mark.parametrize("able", [True, False])
def test_uv_installs_what_the_lock_names(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, *, able: bool
) -> None:
    """pip installs uv alone, by its hash, and uv the rest where pip would look; where it cannot, pip does."""
    lock = checkout / "requirements" / "dev.lock"
    lock.write_text(f"# head\nruff==1 \\\n{DIGEST}\nuv==2 \\\n{DIGEST}\n", encoding="utf-8")
    ran: list[list[str]] = []

    def note(command: Sequence[str], what: str, log: Path) -> None:
        ran.append(list(command))
        if "single.lock" in command[-1]:
            assert Path(command[-1]).read_text(encoding="utf-8") == f"uv==2 \\\n{DIGEST}\n"
        if command[0].endswith("uv") and not able:
            raise dev.DevError("uv found nothing")

    monkeypatch.setattr(dev, "_quietly", note)
    monkeypatch.setattr(dev, "uv_indexes", lambda python: ["--find-links", "here"])
    environment = dev.Environment(checkout)
    environment.prepare("dev")
    _, first, by_uv, after, project = ran
    assert first[1:4] == ["-m", "pip", "install"]
    assert first[-1].endswith("single.lock")
    assert by_uv[:3] == [environment.tool("uv"), "pip", "install"]
    assert {"--require-hashes", "--find-links", "here", str(lock)} <= set(by_uv)
    assert after[1:4] == ["-m", "pip", "uninstall" if able else "install"]
    assert (after[-1] == "uv") if able else ({"--require-hashes", str(lock)} <= set(after))
    assert "--editable" in project
    assert environment.ready_for("dev")


def test_uv_looks_where_pip_would(tmp_path: Path) -> None:
    """Indexes and folders of pip's configuration, each value of several."""
    pip = tmp_path / "python"
    lines = ["global.extra-index-url='https://a.test/x\\nhttps://b.test/y'", ":env:.find-links='/wheels'"]
    lines += ["global.index-url='https://c.test'", "global.cert='/c.pem'"]
    pip.write_text("#!/bin/sh\ncat <<'END'\n" + "\n".join(lines) + "\nEND\n", encoding="utf-8")
    pip.chmod(0o755)
    options = dev.uv_indexes(str(pip))
    found = list(zip(options[::2], options[1::2], strict=True))
    assert found[0] == ("--index-strategy", "unsafe-best-match")  # whichever has the file with the digest
    extra = [("--extra-index-url", "https://a.test/x"), ("--extra-index-url", "https://b.test/y")]
    assert found[1:] == [*extra, ("--find-links", "/wheels"), ("--index-url", "https://c.test")]


def test_changed_project_keeps_the_packages(checkout: Path, commands: list[list[str]]) -> None:
    """If only pyproject.toml has changed, only the project is installed again."""
    environment = stamped(checkout, "dev")
    (checkout / "pyproject.toml").write_text("[project]\nname = 'x'\n", encoding="utf-8")
    environment.prepare("dev")
    assert ["--editable" in command for command in commands] == [True]
    assert environment.ready_for("dev")


def test_changed_lock_starts_from_nothing(checkout: Path, commands: list[list[str]]) -> None:
    """If the lock file has changed, packages of the old one are removed."""
    environment = stamped(checkout, "dev")
    old = environment.folder / "lib" / "old.py"
    old.parent.mkdir()
    old.touch()
    (checkout / "requirements" / "dev.lock").write_text("# new\n", encoding="utf-8")
    environment.prepare("dev")
    assert not old.parent.exists()
    assert len(commands) == 3


def test_interrupted_set_up_is_not_finished(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An interruption leaves no stamp, not even the one that was there before."""

    def interrupt(command: Sequence[str], what: str, log: Path) -> None:
        raise KeyboardInterrupt

    environment = stamped(checkout, "run")
    monkeypatch.setattr(dev, "_quietly", interrupt)
    assert dev.main(["test"], root=checkout) == 130
    assert not environment.ready_for("run")
    assert not environment.stamp.exists()


def test_failure_shows_the_last_lines(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A failing command shows the end of its output and keeps the whole in the log."""
    log = tmp_path / "setup.log"
    code = "for n in range(100): print('line', n)\nraise SystemExit(3)"
    with pytest.raises(dev.DevError, match=r"^trying failed \(status 3\)"):
        dev._quietly([sys.executable, "-c", code], "trying", log)
    shown = capfd.readouterr().err.splitlines()
    assert (shown[0], shown[-1]) == ("line 80", "line 99")
    assert "line 0\n" in log.read_text(encoding="utf-8")


def test_missing_ensurepip_names_the_package(tmp_path: Path) -> None:
    """For a Python without ensurepip, as in Debian, the error names the package to install."""
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    python.chmod(0o755)
    with pytest.raises(dev.DevError, match="python3-venv"):
        dev.make_venv(tmp_path / ".venv", tmp_path / "log", str(python))


def test_another_python_has_its_own_environment(
    checkout: Path, commands: list[list[str]], called: list[list[str]]
) -> None:
    """`--python` with a path takes that interpreter and leaves `.venv` alone; the rest is passed on."""
    python = checkout / "python"
    python.write_text("#!/bin/sh\necho '3.99.1 (main)'\n", encoding="utf-8")
    python.chmod(0o755)
    assert dev.main(["test", "--python", str(python), "-k", "span"], root=checkout) == 0
    assert commands[0] == [str(python), "-m", "venv", str(checkout / ".venv-3.99")]
    assert called == [[str(checkout / ".venv-3.99" / dev.BIN / "pytest"), "-k", "span"]]
    assert list((checkout / ".venv").iterdir()) == []


@pytest.mark.parametrize(("kind", "passed"), [("oldest", []), ("thorough", ["--thorough"])])
@pytest.mark.parametrize("rest", [[], ["-k", "span"]])
def test_other_libraries_have_their_own_environment(
    checkout: Path,
    commands: list[list[str]],
    called: list[list[str]],
    kind: str,
    passed: list[str],
    rest: list[str],
) -> None:
    """`test --oldest` and `test --thorough` only run the tests, each in an environment of its lock."""
    assert dev.main(["test", f"--{kind}", *rest], root=checkout) == 0
    assert str(checkout / "requirements" / f"{kind}.lock") in commands[1]
    pytest_ = str(checkout / f".venv-{kind}" / dev.BIN / "pytest")
    assert called == [[pytest_, *passed, *(rest or dev.SHARED)]]


def test_the_oldest_versions_are_those_of_the_project() -> None:
    """The lock of the oldest versions has the lower bounds of pyproject.toml."""
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [*project["optional-dependencies"].values(), project["dependencies"]]
    named = {item.partition(">=")[0]: item.partition(">=")[2] for extra in extras for item in extra}
    del named["excerpt[frames,plot,cluster,web,stats,ir]"]
    locked = (ROOT / "requirements" / "oldest.lock").read_text(encoding="utf-8")
    found = dict(re.findall(r"^([a-z0-9-]+)==([^ ]+)", locked, re.MULTILINE))
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


def test_a_version_is_found_in_the_path_or_among_those_of_pyenv(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that does not run, as one that pyenv has switched off, is passed over."""
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path / "shims"))
    for place, says in (("shims/python3.13", ""), ("versions/3.13.2/bin/python3", "3.13.2 (main)")):
        python = tmp_path / place
        python.parent.mkdir(parents=True)
        python.write_text(f"#!/bin/sh\n{f'echo {says!r}' if says else 'exit 127'}\n", encoding="utf-8")
        python.chmod(0o755)
    assert dev.Interpreter.find("3.13").path == str(python)
    assert dev.Interpreter.find("3.13").numbers == (3, 13)
    with pytest.raises(dev.DevError, match=r"Python 3\.1 is not installed; give a version"):
        dev.Interpreter.find("3.1")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--python"], "--python needs a version such as 3.13, or a path"),
        (
            ["--python", "/nowhere/python"],
            "Python /nowhere/python is not installed; give a version such as 3.13",
        ),
    ],
)
def test_mistaken_pythons(
    checkout: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    """A Python that is not there is one line and status 2, and nothing is set up."""
    assert dev.main(["lint", *arguments], root=checkout) == 2
    assert capsys.readouterr().err.startswith(f"dev.py: {message}")
    assert [path.name for path in checkout.glob(".venv*")] == [".venv"]


def test_old_python_is_refused() -> None:
    """The error for a Python that is too old names both versions."""
    with pytest.raises(dev.DevError, match=r"^excerpt needs Python 3\.11 or newer; this is 3\.9$"):
        dev.check_python((3, 9))
    dev.check_python((3, 11))


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["test"], ("test", [])),
        (["test", "-k", "span", "tests/model"], ("test", ["-k", "span", "tests/model"])),
        (["lint", "--fix"], ("lint", ["--fix"])),
        (["demo", "--", "--help"], ("demo", ["--help"])),
    ],
)
def test_arguments_are_passed_on(arguments: list[str], expected: tuple[str, list[str]]) -> None:
    """Whatever follows the command is passed on in its order."""
    assert dev.parse(arguments) == expected


@pytest.mark.parametrize("arguments", [["--help"], *([name, "--help"] for name in dev.COMMANDS)])
def test_help_sets_nothing_up(
    checkout: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    """Help is given at once, without making an environment."""
    with pytest.raises(SystemExit) as exit_:
        dev.main(arguments, root=checkout)
    assert exit_.value.code == 0
    assert "dev.py" in capsys.readouterr().out
    assert list((checkout / ".venv").iterdir()) == []


@pytest.mark.parametrize("arguments", [[], ["tset"]])
def test_unknown_command_is_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """No command, or one that does not exist, is an error with status 2."""
    with pytest.raises(SystemExit) as exit_:
        dev.main(arguments)
    assert exit_.value.code == 2
    assert "COMMAND" in capsys.readouterr().err


def test_lint_takes_only_fix(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A mistyped option of lint is refused before anything is set up."""
    assert dev.main(["lint", "--fux"], root=checkout) == 2
    assert capsys.readouterr().err == "dev.py: lint takes only --fix, found: --fux\n"


def test_a_release_is_built_from_its_tag(
    checkout: Path, called: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    """Another tag than that of the version builds nothing; a trusted workflow publishes what was built."""
    stamped(checkout, "dev")
    (checkout / "src" / "excerpt").mkdir(parents=True, exist_ok=True)
    (checkout / "src" / "excerpt" / "__init__.py").write_text('__version__ = "1.2.0"\n')
    assert dev.main(["build", "v1.2"], root=checkout) == 2
    expected = "dev.py: found the tag v1.2, expected v1.2.0, the version of src/excerpt\n"
    assert (called, capsys.readouterr().err) == ([], expected)
    for command in (["build"], ["build", "v1.2.0"], ["publish"]):
        assert dev.main(command, root=checkout) == 0
    build, again, publish = ([Path(words[0]).name, *words[1:]] for words in called)
    assert build == again == ["hatchling", "build", "-d", "dist"]
    assert publish == ["uv", "publish", "--trusted-publishing", "always"]


def test_steps_stop_at_the_first_failure(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first step that fails ends the work, is named, and gives the exit status."""
    statuses = iter([0, 7])
    monkeypatch.setattr(dev, "_call", lambda *arguments, **options: next(statuses))
    assert dev.run_steps(dev.Environment(checkout), dev.CHECKS) == 7
    told = capsys.readouterr()
    assert told.out == "== ruff format --check\n== ruff check\n"
    assert told.err == "dev.py: ruff check failed\n"


def test_a_quick_run_checks_all_but_slow_tests(
    checkout: Path, called: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    """`test --quick` checks format, lint and types too; only of the tests some are left out."""
    stamped(checkout, "dev")
    assert dev.main(["test", "--quick"], root=checkout) == 0
    assert [Path(command[0]).name for command in called] == [
        "ruff",
        "ruff",
        "deno",
        "deno",
        "deno",
        "mypy",
        "pytest",
    ]
    assert "--quick" in called[-1]


@pytest.mark.parametrize("wrong", dev.LONG_CHECKS, ids=lambda step: step.title)
@pytest.mark.parametrize(("tests", "types", "status"), [(0, 0, 0), (1, 0, 1), (0, 3, 3), (1, 3, 1)])
def test_types_are_checked_beside_the_tests(
    checkout: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    tests: int,
    types: int,
    status: int,
    wrong: dev.Step,
) -> None:
    """All must be right; who checks types is heard after the tests, and only where it finds something."""
    start = dev._start

    def start_other(place: dev.Environment, command: list[str]) -> subprocess.Popen[str]:
        ends = types if command == [place.tool(wrong.program), *wrong.arguments] else 0
        return start(place, [sys.executable, "-c", f"print('a.py:1: error'); raise SystemExit({ends})"])

    monkeypatch.setattr(dev, "_start", start_other)
    monkeypatch.setattr(dev, "_call", lambda *arguments: tests)
    assert dev.run_with_types(stamped(checkout, "dev"), dev.TESTS) == status
    told = capfd.readouterr()
    heading = "== deno check and mypy and pytest\n== pytest\n"
    assert told.out == heading + f"== {wrong.title}\na.py:1: error\n" * bool(types)
    assert told.err == f"dev.py: {wrong.title} failed\n" * bool(types)


def have_only(monkeypatch: pytest.MonkeyPatch, folder: Path, *programs: str) -> None:
    """Let a folder with these programs, which do nothing, be the whole path."""
    for name in programs:
        (folder / name).write_text("#!/bin/sh\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))


@pytest.mark.parametrize(
    "present", ["google-chrome", "chromium-browser", "chromium", "chromium-headless-shell"]
)
def test_a_browser_that_is_there_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, commands: list[list[str]], present: str
) -> None:
    """Chromium of any name serves, unless a variable names another; then nothing is installed."""
    program = tmp_path / present
    have_only(monkeypatch, tmp_path, present)
    assert dev.find_browser() == sys.executable
    monkeypatch.delenv(dev.BROWSER)
    assert dev.find_browser() == str(program)
    dev.install_browser(tmp_path / "log")
    assert commands == []


@pytest.mark.parametrize(
    ("user", "programs", "installs"),
    [(0, ["apt-get"], ["update", "install"]), (0, [], []), (1000, ["apt-get"], [])],
)
def test_a_missing_browser_is_installed_or_named(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    commands: list[list[str]],
    capsys: pytest.CaptureFixture[str],
    user: int,
    programs: list[str],
    installs: list[str],
) -> None:
    """As root, apt-get installs it; otherwise, or if that fails, a message says what to install."""
    have_only(monkeypatch, tmp_path, *programs)
    monkeypatch.delenv(dev.BROWSER)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr("os.geteuid", lambda: user, raising=False)
    dev.install_browser(tmp_path / "log")
    assert [word for command in commands for word in ("update", "install") if word in command] == installs
    assert all("apt-get" in command for command in commands)
    told = capsys.readouterr().err.splitlines()
    assert len(told) == (2 if installs else 1)
    assert told[-1].startswith("dev.py: no browser for the tests of pages (chromium-headless-shell, ")
    assert told[-1].endswith("install Debian's package chromium, or set EXCERPT_CHROMIUM=PROGRAM")


@pytest.mark.parametrize(("ci", "installs"), [("1", ["update", "install"]), ("", [])])
def test_the_faster_browser_is_installed_where_time_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, commands: list[list[str]], ci: str, installs: list[str]
) -> None:
    """Under CI alone, beside chromium; elsewhere nobody asked for a further browser."""
    have_only(monkeypatch, tmp_path, "apt-get", "chromium")
    monkeypatch.delenv(dev.BROWSER)
    monkeypatch.setenv("CI", ci)
    monkeypatch.setattr("os.geteuid", lambda: 0, raising=False)
    dev.install_browser(tmp_path / "log")
    assert [word for command in commands for word in ("update", "install") if word in command] == installs
    assert all(dev.BROWSERS[0] in command for command in commands if "install" in command)


@pytest.mark.parametrize(("ci", "installs"), [("1", ["update", "install"]), ("", [])])
def test_latex_is_installed_where_nothing_may_be_skipped(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    commands: list[list[str]],
    capsys: pytest.CaptureFixture[str],
    ci: str,
    installs: list[str],
) -> None:
    """Under CI alone, since it takes minutes; elsewhere, or if that fails, a message says what to install."""
    have_only(monkeypatch, tmp_path, "apt-get")
    monkeypatch.setenv("CI", ci)
    monkeypatch.setattr("os.geteuid", lambda: 0, raising=False)
    dev.install_latex(tmp_path / "log")
    assert [word for command in commands for word in ("update", "install") if word in command] == installs
    assert capsys.readouterr().err.splitlines()[-1] == f"dev.py: {dev.missing_latex()}"


@pytest.mark.parametrize(
    ("ci", "there", "installed"),
    [
        ("1", [], [["zsh", "fish"], ["firefox-esr"]]),
        ("1", ["firefox", "zsh"], [["fish"]]),
        ("1", ["firefox-esr", "zsh", "fish"], []),
        ("", [], []),
    ],
)
def test_shells_and_firefox_are_installed_where_nothing_may_be_skipped(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    commands: list[list[str]],
    ci: str,
    there: list[str],
    installed: list[list[str]],
) -> None:
    """Under CI alone; Firefox by itself, since some systems have no such package."""
    have_only(monkeypatch, tmp_path, "apt-get", *there)
    monkeypatch.setenv("CI", ci)
    monkeypatch.setattr("os.geteuid", lambda: 0, raising=False)
    dev.install_others(tmp_path / "log")
    known = ("zsh", "fish", "firefox-esr")
    asked = [[word for word in command if word in known] for command in commands if "install" in command]
    assert asked == installed


def test_a_browser_that_cannot_be_installed_stops_nothing(
    checkout: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    called: list[list[str]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The other tests run; what failed is in the log, what is missing is said."""
    (tmp_path / "apt-get").write_text("#!/bin/sh\necho E: no network; exit 100\n", encoding="utf-8")
    (tmp_path / "apt-get").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.delenv(dev.BROWSER)
    monkeypatch.setattr(dev, "BROWSERS", ("no-such-browser",))
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr("os.geteuid", lambda: 0, raising=False)
    environment = stamped(checkout, "dev")
    assert dev.main(["test"], root=checkout) == 0
    assert called
    assert environment.log.read_text(encoding="utf-8").count("E: no network") == 2
    assert "dev.py: no browser" in capsys.readouterr().err


def test_ci_skips_no_test_for_want_of_a_browser() -> None:
    """The script of CI says that it is CI, whatever the machine says."""
    assert "export CI=1\n" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_caches_lie_in_the_environment(checkout: Path) -> None:
    """Every cache of the tools lies in `.venv`, and its programs come first."""
    environment = dev.Environment(checkout)
    variables = environment.variables({"PATH": "/usr/bin"})
    caches = [value for name, value in variables.items() if name.endswith(("_DIR", "_DIRECTORY"))]
    assert len(caches) == 4
    assert all(Path(cache).is_relative_to(environment.folder) for cache in caches)
    assert variables["PATH"].startswith(str(environment.folder))


def test_no_variable_of_python_is_passed_on(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Variables of Python (unbuffered output, a path) do not affect tools and tests."""
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    code = "import os, sys; sys.exit(any(name.startswith('PYTHON') for name in os.environ))"
    assert dev._call(dev.Environment(checkout), [sys.executable, "-c", code]) == 0
    dev._quietly([sys.executable, "-c", code], "looking", tmp_path / "log")


@pytest.mark.parametrize("kind", dev.LOCKED_KINDS)
def test_every_locked_version_has_hashes(kind: str) -> None:
    """Each requirement in a lock file is one exact version with at least one digest."""
    lines = (ROOT / "requirements" / f"{kind}.lock").read_text(encoding="utf-8").splitlines()
    lines = [line for line in lines if not line.lstrip().startswith("#")]
    assert lines
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        assert REQUIREMENT.match(line) or HASH.match(line), line
        assert not REQUIREMENT.match(line) or HASH.match(after), line


@pytest.mark.parametrize("kind", dev.LOCKED_KINDS)
def test_locks_name_no_address(kind: str) -> None:
    """A lock file names no registry and no file of the machine it was made on."""
    text = (ROOT / "requirements" / f"{kind}.lock").read_text(encoding="utf-8")
    assert not re.search(r"https?:|://|index-url|find-links|(^|\s)/\w", text)


def test_versions_are_the_same_in_all_environments() -> None:
    """Those of development run the version that the demo runs, and thorough tests those of the others."""
    run, dev_, thorough = (
        set(re.findall(r"^[\w.-]+==[^ ]+", text, re.MULTILINE))
        for text in (
            (ROOT / "requirements" / f"{kind}.lock").read_text(encoding="utf-8")
            for kind in ("run", "dev", "thorough")
        )
    )
    assert run < dev_ < thorough


def test_needs_only_the_standard_library() -> None:
    """The script starts in an interpreter that sees no installed package."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(ROOT / "dev.py"), "--help"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "bench" in done.stdout
