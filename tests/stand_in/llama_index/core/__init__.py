"""Documents as LlamaIndex has them."""

from __future__ import annotations

from typing import NamedTuple


class Document(NamedTuple):
    """A text with its id."""

    text: str
    id_: str
