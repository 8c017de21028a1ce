"""excerpt index: what it prints, and what it does not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from excerpt.cli.index import parser

from .conftest import Excerpt


def test_a_wrong_corpus_is_not_a_hundred_lines(excerpt: Excerpt, files: Path) -> None:
    """The first broken documents are named, the others counted; the index lists all of them."""
    folder = files / "many"
    folder.mkdir()
    for number in range(100):
        (folder / f"{number:03}.xml").write_text("<a>" if number else "<a/>")
    done = excerpt("index", folder, "-o", "many.index")
    lines = done.err.splitlines()
    assert (done.status, len(lines)) == (0, 6)
    assert lines[0].endswith("001.xml:1: no element found")
    assert lines[5] == (
        "excerpt: left out: 94 more; excerpt index --info many.index --format json lists all of them"
    )
    told = json.loads(excerpt("index", "--info", "many.index", "--format", "json").out)
    assert (told["broken"], len(told["broken documents"])) == (99, 99)
    assert told["broken documents"][0]["document"] == "001"


def test_no_index_is_one_line(excerpt: Excerpt, files: Path) -> None:
    """Something else in place of an index is said once."""
    (files / "other").mkdir()
    done = excerpt("index", "--info", "other")
    assert (done.status, len(done.err.splitlines())) == (2, 1)
    assert "other: found another folder, expected the folder of an index" in done.err


def test_the_old_name_of_shares(capsys: pytest.CaptureFixture[str]) -> None:
    """--shard means --share, and help does not speak of it."""
    assert parser().parse(["corpus", "-o", "index", "--shard", "2/3"]).share == (2, 3)
    assert parser().parse(["corpus", "-o", "index", "--share", "2/3"]).share == (2, 3)
    assert "--shard" not in parser().format_help()
    assert capsys.readouterr().out == ""
