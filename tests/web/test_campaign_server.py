"""Serving a campaign: its port, its pages, and the link that a browser is started with."""

from __future__ import annotations

import json
import socket
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from served_campaign import make_campaign

from excerpt.assess.campaign import Campaign
from excerpt.errors import ExcerptError
from excerpt.web import campaign_server
from excerpt.web import serve as serving
from excerpt.web.campaign_server import choose_port, moved_from, open_place, serve_campaign


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A campaign."""
    return make_campaign(tmp_path)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The links that were opened in a browser; the server ends when it has begun."""
    links: list[str] = []
    real = serving.serve

    def serve(app: Any, listening: socket.socket, begin: Callable[[], None]) -> None:
        def began() -> None:
            begin()
            raise KeyboardInterrupt

        real(app, listening, began)

    monkeypatch.setattr(campaign_server, "serve", serve)
    monkeypatch.setattr(campaign_server, "open_browser", links.append)
    return links


def _enter(address: str, token: str) -> tuple[int, str]:
    """Sign in as the page does; the status, and the cookie."""
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
    """All users of a machine can see it; what it leads to is the organiser, or who was named."""
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
            patch.setattr(campaign_server, "open_browser", enter)
            serve_campaign(campaign, place, begin=begin, browser=True, opened=token)
    organiser = printed[0].partition("#token=")[2]
    assert [status for status, _ in tried] == [204, 401]
    assert tried[0][1].startswith(f"excerpt-{place.port}={token or organiser};")
    assert opened[0] not in {token, organiser}


def test_no_browser_is_opened_unasked(folder: Path, opened: list[str]) -> None:
    """The link is told all the same."""
    printed: list[str] = []
    with Campaign.open(folder) as campaign:
        place = open_place(campaign, "127.0.0.1", 0)
        serve_campaign(campaign, place, begin=printed.append, browser=False)
    assert opened == []
    assert printed[0].startswith(f"{place.address}/login#token=")


def test_a_port_is_chosen_once(folder: Path) -> None:
    """It stays when others have taken it since: links hold it."""
    with Campaign.open(folder) as campaign:
        port = choose_port(campaign)
        assert 10_000 <= port < 30_000
        with socket.create_server(("127.0.0.1", port)):
            assert choose_port(campaign) == port
            with pytest.raises(ExcerptError, match="another program has it"):
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
    """Another port does, and another address, unless the server listens at all of them."""
    with Campaign.open(folder) as campaign:
        campaign.add_person("ann")
        place = open_place(campaign, now, 0)
        with place.listening:
            campaign.set_address(host, port)
            assert moved_from(campaign, place._replace(port=1)) == told


def test_other_machines_need_people(folder: Path) -> None:
    """Those who were removed are none."""
    with Campaign.open(folder) as campaign:
        campaign.add_person("ann")
        campaign.remove_person("ann")
        with pytest.raises(ExcerptError, match=r"found 0\.0\.0\.0 as host and nobody who judges"):
            open_place(campaign, "0.0.0.0", 0)
        campaign.add_person("bob")
        place = open_place(campaign, "0.0.0.0", 0, ["assess.test"])
        with place.listening:
            assert place.address == f"http://assess.test:{place.port}"
            assert {"assess.test", "localhost"} <= place.names
