"""Addresses of data: parameters as they stand in addresses."""

from __future__ import annotations

import pytest
from asgi import call
from starlette.types import ASGIApp


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("/api/overview", {"format": 1, "topics": [{"id": "1"}, {"id": "ä/?&"}]}),
        ("/api/passages", {"documents": []}),
        ("/api/topic?topic=%C3%A4%2F%3F%26", {"number": 1}),
        ("/api/texts?document=A&spans=1-3", {"texts": ["😀b"]}),
        ("/api/texts?document=A&spans=", {"texts": []}),
        ("/api/document?document=A&other=1", {"id": "A", "text": "a😀b\r\n</script>"}),
        ("/api/topic?topic=1&topic=2", {"error": "found 2 values of topic, expected one"}),
        ("/api/document", {"error": "found 0 values of document, expected one"}),
    ],
)
def test_data_by_address(app: ASGIApp, bearer: dict[str, str], target: str, expected: object) -> None:
    """Names may hold any character."""
    assert call(app, target, headers=bearer).json == expected
