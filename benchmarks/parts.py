"""Run one part alone, when its module is called as a script."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path

from inputs import FULL, QUICK, Inputs, Scale
from results import Part, markdown, targets_table


def alone(part: Callable[[Inputs, Scale], Part]) -> None:
    """Measure one part and print it."""
    parser = argparse.ArgumentParser(description="Measure one part of the benchmarks.")
    parser.add_argument("--quick", action="store_true", help="use smaller inputs and fewer rounds")
    scale = QUICK if parser.parse_args().quick else FULL
    with tempfile.TemporaryDirectory() as folder:
        done = part(Inputs(Path(folder)), scale)
    print(markdown(done))
    if done.targets:
        print(targets_table([done]))
