"""Sets up the checkout's own environment and runs the demo, the checks, the pages and the benchmarks.

Standard library only, so that `python3 dev.py demo` works on a fresh clone. Everything it makes lies in
`.venv` (the environment, its stamp, the tools' caches), `.venv-thorough` (with libraries that are else
recorded), `.venv-bench` (with peers), `.venv-3.13` and the like (for another Python), `.venv-oldest` (the
oldest versions that we allow) or `docs/_build`; only `bench` writes more, its own `benchmarks/RESULTS.md`.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if sys.platform != "win32":
    import fcntl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

OLDEST_PYTHON = (3, 11)
ROOT = Path(__file__).resolve().parent
BIN = "Scripts" if os.name == "nt" else "bin"
LOCKED_KINDS = ("run", "dev", "thorough", "bench", "oldest")
SETUP_LOCK = "setup.lock"
#: Programs that are a browser for the tests of pages, the wanted one first.
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
#: The variable that names such a program where it has another name.
BROWSER = "EXCERPT_CHROMIUM"
TAIL = 20
BY_HASH = ("--require-hashes", "--no-deps", "--requirement")


class DevError(Exception):
    """Something that stops the work; its text is the whole message."""


class Interpreter(NamedTuple):
    """A Python, and the whole of what it says about its version."""

    path: str
    version: str

    @classmethod
    def own(cls) -> Interpreter:
        """The one that runs this script."""
        # Called from inside an environment, sys.executable may be one that is about to be replaced.
        return cls(getattr(sys, "_base_executable", None) or sys.executable, sys.version)

    @classmethod
    def find(cls, wanted: str) -> Interpreter:
        """The Python of a version such as 3.13, or at a path."""
        pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
        places = sorted(pyenv.glob(f"versions/{wanted}*/bin/python3"))
        for path in (wanted,) if os.sep in wanted else (f"python{wanted}", *map(str, reversed(places))):
            if (version := _version_of(path)) and version.startswith("" if path == wanted else f"{wanted}."):
                return cls(shutil.which(path) or path, version)
        raise DevError(
            f"found no Python {wanted}, expected a version such as 3.13 that is installed, or a path"
        )

    @property
    def numbers(self) -> tuple[int, int]:
        """Its version as two numbers."""
        major, minor = self.version.split(".")[:2]
        return int(major), int(minor)


def _version_of(python: str) -> str:
    """What a program says about its version; nothing if it is no Python that runs."""
    try:
        return subprocess.run(
            [python, "-c", "import sys; print(sys.version, end='')"],
            env=clean(os.environ),
            capture_output=True,
            check=True,
            text=True,
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""


def clean(inherited: Mapping[str, str]) -> dict[str, str]:
    """The caller's variables without Python's own, which may hide on one machine what fails on others."""
    return {name: value for name, value in inherited.items() if not name.startswith("PYTHON")}


class Stamp(NamedTuple):
    """What an environment was made from; two equal stamps mean that nothing needs doing."""

    kind: str
    place: str
    python: str
    lock: str
    project: str

    @classmethod
    def wanted(cls, root: Path, kind: str, version: str = sys.version) -> Stamp:
        """The stamp that an up-to-date environment of this kind would carry."""
        return cls(
            kind=kind,
            place=str(
                root
            ),  # scripts name their interpreter by its full path, so a moved checkout starts again
            python=version,
            lock=_digest(root / "requirements" / f"{kind}.lock"),
            project=_digest(root / "pyproject.toml"),
        )

    @classmethod
    def read(cls, path: Path) -> Stamp | None:
        """The stamp in a file, or None when there is none or it is damaged."""
        try:
            return cls(**json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def write(self, path: Path) -> None:
        """Puts the stamp in place in one step: a file is either whole or absent."""
        part = path.with_name(path.name + ".part")
        part.write_text(json.dumps(self._asdict(), indent=1) + "\n", encoding="utf-8")
        part.replace(path)

    def same_packages(self, other: Stamp) -> bool:
        """Whether only the project's own description differs, so its packages can stay."""
        return self._replace(project="") == other._replace(project="")


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        raise DevError(f"{path.parent.name}/{path.name} is missing; is this a whole checkout?") from None


