"""(i) Reports of 62 runs x 107 topics x 1500 results and others: writing, opening, exploring."""

from __future__ import annotations

import importlib.util
import json
import statistics
import sys
from pathlib import Path

from generated_document import Written
from inputs import Inputs, Scale
from measuring import Case, Failed, Samples, excerpt, interleave, python, run
from parts import alone
from results import Figure, Part, Row, Target

MEASURES = ("MAiP", "iP[0.01]", "charP", "charR", "articleAP")
ROOT = Path(__file__).resolve().parents[1]
EVALUATE, REPORT, DEMO, LONG = "evaluate", "report", "demo --report", "report of a long document"
BROWSER = "in the browser"
#: Megabytes of the embedded collection's report; seconds and MiB of the study's; seconds of the others.
SIZE, MAKING, PEAK, FIRST, OPENING, ANSWERING = 1.2, 15.0, 500.0, 0.5, 1.0, 0.3
ASKED = 5


def part(inputs: Inputs, scale: Scale) -> Part:
    """Measure this part, and compare it with its targets."""
    long = inputs.document(*scale.long, xml=False)
    made = make(inputs, scale, long)
    size = f"{scale.study_runs} runs x {scale.topics} x {scale.results}"
    characters, passages = (f"{number:,}" for number in scale.long)
    done = Part(
        "i",
        "Reports",
        f"`excerpt report --no-text` and `excerpt evaluate`, both by {len(MEASURES)} measures, of {size} "
        "in 50,000 documents: scores, all pairs compared, every result of every topic; at full size the "
        f"report is a folder. Then `excerpt demo --report`, and the report of {characters} characters in one "
        f"document with {passages} relevant passages. In chromium without a window: CPU of all its processes "
        "until the first view of the demo is drawn, and its clock from the link to the painted document. "
        f"`excerpt explore` is asked for the document {ASKED} times, up to the last byte of its answer.",
        base=EVALUATE,
        rows=[
            Row.of(name, samples, made[EVALUATE] if name == REPORT else None)
            for name, samples in made.items()
        ],
    )
    megabytes = _written(made[DEMO]) / 1e6
    done.figures += [
        Figure(f"{DEMO}: size", megabytes, "MB"),
        Figure(f"{REPORT}, {size}: size", _written(made[REPORT]) / 1e6, "MB"),
    ]
    targets = [
        Target(f"the report, {size}: CPU", MAKING, made[REPORT].cpu, "s"),
        Target(f"the report, {size}: peak", PEAK, made[REPORT].peak, "MiB"),
        Target("the report of the embedded collection: size", SIZE, megabytes, "MB"),
    ]
    targets += answer(done, inputs, scale) + show(done, inputs, scale)
    if scale.full:
        done.targets += targets
    return done


def make(inputs: Inputs, scale: Scale, long: Written) -> dict[str, Samples]:
    """Write the reports to the files named by `_file`."""
    qrels, runs = inputs.spans(scale.topics, scale.results, scale.study_runs)
    named = [option for name in MEASURES for option in ("-m", name)]
    as_json = ("--format", "json")
    wide = [qrels, *runs, *named, *as_json]
    tall = [long.qrels, long.run, "-m", "charP", "--corpus", long.corpus, *as_json]
    cases = [
        Case(EVALUATE, excerpt("evaluate", *wide)),
        Case(REPORT, excerpt("report", *wide, "--no-text", "-o", _file(inputs, "study"))),
        Case(DEMO, excerpt("demo", "--report", _file(inputs, "demo"), *as_json)),
        Case(LONG, excerpt("report", *tall, "-o", _file(inputs, "long"))),
    ]
    return interleave(cases, scale.study_rounds, warm_up=False)


def answer(done: Part, inputs: Inputs, scale: Scale) -> list[Target]:
    """Request the long document from the server, as plain text and as XML."""
    program, targets = excerpt()[0], []
    for kind, xml in (("plain text", False), ("XML", True)):
        command = python("ask_explore.py", program, ASKED, *inputs.document(*scale.long, xml=xml))
        what = f"explore answers with {scale.long[0]:,} characters of {kind}"
        try:
            printed = [json.loads(run(command).printed) for _ in range(scale.few)]
        except Failed as error:
            done.rows.append(Row(what, note=f"not measured: {error}"))
            continue
        first = statistics.median(times[0] for times in printed)
        again = statistics.median(seconds for times in printed for seconds in times[1:])
        done.figures.append(Figure(f"{what}, first time", first, "s wall"))
        done.figures.append(Figure(f"{what}, again", again, "s wall"))
        targets.append(Target(f"{what}: wall", ANSWERING, first, "s"))
    return targets


def show(done: Part, inputs: Inputs, scale: Scale) -> list[Target]:
    """Open the reports in a browser, if there is one."""
    program, problem = find_browser()
    found: dict[str, float] = {}
    if not problem:
        command = python("in_browser.py", program, _file(inputs, "demo"), _file(inputs, "long"))
        try:
            rounds = [json.loads(run(command).printed) for _ in range(scale.few)]
            found = {name: statistics.median(one[name] for one in rounds) for name in rounds[0]}
        except Failed as error:
            problem = f"the browser failed: {error}"
    if problem:
        done.rows.append(Row(BROWSER, note=f"not measured: {problem}"))
        return []
    characters, passages = (f"{number:,}" for number in scale.long)
    first = "the first view of the embedded collection's report"
    opening = f"opening {characters} characters with {passages} passages"
    done.figures += [
        Figure(f"{BROWSER}: {first}", found["first"], "s CPU"),
        Figure(f"{BROWSER}: {opening}", found["document"], "s wall"),
    ]
    return [
        Target(f"{first}: CPU in the browser", FIRST, found["first"], "s"),
        Target(f"{opening}: wall", OPENING, found["document"], "s"),
    ]


def find_browser() -> tuple[str, str]:
    """Find the browser of the tests, or the reason why there is none."""
    if importlib.util.find_spec("playwright") is None:
        return "", "playwright is not installed in this environment"
    if str(ROOT / "tools") not in sys.path:
        sys.path.append(str(ROOT / "tools"))
    import programs

    return programs.find_browser() or "", "" if programs.find_browser() else programs.missing_browser()


def _file(inputs: Inputs, name: str) -> Path:
    return inputs.folder / f"{name}.html"


def _written(samples: Samples) -> int:
    """Bytes of a report, as printed by the command."""
    return int(json.loads(samples.printed[-1])["bytes"])


if __name__ == "__main__":
    alone(part)
