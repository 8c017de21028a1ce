"""Time and memory of whole processes, measured from outside in interleaved rounds.

CPU time is user + system time of a process and of those it started and waited for (workers); the peak is
that of the largest single process among them.
"""

from __future__ import annotations

import json
import math
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent


class Failed(Exception):
    """A command failed; the text is the last line of its output."""


class Usage(NamedTuple):
    """Resources of one process: seconds and MiB."""

    cpu: float
    wall: float
    peak: float
    read: float


class Finished(NamedTuple):
    """Resources and output of a process."""

    usage: Usage
    printed: str


@dataclass(frozen=True)
class Case:
    """One command in a comparison; `before` is called, unmeasured, ahead of each round."""

    name: str
    command: Sequence[str]
    before: Callable[[], object] | None = None
    #: Largest number of rounds, for slow commands.
    most: int | None = None


@dataclass
class Samples:
    """Measurements of all rounds of one command."""

    usages: list[Usage] = field(default_factory=list)
    #: Output of each round.
    printed: list[str] = field(default_factory=list)

    @property
    def cpu(self) -> float:
        """Median CPU time."""
        return statistics.median(usage.cpu for usage in self.usages)

    @property
    def least(self) -> float:
        """Smallest CPU time, that with the least disturbance by other processes."""
        return min(usage.cpu for usage in self.usages)

    @property
    def wall(self) -> float:
        """Median wall time."""
        return statistics.median(usage.wall for usage in self.usages)

    @property
    def peak(self) -> float:
        """Median peak memory."""
        return statistics.median(usage.peak for usage in self.usages)


def python(script: str, *arguments: object) -> list[str]:
    """Command of a script in `work`."""
    return [sys.executable, str(HERE / "work" / script), *map(str, arguments)]


def excerpt(*arguments: object) -> list[str]:
    """Command of excerpt, as a user calls it."""
    return [str(Path(sys.executable).with_name("excerpt")), *map(str, arguments)]


def code(text: str) -> list[str]:
    """Command that runs a line of Python."""
    return [sys.executable, "-c", text]


def run(command: Sequence[str]) -> Finished:
    """Run a command to its end and measure it."""
    with tempfile.TemporaryDirectory() as folder:
        output, errors = Path(folder) / "output", Path(folder) / "errors"
        launch = [sys.executable, "-I", "-S", str(HERE / "launch.py"), str(output), str(errors), *command]
        done = subprocess.run(launch, check=False, capture_output=True, text=True)
        if done.returncode:
            raise Failed(_last_line(done.stderr))
        used = json.loads(done.stdout)
        if used.pop("status"):
            raise Failed(_last_line(errors.read_text(encoding="utf-8", errors="replace")))
        return Finished(Usage(**used), output.read_text(encoding="utf-8"))


def interleave(cases: Sequence[Case], rounds: int, *, warm_up: bool = True) -> dict[str, Samples]:
    """Run all cases in turn, `rounds` times, after one unmeasured round that fills the caches."""
    found = {case.name: Samples() for case in cases}
    for number in range(-warm_up, rounds):
        for case in cases:
            if case.most is not None and number >= case.most:
                continue
            if case.before:
                case.before()
            finished = run(case.command)
            if number >= 0:
                found[case.name].usages.append(finished.usage)
                found[case.name].printed.append(finished.printed)
    return found


def ratio(these: Samples, those: Samples) -> float:
    """Ratio of CPU times: the median over the rounds that both have."""
    return statistics.median(a.cpu / b.cpu for a, b in zip(these.usages, those.usages, strict=False))


def marginal(one: Samples, many: Samples, further: int) -> float:
    """CPU seconds of each further run: the median over the rounds."""
    return statistics.median((b.cpu - a.cpu) / further for a, b in zip(one.usages, many.usages, strict=False))


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """Slope of log cost over log size by least squares; NaN if a cost is not above 0."""
    if min(costs) <= 0:
        return math.nan
    return statistics.linear_regression(
        [math.log(size) for size in sizes], [math.log(c) for c in costs]
    ).slope


def _last_line(text: str) -> str:
    """Last line of a message, without folders, since it may appear in the results."""
    lines = text.strip().splitlines()
    return re.sub(r"(/[^/\s:'\"]+)+/", "", lines[-1]) if lines else "no message"
