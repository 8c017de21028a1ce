"""States of the page, as tests of it write them."""

from __future__ import annotations

from typing import Any

#: The state of an empty address.
START: dict[str, Any] = {
    **dict.fromkeys(("topic", "m", "doc", "run", "reason", "within", "q", "length", "rank", "kind"), ""),
    **dict.fromkeys(("group", "order", "hide", "scale", "upto"), ""),
    "view": "overview",
    "runs": [],
    "at": None,
}
