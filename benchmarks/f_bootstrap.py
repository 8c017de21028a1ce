"""(f) The bootstrap and `testerror` of all pairs of runs, compared with a loop over pairs."""

from __future__ import annotations

import json
from math import comb

import numpy as np
from inputs import Inputs, Scale
from measuring import Case, excerpt, exponent, interleave, python
from parts import alone
from results import Figure, Part, Row, Target

#: p-values from 10,000 resamples differ by chance by less than this.
TOLERANCE = 0.03
PEERS = {"numpy": "numpy, a loop over pairs", "scipy": "scipy.stats.bootstrap, a call for each pair"}

#: Splits of `testerror` by default, halves that the loop over pairs tests, and topics.
SPLITS, LOOPED, TOPICS = 50, 4, 50
#: Limits of `testerror` in CPU seconds, by runs.
LIMITS = {62: 1.5, 300: 30.0}


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
    _judge(inputs, scale, done)
    return done


def _judge(inputs: Inputs, scale: Scale, done: Part) -> None:
    """Add `testerror` of more and more runs, and a loop over some of the pairs with scipy and numpy."""
    rng = np.random.default_rng(1)
    cases, few = [], inputs.folder / "judged.npy"
    for runs in scale.judged_runs:
        scores = rng.beta(1, 4, size=(runs, TOPICS)) * rng.uniform(0.8, 1, size=(runs, 1))
        np.save(few, scores)
        lines = [f"{run},{topic},AP,{float(score)!r}" for (run, topic), score in np.ndenumerate(scores)]
        file = inputs.folder / f"judged-{runs}.csv"
        file.write_text("\n".join(["run,topic,measure,score", *lines]) + "\n")
        cases.append(Case(f"testerror {runs}", excerpt("testerror", file, "--quiet")))
    for pairs in (0, scale.peer_pairs):
        command = python("judged_pairs.py", few, scale.resamples, pairs, LOOPED)
        cases.append(Case(f"loop {pairs}", command))
    found = interleave(cases, scale.few)
    of_pairs = {comb(runs, 2): found[f"testerror {runs}"] for runs in scale.judged_runs}
    for (pairs, samples), runs in zip(of_pairs.items(), scale.judged_runs, strict=True):
        done.rows.append(Row.of(f"`excerpt testerror`, {runs} runs x {TOPICS}, {pairs:,} pairs", samples))
        if scale.full and runs in LIMITS:
            done.targets.append(Target(f"testerror, {runs} runs: CPU", LIMITS[runs], samples.cpu, "s"))
    start, some = found["loop 0"], found[f"loop {scale.peer_pairs}"]
    done.rows.append(Row.of(f"a loop with scipy and numpy, {scale.peer_pairs} pairs, {LOOPED} halves", some))
    most, largest = list(of_pairs.items())[-1]
    every = start.cpu + (some.cpu - start.cpu) * most / scale.peer_pairs * 2 * SPLITS / LOOPED
    done.figures += [
        Figure(
            "testerror: exponent of growth by pairs, with start-up",
            exponent([*of_pairs], [s.least for s in of_pairs.values()]),
        ),
        Figure(f"a loop over {most:,} pairs, scaled, over testerror", every / largest.cpu, "times"),
    ]


if __name__ == "__main__":
    alone(part)
