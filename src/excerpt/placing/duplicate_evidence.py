"""Duplicate evidence: relevant passages whose text also occurs elsewhere, counted or as alternatives."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from excerpt.errors import ExcerptError, short
from excerpt.formats.source import Source
from excerpt.model.alternatives import EvidenceNeed, arrange
from excerpt.model.judgments import Judgments, collect_judgments
from excerpt.model.run import encode
from excerpt.model.spans import UNKNOWN, IntArray, Span
from excerpt.model.texts import HashArray, Hashes, blanks, fold

#: Shorter passages occur repeatedly by chance.
SHORTEST = 40
#: A corpus with more characters is not searched.
MOST_TEXT = 20_000_000
#: Most positions that are compared for one beginning of a passage; a line of dashes has thousands.
_MOST_PLACES = 500
#: Least number of characters that are hashed together.
_BLOCK = 1 << 18

_HIGH = np.uint64(48)

TextByNumber = Callable[[int], str | None]
#: Limits of the search for duplicate evidence: documents of a corpus that are searched in addition to the
#: judged ones, and characters of text up to which also short evidence is searched.
_MOST_DOCUMENTS = 20_000
_SHORT_TEXT = 5_000_000


class _Head(NamedTuple):
    """The beginning of a passage: its length and its hash."""

    size: int
    hash: int


def count_elsewhere(
    judgments: Judgments, numbers: Sequence[int], text_of: TextByNumber, *, shortest: int = SHORTEST
) -> IntArray | None:
    """Number of other, unmarked occurrences of each relevant passage; None if there is too much text."""
    passages = _long_passages(judgments, text_of, shortest)
    found = find_occurrences(passages, numbers, text_of, most=_MOST_PLACES)
    return None if found is None else _unmarked(judgments, found)


def with_copies(
    judgments: Judgments, names: Iterable[str], text_of: Callable[[str], str | None]
) -> Judgments:
    """Return judgments in which every other place of an alternative's text is an alternative, too.

    Relevant passages of topics without alternatives are their needs. Texts of one part and of 40 characters
    or more are searched in the judged documents and in those that `names` has, with whitespace folded. A
    place that overlaps the text of its need is not another place.
    """
    needs: dict[str, list[EvidenceNeed]] = {
        topic: list(judgments.alternatives.get(topic) or [((span,),) for span in judgments.highlights(topic)])
        for topic in judgments.topics
    }
    sought = [
        (topic, number, fold((text_of(parts[0].document) or "")[parts[0].start : parts[0].end]))
        for topic, several in needs.items()
        for number, need in enumerate(several)
        for parts in need
        if len(parts) == 1
    ]
    texts = {row: text for row, (*_, text) in enumerate(sought) if len(text) >= SHORTEST}
    documents = [*judgments.documents, *names]

    def folded(number: int) -> str:
        return fold(text_of(documents[number]) or "")

    found = find_occurrences(texts, range(len(documents)), folded) or []
    copies: list[tuple[str, Span]] = []
    for number, several in groupby(sorted(found, key=itemgetter(1, 2)), itemgetter(1)):
        origin = _origins(text_of(documents[number]) or "")
        for row, _, first in several:
            topic, place, text = sought[row]
            copy = Span(documents[number], int(origin[first]), int(origin[first + len(text) - 1]) + 1)
            need = needs[topic][place]
            near = [part for parts in need for part in parts if part.document == copy.document]
            if not any(part.start < copy.end and copy.start < part.end for part in near):
                needs[topic][place] = (*need, (copy,))
                copies.append((topic, copy))
    chosen = {topic: some for topic, some in needs.items() if any(len(need) > 1 for need in some)}
    return replace(_with_spans(judgments, copies), alternatives=arrange(chosen))


def copies_of(passage: str, names: Sequence[str], text_of: Callable[[str], str | None]) -> list[Span] | None:
    """Every place of a text of 40 characters or more, with whitespace folded; None if there is too much text.

    >>> texts = {"A": "x " + 10 * "word ", "B": 10 * "word\\n"}
    >>> copies_of(10 * "word ", ["A", "B"], texts.get)
    [Span(document='A', start=2, end=51), Span(document='B', start=0, end=49)]
    """
    sought = fold(passage)
    if len(sought) < SHORTEST:
        return []

    def folded(number: int) -> str:
        return fold(text_of(names[number]) or "")

    found = find_occurrences({0: sought}, range(len(names)), folded, most=_MOST_PLACES)
    if found is None:
        return None
    copies = []
    for number, several in groupby(sorted(found, key=itemgetter(1, 2)), itemgetter(1)):
        origin = _origins(text_of(names[number]) or "")
        for *_, first in several:
            last = int(origin[first + len(sought) - 1]) + 1
            copies.append(Span(names[number], int(origin[first]), last))
    return copies


def _with_spans(judgments: Judgments, copies: Sequence[tuple[str, Span]]) -> Judgments:
    """Return judgments with more relevant text, also of unjudged documents."""
    documents, code = encode([*judgments.documents, *(copy.document for _, copy in copies)])
    known, spans = len(judgments.documents), judgments.spans
    topic = np.array([judgments.topic_codes[name] for name, _ in copies], np.int64)
    start, end = np.array([copy[1:] for _, copy in copies], np.int64).reshape(-1, 2).T
    pair = np.append(np.arange(len(judgments)), spans.group)
    nothing, unknown = np.zeros(len(judgments), np.int64), np.full(len(copies), UNKNOWN, np.int64)
    made = collect_judgments(
        judgments.topics,
        documents,
        np.append(judgments.pair_topic[pair], topic),
        np.append(judgments.pair_document[pair], code[known:]),
        np.concatenate((nothing, spans.start, start)),
        np.concatenate((nothing, spans.end, end)),
        size=np.append(judgments.pair_size[pair], unknown),
        entry=np.append(judgments.pair_entry[pair], unknown),
    )
    columns = ("documents", "pair_topic", "pair_document", "pair_size", "pair_entry", "spans")
    return replace(
        judgments,
        **{name: getattr(made, name) for name in columns},
        evidence={**judgments.evidence, "copies": len(copies)},
        sizes=np.append(judgments.document_sizes, unknown[: len(documents) - known]),
    )


def _origins(text: str) -> IntArray:
    """Position in a text of each character of its folded text."""
    blank = np.zeros(len(text), np.bool_)
    blank[blanks(text)] = True
    return np.flatnonzero(~blank | ~np.append(True, blank)[:-1])  # the first blank after a word stays


def find_occurrences(
    passages: dict[int, str], numbers: Sequence[int], text_of: TextByNumber, *, most: int | None = None
) -> list[tuple[int, int, int]] | None:
    """Number, document and start of the occurrences of passages; `most` limits what is compared."""
    by_head: dict[_Head, list[int]] = defaultdict(list)
    for passage, text in passages.items():
        size = min(len(text), SHORTEST)
        by_head[_Head(size, int(Hashes(text[:size]).stretches(size)[0]))].append(passage)
    hashes: dict[int, list[int]] = defaultdict(list)
    for head in sorted(by_head):
        hashes[head.size].append(head.hash)
    left, compared = MOST_TEXT, Counter[_Head]()
    occurrences: list[tuple[int, int, int]] = []
    for block in _blocks(numbers if by_head else (), text_of):
        left -= sum(map(len, block.texts))
        if left < 0 and most is not None:
            return None
        for position, head in _candidates("".join(block.texts), hashes, most):
            compared[head] += 1
            if most is None or compared[head] <= most:
                place = bisect_right(block.begins, position) - 1
                text, start = block.texts[place], position - block.begins[place]
                same = (row for row in by_head[head] if text.startswith(passages[row], start))
                occurrences += [(passage, block.numbers[place], start) for passage in same]
    return occurrences


class _HashedDocuments(NamedTuple):
    """Documents that are hashed together: their numbers, their texts, and the position of each."""

    numbers: list[int]
    texts: list[str]
    begins: list[int]


def _blocks(numbers: Iterable[int], text_of: TextByNumber) -> Iterator[_HashedDocuments]:
    block, length = _HashedDocuments([], [], []), 0
    for number in numbers:
        text = text_of(number)
        if text:
            block.numbers.append(number)
            block.texts.append(text)
            block.begins.append(length)
            length += len(text)
        if length >= _BLOCK:
            yield block
            block, length = _HashedDocuments([], [], []), 0
    yield block


def _long_passages(judgments: Judgments, text_of: TextByNumber, shortest: int) -> dict[int, str]:
    """Text of each passage that is long enough, by its number."""
    spans = judgments.spans
    document = judgments.pair_document[spans.group]
    long = np.flatnonzero(spans.length >= shortest)
    passages: dict[int, str] = {}
    number, text = -1, ""
    for passage in long[np.argsort(document[long], kind="stable")].tolist():
        if document[passage] != number:
            number = int(document[passage])
            text = text_of(number) or ""
        part = text[spans.start[passage] : spans.end[passage]]
        if len(part) == spans.length[passage]:
            passages[passage] = part
    return passages


def _candidates(text: str, hashes: dict[int, list[int]], most: int | None) -> Iterator[tuple[int, _Head]]:
    """Positions of a text where a window has one of the sorted hashes, with that hash."""
    text_hashes = Hashes(text)
    for size, numbers in hashes.items():
        windows, sought = text_hashes.stretches(size), np.array(numbers, np.uint64)
        likely = np.zeros(1 << 16, np.bool_)
        likely[sought >> _HIGH] = True
        start = np.flatnonzero(likely[windows >> _HIGH])
        place = np.searchsorted(sought, windows[start]).clip(max=len(sought) - 1)
        start = _few(start[sought[place] == windows[start]], windows, most)
        for position, number in zip(start.tolist(), windows[start].tolist(), strict=True):
            yield position, _Head(size, number)


def _few(start: IntArray, windows: HashArray, most: int | None) -> IntArray:
    """First positions of each window, as many as are compared."""
    if most is None or len(start) <= most:
        return start
    order = np.argsort(windows[start], kind="stable")
    _, first, which = np.unique(windows[start[order]], return_index=True, return_inverse=True)
    return np.sort(start[order][np.arange(len(order)) - first[which] < most])


def _unmarked(judgments: Judgments, occurrences: Sequence[tuple[int, int, int]]) -> IntArray:
    """Number of occurrences by passage, without text that is marked as relevant to the passage's topic."""
    spans = judgments.spans
    passage, number, start = np.array(occurrences, np.int64).reshape(-1, 3).T
    document = np.where(number < len(judgments.documents), number, -1)
    pair = judgments.pairs(judgments.pair_topic[spans.group[passage]], document)
    free = spans.overlap(pair, start, start + spans.length[passage]) == 0
    return np.bincount(passage[free], minlength=len(spans)).astype(np.int64)


