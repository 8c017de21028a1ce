"""Tests of creating, importing and rebuilding campaigns; a folder is complete or not there."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import sqlite3
import sys
import tempfile
import threading
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from support.judged_campaign import judged_campaign
from support.small_campaign import ALL, LETTER, TOPICS, do, event, small_campaign, small_pool, write_corpus

from excerpt import Corpus
from excerpt.assess import creation, store
from excerpt.assess.campaign import Campaign
from excerpt.assess.creation import import_judgments, pool_of
from excerpt.assess.events import History
from excerpt.assess.export import exported
from excerpt.assess.folder import BACKUPS, DATABASE, JOURNAL, InvalidEvent, Stale, TooNew, WriteLock
from excerpt.assess.journal import lines_of
from excerpt.assess.procedures import PROCEDURES
from excerpt.assess.recorder import JudgedState, event_of, state_row
from excerpt.assess.recovery import derive_states, rebuild
from excerpt.errors import ExcerptError
from excerpt.formats import read_judgments
from excerpt.model import Judgments
from excerpt.notices import Notices
from excerpt.pooling import Pool, PoolItem
from excerpt.pooling.pools import PoolUnit


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"topics": b"7\tWho pays?\n"}, "missing topics of the pool: 8"),
        ({"topics": {"7": "Who pays?", "8": " "}}, "topic 8 has no text"),
        ({"procedure": "inex1999"}, "unknown procedure"),
        ({"double": 2}, "found double 2"),
        ({"procedure": "inex2005", "pool": small_pool()}, "found 2 documents without elements: plain.txt, "),
        ({"pool": b""}, "the file is empty"),
        ({"suggestions": b'{"topic": "7"}\n'}, "<bytes>:1: key document is missing"),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_is_left(
    how: dict[str, Any], message: str, tmp_path: Path
) -> None:
    """Invalid input is an error of one line, and no folder is left."""
    with pytest.raises(ExcerptError) as error:
        small_campaign(tmp_path / "c", **how)
    assert message in str(error.value)
    assert [path.name for path in tmp_path.iterdir()] == ["c-documents"]


def test_documents_that_the_corpus_lacks_are_named_and_counted(tmp_path: Path) -> None:
    """The error names the first missing documents."""
    pool = Pool.of(PoolItem("7", f"d{n}", n, "depth", None, (), ()) for n in range(1, 10))
    with pytest.raises(
        ExcerptError,
        match=r"the corpus lacks 9 documents of the pool: d1, d2, d3, d4, d5 and 4 more; was the pool built",
    ):
        small_campaign(tmp_path / "c", pool=pool)


def test_a_document_has_one_name(tmp_path: Path) -> None:
    """Two names of one document are an error, in a topic or in two: it would be judged twice."""
    items = [PoolItem("7", name, n, "depth", None, (), ()) for n, name in enumerate(("a", "a.xml"), 1)]
    with pytest.raises(ExcerptError, match=r"found a and a.xml in topic 7, two names of one document"):
        small_campaign(tmp_path / "c", pool=Pool.of(items))
    with pytest.raises(ExcerptError, match=r"found a \(topic 7\) and a.xml in topic 8, two names of one"):
        small_campaign(tmp_path / "c", pool=Pool.of([items[0], items[1]._replace(topic="8")]))
    with small_campaign(tmp_path / "c", pool=Pool.of([items[1]])) as campaign:
        assert set(campaign.lengths) == {"a.xml"}


@pytest.mark.parametrize("there", ["file", "folder"])
def test_a_folder_that_is_not_empty_is_refused(there: str, tmp_path: Path) -> None:
    """A file, or a folder with any content, is an error."""
    target = tmp_path / "c"
    if there == "folder":
        target.mkdir()
        (target / "mine").touch()
    else:
        target.touch()
    with pytest.raises(ExcerptError, match="exists already"):
        small_campaign(target)


def test_a_folder_has_a_name() -> None:
    """An empty name does not mean the current folder."""
    with pytest.raises(ExcerptError, match=r"^found an empty name, expected the name of a new folder"):
        Campaign.create("", corpus="x", topics=TOPICS)


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    """An empty folder becomes that of the campaign."""
    (tmp_path / "c").mkdir()
    small_campaign(tmp_path / "c").close()
    names = sorted(path.name for path in (tmp_path / "c").iterdir())
    assert names == ["backups", "campaign.toml", "journal.jsonl", "judgments.sqlite"]


def test_a_failure_in_the_middle_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No folder is left after a failure."""

    def fail(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(creation, "write_settings", fail)
    with pytest.raises(ExcerptError, match="no space left"):
        small_campaign(tmp_path / "c")
    assert [path.name for path in tmp_path.iterdir()] == ["c-documents"]


@pytest.mark.parametrize("at", ["journal_mode", "COMMIT", "wal"])
def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: str) -> None:
    """The error is one line that names the folder, whenever the disk becomes full."""
    seen: list[str] = []

    class Full(sqlite3.Connection):
        def execute(self, statement: str, /, *given: Any) -> sqlite3.Cursor:
            seen.append(statement)
            opened = at == "wal" and sum("journal_mode" in one for one in seen) > 1
            if at in statement or opened:
                error = sqlite3.OperationalError("database or disk is full")
                error.sqlite_errorcode = sqlite3.SQLITE_FULL
                raise error
            return super().execute(statement, *given)

    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Full))
    with pytest.raises(ExcerptError) as error:
        small_campaign(tmp_path / "c")
    assert str(error.value).startswith(f"{tmp_path / 'c'}")
    assert "cannot be written: database or disk is full" in str(error.value)
    assert [path.name for path in tmp_path.iterdir()] == ["c-documents"]


