"""(s) Judges, annotations, ceilings, samples of judgments and the effort of a pool."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from generated_pages import write_rows
from inputs import Inputs, Scale
from measuring import Case, Samples, excerpt, interleave, python, ratio
from parts import alone
from results import Figure, Part, Row, Target

from excerpt import collection

#: Documents judged by two, documents with spans of five people, and annotations.
GRADED, MARKED, PEOPLE, ANNOTATED = 20_000, 1_000, 5, 100_000
#: Limits in CPU seconds.
JUDGES, ALPHA, IMPORT, CEILING = 1.0, 2.0, 2.0, 5.0
#: 62 runs over 200 contracts, if available next to the checkout.
CUAD = Path(__file__).resolve().parents[2] / "shared" / "data" / "cuad"
_WIDTH = 6_000


def part(inputs: Inputs, scale: Scale) -> Part:
    """Measure this part, and compare it with its targets."""
    folder, share = inputs.place("judges"), 1 if scale.full else 10
    done = Part(
        "s",
        "Judges, ceilings and samples",
        f"`excerpt judges` of two judges with {GRADED // share:,} grades each, and of {PEOPLE} people who "
        f"highlighted {MARKED // share:,} documents; {ANNOTATED // share:,} Web Annotations converted: each "
        "beside a script that computes one number with json.loads and dictionaries (kappa; agreement on "
        "characters of each pair; counts). Then `excerpt evaluate` with and without `--ceiling`, with "
        "probabilities and without, and `excerpt stability effort` beside `evaluate` of the same runs.",
    )
    done.rows += _judged(done, folder, scale, share)
    done.rows += _bounded(done, scale)
    done.rows += _sampled(done, inputs, scale)
    return done


def _judged(done: Part, folder: Path, scale: Scale, share: int) -> list[Row]:
    rng = random.Random(1)
    graded = [write_grades(folder / f"{name}.jsonl", GRADED // share, rng) for name in ("ann", "bob")]
    marked = write_marks(folder / "marked.jsonl", max(MARKED // share, 10), rng)
    notes = write_annotations(folder / "notes.jsonl", max(ANNOTATED // share, 10), rng)
    written = ("convert", notes, folder / "converted.jsonl", "--to", "jsonl", "--quiet")
    tasks: dict[str, tuple[Sequence[object], Sequence[Path], float]] = {
        "judges, two with grades": (("judges", *graded), graded, JUDGES),
        "judges, five with highlights": (("judges", marked), (marked,), ALPHA),
        "Web Annotations": (written, (notes,), IMPORT),
    }
    cases = []
    for name, (ours, files, _) in tasks.items():
        cases.append(Case(name, excerpt(*ours)))
        cases.append(Case(f"a script: {name}", python("agree.py", name.split(",")[-1].split()[-1], *files)))
    found = interleave(cases, scale.few)
    for name, (_, _, limit) in tasks.items():
        plain = ratio(found[name], found[f"a script: {name}"])
        done.figures.append(Figure(f"{name}: CPU over that of the script", plain))
        if scale.full:
            done.targets.append(Target(f"{name}: CPU", limit, found[name].cpu, "s"))
    return [Row.of(name, samples) for name, samples in found.items()]


def _bounded(done: Part, scale: Scale) -> list[Row]:
    qrels, runs, corpus = _collection(scale)
    given = ("evaluate", qrels, *runs, "--corpus", corpus, "--overlap", "first", "--quiet", "-m", "charF")
    without, bounded = f"evaluate, {len(runs)} runs of contracts", "the same with --ceiling paragraphs"
    cases = [
        Case(without, excerpt(*given)),
        Case(bounded, excerpt(*given, "--ceiling", "paragraphs"), most=scale.study_rounds),
    ]
    found = interleave(cases, scale.few, warm_up=False)
    more = found[bounded].cpu - found[without].cpu
    done.figures.append(Figure(f"ceilings of {len(runs)} runs: CPU more than without", more, "s"))
    if scale.full and CUAD.is_dir():
        done.targets.append(
            Target(f"ceilings of {len(runs)} runs: CPU more than without", CEILING, more, "s")
        )
    return [Row.of(name, samples) for name, samples in found.items()]


def _collection(scale: Scale) -> tuple[Path, list[Path], Path]:
    """Judgments, runs and documents: all of CUAD's, else those that come with the package."""
    if scale.full and CUAD.is_dir():
        corpus = CUAD / "docs.tar.gz"
        return CUAD / "qrels.fol", sorted((CUAD / "runs").iterdir()), corpus
    ships = collection.folder()
    runs = sorted((ships / "runs").iterdir())
    return ships / "qrels.fol", runs if scale.full else runs[:2], ships / "docs.zip"


