"""Spaces out of our own scripts and style sheets: a page carries what browsers need, not how it is laid out.

A line stays a line where its end may end a statement, a semicolon goes before a brace unless it may be a
statement itself; text in quotes, backticks and patterns stays.
"""

from __future__ import annotations

import re

_PIECE = re.compile(
    r"""(?:"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|[\w$]+|[ \t]+|.|\n""",
)
_PATTERN = re.compile(r"/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/[a-z]*")
#: Signs and words after which a slash begins a pattern; after all others it divides.
_OPENS = frozenset("(,=:[!&|?{};+-*%<>~^\n") | {"return", "typeof", "case", "of", "in"}
#: Signs after which the end of a line says nothing.
_GOES_ON = frozenset("{([,;")
#: What a semicolon that is a statement of its own can follow.
_EMPTY: tuple[list[str], ...] = ([], [")"], ["else"], ["do"])
#: Signs that would become another sign without the space between them.
_APART = frozenset({"++", "--", "//", "/*"})
_STYLE = re.compile(r"""("[^"\n]*"|'[^'\n]*')|\s*([{};,>])\s*|(:) +""")


def squeeze_script(script: str) -> str:
    r"""A script without the spaces that say nothing.

    >>> squeeze_script('const a = (b) => `x ${b + 1} y`;\nif (a) return /[/ ]/.test("a b") ? a + +b : c / d;')
    'const a=(b)=>`x ${b+1} y`;if(a)return/[/ ]/.test("a b")?a+ +b:c/d;'
    """
    return _Squeezing(script).code()


def squeeze_styles(styles: str) -> str:
    """Style sheets without the spaces that say nothing.

    >>> squeeze_styles('a > b, p::before { margin: 0 auto; content: "{ ; }"; }')
    'a>b,p::before{margin:0 auto;content:"{ ; }"}'
    """
    return _STYLE.sub(lambda match: match[1] or match[2] or match[3], styles).replace(";}", "}")


class _Squeezing:
    """A walk through a script, piece by piece."""

    def __init__(self, script: str) -> None:
        self._script = script
        self._at = 0

    def code(self, end: str = "") -> str:
        """The code up to a sign that is not opened here, or to the end of the script."""
        kept: list[str] = []
        before, gap, depth = "\n", False, 0
        while self._at < len(self._script):
            piece = self._piece(before)
            if piece.isspace() and (piece != "\n" or before in _GOES_ON):
                gap = True
                continue
            if piece == end and not depth:
                break
            depth += (piece == "{") - (piece == "}")
            if piece == "}" and before == ";" and kept[-2:-1] not in _EMPTY:
                kept.pop()
            if gap and _needs_space(before, piece):
                kept.append(" ")
            kept.append(piece)
            before, gap = piece, False
        return "".join(kept)

    def _piece(self, before: str) -> str:
        sign = self._script[self._at]
        if sign == "`":
            return self._template()
        pattern = _PATTERN.match(self._script, self._at) if sign == "/" and before in _OPENS else None
        match = pattern or _PIECE.match(self._script, self._at)
        assert match is not None
        self._at = match.end()
        return match[0]

    def _template(self) -> str:
        """Text in backticks as it stands, the code in it squeezed."""
        kept = ["`"]
        self._at += 1
        while (sign := self._script[self._at]) != "`":
            if self._script.startswith("${", self._at):
                self._at += 2
                kept += ["${", self.code(end="}"), "}"]
            else:
                size = 2 if sign == "\\" else 1
                kept.append(self._script[self._at : self._at + size])
                self._at += size
        self._at += 1
        return "".join((*kept, "`"))


def _needs_space(before: str, after: str) -> bool:
    """Whether two pieces would become one, or another one, without a space between them."""
    one, other = before[-1], after[0]
    words = (one.isalnum() or one in "_$") and (other.isalnum() or other in "_$")
    return words or one + other in _APART
