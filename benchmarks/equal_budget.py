"""Sixteen chunkers at equal k and at equal budget, on the texts of chunking_evaluation.

    python benchmarks/equal_budget.py [FOLDER]

FOLDER has docs.tar.gz, topics.tsv and qrels.fol (default: ../shared/data/ragtext next to the checkout).
Prints the text read and found by each chunker, the rank correlation of each measure with the text read, and
all evidence found with and without whitespace.
"""

from __future__ import annotations

import sys
from pathlib import Path

from chunkers import RAGTEXT, SETTINGS, questions_of, rank, texts_of

import excerpt
from excerpt.notices import Notices
from excerpt.stats.correlation import kendall

MEASURES = (
    "read@5",
    "recall@5",
    "precision@5",
    "recall(budget=2000)",
    "precision(budget=2000)",
    "recall(budget=4000)",
    "precision(budget=4000)",
)


def main() -> None:
    """Chunk, rank, place, evaluate and compare."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else RAGTEXT
    texts, questions = texts_of(folder / "docs.tar.gz"), questions_of(folder / "topics.tsv")
    corpus, notices = excerpt.Corpus(texts), Notices()
    runs = []
    for name, cut in SETTINGS.items():
        chunks = corpus.place(cut(texts), name=name)
        print(chunks)
        runs.append(chunks.run(rank(chunks.texts, questions, 50), name=name))
    table = excerpt.evaluate(folder / "qrels.fol", runs, MEASURES, corpus=corpus, notices=notices)
    print(table)
    means = table.means()
    read = means[:, 0]
    print("\nKendall's tau with the characters read at k = 5:")
    for place, measure in enumerate(MEASURES[1:], start=1):
        print(f"{measure:>24} {kendall(read, means[:, place]):+.2f}")
    print("\nall evidence found by 20 chunks, whitespace ignored and counted:")
    for known in (corpus, None):
        print(excerpt.evaluate(folder / "qrels.fol", runs, "allfound@20", corpus=known, notices=notices))


if __name__ == "__main__":
    main()
