"""The HTML around the page: its policy, its escapes, its bytes."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt.render.page import shell


def test_the_policy_names_script_and_style_by_their_hashes() -> None:
    """Nothing else may run or load, and nothing may be framed by a rule that a meta element cannot set."""
    page = (shell.head("x") + shell.tail()).decode()
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page)
    assert policy is not None
    rules = dict(rule.split(" ", 1) for rule in policy[1].split("; "))
    for tag, rule in (("script", "script-src"), ("style", "style-src")):
        content = re.search(f"<{tag}[^>]*>(.*?)</{tag}>", page, re.DOTALL)
        assert content is not None
        digest = base64.b64encode(hashlib.sha256(content[1].encode()).digest()).decode()
        assert rules.pop(rule) == f"'sha256-{digest}'"
    assert rules == {
        "default-src": "'none'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }


def test_titles_and_addresses_are_escaped() -> None:
    """What users name is text, wherever it stands."""
    page = shell.head(
        '</title><script>alert(1)</script>"', attributes={"start": '#a="><img onerror=x>'}
    ).decode()
    assert "<script>alert" not in page
    assert "<img" not in page
    assert 'data-start="#a=&quot;&gt;&lt;img onerror=x&gt;"' in page


def test_there_is_a_sentence_without_scripts() -> None:
    """And a language, a viewport, an icon that needs no request."""
    page = shell.head("x").decode()
    assert '<html lang="en" data-state="loading">' in page
    assert "<noscript><p>This page draws" in page
    assert '<link rel="icon" href="data:image/svg+xml;base64,' in page
    assert 'name="viewport"' in page


def test_compressed_data_has_no_time_name_or_system() -> None:
    """The header of gzip is the same everywhere."""
    packed = shell.compress(b"text " * 100)
    assert packed[:10] == b"\x1f\x8b\x08\0\0\0\0\0\x02\xff"
    assert gzip.decompress(packed) == b"text " * 100


def test_names_that_are_no_text_are_escaped_in_json() -> None:
    """A file may hold bytes that are no UTF-8; JSON can say them."""
    assert json.loads(shell.encode({"é": "a\udc80b"})) == {"é": "a\udc80b"}
    assert shell.encode({"é": 1}) == '{"é":1}'.encode()


@given(st.lists(st.one_of(st.text(), st.sampled_from(["", "a", 'a","b', "\\", "\n", "\udc80"]), st.none())))
def test_lists_of_strings_are_what_json_writes(values: list[str | None]) -> None:
    """Whatever signs are in them, and whatever else is among them."""
    assert json.loads(shell.encode({"names": values})) == {"names": values}
    assert json.loads(shell.encode(values)) == values


def test_a_served_page_asks_its_server_only() -> None:
    """Its policy is the one of its header."""
    page, policy = shell.served_page("x")
    assert b'data-source="server"' in page
    assert "connect-src 'self'; " in policy
    assert policy.encode() in page
    assert b"<template" not in page


@pytest.mark.parametrize("page", [shell.EXPLORE, shell.ASSESS, shell.ORGANISE], ids=lambda page: page.entry)
def test_script_and_style_stay_small(page: shell.Page) -> None:
    """What a page carries beside its data is below 200 kB before gzip, so that growth is seen."""
    size = len((shell.script_text(page) + shell.style_text(page)).encode())
    print(f"{page.entry}: {size} bytes")
    assert size < 200_000
