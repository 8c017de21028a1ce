"""Installed fonts for characters that the font of a figure lacks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

#: Fonts whose glyphs are boxes for every character.
_BOXES = re.compile(r"\.?last ?resort", re.IGNORECASE)
#: Words in names of families without serifs, as the font of figures.
_PLAIN = re.compile(r"sans|gothic|grotesk", re.IGNORECASE)
_MOST = 8  # most characters that are named


class _Face(NamedTuple):
    """A font file, in order of preference."""

    slanted: bool
    serifed: bool
    weight: int  # distance from the normal one
    family: str
    path: str
    known: bool  # to matplotlib, whose list may be older than the font


@lru_cache(maxsize=16)
def fonts_with(characters: str) -> tuple[str, ...]:
    """Families of installed fonts that have these characters, as few as possible; some may be in none."""
    from matplotlib.font_manager import fontManager

    left, families = set(characters), list[str]()
    for face in _faces():
        font = _open(face.path)
        found = {character for character in left if font and font.get_char_index(ord(character))}
        if found and not face.known:
            fontManager.addfont(face.path)
        families += [face.family] if found else []
        left -= found
        if not left:
            break
    return tuple(families)


def _faces() -> Iterator[_Face]:
    """Fonts that matplotlib knows, the most suitable first; then those that were installed since."""
    from matplotlib.font_manager import findSystemFonts, fontManager, ttfFontProperty

    entries: dict[str, Any] = {}
    for entry in fontManager.ttflist:
        entries.setdefault(entry.fname, entry)
    yield from sorted(_face(entry, known=True) for entry in entries.values() if not _BOXES.match(entry.name))
    others = [
        ttfFontProperty(font) for path in findSystemFonts() if path not in entries and (font := _open(path))
    ]
    yield from sorted(_face(entry, known=False) for entry in others if not _BOXES.match(entry.name))


def _face(entry: Any, *, known: bool) -> _Face:
    weight = abs(entry.weight - 400) if isinstance(entry.weight, int) else 0
    serifed = not _PLAIN.search(entry.name)
    return _Face(entry.style != "normal", serifed, weight, entry.name, entry.fname, known)


def _open(path: str) -> Any:
    """A font file, or None if it cannot be read or has only pictures of one size."""
    from matplotlib.ft2font import FT2Font

    try:
        font: Any = FT2Font(path)
    except (OSError, RuntimeError):
        return None
    return font if font.scalable else None


def say_missing(characters: str) -> str:
    """Which characters no font has, for the figure: by number, since it cannot show them.

    >>> say_missing("\\u691c\\u7d22")
    'no installed font has U+691C, U+7D22 (drawn as boxes)'
    """
    named = [f"U+{ord(character):04X}" for character in characters[:_MOST]]
    more = f" and {len(characters) - _MOST} more" if len(characters) > _MOST else ""
    return f"no installed font has {', '.join(named)}{more} (drawn as boxes)"
