"""Titles of all years, and every kind of mistake with its column."""

from __future__ import annotations

import pytest

from excerpt import ExcerptError
from excerpt.nexi import Target, parse_nexi

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
    "//sec": "column 6: found no about(…), expected at least one",
    "//sec[.//yr > 1998]": "column 20: found no about(…), expected at least one",
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
    with pytest.raises(ExcerptError, match="expected at most 50 parentheses inside each other"):
        parse_nexi("//sec[" + 100_000 * "(")
    assert parse_nexi(f"//sec[{40 * '('}about(., x){40 * ')'}]") == parse_nexi("//sec[about(., x)]")
