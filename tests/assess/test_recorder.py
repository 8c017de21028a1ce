"""Tests of the recorder: repeats, conflicts, threads, killed processes."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from support.small_campaign import Clock, do, event, small_campaign

from excerpt.assess.agreement import measure_agreement
from excerpt.assess.campaign import Campaign
from excerpt.assess.export import exported
from excerpt.assess.folder import JOURNAL, InvalidEvent, NoRoom, Stale
from excerpt.assess.journal import lines_of, read_lines
from excerpt.assess.progress import status


@pytest.fixture
def campaign(tmp_path: Path) -> Any:
    """A small campaign."""
    with small_campaign(tmp_path / "c") as made:
        yield made


def test_the_same_event_twice_is_one_event(campaign: Campaign) -> None:
    """A repeated event gets the same answer and adds no row."""
    first = event(campaign, "highlight", 0, 5)
    answer = campaign.record("ann", first)
    do(campaign, "ann", "highlight", 9, 12)
    assert campaign.record("ann", first) == answer
    assert campaign.record("ann", {**first, "at": 1}) == answer
    assert campaign.recorder.store.count_events() == 2
    lines = [line for line in read_lines(campaign.folder / JOURNAL) if line.row.get("id") == first["id"]]
    assert len(lines) == 1


@pytest.mark.parametrize(
    "other",
    [{"end": 6, "quote": "Rents "}, {"topic": "8"}, {"document": "b"}, {"base": 1}, {"kind": "unhighlight"}],
)
def test_another_event_under_a_known_id_is_refused(campaign: Campaign, other: dict[str, Any]) -> None:
    """A reused id is rejected and changes nothing, also of another assessor."""
    first = event(campaign, "highlight", 0, 5)
    campaign.record("ann", first)
    with pytest.raises(InvalidEvent):
        campaign.record("ann", {**first, **other})
    with pytest.raises(InvalidEvent, match="belongs to another event"):
        campaign.record("ben", first)
    assert campaign.recorder.store.count_events() == 1


def test_a_long_quote_may_come_again_as_its_hash(campaign: Campaign) -> None:
    """An event repeated with a hash is the same event."""
    first = event(campaign, "highlight", 0, 1500, document="letter.txt")
    answer = campaign.record("ann", first)
    kept = campaign.recorder.store.event(first["id"])
    assert kept is not None
    assert len(kept["body"]) < 200
    assert '"quote":"sha256:' in kept["body"]
    digest = kept["body"].split("sha256:")[1][:64]
    assert campaign.record("ann", {**first, "quote": digest}) == answer


def test_an_event_on_another_version_is_refused_with_the_current_state(campaign: Campaign) -> None:
    """The version is checked before the text."""
    state = do(campaign, "ann", "highlight", 0, 5)
    for base in (-1, 0, 2, 10**9, -(10**30)):
        with pytest.raises(Stale) as refusal:
            campaign.record("ann", {**event(campaign, "highlight", 0, 5, base=base), "quote": "wrong"})
        assert refusal.value.state == state
    assert campaign.recorder.store.count_events() == 1


def test_events_come_in_their_order_whatever_the_clock_says(tmp_path: Path) -> None:
    """Order does not depend on the clock."""
    clock = Clock()
    with small_campaign(tmp_path / "c", clock=clock) as campaign:
        do(campaign, "ann", "highlight", 0, 5)
        clock.now -= 10_000
        do(campaign, "ann", "highlight", 9, 12)
        actions = campaign.actions()
        assert actions[1].at < actions[0].at
        assert campaign.judged()[0].state.highlights == [(0, 5), (9, 12)]
        assert [row["number"] for row in campaign.recorder.store.rows("event")] == [1, 2]


def test_threads_take_turns(campaign: Campaign) -> None:
    """Events of eight threads are all stored, with consecutive numbers."""

    def judge(name: str) -> None:
        for at in range(10):
            do(campaign, name, "highlight", 2 * at, 2 * at + 1)

    threads = [threading.Thread(target=judge, args=(f"person {number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [row["number"] for row in campaign.recorder.store.rows("event")] == list(range(1, 81))
    assert {found.state.version for found in campaign.judged()} == {10}
    assert (campaign.folder / JOURNAL).read_bytes() == b"".join(lines_of(campaign.recorder.store))


def test_a_full_disk_keeps_what_there_was(campaign: Campaign) -> None:
    """An event is rejected on a full disk and accepted when there is room."""
    do(campaign, "ann", "highlight", 0, 5)
    store = campaign.recorder.store
    store.setting(f"max_page_count={store.setting('page_count')}")
    notes = [event(campaign, "note", base=base, note="x" * 10_000) for base in range(1, 20)]
    answers, refusal = campaign.record_all("ann", notes)
    assert isinstance(refusal, NoRoom)
    note = notes[len(answers)]
    version = store.version(("7", "a", "ann"))
    assert version == note["base"]
    assert campaign.recorder.history(("7", "a", "ann")).version == version
    store.setting("max_page_count=1073741823")
    assert campaign.record("ann", note)["version"] == version + 1
    assert campaign.recorder.store.faults() == []


WRITER = """
import sys
from excerpt.assess.campaign import Campaign
with Campaign.open(sys.argv[1]) as campaign, campaign.serve_lock():
    text = campaign.corpus["letter.txt"]
    base = campaign.recorder.history(("7", "letter.txt", "ann")).version
    print("ready", flush=True)
    while True:
        start = base % 1000
        event = {"id": f"n{base}", "topic": "7", "document": "letter.txt", "base": base, "kind": "highlight",
                 "start": start, "end": start + 1, "quote": text[start]}
        base = campaign.record("ann", event)["version"]
        print(event["id"], flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("after", [1, 7, 23])
def test_acknowledged_events_survive_kill_9(tmp_path: Path, after: int) -> None:
    """Every acknowledged event is once in database and journal."""
    small_campaign(tmp_path / "c").close()
    known: list[str] = []
    for _ in range(3):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path / "c")], stdout=subprocess.PIPE, text=True
        ) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "ready\n"
            known += [writer.stdout.readline().strip() for _ in range(after)]
            writer.send_signal(signal.SIGKILL)
            known += [line.strip() for line in writer.stdout if line.endswith("\n")]
        with Campaign.open(tmp_path / "c") as campaign:
            ids = [row["id"] for row in campaign.recorder.store.rows("event")]
            assert len(known) <= len(ids) <= len(known) + 3
            assert set(known) <= set(ids)
            assert len(set(ids)) == len(ids)
            assert campaign.recorder.store.faults() == []
            with campaign.serve_lock():
                assert (tmp_path / "c" / JOURNAL).read_bytes() == b"".join(lines_of(campaign.recorder.store))


