"""HTML pages: JavaScript modules and style sheets joined into one file."""

from __future__ import annotations

import base64
import hashlib
import json
import posixpath
import re
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from operator import methodcaller
from pathlib import Path
from typing import Any, NamedTuple

from excerpt.errors import ExcerptError
from excerpt.render.layout import html

_IMPORT = re.compile(r'^import \{([\w$,\s]+)\} from "(\.\.?/[\w/-]+\.js)";\n', re.MULTILINE)
_DECLARES = re.compile(
    r"(?P<export>export )?(?:async )?(?:function\*? ?|const |let |var |class )(?P<names>[\w$].*)"
)
#: Quoted text or single characters; and a name.
_SIGNS = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|`(?:\\.|[^`\\])*`|.")
_NAME = re.compile(r"[\w$]+")
_TICKS = re.compile(r"(?<!\\)`")
#: Syntax that the joiner rejects, each with what to write instead.
_REJECTED = (
    (re.compile(r"import\b(?!\s*\()"), 'imports as import {a} from "./x.js";'),
    (re.compile(r".*\bimport\s*\("), "no import while the page runs"),
    (re.compile(r"export\s+(?!async function|function|const |let |class )"), "named exports in place"),
    (re.compile(r"(?:export )?(?:const|let|var)\s*[{\[]"), "one name for each declaration of a module"),
    (re.compile(r".*</script|.*<!--", re.IGNORECASE), "no text that ends or hides a script"),
)


def folder() -> Path:
    """Folder of the modules and style sheets of the pages."""
    return Path(__file__).parent


def join(folder: Path, entry: str) -> str:
    """Join the modules that `entry` needs into one script, `entry` last."""
    ordered: dict[str, str] = {}
    _visit(folder, entry, (), ordered)
    owners: dict[str, str] = {}
    exported: dict[str, set[str]] = {}
    return "".join(_body(name, text, owners, exported) for name, text in ordered.items())


def join_styles(folder: Path, sheets: Sequence[str]) -> str:
    """Join style sheets in the given order."""
    text = "".join(_without_comments(folder / name) for name in sheets)
    if "</style" in text.lower() or "<!--" in text:
        raise ExcerptError("contains text that ends or hides a style sheet", path=str(folder))
    return text


def _without_comments(path: Path) -> str:
    """Source without empty lines and lines that are only comments.

    Template literals of several lines are not changed.
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
    """Add a module after the modules that it imports."""
    if name in above:
        raise ExcerptError(f"modules import each other: {' → '.join((*above, name))}")
    if name in ordered:
        return
    path = folder / name
    if not path.is_file():
        by = above[-1] if above else "the page"
        raise ExcerptError(f"module {name} is missing, which {by} imports", path=str(folder))
    text = _without_comments(path)
    for _, other in _IMPORT.findall(text):
        _visit(folder, _resolved(name, other), (*above, name), ordered)
    ordered[name] = text


def _resolved(name: str, given: str) -> str:
    """Path of an imported module, relative to the folder of the pages.

    >>> _resolved("assess/assess.js", "../paper.js"), _resolved("paper.js", "./dom.js")
    ('paper.js', 'dom.js')
    """
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), given))


def _body(name: str, text: str, owners: dict[str, str], exported: dict[str, set[str]]) -> str:
    """Module for the joined script: without imports and the word `export`."""
    for listed, given in _IMPORT.findall(text):
        other = _resolved(name, given)
        for wanted in filter(None, map(str.strip, listed.split(","))):
            if wanted not in exported[other]:
                raise ExcerptError(f"imports {wanted}, which {other} does not export", path=name)
    body = _IMPORT.sub("", text)
    exported[name] = set()
    for line in body.split("\n"):
        for pattern, expected in _REJECTED:
            if pattern.match(line):
                raise ExcerptError(f"found {line.strip()[:60]}, expected {expected}", path=name)
        declared = _DECLARES.match(line)
        for new in _declared(declared["names"]) if declared else ():
            if new in owners:
                raise ExcerptError(f"{new} is declared in {owners[new]} and in {name}; names must be unique")
            owners[new] = name
            if declared and declared["export"]:
                exported[name].add(new)
    return re.sub("^export ", "", body, flags=re.MULTILINE)


def _declared(text: str) -> Iterator[str]:
    """Names that a line declares: the first one, and those after commas outside of brackets and strings.

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


class Page(NamedTuple):
    """A page: its entry module and its style sheets."""

    entry: str
    sheets: tuple[str, ...]


