"""The script that sets up the checkout: its stamp, its messages, its arguments."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
DIGEST = "    --hash=sha256:" + "0" * 64


@pytest.fixture
def dev(tmp_path: Path) -> Any:
    """The script in a checkout of its own, with just the files that the stamp looks at."""
    checkout = tmp_path / "checkout"
    (checkout / "requirements").mkdir(parents=True)
    for kind in ("run", "dev"):
        (checkout / "requirements" / f"{kind}.lock").write_text(f"# {kind}\n", encoding="utf-8")
    (checkout / "pyproject.toml").write_text("[project]\n", encoding="utf-8")
    for name in ("dev.py", "noxfile.py"):
        shutil.copy(ROOT / name, checkout / name)
    return load(checkout)


def load(checkout: Path) -> Any:
    """The script of a checkout as a module."""
    spec = importlib.util.spec_from_file_location("dev", checkout / "dev.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def installed(dev: Any, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Every command that setting up would run, in order, without running it."""
    commands: list[list[str]] = []
    monkeypatch.setattr(dev, "quietly", lambda what, *command: commands.append(list(command)))
    return commands


@pytest.fixture
def called(dev: Any, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Every program of the environment that would be run, in order, without running it."""
    programs: list[list[str]] = []

    def run(*command: str, **_: object) -> int:
        programs.append(list(command))
        return 0

    monkeypatch.setattr(dev, "run", run)
    return programs


def stamped(dev: Any, kind: str) -> None:
    """Let the environment carry the stamp of an up-to-date one."""
    dev.VENV.mkdir()
    dev.STAMP.write_text("\n".join(dev.stamp(kind)) + "\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("made", "wanted", "kept"),
    [("run", "run", True), ("dev", "dev", True), ("dev", "run", True), ("run", "dev", False)],
)
def test_an_environment_for_tests_serves_the_demo(
    dev: Any, installed: list[list[str]], made: str, wanted: str, *, kept: bool
) -> None:
    """And not the other way round; without a stamp an environment is never taken as finished."""
    assert not dev.ready(wanted)
    stamped(dev, made)
    dev.prepare(wanted)
    assert (installed == []) is kept
    assert dev.found_stamp() == dev.stamp(made if kept else wanted)


def test_the_demo_keeps_an_environment_for_tests(dev: Any, installed: list[list[str]]) -> None:
    """A change of the project installs that again, and not what the demo alone needs."""
    stamped(dev, "dev")
    (dev.ROOT / "pyproject.toml").write_text("[project]\nname = 'x'\n", encoding="utf-8")
    dev.prepare("run")
    assert ["--editable" in command for command in installed] == [True]
    assert dev.ready("dev")


@pytest.mark.parametrize("name", ["requirements/dev.lock", "pyproject.toml"])
def test_changed_input_makes_it_stale(dev: Any, name: str) -> None:
    """A change of the lock file or of the project's description is noticed."""
    stamped(dev, "dev")
    with (dev.ROOT / name).open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    assert not dev.ready("dev")


def test_another_place_or_python_makes_it_stale(dev: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment that was moved with its checkout is made again: its scripts name the old place."""
    stamped(dev, "dev")
    assert not load(dev.ROOT.rename(dev.ROOT.with_name("moved"))).ready("dev")
    moved = load(dev.ROOT.with_name("moved"))
    moved.STAMP.write_text("\n".join(moved.stamp("dev")) + "\n", encoding="utf-8")
    assert moved.ready("dev")
    monkeypatch.setattr(sys, "version", "3.99 (main)\n[compiler]")
    assert not moved.ready("dev")


@pytest.mark.parametrize("content", [b"", b"dev\n", b"\x00\xff", b"{}\n\n\n\n\n"])
def test_damaged_stamp_is_no_stamp(dev: Any, content: bytes) -> None:
    """A stamp that cannot be read is the same as none."""
    dev.VENV.mkdir()
    dev.STAMP.write_bytes(content)
    assert not dev.ready("run")


def test_missing_lock_is_named(dev: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """A missing lock file gives one line that names it, and status 2."""
    (dev.ROOT / "requirements" / "run.lock").unlink()
    assert dev.main(["demo"]) == 2
    told = capsys.readouterr().err
    assert told == "dev.py: requirements/run.lock is missing; is this a complete clone?\n"


def test_set_up_installs_by_hash_then_the_project(dev: Any, installed: list[list[str]]) -> None:
    """Setting up makes the environment, installs the lock by hash, then the project, and is then ready."""
    dev.prepare("dev")
    made, locked, project = installed
    assert made[1:] == ["-m", "venv", str(dev.ROOT / ".venv")]
    assert {"--require-hashes", "--no-deps", str(dev.ROOT / "requirements" / "dev.lock")} <= set(locked)
    assert {"--no-build-isolation", "--no-deps", "--editable"} <= set(project)
    assert dev.ready("dev")
    dev.prepare("run")
    assert len(installed) == 3


@pytest.mark.parametrize("able", [True, False])
def test_uv_installs_what_the_lock_names(dev: Any, monkeypatch: pytest.MonkeyPatch, *, able: bool) -> None:
    """pip installs uv alone, by its hash, and uv the rest; where it cannot, pip does."""
    lock = dev.ROOT / "requirements" / "dev.lock"
    lock.write_text(f"# head\nruff==1 \\\n{DIGEST}\nuv==2 \\\n{DIGEST}\n    # via x\n", encoding="utf-8")
    ran: list[list[str]] = []

    def note(what: str, *command: str) -> None:
        ran.append(list(command))
        if command[-1].endswith("uv.lock"):
            assert Path(command[-1]).read_text(encoding="utf-8") == f"uv==2 \\\n{DIGEST}\n"
        if Path(command[0]).stem == "uv" and not able:
            raise dev.DevError("uv found nothing")

    monkeypatch.setattr(dev, "quietly", note)
    dev.prepare("dev")
    _, first, by_uv, *by_pip, project = ran
    assert first[1:4] == ["-m", "pip", "install"]
    assert first[-1].endswith("uv.lock")
    for command in (by_uv, *by_pip):
        assert {"install", "--require-hashes", "--no-deps", str(lock)} <= set(command)
    assert [command[1:3] for command in by_pip] == ([] if able else [["-m", "pip"]])
    assert "--editable" in project
    assert dev.ready("dev")


def test_uv_looks_where_pip_would(dev: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Indexes and folders of pip's configuration, each value of several; a variable of uv comes first."""
    python = dev.BIN / "python"
    python.parent.mkdir(parents=True)
    lines = [":env:.find-links='/wheels'", ":env:.index-url='https://c.test'", "global.cert='/c.pem'"]
    lines += [
        "global.extra-index-url='https://a.test/x\\nhttps://b.test/y'",
        "global.find-links='/w /wheels'",
    ]
    lines += ["global.index-url='https://d.test'"]
    python.write_text("#!/bin/sh\ncat <<'END'\n" + "\n".join(lines) + "\nEND\n", encoding="utf-8")
    python.chmod(0o755)
    for name in [name for name in os.environ if name.startswith("UV_")]:
        monkeypatch.delenv(name)
    expected = {
        "UV_DEFAULT_INDEX": "https://c.test",
        "UV_EXTRA_INDEX_URL": "https://a.test/x https://b.test/y",
        "UV_FIND_LINKS": "/wheels,/w",
        "UV_INDEX_STRATEGY": "unsafe-best-match",
        "UV_SYSTEM_CERTS": "1",
    }
    for program in ("nox", str(dev.BIN / "uv")):
        given = dev.variables(program)
        assert {name: value for name, value in given.items() if name.startswith("UV_")} == expected
    assert not [name for name in dev.variables("pytest") if name.startswith("UV_")]
    monkeypatch.setenv("UV_FIND_LINKS", "/mine")
    assert dev.variables("uv")["UV_FIND_LINKS"] == "/mine"


def test_changed_project_keeps_the_packages(dev: Any, installed: list[list[str]]) -> None:
    """If only pyproject.toml has changed, only the project is installed again."""
    stamped(dev, "dev")
    (dev.ROOT / "pyproject.toml").write_text("[project]\nname = 'x'\n", encoding="utf-8")
    dev.prepare("dev")
    assert ["--editable" in command for command in installed] == [True]
    assert dev.ready("dev")


def test_changed_lock_starts_from_nothing(dev: Any, installed: list[list[str]]) -> None:
    """If the lock file has changed, packages of the old one are removed."""
    stamped(dev, "dev")
    old = dev.VENV / "lib" / "old.py"
    old.parent.mkdir()
    old.touch()
    (dev.ROOT / "requirements" / "dev.lock").write_text("# new\n", encoding="utf-8")
    dev.prepare("dev")
    assert not old.parent.exists()
    assert len(installed) == 3


def test_interrupted_set_up_is_not_finished(dev: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """An interruption leaves no stamp, not even the one that was there before."""

    def interrupt(what: str, *command: str) -> None:
        raise KeyboardInterrupt

    stamped(dev, "run")
    monkeypatch.setattr(dev, "quietly", interrupt)
    assert dev.main(["test"]) == 130
    assert not dev.ready("run")
    assert not dev.STAMP.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="no such locks")
def test_one_process_sets_up_while_others_wait(dev: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second finds the environment ready."""
    begun, go_on, made = threading.Event(), threading.Event(), []

    def install(what: str, *command: str) -> None:
        made.append(what)
        begun.set()
        assert go_on.wait(30)

    monkeypatch.setattr(dev, "quietly", install)
    workers = [threading.Thread(target=dev.prepare, args=("run",)) for _ in range(2)]
    workers[0].start()
    assert begun.wait(30)
    workers[1].start()
    workers[1].join(0.2)
    assert workers[1].is_alive()
    go_on.set()
    for worker in workers:
        worker.join(30)
    assert made == ["creating the environment", "installing run.lock", "installing excerpt itself"]


def test_failure_shows_the_last_lines(dev: Any, capfd: pytest.CaptureFixture[str]) -> None:
    """A failing command shows the end of its output and keeps the whole in the log."""
    dev.VENV.mkdir()
    code = "for n in range(100): print('line', n)\nraise SystemExit(3)"
    with pytest.raises(dev.DevError, match=r"^trying failed \(status 3\)"):
        dev.quietly("trying", sys.executable, "-c", code)
    shown = capfd.readouterr().err.splitlines()
    assert (shown[0], shown[-1]) == ("line 80", "line 99")
    assert "line 0\n" in dev.LOG.read_text(encoding="utf-8")


def test_missing_ensurepip_names_the_package(
    dev: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """For a Python without ensurepip, as in Debian, the error names the package to install."""
    python = dev.ROOT / "python"
    python.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    python.chmod(0o755)
    monkeypatch.setattr(sys, "_base_executable", str(python))
    assert dev.main(["demo"]) == 2
    assert capsys.readouterr().err.endswith("on Debian and Ubuntu install the package python3-venv\n")


@pytest.mark.parametrize(("arguments", "calls"), [([], 2), (["--path"], 1)])
def test_the_demo_ends_with_where_its_report_lies(
    dev: Any, called: list[list[str]], capsys: pytest.CaptureFixture[str], arguments: list[str], calls: int
) -> None:
    """In the environment, so that the checkout stays clean; not where something else was asked for."""
    stamped(dev, "run")
    assert dev.main(["demo", *arguments]) == 0
    report = str(dev.VENV / "report.html")
    commands = [["excerpt", "demo", *arguments], ["excerpt", "demo", "--report", report]]
    assert called == commands[:calls]
    said = f"\nA report of all runs, to open in a browser: {report}\n"
    assert capsys.readouterr().out == (said if calls == 2 else "")


def test_a_quiet_program_is_heard_where_it_fails(dev: Any, capfd: pytest.CaptureFixture[str]) -> None:
    """Else nothing is seen of it."""
    for status, said in ((0, ""), (3, "why")):
        code = f"import sys; print('out'); sys.stderr.write('why'); sys.exit({status})"
        assert dev.run(sys.executable, "-c", code, quiet=True) == status
        heard = capfd.readouterr()
        assert (heard.out, heard.err) == ("", said)


@pytest.mark.parametrize(
    ("arguments", "runs"),
    [
        (["test"], ["tests"]),
        (["test", "--quick"], ["tests", "--quick"]),
        (["test", "--oldest"], ["oldest"]),
        (["test", "--thorough", "-k", "span"], ["thorough", "-k", "span"]),
        (["test", "--python", "3.13", "-x"], ["pythons-3.13", "-x"]),
        (["lint", "--fix"], ["lint", "--fix"]),
        (["bench", "--", "--help"], ["bench", "--help"]),
        (["lock", "--upgrade"], ["lock", "--upgrade"]),
    ],
)
def test_other_commands_are_sessions(
    dev: Any, called: list[list[str]], arguments: list[str], runs: list[str]
) -> None:
    """With the nox of the environment, wherever it is called; what follows is passed on in its order."""
    stamped(dev, "dev")
    assert dev.main(arguments) == 0
    name, *rest = runs
    noxfile = str(dev.ROOT / "noxfile.py")
    assert called[-1] == ["nox", "--noxfile", noxfile, "--session", name, "--", *rest]


@pytest.mark.parametrize(
    "arguments",
    [
        ["-k", "span", "tests/model"],
        ["-n", "2", "--hypothesis-seed=1"],
        ["tests", "--thorough"],
        ["--quick", "-x"],
    ],
)
def test_arguments_of_pytest_are_passed_on(dev: Any, called: list[list[str]], arguments: list[str]) -> None:
    """Then only pytest runs, after the programs of the tests were looked for."""
    stamped(dev, "dev")
    assert dev.main(["test", *arguments]) == 0
    assert called == [["python", str(dev.ROOT / "tools" / "programs.py")], ["pytest", *arguments]]


def test_help_sets_nothing_up(dev: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Help is given at once, for every command, without making an environment."""
    with pytest.raises(SystemExit) as exit_:
        dev.main(["--help"])
    told = capsys.readouterr().out
    assert exit_.value.code == 0
    for name, text in {"demo": dev.demo.__doc__, "test": dev.test.__doc__, **dev.sessions()}.items():
        assert f"\n  {name} " in told
        with pytest.raises(SystemExit) as exit_:
            dev.main([name, "--help"])
        assert exit_.value.code == 0
        assert capsys.readouterr().out == f"python3 dev.py {name}: {text}\n"
    assert {"lint", "docs", "bench", "lock", "oldest", "smoke"} <= dev.sessions().keys()
    assert not dev.VENV.exists()


@pytest.mark.parametrize("arguments", [[], ["tset"]])
def test_unknown_command_is_refused(
    dev: Any, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """No command, or one that does not exist, is an error with status 2."""
    with pytest.raises(SystemExit) as exit_:
        dev.main(arguments)
    assert exit_.value.code == 2
    assert "COMMAND" in capsys.readouterr().err


def test_old_python_is_refused(
    dev: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The error for a Python that is too old names both versions, and nothing is set up."""
    monkeypatch.setattr(sys, "version_info", (3, 9, 18))
    assert dev.main(["demo"]) == 2
    assert capsys.readouterr().err == "dev.py: excerpt needs Python 3.11 or newer; this is 3.9\n"
    assert not dev.VENV.exists()


def test_caches_lie_in_the_environment(dev: Any) -> None:
    """Every cache of the tools lies in `.venv`, and its programs come first."""
    variables = dev.variables("pytest")
    caches = [
        value for name, value in variables.items() if name.endswith(("CACHE_DIR", "_DIRECTORY", "DENO_DIR"))
    ]
    assert len(caches) >= 4
    assert all(Path(cache).is_relative_to(dev.VENV) for cache in caches)
    assert variables["PATH"].startswith(str(dev.VENV))


def test_no_variable_of_python_is_passed_on(dev: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Variables of Python (unbuffered output, a path) do not affect tools and tests."""
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    dev.VENV.mkdir()
    code = "import os, sys; sys.exit(any(name.startswith('PYTHON') for name in os.environ))"
    assert dev.run(sys.executable, "-c", code) == 0
    dev.quietly("looking", sys.executable, "-c", code)


@pytest.mark.parametrize("script", ["dev.py", "tools/programs.py", "tools/smoke.py"])
def test_only_the_standard_library_is_needed(script: str) -> None:
    """Scripts that run without an environment start in a Python that sees no installed package."""
    code = "import runpy, sys; runpy.run_path(sys.argv[1])"
    command = [sys.executable, "-I", "-S", "-c", code, str(ROOT / script)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_ci_skips_no_test_for_want_of_a_browser() -> None:
    """The script of CI says that it is CI, whatever the machine says."""
    assert "export CI=1\n" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
