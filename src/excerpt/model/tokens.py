"""Counts of tokens: by a function of the caller, or by a tokenizer of another library."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sized
from functools import cache, partial
from importlib import import_module
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np

from excerpt.errors import ExcerptError, short
from excerpt.model.spans import MAX_OFFSET, IntArray
from excerpt.model.texts import count_words

#: A function from a text to the number or list of its tokens, or the name of a tokenizer.
Tokens: TypeAlias = Callable[[str], Any] | str
_NAMES = "tiktoken:NAME, transformers:NAME, tokenizers:FILE.json or words"


def count_tokens(tokens: Tokens, texts: Iterable[str]) -> IntArray:
    """Count the tokens of each text.

    >>> count_tokens(str.split, ["one two"]).tolist(), count_tokens("words", ["語 one"]).tolist()
    ([2], [2])
    """
    function, given = load_tokenizer(tokens), list(texts)
    counts = {text: _number(function(text), text) for text in dict.fromkeys(given)}
    return np.array([counts[text] for text in given], np.int64)


def _number(found: Any, text: str) -> int:
    if isinstance(found, Sized) and not isinstance(found, str | bytes | Mapping):
        found = len(found) if getattr(found, "ndim", 1) == 1 else found  # a row of a matrix is no token
    number = int(found) if isinstance(found, Integral) and not isinstance(found, bool) else -1
    if not 0 <= number <= MAX_OFFSET:
        what = f"the tokens of {short(text, 30)!r}, expected a whole number or a list"
        raise ExcerptError(f"found {short(repr(found))} as {what}", hint="try tokenizer.encode as ⟨tokens⟩")
    return number


def load_tokenizer(tokens: Tokens) -> Callable[[str], Any]:
    """Return the function that finds the tokens of a text."""
    if callable(tokens):
        return tokens
    library, _, name = str(tokens).partition(":")
    if tokens == "words":
        return count_words
    if library not in {"tiktoken", "transformers", "tokenizers"} or not name:
        raise ExcerptError(f"found {short(repr(tokens))} as tokenizer, expected {_NAMES}")
    try:
        return _load(library, name)
    except ImportError:
        message, hint = f"needs {library}, which is not installed", f"pip install {library}"
    except Exception as error:  # noqa: BLE001 - each library has its own errors
        message = f"cannot be loaded ({type(error).__name__}: {short(' '.join(str(error).split()), 120)})"
        hint = "is its name right? Some are fetched when first used; ⟨tokens=words⟩ needs no network"
    raise ExcerptError(f"tokenizer {short(str(tokens))} {message}", hint=hint)


@cache
def _load(library: str, name: str) -> Callable[[str], Any]:
    module: Any = import_module(library)
    if library == "tiktoken":
        known = name in module.list_encoding_names()
        return partial((module.get_encoding if known else module.encoding_for_model)(name).encode_ordinary)
    if library == "transformers":
        encode = module.AutoTokenizer.from_pretrained(name).encode
        return partial(encode, add_special_tokens=False, verbose=False)
    return partial(module.Tokenizer.from_file(name).encode, add_special_tokens=False)
