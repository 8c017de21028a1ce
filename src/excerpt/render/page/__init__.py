"""HTML pages: JavaScript modules and style sheets joined into one file."""

from __future__ import annotations

import base64
import hashlib
import json
import posixpath
import re
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, repeat
from operator import methodcaller
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from excerpt.render.layout import html

_IMPORT = re.compile(r'^import \{([\w$,\s]+)\} from "(\.\.?/[\w/-]+\.js)";\n', re.MULTILINE)
_TICKS = re.compile(r"(?<!\\)(?:\\\\)*`")
#: A line of a script that goes on in the next one.
_OPEN = re.compile(r"(?:[({\[,=?:]|=>|&&|\|\|)\n$")
#: A comment on the type of a value inside a line.
_CAST = re.compile(r"/\*\* @type [^*`\n]*\*/ ")


def folder() -> Path:
    """Folder of the modules and style sheets of the pages."""
    return Path(__file__).parent


def join(folder: Path, entry: str) -> str:
    """Join the modules that `entry` needs into one script with one scope, without imports and `export`."""
    ordered: dict[str, str] = {}
    _visit(folder, entry, ordered)
    texts = (_IMPORT.sub("", text) for text in ordered.values())
    return "".join(re.sub("^export ", "", text, flags=re.MULTILINE) for text in texts)


def join_styles(folder: Path, sheets: Sequence[str]) -> str:
    """Join style sheets in the given order, without white space that says nothing."""
    text = "".join(_without_comments(folder / name) for name in sheets)
    bare = re.sub(r"^([\w-]+): ", r"\1:", text, flags=re.MULTILINE)
    return re.sub(r";\}", "}", re.sub(r" ?([{};,])\n|(?<=,) | (>) ", r"\1\2", bare))


def _without_comments(path: Path) -> str:
    """Source without indentation, empty lines, comments and last commas, except inside template literals."""
    kept: list[str] = []
    comment = text = False
    for line in path.read_text(encoding="utf-8").split("\n"):
        bare = line.strip()
        opens = bare.startswith("/*") and not text
        if comment or opens:
            comment = "*/" not in bare
            if not opens or comment or bare.endswith("*/"):
                continue
        if not text and bare.startswith((")", "]", "}")) and kept and kept[-1].endswith(",\n"):
            kept[-1] = f"{kept[-1][:-2]}\n"
        if text or (bare and not bare.startswith("//")):
            last = kept[-1] if kept and not text and path.suffix == ".js" and "//" not in kept[-1] else ""
            if _OPEN.search(last) or (last and bare.startswith((")", "]", "}"))):
                kept[-1] = kept[-1][:-1]
            kept.append(f"{line if text else _CAST.sub('', line.lstrip())}\n")
            text ^= bool(len(_TICKS.findall(line)) % 2)
    return "".join(kept)


def _visit(folder: Path, name: str, ordered: dict[str, str]) -> None:
    """Add a module after the modules that it imports."""
    if name not in ordered:
        text = _without_comments(folder / name)
        for _, given in _IMPORT.findall(text):
            _visit(folder, posixpath.normpath(posixpath.join(posixpath.dirname(name), given)), ordered)
        ordered[name] = text


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
    "organise/organise.js",
    ("base.css", "text_view.css", "assess/panels.css", "organise/organise.css", "print.css"),
)
#: Page on which questions with quotes are written.
GOLD = Page(
    "gold/gold.js", ("base.css", "text_view.css", "assess/assess.css", "assess/panels.css", "gold/gold.css")
)
_LEVEL, _FAST, _LARGE = 6, 1, 1 << 20

START = b'<!DOCTYPE html>\n<html lang="en" data-state="loading"'  # first bytes of every page

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
    """Content security policy of a page: its script and style by their hashes, and further sources.

    `types` names the policy of trusted types that may create addresses of scripts.
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
    try:
        return b"".join(_encoded(data, _PLAIN.encode))
    except UnicodeEncodeError:
        return b"".join(_encoded(data, _ESCAPED.encode))


_PLAIN, _ESCAPED = (
    json.JSONEncoder(
        ensure_ascii=escaped, allow_nan=False, separators=(",", ":"), default=methodcaller("tolist")
    )
    for escaped in (False, True)
)
#: Least length of a column that is faster without `json`.
_LONG = 500


def _encoded(data: Any, write: Callable[[Any], str]) -> Iterator[bytes]:
    """Pieces of JSON; long columns of integers are most of a large page."""
    if _is_long(data):
        from msgspec.json import encode as encode_numbers

        yield encode_numbers(data.tolist())
    elif not _has_long(data):
        yield write(data).encode()
    elif isinstance(data, dict):
        for mark, (key, value) in zip(chain([b"{"], repeat(b",")), data.items(), strict=False):
            yield mark + write(key).encode() + b":"
            yield from _encoded(value, write)
        yield b"}"
    else:
        for mark, value in zip(chain([b"["], repeat(b",")), data, strict=False):
            yield mark
            yield from _encoded(value, write)
        yield b"]"


def _is_long(data: Any) -> bool:
    is_column = isinstance(data, np.ndarray) and data.ndim == 1 and data.dtype.kind in "iu"
    return is_column and len(data) >= _LONG


def _has_long(data: Any) -> bool:
    """Whether there are long columns in a mapping, in mappings in it, or in a list of columns."""
    if isinstance(data, dict):
        some = any(_is_long(value) or _has_long(value) for value in data.values())
        return some and all(isinstance(key, str) for key in data)
    return isinstance(data, list) and isinstance((data or [None])[0], np.ndarray) and any(map(_is_long, data))


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
    title: str,
    page: Page = EXPLORE,
    *,
    attributes: Mapping[str, str] | None = None,
    rules: str = "",
    means: str = "",
    waiting: str = "",
) -> bytes:
    """HTML before the data, with a policy (`rules`), `means` without scripts, a sentence while `waiting`."""
    icon = base64.b64encode(_ICON.encode()).decode()
    bar = waiting and f"<strong>{html(title)}</strong>"
    first = waiting and f'<p class="page">{html(waiting)}</p>'
    extra = "".join(f' data-{name}="{html(value)}"' for name, value in (attributes or {}).items() if value)
    return (
        f'{START.decode()}{extra}>\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{rules or policy(page)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{html(title)}</title>\n"
        f'<link rel="icon" href="data:image/svg+xml;base64,{icon}">\n'
        f"<style>{style_text(page)}</style>\n</head>\n<body>\n"
        "<noscript><p>This page needs JavaScript to show tables and texts, but no network.</p>"
        f'{means}</noscript>\n<a class="skip" href="#main">Skip to the content</a>\n'
        f'<header id="bar">{bar}</header>\n<main id="main" tabindex="-1">{first}</main>\n'
        '<div id="status" class="hidden" role="status"></div>\n'
    ).encode()


def tail(page: Page = EXPLORE) -> bytes:
    """HTML after the data."""
    return f'<script type="module">{script_text(page)}</script>\n</body>\n</html>\n'.encode()


def served_page(title: str, page: Page = EXPLORE, *, waiting: str = "") -> tuple[bytes, str]:
    """Page that requests its data from its server; and its policy for the HTTP header."""
    rules = policy(page, connect="'self'")
    before = head(title, page, attributes={"source": "server"}, rules=rules, waiting=waiting)
    return before + tail(page), rules
