"""Packed answers: for clients elsewhere that can unpack them."""

from __future__ import annotations

import asyncio
import gzip

import pytest
from starlette.requests import Request

from excerpt.web.packing import packed

LARGE = b'{"text": "' + b"word " * 5000 + b'"}'


@pytest.mark.parametrize(
    ("content", "client", "accepted", "smaller"),
    [
        (LARGE, "192.0.2.7", "gzip, deflate, br", True),
        (LARGE, "192.0.2.7", "br, GZIP; q=0.5", True),
        (LARGE, "192.0.2.7", "gzip;q=0", False),
        (LARGE, "192.0.2.7", "br", False),
        (LARGE, "192.0.2.7", "", False),
        (LARGE, "127.0.0.1", "gzip", False),
        (LARGE, "::1", "gzip", False),
        (b"{}", "192.0.2.7", "gzip", False),
    ],
)
def test_who_gets_less_bytes(content: bytes, client: str, accepted: str, *, smaller: bool) -> None:
    """The content is the same for all."""
    headers = [(b"accept-encoding", accepted.encode())]
    scope = {"type": "http", "method": "GET", "path": "/", "headers": headers, "client": (client, 1)}
    answer = asyncio.run(packed(Request(scope), content))
    body = bytes(answer.body)
    assert (len(body) < len(content)) == smaller
    assert (answer.headers.get("content-encoding") == "gzip") == smaller
    assert (gzip.decompress(body) if smaller else body) == content
    assert answer.headers["vary"] == "accept-encoding"
