"""NEXI, the query language of INEX for content and structure: parser and query objects."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias, cast

from excerpt.errors import ExcerptError, short


@dataclass(frozen=True)
class Term:
    """A word or phrase of a query, with `+` (wanted), `-` (unwanted) or no sign.

    >>> print(Term("query language", phrase=True, sign="+"))
    +"query language"
    """

    text: str
    phrase: bool = False
    sign: Literal["", "+", "-"] = ""

    def __str__(self) -> str:
        return f'{self.sign}"{self.text}"' if self.phrase else f"{self.sign}{self.text}"


@dataclass(frozen=True)
class Step:
    """A step to descendants or children with one of these tags (`*`: any) that fulfil the filters.

    >>> print(Step(("sec", "p")))
    //(sec|p)
    """

    tags: tuple[str, ...]
    #: Whether it goes to children only, as in XPath-like titles of 2003; NEXI itself has descendants.
    child: bool = False
    filters: tuple[Clause, ...] = ()

    def __str__(self) -> str:
        names = "|".join(self.tags)
        named = f"({names})" if len(self.tags) > 1 else names
        return f"{'/' if self.child else '//'}{named}{''.join(f'[{clause}]' for clause in self.filters)}"


def _relative(path: tuple[Step, ...]) -> str:
    return "." + "".join(map(str, path))


@dataclass(frozen=True)
class About:
    """`about(path, terms)`: an element on the path from the filtered element is about the terms."""

    path: tuple[Step, ...]
    terms: tuple[Term, ...]

    def __str__(self) -> str:
        return f"about({_relative(self.path)}, {' '.join(map(str, self.terms))})"


@dataclass(frozen=True)
class ValueComparison:
    """`path > value`: the content of an element compares with a number or a quoted text."""

    path: tuple[Step, ...]
    operator: Literal["<", "<=", "=", ">=", ">", "!="]
    value: str
    quoted: bool = False

    def __str__(self) -> str:
        mark = ('"' if "'" in self.value else "'") if self.quoted else ""
        value = f"{mark}{self.value}{mark}"
        return f"{_relative(self.path)} {self.operator} {value}"


@dataclass(frozen=True)
class Clauses:
    """A conjunction (`and`) or disjunction (`or`) of clauses."""

    operator: Literal["and", "or"]
    parts: tuple[Clause, ...]

    def __str__(self) -> str:
        inner = [
            f"({part})" if isinstance(part, Clauses) and self.operator == "and" else str(part)
            for part in self.parts
        ]
        return f" {self.operator} ".join(inner)


Clause: TypeAlias = About | ValueComparison | Clauses


@dataclass(frozen=True)
class Query:
    """A query: steps from the document to the target elements, which the last step names."""

    steps: tuple[Step, ...]

    def __str__(self) -> str:
        return "".join(map(str, self.steps))

    @property
    def clauses(self) -> Iterator[About | ValueComparison]:
        """All single conditions, from left to right."""
        waiting: list[Clause] = [clause for step in self.steps for clause in step.filters]
        while waiting:
            clause = waiting.pop(0)
            if isinstance(clause, Clauses):
                waiting[:0] = clause.parts
            else:
                yield clause

    @property
    def terms(self) -> tuple[Term, ...]:
        """All terms, from left to right."""
        return tuple(term for clause in self.clauses if isinstance(clause, About) for term in clause.terms)


#: Limit of nested parentheses; no topic needs more.
_DEEPEST = 50
_BLANKS = re.compile(r"\s*")
_TAG = re.compile(r"@?[^\W\d][\w.:-]*|\*")
_OPERATOR = re.compile(r"<=|>=|!=|[<=>]")
_NUMBER = re.compile(r"[-+]?\d+(\.\d+)?")
_QUOTED = re.compile("'([^']*)'|\"([^\"]*)\"")
_WORD = re.compile(r"[^\s\"()\[\],]+")
_ABOUT = re.compile(r"about\s*\(", re.IGNORECASE)
_NEXT = re.compile(r"\w+|\S")


def parse_nexi(text: str) -> Query:
    """Parse the query of a content-and-structure title.

    >>> query = parse_nexi("//article[.//yr>1998 and about(., xml)]//(sec|p)[about(.,+\\"query language\\")]")
    >>> print(query)
    //article[.//yr > 1998 and about(., xml)]//(sec|p)[about(., +"query language")]
    >>> query.steps[1].tags
    ('sec', 'p')
    """
    return _Parser(text).query()


class _Parser:
    """Recursive-descent parser of a query."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def query(self) -> Query:
        steps = self._steps(filtered=True)
        if not steps:
            raise self._error("// and a tag")
        if self._peek():
            raise self._error("//, [ or the end")
        query = Query(tuple(steps))
        if not any(isinstance(clause, About) for clause in query.clauses):
            raise ExcerptError(f"column {len(self.text) + 1}: about(…) is missing, expected at least one")
        return query

    def _steps(self, *, filtered: bool) -> list[Step]:
        steps = []
        while self._peek() == "/":
            self.at += 1
            child = not self.text.startswith("/", self.at)
            self.at += not child
            tags, filters = self._tags(), list[Clause]()
            while filtered and self._peek() == "[":
                self.at += 1
                filters.append(self._either(0))
                self._expect("]", "and, or, or ]")
            steps.append(Step(tags, child, tuple(filters)))
        return steps

    def _tags(self) -> tuple[str, ...]:
        if self._peek() != "(":
            return (self._take(_TAG, "a tag, * or ( before alternatives"),)
        self.at += 1
        tags = []
        while True:
            while self._peek() == "/":  # (//sec|//p) means the same
                self.at += 1
            tags.append(self._take(_TAG, "a tag"))
            if self._peek() == ")":
                self.at += 1
                return tuple(dict.fromkeys(tags))
            self._expect("|", "| or )")

    def _either(self, depth: int) -> Clause:
        return self._joined("or", [self._all(depth)], depth)

    def _all(self, depth: int) -> Clause:
        return self._joined("and", [self._clause(depth)], depth)

    def _joined(self, word: Literal["and", "or"], parts: list[Clause], depth: int) -> Clause:
        """Parse clauses joined by a word; nested clauses with the same word are flattened."""
        pattern = re.compile(rf"\s*{word}\b", re.IGNORECASE)
        while match := pattern.match(self.text, self.at):
            self.at = match.end()
            parts.append(self._clause(depth) if word == "and" else self._all(depth))
        flat: list[Clause] = []
        for part in parts:
            flat += part.parts if isinstance(part, Clauses) and part.operator == word else [part]
        return flat[0] if len(flat) == 1 else Clauses(word, tuple(flat))

    def _clause(self, depth: int) -> Clause:
        if depth > _DEEPEST:
            raise self._error(f"at most {_DEEPEST} nested parentheses")
        if self._peek() == "(":
            self.at += 1
            inner = self._either(depth + 1)
            self._expect(")", "and, or, or )")
            return inner
        if about := _ABOUT.match(self.text, self.at):
            self.at = about.end()
            path = self._relative()
            self._expect(",", "a comma before the terms")
            return About(path, self._terms())
        if self._peek() != ".":
            raise self._error("about(, a path that begins with a point, or (")
        return self._comparison()

    def _relative(self) -> tuple[Step, ...]:
        self._expect(".", "a path that begins with a point")
        return tuple(self._steps(filtered=False))

    def _comparison(self) -> ValueComparison:
        path = self._relative()
        operator = self._take(_OPERATOR, "one of < <= = >= > !=")
        self._peek()
        if quoted := _QUOTED.match(self.text, self.at):
            self.at = quoted.end()
            value, is_text = next(part for part in quoted.groups() if part is not None), True
        else:
            value, is_text = self._take(_NUMBER, "a number"), False
        return ValueComparison(
            path, cast("Literal['<', '<=', '=', '>=', '>', '!=']", operator), value, is_text
        )

    def _terms(self) -> tuple[Term, ...]:
        """Parse the terms up to the closing parenthesis; in titles of 2003 they are in single quotes."""
        quote = self._opening_quote()
        terms = []
        while (next_ := self._peek()) != ")":
            if quote and next_ == "'":
                self.at += 1
                quote = False
                self._peek()
                break
            if next_ == ",":  # some titles have commas between terms
                self.at += 1
                continue
            terms.append(self._term(quoted=quote))
        if quote or not terms:
            raise self._error("' after the terms" if quote else "a word or a phrase")
        self._expect(")", ")")
        return tuple(terms)

    def _opening_quote(self) -> bool:
        """Return whether all terms are in single quotes; an apostrophe without a match is part of a word."""
        while self._peek() == ",":
            self.at += 1
        if self._peek() == "'" and re.compile(r"'[^']*(?:\w'\w[^']*)*'\s*\)").match(self.text, self.at):
            self.at += 1
            return True
        return False

    def _term(self, *, quoted: bool) -> Term:
        sign = self._peek() if self._peek() in {"+", "-"} else ""
        self.at += len(sign)
        signed = cast("Literal['', '+', '-']", sign)
        if self._peek() == '"':
            begin, end = self.at + 1, self.text.find('"', self.at + 1)
            if end < 0:
                raise self._error('a phrase that ends with "')
            phrase = " ".join(self.text[begin:end].split())
            if not phrase:
                raise self._error("a phrase with words")
            self.at = end + 1
            return Term(phrase, True, signed)
        word = _WORD.match(self.text, self.at)
        if word is None:
            raise self._error("a word, a phrase or )")
        text = word[0]
        if quoted and (closing := re.search(r"'(?!\w)", text)):
            text = text[: closing.start()]
        if not text.lstrip("+-"):
            raise self._error("a word, a phrase or )")
        self.at += len(text)
        return Term(text, sign=signed)

    def _peek(self) -> str:
        """Return the next character that is not whitespace; empty at the end."""
        blanks = _BLANKS.match(self.text, self.at)
        self.at = blanks.end() if blanks else self.at
        return self.text[self.at : self.at + 1]

    def _take(self, pattern: re.Pattern[str], expected: str) -> str:
        self._peek()
        match = pattern.match(self.text, self.at)
        if match is None:
            raise self._error(expected)
        self.at = match.end()
        return match[0]

    def _expect(self, character: str, expected: str) -> None:
        if self._peek() != character:
            raise self._error(expected)
        self.at += 1

    def _error(self, expected: str) -> ExcerptError:
        self._peek()
        match = _NEXT.match(self.text, self.at)
        token = repr(short(match[0], 20)) if match else "the end"
        return ExcerptError(f"column {self.at + 1}: found {token}, expected {expected}")


