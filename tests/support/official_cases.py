"""Runs and qrels written in a line, and what the official tool prints for them.

The names F1 … F8 in the tests are those of the tool's rules.
"""

from __future__ import annotations

from pathlib import Path

from excerpt.official import InexEvalOptions, Printout, evaluate_run, read_qrels
from excerpt.official.inputs import TaskLetter

Q = "1 Q0 a 100 1000 50 0:100\n"


def evaluate(
    tmp_path: Path,
    results: str,
    *,
    task: TaskLetter = "f",
    qrels: str = Q,
    raw: bool = False,
    options: InexEvalOptions | None = None,
) -> Printout:
    """Evaluate results written as `topic article offset length`, separated by slashes, or a raw file."""
    text = results
    if not raw:
        rows = [row.split() for row in results.split("/") if row.strip()]
        text = "".join(
            f"{topic} Q0 {article} {rank} {1 / rank} id {offset} {length}\n"
            for rank, (topic, article, offset, length) in enumerate(rows, start=1)
        )
    (tmp_path / "qrels").write_text(qrels)
    (tmp_path / "run").write_text(text)
    return evaluate_run(
        read_qrels(tmp_path / "qrels"),
        tmp_path / "run",
        options or InexEvalOptions(task=task, per_topic=True),
    )


def figures(printed: Printout, topic: str = "all") -> dict[str, str]:
    """The figures of a topic by name."""
    rows = [line.split("\t") for line in printed.lines if "\t" in line]
    return {row[0]: row[-1] for row in rows if row[-2] == topic}
