"""Options that several commands share: what they take, and what they say."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import pytest

from excerpt.cli import options


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (options.count, "3", 3),
        (options.digits, "0", 0),
        (options.limit, "10", 10),
        (options.limit, "None", None),
        (options.limit, "all", None),
        (options.length, "mean", "mean"),
        (options.length, "18", 18),
        (options.names, " a, b,,c ", ("a", "b", "c")),
    ],
)
def test_values(kind: Callable[[str], Any], text: str, value: object) -> None:
    """Each is read as it is meant."""
    assert kind(text) == value


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (options.count, "0"),
        (options.count, "many"),
        (options.digits, "-1"),
        (options.limit, "0"),
        (options.limit, "-3"),
        (options.length, "0"),
        (options.length, "\u0663"),
        (options.length, "2147483648"),
    ],
)
def test_mistaken_values(kind: Callable[[str], Any], text: str) -> None:
    """What cannot be is refused, with what was expected."""
    with pytest.raises(argparse.ArgumentTypeError, match=r"found .*, expected "):
        kind(text)


def test_policies_reach_the_scores() -> None:
    """Every option of policy is a field of it."""
    parser = argparse.ArgumentParser()
    options.add_policies(parser)
    words = "--overlap allow --interleaved regroup --unknown error --unknown-length 7 --limit none"
    chosen = parser.parse_args([*words.split(), "--only-run-topics", "--include-empty"])
    policy = options.chosen_policy(chosen)
    assert (policy.overlap, policy.interleaved, policy.unknown) == ("allow", "regroup", "error")
    assert (policy.unknown_length, policy.limit) == (7, None)
    assert (policy.only_run_topics, policy.include_empty) == (True, True)
