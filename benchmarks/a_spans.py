"""(a) Evaluation of runs of spans: one run, six runs, three formats, two sizes."""

from __future__ import annotations

from inputs import Inputs, Scale
from measuring import Case, Samples, code, excerpt, interleave, marginal
from parts import alone
from results import Figure, Part, Row, Target

MEASURES = ("iP@0.01", "MAiP", "charF", "articleAP")
ELEMENT_MEASURES = ("inex_eval", "nxCG@10", "nxCG(ideal=focused)@10", "MAnxCG@50", "MAep", "iMAep", "Q", "R")
NUMPY = "import numpy"
FORMATS = {"fol": "FOL", "inex": "INEX XML", "jsonl": "JSON Lines"}
#: Size of the targets, and the limit for each further run in CPU seconds.
SIZE = (107, 1500)
FURTHER = {"fol": 0.10, "inex": 0.5}


def options(measures: tuple[str, ...] = MEASURES) -> list[str]:
    """Options that name the measures."""
    return [option for name in measures for option in ("-m", name)]


def part(inputs: Inputs, scale: Scale) -> Part:
    """Measure this part, and compare it with its targets."""
    cases = [Case("bare interpreter", code("pass")), Case(NUMPY, code("import numpy"))]
    for topics, results in scale.spans:
        qrels, runs = inputs.spans(topics, results, scale.runs)
        for format_, title in FORMATS.items():
            if format_ != "fol" and (topics, results) != scale.spans[0]:
                continue
            files = runs if format_ == "fol" else [inputs.converted(run, format_) for run in runs]
            for count in (1, scale.runs):
                command = excerpt("evaluate", qrels, *files[:count], *options())
                # Commands of several seconds have fewer rounds, since their ratios vary less.
                slow = format_ != "fol" or (topics, results) != scale.spans[0]
                name = _name(topics, results, title, count)
                cases.append(Case(name, command, most=scale.few if slow else None))
    topics, results = scale.spans[0]
    assessments, elements = inputs.assessments(topics, results, scale.assessed)
    ranked = excerpt("evaluate", assessments, elements, *options(ELEMENT_MEASURES))
    cases.append(Case(f"8 element measures, {topics} x {results}, {scale.assessed:,} assessed", ranked))
    qrels, runs = inputs.spans(topics, results, scale.runs)
    cases.append(
        Case(f"drop-in inex_eval -f, {topics} x {results}", excerpt("inex_eval", "-f", qrels, runs[0]))
    )
    found = interleave(cases, scale.rounds)
    done = Part(
        "a",
        "Span runs",
        f"`excerpt evaluate` with {', '.join(MEASURES)}; topics x results per topic. No peer can be "
        "installed: the baseline is an interpreter that imports numpy. (The official Java tool inex_eval "
        "needed 1.67 s CPU and 279 MiB for 107 x 1500 passages on another day; cited, not measured here.)",
        base=NUMPY,
        rows=[Row.of(name, samples, found[NUMPY]) for name, samples in found.items()],
    )
    for size in scale.spans:
        _judge(done, found, size, scale.runs)
    return done


def _judge(done: Part, found: dict[str, Samples], size: tuple[int, int], runs: int) -> None:
    for format_, title in FORMATS.items():
        one, many = (found.get(_name(*size, title, count)) for count in (1, runs))
        if one is None or many is None:
            continue
        what = f"{size[0]} x {size[1]}, {title}"
        further = marginal(one, many, runs - 1)
        done.figures.append(Figure(f"each further run, {what}", further, "s CPU"))
        if size != SIZE:
            continue
        if format_ == "fol":
            done.targets.append(Target(f"one run, {what}: CPU", 0.30, one.cpu, "s"))
            done.targets.append(Target(f"one run, {what}: peak memory", 100, one.peak, "MiB"))
        if format_ in FURTHER:
            done.targets.append(Target(f"each further run, {what}: CPU", FURTHER[format_], further, "s"))


def _name(topics: int, results: int, title: str, count: int) -> str:
    return f"{topics} x {results}, {title}, {count} run{'s' * (count > 1)}"


if __name__ == "__main__":
    alone(part)
