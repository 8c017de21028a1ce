"""Tests of queues and of the data that assessors get."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.small_campaign import ALL, do, small_campaign

from excerpt.assess.campaign import Campaign
from excerpt.assess.folder import InvalidEvent, NoRoom, NotAllowed, NotFound
from excerpt.pooling import Pool, PoolItem


@pytest.fixture
def campaign(tmp_path: Path) -> Any:
    """A small campaign with suggestions for one document, outside the control group."""
    lines = [
        {"topic": "7", "document": "a", "start": 0, "end": 5, "quote": "Rents", "model": "m", "prompt": "p"},
        {"topic": "7", "document": "a", "start": 21, "end": 30, "model": "m", "prompt": "p"},
    ]
    given = "".join(json.dumps(line) + "\n" for line in lines).encode()
    with small_campaign(tmp_path / "c", suggestions=given, control=0.0) as made:
        made.add_person("ann")
        yield made


def listed(campaign: Campaign, name: str, topic: str = "7") -> dict[str, dict[str, Any]]:
    """The documents of a topic in the list of an assessor."""
    (found,) = [given for given in campaign.pool_for(name)["topics"] if given["id"] == topic]
    return {document["id"]: document for document in found["documents"]}


def test_one_topic_can_be_asked_for(campaign: Campaign) -> None:
    """One topic is as in the list of all; an unknown topic is an error."""
    whole, one = campaign.pool_for("ann"), campaign.pool_for("ann", "8")
    assert one == {**whole, "topics": whole["topics"][1:]}
    with pytest.raises(NotFound, match="no topic '9'"):
        campaign.pool_for("ann", "9")


def test_campaigns_are_told_apart(campaign: Campaign, tmp_path: Path) -> None:
    """Campaigns at one address have different ids; copies share theirs."""
    campaign.set_address("127.0.0.1", 8001)
    with Campaign.open(campaign.folder) as again:
        assert again.pool_for("ann")["campaign"] == campaign.pool_for("ann")["campaign"]
    with small_campaign(tmp_path / "other", seed=2) as other:
        assert other.pool_for("ann")["campaign"] != campaign.pool_for("ann")["campaign"]


def test_the_pool_says_what_is_to_do(campaign: Campaign) -> None:
    """The pool has the texts of topics and the assessor's own states."""
    pool = campaign.pool_for("ann")
    assert {name: pool[name] for name in ("assessor", "title", "procedure", "labels")} == {
        "assessor": "ann",
        "title": "c",
        "procedure": "inex2007",
        "labels": ["supports", "contradicts"],
    }
    assert [topic["text"] for topic in pool["topics"]] == ["Who pays the rent?", "What is a café?"]
    assert list(listed(campaign, "ann")) == list(ALL)
    do(campaign, "ann", "highlight", 0, 5)
    do(campaign, "ann", "highlight", 9, 12)
    do(campaign, "ann", "done", document="b")
    campaign.trace("ann", "7", "a", "work", {"seconds": 2.5})
    campaign.trace("ann", "7", "a", "work", {"seconds": 2})
    mine, other = listed(campaign, "ann"), listed(campaign, "ben")
    assert mine["a"] == {
        "id": "a",
        "state": "open",
        "version": 2,
        "passages": 2,
        "characters": 8,
        "owed": 0,
        "problems": 1,
        "relevant": True,
        "title": "Rents & cafés 😀",
        "seconds": 4.5,
        "second": False,
    }
    assert [mine[name]["state"] for name in ALL] == ["open", "todo", "done", "todo"]
    assert {document["state"] for document in other.values()} == {"todo"}


def test_an_order_at_random_is_one_per_assessor(tmp_path: Path) -> None:
    """The random order depends on the assessor and is reproducible."""
    with small_campaign(tmp_path / "c", order="random") as campaign:
        orders = {name: tuple(listed(campaign, name)) for name in ("ann", "ben", "cem", "dee")}
        assert {name: tuple(listed(campaign, name)) for name in orders} == orders
        assert len(set(orders.values())) > 1
        assert all(set(order) == set(ALL) for order in orders.values())


def test_a_document_comes_with_text_units_elements_and_state(campaign: Campaign) -> None:
    """Retrieved spans are shown on request only, and never with names of runs."""
    state = do(campaign, "ann", "highlight", 0, 5)
    found = campaign.document_for("ann", "7", "a")
    assert found["state"] == state
    assert found["text"][0:5] == "Rents"
    assert (found["length"], found["sha256"]) == (len(found["text"]), campaign.contents.records["a"].sha256)
    assert found["elements"][1] == ["/article[1]/title[1]", 0, 15, "title"]
    assert sum(found["units"]["sentences"]) <= found["length"]
    assert "retrieved" not in found
    assert "suggestions" not in found
    shown = campaign.document_for("ann", "7", "a", ["runs"])
    assert shown["retrieved"] == [[0, 4, 1], [4, 9, 2], [9, 12, 1], [20, 24, 1]]
    assert '"one"' not in json.dumps(shown)
    assert [action.kind for action in campaign.actions("ann")] == ["highlight", "opened", "opened", "runs"]


