"""Tokens: hashes only, links that work once."""

from __future__ import annotations

from excerpt.web.tokens import Tokens, new_token


def test_tokens_have_256_bits_and_differ() -> None:
    """A token can stand in an address as it is."""
    tokens = {new_token() for _ in range(50)}
    assert len(tokens) == 50
    assert all(len(token) == 43 and token.replace("-", "").replace("_", "").isalnum() for token in tokens)


def test_people_are_known_by_their_tokens() -> None:
    """And by nothing that is nearly one."""
    tokens = Tokens()
    tokens.add("a" * 43, "ann")
    tokens.add("b" * 43, "bob")
    assert tokens.identify("a" * 43) == "ann"
    assert tokens.identify("b" * 43) == "bob"
    assert [tokens.identify(wrong) for wrong in ("", "a" * 42, "a" * 44, "A" * 43, "ann", "\ud800")] == [
        None
    ] * 6
    assert "a" * 43 not in repr(vars(tokens))


def test_a_link_is_good_for_one_use() -> None:
    """What others may have seen on the screen or in a list of processes is spent when they try it."""
    tokens = Tokens()
    tokens.add("kept", "ann")
    link = tokens.add_link("kept")
    assert tokens.identify(link) is None
    assert tokens.exchange(link) == "kept"
    assert tokens.exchange(link) is None
    assert tokens.exchange("kept") == "kept"
    assert tokens.exchange("") is None
