"""Checks of LaTeX without a compiler: groups, environments, cells of every row."""

from __future__ import annotations

import re

_COLUMN = re.compile(r"[lrc]|p\{[^{}]*\}|S(?:\[(?:[^\[\]{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\])?")

#: Several columns of one type: `*{7}{@{\\hspace{4pt}}c}`.
_SEVERAL = re.compile(r"\*\{(\d+)\}\{@\{\\hspace\{4pt\}\}c\}")


def tabulars(text: str) -> list[list[list[str]]]:
    """The cells of every tabular; an error where something is not closed or a row has too many cells."""
    code = re.sub(r"(?m)(?<!\\)%.*$", "", text)
    assert _balanced(code), "groups are not closed"
    open_: list[str] = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+\*?)\}", code):
        if kind == "begin":
            open_.append(name)
        else:
            assert open_.pop() == name, "environments are not nested"
    assert not open_, "an environment is not closed"
    assert code.count("$") % 2 == 0 or r"\$" in code, "mathematics is not closed"
    found = []
    for types, body in re.findall(r"\\begin\{tabular\}\{([^\n]*)\}\n(.*?)\\end\{tabular\}", code, re.DOTALL):
        layout = _SEVERAL.sub(lambda match: "c" * int(match[1]), types)
        columns = len(_COLUMN.findall(layout))
        assert _COLUMN.sub("", layout) == "", layout
        rows = []
        for line in body.splitlines():
            if line in {r"\toprule", r"\midrule", r"\bottomrule", r"\addlinespace"}:
                continue
            assert line.endswith(r" \\"), line
            cells = re.split(r"(?<!\\)&", line.removesuffix(r" \\"))
            wide = re.fullmatch(r"\\multicolumn\{(\d+)\}.*", cells[0].strip())
            assert len(cells) == columns or (wide and int(wide[1]) == columns), line
            rows.append([cell.strip() for cell in cells])
        found.append(rows)
    return found


def _balanced(code: str) -> bool:
    depth = 0
    for brace in re.findall(r"(?<!\\)[{}]", code):
        depth += 1 if brace == "{" else -1
        if depth < 0:
            return False
    return depth == 0