def test_without_a_pool_everything_is_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a pool all pairs are judged, up to a limit."""
    with small_campaign(tmp_path / "c", pool=None) as campaign:
        assert sorted(campaign.contents.documents("7")) == ["a", "b", "letter.txt", "plain.txt"]
    monkeypatch.setattr(creation, "_MOST_PAIRS", 7)
    with pytest.raises(ExcerptError, match=r"4 documents for 2 topics are too many .*pool="):
        small_campaign(tmp_path / "d", pool=None)


def test_files_are_known_by_their_hashes(tmp_path: Path) -> None:
    """Hashes are of the files' bytes, so that anyone can verify them."""
    (tmp_path / "topics.tsv").write_bytes(TOPICS)
    small_pool().write(tmp_path / "pool.tsv")
    how: dict[str, Any] = {"topics": tmp_path / "topics.tsv", "pool": tmp_path / "pool.tsv"}
    with small_campaign(tmp_path / "c", **how) as campaign:
        settings = campaign.settings
    assert settings.topics_sha256 == hashlib.sha256(TOPICS).hexdigest()
    assert settings.pool_sha256 == hashlib.sha256((tmp_path / "pool.tsv").read_bytes()).hexdigest()
    assert settings.title == "c"


def test_documents_in_memory_are_asked_for_again(tmp_path: Path) -> None:
    """A campaign of documents in memory needs them to be given again."""
    corpus = Corpus.read(write_corpus(tmp_path / "documents"))
    small_campaign(tmp_path / "c", corpus=corpus).close()
    with (
        Campaign.open(tmp_path / "c") as campaign,
        pytest.raises(ExcerptError, match="created from documents in memory"),
    ):
        campaign.check_corpus()
    with Campaign.open(tmp_path / "c", corpus=corpus) as campaign:
        campaign.check_corpus()


QRELS = b"7 Q0 a 5 154 3 0:5\n7 Q0 b 0 26\n8 Q0 b 4 26 0 2:4\n"


def test_judgments_of_elsewhere_are_those_of_an_assessor(tmp_path: Path) -> None:
    """Without a pool the pairs of imported judgments are the pool."""
    with small_campaign(tmp_path / "c", pool=None, qrels=QRELS, qrels_as="INEX") as campaign:
        found = {(judged.topic, judged.document): judged for judged in campaign.judged()}
        assert set(found) == set(campaign.contents.pairs) == {("7", "a"), ("7", "b"), ("8", "b")}
        assert {judged.assessor for judged in found.values()} == {"INEX"}
        assert found["7", "a"].state.highlights == [(0, 5)]
        assert all(judged.state.done for judged in found.values())
        assert campaign.people() == []
        with campaign.serve_lock():
            assert list(campaign.notices) == []


