"""Results on judged topics: what they share, and how long whole documents are taken to be."""

from __future__ import annotations

import gc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from excerpt import ExcerptError, Judgments, Notices, Policy, Result, Run, Span, evaluate, read_run
from excerpt.errors import PolicyError
from excerpt.model.join import Placed, cached, clashes, first_clash, first_owners, join, limits_of
from excerpt.model.policy import Overlap, UnknownLength
from excerpt.model.samples import sample
from excerpt.model.spans import IntArray, sums

JUDGMENTS = Judgments.of([("1", Span("a", 10, 30))], irrelevant=[("2", "b")])
#: The second result repeats [20, 40) of the first.
OVERLAPPING = Run.of("r", [Result("1", "a", 0, 40), Result("1", "a", 20, 60), Result("2", "b", 0, 5)])


def place(run: Run, **policy: str) -> Placed:
    """The results of a run with the judgments."""
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
    """The arrays are not shown."""
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
        'unknown_length="mean" (the '
        "mean of the known lengths) or unknown_length=6000 (a number of characters)"
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
    """The decision to reject a run does not depend on the other measures."""
    with pytest.raises(PolicyError):
        evaluate(SOME_LENGTHS, documents("a", "z"), ["articleP", "charR"])


def test_mean_of_the_known_lengths() -> None:
    """`mean` is the mean of the known lengths, halves rounded up; a notice says what was taken."""
    assert precision(documents("a", "z"), "mean") == 50 / (100 + 151)
    notices = Notices()
    evaluate(SOME_LENGTHS, documents("a", "z"), policy=Policy(unknown_length="mean"), notices=notices)
    assert list(notices) == ["1 result is a document of unknown length and counts as 151 characters (r)"]


def test_a_number() -> None:
    """A number replaces each unknown length."""
    assert precision(documents("a", "z", "y"), 200) == 50 / 500


@pytest.mark.parametrize("length", ["mean", 100])
def test_no_document_is_shorter_than_what_is_relevant_in_it(length: UnknownLength) -> None:
    """A document reaches at least to the end of its last relevant passage."""
    assert precision(documents("a", "c"), length) == 150 / 600


def test_no_mean_without_lengths() -> None:
    """Without any known length there is no mean length."""
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


JOINED_JUDGMENTS = Judgments.of(
    [("1", Span("a", 0, 100))], irrelevant=[("2", "b")], sizes={"a": 200, "b": 50}
)


def of(*rows: tuple[str, str, int, int]) -> Run:
    """A run of these results."""
    return Run.of("mine", [Result(*row) for row in rows])


def test_overlap_message_names_everything(tmp_path: Path) -> None:
    """The message names file, line, topic, document, both spans, the other line and the way out."""
    path = tmp_path / "x.run"
    path.write_text("1 Q0 c 1 9 tag 0 50\n1 Q0 a 2 8 tag 30 20\n1 Q0 b 3 7 tag 0 9\n1 Q0 a 4 6 tag 45 30\n")
    with pytest.raises(PolicyError) as caught:
        evaluate(JOINED_JUDGMENTS, [read_run(path)], ["AiP"])
    message = str(caught.value)
    assert message.startswith(f"{path}:4: ")
    for part in ("topic 1", "document a", "[45, 75)", "[30, 50)", "line 2", 'try overlap="first"'):
        assert part in message


def test_overlap_message_without_a_file() -> None:
    """A run made in Python is named instead of a file."""
    with pytest.raises(PolicyError, match=r"^mine: topic 1, document z: .*\[5, 9\).*\[0, 6\)"):
        evaluate(JOINED_JUDGMENTS, [of(("1", "z", 0, 6), ("1", "z", 5, 9), ("1", "a", 0, 1))], ["AiP"])


@pytest.mark.parametrize("name", ["iP[0.1]", "AiP", "AgP", "gP[1]", "AgP(score=T2I)"])
def test_overlap_is_refused_wherever_it_is(name: str) -> None:
    """Overlap in unjudged or irrelevant documents and in topics that do not count is refused as well."""
    for rows in ((("1", "z", 0, 6), ("1", "z", 5, 9)), (("2", "b", 0, 6), ("2", "b", 0, 6))):
        with pytest.raises(PolicyError):
            evaluate(JOINED_JUDGMENTS, [of(*rows, (rows[0][0], "a", 0, 1))], [name])


