"""JSON in requests and responses."""

from __future__ import annotations

import json
import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

from excerpt.errors import ExcerptError, UnknownName, short
from excerpt.render.page import encode

if TYPE_CHECKING:
    from excerpt.view import World

#: Pieces of text that one request may ask for.
_MOST_SPANS = 5000
_MOST_CHARACTERS = 10_000_000


class Refusal(Exception):
    """A request that gets no answer but a status and a sentence, and maybe `more` that helps to go on."""

    def __init__(self, status: int, sentence: str, more: Mapping[str, Any] | None = None) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence
        self.more = dict(more or {})


class Answers:
    """Answers as JSON, computed one at a time, whichever thread asks; large ones that all pages need once."""

    def __init__(self, world: World) -> None:
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


def read_json(body: bytes) -> Any:
    """What a body says; a refusal for what is no JSON, has a name twice, or numbers that are none.

    >>> read_json(b'{"start": 1}')
    {'start': 1}
    """
    try:
        return json.loads(
            body.decode("utf-8"),
            object_pairs_hook=_once,
            parse_constant=_no_number,
            parse_float=_finite,
        )
    except UnicodeDecodeError:
        raise Refusal(400, "found bytes that are not UTF-8, expected JSON") from None
    except RecursionError:
        raise Refusal(400, "found JSON that is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise Refusal(400, f"found no JSON ({error.msg} at character {error.pos})") from None
    except ValueError:  # a number of thousands of digits
        raise Refusal(400, "found a number that is too long, expected a small one") from None


def read_object(body: bytes, *names: str) -> dict[str, Any]:
    """A body that is an object with these names, and maybe others."""
    found = read_json(body)
    if not isinstance(found, dict):
        raise Refusal(422, f"found {kind_of(found)}, expected an object")
    for name in names:
        if name not in found:
            raise Refusal(422, f"found no {name}, expected one")
    return found


def kind_of(value: object) -> str:
    """What a value of JSON is called.

    >>> kind_of([]), kind_of("x"), kind_of(None), kind_of(True), kind_of(1.5)
    ('a list', 'a text', 'null', 'true or false', 'a number')
    """
    kinds = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return kinds.get(type(value), "a number")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise Refusal(400, f"found “{short(name)}” twice in one object, expected it once")
        found[name] = value
    return found


def _no_number(text: str) -> NoReturn:
    raise Refusal(400, f"found {text}, expected a number")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise Refusal(400, f"found {short(text)}, expected a smaller number")
    return number


#: What a document has for everybody; the rest is of who asks.
_FIXED = ("id", "title", "kind", "text", "sha256", "length", "units", "elements")
#: Bytes of encoded documents that are kept.
_MOST = 64_000_000


class Documents:
    """Encodes documents; `blocks` gives those of one."""

    def __init__(self, blocks: Callable[[str], list[Any]], most: int = _MOST) -> None:
        self._blocks = blocks
        self._most = most
        self._kept: OrderedDict[tuple[str, str], bytes] = OrderedDict()
        self._size = 0
        self._turn = threading.Lock()

    def encode(self, found: Mapping[str, Any]) -> bytes:
        """A document that a campaign gave, with its blocks."""
        own = {name: found[name] for name in found if name not in _FIXED}
        return self._fixed(found)[:-1] + b"," + encode(own)[1:]

    def _fixed(self, found: Mapping[str, Any]) -> bytes:
        key = (found["id"], found["sha256"])
        with self._turn:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        fixed = {name: found[name] for name in _FIXED if name in found}
        content = encode({**fixed, "blocks": self._blocks(found["id"])})
        with self._turn:
            self._keep(key, content)
        return content

    def _keep(self, key: tuple[str, str], content: bytes) -> None:
        """Keep one more, and as many of the others as there is room for."""
        self._size += len(content) - len(self._kept.pop(key, b""))
        self._kept[key] = content
        while self._size > self._most:
            self._size -= len(self._kept.popitem(last=False)[1])
