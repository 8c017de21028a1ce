"""Development: demo, tests, documentation, benchmarks, releases, each in an environment of the clone.

Standard library only, so that `python3 dev.py demo` works on a fresh clone. All output goes to `.venv` (the
environment, its stamp, the tools' caches), `.venv-thorough` (with libraries that tests otherwise replace by
recordings), `.venv-bench` (with peers), `.venv-3.13` and the like (another Python), `.venv-oldest` (oldest
supported versions), `docs/_build` or `dist`; only `bench` also writes `benchmarks/RESULTS.md`.
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
import textwrap
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
#: Browsers for the tests of pages, in order of preference: the first has no windows and is a third faster.
BROWSERS = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
#: Variable that names another browser.
BROWSER = "EXCERPT_CHROMIUM"
#: The LaTeX that compiles tables in the tests, and its packages in Debian.
LATEX, LATEX_PACKAGES = "pdflatex", ("texlive-latex-recommended", "texlive-science")
TAIL = 20
BY_HASH = ("--require-hashes", "--no-deps", "--requirement")


class DevError(Exception):
    """An error for the user; its text is the whole message."""


class Interpreter(NamedTuple):
    """A Python interpreter and its full version text."""

    path: str
    version: str

    @classmethod
    def own(cls) -> Interpreter:
        """Return the interpreter of this script."""
        # Inside an environment, sys.executable may be an interpreter that is about to be replaced.
        return cls(getattr(sys, "_base_executable", None) or sys.executable, sys.version)

    @classmethod
    def find(cls, wanted: str) -> Interpreter:
        """Find the Python of a version such as 3.13, or at a path."""
        pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
        installed = sorted(pyenv.glob(f"versions/{wanted}*/bin/python3"))
        for path in (wanted,) if os.sep in wanted else (f"python{wanted}", *map(str, reversed(installed))):
            if (version := _version_of(path)) and version.startswith("" if path == wanted else f"{wanted}."):
                return cls(shutil.which(path) or path, version)
        raise DevError(
            f"Python {wanted} is not installed; give a version such as 3.13, or the path of a Python"
        )

    @property
    def numbers(self) -> tuple[int, int]:
        """Version as two numbers."""
        major, minor = self.version.split(".")[:2]
        return int(major), int(minor)


def _version_of(python: str) -> str:
    """Return the version text of a Python; empty if it does not run."""
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
    """Return the variables without those of Python, which could hide failures of other machines."""
    return {name: value for name, value in inherited.items() if not name.startswith("PYTHON")}


class Stamp(NamedTuple):
    """Inputs of an environment: it is up to date if its stamp equals the wanted one."""

    kind: str
    place: str
    python: str
    lock: str
    project: str

    @classmethod
    def wanted(cls, root: Path, kind: str, version: str = sys.version) -> Stamp:
        """Return the stamp of an up-to-date environment of this kind."""
        return cls(
            kind=kind,
            place=str(
                root
            ),  # scripts contain the full path of their interpreter, so a moved clone is set up again
            python=version,
            lock=_digest(root / "requirements" / f"{kind}.lock"),
            project=_digest(root / "pyproject.toml"),
        )

    @classmethod
    def read(cls, path: Path) -> Stamp | None:
        """Read a stamp; None if the file is missing or damaged."""
        try:
            return cls(**json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def write(self, path: Path) -> None:
        """Write the stamp atomically."""
        part = path.with_name(path.name + ".part")
        part.write_text(json.dumps(self._asdict(), indent=1) + "\n", encoding="utf-8")
        part.replace(path)

    def same_packages(self, other: Stamp) -> bool:
        """Return whether only pyproject.toml differs, so that installed packages can stay."""
        return self._replace(project="") == other._replace(project="")


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        raise DevError(f"{path.parent.name}/{path.name} is missing; is this a complete clone?") from None


class Environment:
    """A virtual environment in a clone: `.venv`, or `.venv-bench` for the benchmarks."""

    def __init__(self, root: Path, name: str = ".venv", python: Interpreter | None = None) -> None:
        self.python = python or Interpreter.own()
        self.root = root
        self.folder = root / name
        self.stamp = self.folder / "stamp.json"
        self.log = self.folder / "setup.log"

    def variant(self, name: str) -> Environment:
        """Return another environment with the same Python, such as `.venv-bench`."""
        return Environment(self.root, f"{self.folder.name}-{name}", self.python)

    def tool(self, name: str) -> str:
        """Return the full path of a program in the environment."""
        return str(self.folder / BIN / name)

    def ready_for(self, kind: str) -> bool:
        """Return whether the environment is complete and up to date."""
        current = Stamp.read(self.stamp)
        usable = ("run", "dev") if kind == "run" else (kind,)  # the demo also runs in the environment of dev
        return current is not None and any(current == self._wanted(kind) for kind in usable)

    def _wanted(self, kind: str) -> Stamp:
        return Stamp.wanted(self.root, kind, self.python.version)

    def prepare(self, kind: str) -> None:
        """Create or update the environment, unless it is ready."""
        if self.ready_for(kind):
            return
        with self._alone():
            if not self.ready_for(kind):  # another process may have created it meanwhile
                self._set_up(self._wanted(kind))

    def _set_up(self, wanted: Stamp) -> None:
        current = Stamp.read(self.stamp)
        self.stamp.unlink(missing_ok=True)  # an interrupted set-up has no stamp
        if current is None or not current.same_packages(wanted):
            lock = f"requirements/{wanted.kind}.lock"
            _say(f"setting up {self.folder.name} from {lock} (about a minute, only once)")
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
            _say("installing the packages one by one, to skip only those that cannot be installed")
            self._install_singly(lock)

    def _install(self, what: str, lock: Path) -> None:
        """Install the packages of a lock: by uv if the lock has it, in a sixth of the time, else by pip."""
        uv = self._requirements(lock).get("uv")
        if uv is None or not self._install_by_uv(what, lock, uv):
            self._pip(what, *BY_HASH, str(lock))

    def _install_by_uv(self, what: str, lock: Path, uv: str) -> bool:
        """Install the packages by uv, and return whether that worked; if not, pip may succeed."""
        self._install_one("uv", uv)
        python = self.tool("python")
        command = [self.tool("uv"), "pip", "install", "--system-certs", "--python", python]
        command += ["--link-mode", "copy"]  # nltk, which LlamaIndex uses, refuses files with several links
        try:
            _quietly(
                [*command, *uv_indexes(python), *BY_HASH, str(lock)], f"installing {what} by uv", self.log
            )
        except DevError:
            return False
        # uv is not needed any more, and takes 55 MB.
        _quietly([python, "-m", "pip", "uninstall", "--yes", "uv"], "removing uv", self.log)
        return True

    def _install_singly(self, lock: Path) -> None:
        """Install the packages that can be installed: some peers need a compiler on some systems."""
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
        """Return the requirements of a lock by the name of the package."""
        lines = re.findall(r"^\w.*\n(?:    --hash.*\n)+", lock.read_text(encoding="utf-8"), re.MULTILINE)
        return {line.partition("==")[0]: line for line in lines}

    def _pip(self, what: str, *arguments: str) -> None:
        pip_install(self.tool("python"), what, arguments, self.log)

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Lock the environment, so that a second process waits until the first has set it up."""
        self.folder.mkdir(exist_ok=True)
        with (self.folder / SETUP_LOCK).open("w", encoding="utf-8") as lock_file:
            if sys.platform != "win32":
                fcntl.flock(lock_file, fcntl.LOCK_EX)
            yield

    def variables(self, inherited: Mapping[str, str]) -> dict[str, str]:
        """Return the variables of tools: this environment first in PATH, and all caches inside it."""
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
    """Create an empty virtual environment with pip."""
    able = [python, "-c", "import venv, ensurepip"]
    if subprocess.run(able, env=clean(os.environ), capture_output=True, check=False).returncode:
        raise DevError(
            f"{python} cannot create virtual environments: venv or ensurepip is missing; "
            "on Debian and Ubuntu install the package python3-venv"
        )
    _quietly([python, "-m", "venv", str(folder)], "creating the environment", log)


