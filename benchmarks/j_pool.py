"""(j) Pools of 62 runs x 107 topics x 1500 results: depth, round robin, fusion; statistics of a pool."""

from __future__ import annotations

from pathlib import Path

from inputs import Inputs, Scale
from measuring import Case, Samples, excerpt, interleave
from parts import alone
from results import Figure, Part, Row, Target

EVALUATE, DEPTH, INFO = "evaluate", "depth 100", "--info on the file"
RULES = {
    DEPTH: ("--depth", 100),
    "depth 100, a sample of 5 %": ("--depth", 100, "--sample", 0.05),
    "round robin to 500 documents": ("--documents", 500),
    "take 300, floor 2": ("--take", 300, "--floor", 2),
}
#: Limit in CPU seconds, from the run files to the pool of depth 100.
MAKING = 6.0


def part(inputs: Inputs, scale: Scale) -> Part:
    """Measure this part, and compare it with its targets."""
    made = make(inputs, scale)
    size = f"{scale.study_runs} runs x {scale.topics} x {scale.results}"
    file = _file(inputs, DEPTH)
    done = Part(
        "j",
        "Pools",
        f"`excerpt pool` of {size} from the run files to the pool file, by each of its rules, compared with "
        "`excerpt evaluate` with charP, which reads the same runs. Then `excerpt pool --info` on the file "
        "of depth 100.",
        base=EVALUATE,
        rows=[Row.of(name, samples, made[EVALUATE]) for name, samples in made.items()],
        figures=[
            Figure("the pool of depth 100: size", file.stat().st_size / 1e6, "MB"),
            Figure("the pool of depth 100: items", _items(file), ""),
        ],
    )
    if scale.full:
        done.targets.append(Target(f"a pool of depth 100, {size}: CPU", MAKING, made[DEPTH].cpu, "s"))
    return done


def make(inputs: Inputs, scale: Scale) -> dict[str, Samples]:
    """Write the pools to the files named by `_file`."""
    qrels, runs = inputs.spans(scale.topics, scale.results, scale.study_runs)
    cases = [Case(EVALUATE, excerpt("evaluate", qrels, *runs, "-m", "charP"))]
    cases += [
        Case(name, excerpt("pool", *runs, *rule, "-o", _file(inputs, name))) for name, rule in RULES.items()
    ]
    cases.append(Case(INFO, excerpt("pool", "--info", _file(inputs, DEPTH))))
    return interleave(cases, scale.study_rounds, warm_up=False)


def _file(inputs: Inputs, name: str) -> Path:
    return inputs.folder / f"pool-{list(RULES).index(name)}.tsv"


def _items(file: Path) -> int:
    """Number of rows of a pool file."""
    with file.open(encoding="utf-8") as lines:
        return sum(1 for line in lines if not line.startswith("#")) - 1


if __name__ == "__main__":
    alone(part)
