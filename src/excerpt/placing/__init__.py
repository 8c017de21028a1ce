"""Chunks and their positions in the documents that they were cut from."""

from excerpt.placing.chunks import Chunk, Chunks

__all__ = ["Chunk", "Chunks"]
