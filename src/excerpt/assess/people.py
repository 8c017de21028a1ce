"""People of a campaign: names, roles, tokens, and the assignment of documents."""

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
ASSESSOR, ADJUDICATOR = "assessor", "adjudicator"
#: Changes that add a person, with the role; who is added keeps the role.
_ROLES = {ADDED: ASSESSOR, ADJUDICATOR: ADJUDICATOR}
#: The change that adds a person of a role.
ADDING = {role: change for change, role in _ROLES.items()}


class Person(NamedTuple):
    """An assessor or an adjudicator: name, time of addition, and time of removal, if removed."""

    name: str
    added: str
    removed: str | None = None
    role: str = ASSESSOR


def new_token() -> str:
    """Return a token of 256 random bits, safe in URLs."""
    return secrets.token_urlsafe(32)


def hash_of(token: str) -> str:
    """Return the hash of a token, which is all that is stored."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def check_name(name: object) -> str:
    """Return a valid name of an assessor, or raise an error."""
    good = isinstance(name, str) and 0 < len(name) <= _LONGEST and name.strip() == name
    if not isinstance(name, str) or not good or one_line(name) != name or not is_text(name):
        expected = f"1 to {_LONGEST} characters on one line, without leading or trailing whitespace"
        raise ExcerptError(f"found the name {short(repr(name))}, expected {expected}")
    return name


class People:
    """The assessors and adjudicators of a campaign, read from the log of additions and removals."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._people: dict[str, Person] = {}
        self._tokens: dict[str, str] = {}
        for row in rows:
            name = row["name"]
            if row["change"] in _ROLES:
                earlier = self._people.get(name)
                added = earlier.added if earlier else row["at"]
                self._people[name] = Person(name, added, role=_ROLES[row["change"]])
                self._tokens[name] = row["token"]
            elif name in self._people:
                self._people[name] = self._people[name]._replace(removed=row["at"])
                self._tokens.pop(name, None)

    def all(self) -> list[Person]:
        """Return all in the order of addition, removed ones included."""
        return list(self._people.values())

    def assessors(self) -> list[Person]:
        """Return the assessors in the order of addition, removed ones included."""
        return [person for person in self._people.values() if person.role == ASSESSOR]

    def names(self, role: str = ASSESSOR) -> list[str]:
        """Return the names of the active assessors, or of those with another role."""
        people = self._people.values()
        return [person.name for person in people if person.removed is None and person.role == role]

    def role_of(self, name: str) -> str | None:
        """Return the role of a person, removed or not; None for somebody unknown."""
        person = self._people.get(name)
        return None if person is None else person.role

    def identify(self, token: str) -> str | None:
        """Return the person with this token, or None; takes the same time for every wrong token."""
        digest = hash_of(token)
        names = [name for name, stored in self._tokens.items() if hmac.compare_digest(stored, digest)]
        return names[0] if names else None


AssignedPair = tuple[str, str]


def rank_of(seed: int, *parts: str) -> int:
    """Return a pseudo-random number that depends only on the seed and the strings.

    >>> rank_of(1, "control", "7", "a") == rank_of(1, "control", "7", "a") != rank_of(2, "control", "7", "a")
    True
    """
    text = "\0".join((str(seed), *(f"{len(part)}:{part}" for part in parts)))
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big")


def draw_pairs(
    seed: int, purpose: str, pairs: Iterable[AssignedPair], proportion: float
) -> frozenset[AssignedPair]:
    """Draw a random proportion of the pairs; draws for different purposes are independent."""
    shuffled = sorted(set(pairs), key=lambda pair: (rank_of(seed, purpose, *pair), pair))
    return frozenset(shuffled[: round(proportion * len(shuffled))])


def ranked(pair: AssignedPair, people: Iterable[str], seed: int) -> tuple[str, ...]:
    """Return the order in which a pair is offered to assessors; new assessors do not change it for others."""
    return tuple(sorted(people, key=lambda name: (rank_of(seed, "judge", *pair, name), name)))


def assessors_of(people: Sequence[str], *, count: int, begun: Collection[str]) -> tuple[str, ...]:
    """Return the assessors of a pair: those who have started it, then others in order up to `count`.

    >>> assessors_of(["ann", "ben", "eve"], count=2, begun=["ben"])
    ('ben', 'ann')
    """
    others = [name for name in people if name not in begun]
    return (*sorted(begun), *others[: max(0, count - len(begun))])