def pip_install(python: str, what: str, arguments: Sequence[str], log: Path) -> None:
    """Install by pip with the machine's own configuration; modules are compiled on import."""
    pip = [python, "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--no-compile"]
    _quietly([*pip, *arguments], f"installing {what}", log)


def uv_indexes(python: str) -> list[str]:
    """Return options of uv for the package indexes of pip; the lock has the digest of each file."""
    listed = [python, "-m", "pip", "config", "list"]
    output = subprocess.run(listed, env=clean(os.environ), capture_output=True, check=False, text=True).stdout
    options = ["--index-strategy", "unsafe-best-match"]
    for name, values in re.findall(r"\.((?:extra-)?index-url|find-links)='(.*)'$", output, re.MULTILINE):
        for value in values.replace("\\n", " ").split():
            options += [f"--{name}", value]
    return options


def _quietly(command: Sequence[str], what: str, log: Path) -> None:
    """Run a command, and print the end of its output only if it fails."""
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
        raise DevError(f"{what} failed (status {done.returncode}); the full output is in {log}")


def find_browser() -> str | None:
    """Find the browser for the tests of pages: named by a variable, else the first one installed."""
    named = os.environ.get(BROWSER)
    return shutil.which(named) if named else next(filter(None, map(shutil.which, BROWSERS)), None)


