"""Set up `.venv` in this clone from a lock file and run in it: `python3 dev.py demo`, `python3 dev.py test`.

Standard library only, so that both work on a fresh clone. All other commands are sessions of noxfile.py, run
by nox in `.venv`. Output goes to `.venv` (environment, stamp, caches of the tools), `.nox` (environments of
sessions), `docs/_build` and `dist`; `bench` also writes `benchmarks/RESULTS.md`, `lock` the lock files.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import hashlib
import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

if sys.platform != "win32":
    import fcntl

OLDEST_PYTHON = (3, 11)
ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
STAMP, LOG, WAITING = VENV / "stamp.txt", VENV / "setup.log", VENV / "setup.lock"
BY_HASH = ("--require-hashes", "--no-deps", "--requirement")
HELP = """
test --oldest, test --thorough and test --python 3.13, before arguments of pytest, run the tests with
other libraries or by another Python, in environments of their own.
Arguments after -- are passed on unchanged, even --help.

example:
  python3 dev.py test --quick"""


class DevError(Exception):
    """An error for the user; its text is the whole message."""


def say(text: str) -> None:
    """Print a line for the user."""
    print(f"dev.py: {text}", file=sys.stderr, flush=True)


def variables(program: str) -> dict[str, str]:
    """Return the variables of a program: `.venv` comes first in PATH and has the caches."""
    # Variables of Python could hide failures of other machines.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    kept |= {
        "PATH": os.pathsep.join([str(BIN), kept.get("PATH", os.defpath)]),
        "VIRTUAL_ENV": str(VENV),
        "RUFF_CACHE_DIR": str(VENV / "cache" / "ruff"),
        "MYPY_CACHE_DIR": str(VENV / "cache" / "mypy"),
        "HYPOTHESIS_STORAGE_DIRECTORY": str(VENV / "cache" / "hypothesis"),
        "DENO_DIR": str(VENV / "cache" / "deno"),
        "DENO_NO_UPDATE_CHECK": "1",
    }
    return indexes(kept) | kept if Path(program).stem in {"nox", "uv"} else kept


def indexes(inherited: dict[str, str]) -> dict[str, str]:
    """Return variables that give uv the package indexes of pip; a lock has the digest of each file."""
    listed = [str(BIN / "python"), "-m", "pip", "config", "list"]
    output = subprocess.run(listed, env=inherited, capture_output=True, check=False, text=True).stdout
    found: dict[str, list[str]] = {"index-url": [], "extra-index-url": [], "find-links": []}
    for name, values in re.findall(r"\.((?:extra-)?index-url|find-links)='(.*)'$", output, re.MULTILINE):
        found[name] += [value for value in values.replace("\\n", " ").split() if value not in found[name]]
    given = {
        "UV_DEFAULT_INDEX": "".join(found["index-url"][:1]),  # pip lists its variables before its files
        "UV_EXTRA_INDEX_URL": " ".join(found["extra-index-url"]),
        "UV_FIND_LINKS": ",".join(found["find-links"]),
        "UV_INDEX_STRATEGY": "unsafe-best-match",  # whichever index has the file with the digest
        "UV_SYSTEM_CERTS": "1",
    }
    return {name: value for name, value in given.items() if value}


def quietly(what: str, *command: str) -> None:
    """Run a command, and print the end of its output only if it fails."""
    done = subprocess.run(
        command,
        env=variables(command[0]),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        text=True,
        errors="replace",
    )
    with LOG.open("a", encoding="utf-8") as kept:
        kept.write(f"$ {' '.join(command)}\n{done.stdout}\n")
    if done.returncode:
        print(*done.stdout.rstrip().splitlines()[-20:], sep="\n", file=sys.stderr)
        raise DevError(f"{what} failed (status {done.returncode}); the full output is in {LOG}")


def stamp(kind: str) -> list[str]:
    """Return what an environment is made from: it is up to date if its stamp says the same."""
    # Scripts contain the full path of their interpreter, so that a moved clone is set up again.
    made_from = [kind, str(ROOT), " ".join(sys.version.split())]
    for path in (f"requirements/{kind}.lock", "pyproject.toml"):
        if not (ROOT / path).is_file():
            raise DevError(f"{path} is missing; is this a complete clone?")
        made_from.append(hashlib.sha256((ROOT / path).read_bytes()).hexdigest())
    return made_from


def found_stamp() -> list[str]:
    """Return the stamp of `.venv`; empty if there is none."""
    return STAMP.read_text(encoding="utf-8", errors="replace").splitlines() if STAMP.is_file() else []


def ready(kind: str) -> bool:
    """Return whether `.venv` is complete and up to date."""
    return found_stamp() == stamp(kind)


def prepare(kind: str) -> None:
    """Create or update `.venv`, unless it is ready; that of the tests also serves the demo."""
    if found_stamp()[:1] == ["dev"]:
        kind = "dev"
    if ready(kind):
        return
    VENV.mkdir(exist_ok=True)
    with WAITING.open("w", encoding="utf-8") as file:
        if sys.platform != "win32":
            fcntl.flock(file, fcntl.LOCK_EX)
        if not ready(kind):  # another process may have created it meanwhile
            set_up(kind)


def set_up(kind: str) -> None:
    """Fill `.venv` from a lock; if only pyproject.toml has changed, install excerpt again."""
    found, wanted = found_stamp(), stamp(kind)
    STAMP.unlink(missing_ok=True)  # an interrupted set-up has no stamp
    if found[:-1] == wanted[:-1]:
        say("pyproject.toml has changed: installing excerpt again")
    else:
        say(f"setting up .venv from requirements/{kind}.lock (about a minute, only once)")
        create()
        install(ROOT / "requirements" / f"{kind}.lock")
    pip("excerpt itself", "--no-deps", "--no-build-isolation", "--editable", str(ROOT))
    STAMP.write_text("\n".join(wanted) + "\n", encoding="utf-8")


def create() -> None:
    """Make `.venv` an empty environment with pip."""
    for child in VENV.iterdir():
        if child.is_dir() and not child.is_symlink():
            shutil.rmtree(child)
        elif child != WAITING:
            child.unlink()
    # Inside an environment, sys.executable may be an interpreter that was just removed.
    python = getattr(sys, "_base_executable", None) or sys.executable
    if subprocess.run([python, "-c", "import venv, ensurepip"], capture_output=True, check=False).returncode:
        raise DevError(
            f"{python} cannot create virtual environments: venv or ensurepip is missing; "
            "on Debian and Ubuntu install the package python3-venv"
        )
    quietly("creating the environment", python, "-m", "venv", str(VENV))


def install(lock: Path) -> None:
    """Install the packages of a lock: by uv if the lock has it, in a sixth of the time, else by pip."""
    uv = re.search(r"^uv==.*\n(?:    --hash.*\n)+", lock.read_text(encoding="utf-8"), re.MULTILINE)
    if uv:
        (VENV / "uv.lock").write_text(uv[0], encoding="utf-8")
        pip("uv", *BY_HASH, str(VENV / "uv.lock"))
        command = (str(BIN / "uv"), "pip", "install", *BY_HASH, str(lock))
        with contextlib.suppress(DevError):  # where uv finds nothing, pip may
            return quietly(f"installing {lock.name} by uv", *command)
    return pip(lock.name, *BY_HASH, str(lock))


def pip(what: str, *arguments: str) -> None:
    """Install by pip with the machine's own configuration; modules are compiled on import."""
    quiet = ("--disable-pip-version-check", "--no-input", "--no-compile")
    quietly(f"installing {what}", str(BIN / "python"), "-m", "pip", "install", *quiet, *arguments)


