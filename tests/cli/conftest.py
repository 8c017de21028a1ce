"""Running commands in process, on small files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeAlias

import pytest

from excerpt.cli import command_of, main
from excerpt.cli.parser import Parser

QRELS = """1 Q0 A 60 200 10 10:40 100:20
1 Q0 B 40 100 0 0:40
1 Q0 C 0 300
2 Q0 D 100 1000 400 400:100
3 Q0 D 0 1000
"""
RUN = """1 Q0 A 1 9 mine 0 50
1 Q0 C 2 8 mine 0 30
1 Q0 B 3 7 mine 20 40
1 Q0 A 4 6 mine 100 50
2 Q0 D 1 9 mine 350 100
2 Q0 E 2 8 mine 0 100
"""
DOCUMENT = "<article><name>A &amp; b</name><bdy><p>Hello <b>big</b> world</p>\n<p>x</p></bdy></article>"


class Done(NamedTuple):
    """Result of a command: exit status and output."""

    status: int
    out: str
    err: str


Excerpt: TypeAlias = Callable[..., Done]


def parser_of(name: str) -> Parser:
    """The parser of a command."""
    make = command_of(name).parser
    assert make is not None
    return make()


@pytest.fixture
def excerpt(capsysbinary: pytest.CaptureFixture[bytes]) -> Excerpt:
    """Runs a command and gives its exit status and what it printed."""

    def run(*arguments: object) -> Done:
        status = main([str(argument) for argument in arguments])
        captured = capsysbinary.readouterr()
        return Done(status, captured.out.decode(), captured.err.decode())

    return run


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files `qrels` and `run` of the worked example, made the current one."""
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def corpus(files: Path) -> Path:
    """A folder with two documents and a broken one, next to the files of the worked example."""
    folder = files / "corpus"
    folder.mkdir()
    (folder / "A.xml").write_text(DOCUMENT)
    (folder / "B.xml").write_text("<article><p>eins</p><p>zwei</p></article>")
    (folder / "bad.xml").write_text("<article>\n<p></article>")
    return folder
