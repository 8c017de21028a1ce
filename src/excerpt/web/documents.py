"""Documents as JSON: what is the same for all who ask is encoded once, for some documents."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

from excerpt.render.page import encode

#: What a document has for everybody; the rest is of who asks.
_FIXED = ("id", "title", "kind", "text", "sha256", "length", "units", "elements")
#: Bytes of encoded documents that are kept.
_MOST = 64_000_000


class Documents:
    """Encodes documents; `blocks` gives those of one."""

    def __init__(self, blocks: Callable[[str], list[Any]], most: int = _MOST) -> None:
        self._blocks = blocks
        self._most = most
        self._kept: OrderedDict[tuple[str, str], bytes] = OrderedDict()
        self._size = 0
        self._turn = threading.Lock()

    def encode(self, found: Mapping[str, Any]) -> bytes:
        """A document that a campaign gave, with its blocks."""
        own = {name: found[name] for name in found if name not in _FIXED}
        return self._fixed(found)[:-1] + b"," + encode(own)[1:]

    def _fixed(self, found: Mapping[str, Any]) -> bytes:
        key = (found["id"], found["sha256"])
        with self._turn:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        fixed = {name: found[name] for name in _FIXED if name in found}
        content = encode({**fixed, "blocks": self._blocks(found["id"])})
        with self._turn:
            self._keep(key, content)
        return content

    def _keep(self, key: tuple[str, str], content: bytes) -> None:
        """Keep one more, and as many of the others as there is room for."""
        self._size += len(content) - len(self._kept.pop(key, b""))
        self._kept[key] = content
        while self._size > self._most:
            self._size -= len(self._kept.popitem(last=False)[1])
