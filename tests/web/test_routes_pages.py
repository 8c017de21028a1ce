"""Pages: the view for those who have signed in, how to sign in for others."""

from __future__ import annotations

import re

import pytest
from asgi import call
from starlette.types import ASGIApp

from excerpt.web.routes_pages import small_page


@pytest.mark.parametrize(
    "headers", [{}, {"cookie": "excerpt-8000=wrong"}, {"cookie": "excerpt-9000=secret-of-the-tests"}]
)
def test_strangers_are_told_how_to_sign_in(app: ASGIApp, headers: dict[str, str]) -> None:
    """They see nothing of the evaluation."""
    answer = call(app, "/", headers=headers)
    assert answer.status == 401
    assert b"Open the link that" in answer.body
    assert b"view" not in answer.body.replace(b"viewport", b"")


def test_the_view_has_its_own_policy(app: ASGIApp, cookie: dict[str, str]) -> None:
    """Which names its script and style by hash."""
    answer = call(app, "/", headers=cookie)
    assert (answer.status, answer.body) == (200, b"<h1>view</h1>")
    assert answer.headers["content-security-policy"] == "default-src 'none'"


def test_small_pages_load_only_what_is_here(app: ASGIApp) -> None:
    """Script and style are files of the server, without which nothing runs."""
    page = call(app, "/login")
    assert page.status == 200
    assert "unsafe" not in page.headers["content-security-policy"]
    assert not re.search(rb"<script>|style=|<style| on\w+=|https?:", page.body)
    for path in re.findall(r'(?:src|href)="([^"]+)"', page.body.decode()):
        assert call(app, path).status == 200
    assert call(app, "/login.js").headers["content-type"].startswith("text/javascript")
    assert call(app, "/pages.css").headers["content-type"].startswith("text/css")
    assert call(app, "/favicon.ico").status == 204


def test_small_pages_escape() -> None:
    """What stands in a template is text."""
    assert b"&lt;img onerror=x&gt;" in bytes(small_page("refusal.html", sentence="<img onerror=x>").body)
