"""excerpt.explore: what it prints, opens and refuses."""

from __future__ import annotations

import json
import socket
import sys
import threading
import urllib.request
from collections.abc import Callable
from typing import Any

import pytest
from waiting import until

import excerpt
from excerpt import ExcerptError, Judgments, Result, Run, Span
from excerpt.web import explorer
from excerpt.web import serve as serving

JUDGMENTS = Judgments.of([("1", Span("A", 0, 4))])
RUN = Run.of("mine", [Result("1", "A", 2, 6)])


@pytest.fixture
def links(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The links that were opened in a browser."""
    opened: list[str] = []
    monkeypatch.setattr(explorer, "open_browser", opened.append)
    return opened


@pytest.fixture
def once(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], None]], None]:
    """Has something done when the server has begun, and ends it then."""

    def arrange(act: Callable[[], None]) -> None:
        real = serving.serve

        def serve(app: Any, listening: socket.socket, begin: Callable[[], None]) -> None:
            def began() -> None:
                begin()
                act()
                raise KeyboardInterrupt

            real(app, listening, began)

        monkeypatch.setattr(explorer, "serve", serve)

    return arrange


def _threads() -> set[str]:
    """By their names: others come and go as they like."""
    return {thread.name for thread in threading.enumerate()}


def test_the_view_is_served_until_the_interrupt(
    links: list[str], once: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    """The link is printed; the browser gets another, which is good for one use; then all is over."""
    printed: list[str] = []
    answers: list[Any] = []
    running: list[set[str]] = []

    def ask() -> None:
        running.append(_threads())
        printed.append(capsys.readouterr().out)
        address, _, token = printed[0].strip().partition("/login#token=")
        headers = {"authorization": f"Bearer {token}"}
        request = urllib.request.Request(f"{address}/api/document?document=A", headers=headers)
        with urllib.request.urlopen(request) as answer:
            answers.append(json.load(answer))

    once(ask)
    excerpt.explore(JUDGMENTS, [RUN], ["charP"], corpus={"A": "a😀bc def"})
    assert answers[0]["text"] == "a😀bc def"
    assert printed[0].startswith("http://127.0.0.1:")
    assert len(printed[0].splitlines()) == 1
    assert links[0].partition("#token=")[0] == printed[0].partition("#token=")[0]
    assert links[0].partition("#token=")[2] not in printed[0]
    assert serving.THREAD in running[0]
    until(lambda: serving.THREAD not in _threads())


def test_no_browser_is_opened_unasked(
    links: list[str], once: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    """`browser=False` only prints."""
    once(lambda: None)
    excerpt.explore(JUDGMENTS, [RUN], ["charP"], text=False, browser=False)
    assert links == []
    assert "#token=" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"port": 70000, "text": False}, "found 70000 as port, expected 0 to 65535"),
        ({"host": "0.0.0.0", "text": False}, "found 0.0.0.0 as host, expected a loopback address"),
        ({}, "found no corpus"),
    ],
)
def test_what_cannot_be_served_is_said_at_once(options: dict[str, Any], message: str) -> None:
    """One line, before anything is served."""
    with pytest.raises(ExcerptError, match=message):
        excerpt.explore(JUDGMENTS, [RUN], ["charP"], **options)


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before any work is done."""
    for name in ("starlette", "uvicorn"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ExcerptError, match=r"found no starlette, uvicorn.*excerpt\[web\]"):
        excerpt.explore(JUDGMENTS, [RUN], ["charP"], text=False)
