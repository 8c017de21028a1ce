"""Corpus: the documents that offsets refer to, by id, from files, archives, an index or memory."""

from excerpt.corpus.corpus import Corpus, UnknownDocument
from excerpt.corpus.document import Document, Element

__all__ = ["Corpus", "Document", "Element", "UnknownDocument"]
