"""(e) The study of Pal et al. at its original size: 62 runs x 107 topics x 1500 results, files to figures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from inputs import Inputs, Scale
from measuring import Case, excerpt, interleave
from parts import alone
from results import Part, Row, Target

MEASURES = ("iP[0.00]", "iP[0.01]", "iP[0.05]", "iP[0.10]", "MAiP")
EXPERIMENTS = ("all", "pool", "topics", "errors")
WORKERS = 2
LIMIT = 20.0


def study(folder: Path, qrels: Path, runs: Sequence[Path], experiment: str = "all") -> list[str]:
    """Command of an experiment, or of the three of the paper from one reading of the runs."""
    named = [option for name in MEASURES for option in ("-m", name)]
    written = ("-o", folder / f"{experiment}.txt", "--figure", folder / f"{experiment}.svg")
    return excerpt("stability", experiment, qrels, *runs, *named, "--workers", WORKERS, *written)


def part(inputs: Inputs, scale: Scale) -> Part:
    """Measure this part, and compare it with its targets."""
    qrels, runs = inputs.spans(scale.topics, scale.results, scale.study_runs)
    # There is no warm-up: such a study is run once, and its files have just been written.
    cases = [Case(name, study(inputs.folder, qrels, runs, name)) for name in EXPERIMENTS]
    found = interleave(cases, scale.study_rounds, warm_up=False)
    whole = found["all"]
    size = f"{scale.study_runs} runs x {scale.topics} x {scale.results}"
    return Part(
        "e",
        "The study of Pal et al.",
        f"`excerpt stability all` (pool sampling, topic sampling and error rates), and each experiment "
        f"alone, with {WORKERS} workers on {size}, five measures ({', '.join(MEASURES)}), four levels of "
        "ten samples, from the run files to the figures. CPU with the workers'; the peak is that of the "
        "largest process.",
        base="stability all",
        rows=[Row.of(f"stability {name}", samples, whole) for name, samples in found.items()],
        targets=[Target(f"the study, {size}: wall", LIMIT, whole.wall, "s")] if scale.full else [],
    )


if __name__ == "__main__":
    alone(part)
