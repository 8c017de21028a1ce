"""A question with its quotes: as the page shows it, and as a row of a gold file."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from excerpt.records.spellings import ROLES

_ROLES = ROLES["question"]
#: Roles of the keys that a written question sets; all other keys of an earlier row stay.
_SET = (
    *("topic", "question", "document", "start", "end", "quote", "list", "any_of", "answerable"),
    *("fingerprint", "sha256"),
)
_WRITTEN = {*(name for role in _SET for name in _ROLES[role]), "tags", "page", "span", "was", "how"}
#: Kinds of events.
EVENTS = ("keep", "delete", "reject", "reopen")
#: Keys of the id of a question.
IDS = _ROLES["topic"]


class MarkedQuote(NamedTuple):
    """A quote in its document; without a place it is not found there, and `why` says so."""

    document: str
    start: int
    end: int
    quote: str
    #: How a draft's quote was found: exact, folded, markup; "" if it was not.
    how: str = "exact"
    why: str = ""
    #: The quote as a draft has it, if the document has it otherwise.
    given: str = ""

    @property
    def is_placed(self) -> bool:
        """Whether the quote has a place in its document."""
        return self.start >= 0


#: Alternatives: quotes of which each answers by itself.
NeededQuotes: TypeAlias = tuple[MarkedQuote, ...]


@dataclass(frozen=True)
class WrittenQuestion:
    """A question: every need counts, and one quote of each is enough."""

    text: str
    needs: tuple[NeededQuotes, ...] = ()
    #: False if no document answers it.
    answerable: bool = True
    tags: tuple[str, ...] = ()

    @property
    def quotes(self) -> list[MarkedQuote]:
        """All quotes, alternatives too."""
        return [quote for need in self.needs for quote in need]

    @property
    def is_literal(self) -> bool:
        """Whether every quote stands in its document as it was given."""
        return all(quote.how == "exact" for quote in self.quotes)

    def to_dict(self) -> dict[str, Any]:
        """Return the question as the page reads it, and as the journal keeps it."""
        return {
            "text": self.text,
            "answerable": self.answerable,
            "tags": list(self.tags),
            "needs": [[quote._asdict() for quote in need] for need in self.needs],
        }


def row_of(
    question: WrittenQuestion,
    key: str,
    fingerprint_of: Callable[[str], str],
    beside: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return a question as a row; without a key it has no id. `beside` is an earlier row of the question.

    >>> question = WrittenQuestion("When?", ((MarkedQuote("A", 3, 9, "in May"),),))
    >>> row_of(question, "q1", lambda document: "0123")
    {'question_id': 'q1', 'question': 'When?', 'document': 'A', 'quote': 'in May', 'start': 3, 'end': 9, \
'fingerprint': '0123'}
    >>> row_of(WrittenQuestion("Why?", answerable=False), "", str, {"question": "Wy?", "level": 2})
    {'question': 'Why?', 'answerable': False, 'level': 2}
    """

    def quoted(quote: MarkedQuote) -> dict[str, Any]:
        own = {"document": quote.document, "quote": quote.quote, "start": quote.start, "end": quote.end}
        return {**own, "fingerprint": fingerprint_of(quote.document)}

    needs = [
        quoted(need[0]) if len(need) == 1 else {"any_of": [quoted(quote) for quote in need]}
        for need in question.needs
    ]
    row: dict[str, Any] = {"question_id": key} if key else {}
    row["question"] = question.text
    if not question.answerable:
        row["answerable"] = False
    elif len(needs) == 1:
        row |= needs[0]
    else:
        row["evidence"] = needs
    if question.tags:
        row["tags"] = list(question.tags)
    return row | {name: value for name, value in (beside or {}).items() if name not in _WRITTEN}


@dataclass
class KeptQuestion:
    """A question of the file: its lines as they are there, and how often it was changed."""

    lines: tuple[str, ...]
    version: int = 1


@dataclass
class GoldContent:
    """What the journal says: the questions of the file by key, what became of drafts, known events."""

    questions: dict[str, KeptQuestion] = field(default_factory=dict)
    #: Decision on each draft: accepted, mended or rejected.
    drafts: dict[str, str] = field(default_factory=dict)
    #: Body of each event by its id, for repeats.
    events: dict[str, str] = field(default_factory=dict)
    #: The question of each known event, which is answered again when the event is sent again.
    answered: dict[str, str] = field(default_factory=dict)
    #: Every key that was ever used.
    keys: set[str] = field(default_factory=set)
    port: int = 0

    def apply(self, entry: Mapping[str, Any]) -> None:
        """Apply an entry of the journal."""
        kind = entry["kind"]
        if kind == "begin":
            self.port = entry["port"]
        elif kind == "open":
            self.questions = {key: KeptQuestion(tuple(lines)) for key, lines in entry["questions"]}
            self.keys |= self.questions.keys()
        elif kind in EVENTS:
            self._apply_event(kind, entry)
        else:
            raise KeyError(kind)

    def _apply_event(self, kind: str, entry: Mapping[str, Any]) -> None:
        key, draft = entry.get("question", ""), entry.get("draft", "")
        self.events[entry["id"]], self.answered[entry["id"]] = entry["body"], key
        before = self.questions.get(key)
        if kind == "keep":
            version = (before.version if before else entry["version"]) + 1
            self.questions[key] = KeptQuestion((entry["line"],), version)
            self.keys.add(key)
            if draft:
                self.drafts[draft] = entry["decision"]
        elif kind == "delete":
            self.questions.pop(key, None)
        elif kind == "reject":
            self.drafts[draft] = "rejected"
        elif kind == "reopen":
            self.drafts.pop(draft, None)

    def has_ids(self) -> bool:
        """Whether the questions of the file have ids; new files have."""
        first = next(iter(self.questions.values()), None)
        return first is None or not {*IDS}.isdisjoint(json.loads(first.lines[0]))

    def new_key(self) -> str:
        """Return a key that no question has or had.

        >>> GoldContent(keys={"q1", "q3"}).new_key()
        'q4'
        """
        mark = "q" if self.has_ids() else ""
        numbers = (key.removeprefix(mark) for key in self.keys if key.startswith(mark))
        return f"{mark}{max((int(number) for number in numbers if _is_number(number)), default=0) + 1}"


def text_of(questions: Mapping[str, KeptQuestion]) -> str:
    """Return the gold file of some questions."""
    return "".join(f"{line}\n" for question in questions.values() for line in question.lines)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 10
