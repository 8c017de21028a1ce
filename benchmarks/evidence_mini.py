"""Make the embedded collection of articles from Evidence Inference, prepared for focused retrieval.

`python benchmarks/evidence_mini.py SOURCE FOLDER`: the documents, topics, judgments and runs of SOURCE that
are chosen here go to FOLDER, with new ranks and the attribution of every article. An article is included
only if its own text, not a list about it, licenses it under CC BY or CC0 without a reservation. Grades and
runs of elements are added by `evidence_elements.py`.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import random
import re
import tarfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

import evidence_elements

from excerpt.model.texts import fold

# fmt: off
_NUMBERS = (
    535900, 1174877, 1224861, 1326200, 1501010, 1513247, 1578590, 1693922, 1764008, 1821028, 1914073,
    3409545, 3544690, 3580725, 3626633, 3643086, 3658914, 3666902, 3669033, 3718763, 3751553, 3961245,
    4359698, 4391192, 4590707, 5045682, 5313491, 5457616, 5725027, 5758845, 5759220, 5781264, 5878866,
    5883528, 5976899, 5986466,
)
# fmt: on
#: Articles by their number in PubMed Central.
DOCUMENTS = tuple(f"PMC{number}" for number in _NUMBERS)
#: Topics, with NEXI queries for some of them. The judgments do not depend on the queries.
TOPICS = {
    "EI007": "",
    "EI009": "//body//p[about(., blood pressure)]",
    "EI014": "//sec[about(.//title, results)]//p[about(., cholesterol)]",
    "EI016": "",
    "EI018": "//body//sec[about(., cortisol)]",
    "EI020": "//body//(p|table-wrap)[about(., creatinine)]",
    "EI022": "//sec[about(.//title, results)]//p[about(., depression)]",
    "EI031": "",
    "EI038": "//sec[about(.//title, results)]//p[about(., glucose)]",
    "EI039": "//body//p[about(., HbA1c)]",
    "EI042": "",
    "EI054": "//article[about(., trial)]//sec[about(., mortality)]",
    "EI056": "",
    "EI058": "",
    "EI059": "//sec[about(.//title, results)]//p[about(., pain)]",
    "EI066": '//abstract//p[about(., "quality of life")]',
    "EI068": "//abstract[about(., recovery)]",
    "EI076": "",
    "EI083": "",
    "EI092": "",
}
#: Name, results per topic and seed of a run of random paragraphs.
RANDOM, RESULTS, SEED = "random-p", 60, 1

_BY = re.compile(r"https?://(?:www\.)?creativecommons\.org/licenses/by/(\d\.\d)(?:/(?:legalcode)?)?")
_CC0 = re.compile(r"https?://(?:www\.)?creativecommons\.org/publicdomain/zero/1\.0/?(?:legalcode)?")
#: Words of a licence that allows any use, and words that restrict it.
_FREE = re.compile(r"unrestricted (?:re-?)?use|\bCC BY\b|\bCC0\b|any lawful purpose", re.IGNORECASE)
_RESERVED = re.compile(r"commercial|derivat|share-?alike|all rights reserved|crown copyright", re.IGNORECASE)
#: Words that mark a figure or table owned by others.
_BORROWED = re.compile(
    r"with (?:kind )?permission|reproduced (?:from|by)|reprinted|adapted from|courtesy of", re.IGNORECASE
)
_LINK = "{http://www.w3.org/1999/xlink}href"


class NotFreeError(ValueError):
    """An article whose licence is not plainly CC BY or CC0."""


class Element(NamedTuple):
    """An element of an article: its path and its span of text."""

    path: str
    start: int
    end: int


def words(element: ET.Element | None) -> str:
    """Text of an element, with whitespace folded; empty if there is no element."""
    return "" if element is None else fold("".join(element.itertext()))


def licence(article: ET.Element) -> tuple[str, str]:
    """Name and address of an article's licence; raise an error unless link and text are CC BY or CC0."""
    statements = article.findall(".//permissions")
    if len(statements) != 1:
        raise NotFreeError(
            f"found {len(statements)} statements of permission, expected one for the whole article"
        )
    text = words(statements[0])
    addresses = [
        address
        for element in statements[0].iter()
        for address in [element.get(_LINK) or "", *re.findall(r"https?://[^\s<>()]+", element.text or "")]
        if "creativecommons.org" in address
    ]
    if not addresses or not all(_BY.fullmatch(one) or _CC0.fullmatch(one) for one in addresses):
        raise NotFreeError(f"found licences {addresses}, expected CC BY or CC0")
    if reserved := _RESERVED.search(text):
        raise NotFreeError(f"found the word {reserved.group()!r} in its licence")
    if not _FREE.search(text):
        raise NotFreeError("the licence has no words that allow every use")
    if borrowed := _BORROWED.search(words(article)):
        raise NotFreeError(f"found {borrowed.group()!r}, so some of it may belong to others")
    by = next(filter(None, map(_BY.fullmatch, addresses)), None)
    if by is None:
        return "CC0 1.0", "https://creativecommons.org/publicdomain/zero/1.0/"
    return f"CC BY {by[1]}", f"https://creativecommons.org/licenses/by/{by[1]}/"


