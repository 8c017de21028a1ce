"""Judgments that were made elsewhere as the events of one assessor, and their pairs as a pool."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from excerpt.assess.events import LONGEST_QUOTE, Event
from excerpt.assess.merging import Pair, order_of
from excerpt.errors import ExcerptError, plural, short, short_list
from excerpt.files import Input
from excerpt.model.judgments import Judgments
from excerpt.model.spans import UNKNOWN
from excerpt.model.topic_choice import TopicChoice
from excerpt.notices import Gathering, Notices
from excerpt.pooling import Pool, PoolItem

if TYPE_CHECKING:
    from excerpt.assess.campaign import Campaign
    from excerpt.assess.state import History


def pool_of(judgments: Judgments) -> Pool:
    """The judged pairs as a pool, where there is no other."""
    pairs = zip(judgments.pair_topic.tolist(), judgments.pair_document.tolist(), strict=True)
    order: dict[str, int] = {}
    items = []
    for topic_code, document_code in pairs:
        topic = judgments.topics[topic_code]
        order[topic] = order.get(topic, 0) + 1
        items.append(PoolItem(topic, judgments.documents[document_code], order[topic], "given", None, (), ()))
    return Pool.of(items)


def import_judgments(
    campaign: Campaign, judgments: Judgments, name: str, *, notices: Notices | None = None
) -> int:
    """Enter judgments as what the assessor `name` did, all or none; how many pairs there were.

    A pair is finished where the procedure has all that it asks for; a missing entry point, say, is not made
    up. Offsets beyond the end of a document are an error; pairs that are not in the pool are counted.
    """
    _check_scale(campaign, judgments)
    with Gathering(notices) as gathered:
        rows = _placed(campaign, judgments, gathered)
        _check_ends(campaign, judgments, rows)
        entry = _Entry(campaign, judgments, name)
        events: list[Event] = []
        unfinished = 0
        for row, pair in rows.items():
            history, made = entry.events(row, pair)
            events += made
            unfinished += not history.state.done
        gathered.add(
            f"imported judgment lacks something that procedure {campaign.settings.procedure} asks for, and "
            "stays unfinished",
            unfinished,
        )
        campaign.enter_all(name, events)
    return len(rows)


def _check_scale(campaign: Campaign, judgments: Judgments) -> None:
    """An error where judgments are not what the procedure makes."""
    name, wanted = campaign.procedure.name, campaign.procedure.exports
    fits = judgments.scale == wanted or (
        judgments.scale in {"highlights", "exhaustivity 0-2"} and campaign.procedure.marks
    )
    nothing = judgments.elements is None and not len(judgments.spans)
    if judgments.unit != "char" or not (fits or nothing):
        found = "bytes" if fits else judgments.scale
        raise ExcerptError(
            f"found judgments by {found}, expected {'characters' if fits else wanted} for {name}",
            path=judgments.source or None,
        )


def _placed(campaign: Campaign, judgments: Judgments, notices: Notices) -> dict[int, Pair]:
    """The rows of judged pairs that are in the pool, by the names that they have there."""
    resolve = campaign.corpus.resolve
    known = {(topic, resolve(document)): document for topic, document in campaign.contents.pairs}
    found: dict[int, Pair] = {}
    for row in range(len(judgments)):
        topic = judgments.topics[int(judgments.pair_topic[row])]
        document = judgments.documents[int(judgments.pair_document[row])]
        there = known.get((topic, resolve(document)))
        if there is None:
            where = f"topic {short(topic)} document {short(document)}"
            notices.add("judged document is not in the pool and was left out", where=where)
        else:
            found[row] = Pair(topic, there)
    return found


def _check_ends(campaign: Campaign, judgments: Judgments, rows: dict[int, Pair]) -> None:
    """An error where text or an entry point is beyond the end of a document, or its length another."""
    last = np.maximum(judgments.pair_entry + 1, 0)
    np.maximum.at(last, judgments.spans.group, judgments.spans.end)
    wrong = []
    for row, pair in rows.items():
        length = campaign.documents[pair.document][1]
        size = int(judgments.pair_size[row])
        other = size not in {UNKNOWN, length} and bool(judgments.relevant_by_pair[row])
        if int(last[row]) > length or other:
            wrong.append(f"{short(pair.document)} (up to {max(int(last[row]), size)} of {length})")
    if wrong:
        raise ExcerptError(
            f"found judgments of another text in {plural(len(wrong), 'document')}: {short_list(wrong, 4)}; "
            "expected offsets and lengths of the corpus, in characters",
            path=judgments.source or None,
        )


class _Entry:
    """Makes the events of judged pairs."""

    def __init__(self, campaign: Campaign, judgments: Judgments, name: str) -> None:
        self._campaign = campaign
        self._judgments = judgments
        self._name = name
        self._procedure = campaign.procedure
        self._first = np.searchsorted(judgments.spans.group, np.arange(len(judgments) + 1)).tolist()
        self._grades: dict[int, list[tuple[str, Any]]] = {}
        elements = judgments.elements
        if elements is not None and self._procedure.scale:
            for number, row in enumerate(elements.pair.tolist()):
                grade = self._grade(int(elements.exhaustivity[number]), int(elements.specificity[number]))
                path = elements.paths[int(elements.path[number])]
                self._grades.setdefault(row, []).append((path, grade))

    def _grade(self, first: int, second: int) -> Any:
        """A grade as assessors give it; None where an element has none."""
        known = ({order_of(value): value for value, _ in part.values} for part in self._procedure.scale)
        grade = [values.get(code, code) for values, code in zip(known, (first, second), strict=False)]
        return grade if len(grade) > 1 else grade[0] or None

    def events(self, row: int, pair: Pair) -> tuple[History, list[Event]]:
        """What the assessor did on a document, and what came of it; finished, if nothing is missing."""
        history = self._campaign.recorder.history((*pair, self._name))
        made: list[Event] = []
        for kind, body in self._bodies(row, pair):
            event = self._event(pair, history.version, kind, body)
            try:
                history = history.apply(event)
            except ExcerptError as error:
                raise ExcerptError(
                    f"topic {short(pair.topic)} document {short(pair.document)}: {error.message}",
                    path=self._judgments.source or None,
                ) from None
            made.append(event)
        if not history.state.problems:
            event = self._event(pair, history.version, "done", {})
            history = history.apply(event)
            made.append(event)
        return history, made

    def _bodies(self, row: int, pair: Pair) -> Iterator[tuple[str, dict[str, Any]]]:
        if self._procedure.marks:
            text = self._campaign.material(pair.document).text
            spans = slice(self._first[row], self._first[row + 1])
            starts, ends = self._judgments.spans.start[spans], self._judgments.spans.end[spans]
            for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
                yield "highlight", {"start": start, "end": end, "quote": _quote(text[start:end])}
            entry = int(self._judgments.pair_entry[row])
            if self._procedure.entry and entry != UNKNOWN and len(starts):
                yield "bep", {"start": entry}
        for path, grade in self._grades.get(row, ()):
            if grade is not None:
                yield "grade", {"path": path, "grade": grade}

    def _event(self, pair: Pair, base: int, kind: str, body: dict[str, Any]) -> Event:
        parts = "\0".join((self._name, *pair, str(base)))
        number = hashlib.blake2b(parts.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        return Event(f"import-{number}", *pair, base, kind, body=body)


def _quote(text: str) -> str:
    """The text itself, or the hash that stands for a long one."""
    if len(text) <= LONGEST_QUOTE:
        return text
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def read_earlier(
    given: Input | Judgments | None, format_: str | None, choice: TopicChoice, notices: Notices | None
) -> Judgments | None:
    """Judgments to begin with, of the topics that count; from a file where they are in one."""
    from excerpt.formats import read_judgments

    if given is not None and not isinstance(given, Judgments):
        given = read_judgments(given, format=format_, notices=notices)
    return None if given is None else choice.of_judgments(given, known=False)
