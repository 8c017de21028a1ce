"""How fast is the index? Building against the bare parser, growth, bytes on disk, and resolving paths.

Run: PYTHONPATH=src python benchmarks/index_bench.py [--documents 2000] [--queries 160000] [--json]
CPU seconds, medians of interleaved rounds; read them as ratios.
"""

from __future__ import annotations

import argparse
import json
import pyexpat
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from corpora import write_folder

from excerpt.index import OffsetIndex, build


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    options = _options(arguments)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        results = {
            "build": _build(place / "build", options.documents, options.rounds),
            "growth": _growth(place / "growth", options.documents // 8),
            "resolve": _resolve(place / "resolve", options.resolve_documents, options.queries),
        }
    print(json.dumps(results, indent=1) if options.json else _readable(results))


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure building and resolving.")
    parser.add_argument("--documents", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--queries", type=int, default=160_000)
    parser.add_argument("--resolve-documents", type=int, default=50_000)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args(arguments)


def _cpu(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def _bare(files: list[Path]) -> None:
    for file in files:
        with file.open("rb", buffering=0) as stream:
            pyexpat.ParserCreate().Parse(stream.read(), True)


def _build(place: Path, documents: int, rounds: int) -> dict[str, float]:
    size = write_folder(place / "corpus", documents)
    files = sorted((place / "corpus").rglob("*.xml"))
    report = build(place / "corpus", place / "index")
    bare, ours = [], []
    for _ in range(rounds):
        bare.append(_cpu(lambda: _bare(files)))
        ours.append(_cpu(lambda: build(place / "corpus", place / "index")))
    on_disk = sum(file.stat().st_size for file in (place / "index").iterdir())
    return {
        "documents": documents,
        "megabytes": size / 1e6,
        "elements": report.elements,
        "expat_seconds": statistics.median(bare),
        "build_seconds": statistics.median(ours),
        "ratio": statistics.median(a / b for a, b in zip(ours, bare, strict=True)),
        "bytes_per_element": on_disk / report.elements,
    }


def _growth(place: Path, documents: int) -> dict[str, float]:
    """Nanoseconds per byte at one, four and sixteen times the size."""
    return {f"{factor}x": _per_byte(place / str(factor), documents * factor) for factor in (1, 4, 16)}


def _per_byte(place: Path, documents: int) -> float:
    size = write_folder(place / "corpus", documents)
    rounds = [_cpu(lambda: build(place / "corpus", place / "index")) for _ in range(3)]
    return statistics.median(rounds) / size * 1e9


class Resolving(NamedTuple):
    """CPU seconds of one round: opening an index, finding documents by id, resolving paths."""

    open: float
    codes: float
    resolve: float


def _resolve(place: Path, documents: int, queries: int) -> dict[str, float]:
    """Paths drawn evenly from all elements, in random order; the first round and the median of others."""
    write_folder(place / "corpus", documents, seed=2)
    build(place / "corpus", place / "index")
    index = OffsetIndex.open(place / "index")
    rows = np.array(random.Random(3).sample(range(index.statistics().elements), queries))
    paths, names = index.path(rows), _documents_of(index, rows)
    first, *others = (_round(place / "index", names, paths) for _ in range(6))
    medians = Resolving(*(statistics.median(column) for column in zip(*others, strict=True)))
    cold = {f"{name}_first_seconds": value for name, value in first._asdict().items()}
    warm = {f"{name}_seconds": value for name, value in medians._asdict().items()}
    return {"queries": queries, **cold, **warm}


def _round(place: Path, names: list[str], paths: list[str]) -> Resolving:
    begin = time.process_time()
    index = OffsetIndex.open(place)
    opened = time.process_time()
    codes = index.document_codes(names)
    coded = time.process_time()
    index.resolve(codes, paths)
    return Resolving(opened - begin, coded - opened, time.process_time() - coded)


def _documents_of(index: OffsetIndex, rows: np.ndarray[Any, np.dtype[np.int64]]) -> list[str]:
    return index.document_ids(index._lookup.locate(rows).document)  # noqa: SLF001  a benchmark may look inside


def _readable(results: dict[str, dict[str, float]]) -> str:
    lines = []
    for title, numbers in results.items():
        lines.append(title)
        lines += [f"  {name:24} {value:12.4g}" for name, value in numbers.items()]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
