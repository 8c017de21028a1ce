"""(b) Evaluation of runs of whole documents, compared with other tools."""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from inputs import Inputs, Scale
from measuring import Case, Failed, Samples, excerpt, interleave, python, ratio, run
from parts import alone
from results import Part, Row, Target

#: The same measures under the names of excerpt, of trec_eval and pytrec_eval, of ir_measures and of ranx.
MEASURES = {
    "articleAP": ("map", "AP", "map"),
    "gP[10]": ("P_10", "P@10", "precision@10"),
    "gR[10]": ("recall_10", "R@10", "recall@10"),
    "articleP": ("set_P", "SetP", "precision"),
    "articleR": ("set_recall", "SetR", "recall"),
    "articleF": ("set_F", "SetF", "f1"),
}
TREC, IR_MEASURES, RANX = (list(names) for names in zip(*MEASURES.values(), strict=True))
TOLERANCE = 1e-6
BASE = "pytrec_eval-terrier"


@dataclass(frozen=True)
class Tool:
    """A peer: its command, the parser of its output, and the reason if it is missing."""

    name: str
    command: Callable[[Path, Path], list[str]]
    means: Callable[[str], list[float]]
    missing: Callable[[], str] = lambda: ""
    most: int | None = None
    #: Decimals in its output.
    tolerance: float = TOLERANCE


def _module(name: str) -> Callable[[], str]:
    return lambda: "" if importlib.util.find_spec(name) else "not installed in this environment"


def _program(name: str) -> Callable[[], str]:
    return lambda: "" if shutil.which(name) else f"no {name} on the PATH"


def _json(names: Sequence[str]) -> Callable[[str], list[float]]:
    return lambda printed: [json.loads(printed)[name] for name in names]


def _lines(names: Sequence[str], value: int) -> Callable[[str], list[float]]:
    """Parse lines that begin with a name, with the mean in another column."""

    def read(printed: str) -> list[float]:
        rows = {line.split()[0]: line.split()[value] for line in printed.splitlines() if line.split()}
        return [float(rows[name]) for name in names]

    return read


def _excerpt_means(printed: str) -> list[float]:
    """Parse the means of `--format tsv`: a line of names, a line of numbers."""
    header, row = (line.split("\t") for line in printed.splitlines()[:2])
    return [float(row[header.index(name)]) for name in MEASURES]


def _excerpt_command(qrels: Path, run_: Path) -> list[str]:
    named = [option for name in MEASURES for option in ("-m", name)]
    return excerpt("evaluate", qrels, run_, "--format", "tsv", *named)


TOOLS = (
    Tool("excerpt", _excerpt_command, _excerpt_means),
    Tool(
        BASE,
        lambda qrels, run_: python("with_pytrec_eval.py", qrels, run_, *TREC),
        _json(TREC),
        _module("pytrec_eval"),
    ),
    Tool(
        "ir_measures",
        lambda qrels, run_: [
            *(str(Path(sys.executable).with_name("ir_measures")), "--places", "9"),
            *(str(qrels), str(run_), *IR_MEASURES),
        ],
        _lines(IR_MEASURES, 1),
        _module("ir_measures"),
    ),
    Tool(
        "ranx",
        lambda qrels, run_: python("with_ranx.py", qrels, run_, *RANX),
        _json(RANX),
        _module("ranx"),
        most=2,
    ),
    Tool(
        "trec_eval",
        lambda qrels, run_: [
            "trec_eval",
            *(option for name in ("map", "P.10", "recall.10", *TREC[3:]) for option in ("-m", name)),
            *(str(qrels), str(run_)),
        ],
        _lines(TREC, 2),
        _program("trec_eval"),
        tolerance=6e-5,
    ),
)


def part(inputs: Inputs, scale: Scale) -> Part:
    """Compare the means of the tools, then their costs."""
    same = ", ".join(f"{ours} = {names[0]}" for ours, names in MEASURES.items())
    done = Part(
        "b",
        "Whole-document runs",
        "TREC qrels and one TREC run, whole processes from the files to the means. The measures, under their "
        f"names in excerpt and in trec_eval: {same}. Before anything is timed the means must agree "
        "to 1e-6 (trec_eval: to the four digits it prints). pytrec_eval and ranx read with their own "
        "readers, ir_measures is its command; ranx has compiled and cached its code in an unmeasured call.",
        base=BASE,
    )
    for topics, results in scale.documents:
        files = inputs.documents(topics, results)
        size = f"{topics} x {results}"
        problems = {tool.name: tool.missing() or _disagreement(tool, files) for tool in TOOLS}
        cases = [
            Case(tool.name, tool.command(*files), most=tool.most and min(tool.most, scale.few))
            for tool in TOOLS
            if not problems[tool.name]
        ]
        found = interleave(cases, scale.rounds, warm_up=False)
        base = found.get(BASE)
        for tool in TOOLS:
            what = f"{size}, {tool.name}"
            samples = found.get(tool.name)
            done.rows.append(Row.of(what, samples, base) if samples else Row(what, note=problems[tool.name]))
        if base:
            done.targets.append(_target(size, found["excerpt"], base))
        else:
            done.notes.append(f"no target for {size}: {BASE} is {problems[BASE]}")
    return done


def _target(size: str, ours: Samples, base: Samples) -> Target:
    return Target(f"{size} documents: CPU / {BASE}", 1, ratio(ours, base), strictly=True)


def _disagreement(tool: Tool, files: tuple[Path, Path]) -> str:
    """Describe how a tool's means differ, or return nothing; this first call is not measured."""
    try:
        theirs = tool.means(run(tool.command(*files)).printed)
    except Failed as error:
        return f"failed: {error}"
    ours = _excerpt_means(run(_excerpt_command(*files)).printed)
    for name, mine, other in zip(MEASURES, ours, theirs, strict=True):
        if abs(mine - other) > tool.tolerance:
            return f"disagrees on {name}: {other:.7f}, excerpt {mine:.7f}; not timed"
    return ""


if __name__ == "__main__":
    alone(part)
