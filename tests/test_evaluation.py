"""The one loop: topics, names, ids, workers, and what must always hold."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.oracle import Asked, IntervalTopic, Topic, assert_agreement
from support.strategies import Case, cases, disjoint, in_one_piece

from excerpt import (
    ExcerptError,
    Judgments,
    Measure,
    Notices,
    Policy,
    Result,
    Run,
    Span,
    evaluate,
    parse_measure,
)
from excerpt.errors import UnknownName

MEASURES = [
    Asked("iP", "0.01"),
    Asked("AiP"),
    Asked("AgP"),
    Asked("AgP", None, (("score", "T2I"), ("irrelevant", "7"))),
    Asked("gP", "3"),
    Asked("gR", "3"),
    Asked("charF"),
    Asked("IoU", "2"),
    Asked("articleAP"),
]
NAMES = [str(asked) for asked in MEASURES]
LENIENT = Policy(overlap="first", interleaved="regroup")

JUDGMENTS = Judgments.of([("1", Span("a", 0, 100)), ("2", Span("b", 0, 10))], irrelevant=[("3", "a")])
RUN = Run.of("mine", [Result("1", "a", 0, 50), Result("3", "a", 0, 5), Result("9", "a", 0, 5)])


def scores(case: Case, policy: Policy = LENIENT) -> dict[tuple[str, str], str]:
    """Every score of a case by topic and measure, as exact text."""
    table = evaluate(case.judgments(), [case.run()], NAMES, policy=policy)
    return {(score.topic, score.measure): score.score.hex() for score in table}


def close(one: dict[tuple[str, str], str], two: dict[tuple[str, str], str]) -> bool:
    """Return whether two sets of scores agree within 1e-12."""
    return one.keys() == two.keys() and all(
        math.isclose(float.fromhex(one[key]), float.fromhex(two[key]), rel_tol=1e-12)
        or one[key] == two[key] == "nan"
        for key in one
    )


def test_which_topics_count() -> None:
    """A missing topic scores 0, one without relevant text is left out, an unjudged one is no topic."""
    table = evaluate(JUDGMENTS, [RUN], ["charR"])
    assert table.topics == ("1", "2", "3")
    assert str(table.values[0, :, 0].tolist()) == "[0.5, 0.0, nan]"
    assert table.mean("mine", "charR") == 0.25
    assert any("no relevant text" in text for text in table.warnings)
    assert any("not in the judgments" in text and "topic 9" in text for text in table.warnings)


@pytest.mark.parametrize(
    ("only_run_topics", "include_empty", "expected", "mean"),
    [
        (False, False, "[0.5, 0.0, nan]", 0.25),
        (False, True, "[0.5, 0.0, 0.0]", 0.5 / 3),
        (True, False, "[0.5, nan, nan]", 0.5),
        (True, True, "[0.5, nan, 0.0]", 0.25),
    ],
)
def test_policies_for_topics(only_run_topics: bool, include_empty: bool, expected: str, mean: float) -> None:
    """`only_run_topics` leaves out topics without results, `include_empty` counts the others as 0."""
    policy = Policy(only_run_topics=only_run_topics, include_empty=include_empty)
    table = evaluate(JUDGMENTS, [RUN], ["charR"], policy=policy)
    assert str(table.values[0, :, 0].tolist()) == expected
    assert table.mean("mine", "charR") == mean


def test_measures_are_named_as_given() -> None:
    """The columns carry the spelling of the caller; the same spelling twice is one column."""
    names: list[str | Measure] = ["MAiP", "iP@0.1", "iP[0.10]", "MAiP", parse_measure("charF( beta = 2 )")]
    assert evaluate(JUDGMENTS, [RUN], names).measures == ("MAiP", "iP@0.1", "iP[0.10]", "charF(beta=2)")


def test_default_measures() -> None:
    """Without measures the focused task's official ones are computed."""
    expected = ("MAiP", "iP[0.00]", "iP[0.01]", "iP[0.05]", "iP[0.10]")
    assert evaluate(JUDGMENTS, [RUN]).measures == expected


def test_runs_of_the_same_name_stay_apart() -> None:
    """Two runs of one name get distinct names, and no run gives an empty table."""
    table = evaluate(JUDGMENTS, [RUN, RUN, Run.of("other", [])], ["AiP"])
    assert len(set(table.runs)) == 3


def test_no_judgments() -> None:
    """Judgments without topics give a table without topics and undefined means."""
    table = evaluate(Judgments.of([]), [RUN], ["AiP", "AgP", "gR[1]", "charP", "articleAP"])
    assert table.values.shape == (1, 0, 5)
    assert all(math.isnan(mean) for mean in table.means()[0].tolist())


def test_warnings_are_handed_on() -> None:
    """Warnings are in the table and in the notices that the caller gave."""
    notices = Notices()
    table = evaluate(JUDGMENTS, [RUN], ["AiP"], notices=notices)
    assert list(table.warnings) == list(notices)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"measures": []}, "no measure"),
        ({"measures": ["AiPP"]}, "did you mean 'AiP'"),
        ({"workers": 0}, "workers"),
        ({"workers": -2}, "workers"),
    ],
)
def test_wrong_arguments(arguments: dict[str, object], message: str) -> None:
    """A wrong argument is an error in one line."""
    with pytest.raises(ExcerptError, match=message):
        evaluate(JUDGMENTS, [RUN], **arguments)  # type: ignore[arg-type]


def test_unknown_measure_before_any_work() -> None:
    """A misspelt measure is noticed before a run is read."""
    with pytest.raises(UnknownName):
        evaluate(JUDGMENTS, ["there is no such file"], ["nonsense"])


