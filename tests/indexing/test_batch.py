"""A batch of documents: each is handled in its own way, with the same result."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from support.index_documents import BATCHES, UNITS, index_documents, parse_documents, readable_columns

from excerpt.documents.entry import LARGE, Entry, FilePart
from excerpt.errors import ExcerptError
from excerpt.indexing import batch as batches
from excerpt.indexing.batch import IndexedBatch, index_batch
from excerpt.indexing.builder import build_index
from excerpt.model.judgments import OffsetUnit
from excerpt.parse.tree import lay_out, pair_tags


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(documents=BATCHES, unit=UNITS)
def test_whole_batches_are_what_the_parser_finds(documents: list[bytes], unit: OffsetUnit) -> None:
    """Whichever way a document goes: verdict, line, message and every column are those of the parser."""
    batch = index_documents(documents, unit)
    tape, good, broken = parse_documents(documents, unit)
    assert [(int(b.document), b.line, b.message) for b in batch.broken] == broken
    assert [int(name) for name in batch.ids] == good
    assert (batch.columns is None) == (not good)
    if batch.columns is not None:
        expected = lay_out(pair_tags(tape.events()), np.arange(len(good)))
        assert readable_columns(batch.columns, batch.tags) == readable_columns(expected, list(tape.tags))
        assert batch.columns.document_size.tolist() == expected.document_size.tolist()


def test_tags_are_numbered_by_appearance() -> None:
    """The numbers of tags do not show which documents were proven; those of the handlers come first."""
    documents = [b"<a><b></b></a>", b"<c d='1'></c>", b"<e><a/></e>", b"<![CDATA[", b"<f><?p?></f>"]
    assert index_documents(documents).tags == ["a", "b", "c", "e", "f"]
    assert index_documents([*documents, b"<t><u/></t >"]).tags == ["t", "u", "a", "b", "c", "e", "f"]


def test_a_large_document_among_others(tmp_path: Path) -> None:
    """A document that comes in pieces is read in its turn."""
    large = b"<l>" + b"x" * LARGE + b"</l>"
    (tmp_path / "l.xml").write_bytes(large)
    small = [Entry(name, name, 9, f"<{name}>x</{name}>".encode(), 0) for name in ("s", "t")]
    part = FilePart(str(tmp_path / "l.xml"))
    batch = index_batch([small[0], Entry("l", "l", len(large), part, 0), small[1]], "char")
    assert batch.columns is not None
    assert (batch.ids, batch.tags) == (["s", "l", "t"], ["l", "s", "t"])
    assert batch.columns.document_size.tolist() == [1, LARGE, 1]
    assert [name for name, _ in batch.digests] == ["s", "l", "t"]


@pytest.mark.parametrize("size", [0, 3, 11, 12, 13, 500, 2 * LARGE])
def test_a_file_of_another_size(tmp_path: Path, size: int) -> None:
    """A file that grew or shrank since it was found is read to its end."""
    (tmp_path / "a.xml").write_bytes(b"<a>seven</a>")
    batch = index_batch([Entry("a", "a", size, FilePart(str(tmp_path / "a.xml")), 0)], "char")
    assert batch.columns is not None
    assert batch.columns.document_size.tolist() == [5]


def test_an_instruction_that_looks_like_a_declaration() -> None:
    """`<?xml-stylesheet` may hold anything, tags too."""
    batch = index_documents([b"<?xml-stylesheet x=\"<b></c><\"?>\n<a x='1'>yz</a>"])
    assert (batch.broken, batch.tags) == ([], ["a"])


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(documents=BATCHES, unit=UNITS)
def test_without_proofs_the_index_is_the_same(documents: list[bytes], unit: OffsetUnit) -> None:
    """`prove` is a door that may be shut: every document, span and path, and every message, stays."""
    proven = index_documents(documents, unit)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batches, "prove", lambda *_, **__: None)
        parsed = index_documents(documents, unit)
    assert (proven.ids, proven.digests, proven.broken, proven.unread) == (
        parsed.ids,
        parsed.digests,
        parsed.broken,
        parsed.unread,
    )
    assert sorted(proven.tags) == sorted(parsed.tags)
    if parsed.columns is not None:
        assert proven.columns is not None
        assert readable_columns(proven.columns, proven.tags) == readable_columns(parsed.columns, parsed.tags)


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(documents=BATCHES, unit=UNITS)
def test_with_text_proofs_leave_no_trace(documents: list[bytes], unit: OffsetUnit) -> None:
    """Every column, text, message and the order of tags are those of the parser alone."""
    proven = index_documents(documents, unit, keep_text=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batches, "prove", lambda *_, **__: None)
        parsed = index_documents(documents, unit, keep_text=True)
    assert _listed(proven) == _listed(parsed)


def _listed(batch: IndexedBatch) -> tuple[object, ...]:
    """Everything in a batch, arrays as lists."""
    tables = [[column.tolist() for column in table] for table in (batch.columns, batch.texts) if table]
    return tables, batch.tags, batch.ids, batch.digests, batch.broken, batch.unread


def test_too_little_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents that do not fit into the memory are an error that says how much they need."""

    def fail(*_: object, **__: object) -> NoReturn:
        raise MemoryError

    monkeypatch.setattr(batches, "lay_out", fail)
    (tmp_path / "a.xml").write_text("<a>text</a>")
    (tmp_path / "b.xml").write_bytes(b"<a>" + b"x" * LARGE + b"</a>")
    with pytest.raises(ExcerptError, match=r"a\.xml: does not fit into memory: needs about 60 MiB; "):
        build_index(tmp_path / "a.xml", tmp_path / "index")
    with pytest.raises(ExcerptError, match=r"b\.xml: does not fit into memory: needs about 72 MiB; "):
        build_index(tmp_path / "b.xml", tmp_path / "index")
