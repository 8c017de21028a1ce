"""Verdicts in words."""

from __future__ import annotations

import numpy as np
import pytest

from excerpt import ScoreTable
from excerpt.view.comparing import comparison_data, comparisons
from excerpt.view.verdicts import verdict


def said(*means: float, topics: int = 30, noise: float = 0.01) -> dict[str, str]:
    """The verdict on runs a, b, … with these means and independent noise."""
    rng = np.random.default_rng(5)
    values = np.clip(np.array(means)[:, None] + noise * rng.standard_normal((len(means), topics)), 0, 1)
    if noise == 0:
        values = np.repeat(np.array(means)[:, None], topics, axis=1)
    names = tuple("abcdefghijklmnop"[: len(means)])
    table = ScoreTable(names, names, tuple(map(str, range(topics))), ("P",), values[:, :, None])
    found = verdict(table, 0, comparison_data(comparisons(table)[0], table))
    return {**found, "lead": "".join(text for text, _ in found["lead"])}


@pytest.mark.parametrize(
    ("means", "headline"),
    [
        (
            (0.5, 0.4, 0.3),
            "a is first, and the lead is real: significantly better than each of the two others.",
        ),
        ((0.5, 0.4), "a is first, and the lead is real: significantly better than b."),
        ((0.3,), "a reaches P 0.2978."),
    ],
)
def test_headlines(means: tuple[float, ...], headline: str) -> None:
    """Who is first, and whether that is more than chance."""
    assert said(*means)["headline"] == headline


def test_leads_name_the_next_set() -> None:
    """Places that cannot be told apart, strong, and how many pairs differ."""
    found = said(0.8, 0.4, 0.4, 0.2)
    assert found["lead"].startswith("Places 2 and 3, ")
    assert found["lead"].endswith("cannot be told apart. 5 of 6 pairs differ.")
    assert found["how"] == (
        "Paired bootstrap, 10\u202f000 samples, Benjamini\u2013Yekutieli over 12 tests, "
        "\u03b1 0.05, 30 topics."
    )
    assert said(0.8, 0.5, 0.2)["lead"] == "All 3 pairs differ."


def test_a_lead_that_is_shared() -> None:
    """The others are named as long as they are few."""
    found = said(0.5, 0.5, 0.1)
    assert found["headline"].endswith("in place 2.")
    assert "cannot be told apart from" in found["headline"]
    assert found["lead"] == "It is significantly better than the other one. 2 of 3 pairs differ."
    many = said(0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.1, noise=0.2)
    assert "from five others in places 2 to 6." in many["headline"]
    assert said(0.5, 0.5)["lead"] == "The difference may be chance."


def test_equal_means_share_the_first_place() -> None:
    """Nobody is first alone."""
    found = said(0.5, 0.5, 0.25, noise=0)
    assert found["headline"] == "a and b are first together."
    assert found["lead"] == "Their means are equal. 2 of 3 pairs differ."
    assert said(*[0.5] * 6, noise=0)["headline"] == "a, b and four more are first together."


def test_nothing_to_compare() -> None:
    """One topic, or no score at all."""
    assert said(0.5, 0.4, topics=1)["headline"] == "a is first by P, but nothing was tested."
    assert said(float("nan"), float("nan"))["headline"] == "P is not defined for any run."
