"""Queries as values: what is printed reads back as the same."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from excerpt.nexi import About, Clauses, Comparison, Query, Step, Term, parse_nexi
from excerpt.nexi.query import Clause

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
    lambda path, operator, value: Comparison(path, operator, *value),
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
    assert [type(clause).__name__ for clause in query.clauses] == ["About", "About", "Comparison", "About"]