def _sampled(done: Part, inputs: Inputs, scale: Scale) -> list[Row]:
    qrels, run = inputs.documents(*scale.documents[0])
    folder = inputs.place("sampled")
    lines = [line.split() for line in qrels.read_text(encoding="ascii").splitlines()]
    rows = [{"topic": topic, "document": name, "relevance": int(grade)} for topic, _, name, grade in lines]
    whole = write_rows(folder / "whole.jsonl", rows)
    chances = [row | {"probability": 1 if number % 2 else 0.25} for number, row in enumerate(rows)]
    drawn = write_rows(folder / "drawn.jsonl", chances)
    spans, runs = inputs.spans(scale.topics, scale.results, scale.runs)
    effort = ("stability", "effort", spans, *runs, "-m", "MAiP", "--samples", 20)
    cases = [
        Case("evaluate, all judged", excerpt("evaluate", whole, run, "-m", "AP", "--quiet")),
        Case("evaluate, judged by a sample", excerpt("evaluate", drawn, run, "-m", "statAP", "--quiet")),
        Case(
            f"evaluate, {len(runs)} runs of passages", excerpt("evaluate", spans, *runs, "-m", "MAiP"), most=1
        ),
        Case(f"stability effort, {len(runs)} runs of passages", excerpt(*effort), most=1),
    ]
    found: dict[str, Samples] = interleave(cases, scale.few, warm_up=False)
    more = ratio(found["evaluate, judged by a sample"], found["evaluate, all judged"])
    done.figures.append(Figure("estimates from a sample: CPU over that of all judged", more))
    return [Row.of(name, samples) for name, samples in found.items()]


def write_grades(path: Path, documents: int, rng: random.Random) -> Path:
    """Write a grade of every document, in topics of 200 documents."""
    return write_rows(
        path,
        [
            {
                "topic": f"q{number // 200}",
                "document": f"d{number}",
                "relevance": rng.choice([0, 0, 1, number % 3]),
            }
            for number in range(documents)
        ],
    )


def write_marks(path: Path, documents: int, rng: random.Random) -> Path:
    """Write the highlights of several people, a line per person and document."""
    rows: list[dict[str, object]] = []
    for number in range(documents):
        common = [rng.randrange(0, _WIDTH - 600) for _ in range(3)]
        for person in range(PEOPLE):
            starts = sorted({start + rng.randrange(0, 60) for start in common if rng.random() < 0.8})
            for start, following in pairwise([*starts, _WIDTH]):
                end = min(start + rng.randrange(40, 400), following)
                place = {"document": f"d{number}", "start": start, "end": end, "size": _WIDTH}
                rows.append({"topic": f"q{number % 20}", **place, "assessors": [f"person{person}"]})
    return write_rows(path, rows)


def write_annotations(path: Path, count: int, rng: random.Random) -> Path:
    """Write Web Annotations with a position and a quote."""
    rows: list[dict[str, object]] = []
    for number in range(count):
        start = (number // 5_000) * 300 + rng.randrange(0, 200)
        position = {"type": "TextPositionSelector", "start": start, "end": start + 60}
        quote = {"type": "TextQuoteSelector", "exact": f"words {number} of the document"}
        rows.append(
            {
                "@context": "http://www.w3.org/ns/anno.jsonld",
                "id": f"urn:note:{number}",
                "type": "Annotation",
                "creator": {"type": "Person", "nickname": "ann"},
                "body": [{"type": "TextualBody", "value": f"q{number % 50}", "purpose": "tagging"}],
                "target": {"source": f"d{number % 5_000}", "selector": [position, quote]},
            }
        )
    return write_rows(path, rows)


if __name__ == "__main__":
    alone(part)
