"""The page on runs lists every name of the table of spellings, in its order."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from excerpt.records.spellings import ROLES, RowKind

PAGE = (Path(__file__).parents[2] / "docs" / "formats" / "runs.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("value", "kind", "roles"),
    [
        ("topic", "result", ["topic", "question"]),
        ("text", "result", ["text"]),
        ("document", "result", ["document"]),
        ("start", "result", ["start"]),
        ("end", "result", ["end"]),
        ("score, rank", "result", ["score", "rank"]),
        ("name of the run", "result", ["run"]),
        ("reading cost", "result", ["tokens", "words"]),
        ("grade (judgments)", "judgment", ["grade"]),
    ],
)
def test_the_names_of_the_page(value: str, kind: RowKind, roles: list[str]) -> None:
    """A name that is new in the table belongs on the page."""
    (line,) = re.findall(rf"^\| {re.escape(value)} \| (.*) \|$", PAGE, re.MULTILINE)
    names = [name for role in roles for name in ROLES[kind][role]]
    assert re.findall("`([^`]+)`", line)[: len(names)] == names
