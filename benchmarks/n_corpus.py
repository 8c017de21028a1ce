"""(n) Chunk runs and a corpus of JSON Lines: evaluating, exploring and reporting one run and many."""

from __future__ import annotations

import json
import statistics
from pathlib import Path

import numpy as np
from corpora import WikipediaLike
from inputs import Inputs, Scale
from measuring import Case, Failed, Samples, code, excerpt, interleave, marginal, python, ratio, run
from parts import alone
from results import Figure, Part, Row, Target

TOPICS, RESULTS, RELEVANT = 472, 10, 3
SIZES = 600, 1800
CHUNK = 200
#: Limits for one run, and for many: CPU seconds with the corpus, and what the corpus adds to the same command
#: without it, over the CPU seconds of `json.loads`, which finds ids and lengths as any script would.
ONE, MANY = (0.6, 1.0), (3.0, 2.5)
LOADS = "import json, sys; {row['_id']: len(row['text']) for row in map(json.loads, open(sys.argv[1], 'rb'))}"
#: Limits of the explorer over `evaluate` with the corpus: until the link, and the first overview. Of the
#: report: CPU seconds, the same over a loop that reads, writes and compresses each document once, and files.
LINK, OVERVIEW, REPORT, FILES = 1.4, 0.5, (30.0, 4.0), 500
REPORTED = 62
PLAIN = (
    "import json, sys, zlib; "
    "[zlib.compress(json.dumps(json.loads(line)).encode(), 6) for line in open(sys.argv[1], 'rb')]"
)


def part(inputs: Inputs, scale: Scale) -> Part:
    """Measure `evaluate` of one run and of all runs, each without and with the corpus."""
    documents, runs = scale.chunked
    qrels, corpus, written = write(inputs.place("chunk-runs"), documents, runs)
    done = Part(
        "n",
        "Chunk runs and a corpus",
        f"`excerpt evaluate -m rag` of chunk runs ({TOPICS} x {RESULTS}, JSON Lines) alone, and with a "
        f"corpus of {documents:,} documents ({corpus.stat().st_size >> 20} MiB of JSON Lines), beside a loop "
        "that finds ids and lengths by json.loads. excerpt passes over the whole file, too, to find the "
        "ids; with many runs most of the difference is the lengths of documents, the names of documents in "
        "each run, and the texts in which the offsets of a sample are checked. Then `excerpt "
        "explore` of all runs until its link and until the first overview, and `excerpt report` of "
        f"{min(runs, REPORTED)} runs with all texts, beside a plain loop that reads and compresses each "
        "document once, as the report does, too; it also searches them for missed passages.",
        base="without a corpus",
    )
    for count, (seconds, times) in ((1, ONE), (runs, MANY)):
        command = excerpt("evaluate", qrels, *written[:count], "-m", "rag")
        cases = [
            Case("json.loads", [*code(LOADS), str(corpus)]),
            Case("without", command),
            Case("with", [*command, "--corpus", str(corpus)]),
        ]
        found = interleave(cases, scale.few)
        size = f"{count} run{'s' if count > 1 else ''}"
        loads = found.pop("json.loads")
        if count == 1:
            done.rows.append(Row.of("json.loads of the corpus", loads))
        for name in found:
            done.rows.append(Row.of(f"{size}, {name} a corpus", found[name], found["without"]))
        if scale.full:
            added = marginal(found["without"], found["with"], 1) / loads.cpu
            done.targets += [
                Target(f"{size} with a corpus: CPU", seconds, found["with"].cpu, "s"),
                Target(f"{size}: what the corpus adds / json.loads of it, CPU", times, added),
            ]
    shared = [str(path) for path in (qrels, *written)] + ["-m", "rag", "--corpus", str(corpus)]
    targets = [*_explore(done, shared, found["with"], scale), *_report(done, inputs, qrels, corpus, written)]
    done.targets += targets if scale.full else []
    return done


def _explore(done: Part, arguments: list[str], evaluated: Samples, scale: Scale) -> list[Target]:
    try:
        rounds = [
            json.loads(run(python("ask_overview.py", excerpt()[0], *arguments)).printed)
            for _ in range(scale.few)
        ]
    except Failed as error:
        done.rows.append(Row("explore", note=f"not measured: {error}"))
        return []
    link, overview = map(statistics.median, zip(*rounds, strict=True))
    done.figures += [
        Figure("explore: until the link", link, "s CPU"),
        Figure("explore: first answer of the overview", overview, "s CPU"),
    ]
    return [
        Target("explore, until the link / evaluate, CPU", LINK, link / evaluated.cpu),
        Target("explore, first overview / evaluate, CPU", OVERVIEW, overview / evaluated.cpu),
    ]


def _report(done: Part, inputs: Inputs, qrels: Path, corpus: Path, runs: list[Path]) -> list[Target]:
    folder = inputs.place("chunk-report") / "report"
    arguments = (qrels, *runs[:REPORTED], "-m", "rag", "--corpus", corpus, "-o", f"{folder}.html")
    plain = Case("each document once, compressed", [*code(PLAIN), str(corpus)])
    found = interleave([plain, Case("report", excerpt("report", *arguments))], 1, warm_up=False)
    done.rows += [Row.of(name, samples, found[plain.name]) for name, samples in found.items()]
    files = sum(path.is_file() for path in folder.rglob("*")) or 1
    done.figures.append(Figure("report: files", files))
    seconds, times = REPORT
    over = ratio(found["report"], found[plain.name])
    return [
        Target("report of all texts: CPU", seconds, found["report"].cpu, "s"),
        Target("report / each document once, compressed, CPU", times, over),
        Target("report: files", FILES, files),
    ]


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