class Environment:
    """The environment in a folder of a checkout: `.venv`, or `.venv-bench` for the benchmarks."""

    def __init__(self, root: Path, name: str = ".venv", python: Interpreter | None = None) -> None:
        self.python = python or Interpreter.own()
        self.root = root
        self.folder = root / name
        self.stamp = self.folder / "stamp.json"
        self.log = self.folder / "setup.log"

    def beside(self, name: str) -> Environment:
        """An environment of its own for something else, with the same Python."""
        return Environment(self.root, f"{self.folder.name}-{name}", self.python)

    def tool(self, name: str) -> str:
        """The full path of a program in the environment."""
        return str(self.folder / BIN / name)

    def ready_for(self, kind: str) -> bool:
        """Whether the environment is complete and current."""
        found = Stamp.read(self.stamp)
        serving = ("run", "dev") if kind == "run" else (kind,)  # what serves development serves the demo, too
        return found is not None and any(found == self._wanted(kind) for kind in serving)

    def _wanted(self, kind: str) -> Stamp:
        return Stamp.wanted(self.root, kind, self.python.version)

    def prepare(self, kind: str) -> None:
        """Makes the environment, or brings it up to date, unless it is ready."""
        if self.ready_for(kind):
            return
        with self._alone():
            if not self.ready_for(kind):  # someone else may have made it while we waited
                self._set_up(self._wanted(kind))

    def _set_up(self, wanted: Stamp) -> None:
        found = Stamp.read(self.stamp)
        self.stamp.unlink(missing_ok=True)  # from here until the end there is no stamp to trust
        if found is None or not found.same_packages(wanted):
            lock = f"requirements/{wanted.kind}.lock"
            _say(f"setting up {self.folder.name} from {lock} (a minute or so, only this once)")
            self._make(wanted.kind)
        else:
            _say("pyproject.toml has changed: installing excerpt again")
        project = ["--no-deps", "--no-build-isolation", "--editable", str(self.root)]
        self._pip("excerpt itself", *project)
        wanted.write(self.stamp)

    def _make(self, kind: str) -> None:
        for child in self.folder.iterdir():
            if child.name != SETUP_LOCK:
                _remove(child)
        make_venv(self.folder, self.log, self.python.path)
        lock = self.root / "requirements" / f"{kind}.lock"
        try:
            self._install(f"requirements/{kind}.lock", lock)
        except DevError:
            if kind != "bench":
                raise
            _say("trying the packages one by one, so that the benchmarks lack only what cannot be installed")
            self._install_singly(lock)

    def _install(self, what: str, lock: Path) -> None:
        """Installs what a lock names: by its uv, if it names one, in a sixth of the time; else by pip."""
        uv = self._requirements(lock).get("uv")
        if uv is None or not self._install_by_uv(what, lock, uv):
            self._pip(what, *BY_HASH, str(lock))

    def _install_by_uv(self, what: str, lock: Path, uv: str) -> bool:
        """Whether uv could install it all; what it cannot find or do, pip may."""
        self._install_one("uv", uv)
        python = self.tool("python")
        command = [self.tool("uv"), "pip", "install", "--system-certs", "--python", python]
        try:
            _quietly(
                [*command, *uv_indexes(python), *BY_HASH, str(lock)], f"installing {what} by uv", self.log
            )
        except DevError:
            return False
        # It is not needed any more, and takes 55 MB.
        _quietly([python, "-m", "pip", "uninstall", "--yes", "uv"], "removing uv", self.log)
        return True

    def _install_singly(self, lock: Path) -> None:
        """Installs what can be: some peers have no ready-made files for some systems and need a compiler."""
        for name, requirement in self._requirements(lock).items():
            try:
                self._install_one(name, requirement)
            except DevError as error:
                _say(f"going on without {name}: {error}")

    def _install_one(self, name: str, requirement: str) -> None:
        single = self.folder / "single.lock"
        single.write_text(requirement, encoding="utf-8")
        self._pip(name, *BY_HASH, str(single))

    @staticmethod
    def _requirements(lock: Path) -> dict[str, str]:
        """The lines of a lock by the name of what they are about."""
        lines = re.findall(r"^\w.*\n(?:    --hash.*\n)+", lock.read_text(encoding="utf-8"), re.MULTILINE)
        return {line.partition("==")[0]: line for line in lines}

    def _pip(self, what: str, *arguments: str) -> None:
        pip_install(self.tool("python"), what, arguments, self.log)

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Keeps a second call waiting until the first has finished setting up."""
        self.folder.mkdir(exist_ok=True)
        with (self.folder / SETUP_LOCK).open("w", encoding="utf-8") as held:
            if sys.platform != "win32":
                fcntl.flock(held, fcntl.LOCK_EX)
            yield

    def variables(self, inherited: Mapping[str, str]) -> dict[str, str]:
        """The variables that the tools see: this environment first, and all caches inside it."""
        cache = self.folder / "cache"
        path = os.pathsep.join([str(self.folder / BIN), inherited.get("PATH", os.defpath)])
        return {
            **clean(inherited),
            "PATH": path,
            "VIRTUAL_ENV": str(self.folder),
            "RUFF_CACHE_DIR": str(cache / "ruff"),
            "MYPY_CACHE_DIR": str(cache / "mypy"),
            "HYPOTHESIS_STORAGE_DIRECTORY": str(cache / "hypothesis"),
            "DENO_DIR": str(cache / "deno"),
            "DENO_NO_UPDATE_CHECK": "1",
        }


def make_venv(folder: Path, log: Path, python: str) -> None:
    """Makes an empty virtual environment with pip in it."""
    able = [python, "-c", "import venv, ensurepip"]
    if subprocess.run(able, env=clean(os.environ), capture_output=True, check=False).returncode:
        raise DevError(
            f"{python} cannot make virtual environments (no venv or ensurepip); "
            "on Debian and Ubuntu install the package python3-venv"
        )
    _quietly([python, "-m", "venv", str(folder)], "making the environment", log)


def pip_install(python: str, what: str, arguments: Sequence[str], log: Path) -> None:
    """Installs with the machine's own pip configuration; modules are compiled when they are imported."""
    pip = [python, "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--no-compile"]
    _quietly([*pip, *arguments], f"installing {what}", log)


