"""What came of a campaign so far."""

from __future__ import annotations

import threading
from pathlib import Path

from small_campaign import Clock, do, small_campaign

from excerpt.assess.agreeing import measure_agreement
from excerpt.assess.exporting import exported
from excerpt.assess.progress import status

LINE = b'{"topic": "7", "document": "a", "start": 0, "end": 5, "model": "m", "prompt": "p"}\n'


def test_the_judgment_before_suggestions_were_seen_is_kept_apart(tmp_path: Path) -> None:
    """As it was when the document was last finished before."""
    with small_campaign(tmp_path / "c", procedure="inex2006", suggestions=LINE, control=0.0) as campaign:
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
    """With the moments of the server's clock."""
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
    """Nor does anybody wait for them: they are read through a connection of their own."""
    with small_campaign(tmp_path / "c", procedure="inex2006", suggestions=LINE, control=0.0) as campaign:
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
    """Whatever is written meanwhile."""
    with small_campaign(tmp_path / "c", double=0.5) as campaign:
        campaign.add_person("ann")
        pair = campaign.assigned("ann")[0]
        place = {"topic": pair[0], "document": pair[1]}
        do(campaign, "ann", "highlight", 0, 5, **place)
        with campaign.at_one_moment() as still:
            before = still.judged(), still.actions(), still.people(), still.assigned("ann")
            do(campaign, "ann", "highlight", 9, 12, **place)
            campaign.add_person("ben")
            assert (still.judged(), still.actions(), still.people(), still.assigned("ann")) == before
            assert status(still)["documents"]["open"] == 1
        assert campaign.judged() != before[0]
        assert [person.name for person in campaign.people()] == ["ann", "ben"]