def test_overlap_in_topics_nobody_judged_is_ignored() -> None:
    """Results of unjudged topics are left out before anything else, with one warning."""
    rows = ("7", "z", 0, 6), ("7", "z", 5, 9), ("8", "z", 0, 1), ("1", "a", 0, 100)
    table = evaluate(JOINED_JUDGMENTS, [of(*rows)], ["AiP"])
    assert table.values.tolist()[0][0] == [1.0]
    assert [text for text in table.warnings if text.startswith("2 topics are not in the judgments")]


def test_touching_and_empty_results_do_not_overlap() -> None:
    """Results that touch, and empty results inside others, share no character."""
    run = of(("1", "a", 0, 50), ("1", "a", 50, 60), ("1", "a", 20, 20), ("1", "a", 20, 20))
    assert evaluate(JOINED_JUDGMENTS, [run], ["charP", "iP[0.60]"]).values[0, 0].tolist() == [1.0, 1.0]


def test_overlap_below_the_limit_is_not_seen() -> None:
    """The list is cut before it is looked at."""
    run = of(("1", "a", 0, 50), ("1", "b", 50, 60), ("1", "a", 20, 30))
    table = evaluate(JOINED_JUDGMENTS, [run], ["AiP"], policy=Policy(limit=2))
    assert any("more results than the limit of 2" in text for text in table.warnings)


def test_limit_is_1500_unless_lifted() -> None:
    """The 1501st result does not count unless `limit=None`."""
    rows = [("1", "z", place, place + 1) for place in range(1500)] + [("1", "a", 0, 100)]
    assert evaluate(JOINED_JUDGMENTS, [of(*rows)], ["charR"]).values[0, 0, 0] == 0
    assert evaluate(JOINED_JUDGMENTS, [of(*rows)], ["charR"], policy=Policy(limit=None)).values[0, 0, 0] == 1


def test_unknown_results_cost_18_characters() -> None:
    """A result that does not exist counts as 18 irrelevant characters, with a warning."""
    table = evaluate(
        JOINED_JUDGMENTS, [of(("1", "a", -1, -1), ("1", "a", 0, 2), ("1", "a", -1, -1))], ["charP", "AiP"]
    )
    assert table.values[0, 0, 0] == 2 / 38
    assert any(
        text.startswith("2 results") and "count as 18 non-relevant characters" in text
        for text in table.warnings
    )


def test_text_beyond_the_document_is_irrelevant() -> None:
    """A result beyond the end of its document counts in full, with a warning."""
    table = evaluate(JOINED_JUDGMENTS, [of(("1", "a", 0, 400))], ["charP"])
    assert table.values[0, 0, 0] == 1 / 4
    assert any("beyond the end" in text for text in table.warnings)


@pytest.mark.parametrize("row", [("1", "a", 0, 201), ("1", "a", -1, -1)])
def test_unknown_results_are_refused_on_demand(row: tuple[str, str, int, int]) -> None:
    """`unknown="error"` refuses what does not exist, naming topic and document."""
    with pytest.raises(ExcerptError, match="topic 1, document a"):
        evaluate(JOINED_JUDGMENTS, [of(row)], ["charP"], policy=Policy(unknown="error"))


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
        evaluate(JOINED_JUDGMENTS, [run], ["AiP", "articleAP"], policy=Policy(**{name: value}))  # type: ignore[arg-type]


#: The second result repeats [20, 40) of the first, where [30, 50) is relevant; the third is new.
JOINED_OVERLAPPING = of(("1", "a", 0, 40), ("1", "a", 20, 60), ("1", "z", 0, 20))
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
    joined = join(JOINED_OVERLAPPING, HIGHLIGHTED, policy, Notices())
    assert joined.read.tolist() == read
    assert joined.counted[1].tolist() == found
    table = evaluate(HIGHLIGHTED, JOINED_OVERLAPPING, ["iP[0.00]", "iP[0.60]", "MAiP"], policy=policy)
    assert table.values[0, 0].tolist() == pytest.approx(scores, abs=1e-15)


def test_a_sample_asked_first_changes_nothing() -> None:
    """Relevance under full judgments does not depend on an earlier sample."""
    judgments = Judgments.of([("1", Span("a", 0, 10)), ("1", Span("b", 0, 10))])
    run = of(("1", "a", 0, 10), ("1", "b", 0, 10))
    for names in (("relevant", "new_relevant"), ("new_relevant", "relevant")):
        joined = join(run, judgments, Policy(overlap="first"), Notices())
        small = joined.judged_by(sample(judgments, np.array([True, False])).judgments)
        assert [getattr(small, name).tolist() for name in names] == [[10, 0], [10, 0]]
        assert small.relevant_by_article.tolist() == [10, 0]
        assert [getattr(joined, name).tolist() for name in names] == [[10, 10], [10, 10]]
        assert joined.relevant_by_article.tolist() == [10, 10]
        assert small.placed is joined.placed


