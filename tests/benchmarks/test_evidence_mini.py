"""The script that makes the embedded collection of articles: licences, ranks and paths."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from evidence_mini import (
    DOCUMENTS,
    TOPICS,
    NotFreeError,
    attribution,
    licence,
    make,
    paragraphs,
    random_results,
    restricted,
)

from excerpt import collection

BY = "http://creativecommons.org/licenses/by/4.0/"
FREE = "under the Creative Commons Attribution License, which permits unrestricted use"
ZERO = "http://creativecommons.org/publicdomain/zero/1.0/"


def article(link: str, words: str, body: str = "<p>Text.</p>", more: str = "") -> ET.Element:
    """A small article under a licence."""
    return ET.fromstring(
        '<article xmlns:xlink="http://www.w3.org/1999/xlink"><front><article-meta><permissions>'
        f'<license xlink:href="{link}"><p>{words}</p></license></permissions></article-meta></front>'
        f"<body>{body}</body>{more}</article>"
    )


def test_a_licence_is_named_with_its_version() -> None:
    assert licence(article(BY, FREE)) == ("CC BY 4.0", "https://creativecommons.org/licenses/by/4.0/")
    assert licence(article(BY.replace("4.0/", "2.0"), FREE))[0] == "CC BY 2.0"
    assert licence(article(ZERO, "for any lawful purpose"))[0] == "CC0 1.0"
    assert licence(article(BY, f"{FREE}. The waiver ({ZERO}) applies to the data"))[0] == "CC BY 4.0"


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (article("http://creativecommons.org/licenses/by-nc/4.0/", FREE), "expected CC BY or CC0"),
        (article("http://creativecommons.org/publicdomain/mark/1.0/", FREE), "expected CC BY or CC0"),
        (article("", FREE), "expected CC BY or CC0"),
        (article(BY, f"{FREE}, but no commercial exploitation"), "'commercial'"),
        (article(BY, "unrestricted non-commercial use"), "'commercial'"),
        (article(BY, f"All rights reserved. {FREE}"), "'All rights reserved'"),
        (article(BY, "open access"), "no words"),
        (article(BY, FREE, "<p>Figure 1, with permission of the publisher</p>"), "'with permission'"),
        (article(BY, FREE, more="<back><permissions>© others</permissions></back>"), "found 2 statements"),
        (ET.fromstring("<article/>"), "found 0 statements"),
    ],
)
def test_what_is_not_plainly_free_stays_out(given: ET.Element, says: str) -> None:
    with pytest.raises(NotFreeError, match=says):
        licence(given)


def test_the_articles_of_the_package_pass() -> None:
    """Each article of the shipped file passes again, and the shipped table agrees."""
    table = (collection.folder("articles") / "articles.tsv").read_text(encoding="utf-8").splitlines()
    with zipfile.ZipFile(collection.corpus("articles")) as archive:
        for document, line in zip(DOCUMENTS, table[1:], strict=True):
            root = ET.fromstring(archive.read(f"{document}.xml"))
            assert "\t".join(attribution(document, root).values()) == line


def test_ranks_are_numbered_again_in_each_topic() -> None:
    one, other = DOCUMENTS[:2]
    first, second = list(TOPICS)[:2]
    lines = [
        f"{first} Q0 {one} 3 9.5 r 0 5",
        f"{first} Q0 PMC0 4 9.0 r 0 5",
        f"{first} Q0 {other} 5 8.5 r 7 5",
        f"EI000 Q0 {one} 1 8.5 r 7 5",
        f"{second} Q0 {one} 8 2 r 0 5",
    ]
    assert [" ".join(row) for row in restricted(lines)] == [
        f"{first} Q0 {one} 1 9.5 r 0 5",
        f"{first} Q0 {other} 2 8.5 r 7 5",
        f"{second} Q0 {one} 1 2 r 0 5",
    ]


def test_paragraphs_are_those_in_no_other() -> None:
    body = "ab<sec>c<p>de<x>f</x><p>g</p>h</p>i<p/></sec><p>j</p>"
    found = list(paragraphs(article(BY, "", body).find("body") or ET.Element("none")))
    assert found == [("/body[1]/sec[1]/p[1]", 3, 8), ("/body[1]/p[1]", 9, 10)]


def test_random_results_are_drawn_once_each() -> None:
    body = "".join(f"<p>{number}</p>" for number in range(70))
    drawn = list(random_results({"A": article(BY, "", body)}))
    assert len(drawn) == 60 * len(TOPICS)
    of_first = [unit for row, unit in drawn if row[0] == next(iter(TOPICS))]
    assert len(set(of_first)) == 60
    assert [row[3] for row, _ in drawn[:60]] == [str(rank) for rank in range(1, 61)]
    assert drawn == list(random_results({"A": article(BY, "", body)}))


def contents(folder: Path) -> dict[str, bytes]:
    """Files of a folder by name, unpacked, since versions of zlib pack differently."""
    found: dict[str, bytes] = {}
    for file in folder.rglob("*.*"):
        name = file.relative_to(folder).as_posix()
        if file.suffix == ".zip":
            with zipfile.ZipFile(file) as archive:
                found |= {f"{name}/{member}": archive.read(member) for member in archive.namelist()}
        else:
            data = file.read_bytes()
            found[name] = gzip.decompress(data) if file.suffix == ".gz" else data
    return found


@pytest.mark.slow
def test_the_collection_of_the_package_is_what_is_made(shared: Path, tmp_path: Path) -> None:
    """From the source, if available; README and licence are written by hand."""
    if not (shared / "evidence").exists():
        pytest.skip("the source is not here")
    make(shared / "evidence", tmp_path)
    ships = contents(collection.folder("articles"))
    assert {name for name in ships if name not in contents(tmp_path)} == {"README.md", "LICENSE.txt"}
    assert all(ships[name] == content for name, content in contents(tmp_path).items())
