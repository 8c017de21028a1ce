"""Judgments by what they say: edits elsewhere change nothing; new, gone and changed questions are named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt import Corpus, ExcerptError, Judgments, ScoreTable, evaluate, gate, read_gold, save_scores
from excerpt.checking.judged_words import said_of_topics
from excerpt.scores.provenance import TopicChanges, renamed

DOCS = {"A": "The rent is due in May. The rent is paid.", "B": "The lease ends in June."}
GOLD = [
    {"id": "1", "question": "When?", "document": "A", "quote": "due in May"},
    {"id": "2", "question": "Until when?", "document": "B", "quote": "ends in June"},
    {"id": "3", "question": "Paid?", "document": "A", "quote": "The rent is paid."},
]
RUN = [("1", "A", 0, 30), ("2", "B", 0, 10), ("3", "A", 24, 41)]


def table(gold: list[dict[str, Any]], docs: dict[str, str], shift: int = 0) -> ScoreTable:
    """Scores of a run whose results stand `shift` characters later in A."""
    rows = [
        (topic, name, start + shift * (name == "A"), end + shift * (name == "A"))
        for topic, name, start, end in RUN
    ]
    lines = "".join(json.dumps(row) + "\n" for row in gold)
    return evaluate(lines.encode(), rows, "recall@5", corpus=docs)


def test_an_edit_above_a_quote_changes_nothing(tmp_path: Path) -> None:
    """The hash of the offsets is another one, that of the words is the same; so do files know."""
    edited = {**DOCS, "A": "Note: new. " + DOCS["A"]}
    before, after = table(GOLD, DOCS), table(GOLD, edited, 11)
    one, two = (made["topics"] for made in (before.made_with, after.made_with) if made)
    assert one["1"]["offsets"] != two["1"]["offsets"]
    assert all(one[name]["text"] == two[name]["text"] for name in "123")
    for ending in ("json", "csv", "parquet"):
        pytest.importorskip("pyarrow")
        save_scores(before, tmp_path / f"base.{ending}")
        verdict = gate(tmp_path / f"base.{ending}", after)
        assert (verdict.worse, verdict.to_dict()["topics"]["compared"]) == (False, 3)
    assert before.join(after.rename({"run": "later"})).topics == ("1", "2", "3")


def test_new_gone_and_changed(tmp_path: Path) -> None:
    """New ones are said; gone and changed ones are a doubt, each above its share; means leave them out."""
    before = table(GOLD, DOCS)
    new = [*GOLD, {"id": "4", "question": "Who?", "document": "A", "quote": "The rent"}]
    verdict = gate(before, table(new, DOCS))
    assert verdict.to_dict()["topics"] == {"compared": 3, "new": ["4"], "gone": [], "changed": []}
    assert "1 new question, not compared: 4 (Who?)" in verdict.notes()
    assert verdict.verdicts[0].before == verdict.verdicts[0].after
    gone = gate(before, table([GOLD[0], GOLD[2]], DOCS))
    since = "since the baseline was saved (2 (Until when?))"
    assert (gone.verdict, gone.status) == ("cannot tell", 2)
    assert gone.reasons == (f"the judgments of 1 of 3 questions are gone {since}",)
    changed = [GOLD[0], {**GOLD[1], "quote": "The lease"}, GOLD[2]]
    unsure = gate(before, table(changed, DOCS), max_missing=0.33)
    assert unsure.reasons == (f"the judgments of 1 of 3 questions are changed {since}",)
    verdict = gate(before, table(changed, DOCS), max_missing=0.34)
    assert verdict.verdict == "passed"
    assert verdict.to_dict()["topics"] == {"compared": 2, "new": [], "gone": [], "changed": ["2"]}
    assert [one.topics for one in verdict.verdicts] == [2]
    with pytest.raises(ExcerptError, match="expected a number from 0 to 1"):
        gate(before, before, max_missing=2)


def test_questions_without_ids_are_known_by_their_words() -> None:
    """One more in front numbers all others anew."""
    plain = [{key: value for key, value in row.items() if key != "id"} for row in GOLD]
    rows = [({"1": "When?", "2": "Until when?", "3": "Paid?"}[topic], *place) for topic, *place in RUN]

    def scores(gold: list[dict[str, Any]]) -> ScoreTable:
        return evaluate(
            "".join(json.dumps(row) + "\n" for row in gold).encode(), rows, "recall@5", corpus=DOCS
        )

    first = {"question": "Who?", "document": "A", "quote": "The rent"}
    verdict = gate(scores(plain), scores([first, *plain]))
    assert verdict.to_dict()["topics"] == {"compared": 3, "new": ["1"], "gone": [], "changed": []}
    verdict = gate(scores([first, *plain]), scores(plain), max_missing=0.25)
    assert verdict.to_dict()["topics"] == {"compared": 3, "new": [], "gone": ["1 (before)"], "changed": []}


def test_a_renamed_page_is_the_same_document() -> None:
    """Another id, the same fingerprint, one on each side."""
    moved = [{**row, "document": "pages/A" if row["document"] == "A" else "B"} for row in GOLD]
    docs = {"pages/A": DOCS["A"], "B": DOCS["B"]}
    before = table(GOLD, DOCS)
    rows = [(topic, "pages/A" if name == "A" else name, *place) for topic, name, *place in RUN]
    after = evaluate("".join(json.dumps(row) + "\n" for row in moved).encode(), rows, "recall@5", corpus=docs)
    assert gate(before, after).to_dict()["topics"]["compared"] == 3
    assert renamed({"documents": {"A": "1", "C": "1"}}, {"documents": {"B": "1"}}) == {}


def test_records_without_words_are_compared_by_offsets() -> None:
    """As those of excerpt 0.3.0 and older."""
    before, after = table(GOLD, DOCS).made_with, table(GOLD, DOCS).made_with
    assert before is not None
    assert after is not None
    before = {**before, "topics": {name: said["offsets"] for name, said in before["topics"].items()}}
    del before["documents"]
    assert TopicChanges.of(before, after) == TopicChanges(("1", "2", "3"))


def test_quotes_and_spans_say_the_same() -> None:
    """Gold of quotes, and the same as offsets in a corpus."""
    gold = read_gold("".join(json.dumps(row) + "\n" for row in GOLD).encode(), DOCS)
    spans = [(topic, *span) for topic in gold.topics for span in gold.highlights(topic)]
    assert said_of_topics(gold, None) == said_of_topics(Judgments.of(spans), Corpus(DOCS).get)


def test_alternatives_and_their_parts() -> None:
    """Another alternative, or a part of it that becomes one, is another judgment."""
    choice = [{"document": "A", "quote": "due in May"}, {"document": "B", "quote": "ends in June"}]

    def said(any_of: list[Any]) -> dict[str, dict[str, str]]:
        row = json.dumps({"id": "1", "question": "When?", "any_of": any_of}) + "\n"
        return said_of_topics(read_gold(row.encode(), DOCS), None)

    assert said(choice) == said(choice[::-1])
    assert said(choice) != said([choice])
    assert said(choice) != said(choice[:1])


@given(st.data())
def test_words_decide(data: st.DataObject) -> None:
    """The digests are equal if and only if the sets of folded passages of each document are."""
    texts = {name: data.draw(st.text("ab \n", min_size=1, max_size=12), name) for name in "AB"}
    place = st.tuples(st.sampled_from("AB"), st.integers(0, 11), st.integers(0, 11))
    sides = []
    for _ in range(2):
        spans = [
            (name, min(a, b), max(a, b)) for name, a, b in data.draw(st.lists(place, min_size=1, max_size=3))
        ]
        spans = [one for one in spans if one[1] < one[2] <= len(texts[one[0]])] or [("A", 0, 1)]
        judgments = Judgments.of([("1", *one) for one in spans])
        said: dict[str, set[str]] = {one[0]: set() for one in spans}
        for one in judgments.highlights("1"):
            said[one.document].add("".join(texts[one.document][one.start : one.end].split()))
        sides.append((said, said_of_topics(judgments, texts.get)))
    assert (sides[0][0] == sides[1][0]) == (sides[0][1] == sides[1][1])