#: Equivalent tags of INEX in the collection of IEEE articles: paragraphs, sections, lists and headings.
#: `section` is the tag in the Wikipedia of 2006.
EQUIVALENT = (
    frozenset({"p", "p1", "p2", "p3", "ip1", "ip2", "ip3", "ip4", "ip5", "ilrj", "item-none"}),
    frozenset({"sec", "ss1", "ss2", "ss3", "section"}),
    frozenset(
        {"dl", "list", "numeric-list", "numeric-rbrace", "bullet-list", *map("l{}".format, "123456789abcde")}
    ),
    frozenset({"h", "h1", "h1a", "h2", "h2a", "h3", "h4"}),
)
_POSITION = re.compile(r"\[[^\]]*\]")


@dataclass(frozen=True)
class Target:
    """The target of a query: the tags of each step (`*`: any), and whether it goes to children only.

    >>> from excerpt.nexi import parse_nexi
    >>> target = Target.of(parse_nexi("//article[about(., x)]//sec[about(., y)]"))
    >>> str(target), target.path
    ('sec', '//article//sec')
    >>> target.fits("/article[1]/bdy[1]/sec[2]"), target.fits("/article[1]/bdy[1]/sec[2]/p[1]")
    (True, False)
    >>> target.fits("/article[1]/bdy[1]/sec[1]/ss1[2]", vague=True)
    True
    """

    steps: tuple[tuple[tuple[str, ...], bool], ...]

    @classmethod
    def of(cls, query: Query) -> Target:
        return cls(tuple((step.tags, step.child) for step in query.steps))

    @property
    def tags(self) -> tuple[str, ...]:
        return self.steps[-1][0]

    @property
    def path(self) -> str:
        """Steps in NEXI, without filters."""
        named = ((f"({'|'.join(tags)})" if len(tags) > 1 else tags[0], child) for tags, child in self.steps)
        return "".join(("/" if child else "//") + name for name, child in named)

    def __str__(self) -> str:
        return "|".join(self.tags)

    def fits(self, path: str, *, vague: bool = False) -> bool:
        """Return whether the element at a path such as `/article[1]/sec[2]` is a target.

        Strictly, tags must be those of the query; if `vague`, equivalent tags match as well.
        """
        steps = self._vague if vague else self._strict
        reached = {0}  # possible numbers of matched steps so far
        for name in filter(None, bare_path(path).split("/")):
            open_ = [count for count in reached if count < len(steps)]
            further = {count + 1 for count in open_ if steps[count][0] & {name, "*"}}
            reached = further.union(count for count in open_ if not steps[count][1])
        return len(steps) in reached

    @cached_property
    def _strict(self) -> tuple[tuple[frozenset[str], bool], ...]:
        return tuple((frozenset(tags), child) for tags, child in self.steps)

    @cached_property
    def _vague(self) -> tuple[tuple[frozenset[str], bool], ...]:
        return tuple(
            (tags.union(*(group for group in EQUIVALENT if tags & group)), child)
            for tags, child in self._strict
        )


def bare_path(path: str) -> str:
    """Return a path without positions.

    >>> bare_path("/article[1]/sec[2]")
    '/article/sec'
    """
    return _POSITION.sub("", path).rstrip("/")
