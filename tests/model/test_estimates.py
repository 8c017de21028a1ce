"""A number with its limits."""

from excerpt.model.estimates import Estimate


def test_limits() -> None:
    """Low comes first."""
    assert Estimate(0.5, 0.25, 1.0).limits == (0.25, 1.0)
