"""Whose opinions count, and which are left out."""

from __future__ import annotations

from pathlib import Path

import pytest
from judged_campaign import judged_campaign
from small_campaign import do, small_campaign

from excerpt.assess.merging import Opinion, Pair
from excerpt.assess.opinions import Opinions, opinion_of
from excerpt.assess.state import State
from excerpt.errors import ExcerptError, UnknownName

PAIRS = [Pair("1", document) for document in "ABCD"]


def said(document: str, name: str, *, done: bool = True) -> Opinion:
    """An opinion that something is relevant."""
    return Opinion(Pair("1", document), (name,), done, ((0, 5),))


def test_three_kinds_of_pairs() -> None:
    """Finished by somebody, begun by somebody, and neither; they are in the order of the pool."""
    opinions = Opinions.collect(
        PAIRS,
        [said("B", "bob"), said("A", "ann"), said("A", "bob", done=False), said("C", "ann", done=False)],
    )
    assert list(opinions.finished) == [Pair("1", "A"), Pair("1", "B")]
    assert [one.assessors for one in opinions.finished["1", "A"]] == [("ann",)]  # type: ignore[index]
    assert (list(opinions.begun), opinions.unjudged, opinions.several) == ([Pair("1", "C")], 1, {})
    assert [one.pair.document for one in opinions.merged()] == ["A", "B"]
    assert [one.pair.document for one in opinions.merged(unfinished=True)] == ["A", "B", "C"]


def test_several_are_named() -> None:
    """The first four; those who only began do not count beside those who finished."""
    many = [said(document, name) for document in "ABCD" for name in ("ann", "bob")]
    opinions = Opinions.collect(PAIRS * 2, [*many, said("A", "eve", done=False)])
    with pytest.raises(ExcerptError) as caught:
        opinions.merged()
    assert "found 4 documents judged by several assessors: topic 1 document A (ann, bob)," in str(
        caught.value
    )
    assert [one.assessors for one in Opinions.collect(PAIRS, many).merged("union")] == [("ann", "bob")] * 4
    begun = [said("A", "ann", done=False), said("A", "bob", done=False)]
    with pytest.raises(ExcerptError, match=r"topic 1 document A \(ann, bob\)"):
        Opinions.collect(PAIRS, begun).merged(unfinished=True)
    with pytest.raises(UnknownName, match="unknown merge"):
        opinions.merged("any")  # type: ignore[arg-type]


def test_states_become_opinions(tmp_path: Path) -> None:
    """With all that was said; a state of another time is another opinion."""
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
    """Of what follows from other grades only that counts of which both are known."""
    with small_campaign(tmp_path / "c", procedure="inex2004") as campaign:
        campaign.add_person("ann")
        do(campaign, "ann", "grade", path="/article[1]/body[1]/sec[1]/p[1]", grade=[2, 3])
        (item,) = campaign.judged()
        assert any(None in grade for grade in item.state.inferred.values())
        opinion = opinion_of(item)
        assert opinion.grades == {"/article[1]/body[1]/sec[1]/p[1]": (2, 3)}
        assert all(None not in grade for grade in opinion.inferred.values())  # type: ignore[operator]


def test_assessors_of_a_campaign(tmp_path: Path) -> None:
    """Also those who have done nothing yet; no others."""
    with judged_campaign(tmp_path / "c") as campaign:
        campaign.add_person("eve")
        assert Opinions.of(campaign, "eve").unjudged == 8
        assert len(Opinions.of(campaign, "bob").finished) == 1
        with pytest.raises(UnknownName, match="unknown assessor 'an'; did you mean 'ann'"):
            Opinions.of(campaign, "an")
