"""The documents of a campaign as events need them: text that is what was judged, elements, units."""

from __future__ import annotations

import glob
import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from excerpt.assess.rules import Structure
from excerpt.assess.settings import Settings
from excerpt.assess.units import Units, units_of
from excerpt.corpus import Corpus, Document
from excerpt.corpus.corpus import Recent
from excerpt.errors import ExcerptError, plural, short_list

#: Characters of documents that are kept for the next time.
_ROOM = 1 << 24


def find_corpus(folder: Path, settings: Settings) -> list[Path]:
    """Where the documents of a campaign are: where its settings say, or where they were; empty if gone."""
    for written in (settings.corpus, settings.corpus_made):
        places = [folder / path for path in written]
        if places and all(place.exists() or glob.glob(str(place)) for place in places):  # noqa: PTH207
            return places
    return []


def open_corpus(folder: Path, settings: Settings) -> Corpus:
    """The documents of a campaign; an error where they are gone, or never were in a file."""
    if not settings.corpus:
        raise ExcerptError(
            "found a campaign whose documents were in memory, expected them now",
            path=str(folder),
            hint="give the ⟨corpus⟩",
        )
    places = find_corpus(folder, settings)
    if not places:
        raise ExcerptError(
            "found nothing there, expected the documents of the campaign",
            path=os.path.normpath(folder / settings.corpus[0]),
            hint="where they are elsewhere, give the ⟨corpus⟩",
        )
    return Corpus.read(*places)


class Known(NamedTuple):
    """What a campaign knows of a document since it was made."""

    sha256: str
    length: int
    title: str = ""
    kind: str = ""


class Material:
    """One document, read and compared."""

    def __init__(self, document: Document, known: Known) -> None:
        self.document = document
        self.known = known
        self.text = document.text

    @cached_property
    def structure(self) -> Structure:
        """Its elements."""
        return Structure(self.document.elements)

    @cached_property
    def units(self) -> Units:
        """Its words and sentences."""
        return units_of(self.text, self.structure)


def sha256_of(text: str) -> str:
    """The hash of a text in UTF-8."""
    return hashlib.sha256(text.encode()).hexdigest()


class Materials:
    """Documents by the names that they have in the pool."""

    def __init__(self, corpus: Corpus, known: Mapping[str, Known]) -> None:
        self._corpus = corpus
        self._known = known
        self._recent: Recent[Material] = Recent(room=_ROOM, size=lambda found: len(found.text) + 1_000)

    def get(self, name: str) -> Material:
        """A document; an error where its text is not what it was."""
        return self._recent.get(name, lambda: self._read(name))

    def _read(self, name: str) -> Material:
        known = self._known[name]
        document = self._corpus.document(name)
        if len(document.text) != known.length or sha256_of(document.text) != known.sha256:
            raise _changed([name])
        return Material(document, known)

    def check(self, names: Iterable[str] | None = None) -> None:
        """An error that names every document whose text is not what it was, or that is gone."""
        wanted = self._known if names is None else dict.fromkeys(names)
        gone = [name for name in wanted if name not in self._corpus]
        changed = [name for name in wanted if name in self._corpus and not self._is_same(name)]
        if gone or changed:
            raise _changed(changed, gone)

    def _is_same(self, name: str) -> bool:
        known = self._known[name]
        try:
            return self._corpus.length(name) == known.length and self._corpus.hash(name) == known.sha256
        except ExcerptError:
            return False


def _changed(names: list[str], gone: Sequence[str] = ()) -> ExcerptError:
    told = []
    if names:
        count = plural(len(names), "document")
        told.append(f"another text in {count} than when the campaign was made: {short_list(names)}")
    if gone:
        told.append(f"{plural(len(gone), 'document')} of the campaign missing: {short_list(gone)}")
    return ExcerptError(
        f"found {'; and '.join(told)}; expected the same",
        hint="offsets would mean other words; restore the documents, or make a new campaign",
    )
