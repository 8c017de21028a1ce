"""The one table of spellings: what a key means in a row, by kind of row.

A role is what a value is for: the topic, a start, a grade. If a row has several spellings of a role, the
first of the table that has a value counts, and the row's own keys come before those of its metadata.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal, NamedTuple, TypeAlias

#: Kinds of rows: results of a run, judgments, questions with quotes, chunks, documents, segments, answers
#: with citations, and pooled documents or passages.
RowKind: TypeAlias = Literal[
    "result", "judgment", "question", "chunk", "document", "segment", "answer", "pooled"
]

_START = ("start", "start_index", "start_char_idx", "start_char_index", "start_char", "begin")
_PLACE: dict[str, tuple[str, ...]] = {
    "start": (*_START, "split_idx_start"),
    "end": ("end", "end_index", "end_char_idx", "end_char_index", "end_char"),
    "offset": ("offset",),
    "length": ("length",),
}
_TOPIC = ("topic", "topic_id", "query_id", "query-id", "qid", "q_id", "query", "question_id")
_DOCUMENT = (
    *("document", "document_id", "doc_id", "docno", "docid", "doc", "ref_doc_id", "source_id", "source"),
    *("corpus_id", "corpus-id", "file_path", "file_name", "filename", "file", "source_file", "parent_id"),
    "url",
)
_TEXT = (
    *("text", "page_content", "content", "contents", "body", "passage", "chunk", "chunk_text"),
    *("passage_text", "text_content"),
)
_GRADE = ("relevance", "grade", "rel", "relevant")
_HASH = {"fingerprint": ("fingerprint",), "sha256": ("sha256",)}
_ID = ("id_", "node_id", "chunk_id", "id", "_id")
_ROW = {"topic": _TOPIC, "document": _DOCUMENT, **_PLACE}
_COST = {
    "tokens": ("tokens", "token_count"),
    "words": ("words", "word_count"),
    "characters": ("characters",),
    "lead": ("lead",),
}
_RANKED = {"score": ("score", "similarity", "rsv"), "rank": ("rank",), "run": ("run", "run_id", "tag")}
_JUDGED = {"spans": ("spans",), "size": ("size",), "bep": ("bep", "entry"), "any_of": ("any_of",)}
#: A question is known by its text, too; of two ids of a question the first counts.
_ASKED = ("question", "user_input", "input")

#: The table: spellings by role, by kind of row.
ROLES: dict[RowKind, dict[str, tuple[str, ...]]] = {
    "result": {
        **_ROW,
        "question": _ASKED,
        "text": _TEXT,
        "path": ("path",),
        **_RANKED,
        **_COST,
        "lost": ("lost",),
        "how": ("how",),
        **_HASH,
    },
    "judgment": {
        **_ROW,
        "question": _ASKED,
        "text": _TEXT,
        "quote": ("quote",),
        "grade": (*_GRADE, "label"),
        "path": ("path",),
        **_JUDGED,
        "elements": ("elements",),
        "group": ("group",),
        "how": ("how",),
        "probability": ("probability",),
        **_HASH,
    },
    "question": {
        "topic": (*(name for name in _TOPIC if name.endswith("id")), "topic", "id"),
        "question": (*_ASKED, "query"),
        "document": (*_DOCUMENT, "title"),
        "start": _PLACE["start"],
        "end": _PLACE["end"],
        "quote": (
            *("quote", "evidence", "evidence_list", "reference_contexts", "retrieval_gt_contents"),
            *("fact", "text", "content"),
        ),
        "list": ("snippets", "references", "evidences"),
        "reference": ("context", "reference"),
        "answer": ("answer",),
        "retrieved": ("retrieved_contexts", "retrieval_context", "contexts"),
        "any_of": ("any_of",),
        "answerable": ("answerable",),
        "grade": _GRADE,
        "group": ("group",),
        **_HASH,
    },
    "chunk": {
        "document": _DOCUMENT,
        "start": _PLACE["start"],
        "end": _PLACE["end"],
        "text": _TEXT,
        "id": _ID,
        "score": _RANKED["score"],
        "tokens": ("tokens",),  # chonkie's token_count may count characters
        "words": _COST["words"],
        "characters": _COST["characters"],
        "lead": _COST["lead"],
        "how": ("how",),
        "text_key": ("text_key",),
        **_HASH,
    },
    "document": {
        "document": ("_id", "id", "doc_id", "docno", "document"),
        "text": ("text", "contents", "body", "page_content", "content"),
        "title": ("title",),
        "kind": ("kind", "type"),
        "part": ("ref_doc_id",),
        "own": ("id_",),
        "source": ("source", "source_id"),
    },
    "segment": {
        "id": ("id", "segment_id", "docid", "_id"),
        "document": tuple(name for name in _DOCUMENT if name != "url"),  # of the page, in TREC RAG
        "start": _PLACE["start"],
        "end": _PLACE["end"],
        "text": ("segment", *_TEXT),
    },
    "answer": {
        **_ROW,
        "question": _ASKED,
        "quote": ("quote", "cited_text"),
        "run": _RANKED["run"],
        "further_topic": ("request_id", "narrative_id"),
    },
    "pooled": {
        "topic": _TOPIC,
        "document": _DOCUMENT,
        "order": ("order",),
        "stratum": ("stratum",),
        "probability": ("probability",),
        "runs": ("runs",),
        "passages": ("passages",),
    },
}
#: Keys of judgments of BEIR, in which alone the score is a grade.
BEIR = frozenset(("query-id", "corpus-id", "score"))
#: Roles of results and judgments that rows of gold and of answers have, too.
_SHARED = {"question", "text", "quote", "any_of", "elements", "group"}
#: Keys of the objects in which frameworks keep metadata of a text.
NESTED = ("metadata", "meta")
#: Keys of judgments that say how they were made.
ABOUT_JUDGMENTS = (
    *("labels", "notes", "assessors", "human", "confirmed", "machine", "finished", "inferred", "time"),
)
#: Keys that a kind of row may have without a meaning to a score.
_BESIDE: dict[RowKind, tuple[str, ...]] = {
    "result": (*_JUDGED, "elements"),  # those of judgments are faults
    "judgment": (*ABOUT_JUDGMENTS, "was", "score", "rank", "run"),  # those of results are faults
    "question": (
        *("response", "reference_answer", "query_by", "reference_answer_by", "actual_output", "name"),
        *("expected_output", "question_type", "metadata", "additional_metadata", "comments", "was"),
        *("tools_called", "expected_tools", "rubrics", "synthesizer_name", "persona_name", "query_style"),
        *("query_length", "retrieval_gt", "generation_gt", "tags", "ground_truth", "ground_truths"),
    ),
}
#: Roles whose spellings must not contradict each other in one row.
EXACT = ("start", "end", "score", "grade")
#: Roles of the cost of reading a result: the first two of all results or none; the characters of its own
#: text, and those of them that precede its span.
COSTS = ("tokens", "words", "characters", "lead")
#: Roles whose values are numbers, and roles whose values may be lists or objects.
NUMBERS = {"start", "end", "offset", "length", "score", "rank", "size", "bep", "lost", *COSTS}
LISTS = {"spans", "any_of", "elements", "quote", "list", "reference", "retrieved"}
#: Usual metadata, which resemble known keys only by chance.
_USUAL = frozenset(
    (
        *("page", "date", "time", "lang", "language", "hash", "name", "title", "year", "line", "note"),
        *("notes", "level", "type", "kind", "tags", "position", "author", "section", "heading", "category"),
        *("version", "index", "number", "part", "sentence", "rows", "star", "stars", "cost", "host", "last"),
        *("list", "post", "store", "context", "contexts", "comment", "comments", "token", "tokenids"),
    )
)
#: Roles that few rows have: other keys resemble theirs by chance, unless they differ only in case or dashes.
_SELDOM = {"lost", "how", "lead", "sha256", "fingerprint", "text_key", "probability"}
_LOCATION = re.compile("start|begin|end|offsets?|spans?|from|to|chars?|xpath")
_GRADES = re.compile("rel|grade|label|judg|qrel")
_WORDS_OF_TEXT = frozenset(("text", "content", "contents", "passage", "body"))
_NOT_THE_TEXT = re.compile("quer|question|answer|user|prompt|title|topic|type|anchor|alt")
_WORD_END = re.compile("[^A-Za-z]+|(?<=[a-z])(?=[A-Z])")
#: Names of fewer letters are never taken for others; from so many letters on two letters may differ.
_SHORTEST, _LONG = 4, 6


class RowKeys(NamedTuple):
    """The keys of a kind of row."""

    kind: RowKind
    #: Whether the text of every row will be asked for.
    texts: bool = False

    @property
    def roles(self) -> Mapping[str, tuple[str, ...]]:
        """Spellings by role."""
        return ROLES[self.kind]

    @property
    def meaning(self) -> Mapping[str, str]:
        """Role by spelling; of two roles the first of the table."""
        return _meaning(self.kind)

    def knows(self, key: object) -> bool:
        """Return whether a key is known, even if it means nothing to a score."""
        return key in _meaning(self.kind) or key in NESTED or key in _BESIDE.get(self.kind, ())

    def meant(self, key: str) -> tuple[str, str] | None:
        """Return role and spelling that an unknown key resembles; None if it resembles none.

        >>> words = RowKeys("result")
        >>> words.meant("Doc-ID"), words.meant("scroe"), words.meant("startPos"), words.meant("page")
        (('document', 'docid'), ('score', 'score'), ('start', 'start'), None)
        """
        return _meant(self.kind, key)


@cache
def _meaning(kind: RowKind) -> dict[str, str]:
    return {spelling: role for role, names in reversed(ROLES[kind].items()) for spelling in reversed(names)}


@cache
def _of_places() -> frozenset[str]:
    kinds: tuple[RowKind, ...] = ("result", "judgment")
    roles = (one for kind in kinds for one in ROLES[kind].items())
    return frozenset(name for role, names in roles if role not in _SHARED for name in names)


def _ranked_text(row: Mapping[str, Any]) -> set[str]:
    """The text of a row with a score or a rank is that of a result; other texts may be quotes of gold."""
    return set() if row.keys().isdisjoint((*_RANKED["score"], *_RANKED["rank"])) else {"text"}


def are_places(rows: Sequence[Any]) -> bool:
    """Return whether rows are results or judgments by their keys alone, not gold, answers or a mapping.

    >>> are_places([{"topic": "1", "document": "A", "start": 0}]), are_places([{"topic": "1", "quote": "a"}])
    (True, False)
    >>> are_places([{"topic": "1", "document": "A", "text": "a", "score": 1}])
    True
    """
    return (
        all(isinstance(row, dict) and row.keys() - _ranked_text(row) <= _of_places() for row in rows)
        and any(row.keys() != BEIR for row in rows)
        and not any(isinstance(value, dict) for row in rows for value in row.values())
    )


@cache
def _meant(kind: RowKind, key: str) -> tuple[str, str] | None:
    name, known = folded(key), _meaning(kind)
    if name in _USUAL or key in NESTED:
        return None
    nearest = min(
        (
            (far, place, spelling)
            for place, spelling in enumerate(known)
            if (far := distance(name, folded(spelling))) <= _allowed(name, folded(spelling))
            and not (far and known[spelling] in _SELDOM)
        ),
        default=None,
    )
    if nearest is not None:
        return known[nearest[2]], nearest[2]
    role = _role_by_words(kind, key)
    return None if role is None else (role, ROLES[kind][role][0])


def _role_by_words(kind: RowKind, key: str) -> str | None:
    """Return the role of a key that is a grade, a place or a text in words of its own."""
    words = [word.lower() for word in _WORD_END.split(key) if word]
    roles = ROLES[kind]
    if "grade" in roles and any(map(_GRADES.match, words)):
        return "grade"
    if "start" in roles and any(map(_LOCATION.fullmatch, words)):
        return "end" if {"end", "to"} & set(words) else "start"
    is_text = words and words[-1] in _WORDS_OF_TEXT and not any(map(_NOT_THE_TEXT.match, words))
    return "text" if "text" in roles and is_text else None


def folded(key: str) -> str:
    """Return a key without case and separators."""
    return re.sub("[_\\-\\s.]+", "", key).casefold()


def _allowed(one: str, other: str) -> int:
    """Return how many letters of two names may differ."""
    shorter = min(len(one), len(other))
    return 0 if shorter < _SHORTEST else 1 if shorter < _LONG else 2


def distance(one: str, other: str, most: int = 2) -> int:
    """Count the letters to insert, delete, exchange or swap with a neighbour; `most` + 1 if there are more.

    >>> distance("start", "strat"), distance("docment", "document"), distance("page", "document")
    (1, 1, 3)
    """
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for place, letter in enumerate(one, 1):
        before, last, row = row, before, [place]
        for column, beside in enumerate(other, 1):
            cost = min(before[column] + 1, row[-1] + 1, before[column - 1] + (letter != beside))
            if last and column > 1 and letter == other[column - 2] and one[place - 2] == beside:
                cost = min(cost, last[column - 2] + 1)
            row.append(cost)
    return min(row[-1], most + 1)
