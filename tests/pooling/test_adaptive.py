"""Adaptive orders: against the procedures of the papers, played step by step."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt import ExcerptError
from excerpt.pooling import PoolItem
from excerpt.pooling.adaptive import KINDS, next_order


def items_of(rankings: dict[str, str]) -> list[PoolItem]:
    """The items of a topic from the documents of each run, a letter each."""
    documents = dict.fromkeys("".join(rankings.values()))
    return [
        PoolItem(
            "1",
            document,
            order,
            "depth",
            Fraction(1),
            runs := tuple(run for run in rankings if document in rankings[run]),
            tuple(((rankings[run].index(document) + 1, 0, 9),) for run in runs),
        )
        for order, document in enumerate(documents, 1)
    ]


_RANKINGS = st.dictionaries(
    st.sampled_from("rstu"), st.permutations("ABCDEFG").map(lambda found: "".join(found[:5])), min_size=1
)


@given(st.sampled_from(KINDS), _RANKINGS, st.sets(st.sampled_from("ABCDEFG")), st.integers(0, 9))
def test_judging_by_the_order_follows_the_paper(
    kind: str, rankings: dict[str, str], relevant: set[str], seed: int
) -> None:
    """Always judging the first item that is left meets each document once, as the procedure says."""
    items, judged = items_of(rankings), dict[str, bool]()
    possible: set[tuple[str | None, tuple[int, ...]]] = {(None, (0,) * len(rankings))}
    while left := next_order(kind, items, judged, seed):
        assert sorted([*left, *judged]) == sorted(item.document for item in items)
        if kind == "max-mean":
            assert left[0] in best_by_mean(rankings, judged)
        else:
            possible = {
                after
                for state in possible
                for found, after in moves(rankings, judged, left[0] in relevant, *state)
                if found == left[0]
            }
            assert possible
        judged[left[0]] = left[0] in relevant
    assert len(judged) == len(items)


def best_by_mean(rankings: dict[str, str], judged: dict[str, bool]) -> set[str]:
    """The next document of each run with the highest proportion of relevant ones, by the definition."""
    means: dict[Fraction, set[str]] = {}
    for documents in rankings.values():
        known = [judged[name] for name in documents if name in judged]
        rest = [name for name in documents if name not in judged]
        if rest:
            means.setdefault(Fraction(sum(known) + 1, len(known) + 2), set()).add(rest[0])
    return means[max(means)]


def moves(
    rankings: dict[str, str],
    judged: dict[str, bool],
    good: bool,
    current: str | None,
    failures: tuple[int, ...],
) -> list[tuple[str, tuple[str | None, tuple[int, ...]]]]:
    """Possible next documents under move-to-front, and the state after each: current run, failures by run."""
    runs = list(rankings)
    left = {run: [name for name in rankings[run] if name not in judged] for run in runs}
    if current is None or not left[current]:
        least = min(failures[runs.index(run)] for run in runs if left[run])
        chosen = [run for run in runs if left[run] and failures[runs.index(run)] == least]
    else:
        chosen = [current]
    return [
        (
            left[run][0],
            (run, failures)
            if good
            else (None, tuple(n + (other == run) for n, other in zip(failures, runs, strict=True))),
        )
        for run in chosen
    ]


def test_move_to_front_stays_with_a_run_that_finds() -> None:
    """It leaves the run at the first document that is not relevant."""
    rankings = {"r": "ABCD", "s": "EFGH"}
    items = items_of(rankings)
    first = next_order("move-to-front", items, {}, 1)[0]
    run, other = ("r", "s") if first == "A" else ("s", "r")
    good, rest = rankings[run], rankings[other]
    assert next_order("move-to-front", items, {good[0]: True}, 1)[0] == good[1]
    assert next_order("move-to-front", items, {good[0]: True, good[1]: True}, 1)[0] == good[2]
    assert next_order("move-to-front", items, {good[0]: True, good[1]: False}, 1)[0] == rest[0]


def test_max_mean_turns_to_the_better_share() -> None:
    """Two of three is more than one of two; with one success and one failure added to each."""
    items = items_of({"r": "ABCD", "s": "EFGH"})
    judged = {"A": True, "B": True, "C": False, "E": True, "F": False}
    assert next_order("max-mean", items, judged, 1)[0] == "D"
    assert next_order("max-mean", items, {**judged, "B": False}, 1)[0] == "G"


@pytest.mark.parametrize("kind", KINDS)
def test_with_nothing_known_runs_take_turns(kind: str) -> None:
    """The first document of each run comes before the second of any."""
    order = next_order(kind, items_of({"r": "ABC", "s": "DEF", "t": "GHI"}), {}, 7)
    assert [set(order[:3]), set(order[3:6]), set(order[6:])] == [set("ADG"), set("BEH"), set("CFI")]


@pytest.mark.parametrize("kind", KINDS)
def test_seeds_break_ties(kind: str) -> None:
    """The same seed gives the same order; several seeds give several."""
    items = items_of({"r": "ABC", "s": "DEF", "t": "GHI"})
    orders = {tuple(next_order(kind, items, {}, seed)) for seed in range(20)}
    assert len(orders) > 1
    assert next_order(kind, items, {}, 3) == next_order(kind, list(reversed(items)), {}, 3)


def test_documents_of_no_run_come_last() -> None:
    """Sampled ones, and those of a file that names no runs."""
    alone = PoolItem("1", "X", 1, "given", None, (), ())
    sampled = PoolItem("1", "Y", 2, "sample", Fraction(1, 2), ("r",), (((1, 0, 9),),))
    assert next_order("max-mean", [alone, sampled, *items_of({"r": "AB"})], {"A": True}, 1) == ["B", "X", "Y"]
    assert next_order("max-mean", [], {}, 1) == []


def test_unknown_orders_are_refused() -> None:
    """By name."""
    with pytest.raises(ExcerptError, match="unknown adaptive order 'random'"):
        next_order("random", [], {}, 1)
