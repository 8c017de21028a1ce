"""Runs and judgments as rows: the dictionaries, and the lines, of records."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, repeat
from typing import TYPE_CHECKING, Any

import numpy as np

from excerpt.model.elements import COVERAGE, TOO_SMALL
from excerpt.model.judgments import Judgment, Judgments, Scale
from excerpt.model.spans import UNKNOWN

if TYPE_CHECKING:
    from fractions import Fraction

    from excerpt.model.run import Run


_WHOLE = 64  # hexadecimal digits of a hash
#: Decimals stand for the nearest fraction with a denominator up to this.
MOST = 10_000_000


def result_rows(run: Run) -> Iterator[dict[str, Any]]:
    """Yield the results of a run, as their lines in JSON Lines."""
    nothing, about = [None] * len(run), {"run": run.name} if run.name else {}
    ranks = (None if rank == UNKNOWN else rank for rank in run.rank.tolist())
    quotes = nothing if run.text.quotes is None else run.text.quotes.tolist()
    lost = nothing if run.text.lost is None else [count or None for count in run.text.lost.tolist()]
    costs = [column.tolist() for column in run.text.costs.values()]
    optional = zip(quotes, ranks, lost, zip(*costs, strict=True) if costs else repeat(()), strict=False)
    for result, has_place, (quote, rank, gone, values) in zip(run, has_places(run), optional, strict=True):
        fields: dict[str, Any] = {"topic": result.topic, "document": result.document}
        if has_place:
            fields |= {"start": result.start, "end": result.end}
        more = {"text": quote, "path": result.path, "score": result.score, "rank": rank, "lost": gone}
        fields |= {name: value for name, value in more.items() if value is not None}
        known = run.fingerprints.get(result.document)
        of_text = {} if known is None else {"fingerprint": known[:16]}
        yield fields | dict(zip(run.text.costs, values, strict=True)) | of_text | about


def has_places(run: Run) -> list[bool]:
    """Return which results are written with start and end: not documents, and no text that is to be found."""
    text = run.text
    placed = np.full(len(run), run.kind != "documents")
    if run.kind == "elements":
        placed = run.known | (run.element < 0)
    elif text.quotes is not None:
        lost = np.zeros(len(run), np.bool_) if text.lost is None else text.lost > 0
        placed &= run.known | lost | (text.quotes == None)  # noqa: E711 - by element
    return placed.tolist()


def passages(judgments: Judgments) -> Iterator[Judgment]:
    """Yield the passages of each judged document, or one in its place; see `Judgment`."""
    graded, spans = two_grades(judgments), spans_by_pair(judgments)
    nowhere = [(UNKNOWN, UNKNOWN)] if graded or judgments.only_documents else []
    relevant: list[int | None] = [None if graded else int(bool(some)) for some in spans]
    grades = relevant if judgments.grades is None else judgments.grades.tolist()
    codes = judgments.pair_topic.tolist(), judgments.pair_document.tolist()
    for topic, document, some, grade in zip(*codes, spans, grades, strict=True):
        for start, end in nowhere or some or [(0, 0)]:
            yield Judgment(judgments.topics[topic], judgments.documents[document], start, end, grade)


def spans_by_pair(judgments: Judgments) -> list[list[tuple[int, int]]]:
    """Return start and end of each relevant passage of each judged pair."""
    first = np.searchsorted(judgments.spans.group, np.arange(len(judgments) + 1)).tolist()
    spans = list(zip(judgments.spans.start.tolist(), judgments.spans.end.tolist(), strict=True))
    return [spans[begin:end] for begin, end in pairwise(first)]


def judgment_rows(judgments: Judgments) -> Iterator[dict[str, Any]]:
    """Yield a row per judged document, then one per need with alternatives and per topic without a judgment.

    Whole documents of unknown length have their grades, other documents their passages.
    """
    if judgments.only_documents:
        yield from _graded_rows(judgments)
        return
    spans = _plain_spans(judgments)
    for pair, elements in enumerate(written_elements(judgments) or [[]] * len(judgments)):
        fields = _named(judgments, pair)
        if not two_grades(judgments):
            fields["spans"] = [list(span) for span in spans[pair]]
        optional = {"size": int(judgments.pair_size[pair]), "bep": int(judgments.pair_entry[pair])}
        fields |= {key: value for key, value in optional.items() if value != UNKNOWN}
        if elements or two_grades(judgments):
            fields["elements"] = elements
        about = _asked(judgments, fields["topic"]) | _fingerprint(judgments, fields["document"])
        yield fields | _drawn(judgments, pair) | about
    choices = ((topic, need) for topic, needs in judgments.alternatives.items() for need in needs if need[1:])
    for topic, need in choices:
        places = [
            [part._asdict() | _fingerprint(judgments, part.document) for part in parts] for parts in need
        ]
        yield {"topic": topic, "any_of": [one if one[1:] else one[0] for one in places]}
    yield from _questions_alone(judgments)


def _graded_rows(judgments: Judgments) -> Iterator[dict[str, Any]]:
    grades = (
        (judgments.relevant_by_pair > 0).astype(np.int64) if judgments.grades is None else judgments.grades
    )
    for pair, grade in enumerate(grades.tolist()):
        fields = _named(judgments, pair)
        more = _drawn(judgments, pair) | _asked(judgments, fields["topic"])
        yield fields | {"relevance": grade} | more
    yield from _questions_alone(judgments)


def _named(judgments: Judgments, pair: int) -> dict[str, Any]:
    return {
        "topic": judgments.topics[int(judgments.pair_topic[pair])],
        "document": judgments.documents[int(judgments.pair_document[pair])],
    }


def _drawn(judgments: Judgments, pair: int) -> dict[str, Any]:
    if (drawn := judgments.inclusion) is None:
        return {}
    return {"probability": written_probability(drawn.probability[drawn.stratum[pair]])}


def written_probability(value: Fraction) -> int | float | str:
    """Return a probability as JSON has it: a number if it reads back as the same fraction, else `a/b`.

    >>> from fractions import Fraction
    >>> written_probability(Fraction(1)), written_probability(Fraction(2, 21))
    (1, 0.09523809523809523)
    """
    if value.denominator > MOST:
        return str(value)
    return float(value) if value.denominator > 1 else int(value)


def _asked(judgments: Judgments, topic: str) -> dict[str, str]:
    question = judgments.questions.get(topic)
    about = {} if question is None else {"question": question.text, "group": question.group}
    return {key: value for key, value in about.items() if value}


def _fingerprint(judgments: Judgments, document: str) -> dict[str, str]:
    known = judgments.fingerprints.get(document)
    return {} if known is None else {"sha256" if len(known) == _WHOLE else "fingerprint": known}


def _questions_alone(judgments: Judgments) -> Iterator[dict[str, Any]]:
    judged = {judgments.topics[code] for code in judgments.pair_topic.tolist()}
    for topic, question in judgments.questions.items():
        if topic not in judged and question.text:
            yield {"topic": topic, "question": question.text}


def _plain_spans(judgments: Judgments) -> list[list[tuple[int, int]]]:
    """Return start and end of the passages of each judged pair that have no alternatives."""
    spans, needs = spans_by_pair(judgments), judgments.needs
    if needs is not None:
        single = np.repeat(needs.count, needs.count)[needs.alternative] == 1
        for pair in needs.pair.tolist():
            spans[pair] = []
        columns = (column[single].tolist() for column in (needs.pair, needs.start, needs.end))
        for pair, start, end in zip(*columns, strict=True):
            spans[pair].append((start, end))
    return spans


def two_grades(judgments: Judgments) -> bool:
    """Return whether elements have two grades and no text is highlighted, as until 2004."""
    return judgments.scale in {"relevance and coverage", "exhaustivity and specificity"}


def written_elements(judgments: Judgments) -> list[list[dict[str, Any]]] | None:
    """Return the attributes of each pair's assessed elements; None without any, or if one lacks a path."""
    elements = judgments.elements
    if elements is None or bool((elements.path < 0).any()):
        return None
    by_pair: list[list[dict[str, Any]]] = [[] for _ in range(len(judgments))]
    columns = (elements.pair, elements.path, elements.exhaustivity, elements.specificity)
    sizes = (elements.size, elements.relevant)
    for pair, path, *values in np.stack([*columns, *sizes], axis=1).tolist():
        by_pair[pair].append({"path": elements.paths[path], **_written(judgments.scale, *values)})
    return by_pair


def _written(scale: Scale, first: int, second: int, size: int, relevant: int) -> dict[str, Any]:
    if scale == "relevance and coverage":
        return {"relevance": first, "coverage": COVERAGE[second]}
    if scale == "exhaustivity and specificity":
        return {"exhaustivity": first, "specificity": second}
    return {"exhaustivity": "?" if first == TOO_SMALL else first, "size": size, "rsize": relevant}


def said(judgments: Judgments) -> tuple[object, ...]:
    """Return what judgments say, in an order that does not depend on their codes."""
    rows = list(judgment_rows(judgments))
    judged = {(row["topic"], row["document"]): row for row in rows if "document" in row}
    for row in judged.values():
        row["elements"] = sorted(map(repr, row.get("elements", ())))
    about = {name: _asked(judgments, name) for name in judgments.questions}
    return judgments.scale, judgments.unit, judged, judgments.alternatives, about