def test_files_and_objects_are_alike(tmp_path: Path) -> None:
    """Files give what objects give, whether computed here or by workers."""
    (tmp_path / "q.fol").write_text("1 Q0 a 40 100 10 10:40\n1 Q0 b 0 50\n2 Q0 c 5 60 0 0:5\n")
    rows = [[("1", "a", 0, 50), ("1", "b", 3, 9)], [("1", "b", 0, 9)], [("2", "c", 4, 9), ("1", "a", 20, 30)]]
    runs = []
    for number, results in enumerate(rows):
        lines = [
            f"{topic} Q0 {document} {rank} {9 - rank} r{number} {start} {end - start}\n"
            for rank, (topic, document, start, end) in enumerate(results, start=1)
        ]
        (tmp_path / f"{number}.run").write_text("".join(lines))
        runs.append(Run.of(f"r{number}", [Result(*row) for row in results]))
    case = Case((("1", "a", 10, 50), ("2", "c", 0, 5)), (), (("1", "b"),), {"a": 100, "b": 50, "c": 60})
    objects = evaluate(case.judgments(), runs, NAMES)
    for workers in (1, 2):
        paths = [tmp_path / f"{number}.run" for number in range(3)]
        files = evaluate(tmp_path / "q.fol", paths, NAMES, workers=workers)
        assert files.runs == objects.runs
        assert files.values.tolist() == objects.values.tolist()


@settings(max_examples=75)
@given(st.data(), cases())
def test_permuted_input_changes_nothing(data: st.DataObject, case: Case) -> None:
    """The order of highlights and of irrelevant pairs changes no score; nor does the order of topics."""
    shuffled = Case(
        tuple(data.draw(st.permutations(case.highlights))),
        case.results,
        tuple(data.draw(st.permutations(case.irrelevant))),
        case.sizes,
        case.entries,
    )
    assert close(scores(case), scores(shuffled))


@settings(max_examples=75)
@given(cases(), st.permutations("abcdyz"), st.permutations(("t1", "t2", "t3", "t9")))
def test_names_do_not_matter(case: Case, documents: list[str], topics: list[str]) -> None:
    """Renaming documents and topics renames the scores and changes nothing else."""
    document = dict(zip("abcdyz", documents, strict=True))
    topic = dict(zip(("t1", "t2", "t3", "t9"), topics, strict=True))
    renamed = Case(
        tuple((topic[row[0]], document[row[1]], *row[2:]) for row in case.highlights),
        tuple((topic[row[0]], document[row[1]], *row[2:]) for row in case.results),
        tuple((topic[one], document[two]) for one, two in case.irrelevant),
        {document[name]: size for name, size in case.sizes.items()},
    )
    before = {(topic[name], measure): score for (name, measure), score in scores(case).items()}
    assert close(before, scores(renamed))


@settings(max_examples=75)
@given(cases())
def test_topics_do_not_touch_each_other(case: Case) -> None:
    """A topic alone has the scores that it has among the others."""
    together = scores(case)
    for topic in case.topics(Topic):
        alone = Case(
            tuple(row for row in case.highlights if row[0] == topic),
            tuple(row for row in case.results if row[0] == topic),
            tuple(pair for pair in case.irrelevant if pair[0] == topic),
            case.sizes,
        )
        if alone.matches and not all(row[2] == row[3] for row in alone.results):
            assert close({key: score for key, score in together.items() if key[0] == topic}, scores(alone))


@settings(max_examples=75)
@given(cases())
def test_scores_lie_between_0_and_1(case: Case) -> None:
    """Every score is in [0, 1] unless text may count twice."""
    for overlap in ("first", "penalise"):
        policy = Policy(overlap=overlap, interleaved="regroup")
        values = [float.fromhex(score) for score in scores(case, policy).values()]
        assert all(not score < 0 and not score > 1 for score in values)


@settings(max_examples=75)
@given(cases())
def test_policies_agree_on_tidy_runs(case: Case) -> None:
    """All policies give the same scores if no two results share text and documents are together."""
    tidy = Case(case.highlights, tuple(in_one_piece(disjoint(case.results))), case.irrelevant, case.sizes)
    strict = scores(tidy, Policy())
    for overlap in ("first", "penalise", "allow"):
        assert scores(tidy, Policy(overlap=overlap)) == strict


@settings(max_examples=75)
@given(st.lists(cases(), min_size=2, max_size=4))
def test_runs_do_not_touch_each_other(several: list[Case]) -> None:
    """Several runs in one call have the scores that each has alone."""
    judgments = several[0].judgments()
    runs = [case.run() for case in several if replace(several[0], results=case.results).matches]
    together = evaluate(judgments, runs, NAMES, policy=LENIENT).values
    for run, values in zip(runs, together, strict=True):
        assert str(evaluate(judgments, [run], NAMES, policy=LENIENT).values[0].tolist()) == str(
            values.tolist()
        )


@settings(max_examples=75)
@given(cases(), st.integers(1, 2**20))
def test_large_offsets_are_exact(case: Case, factor: int) -> None:
    """Spans a million times as long have the scores that the oracle gives them."""

    def grow(rows: tuple[tuple[str, str, int, int], ...]) -> tuple[tuple[str, str, int, int], ...]:
        return tuple((t, d, s * factor if s >= 0 else s, e * factor if s >= 0 else e) for t, d, s, e in rows)

    sizes = {document: size * factor for document, size in case.sizes.items()}
    large = Case(grow(case.highlights), grow(case.results), case.irrelevant, sizes)
    assert_agreement(large.judgments(), large.run(), large.topics(IntervalTopic), MEASURES, LENIENT)
