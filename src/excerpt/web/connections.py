"""Connections of a server: time for headers, the most connections, of one address and of all; descriptors."""

from __future__ import annotations

import asyncio
import errno
import socket
import sys
import time
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

#: The most connections and requests at a time; further requests get 503.
MOST = 512
#: The most connections of one address that wait for their client; of more, the oldest are closed.
MOST_WAITING = 64
#: Seconds in which the headers of a request must arrive.
_HEADERS = 10.0
_EXHAUSTED = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}
#: Seconds between two messages about exhausted descriptors.
_PAUSE = 60.0


class Connection(H11Protocol):
    """A connection that is closed if the headers of a request do not arrive in time.

    The time starts with the connection, and later with the first byte of each request; uvicorn's own limits
    apply only to idle connections.
    """

    _deadline: asyncio.TimerHandle | None = None
    #: When the connection began to wait for its client.
    since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.since = self.loop.time()
        self._close_oldest()
        self._watch()

    def _close_oldest(self) -> None:
        """Close connections of this address that send nothing, so that they take no place of others.

        Each waits for a request, or for the rest of one; a client that sends is not the oldest for long.
        """
        address = self.client and self.client[0]
        waiting = [
            each
            for each in self.connections
            if isinstance(each, Connection)
            and each.client
            and each.client[0] == address
            and each.conn.their_state in {h11.IDLE, h11.SEND_BODY}
        ]
        for each in sorted(waiting, key=lambda one: one.since)[:-MOST_WAITING]:
            each.transport.close()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self.since = self.loop.time()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)

    def _watch(self) -> None:
        expected = self.conn.their_state is h11.IDLE and (self.cycle is None or self.conn.trailing_data[0])
        if not expected:
            self._stop()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(_HEADERS, self.transport.close)

    def _stop(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


class Server(uvicorn.Server):
    """A server that reports exhausted file descriptors in one line a minute, without traceback."""

    _silent_until = 0.0

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        asyncio.get_running_loop().set_exception_handler(self._report)
        await super().serve(sockets)

    def _report(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if getattr(context.get("exception"), "errno", None) not in _EXHAUSTED:
            loop.default_exception_handler(context)
        elif time.monotonic() >= self._silent_until:
            self._silent_until = time.monotonic() + _PAUSE
            message = "too many open files: new connections wait; raise the limit (ulimit -n)"
            print(f"excerpt: {message}", file=sys.stderr, flush=True)
