"""Tests of permissions in a campaign: tables of callers and addresses, and attacks."""

from __future__ import annotations

import json
import re
import socket
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.types import ASGIApp
from support.asgi import Answer, call
from support.memory_campaign import MemoryCampaign
from support.served_campaign import make_campaign

from excerpt.assess.campaign import Campaign
from excerpt.errors import ExcerptError
from excerpt.web import server as serving
from excerpt.web.campaign_server import choose_port, moved_from, open_place, serve_campaign

OWN = "http://127.0.0.1:8000"
EVENT = {"id": "e1", "topic": "1", "document": "A", "base": 0, "kind": "highlight"}
WORK = {"topic": "1", "document": "A", "seconds": 3}
ASSIGNED = {"topic": "1", "assessors": ["ann"]}
#: Callers by what they carry.
CALLERS = {
    "nobody": {},
    "a stranger": {"authorization": "Bearer of-nobody"},
    "an empty token": {"authorization": "Bearer "},
    "ann": {"authorization": "Bearer token-of-ann"},
    "ann's page": {"cookie": "excerpt-8000=session-of:token-of-ann", "origin": OWN},
    "bob": {"authorization": "Bearer token-of-bob"},
    "the organiser": {"authorization": "Bearer token-of-the-organiser"},
    "the organiser's page": {"cookie": "excerpt-8000=session-of:token-of-the-organiser", "origin": OWN},
    "a cookie of another port": {"cookie": "excerpt-8001=session-of:token-of-ann", "origin": OWN},
    "a cookie with the link's token": {"cookie": "excerpt-8000=token-of-ann", "origin": OWN},
    "a session as token": {"authorization": "Bearer session-of:token-of-ann"},
    "a name": {"authorization": "Bearer ann"},
    "two schemes": {"authorization": "Basic token-of-ann"},
}
STRANGERS = {"nobody", "a stranger", "an empty token", "a cookie of another port", "a name", "two schemes"}
STRANGERS |= {"a cookie with the link's token", "a session as token"}
#: Addresses with the status that ann, bob and the organiser get.
ADDRESSES: dict[tuple[str, str], tuple[int, int, int]] = {
    ("GET", "/api/pool"): (200, 200, 403),
    ("GET", "/api/document?topic=1&document=A"): (200, 403, 403),
    ("GET", "/api/document?topic=1&document=A&show=runs"): (200, 403, 403),
    ("POST", "/api/events"): (200, 403, 403),
    ("POST", "/api/work"): (204, 403, 403),
    ("GET", "/api/guidelines"): (200, 200, 403),
    ("POST", "/api/assignment"): (403, 403, 204),
    ("GET", "/api/status"): (403, 403, 200),
    ("GET", "/api/export?to=fol"): (403, 403, 200),
    ("GET", "/api/export?assessor=ann"): (403, 403, 200),
}


def send(app: ASGIApp, method: str, target: str, headers: dict[str, str]) -> Answer:
    """Send a request with a suitable body."""
    sent = WORK if "work" in target else ASSIGNED if "assignment" in target else EVENT
    body = json.dumps(sent).encode() if method == "POST" else b""
    return call(app, target, method, headers=headers, body=body)


@pytest.mark.parametrize("caller", CALLERS)
@pytest.mark.parametrize(("method", "target"), ADDRESSES)
def test_who_may_do_what(
    campaign_app: ASGIApp, campaign: MemoryCampaign, caller: str, method: str, target: str
) -> None:
    """Errors are JSON, never redirects, and change nothing."""
    answer = send(campaign_app, method, target, CALLERS[caller])
    ann, bob, organiser = ADDRESSES[method, target]
    expected = organiser if "organiser" in caller else bob if caller == "bob" else ann
    assert answer.status == (401 if caller in STRANGERS else expected)
    assert "location" not in answer.headers
    if answer.status >= 400:
        assert list(answer.json) == ["error"]
        assert (campaign.kept, campaign.traces) == ([], [])


def test_who_is_removed_is_out_at_once(campaign_app: ASGIApp, campaign: MemoryCampaign) -> None:
    """Token, cookie and sign-in of a removed assessor are rejected."""
    del campaign.people["token-of-ann"]
    for caller in ("ann", "ann's page"):
        assert send(campaign_app, "POST", "/api/events", CALLERS[caller]).status == 401
        assert send(campaign_app, "GET", "/api/pool", CALLERS[caller]).status == 401
    body = json.dumps({"token": "token-of-ann"}).encode()
    assert call(campaign_app, "/login", "POST", {"origin": OWN}, body).status == 401
    assert call(campaign_app, "/", headers=CALLERS["ann's page"]).status == 401