def uv_indexes(python: str) -> list[str]:
    """Options of uv for the places where pip is told to look; each file must have the digest of the lock."""
    listed = [python, "-m", "pip", "config", "list"]
    found = subprocess.run(listed, env=clean(os.environ), capture_output=True, check=False, text=True).stdout
    options = ["--index-strategy", "unsafe-best-match"]
    for name, values in re.findall(r"\.((?:extra-)?index-url|find-links)='(.*)'$", found, re.MULTILINE):
        for value in values.replace("\\n", " ").split():
            options += [f"--{name}", value]
    return options


def _quietly(command: Sequence[str], what: str, log: Path) -> None:
    """Runs a command, showing the end of its output only when it fails."""
    done = subprocess.run(
        command,
        env=clean(os.environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        text=True,
        errors="replace",
    )
    with log.open("a", encoding="utf-8") as kept:
        kept.write(f"$ {' '.join(command)}\n{done.stdout}\n")
    if done.returncode:
        lines = done.stdout.rstrip().splitlines()
        for line in lines[-TAIL:]:
            print(line, file=sys.stderr)
        raise DevError(f"{what} failed (status {done.returncode}); the whole output is in {log}")


def find_browser() -> str | None:
    """The browser for the tests of pages: the one that a variable names, else the first that is there."""
    named = os.environ.get(BROWSER)
    return shutil.which(named) if named else next(filter(None, map(shutil.which, BROWSERS)), None)


def install_browser(log: Path) -> None:
    """Debian's chromium, where there is no browser and it can be installed; else says what to install."""
    if find_browser():
        return
    if not os.environ.get(BROWSER) and shutil.which("apt-get") and getattr(os, "geteuid", lambda: 1)() == 0:
        _say("installing the package chromium for the tests in a browser (only this once)")
        apt = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-o", "DPkg::Lock::Timeout=300"]
        with contextlib.suppress(DevError):
            _quietly([*apt, "update"], "updating the list of packages", log)
        with contextlib.suppress(DevError):
            _quietly([*apt, "install", "-y", "chromium", "fonts-liberation"], "installing chromium", log)
    if not find_browser():
        _say(missing_browser())


def missing_browser() -> str:
    """What to do where there is no browser."""
    looked = os.environ.get(BROWSER) or ", ".join(BROWSERS)
    return (
        f"found no browser for the tests of pages ({looked}); "
        f"install Debian's package chromium, or name one by {BROWSER}=PROGRAM"
    )


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def _say(text: str) -> None:
    print(f"dev.py: {text}", file=sys.stderr, flush=True)


class Step(NamedTuple):
    """One check: the words printed above it and the program with its arguments."""

    title: str
    program: str
    arguments: tuple[str, ...] = ()


FORMAT = Step("ruff format --check", "ruff", ("format", "--check", "."))
LINT = Step("ruff check", "ruff", ("check", "."))
TYPES = Step("mypy", "mypy")
#: Checks of the pages' scripts and style sheets; deno.json configures them.
PAGES = (
    Step("deno fmt --check", "deno", ("fmt", "--check", "--quiet")),
    Step("deno lint", "deno", ("lint", "--quiet")),
    Step("deno check", "deno", ("check", "--quiet", "src", "tests")),
)
#: One process more than two processors need: often one waits for a disk, a server or a browser. Each begins
#: with a stretch of the tests, so that what a module prepares is made once; who is done takes from others.
SHARED = ("-n", "3", "--dist", "worksteal")
TESTS = Step("pytest", "pytest", SHARED)
QUICK_TESTS = Step("pytest --quick", "pytest", (*SHARED, "-q", "--quick"))
CHECKS = (FORMAT, LINT, *PAGES, TYPES)
FIXES = (
    Step("ruff format", "ruff", ("format", ".")),
    Step("ruff check --fix", "ruff", ("check", "--fix", ".")),
    Step("deno fmt", "deno", ("fmt", "--quiet")),
    Step("deno lint --fix", "deno", ("lint", "--quiet", "--fix")),
    PAGES[-1],
    TYPES,
)


def run_steps(environment: Environment, steps: Sequence[Step]) -> int:
    """Runs the steps in order and stops at the first that fails; gives its exit status."""
    for step in steps:
        print(f"== {step.title}", flush=True)
        status = _call(environment, [environment.tool(step.program), *step.arguments])
        if status:
            if step.program != "pytest":  # pytest's own closing line says it, and stays the last one
                _say(f"{step.title} failed")
            return status
    return 0


def run_beside(environment: Environment, tests: Step) -> int:
    """Runs the tests while mypy, which has one processor only, checks the types; tells of it if it fails."""
    print(f"== {TYPES.title}, beside {tests.title}", flush=True)
    types = _start(environment, [environment.tool(TYPES.program)])
    status = run_steps(environment, [tests])
    told, _ = types.communicate()
    if types.returncode:
        print(f"== {TYPES.title}\n{told}", end="", flush=True)
        _say(f"{TYPES.title} failed")
    return status or types.returncode


def _start(environment: Environment, command: Sequence[str]) -> subprocess.Popen[str]:
    """Starts a program of the environment, whose output is kept until it is asked for."""
    return subprocess.Popen(
        command,
        cwd=environment.root,
        env=environment.variables(os.environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def _call(
    environment: Environment, command: Sequence[str], *, here: bool = False, quiet: bool = False
) -> int:
    """Runs a program of the environment; a quiet one is heard only where it fails."""
    done = subprocess.run(
        command,
        cwd=None if here else environment.root,
        env=environment.variables(os.environ),
        check=False,
        capture_output=quiet,
    )
    if quiet and done.returncode:
        sys.stderr.write(done.stderr.decode(errors="replace"))
    return done.returncode


def demo(environment: Environment, arguments: Sequence[str]) -> int:
    """Runs `excerpt demo`, and without arguments writes its report; further arguments go to it."""
    environment.prepare("run")
    command = [environment.tool("excerpt"), "demo"]
    # In the caller's own folder, so that file names among the arguments mean what they say.
    status = _call(environment, [*command, *arguments], here=True)
    if arguments or status:
        return status
    report = environment.folder / "report.html"
    status = _call(environment, [*command, "--report", str(report)], quiet=True)
    if not status:
        print(f"\nA report of all runs, to open in a browser: {report}")
    return status


def test(environment: Environment, arguments: Sequence[str]) -> int:
    """Checks all; --quick no slow tests, --thorough and --oldest only tests, with other libraries."""
    kind = {"--thorough": "thorough", "--oldest": "oldest"}.get("".join(arguments[:1]), "dev")
    if kind != "dev":
        environment = environment.beside(kind)
        arguments = ("--thorough",) * (kind == "thorough") + tuple(arguments[1:] or SHARED)
    environment.prepare(kind)
    install_browser(environment.log)
    if arguments and list(arguments) != ["--quick"]:
        return run_steps(environment, [Step("pytest", "pytest", tuple(arguments))])
    tests = QUICK_TESTS if arguments else TESTS
    return run_steps(environment, (FORMAT, LINT, *PAGES)) or run_beside(environment, tests)


def fuzz(environment: Environment, arguments: Sequence[str]) -> int:
    """Tries damaged files: --minutes N, --seed S, --only NAME; those that fail are kept in .venv/fuzz."""
    environment.prepare("dev")
    script = str(environment.root / "tests" / "fuzz" / "session.py")
    keep = str(environment.folder / "fuzz")
    return _call(environment, [environment.tool("python"), script, "--keep", keep, *arguments])


def lint(environment: Environment, arguments: Sequence[str]) -> int:
    """Checks format, lint and types; `--fix` mends what can be mended."""
    if list(arguments) not in ([], ["--fix"]):
        raise DevError(f"lint takes only --fix, found: {' '.join(arguments)}")
    environment.prepare("dev")
    return run_steps(environment, FIXES if arguments else CHECKS)


def docs(environment: Environment, arguments: Sequence[str]) -> int:
    """Builds the pages in docs/_build/html, warnings being errors; further arguments go to sphinx-build."""
    environment.prepare("dev")
    built = "docs/_build/html"
    build = ("-W", "--keep-going", "-q", "-b", "html", *arguments, "docs", built)
    status = run_steps(environment, [Step("sphinx-build", "sphinx-build", build)])
    if not status:
        _say(f"the pages are in {built}/index.html")
    return status


def bench(environment: Environment, arguments: Sequence[str]) -> int:
    """Measures excerpt and its peers: --quick, --only a,c, --json FILE; a whole run writes RESULTS.md."""
    environment = environment.beside("bench")
    environment.prepare("bench")
    # In the caller's own folder, so that the file of --json is where it says.
    script = str(environment.root / "benchmarks" / "run.py")
    return _call(environment, [environment.tool("python"), script, *arguments], here=True)


def lock(environment: Environment, arguments: Sequence[str]) -> int:
    """Writes requirements/*.lock anew from pyproject.toml and *.in; `--upgrade` takes newer versions."""
    environment.folder.mkdir(exist_ok=True)
    workshop = environment.folder / "lock-tool"
    try:
        make_venv(workshop, environment.log, environment.python.path)
        python = workshop / BIN / "python"
        pip_install(str(python), "uv", ["uv"], environment.log)
        uv = str(workshop / BIN / "uv")
        for kind in LOCKED_KINDS:
            if kind == "oldest":
                list_oldest(environment, uv)
            compile_lock(environment, uv, kind, arguments)
    finally:
        shutil.rmtree(workshop, ignore_errors=True)
    return 0


_EXTRAS = ("--extra", "cluster", "--extra", "web", "--extra", "stats", "--extra", "ir")
_SOURCES = ("pyproject.toml", "requirements/run.in", "requirements/dev.in")
_ALL = (*_EXTRAS, "--extra", "frames", *_SOURCES, "requirements/thorough.in")
#: Where `list_oldest` puts the versions that the lock of the oldest has to take.
OLDEST = ".venv/oldest.txt"
# run first: the versions it fixes are constraints for the others, so all environments run the same numpy.
LOCK_INPUTS = {
    "run": ("pyproject.toml", "requirements/run.in"),
    "dev": (*_EXTRAS, "--constraint", "requirements/run.lock", *_SOURCES),
    "thorough": ("--constraint", "requirements/dev.lock", *_ALL),
    "oldest": ("--override", OLDEST, *_ALL),
    "bench": (
        *("--extra", "plot", "--extra", "web", "--extra", "stats", "--constraint", "requirements/dev.lock"),
        *("pyproject.toml", "requirements/run.in", "requirements/bench.in"),
    ),
}


def list_oldest(environment: Environment, uv: str) -> None:
    """Lists the oldest version of everything that pyproject.toml names; the tools of the tests stay new."""
    command = [uv, "pip", "compile", "--quiet", "--no-deps", "--resolution", "lowest-direct", "--no-header"]
    command += ["--python-version", "{}.{}".format(*OLDEST_PYTHON), "--output-file", OLDEST, "--universal"]
    if _call(environment, [*command, *_EXTRAS, "--extra", "frames", "--extra", "plot", "pyproject.toml"]):
        raise DevError("could not find the oldest versions")


def compile_lock(environment: Environment, uv: str, kind: str, arguments: Sequence[str]) -> None:
    """Writes one lock file: every version with the digests of all its files, for every platform."""
    target = environment.root / "requirements" / f"{kind}.lock"
    command = [uv, "pip", "compile", "--quiet", "--universal", "--generate-hashes"]
    command += ["--python-version", "{}.{}".format(*OLDEST_PYTHON)]
    command += ["--no-emit-index-url", "--no-emit-find-links"]
    command += ["--custom-compile-command", "python3 dev.py lock"]
    command += ["--output-file", f"requirements/{target.name}", *arguments, *LOCK_INPUTS[kind]]
    if _call(environment, command):
        raise DevError(f"could not write requirements/{target.name}")
    if "://" in target.read_text(encoding="utf-8"):
        raise DevError(f"requirements/{target.name} names an address; it must hold versions and digests only")
    _say(f"wrote requirements/{target.name}")


COMMANDS: dict[str, Callable[[Environment, Sequence[str]], int]] = {
    command.__name__: command for command in (demo, test, fuzz, lint, docs, bench, lock)
}


FURTHER = (
    "--python 3.13 (or a path) runs the command with that Python, in an environment of its own.",
    "What follows -- is passed on as it is, even --help.",
)


def parse(arguments: Sequence[str]) -> tuple[str, list[str]]:
    """The command and what is to be passed on to it."""
    lines = [f"  {name:<6} {command.__doc__}" for name, command in COMMANDS.items()]
    parser = argparse.ArgumentParser(
        prog="dev.py",
        usage="python3 dev.py [-h] COMMAND [--python VERSION] [ARGUMENT ...]",
        description="Sets up .venv in the checkout when needed, then runs one command in it.",
        epilog="\n".join(["commands:", *lines, "", *FURTHER]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", choices=COMMANDS, metavar="COMMAND", help="one of those below")
    # Only the command is argparse's: what follows belongs to other programs and is passed on untouched.
    command: str = parser.parse_args(arguments[:1]).command
    rest = list(arguments[1:])
    if rest[:1] in (["-h"], ["--help"]):
        print(f"python3 dev.py {command}: {COMMANDS[command].__doc__}")
        parser.exit()
    return command, rest[1:] if rest[:1] == ["--"] else rest


def check_python(version: tuple[int, int]) -> None:
    """Refuses a Python that the package does not support."""
    if version < OLDEST_PYTHON:
        raise DevError("excerpt needs Python {}.{} or newer; this is {}.{}".format(*OLDEST_PYTHON, *version))


def choose(root: Path, arguments: Sequence[str]) -> tuple[Environment, list[str]]:
    """The environment, which is one of its own after `--python VERSION`; and the other arguments."""
    if list(arguments[:1]) != ["--python"]:
        return Environment(root), list(arguments)
    if len(arguments) < 2:
        raise DevError("found no version after --python, expected one such as 3.13, or a path")
    python = Interpreter.find(arguments[1])
    check_python(python.numbers)
    name = ".venv-{}.{}".format(*python.numbers)
    return Environment(root, name, python), list(arguments[2:])


def main(arguments: Sequence[str], root: Path = ROOT) -> int:
    """Runs one command and gives its exit status; 2 when it could not be started."""
    try:
        check_python(sys.version_info[:2])
        command, rest = parse(arguments)
        return COMMANDS[command](*choose(root, rest))
    except (DevError, OSError) as error:
        _say(str(error))
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
