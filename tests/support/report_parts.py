"""The data of a report, unpacked from its page."""

from __future__ import annotations

import base64
import gzip
import html
import json
import re
from typing import Any

from excerpt.render.page import encode


def as_read(data: Any) -> Any:
    """Data as a page reads it: columns are lists."""
    return json.loads(encode(data))


def parts_of(page: bytes) -> dict[str, Any]:
    """The data of a page, unpacked."""
    found = re.findall(r'<template data-part="([^"]*)">([^<]*)</template>', page.decode())
    return {html.unescape(name): json.loads(gzip.decompress(base64.b64decode(data))) for name, data in found}
