"""(o) JSON Lines as retrieval tools write them, beside bare readers; each further run, also XML; chunks."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from generated_runs import write_submission
from inputs import Inputs, Scale
from measuring import Case, code, excerpt, interleave, marginal, ratio
from parts import alone
from results import Figure, Part, Row, Target

#: Runs beside the first one, by which the cost of each further run is measured.
FURTHER = 4
LOADS = "import json, sys; [json.loads(line) for line in open(sys.argv[1], encoding='utf-8')]"
EXPAT = "import sys; from xml.parsers import expat; expat.ParserCreate().ParseFile(open(sys.argv[1], 'rb'))"
MSGSPEC = (
    "import sys; from msgspec.json import Decoder; "
    "decode = Decoder().decode; [decode(line) for line in open(sys.argv[1], 'rb')]"
)

#: Prints the least CPU of json.loads and of a reader of chunks, in turns, as JSON.
CHUNKS = """
import json, sys, time
from excerpt.formats.source import Source
from excerpt.placing.chunk_files import read_placed
from excerpt.placing.chunk_rows import ChunkOrigin, ChunkOptions, read_chunks
from excerpt.records.rows import apart
def loads(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]
def chunks(path):
    lines, rows = apart(Source.open(path).objects("chunk"))
    return read_chunks(rows, ChunkOptions(), ChunkOrigin(path, lines))
def placed(path):
    return read_placed(path, None, None)
least = {}
for _ in range(int(sys.argv[3])):
    for read, path in ((loads, 1), (chunks, 1), (placed, 2)):
        begin = time.process_time()
        kept = read(sys.argv[path])
        least[read.__name__] = min(time.process_time() - begin, least.get(read.__name__, 1e9))
        del kept
