"""Puts the benchmarks, which are scripts, where their tests can import them."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "benchmarks"))
