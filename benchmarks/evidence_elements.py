"""Make simulated grades and runs of elements for the embedded collection of articles.

`python benchmarks/evidence_elements.py FOLDER`: reads documents, topics and judgments of the collection in
FOLDER and writes `assessments-2002.xml`, `assessments-2004.xml`, `assessments-2005.xml`, `runs-elements/` and
`runs-elements.tsv` beside them. Nobody gave these grades: a rule derives them from the highlighted text.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

import excerpt
from excerpt.assess.rules import ElementTree, Node
from excerpt.corpus import Corpus
from excerpt.inex import assessments as inex
from excerpt.model.elements import COVERAGE, TOO_SMALL, GradedElement, GradedElements
from excerpt.model.judgments import Judgments, Scale

Integers: TypeAlias = NDArray[np.int64]
Numbers: TypeAlias = NDArray[np.float64]

#: Elements with fewer characters are too small.
SMALL = 50


class Amounts(NamedTuple):
    """Characters of an element: all, relevant, and the most relevant ones of an article of the topic."""

    size: int
    relevant: int
    most: int


def _thirds(of: Amounts) -> int:
    """Grade of a relevant element: 1, 2 from a third of `most` on, 3 from two thirds on."""
    return 1 + (3 * of.relevant >= of.most) + (3 * of.relevant >= 2 * of.most)


def relevance_and_coverage(of: Amounts) -> tuple[int, int]:
    """Grades as in 2002: relevance by thirds of `most`; coverage E if half of the text is relevant."""
    if not of.relevant:
        return 0, COVERAGE.index("N")
    letter = "S" if of.size < SMALL else "E" if 2 * of.relevant >= of.size else "L"
    return _thirds(of), COVERAGE.index(letter)


def exhaustivity_and_specificity(of: Amounts) -> tuple[int, int]:
    """Grades as in 2004: exhaustivity by thirds of `most`; specificity 2 from a quarter, 3 from a half on."""
    if not of.relevant:
        return 0, 0
    return _thirds(of), 1 + (4 * of.relevant >= of.size) + (2 * of.relevant >= of.size)


def exhaustivity(of: Amounts) -> int:
    """Grade as in 2005: 2 from a half of `most` on, 1 from a tenth on, else 0; ? if too small."""
    size, relevant, most = of
    return TOO_SMALL if size < SMALL else (2 * relevant >= most) + (10 * relevant >= most)


def amounts(
    judgments: Judgments, structures: Mapping[str, ElementTree]
) -> Iterator[tuple[tuple[str, str, str], Amounts]]:
    """Topic, document, path and amounts of relevant elements, and of those of their children with text."""
    most = np.zeros(len(judgments.topics), np.int64)
    np.maximum.at(most, judgments.pair_topic, judgments.relevant_by_pair)
    for pair, topic in enumerate(judgments.pair_topic.tolist()):
        document = judgments.documents[judgments.pair_document[pair]]
        nodes = structures[document].nodes
        start = np.array([node.start for node in nodes], np.int64)
        end = np.array([node.end for node in nodes], np.int64)
        relevant = judgments.spans.overlap(np.full(len(nodes), pair, np.int64), start, end).tolist()
        for node, found in zip(nodes, relevant, strict=True):
            if found or (node.end > node.start and relevant[node.parent]):
                of = Amounts(node.end - node.start, found, int(most[topic]))
                yield (judgments.topics[topic], document, node.path), of


def write_assessments(folder: Path, judgments: Judgments, corpus: Corpus) -> None:
    """Write the grades of the three years."""
    structures = {document: ElementTree(corpus.document(document).elements) for document in corpus}
    listed = list(amounts(judgments, structures))
    grading: tuple[tuple[int, Scale, Callable[[Amounts], tuple[int, int]]], ...] = (
        (2002, "relevance and coverage", relevance_and_coverage),
        (2004, "exhaustivity and specificity", exhaustivity_and_specificity),
    )
    for year, scale, grade in grading:
        rows = [GradedElement(*place, *grade(of)) for place, of in listed]
        with (folder / f"assessments-{year}.xml").open("wb") as file:
            inex.write_graded(Judgments.graded(rows, scale=scale), file)
    rows = [
        GradedElement(*place, exhaustivity(of), size=of.size, relevant=of.relevant)
        for place, of in listed
        if of.relevant
    ]
    topics = np.array([judgments.topic_codes[row.topic] for row in rows])
    documents = np.array([judgments.document_codes[row.document] for row in rows])
    graded = replace(
        judgments,
        elements=GradedElements.of(rows, judgments.pairs(topics, documents)),
        scale="exhaustivity 0-2",
        pair_entry=np.full_like(judgments.pair_entry, -1),  # 2005 had no best entry points
    )
    with (folder / "assessments-2005.xml").open("wb") as file:
        inex.write_placed(graded, file, lambda document: corpus.document(document).elements)


#: Most results of a topic in a run.
RESULTS = 70
#: Sets of elements that runs retrieve: a word for each, and its tags; no tags stand for all.
UNITS: dict[str, tuple[str, tuple[str, ...]]] = {
    "article": ("article", ("article",)),
    "sec": ("section", ("sec", "abstract")),
    "p": ("paragraph", ("p",)),
    "mix": ("mixed", ("article", "body", "sec", "abstract", "p", "table-wrap", "fig")),
    "all": ("any element", ()),
}
#: Tags inside of words and sentences; at all other tags a word ends.
_INLINE = ("bold", "italic", "sub", "sup", "xref", "ext-link")
_HEADINGS = ("title", "article-title")
_WORD = re.compile(r"[^\W_]+")
_ENDING = re.compile(r"(?<=\w{3})(?:ies|es|s|ed|ing|ion|ions|y|ive)$")
#: Words of sentences that report results, and little words that no query needs.
_EVIDENCE = (
    "significant significantly difference differences between groups increased decreased reduced compared"
)
_COMMON = frozenset(
    ("a", "an", "and", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with")
)


class Counts(NamedTuple):
    """Weight, probability and rarity of each word; occurrences by word and element; length of elements."""

    weight: Numbers
    probability: Numbers
    rarity: Numbers
    occurrences: Numbers
    length: Numbers


def _sum(weights: Numbers, values: Numbers) -> Numbers:
    """Weighted sum over words, for each element."""
    total: Numbers = (weights[:, None] * values).sum(axis=0)
    return total


def _bm25(of: Counts, b: float = 0.75) -> Numbers:
    norm = 1.2 * (1 - b + b * of.length / of.length.mean())
    return _sum(of.weight * of.rarity, 2.2 * of.occurrences / (of.occurrences + norm))


def _dirichlet(of: Counts, mu: float) -> Numbers:
    seen = np.log1p(of.occurrences / (mu * of.probability[:, None]))
    return _sum(of.weight, seen + np.log(mu / (of.length + mu)))


def _jelinek_mercer(of: Counts, background: float) -> Numbers:
    odds = (1 - background) / background
    return _sum(of.weight, np.log1p(odds * of.occurrences / (of.length * of.probability[:, None])))


MODELS: dict[str, tuple[str, Callable[[Counts], Numbers]]] = {
    "bm25": ("BM25 k1=1.2 b=0.75", _bm25),
    "bm25b30": ("BM25 k1=1.2 b=0.3", lambda of: _bm25(of, 0.3)),
    "tfidf": ("tf-idf, not normalised", lambda of: _sum(of.weight * of.rarity, np.log1p(of.occurrences))),
    "dir200": ("LM Dirichlet mu=200", lambda of: _dirichlet(of, 200)),
    "dir1000": ("LM Dirichlet mu=1000", lambda of: _dirichlet(of, 1000)),
    "jm20": ("LM Jelinek-Mercer lambda=0.2", lambda of: _jelinek_mercer(of, 0.2)),
    "jm80": ("LM Jelinek-Mercer lambda=0.8", lambda of: _jelinek_mercer(of, 0.8)),
    "random": ("random order", lambda of: np.ones_like(of.length)),
}
VARIANTS = {
    "fold": "endings of words removed",
    "heading": "words in headings count three times",
    "evidence": "query extended by words that report results",
    "narrative": "query extended by the outcomes in the narrative",
    "results": "plus 1 in abstracts and sections of results",
    "long": "plus the logarithm of the length",
    "noise": "scores times random numbers from 0 to 1",
}
#: The runs: task, elements, model and its variants.
RUNS = (
    "thorough-mix-bm25",
    "thorough-mix-bm25b30",
    "thorough-mix-tfidf",
    "thorough-mix-dir200",
    "thorough-mix-dir1000",
    "thorough-mix-jm20",
    "thorough-mix-jm80-evidence",
    "thorough-mix-bm25-heading",
    "thorough-mix-bm25-evidence",
    "thorough-mix-bm25-fold-evidence-results",
    "thorough-mix-dir200-narrative",
    "thorough-mix-jm20-long",
    "thorough-mix-bm25-noise",
    "thorough-mix-random",
    "thorough-all-bm25",
    "thorough-all-dir200-evidence",
    "thorough-all-jm20-long-evidence",
    "focused-mix-bm25",
    "focused-mix-dir200-evidence",
    "focused-mix-jm20-fold",
    "focused-p-tfidf",
    "focused-p-bm25-evidence",
    "focused-p-dir200-fold-results",
    "focused-p-jm80-narrative",
    "focused-p-bm25-noise",
    "focused-sec-bm25",
    "focused-sec-dir1000-heading",
    "focused-article-dir1000",
)


class Collection:
    """Elements and words of all articles, on one axis of characters."""

    def __init__(self, corpus: Corpus) -> None:
        self.documents: list[str] = []
        self.nodes: list[Node] = []
        words: list[str] = []
        places: list[int] = []
        shift, results = list[int](), list[bool]()
        base = 0
        for name in corpus:
            text, nodes = corpus[name], ElementTree(corpus.document(name).elements).nodes
            for word, place in _words(text, nodes):
                words.append(word)
                places.append(base + place)
            shift += [base] * len(nodes)
            results += _in_results(text, nodes)
            self.documents += [name] * len(nodes)
            self.nodes += nodes
            base += len(text)
        self.tags = np.array([node.tag for node in self.nodes])
        self.start = np.array([node.start for node in self.nodes], np.int64) + shift
        self.end = np.array([node.end for node in self.nodes], np.int64) + shift
        self.results = np.array(results)
        self.places = np.array(places, np.int64)
        self.length = self._inside(self.places, np.arange(len(self.tags)))
        self.by_word = {False: _by_word(words), True: _by_word(map(_folded, words))}
        #: Whether each word is in a heading.
        self.heading = np.zeros(len(words), bool)
        for row in np.flatnonzero(np.isin(self.tags, _HEADINGS)):
            self.heading[slice(*np.searchsorted(self.places, (self.start[row], self.end[row])))] = True

    def rows(self, unit: str) -> Integers:
        """Elements of a set of tags that contain a word."""
        tags = UNITS[unit][1]
        return np.flatnonzero((np.isin(self.tags, tags) | (not tags)) & (self.length > 0))

    def _inside(self, places: Integers, rows: Integers) -> Integers:
        """Number of places in each element."""
        inside: Integers = np.searchsorted(places, self.end[rows]) - np.searchsorted(places, self.start[rows])
        return inside

    def counts(self, query: Mapping[str, float], rows: Integers, variants: list[str]) -> Counts:
        """Occurrences of the words of a query in elements."""
        known = self.by_word["fold" in variants]
        found = [known.get(word, np.zeros(0, np.int64)) for word in query]
        occurrences = np.stack([self._inside(self.places[one], rows) for one in found])
        frequency = (occurrences > 0).sum(axis=1)
        if "heading" in variants:
            heads = [self._inside(self.places[one[self.heading[one]]], rows) for one in found]
            occurrences = occurrences + 2 * np.stack(heads)
        return Counts(
            np.array(list(query.values())),
            np.array([max(len(one), 0.5) for one in found]) / len(self.places),
            np.log1p((len(rows) - frequency + 0.5) / (frequency + 0.5)),
            occurrences.astype(float),
            self.length[rows].astype(float),
        )

    def ranking(self, name: str, topic: excerpt.Topic) -> list[tuple[int, float]]:
        """Elements and scores of a run, best first; equal scores in the order of the text."""
        task, unit, model, *variants = name.split("-")
        rows = self.rows(unit)
        counts = self.counts(_query(topic, variants), rows, variants)
        matched = counts.occurrences[counts.weight == 1].any(axis=0) | (model == "random")
        scores = MODELS[model][1](counts)
        if "results" in variants:
            scores = scores + self.results[rows]
        if "long" in variants:
            scores = scores + np.log(counts.length)
        if "noise" in variants or model == "random":
            drawn = random.Random(f"{name} {topic.id}")
            scores = scores * np.array([drawn.random() for _ in rows])
        rounded = np.round(scores, 4)
        best = [(int(rows[one]), float(rounded[one])) for one in np.lexsort((rows, -rounded)) if matched[one]]
        return (best if task == "thorough" else self._without_overlap(best))[:RESULTS]

    def _without_overlap(self, ranked: Iterable[tuple[int, float]]) -> list[tuple[int, float]]:
        """Results that share no text with better ones."""
        kept: list[tuple[int, float]] = []
        taken = np.zeros(int(self.end.max()), bool)
        for row, score in ranked:
            span = slice(self.start[row], self.end[row])
            if not taken[span].any():
                taken[span] = True
                kept.append((row, score))
        return kept


def _by_word(words: Iterable[str]) -> dict[str, Integers]:
    """Numbers of the words of the text, by word."""
    rows: dict[str, list[int]] = {}
    for row, word in enumerate(words):
        rows.setdefault(word, []).append(row)
    return {word: np.array(found, np.int64) for word, found in rows.items()}


def _in_results(text: str, nodes: list[Node]) -> list[bool]:
    """Whether each element is in an abstract or in a section with results in its title."""
    marked = [False] * len(nodes)
    for row, node in enumerate(nodes):
        named = node.tag == "title" and "result" in text[node.start : node.end].lower()
        if node.tag == "abstract" or (named and nodes[node.parent].tag == "sec"):
            top = row if node.tag == "abstract" else node.parent
            marked[top : nodes[top].after] = [True] * (nodes[top].after - top)
    return marked


def _words(text: str, nodes: list[Node]) -> Iterator[tuple[str, int]]:
    """Words in lower case with their places; a word ends where an element begins or ends, except inline."""
    cuts = sorted({edge for node in nodes if node.tag not in _INLINE for edge in (node.start, node.end)})
    for start, end in pairwise(cuts):
        for found in _WORD.finditer(text, start, end):
            yield found.group().lower(), found.start()


def _folded(word: str) -> str:
    return _ENDING.sub("", word)


def _query(topic: excerpt.Topic, variants: list[str]) -> dict[str, float]:
    """Weights of words: 1 for those of the title, less for those that extend it."""
    more = {"evidence": (_EVIDENCE, 0.2), "narrative": (topic.narrative.partition("outcomes:")[2], 0.2)}
    query: dict[str, float] = {}
    for text, weight in ((topic.title, 1.0), *(more[name] for name in variants if name in more)):
        for word in _WORD.findall(text.lower()):
            if word not in _COMMON:
                query.setdefault(_folded(word) if "fold" in variants else word, weight)
    return query


def write_runs(folder: Path, corpus: Corpus, topics: Mapping[str, excerpt.Topic]) -> None:
    """Write the runs, and a table of them."""
    collection = Collection(corpus)
    (folder / "runs-elements").mkdir(exist_ok=True)
    with (folder / "runs-elements.tsv").open("w", encoding="utf-8", newline="") as out:
        table = csv.writer(out, delimiter="\t", lineterminator="\n")
        table.writerow(("run", "task", "unit", "overlap", "description", "lines", "kind"))
        for name in RUNS:
            lines = [
                f"{topic} Q0 {collection.documents[row]} {rank} {score:.2f} {name} "
                f"{collection.nodes[row].path}\n"
                for topic, content in topics.items()
                for rank, (row, score) in enumerate(collection.ranking(name, content), 1)
            ]
            packed = gzip.compress("".join(lines).encode(), 9, mtime=0)
            (folder / "runs-elements" / f"{name}.txt.gz").write_bytes(packed)
            task, unit, model, *variants = name.split("-")
            about = ", ".join((MODELS[model][0], *map(VARIANTS.__getitem__, variants)))
            overlap = "yes" if task == "thorough" else "no"
            table.writerow((name, task, UNITS[unit][0], overlap, about, len(lines), "xpath"))


def make(folder: Path) -> None:
    """Write grades and runs of the collection in a folder."""
    corpus = Corpus.read(folder / "docs.zip")
    write_assessments(folder, excerpt.read_judgments(folder / "qrels.fol"), corpus)
    write_runs(folder, corpus, excerpt.read_topics(folder / "topics.xml"))


def main() -> None:
    """Make grades and runs from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="folder with docs.zip, topics.xml and qrels.fol")
    make(parser.parse_args().folder)


if __name__ == "__main__":
    main()
