"""Policies: every value that does not exist is refused."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import asdict, replace

import pytest

from excerpt import ExcerptError, Policy, Run
from excerpt.model.policy import DEFAULT_LIMIT, DefaultLimit


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


def test_the_usual_limit_is_not_for_documents() -> None:
    """One that is given is; also after a change, and from what a record says."""
    documents = Run.of("r", {"1": {"A": 0.5}})
    passages = Run.of("r", [("1", "A", 0, 9)])
    assert (Policy().limit_of(passages), Policy().limit_of(documents)) == (1500, None)
    assert Policy(limit=1500).limit_of(documents) == 1500
    assert replace(Policy(), limit=7).limit_of(documents) == 7
    assert replace(Policy(), overlap="first").limit_of(documents) is None
    assert Policy(**asdict(Policy(limit=1500))).limit_of(documents) == 1500
    said = json.loads(json.dumps(asdict(Policy())))
    assert Policy(**said).limit_of(documents) is None


def test_it_is_a_number_that_knows_where_it_comes_from() -> None:
    """Also after a journey to another process; in JSON it is the number."""
    for travelled in (pickle.loads(pickle.dumps(DEFAULT_LIMIT)), copy.deepcopy(DEFAULT_LIMIT)):
        assert travelled == 1500
        assert isinstance(travelled, DefaultLimit)
    assert json.dumps(DEFAULT_LIMIT) == "1500"
