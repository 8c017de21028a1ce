"""The real server of a gold file: killed, asked twice, broken into; its messages."""

from __future__ import annotations

import json
import random
import signal
import threading
from pathlib import Path
from typing import Any

import pytest
from support.served_campaign import excerpt
from support.served_gold import MARKDOWN, ServedGold, kept, quoted, rows_in, write_documents

from excerpt.cli import command_of

WORDS = "The **rent** is due"


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """Documents of several kinds."""
    return write_documents(tmp_path)


def _quote() -> dict[str, Any]:
    return quoted("a.md", WORDS, MARKDOWN.index(WORDS))


def _watch(gold: Path, ended: threading.Event, faults: list[str]) -> None:
    """Read the file all the time."""
    while not ended.wait(0.001):
        try:
            rows_in(gold)
        except FileNotFoundError:
            continue
        except (ValueError, AssertionError) as error:
            faults.append(repr(error))


def _send(served: ServedGold, events: list[dict[str, Any]], acknowledged: dict[str, str]) -> None:
    """Send events until the server does not answer; an event that was not acknowledged is sent again."""
    while events:
        try:
            status, answer = served.post(events[-1])
        except (OSError, ValueError, IndexError):
            return
        if status != 200 or answer is None:  # killed between the head of its answer and the body
            return
        acknowledged[events.pop()["text"]] = answer["question"]


@pytest.mark.slow
def test_acknowledged_questions_survive_kill_9(tmp_path: Path, docs: Path) -> None:
    """Four clients, four kills at seeded moments: every acknowledged event is there, once.

    The file is whole at every moment. A kill proves the order of writing; that both files are flushed is a
    test of its own.
    """
    gold, chance, ended = tmp_path / "gold.jsonl", random.Random(4), threading.Event()
    acknowledged: dict[str, str] = {}
    faults: list[str] = []
    events = [kept(f"Question {number}?", [_quote()]) for number in range(120)]
    shares = [events[number::4] for number in range(4)]
    threading.Thread(target=_watch, args=(gold, ended, faults), daemon=True).start()
    for turn in range(5):
        with ServedGold(gold, docs) as served:
            threads = [
                threading.Thread(target=_send, args=(served, share, acknowledged), daemon=True)
                for share in shares
            ]
            for thread in threads:
                thread.start()
            if turn < 4:
                ended.wait(chance.uniform(0.02, 0.3))
                served.end(signal.SIGKILL)
            for thread in threads:
                thread.join()
    ended.set()
    assert (faults, len(acknowledged)) == ([], 120)
    rows = rows_in(gold)
    assert {row["question"]: row["question_id"] for row in rows} == acknowledged
    assert len({*acknowledged.values()}) == len(rows) == 120
    lines = Path(f"{gold}.journal").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["kind"] for line in lines].count("keep") == 120
    assert excerpt("check", gold, "--corpus", docs).returncode == 0


def test_a_second_server_is_refused(tmp_path: Path, docs: Path) -> None:
    """It ends with status 2 and one line; the first goes on."""
    gold = tmp_path / "gold.jsonl"
    with ServedGold(gold, docs) as served:
        done = excerpt("gold", "new", gold, "--corpus", docs, "--no-browser")
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1
        assert "is being written by another server" in done.stderr
        assert served.post(kept("When?", [_quote()]))[0] == 200


def test_it_says_what_it_has(tmp_path: Path, docs: Path) -> None:
    """The link on standard output; questions, drafts, drop and what was repaired on standard error."""
    gold, drafts = tmp_path / "gold.jsonl", tmp_path / "drafts.jsonl"
    draft = {"question": "Who?", "document": "a.md", "quote": "nobody"}
    drafts.write_text(json.dumps(draft) + "\n", encoding="utf-8")
    with ServedGold(gold, docs) as served:
        served.post(kept("When?", [_quote()]))
        port = served.port
        status, said = served.end()
    spread = "assuming a spread of 0.3 between the scores of two runs"
    last = f"excerpt: {gold}: 1 question; a gate sees drops from 0.75 on, {spread}"
    assert (status, said.splitlines()[-1]) == (0, last)
    with Path(f"{gold}.journal").open("ab") as stream:
        stream.write(b'{"kind"')
    with ServedGold(gold, docs, "--drafts", drafts) as served:
        assert served.port == port
        said = served.end()[1]
    assert "warning: gold.jsonl.journal: 1 line cut short was left out" in said
    assert "1 draft, 1 not literal: 0 accepted, 0 mended, 0 rejected, 1 open" in said