_ONE_OR_MANY = (("", "is"), ("s", "are"))


def elsewhere(source: Source, judgments: Judgments, text_of: Callable[[str], str | None]) -> dict[str, int]:
    """Count relevant passages whose text also occurs, unmarked, elsewhere, unless the corpus is too large."""
    if source.copies is not None:  # each is an alternative
        return {}
    names = list(judgments.documents)
    if source.corpus is not None and len(source.corpus) <= _MOST_DOCUMENTS:
        judged = {source.corpus.resolve(name) for name in names}
        names += [name for name in source.corpus if name not in judged]
    texts: dict[int, str] = {}
    length = 0
    for number, name in enumerate(names if judgments.unit == "char" else ()):
        try:
            texts[number] = text_of(name) or ""
        except ExcerptError as error:
            if number < len(judgments.documents):
                raise
            one, many = (f"document{s} cannot be read and {are} not searched" for s, are in _ONE_OR_MANY)
            source.notices.add(one, many, where=str(error.path or name))
            continue
        length += len(texts[number])
        if length > MOST_TEXT:
            break
    if not length:
        return {}
    shortest = 1 if length <= _SHORT_TEXT else SHORTEST
    duplicates = count_elsewhere(judgments, list(texts), texts.get, shortest=shortest)
    if duplicates is None:
        source.notices.add("the corpus is too large to search it for duplicate evidence", where=source.name)
        return {}
    topic = judgments.pair_topic[judgments.spans.group]
    of_length = f" of {SHORTEST} characters or more" if shortest > 1 else ""
    effect = "unmarked, elsewhere; only the marked occurrence counts, without offsets the first"
    source.notices.add_marked(
        f"evidence passage{of_length} also appears, {effect}",
        f"evidence passages{of_length} also appear, {effect}",
        duplicates > 0,
        lambda row: f"question {short(judgments.topics[int(topic[row])])} of {source.name}",
    )
    return {"elsewhere": int((duplicates > 0).sum())}
