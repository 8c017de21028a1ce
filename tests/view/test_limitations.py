"""What an evaluation cannot tell."""

from __future__ import annotations

from small_world import small_world

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
    assert said[0] == "35 topics. A difference of 0.0453 (win400-bm25 to sec-bm25) could not be confirmed."
    assert said[1] == "6 topics left out of the means: no relevant text (CU25, CU28\u2013CU32)."
    assert said[2].startswith(
        "6 topics on which every run is under 0.01 (CU01\u2013CU03, CU21, CU40, CU41): they"
    )
    assert said[3].startswith("0\u202f% of the results are unjudged")
    assert said[-1] == "0 results overlap; policy error, so nothing was changed."


def test_unjudged_results_overlap_and_evidence_elsewhere() -> None:
    """Figures of the small world: 3 of 8 results, 2 results again, 1 of 1 passage elsewhere."""
    said = told(small_world())
    assert said[1] == "1 topic left out of the means: no relevant text (3)."
    assert said[2].startswith("38\u202f% of the results (3 of 8) lie in documents that nobody judged")
    assert said[3] == "1 of 1 longer passages stands, word for word, at a second place that nobody marked."
    assert (
        said[4] == "2 results show text a second time, in 2 runs; policy first: each character counted once."
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
        "3 pairs of runs are tied: x and y have the same score on every topic, "
        "and 2 other pairs a mean in common."
    )


def test_nobody_looked_where_there_is_no_text() -> None:
    """Whether evidence stands elsewhere is not known then."""
    world = small_world(corpus=None, text=False, policy=Policy(overlap="penalise"))
    assert (
        told(world)[-2]
        == "? Whether evidence stands at other places too was not looked for: there is no text."
    )


def test_equal_runs_have_no_difference_to_confirm() -> None:
    """Nothing is said of a difference of 0."""
    judgments = Judgments.of([("1", Span("a", 0, 10)), ("2", Span("a", 0, 10))])
    runs = [Run.of(name, [("1", "a", 0, 5)]) for name in ("x", "y")]
    world = World.of(judgments, runs, ["charR"], text=False, notices=Notices())
    assert told(world)[0] == "2 topics. Runs that were not told apart have the same mean."
