"""Queries as values: what is printed reads back as the same."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from excerpt import ExcerptError
from excerpt.nexi import (
    EQUIVALENT,
    About,
    Clause,
    Clauses,
    Query,
    Step,
    Target,
    Term,
    ValueComparison,
    parse_nexi,
)

TAGS = st.sampled_from(["article", "sec", "p", "*", "bdy", "x-y_1", "@id", "and", "about"])
TAG_SETS = st.lists(TAGS, min_size=1, max_size=3, unique=True).map(tuple)
PATHS = st.lists(st.builds(Step, TAG_SETS, st.booleans()), max_size=2).map(tuple)
SIGNS = st.sampled_from(["", "+", "-"])
WORDS = st.sampled_from(["xml", "state-of-the-art", "don't", "C++", "1998", "or", "é", "a/b"])
TERMS = st.one_of(
    st.builds(Term, WORDS, sign=SIGNS),
    st.builds(Term, st.sampled_from(["a b", "it's (so)", "x"]), st.just(value=True), SIGNS),
)
ABOUTS = st.builds(About, PATHS, st.lists(TERMS, min_size=1, max_size=3).map(tuple))
VALUES = st.sampled_from([("1998", False), ("-1.5", False), ("IEEE & Co", True), ("O'Neill", True)])
COMPARISONS = st.builds(
    lambda path, operator, value: ValueComparison(path, operator, *value),
    PATHS,
    st.sampled_from(["<", "<=", "=", ">=", ">", "!="]),
    VALUES,
)
#: Alternating, as reading gives them: `a and (b and c)` is one list.
ORS: st.SearchStrategy[Clause] = st.builds(
    Clauses, st.just("or"), st.lists(st.one_of(ABOUTS, COMPARISONS), min_size=2, max_size=3).map(tuple)
)
ANDS: st.SearchStrategy[Clause] = st.builds(
    Clauses, st.just("and"), st.lists(st.one_of(ABOUTS, COMPARISONS, ORS), min_size=2, max_size=3).map(tuple)
)
MIXED: st.SearchStrategy[Clause] = st.builds(
    Clauses, st.just("or"), st.lists(st.one_of(ABOUTS, ANDS), min_size=2, max_size=3).map(tuple)
)
FILTERS = st.lists(st.one_of(ABOUTS, COMPARISONS, ORS, ANDS, MIXED), max_size=2).map(tuple)
STEPS = st.builds(Step, TAG_SETS, st.booleans(), FILTERS)


@settings(max_examples=80)
@given(st.lists(STEPS, max_size=3), st.builds(Step, TAG_SETS, st.booleans(), st.tuples(ABOUTS)))
def test_printing_and_reading_are_inverse(steps: list[Step], last: Step) -> None:
    """Of every query, whatever is in it."""
    query = Query((*steps, last))
    assert parse_nexi(str(query)) == query


def test_terms() -> None:
    """All of them, from left to right, through clauses of clauses."""
    query = parse_nexi('//a[about(., x) or (about(., +y) and .//n > 3)]//b[about(.//c, -"z z")]')
    assert [str(term) for term in query.terms] == ["x", "+y", '-"z z"']
    assert [type(clause).__name__ for clause in query.clauses] == [
        "About",
        "About",
        "ValueComparison",
        "About",
    ]


PRINTED = {
    # as NEXI has it
    "//article[about(., x)]//sec[about(., y)]": ("sec", None),
    "//article[about(.//bb//au, baeza-yates)]//sec[about(.,string matching)]": (
        "sec",
        "//article[about(.//bb//au, baeza-yates)]//sec[about(., string matching)]",
    ),
    "//article[.//fm//yr>1998 AND about(.,x)]//(sec|p)[about(.,y)]": (
        "sec|p",
        "//article[.//fm//yr > 1998 and about(., x)]//(sec|p)[about(., y)]",
    ),
    '//*[about(., +"new york"  -taxi)]': ("*", '//*[about(., +"new york" -taxi)]'),
    "//sec[(about(.,a) or about(.,b)) and (about(.,c) and about(.,d))]": (
        "sec",
        "//sec[(about(., a) or about(., b)) and about(., c) and about(., d)]",
    ),
    # as titles of 2003 have it
    "//article[(./fm//yr='2000' OR ./fm//yr='1999') AND about(.,'\"road traffic\"')]//sec[about(.,'+car')]": (
        "sec",
        (
            "//article[(./fm//yr = '2000' or ./fm//yr = '1999') and about(., \"road traffic\")]"
            "//sec[about(., +car)]"
        ),
    ),
    "/article/bdy//p[about(.,'it's x')]": ("p", "/article/bdy//p[about(., it's x)]"),
    "//(//sec|//p)[about(., x, y)]": ("sec|p", "//(sec|p)[about(., x y)]"),
    "//sec[about(.,, 'x')]": ("sec", "//sec[about(., x)]"),
    "//sec[about(., the '90s)]": ("sec", None),
    "//sec[about(., '90s)]": ("sec", None),
}


@pytest.mark.parametrize(("title", "expected"), PRINTED.items())
def test_titles(title: str, expected: tuple[str, str | None]) -> None:
    """They are printed in one way, and ask for something."""
    query = parse_nexi(title)
    target, printed = expected
    assert str(query) == (printed or title)
    assert str(Target.of(query)) == target
    assert parse_nexi(str(query)) == query


WRONG = {
    "": "column 1: found the end, expected // and a tag",
    "sec[about(., x)]": "column 1: found 'sec', expected // and a tag",
    "//[about(., x)]": "column 3: found '[', expected a tag, * or ( before alternatives",
    "//(sec|)[about(., x)]": "column 8: found ')', expected a tag",
    "//(sec p)[about(., x)]": "column 8: found 'p', expected | or )",
    "//sec": "column 6: about(…) is missing, expected at least one",
    "//sec[.//yr > 1998]": "column 20: about(…) is missing, expected at least one",
    "//sec[about(., x]": "column 17: found ']', expected a word, a phrase or )",
    "//sec[about(., x": "column 17: found the end, expected a word, a phrase or )",
    "//sec[about(., x)": "column 18: found the end, expected and, or, or ]",
    "//sec[about(., )]": "column 16: found ')', expected a word or a phrase",
    "//sec[about(., '')]": "column 18: found ')', expected a word or a phrase",
    '//sec[about(., "")]': "column 16: found '\"', expected a phrase with words",
    '//sec[about(., "x)]': "column 16: found '\"', expected a phrase that ends with \"",
    "//sec[about(., + )]": "column 18: found ')', expected a word, a phrase or )",
    "//sec[about(., --)]": "column 17: found '-', expected a word, a phrase or )",
    "//sec[about(p, x)]": "column 13: found 'p', expected a path that begins with a point",
    "//sec[about(. x)]": "column 15: found 'x', expected a comma before the terms",
    "//sec[contains(., x)]": (
        "column 7: found 'contains', expected about(, a path that begins with a point, or ("
    ),
    "//sec[about(., x) and]": "column 22: found ']', expected about(, a path that begins with a point, or (",
    "//sec[about(., x) about(., y)]": "column 19: found 'about', expected and, or, or ]",
    "//sec[(about(., x)]": "column 19: found ']', expected and, or, or )",
    "//sec[.//yr 1998]": "column 13: found '1998', expected one of < <= = >= > !=",
    "//sec[.//yr > x]": "column 15: found 'x', expected a number",
    "//sec[about(., x)] p": "column 20: found 'p', expected //, [ or the end",
}


@pytest.mark.parametrize(("title", "said"), WRONG.items())
def test_mistakes(title: str, said: str) -> None:
    """One line, with the column and what was expected there."""
    with pytest.raises(ExcerptError) as caught:
        parse_nexi(title)
    assert str(caught.value) == said


def test_depth() -> None:
    """Parentheses without end are no reason to fall over."""
    with pytest.raises(ExcerptError, match="expected at most 50 nested parentheses"):
        parse_nexi("//sec[" + 100_000 * "(")
    assert parse_nexi(f"//sec[{40 * '('}about(., x){40 * ')'}]") == parse_nexi("//sec[about(., x)]")


NAMES = ("a", "sec", "ss1", "p", "ip1")
TARGETS_STEPS = st.lists(
    st.tuples(st.lists(st.sampled_from([*NAMES, "*"]), min_size=1, max_size=2).map(tuple), st.booleans()),
    min_size=1,
    max_size=3,
)


def reached(steps: list[tuple[tuple[str, ...], bool]], tags: list[str], *, vague: bool) -> bool:
    """Return whether the steps can lead to the last of the nested elements, starting above the first."""
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
@given(TARGETS_STEPS, st.lists(st.sampled_from(NAMES), min_size=1, max_size=5), st.booleans())
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
