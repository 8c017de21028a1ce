"""(h) Start-up: `excerpt --help` and small commands of an installed wheel, compared with numpy and peers."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from unittest import mock

from inputs import Inputs, Scale
from measuring import HERE, Case, Failed, interleave, ratio, run
from parts import alone
from results import Figure, Part, Row, Target

MODULES = ("excerpt", "numpy", "pytrec_eval", "ir_measures", "ranx", "scipy.stats")
BASE = "bare interpreter"
NUMPY = "import numpy"
HELP, EVALUATE, TREC_EVAL = (
    "excerpt --help",
    "excerpt evaluate, a small run",
    "excerpt trec_eval, a small run",
)
#: Topics and results of the small runs, which take almost no time to evaluate.
SMALL = (10, 20)


def part(inputs: Inputs, scale: Scale) -> Part:
    """Measure with one thread of BLAS, since starting several takes time outside excerpt."""
    with mock.patch.dict(os.environ, OPENBLAS_NUM_THREADS="1"):
        return _part(inputs, scale)


def _part(inputs: Inputs, scale: Scale) -> Part:
    python = install(inputs.place("installed"))
    excerpt = str(python.with_name("excerpt"))
    statements = [f"import {module}" for module in MODULES]
    problems = {statement: _problem(python, statement) for statement in statements}
    qrels, runs = inputs.spans(*SMALL, 1)
    found = interleave(
        [
            Case(BASE, [str(python), "-c", "pass"]),
            *(Case(text, [str(python), "-c", text]) for text in statements if not problems[text]),
            Case(HELP, [excerpt, "--help"]),
            Case(EVALUATE, [excerpt, "evaluate", str(qrels), str(runs[0]), "-m", "MAiP"]),
            Case(TREC_EVAL, [excerpt, "trec_eval", *map(str, inputs.documents(*SMALL))]),
        ],
        3 * scale.rounds if scale.full else scale.rounds,
    )
    done = Part(
        "h",
        "Starting",
        "Cost of starting a process, from an installed wheel, with one thread of BLAS. "
        f"The small runs have {SMALL[0]} topics with {SMALL[1]} results each.",
        base=BASE,
        rows=[Row.of(name, samples, found[BASE]) for name, samples in found.items()],
    )
    done.rows += [Row(statement, note=problem) for statement, problem in problems.items() if problem]
    for name, samples in found.items():
        if name != BASE:
            over = 1000 * (samples.cpu - found[BASE].cpu)
            done.figures.append(Figure(f"{name}: over the bare interpreter", over, "ms CPU"))
    for name in (HELP, EVALUATE, TREC_EVAL):
        done.figures.append(Figure(f"{name}: CPU over that of {NUMPY}", ratio(found[name], found[NUMPY])))
    if scale.full:
        done.targets += [
            Target(f"CPU of {EVALUATE}, over {NUMPY}", 1.9, ratio(found[EVALUATE], found[NUMPY])),
            Target(f"CPU of {HELP}, over the {BASE}", 2.6, ratio(found[HELP], found[BASE])),
        ]
    return done


def install(folder: Path) -> Path:
    """Make an environment with a wheel of this checkout and the installed peers; return its Python."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder / "wheel")]
    subprocess.run(build, check=True, cwd=HERE.parent, capture_output=True)
    venv.create(folder / "environment", symlinks=True)
    python = folder / "environment" / "bin" / "python"
    wheels = map(str, (folder / "wheel").glob("*.whl"))
    # The environment of the session has no pip; uv is where nox is.
    uv = shutil.which("uv", path=os.pathsep.join([os.environ["PATH"], str(HERE.parent / ".venv" / "bin")]))
    assert uv is not None
    how = ("--quiet", "--no-deps", "--no-index", "--compile-bytecode", "--python", str(python))
    subprocess.run([uv, "pip", "install", *how, *wheels], check=True)
    numpy = importlib.util.find_spec("numpy")
    assert numpy is not None
    assert numpy.origin is not None
    for packages in (folder / "environment" / "lib").glob("python*/site-packages"):
        (packages / "peers.pth").write_text(f"{Path(numpy.origin).parents[1]}\n", encoding="utf-8")
    return python


def _problem(python: Path, statement: str) -> str:
    """Reason why a statement fails, as an import of a peer without its dependencies; empty if none."""
    try:
        run([str(python), "-c", statement])
    except Failed as error:
        return f"cannot be imported: {error}"
    return ""


if __name__ == "__main__":
    alone(part)