def test_a_page_is_told_that_its_session_has_ended(campaign_app: ASGIApp, campaign: MemoryCampaign) -> None:
    """An assessor reads what to do; a program reads about its token."""
    del campaign.people["token-of-ann"]
    page, program = (send(campaign_app, "GET", "/api/pool", CALLERS[name]) for name in ("ann's page", "ann"))
    assert page.json["error"] == "Your session has ended. Open your link again, in this browser."
    assert program.json["error"] == "no valid token given; sign in with your link"


@pytest.mark.parametrize("name", ["origin", "sec-fetch-site"])
@pytest.mark.parametrize("target", ["/api/events", "/api/work"])
@pytest.mark.parametrize("caller", ["ann", "ann's page"])
def test_pages_of_others_cannot_judge(
    campaign_app: ASGIApp, campaign: MemoryCampaign, caller: str, target: str, name: str
) -> None:
    """Requests caused by other sites are rejected, whatever they contain."""
    values = {
        "origin": ["http://evil.test", "null", "http://127.0.0.1:9000", "https://127.0.0.1:8000", OWN + "/"],
        "sec-fetch-site": ["cross-site", "same-site", "none", "odd"],
    }[name]
    for value in values:
        headers = {**CALLERS[caller], name: value}
        assert send(campaign_app, "POST", target, headers).status == 403
    without = {key: value for key, value in CALLERS["ann's page"].items() if key != "origin"}
    assert send(campaign_app, "POST", target, without).status == 403
    assert send(campaign_app, "POST", target, without | CALLERS["ann"]).status == 403
    assert (campaign.kept, campaign.traces) == ([], [])
    assert send(campaign_app, "POST", target, without | {"sec-fetch-site": "same-origin"}).status < 300


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8000", 200),
        ("[::1]:8000", 200),
        ("localhost", 200),
        ("evil.test", 400),
        ("evil.test:8000", 400),
        ("192.0.2.7", 400),
        ("0.0.0.0", 400),
        ("127.0.0.1@evil.test", 400),
        ("localhost.", 400),
    ],
)
def test_names_that_point_here_open_nothing(campaign_app: ASGIApp, host: str, status: int) -> None:
    """Foreign names that point to this machine (DNS rebinding) are rejected."""
    for target in ("/api/pool", "/"):
        headers = {"host": host, "cookie": "excerpt-8000=session-of:token-of-ann"}
        assert call(campaign_app, target, headers=headers).status == status


@pytest.mark.parametrize(
    "target",
    [
        *("//api/pool", "/api//pool", "/api/pool/", "/api/./pool", "/api/../api/pool", "/./api/pool"),
        *("/API/pool", "/api/Pool", "/api/pool;x", "/api%2fpool", "/%61pi/pool", "/api/%2e%2e/", "/api/.."),
        *("/static/../campaign.toml", "/campaign.toml", "/judgments.sqlite", "/journal.jsonl", "/backups/"),
        *("/api/events/../status", "/api/status%00", "/login/..", "/..%2f..%2fetc/passwd", "/\\..\\x"),
    ],
)
def test_there_is_one_way_to_each_address(campaign_app: ASGIApp, target: str) -> None:
    """Paths are not decoded twice, normalised or looked up on disk."""
    for caller in ("ann", "the organiser", "nobody"):
        answer = call(campaign_app, target, headers=CALLERS[caller])
        assert answer.status in ({404} if caller != "nobody" else {401, 404})
        assert b"assessor" not in answer.body
        assert "location" not in answer.headers


@pytest.mark.parametrize(
    "target", ["/api/pool", "/api/document", "/api/events", "/api/status", "/api/export", "/"]
)
@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "PROPFIND", "get"])
def test_other_methods_do_nothing(
    campaign_app: ASGIApp, campaign: MemoryCampaign, target: str, method: str
) -> None:
    """Other methods are rejected with and without a token."""
    for caller in ("ann", "the organiser"):
        assert send(campaign_app, method, target, CALLERS[caller]).status == 405
    assert send(campaign_app, method, target, {"origin": OWN}).status in {401, 405}
    assert campaign.kept == []


