"""Columns while they are written."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from excerpt.index.build.columns import Spool, write_column


def test_wide_numbers(tmp_path: Path) -> None:
    """Columns are as wide as their largest value needs."""
    spool = Spool(tmp_path, "narrow")
    spool.append(np.array([1, 65_535]))
    spool.finish()
    wide = Spool(tmp_path, "wide")
    wide.append(np.array([1]))
    wide.append(np.array([2**32 - 1]))
    wide.finish()
    assert [str(np.load(tmp_path / f"{name}.npy").dtype) for name in ("narrow", "wide")] == [
        "uint16",
        "uint32",
    ]
    assert np.load(tmp_path / "wide.npy").tolist() == [1, 2**32 - 1]


def test_whole_columns_are_as_narrow_as_they_may_be(tmp_path: Path) -> None:
    """Numbers below 0 keep their type."""
    for name, values in {"a": [0, 70_000], "b": [-1, 3], "c": [2**40]}.items():
        write_column(tmp_path, name, np.array(values))
    assert [str(np.load(tmp_path / f"{name}.npy").dtype) for name in "abc"] == ["uint32", "int64", "uint64"]
