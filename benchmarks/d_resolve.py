"""(d) Resolving paths: a cold index, a warm one, and again in the same process."""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
from pathlib import Path

import numpy as np
from inputs import Inputs, Scale
from measuring import Case, code, excerpt, interleave, python
from parts import alone
from results import Figure, Part, Row, Target

from excerpt.index import OffsetIndex

REPEATS = 5
LIMIT = 0.25
COLD = "cold (pages dropped), fresh process"
WARM = "warm, fresh process"
AGAIN = f"warm, {REPEATS} times in a process"


def part(inputs: Inputs, scale: Scale) -> Part:
    """Measure this part, and compare it with its targets."""
    corpus = inputs.corpus(scale.resolve_documents)
    index = inputs.folder / "resolve.index"
    subprocess.run(excerpt("index", corpus, "-o", index), check=True, stdout=subprocess.DEVNULL)
    queries = write_queries(index, scale.queries)
    command = python("resolve_paths.py", index, queries, 1)
    found = interleave(
        [
            Case("import numpy", code("import numpy")),
            Case(COLD, command, before=lambda: drop_pages(index)),
            Case(WARM, command),
            Case(AGAIN, python("resolve_paths.py", index, queries, REPEATS)),
        ],
        scale.rounds,
    )
    base = found["import numpy"]
    done = Part(
        "d",
        "Resolving paths",
        f"{scale.queries:,} (document, path) pairs, drawn evenly from all elements of "
        f"{scale.resolve_documents:,} documents, in random order. The rows are whole processes, with reading "
        "the questions; the seconds below the table are only those of opening the index, finding the "
        "documents and resolving the paths.",
        base="import numpy",
        rows=[Row.of(name, samples, base) for name, samples in found.items()],
    )
    for name, printed in ((COLD, found[COLD].printed), (WARM, found[WARM].printed)):
        for kind, unit in (("cpu", "s CPU"), ("wall", "s wall")):
            seconds = statistics.median(json.loads(one)[0][kind] for one in printed)
            done.figures.append(Figure(f"{name}, opening and resolving", seconds, unit))
    later = [one for printed in found[AGAIN].printed for one in json.loads(printed)[1:]]
    again = statistics.median(one["cpu"] for one in later)
    done.figures.append(
        Figure("warm, second to last time in a process, opening and resolving", again, "s CPU")
    )
    read = statistics.median(usage.read for usage in found[COLD].usages)
    done.figures.append(Figure("cold: read from disk", read, "MiB"))
    if read == 0:
        done.notes.append("nothing was read from disk: the pages could not be dropped here, so cold is warm")
    if scale.full:
        what = (
            f"{scale.queries:,} paths over {scale.resolve_documents:,} documents, warm, in a fresh process, "
            "opening included: CPU"
        )
        warm = statistics.median(json.loads(one)[0]["cpu"] for one in found[WARM].printed)
        done.targets.append(Target(what, LIMIT, warm, "s"))
    return done


def drop_pages(index: Path) -> None:
    """Advise the kernel to drop the index from the page cache; needs no rights."""
    if not hasattr(os, "posix_fadvise"):
        return
    for file in index.iterdir():
        descriptor = os.open(file, os.O_RDONLY)
        try:
            os.fsync(descriptor)  # dirty pages would stay
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(descriptor)


def write_queries(index: Path, count: int) -> Path:
    """Write elements drawn evenly, as document id and path."""
    opened = OffsetIndex.open(index)
    elements = opened.statistics().elements
    rows = np.array(random.Random(3).sample(range(elements), min(count, elements)))
    documents = opened.document_ids(opened._lookup.locate(rows).document)  # noqa: SLF001 - there is no public way
    written = index.with_name("queries.tsv")
    lines = (f"{document}\t{path}\n" for document, path in zip(documents, opened.path(rows), strict=True))
    written.write_text("".join(lines), encoding="utf-8")
    return written


if __name__ == "__main__":
    alone(part)
