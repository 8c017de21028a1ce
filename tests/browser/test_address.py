"""The address: every state survives it, and what means nothing in it is passed over."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.browsing import Modules
from support.page_states import START

#: Names as users give them: what separates in an address, what browsers encode, other scripts, emoji.
NAMES = st.text(st.characters(exclude_categories=["Cs"])) | st.text(
    "a,&#%=+ ?/\\\"'<>-é😀\u2028\0", max_size=8
)
ENDS = st.tuples(st.integers(0, 10**8), st.integers(0, 10**8)).map(sorted)


@st.composite
def states(draw: st.DrawFn) -> dict[str, Any]:
    """Any state that the page can be in."""
    state: dict[str, Any] = {key: draw(NAMES) for key in START if START[key] == ""}
    state["runs"] = draw(st.lists(NAMES.filter(bool), max_size=4, unique=True))
    state["at"] = draw(st.none() | ENDS)
    implied = "document" if state["doc"] else "topic" if state["topic"] else "overview"
    state["view"] = draw(st.sampled_from([implied, "pair", "passages", "pairs", "documents", "measures"]))
    return state


@settings(deadline=None, max_examples=30)
@given(st.lists(states(), min_size=10, max_size=30))
def test_every_state_survives_its_address(js: Modules, given_states: list[dict[str, Any]]) -> None:
    """Written and read again it is the same; an address is made of characters that need no care."""
    addresses = js("state", "writeAddress", [[state] for state in given_states])
    assert all(address.isascii() and not set(address) & set('"<> #') for address in addresses)
    assert js("state", "readAddress", [[f"#{address}"] for address in addresses]) == given_states


@pytest.mark.parametrize(
    ("state", "address"),
    [
        ({}, ""),
        (
            {
                "view": "document",
                "topic": "CU07",
                "runs": ["a", "b"],
                "m": "MAiP",
                "doc": "C0112",
                "at": [6363, 6797],
            },
            "topic=CU07&runs=a,b&m=MAiP&doc=C0112&at=6363-6797",
        ),
        ({"view": "pair", "runs": ["a,b", "c&d"]}, "pair&runs=a%2Cb,c%26d"),
        ({"view": "passages", "q": "none", "rank": "-20"}, "passages&q=none&rank=-20"),
        ({"view": "passages", "run": "a", "reason": "document"}, "passages&run=a&reason=document"),
    ],
)
def test_addresses_are_written_like_this(js: Modules, state: dict[str, Any], address: str) -> None:
    """Addresses are in mails and papers: the order of the keys is fixed, and defaults are left out."""
    whole = START | state
    assert js("state", "writeAddress", [[whole]]) == [address]
    assert js("state", "readAddress", [[address], [f"#{address}"]]) == [whole, whole]


@pytest.mark.parametrize(
    "address",
    [
        *(
            "#",
            "#main",
            "utm=1&view=nonsense",
            "at=5",
            "at=9-3",
            "at=1-x",
            "at=-1-3",
            "topic",
            "topic=",
            "runs=,,",
        ),
        *("topic=%E0%A4%A", "runs=%", "=&&=", "__proto__=1", "toString=x", "at=12345678901-12345678902"),
    ],
)
def test_what_means_nothing_is_passed_over(js: Modules, address: str) -> None:
    """Bad values, unknown keys and broken escapes give the start."""
    assert js("state", "readAddress", [[address]]) == [START]


def test_views_of_older_addresses_are_read(js: Modules) -> None:
    """They were written as a pair."""
    states = js("state", "readAddress", [["#view=passages&q=a"], ["#passages&q=a"]])
    assert states == [START | {"view": "passages", "q": "a"}] * 2


def test_a_bad_value_spoils_nothing_else(js: Modules) -> None:
    """The rest of the address counts."""
    [state] = js("state", "readAddress", [["#topic=CU07&at=x&m=%&runs=a,,a,b"]])
    assert state == START | {"view": "topic", "topic": "CU07", "runs": ["a", "b"]}
