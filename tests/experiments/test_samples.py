"""Samples: their sizes, their seeds, exact means."""

from __future__ import annotations

import numpy as np
import pytest

from excerpt import ExcerptError, collection
from excerpt.experiments.samples import (
    check_levels,
    draw_halves,
    draw_passages,
    draw_topics,
    passages_of,
    sample_means,
    sample_size,
)
from excerpt.formats import read_judgments


def test_pool_samples_have_the_right_sizes() -> None:
    """Per topic the level's share of passages, halves rounded up, never none; and no two samples alike."""
    judgments = read_judgments(collection.qrels())
    topic, passages = passages_of(judgments)
    for level in (80, 50, 20, 1):
        mask = draw_passages(judgments, level, (1, 0))
        counts = np.bincount(topic[mask], minlength=len(passages))
        for count, whole in zip(counts.tolist(), passages.tolist(), strict=True):
            assert count == (max(1, (2 * level * whole + 100) // 200) if whole else 0)
        assert level == 1 or (draw_passages(judgments, level, (1, 1)) != mask).any()


@pytest.mark.parametrize(("level", "size"), [(80, 86), (60, 64), (40, 43), (20, 21)])
def test_sample_sizes_of_the_paper(level: int, size: int) -> None:
    """107 topics: 86, 64, 43 and 21."""
    assert sample_size(level, 107) == size
    assert {len(sample) for sample in draw_topics(107, level, 3, seed=1)} == {size}


def test_more_samples_begin_with_the_same() -> None:
    """A sample depends on seed, level and its own number only."""
    few, many = draw_topics(40, 30, 2, seed=5), draw_topics(40, 30, 4, seed=5)
    assert [sample.tolist() for sample in many[:2]] == [sample.tolist() for sample in few]
    assert len({tuple(sample.tolist()) for sample in many}) == 4
    assert draw_topics(40, 30, 1, seed=6)[0].tolist() != few[0].tolist()


def test_halves_share_no_topics() -> None:
    """Two samples of a pair are disjoint; where they cannot be there is none."""
    for one, other in draw_halves(35, 50, 4, seed=1):
        assert len(one) == len(other) == 17
        assert not set(one.tolist()) & set(other.tolist())
    assert draw_halves(35, 60, 4, seed=1) == []


def test_equal_means_are_equal() -> None:
    """The same scores in another order have the same mean in every sample that has them all."""
    scores = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]])
    assert float(scores[0].mean()) != float(scores[1].mean())
    (means,) = sample_means(scores, [np.array([0, 1, 2])]).tolist()
    assert means[0] == means[1]


@pytest.mark.parametrize(("levels", "samples"), [((0,), 1), ((101,), 1), ((), 1), ((50,), 0)])
def test_levels_that_cannot_be(levels: tuple[int, ...], samples: int) -> None:
    """Levels are per cent, and there is at least one sample of one."""
    with pytest.raises(ExcerptError, match="expected"):
        check_levels(levels, samples)