def install_browser(log: Path) -> None:
    """Install Debian's chromium if there is no browser, its faster variant under CI; or print what to do."""
    what, named = "for the tests in a browser", os.environ.get(BROWSER)
    if os.environ.get("CI") and not named and not shutil.which(BROWSERS[0]):
        _install_packages(what, log, BROWSERS[0], "fonts-liberation")
    if not named and not find_browser():
        _install_packages(what, log, "chromium", "fonts-liberation")
    if not find_browser():
        _say(missing_browser())


def install_latex(log: Path) -> None:
    """Install Debian's LaTeX where every test must run, since that takes minutes; else print what to do."""
    if not shutil.which(LATEX) and os.environ.get("CI"):
        _install_packages("for the tests of printed tables", log, "--no-install-recommends", *LATEX_PACKAGES)
    if not shutil.which(LATEX):
        _say(missing_latex())


def install_others(log: Path) -> None:
    """Install the shells whose completion is tested and a second browser, where every test must run."""
    wanted = {
        "for the tests of completion": ["zsh", "fish"],
        "for the tests in a second browser": [] if shutil.which("firefox") else ["firefox-esr"],
    }
    for what, programs in wanted.items():
        missing = [program for program in programs if not shutil.which(program)]
        if missing and os.environ.get("CI"):
            _install_packages(what, log, "--no-install-recommends", *missing)


def missing_latex() -> str:
    """Return the message for a missing LaTeX."""
    return f"no {LATEX} for the tests of printed tables; install Debian's {' and '.join(LATEX_PACKAGES)}"


def _install_packages(what: str, log: Path, *packages: str) -> None:
    """Install packages of Debian, if this is possible."""
    if not shutil.which("apt-get") or getattr(os, "geteuid", lambda: 1)() != 0:
        return
    names = " and ".join(name for name in packages if not name.startswith("-"))
    _say(f"installing the packages {names} {what} (only once)")
    apt = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-o", "DPkg::Lock::Timeout=300"]
    with contextlib.suppress(DevError):
        _quietly([*apt, "update"], "updating the list of packages", log)
    with contextlib.suppress(DevError):
        _quietly([*apt, "install", "-y", *packages], f"installing {names}", log)


def missing_browser() -> str:
    """Return the message for a missing browser."""
    names = os.environ.get(BROWSER) or ", ".join(BROWSERS)
    return (
        f"no browser for the tests of pages ({names}); "
        f"install Debian's package chromium, or set {BROWSER}=PROGRAM"
    )


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def _say(text: str) -> None:
    print(f"dev.py: {text}", file=sys.stderr, flush=True)


