"""Zip archives: what they hold that is no document."""

from __future__ import annotations

import stat
import zipfile
from pathlib import Path

import pytest
from index_facts import NOWHERE, facts, left_out

from excerpt.errors import FormatError
from excerpt.index import build_index


def test_links_of_a_zip_that_are_no_names(tmp_path: Path) -> None:
    """One that is too long leads nowhere, and costs nothing."""
    with zipfile.ZipFile(tmp_path / "packed.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.xml", "<a/>")
        info = zipfile.ZipInfo("b.xml")
        info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "./" * 5000 + "a.xml", zipfile.ZIP_DEFLATED)
    report = build_index(tmp_path / "packed.zip", tmp_path / "index")
    assert (facts(tmp_path / "index"), left_out(report)) == ({"a": 0}, {"b": NOWHERE})


def test_a_member_that_is_encrypted(tmp_path: Path) -> None:
    """Nobody has the password: an error in one line."""
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as archive:
        archive.writestr("a.xml", "<a/>")
    data = bytearray((tmp_path / "packed.zip").read_bytes())
    data[6] |= 1  # in the header of the member
    data[data.index(b"PK\1\2") + 8] |= 1  # and in the directory
    (tmp_path / "packed.zip").write_bytes(data)
    with pytest.raises(FormatError, match=r"damaged or truncated zip data .*encrypted"):
        build_index(tmp_path / "packed.zip", tmp_path / "index")


def test_a_member_without_a_name(tmp_path: Path) -> None:
    """It is no document; those beside it are read."""
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as archive:
        archive.writestr("a.xml", "<a/>")
        archive.writestr("b.xml", "<b/>")
    data = (tmp_path / "packed.zip").read_bytes().replace(b"b.xml", b"\0.xml")  # a name ends at a zero byte
    (tmp_path / "packed.zip").write_bytes(data)
    build_index(tmp_path / "packed.zip", tmp_path / "index")
    assert facts(tmp_path / "index") == {"a": 0}
