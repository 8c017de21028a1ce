"""From text to a query of NEXI; a mistake is told with its column, counted from 1.

The language is that of A. Trotman and B. Sigurbjörnsson (INEX 2004): `//A[B]//C[D]`, `about(.//p, terms)`,
`and`, `or`, numbers compared, alternatives `(sec|p)`, wildcards `*`. The XPath-like titles of INEX 2003 are
read too: steps to children (`/`), terms in quotes of their own (`about(., '+xml')`), texts compared.
"""

from __future__ import annotations

import re
from typing import Literal, cast

from excerpt.errors import ExcerptError, short
from excerpt.nexi.query import About, Clause, Clauses, Comparison, Query, Step, Term

#: Parentheses inside each other; no topic needs more.
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
    """The query that a content-and-structure title asks.

    >>> query = parse_nexi("//article[.//yr>1998 and about(., xml)]//(sec|p)[about(.,+\\"query language\\")]")
    >>> print(query)
    //article[.//yr > 1998 and about(., xml)]//(sec|p)[about(., +"query language")]
    >>> query.steps[1].tags
    ('sec', 'p')
    """
    return _Parser(text).query()


class _Parser:
    """Reads from left to right, one character after the other."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def query(self) -> Query:
        steps = self._steps(filtered=True)
        if not steps:
            raise self._error("// and a tag")
        if self._peek():
            raise self._error("//, [ or the end")
        found = Query(tuple(steps))
        if not any(isinstance(clause, About) for clause in found.clauses):
            raise ExcerptError(f"column {len(self.text) + 1}: found no about(…), expected at least one")
        return found

    def _steps(self, *, filtered: bool) -> list[Step]:
        steps = []
        while self._peek() == "/":
            self.at += 1
            child = not self.text.startswith("/", self.at)
            self.at += not child
            steps.append(Step(self._tags(), child, self._filters() if filtered else ()))
        return steps

    def _tags(self) -> tuple[str, ...]:
        if self._peek() != "(":
            return (self._take(_TAG, "a tag, * or ( before alternatives"),)
        self.at += 1
        tags = []
        while True:
            while self._peek() == "/":  # (//sec|//p) says the same
                self.at += 1
            tags.append(self._take(_TAG, "a tag"))
            if self._peek() == ")":
                self.at += 1
                return tuple(dict.fromkeys(tags))
            self._expect("|", "| or )")

    def _filters(self) -> tuple[Clause, ...]:
        found = []
        while self._peek() == "[":
            self.at += 1
            found.append(self._either(0))
            self._expect("]", "and, or, or ]")
        return tuple(found)

    def _either(self, depth: int) -> Clause:
        return self._joined("or", [self._all(depth)], depth)

    def _all(self, depth: int) -> Clause:
        return self._joined("and", [self._clause(depth)], depth)

    def _joined(self, word: Literal["and", "or"], parts: list[Clause], depth: int) -> Clause:
        """Clauses with a word between them; those that have the same one inside are one with them."""
        while self._skip_word(word):
            parts.append(self._clause(depth) if word == "and" else self._all(depth))
        flat: list[Clause] = []
        for part in parts:
            flat += part.parts if isinstance(part, Clauses) and part.operator == word else [part]
        return flat[0] if len(flat) == 1 else Clauses(word, tuple(flat))

    def _skip_word(self, word: str) -> bool:
        self._peek()
        match = re.compile(rf"{word}\b", re.IGNORECASE).match(self.text, self.at)
        self.at = match.end() if match else self.at
        return match is not None

    def _clause(self, depth: int) -> Clause:
        if depth > _DEEPEST:
            raise self._error(f"at most {_DEEPEST} parentheses inside each other")
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

    def _comparison(self) -> Comparison:
        path = self._relative()
        operator = self._take(_OPERATOR, "one of < <= = >= > !=")
        self._peek()
        if quoted := _QUOTED.match(self.text, self.at):
            self.at = quoted.end()
            value, is_text = next(part for part in quoted.groups() if part is not None), True
        else:
            value, is_text = self._take(_NUMBER, "a number"), False
        return Comparison(path, cast("Literal['<', '<=', '=', '>=', '>', '!=']", operator), value, is_text)

    def _terms(self) -> tuple[Term, ...]:
        """The terms up to the closing parenthesis; titles of 2003 have them in single quotes."""
        quote = self._opening_quote()
        terms = []
        while (next_ := self._peek()) != ")":
            if quote and next_ == "'":
                self.at += 1
                quote = False
                self._peek()
                break
            if next_ == ",":  # between terms, as people write
                self.at += 1
                continue
            terms.append(self._term(quoted=quote))
        if quote or not terms:
            raise self._error("' after the terms" if quote else "a word or a phrase")
        self._expect(")", ")")
        return tuple(terms)

    def _opening_quote(self) -> bool:
        """Whether all terms stand in single quotes; an apostrophe that nothing closes is part of a word."""
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
        """The next character that is no blank; nothing at the end."""
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
        found = repr(short(match[0], 20)) if match else "the end"
        return ExcerptError(f"column {self.at + 1}: found {found}, expected {expected}")
