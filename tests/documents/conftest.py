"""What the tests of files of documents share with those of corpora."""

from corpus.conftest import write

__all__ = ["write"]
