"""Which elements a query asks for, against the definition step by step."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from excerpt.nexi import EQUIVALENT, Step, Target, parse_nexi

NAMES = ("a", "sec", "ss1", "p", "ip1")
STEPS = st.lists(
    st.tuples(st.lists(st.sampled_from([*NAMES, "*"]), min_size=1, max_size=2).map(tuple), st.booleans()),
    min_size=1,
    max_size=3,
)


def reached(steps: list[tuple[tuple[str, ...], bool]], tags: list[str], *, vague: bool) -> bool:
    """Whether the steps can lead to the last of the elements inside each other, starting above the first."""
    places = {-1}
    for wanted, child in steps:
        names = {name for tag in wanted for group in EQUIVALENT for name in group if vague and tag in group}
        below = {
            place
            for place in range(len(tags))
            if any(place == start + 1 if child else place > start for start in places)
        }
        places = {place for place in below if tags[place] in {*wanted, *names} or "*" in wanted}
    return len(tags) - 1 in places


@settings(max_examples=200)
@given(STEPS, st.lists(st.sampled_from(NAMES), min_size=1, max_size=5), st.booleans())
def test_fitting(steps: list[tuple[tuple[str, ...], bool]], tags: list[str], vague: bool) -> None:
    """An element fits if and only if some way leads to it."""
    path = "".join(f"/{tag}[{number}]" for number, tag in enumerate(tags, 1))
    assert Target(tuple(steps)).fits(path, vague=vague) == reached(steps, tags, vague=vague)


@pytest.mark.parametrize(
    ("title", "path", "strict", "vague"),
    [
        ("//article//sec[about(., x)]", "/article[1]/bdy[1]/sec[1]", True, True),
        ("//article//sec[about(., x)]", "/article[1]/bdy[1]/sec[1]/ss1[1]", False, True),
        ("//article//sec[about(., x)]", "/article[1]/bdy[1]", False, False),
        ("//article[about(., x)]", "/article[1]", True, True),
        ("//article[about(., x)]", "/article", True, True),
        ("//article//*[about(., x)]", "/article[1]", False, False),
        ("//*[about(., x)]", "/article[1]", True, True),
        ("//sec//(p|fig)[about(., x)]", "/article[1]/ss1[2]/ip1[1]", False, True),
        ("/article/sec[about(., x)]", "/article[1]/bdy[1]/sec[1]", False, False),
        ("//a.b[about(., x)]", "/aXb[1]", False, False),
    ],
)
def test_worked_cases(title: str, path: str, strict: bool, vague: bool) -> None:
    """Tags, wildcards, alternatives, descendants, equivalents."""
    target = Target.of(parse_nexi(title))
    assert (target.fits(path), target.fits(path, vague=True)) == (strict, vague)


def test_many_steps_take_no_time() -> None:
    """Each of many steps may stop anywhere on a long path, which is not tried out."""
    steps = ((("*",), False),) * 40
    assert Target((*steps, (("a",), False))).fits("/a[1]" * 80)
    assert not Target((*steps, (("b",), False))).fits("/a[1]" * 80)
    assert not Target(steps).fits("")


def test_paths() -> None:
    """A target is printed without what filters it."""
    target = Target.of(parse_nexi("//article[about(., x)]/(sec|p)[about(., y)]"))
    assert (target.path, target.tags) == ("//article/(sec|p)", ("sec", "p"))
    assert target == Target(
        tuple((step.tags, step.child) for step in (Step(("article",)), Step(("sec", "p"), child=True)))
    )


def test_groups_are_apart() -> None:
    """No tag means two things."""
    assert len(frozenset.union(*EQUIVALENT)) == sum(map(len, EQUIVALENT))
