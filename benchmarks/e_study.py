"""(e) The study of Pal et al. at its original size: 62 runs x 107 topics x 1500 results, files to figures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from inputs import Inputs, Scale
from measuring import Case, Samples, Usage, excerpt, interleave
from parts import alone
from results import Part, Row, Target

MEASURES = ("iP[0.00]", "iP[0.01]", "iP[0.05]", "iP[0.10]", "MAiP")
EXPERIMENTS = ("pool", "topics", "errors")
WORKERS = 2
LIMIT = 20.0


def study(folder: Path, qrels: Path, runs: Sequence[Path], *arguments: str) -> dict[str, list[str]]:
    """The commands of the three experiments, by name."""
    named = [option for name in MEASURES for option in ("-m", name)]
    return {
        name: excerpt(
            *("stability", name, qrels, *runs, *named, "--workers", WORKERS),
            *("--figure", folder / f"{name}.svg", *arguments),
        )
        for name in EXPERIMENTS
    }


def whole(found: Sequence[Samples]) -> Samples:
    """The experiments of each round added up; the peak is that of the largest."""
    return Samples(
        [
            Usage(
                cpu=sum(usage.cpu for usage in usages),
                wall=sum(usage.wall for usage in usages),
                peak=max(usage.peak for usage in usages),
                read=sum(usage.read for usage in usages),
            )
            for usages in zip(*(samples.usages for samples in found), strict=True)
        ]
    )


def part(inputs: Inputs, scale: Scale) -> Part:
    """Measure and judge."""
    qrels, runs = inputs.spans(scale.topics, scale.results, scale.study_runs)
    commands = study(inputs.folder, qrels, runs)
    # Without a warm-up: such a study is run once, and the files have just been written.
    found = interleave([Case(*pair) for pair in commands.items()], scale.study_rounds, warm_up=False)
    total = whole(list(found.values()))
    size = f"{scale.study_runs} runs x {scale.topics} x {scale.results}"
    return Part(
        "e",
        "The study of Pal et al.",
        f"`excerpt stability pool`, `topics` and `errors` with {WORKERS} workers on {size}, five measures "
        f"({', '.join(MEASURES)}), four levels of ten samples, each from the run files to its figure. CPU "
        "with the workers'; the peak is that of the largest process.",
        base="all three",
        rows=[
            *(Row.of(f"stability {name}", samples, total) for name, samples in found.items()),
            Row.of("all three", total),
        ],
        targets=[Target(f"the study, {size}: wall", LIMIT, total.wall, "s")] if scale.full else [],
    )


if __name__ == "__main__":
    alone(part)
