"""Generated judgments and runs of the size of an INEX or TREC track, the same for the same seed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

DOCUMENTS = 50_000
DOCUMENT_SIZE = 6_000
RELEVANT = 60
#: Offsets at which a result may begin; each is used once, so results never overlap.
_SLOTS, _SLOT = 12, 500
_SHARE_OF_RELEVANT = 0.1

Codes = np.ndarray[Any, np.dtype[np.int64]]


def write_spans(folder: Path, *, topics: int, results: int, runs: int) -> tuple[Path, list[Path]]:
    """Write judgments of passages and focused runs, both in FOL; return their paths."""
    rng = np.random.default_rng(topics)
    judged = np.stack([_judged(rng) for _ in range(topics)])
    qrels = folder / "qrels.fol"
    with qrels.open("w", encoding="ascii") as file:
        for topic, listed in enumerate(judged.tolist()):
            for document in listed[:RELEVANT]:
                starts = np.sort(rng.permutation(14)[: rng.integers(1, 5)]) * 400
                lengths = rng.integers(20, 401, size=len(starts))
                passages = " ".join(
                    f"{start}:{length}" for start, length in zip(starts, lengths, strict=True)
                )
                file.write(
                    f"{_topic(topic)} Q0 {document} {lengths.sum()} {DOCUMENT_SIZE} {starts[0]} {passages}\n"
                )
            file.writelines(
                f"{_topic(topic)} Q0 {document} 0 {DOCUMENT_SIZE}\n" for document in listed[RELEVANT:]
            )
    written = []
    for number in range(runs):
        rng = np.random.default_rng((topics, results, number))
        written.append(folder / f"run{number}.fol")
        with written[-1].open("w", encoding="ascii") as file:
            for topic in range(topics):
                codes = _distinct(rng, results, judged[topic, :RELEVANT], _SLOTS)
                starts = codes % _SLOTS * _SLOT + rng.integers(0, 100, size=results)
                columns = (
                    codes // _SLOTS,
                    _scores(rng, results),
                    starts,
                    rng.integers(50, 401, size=results),
                )
                rows = zip(*(column.tolist() for column in columns), strict=True)
                file.writelines(
                    f"{_topic(topic)} Q0 {document} {rank} {score:.6f} run{number} {start} {length}\n"
                    for rank, (document, score, start, length) in enumerate(rows, 1)
                )
    return qrels, written


def write_converted(run: Path, to: str) -> Path:
    """Write a run in FOL again, as JSON Lines (`jsonl`) or as a submission to INEX (`inex`)."""
    with run.open(encoding="ascii") as lines:
        rows = [_row(line) for line in lines]
    if to == "inex":
        return write_submission(run.with_suffix(".inex"), rows)
    written = run.with_suffix(".jsonl")
    names = ("topic", "document", "start", "end", "score")
    with written.open("w", encoding="ascii") as file:
        file.writelines(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows)
    return written


def _row(line: str) -> list[Any]:
    topic, _, document, _, score, _, start, length = line.split()
    return [topic, document, int(start), int(start) + int(length), float(score)]


def write_submission(path: Path, rows: Iterable[Sequence[Any]]) -> Path:
    """Write rows of topic, document, start, end and score as a submission to INEX; return its path."""
    with path.open("w", encoding="utf-8") as file:
        file.write('<inex-submission run-id="r">\n')
        for topic, several in groupby(rows, itemgetter(0)):
            file.write(f'<topic topic-id="{topic}">\n')
            for rank, (_, document, start, end, score) in enumerate(several, 1):
                place = f'<fol offset="{start}" length="{end - start}"/>'
                order = f"<rank>{rank}</rank><rsv>{score}</rsv>"
                file.write(f"<result><file>{document}</file>{place}{order}</result>\n")
            file.write("</topic>\n")
        file.write("</inex-submission>\n")
    return path


def write_documents(
    folder: Path, *, topics: int, results: int, name: Callable[[int], str] = str
) -> tuple[Path, Path]:
    """Write judgments of documents and a run as TREC files; `name` maps a document's number to its id."""
    rng = np.random.default_rng((topics, results))
    names = [name(number) for number in range(DOCUMENTS)]
    qrels, run = folder / "qrels.trec", folder / "run.trec"
    with qrels.open("w", encoding="ascii") as judgments, run.open("w", encoding="ascii") as file:
        for topic in range(topics):
            judged = _judged(rng)
            judgments.writelines(
                f"{_topic(topic)} 0 {names[document]} {int(place < RELEVANT)}\n"
                for place, document in enumerate(judged.tolist())
            )
            documents = _distinct(rng, results, judged[:RELEVANT], 1).tolist()
            scores = _scores(rng, results).tolist()
            file.writelines(
                f"{_topic(topic)} Q0 {names[document]} {rank} {score:.6f} run\n"
                for rank, (document, score) in enumerate(zip(documents, scores, strict=True), 1)
            )
    return qrels, run


def _topic(number: int) -> int:
    return 2009001 + number


def _judged(rng: np.random.Generator) -> Codes:
    """Judged documents of a topic: the first half is relevant."""
    return rng.choice(DOCUMENTS, size=2 * RELEVANT, replace=False)


def _distinct(rng: np.random.Generator, count: int, relevant: Codes, slots: int) -> Codes:
    """Distinct positions in random order; the first and one in ten others are in relevant documents.

    So even a run of one result may retrieve relevant text.
    """
    found = np.empty(0, dtype=np.int64)
    while len(found) < count:
        size = 2 * count
        chosen = rng.random(size) < _SHARE_OF_RELEVANT
        chosen[0] = True
        documents = np.where(chosen, rng.choice(relevant, size), rng.integers(0, DOCUMENTS, size))
        found = np.concatenate([found, documents * slots + rng.integers(0, slots, size)])
        _, first = np.unique(found, return_index=True)
        found = found[np.sort(first)]
    return found[:count]


def _scores(rng: np.random.Generator, count: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Descending scores that stay distinct with six digits."""
    ranks = np.arange(1, count + 1)
    return np.asarray(20_000 / (ranks + rng.random(count) / 2))
