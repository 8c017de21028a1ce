"""Sessions of development: `python3 dev.py NAME` runs one with the tools of `.venv`, `nox --list` lists all.

Sessions of another Python or of other libraries have an environment in `.nox` with exactly what a lock file
names; the others run in `.venv`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import nox

nox.needs_version = ">=2025.2"
nox.options.default_venv_backend = "uv"
nox.options.reuse_venv = "yes"
nox.options.error_on_missing_interpreters = True
nox.options.sessions = ["tests"]

PYTHONS = nox.project.python_versions(nox.project.load_toml("pyproject.toml"))
#: Four processes for two processors, since often one waits for a disk, a server or a browser. Each starts
#: with consecutive tests, which share the fixtures of a module; an idle process takes tests from others.
SHARED = ("-n", "4", "--dist", "worksteal")
NOX = (sys.executable, "-m", "nox", "--session")

_TOOLS = Path(".venv", "Scripts" if os.name == "nt" else "bin").absolute()
#: Pythons of pyenv, also those that are not switched on.
_PYENV = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
_OTHERS = [path for version in PYTHONS for path in sorted(_PYENV.glob(f"{version}.*/bin"))]
os.environ["PATH"] = os.pathsep.join([str(_TOOLS), os.environ.get("PATH", os.defpath), *map(str, _OTHERS)])


def install(session: nox.Session, kind: str) -> None:
    """Give a session what a lock names, each file by its digest, and excerpt itself."""
    locked = ("--require-hashes", f"requirements/{kind}.lock")
    # Copies, since nltk, which LlamaIndex uses, refuses files with several links.
    session.run_install("uv", "pip", "sync", "--quiet", "--link-mode", "copy", *locked)
    session.install("--no-deps", "--no-build-isolation", "--editable", ".")


@nox.session(python=False)
def style(session: nox.Session) -> None:
    """Check format and lint of Python and of the pages' scripts and styles; --fix repairs them."""
    if session.posargs not in ([], ["--fix"]):
        session.error(f"found {' '.join(session.posargs)}, expected --fix or nothing")
    fix = bool(session.posargs)
    session.run("ruff", "format", *(() if fix else ("--check",)), ".")
    session.run("ruff", "check", *(("--fix",) if fix else ()), ".")
    session.run("deno", "fmt", "--quiet", *(() if fix else ("--check",)))
    session.run("deno", "lint", "--quiet", *(("--fix",) if fix else ()))


@nox.session(python=False)
def types(session: nox.Session) -> None:
    """Check the types of Python and of the pages' scripts."""
    session.run("deno", "check", "--quiet", "src", "tests")
    session.run("mypy")


@nox.session(python=False)
def lint(session: nox.Session) -> None:
    """Check format, lint and types; --fix repairs format and lint."""
    style(session)
    types(session)