def attribution(document: str, article: ET.Element) -> dict[str, str]:
    """Authors, title, source and licence of an article."""
    meta = article.find("front/article-meta")
    assert meta is not None, document
    authors = [
        ", ".join(filter(None, (words(name.find("surname")), words(name.find("given-names")))))
        if (name := contributor.find("name")) is not None
        else fold(contributor.findtext("collab", ""))
        for contributor in meta.iterfind("contrib-group/contrib[@contrib-type='author']")
    ]
    free, address = licence(article)
    return {
        "document": document,
        "authors": "; ".join(filter(None, authors)),
        "title": words(meta.find("title-group/article-title")),
        "journal": words(article.find("front/journal-meta//journal-title")),
        "year": words(meta.find("pub-date/year")),
        "doi": words(meta.find("article-id[@pub-id-type='doi']")),
        "licence": free,
        "address": address,
        "copyright": words(meta.find("permissions/copyright-statement")),
    }


def paragraphs(article: ET.Element) -> Iterator[Element]:
    """Paragraphs of an article that are not inside others."""
    position = 0

    def walk(element: ET.Element, path: str, *, inside: bool) -> Iterator[Element]:
        nonlocal position
        start, counts = position, dict[str, int]()
        position += len(element.text or "")
        for child in element:
            counts[child.tag] = counts.get(child.tag, 0) + 1
            below = f"{path}/{child.tag}[{counts[child.tag]}]"
            yield from walk(child, below, inside=inside or element.tag == "p")
            position += len(child.tail or "")
        if element.tag == "p" and not inside and position > start:
            yield Element(path, start, position)

    return walk(article, f"/{article.tag}[1]", inside=False)


def restricted(lines: Iterable[str]) -> Iterator[list[str]]:
    """Fields of a run's lines for the chosen topics and documents, ranks from 1 in each topic."""
    rows = (line.split() for line in lines if line.partition(" ")[0] in TOPICS)
    chosen = (row for row in rows if row[2] in DOCUMENTS)
    for _, group in groupby(chosen, key=lambda row: row[0]):
        for rank, row in enumerate(group, 1):
            yield [*row[:3], str(rank), *row[4:]]


def random_results(articles: Mapping[str, ET.Element]) -> Iterator[tuple[list[str], Element]]:
    """Random paragraphs for each topic: the fields before the element of each, and the element."""
    drawn = random.Random(SEED)
    units = [(document, unit) for document, root in articles.items() for unit in paragraphs(root)]
    for topic in TOPICS:
        for rank, (document, unit) in enumerate(drawn.sample(units, min(RESULTS, len(units))), 1):
            yield [topic, "Q0", document, str(rank), str(RESULTS - rank + 1), RANDOM], unit


def _pack(file: Path, rows: Iterable[Iterable[str]]) -> int:
    """Write lines of fields, always as the same bytes, and return their number."""
    lines = [" ".join(row) for row in rows]
    file.write_bytes(gzip.compress(("\n".join(lines) + "\n").encode(), 9, mtime=0))
    return len(lines)


def _write_table(file: Path, rows: Iterable[Mapping[str, str]]) -> None:
    listed = list(rows)
    with file.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(
            out, list(listed[0]), delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_NONE, quotechar=None
        )
        writer.writeheader()
        writer.writerows(listed)


