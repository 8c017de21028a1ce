"""Joining the modules of a page into one script, and its style sheets into one: same sources, same bytes.

A module imports by `import {a, b} from "./x.js";` (`"../x.js"` from a folder inside) and exports what it
declares, named, in place. Nothing else is understood, so nothing has to be translated: modules are put one
after the other, those that others need first. Only lines of comments stay in the sources.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from excerpt.errors import ExcerptError

_IMPORT = re.compile(r'^import \{([\w$,\s]+)\} from "(\.\.?/[\w/-]+\.js)";\n', re.MULTILINE)
_DECLARES = re.compile(
    r"(?P<export>export )?(?:async )?(?:function\*? ?|const |let |var |class )(?P<names>[\w$].*)"
)
#: Text in quotes, else single characters; and a name.
_SIGNS = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|`(?:\\.|[^`\\])*`|.")
_NAME = re.compile(r"[\w$]+")
_TICKS = re.compile(r"(?<!\\)`")
#: What the joiner does not understand, each with what to write.
_REFUSED = (
    (re.compile(r"import\b(?!\s*\()"), 'imports as import {a} from "./x.js";'),
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
    ordered: dict[str, str] = {}
    _visit(folder, entry, (), ordered)
    owners: dict[str, str] = {}
    exported: dict[str, set[str]] = {}
    return "".join(_body(name, text, owners, exported) for name, text in ordered.items())


def join_styles(folder: Path, sheets: Sequence[str]) -> str:
    """Style sheets as one, in the order given."""
    text = "".join(_without_comments(folder / name) for name in sheets)
    if "</style" in text.lower() or "<!--" in text:
        raise ExcerptError("found text that ends or hides a style sheet, expected none", path=str(folder))
    return text


def _without_comments(path: Path) -> str:
    """A source without empty lines and those that are comments from end to end.

    Text in backticks that goes over several lines stays as it is.
    """
    kept: list[str] = []
    comment = text = False
    for line in path.read_text(encoding="utf-8").split("\n"):
        bare = line.strip()
        opens = bare.startswith("/*") and not text
        if comment or opens:
            comment = "*/" not in bare
            if not opens or comment or bare.endswith("*/"):
                continue
        if text or (bare and not bare.startswith("//")):
            kept.append(f"{line}\n")
            text ^= bool(len(_TICKS.findall(line)) % 2)
    return "".join(kept)


def _visit(folder: Path, name: str, above: tuple[str, ...], ordered: dict[str, str]) -> None:
    """Put a module after all that it imports."""
    if name in above:
        raise ExcerptError(f"found a circle of imports: {' → '.join((*above, name))}, expected none")
    if name in ordered:
        return
    path = folder / name
    if not path.is_file():
        by = above[-1] if above else "the page"
        raise ExcerptError(f"found no module {name}, which {by} imports", path=str(folder))
    text = _without_comments(path)
    for _, other in _IMPORT.findall(text):
        _visit(folder, _beside(name, other), (*above, name), ordered)
    ordered[name] = text


def _beside(name: str, given: str) -> str:
    """The module that another one means by a path.

    >>> _beside("assess/assess.js", "../paper.js"), _beside("paper.js", "./dom.js")
    ('paper.js', 'dom.js')
    """
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), given))


def _body(name: str, text: str, owners: dict[str, str], exported: dict[str, set[str]]) -> str:
    """A module as it stands in the joined script: without imports and the word `export`."""
    for listed, given in _IMPORT.findall(text):
        other = _beside(name, given)
        for wanted in filter(None, map(str.strip, listed.split(","))):
            if wanted not in exported[other]:
                raise ExcerptError(f"found import of {wanted}, which {other} does not export", path=name)
    body = _IMPORT.sub("", text)
    exported[name] = set()
    for line in body.split("\n"):
        for pattern, expected in _REFUSED:
            if pattern.match(line):
                raise ExcerptError(f"found {line.strip()[:60]}, expected {expected}", path=name)
        declared = _DECLARES.match(line)
        for new in _declared(declared["names"]) if declared else ():
            if new in owners:
                raise ExcerptError(f"found {new} in {owners[new]} and in {name}, expected each name once")
            owners[new] = name
            if declared and declared["export"]:
                exported[name].add(new)
    return re.sub("^export ", "", body, flags=re.MULTILINE)


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
