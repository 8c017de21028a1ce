"""Assessors, their tokens, and the assignment of documents."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from excerpt.assess.events import is_text
from excerpt.assess.store import Row
from excerpt.errors import ExcerptError, one_line, short

_LONGEST = 100
ADDED, REMOVED = "added", "removed"


class Person(NamedTuple):
    """An assessor: the name, when it was added, and when it was removed if it was."""

    name: str
    added: str
    removed: str | None = None


def new_token() -> str:
    """256 random bits, as they can stand in an address."""
    return secrets.token_urlsafe(32)


def hash_of(token: str) -> str:
    """What is kept of a token."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def check_name(name: object) -> str:
    """A name that can stand in a line, a file and a page."""
    good = isinstance(name, str) and 0 < len(name) <= _LONGEST and name.strip() == name
    if not isinstance(name, str) or not good or one_line(name) != name or not is_text(name):
        raise ExcerptError(
            f"found the name {short(repr(name))}, expected 1 to {_LONGEST} characters on one line, "
            "without blanks around them"
        )
    return name


class People:
    """The people of a campaign, as the rows of their changes tell it."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._people: dict[str, Person] = {}
        self._tokens: dict[str, str] = {}
        for row in rows:
            name = row["name"]
            if row["change"] == ADDED:
                known = self._people.get(name)
                self._people[name] = Person(name, known.added if known else row["at"])
                self._tokens[name] = row["token"]
            elif name in self._people:
                self._people[name] = self._people[name]._replace(removed=row["at"])
                self._tokens.pop(name, None)

    def all(self) -> list[Person]:
        """Everybody who was ever added, in that order."""
        return list(self._people.values())

    def names(self) -> list[str]:
        """Those who take part now."""
        return [person.name for person in self._people.values() if person.removed is None]

    def identify(self, token: str) -> str | None:
        """Whose token this is; None if nobody's. Takes the same time whatever is wrong with it."""
        given = hash_of(token)
        found = [name for name, known in self._tokens.items() if hmac.compare_digest(known, given)]
        return found[0] if found else None


Pair = tuple[str, str]


def rank_of(seed: int, *parts: str) -> int:
    """A number that is as good as random, and the same every time.

    >>> rank_of(1, "control", "7", "a") == rank_of(1, "control", "7", "a") != rank_of(2, "control", "7", "a")
    True
    """
    text = "\0".join((str(seed), *(f"{len(part)}:{part}" for part in parts)))
    return int.from_bytes(
        hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big"
    )


def share_of(seed: int, what: str, pairs: Iterable[Pair], share: float) -> frozenset[Pair]:
    """A random share of the pairs, rounded to whole ones; `what` keeps different draws apart."""
    known = sorted(set(pairs), key=lambda pair: (rank_of(seed, what, *pair), pair))
    return frozenset(known[: round(share * len(known))])


def ranked(pair: Pair, people: Iterable[str], seed: int) -> tuple[str, ...]:
    """People in the order in which they are asked to judge a pair; a new one moves nobody past another."""
    return tuple(sorted(people, key=lambda name: (rank_of(seed, "judge", *pair, name), name)))


def assessors_of(people: Sequence[str], *, wanted: int, begun: Collection[str]) -> tuple[str, ...]:
    """The assessors of a pair: those who have begun it, then as many others as it takes, in their order.

    >>> assessors_of(["ann", "ben", "eve"], wanted=2, begun=["ben"])
    ('ben', 'ann')
    """
    holders = sorted(begun)
    others = [name for name in people if name not in begun]
    return (*holders, *others[: max(0, wanted - len(holders))])
