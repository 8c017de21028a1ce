"""Text by id: the documents that offsets count in, from wherever they are kept."""

from excerpt.corpus.corpus import Corpus, UnknownDocument
from excerpt.corpus.document import Document, Element

__all__ = ["Corpus", "Document", "Element", "UnknownDocument"]
