"""Joining the modules of a page into one script, and its style sheets into one: same sources, same bytes.

A module imports by `import {a, b} from "./x.js";` on one line (`"../x.js"` from a folder inside) and exports
what it declares, named, in place.
Nothing else is understood, so nothing has to be translated: modules are put one after the other, those that
others need first. Comments, indentation and functions that the page does not use stay in the sources.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from excerpt.errors import ExcerptError

_IMPORT = re.compile(r'import \{([\w$, ]+)\} from "(\.\.?/[\w/-]+\.js)";')
_DECLARES = re.compile(
    r"(?P<export>export )?(?:async )?(?:function\*? ?|const |let |var |class )(?P<names>[\w$].*)"
)
#: Text in quotes, else single characters; and a name.
_SIGNS = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|`(?:\\.|[^`\\])*`|.")
_NAME = re.compile(r"[\w$]+")
#: The first line of a function of a module, or of one that is the value of a name, and what its last line is.
_FUNCTION = re.compile(r"(?:export )?(?:async )?function\*? ?(?P<name>[\w$]+)(?!.*\}$)")
_ARROW = re.compile(r"(?:export )?const (?P<name>[\w$]+) = (?:\w+|\([^()]*\)) =>.*[^{]$")
_ENDS = {_FUNCTION: re.compile(r"\}"), _ARROW: re.compile(r".*;")}
_TICKS = re.compile(r"(?<!\\)`")
#: What the joiner does not understand, each with what to write.
_REFUSED = (
    (re.compile(r"import\b(?!\s*\()"), 'imports as import {a} from "./x.js"; on one line'),
    (re.compile(r".*\bimport\s*\("), "no import while the page runs"),
    (re.compile(r"export\s+(?!async function|function|const |let |class )"), "named exports in place"),
    (re.compile(r"(?:export )?(?:const|let|var)\s*[{\[]"), "one name for each declaration of a module"),
    (re.compile(r".*</script|.*<!--", re.IGNORECASE), "no text that ends or hides a script"),
)


def folder() -> Path:
    """Where the modules and style sheets of the pages lie."""
    return Path(__file__).parent


def join(folder: Path, entry: str) -> str:
    """The modules that `entry` needs as one script, `entry` last."""
    ordered: dict[str, list[_Line]] = {}
    _visit(folder, entry, (), ordered)
    owners: dict[str, str] = {}
    exported: dict[str, set[str]] = {}
    joined: list[_Line] = []
    for name, lines in ordered.items():
        exported[name] = set()
        kept = [(line.whole, _line(name, line, owners, exported)) for line in lines]
        joined += [_Line(whole, line) for whole, line in kept if line is not None]
    return "".join(f"{line.kept}\n" for line in _used(joined))


def join_styles(folder: Path, sheets: Sequence[str]) -> str:
    """Style sheets as one, in the order given."""
    text = "".join(f"{line.kept}\n" for name in sheets for line in _lines(folder / name))
    if "</style" in text.lower() or "<!--" in text:
        raise ExcerptError("found text that ends or hides a style sheet, expected none", path=str(folder))
    return text


class _Line(NamedTuple):
    """A line of a source: as it stands there, and as it is kept."""

    whole: str
    kept: str


def _lines(path: Path) -> Iterator[_Line]:
    """The lines of a source without indentation, and without those that are comments from end to end.

    Text in backticks that goes over several lines stays as it is.
    """
    comment = text = False
    for line in path.read_text(encoding="utf-8").split("\n"):
        bare = line.strip()
        opens = bare.startswith("/*") and not text
        if comment or opens:
            comment = "*/" not in bare
            if not opens or comment or bare.endswith("*/"):
                continue
        if text or (bare and not bare.startswith("//")):
            yield _Line(line, line if text else bare)
            text ^= bool(len(_TICKS.findall(line)) % 2)


def _visit(folder: Path, name: str, above: tuple[str, ...], ordered: dict[str, list[_Line]]) -> None:
    """Put a module after all that it imports."""
    if name in above:
        raise ExcerptError(f"found a circle of imports: {' → '.join((*above, name))}, expected none")
    if name in ordered:
        return
    path = folder / name
    if not path.is_file():
        by = above[-1] if above else "the page"
        raise ExcerptError(f"found no module {name}, which {by} imports", path=str(folder))
    lines = list(_lines(path))
    for match in filter(None, (_IMPORT.fullmatch(line.whole) for line in lines)):
        _visit(folder, _beside(name, match[2]), (*above, name), ordered)
    ordered[name] = lines


def _beside(name: str, given: str) -> str:
    """The module that another one means by a path.

    >>> _beside("assess/assess.js", "../paper.js"), _beside("paper.js", "./dom.js")
    ('paper.js', 'dom.js')
    """
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), given))


def _line(name: str, line: _Line, owners: dict[str, str], exported: dict[str, set[str]]) -> str | None:
    """A line as it stands in the joined script; None where it only said what is imported."""
    match = _IMPORT.fullmatch(line.whole)
    if match:
        other = _beside(name, match[2])
        for wanted in _names(match[1]):
            if wanted not in exported[other]:
                raise ExcerptError(f"found import of {wanted}, which {other} does not export", path=name)
        return None
    for pattern, expected in _REFUSED:
        if pattern.match(line.whole):
            raise ExcerptError(f"found {line.kept[:60]}, expected {expected}", path=name)
    declared = _DECLARES.match(line.whole)
    if declared is None:
        return line.kept
    for new in _declared(declared["names"]):
        if new in owners:
            raise ExcerptError(f"found {new} in {owners[new]} and in {name}, expected each name once")
        owners[new] = name
        if declared["export"]:
            exported[name].add(new)
    return line.kept.removeprefix("export ") if declared["export"] else line.kept


def _used(lines: Sequence[_Line]) -> Iterator[_Line]:
    """Lines without functions whose names stand nowhere else, and what only those need."""
    pieces = [
        (name, piece, Counter(word for line in piece for word in _NAME.findall(line.kept)))
        for name, piece in _pieces(lines)
    ]
    while True:
        total = Counter[str]()
        for _, _, words in pieces:
            total.update(words)
        needed = [one for one in pieces if not one[0] or total[one[0]] > one[2][one[0]]]
        if len(needed) == len(pieces):
            return (line for _, piece, _ in pieces for line in piece)
        pieces = needed


def _pieces(lines: Sequence[_Line]) -> Iterator[tuple[str, list[_Line]]]:
    """Functions with their names, and other lines one by one without."""
    rest = list(reversed(lines))
    while rest:
        piece = [rest.pop()]
        begins, ends = next(
            ((found, ends) for start, ends in _ENDS.items() if (found := start.match(piece[0].whole))),
            (None, None),
        )
        while begins and ends and rest and not ends.fullmatch(piece[-1].whole):
            piece.append(rest.pop())
        yield begins["name"] if begins else "", piece


def _declared(text: str) -> Iterator[str]:
    """The names that a line declares: the first one, and those behind commas outside of brackets and text.

    >>> list(_declared("a = f(b, c), d = 'x, y', e;")), list(_declared("g(h, i) {"))
    (['a', 'd', 'e'], ['g'])
    """
    depth, plain = 0, ""
    for sign in _SIGNS.findall(text):
        depth += sign in "([{"
        depth -= sign in ")]}"
        plain += sign if depth == 0 and len(sign) == 1 else ""
    for part in plain.split(","):
        name = _NAME.match(part.strip())
        if name:
            yield name[0]


def _names(listed: str) -> list[str]:
    return [name.strip() for name in listed.split(",") if name.strip()]
