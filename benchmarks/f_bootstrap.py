"""(f) The bootstrap of all pairs of runs, compared with a loop over pairs."""

from __future__ import annotations

import json
from math import comb

import numpy as np
from inputs import Inputs, Scale
from measuring import Case, interleave, python
from parts import alone
from results import Figure, Part, Row

#: p-values from 10,000 resamples differ by chance by less than this.
TOLERANCE = 0.03
PEERS = {"numpy": "numpy, a loop over pairs", "scipy": "scipy.stats.bootstrap, a call for each pair"}


def part(inputs: Inputs, scale: Scale) -> Part:
    """Compare the p-values, then the costs."""
    scores = inputs.folder / "scores.npy"
    runs, topics, pairs = scale.study_runs, scale.topics, comb(scale.study_runs, 2)
    rng = np.random.default_rng(1)
    np.save(scores, rng.beta(1, 4, size=(runs, topics)) * rng.uniform(0.8, 1, size=(runs, 1)))

    def command(way: str, count: int) -> list[str]:
        return python("bootstrap_pairs.py", way, scores, scale.resamples, count)

    cases = [Case("excerpt", command("excerpt", scale.peer_pairs))]
    for way in PEERS:
        cases += [Case(f"{way} {count}", command(way, count)) for count in (0, scale.peer_pairs)]
    found = interleave(cases, scale.few)
    base = found["excerpt"]
    done = Part(
        "f",
        "The bootstrap of all pairs",
        f"{runs} runs, {topics} topics, {scale.resamples:,} resamples, {pairs:,} pairs, from a file of "
        f"scores; whole processes. excerpt tests all pairs; the peers only {scale.peer_pairs} of them, and "
        "their figure for all pairs is scaled from that, start-up apart.",
        base="excerpt",
        rows=[Row.of(f"excerpt, all {pairs:,} pairs", base, base)],
    )
    for way, title in PEERS.items():
        start, some = found[f"{way} 0"], found[f"{way} {scale.peer_pairs}"]
        difference = np.abs(np.subtract(json.loads(some.printed[-1]), json.loads(base.printed[-1]))).max()
        if difference > TOLERANCE:
            raise SystemExit(f"the p-values of {way} differ by {difference:.3f}")
        done.rows.append(Row.of(f"{title}, {scale.peer_pairs} pairs", some, base))
        every = start.cpu + (some.cpu - start.cpu) * pairs / scale.peer_pairs
        done.figures += [
            Figure(f"{title}: all pairs, scaled", every, "s CPU"),
            Figure(f"{title}: all pairs, scaled, over excerpt", every / base.cpu, "times"),
        ]
    return done


if __name__ == "__main__":
    alone(part)
