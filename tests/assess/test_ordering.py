"""Orders that follow what was judged."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_campaign import ALL, do, small_campaign

from excerpt.assess.campaign import Campaign
from excerpt.pooling import Pool, PoolItem

#: One run found `a`, `plain.txt`; the other `b`, `letter.txt`.
RUNS = {"a": ("one", 1), "plain.txt": ("one", 2), "b": ("two", 1), "letter.txt": ("two", 2)}
POOL = Pool.of(
    PoolItem("7", name, order, "depth", None, (RUNS[name][0],), (((RUNS[name][1], -1, -1),),))
    for order, name in enumerate(ALL, 1)
)


def order(campaign: Campaign, name: str) -> list[str]:
    """The documents of the topic for an assessor."""
    return [document["id"] for document in campaign.pool_for(name)["topics"][0]["documents"]]


@pytest.mark.parametrize("kind", ["move-to-front", "max-mean"])
def test_the_run_that_found_something_comes_first(tmp_path: Path, kind: str) -> None:
    """Whoever judged; what is done stands before what is to do, what only others have done behind it."""
    with small_campaign(tmp_path / "c", pool=POOL, order=kind, procedure="inex2006") as campaign:
        first = order(campaign, "ann")
        assert sorted(first) == sorted(ALL)
        do(campaign, "ann", "done", document="a")
        do(campaign, "ann", "highlight", 0, 5, document="b")
        do(campaign, "ann", "done", document="b")
        assert order(campaign, "ann") == ["a", "b", "letter.txt", "plain.txt"]
        assert order(campaign, "ben") == ["letter.txt", "plain.txt", "a", "b"]
        do(campaign, "ben", "done", document="letter.txt")
        assert order(campaign, "ann") == ["a", "b", "plain.txt", "letter.txt"]


def test_what_comes_next_is_theirs(tmp_path: Path) -> None:
    """Where documents are shared out, the log has what an assessor gets, and not what somebody else does."""
    with small_campaign(tmp_path / "c", order="max-mean", double=0.0) as campaign:
        for name in ("ann", "ben"):
            campaign.add_person(name)
        for name in ("ann", "ben"):
            topics = campaign.pool_for(name)["topics"]
            first = [(topic["id"], topic["documents"][0]["id"]) for topic in topics]
            assert [(action.topic, action.document) for action in campaign.actions(name)] == first
            assert set(first) <= set(campaign.assigned(name))


def test_what_comes_next_in_all_topics_is_written_at_once(tmp_path: Path) -> None:
    """One transaction; and none where nothing has changed."""
    with small_campaign(tmp_path / "c", order="move-to-front") as campaign:
        said: list[str] = []
        campaign.recorder.store._connection.set_trace_callback(said.append)
        campaign.pool_for("ann")
        assert said.count("BEGIN IMMEDIATE") == 1
        assert len([action for action in campaign.actions("ann") if action.kind == "order"]) == 2
        campaign.pool_for("ann")
        assert said.count("BEGIN IMMEDIATE") == 1


def test_what_comes_next_is_in_the_log(tmp_path: Path) -> None:
    """Once, as long as it stays the same; and the same campaign gives the same order."""
    orders = []
    for name in ("c", "d"):
        with small_campaign(tmp_path / name, pool=POOL, order="max-mean") as campaign:
            orders += [order(campaign, "ann") for _ in range(3)]
            told = [action for action in campaign.actions() if action.kind == "order"]
            assert [action.document for action in told] == [orders[0][0]]
            do(campaign, "ann", "done", document=orders[0][0])
            following = order(campaign, "ann")
            told = [action for action in campaign.actions() if action.kind == "order"]
            assert [action.document for action in told] == [orders[0][0], following[1]]
    assert len({tuple(found) for found in orders}) == 1
