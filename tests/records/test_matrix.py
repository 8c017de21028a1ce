"""Every spelling of every role in every form of rows is read as JSON Lines are, with the same faults."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from support.row_forms import FILES, OBJECTS, REFERENCE, Adapter, Rows, json_lines

from excerpt import evaluate
from excerpt.errors import ExcerptError
from excerpt.evaluation.reading import Reading
from excerpt.model.judgments import Judgments
from excerpt.model.run import Run
from excerpt.notices import Notices
from excerpt.records import rows as record_rows
from excerpt.records.spellings import ROLES, RowKind

TEXTS = {"A": "One two three four.", "B": "One two three four five."}
PLACE = {"topic": ("q1", "q2"), "document": ("A", "B"), "start": (4, 0), "end": (13, 3)}
QUOTES = ("two three", "One")
HASHES: tuple[Any, Any] = (
    hashlib.sha256(TEXTS["A"].encode()).hexdigest(),
    hashlib.sha256(TEXTS["B"].encode()).hexdigest(),
)
ELEMENT = {"path": "/a[1]", "exhaustivity": 2, "rsize": 3, "size": 9}
SHARED: dict[str, tuple[Any, Any]] = {
    **PLACE,
    "offset": (4, 0),
    "length": (9, 3),
    "question": ("Who?", "Why?"),
    "text": QUOTES,
    "path": ("/a[1]", "/a[2]"),
    "how": ("exact", "exact"),
    "fingerprint": HASHES,
    "sha256": HASHES,
}
#: Two values of each role; a role of the table that lacks them here fails the first test.
VALUES: dict[RowKind, dict[str, tuple[Any, Any]]] = {
    "result": {
        **SHARED,
        "score": (2.25, 0.5),
        "rank": (1, 2),
        "run": ("r", "r"),
        "tokens": (2, 1),
        "words": (2, 1),
        "characters": (9, 3),
        "lead": (1, 0),
        "lost": (3, 4),
    },
    "judgment": {
        **SHARED,
        "quote": QUOTES,
        "grade": (1, 0),
        "spans": ([[4, 13]], [[0, 3], [4, 7]]),
        "size": (19, 24),
        "bep": (4, 0),
        "any_of": ([{"document": "A", "start": 4, "end": 13}], [{"document": "B", "start": 0, "end": 3}]),
        "elements": ([ELEMENT], [ELEMENT]),
        "group": ("g", "h"),
        "probability": (0.25, 0.5),
    },
    "question": {
        **PLACE,
        "question": ("Who?", "Why?"),
        "quote": QUOTES,
        "reference": QUOTES,
        "any_of": ([{"document": "A", "quote": "two"}], [{"document": "B", "quote": "One"}]),
        "answerable": (True, True),
        "grade": (1, 0),
        "group": ("g", "h"),
        "fingerprint": HASHES,
    },
}
#: Roles of gold that only other formats than rows of quotes have.
ELSEWHERE = {"list", "answer", "retrieved", "sha256"}
#: What else a row needs; a role that is not here stands in a row with a place.
BESIDE: dict[RowKind, dict[str, tuple[str, ...]]] = {
    "result": {
        **dict.fromkeys(("text", "path", "lost"), ("topic", "document")),
        "question": ("document", "start", "end"),
        "offset": ("topic", "document", "length"),
        "length": ("topic", "document", "offset"),
        "how": ("topic", "document", "start", "end", "text"),
    },
    "judgment": {
        **dict.fromkeys(("path", "grade", "spans", "elements"), ("topic", "document")),
        "any_of": ("topic",),
        "quote": ("topic", "document"),
        "question": ("document", "start", "end"),
        "offset": ("topic", "document", "length"),
        "length": ("topic", "document", "offset"),
        "how": ("topic", "document", "start", "end", "text"),
    },
    "question": {
        **dict.fromkeys(VALUES["question"], ("question", "document", "quote")),
        **dict.fromkeys(("quote", "reference"), ("question", "document")),
        "any_of": ("question",),
        "start": ("question", "document", "end"),
        "end": ("question", "document", "start"),
    },
}
ALL = {"JSON Lines": REFERENCE, **FILES, **OBJECTS}
#: Roles of gold, which is known by the row's own keys.
OWN = {"question", "quote", "any_of"}
#: A value that the role cannot have.
WRONG: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("start", "end", "offset", "length"), ("x", 1.5, 2**40)),
    **dict.fromkeys(("rank", "size", "bep"), ("x", 1.5, -7)),
    **dict.fromkeys(("tokens", "words", "characters", "lead", "lost"), (1.5, -7)),
    "score": ("x", "0,5"),
    "grade": ("maybe", 0.5),
    "spans": ("x", [[1]], [[5, 2]]),
    "path": ("a", "/a /b /c"),
    **dict.fromkeys(("fingerprint", "sha256"), ("x", "0123")),
}


class Case(NamedTuple):
    """A spelling of a role of a kind of row."""

    kind: RowKind
    role: str
    spelling: str

    def rows(self, spelling: str = "", values: tuple[Any, Any] | None = None) -> Rows:
        """Two rows with the role in a spelling, and with what else they need."""
        beside = BESIDE[self.kind].get(self.role, tuple(PLACE))
        columns = {role: VALUES[self.kind][role] for role in beside}
        columns[self.role] = VALUES[self.kind][self.role] if values is None else values
        names = {self.role: spelling or self.spelling}
        return [{names.get(role, role): column[at] for role, column in columns.items()} for at in (0, 1)]


CASES = [Case(kind, role, name) for kind in VALUES for role in VALUES[kind] for name in ROLES[kind][role]]
FIRST = [case for case in CASES if case.spelling == ROLES[case.kind][case.role][0]]


def read(kind: RowKind, given: Any) -> tuple[Any, ...]:
    """What rows are read as by those who evaluate, with the warnings; or what is wrong with them."""
    notices, reading = Notices(), Reading.of(corpus=TEXTS)
    try:
        if kind == "result":
            run: Any = reading.run(given, notices)
            found = columns_of(run)
        else:
            found = contents_of(reading.judgments(given, notices))
    except ExcerptError as error:
        return error.message, error.hint
    return found, sorted({notice.split(" (")[0] for notice in notices})


def columns_of(run: Run) -> tuple[Any, ...]:
    """All columns of a run that its rows decide."""
    lost = None if run.text.lost is None else run.text.lost.tolist()
    return (
        run.kind,
        list(run),
        run.rank.tolist(),
        {name: one.tolist() for name, one in run.text.costs.items()},
        lost,
    )


def contents_of(judged: Judgments) -> tuple[Any, ...]:
    """Everything in judgments that their rows decide."""
    arrays = (judged.pair_size, judged.pair_entry, *((judged.grades,) if judged.grades is not None else ()))
    spans = [judged.highlights(topic) for topic in judged.topics]
    listed = [column.tolist() for column in arrays]
    elements = repr(judged.elements)
    return judged.scale, judged.topics, spans, listed, judged.questions, repr(judged.alternatives), elements


def adapters(case: Case, forms: dict[str, Adapter]) -> Iterator[tuple[str, Adapter]]:
    """The forms that can have a row of a case."""
    for name, adapter in forms.items():
        odd = adapter.identifiers and (not case.spelling.isidentifier() or case.spelling.startswith("_"))
        if not odd and not (adapter.nested and (case.kind == "question" or case.role in OWN)):
            yield name, adapter


@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_every_form_and_spelling(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """All say what JSON Lines say with the first spelling of the role, also if there are many of them."""
    expected = read(case.kind, json_lines(case.rows(ROLES[case.kind][case.role][0])))
    rows = case.rows()
    found = {name: read(case.kind, adapter.make(rows)) for name, adapter in adapters(case, ALL)}
    monkeypatch.setattr(record_rows, "_MANY", 0)
    for name, adapter in adapters(case, {"JSON Lines": REFERENCE, **FILES}):
        found[f"many, {name}"] = read(case.kind, adapter.make(rows))
    assert {name: one for name, one in found.items() if one != expected} == {}


@pytest.mark.parametrize("case", FIRST, ids="-".join)
def test_rows_say_what_they_are(case: Case) -> None:
    """The case itself is read without an unknown key; else it would compare nothing but faults."""
    found = read(case.kind, json_lines(case.rows()))
    wrong = case == ("judgment", "path", "path")
    assert isinstance(found[0], str) == wrong
    assert wrong or not any("unknown" in notice for notice in found[1])


@pytest.mark.parametrize("case", [case for case in FIRST if case.role in WRONG], ids="-".join)
def test_every_form_has_the_same_faults(case: Case) -> None:
    """The same words in every form, whatever is wrong with a value, and the place of the first row."""
    for value in WRONG[case.role]:
        rows = case.rows(values=(value, value))
        expected = read(case.kind, json_lines(rows))
        assert isinstance(expected[0], str), value
        for name, adapter in adapters(case, {**FILES, **OBJECTS}):
            assert read(case.kind, adapter.make(rows)) == expected, f"{name}: {value!r}"


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("kind", ["result", "judgment"])
def test_the_place_of_a_fault(kind: RowKind, name: str) -> None:
    """A line in text with lines, a row elsewhere."""
    adapter = ALL[name]
    given: Any = adapter.make(Case(kind, "end", "end").rows(values=(3, 3)))
    if isinstance(given, bytes):
        given = io.BytesIO(given)
        given.name = "f"
    read_it: Any = Reading.of().run if kind == "result" else Reading.of().judgments
    with pytest.raises(ExcerptError) as caught:
        read_it(given, Notices())
    assert (
        str(caught.value)
        == f"{adapter.first}: found end 3 before start 4, expected an end at or after the start"
    )


@pytest.mark.parametrize("role", ["start", "end", "score", "grade"])
@pytest.mark.parametrize("name", ALL)
def test_contradictions(role: str, name: str) -> None:
    """Two values of a number in one row are a fault in every form, but never inside metadata."""
    adapter = ALL[name]
    kind: RowKind = "judgment" if role == "grade" else "result"
    one, other = ROLES[kind][role][0], ROLES[kind][role][-1]
    other = "label" if role == "grade" else other
    rows = [{**row, other: 9} for row in Case(kind, role, one).rows()]
    found = read(kind, adapter.make(rows))
    if adapter.nested:
        assert not isinstance(found[0], str)
    else:
        assert found[0] == f"found {one} and {other} with different values, expected one of them"


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("named", [True, False])
def test_evaluation(name: str, named: bool) -> None:
    """A run in any form is evaluated, with a name and without one; and so are judgments."""
    gold, rows = (
        Judgments.of([("q1", "A", 4, 13), ("q2", "B", 0, 3)]),
        Case("result", "score", "score").rows(),
    )
    given = ALL[name].make(rows)
    scores = evaluate(gold, {"mine": given} if named else given, ["charP", "charR"])
    assert list(scores[scores.runs[0]].values()) == [1, 1]
    judged = ALL[name].make(Case("judgment", "size", "size").rows())
    assert evaluate(judged, Run.of("r", rows), ["charR"])["r"] == {"charR": 1}


BY_TOPIC: Any = {"q1": [{"doc": "A", "begin": 4, "end": 13}], "q2": [{"doc": "B", "begin": 0, "end": 3}]}


@pytest.mark.parametrize(
    "name", ["dictionaries", "pandas", "Arrow", "named tuples", "data classes", "objects"]
)
@pytest.mark.parametrize("kind", ["result", "judgment"])
def test_rows_by_topic(kind: RowKind, name: str) -> None:
    """Of each topic rows in any form of Python, as retrievers return them."""
    given = {topic: OBJECTS[name].make(rows) for topic, rows in BY_TOPIC.items()}
    assert read(kind, given) == read(kind, json_lines(Case(kind, "topic", "topic").rows()))


def test_every_role_has_values() -> None:
    """A role that is new in the table needs an entry here; a spelling that is new does not."""
    for kind, some in VALUES.items():
        assert set(ROLES[kind]) - set(some) <= (ELSEWHERE if kind == "question" else set())