#: Page of reports, the explorer and notebooks.
EXPLORE = Page(
    "explore.js",
    ("base.css", "text_view.css", "document.css", "overview.css", "passages.css", "topic.css", "print.css"),
)
#: Page of assessors.
ASSESS = Page(
    "assess/assess.js", ("base.css", "text_view.css", "assess/assess.css", "assess/panels.css", "print.css")
)
#: Page of organisers.
ORGANISE = Page(
    "organise/organise.js", ("base.css", "assess/panels.css", "organise/organise.css", "print.css")
)
_LEVEL, _FAST, _LARGE = 6, 1, 1 << 20

#: First bytes of every page.
START = b'<!DOCTYPE html>\n<html lang="en" data-state="loading"'

#: Icon: three lines of text, one of them marked, in colours for light and dark browsers.
_ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M1 3h9M1 13h6" stroke="#8c867d" '
    'stroke-width="2"/><path d="M1 8h14" stroke="#1f5fae" stroke-width="4"/></svg>'
)
_POLICY = (
    "default-src 'none'; script-src {script}; style-src {style}; img-src data:; {connect}base-uri 'none'; "
    "form-action 'none'; require-trusted-types-for 'script'; trusted-types {types}"
)


def policy(page: Page = EXPLORE, *, script: str = "", types: str = "'none'", connect: str = "") -> str:
    """Content security policy of a page, which allows its script and style by their hashes.

    `script` adds sources of scripts, `types` names the policy of trusted types that may create their
    addresses, `connect` adds sources of data.
    """
    return _POLICY.format(
        connect=connect and f"connect-src {connect}; ",
        script=f"'{digest(script_text(page))}'{script and ' '}{script}",
        style=f"'{digest(style_text(page))}'",
        types=types,
    )


def digest(text: str) -> str:
    """Hash of a script or style sheet for a policy or an integrity attribute."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


@cache
def script_text(page: Page = EXPLORE) -> str:
    """Script of a page."""
    return join(folder(), page.entry)


@cache
def style_text(page: Page = EXPLORE) -> str:
    """Style sheet of a page."""
    return join_styles(folder(), page.sheets)


def encode(data: Any) -> bytes:
    """Data as compact JSON, including arrays; invalid Unicode is escaped.

    >>> import numpy as np
    >>> encode({"a": [np.array([7, -1, 120]), np.zeros(0, int)], "b": "x", "c": ["", ""]})
    b'{"a":[[7,-1,120],[]],"b":"x","c":["",""]}'
    """
    write = partial(json.dumps, separators=(",", ":"), allow_nan=False, default=methodcaller("tolist"))
    try:
        return write(data, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return write(data).encode()


def compress(content: bytes) -> bytes:
    """Compress with gzip, without time and name: the same bytes for the same content.

    Large content is compressed less: columns of numbers become 1/7 larger in 1/10 of the time.

    >>> import gzip
    >>> gzip.decompress(compress(b"abc"))
    b'abc'
    """
    packer = zlib.compressobj(_LEVEL if len(content) < _LARGE else _FAST, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = packer.compress(content) + packer.flush()
    head = b"\x1f\x8b\x08\0\0\0\0\0\x02\xff"
    return head + packed + struct.pack("<II", zlib.crc32(content), len(content) & 0xFFFFFFFF)


def template(name: str, packed: bytes) -> bytes:
    """One part of the data (in base64) as a `template` element, which browsers do not show or run."""
    return b'<template data-part="' + html(name).encode() + b'">' + packed + b"</template>\n"


def head(
    title: str, page: Page = EXPLORE, *, attributes: Mapping[str, str] | None = None, rules: str = ""
) -> bytes:
    """HTML before the data; `rules` replaces the policy of a single file."""
    icon = base64.b64encode(_ICON.encode()).decode()
    extra = "".join(f' data-{name}="{html(value)}"' for name, value in (attributes or {}).items() if value)
    return (
        f'{START.decode()}{extra}>\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{rules or policy(page)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{html(title)}</title>\n"
        f'<link rel="icon" href="data:image/svg+xml;base64,{icon}">\n'
        f"<style>{style_text(page)}</style>\n</head>\n<body>\n"
        "<noscript><p>This page needs JavaScript to show tables and texts, but no network.</p></noscript>\n"
        '<a class="skip" href="#main">Skip to the content</a>\n<header id="bar"></header>\n'
        '<main id="main" tabindex="-1"></main>\n<div id="status" class="hidden" role="status"></div>\n'
    ).encode()


def tail(page: Page = EXPLORE) -> bytes:
    """HTML after the data."""
    return f'<script type="module">{script_text(page)}</script>\n</body>\n</html>\n'.encode()


def served_page(title: str, page: Page = EXPLORE) -> tuple[bytes, str]:
    """Page that requests its data from its server; and its policy for the HTTP header."""
    rules = policy(page, connect="'self'")
    return head(title, page, attributes={"source": "server"}, rules=rules) + tail(page), rules
