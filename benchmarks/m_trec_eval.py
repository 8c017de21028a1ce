"""(m) excerpt trec_eval, compared with pytrec_eval and trec_eval itself."""

from __future__ import annotations

import importlib.util
import json
import shutil
import statistics
from pathlib import Path

from inputs import Inputs, Scale
from measuring import Case, Failed, Samples, excerpt, interleave, python, ratio, run
from parts import alone
from results import Part, Row, Target

#: Default measures of trec_eval that pytrec_eval has; release 10 changed the precision at recall levels.
SAME = (
    *("num_ret", "num_rel", "num_rel_ret", "map", "Rprec", "bpref", "recip_rank"),
    *(f"P_{rank}" for rank in (5, 10, 15, 20, 30, 100, 200, 500, 1000)),
)
LEVELS = tuple(f"iprec_at_recall_{level / 10:.2f}" for level in range(11))
RUNS = 20
BASE = "pytrec_eval-terrier"


def part(inputs: Inputs, scale: Scale) -> Part:
    """Measure one run of each size, then many runs in one call."""
    done = Part(
        "m",
        "excerpt trec_eval",
        "The default measures of trec_eval for TREC qrels and runs, whole processes from the files to the "
        "printed means. Before anything is timed the means must agree to the four digits that are printed. "
        f"{RUNS} runs: one call of excerpt, as many calls of trec_eval.",
        base=BASE,
    )
    for topics, results in scale.documents:
        qrels, run_ = inputs.documents(topics, results)
        size = f"{topics} x {results}"
        ours = Case("excerpt", excerpt("trec_eval", qrels, run_))
        peer = Case(BASE, python("with_pytrec_eval.py", qrels, run_, *SAME, *LEVELS))
        wrong = disagreement(ours, peer)
        found = interleave([ours] if wrong else [ours, peer], scale.rounds)
        done.rows.append(Row.of(f"{size}, excerpt", found["excerpt"], found.get(BASE)))
        if wrong:
            done.rows.append(Row(f"{size}, {BASE}", note=wrong))
            continue
        done.rows.append(Row.of(f"{size}, {BASE}", found[BASE], found[BASE]))
        if scale.full:
            done.targets += _targets(size, found["excerpt"], found[BASE])
    _many(done, inputs, scale)
    return done


def disagreement(ours: Case, peer: Case) -> str:
    """Reason why a peer is not timed; empty if its means agree with those of excerpt."""
    if importlib.util.find_spec("pytrec_eval") is None:
        return "not installed in this environment"
    try:
        theirs = json.loads(run(peer.command).printed)
    except Failed as error:
        return f"failed: {error}"
    rows = (line.split("\t") for line in run(ours.command).printed.splitlines())
    printed = {name.strip(): value for name, _, value in rows}
    topics = int(printed["num_q"])
    for name in SAME:
        mean = float(printed[name]) / (topics if name.startswith("num_") else 1)
        if abs(mean - theirs[name]) > 6e-5:
            return f"disagrees on {name}: {theirs[name]:.7f}, excerpt {mean}; not timed"
    return ""


def _targets(size: str, ours: Samples, base: Samples) -> list[Target]:
    pairs = zip(ours.usages, base.usages, strict=True)
    wall = statistics.median(one.wall / other.wall for one, other in pairs)
    return [
        Target(f"trec_eval, {size} documents: CPU / {BASE}", 1, ratio(ours, base)),
        Target(f"trec_eval, {size} documents: wall / {BASE}", 1, wall),
    ]


def _many(done: Part, inputs: Inputs, scale: Scale) -> None:
    qrels, run_ = inputs.documents(*scale.documents[0])
    size = f"{RUNS} runs of {' x '.join(map(str, scale.documents[0]))}"
    cases = [Case("excerpt", excerpt("trec_eval", qrels, *[run_] * RUNS))]
    if shutil.which("trec_eval"):
        cases.append(Case("trec_eval", _calls(qrels, run_)))
    found = interleave(cases, scale.few)
    one, other = found["excerpt"], found.get("trec_eval")
    done.rows.append(Row.of(f"{size}, excerpt", one))
    if other is None:
        done.rows.append(Row(f"{size}, trec_eval", note="no trec_eval on the PATH"))
        return
    done.rows.append(Row.of(f"{size}, trec_eval", other))
    if scale.full:
        done.targets.append(Target(f"{size}: CPU / trec_eval", 1, ratio(one, other), strictly=True))


def _calls(qrels: Path, run_: Path) -> list[str]:
    """Shell command that makes one call after the other."""
    loop = 'for run in "$@"; do trec_eval "$0" "$run" || exit 1; done'
    return ["sh", "-c", loop, str(qrels), *[str(run_)] * RUNS]


if __name__ == "__main__":
    alone(part)
