"""The HTML around a page: what it may do (its content security policy), its script, its data."""

from __future__ import annotations

import base64
import hashlib
import json
import struct
import zlib
from collections.abc import Mapping
from functools import cache, partial
from operator import methodcaller
from typing import Any, NamedTuple

from excerpt.render.escape import html
from excerpt.render.page.join import folder, join, join_styles


class Page(NamedTuple):
    """A page: its first module, and its style sheets in their order."""

    entry: str
    sheets: tuple[str, ...]


#: The page of reports, the explorer and notebooks.
EXPLORE = Page(
    "explore.js",
    ("base.css", "paper.css", "document.css", "overview.css", "passages.css", "topic.css", "print.css"),
)
#: The page of assessors.
ASSESS = Page(
    "assess/assess.js", ("base.css", "paper.css", "assess/assess.css", "assess/panels.css", "print.css")
)
#: The page of those who organise a campaign.
ORGANISE = Page(
    "organise/organise.js", ("base.css", "assess/panels.css", "organise/organise.css", "print.css")
)
_LEVEL, _FAST, _LARGE = 6, 1, 1 << 20

#: How every page begins.
START = b'<!DOCTYPE html>\n<html lang="en" data-state="loading"'

#: Three lines of text, one of them marked: inked for light and for dark browsers.
_ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M1 3h9M1 13h6" stroke="#8c867d" '
    'stroke-width="2"/><path d="M1 8h14" stroke="#1f5fae" stroke-width="4"/></svg>'
)
_POLICY = (
    "default-src 'none'; script-src {script}; style-src {style}; img-src data:; {connect}base-uri 'none'; "
    "form-action 'none'; require-trusted-types-for 'script'; trusted-types {types}"
)


def policy(page: Page = EXPLORE, *, script: str = "", types: str = "'none'", connect: str = "") -> str:
    """What a page may do: run its script and style, known by their hashes, and nothing else.

    `script` adds sources of scripts, `types` the name of the one policy that may make their addresses,
    `connect` says where data may be asked for.
    """
    return _POLICY.format(
        connect=connect and f"connect-src {connect}; ",
        script=f"'{digest(script_text(page))}'{script and ' '}{script}",
        style=f"'{digest(style_text(page))}'",
        types=types,
    )


def digest(text: str) -> str:
    """The hash of a script or style sheet, as a policy and an integrity attribute write it."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


@cache
def script_text(page: Page = EXPLORE) -> str:
    """The script of a page."""
    return join(folder(), page.entry)


@cache
def style_text(page: Page = EXPLORE) -> str:
    """The style sheet of a page."""
    return join_styles(folder(), page.sheets)


def encode(data: Any) -> bytes:
    """Data as compact JSON, also with arrays; names that are no valid text are escaped.

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
    """Content as gzip without time, name and system: the same bytes for the same content.

    Large content is compressed less: columns of numbers become a seventh larger in a tenth of the time.

    >>> import gzip
    >>> gzip.decompress(compress(b"abc"))
    b'abc'
    """
    packer = zlib.compressobj(_LEVEL if len(content) < _LARGE else _FAST, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = packer.compress(content) + packer.flush()
    head = b"\x1f\x8b\x08\0\0\0\0\0\x02\xff"
    return head + packed + struct.pack("<II", zlib.crc32(content), len(content) & 0xFFFFFFFF)


def template(name: str, packed: bytes) -> bytes:
    """One part of the data (base64, so nothing is to escape) as an element that no browser shows or runs."""
    return b'<template data-part="' + html(name).encode() + b'">' + packed + b"</template>\n"


def head(
    title: str, page: Page = EXPLORE, *, attributes: Mapping[str, str] | None = None, rules: str = ""
) -> bytes:
    """All that stands before the data; `rules` is another policy than the one of a single file."""
    icon = base64.b64encode(_ICON.encode()).decode()
    given = "".join(f' data-{name}="{html(value)}"' for name, value in (attributes or {}).items() if value)
    return (
        f'{START.decode()}{given}>\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{rules or policy(page)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{html(title)}</title>\n"
        f'<link rel="icon" href="data:image/svg+xml;base64,{icon}">\n'
        f"<style>{style_text(page)}</style>\n</head>\n<body>\n"
        "<noscript><p>This page draws its tables and texts with JavaScript, which is switched off here. "
        "It needs no network.</p></noscript>\n"
        '<a class="skip" href="#main">Skip to the content</a>\n<header id="bar"></header>\n'
        '<main id="main" tabindex="-1"></main>\n<div id="status" class="hidden" role="status"></div>\n'
    ).encode()


def tail(page: Page = EXPLORE) -> bytes:
    """All that stands after the data."""
    return f'<script type="module">{script_text(page)}</script>\n</body>\n</html>\n'.encode()


def served_page(title: str, page: Page = EXPLORE) -> tuple[bytes, str]:
    """A page without data, which asks the server that it comes from; and its policy, also for a header."""
    rules = policy(page, connect="'self'")
    return head(title, page, attributes={"source": "server"}, rules=rules) + tail(page), rules