class Step(NamedTuple):
    """A check: its title, and the program with its arguments."""

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
#: Three processes for two processors, since often one waits for a disk, a server or a browser. Each starts
#: with consecutive tests, which share the fixtures of a module; an idle process takes tests from others.
SHARED = ("-n", "3", "--dist", "worksteal")
TESTS = Step("pytest", "pytest", SHARED)
QUICK_TESTS = Step("pytest --quick", "pytest", (*SHARED, "-q", "--quick"))
CHECKS = (FORMAT, LINT, *PAGES, TYPES)
#: Checks that take long, on one processor each: they go with the tests, which come after the others.
LONG_CHECKS = (PAGES[-1], TYPES)
FIXES = (
    Step("ruff format", "ruff", ("format", ".")),
    Step("ruff check --fix", "ruff", ("check", "--fix", ".")),
    Step("deno fmt", "deno", ("fmt", "--quiet")),
    Step("deno lint --fix", "deno", ("lint", "--quiet", "--fix")),
    PAGES[-1],
    TYPES,
)


def run_steps(environment: Environment, steps: Sequence[Step]) -> int:
    """Run the steps in order up to the first that fails, and return its exit status."""
    for step in steps:
        print(f"== {step.title}", flush=True)
        status = _call(environment, [environment.tool(step.program), *step.arguments])
        if status:
            if step.program != "pytest":  # the last line of pytest already says so
                _say(f"{step.title} failed")
            return status
    return 0


def run_with_types(environment: Environment, tests: Step) -> int:
    """Run the tests while the types of pages and Python are checked; print the output of what fails."""
    print(f"== {' and '.join(step.title for step in (*LONG_CHECKS, tests))}", flush=True)
    started = [_start(environment, [environment.tool(step.program), *step.arguments]) for step in LONG_CHECKS]
    status = run_steps(environment, [tests])
    for step, process in zip(LONG_CHECKS, started, strict=True):
        output, _ = process.communicate()
        if process.returncode:
            print(f"== {step.title}\n{output}", end="", flush=True)
            _say(f"{step.title} failed")
            status = status or process.returncode
    return status


def _start(environment: Environment, command: Sequence[str]) -> subprocess.Popen[str]:
    """Start a program of the environment, with its output in a pipe."""
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
    """Run a program of the environment; if `quiet`, print its errors only if it fails."""
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
    """Run `excerpt demo` with the given arguments; without any, also write its report."""
    environment.prepare("run")
    command = [environment.tool("excerpt"), "demo"]
    # In the caller's folder, since arguments may be relative file names.
    status = _call(environment, [*command, *arguments], here=True)
    if arguments or status:
        return status
    report = environment.folder / "report.html"
    status = _call(environment, [*command, "--report", str(report)], quiet=True)
    if not status:
        print(f"\nA report of all runs, to open in a browser: {report}")
    return status


def test(environment: Environment, arguments: Sequence[str]) -> int:
    """Run all checks and tests; --quick: no slow tests; --thorough, --oldest: tests with other libraries."""
    kind = {"--thorough": "thorough", "--oldest": "oldest"}.get("".join(arguments[:1]), "dev")
    if kind != "dev":
        environment = environment.variant(kind)
        arguments = ("--thorough",) * (kind == "thorough") + tuple(arguments[1:] or SHARED)
    environment.prepare(kind)
    install_browser(environment.log)
    install_latex(environment.log)
    install_others(environment.log)
    if arguments and list(arguments) != ["--quick"]:
        return run_steps(environment, [Step("pytest", "pytest", tuple(arguments))])
    tests = QUICK_TESTS if arguments else TESTS
    short = [step for step in CHECKS if step not in LONG_CHECKS]
    return run_steps(environment, short) or run_with_types(environment, tests)


def fuzz(environment: Environment, arguments: Sequence[str]) -> int:
    """Test with damaged files (--minutes N, --seed N, --only NAME); failing ones are kept in .venv/fuzz."""
    environment.prepare("dev")
    script = str(environment.root / "tests" / "fuzz" / "session.py")
    keep = str(environment.folder / "fuzz")
    return _call(environment, [environment.tool("python"), script, "--keep", keep, *arguments])


