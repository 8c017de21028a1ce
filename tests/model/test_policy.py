"""Policies: every value that does not exist is refused."""

from __future__ import annotations

import pytest

from excerpt import ExcerptError, Policy


def test_defaults_refuse_what_the_tasks_forbid() -> None:
    """Nothing that changes a score is done unless it is asked for."""
    policy = Policy()
    assert (policy.overlap, policy.interleaved, policy.unknown_length) == ("error", "error", "error")
    assert (policy.unknown, policy.limit) == ("count", 1500)
    assert not policy.only_run_topics
    assert not policy.include_empty


@pytest.mark.parametrize(
    ("name", "value"),
    [("overlap", "fisrt"), ("interleaved", None), ("unknown", "mean"), ("limit", 0), ("limit", True)],
)
def test_values_that_do_not_exist(name: str, value: object) -> None:
    """The error names the policy and quotes the value."""
    with pytest.raises(ExcerptError, match=f"{name} .?{value}"):
        Policy(**{name: value})  # type: ignore[arg-type]


def test_any_limit_is_a_limit() -> None:
    """A limit may be larger than any file, and there may be none."""
    assert Policy(limit=10**12).limit == 10**12
    assert Policy(limit=None).limit is None
