"""(p) Official scorers of other tracks, compared with excerpt evaluate on the same files; charAP."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from generated_tracks import write_bioasq, write_epicqa, write_kilt, write_nuggets
from inputs import Inputs, Scale
from measuring import Case, code, excerpt, interleave, ratio
from parts import alone
from results import Figure, Part, Row, Target

#: Topics and results of a run of TREC Genomics 2007.
TOPICS, RESULTS = 36, 1000
#: Most CPU of `excerpt official genomics` over `excerpt evaluate`, and of charAP over charR.
GENOMICS, CHAR_AP = 1.5, 1.5
#: Reads JSON, JSON Lines and columns, and does nothing with them.
READ = (
    "import json, sys; print(sum(len(json.load(open(path)) if path.endswith('.json') else "
    "[json.loads(line) if path.endswith('.jsonl') else line.split() for line in open(path)]) "
    "for path in sys.argv[1:]))"
)
_DOCUMENTS, _SIZE, _RELEVANT = 160_000, 60_000, 60


def part(inputs: Inputs, scale: Scale) -> Part:
    """Measure one run of TREC Genomics."""
    done = Part(
        "p",
        "Official scorers of other tracks",
        f"One run of TREC Genomics, {TOPICS} topics with {RESULTS} passages of 200 to 1,500 characters, a "
        "quarter of them near relevant ones: the four measures of the official program, and "
        "`excerpt evaluate` of the same files, whole processes from the files to the printed figures. Then "
        "the other official scorers on generated files, beside a script that only reads the files "
        "(json.loads, split), since the official programs are in Java, or need packages of their own.",
        base="excerpt evaluate -m charR",
    )
    results = RESULTS if scale.full else scale.spans[0][1]
    gold, run = write_genomics(inputs.folder, topics=TOPICS, results=results)
    cases = [
        Case("excerpt official genomics", excerpt("official", "genomics", gold, run, "--quiet")),
        Case("excerpt evaluate -m charR", excerpt("evaluate", gold, run, "-m", "charR", "--quiet")),
        Case("excerpt evaluate -m charAP", excerpt("evaluate", gold, run, "-m", "charAP", "--quiet")),
    ]
    found = interleave(cases, scale.rounds)
    base = found["excerpt evaluate -m charR"]
    done.rows += [Row.of(name, samples, base) for name, samples in found.items()]
    if scale.full:
        beside = ratio(found["excerpt official genomics"], base)
        done.targets.append(Target("official genomics / evaluate -m charR, CPU", GENOMICS, beside))
        beside = ratio(found["excerpt evaluate -m charAP"], base)
        done.targets.append(Target("evaluate -m charAP / -m charR, CPU", CHAR_AP, beside))
    _others(done, inputs.place("tracks"), scale)
    return done


def _others(done: Part, folder: Path, scale: Scale) -> None:
    """Add the scorers of the other tracks, and the ratio of each to reading its files."""
    share = 1 if scale.full else 10
    tasks: dict[str, tuple[list[Path], tuple[str, ...]]] = {
        "bioasq": (write_bioasq(folder, 500 // share), ()),
        "kilt": (write_kilt(folder, 5_000 // share), ("--ks", "1,5,20")),
        "nuggets": (write_nuggets(folder, 5_000 // share), ()),
        "epicqa": (write_epicqa(folder, 40 // share, 1000 // share), ("--task", "expert")),
    }
    cases = []
    for name, (files, more) in tasks.items():
        cases.append(Case(f"excerpt official {name}", excerpt("official", name, *files, *more, "--quiet")))
        cases.append(Case(f"a script that reads the files of {name}", [*code(READ), *map(str, files)]))
    found = interleave(cases, scale.few)
    done.rows += [Row.of(name, samples) for name, samples in found.items()]
    for name in tasks:
        over = ratio(found[f"excerpt official {name}"], found[f"a script that reads the files of {name}"])
        done.figures.append(Figure(f"official {name}: CPU over that of reading its files", over))


def write_genomics(folder: Path, *, topics: int, results: int) -> tuple[Path, Path]:
    """Write gold with one to five passages of documents, and a run; return their paths."""
    rng = np.random.default_rng(36)
    gold, run = folder / "genomics.gold", folder / "genomics.run"
    lines, ranked = [], []
    for topic in range(200, 200 + topics):
        documents = 10_000_000 + rng.permutation(_DOCUMENTS)[:_RELEVANT]
        document = np.repeat(documents, rng.integers(1, 6, size=_RELEVANT))
        start = rng.integers(0, _SIZE, size=len(document))
        length = rng.choice([100, 300, 800, 2500], size=len(document))
        aspects = rng.choice(["A", "B", "A|B", "C"], size=len(document))
        rows = zip(document, start, length, aspects, strict=True)
        lines += [f"{topic}\t" + "\t".join(map(str, row)) + "\n" for row in rows]
        near = rng.random(results) < 0.25
        which = rng.integers(0, len(document), size=results)
        returned = np.where(near, document[which], 10_000_000 + rng.integers(0, _DOCUMENTS, size=results))
        at = np.where(
            near, start[which] + rng.integers(-300, 300, size=results), rng.integers(0, _SIZE, size=results)
        )
        size = rng.choice([200, 500, 1500], size=results)
        columns = zip(returned, np.maximum(at, 0), size, strict=True)
        ranked += [
            f"{topic} {name} {rank} {results - rank}.5 {offset} {width} mine\n"
            for rank, (name, offset, width) in enumerate(columns, 1)
        ]
    gold.write_text("".join(lines), encoding="ascii")
    run.write_text("".join(ranked), encoding="ascii")
    return gold, run


if __name__ == "__main__":
    alone(part)
