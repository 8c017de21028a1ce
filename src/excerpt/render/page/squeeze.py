"""Spaces out of our own scripts and style sheets: a page carries what browsers need, not how it is laid out.

A line stays a line where its end may end a statement; it may not behind the block of a function or an `if`,
since functions as values are arrows here. A semicolon goes before a brace unless it may be a statement,
brackets around the only name before an arrow go, words give way to shorter ones that mean the same. Text in
quotes, backticks and patterns stays.
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
#: What a semicolon that is a statement of its own can follow; brackets count if they belong to such a word.
_EMPTY: tuple[list[str], ...] = ([], ["else"], ["do"])
_HEADS = frozenset({"if", "for", "while", "with"})
#: What a block follows; braces after anything else may be a value.
_BLOCKS = frozenset({")", "else", "try", "finally", "do"})
_SHORT = {"const": "let", "true": "!0", "false": "!1"}
#: Signs that would become another sign without the space between them.
_APART = frozenset({"++", "--", "//", "/*"})
_STYLE = re.compile(r"""("[^"\n]*"|'[^'\n]*')|\s*([{};,>])\s*|(:) +""")


def squeeze_script(script: str) -> str:
    r"""A script without the spaces that say nothing.

    >>> squeeze_script('const a = (b) => `x ${b + 1} y`;\nif (a) return /[/ ]/.test("a b") ? a + +b : c / d;')
    'let a=b=>`x ${b+1} y`;if(a)return/[/ ]/.test("a b")?a+ +b:c/d;'
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
        before, gap = "\n", False
        opened: list[str] = []  # what each bracket and brace follows that is open
        closed = ""  # what the last one follows that was closed
        while self._at < len(self._script):
            piece = self._piece(before)
            block = before == "}" and closed in _BLOCKS
            if piece.isspace() and (piece != "\n" or before in _GOES_ON or block):
                gap = True
                continue
            if piece == end and not opened:
                break
            if piece == "}" and before == ";" and _ends_nothing(kept, head=closed in _HEADS):
                kept.pop()
            if piece in {"(", "{"}:
                opened.append(before)
            elif piece in {")", "}"} and opened:
                closed = opened.pop()
            if gap and _needs_space(before, piece):
                kept.append(" ")
            if piece == ">" and before == "=":
                _bare_arrow(kept)
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
        name = before == "." or (before in "{," and self._script[self._at :].lstrip(" ").startswith(":"))
        return match[0] if name else _SHORT.get(match[0], match[0])

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


def _ends_nothing(kept: list[str], *, head: bool) -> bool:
    """Whether the semicolon at the end of a block only parts its last statement from none."""
    before = kept[-2:-1]
    return before not in _EMPTY and not (head and before == [")"])


def _bare_arrow(kept: list[str]) -> None:
    """Take the brackets away from `(name)=`, of which an arrow is being made."""
    if len(kept) > 4 and kept[-4] == "(" and kept[-2] == ")" and kept[-3][0].isalpha():
        del kept[-2]
        kept[-3] = " " if _needs_space(kept[-4], kept[-2]) else ""