def run(program: str, *arguments: str, folder: Path | None = None, quiet: bool = False) -> int:
    """Run a program of `.venv` and return its status; if `quiet`, print its errors only if it fails."""
    command = [str(BIN / program), *arguments]
    done = subprocess.run(command, cwd=folder, env=variables(program), check=False, capture_output=quiet)
    if quiet and done.returncode:
        sys.stderr.write(done.stderr.decode(errors="replace"))
    return done.returncode


def demo(*arguments: str) -> int:
    """Run `excerpt demo` with the given arguments; without any, also write its report."""
    prepare("run")
    status = run("excerpt", "demo", *arguments)
    if arguments or status:
        return status
    report = str(VENV / "report.html")
    status = run("excerpt", "demo", "--report", report, quiet=True)
    if not status:
        print(f"\nA report of all runs, to open in a browser: {report}")
    return status


def test(*arguments: str) -> int:
    """Check format, lint and types and run all tests (--quick: no slow ones), or pytest with arguments."""
    prepare("dev")
    run("python", str(ROOT / "tools" / "programs.py"))
    first, *others = arguments or ("",)
    if first in {"--oldest", "--thorough"}:
        return session(first[2:], *others)
    if first == "--python":
        return session(f"pythons-{''.join(others[:1])}", *others[1:])
    if arguments in {(), ("--quick",)}:
        return session("tests", *arguments)
    return run("pytest", *arguments, folder=ROOT)


def session(name: str, *arguments: str) -> int:
    """Run a session of noxfile.py by the nox of `.venv`."""
    prepare("dev")
    return run("nox", "--noxfile", str(ROOT / "noxfile.py"), "--session", name, "--", *arguments)


def sessions() -> dict[str, str]:
    """Return the sessions of noxfile.py that are commands here, with their docstrings."""
    body = ast.parse((ROOT / "noxfile.py").read_text(encoding="utf-8")).body
    decorated = [item for item in body if isinstance(item, ast.FunctionDef) and item.decorator_list]
    return {item.name: ast.get_docstring(item) or "" for item in decorated if item.name != "tests"}


def parse(arguments: list[str]) -> tuple[str, list[str]]:
    """Return the command and the arguments that are passed on to it."""
    commands = {own.__name__: own.__doc__ or "" for own in (demo, test)} | sessions()
    entries = [
        textwrap.fill(f"  {name:<9} {text}", 90, subsequent_indent=" " * 12)
        for name, text in commands.items()
    ]
    parser = argparse.ArgumentParser(
        prog="dev.py",
        usage="python3 dev.py [-h] COMMAND [ARGUMENT ...]",
        description="Set up .venv in this clone if needed, then run one command in it.",
        epilog="\n".join(["commands:", *entries, HELP]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", choices=commands, metavar="COMMAND", help="one of the commands below")
    # argparse gets only the command, since the other arguments belong to other programs.
    command: str = parser.parse_args(arguments[:1]).command
    rest = arguments[1:]
    if rest[:1] in (["-h"], ["--help"]):
        print(f"python3 dev.py {command}: {commands[command]}")
        parser.exit()
    return command, rest[1:] if rest[:1] == ["--"] else rest


def main(arguments: list[str]) -> int:
    """Run one command and return its exit status; 2 if it could not be started."""
    if sys.version_info < OLDEST_PYTHON:
        say("excerpt needs Python {}.{} or newer; this is {}.{}".format(*OLDEST_PYTHON, *sys.version_info))
        return 2
    try:
        command, rest = parse(arguments)
        own = {"demo": demo, "test": test}
        return own[command](*rest) if command in own else session(command, *rest)
    except (DevError, OSError) as error:
        say(str(error))
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
