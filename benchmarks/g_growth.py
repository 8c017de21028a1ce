"""(g) Growth by topics, results, runs, documents and characters, each at three sizes; large runs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import large_runs
from a_spans import options
from c_index import build_case
from e_study import study
from inputs import Inputs, Scale
from measuring import Case, Samples, excerpt, exponent, interleave
from parts import alone
from results import Figure, Part, Row, Target

LIMIT = 1.1
#: Characters of a chunk that is placed.
CHUNK = 500


@dataclass(frozen=True)
class Curve:
    """CPU times of one kind of work at several sizes, and on the smallest possible input."""

    title: str
    start: Samples
    points: dict[int, Samples]

    def exponents(self) -> tuple[float, float]:
        """Exponents of growth with the constant start-up, and with start-up subtracted."""
        sizes, costs = list(self.points), [samples.least for samples in self.points.values()]
        return exponent(sizes, costs), exponent(sizes, [cost - self.start.least for cost in costs])


def part(inputs: Inputs, scale: Scale) -> Part:
    """Measure this part, and compare it with its targets."""
    done = Part(
        "g",
        "Growth",
        "CPU time at growing sizes; the exponent is the slope of log CPU over log size by "
        "least squares, of the least CPU time of the rounds (what disturbs a process only adds to it, and "
        "differences show it enlarged). Start-up is constant and hides growth, so the target holds for CPU "
        "time without it: start-up is the same command on the smallest input (one topic with one result; "
        "one document; two runs with one result on each of 12 topics; one chunk), in the same rounds.",
        base="start-up",
    )
    for curve in (
        _results(inputs, scale),
        _topics(inputs, scale),
        _indexing(inputs, scale),
        _studying(inputs, scale),
        _placing(inputs, scale),
    ):
        done.rows.append(Row.of(f"{curve.title}: start-up", curve.start, curve.start))
        for size, samples in curve.points.items():
            done.rows.append(Row.of(f"{curve.title}: {size:,}", samples, curve.start))
        bare, over = curve.exponents()
        done.figures.append(Figure(f"{curve.title}: exponent with start-up", bare))
        done.figures.append(Figure(f"{curve.title}: exponent without start-up", over))
        if scale.full:
            done.targets.append(Target(f"{curve.title}: exponent without start-up", LIMIT, over))
    large_runs.measure(done, inputs, scale)
    return done


def _results(inputs: Inputs, scale: Scale) -> Curve:
    """Growth by the results of one run; the number of topics is constant."""
    sizes = [(scale.topics, scale.growth_results * factor) for factor in scale.growth_factors]
    return _evaluating("evaluate, results of a run", inputs, scale, sizes)


def _topics(inputs: Inputs, scale: Scale) -> Curve:
    """Growth by the topics of one run; the number of results per topic is constant."""
    sizes = [(scale.topics * factor, scale.growth_results) for factor in scale.growth_factors]
    return _evaluating("evaluate, topics", inputs, scale, sizes)


def _evaluating(title: str, inputs: Inputs, scale: Scale, sizes: list[tuple[int, int]]) -> Curve:
    commands = {}
    for topics, results in [(1, 1), *sizes]:
        qrels, runs = inputs.spans(topics, results, 1)
        commands[topics * results] = excerpt("evaluate", qrels, runs[0], "--limit", "none", *options())
    return _curve(
        title, interleave([Case(str(size), command) for size, command in commands.items()], scale.rounds)
    )


def _indexing(inputs: Inputs, scale: Scale) -> Curve:
    cases = []
    for documents in [1, *(scale.growth_documents * factor for factor in scale.growth_factors)]:
        corpus = inputs.corpus(documents)
        cases.append(build_case(str(documents), corpus, inputs.folder / f"growth-{documents}.index"))
    return _curve("index, documents", interleave(cases, scale.rounds))


def _studying(inputs: Inputs, scale: Scale) -> Curve:
    """Growth by the number of runs; topics and results are constant."""
    cases = []
    for runs in [0, *(scale.growth_runs * factor for factor in scale.growth_factors)]:
        # The study needs two runs and some topics, so these are the smallest input.
        size = (scale.topics, scale.growth_study_results, runs) if runs else (12, 1, 2)
        cases.append(Case(str(runs), study(inputs.folder, *inputs.spans(*size))))
    return _curve("the study, runs", interleave(cases, scale.few, warm_up=False))


def _placing(inputs: Inputs, scale: Scale) -> Curve:
    """Growth by the characters of one document, whose chunks are placed without their offsets."""
    cases = []
    for characters in [CHUNK, *(scale.growth_characters * factor for factor in scale.growth_factors)]:
        corpus = inputs.document(characters, 1).corpus
        command = excerpt("place", corpus, _chunks(corpus), "-o", corpus.parent / "placed.jsonl")
        cases.append(Case(str(characters), command))
    return _curve("place, characters of a document", interleave(cases, scale.few))


def _chunks(corpus: Path) -> Path:
    """Write the chunks of the document in a folder as JSON Lines, a fifth of each shared with the next."""
    text, written = (corpus / "A.txt").read_text(encoding="utf-8"), corpus.parent / "chunks.jsonl"
    pieces = (text[start : start + CHUNK] for start in range(0, len(text), CHUNK * 4 // 5))
    written.write_text("".join(json.dumps({"document": "A", "text": piece}) + "\n" for piece in pieces))
    return written


def _curve(title: str, found: dict[str, Samples]) -> Curve:
    start, *points = found.items()
    return Curve(title, start[1], {int(size): samples for size, samples in points})


if __name__ == "__main__":
    alone(part)