def lint(environment: Environment, arguments: Sequence[str]) -> int:
    """Check format, lint and types; --fix fixes format and lint."""
    if list(arguments) not in ([], ["--fix"]):
        raise DevError(f"lint takes only --fix, found: {' '.join(arguments)}")
    environment.prepare("dev")
    return run_steps(environment, FIXES if arguments else CHECKS)


def docs(environment: Environment, arguments: Sequence[str]) -> int:
    """Build the documentation in docs/_build/html, with warnings as errors; arguments go to sphinx-build."""
    environment.prepare("dev")
    built = "docs/_build/html"
    build = ("-W", "--keep-going", "-q", "-b", "html", *arguments, "docs", built)
    status = run_steps(environment, [Step("sphinx-build", "sphinx-build", build)])
    if not status:
        _say(f"the documentation is in {built}/index.html")
    return status


def bench(environment: Environment, arguments: Sequence[str]) -> int:
    """Benchmark excerpt and its peers (--quick, --only a,c, --json FILE); a full run writes RESULTS.md."""
    environment = environment.variant("bench")
    environment.prepare("bench")
    # In the caller's folder, since the file of --json may be relative.
    script = str(environment.root / "benchmarks" / "run.py")
    return _call(environment, [environment.tool("python"), script, *arguments], here=True)


def build(environment: Environment, arguments: Sequence[str]) -> int:
    """Write sdist and wheel to dist; a TAG such as v0.3.0 must be that of the version."""
    source = (environment.root / "src" / "excerpt" / "__init__.py").read_text(encoding="utf-8")
    tag = "v" + "".join(re.findall(r'^__version__ = "(.+)"', source, re.MULTILINE))
    if list(arguments) not in ([], [tag]):
        raise DevError(f"found the tag {' '.join(arguments)}, expected {tag}, the version of src/excerpt")
    environment.prepare("dev")
    shutil.rmtree(environment.root / "dist", ignore_errors=True)
    return run_steps(environment, [Step("hatchling build", "hatchling", ("build", "-d", "dist"))])


def publish(environment: Environment, arguments: Sequence[str]) -> int:
    """Upload dist by trusted publishing, from a workflow; arguments go to uv publish."""
    environment.prepare("dev")
    upload = ("publish", "--trusted-publishing", "always", *arguments)
    return run_steps(environment, [Step("uv publish", "uv", upload)])


def lock(environment: Environment, arguments: Sequence[str]) -> int:
    """Write requirements/*.lock from pyproject.toml and requirements/*.in; --upgrade: to newer versions."""
    environment.folder.mkdir(exist_ok=True)
    tools = environment.folder / "lock-tool"
    try:
        make_venv(tools, environment.log, environment.python.path)
        python = tools / BIN / "python"
        pip_install(str(python), "uv", ["uv"], environment.log)
        uv = str(tools / BIN / "uv")
        for kind in LOCKED_KINDS:
            if kind == "oldest":
                list_oldest(environment, uv)
            compile_lock(environment, uv, kind, arguments)
    finally:
        shutil.rmtree(tools, ignore_errors=True)
    return 0


_EXTRAS = (
    "--extra",
    "cluster",
    "--extra",
    "web",
    "--extra",
    "stats",
    "--extra",
    "ir",
    "--extra",
    "documents",
)
_SOURCES = ("pyproject.toml", "requirements/run.in", "requirements/dev.in")
_ALL = (*_EXTRAS, "--extra", "frames", *_SOURCES, "requirements/thorough.in")
#: File with the oldest versions, written by `list_oldest`.
OLDEST = ".venv/oldest.txt"
# run comes first: its versions are constraints for the others, so that all environments have the same numpy.
LOCK_INPUTS = {
    "run": ("pyproject.toml", "requirements/run.in"),
    "dev": (*_EXTRAS, "--constraint", "requirements/run.lock", *_SOURCES),
    "thorough": ("--constraint", "requirements/dev.lock", *_ALL),
    "oldest": ("--override", OLDEST, *_ALL),
    "bench": (
        *("--extra", "plot", "--extra", "web", "--extra", "stats"),
        *("--constraint", "requirements/dev.lock"),
        *("pyproject.toml", "requirements/run.in", "requirements/bench.in"),
    ),
}


