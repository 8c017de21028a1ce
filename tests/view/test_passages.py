"""Passages of all topics: relevant, unjudged, shown again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from support.explained import JUDGMENTS, OTHER, RUN, TEXTS
from support.report_parts import as_read
from support.small_world import small_world
from support.strategies import Case, cases

from excerpt import Corpus, Judgments, Notices, Policy, Run, Span, parse_measure
from excerpt.view import World, passages
from excerpt.view.passages import note_of


def test_relevant_passages_say_who_found_them() -> None:
    """Characters and first rank by run, and the number of other positions with the same words."""
    data = small_world().passages()
    relevant, hits = data["relevant"], data["hits"]
    assert data["documents"] == ["a", "b", "c", "z"]
    assert relevant["document"] == [0, 1, 2]
    assert relevant["elsewhere"] == [2, 0, 0]
    rows = [
        [(hits["run"][at], hits["characters"][at], hits["rank"][at]) for at in range(low, high)]
        for low, high in zip(relevant["from"], relevant["from"][1:], strict=False)
    ]
    assert rows == [[(0, 62, 1)], [(1, 20, 1)], [(0, 7, 1)]]


def test_text_shown_again() -> None:
    """Text that a run returned twice, with both ranks."""
    again = small_world().passages()["again"]
    assert again["total"] == 2
    rows = list(
        zip(*(again[name] for name in ("run", "document", "start", "end", "rank", "before")), strict=True)
    )
    assert rows == [(0, 0, 30, 40, 2, 1), (1, 1, 10, 20, 2, 1)]


@given(cases())
def test_unjudged_text_agrees_with_sets_of_characters(case: Case) -> None:
    """Text of unjudged documents, in pieces as long as possible, with the first rank of each run."""
    if not case.matches or not case.results:
        return
    runs = [case.run(), Run.of("backwards", list(reversed(case.results)))]
    policy = Policy(overlap="allow", limit=None)
    world = World.of(case.judgments(), runs, ["charP"], policy=policy, text=False, notices=Notices())
    data = world.passages()
    judged = {row[:2] for row in case.highlights} | set(case.irrelevant)
    topics = world.judgments.topics
    expected = {
        (row[0], row[1], at)
        for row in case.results
        if row[0] in topics and row[:2] not in judged
        for at in range(max(row[2], 0), row[3])
    }
    rows, hits = data["unjudged"], data["unjudgedHits"]
    found = list(zip(rows["topic"], rows["document"], rows["start"], rows["end"], strict=True))
    told = [
        (topics[topic], data["documents"][document], at)
        for topic, document, start, end in found
        for at in range(start, end)
    ]
    assert len(told) == len(set(told))
    assert set(told) == expected
    assert rows["total"] == len(found)
    ranks = []
    for place, (topic, document, start, end) in enumerate(found):
        own = range(rows["from"][place], rows["from"][place + 1])
        best: dict[int, int] = {}
        for number, results in enumerate((case.results, tuple(reversed(case.results)))):
            listed = [row for row in results if row[0] == topics[topic]]
            shown = [
                rank
                for rank, row in enumerate(listed, start=1)
                if row[1] == data["documents"][document] and max(row[2], start) < min(row[3], end)
            ]
            best |= {number: shown[0]} if shown else {}
        assert {hits["run"][at]: hits["rank"][at] for at in own} == best
        ranks.append(min(best.values()))
    assert ranks == sorted(ranks)


@given(cases())
def test_documents_of_a_run_agree_with_sets_of_characters(case: Case) -> None:
    """Relevant, found, wasted and unjudged characters; a topic counts each once, documents add topics up."""
    if not case.matches or not case.results:
        return
    policy = Policy(overlap="allow", limit=None)
    world = World.of(case.judgments(), case.run(), ["charP"], policy=policy, text=False, notices=Notices())
    topics = world.judgments.topics
    judged = {row[:2] for row in case.highlights} | set(case.irrelevant)
    spans = world.judgments.spans
    relevant = {
        (
            topics[world.judgments.pair_topic[pair]],
            world.library.names[world.judgments.pair_document[pair]],
            at,
        )
        for pair, start, end in zip(spans.group, spans.start, spans.end, strict=True)
        for at in range(start, end)
    }
    returned = {
        (topic, name, at)
        for topic, name, start, end, *_ in case.results
        if topic in topics
        for at in range(max(start, 0), end)
    }
    expected = {}
    for name in world.documents()["ids"]:
        mine, read = ({one for one in all_ if one[1] == name} for all_ in (relevant, returned))
        vain = {one for one in read - mine if one[:2] in judged}
        counts = [len(mine), len(mine & read), len(vain), len(read - mine - vain)]
        if any(counts):
            expected[name] = counts
    data, ids = world.run_documents(0), world.documents()["ids"]
    rows = zip(*(data[name].tolist() for name in ("relevant", "found", "wasted", "unjudged")), strict=True)
    assert {ids[at]: list(row) for at, row in zip(data["document"], rows, strict=True)} == expected


def test_documents_open_with_a_topic() -> None:
    """The first with relevant text, else the first for which the document was returned."""
    world = small_world()
    names, topics = world.documents()["ids"], world.documents()["topic"].tolist()
    first: dict[str, tuple[bool, int]] = {}
    for number in reversed(range(len(world.judgments.topics))):
        data = as_read(world.topic(number))
        marked = {data["documents"]["id"][at] for at in data["relevant"]["document"]}
        first |= {
            name: (name not in marked, number)
            for name in data["documents"]["id"]
            if name not in first or (name not in marked, number) < first[name]
        }
    assert dict(zip(names, topics, strict=True)) == {name: first[name][1] for name in names}


def test_only_the_best_rows_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The total number is given."""
    monkeypatch.setattr(passages, "MOST_UNJUDGED", 2)
    judgments = Judgments.of([("1", Span("a", 0, 9)), ("2", Span("a", 0, 9))])
    results = [(topic, "z", at, at + 5) for topic in ("1", "2") for at in (40, 20, 0)]
    world = World.of(
        judgments, [Run.of("r", [("1", "a", 0, 5), *results])], ["charP"], text=False, notices=Notices()
    )
    unjudged = world.passages()["unjudged"]
    assert (unjudged["total"], unjudged["topic"], unjudged["start"]) == (6, [1, 0], [40, 40])
    assert unjudged["from"] == [0, 1, 2]


