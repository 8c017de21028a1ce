"""Assessors at work, at moments that are planned beforehand, whatever the server does (an open loop).

    python benchmarks/assess_load.py LINKS NOTES [--seconds 60] [--rate 1] [--seed 1]

LINKS is what `excerpt assess people FOLDER add …` printed. Each of them acts at random, once in a second on
average. An action takes from its planned moment to the last byte of its answer, so who waits makes the next
ones late, too. Prints a line of JSON; what was acknowledged is noted in NOTES, for `assess_check.py`.
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

#: Seconds that everybody has to open their documents.
_READY = 120


def main(arguments: Sequence[str] | None = None) -> None:
    """Act, then print."""
    options = parse(arguments)
    lines = options.links.read_text(encoding="utf-8").splitlines()
    with options.notes.open("w", encoding="utf-8") as notes:
        assessors = [Assessor(read_link(line), options.seed, notes) for line in lines]
        print(json.dumps(load(assessors, options.seconds, options.rate, options.seed)))


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(description="Judges in a campaign at planned moments.")
    parser.add_argument("links", type=Path)
    parser.add_argument("notes", type=Path)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--rate", type=float, default=1, help="actions a second, of each")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args(arguments)


def planned(seconds: float, rate: float, seed: str) -> list[float]:
    """Moments at random, so many a second on average."""
    chance, moments, at = random.Random(seed), [], 0.0
    while (at := at + chance.expovariate(rate)) < seconds:
        moments.append(at)
    return moments


def load(assessors: Sequence[Assessor], seconds: float, rate: float, seed: int) -> dict[str, Any]:
    """Have all of them act; how long it took, and what went wrong."""
    ready = threading.Barrier(len(assessors) + 1, timeout=_READY)
    begin: list[float] = []
    taken: list[float] = []
    faults: Counter[str] = Counter()

    def work(assessor: Assessor, moments: list[float]) -> None:
        assessor.read()
        ready.wait()
        ready.wait()
        for moment in moments:
            time.sleep(max(0.0, begin[0] + moment - time.perf_counter()))
            try:
                assessor.act()
            except Refused as refused:
                if refused.status != 422:  # a rule that the program does not know
                    faults[str(refused.status)] += 1
                    continue
            except Lost as lost:
                faults[str(lost)] += 1
                continue
            taken.append(time.perf_counter() - begin[0] - moment)

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
    """The numbers: milliseconds at some shares of the actions."""
    ordered = sorted(taken)
    return {
        "planned": tried,
        "answered": len(taken),
        "acknowledged": acknowledged,
        "faults": dict(faults),
        "p50": share(ordered, 0.5),
        "p90": share(ordered, 0.9),
        "p99": share(ordered, 0.99),
        "most": share(ordered, 1),
    }


def share(ordered: Sequence[float], part: float) -> float:
    """Milliseconds within which a share of the actions was answered.

    >>> share([0.001, 0.002, 0.003, 0.004], 0.5), share([0.001], 0.99)
    (2.0, 1.0)
    """
    if not ordered:
        return float("nan")
    return round(1000 * ordered[max(0, -int(-part * len(ordered) // 1) - 1)], 2)


if __name__ == "__main__":
    main()