def test_joined_prints_in_one_short_line() -> None:
    """The arrays are not shown."""
    joined = join(JOINED_OVERLAPPING, HIGHLIGHTED, Policy(), Notices())
    assert repr(joined) == f"<{joined.placed!r} with {HIGHLIGHTED!r}>"
    assert len(repr(joined)) < 200


Rows = list[tuple[int, int, int]]


def rows() -> st.SearchStrategy[Rows]:
    """Results of a few groups; some nest, repeat or are empty."""
    row = st.tuples(st.integers(0, 3), st.integers(0, 40), st.one_of(st.integers(0, 8), st.integers(0, 60)))
    return st.lists(row.map(lambda row: (row[0], row[1], row[1] + row[2])), max_size=25)


def columns(rows: Rows) -> tuple[IntArray, IntArray, IntArray]:
    """Rows as the columns group, start and end."""
    table = np.array(rows, np.int64).reshape(-1, 3)
    return table[:, 0], table[:, 1], table[:, 2]


def characters(row: tuple[int, int, int]) -> set[tuple[int, int]]:
    """The characters of a result."""
    return {(row[0], place) for place in range(row[1], row[2])}


def first_shown(rows: Rows) -> dict[tuple[int, int], int]:
    """The first result that shows each character."""
    owner: dict[tuple[int, int], int] = {}
    for place, row in enumerate(rows):
        for character in characters(row):
            owner.setdefault(character, place)
    return owner


@settings(max_examples=250)
@given(rows())
def test_clashes_marks_whole_groups(results: Rows) -> None:
    """Every result of a group in which two results share a character is marked, no other is."""
    clashing = {
        one[0] for i, one in enumerate(results) for two in results[:i] if characters(one) & characters(two)
    }
    assert clashes(*columns(results)).tolist() == [row[0] in clashing for row in results]


@settings(max_examples=250)
@given(rows())
def test_first_clash_is_the_best_placed(results: Rows) -> None:
    """The first result that repeats a character, and the first result it repeats."""
    pairs = [
        (later, earlier)
        for later, one in enumerate(results)
        for earlier, two in enumerate(results[:later])
        if characters(one) & characters(two)
    ]
    assert first_clash(*columns(results)) == min(pairs, default=None)


@settings(max_examples=250)
@given(rows())
def test_segments_belong_to_the_first_result(results: Rows) -> None:
    """Segments cover each character once and name the first result that shows it."""
    segments = first_owners(*columns(results))
    found: dict[tuple[int, int], int] = {}
    for group, start, end, owner in zip(*(column.tolist() for column in segments), strict=True):
        assert start < end
        for place in range(start, end):
            assert (group, place) not in found
            found[group, place] = owner
    assert found == first_shown(results)


@settings(max_examples=150)
@given(rows())
def test_owned_sums_by_result(results: Rows) -> None:
    """The lengths of a result's segments are the characters it shows first."""
    segments = first_owners(*columns(results))
    shown = list(first_shown(results).values())
    fresh = sums(segments.owner, segments.end - segments.start, len(results))
    assert fresh.tolist() == [shown.count(place) for place in range(len(results))]


def test_long_chains_of_nested_results() -> None:
    """A thousand nested results: each shows the two characters around the one before."""
    results = [(0, 1000 - depth, 1001 + depth) for depth in range(1000)]
    segments = first_owners(*columns(results))
    fresh = sums(segments.owner, segments.end - segments.start, len(results))
    assert fresh.tolist() == [1] + [2] * 999


class Value:
    """Something to compute from."""


def test_computed_once_for_each_value_and_parameters() -> None:
    """The same value and parameters are computed once, others anew."""
    calls = []

    @cached
    def count(value: Value, step: int = 1) -> int:
        calls.append((value, step))
        return len(calls)

    one, other = Value(), Value()
    assert [count(one), count(one), count(one, 2), count(one, step=2), count(other)] == [1, 1, 2, 3, 4]


def test_forgotten_with_the_value() -> None:
    """Cached results disappear with their value."""
    left = []

    class Found:
        def __del__(self) -> None:
            left.append(1)

    @cached
    def find(value: Value) -> Found:
        return Found()

    value = Value()
    assert find(value) is find(value)
    del value
    gc.collect()
    assert left == [1]
