"""Many samples of the judgments counted together, against the same samples one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.strategies import Case, cases, policies

from excerpt import ExcerptError, Judgments, Policy, Result, Run, Span
from excerpt.measures import parse
from excerpt.model.join import join
from excerpt.model.samples import Samples, Shares, sample
from excerpt.notices import Notices

MEASURES = [parse(name) for name in ("iP[0.00]", "iP[0.01]", "iP[0.57]", "iP[1/3]", "iP[1.00]", "AiP")]
#: A share of a share: its numerator times a length is no number of 64 bits.
TINY = parse("iP[123456789012345678901/1000000000000000000000]")


@settings(max_examples=75)
@given(case=cases(), chosen=policies(), seed=st.integers(0, 99))
def test_samples_together_are_samples_one_by_one(case: Case, chosen: list[Policy], seed: int) -> None:
    """Found text, totals and every score are the same, bit by bit, under every overlap policy."""
    judgments, run = case.judgments(), case.run()
    rng = np.random.default_rng(seed)
    masks = rng.random((4, len(judgments.spans))) < np.array([[1.1], [0.7], [0.3], [0.0]])
    for policy in chosen:
        joined = join(run, judgments, policy, Notices())
        try:
            _ = joined.counted
        except ExcerptError:
            samples = Samples(Shares.of(joined), masks)
            with pytest.raises(ExcerptError):
                MEASURES[0].sample_scores(samples)
            continue
        samples = Samples(Shares.of(joined), masks)
        variants = [joined.judged_by(sample(judgments, mask).judgments) for mask in masks]
        for number, variant in enumerate(variants):
            running = variant.running(variant.counted[1])
            assert samples.found[number].tolist() == running[samples.shares.rows].tolist()
            expected = variant.judgments.relevant_by_topic
            assert samples.relevant_by_topic[number].tolist() == expected.tolist()
        for measure in [*MEASURES, TINY]:
            found = measure.sample_scores(samples)
            assert found is not None
            np.testing.assert_array_equal(found, [measure.scores(variant) for variant in variants])


def test_a_result_counts_what_no_better_one_has_shown() -> None:
    """Two passages in shared text: each goes to the first result that shows it, also in parts."""
    judgments = Judgments.of([("1", Span("A", 0, 10)), ("1", Span("A", 20, 40)), ("1", Span("B", 0, 5))])
    rows = [("B", 0, 4), ("A", 5, 25), ("A", 0, 40), ("C", 0, 9)]
    run = Run.of("run", [Result("1", *row) for row in rows])
    shares = Shares.of(join(run, judgments, Policy(overlap="first"), Notices()))
    assert shares.rows.tolist() == [0, 1, 2]
    shown = [shares.first, shares.passage, shares.amount]
    assert [column.tolist() for column in shown] == [[0, 1, 3], [2, 0, 1, 0, 1], [4, 5, 5, 5, 15]]


def test_other_measures_are_asked_one_sample_at_a_time() -> None:
    """A measure without a quicker way says so."""
    judgments = Judgments.of([("1", Span("A", 0, 10))])
    joined = join(Run.of("run", [Result("1", "A", 0, 5)]), judgments, Policy(), Notices())
    samples = Samples(Shares.of(joined), np.ones((2, 1), np.bool_))
    assert parse("charP").sample_scores(samples) is None
