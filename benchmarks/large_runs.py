"""Rows of one large run: growth by questions, scattered topics, two workers, and a Dask cluster."""

from __future__ import annotations

import importlib.util
import json
import random
from pathlib import Path

from inputs import Inputs, Scale
from measuring import Case, Samples, excerpt, exponent, interleave, python
from results import Figure, Part, Row, Target

RESULTS = 20
MEASURE = f"charR@{RESULTS}"
#: Limits: memory in MB, growth of CPU time, wall time of two workers over that of one.
MEMORY, GROWTH, WALL = 500, 1.1, 0.65
TOLERANCE = 1e-9
_DOCUMENTS, _PATTERNS = 200, 997
_MIB = (1 << 20) / 1e6


def write_questions(folder: Path, questions: int, *, scattered: bool = False) -> tuple[Path, Path]:
    """Write judgments and a run in FOL with 20 results a question, sorted by questions or by ranks."""
    rng, patterns = random.Random(questions), []
    for number in range(_PATTERNS):
        block = number * _DOCUMENTS
        documents = [f"{block + code}" for code in rng.sample(range(_DOCUMENTS), RESULTS)]
        starts = [(document, rng.randrange(800)) for document in documents[:12:4]]
        judged = [f" Q0 {document} 300 9000 {start} {start}:300\n" for document, start in starts]
        results = [
            f" Q0 {document} {rank} {99 - rank} run {rng.randrange(800)} {rng.randrange(50, 600)}\n"
            for rank, document in enumerate(documents, 1)
        ]
        patterns.append((judged, results))
    qrels, run = folder / "qrels.fol", folder / "run.fol"
    named = [(f"q{number}", *patterns[number % _PATTERNS]) for number in range(questions)]
    with qrels.open("w", encoding="ascii") as judgments:
        judgments.writelines(name + name.join(judged) for name, judged, _ in named)
    with run.open("w", encoding="ascii") as results_:
        if scattered:
            for rank in range(RESULTS):
                results_.writelines(name + results[rank] for name, _, results in named)
        else:
            results_.writelines(name + name.join(results) for name, _, results in named)
    return qrels, run


def measure(done: Part, inputs: Inputs, scale: Scale) -> None:
    """Add the rows of large runs; the means must be those of a script with dictionaries."""
    _growth(done, inputs, scale)
    _one_run(done, inputs, scale)


def _evaluate(files: tuple[Path, Path], workers: int = 1) -> list[str]:
    return excerpt("evaluate", *files, "-m", MEASURE, "--format", "tsv", "--workers", workers)


def _plain(files: tuple[Path, Path]) -> list[str]:
    return python("sum_relevant.py", *files)


def _growth(done: Part, inputs: Inputs, scale: Scale) -> None:
    cases = []
    for questions in (1, *scale.questions):
        files = write_questions(inputs.place(f"questions-{questions}"), questions)
        most = 1 if questions * RESULTS > 5_000_000 else None
        cases += [
            Case(f"{questions}", _evaluate(files), most=most),
            Case(f"{questions} plain", _plain(files), most=most),
        ]
    found = interleave(cases, scale.few, warm_up=False)
    costs = []
    for questions in scale.questions:
        ours, plain = found[f"{questions}"], found[f"{questions} plain"]
        title = f"evaluate, {questions:,} questions x {RESULTS}"
        _rows(done, title, ours, plain)
        costs.append(ours.least - found["1"].least)
        done.figures.append(Figure(f"{title}: CPU of a line", ours.least / questions / RESULTS * 1e6, "µs"))
    growth, memory = exponent(scale.questions, costs), found[f"{scale.questions[-1]}"].peak * _MIB
    done.figures.append(Figure("evaluate, questions: exponent without start-up", growth))
    done.figures.append(Figure(f"evaluate, {scale.questions[-1]:,} questions: memory", memory, "MB"))
    if scale.full:
        done.targets.append(Target("evaluate, questions: exponent without start-up", GROWTH, growth))
        title = f"evaluate, {scale.questions[-1]:,} questions: memory"
        done.targets.append(Target(title, MEMORY, memory, "MB"))


def _one_run(done: Part, inputs: Inputs, scale: Scale) -> None:
    """By one worker and by two, with its lines sorted by ranks, and by a cluster."""
    questions = scale.shared_questions
    files = write_questions(inputs.place("shared"), questions)
    ranked = write_questions(inputs.place("shared-ranked"), questions, scattered=True)
    cases = {
        "one worker": _evaluate(files),
        "two workers": _evaluate(files, 2),
        "lines sorted by rank": _evaluate(ranked),
    }
    dask = importlib.util.find_spec("distributed") is not None
    if dask:
        cases["Dask"] = python("hand_over.py", *files, MEASURE)
    title = f"evaluate, {questions * RESULTS:,} lines"
    found = interleave(
        [
            *(Case(name, command, most=1 if name == "Dask" else None) for name, command in cases.items()),
            Case("plain", _plain(files)),
        ],
        scale.few,
    )
    plain = found.pop("plain")
    for name, samples in found.items():
        _rows(done, f"{title}, {name}", samples, plain if name == "one worker" else None)
    share = min(two.wall for two in found["two workers"].usages)
    share /= min(one.wall for one in found["one worker"].usages)
    done.figures.append(Figure(f"{title}: wall time of two workers over that of one", share))
    if scale.full:
        done.targets.append(Target(f"{title}: wall time of two workers over that of one", WALL, share))
    if not dask:
        done.rows.append(Row(f"{title}, Dask", note="not installed in this environment"))
        return
    sent = json.loads(found["Dask"].printed[-1])
    done.figures += [
        Figure(f"{title}, Dask: judgments handed over, once", sent["judgments"], "bytes"),
        Figure(f"{title}, Dask: {sent['count']} groups handed over", sent["groups"], "bytes"),
    ]


def _rows(done: Part, title: str, ours: Samples, plain: Samples | None) -> None:
    done.rows.append(Row.of(title, ours))
    if plain is None:
        return
    done.rows.append(Row.of(f"{title}: a script with dictionaries", plain))
    mean = float(plain.printed[-1])
    given = float(ours.printed[-1].splitlines()[1].split("\t")[1])
    if abs(given - mean) > TOLERANCE:
        raise SystemExit(f"the means differ: {given} and {mean}")
    done.figures.append(Figure(f"{title}: CPU over that of the script", ours.least / plain.least, "times"))
