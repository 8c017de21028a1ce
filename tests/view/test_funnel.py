"""The funnel: shares by question and in all, against sets of characters; what is empty has none."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from excerpt import Corpus, ExcerptError, Judgments, Notices, Run, funnel
from excerpt.view.funnel import funnel_note
from excerpt.view.run_columns import Flow

GOLD = Judgments.of(
    [{"topic": "1", "document": "A", "start": 0, "end": 100, "question": "Who?"}, ("2", "B", 0, 10)],
    irrelevant=[("3", "A")],
)
READ = Run.of("read", [("1", "A", 0, 60), ("1", "B", 0, 40), ("2", "A", 0, 9)])
CITED = Run.of("said", [("1", "A", 40, 60), ("1", "C", 0, 20), ("1", "A", 50, 60)])

ROWS = st.lists(
    st.tuples(st.sampled_from("12"), st.sampled_from("AB"), st.integers(0, 9), st.integers(0, 5)).map(
        lambda row: (row[0], row[1], row[2], row[2] + row[3])
    ),
    max_size=5,
)


def test_by_hand() -> None:
    """60 of 110 relevant characters are retrieved, 20 of these cited; 20 of 40 cited are not relevant."""
    found = funnel(GOLD, READ, CITED, notices=Notices())
    assert found.warnings == (
        "1 judged topic has no retrieved text (3)",
        "2 judged topics have no cited text (first: 2)",
    )
    assert found.topics["1"].shares == {
        "found": 0.6,
        "cited_of_found": 20 / 60,
        "not_relevant": 0.5,
        "never_retrieved": 0.5,
    }
    assert found.topics["2"].shares == {
        "found": 0.0,
        "cited_of_found": None,
        "not_relevant": None,
        "never_retrieved": None,
    }
    assert set(found.topics["3"].shares.values()) == {None}
    assert found.all.parts["found"] == (60, 110)


@settings(max_examples=40)
@given(ROWS, ROWS, ROWS)
def test_shares_against_sets_of_characters(
    relevant: list[tuple[str, str, int, int]],
    read: list[tuple[str, str, int, int]],
    cited: list[tuple[str, str, int, int]],
) -> None:
    """All questions together, as sets of characters and fractions have it."""
    for rows in (read, cited):  # a run without any text is refused
        assume(not rows or any(row[2] < row[3] for row in rows))

    def characters(rows: list[tuple[str, str, int, int]]) -> set[tuple[str, str, int]]:
        return {(*row[:2], at) for row in rows for at in range(row[2], row[3])}

    def share(part: set[tuple[str, str, int]], whole: set[tuple[str, str, int]]) -> float | None:
        return float(Fraction(len(part), len(whole))) if whole else None

    relevant = [*relevant, ("1", "A", 0, 3), ("2", "B", 0, 1)]
    read = [*read, ("1", "A", 2, 5)]
    good, seen, told = map(characters, (relevant, read, cited))
    shares = funnel(
        Judgments.of(relevant), Run.of("r", read), Run.of("c", cited), notices=Notices()
    ).all.shares
    assert shares == {
        "found": share(good & seen, good),
        "cited_of_found": share(good & seen & told, good & seen),
        "not_relevant": share(told - good, told),
        "never_retrieved": share(told - seen, told),
    }


def test_what_is_shown() -> None:
    """JSON has characters and proportions of all and of each question with its text; a table is short."""
    found = funnel(GOLD, READ, CITED, notices=Notices())
    data = found.to_dict()
    assert data["characters"] == {
        "relevant": 110,
        "cited": 40,
        "found": 60,
        "cited_of_found": 20,
        "not_relevant": 20,
        "never_retrieved": 20,
    }
    assert data["topics"]["1"]["question"] == "Who?"
    assert data["topics"]["2"]["shares"]["not_relevant"] is None
    assert (data["retrieved"], data["cited"]) == ("read", "said")
    assert [row[0] for row in found.listed()[1]] == [
        "found",
        "cited of found",
        "not relevant",
        "never retrieved",
    ]
    assert "never retrieved" in str(found.by_topic())
    assert found.by_topic().to_dict() == data
    assert found.to_pandas().topic.tolist() == ["1", "2", "3"]
    assert repr(found) == "<Funnel 'read' → 'said': 3 topics>"


def test_lost_and_whole_documents() -> None:
    """Cited text that does not occur is not relevant; whole documents have the length in the corpus."""
    lost = [
        {"topic": "1", "document": "A", "lost": 30},
        {"topic": "1", "document": "A", "start": 0, "end": 10},
    ]
    found = funnel([("1", "A", 0, 10)], [("1", "A", 0, 10)], lost, notices=Notices())
    assert found.all[3:] == (40, 30, 30)
    corpus = Corpus({"A": "x" * 20})
    whole = funnel([("1", "A", 0, 10)], {"r": {"1": {"A": 1.0}}}, [("1", "A", 5, 15)], corpus=corpus)
    assert whole.all == (10, 10, 5, 10, 5, 0)


def test_how_much_was_read() -> None:
    """Only the first results may have been read."""
    read = [("1", "B", 0, 10), ("1", "A", 0, 10)]
    assert funnel([("1", "A", 0, 10)], read, read, top=1, notices=Notices()).all.shares["found"] == 0.0
    for top in (0, True, 1.5):
        with pytest.raises(ExcerptError, match="as top, expected a whole number of at least 1"):
            funnel([("1", "A", 0, 10)], read, read, top=top)  # type: ignore[arg-type]


def test_what_is_refused_and_what_is_said() -> None:
    """One run each; documents that the judgments do not know are a doubt."""
    with pytest.raises(ExcerptError, match="found 2 runs as the cited run, expected one"):
        funnel(GOLD, READ, [READ, CITED])
    strange = [("1", "X", 0, 5)]
    for told in (
        funnel(GOLD, strange, CITED, notices=Notices()),
        funnel(GOLD, READ, strange, notices=Notices()),
    ):
        assert any("found document X, expected documents of the judgments" in text for text in told.warnings)


def test_nothing_at_all() -> None:
    """No questions, no shares."""
    assert set(funnel(Judgments.of([]), Run.of("r", []), Run.of("c", [])).all.shares.values()) == {None}


def test_nothing_found_and_nothing_cited() -> None:
    """A retriever of other documents found nothing; without results a proportion is undefined."""
    gold = [("q", "A", 0, 5)]
    shares = funnel(gold, [("q", "B", 0, 5)], gold, notices=Notices()).all.shares
    assert shares == {"found": 0, "cited_of_found": None, "not_relevant": 0, "never_retrieved": 1}
    shares = funnel(gold, gold, [], notices=Notices()).all.shares
    assert shares == {"found": 1, "cited_of_found": 0, "not_relevant": None, "never_retrieved": None}
    with pytest.raises(ExcerptError, match="found topic z, expected topics of the judgments"):
        funnel(gold, [("z", "A", 0, 5)], gold, notices=Notices())


def test_a_line_for_a_topic() -> None:
    """A dash for an undefined proportion."""
    said = "Citations: found 0.5000, cited of found 0.2000, not relevant 0.6667, never retrieved 1.0000."
    assert funnel_note(Flow(10, 5, 1, 3, 2, 3)) == said
    dash = "\N{EN DASH}"
    said = f"Citations: found 0.0000, cited of found {dash}, not relevant {dash}, never retrieved {dash}."
    assert funnel_note(Flow(4, 0, 0, 0, 0, 0)) == said
