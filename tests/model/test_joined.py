"""The join of a run with judgments: what is refused, warned of, cut off."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from excerpt import ExcerptError, Judgments, Notices, Policy, Result, Run, Span, evaluate, read_run
from excerpt.errors import PolicyError
from excerpt.model.joined import join
from excerpt.model.policy import Overlap
from excerpt.model.samples import sample

JUDGMENTS = Judgments.of([("1", Span("a", 0, 100))], irrelevant=[("2", "b")], sizes={"a": 200, "b": 50})


def of(*rows: tuple[str, str, int, int]) -> Run:
    """A run of these results."""
    return Run.of("mine", [Result(*row) for row in rows])


def test_overlap_message_names_everything(tmp_path: Path) -> None:
    """The message names file, line, topic, document, both spans, the other line and the way out."""
    path = tmp_path / "x.run"
    path.write_text("1 Q0 c 1 9 tag 0 50\n1 Q0 a 2 8 tag 30 20\n1 Q0 b 3 7 tag 0 9\n1 Q0 a 4 6 tag 45 30\n")
    with pytest.raises(PolicyError) as caught:
        evaluate(JUDGMENTS, [read_run(path)], ["AiP"])
    message = str(caught.value)
    assert message.startswith(f"{path}:4: ")
    for part in ("topic 1", "document a", "[45, 75)", "[30, 50)", "line 2", 'Policy(overlap="first")'):
        assert part in message


def test_overlap_message_without_a_file() -> None:
    """A run made in Python is named instead of a file."""
    with pytest.raises(PolicyError, match=r"^mine: topic 1, document z: .*\[5, 9\).*\[0, 6\)"):
        evaluate(JUDGMENTS, [of(("1", "z", 0, 6), ("1", "z", 5, 9), ("1", "a", 0, 1))], ["AiP"])


@pytest.mark.parametrize("name", ["iP[0.1]", "AiP", "AgP", "gP[1]", "AgP(score=T2I)"])
def test_overlap_is_refused_wherever_it_is(name: str) -> None:
    """Overlap in unjudged or irrelevant documents and in topics that do not count is refused as well."""
    for rows in ((("1", "z", 0, 6), ("1", "z", 5, 9)), (("2", "b", 0, 6), ("2", "b", 0, 6))):
        with pytest.raises(PolicyError):
            evaluate(JUDGMENTS, [of(*rows, (rows[0][0], "a", 0, 1))], [name])


def test_overlap_in_topics_nobody_judged_is_ignored() -> None:
    """Results of unjudged topics are left out before anything else, with one warning."""
    rows = ("7", "z", 0, 6), ("7", "z", 5, 9), ("8", "z", 0, 1), ("1", "a", 0, 100)
    table = evaluate(JUDGMENTS, [of(*rows)], ["AiP"])
    assert table.values.tolist()[0][0] == [1.0]
    assert [text for text in table.warnings if "not in the judgments" in text and "2 times" in text]


def test_touching_and_empty_results_do_not_overlap() -> None:
    """Results that touch, and empty results inside others, share no character."""
    run = of(("1", "a", 0, 50), ("1", "a", 50, 60), ("1", "a", 20, 20), ("1", "a", 20, 20))
    assert evaluate(JUDGMENTS, [run], ["charP", "iP[0.60]"]).values[0, 0].tolist() == [1.0, 1.0]


def test_overlap_below_the_limit_is_not_seen() -> None:
    """The list is cut before it is looked at."""
    run = of(("1", "a", 0, 50), ("1", "b", 50, 60), ("1", "a", 20, 30))
    table = evaluate(JUDGMENTS, [run], ["AiP"], policy=Policy(limit=2))
    assert any("more than 2 results" in text for text in table.warnings)


def test_limit_is_1500_unless_lifted() -> None:
    """The 1501st result does not count unless `limit=None`."""
    rows = [("1", "z", place, place + 1) for place in range(1500)] + [("1", "a", 0, 100)]
    assert evaluate(JUDGMENTS, [of(*rows)], ["charR"]).values[0, 0, 0] == 0
    assert evaluate(JUDGMENTS, [of(*rows)], ["charR"], policy=Policy(limit=None)).values[0, 0, 0] == 1


def test_unknown_results_cost_18_characters() -> None:
    """A result that does not exist counts as 18 irrelevant characters, with a warning."""
    table = evaluate(
        JUDGMENTS, [of(("1", "a", -1, -1), ("1", "a", 0, 2), ("1", "a", -1, -1))], ["charP", "AiP"]
    )
    assert table.values[0, 0, 0] == 2 / 38
    assert any("18 irrelevant characters" in text and "2 times" in text for text in table.warnings)


def test_text_beyond_the_document_is_irrelevant() -> None:
    """A result beyond the end of its document counts in full, with a warning."""
    table = evaluate(JUDGMENTS, [of(("1", "a", 0, 400))], ["charP"])
    assert table.values[0, 0, 0] == 1 / 4
    assert any("beyond the end" in text for text in table.warnings)


@pytest.mark.parametrize("row", [("1", "a", 0, 201), ("1", "a", -1, -1)])
def test_unknown_results_are_refused_on_demand(row: tuple[str, str, int, int]) -> None:
    """`unknown="error"` refuses what does not exist, naming topic and document."""
    with pytest.raises(ExcerptError, match="topic 1, document a"):
        evaluate(JUDGMENTS, [of(row)], ["charP"], policy=Policy(unknown="error"))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("overlap", "fisrt"),
        ("overlap", None),
        ("interleaved", "regoup"),
        ("unknown", "legacy"),
        ("limit", -1),
        ("limit", 1.5),
    ],
)
def test_policies_that_do_not_exist_are_refused(name: str, value: object) -> None:
    """A misspelt policy is an error that quotes it, not another policy."""
    run = of(("1", "a", 0, 50), ("1", "b", 0, 9), ("1", "a", 60, 70))
    with pytest.raises(ExcerptError, match=str(value)):
        evaluate(JUDGMENTS, [run], ["AiP", "articleAP"], policy=Policy(**{name: value}))  # type: ignore[arg-type]


#: The second result repeats [20, 40) of the first, where [30, 50) is relevant; the third is new.
OVERLAPPING = of(("1", "a", 0, 40), ("1", "a", 20, 60), ("1", "z", 0, 20))
HIGHLIGHTED = Judgments.of([("1", Span("a", 30, 50))], irrelevant=[("1", "z")])


@pytest.mark.parametrize(
    ("overlap", "read", "found", "scores"),
    [
        # recall 1 is reached by the second result, under `allow` too, where text is found again
        ("first", [40, 60, 80], [10, 10, 0], [1 / 3, 1 / 3, 1 / 3]),
        ("penalise", [40, 80, 100], [10, 10, 0], [1 / 4, 1 / 4, 1 / 4]),
        ("allow", [40, 80, 100], [10, 20, 0], [3 / 8, 3 / 8, 3 / 8]),
    ],
)
def test_overlap_policies_in_numbers(
    overlap: Overlap, read: list[int], found: list[int], scores: list[float]
) -> None:
    """`first` reads and finds once, `penalise` reads again but finds once, `allow` does both again."""
    policy = Policy(overlap=overlap)
    joined = join(OVERLAPPING, HIGHLIGHTED, policy, Notices())
    assert joined.read.tolist() == read
    assert joined.counted[1].tolist() == found
    table = evaluate(HIGHLIGHTED, OVERLAPPING, ["iP[0.00]", "iP[0.60]", "MAiP"], policy=policy)
    assert table.values[0, 0].tolist() == pytest.approx(scores, abs=1e-15)


def test_a_sample_asked_first_changes_nothing() -> None:
    """What is relevant under full judgments does not depend on whether a sample was asked before."""
    judgments = Judgments.of([("1", Span("a", 0, 10)), ("1", Span("b", 0, 10))])
    run = of(("1", "a", 0, 10), ("1", "b", 0, 10))
    for names in (("relevant", "new_relevant"), ("new_relevant", "relevant")):
        joined = join(run, judgments, Policy(overlap="first"), Notices())
        small = joined.judged_by(sample(judgments, np.array([True, False])))
        assert [getattr(small, name).tolist() for name in names] == [[10, 0], [10, 0]]
        assert small.relevant_by_article.tolist() == [10, 0]
        assert [getattr(joined, name).tolist() for name in names] == [[10, 10], [10, 10]]
        assert joined.relevant_by_article.tolist() == [10, 10]
        assert small.placed is joined.placed


def test_joined_prints_in_one_short_line() -> None:
    """Nobody wants to see the arrays."""
    joined = join(OVERLAPPING, HIGHLIGHTED, Policy(), Notices())
    assert repr(joined) == f"<{joined.placed!r} beside {HIGHLIGHTED!r}>"
    assert len(repr(joined)) < 200
