"""(n) Chunk runs against a corpus of JSON Lines: one run and many, with and without the corpus."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from corpora import WikipediaLike
from inputs import Inputs, Scale
from measuring import Case, excerpt, interleave, ratio
from parts import alone
from results import Part, Row, Target

TOPICS, RESULTS, RELEVANT = 472, 10, 3
SIZES = 600, 1800
CHUNK = 200
#: Limits over the same command without a corpus, in CPU seconds: of one run, and of many.
ONE, MANY = 2.2, 1.7


def part(inputs: Inputs, scale: Scale) -> Part:
    """Measure `evaluate` of one run and of all runs, each without and with the corpus."""
    documents, runs = (100_000, 100) if scale.full else (10_000, 10)
    qrels, corpus, written = write(inputs.place("chunk-runs"), documents, runs)
    done = Part(
        "n",
        "Chunk runs and a corpus",
        f"`excerpt evaluate -m rag` of chunk runs ({TOPICS} x {RESULTS}, JSON Lines) alone, and with a "
        f"corpus of {documents:,} documents ({corpus.stat().st_size >> 20} MiB of JSON Lines). "
        "Limits are ratios to the same command without a corpus.",
        base="without a corpus",
    )
    for count, limit in ((1, ONE), (runs, MANY)):
        command = excerpt("evaluate", qrels, *written[:count], "-m", "rag")
        cases = [Case("without", command), Case("with", [*command, "--corpus", str(corpus)])]
        found = interleave(cases, scale.few)
        size = f"{count} run{'s' if count > 1 else ''}"
        for name in found:
            done.rows.append(Row.of(f"{size}, {name} a corpus", found[name], found["without"]))
        if scale.full:
            beside = ratio(found["with"], found["without"])
            done.targets.append(Target(f"{size}: with / without a corpus, CPU", limit, beside))
    return done


def write(folder: Path, documents: int, runs: int) -> tuple[Path, Path, list[Path]]:
    """Write judgments, documents and runs; the same bytes for the same numbers."""
    rng = np.random.default_rng(documents)
    pages = WikipediaLike()
    source = "\n".join(pages.document(number) for number in range(3000))
    sizes = rng.integers(*SIZES, documents).tolist()
    begins = rng.integers(0, len(source) - SIZES[1], documents).tolist()
    corpus, qrels = folder / "docs.jsonl", folder / "qrels.fol"
    with corpus.open("w", encoding="ascii") as file:
        for number, (begin, size) in enumerate(zip(begins, sizes, strict=True)):
            fields = {
                "_id": f"doc-{number}",
                "title": f"Document {number}",
                "text": source[begin : begin + size],
            }
            file.write(json.dumps(fields) + "\n")
    relevant = rng.integers(0, documents, (TOPICS, RELEVANT)).tolist()
    with qrels.open("w", encoding="ascii") as file:
        for topic, judged in enumerate(relevant):
            for document in dict.fromkeys(judged):
                begin, length = rng.integers((0, 50), (400, 200)).tolist()
                place = f"{length} {sizes[document]} {begin} {begin}:{length}"
                file.write(f"q{topic} Q0 doc-{document} {place}\n")
    written = []
    for number in range(runs):
        written.append(folder / f"run{number:03}.jsonl")
        with written[-1].open("w", encoding="ascii") as file:
            for topic, judged in enumerate(relevant):
                codes = rng.choice(documents, RESULTS, replace=False).tolist()
                for rank, document in enumerate({*codes[1:], judged[0]}, start=1):
                    begin = int(rng.integers(sizes[document] // CHUNK)) * CHUNK
                    place = f'"document": "doc-{document}", "start": {begin}, "end": {begin + CHUNK}'
                    other = f'"rank": {rank}, "score": {1 / rank:.6f}, "tag": "run{number}"'
                    file.write(f'{{"topic": "q{topic}", {place}, {other}}}\n')
    return qrels, corpus, written


if __name__ == "__main__":
    alone(part)
