"""Documents as JSON: complete, encoded once for all, and not kept without limit."""

from __future__ import annotations

import json
from typing import Any

from excerpt.web.documents import Documents


def _document(name: str, version: int = 0, text: str = "a😀") -> dict[str, Any]:
    return {
        "id": name,
        "text": text,
        "sha256": f"hash of {text}",
        "state": {"version": version},
        "seconds": 1,
    }


def test_everybody_gets_all_of_it() -> None:
    """What is the same for all is made once; the state is that of who asks."""
    made: list[str] = []
    documents = Documents(lambda name: made.append(name) or [["text", 0, 0, 2]])  # type: ignore[func-returns-value]
    for version in range(3):
        found = json.loads(documents.encode(_document("A", version)))
        assert found == {**_document("A", version), "blocks": [["text", 0, 0, 2]]}
    assert made == ["A"]
    assert json.loads(documents.encode(_document("A", text="b")))["text"] == "b"


def test_not_all_are_kept() -> None:
    """The oldest go where there is no room."""
    made: list[str] = []
    documents = Documents(lambda name: made.append(name) or [], most=5000)  # type: ignore[func-returns-value]
    for name in ("A", "B", "A", "C", "A", "B"):
        assert json.loads(documents.encode(_document(name, text="x" * 1000)))["id"] == name
    assert made == ["A", "B", "C", "B"]


def test_one_that_is_too_large_is_given_all_the_same() -> None:
    """It is made each time."""
    documents = Documents(lambda _: [], most=10)
    for _ in range(2):
        assert json.loads(documents.encode(_document("A")))["text"] == "a😀"
