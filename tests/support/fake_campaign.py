"""A campaign for the assessor's page without a server process: requests of the browser are answered here.

It can be down, slow to answer, or lose its answers, as no real server does when asked.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import BrowserContext, Page, Route
from support.browsing import Opened, Tabs, Watch
from support.span_sets import characters, spans_of

from excerpt.assess.procedures import procedure_of
from excerpt.corpus import Document
from excerpt.render import page as shell
from excerpt.render.blocks import blocks_of

ADDRESS = "http://campaign.test"
START: dict[str, Any] = {"highlights": [], "bep": None, "grades": {}, "done": False, "labels": [], "note": ""}


def steps(spans: Sequence[tuple[int, int]]) -> list[int]:
    """Units as the server writes them: gap, length, gap, length."""
    found, at = [], 0
    for start, end in spans:
        found += [start - at, end - start]
        at = end
    return found


class History:
    """The judgments of one document: every event, and the state after each."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self._now = START
        self._past: list[dict[str, Any]] = []
        self._future: list[dict[str, Any]] = []
        self.answers: dict[str, dict[str, Any]] = {}

    def state(self) -> dict[str, Any]:
        """The state, as the server says it."""
        now = self._now
        problem = bool(now["highlights"]) and now["bep"] is None
        return {
            **now,
            "version": len(self.events),
            "undo": len(self._past),
            "redo": len(self._future),
            "owed": [],
            "problems": ["Something is highlighted, but there is no entry point."] if problem else [],
        }

    def add(self, event: dict[str, Any]) -> dict[str, Any]:
        """The answer to an event that is allowed."""
        kind = event["kind"]
        if kind in {"undo", "redo"}:
            past, future = (self._past, self._future) if kind == "undo" else (self._future, self._past)
            future.append(self._now)
            self._now = past.pop()
        else:
            self._past.append(self._now)
            self._future.clear()
            done = kind == "note" and self._now["done"]
            self._now = {**self._now, "done": done, **self._effect(event)}
        self.events.append(event)
        answer = {"version": len(self.events), "state": self.state()}
        self.answers[event["id"]] = answer
        return answer

    def _effect(self, event: dict[str, Any]) -> dict[str, Any]:
        kind, chosen = event["kind"], characters(self._now["highlights"])
        span = set(range(event.get("start", 0), event.get("end", 0)))
        effects: dict[str, Any] = {
            "highlight": {"highlights": spans_of(chosen | span)},
            "unhighlight": {"highlights": spans_of(chosen - span)},
            "bep": {"bep": event.get("start")},
            "no-bep": {"bep": None},
            "done": {"done": True},
            "reopen": {},
            "note": {"note": event.get("note", "")},
            "label": {"labels": [[*map(event.get, ("start", "end", "label")), event.get("note", "")]]},
        }
        found: dict[str, Any] = effects[kind]
        return found