def test_what_programs_get(tmp_path: Path, docs: Path) -> None:
    """Overview, documents, search, copies; errors are one sentence with a status."""
    with ServedGold(tmp_path / "gold.jsonl", docs) as served:
        assert served.get("/api/gold")["documents"] == ["a.md", "page.html", "roof.txt", "sub/b.txt"]
        page = served.get("/api/document?document=page.html")
        assert "<" not in page["text"]
        assert page["types"] == []
        shown = served.get("/api/document?document=a.md")
        assert shown["text"] == MARKDOWN
        assert shown["blocks"][0] == ["heading", 0, 0, 6, 1]
        assert served.get("/api/search?words=rent%20is")["count"] == 1
        assert served.get("/api/copies?document=a.md&start=0&end=9") == {"copies": []}
        expected = {
            "/api/document?document=../../etc/passwd": 404,
            "/api/document": 400,
            "/api/copies?document=a.md&start=-1&end=9": 400,
            "/api/copies?document=z&start=1&end=9": 404,
            "/api/campaign": 404,
        }
        for target, status in expected.items():
            reply = served.ask(target, served.organiser)
            assert (reply.status, "error" in reply.json) == (status, True), target
        assert served.post({"id": "1"})[0] == 422
        assert served.ask("/api/events", served.organiser, b"[1]").status == 422
        assert served.post(kept("When?"))[0] == 200
        assert served.post({"id": "2", "kind": "delete", "question": "q1", "base": 9})[0] == 409


def test_nobody_else_gets_in(tmp_path: Path, docs: Path) -> None:
    """Without the token, with another one, from another page, or under another name."""
    with ServedGold(tmp_path / "gold.jsonl", docs) as served:
        event = kept("When?")
        assert served.ask("/api/gold").status == 401
        assert served.ask("/api/gold", "x").status == 401
        assert served.ask("/api/events", "", event).status == 401
        assert served.ask("/api/gold", served.organiser, Host="evil.example").status == 400
        assert served.ask("/api/events", served.organiser, event, Origin="http://evil.example").status == 403
        reply = served.ask("/", Cookie=served.cookie(served.organiser))
        assert "script-src 'sha256-" in reply.head
        assert "frame-ancestors 'none'" in reply.head
        assert rows_in(tmp_path / "gold.jsonl") == []


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--host", "0.0.0.0"), "loopback"),
        (("--corpus", "nowhere"), "nowhere"),
        (("--drafts", "nowhere"), "nowhere"),
        ((), "--corpus"),
    ],
)
def test_wrong_use_is_one_line(tmp_path: Path, docs: Path, arguments: tuple[str, ...], reason: str) -> None:
    """With status 2; neither file nor journal is left behind."""
    given = [*arguments, *(["--corpus", docs] if arguments and "--corpus" not in arguments else [])]
    done = excerpt("gold", "new", tmp_path / "gold.jsonl", *given, "--no-browser")
    assert (done.returncode, done.stderr.count("\n"), reason in done.stderr) == (2, 1, True), done.stderr
    assert not (tmp_path / "gold.jsonl").exists()
    assert excerpt("gold", "new", "-", "--corpus", docs).returncode == 2


def test_the_documents_are_never_the_gold_file(tmp_path: Path, docs: Path) -> None:
    """Nor the drafts: inputs are never changed."""
    for name, options in ((docs / "a.md", ()), (tmp_path / "d.jsonl", ("--drafts", tmp_path / "d.jsonl"))):
        (tmp_path / "d.jsonl").write_text('{"question": "Why?", "answerable": false}\n', encoding="utf-8")
        before = name.read_bytes()
        done = excerpt("gold", "new", name, "--corpus", docs, *options, "--no-browser")
        assert (done.returncode, "is an input" in done.stderr) == (2, True)
        assert name.read_bytes() == before


def test_help_of_two_levels() -> None:
    """`excerpt gold` explains itself; unknown words are named."""
    assert "GOLD" in command_of("gold new").help()
    assert "gold new gold.jsonl" in command_of("gold").help()
    assert "unknown command of gold" in excerpt("gold", "old").stderr


def test_an_event_sent_again_has_the_same_answer(tmp_path: Path, docs: Path) -> None:
    """Also after the server was killed: the id of its question, which is stored once."""
    gold, event = tmp_path / "gold.jsonl", kept("When?", [_quote()])
    with ServedGold(gold, docs) as served:
        first = served.post(event)
        assert served.post(event) == first
        served.end(signal.SIGKILL)
    with ServedGold(gold, docs) as served:
        status, answer = served.post(event)
    assert (status, answer["question"]) == (200, first[1]["question"])
    assert len(rows_in(gold)) == 1
