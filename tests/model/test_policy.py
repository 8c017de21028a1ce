"""Policies: every value that does not exist is refused; their fields are arguments of what evaluates."""

from __future__ import annotations

import copy
import json
import pickle
import re
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

import excerpt
from excerpt import ExcerptError, Judgments, Notices, Policy, Run
from excerpt.errors import in_python
from excerpt.model.policy import DEFAULT_LIMIT, DefaultLimit, PolicyOptions


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


# ---- fields as keyword arguments ---------------------------------------------------------------------------

GOLD = Judgments.of([("1", "A", 0, 10), ("2", "A", 0, 10)], sizes={"A": 40})
RUNS = [
    Run.of("a", [("1", "A", 0, 8), ("1", "A", 4, 12), ("1", "B", 0, 9), ("2", "A", 5, 9)]),
    Run.of("b", [("1", "A", 2, 9), ("2", "A", 0, 30), ("2", "A", 20, 35)]),
]
FIRST: PolicyOptions = {"overlap": "first", "limit": 2}


def _evaluated(**how: Any) -> object:
    return excerpt.evaluate(GOLD, RUNS, ["AiP", "charF"], **how).to_dict(per_topic=True)


def _curve(**how: Any) -> object:
    return excerpt.curve(GOLD, RUNS, ["iP", "charP"], points="1", **how).to_dict()


def _gate(**how: Any) -> object:
    return excerpt.gate(RUNS[0], RUNS[1], "AiP", qrels=GOLD, test="none", **how).to_dict()


def _explained(**how: Any) -> object:
    return excerpt.explain(GOLD, RUNS, "AiP", against=RUNS[1], corpus={"A": "x" * 40}, **how).to_dict()


def _shown(**how: Any) -> object:
    return excerpt.show(GOLD, RUNS[0], "1", corpus={"A": "x" * 40}, measures="AiP", **how).text()


def _reported(**how: Any) -> object:
    return excerpt.report(GOLD, RUNS, "AiP", text=False, **how).world.table.to_dict()


def _compared(**how: Any) -> object:
    return excerpt.compare(GOLD, RUNS, ["AiP"], test="t", **how).rows


def _sampled(**how: Any) -> object:
    return excerpt.stability("pool", GOLD, RUNS, ["AiP"], levels=(50,), samples=2, least=1, **how).rows


def _configured(**how: Any) -> object:
    pytest.importorskip("ir_measures")
    from excerpt import ir_measures

    ir_measures.configure(**how)
    made = ir_measures.provider.policy
    ir_measures.configure()
    return made


@pytest.mark.parametrize(
    "call",
    [_evaluated, _curve, _gate, _shown, _reported, _compared, _sampled, _configured],
    ids=lambda call: call.__name__.strip("_"),
)
def test_the_fields_of_a_policy_are_arguments(call: Callable[..., object]) -> None:
    """Wherever a policy can be given, so can its fields, but not both."""
    given = call(**FIRST, notices=Notices()) if call is not _configured else call(**FIRST)
    more = {} if call is _configured else {"notices": Notices()}
    assert given == call(policy=Policy(**FIRST), **more)
    with pytest.raises(ExcerptError, match=r"^policy cannot be combined with overlap, limit; give"):
        call(policy=Policy(), **FIRST, **more)
    with pytest.raises(ExcerptError, match="unknown policy for overlap 'frist'; did you mean 'first'"):
        call(overlap="frist", **more)
    with pytest.raises(ExcerptError, match="found limit 0, expected a whole number of at least 1, or None"):
        call(limit=0, **more)


def test_explanations_take_them_too() -> None:
    """A measure of recall has no limit of INEX; its run is cut by the caller's."""
    text = {"A": "one two three four five six seven eight"}
    found = excerpt.explain(GOLD, RUNS[0], "recall@5", corpus=text, limit=1, notices=Notices())
    other = excerpt.explain(GOLD, RUNS[0], "recall@5", corpus=text, policy=Policy(limit=1), notices=Notices())
    assert found.to_dict() == other.to_dict()
    with pytest.raises(ExcerptError, match=r"^policy cannot be combined with limit; give"):
        excerpt.explain(GOLD, RUNS[0], "recall@5", corpus=text, limit=1, policy=Policy())


def test_misspelt_arguments_are_named() -> None:
    """Fields of policies are among the known ones."""
    with pytest.raises(ExcerptError, match="unknown keyword argument 'overlapp'; did you mean 'overlap'"):
        excerpt.evaluate(GOLD, RUNS, "AiP", overlapp="first")  # type: ignore[call-arg]
    with pytest.raises(ExcerptError, match="unknown keyword argument 'limits'; did you mean 'limit'"):
        excerpt.gate(RUNS[0], RUNS[1], "AiP", qrels=GOLD, limits=3)  # type: ignore[call-arg]
    with pytest.raises(
        ExcerptError, match="limit and a table of scores cannot be combined: limit needs runs"
    ):
        excerpt.compare(excerpt.evaluate(GOLD, RUNS, "AiP", overlap="first"), limit=3)


def test_what_has_no_policy_says_so() -> None:
    """The funnel counts everything that was retrieved; chunks are not results."""
    with pytest.raises(ExcerptError, match=r"^unknown keyword argument 'overlap'; known: "):
        excerpt.funnel(GOLD, RUNS[0], RUNS[1], overlap="first")
    with pytest.raises(ExcerptError, match=r"^unknown keyword argument 'policy'; did you mean 'only'"):
        excerpt.evaluate_chunks(GOLD, {}, policy=Policy())  # type: ignore[call-arg]


def test_hints_can_be_taken_literally() -> None:
    """What an error names as a setting of a policy, with a value, is an argument that evaluates."""
    named = set()
    for path in (Path(excerpt.__file__).parent).rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        named |= {
            one for one in re.findall(r"⟨(\w+)=([^⟩{]+)⟩", text) if one[0] in PolicyOptions.__annotations__
        }
    assert len(named) > 4
    for setting, value in sorted(named):
        said = eval(f"dict({in_python(setting, value)})")
        excerpt.evaluate(GOLD, RUNS[1].head(1), "charP", **said)
