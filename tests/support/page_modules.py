"""Rules for the JavaScript modules of pages, which are joined into one script with one scope."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

IMPORT = re.compile(r'^import \{([\w$,\s]+)\} from "(\.\.?/[\w/-]+\.js)";\n?', re.MULTILINE)
_DECLARES = re.compile(
    r"(?P<export>export )?(?:async )?(?:function\*? ?|const |let |var |class )(?P<names>[\w$].*)"
)
#: Quoted text or single characters; and a name.
_SIGNS = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|`(?:\\.|[^`\\])*`|.")
_NAME = re.compile(r"[\w$]+")
#: Syntax that modules must not have, each with what to write instead.
_REJECTED = (
    (re.compile(r"import\b(?!\s*\()"), 'imports as import {a} from "./x.js";'),
    (re.compile(r".*\bimport\s*\("), "no import while the page runs"),
    (re.compile(r"export\s+(?!async function|function|const |let |class )"), "named exports in place"),
    (re.compile(r"(?:export )?(?:const|let|var)\s*[{\[]"), "one name for each declaration of a module"),
    (re.compile(r".*</script|.*<!--", re.IGNORECASE), "no text that ends or hides a script"),
)


def check(folder: Path, entry: str) -> None:
    """Raise ValueError if a module that `entry` needs breaks a rule."""
    owners: dict[str, str] = {}
    exported: dict[str, set[str]] = {}
    _check(folder, entry, (), owners, exported)


def _check(  # noqa: C901 - one rule after the other
    folder: Path, name: str, above: tuple[str, ...], owners: dict[str, str], exported: dict[str, set[str]]
) -> None:
    if name in above:
        raise ValueError(f"modules import each other: {' → '.join((*above, name))}")
    if name in exported:
        return
    if not (folder / name).is_file():
        raise ValueError(f"module {name} is missing, which {above[-1]} imports")
    text = re.sub(
        r"^\s*(//.*|/\*\*?(.|\n)*?\*/)$", "", (folder / name).read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    for listed, given in IMPORT.findall(text):
        other = posixpath.normpath(posixpath.join(posixpath.dirname(name), given))
        _check(folder, other, (*above, name), owners, exported)
        for wanted in filter(None, map(str.strip, listed.split(","))):
            if wanted not in exported[other]:
                raise ValueError(f"{name} imports {wanted}, which {other} does not export")
    exported[name] = set()
    for line in IMPORT.sub("", text).split("\n"):
        for pattern, expected in _REJECTED:
            if pattern.match(line):
                raise ValueError(f"{name}: found {line.strip()[:60]}, expected {expected}")
        declared = _DECLARES.match(line)
        for new in _declared(declared["names"]) if declared else ():
            if new in owners:
                raise ValueError(f"{new} is declared in {owners[new]} and in {name}; names must be unique")
            owners[new] = name
            if declared and declared["export"]:
                exported[name].add(new)


def _declared(text: str) -> Iterator[str]:
    """Names that a line declares: the first one, and those after commas outside of brackets and strings."""
    depth, plain = 0, ""
    for sign in _SIGNS.findall(text):
        depth += sign in "([{"
        depth -= sign in ")]}"
        plain += sign if depth == 0 and len(sign) == 1 else ""
    for part in plain.split(","):
        name = _NAME.match(part.strip())
        if name:
            yield name[0]
