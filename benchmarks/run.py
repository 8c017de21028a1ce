"""The benchmarks: evaluating runs, building and asking the index, start-up; CPU time, peak memory, growth.

    python3 dev.py bench [--quick] [--json FILE]

Every figure is the median of interleaved rounds, measured from outside the process (user + system time).
Inputs are generated, the same every time.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from generated_elements import write_assessments, write_run
from generated_runs import write_collection

HERE = Path(__file__).parent
_MEASURES = [option for name in ("iP@0.01", "MAiP", "charF", "articleAP") for option in ("-m", name)]

_ELEMENTS = [
    option
    for name in ("inex_eval", "nxCG@10", "nxCG(ideal=focused)@10", "MAnxCG@50", "MAep", "iMAep", "Q", "R")
    for option in ("-m", name)
]


def measure(command: list[str]) -> tuple[float, float]:
    """CPU seconds and peak MiB of a process."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    if status:
        raise SystemExit(f"failed: {' '.join(command)}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def rounds(commands: dict[str, list[str]], count: int) -> dict[str, tuple[float, float]]:
    """Medians of interleaved rounds."""
    seen: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for _ in range(count):
        for name, command in commands.items():
            seen[name].append(measure(command))
    return {
        name: (statistics.median(cpu for cpu, _ in found), statistics.median(peak for _, peak in found))
        for name, found in seen.items()
    }


def evaluation(folder: Path, count: int) -> dict[str, object]:
    """One run, six runs, growth at 1, 4 and 16 times the results; and the cost of starting."""
    python = [sys.executable, "-m", "excerpt"]
    qrels, runs = write_collection(folder, runs=6)
    assessments, elements = str(write_assessments(folder)), str(write_run(folder))
    sizes = {}
    for factor in (1, 4, 16):
        grown_qrels, grown = write_collection(folder, results=1500 * factor // 16, runs=1, seed=factor)
        sizes[factor] = [*python, "evaluate", str(grown_qrels), str(grown[0]), "--limit", "none", *_MEASURES]
    found = rounds(
        {
            "bare interpreter": [sys.executable, "-c", "pass"],
            "import numpy": [sys.executable, "-c", "import numpy"],
            "excerpt --help": [*python, "--help"],
            "evaluate, 1 run of 107 x 1500": [*python, "evaluate", str(qrels), str(runs[0]), *_MEASURES],
            "evaluate, 6 runs": [*python, "evaluate", str(qrels), *map(str, runs), *_MEASURES],
            "element measures, 200,000 assessed": [*python, "evaluate", assessments, elements, *_ELEMENTS],
            "inex_eval -f, 1 run": [*python, "inex_eval", "-f", str(qrels), str(runs[0])],
            **{
                f"evaluate, {107 * (1500 * factor // 16)} results": command
                for factor, command in sizes.items()
            },
        },
        count,
    )
    one, six = found["evaluate, 1 run of 107 x 1500"][0], found["evaluate, 6 runs"][0]
    start = found["import numpy"][0]
    rows: list[dict[str, Any]] = [
        {"what": name, "cpu_seconds": round(cpu, 3), "peak_mib": round(peak, 1)}
        for name, (cpu, peak) in found.items()
    ]
    for factor in sizes:
        results = 107 * (1500 * factor // 16)
        row = next(row for row in rows if row["what"] == f"evaluate, {results} results")
        row["microseconds_per_result_over_start"] = round(1e6 * (row["cpu_seconds"] - start) / results, 2)
    return {"rows": rows, "marginal_cpu_seconds_per_run": round((six - one) / 5, 3)}


def show(report: dict[str, object]) -> None:
    """Print the evaluation figures as a table."""
    rows = report["rows"]
    assert isinstance(rows, list)
    for row in rows:
        each = row.get("microseconds_per_result_over_start")
        more = f"  {each:.2f} us a result over import numpy" if each is not None else ""
        print(f"{row['what']:<36} {row['cpu_seconds']:>8.3f} s CPU {row['peak_mib']:>8.1f} MiB{more}")
    print(f"{'each further run':<36} {report['marginal_cpu_seconds_per_run']:>8.3f} s CPU")


def main() -> None:
    """Run everything and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--quick", action="store_true", help="fewer rounds and smaller corpora")
    parser.add_argument("--json", type=Path, help="also write the evaluation figures there")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        report = evaluation(Path(name), 3 if arguments.quick else 7)
    show(report)
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    print()
    documents = ["--documents", "500"] if arguments.quick else []
    subprocess.run([sys.executable, str(HERE / "index_bench.py"), *documents], check=True)
    print("\nthe study of Pal et al.")
    runs = ["--runs", "6"] if arguments.quick else []
    subprocess.run([sys.executable, str(HERE / "stability_bench.py"), *runs], check=True)


if __name__ == "__main__":
    main()
