"""Place the chunks of several chunkers, evaluate and explain the retrieved ones; print seconds as JSON.

python compare_chunkers.py CORPUS QRELS FOLDER

FOLDER has, for each chunker, NAME.chunks.json (a list of chunks) and NAME.ranks.json (numbers of chunks by
question). Reading these two is not counted.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import excerpt
from excerpt.notices import Notices


def main() -> None:
    """Run and time each step."""
    corpus_file, qrels, folder = sys.argv[1:]
    chunked = {
        file.name.removesuffix(".chunks.json"): json.loads(file.read_text(encoding="utf-8"))
        for file in sorted(Path(folder).glob("*.chunks.json"))
    }
    ranked = {name: json.loads((Path(folder) / f"{name}.ranks.json").read_text("utf-8")) for name in chunked}
    spent = {}
    begin = time.process_time()
    corpus, notices = excerpt.Corpus.read(corpus_file), Notices()
    gold = excerpt.read_judgments(qrels, notices=notices)
    placed = {name: corpus.place(chunks, name=name) for name, chunks in chunked.items()}
    spent["place"] = time.process_time() - begin
    begin = time.process_time()
    runs = [chunks.run(ranked[name], name=name) for name, chunks in placed.items()]
    spent["runs"] = time.process_time() - begin
    begin = time.process_time()
    table = excerpt.evaluate(gold, runs, "rag", corpus=corpus, notices=notices)
    table.intervals()
    spent["evaluate"] = time.process_time() - begin
    begin = time.process_time()
    for run, chunks in zip(runs, placed.values(), strict=True):
        excerpt.explain(gold, run, "recall@5", corpus=corpus, chunks=chunks, notices=notices)
    spent["explain"] = time.process_time() - begin
    lost = sum(chunks.counts["lost"] for chunks in placed.values())
    print(json.dumps({"seconds": spent, "lost": lost}))


if __name__ == "__main__":
    main()
