"""All figures of `judges` on small worlds, against their definitions by sets of characters and fractions."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from statistics import fmean
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import judge_oracle
from support.span_sets import spans_of

import excerpt
from excerpt import Notices
from excerpt.bridges.judged_rows import JudgedRow, judgments_of_rows

LENGTHS = {"A": 7, "B": 12}
TOPICS, PEOPLE = ("1", "2"), ("ann", "bob", "eve")


class Found(NamedTuple):
    """What a judge found in a document for a topic."""

    grade: int
    marked: frozenset[int]


World = dict[tuple[str, str, str], Found]


@st.composite
def worlds(draw: st.DrawFn, *, complete: bool) -> World:
    """Judgments by judge, topic and document; some are missing unless the world is complete."""
    world: World = {}
    for name in PEOPLE:
        for topic in TOPICS:
            for document, length in LENGTHS.items():
                if complete or draw(st.booleans()):
                    marked = draw(st.frozensets(st.integers(0, length - 1), max_size=4))
                    world[name, topic, document] = Found(draw(st.integers(0, 3)), marked)
    return world


def judged(world: World, **how: Any) -> dict[str, Any]:
    """The figures of excerpt."""
    rows = [
        JudgedRow(
            topic,
            document,
            tuple((start, end) for start, end in spans_of(set(one.marked))),
            one.grade,
            (name,),
            "",
            LENGTHS[document],
        )
        for (name, topic, document), one in world.items()
    ]
    return excerpt.judges(judgments_of_rows(rows), samples=5, notices=Notices(), **how).to_dict()


def near(value: Fraction | None) -> Any:
    """The nearest number, or None."""
    return None if value is None else float(value)


def check(world: World, found: dict[str, Any], relevant: int) -> None:
    """Compare the figures of one part with those from definitions."""
    units: dict[tuple[str, str], dict[str, Found]] = {}
    for (name, topic, document), one in world.items():
        units.setdefault((topic, document), {})[name] = one
    names = sorted({name for name, _, _ in world})
    for name in names:
        own = [one.grade for (who, _, _), one in world.items() if who == name]
        assert found["judges"][name] == {
            "documents": len(own),
            "mean_grade": pytest.approx(fmean(own)),
            "share_relevant": pytest.approx(sum(grade >= relevant for grade in own) / len(own)),
        }
    grades = [[one.grade for one in unit.values()] for unit in units.values()]
    binary = [[int(grade >= relevant) for grade in unit] for unit in grades]
    assert found["alpha"] == {
        "nominal": near(judge_oracle.alpha(binary, ordinal=False)),
        "ordinal": near(judge_oracle.alpha(grades, ordinal=True)),
    }
    pairs, jaccard, f = [], [], []
    for first, second in combinations(names, 2):
        both = [(unit[first], unit[second]) for unit in units.values() if {first, second} <= unit.keys()]
        table = Counter((str(a.grade), str(b.grade)) for a, b in both)
        if both:
            kappas = [judge_oracle.kappa([(a.grade, b.grade) for a, b in both], power) for power in range(3)]
            pairs.append(([first, second], len(both), list(map(near, kappas)), table))
        for a, b in both:
            if a.marked | b.marked:
                jaccard.append(Fraction(len(a.marked & b.marked), len(a.marked | b.marked)))
                f.append(Fraction(2 * len(a.marked & b.marked), len(a.marked) + len(b.marked)))
    got = [
        (
            sorted(pair["judges"]),
            pair["documents"],
            [pair["kappa"][name] for name in ("plain", "linear", "quadratic")],
            transposed(pair) if pair["judges"] != sorted(pair["judges"]) else cells(pair),
        )
        for pair in found["pairs"]
    ]
    assert sorted(got, key=lambda pair: pair[0]) == pairs
    for key, values in (("jaccard", jaccard), ("f", f)):
        expected = None if not values else pytest.approx(float(sum(values) / len(values)), abs=1e-15)
        assert found["characters"][key] == expected


def cells(pair: dict[str, Any]) -> Counter[tuple[str, str]]:
    """Counts by both grades, without those that are 0."""
    return Counter({(a, b): n for a, row in pair["confusion"].items() for b, n in row.items() if n})


def transposed(pair: dict[str, Any]) -> Counter[tuple[str, str]]:
    """The same with the judges in the other order."""
    return Counter({(b, a): n for (a, b), n in cells(pair).items()})


def shared(world: World) -> bool:
    """Whether some document has two judges for a topic."""
    return len({(topic, document) for _, topic, document in world}) < len(world)


@settings(deadline=None)
@given(worlds(complete=False), st.integers(1, 3))
def test_figures_are_what_their_definitions_say(world: World, relevant: int) -> None:
    """Together and by topic, with judgments that are missing."""
    if not shared(world):
        return
    found = judged(world, relevant=relevant)
    check(world, found, relevant)
    for part in found["topics"]:
        own = {key: one for key, one in world.items() if key[1] == part["topic"]}
        assert shared(own)
        check(own, part, relevant)


@settings(deadline=None)
@given(worlds(complete=True))
def test_alpha_u_is_of_documents_end_to_end(world: World) -> None:
    """A document for two topics counts twice; all judges judged everything."""
    found = judged(world)
    lengths = {(topic, name): length for topic in TOPICS for name, length in LENGTHS.items()}
    for topics, part in ((TOPICS, found), *(((own["topic"],), own) for own in found["topics"])):
        places = [place for place in lengths if place[0] in topics]
        judges = [{"/".join(p): set(world[name, *p].marked) for p in places} for name in PEOPLE]
        expected = judge_oracle.alpha_u(judges, {"/".join(place): lengths[place] for place in places})
        assert part["characters"]["alpha_u"] == near(expected)
