"""Results on judged topics: what they share, and how long whole documents are taken to be."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from excerpt import ExcerptError, Judgments, Notices, Policy, Result, Run, Span, evaluate
from excerpt.errors import PolicyError
from excerpt.model.joined import join
from excerpt.model.placed import Placed, limits_of
from excerpt.model.policy import UnknownLength

JUDGMENTS = Judgments.of([("1", Span("a", 10, 30))], irrelevant=[("2", "b")])
#: The second result repeats [20, 40) of the first.
OVERLAPPING = Run.of("r", [Result("1", "a", 0, 40), Result("1", "a", 20, 60), Result("2", "b", 0, 5)])


def place(run: Run, **policy: str) -> Placed:
    """The results of a run beside the judgments."""
    return join(run, JUDGMENTS, Policy(**policy), Notices()).placed  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("overlap", "counted", "read"),
    [
        ("first", [40, 20, 5], [40, 60, 5]),
        ("penalise", [40, 40, 5], [40, 80, 5]),
        ("allow", [40, 40, 5], [40, 80, 5]),
    ],
)
def test_what_is_read_again(overlap: str, counted: list[int], read: list[int]) -> None:
    """Under `first` a character is read once, under the others as often as it is shown."""
    placed = place(OVERLAPPING, overlap=overlap)
    assert placed.counted_size.tolist() == counted
    assert placed.read.tolist() == read
    assert placed.new_size.tolist() == [40, 20, 5]


def test_overlap_is_refused() -> None:
    """Nothing that counts what was read can be had of a run with overlap under `error`."""
    for name in ("counted_size", "read"):
        with pytest.raises(PolicyError, match=r"\[20, 60\) overlapping \[0, 40\)"):
            getattr(place(OVERLAPPING), name)
    assert place(OVERLAPPING).size.tolist() == [40, 40, 5]


def test_documents_that_come_back() -> None:
    """Documents are numbered by first occurrence; one that comes back is refused, or regrouped."""
    run = Run.of("r", [Result("1", "a", 0, 1), Result("1", "z", 0, 1), Result("1", "a", 5, 6)])
    placed = place(run, interleaved="regroup")
    placed.check_in_one_piece()
    assert placed.articles.of_result.tolist() == [0, 1, 0]
    assert placed.articles.rank.tolist() == [1, 2]
    with pytest.raises(PolicyError, match="topic 1: found document a again after another one"):
        place(run).check_in_one_piece()
    with pytest.raises(PolicyError, match="topic 1: found a second result of document a"):
        place(run).check_one_result_each()


def test_it_prints_in_one_short_line() -> None:
    """Nobody wants to see the arrays."""
    assert repr(place(OVERLAPPING)) == "<3 results of 'r' on 2 topics>"


#: Lengths 100 and 201 are known, that of `c` is not although it has relevant text up to 500.
SOME_LENGTHS = Judgments.of(
    [("1", Span("a", 0, 50)), ("1", Span("c", 400, 500))], irrelevant=[("1", "b")], sizes={"a": 100, "b": 201}
)


def documents(*names: str) -> Run:
    """A run of whole documents."""
    return Run.of("r", [Result("1", name, 0, 0) for name in names], kind="documents")


def precision(run: Run, length: UnknownLength) -> float:
    """charP under a policy for unknown lengths."""
    table = evaluate(SOME_LENGTHS, run, "charP", policy=Policy(unknown_length=length), notices=Notices())
    return float(table.values[0, 0, 0])


def test_unknown_lengths_are_refused() -> None:
    """Without a length for each document a measure of text is refused, with how to supply it."""
    with pytest.raises(PolicyError) as caught:
        evaluate(SOME_LENGTHS, documents("a", "z", "y"), ["MAiP"])
    assert str(caught.value) == (
        "r: found 2 whole documents of unknown length (first: topic 1, document z), expected the "
        "length of each; give corpus=Corpus.read(…) or index=OffsetIndex.open(…), or try "
        'policy=Policy(unknown_length="mean") (the '
        "mean of the known lengths) or policy=Policy(unknown_length=6000) (a number of characters)"
    )


def test_known_lengths_are_not() -> None:
    """A run whose documents all have a length in the judgments needs nothing else."""
    assert precision(documents("a", "b"), "error") == 50 / 301


@pytest.mark.parametrize("name", ["articleP", "articleR", "articleF", "articleAP"])
def test_measures_of_documents_never_refuse(name: str) -> None:
    """Measures of documents do not ask how long these are, and nothing is said about it."""
    notices = Notices()
    table = evaluate(SOME_LENGTHS, documents("a", "z"), [name], notices=notices)
    assert table.values[0, 0, 0] == 0.5
    assert list(notices) == []


def test_one_measure_of_text_among_others_refuses() -> None:
    """What is refused does not depend on the other measures."""
    with pytest.raises(PolicyError):
        evaluate(SOME_LENGTHS, documents("a", "z"), ["articleP", "charR"])


def test_mean_of_the_known_lengths() -> None:
    """`mean` is the mean of the known lengths, halves rounded up; a notice says what was taken."""
    assert precision(documents("a", "z"), "mean") == 50 / (100 + 151)
    notices = Notices()
    evaluate(SOME_LENGTHS, documents("a", "z"), policy=Policy(unknown_length="mean"), notices=notices)
    assert list(notices) == ["result is a document of unknown length, taken as 151 characters (r)"]


def test_a_number() -> None:
    """A number stands for each unknown length."""
    assert precision(documents("a", "z", "y"), 200) == 50 / 500


@pytest.mark.parametrize("length", ["mean", 100])
def test_no_document_is_shorter_than_what_is_relevant_in_it(length: UnknownLength) -> None:
    """A document reaches at least to the end of its last relevant passage."""
    assert precision(documents("a", "c"), length) == 150 / 600


def test_no_mean_without_lengths() -> None:
    """Where no length is known there is no mean."""
    judgments = Judgments.of([("1", Span("a", 0, 50))])
    with pytest.raises(
        PolicyError, match=r"of unknown length .*expected the length of at least one document"
    ):
        evaluate(judgments, documents("a"), "charP", policy=Policy(unknown_length="mean"))


def test_where_documents_are_judged_each_counts_as_one(tmp_path: Path) -> None:
    """Judgments of whole documents have no lengths, and need none."""
    (tmp_path / "q").write_text("1 0 a 1\n1 0 b 0\n")
    notices = Notices()
    table = evaluate(tmp_path / "q", documents("a", "z"), ["charP", "articleP"], notices=notices)
    np.testing.assert_array_equal(table.values[0, 0], [0.5, 0.5])
    assert list(notices) == []


@pytest.mark.parametrize("length", ["men", 0, -5, 1.5, True, None, 2**31])
def test_lengths_that_do_not_exist(length: object) -> None:
    """A policy that is no policy is refused."""
    with pytest.raises(ExcerptError, match="unknown_length"):
        Policy(unknown_length=length)  # type: ignore[arg-type]


def test_lengths_of_a_corpus_stand_in_for_unknown_ones() -> None:
    """The judgments go first."""
    run = replace(documents("a", "c", "z"), lengths=np.array([7, 8, -1]))
    document = np.array([SOME_LENGTHS.document_codes.get(name, -1) for name in run.documents])
    assert limits_of(run, SOME_LENGTHS, document).tolist() == [100, 8, -1]
    assert limits_of(documents("a", "c"), SOME_LENGTHS, document[:2]).tolist() == [100, -1]
