"""excerpt.citations: quotes by how they are found, against a slow search; formats; mistakes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from excerpt import ExcerptError, ExcerptWarning, Notices, citations
from excerpt.model.texts import fold_text
from excerpt.render.tables import show

DOCS = {
    "lease": "Lease of the house.\nThe term is two years. It can be renewed in writing.",
    "annex": "Keys: three. It\u2019s the \u201cannex\u201d \u2013 signed. The term is two years.",
}
HOWS = ("verbatim", "folded", "markup", "other_document", "nowhere", "too_short")


def row(document: str, quote: str, topic: str = "1") -> dict[str, str]:
    """A citation in a line of its own."""
    return {"topic": topic, "document": document, "quote": quote}


@pytest.mark.parametrize(
    ("document", "quote", "how"),
    [
        ("lease", "The term is two years.", "verbatim"),
        ("lease", "house. The term", "folded"),
        ("annex", 'It\'s the "annex" - signed.', "folded"),
        ("lease", "Keys:  three.", "other_document"),
        ("lease", "It's the annex", "nowhere"),
        ("lease", "the term is two years.", "nowhere"),
        ("lease", "Lease \u2026 two years. [...] writing.", "folded"),
        ("lease", "two years \u2026 The term", "nowhere"),
        ("lease", "Keys \u2026 signed", "other_document"),
    ],
)
def test_one_quote(document: str, quote: str, how: str) -> None:
    """Case is not folded; parts around an ellipsis are in order; the other document is named."""
    (found,) = citations([row(document, quote)], DOCS).quotes
    assert found.how == how
    assert found.found_in == {"other_document": "annex", "nowhere": None}.get(how, document)


def test_quotes_without_a_document() -> None:
    """They may be in any document, literally before folded."""
    quotes = {"It's the": ("folded", "annex"), TERM: ("verbatim", "lease"), "no": ("nowhere", None)}
    sent: list[dict[str, Any]] = [
        {"topic": str(number), "documents": ["lease", "annex"], "claims": [{"quote": quote}]}
        for number, quote in enumerate(quotes)
    ]
    gold = [("1", "lease", 20, 22), ("0", "lease", 0, 9)]
    for answers in ([{"topic": one["topic"], **one["claims"][0]} for one in sent], sent):
        found = {one.quote: one for one in citations(answers, DOCS, gold=gold, notices=Notices()).quotes}
        assert {quote: (one.how, one.found_in) for quote, one in found.items()} == quotes
        assert [one.relevant for one in found.values()].count(True) == found[TERM].relevant == 1
    assert citations([{"topic": "1", "quote": "no"}], DOCS).notes() == ("1: 'no' is in no document",)


TEXTS = st.text("ab \n\u2019'", max_size=12)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(TEXTS.filter(str.strip), min_size=1, max_size=3),
    st.lists(
        st.tuples(
            st.integers(0, 2),
            st.text("ab \n\u2019'", min_size=1, max_size=6).filter(str.strip),
            st.integers(0, 2),
        ),
        min_size=1,
        max_size=8,
    ),
)
def test_against_a_slow_search(texts: list[str], cited: list[tuple[int, str, int]]) -> None:
    """Counts by answer and in all are those of `in`, literally and after folding."""
    docs = {str(number): text for number, text in enumerate(texts)}
    given = [row(str(number % len(texts)), quote, f"q{topic}") for number, quote, topic in cited]
    wanted: dict[str, dict[str, int]] = {}
    for one in given:
        own, part = docs[one["document"]], fold_text(one["quote"])
        if one["quote"] in own:
            how = "verbatim"
        elif part in fold_text(own):
            how = "folded"
        else:
            how = "other_document" if any(part in fold_text(text) for text in texts) else "nowhere"
        if how != "nowhere" and sum(letter in "ab" for letter in one["quote"]) < 3:
            how = "too_short"
        counts = wanted.setdefault(one["topic"], dict.fromkeys(HOWS, 0))
        counts[how] += 1
    found = citations(given, docs).to_dict()
    answers = found["by_answer"]
    assert {topic: {how: counts[how] for how in HOWS} for topic, counts in answers.items()} == wanted
    for counts in (found, *answers.values()):
        bad = counts["other_document"] + counts["nowhere"] + counts["too_short"]
        assert counts["citations"] == sum(counts[how] for how in HOWS)
        assert counts["unreal"] == bad / counts["citations"]
    shares = [counts["unreal"] for counts in answers.values()]
    assert shares == sorted(shares, reverse=True)
    assert (found["answers"], found["citations"]) == (len(wanted), len(given))


CHARACTERS = {"type": "char_location", "document_index": 0, "start_char_index": 3, "end_char_index": 9}
TERM = "The term is two years."


@pytest.mark.parametrize(
    ("answer", "hows"),
    [
        (
            {"question": "How long?", "answer": "2", "claims": [{"document": "lease", "quote": TERM}]},
            ["verbatim"],
        ),
        (
            {
                "question_id": 7,
                "answer": "2",
                "citations": [{"source": "lease", "cited_text": TERM, "start": 4}],
            },
            ["verbatim"],
        ),
        (
            {
                "user_input": "?",
                "claims": [{"text": "x", "citations": [{"document": "annex", "quote": "Key"}]}],
            },
            ["verbatim"],
        ),
        (
            {"topic": "1", "documents": ["lease"], "response": [{**CHARACTERS, "cited_text": TERM}]},
            ["verbatim"],
        ),
        (
            {
                "topic": "1",
                "documents": ["lease"],
                "response": [{"type": "page_location", "document_index": 0, "cited_text": "Keys"}],
            },
            ["other_document"],
        ),
        (
            {
                "topic": "1",
                "documents": [{"document": "lease", "blocks": [[0, 19], [20, 42]]}],
                "response": [
                    {
                        "type": "content_block_location",
                        "document_index": 0,
                        "start_block_index": 0,
                        "end_block_index": 2,
                        "cited_text": f"Lease of the house.{TERM}",
                    }
                ],
            },
            ["verbatim"],
        ),
        (
            {
                "topic": "1",
                "document": "lease",
                "statements_with_citations": [
                    {"citation": [{"start_char_idx": 0, "end_char_idx": 5, "cite": "Lease of"}]}
                ],
            },
            ["verbatim"],
        ),
        ({"topic": "1", "answer": "-", "citations": []}, []),
    ],
)
def test_formats(answer: dict[str, Any], hows: list[str], tmp_path: Path) -> None:
    """Saved answers of services, claims and citations of objects; offsets play no role."""
    (tmp_path / "answers.jsonl").write_text(json.dumps(answer))
    for answers in ([answer], tmp_path / "answers.jsonl"):
        found = citations(answers, DOCS)
        assert [quote.how for quote in found.quotes] == hows
        assert found.to_dict()["answers"] == 1


@pytest.mark.parametrize(
    ("quote", "how"),
    [
        ("T", "too_short"),
        ("42", "too_short"),
        ("4 %, 2", "too_short"),
        ("--", "too_short"),
        ("cafe\u0301"[2:], "too_short"),  # two letters, one of them with an accent
        ("May", "verbatim"),
        ("4.25", "verbatim"),
        ("租金", "verbatim"),
        ("租", "too_short"),
        ("第1", "verbatim"),
        ("집세", "verbatim"),
        ("ไม่", "verbatim"),
        ("Z", "nowhere"),
    ],
)
def test_short_quotes(quote: str, how: str) -> None:
    """Letters, digits and marks count; a character of Chinese, Japanese or Korean is half a word."""
    text = "The rent of May: 42, 4 %, 2, 4.25 -- cafe\u0301 租金 第1 집세 ไม่"
    found = citations([row("A", quote, "1")], {"A": text, "B": text})
    assert [one.how for one in found.quotes] == [how]
    assert found.to_dict()["unreal"] == (how != "verbatim")


def test_keys_of_json() -> None:
    """The keys of the contract, in their order; an answer without citations has no share."""
    answers: list[dict[str, Any]] = [
        {"topic": "none", "answer": "-", "citations": []},
        {"topic": "bad", "answer": "-", "citations": [{"document": "lease", "quote": "Keys"}]},
    ]
    found = citations(answers, DOCS).to_dict()
    assert list(found) == ["answers", "citations", *HOWS, "unreal", "by_answer"]
    assert list(found["by_answer"]) == ["bad", "none"]
    assert found["by_answer"]["none"] == {
        "citations": 0,
        **dict.fromkeys(HOWS, 0),
        "unreal": None,
        "quotes": [],
    }
    json.dumps(found, allow_nan=False)


def test_relevant_quotes() -> None:
    """With gold, real quotes that overlap relevant text of their question count, at any of their places."""
    given = [
        row("lease", TERM),
        row("lease", "Lease"),
        row("annex", TERM),
        row("lease", "nowhere"),
        row("annex", TERM, "2"),
    ]
    found = citations(
        given, DOCS, gold=[("1", "lease", 30, 50), ("2", "annex", 50, 60), ("2", "lease", 0, 4)]
    )
    assert [quote.relevant for quote in found.quotes if quote.topic == "1"] == [True, False, False, False]
    assert found.to_dict()["relevant"] == 2
    assert "relevant" not in citations(given, DOCS).to_dict()


def test_what_is_shown() -> None:
    """The worst answers first; text of files is neither markup nor an escape sequence."""
    hostile = "\x1b[31m<b>|*x*"
    found = citations([row("lease", TERM, "good"), row("annex", hostile, "<i>")], DOCS)
    lines = str(found).splitlines()
    assert [line.split()[0] for line in lines[2:5]] == ["<i>", "good", "all"]
    for text in (
        str(found),
        found.to_markdown(),
        found._repr_html_(),
        show(found, "csv"),
        show(found, "json"),
    ):
        assert "\x1b" not in text
    assert "<b>" not in found.to_markdown().replace("\\<b>", "")
    assert "<b>" not in found._repr_html_()
    many = citations([row("lease", f"x{number}") for number in range(12)], DOCS)
    assert many.notes()[-1] == "and 2 more"


def test_documents_that_the_corpus_lacks() -> None:
    """A warning, and the quote is elsewhere or nowhere; an error if the corpus has none of them."""
    with pytest.warns(ExcerptWarning, match=r"1 cited document is not in the corpus \(ghost\)"):
        found = citations([row("ghost", "Keys"), row("ghost", "boo"), row("lease", TERM)], DOCS)
    assert [quote.how for quote in found.quotes] == ["other_document", "nowhere", "verbatim"]
    with pytest.raises(ExcerptError, match=r"no cited document is in the corpus \(first: ghost\)"):
        citations([row("ghost", "Keys")], DOCS)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            [{"topic": "1", "document": "lease", "quote": " "}],
            "found a citation with the quote ' ', expected the",
        ),
        ([{"topic": "1", "document": "lease", "quote": 7}], "found a citation with the quote 7"),
        (
            [{"topic": "1", "document": "lease", "quote": None}],
            "found a citation without a quote, expected the",
        ),
        (
            [{"topic": "1", "response": {}, "citations": [{"document": "lease"}]}],
            "a citation without a quote",
        ),
        ([{"document": "lease", "quote": "x"}], "key topic is missing"),
        (
            [{"topic": "1", "response": [{"type": "file_citation", "file_id": "f"}]}],
            "a citation without a quote",
        ),
        (
            [{"topic": "1", "document": "A", "start": 0, "end": 4}],
            "answers with quotes are missing, expected lines",
        ),
        (
            [{"topic": "1", "responses": [{"text": "x", "citations": ["A"]}]}],
            "answers with quotes are missing",
        ),
        ([], "the file is empty, expected saved answers"),
        (5, "found 5, expected a file or a list of answers"),
        ([{1}], "answers with quotes are missing"),
        ([{"topic": "1", "document": "lease", "quote": "x"}, 5], "row 2: found 5, expected an object"),
    ],
)
def test_what_cannot_be_checked(given: Any, said: str) -> None:
    """Each error is one sentence."""
    with pytest.raises(ExcerptError) as caught:
        citations(given, DOCS)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    with pytest.raises(ExcerptError, match="quotes need the documents; give corpus="):
        citations(given, None)  # type: ignore[arg-type]
