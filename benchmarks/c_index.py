"""(c) Building an index, compared with the bare parser on the same files."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from inputs import Inputs, Scale, size_of
from measuring import Case, excerpt, interleave, python, ratio
from parts import alone
from results import Figure, Part, Row, Target

BASE = "bare expat"
CPU_LIMIT, OTHER_CPU_LIMIT, BYTES_LIMIT = 2.0, 2.5, 14.0


def build_case(name: str, corpus: Path, index: Path, *arguments: str) -> Case:
    """Case of building an index from scratch."""
    command = excerpt("index", corpus, "--output", index, "--format", "json", *arguments)
    return Case(name, command, before=lambda: shutil.rmtree(index, ignore_errors=True))


def part(inputs: Inputs, scale: Scale) -> Part:
    """Measure this part, and compare it with its targets."""
    done = Part(
        "c",
        "Building an index",
        "`excerpt index` from a folder of XML files to the finished index, against expat without handlers "
        "that reads the same files one by one; whole processes, files in the page cache. What limits the "
        "ratio: reading, digests and the layout of the index take about as long as the bare parser, whatever "
        "finds the elements; and each start of the command takes a tenth of a second.",
        base=BASE,
    )
    for size in (scale.corpus, scale.resolve_documents):
        rounds = scale.few if size == scale.resolve_documents else scale.rounds
        limit = CPU_LIMIT if scale.full else None
        _measure(done, f"generated, {size:,} documents", inputs.corpus(size), rounds, limit)
    limit = OTHER_CPU_LIMIT if scale.full else None
    odd = inputs.corpus(scale.corpus, odd=True)
    _measure(done, f"generated with odd markup, {scale.corpus:,} documents", odd, scale.rounds, limit)
    if (articles := inputs.evidence(1)) is None or (copied := inputs.evidence(scale.copies)) is None:
        done.notes.append(
            "the articles of Evidence Inference are left out: not available next to the checkout"
        )
        return done
    _measure(done, "Evidence Inference (JATS)", articles, scale.rounds, None)
    _measure(done, f"Evidence Inference (JATS), each article {scale.copies} times", copied, scale.few, limit)
    return done


def _measure(done: Part, title: str, corpus: Path, rounds: int, limit: float | None) -> None:
    """Time a corpus; `limit` is the target for the ratio, or None."""
    index = corpus.with_name(f"{corpus.name}.index")
    found = interleave(
        [
            Case(BASE, python("bare_expat.py", corpus)),
            build_case("excerpt index", corpus, index),
            build_case("excerpt index, 2 workers", corpus, index, "--workers", "2"),
        ],
        rounds,
    )
    done.rows += [Row.of(f"{title}, {name}", samples, found[BASE]) for name, samples in found.items()]
    report = json.loads(found["excerpt index"].printed[-1])
    if report["documents"] != int(found[BASE].printed[-1]):
        raise SystemExit("the parser and the index read different documents")
    megabytes, elements = size_of(corpus) / 1e6, report["elements"]
    per_element = size_of(index) / elements
    done.figures += [
        Figure(f"{title}: text", megabytes, "MB"),
        Figure(f"{title}: elements", elements),
        Figure(f"{title}: speed", megabytes / found["excerpt index"].cpu, "MB per CPU second"),
        Figure(f"{title}: size of the index", per_element, "bytes per element"),
    ]
    if limit is not None:
        times = ratio(found["excerpt index"], found[BASE])
        done.targets += [
            Target(f"{title}: CPU / {BASE}", limit, times),
            Target(f"{title}: size of the index", BYTES_LIMIT, per_element, "bytes per element"),
        ]


if __name__ == "__main__":
    alone(part)
