"""Who judges what: each pair has its assessors by a seeded hash, so new people move as little as possible."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence

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
