"""Limitations of an evaluation."""

from __future__ import annotations

from support.small_world import small_world

from excerpt import Judgments, Notices, Policy, Run, Span, collection
from excerpt.view import World


def told(world: World) -> list[str]:
    """Doubts as they are read."""
    return [f"{doubt['figure']} {doubt['text']}" for doubt in world.overview()["cannot"]]


def test_doubts_of_the_embedded_collection() -> None:
    """The sentences that the pictures show."""
    files = [run.path for run in collection.runs("focused") if run.name != "thorough-bm25"]
    world = World.of(collection.qrels(), files, ["MAiP"], text=False, notices=Notices())
    said = told(world)
    assert (
        said[0]
        == "35 topics. The largest difference that is not significant is 0.0453 (win400-bm25 and sec-bm25)."
    )
    assert said[1] == "6 topics left out of the means: no relevant text (CU25, CU28\u2013CU32)."
    assert said[2].startswith(
        "6 topics where every run scores below 0.01 (CU01\u2013CU03, CU21, CU40, CU41); they do not help"
    )
    assert len(said) == 4  # only limits: every returned document was judged, and no results overlap
    assert (
        said[3].startswith("1 pair")
        or "pairs of runs are tied" in said[3]
        or "passages" in said[3]
        or "?" in said[3]
    )


def test_unjudged_results_overlap_and_evidence_elsewhere() -> None:
    """Figures of the small world: 3 of 8 results, 2 results again, 1 of 1 passage elsewhere."""
    said = told(small_world())
    assert said[1] == "1 topic left out of the means: no relevant text (3)."
    assert said[2].startswith("38\u202f% of the results (3 of 8) are unjudged: their documents")
    assert said[3] == "1 of 1 passages of 40 or more characters also appears, unmarked, elsewhere."
    assert (
        said[4]
        == "2 results repeat text of the same run, in 2 runs; policy first: each character counts once."
    )


def test_ties_are_said() -> None:
    """Runs with the same scores everywhere, or only the same mean."""
    judgments = Judgments.of([("1", Span("a", 0, 10)), ("2", Span("a", 0, 10))])
    same = [("1", "a", 0, 10), ("2", "a", 0, 5)]
    other = [("1", "a", 0, 5), ("2", "a", 0, 10)]
    runs = [Run.of("x", same), Run.of("y", same), Run.of("z", other)]
    world = World.of(judgments, runs, ["charR"], text=False, notices=Notices())
    tied = next(text for text in told(world) if "tied" in text)
    assert tied == (
        "3 pairs of runs are tied: x and y have the same score on every topic; "
        "other pairs with the same mean: 2."
    )


def test_without_text_duplicates_are_not_searched_for() -> None:
    """Duplicate evidence is unknown then."""
    world = small_world(corpus=None, text=False, policy=Policy(overlap="penalise"))
    assert told(world)[-2] == "? Duplicate evidence was not searched for: there is no text."


def test_equal_runs_have_no_difference_to_confirm() -> None:
    """Nothing is said of a difference of 0."""
    judgments = Judgments.of([("1", Span("a", 0, 10)), ("2", Span("a", 0, 10))])
    runs = [Run.of(name, [("1", "a", 0, 5)]) for name in ("x", "y")]
    world = World.of(judgments, runs, ["charR"], text=False, notices=Notices())
    assert told(world)[0] == "2 topics. Runs that are not significantly different have the same mean."
