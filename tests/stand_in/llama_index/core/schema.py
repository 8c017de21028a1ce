"""Nodes as LlamaIndex has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass
class TextNode:
    """A part of a document, with its claimed position."""

    id_: str
    text: str
    start_char_idx: int | None
    end_char_idx: int | None
    relationships: dict[str, Any]
    metadata: dict[str, Any]


@dataclass
class NodeWithScore:
    """A node that was found."""

    node: Any
    score: float
