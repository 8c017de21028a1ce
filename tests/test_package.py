"""The package as people install it: sdist and wheel, in an environment with nothing but what they ask for."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
#: What `pip install excerpt` brings, and nothing else.
REQUIRED = ("msgspec", "numpy", "zstandard")
MOST_BYTES = 120_000_000
MOST_BYTES_OF_DATA = 1_000_000


def run(*command: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """A program as a user calls it, without the variables of this Python."""
    known = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "EXCERPT"))}
    return subprocess.run(command, cwd=folder, env=known, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The sdist of the checkout, and the wheel made from what is in that sdist."""
    folder = tmp_path_factory.mktemp("built")
    done = run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", folder, folder=ROOT)
    assert done.returncode == 0, done.stderr
    (sdist,) = folder.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    unpacked = folder / sdist.name.removesuffix(".tar.gz")
    done = run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, folder=unpacked)
    assert done.returncode == 0, done.stderr
    (wheel,) = folder.glob("*.whl")
    return sdist, wheel


def copy_distribution(name: str, target: Path) -> None:
    """Put an installed package, as it is here, into another environment."""
    found = distribution(name)
    for top in {file.parts[0] for file in found.files or () if file.parts[0] not in {"..", "__pycache__"}}:
        source = Path(str(found.locate_file(top)))
        if source.is_dir():
            shutil.copytree(source, target / top, ignore=shutil.ignore_patterns("__pycache__", "tests"))
        else:
            shutil.copy(source, target / top)


@pytest.fixture(scope="module")
def clean(built: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel, what it requires, and no extra."""
    folder = tmp_path_factory.mktemp("clean") / "env"
    venv.create(folder, with_pip=False, symlinks=os.name != "nt")
    (packages,) = folder.glob("[Ll]ib/**/site-packages")
    for name in REQUIRED:
        copy_distribution(name, packages)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    # Environments of sessions, which uv makes, have no pip.
    options = ("--python", python, "--no-index", "--no-deps", "--quiet", built[1])
    done = run(sys.executable, "-m", "uv", "pip", "install", *options, folder=folder)
    assert done.returncode == 0, done.stderr
    return folder


def test_the_sdist_is_a_whole_project(built: tuple[Path, Path]) -> None:
    """It has what one needs to test and to change it, and nothing that the checkout made."""
    with tarfile.open(built[0]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    expected = {"README.md", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "SECURITY.md", "LICENSE"}
    expected |= {"CODE_OF_CONDUCT.md", "deno.json", "dev.py", "noxfile.py", "tools/smoke.py", ".ci/run"}
    assert expected | {"docs/conf.py", "requirements/dev.lock", "tests/test_package.py"} <= names
    assert not [name for name in names if re.search(r"\.venv|\.nox|__pycache__|docs/_build", name)]


def test_the_wheel_is_the_package_alone(built: tuple[Path, Path]) -> None:
    """It has the package, its licence and both collections, each below a megabyte."""
    with zipfile.ZipFile(built[1]) as archive:
        sizes = {item.filename: item.compress_size for item in archive.infolist()}
    assert {name.split("/")[0].partition("-")[0] for name in sizes} == {"excerpt"}
    assert "excerpt/py.typed" in sizes
    collections = {name.split("/")[2] for name in sizes if name.startswith("excerpt/data/")}
    assert collections
    for collection in collections:
        size = sum(size for name, size in sizes.items() if name.startswith(f"excerpt/data/{collection}/"))
        assert size < MOST_BYTES_OF_DATA, collection


def test_it_asks_for_three_packages_only(built: tuple[Path, Path]) -> None:
    """Without extras numpy, msgspec and zstandard are required, nothing else."""
    with zipfile.ZipFile(built[1]) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = archive.read(name).decode()
    required = re.findall(r"^Requires-Dist: ([\w-]+)[^;\n]*$", metadata, re.MULTILINE)
    assert sorted(required) == sorted(REQUIRED)


def test_it_is_small(clean: Path) -> None:
    """All that is installed is under 120 MB."""
    files = [path for path in clean.rglob("*") if path.is_file() and not path.is_symlink()]
    assert sum(path.stat().st_size for path in files) < MOST_BYTES


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "status", "printed"),
    [
        ("--version", 0, r"^excerpt \d"),
        ("demo", 0, r"(?m)^sent-bm25 +sentence +0\.2511 "),
        ("demo --report report.html", 0, r"^report\.html: 14 runs"),
        ("evaluate {d}/qrels.fol {d}/runs/p-bm25.fol.gz -m MAiP", 0, r"(?m)^p-bm25 +0\.1395$"),
        ("compare {d}/qrels.fol {d}/runs/p-bm25.fol.gz {d}/runs/sent-bm25.fol.gz -m MAiP", 0, "bootstrap"),
        (
            "compare {d}/qrels.fol {d}/runs/p-bm25.fol.gz {d}/runs/sent-bm25.fol.gz -m MAiP --test t",
            2,
            r"^excerpt: .*scipy.* not installed.*excerpt\[stats\].*\n$",
        ),
        (
            "curve {d}/qrels.fol {d}/runs/p-bm25.fol.gz -m iP -o c.svg",
            2,
            r"^excerpt: .*matplotlib.* not installed.*excerpt\[plot\].*\n$",
        ),
        ("explore {d}/qrels.fol {d}/runs/p-bm25.fol.gz", 2, r"^excerpt: .*excerpt\[web\].*\n$"),
    ],
    ids=lambda value: value.split()[0] if isinstance(value, str) and "-" in value else "",
)
def test_it_works_without_extras(clean: Path, arguments: str, status: int, printed: str) -> None:
    """Commands work, and those that need an extra say in one line which."""
    program = clean / ("Scripts/excerpt.exe" if os.name == "nt" else "bin/excerpt")
    path = run(program, "demo", "--path", folder=clean).stdout.strip()
    done = run(program, *arguments.format(d=path).split(), folder=clean)
    assert done.returncode == status, done.stderr
    assert re.search(printed, done.stderr if status else done.stdout)


def test_every_public_name_is_there(clean: Path) -> None:
    """`import excerpt` and each of its names need no extra."""
    python = clean / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    code = "import excerpt; print([name for name in excerpt.__all__ if not getattr(excerpt, name, None)])"
    done = run(python, "-c", code, folder=clean)
    assert (done.stdout, done.stderr) == ("[]\n", "")