@given(cases())
def test_the_best_rows_are_the_first_of_all(case: Case) -> None:
    """However few are listed, and whichever topics they are of."""
    if not case.matches or not case.results:
        return
    policy = Policy(overlap="allow", limit=None)
    world = World.of(case.judgments(), [case.run()], ["charP"], policy=policy, text=False, notices=Notices())
    whole = world.passages()["unjudged"]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(passages, "MOST_UNJUDGED", 2)
        few = world.passages()["unjudged"]
    assert few["total"] == whole["total"]
    assert [few[name] for name in ("topic", "start", "end")] == [
        whole[name][:2] for name in ("topic", "start", "end")
    ]


CITED = Run.of("cited", [("q1", "lease", 0, 30), ("q2", "rules", 0, 10)])


def world(*measures: str, **how: object) -> World:
    """The evaluation of both runs."""
    given: dict[str, object] = {"corpus": Corpus(TEXTS), "notices": Notices(), **how}
    return World.of(JUDGMENTS, [RUN, OTHER], list(measures), **given)  # type: ignore[arg-type]


def test_codes_are_reasons_with_ranks_before_them() -> None:
    """By run, in the order of the passages of the topic; the same as `explain` says."""
    topic = as_read(world("charR@2").topic(0))
    spans = list(zip(topic["relevant"]["document"], topic["relevant"]["start"], strict=True))
    names = [(topic["documents"]["id"][place], start) for place, start in spans]
    why = [dict(zip(names, codes, strict=True)) for codes in topic["why"]]
    assert why[0] == {("lease", 0): 32, ("lease", 58): 3, ("notes", 0): 5}
    assert why[1] == {("lease", 0): -1, ("lease", 58): 4, ("notes", 0): 5}
    (note,) = topic["notes"][0]
    assert note.startswith("3 of 3 passages missed: 1 below rank 2, 1 with its text found elsewhere, ")
    assert note.endswith(", 1 in a document it did not find.")
    assert "passage" not in topic["relevant"]


