"""(h) Starting: `excerpt --help` and `import excerpt`, beside what the peers cost to import."""

from __future__ import annotations

from importlib.util import find_spec

from inputs import Inputs, Scale
from measuring import Case, code, excerpt, interleave
from parts import alone
from results import Figure, Part, Row

MODULES = ("excerpt", "numpy", "pytrec_eval", "ir_measures", "ranx", "scipy.stats")
BASE = "bare interpreter"


def part(inputs: Inputs, scale: Scale) -> Part:  # noqa: ARG001  it needs no files
    """Measure."""
    names = {module: f"import {module}" for module in MODULES}
    present = [module for module in MODULES if find_spec(module.split(".")[0])]
    found = interleave(
        [
            Case(BASE, code("pass")),
            Case("excerpt --help", excerpt("--help")),
            *(Case(names[module], code(names[module])) for module in present),
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
    done.rows += [
        Row(names[module], note="not installed in this environment")
        for module in MODULES
        if module not in present
    ]
    for name, samples in found.items():
        if name != BASE:
            over = 1000 * (samples.cpu - found[BASE].cpu)
            done.figures.append(Figure(f"{name}: over the bare interpreter", over, "ms CPU"))
    return done


if __name__ == "__main__":
    alone(part)
