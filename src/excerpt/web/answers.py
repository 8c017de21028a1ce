"""What the server answers to programs: parts of an evaluation as JSON, one at a time, with refusals."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Protocol

from excerpt.errors import ExcerptError, UnknownName, short
from excerpt.render.page import encode

#: Pieces of text that one request may ask for.
_MOST_SPANS = 5000
_MOST_CHARACTERS = 10_000_000


class Answering(Protocol):
    """An evaluation as plain data, part by part: `excerpt.view.World`."""

    def overview(self) -> dict[str, Any]:
        """Runs, topics, measures, scores and what follows from them."""
        ...

    def topic_number(self, name: str) -> int:
        """The place of a topic in the overview; an error for an unknown one."""
        ...

    def topic(self, number: int) -> dict[str, Any]:
        """What was relevant and what was returned for a topic."""
        ...

    def passages(self) -> dict[str, Any]:
        """Relevant, unjudged and repeated passages of all topics."""
        ...

    def document(self, name: str) -> dict[str, Any]:
        """A document with its text."""
        ...

    def texts(self, name: str, spans: list[tuple[int, int]]) -> list[str]:
        """Pieces of the text of a document."""
        ...


class Refusal(Exception):
    """A request that gets no answer but a status and a sentence, and maybe `more` that helps to go on."""

    def __init__(self, status: int, sentence: str, more: Mapping[str, Any] | None = None) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence
        self.more = dict(more or {})


class Answers:
    """Answers as JSON, computed one at a time, whichever thread asks; large ones that all pages need once."""

    def __init__(self, world: Answering) -> None:
        self._world = world
        self._alone = threading.RLock()

    def overview(self) -> bytes:
        """The first view."""
        return self._guarded(lambda: self._overview)

    def passages(self) -> bytes:
        """Passages of all topics."""
        return self._guarded(lambda: self._passages)

    def topic(self, topic: str) -> bytes:
        """A topic by its id."""

        def answer() -> bytes:
            try:
                number = self._world.topic_number(topic)
            except UnknownName:
                raise Refusal(404, f"There is no topic “{short(topic)}” here.") from None
            return encode(self._world.topic(number))

        return self._guarded(answer)

    def document(self, name: str) -> bytes:
        """A document by any of its names."""
        return self._guarded(lambda: encode(self._world.document(name)))

    def texts(self, name: str, spans: str) -> bytes:
        """Pieces of a document, asked for as `0-30,50-70`."""
        wanted = parse_spans(spans)
        return self._guarded(lambda: encode({"texts": self._world.texts(name, wanted)}))

    @cached_property
    def _overview(self) -> bytes:
        return encode(self._world.overview())

    @cached_property
    def _passages(self) -> bytes:
        return encode(self._world.passages())

    def _guarded(self, answer: Callable[[], bytes]) -> bytes:
        """An answer; what cannot be had any more, as a file that has changed, is a refusal."""
        with self._alone:
            try:
                return answer()
            except UnknownName as error:
                raise Refusal(404, str(error)) from None
            except (ExcerptError, OSError) as error:
                raise Refusal(409, str(error)) from None


def parse_spans(given: str) -> list[tuple[int, int]]:
    """Spans as they stand in an address; a refusal for anything else.

    >>> parse_spans("0-30,50-70")
    [(0, 30), (50, 70)]
    """
    pairs = [span.split("-") for span in given.split(",")] if given else []
    if len(pairs) > _MOST_SPANS:
        raise Refusal(400, f"found {len(pairs)} spans, expected at most {_MOST_SPANS}")
    if not all(len(pair) == 2 and all(_is_position(end) for end in pair) for pair in pairs):
        raise Refusal(400, f"found {short(given)!r} as spans, expected start-end,start-end")
    spans = [(int(start), int(end)) for start, end in pairs]
    if sum(end - start for start, end in spans if end > start) > _MOST_CHARACTERS:
        raise Refusal(400, f"found spans of more characters, expected at most {_MOST_CHARACTERS}")
    return spans


def _is_position(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 10
