"""Who may do what in a campaign: tables of callers and addresses, and attempts to break in."""

from __future__ import annotations

import json
import re

import pytest
from asgi import Answer, call
from memory_campaign import MemoryCampaign
from starlette.types import ASGIApp

OWN = "http://127.0.0.1:8000"
EVENT = {"id": "e1", "topic": "1", "document": "A", "base": 0, "kind": "highlight"}
WORK = {"topic": "1", "document": "A", "seconds": 3}
#: Callers by what they carry.
CALLERS = {
    "nobody": {},
    "a stranger": {"authorization": "Bearer of-nobody"},
    "an empty token": {"authorization": "Bearer "},
    "ann": {"authorization": "Bearer token-of-ann"},
    "ann's page": {"cookie": "excerpt-8000=token-of-ann", "origin": OWN},
    "bob": {"authorization": "Bearer token-of-bob"},
    "the organiser": {"authorization": "Bearer token-of-the-organiser"},
    "the organiser's page": {"cookie": "excerpt-8000=token-of-the-organiser", "origin": OWN},
    "a cookie of another port": {"cookie": "excerpt-8001=token-of-ann", "origin": OWN},
    "a name": {"authorization": "Bearer ann"},
    "two schemes": {"authorization": "Basic token-of-ann"},
}
STRANGERS = {"nobody", "a stranger", "an empty token", "a cookie of another port", "a name", "two schemes"}
#: Addresses with the status that ann, bob and the organiser get.
ADDRESSES: dict[tuple[str, str], tuple[int, int, int]] = {
    ("GET", "/api/pool"): (200, 200, 403),
    ("GET", "/api/document?topic=1&document=A"): (200, 403, 403),
    ("GET", "/api/document?topic=1&document=A&show=runs"): (200, 403, 403),
    ("POST", "/api/events"): (200, 403, 403),
    ("POST", "/api/work"): (204, 403, 403),
    ("GET", "/api/status"): (403, 403, 200),
    ("GET", "/api/export?to=fol"): (403, 403, 200),
    ("GET", "/api/export?assessor=ann"): (403, 403, 200),
}


def send(app: ASGIApp, method: str, target: str, headers: dict[str, str]) -> Answer:
    """A request with what belongs into its body."""
    body = json.dumps(WORK if "work" in target else EVENT).encode() if method == "POST" else b""
    return call(app, target, method, headers=headers, body=body)


@pytest.mark.parametrize("caller", CALLERS)
@pytest.mark.parametrize(("method", "target"), ADDRESSES)
def test_who_may_do_what(
    campaign_app: ASGIApp, campaign: MemoryCampaign, caller: str, method: str, target: str
) -> None:
    """The whole table; refusals are JSON, never another address, and change nothing."""
    answer = send(campaign_app, method, target, CALLERS[caller])
    ann, bob, organiser = ADDRESSES[method, target]
    expected = organiser if "organiser" in caller else bob if caller == "bob" else ann
    assert answer.status == (401 if caller in STRANGERS else expected)
    assert "location" not in answer.headers
    if answer.status >= 400:
        assert list(answer.json) == ["error"]
        assert (campaign.kept, campaign.traces) == ([], [])


def test_who_is_removed_is_out_at_once(campaign_app: ASGIApp, campaign: MemoryCampaign) -> None:
    """With the token, with the cookie, and at the door."""
    del campaign.people["token-of-ann"]
    for caller in ("ann", "ann's page"):
        assert send(campaign_app, "POST", "/api/events", CALLERS[caller]).status == 401
        assert send(campaign_app, "GET", "/api/pool", CALLERS[caller]).status == 401
    body = json.dumps({"token": "token-of-ann"}).encode()
    assert call(campaign_app, "/login", "POST", {"origin": OWN}, body).status == 401
    assert call(campaign_app, "/", headers=CALLERS["ann's page"]).status == 401


@pytest.mark.parametrize("name", ["origin", "sec-fetch-site"])
@pytest.mark.parametrize("target", ["/api/events", "/api/work"])
@pytest.mark.parametrize("caller", ["ann", "ann's page"])
def test_pages_of_others_cannot_judge(
    campaign_app: ASGIApp, campaign: MemoryCampaign, caller: str, target: str, name: str
) -> None:
    """Whatever they carry; the site that a browser names must be our own, or none for a program."""
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
    """DNS rebinding: the page of a name that was turned to this machine has no other Host than that name."""
    for target in ("/api/pool", "/"):
        headers = {"host": host, "cookie": "excerpt-8000=token-of-ann"}
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
    """Nothing is decoded twice, shortened or looked for on the disk, and no address leads past the token."""
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
    """Neither with nor without a token."""
    for caller in ("ann", "the organiser"):
        assert send(campaign_app, method, target, CALLERS[caller]).status == 405
    assert send(campaign_app, method, target, {"origin": OWN}).status in {401, 405}
    assert campaign.kept == []


@pytest.mark.parametrize("method", ["POST", "HEAD"])
def test_methods_of_other_addresses(campaign_app: ASGIApp, campaign: MemoryCampaign, method: str) -> None:
    """Reading is not writing: a document cannot be posted, events cannot be read."""
    expected = {"POST": (405, 405, 200), "HEAD": (200, 200, 405)}[method]
    targets = ("/api/pool", "/api/document?topic=1&document=A", "/api/events")
    found = [send(campaign_app, method, target, CALLERS["ann"]).status for target in targets]
    assert tuple(found) == expected


@pytest.mark.parametrize(
    "target", ["/api/pool?token=token-of-ann", "/?token=token-of-ann", "/login?token=token-of-ann"]
)
def test_a_token_in_an_address_is_not_looked_at(campaign_app: ASGIApp, target: str) -> None:
    """Addresses are kept in histories and logs."""
    answer = call(campaign_app, target)
    assert answer.status == (200 if "login" in target else 401)
    assert "set-cookie" not in answer.headers
    assert "location" not in answer.headers


@pytest.mark.parametrize(
    ("token", "role"), [("token-of-ann", "assessor"), ("token-of-the-organiser", "organiser")]
)
def test_everybody_sees_their_own_page(campaign_app: ASGIApp, token: str, role: str) -> None:
    """The cookie is out of reach of scripts and of other sites."""
    body = json.dumps({"token": token}).encode()
    entered = call(campaign_app, "/login", "POST", {"origin": OWN, "sec-fetch-site": "same-origin"}, body)
    assert entered.status == 204
    name, *rules = entered.headers["set-cookie"].split("; ")
    assert name == f"excerpt-8000={token}"
    assert set(rules) == {"HttpOnly", "SameSite=Strict", "Path=/"}
    assert call(campaign_app, "/", headers={"cookie": name}).body == f"<h1>{role}</h1>".encode()


def test_behind_a_proxy_with_tls_cookies_never_go_without_it(campaign_app: ASGIApp) -> None:
    """The server of pages takes the scheme from a proxy on this machine, and so does the Origin."""

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
    """Nothing may run that is not ours, on pages and on refusals."""
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
    """Whatever they say of themselves, and without a word on their size."""
    headers = {**CALLERS["ann"], "content-length": said}
    answer = call(campaign_app, "/api/events", "POST", headers=headers, body=body)
    assert answer.status == 413
    assert "at most 1000000 bytes" in answer.json["error"]


def test_a_body_of_the_largest_size_is_read(campaign_app: ASGIApp) -> None:
    """A million bytes are no more than a million."""
    body = json.dumps(EVENT).encode().ljust(1_000_000)
    assert call(campaign_app, "/api/events", "POST", headers=CALLERS["ann"], body=body).status == 200
