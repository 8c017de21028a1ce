"""Tests of a server behind a proxy: links, hosts, origins, prefixes and cookies."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.served_campaign import Served, excerpt, make_campaign

from excerpt.assess.campaign import Campaign
from excerpt.errors import ExcerptError
from excerpt.web.server import Proxy

URL = "https://assess.example.org/track/2026"
HOST = "assess.example.org"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (URL, (URL, "https://assess.example.org", HOST, "/track/2026")),
        (
            "https://Assess.Example.org/",
            ("https://assess.example.org", "https://assess.example.org", HOST, ""),
        ),
        ("http://10.0.0.7:8080/x/", ("http://10.0.0.7:8080/x", "http://10.0.0.7:8080", "10.0.0.7", "/x")),
        ("https://[::1]:443", ("https://[::1]", "https://[::1]", "::1", "")),
        ("", ("", "", "", "")),
    ],
)
def test_addresses_are_parsed(url: str, expected: tuple[str, ...]) -> None:
    """Default ports are left out, as browsers do in origins."""
    assert Proxy.of(url) == expected


@pytest.mark.parametrize(
    "url",
    [
        *(
            "assess.example.org",
            "ftp://a/",
            "https://",
            "https://a:b/",
            "https://a b/",
            "//a/b",
        ),
        *(
            "https://u@a/",
            "https://a/?q",
            "https://a/#f",
            "https://a/;Path=/",
            "https://a/x y",
            "https://a/%2e",
        ),
        *(
            "https://a/api",
            "https://a/login/x",
            "https://a//b",
            "javascript:alert(1)",
            "https://a/\r\nSet-Cookie:x",
        ),
    ],
)
def test_other_addresses_are_refused(url: str) -> None:
    """One sentence."""
    with pytest.raises(ExcerptError, match="expected an address such as https://host/prefix"):
        Proxy.of(url)


def test_a_campaign_behind_a_proxy(tmp_path: Path) -> None:
    """Links have its address, its pages are own pages, and its prefix may be removed or not."""
    folder = make_campaign(tmp_path)
    with Campaign.open(folder) as campaign:
        campaign.set_address("127.0.0.1", 0)
    with Served(folder) as server:
        first = server.port
    done = excerpt("assess", "serve", folder, "--no-browser", "--url", "https://a/?q")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    with Served(folder, "--url", URL + "/", port=first) as server:
        assert server.link.startswith(f"{URL}/login#token=")
        done = excerpt("assess", "people", folder, "add", "ann")
        name, link = done.stdout.strip().split("\t")
        assert (name, link.partition("#")[0]) == ("ann", f"{URL}/login")
        token = link.partition("#token=")[2]
        for host in (HOST, f"127.0.0.1:{first}"):
            for prefix in ("", "/track/2026"):
                assert server.ask(f"{prefix}/api/pool", token, Host=host).json["assessor"] == "ann"
        assert server.ask("/track/2026", Host=HOST).status == 308
        assert server.ask("/track/2026x/api/pool", token, Host=HOST).status == 404
        assert server.ask("/api/pool", token, Host="evil.test").status == 400
        page = {"Host": HOST, "Origin": "https://assess.example.org", "Content_Type": "application/json"}
        reply = server.ask("/track/2026/login", body={"token": token}, **page)
        assert reply.status == 204
        cookie = next(line for line in reply.head.splitlines() if line.lower().startswith("set-cookie"))
        assert "Secure" in cookie
        assert "Path=/track/2026/;" in cookie + ";"
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        for origin in (
            "https://evil.test",
            "http://assess.example.org",
            "https://assess.example.org.evil.test",
        ):
            assert server.ask("/login", body={"token": token}, **{**page, "Origin": origin}).status == 403
        own = f"http://127.0.0.1:{first}"
        reply = server.ask("/login", body={"token": token}, Origin=own, Content_Type="application/json")
        assert "Path=/;" in reply.head + ";"
        assert "Secure" not in reply.head
        for target in ("/track/2026/login", "/track/2026/nothing/here"):
            body = server.ask(target, Host=HOST).body
            assert b'="/' not in body
    with Served(folder, port=first) as server:  # it is kept
        assert server.link.startswith(URL)
    with Served(folder, "--url", "") as server:
        assert server.link.startswith(f"http://127.0.0.1:{first}/")
