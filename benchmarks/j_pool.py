"""(j) Pools of 62 runs x 107 topics x 1500 results: depth, round robin, fusion; statistics of a pool."""

from __future__ import annotations

from pathlib import Path

from inputs import Inputs, Scale
from measuring import Case, Samples, excerpt, interleave
from parts import alone
from results import Figure, Part, Row, Target

EVALUATE, DEPTH, INFO = "evaluate", "depth 100", "--info on the file"
ROUND_ROBIN, DEEP, SAMPLED = "round robin to 500 documents", "depth 1500", "depth 100, a sample of 10 %"
RULES = {
    DEPTH: ("--depth", 100),
    SAMPLED: ("--depth", 100, "--sample", 0.1),
    ROUND_ROBIN: ("--documents", 500),
    DEEP: ("--depth", 1500),
    "take 300, floor 2": ("--take", 300, "--floor", 2),
}
#: Limit in CPU seconds, from the run files to the pool of depth 100.
MAKING = 6.0
#: Limit of the memory of pools that need all results, over the size of the run files.
MEMORY = 0.8
#: Limit of CPU for all results of all runs, over that of their evaluation.
OVER = 2.0


def part(inputs: Inputs, scale: Scale) -> Part:
    """Measure this part, and compare it with its targets."""
    made = make(inputs, scale)
    size = f"{scale.study_runs} runs x {scale.topics} x {scale.results}"
    file = _file(inputs, DEPTH)
    read = sum(run.stat().st_size for run in _runs(inputs, scale)[1]) / 2**20
    done = Part(
        "j",
        "Pools",
        f"`excerpt pool` of {size} from the run files to the pool file, by each of its rules, compared with "
        "`excerpt evaluate` with charP, which reads the same runs. Then `excerpt pool --info` on the file "
        "of depth 100.",
        base=EVALUATE,
        rows=[Row.of(name, samples, made[EVALUATE]) for name, samples in made.items()],
        figures=[
            Figure("the run files: size", read, "MiB"),
            Figure("the pool of depth 100: size", file.stat().st_size / 1e6, "MB"),
            Figure("the pool of depth 100: items", _items(file), ""),
        ],
    )
    if scale.full:
        done.targets.append(Target(f"a pool of depth 100, {size}: CPU", MAKING, made[DEPTH].cpu, "s"))
        done.targets.append(Target(f"{DEEP} / evaluate: CPU", OVER, made[DEEP].cpu / made[EVALUATE].cpu))
        for name in (ROUND_ROBIN, DEEP, SAMPLED):
            done.targets.append(
                Target(f"{name}: peak / size of the run files", MEMORY, made[name].peak / read)
            )
    return done


def make(inputs: Inputs, scale: Scale) -> dict[str, Samples]:
    """Write the pools to the files named by `_file`."""
    qrels, runs = _runs(inputs, scale)
    cases = [Case(EVALUATE, excerpt("evaluate", qrels, *runs, "-m", "charP"))]
    cases += [
        Case(name, excerpt("pool", *runs, *rule, "-o", _file(inputs, name))) for name, rule in RULES.items()
    ]
    cases.append(Case(INFO, excerpt("pool", "--info", _file(inputs, DEPTH))))
    return interleave(cases, scale.study_rounds, warm_up=False)


def _runs(inputs: Inputs, scale: Scale) -> tuple[Path, tuple[Path, ...]]:
    return inputs.spans(scale.topics, scale.results, scale.study_runs)


def _file(inputs: Inputs, name: str) -> Path:
    return inputs.folder / f"pool-{list(RULES).index(name)}.tsv"


def _items(file: Path) -> int:
    """Number of rows of a pool file."""
    with file.open(encoding="utf-8") as lines:
        return sum(1 for line in lines if not line.startswith("#")) - 1


if __name__ == "__main__":
    alone(part)
