"""Passages of all topics: relevant, unjudged, shown again."""

from __future__ import annotations

import pytest
from hypothesis import given
from small_world import small_world
from strategies import Case, cases

from excerpt import Judgments, Notices, Policy, Run, Span
from excerpt.view import World, passages


def test_relevant_passages_say_who_found_them() -> None:
    """Characters and first rank by run; and at how many other places the same words stand."""
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
    """What a run returned twice, with both ranks."""
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


def test_only_the_best_rows_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of all is told."""
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
