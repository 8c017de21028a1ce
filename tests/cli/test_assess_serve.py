"""excerpt assess serve: what it prints, refuses and keeps, and how it ends."""

from __future__ import annotations

import signal
import socket
from pathlib import Path

import pytest
from support.served_campaign import Served, excerpt, make_campaign

from excerpt.assess.campaign import Campaign
from excerpt.web.campaign_server import UNENCRYPTED


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A campaign."""
    return make_campaign(tmp_path)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_it_is_ended(folder: Path, how: signal.Signals) -> None:
    """The port is the campaign's, each start has a token of its own; both signals end it quietly."""
    with Served(folder) as first:
        assert first.ask("/api/status", first.organiser).status == 200
        assert first.end(how)[0] == 0
        assert first.process.stdout is not None
    with Served(folder) as second:
        assert second.port == first.port
        assert second.ask("/api/status", first.organiser).status == 401
        status, said = second.end(how)
        assert status == 0
        assert "Traceback" not in said
        assert said.splitlines()[-1] == "excerpt: this is the organiser's link; Ctrl-C ends the server"


def test_a_journal_that_was_put_right_is_told(folder: Path) -> None:
    """A line was missing at its end: a server was killed, or the disk was full."""
    journal = folder / "journal.jsonl"
    journal.write_bytes(journal.read_bytes()[:-10])
    with Served(folder) as server:
        assert "excerpt: warning: " in server.end()[1]


def test_other_commands_work_meanwhile(folder: Path) -> None:
    """People come while it serves; a second server is refused."""
    with Served(folder) as server:
        token = server.add("ann")["ann"]
        assert server.ask("/api/pool", token).json["assessor"] == "ann"
        assert excerpt("assess", "people", folder, "list").stdout == "ann\tassessor\n"
        again = excerpt("assess", "serve", folder, "--no-browser")
        assert again.returncode == 2
        assert f"is served already (process {server.process.pid})" in again.stderr


def test_another_port_is_kept(folder: Path) -> None:
    """Links that are made later hold it."""
    with Served(folder, "--port", "0") as server:
        port = server.port
    with Campaign.open(folder) as campaign:
        assert campaign.settings.port == port
    assert f":{port}/login" in excerpt("assess", "people", folder, "add", "ann").stdout


def test_a_port_in_use_is_one_line(folder: Path) -> None:
    """Nothing is changed."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = excerpt("assess", "serve", folder, "--no-browser", "--port", port)
    assert done.returncode == 2
    assert f"port {port} of 127.0.0.1 is in use" in done.stderr
    with Campaign.open(folder) as campaign:
        assert campaign.settings.port != port


def test_other_machines_need_people_with_tokens(folder: Path) -> None:
    """Refused before anything listens; then a warning names what is missing."""
    done = excerpt("assess", "serve", folder, "--no-browser", "--host", "0.0.0.0")
    assert (done.returncode, done.stdout) == (2, "")
    assert "host 0.0.0.0 admits other machines, but the campaign has no assessors" in done.stderr
    assert excerpt("assess", "people", folder, "add", "ann").returncode == 0
    with Served(folder, "--host", "0.0.0.0", "--name", "assess.test") as server:
        assert server.link.startswith("http://assess.test:")
        for host, status in {
            "assess.test": 200,
            "127.0.0.1": 200,
            "evil.test": 400,
            "192.0.2.1": 400,
        }.items():
            reply = server.ask("/login", Host=f"{host}:{server.port}")
            assert reply.status == status
        assert "http://assess.test:" in excerpt("assess", "people", folder, "add", "bob").stdout
        assert f"excerpt: warning: {UNENCRYPTED}" in server.end()[1]


def test_a_proxy_with_tls_is_believed_on_this_machine(folder: Path) -> None:
    """It has a name of its own; pages come from there, and cookies never go without TLS."""
    with Served(folder, "--name", "assess.test") as server:
        body = {"token": server.organiser}
        proxied = {"Host": "assess.test", "Origin": "https://assess.test", "X_Forwarded_Proto": "https"}
        reply = server.ask("/login", "", body, **proxied)
        assert reply.status == 204
        assert "; secure" in reply.head.lower()
        assert server.ask("/login", "", body, **proxied | {"X_Forwarded_Proto": "http"}).status == 403
        assert server.ask("/login", "", body, **proxied | {"Origin": "https://evil.test"}).status == 403
        assert server.ask("/login", "", body, **proxied | {"Host": "evil.test"}).status == 400


def test_documents_that_change_meanwhile_are_no_conflict(folder: Path) -> None:
    """It is the server's trouble, in a sentence without folders; what was sent can be sent again later."""
    with Served(folder) as server:
        token = server.add("ann")["ann"]
        docs = folder.with_name("docs.jsonl")
        text = docs.read_text(encoding="utf-8")
        docs.write_text(text.replace("bold", "cold and colder"), encoding="utf-8")
        event = {"id": "e", "topic": "1", "document": "B", "base": 0, "kind": "note", "note": "x"}
        for body in (None, event):
            target = "/api/events" if body else "/api/document?topic=1&document=B"
            reply = server.ask(target, token, body)
            assert (reply.status, list(reply.json)) == (503, ["error"])
            assert reply.json["error"].startswith("docs.jsonl: has changed")


def test_names_are_kept(folder: Path) -> None:
    """Pages that were opened by one go on after the next start; other names take their place."""
    for options, known, unknown in (
        (["--name", "one.test", "--name", "two.test"], ["one.test", "two.test"], ["six.test"]),
        ([], ["one.test", "two.test"], ["six.test"]),
        (["--name", "six.test"], ["six.test"], ["one.test", "two.test"]),
    ):
        with Served(folder, *options) as server:
            found = {name: server.ask("/login", Host=name).status for name in [*known, *unknown]}
        assert found == dict.fromkeys(known, 200) | dict.fromkeys(unknown, 400)


def test_links_that_lead_elsewhere_now_are_told(folder: Path) -> None:
    """The note is printed once, and only if there are assessors."""
    told = "earlier links, and unsaved work in browsers, still point to http://127.0.0.1:{}"
    with Served(folder) as server:
        port = server.port
        server.add("ann")
        assert "earlier links" not in server.end()[1]
    with Served(folder, "--port", "0") as server:
        assert told.format(port) in server.end()[1]
    with Served(folder) as server:
        assert "earlier links" not in server.end()[1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--port", "70000"], "expected a whole number from 0 to 65535"),
        (["--host", "no such host"], "found 'no such host' as host"),
        (["--name", "*"], "found '*' as name, expected a host name"),
        (["--corpus", "nowhere"], "nowhere"),
    ],
)
def test_refusals_are_one_line(folder: Path, options: list[str], message: str) -> None:
    """Nothing is served then."""
    done = excerpt("assess", "serve", folder, "--no-browser", *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_documents_that_have_changed_are_named(folder: Path) -> None:
    """Nothing is anchored again by guess."""
    docs = folder.with_name("docs.jsonl")
    docs.write_text(docs.read_text(encoding="utf-8").replace("bold", "cold"), encoding="utf-8")
    done = excerpt("assess", "serve", folder, "--no-browser")
    assert (done.returncode, done.stdout) == (2, "")
    assert "B" in done.stderr
    assert done.stderr.count("\n") == 1