@pytest.mark.parametrize("how", [{"qrels": b"7 Q0 a 5 154 3 900:5\n"}, {"qrels": QRELS, "qrels_as": " "}])
def test_judgments_that_do_not_fit_leave_nothing(tmp_path: Path, how: dict[str, Any]) -> None:
    """Invalid judgments or an invalid name leave no folder."""
    with pytest.raises(ExcerptError):
        small_campaign(tmp_path / "c", **how)
    assert [path.name for path in tmp_path.iterdir()] == ["c-documents"]


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text elsewhere")
def test_a_folder_whose_name_is_no_text(tmp_path: Path) -> None:
    """The title approximates a folder name that is not UTF-8, and backups work in the folder."""
    folder = tmp_path / os.fsdecode(b"x\xff")
    with small_campaign(folder, corpus=write_corpus(tmp_path / "documents")) as campaign:
        assert campaign.settings.title == "x\ufffd"
        do(campaign, "ann", "done")
        assert campaign.backup().is_file()
        assert [found.document for found in campaign.judged()] == ["a"]
    with pytest.raises(ExcerptError, match="text that UTF-8 can encode"):
        small_campaign(tmp_path / "c", title="\ud800")
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize("procedure", PROCEDURES)
def test_what_was_exported_can_be_imported(tmp_path: Path, procedure: str) -> None:
    """Judgments imported into another campaign and exported again are the same bytes."""
    with judged_campaign(tmp_path / "one", procedure) as campaign:
        name = "inex" if campaign.procedure.scale else "fol"
        data = exported(campaign, to=name, merge="union").data
    judgments = read_judgments(data)
    with small_campaign(tmp_path / "two", procedure=procedure) as other:
        notices = Notices()
        assert import_judgments(other, judgments, "old", notices=notices) == 3
        unfinished = other.procedure.labels  # a label that nobody gave is not made up
        assert len(list(notices)) == unfinished
        assert exported(other, to=name, unfinished=True).data.replace(
            b' inferred="true"', b""
        ) == data.replace(b' inferred="true"', b"")
        assert all(item.assessor == "old" and item.state.done != unfinished for item in judged(other))


def judged(campaign: Campaign) -> list[JudgedState]:
    """Highlighted judgments."""
    return [item for item in campaign.judged() if item.state.highlights]


def test_long_highlights_are_quoted_by_their_hash(tmp_path: Path) -> None:
    """Imported highlights are quoted as the page quotes them."""
    qrels = f"7 Q0 letter.txt {len(LETTER)} {len(LETTER)} 0 0:{len(LETTER)}\n".encode()
    with small_campaign(tmp_path / "c") as campaign:
        import_judgments(campaign, read_judgments(qrels), "old")
        assert exported(campaign).data == qrels


def test_missing_entry_points_are_not_made_up(tmp_path: Path) -> None:
    """A document without an entry point stays unfinished, with a warning."""
    with small_campaign(tmp_path / "c") as campaign:
        notices = Notices()
        import_judgments(campaign, Judgments.of([("7", "a", 0, 5)]), "old", notices=notices)
        assert list(notices) == [
            "1 imported judgment lacks input that procedure inex2007 requires and stays unfinished"
        ]
        (item,) = campaign.judged()
        assert (item.state.done, list(item.state.highlights)) == (False, [(0, 5)])


def test_documents_outside_of_the_pool_are_counted(tmp_path: Path) -> None:
    """Documents may have any name that the corpus resolves; others are counted."""
    with small_campaign(tmp_path / "c") as campaign:
        notices = Notices()
        given = Judgments.of([], irrelevant=[("7", "a.xml"), ("7", "nobody"), ("9", "a")])
        assert import_judgments(campaign, given, "old", notices=notices) == 1
        assert list(notices) == [
            "2 judged documents are not in the pool and are left out (first: topic 7 document nobody)"
        ]
        assert exported(campaign).data == b"7 Q0 a 0 154\n"


@pytest.mark.parametrize(
    ("qrels", "message"),
    [
        (
            b"7 Q0 a 200 154 0 0:200\n",
            "offsets or lengths do not match the corpus in 1 document: a (up to 200 of 154); expected the",
        ),
        (
            b"7 Q0 a 5 155 0 0:5\n",
            "offsets or lengths do not match the corpus in 1 document: a (up to 155 of 154)",
        ),
        (
            b"7 Q0 a 5 154 160 0:5\n",
            "offsets or lengths do not match the corpus in 1 document: a (up to 161 of 154)",
        ),
        (b"7 0 a 1\n", "found judgments by documents, expected highlights for procedure inex2007"),
    ],
)
def test_judgments_of_another_text(tmp_path: Path, qrels: bytes, message: str) -> None:
    """Nothing is imported, and the error names the documents."""
    with small_campaign(tmp_path / "c") as campaign:
        with pytest.raises(ExcerptError) as caught:
            import_judgments(campaign, read_judgments(qrels, notices=Notices()), "old")
        assert str(caught.value).startswith(f"<bytes>: {message}")
        assert campaign.judged() == []


