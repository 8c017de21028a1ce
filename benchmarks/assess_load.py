"""Load of many assessors who act at times planned in advance (an open loop).

    python benchmarks/assess_load.py LINKS NOTES [--seconds 60] [--rate 1] [--seed 1]

LINKS is the output of `excerpt assess people FOLDER add …`. Each assessor acts at random times, once a second
on average. An action takes from its planned time to the last byte of its answer, so a slow answer also delays
later actions. Prints a line of JSON; acknowledged events are written to NOTES, for `assess_check.py`.
"""

from __future__ import annotations

import argparse
import json
import random
import threading
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assessor_client import Assessor, Lost, Refused, read_link

#: Seconds in which all assessors must have opened their documents.
_READY = 120


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the load and print its times."""
    options = parse(arguments)
    lines = options.links.read_text(encoding="utf-8").splitlines()
    with options.notes.open("w", encoding="utf-8") as notes:
        assessors = [Assessor(read_link(line), options.seed, notes) for line in lines]
        print(json.dumps(load(assessors, options.seconds, options.rate, options.seed)))


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description="Judge in a campaign at times planned in advance.")
    parser.add_argument("links", type=Path, help="links of the assessors, one per line")
    parser.add_argument("notes", type=Path, help="file for the acknowledged events")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--rate", type=float, default=1, help="actions per second and assessor (default: 1)")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args(arguments)


def planned(seconds: float, rate: float, seed: str) -> list[float]:
    """Random times, `rate` per second on average."""
    chance, times, at = random.Random(seed), [], 0.0
    while (at := at + chance.expovariate(rate)) < seconds:
        times.append(at)
    return times


def load(assessors: Sequence[Assessor], seconds: float, rate: float, seed: int) -> dict[str, Any]:
    """Let all assessors act; return times and faults."""
    ready = threading.Barrier(len(assessors) + 1, timeout=_READY)
    begin: list[float] = []
    taken: list[float] = []
    faults: Counter[str] = Counter()

    def work(assessor: Assessor, times: list[float]) -> None:
        assessor.read()
        ready.wait()
        ready.wait()
        for planned_time in times:
            time.sleep(max(0.0, begin[0] + planned_time - time.perf_counter()))
            try:
                assessor.act()
            except Refused as refused:
                if refused.status != 422:  # a rule that this client does not implement
                    faults[str(refused.status)] += 1
                    continue
            except Lost as lost:
                faults[str(lost)] += 1
                continue
            taken.append(time.perf_counter() - begin[0] - planned_time)

    plans = [planned(seconds, rate, f"{seed} {assessor.link.name}") for assessor in assessors]
    threads = [threading.Thread(target=work, args=pair) for pair in zip(assessors, plans, strict=True)]
    for thread in threads:
        thread.start()
    ready.wait()
    begin.append(time.perf_counter())
    ready.wait()
    for thread in threads:
        thread.join()
    return summary(taken, sum(map(len, plans)), sum(each.acknowledged for each in assessors), faults)


def summary(taken: list[float], tried: int, acknowledged: int, faults: Counter[str]) -> dict[str, Any]:
    """Counts, and percentiles of the times in milliseconds."""
    ordered = sorted(taken)
    return {
        "planned": tried,
        "answered": len(taken),
        "acknowledged": acknowledged,
        "faults": dict(faults),
        "p50": percentile(ordered, 0.5),
        "p90": percentile(ordered, 0.9),
        "p99": percentile(ordered, 0.99),
        "most": percentile(ordered, 1),
    }


def percentile(ordered: Sequence[float], part: float) -> float:
    """Milliseconds within which a proportion of the actions was answered.

    >>> percentile([0.001, 0.002, 0.003, 0.004], 0.5), percentile([0.001], 0.99)
    (2.0, 1.0)
    """
    if not ordered:
        return float("nan")
    return round(1000 * ordered[max(0, -int(-part * len(ordered) // 1) - 1)], 2)


if __name__ == "__main__":
    main()
