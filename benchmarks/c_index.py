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
CPU_LIMIT, ODD_CPU_LIMIT, ARTICLES_CPU_LIMIT, BYTES_LIMIT = 2.0, 2.5, 1.8, 14.0
#: With the text that `--keep-text` stores, which is cut out and compressed.
TEXT_CPU_LIMIT = 3.4


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
        "finds the elements; and each start of the command takes a tenth of a second. The text "
        "costs the time to cut it out, and about as much to compress it. Reading its texts is that of every "
        "text of the finished index as a corpus, in order.",
        base=BASE,
    )
    for size in (scale.corpus, scale.resolve_documents):
        rounds = scale.few if size == scale.resolve_documents else scale.rounds
        limit = CPU_LIMIT if scale.full else None
        _measure(done, f"generated, {size:,} documents", inputs.corpus(size), rounds, limit)
    limit = ODD_CPU_LIMIT if scale.full else None
    odd = inputs.corpus(scale.corpus, odd=True)
    _measure(done, f"generated with odd markup, {scale.corpus:,} documents", odd, scale.rounds, limit)
    if (articles := inputs.evidence(1)) is None:
        done.notes.append(
            "the articles of Evidence Inference are left out: not available next to the checkout"
        )
        return done
    _measure(done, "Evidence Inference (JATS)", articles, scale.rounds, None)
    limit = ARTICLES_CPU_LIMIT if scale.full else None
    for mixed in (False, True):
        copied = inputs.evidence(scale.copies, mixed=mixed)
        assert copied is not None, "the articles are available"
        title = f"Evidence Inference (JATS), each article {scale.copies} times"
        _measure(done, f"{title}{', mixed quotes' if mixed else ''}", copied, scale.few, limit)
    return done


def _measure(done: Part, title: str, corpus: Path, rounds: int, limit: float | None) -> None:
    """Time a corpus; `limit` is the target for the ratio, or None."""
    index, with_text = (corpus.with_name(f"{corpus.name}.{kind}") for kind in ("index", "text.index"))
    found = interleave(
        [
            Case(BASE, python("bare_expat.py", corpus)),
            build_case("excerpt index", corpus, index),
            build_case("excerpt index, 2 workers", corpus, index, "--workers", "2"),
            build_case("excerpt index --keep-text", corpus, with_text, "--keep-text"),
            Case("reading its texts", python("read_texts.py", with_text)),
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
        times, with_texts = (
            ratio(found[f"excerpt index{kept}"], found[BASE]) for kept in ("", " --keep-text")
        )
        done.targets += [
            Target(f"{title}: CPU / {BASE}", limit, times),
            Target(f"{title}, --keep-text: CPU / {BASE}", TEXT_CPU_LIMIT, with_texts),
            Target(f"{title}: size of the index", BYTES_LIMIT, per_element, "bytes per element"),
        ]


if __name__ == "__main__":
    alone(part)
