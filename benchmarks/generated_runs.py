"""Generated judgments and runs of the size of an INEX ad hoc track, the same for the same seed."""

from __future__ import annotations

import random
from pathlib import Path

DOCUMENTS = 50_000
DOCUMENT_SIZE = 6_000


def write_collection(
    folder: Path, *, topics: int = 107, results: int = 1500, runs: int = 1, seed: int = 1
) -> tuple[Path, list[Path]]:
    """Write qrels and focused runs (no overlap) into a folder; give their paths."""
    rng = random.Random(seed)
    relevant = {topic: sorted(rng.sample(range(DOCUMENTS), 60)) for topic in range(topics)}
    qrels = folder / f"qrels-{topics}.fol"
    with qrels.open("w", encoding="ascii") as file:
        for topic, documents in relevant.items():
            for document in documents:
                starts = sorted(rng.sample(range(0, DOCUMENT_SIZE - 400, 400), rng.randint(1, 4)))
                pairs = [(start, rng.randint(20, 400)) for start in starts]
                passages = " ".join(f"{start}:{length}" for start, length in pairs)
                total = sum(length for _, length in pairs)
                file.write(
                    f"{2009001 + topic} Q0 {document} {total} {DOCUMENT_SIZE} {starts[0]} {passages}\n"
                )
            for document in rng.sample(range(DOCUMENTS), 60):
                if document not in documents:
                    file.write(f"{2009001 + topic} Q0 {document} 0 {DOCUMENT_SIZE}\n")
    return qrels, [_write_run(folder, number, relevant, results, rng) for number in range(runs)]


def _write_run(
    folder: Path, number: int, relevant: dict[int, list[int]], results: int, rng: random.Random
) -> Path:
    path = folder / f"run-{len(relevant)}x{results}-{number}.fol"
    with path.open("w", encoding="ascii") as file:
        for topic, documents in relevant.items():
            seen: set[tuple[int, int]] = set()
            rank = 0
            while rank < results:
                document = rng.choice(documents) if rng.random() < 0.1 else rng.randrange(DOCUMENTS)
                slot = rng.randrange(DOCUMENT_SIZE // 500)
                if (document, slot) in seen:
                    continue
                seen.add((document, slot))
                rank += 1
                start, length = slot * 500 + rng.randrange(100), rng.randint(50, 400)
                score = f"{1000 / (rank + rng.random()):.6f}"
                file.write(f"{2009001 + topic} Q0 {document} {rank} {score} run{number} {start} {length}\n")
    return path
