"""Tests of whole campaigns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.small_campaign import PLAIN, do, event, small_campaign

from excerpt.assess.campaign import Campaign
from excerpt.assess.events import KINDS, Event
from excerpt.assess.folder import InvalidEvent, NotAllowed, NotFound, Stale
from excerpt.errors import ExcerptError

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
FIELDS = {
    "id": st.uuids().map(str) | ANYTHING,
    "topic": st.just("7") | ANYTHING,
    "document": st.just("a") | ANYTHING,
    "base": st.just(0) | ANYTHING,
    "kind": st.sampled_from(list(KINDS)) | ANYTHING,
}
MORE = {
    "start": st.integers(0, 20) | ANYTHING,
    "end": st.integers(0, 20) | ANYTHING,
    "quote": ANYTHING,
    "path": st.just("/article[1]") | ANYTHING,
    "grade": st.sampled_from([1, "?", [1, 2]]) | ANYTHING,
    **dict.fromkeys(("rest", "sure", "label", "note", "suggestion", "made"), ANYTHING),
}


@pytest.mark.parametrize("procedure", ["inex2002", "inex2004", "inex2005", "inex2007", "evidence"])
def test_whatever_is_sent_is_an_answer_or_a_refusal(tmp_path: Path, procedure: str) -> None:
    """Any event is stored or rejected; a stored event gets the same answer again."""
    with small_campaign(tmp_path / "c", procedure=procedure) as campaign:

        @settings(max_examples=60)
        @given(st.fixed_dictionaries(FIELDS, optional=MORE))
        def send(sent: dict[str, Any]) -> None:
            try:
                answer = campaign.record("ann", sent)
            except (InvalidEvent, Stale, NotFound) as refusal:
                assert str(refusal)  # noqa: PT017 - either is right
            else:
                assert campaign.record("ann", sent) == answer

        send()
        assert campaign.recorder.store.faults() == []
        assert campaign.recorder.check_journal(tmp_path / "damaged") == ""


def test_offsets_count_code_points_with_emoji_and_line_ends(tmp_path: Path) -> None:
    """Offsets after an emoji or CR LF are those of Python strings."""
    with small_campaign(tmp_path / "c") as campaign:
        assert campaign.corpus["plain.txt"] == PLAIN
        for words in ("😀 with", "emoji.\r\nThe", "👩\u200d🔬", "end"):
            at = PLAIN.index(words)
            do(campaign, "ann", "highlight", at, at + len(words), document="plain.txt")
        moved = {**event(campaign, "highlight", 13, 17, base=4, document="plain.txt"), "start": 14, "end": 18}
        with pytest.raises(InvalidEvent, match="found the quote"):
            campaign.record("ann", moved)


def test_a_list_stops_at_the_first_refusal(tmp_path: Path) -> None:
    """Events before the first invalid one are stored."""
    with small_campaign(tmp_path / "c") as campaign:
        events = [event(campaign, "highlight", at, at + 1, base=base) for base, at in enumerate((0, 2, 4))]
        answers, refusal = campaign.record_all("ann", events)
        assert ([answer["version"] for answer in answers], refusal) == ([1, 2, 3], None)
        late = event(campaign, "done", base=0)
        answers, refusal = campaign.record_all("ann", [events[2], late, events[0]])
        assert [answer["version"] for answer in answers] == [3]
        assert isinstance(refusal, Stale)


def test_assessors_do_not_see_each_other(tmp_path: Path) -> None:
    """Judgments belong to a topic, a document and an assessor."""
    with small_campaign(tmp_path / "c") as campaign:
        do(campaign, "ann", "highlight", 0, 5)
        assert do(campaign, "ben", "highlight", 9, 12)["version"] == 1
        assert do(campaign, "ann", "highlight", 5, 6, topic="8")["highlights"] == [[5, 6]]
        assert [(found.assessor, found.topic) for found in campaign.judged()] == [
            ("ann", "7"),
            ("ann", "8"),
            ("ben", "7"),
        ]


def test_judgments_from_elsewhere_are_taken_whole_or_not_at_all(tmp_path: Path) -> None:
    """Imported judgments are stored in one transaction."""
    with small_campaign(tmp_path / "c") as campaign:
        body = {"start": 0, "end": 5, "quote": "Rents"}
        good = [Event("1", "7", "a", 0, "highlight", body), Event("2", "7", "a", 1, "bep", {"start": 0})]
        with pytest.raises(InvalidEvent):
            campaign.enter_all("imported", [*good, Event("3", "7", "b", 0, "highlight", body)])
        assert campaign.judged() == []
        campaign.enter_all("imported", [*good, Event("3", "7", "a", 2, "done")])
        (found,) = campaign.judged()
        assert (found.assessor, found.state.done, found.state.bep) == ("imported", True, 0)
        assert do(campaign, "imported", "undo")["done"] is False


@pytest.mark.parametrize("seconds", [-1, float("nan"), float("inf"), "5", None, True, 86_401, 10**400])
def test_seconds_of_work_are_a_number(tmp_path: Path, seconds: Any) -> None:
    """Working time is a number of at most a day."""
    with small_campaign(tmp_path / "c") as campaign:
        with pytest.raises(InvalidEvent, match="seconds, expected 0 to 86400"):
            campaign.trace("ann", "7", "a", "work", {"seconds": seconds})
        assert campaign.actions() == []


def test_documents_are_listed_once(tmp_path: Path) -> None:
    """The documents are read once, since exports use them for every judgment."""
    with small_campaign(tmp_path / "c") as campaign:
        assert campaign.lengths is campaign.lengths


def test_an_address_is_kept(tmp_path: Path) -> None:
    """The address is stored in campaign.toml: links depend on it."""
    with small_campaign(tmp_path / "c") as campaign:
        campaign.set_address("127.0.0.1", 8123, names=("assess.test",))
        campaign.set_address("127.0.0.1", 8124)
    with Campaign.open(tmp_path / "c") as campaign:
        found = campaign.settings
    assert (found.host, found.port, found.names) == ("127.0.0.1", 8124, ("assess.test",))


def test_a_campaign_is_served_once(tmp_path: Path) -> None:
    """A second server is rejected; reading and adding assessors is possible meanwhile."""
    with small_campaign(tmp_path / "c") as campaign, campaign.serve_lock():
        with Campaign.open(tmp_path / "c") as other:
            other.add_person("ben")
            with pytest.raises(ExcerptError, match=r"is served already \(process \d+\)"), other.serve_lock():
                pass
        assert [person.name for person in campaign.people()] == ["ben"]


def test_a_database_that_is_damaged_inside_is_an_error_in_one_line(tmp_path: Path) -> None:
    """The error names the command that restores the database."""
    small_campaign(tmp_path / "c").close()
    path = tmp_path / "c" / "judgments.sqlite"
    data = path.read_bytes()
    path.write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))
    with pytest.raises(ExcerptError, match=r"judgments.sqlite: cannot be read: .*; excerpt assess rebuild "):
        Campaign.open(tmp_path / "c")
    path.unlink()
    with pytest.raises(ExcerptError, match=rf"; excerpt assess rebuild {tmp_path / 'c'} restores it"):
        Campaign.open(tmp_path / "c")


def people(campaign: Campaign, *names: str) -> None:
    """Add assessors."""
    for name in names:
        campaign.add_person(name)


def test_without_double_judging_everybody_may_judge_everything(tmp_path: Path) -> None:
    """Every assessor may judge every document."""
    with small_campaign(tmp_path / "c") as campaign:
        people(campaign, "ann", "ben")
        assert (
            len(campaign.permissions.assigned(campaign.contents.pairs, "ann"))
            == len(campaign.permissions.assigned(campaign.contents.pairs, "ben"))
            == 8
        )
        do(campaign, "ann", "done")
        do(campaign, "ben", "done")


def test_each_pair_goes_to_one_and_a_share_to_two(tmp_path: Path) -> None:
    """Each document is assigned to one assessor, a proportion to two; others are rejected."""
    with small_campaign(tmp_path / "c", double=0.25) as campaign:
        people(campaign, "ann", "ben", "cem")
        given = {
            name: set(campaign.permissions.assigned(campaign.contents.pairs, name))
            for name in ("ann", "ben", "cem")
        }
        counts = [sum(pair in pairs for pairs in given.values()) for pair in campaign.contents.pairs]
        assert sorted(counts) == [1] * 6 + [2] * 2
        for name, pairs in given.items():
            for topic, document in campaign.contents.pairs:
                if (topic, document) in pairs:
                    assert do(campaign, name, "done", topic=topic, document=document)["done"]
                else:
                    with pytest.raises(NotAllowed, match="is assigned to another assessor"):
                        do(campaign, name, "done", topic=topic, document=document)
                    with pytest.raises(NotAllowed):
                        campaign.document_for(name, topic, document)
                    with pytest.raises(NotAllowed):
                        campaign.trace(name, topic, document, "work", {"seconds": 1})


def test_what_was_begun_stays_when_people_are_added(tmp_path: Path) -> None:
    """Started documents stay assigned when another process adds assessors."""
    with small_campaign(tmp_path / "c", double=0) as campaign, Campaign.open(tmp_path / "c") as other:
        people(campaign, "ann")
        for topic, document in campaign.permissions.assigned(campaign.contents.pairs, "ann")[:4]:
            do(campaign, "ann", "highlight", 0, 5, topic=topic, document=document)
        begun = set(campaign.contents.pairs[:4])
        people(other, "ben", "cem", "dee", "eve", "fay")
        assert begun <= set(campaign.permissions.assigned(campaign.contents.pairs, "ann"))
        assert set(campaign.permissions.assigned(campaign.contents.pairs, "ann")) != set(
            campaign.contents.pairs
        )


def test_what_somebody_left_unfinished_goes_to_others(tmp_path: Path) -> None:
    """Unfinished documents of a removed assessor go to others, finished ones do not."""
    with small_campaign(tmp_path / "c", double=0) as campaign:
        people(campaign, "ann")
        do(campaign, "ann", "done", document="a")
        do(campaign, "ann", "highlight", 0, 5, document="b")
        campaign.remove_person("ann")
        people(campaign, "ben")
        assert ("7", "a") not in campaign.permissions.assigned(campaign.contents.pairs, "ben")
        assert ("7", "b") in campaign.permissions.assigned(campaign.contents.pairs, "ben")
        assert len(campaign.judged()) == 2


def test_judgments_of_nobody_here_take_no_place(tmp_path: Path) -> None:
    """Imported judgments do not count as an assessor of a document."""
    from excerpt.assess.events import Event

    with small_campaign(tmp_path / "c", double=0) as campaign:
        campaign.enter_all("imported", [Event("1", "7", "a", 0, "done")])
        people(campaign, "ben")
        assert len(campaign.permissions.assigned(campaign.contents.pairs, "ben")) == 8


def test_people_come_and_go(tmp_path: Path) -> None:
    """A replaced or removed token identifies no assessor."""
    with small_campaign(tmp_path / "c") as campaign:
        first, second = campaign.add_person("ann"), campaign.add_person("ann")
        assert (campaign.identify(first), campaign.identify(second)) == (None, "ann")
        campaign.remove_person("ann")
        assert campaign.identify(second) is None
        with pytest.raises(ExcerptError, match="the campaign has no assessor 'ann'"):
            campaign.remove_person("ann")
        assert second not in (tmp_path / "c" / "journal.jsonl").read_text()


@pytest.mark.parametrize("double", [None, 0.0, 0.5])
def test_everybodys_pairs_are_those_of_each(tmp_path: Path, double: float | None) -> None:
    """Both lists of assignments agree, also after a removal."""
    with small_campaign(tmp_path / "c", double=double) as campaign:
        people(campaign, "ann", "ben", "cem")
        topic, document = campaign.permissions.assigned(campaign.contents.pairs, "cem")[0]
        do(campaign, "cem", "done", topic=topic, document=document)
        campaign.remove_person("cem")
        found = campaign.permissions.by_assessor(campaign.contents.pairs)
        assert found == {
            name: campaign.permissions.assigned(campaign.contents.pairs, name) for name in ("ann", "ben")
        }
