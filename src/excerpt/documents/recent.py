"""The last few values that were made: a cache with a bound on what it holds."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class Recent(Generic[T]):
    """Values by key, as many of the last ones as fit into `room`; a larger one is not kept.

    >>> recent = Recent(room=3, size=len)
    >>> recent.get("a", lambda: "xx"), recent.get("a", lambda: "never made again")
    ('xx', 'xx')
    """

    def __init__(self, *, room: int, size: Callable[[T], int]) -> None:
        self._room, self._size = room, size
        self._used = 0
        self._values: OrderedDict[Hashable, T] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value of a key, made where it is not here."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        value = make()
        with self._lock:
            self._keep(key, value)
        return value

    def _keep(self, key: Hashable, value: T) -> None:
        size = self._size(value)
        if key in self._values or size > self._room:
            return
        self._values[key] = value
        self._used += size
        while self._used > self._room:
            _, old = self._values.popitem(last=False)
            self._used -= self._size(old)
