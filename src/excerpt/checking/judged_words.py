"""What the judgments of topics say: documents, words of passages, grades and alternatives, not offsets.

Two evaluations judge a topic alike if these are equal, wherever its passages stand now.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from excerpt.model.spans import UNKNOWN
from excerpt.model.texts import fold_characters, squeeze

if TYPE_CHECKING:
    from excerpt.model.judgments import Judgments

#: The text of a document by its id; None if it is missing.
TextOf = Callable[[str], str | None]
#: Digits of the digest of what is said about a document, and characters of text behind an entry point.
_DIGITS, _BEHIND = 16, 40


class _Passage(NamedTuple):
    topic: str
    document: str
    start: int
    end: int
    quote: str
    need: int
    alternative: int


def said_of_topics(judgments: Judgments, text_of: TextOf | None) -> dict[str, dict[str, str]]:
    """Digest of what is said about each judged document, by topic; without topics of which it is unknown.

    >>> from excerpt.model import Judgments
    >>> one = said_of_topics(Judgments.of([("1", "A", 0, 3)]), {"A": "One two."}.get)
    >>> two = said_of_topics(Judgments.of([("1", "A", 5, 8)]), {"A": "Two. One."}.get)
    >>> one == two, list(one["1"])
    (True, ['A'])
    """
    graded = judgments.elements is not None and judgments.scale != "highlights"
    if graded or judgments.unit != "char" or (text_of is None and not judgments.quoted):
        return {}
    reading = _Reading(text_of)
    facts = dict(_of_documents(judgments, reading))
    choices: defaultdict[tuple[str, int], defaultdict[int, list[tuple[str, str]]]]
    choices = defaultdict(lambda: defaultdict(list))
    unknown: set[str] = set()
    for one in _passages(judgments) if judgments.grades is None else ():
        words = _folded(one.quote) if one.quote else reading.text(one.document, one.start, one.end)
        if words is None:
            unknown.add(one.topic)
        elif one.need < 0:
            facts.setdefault((one.topic, one.document), set()).add(words)
        else:
            choices[one.topic, one.need][one.alternative].append((one.document, words))
    for (topic, _), several in choices.items():
        for document, said in _of_choice(list(several.values())):
            facts.setdefault((topic, document), set()).add(said)
    found: dict[str, dict[str, str]] = {topic: {} for topic in judgments.topics if topic not in unknown}
    for (topic, document), some in facts.items():
        if topic in found:
            digest = hashlib.sha256(json.dumps(sorted(some)).encode()).hexdigest()
            found[topic][document] = digest[:_DIGITS]
    return found


def _of_documents(judgments: Judgments, reading: _Reading) -> Iterator[tuple[tuple[str, str], set[str]]]:
    """Grade and entry point of each judged document."""
    for pair, place in enumerate(_pairs(judgments)):
        entry = int(judgments.pair_entry[pair])
        if judgments.grades is not None:
            yield place, {f"grade {judgments.grades[pair]}"}
        elif entry != UNKNOWN:
            behind = reading.text(place[1], entry, entry + _BEHIND)
            yield place, {f"entry {entry if behind is None else behind}"}
        else:
            yield place, set()


def _pairs(judgments: Judgments) -> Iterator[tuple[str, str]]:
    for topic, document in zip(judgments.pair_topic.tolist(), judgments.pair_document.tolist(), strict=True):
        yield judgments.topics[topic], judgments.documents[document]


def _of_choice(alternatives: Sequence[Sequence[tuple[str, str]]]) -> Iterator[tuple[str, str]]:
    """What a need says about each document of its alternatives; the only alternative is no choice."""
    distinct = {tuple(sorted(set(parts))) for parts in alternatives}
    if len(distinct) == 1:
        yield from next(iter(distinct))
        return
    every = json.dumps(sorted(sorted(words for _, words in parts) for parts in distinct))
    for document in {name for parts in distinct for name, _ in parts}:
        own = sorted(sorted(words for name, words in parts if name == document) for parts in distinct)
        yield document, f"one of {every}, here {json.dumps(own)}"


def _passages(judgments: Judgments) -> Iterator[_Passage]:
    """Passages as the file quotes them, else as spans; those of a need with alternatives have its number."""
    quoting = {one.topic for one in judgments.quoted}
    known = set(judgments.topics)
    for one in judgments.quoted:
        if one.topic in known:
            yield _Passage(*one)
    for topic, needs in judgments.alternatives.items():
        for number, need in enumerate(needs if topic in known - quoting else ()):
            for alternative, parts in enumerate(need):
                for part in parts:
                    yield _Passage(topic, *part, "", number, alternative)
    spans, pairs = judgments.spans, list(_pairs(judgments))
    columns = zip(spans.group.tolist(), spans.start.tolist(), spans.end.tolist(), strict=True)
    for pair, start, end in columns:
        topic, document = pairs[pair]
        if topic not in quoting and topic not in judgments.alternatives:
            yield _Passage(topic, document, start, end, "", -1, -1)


class _Reading:
    """Folded texts of spans; a document is read once as long as its spans follow each other."""

    def __init__(self, text_of: TextOf | None) -> None:
        self._text_of = text_of
        self._last: tuple[str, str | None] = "", None

    def text(self, document: str, start: int, end: int) -> str | None:
        if self._text_of is None:
            return None
        if self._last[0] != document or self._last[1] is None:
            self._last = document, self._text_of(document)
        text = self._last[1]
        return None if text is None else _folded(text[start:end])


def _folded(text: str) -> str:
    return squeeze(fold_characters(text))
