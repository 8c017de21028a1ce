"""The organiser's page as the server gives it, with a status of ours; what it asks for is answered here."""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import Route
from support.browsing import ORIGIN, Tabs, Watch, until_ready

from excerpt.render import page

STATUS: dict[str, Any] = {
    "title": "Small campaign",
    "procedure": "inex2007",
    "documents": {"total": 1640, "done": 672, "open": 31, "todo": 937, "stale": 6},
    "seconds_per_document": 174.0,
    "finish": "2031-11-28",
    "topics": [
        {"id": "CU01", "title": "Document Name", "total": 40, "done": 40, "open": 0, "todo": 0, "owed": 0},
        {"id": "CU04", "title": "Effective Date", "total": 40, "done": 18, "open": 2, "todo": 20, "owed": 1},
        {"id": "CU07", "title": "Notice", "total": 40, "done": 0, "open": 0, "todo": 40, "owed": 0},
    ],
    "assessors": [
        {
            "name": name,
            "total": 480,
            "done": done,
            "open": opened,
            "todo": 480 - done - opened,
            "seconds_per_document": seconds,
            "last": last,
            "owed": owed,
            "cautions": cautions,
        }
        for name, done, opened, seconds, last, owed, cautions in (
            ("anna", 188, 3, 174.0, "2026-03-01T12:00:00.000Z", 1, []),
            ("ben", 480, 0, 144.0, "2026-02-28T12:00:00.000Z", 0, []),
            ("chen", 4, 20, 9.0, None, 0, ["chen finished 22 documents in under 10 seconds each."]),
        )
    ],
    "cells": {
        "CU01": {"anna": "done", "ben": "done", "chen": "done"},
        "CU04": {"anna": "open", "ben": "done"},
        "CU07": {"anna": "todo", "ben": "done", "chen": "open"},
    },
    "agreement": {"documents": 0.71, "characters": 0.58, "pairs": 64},
    "cautions": ["chen finished 22 documents in under 10 seconds each."],
    "export": {"done": 672, "open": 31, "todo": 937, "several": 64},
}


class Board:
    """The page; `status` is what the next question is answered, or a number that is its HTTP status."""

    def __init__(
        self,
        tabs: Tabs,
        status: dict[str, Any] | int = STATUS,
        *,
        width: int = 1440,
        height: int = 900,
        dark: bool = False,
    ) -> None:
        self.status: dict[str, Any] | int | None = status
        self.asked: list[str] = []
        self._tabs = tabs
        self.page = tabs.take(width=width, height=height, dark=dark, offline=False)
        self.page.context.route(f"{ORIGIN}/**", self._answer)
        self.watch = Watch(self.page, ORIGIN)
        self.page.goto(f"{ORIGIN}/")
        until_ready(self.page)

    def _answer(self, route: Route) -> None:
        path = route.request.url.removeprefix(ORIGIN)
        self.asked.append(path)
        if path == "/":
            html, rules = page.served_page("x", page.ORGANISE)
            route.fulfill(body=html, content_type="text/html", headers={"Content-Security-Policy": rules})
        elif path.startswith("/api/export"):
            route.fulfill(body="qrels", headers={"Content-Disposition": "attachment"})
        elif self.status is None:
            route.abort()
        elif isinstance(self.status, int):
            route.fulfill(status=self.status, json={"error": "no such luck"})
        else:
            route.fulfill(body=json.dumps(self.status), content_type="application/json")

    def refresh(self) -> None:
        """As when the window is looked at again; ends when the answer is there."""
        with self.page.expect_event("requestfinished" if self.status is not None else "requestfailed"):
            self.page.evaluate("() => dispatchEvent(new Event('focus'))")

    def close(self) -> None:
        """Give the page back; an error if it did what it must not."""
        self.watch.end()
        self._tabs.give_back(self.page)
        assert self.watch.faults == []
