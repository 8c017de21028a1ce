"""Why a run is better on a topic: sentences are true by sets of characters and speak for the better run."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from support.browsing import Modules

import excerpt
from excerpt import Judgments, Policy, Run, Span

from .test_arithmetic import DOCUMENTS, apart, describe, spans_of

MEASURES = (
    *("MAiP", "iP[0.01]", "iP[1]", "charP[3]", "charP", "charR[2]", "charF", "IoU", "articleAP"),
    *("articleP[2]", "articleR", "judged@3"),
)
Place = tuple[str, int, int]
#: Size, relevant part, and both added up, by rank.
Rows = list[tuple[int, int, int, int]]


def topic_of(relevant: list[Span], runs: list[list[Place]]) -> dict[str, Any]:
    """A topic as the page reads it, made from spans alone."""
    passages = sorted((DOCUMENTS.index(span.document), span.start, span.end) for span in relevant)
    places = [[(DOCUMENTS.index(name), start, end) for name, start, end in run] for run in runs]
    spans = sorted({place for run in places for place in run})
    marked = [characters(passages, number) for number in range(len(DOCUMENTS))]
    judged = {passage[0] for passage in passages} | {DOCUMENTS.index("D")}
    counted = {}
    for number, run in enumerate(places):
        seen: set[tuple[int, int]] = set()
        parts: dict[str, list[int]] = {"read": [], "found": [], "new": []}
        for document, start, end in run:
            found = {(document, at) for at in range(start, end) if at in marked[document]}
            parts["read"].append(end - start)
            parts["found"].append(len(found))
            parts["new"].append(len(found - seen))
            seen |= found
        counted[str(number)] = parts
    names = ("document", "start", "end")

    def columns(rows: list[tuple[int, int, int]]) -> dict[str, list[int]]:
        return {name: [row[place] for row in rows] for place, name in enumerate(names)}

    return {
        "id": "t",
        "documents": {"id": list(DOCUMENTS), "judged": [int(n in judged) for n in range(len(DOCUMENTS))]},
        "relevant": columns(passages),
        "spans": {
            **columns(spans),
            "relevant": [len(marked[number] & set(range(low, high))) for number, low, high in spans],
        },
        "runs": [[spans.index(place) for place in run] for run in places],
        "counted": counted,
    }


def characters(passages: list[tuple[int, int, int]], number: int) -> set[int]:
    """The relevant characters of a document."""
    return {at for document, low, high in passages if document == number for at in range(low, high)}


def rows_of(relevant: list[Span], run: list[Place], measure: dict[str, Any]) -> Rows:
    """The results added up, in the unit of the measure and up to its cut-off."""
    marked = {(span.document, at) for span in relevant for at in range(span.start, span.end)}
    documents = {span.document for span in relevant}
    family = measure["family"]
    cutoff = float("inf") if family == "iP" else measure["cutoff"] or float("inf")  # that of iP is no rank
    seen: set[str] = set()
    shown: set[tuple[str, int]] = set()
    rows: Rows = []
    for rank, (name, start, end) in enumerate(run, 1):
        text = {(name, at) for at in range(start, end)}
        if family.startswith("article"):
            size, found = (0, 0) if name in seen else (1, int(name in documents))
        elif family == "judged":
            size, found = 1, int(name in documents or name == "D")
        else:
            new = text - shown if re.match("char|IoU", family) else text
            size, found = end - start, len(new & marked)
        seen.add(name)
        shown |= text
        read, total = (rows[-1][2:] if rows else (0, 0))[0] + size, (rows[-1][3] if rows else 0) + found
        if (read if family.startswith("article") else rank) > cutoff:
            break
        rows.append((size, found, read, total))
    return rows


class Side:
    """A run as a sentence speaks of it."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.first = next((rank for rank, row in enumerate(rows, 1) if row[1]), 0)
        self.read, self.found = rows[-1][2:] if rows else (0, 0)

    @property
    def before(self) -> int:
        return self.rows[self.first - 2][2] if self.first > 1 else 0

    def until(self, found: int) -> list[int]:
        """What is read where so much has been found."""
        return [row[2] for row in self.rows if row[3] >= found]


def _nothing(good: Side, bad: Side, total: int, n: list[int]) -> bool:
    return n == [good.found, total, good.first, *([len(bad.rows)] if bad.rows else [])] and not bad.found


def _around(good: Side, bad: Side, _total: int, n: list[int]) -> bool:
    large, small = bad.rows[bad.first - 1][0], good.rows[good.first - 1][0]
    return n == [good.first, large, small] and good.first == bad.first and small < large


def _passage(good: Side, bad: Side, _total: int, n: list[int]) -> bool:
    sizes = [side.rows[side.first - 1][0] for side in (good, bad)]
    return n == [good.first, sizes[0], bad.first, sizes[1], bad.before] and good.first < bad.first


def _earlier(good: Side, bad: Side, _total: int, n: list[int]) -> bool:
    return n == [good.first, bad.first, bad.before] and good.first < bad.first and good.before < bad.before


def _denser(good: Side, bad: Side, _total: int, n: list[int]) -> bool:
    (size, found, *_), (other, less, *_) = good.rows[good.first - 1], bad.rows[bad.first - 1]
    return n == [good.first, found, size, less, other] and found * other > less * size


def _more(good: Side, bad: Side, total: int, n: list[int]) -> bool:
    return n == [good.found, total, bad.found] and good.found > bad.found


def _purer(good: Side, bad: Side, _total: int, n: list[int]) -> bool:
    return n == [good.found, good.read, bad.found, bad.read] and good.found * bad.read > bad.found * good.read


