"""Everything made again from the log, and from the journal: the same bytes, whatever was done."""

from __future__ import annotations

import contextlib
import json
import shutil
import tempfile
import threading
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from small_campaign import do, event, small_campaign

from excerpt.assess import store
from excerpt.assess.campaign import Campaign
from excerpt.assess.folder import BACKUPS, DATABASE, JOURNAL, WriteLock
from excerpt.assess.journal import lines_of
from excerpt.assess.rebuilding import derive_states, rebuild
from excerpt.assess.recording import event_of, state_row
from excerpt.assess.refusals import Stale, TooNew, Unfit
from excerpt.assess.state import History
from excerpt.errors import ExcerptError

PLACES = st.integers(0, 150)
PATHS = ["/article[1]", "/article[1]/body[1]/sec[1]", "/article[1]/body[1]/sec[1]/p[2]/it[1]", "/x[1]"]
GRADES: list[Any] = [2, 1, "?", None, [2, 3], [3, 1], [0, 0], [2, "E"], [1, "L"], [0, "N"]]


def states(campaign: Campaign) -> list[dict[str, Any]]:
    """All that is derived, as it is kept."""
    return list(campaign.recorder.store.states(body=True))


class Judging(RuleBasedStateMachine):
    """Two people judge one document for two topics, by highlights and grades."""

    @initialize(procedure=st.sampled_from(["inex2002", "inex2004", "inex2005", "inex2007", "evidence"]))
    def begin(self, procedure: str) -> None:
        """A new campaign."""
        self.folder = Path(tempfile.mkdtemp(prefix="core-"))
        self.campaign = small_campaign(self.folder / "c", procedure=procedure, documents=("a", "b"))
        self.sent: list[tuple[str, dict[str, Any], dict[str, Any]]] = []

    def _do(self, name: str, topic: str, kind: str, *span: int, **fields: Any) -> None:
        base = self.campaign.recorder.history((topic, "a", name)).version
        sent = event(self.campaign, kind, *span, base=base, topic=topic, **fields)
        try:
            answer = self.campaign.record(name, sent)
        except Unfit:
            return
        assert answer["version"] == base + 1
        self.sent.append((name, sent, answer))

    @rule(
        name=st.sampled_from(["ann", "ben"]),
        topic=st.sampled_from(["7", "8"]),
        kind=st.sampled_from(["highlight", "unhighlight", "label"]),
        start=PLACES,
        length=st.integers(1, 60),
    )
    def mark(self, name: str, topic: str, kind: str, start: int, length: int) -> None:
        """Something is marked, or not any more."""
        fields = {"label": "supports"} if kind == "label" else {}
        self._do(name, topic, kind, start, min(start + length, 154), **fields)

    @rule(
        name=st.sampled_from(["ann", "ben"]),
        kind=st.sampled_from(["undo", "redo", "done", "reopen", "no-bep"]),
    )
    def step(self, name: str, kind: str) -> None:
        """Back, forth, finished or not."""
        self._do(name, "7", kind)

    @rule(path=st.sampled_from(PATHS), grade=st.sampled_from(GRADES), rest=st.booleans())
    def grade(self, path: str, grade: Any, rest: bool) -> None:
        """An element is graded, or all that is left in it."""
        more = {"rest": True, "sure": True} if rest else {"grade": grade}
        self._do("ann", "7", "grade", path=path, **more)

    @rule(at=PLACES)
    def enter(self, at: int) -> None:
        """An entry point."""
        self._do("ann", "7", "bep", at)

    @rule(which=st.integers(0, 10**6))
    def repeat(self, which: int) -> None:
        """An event that was answered comes again: the same answer, and nothing new."""
        if self.sent:
            name, sent, answer = self.sent[which % len(self.sent)]
            before = self.campaign.recorder.store.last_number()
            assert json.dumps(self.campaign.record(name, sent)) == json.dumps(answer)
            assert self.campaign.recorder.store.last_number() == before

    @rule(off=st.integers(1, 3))
    def late(self, off: int) -> None:
        """An event on another version is refused, with the current state."""
        history = self.campaign.recorder.history(("7", "a", "ann"))
        with pytest.raises(Stale) as refusal:
            self.campaign.record("ann", event(self.campaign, "done", base=history.version + off))
        assert refusal.value.state == history.state.to_json()

    @rule()
    def open_again(self) -> None:
        """The process ends and another begins."""
        self.campaign.close()
        self.campaign = Campaign.open(self.folder / "c")

    @invariant()
    def stored_is_folded(self) -> None:
        """What is kept is what the events come to."""
        if not hasattr(self, "campaign"):
            return
        store = self.campaign.recorder.store
        for row in states(self.campaign):
            key = (row["topic"], row["document"], row["assessor"])
            history = History.of(map(event_of, store.events(key)), self.campaign._rules(key))
            assert state_row(key, history.state) == row

    def teardown(self) -> None:
        """In the end all is made again, from the log and from the journal."""
        if not hasattr(self, "campaign"):
            return
        before, store = states(self.campaign), self.campaign.recorder.store
        assert (self.folder / "c" / JOURNAL).read_bytes() == b"".join(lines_of(store))
        log = list(store.log())
        derive_states(self.campaign)
        assert states(self.campaign) == before
        self.campaign.close()
        (self.folder / "c" / DATABASE).unlink()
        assert rebuild(self.folder / "c") == len(self.sent)
        with Campaign.open(self.folder / "c") as campaign:
            assert states(campaign) == before
            assert list(campaign.recorder.store.log()) == log
            assert campaign.integrity() == []
        shutil.rmtree(self.folder)


