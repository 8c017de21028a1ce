"""Tests of opinions and their merging."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.judged_campaign import bare_campaign, judged_campaign
from support.judgments_said import elements_said
from support.small_campaign import do, small_campaign
from support.span_sets import SPANS, Spans, characters, spans_of, tidy

from excerpt.assess.events import State, is_relevant
from excerpt.assess.opinions import (
    Grade,
    JudgedPair,
    Label,
    Merge,
    Opinion,
    Opinions,
    covered,
    judgments_of,
    merge,
    opinion_of,
    without,
)
from excerpt.assess.rules import Node
from excerpt.errors import ExcerptError, UnknownName
from excerpt.model import Judgments, Span

PAIRS = [JudgedPair("1", document) for document in "ABCD"]


def said(document: str, name: str, *, done: bool = True) -> Opinion:
    """An opinion with one highlight."""
    return Opinion(JudgedPair("1", document), (name,), done, ((0, 5),))


def test_three_kinds_of_pairs() -> None:
    """Pairs are finished, in progress or unjudged, in the order of the pool."""
    opinions = Opinions.collect(
        PAIRS,
        [said("B", "bob"), said("A", "ann"), said("A", "bob", done=False), said("C", "ann", done=False)],
    )
    assert list(opinions.finished) == [JudgedPair("1", "A"), JudgedPair("1", "B")]
    assert [one.assessors for one in opinions.finished["1", "A"]] == [("ann",)]  # type: ignore[index]
    assert (list(opinions.in_progress), opinions.unjudged, opinions.several) == (
        [JudgedPair("1", "C")],
        1,
        {},
    )
    assert [one.pair.document for one in opinions.merged()] == ["A", "B"]
    assert [one.pair.document for one in opinions.merged(unfinished=True)] == ["A", "B", "C"]


def test_several_are_named() -> None:
    """The error names the first four documents; unfinished opinions do not count."""
    many = [said(document, name) for document in "ABCD" for name in ("ann", "bob")]
    opinions = Opinions.collect(PAIRS * 2, [*many, said("A", "eve", done=False)])
    with pytest.raises(ExcerptError) as caught:
        opinions.merged()
    assert "4 documents have several assessors: topic 1 document A (ann, bob)," in str(caught.value)
    assert [one.assessors for one in Opinions.collect(PAIRS, many).merged("union")] == [("ann", "bob")] * 4
    begun = [said("A", "ann", done=False), said("A", "bob", done=False)]
    with pytest.raises(ExcerptError, match=r"topic 1 document A \(ann, bob\)"):
        Opinions.collect(PAIRS, begun).merged(unfinished=True)
    with pytest.raises(UnknownName, match="unknown merge"):
        opinions.merged("any")  # type: ignore[arg-type]


def test_states_become_opinions(tmp_path: Path) -> None:
    """An opinion has all data of its state, current or earlier."""
    with judged_campaign(tmp_path / "c", "evidence") as campaign:
        (item,) = [
            one
            for one in campaign.judged()
            if (one.assessor, one.document) == ("bob", "a") and one.state.done
        ]
        opinion = opinion_of(item)
        assert (opinion.pair, opinion.assessors, opinion.done) == (("7", "a"), ("bob",), True)
        assert opinion.highlights == ((10, 30),)
        assert [label[:4] for label in opinion.labels] == [(10, 30, "supports", "")]
        assert opinion.notes == (("bob", "of bob"),)
        assert opinion_of(item, State()).highlights == ()


def test_partial_grades_are_none(tmp_path: Path) -> None:
    """Inferred grades with an unknown dimension are left out."""
    with small_campaign(tmp_path / "c", procedure="inex2004") as campaign:
        campaign.add_person("ann")
        do(campaign, "ann", "grade", path="/article[1]/body[1]/sec[1]/p[1]", grade=[2, 3])
        (item,) = campaign.judged()
        assert any(None in grade for grade in item.state.inferred.values())
        opinion = opinion_of(item)
        assert opinion.grades == {"/article[1]/body[1]/sec[1]/p[1]": (2, 3)}
        assert all(None not in grade for grade in opinion.inferred.values())  # type: ignore[operator]


def test_assessors_of_a_campaign(tmp_path: Path) -> None:
    """Assessors without judgments are known, other names are not."""
    with judged_campaign(tmp_path / "c") as campaign:
        campaign.add_person("eve")
        assert Opinions.of(campaign, "eve").unjudged == 8
        assert len(Opinions.of(campaign, "bob").finished) == 1
        with pytest.raises(UnknownName, match="unknown assessor 'an'; did you mean 'ann'"):
            Opinions.of(campaign, "an")


PAIR = JudgedPair("1", "A")


@st.composite
def opinions(draw: st.DrawFn) -> list[Opinion]:
    """Opinions of up to five assessors, with entry points where text is highlighted."""
    found = []
    for number in range(draw(st.integers(2, 5))):
        highlights = tidy(draw(SPANS))
        chosen = sorted(characters([list(span) for span in highlights]))
        confirmed = draw(st.sets(st.sampled_from(chosen))) if chosen else set()
        found.append(
            Opinion(
                PAIR,
                (f"a{number}",),
                highlights=highlights,
                bep=draw(st.sampled_from(chosen)) if chosen else None,
                grades=draw(st.dictionaries(st.sampled_from(["/a[1]", "/b[1]"]), st.integers(0, 3))),
                confirmed=tidy([[at, at + 1] for at in confirmed]),
            )
        )
    return found


@given(opinions(), st.sampled_from(["union", "majority", "intersection"]))
def test_merging_is_counting(given_: list[Opinion], rule: Merge) -> None:
    """Characters are merged by counting, entry points and grades by lower medians."""
    merged = merge(given_, rule)
    sets = [characters([list(span) for span in opinion.highlights]) for opinion in given_]
    need = {"union": 1, "intersection": len(sets), "majority": len(sets) / 2 + 0.5}[rule]
    wanted = {at for at in set().union(*sets) if sum(at in one for one in sets) >= need}
    assert [list(span) for span in merged.highlights] == spans_of(wanted)
    entries = sorted(opinion.bep for opinion in given_ if opinion.bep is not None)
    if entries and wanted:
        middle = entries[(len(entries) - 1) // 2]
        assert merged.bep == min(wanted, key=lambda at: (abs(at - middle), at))
    else:
        assert merged.bep is None
    for path in ("/a[1]", "/b[1]"):
        grades = sorted(opinion.grades[path] for opinion in given_ if path in opinion.grades)
        assert merged.grades.get(path) == (grades[(len(grades) - 1) // 2] if grades else None)
    by_hand: set[int] = set().union(
        *(characters([list(span) for span in opinion.human]) for opinion in given_)
    )
    assert characters([list(span) for span in merged.confirmed]) == wanted - by_hand
    assert characters([list(span) for span in merged.human]) == wanted & by_hand


@given(st.lists(SPANS, max_size=4), st.integers(1, 4), SPANS)
def test_sets_of_characters(sets: list[Spans], need: int, others: Spans) -> None:
    """`covered` and `without` agree with sets of characters."""
    tidied = [tidy(one) for one in sets]
    counted = {at for at in range(40) if sum(at in characters(one) for one in sets) >= need}
    assert [list(span) for span in covered(tidied, need)] == spans_of(counted)
    for one in sets:
        rest = characters(one) - characters(others)
        assert [list(span) for span in without(tidy(one), tidy(others))] == spans_of(rest)


def test_labels_and_notes_are_all_kept() -> None:
    """All labels and notes are kept, also outside the merged text."""
    ann = Opinion(
        PAIR,
        ("ann",),
        highlights=((0, 5),),
        labels=(Label(0, 5, "supports", "", "ann"),),
        notes=(("ann", "x"),),
    )
    bob = Opinion(PAIR, ("bob",), done=False, labels=(), notes=(("bob", "y"),))
    merged = merge([ann, bob], "intersection")
    assert (merged.highlights, merged.labels) == ((), ann.labels)
    assert merged.notes == (("ann", "x"), ("bob", "y"))
    assert (merged.assessors, merged.done) == (("ann", "bob"), False)


def test_grades_of_all_procedures() -> None:
    """`?` is below 1; double grades are merged per dimension, coverage ordered N, S, L, E."""

    def graded(*grades: object) -> object:
        several = [Opinion(PAIR, ("a",), grades={"/a[1]": grade}) for grade in grades]  # type: ignore[dict-item]
        return merge(several, "union").grades["/a[1]"]

    assert graded(2, "?") == "?"
    assert graded(2, "?", 1) == 1
    assert graded((3, 1), (1, 2), (2, 3)) == (2, 2)
    assert graded((3, "E"), (1, "S"), (2, "L")) == (2, "L")
    assert graded((0, "N"), (1, "S")) == (0, "N")


@given(
    st.lists(st.none() | st.integers(0, 3), min_size=2, max_size=5).filter(
        lambda levels: any(level is not None for level in levels)
    ),
    st.sampled_from(["majority", "intersection"]),
    st.booleans(),
)
def test_who_leaves_an_element_out_takes_it_for_irrelevant(
    levels: list[int | None], rule: Merge, coverage: bool
) -> None:
    """An ungraded element counts as not relevant, except under `union`."""

    def grade(level: int) -> tuple[int | str, ...]:
        return (level, ("L" if level else "N") if coverage else level)

    several = [
        Opinion(PAIR, ("a",), grades={} if level is None else {"/a[1]": grade(level)}) for level in levels
    ]
    counted = sorted(level or 0 for level in levels)
    share = sum(level > 0 for level in counted) / len(levels)
    relevant = share == 1 if rule == "intersection" else share > 0.5
    middle = counted[(len(counted) - 1) // 2]
    merged = merge(several, rule)
    assert merged.grades["/a[1]"] == grade(middle if relevant else 0)
    assert merged.relevant == relevant


def test_inferred_grades_count_and_stay_inferred() -> None:
    """A merged grade counts as given if one assessor gave it."""
    one = Opinion(PAIR, ("a",), grades={"/a[1]": (1, 1)}, inferred={"/b[1]": (0, 0)})
    two = Opinion(PAIR, ("b",), inferred={"/a[1]": (3, 3), "/b[1]": (0, 0)})
    merged = merge([one, two, two], "majority")
    assert (merged.grades, merged.inferred) == ({"/a[1]": (3, 3)}, {"/b[1]": (0, 0)})


GRADES = st.lists(st.none() | st.tuples(st.integers(1, 3), st.integers(1, 3)) | st.just((0, 0)), min_size=2)


@given(GRADES, st.sampled_from(["union", "majority", "intersection"]))
def test_who_is_silent_found_nothing(grades: list[tuple[int, int] | None], rule: Merge) -> None:
    """Ungraded elements count as not relevant for majority and intersection."""
    several = [Opinion(PAIR, ("a",), grades={"/a[1]": grade} if grade else {}) for grade in grades]
    merged = merge(several, rule).grades.get("/a[1]")
    found = sum(grade is not None and grade > (0, 0) for grade in grades)
    if all(grade is None for grade in grades):
        assert merged is None
    elif rule == "majority":
        assert (merged != (0, 0)) == (2 * found > len(grades))
    elif rule == "intersection":
        assert (merged != (0, 0)) == (found == len(grades))
    else:
        firsts = sorted(grade[0] for grade in grades if grade is not None)
        assert merged is not None
        assert merged[0] == firsts[(len(firsts) - 1) // 2]  # type: ignore[index]


def test_a_single_grade_goes_with_its_text() -> None:
    """Without common highlights nothing is relevant, whatever the grades."""
    one = Opinion(PAIR, ("a",), highlights=((0, 5),), grades={"/a[1]": 2})
    two = Opinion(PAIR, ("b",), highlights=((5, 9),), grades={"/a[1]": 1})
    assert merge([one, two], "union").relevant
    assert not merge([one, two], "intersection").relevant


def test_one_is_one() -> None:
    """A single opinion is unchanged; several are an error for this rule."""
    single = Opinion(PAIR, ("ann",), highlights=((0, 5),), bep=2)
    for rule in ("one", "union", "majority", "intersection"):
        assert merge([single], rule) is single
    with pytest.raises(ValueError, match="2 opinions"):
        merge([single, single], "one")
    with pytest.raises(UnknownName, match="unknown merge 'most'; known: intersection, majority, one, union"):
        merge([single], "most")  # type: ignore[arg-type]


def test_what_is_relevant() -> None:
    """A document is relevant by highlights, or by a grade above 0."""
    assert Opinion(PAIR, (), highlights=((0, 1),)).relevant
    assert Opinion(PAIR, (), grades={"/a": (1, 1)}).relevant
    assert not Opinion(PAIR, (), grades={"/a": (0, 0), "/b": (0, "N")}).relevant
    assert is_relevant("?")


LENGTHS = {"A": 20, "B": 5}
PARTS = [
    Node("/a[1]", 0, 20, "a", -1, 3),
    Node("/a[1]/b[1]", 0, 4, "b", 0, 2),
    Node("/a[1]/b[2]", 4, 20, "b", 0, 3),
]


def made(procedure: str, *opinions: Opinion) -> Judgments:
    """Judgments of documents with three elements."""
    return judgments_of(bare_campaign(procedure, LENGTHS, PARTS), opinions)


def test_highlights() -> None:
    """Judgments with and without highlights and entry points keep the order of topics."""
    judgments = made(
        "inex2007",
        Opinion(JudgedPair("2", "A"), ("x",), highlights=((1, 3), (7, 9)), bep=7),
        Opinion(JudgedPair("1", "B"), ("x",)),
        Opinion(JudgedPair("1", "A"), ("x",), highlights=((0, 20),)),
    )
    assert (judgments.topics, judgments.documents) == (("2", "1"), ("A", "B"))
    assert judgments.highlights("2") == [Span("A", 1, 3), Span("A", 7, 9)]
    assert (judgments.pair_size.tolist(), judgments.pair_entry.tolist()) == ([20, 20, 5], [7, -1, -1])
    assert (judgments.scale, judgments.elements) == ("highlights", None)


def test_exhaustivity() -> None:
    """Elements without highlighted text after merging are left out."""
    grades: dict[str, Grade] = {"/a[1]/b[2]": "?", "/a[1]": 2, "/a[1]/b[1]": 1}
    judgments = made("inex2005", Opinion(JudgedPair("1", "A"), ("x",), highlights=((6, 16),), grades=grades))
    assert elements_said(judgments) == [
        ("1", "A", "/a[1]", [2, -1, 20, 10]),
        ("1", "A", "/a[1]/b[2]", [-1, -1, 16, 10]),
    ]
    assert judgments.scale == "exhaustivity 0-2"
    assert made("inex2005", Opinion(JudgedPair("1", "A"), ("x",))).scale == "highlights"


def test_two_grades() -> None:
    """Inferred grades count; coverage N, S, L, E is 0 to 3."""
    one = Opinion(JudgedPair("1", "B"), ("x",))
    two = Opinion(JudgedPair("1", "A"), ("x",), grades={"/a[1]": (3, "S")}, inferred={"/a[1]/b[1]": (0, "N")})
    assert elements_said(made("inex2002", one, two)) == [
        ("1", "A", "/a[1]", [3, 1, 0, 0]),
        ("1", "A", "/a[1]/b[1]", [0, 0, 0, 0]),
    ]
    three = Opinion(JudgedPair("1", "A"), ("x",), grades={"/a[1]/b[2]": (3, 1)})
    assert elements_said(made("inex2004", three)) == [("1", "A", "/a[1]/b[2]", [3, 1, 0, 0])]
    nothing = made("inex2004", one)
    assert (nothing.elements, nothing.scale, len(nothing)) == (None, "exhaustivity and specificity", 1)


def test_nothing() -> None:
    """Without opinions there are no judgments."""
    assert len(made("inex2007")) == 0
