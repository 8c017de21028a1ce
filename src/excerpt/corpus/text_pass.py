"""The texts that a command needs of a corpus, each read once, in the order of the files."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from excerpt.errors import ExcerptError

if TYPE_CHECKING:
    from typing import Self

    from excerpt.corpus.corpus import Corpus

#: Bytes of texts that are kept until the command ends.
_ROOM = 1 << 27
#: A text, or why it cannot be read.
ReadOutcome: TypeAlias = str | ExcerptError


class TextPass:
    """The texts that a command has read of a corpus: they are kept as far as there is room.

    What does not fit is read again when it is needed again; nothing is dropped for it, since commands go
    through the files in their order. A file that was compared with its time stamp is not compared again.
    """

    def __init__(self, corpus: Corpus, room: int = _ROOM) -> None:
        self.corpus = corpus
        self._left = room
        self._kept: dict[int, str] = {}
        self._checked: set[tuple[int, int]] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """The pass ends as soon as nothing holds it."""

    def __reduce__(self) -> tuple[object, ...]:
        return _begin, (self.corpus,)

    def get(self, number: int) -> str | None:
        """Return a text that is kept."""
        return self._kept.get(number)

    def keep(self, number: int, text: str) -> None:
        """Keep a text if there is room."""
        if number not in self._kept and (size := sys.getsizeof(text)) <= self._left:
            self._left -= size
            self._kept[number] = text

    def forget(self) -> None:
        """Drop all texts."""
        self._kept.clear()

    def is_first(self, file: tuple[int, int]) -> bool:
        """Return whether this is the first question for a file: a source, and a number in it."""
        count = len(self._checked)
        self._checked.add(file)
        return len(self._checked) > count

    def read(self, numbers: Sequence[int]) -> Iterator[ReadOutcome]:
        """Return the texts of documents by their ascending numbers; those not kept are read in one go."""
        new = [number for number in dict.fromkeys(numbers) if number not in self._kept]
        return self._with_new(numbers, new) if new else map(self._kept.__getitem__, numbers)

    def _with_new(self, numbers: Sequence[int], new: Sequence[int]) -> Iterator[ReadOutcome]:
        fresh = zip(new, self.corpus.read_texts(new), strict=True)
        number, ahead = -1, next(fresh, None)
        text: ReadOutcome = ""
        for wanted in numbers:
            if ahead is not None and wanted == ahead[0]:
                number, text = ahead
                if isinstance(text, str):
                    self.keep(number, text)
                ahead = next(fresh, None)
            yield text if wanted == number else self._kept[wanted]


def _begin(corpus: Corpus) -> TextPass:
    return corpus.one_pass()
