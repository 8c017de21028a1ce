"""Chunks: where the pieces that retrievers return stand in the documents that they were cut from."""

from excerpt.placing.chunks import Chunk, Chunks, TextsById

__all__ = ["Chunk", "Chunks", "TextsById"]
