"""(o) JSON Lines as retrieval tools write them, beside the bare readers of JSON; and each further run."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from inputs import Inputs, Scale
from measuring import Case, code, excerpt, interleave, ratio
from parts import alone
from results import Figure, Part, Row, Target

#: Runs beside the first one, by which the cost of each further run is measured.
FURTHER = 4
LOADS = "import json, sys; [json.loads(line) for line in open(sys.argv[1], encoding='utf-8')]"
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
    again = [folder / f"{number}.jsonl" for number in range(FURTHER)]
    for path in again:
        path.write_bytes(run.read_bytes())
    found = interleave(
        [
            Case("json.loads", [*code(LOADS), str(run)]),
            Case("one run", excerpt("evaluate", judged, run, "-m", "MAiP")),
            Case(f"{1 + FURTHER} runs", excerpt("evaluate", judged, run, *again, "-m", "MAiP")),
        ],
        scale.few,
    )
    further = (found[f"{1 + FURTHER} runs"].cpu - found["one run"].cpu) / FURTHER
    done.figures.append(Figure("each further run", further, "s CPU"))
    if scale.full:
        share = further / found["json.loads"].cpu
        done.targets.append(Target("each further run: CPU over that of json.loads", 0.35, share))
    return done


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
