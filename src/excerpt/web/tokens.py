"""Who may ask: tokens, kept as hashes, and links that are good for one use."""

from __future__ import annotations

import hashlib
import hmac
import secrets


def new_token() -> str:
    """256 random bits, as they can stand in an address."""
    return secrets.token_urlsafe(32)


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


class Tokens:
    """People by the hashes of their tokens.

    >>> tokens = Tokens()
    >>> tokens.add("secret", "ann")
    >>> tokens.identify("secret"), tokens.identify("other")
    ('ann', None)
    """

    def __init__(self) -> None:
        self._people: dict[bytes, str] = {}
        self._once: dict[bytes, str] = {}

    def add(self, token: str, person: str) -> None:
        """Let somebody in by a token."""
        self._people[_hash(token)] = person

    def identify(self, token: str) -> str | None:
        """Whose token this is; None if nobody's. Takes the same time whatever is wrong with it."""
        given = _hash(token)
        found = [person for known, person in self._people.items() if hmac.compare_digest(known, given)]
        return found[0] if found else None

    def add_link(self, token: str) -> str:
        """A token that can be exchanged for another, once: all users see what a browser is started with."""
        link = new_token()
        self._once[_hash(link)] = token
        return link

    def exchange(self, token: str) -> str | None:
        """The token to keep after signing in: this one, or that of a link; None if it is nobody's."""
        if self.identify(token) is not None:
            return token
        given = _hash(token)
        known = [link for link in self._once if hmac.compare_digest(link, given)]
        return self._once.pop(known[0]) if known else None