def list_oldest(environment: Environment, uv: str) -> None:
    """List the oldest supported version of each dependency in pyproject.toml; test tools stay new."""
    command = [uv, "pip", "compile", "--quiet", "--no-deps", "--resolution", "lowest-direct", "--no-header"]
    command += ["--python-version", "{}.{}".format(*OLDEST_PYTHON), "--output-file", OLDEST, "--universal"]
    if _call(environment, [*command, *_EXTRAS, "--extra", "frames", "--extra", "plot", "pyproject.toml"]):
        raise DevError("the oldest versions could not be resolved")


def compile_lock(environment: Environment, uv: str, kind: str, arguments: Sequence[str]) -> None:
    """Write one lock file: every version with the digests of all its files, for every platform."""
    target = environment.root / "requirements" / f"{kind}.lock"
    command = [uv, "pip", "compile", "--quiet", "--universal", "--generate-hashes"]
    command += ["--python-version", "{}.{}".format(*OLDEST_PYTHON)]
    command += ["--no-emit-index-url", "--no-emit-find-links"]
    command += ["--custom-compile-command", "python3 dev.py lock"]
    command += ["--output-file", f"requirements/{target.name}", *arguments, *LOCK_INPUTS[kind]]
    if _call(environment, command):
        raise DevError(f"requirements/{target.name} could not be written")
    if "://" in target.read_text(encoding="utf-8"):
        raise DevError(f"requirements/{target.name} contains an address, expected only versions and digests")
    _say(f"wrote requirements/{target.name}")


COMMANDS: dict[str, Callable[[Environment, Sequence[str]], int]] = {
    command.__name__: command for command in (demo, test, fuzz, lint, docs, bench, build, publish, lock)
}


FURTHER = (
    "COMMAND --python 3.13 (or a path) uses that Python, in a separate environment.",
    "Arguments after -- are passed on unchanged, even --help.",
    "",
    "example:",
    "  python3 dev.py test --quick",
)


def parse(arguments: Sequence[str]) -> tuple[str, list[str]]:
    """Return the command and the arguments that are passed on to it."""
    entries = [f"  {name:<7} {command.__doc__}" for name, command in COMMANDS.items()]
    lines = [textwrap.fill(entry, 80, subsequent_indent=" " * 10) for entry in entries]
    parser = argparse.ArgumentParser(
        prog="dev.py",
        usage="python3 dev.py [-h] COMMAND [--python VERSION] [ARGUMENT ...]",
        description="Set up .venv in this clone if needed, then run one command in it.",
        epilog="\n".join(["commands:", *lines, "", *FURTHER]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", choices=COMMANDS, metavar="COMMAND", help="one of the commands below")
    # argparse gets only the command, since the other arguments belong to other programs.
    command: str = parser.parse_args(arguments[:1]).command
    rest = list(arguments[1:])
    if rest[:1] in (["-h"], ["--help"]):
        print(f"python3 dev.py {command}: {COMMANDS[command].__doc__}")
        parser.exit()
    return command, rest[1:] if rest[:1] == ["--"] else rest


def check_python(version: tuple[int, int]) -> None:
    """Raise an error for a Python that is too old."""
    if version < OLDEST_PYTHON:
        raise DevError("excerpt needs Python {}.{} or newer; this is {}.{}".format(*OLDEST_PYTHON, *version))


def choose(root: Path, arguments: Sequence[str]) -> tuple[Environment, list[str]]:
    """Return the environment, which depends on `--python VERSION`, and the other arguments."""
    if list(arguments[:1]) != ["--python"]:
        return Environment(root), list(arguments)
    if len(arguments) < 2:
        raise DevError("--python needs a version such as 3.13, or a path")
    python = Interpreter.find(arguments[1])
    check_python(python.numbers)
    name = ".venv-{}.{}".format(*python.numbers)
    return Environment(root, name, python), list(arguments[2:])


def main(arguments: Sequence[str], root: Path = ROOT) -> int:
    """Run one command and return its exit status; 2 if it could not be started."""
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
