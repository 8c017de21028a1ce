"""(h) Starting: `excerpt --help` and `import excerpt`, beside what the peers cost to import."""

from __future__ import annotations

from inputs import Inputs, Scale
from measuring import Case, Failed, code, excerpt, interleave, run
from parts import alone
from results import Figure, Part, Row

MODULES = ("excerpt", "numpy", "pytrec_eval", "ir_measures", "ranx", "scipy.stats")
BASE = "bare interpreter"


def part(inputs: Inputs, scale: Scale) -> Part:  # noqa: ARG001  it needs no files
    """Measure."""
    statements = [f"import {module}" for module in MODULES]
    problems = {statement: _problem(statement) for statement in statements}
    found = interleave(
        [
            Case(BASE, code("pass")),
            Case("excerpt --help", excerpt("--help")),
            *(Case(statement, code(statement)) for statement in statements if not problems[statement]),
        ],
        2 * scale.rounds if scale.full else scale.rounds,
    )
    done = Part(
        "h",
        "Starting",
        "What a process costs before it does anything.",
        base=BASE,
        rows=[Row.of(name, samples, found[BASE]) for name, samples in found.items()],
    )
    done.rows += [Row(statement, note=problem) for statement, problem in problems.items() if problem]
    for name, samples in found.items():
        if name != BASE:
            over = 1000 * (samples.cpu - found[BASE].cpu)
            done.figures.append(Figure(f"{name}: over the bare interpreter", over, "ms CPU"))
    return done


def _problem(statement: str) -> str:
    """Why a module cannot be imported; a peer may be here without something it needs."""
    try:
        run(code(statement))
    except Failed as error:
        return f"cannot be imported: {error}"
    return ""


if __name__ == "__main__":
    alone(part)
