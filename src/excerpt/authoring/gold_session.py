"""A gold file that is being written: documents, search, copies of a quote, questions, drafts, events."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from excerpt.assess.folder import InvalidEvent, NotFound, Overtaken
from excerpt.assess.materials import TextUnits, units_of
from excerpt.authoring.gold_journal import GoldJournal
from excerpt.authoring.gold_reading import Draft, lines_of, read_drafts, read_questions
from excerpt.authoring.question import MarkedQuote, WrittenQuestion, row_of
from excerpt.checking.validation import say_visible_drop
from excerpt.corpus import Corpus, Document
from excerpt.corpus.corpus import Recent
from excerpt.errors import plural, short
from excerpt.model.texts import fold
from excerpt.placing.duplicate_evidence import MOST_TEXT, copies_of
from excerpt.placing.markup import ReadText

#: Limits of one event: characters of a question or a tag; quotes; tags.
_LONGEST, _MOST_QUOTES, _MOST_TAGS, _LONGEST_TAG = 2_000, 200, 20, 60
#: Most places that a search shows, characters around them, and characters of documents in the cache.
_MOST_FOUND, _AROUND, _ROOM = 50, 60, 1 << 23
_MARKDOWN = {"md", "mdx", "ipynb"}


class FoundPlace(NamedTuple):
    """A place that a search found, with the words around it."""

    document: str
    start: int
    end: int
    before: str
    text: str
    after: str


class GoldSession:
    """A gold file, the documents that it quotes, and drafts; closing it frees the file for other servers."""

    def __init__(self, path: str, corpus: Corpus, drafts: str | None = None) -> None:
        self.corpus = corpus
        self.name = path
        self.drafts: list[Draft] = []
        self._lock = threading.Lock()
        self._read: Recent[ReadText] = Recent(room=_ROOM, size=lambda text: len(text.text) + 1_000)
        self._journal = GoldJournal(path)
        try:
            if drafts is not None:
                self.drafts = read_drafts(drafts, corpus)
            self._open()
        except BaseException:
            self._journal.close(forget=True)
            raise

    def _open(self) -> None:
        """Take over a file that the journal does not know, and read the questions."""
        journal = self._journal
        if (data := journal.found()) is not None:
            keyed = lines_of(data, self.name, self.corpus)
            known = bool(journal.content.keys)
            self.questions = read_questions(keyed, self.corpus, self.name)
            if known:
                said = "was changed by another program, and is gone on with as it is"
                journal.said.append(f"{self.name}: {said}")
            journal.adopt(data, keyed)
        else:
            keyed = {key: list(one.lines) for key, one in journal.content.questions.items()}
            self.questions = read_questions(keyed, self.corpus, self.name)
        journal.settle()

    @property
    def said(self) -> list[str]:
        """What was repaired when the file was opened, and quotes that the documents lack."""
        lost = sum(not quote.is_placed for one in self.questions.values() for quote in one.quotes)
        more = f"{plural(lost, 'quote')} of {self.name} not in these documents; excerpt align carries quotes"
        return [*self._journal.said, *([f"{more} to another version of them"] if lost else [])]

    @property
    def identity(self) -> str:
        """Name of the file for storages of browsers."""
        return hashlib.sha256(str(self._journal.path).encode("utf-8", "surrogateescape")).hexdigest()[:12]

    @property
    def port(self) -> int:
        """The port of the last time; 0 without one."""
        return self._journal.content.port

    def set_port(self, port: int) -> None:
        """Keep the port: unsaved work in browsers belongs to it."""
        self._journal.begin(port)

    def close(self) -> None:
        """End the lock on the file."""
        with self._lock:
            self._journal.close()

    def summary(self) -> str:
        """Say how many questions there are, and which drop they can show."""
        asked = sum(one.answerable for one in self.questions.values())
        text = plural(len(self.questions), "question")
        if without := len(self.questions) - asked:
            text += f", {without} without an answer in these documents"
        if asked:
            text += f"; {say_visible_drop(asked)}"
        return text

    def drafts_summary(self) -> str:
        """Say how many drafts there are, and what became of them; "" without any."""
        if not self.drafts:
            return ""
        decided = Counter(self._journal.content.drafts.get(draft.key, "open") for draft in self.drafts)
        literal = sum(draft.question.is_literal for draft in self.drafts)
        states = [f"{decided[state]} {state}" for state in ("accepted", "mended", "rejected", "open")]
        unlike = f"{len(self.drafts) - literal} not literal"
        return f"{plural(len(self.drafts), 'draft')}, {unlike}: {', '.join(states)}"

    def state(self) -> dict[str, Any]:
        """Return questions and drafts, with counts in words."""
        content = self._journal.content
        questions = [
            {"key": key, "version": content.questions[key].version, **question.to_dict()}
            for key, question in self.questions.items()
        ]
        drafts = [
            {
                "key": draft.key,
                "state": content.drafts.get(draft.key, "open"),
                "literal": draft.question.is_literal,
                **draft.question.to_dict(),
            }
            for draft in self.drafts
        ]
        said = {"summary": self.summary(), "drafts_summary": self.drafts_summary()}
        return {"questions": questions, "drafts": drafts, **said}

    def overview(self) -> dict[str, Any]:
        """Return the state with the file and the ids of the documents."""
        with self._lock:
            state = self.state()
        documents = list(self.corpus)
        return {"file": self.name, "identity": self.identity, "documents": documents, **state}

    def document(self, name: str) -> Document:
        """Return a document."""
        if name not in self.corpus:
            raise NotFound(f"There is no document “{short(name)}” here.")
        return self.corpus.document(name)

    def _markdown(self, document: Document) -> ReadText | None:
        """Return Markdown as people read it, with the places in the source; None for other documents."""
        if document.kind not in _MARKDOWN:
            return None
        return self._read.get((document.id, document.text), lambda: ReadText(document.text, "markdown"))

    def units(self, document: Document) -> TextUnits:
        """Return the words and sentences of a document as people read it."""
        if (read := self._markdown(document)) is None:
            return units_of(document.text)
        return TextUnits(*(_in_source(steps, read) for steps in units_of(read.seen)))

    def search(self, words: str) -> tuple[list[FoundPlace], int]:
        """Places of words in all documents, in any case and with any white space; and how many there are.

        Words that stand nowhere together are searched in documents that have all of them.
        """
        if not (parts := words.split()):
            return [], 0
        patterns = [re.compile(re.escape(part), re.IGNORECASE) for part in parts]
        together = re.compile(r"\s+".join(map(re.escape, parts)), re.IGNORECASE)
        found = self._found(together.finditer)
        if not found[1] and len(parts) > 1:
            longest = max(patterns, key=lambda pattern: len(pattern.pattern))

            def apart(seen: str) -> Iterator[re.Match[str]]:
                everything = all(pattern.search(seen) for pattern in patterns)
                return longest.finditer(seen) if everything else iter(())

            found = self._found(apart)
        return found

    def _found(self, find: Callable[[str], Iterator[re.Match[str]]]) -> tuple[list[FoundPlace], int]:
        places, count, left = list[FoundPlace](), 0, MOST_TEXT
        for name in self.corpus:
            document = self.corpus.document(name)
            left -= len(document.text)
            if left < 0:
                break
            read = self._markdown(document)
            text = document.text if read is None else read.seen
            for match in find(text):
                count += 1
                if len(places) < _MOST_FOUND:
                    start, end = match.span()
                    around = text[max(0, start - _AROUND) : start], match[0], text[end : end + _AROUND]
                    place = (start, end) if read is None else read.span(start, end)
                    before, after = (re.sub(r"\s+", " ", part) for part in around[::2])
                    places.append(FoundPlace(name, *place, before, match[0], after))
        return places, count

    def copies(self, document: str, start: int, end: int) -> list[MarkedQuote]:
        """Other places of the text of a quote; none if there is too much text."""
        text = self.document(document).text[start:end]
        found = copies_of(text, list(self.corpus), lambda name: self.corpus[name]) or []
        own = self.corpus.resolve(document)
        others = (copy for copy in found if copy.document != own or copy.start >= end or copy.end <= start)
        places = ((copy.document, copy.start, copy.end) for copy in others)
        return [MarkedQuote(name, first, last, self.corpus[name][first:last]) for name, first, last in places]

    def record(self, event: Mapping[str, Any]) -> dict[str, Any]:
        """Store an event; return the new state. The same event twice is stored once."""
        with self._lock:
            identifier, body = _text(event, "id", 100), _digest(event)
            known = self._journal.content.events.get(identifier)
            if known not in (None, body):
                raise InvalidEvent(f"found another event with the id {short(identifier)}, expected a new id")
            key = self._journal.content.answered.get(identifier, "")
            if known is None:
                kind = _text(event, "kind", 20)
                record = {"keep": self._keep, "delete": self._delete}.get(kind)
                if record is None and kind not in {"reject", "reopen"}:
                    raise InvalidEvent(f"found kind {short(kind)}, expected keep, delete, reject or reopen")
                entry = {"kind": kind, "id": identifier, "body": body}
                key = record(event, entry) if record else self._decide(event, entry)
            return {"id": identifier, "question": key, **self.state()}

    def _keep(self, event: Mapping[str, Any], entry: dict[str, Any]) -> str:
        """Write a question: a new one, or in place of an earlier version."""
        key, base = event.get("question") or "", event.get("base", 0)
        if not isinstance(key, str) or type(base) is not int:
            raise InvalidEvent("found no id of a question with its version, expected question and base")
        content = self._journal.content
        self._check_version(key, base)
        question = self._checked(event)
        same = (other for other, one in self.questions.items() if fold(one.text) == question.text)
        if (other := next((one for one in same if one != key), "")) != "":
            raise InvalidEvent(f"This question is in the file already ({short(other)}).")
        draft = event.get("draft") or ""
        if draft:
            self._draft(draft)
            entry |= {"draft": draft, "decision": "mended" if event.get("mended") else "accepted"}
        before = content.questions.get(key)
        beside = json.loads(before.lines[0]) if before else None
        has_ids = content.has_ids()
        key = key or content.new_key()
        row = row_of(question, key if has_ids else "", lambda name: self.corpus.hash(name)[:16], beside)
        line = json.dumps(row, ensure_ascii=False)
        self._journal.record({**entry, "question": key, "version": base, "line": line})
        self.questions[key] = question
        return key

    def _delete(self, event: Mapping[str, Any], entry: dict[str, Any]) -> str:
        key, base = _text(event, "question", _LONGEST), event.get("base", 0)
        if key not in self.questions:
            raise NotFound(f"There is no question {short(key)} here.")
        self._check_version(key, base)
        self._journal.record({**entry, "question": key})
        del self.questions[key]
        return key

    def _decide(self, event: Mapping[str, Any], entry: dict[str, Any]) -> str:
        draft = _text(event, "draft", 100)
        self._draft(draft)
        self._journal.record({**entry, "draft": draft})
        return ""

    def _draft(self, key: object) -> None:
        if all(draft.key != key for draft in self.drafts):
            raise NotFound(f"There is no draft {short(str(key))} here.")

    def _check_version(self, key: str, base: object) -> None:
        kept = self._journal.content.questions.get(key)
        if key and kept is None and key not in self._journal.content.keys:
            raise NotFound(f"There is no question {short(key)} here.")
        version = kept.version if kept else base
        if version != base:
            raise Overtaken(f"Question {short(key)} was changed in another window; nothing was overwritten.")

    def _checked(self, event: Mapping[str, Any]) -> WrittenQuestion:
        """Return the question of an event; raise an error for what no gold file may have."""
        text = fold(_text(event, "text", _LONGEST))
        if not text:
            raise InvalidEvent("The question has no words yet.")
        answerable, tags, needs = event.get("answerable", True), event.get("tags", []), event.get("needs", [])
        if not isinstance(answerable, bool):
            raise InvalidEvent("found answerable that is not true or false")
        if not isinstance(tags, list) or len(tags) > _MOST_TAGS:
            raise InvalidEvent(f"found no list of at most {_MOST_TAGS} tags")
        kept = dict.fromkeys(fold(_text({"tag": tag}, "tag", _LONGEST_TAG)) for tag in tags)
        if not isinstance(needs, list) or not all(isinstance(need, list) and need for need in needs):
            raise InvalidEvent("found no lists of quotes, expected needs: [[{document, start, end, quote}]]")
        if sum(map(len, needs)) > _MOST_QUOTES:
            raise InvalidEvent(f"found more than {_MOST_QUOTES} quotes in a question")
        if answerable != bool(needs):
            say = "has quotes and is marked as without an answer" if needs else "has no quote yet"
            raise InvalidEvent(f"The question {say}.")
        quoted = (tuple(dict.fromkeys(map(self._quote, need))) for need in needs)
        return WrittenQuestion(text, tuple(dict.fromkeys(quoted)), answerable, tuple(filter(None, kept)))

    def _quote(self, given: object) -> MarkedQuote:
        """Return a quote that stands in its document, character for character."""
        if not isinstance(given, dict):
            raise InvalidEvent("found a quote that is no object, expected {document, start, end, quote}")
        document, quote = _text(given, "document", 10_000), _text(given, "quote", 1_000_000)
        start, end = given.get("start"), given.get("end")
        name = self.corpus.resolve(document)
        if name is None:
            raise InvalidEvent(f"There is no document “{short(document)}” here.")
        if type(start) is not int or type(end) is not int or not 0 <= start < end:
            raise InvalidEvent("found no start and end of a quote, expected whole numbers")
        if self.corpus[name][start:end] != quote or not quote.strip():
            where = f"The text from {start} to {end} of {short(name)}"
            raise InvalidEvent(f"{where} is not that of the quote; reload the page.")
        return MarkedQuote(name, start, end, quote)


def _in_source(steps: Sequence[int], read: ReadText) -> list[int]:
    """Return units, as gap and length in turn, with the gaps and lengths of the source."""
    if not steps:
        return []
    at = np.cumsum(np.array(steps, np.int64))
    start, end = read.spans(at[::2], at[1::2])
    gaps = start - np.append(0, end[:-1])
    found: list[int] = np.stack((gaps, end - start), axis=1).ravel().tolist()
    return found


def _text(event: Mapping[str, Any], key: str, most: int) -> str:
    value = event.get(key)
    if not isinstance(value, str):
        raise InvalidEvent(f"found no {key}, expected a text")
    if len(value) > most:
        raise InvalidEvent(f"found {key} of {len(value)} characters, expected at most {most}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InvalidEvent(f"found half a surrogate pair in {key}, expected text") from None
    return value


def _digest(event: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(event, sort_keys=True).encode()).hexdigest()[:32]
