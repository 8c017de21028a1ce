"""(q) Texts read once: runs with their texts, quotes that occur nowhere, reports, and chunks placed."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from corpora import WikipediaLike
from inputs import Inputs, Scale
from measuring import Case, code, excerpt, interleave, ratio
from parts import alone
from results import Figure, Part, Row, Target

TOPICS, RESULTS, RUNS, MANY = 472, 20, 10, 100
CITED, LOST = 2_360, 893
#: Numbers of wrong quotes, by which the growth of `citations` is measured.
WRONG = 250, 500, 1000, 2000
SIZES, CHUNK, OVERLAP, QUOTE = (600, 2600), 400, 80, 120
#: Limits: runs with their texts over runs without, and CPU seconds of `citations`, of many runs, of a report,
#: and of placing a million characters of chunks.
WITH_TEXTS, CITATIONS, MANY_RUNS, REPORT, PLACING = 1.5, 3.0, 4.0, 3.5, 0.065
#: What a script does: all documents in a dictionary, then each text compared at its offsets.
COMPARE = (
    "import json, sys; texts = {row['_id']: row['text'] for row in map(json.loads, open(sys.argv[1]))}; "
    "print(sum(texts[row['document']][row['start']:row['end']] == row['text'] "
    "for run in sys.argv[2:] for row in map(json.loads, open(run))))"
)
#: The same for quotes: literally, in every document until one has it.
SEARCH = (
    "import json, sys; texts = [json.loads(line)['text'] for line in open(sys.argv[1])]; "
    "print(sum(any(one['quote'] in text for text in texts) "
    "for line in open(sys.argv[2]) for one in json.loads(line)['citations']))"
)
#: The same for chunks: each literally in its document, behind the chunk before it.
FIND = (
    "import json, sys; texts = {row['_id']: row['text'] for row in map(json.loads, open(sys.argv[1]))}; "
    "ends = dict.fromkeys(texts, 0); found = 0\n"
    "for row in map(json.loads, open(sys.argv[2])):\n"
    "    start = texts[row['document']].find(row['text'], ends[row['document']])\n"
    "    ends[row['document']], found = start + 1, found + (start >= 0)\n"
    "print(found)"
)


def part(inputs: Inputs, scale: Scale) -> Part:
    """Measure runs with and without their texts, lost quotes by their number, a report, and chunks."""
    folder, documents = inputs.place("texts"), max(scale.chunked[0] // 5, 200)
    texts = write_corpus(folder, documents)
    corpus, (gold, bare, quoted) = folder / "docs.jsonl", write_runs(folder, texts, scale)
    every, bare, quoted = quoted, bare[:RUNS], quoted[:RUNS]
    characters = sum(map(len, texts)) / 1e6
    done = Part(
        "q",
        "Texts read once",
        f"{len(bare)} runs of {TOPICS if scale.full else scale.topics} x {RESULTS}, set `rag`, with a corpus "
        f"of {documents:,} documents ({characters:.1f} million characters of JSON Lines): without and with "
        "the text of each result, which is compared with the corpus; a script that reads all documents into "
        "a dictionary and compares the same texts; `excerpt report` of these. Then `excerpt citations` of "
        "quotes of which some occur nowhere, beside a script that searches each quote literally in every "
        "document (excerpt also folds, sets markup aside, and names the nearest place). Then `excerpt place` "
        "of overlapping chunks of all documents, beside a script that finds each literally in its document.",
        base="runs without their texts",
    )
    evaluate = ("evaluate", gold, "-m", "rag", "--corpus", corpus, "--quiet")
    report = ("report", gold, *quoted, "-m", "rag", "--corpus", corpus, "--quiet", "-o", folder / "r.html")
    cases = [
        Case("runs without their texts", excerpt(*evaluate, *bare)),
        Case("runs with their texts", excerpt(*evaluate, *quoted)),
        Case(
            "a script: json.loads, and each text compared", [*code(COMPARE), str(corpus), *map(str, quoted)]
        ),
        Case("excerpt report of the runs with their texts", excerpt(*report), most=scale.few),
    ]
    found = interleave(cases, scale.few)
    base = found[done.base]
    done.rows += [Row.of(name, samples, base) for name, samples in found.items()]
    many = interleave(
        [
            Case(f"{len(every)} runs with their texts", excerpt(*evaluate, *every)),
            Case(f"a script: {len(every)} runs", [*code(COMPARE), str(corpus), *map(str, every)]),
        ],
        scale.few,
    )
    done.rows += [Row.of(name, samples) for name, samples in many.items()]
    placing = _place(done, folder, texts, scale)
    counts = (LOST, *WRONG) if scale.full else (5, 20)
    for lost in counts:
        cited = write_citations(folder, texts, lost, CITED if lost == LOST else lost)
        searched = [*code(SEARCH), str(corpus), str(cited)]
        cases = [
            Case(
                f"citations, {lost} quotes nowhere",
                excerpt("citations", cited, "--corpus", corpus, "--quiet"),
            ),
            Case(f"a script: {lost} quotes nowhere, each in every document", searched, most=1),
        ]
        quotes = interleave(cases, scale.few, warm_up=False)
        ours, plain = quotes.values()
        done.rows += [Row.of(name, samples) for name, samples in quotes.items()]
        done.figures.append(Figure(f"{lost} quotes nowhere: a script / citations, CPU", ratio(plain, ours)))
        if scale.full and lost == LOST:
            done.targets.append(Target(f"citations, {LOST} quotes nowhere: CPU", CITATIONS, ours.cpu, "s"))
    if scale.full:
        beside = ratio(found["runs with their texts"], base)
        reported = found["excerpt report of the runs with their texts"].cpu
        done.targets += [
            Target("runs with their texts / without, CPU", WITH_TEXTS, beside),
            Target(f"{len(every)} runs with their texts: CPU", MANY_RUNS, next(iter(many.values())).cpu, "s"),
            Target("report of the runs with their texts: CPU", REPORT, reported, "s"),
            Target("placing a million characters of chunks: CPU", PLACING, placing, "s"),
        ]
    return done


def _place(done: Part, folder: Path, texts: list[str], scale: Scale) -> float:
    """Measure the placing of chunks; return the CPU seconds of a million characters of them."""
    chunks, corpus, characters = folder / "chunks.jsonl", folder / "docs.jsonl", 0
    rows: list[dict[str, object]] = []
    for number, text in enumerate(texts):
        for start in range(0, len(text), CHUNK - OVERLAP):
            piece = text[start : start + CHUNK].strip()
            rows += [{"document": f"doc-{number}.txt", "text": piece}] if piece else []
            characters += len(piece)
    _write(chunks, rows)
    cases = [
        Case("excerpt place", excerpt("place", corpus, chunks, "-o", folder / "placed.jsonl", "--quiet")),
        Case("a script: each chunk found in its document", [*code(FIND), str(corpus), str(chunks)]),
    ]
    placed = interleave(cases, scale.few)
    done.rows += [Row.of(name, samples) for name, samples in placed.items()]
    placing = placed["excerpt place"].cpu / (characters / 1e6)
    done.figures += [
        Figure("chunks", len(rows)),
        Figure("CPU of placing a million characters of chunks", placing, "s"),
    ]
    return placing


def write_corpus(folder: Path, documents: int) -> list[str]:
    """Write the documents; return their texts."""
    rng = np.random.default_rng(documents)
    pages = WikipediaLike()
    source = "\n".join(pages.document(number) for number in range(min(documents, 3000)))
    sizes = rng.integers(*SIZES, documents)
    begins = rng.integers(0, len(source) - SIZES[1], documents)
    texts = [
        source[begin : begin + size] for begin, size in zip(begins.tolist(), sizes.tolist(), strict=True)
    ]
    with (folder / "docs.jsonl").open("w", encoding="utf-8") as file:
        for number, text in enumerate(texts):
            file.write(json.dumps({"_id": f"doc-{number}.txt", "text": text}) + "\n")
    return texts


def write_runs(folder: Path, texts: list[str], scale: Scale) -> tuple[Path, list[Path], list[Path]]:
    """Write gold by offsets, and runs without and with the text of each result."""
    rng = np.random.default_rng(len(texts))
    topics, runs = (TOPICS, MANY) if scale.full else (scale.topics, 2)
    gold, bare, quoted = folder / "gold.jsonl", list[Path](), list[Path]()
    relevant = rng.integers(0, len(texts), topics).tolist()
    judged = [
        {"topic": f"q{topic}", "document": f"doc-{document}.txt", "start": 100, "end": 300}
        for topic, document in enumerate(relevant)
    ]
    _write(gold, judged)
    for number in range(runs):
        rows = []
        for topic, document in enumerate(relevant):
            codes = rng.choice(len(texts), RESULTS, replace=False).tolist()
            for rank, code_ in enumerate(dict.fromkeys([*codes[:number], document, *codes]), 1):
                start = int(rng.integers(0, max(len(texts[code_]) - CHUNK, 1)))
                text = texts[code_][start : start + CHUNK]
                row = {"topic": f"q{topic}", "document": f"doc-{code_}.txt", "start": start}
                rows.append(row | {"end": start + len(text), "score": 1 / rank, "text": text})
        quoted.append(folder / f"quoted{number}.jsonl")
        bare.append(folder / f"bare{number}.jsonl")
        _write(quoted[-1], rows)
        _write(bare[-1], [{key: value for key, value in row.items() if key != "text"} for row in rows])
    return gold, bare, quoted


def write_citations(folder: Path, texts: list[str], lost: int, cited: int) -> Path:
    """Write answers with five quotes each, of which some have words that no document has."""
    rng = np.random.default_rng(cited)
    nowhere, answers = set(rng.choice(cited, lost, replace=False).tolist()), list[dict[str, object]]()
    for number in range(cited):
        document = int(rng.integers(len(texts)))
        start = int(rng.integers(0, len(texts[document]) - QUOTE))
        quote = texts[document][start : start + QUOTE].strip()
        if number in nowhere:
            words = quote.split()
            words[len(words) // 2] = f"unsaid{number}"
            quote = " ".join(words)
        if number % 5 == 0:
            answers.append({"question": f"q{number // 5}", "citations": []})
        answers[-1]["citations"] += [{"document": f"doc-{document}.txt", "quote": quote}]  # type: ignore[operator]
    path = folder / f"cited{lost}.jsonl"
    _write(path, answers)
    return path


def _write(path: Path, rows: list[dict[str, object]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    alone(part)