TestStateIsWhatTheJournalSays = Judging.TestCase
TestStateIsWhatTheJournalSays.settings = settings(
    max_examples=25, stateful_step_count=25, deadline=None, database=None
)


def test_a_damaged_database_is_kept_and_made_again(tmp_path: Path) -> None:
    """From the journal, with all people and traces."""
    with small_campaign(tmp_path / "c") as campaign:
        token = campaign.add_person("ann")
        do(campaign, "ann", "highlight", 0, 5)
        campaign.trace("ann", "7", "a", "work", {"seconds": 9})
        before = states(campaign)
    (tmp_path / "c" / DATABASE).write_bytes(b"damaged" * 1000)
    assert rebuild(tmp_path / "c") == 1
    with Campaign.open(tmp_path / "c") as campaign:
        assert states(campaign) == before
        assert campaign.identify(token) == "ann"
        assert campaign.work_of("ann")[0] == {("7", "a"): 9.0}
    assert any(path.name.startswith("damaged-") for path in (tmp_path / "c" / BACKUPS).iterdir())


def test_a_journal_of_more_rows_wins_where_the_database_lacks_them(tmp_path: Path) -> None:
    """As after an older copy was put in its place."""
    with small_campaign(tmp_path / "c") as campaign:
        do(campaign, "ann", "highlight", 0, 5)
        copy = campaign.backup()
        do(campaign, "ann", "highlight", 9, 12)
        before = states(campaign)
    shutil.copy(copy, tmp_path / "c" / DATABASE)
    assert rebuild(tmp_path / "c") == 2
    with Campaign.open(tmp_path / "c") as campaign:
        assert states(campaign) == before


def test_rows_that_do_not_fit_are_told(tmp_path: Path) -> None:
    """And nothing is changed."""
    small_campaign(tmp_path / "c").close()
    (tmp_path / "c" / DATABASE).unlink()
    with (tmp_path / "c" / JOURNAL).open("a") as stream:
        stream.write('{"table":"event","number":1}\n')
    with pytest.raises(ExcerptError, match="found a row of event with other columns"):
        rebuild(tmp_path / "c")
    assert sorted(path.name for path in (tmp_path / "c").iterdir()) == [
        *("backups", "campaign.toml", "journal.jsonl", "serve.lock")
    ]


@pytest.mark.parametrize(
    ("lines", "told"),
    [(1, "found no settings of a campaign"), (3, "found 0 rows of topic, expected 2"), (8, "of document")],
)
def test_a_journal_that_was_cut_in_its_first_part_is_not_taken_for_whole(
    tmp_path: Path, lines: int, told: str
) -> None:
    """The database stays what it was, which may be of more use."""
    small_campaign(tmp_path / "c").close()
    (tmp_path / "c" / DATABASE).write_bytes(b"damaged")
    journal = tmp_path / "c" / JOURNAL
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:lines]))
    with pytest.raises(ExcerptError, match=told):
        rebuild(tmp_path / "c")
    assert (tmp_path / "c" / DATABASE).read_bytes() == b"damaged"


def test_without_a_journal_there_is_nothing_to_make_it_from(tmp_path: Path) -> None:
    """It is not there to be read, which is no matter of writing."""
    small_campaign(tmp_path / "c").close()
    for name in (DATABASE, JOURNAL):
        (tmp_path / "c" / name).unlink()
    with pytest.raises(ExcerptError, match="cannot be read: there is no journal"):
        rebuild(tmp_path / "c")


def test_a_newer_database_is_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From a journal that an older excerpt may not understand."""
    small_campaign(tmp_path / "c").close()
    before = (tmp_path / "c" / DATABASE).read_bytes()
    monkeypatch.setattr(store, "MIGRATIONS", ())
    with pytest.raises(TooNew):
        rebuild(tmp_path / "c")
    assert (tmp_path / "c" / DATABASE).read_bytes() == before


def test_a_campaign_that_is_served_is_not_rebuilt(tmp_path: Path) -> None:
    """Its server would not know."""
    with (
        small_campaign(tmp_path / "c") as campaign,
        campaign.serve_lock(),
        pytest.raises(ExcerptError, match="served already"),
    ):
        rebuild(tmp_path / "c")


def test_making_again_waits_for_those_who_write(tmp_path: Path) -> None:
    """One process at a time has the folder."""
    with small_campaign(tmp_path / "c") as campaign:
        do(campaign, "ann", "done")

        def make() -> None:
            derive_states(campaign)

        with contextlib.closing(WriteLock(tmp_path / "c")) as lock:
            for work in (make, partial(rebuild, tmp_path / "c")):
                thread = threading.Thread(target=work)
                with lock.held():
                    thread.start()
                    thread.join(0.1)
                    assert thread.is_alive()
                thread.join()
        assert len(states(campaign)) == 1
