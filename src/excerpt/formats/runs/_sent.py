"""What was sent to a model: documents in their order, the blocks they were sent in, chunks by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from excerpt.errors import short
from excerpt.formats.ids import Ids
from excerpt.formats.runs._cited import Blocks, Characters, Chunk
from excerpt.formats.segments import Segment, as_segment
from excerpt.formats.text.json_lines import is_text
from excerpt.model.field_names import rename


class WrongPlace(Exception):
    """A citation of something that was not sent; the message says what was found and expected."""


@dataclass(frozen=True)
class Sent:
    """The tables of one answer."""

    documents: Sequence[Any]
    search_results: Sequence[Any]
    chunks: Mapping[str, Any]
    ids: Ids | None

    @classmethod
    def of(cls, fields: Mapping[str, Any], ids: Ids | None) -> Sent:
        """The tables that a saved answer has beside it."""
        documents = fields.get("documents")
        if documents is None and fields.get("document") is not None:
            documents = [fields["document"]]
        chunks = fields.get("chunks")
        if isinstance(chunks, list):
            chunks = {str(number): chunk for number, chunk in enumerate(chunks)}
        return cls(
            documents if isinstance(documents, list) else [],
            found if isinstance(found := fields.get("search_results"), list) else [],
            chunks if isinstance(chunks, Mapping) else {},
            ids,
        )

    def characters(self, cited: Characters) -> Segment:
        """The place of cited characters."""
        name = self._name("documents", cited.number)
        found = as_segment((name, cited.start, cited.end))
        if found is None:
            raise WrongPlace(
                f"found a citation from {_show(cited.start)} to {_show(cited.end)}, expected whole numbers, "
                "the end not before the start"
            )
        return found

    def blocks(self, cited: Blocks) -> list[Segment]:
        """The places of cited blocks."""
        name = self._name(cited.of, cited.number)
        table = getattr(self, cited.of)[cited.number]
        listed = table.get("blocks") if isinstance(table, Mapping) else None
        if not isinstance(listed, list):
            raise WrongPlace(
                f"found a citation of blocks of {short(name)}, expected a table of its blocks, such as "
                '{"document": …, "blocks": [[start, end], …]} in ' + cited.of
            )
        good = _is_number(cited.first) and _is_number(cited.last) and cited.first < cited.last
        if not good or cited.last > len(listed):
            raise WrongPlace(
                f"found a citation of blocks {_show(cited.first)} to {_show(cited.last)}, "
                f"expected some of the {len(listed)} blocks of {short(name)}"
            )
        found = []
        for block in listed[cited.first : cited.last]:
            pair = isinstance(block, list) and len(block) == 2
            segment = as_segment((name, *block) if pair else block)
            if segment is None:
                raise WrongPlace(f"found the block {_show(block)}, expected [start, end]")
            found.append(segment)
        return found

    def chunk(self, cited: Chunk) -> Segment:
        """The place of a chunk that a citation names."""
        names = [str(name) for name in cited.names if isinstance(name, str | int)]
        for name in names:
            place = self.chunks.get(name)
            found = self.ids.find(name) if place is None and self.ids is not None else as_segment(place)
            if found is not None:
                return found
        called = f"of {short(names[0])}, " if names else ""
        raise WrongPlace(
            f"found a citation {called}{cited.why}, expected one that names a placed chunk, as in "
            '"chunks": {name: [document, start, end]}'
        )

    def _name(self, of: str, number: Any) -> str:
        listed: Sequence[Any] = getattr(self, of)
        if not _is_number(number) or number >= len(listed):
            raise WrongPlace(
                f"found a citation of number {_show(number)} of the {of}, "
                f"expected one of {len(listed)} that the line has as {of}"
            )
        entry = listed[number]
        known = rename(entry) if isinstance(entry, Mapping) else {"document": entry}
        name = known.get("document", known.get("id"))
        if not isinstance(name, str | int) or isinstance(name, bool) or not is_text(str(name)):
            raise WrongPlace(f"found {_show(entry)} among the {of}, expected the id of a document")
        return str(name)


def _is_number(value: Any) -> bool:
    return type(value) is int and value >= 0


def _show(value: Any) -> str:
    return short(repr(value), 40)