def test_what_others_write_is_known_after_an_own_event(campaign: Campaign) -> None:
    """Events of another process are seen, since they affect assignments."""
    assert campaign.recorder.summaries() == {}
    with Campaign.open(campaign.folder) as other:
        do(other, "ben", "highlight", 0, 5)
        do(campaign, "ann", "highlight", 0, 5)
        assert {key[2] for key in campaign.recorder.summaries()} == {"ann", "ben"}
        do(campaign, "ann", "highlight", 9, 12)
        found = campaign.recorder.summaries()
        assert found["7", "a", "ann"]["passages"] == 2
        assert found == other.recorder.summaries()


def test_closing_waits_for_what_is_being_written(tmp_path: Path) -> None:
    """After closing nothing can be written."""
    campaign = small_campaign(tmp_path / "c")
    with contextlib.ExitStack() as held:
        held.enter_context(campaign.recorder.writing())
        closing = threading.Thread(target=campaign.close)
        closing.start()
        closing.join(0.1)
        assert closing.is_alive()
    closing.join()
    with pytest.raises(Exception, match="closed"):
        do(campaign, "ann", "highlight", 0, 5)


LINE = b'{"topic": "7", "document": "a", "start": 0, "end": 5, "model": "m", "prompt": "p"}\n'


def test_the_judgment_before_suggestions_were_seen_is_kept_apart(tmp_path: Path) -> None:
    """The last finished state before the suggestions is available."""
    with small_campaign(tmp_path / "c", procedure="highlight", suggestions=LINE, control=0.0) as campaign:
        do(campaign, "ann", "done")
        do(campaign, "ann", "highlight", 30, 40)
        do(campaign, "ann", "done")
        assert campaign.judged()[0].before is None
        campaign.document_for("ann", "7", "a", ["suggestions"])
        do(campaign, "ann", "highlight", 0, 5, suggestion=0)
        do(campaign, "ann", "done")
        (found,) = campaign.judged()
        assert found.before is not None
        assert (found.before.highlights, found.before.version) == ([(30, 40)], 3)
        assert (found.state.highlights, found.state.confirmed) == ([(0, 5), (30, 40)], [(0, 5)])


def test_actions_are_in_the_order_of_the_log(tmp_path: Path) -> None:
    """Actions have the times of the server."""
    with small_campaign(tmp_path / "c", clock=Clock(1000.0)) as campaign:
        campaign.add_person("ann")
        do(campaign, "ann", "highlight", 0, 5)
        campaign.trace("ben", "8", "b", "work", {"seconds": 3})
        found = campaign.actions()
        assert [action[:3] + action[4:] for action in found] == [
            ("ann", "7", "a", "highlight"),
            ("ben", "8", "b", "work"),
        ]
        assert found[1].at - found[0].at == 1.0
        assert campaign.actions("ben") == found[1:]


def test_reports_wait_for_nobody_who_writes(tmp_path: Path) -> None:
    """Reports use a connection of their own and neither block writers nor wait for them."""
    with small_campaign(tmp_path / "c", procedure="highlight", suggestions=LINE, control=0.0) as campaign:
        campaign.add_person("ann")
        do(campaign, "ann", "done")
        campaign.document_for("ann", "7", "a", ["suggestions"])
        found: list[object] = []

        def report() -> None:
            found.append(status(campaign)["documents"]["done"])
            found.append(exported(campaign).about["machine"]["shown"])
            found.append({row["seen"] for row in measure_agreement(campaign, samples=1).machine})

        thread = threading.Thread(target=report, daemon=True)
        with campaign.recorder.writing():
            thread.start()
            thread.join(60)
            assert not thread.is_alive()
        assert found == [1, 1, {"before", "after", "all"}]


def test_a_moment_stays_what_it_was(tmp_path: Path) -> None:
    """A snapshot does not see later writes."""
    with small_campaign(tmp_path / "c", double=0.5) as campaign:
        campaign.add_person("ann")
        pair = campaign.permissions.assigned(campaign.contents.pairs, "ann")[0]
        place = {"topic": pair[0], "document": pair[1]}
        do(campaign, "ann", "highlight", 0, 5, **place)
        with campaign.snapshot() as still:
            before = (
                still.judged(),
                still.actions(),
                still.people(),
                still.permissions.assigned(still.contents.pairs, "ann"),
            )
            do(campaign, "ann", "highlight", 9, 12, **place)
            campaign.add_person("ben")
            assert (
                still.judged(),
                still.actions(),
                still.people(),
                still.permissions.assigned(still.contents.pairs, "ann"),
            ) == before
            assert status(still)["documents"]["open"] == 1
        assert campaign.judged() != before[0]
        assert [person.name for person in campaign.people()] == ["ann", "ben"]