def _cheaper(good: Side, bad: Side, _total: int, n: list[int]) -> bool:
    return n[1] in good.until(n[0]) and n[2] == min(bad.until(n[0])) and n[1] < n[2]


#: Sentences, and what makes them true; `X` is the better run, `Y` the other one.
SENTENCES: dict[str, Callable[[Side, Side, int, list[int]], bool]] = {
    r"X finds # of # relevant \w+, first at rank #; Y (finds none in # results?|has no results)\.": _nothing,
    r"Both find the (same )?passage at rank #; Y returns # characters? around it, X #\.": _around,
    r"X finds the (same )?passage at rank # in # characters?, Y at rank # in #, "
    r"after # characters? of other text\.": _passage,
    r"X has relevant text first at rank #, Y at rank #, after # \w+\.": _earlier,
    r"At rank #, # of # characters? are relevant in X, # of # in Y\.": _denser,
    r"X finds # of # relevant \w+, Y #\.": _more,
    r"# of the # \w+ that X returns are (relevant|in judged documents), # of # in Y\.": _purer,
    r"To find # relevant \w+, X reads # \w+, Y #\.": _cheaper,
}


def check(sentence: str, good: Side, bad: Side, total: int, letters: str) -> str:
    """The form of a sentence, which must be true."""
    named = re.sub(rf"\b{letters[0]}\b", "X", re.sub(rf"\b{letters[1]}\b", "Y", sentence))
    numbers = [int(text) for text in re.findall(r"\d+", named.replace("\u202f", ""))]
    for form, true in SENTENCES.items():
        if re.fullmatch(form.replace("#", r"\d+"), named.replace("\u202f", "")):
            assert true(good, bad, total, numbers), sentence
            return form
    raise AssertionError(sentence)


@settings(max_examples=80, suppress_health_check=list(HealthCheck))
@given(
    relevant=spans_of("ABC", 4).map(apart),
    a=spans_of(DOCUMENTS, 8),
    b=spans_of(DOCUMENTS, 8),
)
def test_sentences_are_true_and_speak_for_the_better_run(
    js: Modules, relevant: list[Span], a: list[Place], b: list[Place]
) -> None:
    """For every measure; a plain sentence of both sums where no single fact does."""
    known = [("u", name) for name in DOCUMENTS]  # a run must return some judged document
    judgments = Judgments.of(
        [("t", span) for span in relevant],
        irrelevant=[("t", "D"), *known],
        sizes=dict.fromkeys(DOCUMENTS, 200),
    )
    runs = [
        Run.of(name, [("t", *place) for place in places]) for name, places in zip("AB", (a, b), strict=True)
    ]
    scores = excerpt.evaluate(judgments, runs, MEASURES, policy=Policy(overlap="allow"))
    topic, measures = topic_of(relevant, [a, b]), [describe(name) for name in MEASURES]
    values = [
        [float(score) for score in scores.values[:, scores.topics.index("t"), n]]
        for n in range(len(MEASURES))
    ]
    told = js(
        "advantage", "sayAdvantage", [(m, topic, [0, 1], v) for m, v in zip(measures, values, strict=True)]
    )
    for measure, (x, y), sentence in zip(measures, values, told, strict=True):
        sides = [Side(rows_of(relevant, places, measure)) for places in (a, b)]
        articles = measure["family"].startswith("article")
        total = len({s.document for s in relevant}) if articles else sum(s.end - s.start for s in relevant)
        if not any(side.found for side in sides):
            assert sentence == (
                "Neither finds relevant text." if measure["family"] != "judged" and x == y else ""
            )
        elif x == y:
            assert sentence == "Both score the same."
        elif not re.match(r"A finds \d+ .* in .*, B finds", sentence):
            good, bad = sides if x > y else sides[::-1]
            check(sentence, good, bad, total, "AB" if x > y else "BA")


CLAUSE = Span("A", 1000, 1240)
AT_ONCE: list[Place] = [("A", 1000, 1240), ("B", 0, 50)]


@pytest.mark.parametrize(
    ("measure", "other", "sentence"),
    [
        (
            "MAiP",
            [("A", 100, 1416)],
            "Both find the passage at rank 1; B returns 1\u202f316 characters around it, A 240.",
        ),
        (
            "MAiP",
            [("B", 0, 936), ("A", 100, 1416)],
            (
                "A finds the passage at rank 1 in 240 characters, B at rank 2 in 1\u202f316, after 936 "
                "characters of other text."
            ),
        ),
        ("charR", [("A", 1000, 1060)], "A finds 240 of 240 relevant characters, B 60."),
        (
            "iP[0.01]",
            [("B", 0, 9)],
            "A finds 240 of 240 relevant characters, first at rank 1; B finds none in 1 result.",
        ),
        ("charP", [], "A finds 240 of 240 relevant characters, first at rank 1; B has no results."),
        (
            "charP",
            [("A", 0, 2400)],
            "240 of the 290 characters that A returns are relevant, 240 of 2\u202f400 in B.",
        ),
        (
            "articleAP",
            [("B", 0, 5), ("A", 0, 2)],
            "A has relevant text first at rank 1, B at rank 2, after 1 document.",
        ),
    ],
)
def test_sentences(js: Modules, measure: str, other: list[Place], sentence: str) -> None:
    """The same topic, looked at from both sides."""
    topic = topic_of([CLAUSE], [AT_ONCE, other])
    cases = [(describe(measure), topic, [0, 1], [0.5, 0.25]), (describe(measure), topic, [1, 0], [0.25, 0.5])]
    swapped = re.sub(r"\b[AB]\b", lambda letter: "BA"["AB".index(letter[0])], sentence)
    assert js("advantage", "sayAdvantage", cases) == [sentence, swapped]
