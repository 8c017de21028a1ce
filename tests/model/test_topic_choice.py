"""Choice of topics by id and by range; a topic's scores do not depend on the others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.element_strategies import TOPICS as GRADED
from support.strategies import TOPICS, Case, cases

import excerpt
from excerpt import ExcerptError, Notices
from excerpt.model.elements import GradedElement
from excerpt.model.judgments import Judgments
from excerpt.model.policy import Policy
from excerpt.model.topic_choice import TopicChoice, TopicIds

IDS = ["201", "205", "206", "210", "CU05", "CU7", "a-1", "2009-12"]


@pytest.mark.parametrize(
    ("only", "kept"),
    [
        ("201,205-210", ["201", "205", "206", "210"]),
        (" 206 , 201 ", ["201", "206"]),
        ([201, 206], ["201", "206"]),
        (range(205, 207), ["205", "206"]),
        (np.array([206]), ["206"]),
        (["205 - 206", "a-1"], ["205", "206", "a-1"]),
        ("CU05-CU10", ["CU05", "CU7"]),
        ("CU5-10", ["CU05", "CU7"]),
        ("0205,CU007", ["205", "CU7"]),
        ("2009-12", ["2009-12"]),
        (None, IDS),
    ],
)
def test_ids_and_ranges(only: TopicIds, kept: list[str]) -> None:
    """An id is itself, else the same number with other zeros, else a range."""
    assert TopicChoice.of(only).kept(IDS, known=True) == kept
    assert TopicChoice.of(exclude=only or ()).kept(IDS) == [
        name for name in IDS if only is None or name not in kept
    ]


@pytest.mark.parametrize(
    ("only", "said"),
    [
        ("CU6", r"unknown topic 'CU6'; did you mean 'CU05'\? known: 2"),
        ("210-205", "found the topics 210-205, expected the smaller number first"),
        ("300-400", "no topic is in the range 300-400; there are 201, 205, 206 and 5 more"),
        ("CU1-CV9", "unknown topic 'CU1-CV9'"),
        (" , ", "no topic given to choose, expected ids"),
        ([1.5], r"found 1\.5 as only, expected ids of topics"),
        (True, "found True as only, expected ids of topics"),
    ],
)
def test_mistakes(only: TopicIds, said: str) -> None:
    """A choice without any topic is an error."""
    with pytest.raises(ExcerptError, match=said):
        TopicChoice.of(only).mask(IDS, known=True)


def test_many_ids_of_many_topics() -> None:
    """Each is looked up, not compared with all: else this would take minutes."""
    names = [f"q{number:06d}" for number in range(20_000)]
    chosen = TopicChoice.of([f"q{number}" for number in range(0, 6000, 2)])
    assert chosen.kept(names, known=True) == names[:6000:2]


def test_what_is_excluded_must_be_known() -> None:
    """An id that is nowhere is a mistake on either side; of a run alone it is not."""
    choice = TopicChoice.of("201", "CU6")
    with pytest.raises(ExcerptError, match=r"unknown topic 'CU6'; did you mean 'CU05'\?"):
        choice.mask(IDS, known=True)
    assert choice.kept(IDS) == ["201"]


def test_judgments_keep_lengths_and_entry_points() -> None:
    """The length of a document may come from another topic; entry points belong to their pairs."""
    text = b"1 Q0 A 5 50 7 7:5\n2 Q0 B 5 80 9 9:5\n2 Q0 A 0 50 -1\n"
    judgments = excerpt.read_judgments(text)
    chosen = TopicChoice.of("2").of_judgments(judgments)
    assert chosen.pair_entry.tolist() == judgments.pair_entry[judgments.pair_topic == 1].tolist()
    assert 9 in chosen.pair_entry
    first = TopicChoice.of("1").of_judgments(judgments)
    assert dict(zip(first.documents, first.document_sizes.tolist(), strict=True)) == {"A": 50, "B": 80}


def test_nothing_is_left() -> None:
    """All topics excluded is a mistake too; of a run alone it is not: it may have other topics."""
    choice = TopicChoice.of(exclude="1-2")
    with pytest.raises(ExcerptError, match="no topic is left of 1, 2; choose other topics"):
        choice.mask(["1", "2"], known=True)
    assert choice.kept(["1", "2"]) == []


@settings(max_examples=60)
@given(case=cases(), chosen=st.sets(st.sampled_from(TOPICS), min_size=1), policy=st.sampled_from(["mean", 7]))
def test_scores_of_a_topic_do_not_depend_on_the_others(
    case: Case, chosen: set[str], policy: str | int
) -> None:
    """Scores of the chosen topics are those of all topics, whichever side leaves out the others."""
    judgments = case.judgments()
    chosen &= set(judgments.topics)
    shared = {row[0] for row in case.results} & chosen
    if not case.matches or not shared:
        return
    pairs = {(topic, document) for topic, document, *_ in case.highlights} | set(case.irrelevant)
    if not {row[1] for row in case.results if row[0] in chosen} & {pair[1] for pair in pairs}:
        return
    how = Policy(overlap="first", interleaved="regroup", unknown_length=policy)  # type: ignore[arg-type]
    measures = ["AiP", "charF@2", "gP@2", "articleAP", "IoU"]
    whole = excerpt.evaluate(judgments, case.run(), measures, policy=how, notices=Notices())
    notices = Notices()
    some = excerpt.evaluate(judgments, case.run(), measures, policy=how, only=sorted(chosen), notices=notices)
    assert some.topics == tuple(topic for topic in whole.topics if topic in chosen)
    places = [whole.topics.index(topic) for topic in some.topics]
    np.testing.assert_array_equal(some.values, whole.values[:, places])
    left = set(whole.topics) - chosen
    if left:
        others = excerpt.evaluate(
            judgments, case.run(), measures, policy=how, exclude=sorted(left), notices=Notices()
        )
        np.testing.assert_array_equal(others.values, some.values)
    assert not any("t9" in said for said in notices)  # whom nobody asked for is not missed


def test_graded_elements() -> None:
    """Elements of other topics go, and parents keep their children."""
    rows = [
        GradedElement(topic, "d", path, 2, 3)
        for topic in GRADED[:2]
        for path in ("/a[1]", "/a[1]/b[1]", "/a[1]/b[1]/c[1]")
    ]
    judgments = Judgments.graded(rows, scale="exhaustivity and specificity")
    chosen = TopicChoice.of([GRADED[1]]).of_judgments(judgments)
    assert chosen.elements is not None
    assert chosen.topics == (GRADED[1],)
    assert chosen.elements.pair.tolist() == [0, 0, 0]
    assert chosen.elements.parents.tolist() == [-1, 0, 1]
    known = judgments.elements
    assert known is not None
    told = known.of_pairs(np.array([False, True]))
    assert told.parent is None
    told = replace(known, parent=known.parents).of_pairs(np.array([False, True]))
    assert told.parent is not None
    assert told.parent.tolist() == [-1, 0, 1]


def test_runs_and_tables() -> None:
    """Both keep their order; a choice of nothing is the thing itself."""
    run = excerpt.Run.of("r", [("2", "A", 0, 5), ("1", "A", 0, 5), ("3", "A", 0, 5)])
    chosen = TopicChoice.of("1,3").of_run(run)
    assert [(row.topic, row.document) for row in chosen] == [("1", "A"), ("3", "A")]
    assert TopicChoice().of_run(run) is run
    assert TopicChoice.of("1-3").of_run(run) is run
    table = excerpt.ScoreTable.from_scores({("r", topic, "P"): int(topic) for topic in "213"})
    assert TopicChoice.of(exclude="1").of_table(table).values[0, :, 0].tolist() == [2, 3]
    assert TopicChoice().of_table(table) is table
