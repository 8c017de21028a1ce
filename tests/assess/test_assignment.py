"""Tests of assignments: tables, dealt topics, and what assessors may judge."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.small_campaign import do, small_campaign

from excerpt.assess.assignment import deal_topics, even, read_table, reassign, table_lines
from excerpt.assess.campaign import Campaign
from excerpt.assess.export import exported
from excerpt.assess.folder import DATABASE, InvalidEvent, NotAllowed, NotFound
from excerpt.assess.recovery import rebuild
from excerpt.errors import ExcerptError

BOTH = {"7": {"": ["ann"]}, "8": {"": ["bob"]}}


def two_people(folder: Path) -> Campaign:
    """A campaign of ann and bob."""
    campaign = small_campaign(folder)
    campaign.add_person("ann")
    campaign.add_person("bob")
    return campaign


def topics_of(campaign: Campaign, name: str) -> list[str]:
    """The topics that an assessor sees."""
    return [topic["id"] for topic in campaign.pool_for(name)["topics"]]


def test_who_is_not_assigned_sees_nothing_and_is_refused(tmp_path: Path) -> None:
    """Each sees the own topic, another process's change counts at once, and the journal has it."""
    with two_people(tmp_path / "c") as campaign:
        assert topics_of(campaign, "ann") == ["7", "8"]
        with Campaign.open(tmp_path / "c") as other:
            other.permissions.assign(read_table(b"7\tann\n8\tbob\n", other))
        assert topics_of(campaign, "ann") == ["7"]
        with pytest.raises(NotAllowed, match="another assessor"):
            campaign.document_for("ann", "8", "a")
        with pytest.raises(NotAllowed):
            do(campaign, "bob", "highlight", 0, 5)
        assert campaign.document_for("bob", "8", "a")["id"] == "a"
        campaign.add_person("eve")
        assert topics_of(campaign, "eve") == []
    (tmp_path / "c" / DATABASE).unlink()
    rebuild(tmp_path / "c")
    with Campaign.open(tmp_path / "c") as campaign:
        assert campaign.permissions.table() == BOTH


def test_single_documents_are_assigned(tmp_path: Path) -> None:
    """A line of three columns assigns a document, by any of its names."""
    with two_people(tmp_path / "c") as campaign:
        table = read_table(b"topic\tdocument\tname\n7\ta\tann\n7\tb.xml\tbob\n8\tann\n8\tann\n", campaign)
        assert table == {"7": {"a": ["ann"], "b": ["bob"]}, "8": {"": ["ann"]}}
        campaign.permissions.assign(table)
        assert [row["id"] for row in campaign.pool_for("bob")["topics"][0]["documents"]] == ["b"]
        lines = "\n".join(table_lines(campaign.permissions.current()))
        assert read_table(lines.encode(), campaign) == table


def test_what_was_judged_is_kept_and_not_judged_again(tmp_path: Path) -> None:
    """A topic changes hands: the export has what was finished, and the new assessor gets the rest."""
    with two_people(tmp_path / "c") as campaign:
        campaign.permissions.assign(BOTH)
        do(campaign, "ann", "done")
        do(campaign, "ann", "highlight", 0, 5, document="b")
        campaign.permissions.assign({"7": {"": ["bob"]}, "8": {"": ["ann"]}})
        rows = campaign.pool_for("bob")["topics"][0]["documents"]
        assert [row["id"] for row in rows] == ["plain.txt", "b", "letter.txt"]
        assert campaign.document_for("bob", "7", "a")["state"]["done"] is False  # but allowed
        with pytest.raises(NotAllowed):
            campaign.document_for("ann", "7", "a")
        assert exported(campaign, to="jsonl").about["assessors"] == {"ann": 1}
        campaign.permissions.assign(BOTH)
        assert campaign.document_for("ann", "7", "b")["state"]["highlights"] == [[0, 5]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("7\tann\n8\teve\n", ":2: unknown assessor 'eve'"),
        ("7\tann\n9\tann\n", ":2: unknown topic '9'"),
        ("7\tzzz\tann\n", ":1: the pool of topic 7 has no document 'zzz'"),
        ("7 ann\n", ":1: found 1 column, expected topic TAB name"),
        ("7\ta\tann\tbob\n", ":1: found 4 columns"),
        ("\n", "the file is empty"),
    ],
)
def test_a_wrong_table_changes_nothing(tmp_path: Path, text: str, message: str) -> None:
    """An error names the line."""
    path = tmp_path / "table.tsv"
    path.write_text(text)
    with two_people(tmp_path / "c") as campaign:
        with pytest.raises(ExcerptError) as error:
            read_table(path, campaign)
        assert message in str(error.value)
        assert campaign.permissions.table() is None


def test_one_topic_is_reassigned_and_the_others_keep_theirs(tmp_path: Path) -> None:
    """Without a table, the present permissions become one first."""
    with two_people(tmp_path / "c") as campaign:
        reassign(campaign, "8", ["bob"])
        assert campaign.permissions.table() == {"7": {"": ["ann", "bob"]}, "8": {"": ["bob"]}}
        reassign(campaign, "7", [])
        assert topics_of(campaign, "ann") == []
        with pytest.raises(NotFound):
            reassign(campaign, "9", ["ann"])
        for names in ("ann", ["eve"], [["ann"]], [1]):
            with pytest.raises(InvalidEvent):
                reassign(campaign, "7", names)


def test_random_pairs_can_be_changed(tmp_path: Path) -> None:
    """A campaign with --double is printed as pairs, and one topic of it is changed."""
    with small_campaign(tmp_path / "c", double=0.5) as campaign:
        for name in ("ann", "bob", "eve"):
            campaign.add_person(name)
        before = campaign.permissions.current()
        assert Counter(len(names) for names in before["7"].values()).keys() <= {1, 2}
        reassign(campaign, "8", ["eve"])
        assert campaign.permissions.current() == {"7": before["7"], "8": {"": ["eve"]}}


def test_topics_are_dealt(tmp_path: Path) -> None:
    """Whole topics; who has started one keeps it."""
    with two_people(tmp_path / "c") as campaign:
        do(campaign, "bob", "highlight", 0, 5)
        assert deal_topics(campaign) == {"7": {"": ["bob"]}, "8": {"": ["ann"]}}
        both = ["ann", "bob"]
        assert deal_topics(campaign, 1.0) == {"7": {"": both}, "8": {"": both}}
        campaign.remove_person("bob")
        assert deal_topics(campaign) == {"7": {"": ["ann"]}, "8": {"": ["ann"]}}
        with pytest.raises(ExcerptError, match="1 assessor, expected more"):
            deal_topics(campaign, 0.5)
        with pytest.raises(ExcerptError, match="from 0 to 1"):
            deal_topics(campaign, 1.5)


@given(st.integers(1, 30), st.integers(2, 7), st.integers(0, 30), st.data())
def test_shares_differ_by_at_most_one_topic(
    topics: int, people: int, twice: int, data: st.DataObject
) -> None:
    """Whatever was started before."""
    names = [f"p{number}" for number in range(people)]
    needed = {f"t{number}": 1 + (number < twice) for number in range(topics)}
    dealt = {
        topic: data.draw(st.lists(st.sampled_from(names), max_size=count, unique=True))
        for topic, count in needed.items()
    }
    even(dealt, needed, names)
    loads = Counter(dict.fromkeys(names, 0))
    for topic, some in dealt.items():
        assert len(set(some)) == len(some) == needed[topic]
        loads.update(some)
    assert max(loads.values()) - min(loads.values()) <= 1
