"""Generated worlds through everything: what is painted in the browser is what sets of characters say."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from support.browsing import Pages, address, go, painted_characters, text_of

import excerpt
from excerpt import Judgments, Policy, Result, Run, Span

TOPICS = ("t1", "t2")
PLAIN, STRUCTURED, STRANGE = "plain", "structured", "nobody judged"
RUNS = ("first", "second", "third")
#: Letters of one and two units, combining, from right to left, white space, and what markup is made of.
LETTERS = [
    "a",
    "b",
    "c",
    " ",
    " ",
    "\n",
    "\r\n",
    "\t",
    "é",
    "e\u0301",
    "\u05d0\u05d1",
    "😀",
    "\U00010000",
    "<",
    "&",
    "]]>",
]
BLOCKS = ("sec", "title", "p", "list", "item", "i", "table", "tr", "td")
Row = tuple[str, str, int, int]


@dataclass
class World:
    """Documents, relevant text and results, as plain rows."""

    texts: dict[str, str]
    relevant: list[Row]
    judged: set[tuple[str, str]]
    results: dict[str, list[Row]]

    def characters(self, rows: list[Row], topic: str, document: str) -> list[int]:
        """The characters of the rows of a topic and document, each as often as it is there."""
        return [at for row in rows if row[:2] == (topic, document) for at in range(row[2], row[3])]

    def expected(self, topic: str, document: str, runs: tuple[str, ...]) -> dict[str, set[int]]:
        """Expected paint by name, without empty names."""
        relevant = set(self.characters(self.relevant, topic, document))
        by_run = [self.characters(self.results[run], topic, document) for run in runs]
        found = {at for one in by_run for at in one}
        sets = {"hit": relevant & found, "missed": relevant - found}
        if len(runs) == 1:
            sets["vain" if (topic, document) in self.judged else "unjudged"] = found - relevant
            sets["again"] = {at for at in found if by_run[0].count(at) > 1}
        else:
            for at in found:
                share = sum(at in set(one) for one in by_run)
                sets.setdefault(f"runs-{-(-8 * share // len(runs))}", set()).add(at)
        return {name: characters for name, characters in sets.items() if characters}


def _texts(rng: random.Random, folder: Path) -> dict[str, str]:
    """Two documents of text and one of XML, in a folder; and their canonical texts."""
    texts = {name: "".join(rng.choices(LETTERS, k=rng.randint(20, 120))) for name in (PLAIN, STRANGE)}
    for name, text in texts.items():
        (folder / f"{name}.txt").write_bytes(text.encode())
    pieces: list[str] = []

    def element(tag: str, depth: int) -> str:
        inside = []
        for _ in range(rng.randint(1, 4)):
            if depth < 4 and rng.random() < 0.6:
                inside.append(element(rng.choice(BLOCKS), depth + 1))
            else:
                letters = [
                    letter for letter in LETTERS if "\r" not in letter
                ]  # parsers of XML read CR LF as LF
                pieces.append("".join(rng.choices(letters, k=rng.randint(0, 12))))
                inside.append(escape(pieces[-1]))
        return f"<{tag}>{''.join(inside)}</{tag}>"

    xml = element("article", 0)
    (folder / f"{STRUCTURED}.xml").write_text(xml, encoding="utf-8", newline="")
    return {**texts, STRUCTURED: "".join(pieces)}


def _rows(rng: random.Random, texts: dict[str, str], documents: tuple[str, ...], count: int) -> list[Row]:
    rows = []
    for _ in range(count):
        topic, document = rng.choice(TOPICS), rng.choice(documents)
        start, end = sorted(rng.randint(0, len(texts[document])) for _ in range(2))
        if start < end:
            rows.append((topic, document, start, end))
    return rows


def _world(seed: int, folder: Path) -> World:
    rng = random.Random(seed)
    texts = _texts(rng, folder)
    judged = {(topic, document) for topic in TOPICS for document in (PLAIN, STRUCTURED)}
    relevant = _rows(rng, texts, (PLAIN, STRUCTURED), 8)
    relevant += [(topic, PLAIN, 0, 5) for topic in TOPICS]
    results = {
        run: [("t1", PLAIN, 2, 9), *_rows(rng, texts, (PLAIN, STRUCTURED, STRANGE), 14)] for run in RUNS
    }
    return World(texts, relevant, judged, results)


@pytest.mark.parametrize(
    "seed", [1, 2, pytest.param(3, marks=pytest.mark.slow), pytest.param(4, marks=pytest.mark.slow)]
)
def test_highlights_are_sets_of_characters(open_page: Pages, tmp_path: Path, seed: int) -> None:
    """From `excerpt.report` to `CSS.highlights`: every topic, document and choice of runs of a world."""
    (tmp_path / "docs").mkdir()
    world = _world(seed, tmp_path / "docs")
    judgments = Judgments.of(
        [(topic, Span(document, start, end)) for topic, document, start, end in world.relevant],
        irrelevant=world.judged,
    )
    runs = [Run.of(name, [Result(*row) for row in rows]) for name, rows in world.results.items()]
    made = excerpt.report(
        judgments, runs, ["charP", "charR"], corpus=tmp_path / "docs", policy=Policy(overlap="allow")
    )
    made.save(tmp_path / "report.html")
    page = open_page(tmp_path / "report.html")
    for topic in TOPICS:
        for document in world.texts:
            for chosen in (("first",), ("second",), ("third", "first"), RUNS):
                rows = [row for name in RUNS for row in world.results[name]] + world.relevant
                if not world.characters(rows, topic, document):
                    continue
                go(page, address(topic=topic, runs=chosen, doc=document))
                assert text_of(page) == world.texts[document]
                assert painted_characters(page) == world.expected(topic, document, chosen), (
                    topic,
                    document,
                    chosen,
                )