def test_a_document_may_be_called_by_any_of_its_names(campaign: Campaign) -> None:
    """The answer has the name of the pool; other names are unknown."""
    assert campaign.document_for("ann", "7", "a.xml")["id"] == "a"
    do(campaign, "ann", "done", document="plain")
    assert listed(campaign, "ann")["plain.txt"]["state"] == "done"
    for topic, document in (("9", "a"), ("7", "x"), ("7", ""), ("", "a")):
        with pytest.raises(NotFound):
            campaign.document_for("ann", topic, document)


def test_suggestions_come_after_the_document_was_finished(campaign: Campaign) -> None:
    """Suggestions need a finished document, and showing them is logged."""
    assert campaign.document_for("ann", "7", "a")["second"] is None
    with pytest.raises(NotAllowed, match="the document is not finished"):
        campaign.document_for("ann", "7", "a", ["suggestions"])
    do(campaign, "ann", "done")
    assert listed(campaign, "ann")["a"]["second"]
    assert campaign.document_for("ann", "7", "a")["second"] == {"count": 2}
    shown = campaign.document_for("ann", "7", "a", ["suggestions"])
    assert shown["suggestions"] == [[0, 0, 5, None], [1, 21, 30, None]]
    assert [action.kind for action in campaign.actions("ann")][-2:] == ["opened", "suggestions"]
    with pytest.raises(NotAllowed):
        campaign.document_for("ben", "7", "a", ["suggestions"])
    assert do(campaign, "ann", "highlight", 0, 5, suggestion=0)["confirmed"] == [[0, 5]]
    assert do(campaign, "ann", "reject", suggestion=1)["rejected"] == [1]


def test_the_control_share_never_sees_suggestions(tmp_path: Path) -> None:
    """Suggestions of the control group can be neither shown nor confirmed."""
    given = b'{"topic": "7", "document": "a", "start": 0, "end": 5, "model": "m", "prompt": "p"}\n'
    with small_campaign(tmp_path / "c", suggestions=given, control=1.0) as campaign:
        do(campaign, "ann", "done")
        assert ("7", "a") in campaign.contents.control
        assert ("7", "b") not in campaign.contents.control
        assert campaign.document_for("ann", "7", "a")["second"] is None
        assert not listed(campaign, "ann")["a"]["second"]
        with pytest.raises(NotAllowed):
            campaign.document_for("ann", "7", "a", ["suggestions"])
        with pytest.raises(InvalidEvent):
            do(campaign, "ann", "highlight", 0, 5, suggestion=0)
        assert len(campaign.contents.suggestions) == 1


def test_nothing_else_can_be_shown(campaign: Campaign) -> None:
    """Other values of `show` are errors."""
    with pytest.raises(InvalidEvent, match="expected runs or suggestions"):
        campaign.document_for("ann", "7", "a", ["all"])


def test_a_document_can_be_read_where_nothing_can_be_written(campaign: Campaign) -> None:
    """Data whose display must be logged is not shown on a full disk."""
    store = campaign.recorder.store
    for _ in range(3):  # so that the pages of the log are full
        campaign.trace("ann", "7", "a", "work", {"seconds": 1, "more": "x" * 3000})
    store.setting(f"max_page_count={store.setting('page_count')}")
    found = [campaign.document_for("ann", "7", "a")["id"] for _ in range(100)]
    assert set(found) == {"a"}
    with pytest.raises(NoRoom):
        campaign.document_for("ann", "7", "a", ["runs"])


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
    """Finished documents come first, then unjudged ones, then those finished by others."""
    with small_campaign(tmp_path / "c", pool=POOL, order=kind, procedure="highlight") as campaign:
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
    """With assignments, the log has the next document of each assessor."""
    with small_campaign(tmp_path / "c", order="max-mean", double=0.0) as campaign:
        for name in ("ann", "ben"):
            campaign.add_person(name)
        for name in ("ann", "ben"):
            topics = campaign.pool_for(name)["topics"]
            first = [(topic["id"], topic["documents"][0]["id"]) for topic in topics]
            assert [(action.topic, action.document) for action in campaign.actions(name)] == first
            assert set(first) <= set(campaign.permissions.assigned(campaign.contents.pairs, name))


def test_what_comes_next_in_all_topics_is_written_at_once(tmp_path: Path) -> None:
    """Next documents are logged in one transaction, and only if they change."""
    with small_campaign(tmp_path / "c", order="move-to-front") as campaign:
        said: list[str] = []
        campaign.recorder.store._connection.set_trace_callback(said.append)
        campaign.pool_for("ann")
        assert said.count("BEGIN IMMEDIATE") == 1
        assert len([action for action in campaign.actions("ann") if action.kind == "order"]) == 2
        campaign.pool_for("ann")
        assert said.count("BEGIN IMMEDIATE") == 1


def test_what_comes_next_is_in_the_log(tmp_path: Path) -> None:
    """An unchanged next document is logged once; orders are reproducible."""
    orders = []
    for name in ("c", "d"):
        with small_campaign(tmp_path / name, pool=POOL, order="max-mean") as campaign:
            orders += [order(campaign, "ann") for _ in range(3)]
            message = [action for action in campaign.actions() if action.kind == "order"]
            assert [action.document for action in message] == [orders[0][0]]
            do(campaign, "ann", "done", document=orders[0][0])
            following = order(campaign, "ann")
            message = [action for action in campaign.actions() if action.kind == "order"]
            assert [action.document for action in message] == [orders[0][0], following[1]]
    assert len({tuple(found) for found in orders}) == 1