@pytest.mark.parametrize("method", ["POST", "HEAD"])
def test_methods_of_other_addresses(campaign_app: ASGIApp, campaign: MemoryCampaign, method: str) -> None:
    """Documents cannot be posted, events cannot be read."""
    expected = {"POST": (405, 405, 200), "HEAD": (200, 200, 405)}[method]
    targets = ("/api/pool", "/api/document?topic=1&document=A", "/api/events")
    found = [send(campaign_app, method, target, CALLERS["ann"]).status for target in targets]
    assert tuple(found) == expected


@pytest.mark.parametrize(
    "target", ["/api/pool?token=token-of-ann", "/?token=token-of-ann", "/login?token=token-of-ann"]
)
def test_a_token_in_an_address_is_not_looked_at(campaign_app: ASGIApp, target: str) -> None:
    """Tokens in URLs are ignored, since URLs are kept in histories and logs."""
    answer = call(campaign_app, target)
    assert answer.status == (200 if "login" in target else 401)
    assert "set-cookie" not in answer.headers
    assert "location" not in answer.headers


@pytest.mark.parametrize(
    ("token", "role"), [("token-of-ann", "assessor"), ("token-of-the-organiser", "organiser")]
)
def test_everybody_sees_their_own_page(campaign_app: ASGIApp, token: str, role: str) -> None:
    """Each role gets its page; scripts and other sites cannot read the cookie."""
    body = json.dumps({"token": token}).encode()
    entered = call(campaign_app, "/login", "POST", {"origin": OWN, "sec-fetch-site": "same-origin"}, body)
    assert entered.status == 204
    name, *rules = entered.headers["set-cookie"].split("; ")
    assert re.fullmatch("excerpt-8000=[A-Za-z0-9_-]{43}", name)
    assert token not in name
    assert set(rules) == {"HttpOnly", "SameSite=Strict", "Path=/"}
    assert call(campaign_app, "/", headers={"cookie": name}).body == f"<h1>{role}</h1>".encode()


def test_behind_a_proxy_with_tls_cookies_never_go_without_it(campaign_app: ASGIApp) -> None:
    """Scheme and Origin follow a proxy on this machine."""

    async def with_tls(scope, receive, send) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
        await campaign_app({**scope, "scheme": "https"}, receive, send)

    body = json.dumps({"token": "token-of-ann"}).encode()
    entered = call(with_tls, "/login", "POST", {"origin": OWN.replace("http", "https")}, body)
    assert entered.status == 204
    assert "; secure" in entered.headers["set-cookie"].lower()
    assert call(with_tls, "/login", "POST", {"origin": OWN}, body).status == 403


@pytest.mark.parametrize("caller", ["nobody", "ann", "the organiser"])
@pytest.mark.parametrize(
    "target", ["/", "/login", "/nothing", "/api/pool", "/api/status", "/api/export", "/api/x"]
)
def test_every_answer_closes_the_browser(campaign_app: ASGIApp, caller: str, target: str) -> None:
    """Pages and errors have a strict policy."""
    headers = call(campaign_app, target, headers=CALLERS[caller]).headers
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert not re.search(r"unsafe|\*|http:|data: *;? *script", policy)
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert "access-control-allow-origin" not in headers
    assert "server" not in headers


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ([b"x" * 100_000] * 11, ""),
        ([b"x" * 1_000_001], ""),
        ([b"x" * 100_000] * 11, "5"),
        ([b""], "104857600"),
        ([b""], "9" * 50),
    ],
)
def test_bodies_have_a_largest_size(campaign_app: ASGIApp, body: list[bytes], said: str) -> None:
    """Large bodies are rejected with and without a declared length."""
    headers = {**CALLERS["ann"], "content-length": said}
    answer = call(campaign_app, "/api/events", "POST", headers=headers, body=body)
    assert answer.status == 413
    assert "at most 1000000 bytes" in answer.json["error"]


def test_a_body_of_the_largest_size_is_read(campaign_app: ASGIApp) -> None:
    """A body of exactly the limit is accepted."""
    body = json.dumps(EVENT).encode().ljust(1_000_000)
    assert call(campaign_app, "/api/events", "POST", headers=CALLERS["ann"], body=body).status == 200


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a campaign."""
    return make_campaign(tmp_path)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Links that were opened in a browser; the server ends after its start."""
    links: list[str] = []
    real = serving.serve

    def serve(app: Any, listening: socket.socket, begin: Callable[[], None]) -> None:
        def began() -> None:
            begin()
            raise KeyboardInterrupt

        real(app, listening, began)

    monkeypatch.setattr(serving, "serve", serve)
    monkeypatch.setattr(serving, "open_browser", links.append)
    return links


