"""Layouts: values of records that are alike in everything else, found by counting anchors."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from unittest.mock import patch

import numpy as np

import excerpt
from excerpt.formats.bulk.layouts import Anchored, Cut, Layout
from excerpt.formats.text import fields

DATA = b"<a:1;x><a:22;yy><b:3;z><a:4;;<a:5;v>"


def cut(data: bytes, *layouts: Layout | None) -> Cut:
    """Records begin at `<`; each that fits no layout so far brings the next one."""
    text = Anchored(data, b"<;")
    remaining = iter(layouts)
    return Cut.of(text, np.flatnonzero(text.codes[text.places] == ord("<")), lambda _: next(remaining, None))


def test_layout_of_a_record() -> None:
    """Pieces are what is around the values; a layout of many bytes is none."""
    assert Layout.of(b"<a:1;x>", [("n", (3, 4)), ("t", (5, 6))]) == Layout((b"<a:", b";", b">"), ("n", "t"))
    assert Layout.of(b"<" + b"x" * 5000, []) is None


def test_values_are_cut() -> None:
    """Records of two layouts; one that has neither, because a value would contain an anchor, is left."""
    found = cut(DATA, Layout((b"<a:", b";"), ("n",)), None, Layout((b"<b:", b";z>"), ("n",)))
    assert found.found.tolist() == [True, True, False, True, True]
    rows, values = found.fields("n")
    assert (rows.tolist(), values.texts()) == ([0, 1, 3, 4], ["1", "22", "4", "5"])
    assert found.start.tolist() == [0, 7, -1, 23, 29]
    assert found.end.tolist() == [5, 13, -1, 28, 34]
    assert not found.has("other").any()
    assert len(found.fields("other")[1]) == 0


def test_places_of_large_texts() -> None:
    """Places need more bytes there; everything else is the same."""
    with patch.object(fields, "_SMALL", 0):
        found = cut(DATA, Layout((b"<a:", b";"), ("n",)))
    assert found.values["n"][0].dtype == np.int64
    assert cut(DATA, Layout((b"<a:", b";"), ("n",))).values["n"][0].dtype == np.int32
    assert found.fields("n")[1].texts() == ["1", "22", "4", "5"]


def test_names_and_dropped_records() -> None:
    """Names of one record are those of no record; empty and odd ones are dropped."""
    found = cut(b"<a:x;><a:;><a:y z;><a:x;>", Layout((b"<a:", b";>"), ("n",)))
    names = found.names("n", re.compile(" "))
    assert [names.distinct[code] if code >= 0 else "" for code in names.code.tolist()] == [
        "x",
        "",
        "y z",
        "x",
    ]
    assert found.found.tolist() == [True, False, False, True]


def test_pieces_do_not_overlap() -> None:
    """A piece that would begin inside the one before it is no match, nor is one after the end."""
    found = cut(b"<a;<a;b;", Layout((b"<a;", b"a;"), ("n",)))
    assert not found.found.any()
    assert not cut(b"<a;b", Layout((b"<a;", b";"), ("n",))).found.any()


def test_pieces_without_an_anchor_fit_nothing() -> None:
    """Their place cannot be told."""
    assert not cut(DATA, Layout((b"<a:", b">"), ("n",))).found.any()


def test_not_more_layouts_than_are_worth_it() -> None:
    """Records that all differ are left to the parser."""
    data = b"".join(b"<%03d;" % number for number in range(100))
    found = cut(data, *(Layout((b"<%03d;" % number,), ()) for number in range(100)))
    assert found.found.sum() == 16


def test_one_function_of_each_reader_is_used_outside() -> None:
    """Two readers ask the room for what can be cut at once; it asks none of them."""
    package = Path(excerpt.__file__).parent
    doors = {
        (name.name, module.relative_to(package).as_posix())
        for module in package.rglob("*.py")
        if module.parent.name != "bulk"
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("excerpt.formats.bulk")
        for name in node.names
    }
    assert doors == {
        ("cut_results", "formats/runs/inex.py"),
        ("cut_lines", "formats/runs/jsonl.py"),
    }
    inside = "".join(file.read_text(encoding="utf-8") for file in (package / "formats" / "bulk").glob("*.py"))
    assert "excerpt.formats.runs" not in inside
