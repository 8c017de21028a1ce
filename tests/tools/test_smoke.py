"""The smoke test of a wheel finds what works and what does not."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
import smoke

import excerpt

pytestmark = pytest.mark.skipif(os.name == "nt", reason="programs are scripts of a shell here")


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    """An environment whose Python and command are those of this one, with the package in it."""
    programs = tmp_path / "environment" / "bin"
    programs.mkdir(parents=True)
    (tmp_path / "environment" / "excerpt").symlink_to(Path(excerpt.__file__).parent)
    for name, module in (("python", ""), ("excerpt", " -m excerpt")):
        text = f'#!/bin/sh\nPYTHONPATH="{tmp_path / "environment"}" exec "{sys.executable}"{module} "$@"\n'
        (programs / name).write_text(text, encoding="utf-8")
        (programs / name).chmod(0o755)
    return tmp_path / "environment"


@pytest.mark.slow
def test_what_works_is_found_to_work(environment: Path, tmp_path: Path) -> None:
    """Command, module, library, demo and the scores of small files."""
    smoke.check(environment, tmp_path, excerpt.__version__)


@pytest.mark.parametrize(
    ("program", "text", "message"),
    [
        ("excerpt", "echo excerpt 0.0.1", "expected ^excerpt"),
        ("excerpt", "echo no such module >&2; exit 1", "excerpt --version: status 1\nno such module"),
        ("python", "echo nothing", "expected ^usage: excerpt"),
    ],
)
def test_what_is_broken_is_named(
    environment: Path, tmp_path: Path, program: str, text: str, message: str
) -> None:
    """With what was expected, or the program's own words."""
    (environment / "bin" / program).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    with pytest.raises(smoke.Broken) as caught:
        smoke.check(environment, tmp_path, excerpt.__version__)
    assert str(caught.value).startswith(message)


def test_the_package_of_the_checkout_does_not_count(environment: Path, tmp_path: Path) -> None:
    """What is imported lies in the environment of the wheel."""
    python = environment / "bin" / "python"
    text = python.read_text(encoding="utf-8").replace(
        str(environment), str(Path(excerpt.__file__).parents[1])
    )
    python.write_text(text, encoding="utf-8")
    with pytest.raises(smoke.Broken, match=r"expected .*environment, found"):
        smoke.check(environment, tmp_path, excerpt.__version__)


@pytest.mark.parametrize("names", [[], ["excerpt-1-py3-none-any.whl", "excerpt-2-py3-none-any.whl"]])
def test_there_is_one_wheel(tmp_path: Path, capsys: pytest.CaptureFixture[str], names: list[str]) -> None:
    """None or two are one line and status 1, and nothing is installed."""
    for name in names:
        (tmp_path / name).touch()
    assert smoke.main(str(tmp_path)) == 1
    found = ", ".join(names) or "none"
    assert capsys.readouterr().err.startswith(f"smoke.py: {tmp_path}: found {found}, expected one wheel;")