def _enter(address: str, token: str) -> tuple[int, str]:
    """Sign in as the page does; return status and cookie."""
    headers = {"Origin": address, "Content-Type": "application/json"}
    body = json.dumps({"token": token}).encode()
    request = urllib.request.Request(f"{address}/login", data=body, headers=headers)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.headers["set-cookie"]
    except urllib.error.HTTPError as error:
        return error.code, ""


@pytest.mark.parametrize("who", ["organiser", "assessor"])
def test_a_browser_is_started_with_a_link_for_one_use(folder: Path, opened: list[str], who: str) -> None:
    """The link leads to the organiser or the given assessor, once."""
    with Campaign.open(folder) as campaign:
        token = campaign.add_person("ann") if who == "assessor" else None
        place = open_place(campaign, "127.0.0.1", choose_port(campaign))
        tried: list[tuple[int, str]] = []
        printed: list[str] = []

        def begin(link: str) -> None:
            printed.append(link)

        def enter(link: str) -> None:
            address, _, given = link.partition("/login#token=")
            tried.extend(_enter(address, given) for _ in range(2))
            opened.append(given)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(serving, "open_browser", enter)
            serve_campaign(campaign, place, begin=begin, browser=True, opened=token)
    organiser = printed[0].partition("#token=")[2]
    assert [status for status, _ in tried] == [204, 401]
    session = tried[0][1].partition(";")[0]
    assert session.startswith(f"excerpt-{place.port}-{campaign.settings.identity[:8]}=")
    assert (token or organiser) not in session
    assert opened[0] not in {token, organiser}


def test_no_browser_is_opened_unasked(folder: Path, opened: list[str]) -> None:
    """The link is printed nevertheless."""
    printed: list[str] = []
    with Campaign.open(folder) as campaign:
        place = open_place(campaign, "127.0.0.1", 0)
        serve_campaign(campaign, place, begin=printed.append, browser=False)
    assert opened == []
    assert printed[0].startswith(f"{place.address}/login#token=")


def test_a_port_is_chosen_once(folder: Path) -> None:
    """The port stays even if another program uses it, since links contain it."""
    with Campaign.open(folder) as campaign:
        port = choose_port(campaign)
        assert 10_000 <= port < 30_000
        with socket.create_server(("127.0.0.1", port)):
            assert choose_port(campaign) == port
            with pytest.raises(ExcerptError, match="is in use"):
                open_place(campaign, "127.0.0.1", port)


@pytest.mark.parametrize(
    ("host", "port", "now", "told"),
    [
        ("127.0.0.1", 0, "127.0.0.1", ""),  # nothing was ever served
        ("127.0.0.1", 1, "127.0.0.1", ""),
        ("localhost", 1, "127.0.0.1", ""),
        ("127.0.0.1", 1, "localhost", ""),
        ("box.test", 1, "127.0.0.1", "http://box.test:1"),
        ("::1", 1, "127.0.0.1", "http://[::1]:1"),
        ("127.0.0.1", 2, "127.0.0.1", "http://127.0.0.1:2"),
        ("box.test", 1, "0.0.0.0", ""),
        ("box.test", 2, "0.0.0.0", "http://box.test:2"),
    ],
)
def test_an_address_of_before_that_leads_elsewhere(
    folder: Path, host: str, port: int, now: str, told: str
) -> None:
    """Another port or host is reported, unless the server listens everywhere."""
    with Campaign.open(folder) as campaign:
        campaign.add_person("ann")
        place = open_place(campaign, now, 0)
        with place.listening:
            campaign.set_address(host, port)
            assert moved_from(campaign, place._replace(port=1)) == told


def test_other_machines_need_people(folder: Path) -> None:
    """Removed assessors do not count."""
    with Campaign.open(folder) as campaign:
        campaign.add_person("ann")
        campaign.remove_person("ann")
        with pytest.raises(
            ExcerptError, match=r"host 0\.0\.0\.0 admits other machines, but the campaign has no assessors"
        ):
            open_place(campaign, "0.0.0.0", 0)
        campaign.add_person("bob")
        place = open_place(campaign, "0.0.0.0", 0, ["assess.test"])
        with place.listening:
            assert place.address == f"http://assess.test:{place.port}"
            assert {"assess.test", "localhost"} <= place.names
