"""The side panel of the assessor's page alone: a document, a state, and a minimal page around it.

Events are not sent: they are kept in `acts` and applied to the state by simple rules. The real page and the
real server have their own tests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Page
from support.browsing import ORIGIN, Modules, Tabs

from excerpt.assess.procedures import procedure_of

STATE: dict[str, Any] = {
    "version": 0,
    "highlights": [],
    "bep": None,
    "grades": {},
    "done": False,
    "labels": [],
    "note": "",
    "withdrawn": [],
    "owed": [],
    "inferred": {},
    "confirmed": [],
    "rejected": [],
    "problems": [],
}

#: A small article: (depth, tag, text); headings are `title`.
ARTICLE = (
    (0, "article", ""),
    (1, "body", ""),
    (2, "sec", ""),
    (3, "title", "Results"),
    (3, "p", "Profiles of patients were not different. The average score at one hour was 4.64."),
    (3, "p", "Doses of morphine were 4.43 mg in the study group 😀 and 7.52 in the control group."),
    (2, "sec", ""),
    (3, "title", "Discussion of what was found, and of what it can tell about pain after an operation"),
    (3, "p", "Pain is what the patient says it is. Doses differ. The study is small."),
    (3, "p", "It was short."),
)


def article(parts: Sequence[tuple[int, str, str]] = ARTICLE, *, identifier: str = "EI059") -> dict[str, Any]:
    """A document as the server gives it, from elements in preorder, their texts one after the other."""
    text = ""
    open_: list[tuple[int, int]] = []
    counts: dict[tuple[str, str], int] = {}
    elements: list[list[Any]] = []
    blocks: list[list[Any]] = []
    for depth, tag, words in parts:
        while open_ and open_[-1][0] >= depth:
            elements[open_.pop()[1]][2] = len(text)
        above = elements[open_[-1][1]][0] if open_ else ""
        number = counts[above, tag] = counts.get((above, tag), 0) + 1
        open_.append((depth, len(elements)))
        elements.append([f"{above}/{tag}[{number}]", len(text), 0, tag])
        if words:
            kind = "heading" if tag == "title" else "paragraph"
            blocks.append([kind, 0, len(text), len(text) + len(words), *([2] if kind == "heading" else [])])
            text += words
    for _, number in open_:
        elements[number][2] = len(text)
    return {
        "id": identifier,
        "title": "An article",
        "kind": "xml",
        "text": text,
        "length": len(text),
        "size": len(text),
        "blocks": blocks,
        "elements": elements,
        "seconds": 10,
        "second": None,
    }


def plain(text: str, identifier: str = "C0115") -> dict[str, Any]:
    """A document of plain text as the server gives it."""
    return {
        "id": identifier,
        "title": "",
        "kind": "text",
        "text": text,
        "length": len(text),
        "size": len(text),
        "blocks": [["text", 0, 0, len(text)]],
        "elements": [],
        "seconds": 0,
        "second": None,
    }


def campaign(*topics: tuple[str, str, Sequence[str]], procedure: str = "inex2007") -> dict[str, Any]:
    """A pool as the server gives it: topics with id, title and the states of their documents."""
    return {
        "campaign": "c1",
        "assessor": "anna",
        "title": "Small campaign",
        "procedure": procedure,
        "asks": procedure_of(procedure).to_json(),
        "labels": ["supports", "contradicts"],
        "topics": [
            {
                "id": id_,
                "title": title,
                "text": title,
                "documents": [_item(*pair) for pair in enumerate(states)],
            }
            for id_, title, states in topics
        ],
    }


def _item(number: int, state: str) -> dict[str, Any]:
    done, troubled = state == "done", state.endswith("!")
    return {
        "id": f"C{number:04}",
        "state": state.rstrip("!"),
        "version": 0 if state == "todo" else 3,
        "seconds": 180 if done else 60 if state != "todo" else 0,
        "owed": 2 if troubled else 0,
        "problems": 1 if troubled else 0,
        "passages": 1 if done else 0,
        "characters": 100 if done else 0,
        "title": "",
    }


_OPEN = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")


class SidePanel(Modules):
    """The panel of a document, or the list of topics if there is none."""

    def __init__(
        self,
        tabs: Tabs,
        pool: Mapping[str, Any],
        doc: Mapping[str, Any] | None = None,
        *,
        state: Mapping[str, Any] | None = None,
        suggestions: Sequence[Sequence[Any]] = (),
        stored: Mapping[str, str] | None = None,
        width: int = 1440,
        height: int = 900,
        theme: str = "light",
    ) -> None:
        super().__init__(tabs, width=width, height=height)
        context = {
            "campaign": pool,
            "procedure": pool["asks"],
            "labels": pool["labels"],
            "topic": pool["topics"][0] if pool["topics"] else None,
            "doc": doc,
            "state": STATE | dict(state or {}),
        }
        given = {
            "context": context,
            "theme": theme,
            "stored": dict(stored or {}),
            "suggestions": list(suggestions),
        }
        self.page.evaluate(_OPEN, [ORIGIN, given])

    @property
    def acts(self) -> list[dict[str, Any]]:
        """The events so far."""
        found: list[dict[str, Any]] = self.page.evaluate("() => acts")
        return found

    @property
    def announced(self) -> list[str]:
        """Announcements so far."""
        found: list[str] = self.page.evaluate("() => announced")
        return found

    @property
    def cursor(self) -> list[int] | None:
        """The span that the cursor of the text view is around."""
        found: list[int] | None = self.page.evaluate("() => context.textView.span")
        return found

    @property
    def focused(self) -> str:
        """The key of the element that has the focus."""
        return str(self.page.evaluate("() => document.activeElement.dataset.key ?? ''"))

    def press(self, *keys: str) -> None:
        """Press keys one after the other."""
        for key in keys:
            self.page.keyboard.press(key)


def sideways(page: Page) -> int:
    """By how many pixels a page is wider than its window."""
    return int(page.evaluate("() => document.documentElement.scrollWidth - innerWidth"))
