"""Generated corpora for the benchmarks: Wikipedia-like XML, the same bytes for the same seed."""

from __future__ import annotations

import random
from pathlib import Path

_SYLLABLES = ("ka", "ro", "mi", "ten", "sul", "ver", "ba", "lin", "dor", "pha", "é", "gen", "tu", "os", "an")
_LINKS = ("collectionlink", "unknownlink", "outsidelink")
_FRAME = """<?xml version="1.0" encoding="UTF-8"?>
<article>
<name id="{number}">{title}</name>
<body>
{body}</body>
</article>
"""


def _vocabulary(rng: random.Random, size: int = 4000) -> list[str]:
    return ["".join(rng.choices(_SYLLABLES, k=rng.randint(1, 4))) for _ in range(size)]


class WikipediaLike:
    """Documents of about 7 KB and 100 elements: nested sections, mixed content, entities and comments."""

    def __init__(self, seed: int = 1) -> None:
        self._rng = random.Random(seed)
        self._words = _vocabulary(self._rng)

    def document(self, number: int, *, sections: int = 0) -> str:
        """Make a document; `sections` 0 draws a usual number of sections."""
        rng = self._rng
        count = sections or rng.randint(3, 7)
        body = self._paragraphs(2) + "".join(self._section(depth=1) for _ in range(count))
        return _FRAME.format(number=number, title=self._text(3), body=body)

    def _text(self, words: int) -> str:
        text = " ".join(self._rng.choices(self._words, k=words))
        return text + " &amp; " if self._rng.random() < 0.03 else text

    def _phrase(self) -> str:
        kind = self._rng.random()
        if kind < 0.5:
            name = self._rng.choice(_LINKS)
            return f'<{name} href="{self._rng.randrange(10**6)}.xml">{self._text(2)}</{name}>'
        return f"<emph{2 + (kind < 0.7)}>{self._text(2)}</emph{2 + (kind < 0.7)}>"

    def _paragraph(self) -> str:
        pieces = [self._text(self._rng.randint(4, 16))]
        for _ in range(self._rng.randint(0, 6)):
            pieces += [self._phrase(), self._text(self._rng.randint(2, 8))]
        comment = "<!-- checked -->" if self._rng.random() < 0.02 else ""
        return "<p>" + " ".join(pieces) + comment + "</p>\n"

    def _paragraphs(self, most: int) -> str:
        return "".join(self._paragraph() for _ in range(self._rng.randint(1, most)))

    def _list(self) -> str:
        items = "".join(f"<item>{self._text(5)}</item>\n" for _ in range(self._rng.randint(2, 6)))
        return f"<normallist>\n{items}</normallist>\n"

    def _section(self, *, depth: int) -> str:
        rng = self._rng
        inner = self._paragraphs(4) + (self._list() if rng.random() < 0.3 else "")
        if depth < 3 and rng.random() < 0.3:
            inner += self._section(depth=depth + 1)
        return f"<section>\n<title>{self._text(3)}</title>\n{inner}</section>\n"


class OddMarkup(WikipediaLike):
    """The same with rarer markup: both kinds of quotes, `>` in values, CDATA sections."""

    def _phrase(self) -> str:
        name, number, kind = self._rng.choice(_LINKS), self._rng.randrange(10**6), self._rng.random()
        title = f" title='{number}'" if kind < 0.5 else ' title="it\'s > 0"' if kind < 0.55 else ""
        return f'<{name} href="{number}.xml"{title}>{self._text(2)}</{name}>'

    def _list(self) -> str:
        return f"<!-- <p>old & new</p> --><code><![CDATA[if (a < b && c > d) {self._text(3)}]]></code>\n"


def write_folder(
    folder: Path, documents: int, *, seed: int = 1, per_directory: int = 1000, odd: bool = False
) -> int:
    """Write the corpus as files, a thousand to a directory; return the number of bytes."""
    corpus = OddMarkup(seed) if odd else WikipediaLike(seed)
    total = 0
    for number in range(documents):
        place = folder / f"part-{number // per_directory:04}"
        if number % per_directory == 0:
            place.mkdir(parents=True, exist_ok=True)
        total += (place / f"{number + 1000}.xml").write_bytes(corpus.document(number).encode())
    return total
