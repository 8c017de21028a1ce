"""Counts of tokens and words, and tokenizers that cannot be used."""

from __future__ import annotations

import re
import sys
from types import SimpleNamespace as Thing
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt import ExcerptError
from excerpt.model.texts import Texts, count_words
from excerpt.model.tokens import count_tokens

CJK = (
    "[\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9d\U00020000-\U000323af]"
)


@given(st.text("ab \n\u3000東京かカ한𠀀。", max_size=12), st.integers(0, 12), st.integers(0, 12))
def test_each_cjk_character_is_a_word(text: str, start: int, size: int) -> None:
    """Others are as split by `str.split`; Korean is written with spaces."""
    part = text[start : start + size]
    expected = len(re.sub(CJK, " x ", part).split())
    assert count_words(part) == expected
    place = [np.array([number]) for number in (0, start, start + size)]
    assert Texts({"A": text}.get).words(["A"], *place).tolist() == [expected]


@pytest.mark.parametrize("found", [3, np.int64(3), [1, 2, 3], np.zeros(3), (1, 2, 3)])
def test_a_number_or_a_list(found: Any) -> None:
    assert count_tokens(lambda _: found, ["a", "b"]).tolist() == [3, 3]


@pytest.mark.parametrize("found", [1.5, -1, None, "abc", {"input_ids": [1]}, True, np.zeros((1, 3))])
def test_functions_that_return_something_else(found: Any) -> None:
    with pytest.raises(ExcerptError, match="as the tokens of 'a', expected a whole number or a list"):
        count_tokens(lambda _: found, ["a"])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "bpe",
            "found 'bpe' as tokenizer, expected tiktoken:NAME, transformers:NAME, tokenizers:FILE.json",
        ),
        ("tiktoken:", "found 'tiktoken:' as tokenizer"),
        (5, "found 5 as tokenizer"),
        ("tiktoken:x", "tokenizer tiktoken:x needs tiktoken, which is not installed; pip install tiktoken"),
    ],
)
def test_names_that_cannot_be_used(name: Any, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    with pytest.raises(ExcerptError, match=re.escape(message)):
        count_tokens(name, ["a"])


def test_names_of_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Special tokens are not counted."""

    def encode(text: str, *, add_special_tokens: bool) -> list[str]:
        return text.split() + ["[CLS]"] * add_special_tokens

    def from_file(path: str) -> Thing:
        if path == "none":
            raise Exception("No such file")  # noqa: TRY002 - as tokenizers does
        return Thing(encode=encode)

    monkeypatch.setitem(sys.modules, "tokenizers", Thing(Tokenizer=Thing(from_file=from_file)))
    assert count_tokens("tokenizers:own", ["one two"]).tolist() == [2]
    with pytest.raises(ExcerptError, match=r"tokenizers:none cannot be loaded \(Exception: No such file\)"):
        count_tokens("tokenizers:none", ["a"])
