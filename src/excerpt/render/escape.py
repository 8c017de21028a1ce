"""Names of users' files as text of each output format: what they hold is data, never markup."""

from __future__ import annotations

import re

from excerpt.errors import one_line

#: Halves of characters and what no XML may hold.
_NO_TEXT = "[\ud800-\udfff\ufffe\uffff]"
_MARKDOWN = r"[\\`*|<&~$]|(?<![^\W_])_|_(?![^\W_])|(?<=\])\("
_LATEX = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_{}"}
    | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"{\char34}"}
)


def plain(text: str) -> str:
    r"""Text without line ends and control characters, which are made visible.

    >>> print(plain("run\x1b[31m\n1"))
    run\x1b[31m\n1
    """
    shown = one_line(text)
    return shown if shown.isascii() else re.sub(_NO_TEXT, lambda match: f"\\u{ord(match[0]):04x}", shown)


def markdown(text: str) -> str:
    r"""A cell of a pipe table.

    >>> print(markdown("a|b"), markdown("my_run"), markdown("_x_"), markdown("<b>"), markdown("iP[0.01]"))
    a\|b my_run \_x\_ \<b> iP[0.01]
    """
    return re.sub(_MARKDOWN, lambda match: "\\" + match[0], plain(text))


def latex(text: str) -> str:
    r"""A cell of a tabular.

    >>> print(latex("50%_x^2"), latex("a--b"), latex("[x]"))
    50\%\_x\textasciicircum{}2 a-{}-b {[}x]
    """
    # Two hyphens are a dash, and after the end of a row [ and * belong to its command.
    escaped = plain(text).translate(_LATEX).replace("--", "-{}-").replace("--", "-{}-")
    return f"{{{escaped[0]}}}{escaped[1:]}" if escaped[:1] in {"[", "*"} else escaped


def html(text: str) -> str:
    """Text inside an element or an attribute.

    >>> html("<b> & 'c'")
    '&lt;b&gt; &amp; &#x27;c&#x27;'
    """
    from html import escape  # only notebooks and pages need it

    return escape(plain(text))


def spreadsheet(text: str) -> str:
    """A cell that no spreadsheet takes for a formula: a quote stands before = + - and @.

    >>> spreadsheet("=1+1"), spreadsheet("run")
    ("'=1+1", 'run')
    """
    return f"'{text}" if text.lstrip()[:1] in {"=", "+", "-", "@"} else text