def test_grades_that_contradict_each_other(tmp_path: Path) -> None:
    """Contradicting grades are rejected as from the page, and the error names the document."""
    text = (
        b"<assessments topic='7'><file file='a'><path path='/article[1]' exhaustiveness='1' specificity='1'/>"
        b"<path path='/article[1]/title[1]' exhaustiveness='3' specificity='3'/></file></assessments>"
    )
    with small_campaign(tmp_path / "c", procedure="inex2004") as campaign:
        with pytest.raises(ExcerptError, match="<bytes>: topic 7 document a: found exhaustivity 3 for"):
            import_judgments(campaign, read_judgments(text), "old")
        assert campaign.judged() == []


def test_the_pairs_of_judgments_are_a_pool() -> None:
    """Without a pool, the pairs of the judgments are used in the order of the file."""
    pool = pool_of(Judgments.of([("7", "b", 0, 5), ("8", "b", 1, 2)], irrelevant=[("7", "a")]))
    assert [(item.topic, item.document, item.order) for item in pool.items] == [
        ("7", "b", 1),
        ("7", "a", 2),
        ("8", "b", 1),
    ]
    assert {(item.stratum, item.probability, item.runs) for item in pool.items} == {("given", None, ())}


PLACES = st.integers(0, 150)
PATHS = ["/article[1]", "/article[1]/body[1]/sec[1]", "/article[1]/body[1]/sec[1]/p[2]/it[1]", "/x[1]"]
GRADES: list[Any] = [2, 1, 0, "?", None, [2, 3], [3, 1], [0, 0], [2, "E"], [1, "L"], [0, "N"]]


def states(campaign: Campaign) -> list[dict[str, Any]]:
    """All derived states, as stored."""
    return list(campaign.recorder.store.states(body=True))


class Judging(RuleBasedStateMachine):
    """Two assessors judge one document for two topics, with highlights and grades."""

    @initialize(
        procedure=st.sampled_from(["inex2002", "inex2004", "inex2005", "inex2007", "evidence"]),
        unit=st.sampled_from(["document", "passage"]),
    )
    def begin(self, procedure: str, unit: PoolUnit) -> None:
        """Create a campaign."""
        self.folder = Path(tempfile.mkdtemp(prefix="core-"))
        pool = small_pool(("a", "b"), unit)
        self.campaign = small_campaign(self.folder / "c", procedure=procedure, pool=pool)
        self.sent: list[tuple[str, dict[str, Any], dict[str, Any]]] = []

    def _do(self, name: str, topic: str, kind: str, *span: int, **fields: Any) -> None:
        base = self.campaign.recorder.history((topic, "a", name)).version
        sent = event(self.campaign, kind, *span, base=base, topic=topic, **fields)
        try:
            answer = self.campaign.record(name, sent)
        except InvalidEvent:
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
        """Highlight a span, or remove the highlight."""
        fields = {"label": "supports"} if kind == "label" else {}
        self._do(name, topic, kind, start, min(start + length, 154), **fields)

    @rule(
        name=st.sampled_from(["ann", "ben"]),
        kind=st.sampled_from(["undo", "redo", "done", "reopen", "no-bep", "close-phase", "reopen-phase"]),
    )
    def step(self, name: str, kind: str) -> None:
        """Undo, redo, finish or reopen."""
        self._do(name, "7", kind)

    @rule(path=st.sampled_from(PATHS), grade=st.sampled_from(GRADES), rest=st.booleans(), sure=st.booleans())
    def grade(self, path: str, grade: Any, rest: bool, sure: bool) -> None:
        """Grade an element, or all ungraded elements inside it."""
        more = {"rest": True} if rest else {"grade": grade}
        self._do("ann", "7", "grade", path=path, sure=sure, **more)

    @rule(at=PLACES)
    def enter(self, at: int) -> None:
        """Set an entry point."""
        self._do("ann", "7", "bep", at)

    @rule(which=st.integers(0, 10**6))
    def repeat(self, which: int) -> None:
        """Send an answered event again: the answer is the same, and nothing is stored."""
        if self.sent:
            name, sent, answer = self.sent[which % len(self.sent)]
            before = self.campaign.recorder.store.last_number()
            assert json.dumps(self.campaign.record(name, sent)) == json.dumps(answer)
            assert self.campaign.recorder.store.last_number() == before

    @rule(off=st.integers(1, 3))
    def late(self, off: int) -> None:
        """Send an event on another version: it is rejected with the current state."""
        history = self.campaign.recorder.history(("7", "a", "ann"))
        with pytest.raises(Stale) as refusal:
            self.campaign.record("ann", event(self.campaign, "done", base=history.version + off))
        assert refusal.value.state == history.state.to_json()

    @rule()
    def open_again(self) -> None:
        """Close the campaign and open it again."""
        self.campaign.close()
        self.campaign = Campaign.open(self.folder / "c")

    @invariant()
    def stored_is_folded(self) -> None:
        """Stored states equal those derived from the events."""
        if not hasattr(self, "campaign"):
            return
        store = self.campaign.recorder.store
        for row in states(self.campaign):
            key = (row["topic"], row["document"], row["assessor"])
            history = History.of(map(event_of, store.events(key)), self.campaign.rules_of(key))
            assert state_row(key, history.state) == row

    @invariant()
    def containers_have_at_least_what_they_contain(self) -> None:
        """Grades, if any, never fall towards the root; `?` is below 1. Grades need highlighted text."""
        if not hasattr(self, "campaign") or not self.campaign.procedure.phases:
            return
        for row in states(self.campaign):
            state = json.loads(row["body"])
            levels = {path: 0 if grade == "?" else grade for path, grade in state["grades"].items()}
            assert all(
                levels[outer] >= levels[inner]
                for outer in levels
                for inner in levels
                if inner.startswith(f"{outer}/")
            )
            assert state["highlights"] or not levels

    def teardown(self) -> None:
        """At the end, rebuild everything from the log and from the journal."""
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
            assert campaign.recorder.store.faults() == []
        shutil.rmtree(self.folder)


