"""Whether the XML parser of this Python is safe to use on files of others."""

from __future__ import annotations

import pyexpat

_FIRST_SAFE = (2, 4, 1)


def stops_entity_bombs() -> bool:
    """Whether expat gives up on entities that multiply, as it does since version 2.4.1."""
    return pyexpat.version_info >= _FIRST_SAFE
