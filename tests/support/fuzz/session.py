"""A session of fuzzing: inputs from a seed, for as long as asked; those that fail are kept.

`python3 dev.py fuzz --minutes 10` runs it; `--seed` repeats a session, `--only` takes some kinds of files.
"""

from __future__ import annotations

import argparse
import faulthandler
import itertools
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

if sys.platform != "win32":
    import resource

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from support.fuzz.harness import Harness
from support.fuzz.targets import Target, targets

_STUCK = 120  # seconds after which even code that cannot be interrupted is ended, with a traceback
_SHOWN = 4  # lines of a traceback
_MEMORY = 8 << 30  # bytes of address space; a file that needs more than is there ends with a message


def run(arguments: Sequence[str]) -> int:
    """Fuzz for some minutes; the number of failures decides the status."""
    parser = argparse.ArgumentParser(prog="dev.py fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0, help="how long (default: 1)")
    parser.add_argument("--seed", type=int, default=None, help="of all choices (default: a new one, printed)")
    parser.add_argument("--only", default="", help="kinds of files whose names contain this")
    parser.add_argument("--keep", type=Path, default=Path(".venv/fuzz"), help="where failing inputs are kept")
    given = parser.parse_args(arguments)
    seed = random.SystemRandom().randrange(10**6) if given.seed is None else given.seed
    print(f"seed {seed}", flush=True)
    if sys.platform != "win32":
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    with tempfile.TemporaryDirectory() as folder:
        harness = Harness(Path(folder))
        chosen = [target for name, target in targets().items() if given.only in name]
        tried, failures = _fuzz(harness, chosen, seed, given.minutes * 60, given.keep.resolve())
    print(f"{sum(tried.values())} inputs, {failures} failures; seed {seed}")
    print(", ".join(f"{name} {count}" for name, count in sorted(tried.items())))
    return 1 if failures else 0


def _fuzz(
    harness: Harness, chosen: Sequence[Target], seed: int, seconds: float, keep: Path
) -> tuple[Counter[str], int]:
    tried: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    end = time.monotonic() + seconds
    for number in itertools.count():
        for target in chosen:
            if time.monotonic() > end:
                return tried, sum(seen.values())
            faulthandler.dump_traceback_later(_STUCK, exit=True)
            data, command = harness.damage(target, f"{seed} {target.name} {number}")
            wrong = harness.attempt(target, data, command).wrong
            tried[target.name] += 1
            if wrong:
                kind = f"{target.name} {wrong.splitlines()[-1][:60]}"
                seen[kind] += 1
                if seen[kind] <= 3:  # the same again teaches nothing
                    _keep(keep / f"{target.name}-{seed}-{number}", data, command, wrong)
    raise AssertionError("there is always another input")


def _keep(path: Path, data: bytes, command: tuple[str, ...], wrong: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    told = f"excerpt {' '.join(command)}\n{wrong}\n"
    path.with_name(f"{path.name}.txt").write_text(told, encoding="utf-8", errors="backslashreplace")
    lines = told.splitlines()
    shown = lines if len(lines) <= _SHOWN else [lines[0], "…", *lines[-_SHOWN:]]
    print("\n".join([f"-- {path}", *shown]), flush=True)


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
