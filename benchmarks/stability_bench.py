"""The study of Pal et al. at its original size: 62 runs, 107 topics, 1500 results, from files to figures.

    python benchmarks/stability_bench.py [--runs 62] [--topics 107] [--results 1500] [--workers 2]

Pool and topic sampling at four levels with ten samples each, error rates of all pairs, five measures.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from generated_runs import write_collection

MEASURES = ("iP[0.00]", "iP[0.01]", "iP[0.05]", "iP[0.10]", "MAiP")


def main() -> None:
    """Generate, run the three experiments, print wall time, CPU time and peak memory of each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    for name, value in (("runs", 62), ("topics", 107), ("results", 1500), ("workers", 2)):
        parser.add_argument(f"--{name}", type=int, default=value)
    options = parser.parse_args()
    names = [option for name in MEASURES for option in ("-m", name)]
    with tempfile.TemporaryDirectory() as folder:
        qrels, runs = write_collection(
            Path(folder), topics=options.topics, results=options.results, runs=options.runs
        )
        total = 0.0
        for experiment in ("pool", "topics", "errors"):
            command = [sys.executable, "-m", "excerpt", "stability", experiment, str(qrels), *map(str, runs)]
            command += [
                *names,
                "--workers",
                str(options.workers),
                "--figure",
                str(Path(folder) / f"{experiment}.svg"),
            ]
            total += _report(experiment, command)
        print(f"{'all':<8} {total:7.1f} s wall")


def _report(name: str, command: list[str]) -> float:
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    if status:
        raise SystemExit(f"failed: {' '.join(command[:5])}")
    wall = time.monotonic() - begin
    print(f"{name:<8} {wall:7.1f} s wall, largest process {usage.ru_maxrss / 1024:.0f} MiB")
    return wall


if __name__ == "__main__":
    main()