class FakeCampaign:
    """Topics, documents, one assessor; `texts` are plain text, or (text, elements) for XML."""

    def __init__(
        self,
        texts: dict[str, str | Document],
        *,
        topics: Sequence[dict[str, str]] = ({"id": "T1", "title": "Rent", "text": "Who pays the rent?"},),
        assessor: str = "anna",
        procedure: str = "inex2007",
    ) -> None:
        self.documents = {
            name: text if isinstance(text, Document) else Document(name, text, "", "txt", None)
            for name, text in texts.items()
        }
        self.topics = list(topics)
        self.identity = "c1"  #: what tells campaigns apart that are served at one address
        self.assessor = assessor
        self.procedure = procedure
        self.histories: dict[tuple[str, str], History] = {}
        self.down = False  #: no answer at all
        self.losing = False  #: events are stored, and the answer is lost
        self.refusing: tuple[int, str] | None = None  #: this status and sentence for all events
        self.held: list[Route] | None = None  #: requests for documents wait here
        self.shown: list[str] = []
        self.work = 0.0
        self.posts: list[Any] = []

    def history(self, topic: str, document: str) -> History:
        """The judgments of a document."""
        return self.histories.setdefault((topic, document), History())

    def state(self, document: str, topic: str = "T1") -> dict[str, Any]:
        """The state of a document as the server has it."""
        return self.history(topic, document).state()

    def pool(self, topic: str | None = None) -> dict[str, Any]:
        """The answer to `GET /api/pool`, of one topic or of all."""
        return {
            "campaign": self.identity,
            "assessor": self.assessor,
            "title": "A small campaign",
            "procedure": self.procedure,
            "asks": procedure_of(self.procedure).to_json(),
            "labels": ["supports"],
            "topics": [
                {
                    "narrative": "",
                    **one,
                    "documents": [self._row(one["id"], name) for name in self.documents],
                }
                for one in self.topics
                if topic in {None, one["id"]}
            ],
        }

    def _row(self, topic: str, name: str) -> dict[str, Any]:
        state = self.state(name, topic)
        status = "done" if state["done"] else "open" if state["version"] else "todo"
        passages = state["highlights"]
        return {
            "id": name, "state": status, "version": state["version"], "title": "", "passages": len(passages),
            "characters": sum(end - start for start, end in passages), "seconds": 0, "owed": 0,
            "problems": len(state["problems"]), "second": False,
        }  # fmt: skip

    def document(self, topic: str, name: str, show: Sequence[str]) -> dict[str, Any]:
        """The answer to `GET /api/document`."""
        document = self.documents[name]
        text = document.text
        self.shown += show
        words = [match.span() for match in re.finditer(r"\w+", text)]
        sentences = [match.span() for match in re.finditer(r"[^\s.!?][^.!?]*[.!?]?", text)]
        tree = enumerate(document.elements or ())
        elements = [[f"/{one.tag}[{number}]", one.start, one.end, one.tag] for number, one in tree]
        asked = {"retrieved": [[0, min(20, len(text)), 2]]} if "runs" in show else {}
        return {
            "assessor": self.assessor,
            "id": name, "title": "", "kind": "xml" if elements else "txt", "text": text, "length": len(text),
            "sha256": "", "blocks": blocks_of(document), "state": self.state(name, topic), "seconds": 0,
            "units": {"words": steps(words), "sentences": steps(sentences)}, "elements": elements,
            "second": None, **asked,
        }  # fmt: skip

    def record(self, event: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Status and answer to one event."""
        history = self.history(event["topic"], event["document"])
        if event["id"] in history.answers:
            return 200, history.answers[event["id"]]
        state, text = history.state(), self.documents[event["document"]].text
        if self.refusing:
            return self.refusing[0], {"error": self.refusing[1]}
        if event["base"] != state["version"]:
            return 409, {"error": "made on an old version", "version": state["version"], "state": state}
        if "end" in event and "quote" in event and len(event["quote"]) != 64:
            found = text[event["start"] : event["end"]]
            if found != event["quote"]:
                return 422, {"error": f"found {found!r}, expected {event['quote']!r}"}
        if event["kind"] == "done" and state["problems"]:
            return 422, {"error": state["problems"][0]}
        return 200, history.add({name: value for name, value in event.items() if name != "assessor"})

    def events(self, body: Any) -> tuple[int, Any]:
        """The answer to `POST /api/events`."""
        self.posts.append(body)
        answers: list[Any] = []
        for event in body if isinstance(body, list) else [body]:
            status, answer = self.record(event)
            if status != 200:
                refusal = {**answer, "status": status}
                return (200, [*answers, refusal]) if answers else (status, refusal)
            answers.append(answer)
        return 200, answers if isinstance(body, list) else answers[0]

    def answer(self, route: Route) -> None:
        """Answer a request of the browser."""
        place = urlsplit(route.request.url)
        if place.path == "/":
            html, policy = shell.served_page("Campaign", shell.ASSESS)
            headers = {"content-security-policy": policy}
            route.fulfill(body=html.decode(), content_type="text/html", headers=headers)
        elif self.down:
            route.abort("connectionrefused")
        elif self.held is not None and place.path == "/api/document":
            self.held.append(route)
        else:
            given = json.loads(route.request.post_data or "null")
            status, body = self._ask(place.path, parse_qs(place.query, keep_blank_values=True), given)
            if self.losing and given is not None:
                route.abort("connectionreset")
            else:
                route.fulfill(status=status, **({} if body is None else {"json": body}))

    def let_go(self) -> None:
        """Answer what was held."""
        held, self.held = self.held or [], None
        for route in held:
            self.answer(route)

    def _ask(self, path: str, asked: dict[str, list[str]], given: Any) -> tuple[int, Any]:
        if path == "/api/pool":
            return 200, self.pool(*asked.get("topic", []))
        if path == "/api/document":
            (topic,), (name,) = asked["topic"], asked["document"]
            if asked.get("assessor", [self.assessor]) != [self.assessor]:
                return 403, {"error": "This page was opened by somebody else."}
            if name in self.documents:
                return 200, self.document(topic, name, asked.get("show", []))
            return 404, {"error": f"There is no document “{name}” here."}
        if path == "/api/work":
            self.work += given["seconds"]
            return 204, None
        assert path == "/api/events", path
        return self.events(given)


class Assessing(Opened):
    """Opens the page of a fake campaign; `close` is an error if a page did what it must not."""

    def __call__(
        self,
        campaign: FakeCampaign,
        hash: str = "",  # noqa: A002
        *,
        width: int = 1280,
        height: int = 800,
        dark: bool = False,
        touch: bool = False,
        ready: bool = True,
    ) -> Page:
        """A page in a browser of its own."""
        if touch:
            page = self._tabs.browser.new_context(
                viewport={"width": width, "height": height}, has_touch=True
            ).new_page()
        else:
            page = self._tabs.take(width=width, height=height, dark=dark, offline=False)
        page.context.route(f"{ADDRESS}/**", campaign.answer)
        return self._start(page, hash, ready=ready)

    def tab(self, context: BrowserContext, hash: str = "", *, ready: bool = True) -> Page:  # noqa: A002
        """One more page of the same browser."""
        return self._start(context.new_page(), hash, ready=ready)

    def _start(self, page: Page, hash: str, *, ready: bool) -> Page:  # noqa: A002
        self._open.append((page, Watch(page, ADDRESS)))
        page.goto(f"{ADDRESS}/{'#' if hash else ''}{hash}")
        if ready:
            page.wait_for_selector("html[data-state=ready]", state="attached")
        return page


_SELECT = """([start, end]) => {
  const walker = document.createTreeWalker(document.getElementById("text"), NodeFilter.SHOW_TEXT);
  const ends = [];
  let at = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const points = Array.from(node.data);
    for (const [i, wanted] of [[0, start], [1, end]]) {
      const beyond = at + points.length + (i === 0 ? 0 : 1);
      if (ends[i] || wanted < at || wanted >= beyond) continue;
      ends[i] = [node, points.slice(0, wanted - at).join("").length];
    }
    at += points.length;
  }
  getSelection().setBaseAndExtent(...ends.flat());
}"""


def select(page: Page, start: int, end: int) -> None:
    """Select characters of the text, as a pointer does."""
    page.evaluate(_SELECT, [start, end])


def until_saved(page: Page) -> None:
    """Wait until all is on the server."""
    page.wait_for_selector("#saved[data-state=saved]")


def numbered(texts: Sequence[str]) -> dict[str, str]:
    """Documents D1, D2, …"""
    return {f"D{number}": text for number, text in zip(itertools.count(1), texts, strict=False)}


def opened(tabs: Tabs) -> Iterator[Assessing]:
    """Pages of fake campaigns, given back at the end."""
    pages = Assessing(tabs)
    yield pages
    pages.close()