def _write_articles(source: Path, folder: Path) -> dict[str, ET.Element]:
    """Pack the chosen articles whose licence allows it, with the table of their authors."""
    contents: dict[str, bytes] = {}
    with tarfile.open(source / "docs.tar.gz") as members:
        for member in members:
            content = members.extractfile(member) if Path(member.name).stem in DOCUMENTS else None
            if content is not None:
                contents[Path(member.name).stem] = content.read()
    articles = {document: ET.fromstring(contents[document]) for document in DOCUMENTS}  # noqa: S314 - ours
    _write_table(folder / "articles.tsv", [attribution(*item) for item in articles.items()])
    with zipfile.ZipFile(folder / "docs.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for document in DOCUMENTS:
            archive.writestr(zipfile.ZipInfo(f"{document}.xml"), contents[document], zipfile.ZIP_DEFLATED, 9)
    return articles


def _write_topics(source: Path, folder: Path) -> None:
    lines = ["<?xml version='1.0' encoding='UTF-8'?>", "<topics>"]
    for topic in ET.parse(source / "topics.xml").getroot():  # noqa: S314 - ours
        id_ = topic.get("id", "")
        if id_ in TOPICS:
            fields = {child.tag: words(child) for child in topic}
            if TOPICS[id_]:
                fields = {"title": fields["title"], "castitle": TOPICS[id_], **fields}
            lines += [
                f'<topic id="{id_}">',
                *(f"  <{tag}>{escape(text)}</{tag}>" for tag, text in fields.items()),
                "</topic>",
            ]
    (folder / "topics.xml").write_text("\n".join([*lines, "</topics>", ""]), encoding="utf-8")


def _write_judgments(source: Path, folder: Path) -> None:
    lines = (source / "qrels.fol").read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if line.split()[0] in TOPICS and line.split()[2] in DOCUMENTS]
    (folder / "qrels.fol").write_text("".join(kept), encoding="utf-8")
    with gzip.open(source / "spans.tsv.gz", "rt", encoding="utf-8", newline="\n") as spans:
        kept = [line for line in spans if line.split("\t")[0] in TOPICS and line.split("\t")[1] in DOCUMENTS]
    (folder / "spans.tsv").write_text("".join(kept), encoding="utf-8")


def _write_runs(source: Path, folder: Path, articles: Mapping[str, ET.Element]) -> None:
    places = (("runs", ".fol.gz"), ("runs-xpath", ".txt.gz"))
    for name, _ in places:
        (folder / name).mkdir(exist_ok=True)
    with (source / "runs.tsv").open(encoding="utf-8", newline="") as file:
        runs = list(csv.DictReader(file, delimiter="\t"))
    for run in runs:
        for name, ending in places:
            packed = source / name / f"{run['run']}{ending}"
            if packed.exists():
                with gzip.open(packed, "rt", encoding="utf-8") as lines:
                    run["lines"] = str(_pack(folder / name / packed.name, restricted(lines)))
    drawn = list(random_results(articles))
    _pack(
        folder / "runs" / f"{RANDOM}.fol.gz",
        ([*row, str(unit.start), str(unit.end - unit.start)] for row, unit in drawn),
    )
    _pack(folder / "runs-xpath" / f"{RANDOM}.txt.gz", ([*row, unit.path] for row, unit in drawn))
    last = (RANDOM, "focused", "paragraph", "no", "random paragraphs", str(len(drawn)), "xpath")
    _write_table(folder / "runs.tsv", [*runs, dict(zip(runs[0], last, strict=True))])


def make(source: Path, folder: Path) -> None:
    """Write the collection, except its README and licence, which are written by hand."""
    folder.mkdir(parents=True, exist_ok=True)
    articles = _write_articles(source, folder)
    _write_topics(source, folder)
    _write_judgments(source, folder)
    _write_runs(source, folder, articles)
    evidence_elements.make(folder)


def main() -> None:
    """Make the collection from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path, help="folder with docs.tar.gz, topics.xml, qrels.fol, runs, …")
    parser.add_argument("folder", type=Path, help="folder for the collection")
    arguments = parser.parse_args()
    make(arguments.source, arguments.folder)


if __name__ == "__main__":
    main()
