"""Front matter: what stands before the title of an article, in JATS and in the articles of INEX."""

from __future__ import annotations

from pathlib import Path

import pytest

from excerpt import Corpus
from excerpt.documents.front_matter import FrontMatter, front_matter

JATS = (
    "<article><front><journal-meta><journal-id>Pain</journal-id><issn>1471-2377</issn></journal-meta>"
    "<article-meta><article-id>77</article-id>{title}<pub-date>2012</pub-date></article-meta></front>"
    "<body><sec><title>Methods</title></sec></body><sub-article><front-stub><article-id>78</article-id>"
    "<title-group/></front-stub></sub-article></article>"
)
TITLE = "<title-group><article-title>Pain</article-title></title-group>"
IEEE = "<article><fno>A1</fno><fm><hdr><ti>IEEE</ti></hdr><tig><atl>Paths</atl></tig></fm><bdy/></article>"


def of(folder: Path, text: str) -> tuple[list[str], str]:
    """Names of the elements of the front matter of a document, and its text."""
    (folder / "a.xml").write_text(text, encoding="utf-8")
    document = Corpus.read(folder).document("a")
    assert document.elements is not None
    found = front_matter(document.elements)
    return [document.elements[row].tag for row in sorted(found.rows)], document.text[: found.end]


@pytest.mark.parametrize(
    ("text", "names", "front"),
    [
        (JATS.format(title=TITLE), "journal-meta journal-id issn article-id", "Pain1471-237777"),
        (JATS.format(title=""), "journal-meta journal-id issn", "Pain1471-2377"),  # not of the other article
        (IEEE, "fno hdr ti", "A1IEEE"),
        ("<article><name>Pain</name><p>It hurts.</p></article>", "", ""),
        ("<book><tig>Pain</tig></book>", "", ""),
    ],
)
def test_front_matter_ends_at_the_title(tmp_path: Path, text: str, names: str, front: str) -> None:
    """Without a title it is what is said of the journal; elsewhere there is none."""
    assert of(tmp_path, text) == (names.split(), front)


def test_plain_text_has_none() -> None:
    """None and no elements are equivalent."""
    assert front_matter(None) == front_matter([]) == FrontMatter()
