"""(o) JSON Lines as retrieval tools write them, beside bare readers; and each further run, also in XML."""

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
    return done


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