TestStateIsWhatTheJournalSays = Judging.TestCase
TestStateIsWhatTheJournalSays.settings = settings(
    max_examples=25, stateful_step_count=25, deadline=None, database=None
)


def test_a_damaged_database_is_kept_and_made_again(tmp_path: Path) -> None:
    """The database is rebuilt from the journal with all assessors and traces."""
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
    """An older copy of the database is rebuilt from the journal."""
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
    """An invalid row is an error, and nothing is changed."""
    small_campaign(tmp_path / "c").close()
    (tmp_path / "c" / DATABASE).unlink()
    with (tmp_path / "c" / JOURNAL).open("a") as stream:
        stream.write('{"table":"event","number":1}\n')
    with pytest.raises(ExcerptError, match=r"journal\.jsonl:18: this line was changed"):
        rebuild(tmp_path / "c")
    assert sorted(path.name for path in (tmp_path / "c").iterdir()) == [
        *("backups", "campaign.toml", "journal.jsonl", "serve.lock")
    ]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (1, "the settings .* are missing"),
        (3, "found 0 rows of table topic, expected 2"),
        (8, "of table document"),
    ],
)
def test_a_journal_that_was_cut_in_its_first_part_is_not_taken_for_whole(
    tmp_path: Path, lines: int, message: str
) -> None:
    """The database stays unchanged, since it may have more data."""
    small_campaign(tmp_path / "c").close()
    (tmp_path / "c" / DATABASE).write_bytes(b"damaged")
    journal = tmp_path / "c" / JOURNAL
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:lines]))
    with pytest.raises(ExcerptError, match=message):
        rebuild(tmp_path / "c")
    assert (tmp_path / "c" / DATABASE).read_bytes() == b"damaged"


def test_without_a_journal_there_is_nothing_to_make_it_from(tmp_path: Path) -> None:
    """A missing journal is an error of reading."""
    small_campaign(tmp_path / "c").close()
    for name in (DATABASE, JOURNAL):
        (tmp_path / "c" / name).unlink()
    with pytest.raises(ExcerptError, match="cannot be read: the journal is missing"):
        rebuild(tmp_path / "c")