print(json.dumps(least))
"""
#: Most CPU of reading a file of chunks over that of json.loads.
CHUNK_LIMIT = 1.5

Change = Callable[[dict[str, Any], random.Random], dict[str, Any]]


def _text(words: int) -> Change:
    return lambda row, rng: {**row, "text": "word " * rng.randint(1, words)}


#: Shapes of lines, and the most CPU over that of json.loads on the same file.
SHAPES: dict[str, tuple[Change, float]] = {
    "usual lines": (lambda row, _: row, 1.3),
    "lists of numbers": (
        lambda row, rng: {**row, "metadata": {"page": 3, "box": [rng.randint(0, 600) for _ in range(4)]}},
        0.8,
    ),
    "nested metadata": (lambda row, _: {**row, "metadata": {"page": row["start"], "author": "A. B."}}, 0.8),
    "escaped text": (lambda row, _: {**row, "text": f'He said "no",\nthen é {row["start"]}'}, 1.6),
    "lists of other lengths": (lambda row, rng: {**row, "tags": ["t"] * rng.randint(0, 12)}, 1.0),
    "lines over 4 kB": (_text(1600), 2.8),
}


def part(inputs: Inputs, scale: Scale) -> Part:
    """Measure this part, and compare it with its targets."""
    topics, results = scale.topics, scale.results
    done = Part(
        "o",
        "Lines of JSON",
        f"`excerpt evaluate -m MAiP` of {topics} topics with {results} results in JSON Lines, a tenth as "
        "many if they are long; beside it json.loads and msgspec, which only parse.",
        base="json.loads of the same file",
    )
    folder = inputs.place("lines")
    judged = _judgments(folder / "judged.jsonl", topics)
    for name, (change, limit) in SHAPES.items():
        run = folder / f"{name.replace(' ', '-')}.jsonl"
        _write(run, change, topics, results // 10 if "4 kB" in name else results)
        found = interleave(
            [
                Case("json.loads", [*code(LOADS), str(run)]),
                Case("msgspec", [*code(MSGSPEC), str(run)]),
                Case("excerpt", excerpt("evaluate", judged, run, "-m", "MAiP")),
            ],
            scale.few,
        )
        done.rows += [Row.of(f"{tool}, {name}", one, found["json.loads"]) for tool, one in found.items()]
        over = ratio(found["excerpt"], found["json.loads"])
        done.figures.append(
            Figure(f"{name}: CPU over that of msgspec", ratio(found["excerpt"], found["msgspec"]))
        )
        if scale.full:
            done.targets.append(Target(f"{name}: CPU over that of json.loads", limit, over))
    run = folder / "usual-lines.jsonl"
    for path, parser, loop, limit in (
        (run, "json.loads", LOADS, 0.35),
        (_as_xml(run), "bare expat", EXPAT, 1.5),
    ):
        again = [path.with_name(f"{number}{path.suffix}") for number in range(FURTHER)]
        for copy in again:
            copy.write_bytes(path.read_bytes())
        found = interleave(
            [
                Case(parser, [*code(loop), str(path)]),
                Case("one run", excerpt("evaluate", judged, path, "-m", "MAiP")),
                Case(f"{1 + FURTHER} runs", excerpt("evaluate", judged, path, *again, "-m", "MAiP")),
            ],
            scale.few,
        )
        further = marginal(found["one run"], found[f"{1 + FURTHER} runs"], FURTHER)
        what = f"each further run, {path.suffix[1:]}"
        done.figures.append(Figure(what, further, "s CPU"))
        if scale.full:
            done.targets.append(
                Target(f"{what}: CPU over that of {parser}", limit, further / found[parser].cpu)
            )
    _add_chunks(done, folder, scale)
    return done


def _add_chunks(done: Part, folder: Path, scale: Scale) -> None:
    """Measure the reading of a file of chunks, and of one that was placed, beside json.loads."""
    files = folder / "chunks.jsonl", folder / "placed.jsonl"
    _write_chunks(*files, scale.topics * scale.results)
    what = "reading of chunks and of placed chunks, and json.loads"
    found = interleave([Case(what, [*code(CHUNKS), *map(str, files), str(scale.few)])], 1)[what]
    least: dict[str, float] = json.loads(found.printed[0])
    for name, label in (("chunks", "file of chunks"), ("placed", "file of placed chunks")):
        done.figures.append(Figure(f"{label}: least CPU", least[name], "s"))
        over = least[name] / least["loads"]
        if scale.full:
            done.targets.append(Target(f"{label}: CPU over that of json.loads", CHUNK_LIMIT, over))


def _write_chunks(chunks: Path, placed: Path, count: int) -> None:
    """Write chunks of 400 characters, as LangChain writes them, and as they are after placement."""
    rng = random.Random(1)
    texts = ["".join(rng.choices("etaoinshrdlu ", k=400)) for _ in range(1000)]
    with chunks.open("w", encoding="utf-8") as one, placed.open("w", encoding="utf-8") as other:
        for number in range(count):
            row: dict[str, Any] = {
                "document": f"D{number // 400}",
                "text": texts[number % 1000],
                "id": f"c{number}",
            }
            row |= {"metadata": {"page": number % 30}}
            start = number % 400 * 400
            one.write(json.dumps({**row, "start_index": start}) + "\n")
            other.write(json.dumps({**row, "start": start, "end": start + 400, "how": "exact"}) + "\n")


def _as_xml(run: Path) -> Path:
    """Write the same results as a submission to INEX."""
    names = ("topic", "document", "start", "end", "score")
    with run.open(encoding="utf-8") as lines:
        return write_submission(
            run.with_suffix(".xml"), ([json.loads(line)[name] for name in names] for line in lines)
        )


def _judgments(path: Path, topics: int) -> Path:
    rows = (
        {"topic": str(topic), "document": f"D{number}", "size": 20_000, "spans": [[100, 900]]}
        for topic in range(topics)
        for number in range(0, 600, 10)
    )
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def _write(path: Path, change: Change, topics: int, results: int) -> None:
    rng = random.Random(1)
    with path.open("w", encoding="utf-8") as stream:
        for topic in range(topics):
            for rank in range(results):
                start = rng.randrange(9000)
                row = {"topic": str(topic), "document": f"D{rank}", "start": start, "end": start + 500}
                row["score"] = round(1000 - rank / 2 + rng.random() / 2, 6)
                stream.write(json.dumps(change(row, rng)) + "\n")


if __name__ == "__main__":
    alone(part)
