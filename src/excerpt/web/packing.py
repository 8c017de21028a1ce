"""Large answers over a network: packed with gzip; on this machine packing costs more than it saves."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from excerpt.render.page import compress
from excerpt.web.addresses import ip_of

#: Bytes below which nothing is packed.
_SMALL = 10_000


async def packed(request: Request, content: bytes) -> Response:
    """An answer of JSON, packed where the client is elsewhere and can unpack it."""
    headers = {"vary": "accept-encoding"}
    if (
        len(content) > _SMALL
        and not _is_here(request)
        and _unpacks(request.headers.get("accept-encoding", ""))
    ):
        content = await run_in_threadpool(compress, content)
        headers["content-encoding"] = "gzip"
    return Response(content, headers=headers, media_type="application/json")


def _is_here(request: Request) -> bool:
    address = ip_of(request.client.host) if request.client else None
    return address is not None and address.is_loopback


def _unpacks(accepted: str) -> bool:
    """Whether a list of encodings has gzip.

    >>> _unpacks("gzip, deflate, br"), _unpacks("br;q=1, gzip;q=0"), _unpacks("")
    (True, False, False)
    """
    for part in accepted.lower().split(","):
        name, _, quality = part.replace(" ", "").partition(";q=")
        if name == "gzip":
            return quality.strip("0.") != "" or not quality
    return False
