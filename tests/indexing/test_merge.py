"""Merging: one index of many batches."""

from __future__ import annotations

import contextlib
from hashlib import sha256
from pathlib import Path

from excerpt.indexing.batch import IndexedBatch
from excerpt.indexing.merge import Merger


def fingerprint(folder: Path, digests: list[tuple[str, bytes]]) -> str:
    """The fingerprint of documents with these ids and digests."""
    with contextlib.closing(Merger(folder)) as merger:
        merger.add(IndexedBatch(None, [], [], digests, [], []))
        return merger.fingerprint


def test_an_id_is_not_taken_for_documents(tmp_path: Path) -> None:
    """A document whose id looks like another id with its digest is another corpus than two documents."""
    first, second = sha256(b"<a/>").digest(), sha256(b"<b/>").digest()
    odd = "a" + first.decode("utf-8", "surrogateescape") + "b"
    two = fingerprint(tmp_path, [("a", first), ("b", second)])
    assert two != fingerprint(tmp_path, [(odd, second)])
    assert two == fingerprint(tmp_path, [("a", first), ("b", second)])