@nox.session(python=False)
def tests(session: nox.Session) -> None:
    """Check format and lint, then types while all tests run; arguments go to pytest."""
    session.run(*NOX, "style")
    beside = subprocess.Popen((*NOX, "types"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        session.run("pytest", *SHARED, *session.posargs)
    finally:
        told, _ = beside.communicate()
        if beside.returncode:
            session.error(f"types failed\n{told}")


@nox.session(python=PYTHONS)
def pythons(session: nox.Session) -> None:
    """Run the tests by another Python (pythons-3.13)."""
    install(session, "dev")
    session.run("pytest", *SHARED, *session.posargs)


@nox.session(python=PYTHONS[0])
def oldest(session: nox.Session) -> None:
    """Run the tests with the oldest supported version of Python and of every dependency."""
    install(session, "oldest")
    session.run("pytest", *SHARED, *session.posargs)


@nox.session
def thorough(session: nox.Session) -> None:
    """Run the tests with all generated cases and with libraries that others replace by recordings."""
    install(session, "thorough")
    session.run("pytest", "--thorough", *SHARED, *session.posargs)


@nox.session(python=False)
def fuzz(session: nox.Session) -> None:
    """Test with damaged files (--minutes N, --seed N, --only NAME); failing ones are kept in .venv/fuzz."""
    session.run("python", "tests/support/fuzz/session.py", "--keep", ".venv/fuzz", *session.posargs)


@nox.session
def bench(session: nox.Session) -> None:
    """Benchmark excerpt and its peers (--quick, --only a,c, --json FILE); a full run writes RESULTS.md."""
    install(session, "bench")
    script = str(Path("benchmarks", "run.py").absolute())
    with session.chdir(session.invoked_from):  # the file of --json may be relative
        session.run("python", script, *session.posargs)


@nox.session(python=False)
def docs(session: nox.Session) -> None:
    """Build the documentation in docs/_build/html, with warnings as errors; arguments go to sphinx-build."""
    build = ("-W", "--keep-going", "-q", "-b", "html", *session.posargs)
    session.run("sphinx-build", *build, "docs", "docs/_build/html")
    session.log("the documentation is in docs/_build/html/index.html")


_EXTRAS = (
    *("--extra", "cluster", "--extra", "web", "--extra", "stats"),
    *("--extra", "ir", "--extra", "documents"),
)
_SOURCES = ("pyproject.toml", "requirements/run.in", "requirements/dev.in")
_ALL = (*_EXTRAS, "--extra", "frames", *_SOURCES, "requirements/thorough.in")
#: File with the oldest version of each dependency of pyproject.toml; test tools stay new.
OLDEST = ".venv/oldest.txt"
#: What each lock is made from. Those above are constraints for those below, so that all have the same numpy.
LOCKS = {
    "run": ("pyproject.toml", "requirements/run.in"),
    "dev": (*_EXTRAS, "--constraint", "requirements/run.lock", *_SOURCES),
    "thorough": ("--constraint", "requirements/dev.lock", *_ALL),
    "oldest": ("--override", OLDEST, *_ALL),
    "bench": (
        *("--extra", "plot", "--extra", "web", "--extra", "stats", "--extra", "documents"),
        *("--constraint", "requirements/dev.lock"),
        *("pyproject.toml", "requirements/run.in", "requirements/bench.in"),
    ),
}


@nox.session(python=False)
def lock(session: nox.Session) -> None:
    """Write requirements/*.lock from pyproject.toml and requirements/*.in; --upgrade: to newer versions."""
    command = ("uv", "pip", "compile", "--quiet", "--universal", "--python-version", PYTHONS[0])
    lowest = ("--no-deps", "--resolution", "lowest-direct", "--no-header", "--all-extras")
    session.run(*command, *lowest, "--output-file", OLDEST, "pyproject.toml")
    hashed = (*command, "--generate-hashes", "--no-emit-index-url", "--no-emit-find-links")
    for kind, inputs in LOCKS.items():
        written = ("--output-file", f"requirements/{kind}.lock")
        header = {"UV_CUSTOM_COMPILE_COMMAND": "python3 dev.py lock"}
        session.run(*hashed, *written, *session.posargs, *inputs, env=header)


@nox.session(python=False)
def build(session: nox.Session) -> None:
    """Write sdist and wheel to dist; a TAG such as v0.4.0 must be that of the version."""
    version = str(session.run("hatchling", "version", silent=True)).strip()
    if session.posargs not in ([], [f"v{version}"]):
        session.error(f"found the tag {' '.join(session.posargs)}, expected v{version}, that of src/excerpt")
    shutil.rmtree("dist", ignore_errors=True)
    session.run("hatchling", "build", "-d", "dist")


@nox.session(python=False)
def smoke(session: nox.Session) -> None:
    """Install the wheel of dist in an environment of its own, as users do, and try it."""
    session.run("python", "tools/smoke.py", *(session.posargs or ["dist"]))


@nox.session(python=False)
def api(session: nox.Session) -> None:
    """Compare the public names with those of the last release; the changelog must name what breaks."""
    session.run("python", "tools/public_names.py", *session.posargs)


@nox.session(python=False)
def publish(session: nox.Session) -> None:
    """Upload dist by trusted publishing, from a workflow; arguments go to uv publish."""
    session.run("uv", "publish", "--trusted-publishing", "always", *session.posargs)