def test_a_newer_database_is_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database of a newer version is not rebuilt."""
    small_campaign(tmp_path / "c").close()
    before = (tmp_path / "c" / DATABASE).read_bytes()
    monkeypatch.setattr(store, "MIGRATIONS", ())
    with pytest.raises(TooNew):
        rebuild(tmp_path / "c")
    assert (tmp_path / "c" / DATABASE).read_bytes() == before


def test_a_campaign_that_is_served_is_not_rebuilt(tmp_path: Path) -> None:
    """Rebuilding a served campaign is an error."""
    with (
        small_campaign(tmp_path / "c") as campaign,
        campaign.serve_lock(),
        pytest.raises(ExcerptError, match="served already"),
    ):
        rebuild(tmp_path / "c")


def test_making_again_waits_for_those_who_write(tmp_path: Path) -> None:
    """Rebuilding waits for the lock of the folder."""
    with small_campaign(tmp_path / "c") as campaign:
        do(campaign, "ann", "done")

        def make() -> None:
            derive_states(campaign)

        with contextlib.closing(WriteLock(tmp_path / "c")) as lock:
            for work in (make, partial(rebuild, tmp_path / "c")):
                thread = threading.Thread(target=work)
                with lock.locked():
                    thread.start()
                    thread.join(0.1)
                    assert thread.is_alive()
                thread.join()
        assert len(states(campaign)) == 1


def test_several_files_keep_who_judged(tmp_path: Path) -> None:
    """Names of files are assessors; lines that name assessors keep theirs, each with their own spans."""
    lines = (
        '{"topic": "7", "document": "a", "spans": [[0, 5]], "bep": 0, "assessors": ["eve"]}\n\n'
        '{"topic": "7", "document": "a", "spans": [[3, 9]], "bep": 3, "assessors": ["ann"]}\n'
        '{"topic": "7", "document": "b", "spans": [], "assessors": ["ann", "eve"]}\n'
        '{"topic": "8", "document": "a", "spans": []}\n'
    )
    first = tmp_path / "q1.jsonl"
    first.write_text(lines)
    qrels = {"y1": first, "y2": Judgments.of([("8", "a", 0, 5)]), "y3": first.read_bytes()}
    notices = Notices()
    with small_campaign(tmp_path / "c", qrels=qrels, pool=None, notices=notices) as campaign:
        judged = {(item.assessor, item.topic, item.document): item.state for item in campaign.judged()}
        assert judged.keys() == {
            ("eve", "7", "a"),
            ("ann", "7", "a"),
            ("ann, eve", "7", "b"),
            ("y1", "8", "a"),
            ("y2", "8", "a"),
            ("y3", "8", "a"),
        }
        assert judged["eve", "7", "a"].highlights == [(0, 5)]
        assert judged["ann", "7", "a"].highlights == [(3, 9)]
        assert len([each for each in notices if "earlier file" in each]) == 3  # y3 repeats y1's assessors
        campaign.add_person("bob")
        assert campaign.pool_for("bob")["topics"] == []
        assert {state.done for key, state in judged.items() if key[0] != "y2"} == {True}


def test_what_is_judged_is_handed_out_again_only_if_asked_for(tmp_path: Path) -> None:
    """Unfinished ones are, and one who is added later sees the same."""
    judgments = Judgments.of([("7", "a", 0, 5)], irrelevant=[("7", "b")])
    for again, expected in ((False, ["a", "plain.txt", "letter.txt"]), (True, [*ALL])):
        with small_campaign(tmp_path / str(again), qrels=judgments, again=again) as campaign:
            campaign.add_person("bob")
            topic = campaign.pool_for("bob", "7")["topics"][0]
            assert [row["id"] for row in topic["documents"]] == expected  # a has no entry point
            assert campaign.document_for("bob", "7", "b")["id"] == "b"


def test_guidelines_are_part_of_the_campaign(tmp_path: Path) -> None:
    """Their hash is fixed; tags are counted in a warning; other files are errors."""
    notices = Notices()
    text = b"Read <b>all</b>.\r\n<script>alert(1)</script>"
    with small_campaign(tmp_path / "c", guidelines=text, notices=notices) as campaign:
        assert campaign.contents.guidelines == "Read <b>all</b>.\n<script>alert(1)</script>"
        assert campaign.pool_for("ann")["guidelines"] == campaign.settings.guidelines_sha256 != ""
        identity = campaign.settings.identity
    assert list(notices) == ["4 HTML tags are shown as text (first: <bytes>)"]
    with small_campaign(tmp_path / "d") as campaign:
        assert campaign.settings.identity != identity
        assert campaign.pool_for("ann")["guidelines"] == ""
    for wrong, message in (
        (b"\xff", "expected UTF-8"),
        (b"x" * 100_001, "at most 100000"),
        (b" ", "is empty"),
    ):
        with pytest.raises(ExcerptError, match=message):
            small_campaign(tmp_path / "e", guidelines=wrong)
    toml = tmp_path / "c" / "campaign.toml"
    toml.write_text(toml.read_text().replace("guidelines_sha256 = ", "other = "))
    with pytest.raises(ExcerptError, match="guidelines_sha256"):
        Campaign.open(tmp_path / "c")
