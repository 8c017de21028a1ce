"""excerpt formats: the list, and one with an example."""

from __future__ import annotations

import json

from .conftest import Excerpt


def test_formats(excerpt: Excerpt) -> None:
    """The list fits into 100 columns; one format is shown with its layout and an example."""
    formats = json.loads(excerpt("formats", "--format", "json").out)
    assert {(entry["kind"], entry["name"]) for entry in formats} >= {("run", "fol"), ("judgments", "trec")}
    assert max(map(len, excerpt("formats").out.splitlines())) <= 100
    one = excerpt("formats", "jsonl").out
    for part in (
        "jsonl (run, read and written)",
        "jsonl (judgments, read and written)",
        '{"topic": "1", "document": "A"',
    ):
        assert part in one
    assert json.loads(excerpt("formats", "fol", "--format", "json").out)[0]["layout"] == (
        "topic Q0 document rank score tag offset length"
    )
    assert excerpt("formats", "jsonll").err.startswith(
        "excerpt: unknown format 'jsonll'; did you mean 'jsonl'?"
    )