@pytest.mark.parametrize("kept", [0, 10**9])
def test_signs_are_the_reasons_of_all_passages(monkeypatch: pytest.MonkeyPatch, kept: int) -> None:
    """In the order of the passages, as the topics have them and as the table counts them."""
    monkeypatch.setattr("excerpt.view.passages._MOST_KEPT", kept)
    seen = world("charR@2", lazy=True)
    signs = seen.passages()["why"]
    assert signs == ["".join(row) for row in _signs_by_topic(seen)]
    (table,) = seen.overview()["tables"]
    for row, (_, total, *counts) in zip(signs, table["rows"], strict=True):
        assert total == sum(sign != "-" for sign in row)
        assert counts == [row.count(str(code)) for code in table["reasons"]]


def _signs_by_topic(seen: World) -> list[list[str]]:
    rows: list[list[str]] = [[] for _ in seen.kept]
    for number in range(len(seen.judgments.topics)):
        topic = as_read(seen.topic(number))
        names = [topic["documents"]["id"][at] for at in topic["relevant"]["document"]]
        order = sorted(
            range(len(names)),
            key=lambda at: (seen.library.numbers[names[at]], topic["relevant"]["start"][at]),
        )
        for row, why in zip(rows, topic["why"], strict=True):
            row += ["-" if why[at] < 0 else str(why[at] % 10) for at in order]
    return rows


def test_the_first_measure_with_a_cutoff_says_how_far_is_read() -> None:
    """Without one all results are, and nothing is at a later rank."""
    (table,) = world("MAiP", "charR@2").overview()["tables"]
    assert table["note"] == "of 5 passages, in the results that charR@2 reads, whitespace ignored"
    assert table["columns"][1:3] == ["Missed", "Below rank 2"]
    assert table["rows"] == [["mine", 4, 1, 1, 0, 2], ["other", 3, 0, 0, 1, 2]]
    assert table["reasons"] == [2, 3, 4, 5]
    (table,) = world("MAiP").overview()["tables"]
    assert table["columns"][2:] == [
        "Same text found elsewhere",
        "Document found, passage missed",
        "Document not found",
    ]


def test_large_collections_are_not_looked_through(monkeypatch: pytest.MonkeyPatch) -> None:
    """For the same text at another place; it is said."""
    monkeypatch.setattr("excerpt.view.passages._MOST_TEXT", 100)
    (table,) = world("charR@2").overview()["tables"]
    assert table["note"].endswith("; 2 topics too large to search for the same text")
    assert table["rows"][0] == ["mine", 4, 1, 0, 1, 2]


def test_without_texts_whitespace_counts() -> None:
    """The same text cannot be searched for."""
    (table,) = world("charR@2", corpus=None, text=False).overview()["tables"]
    assert "Same text found elsewhere" not in table["columns"]
    assert table["note"] == "of 5 passages, in the results that charR@2 reads"


def test_questions_of_the_judgments_are_shown() -> None:
    """Without a file of topics."""
    topics = world("charR@2").overview()["topics"]
    assert [topic["text"] for topic in topics][1:] == ["When was the roof mended?", ""]


def test_cited_text_is_a_layer_and_a_funnel() -> None:
    """Spans by topic, a line for each run, a table; its documents are shown."""
    shown = world("charR@2", cited=CITED)
    data = shown.overview()
    assert data["cited"] == "cited"
    assert data["tables"][1]["rows"] == [
        ["mine", "0.5287", "0.3614", "0.2500", "0.2500"],
        ["other", "0.5350", "0.3571", "0.2500", "0.2500"],
    ]
    topic = as_read(shown.topic(0))
    assert len(topic["runs"]) == 2
    (span,) = topic["cited"]
    place = np.searchsorted(np.cumsum(topic["spans"]["count"]), span, side="right")
    assert topic["documents"]["id"][int(place)] == "lease"
    assert topic["notes"][1][1].startswith(
        "Citations: found 0.5481, cited of found 0.5263, not relevant 0.0000,"
    )
    assert "rules" in as_read(shown.topic(1))["documents"]["id"]
    assert world("charR@2").overview()["cited"] is False


def test_nothing_missed_is_said() -> None:
    """And topics without passages have no line."""
    assert note_of(np.array([-1, -1]), parse_measure("charR")) == "No passage missed."
