"""Answers of language models with citations: what they cite is a run, in the order of first citation.

One answer is a JSON object, all of them a file of one object per line, or a JSON list:

`{"topic": "1", "documents": ["A", "B"], "response": {…}}`

`response` (or `content`, `output`, …) is what the service answered, as it was saved; citations are found
wherever they stand in it. `documents` are the ids of the documents that were sent, in their order; where one
was sent in blocks, its entry has them, `{"document": "A", "blocks": [[0, 120], [120, 300]]}`, and so have
those of `search_results`. `chunks` has chunks by the names that citations may have for them, such as
`{"doc_0": ["A", 0, 120]}`. Read are

- Anthropic: `char_location`; `content_block_location` and `search_result_location` through the blocks;
- Bedrock: `documentChar`; `documentChunk` and `searchResultLocation` through the blocks;
- LongCite: `start_char_idx`, `end_char_idx`, in the first (or only) document;
- OpenAI, Cohere, Gemini and LangChain, which count the answer, only where they name a chunk of `chunks`.

With a corpus the cited text is compared with that of the documents.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from excerpt.errors import short, short_list
from excerpt.formats.registry import Format, register_run
from excerpt.formats.results import Results
from excerpt.formats.runs._cited import (
    Blocks,
    Characters,
    Chunk,
    Citation,
    Elsewhere,
    answers_in,
    find_citations,
)
from excerpt.formats.runs._sent import Sent, WrongPlace
from excerpt.formats.segments import Segment
from excerpt.formats.source import Source
from excerpt.formats.text.json_lines import Record
from excerpt.gold.quotes import find_quote
from excerpt.model.field_names import rename
from excerpt.model.run import Run
from excerpt.model.spans import UNKNOWN
from excerpt.model.texts import squeeze

LAYOUT = '{"topic": …, "documents": [id, …], "response": {… citations …}}'
EXAMPLE = (
    '{"topic": "1", "documents": ["A", "B"], "response": {"content": [{"type": "text", "text": "Yes.", '
    '"citations": [{"type": "char_location", "document_index": 0, "start_char_index": 0, '
    '"end_char_index": 4, "cited_text": "Yes,"}]}]}}\n'
)
_FIT = 100
#: What stands beside an answer.
_BESIDE = ("topic", "run", "documents", "document", "search_results", "chunks")
_SHOWN = 3


@dataclass
class _Proof:
    """What came of comparing cited text with the documents."""

    exact: int = 0
    moved: list[str] = field(default_factory=list)
    #: The line of each that stands nowhere, and what is to be said of it.
    lost: list[tuple[int, str]] = field(default_factory=list)
    #: Of documents that are not there: unverified; and of those, longer or shorter than the offsets say.
    unread: int = 0
    uneven: int = 0


def read(source: Source) -> Run:
    """Read the spans that answers cite; each once, where it is cited first."""
    rows: dict[tuple[str, Segment], int] = {}
    names: dict[str, int] = {}
    answered: dict[str, int] = {}
    proof, silent = _Proof(), 0
    for item in source.gold_file.objects():
        record = Record(item.line, rename(item.value), source.faults)
        topic, name = record.name("topic"), record.fields.get("run")
        if isinstance(name, str) and name:
            names.setdefault(name, item.line)
        if answered.setdefault(topic, item.line) != item.line and topic:
            again = f"another answer to question {short(topic)} (first in line {answered[topic]})"
            record.fault(
                again, "one for each", "keep one of them, or save the answers of each run by themselves"
            )
        sent = Sent.of(record.fields, source.ids)
        answer = [value for key, value in record.fields.items() if key not in _BESIDE]
        cited = list(find_citations(answer))
        silent += not cited
        for citation in cited:
            for place in _places(source, record, sent, citation, proof):
                rows.setdefault((topic, place._replace(text=None)), item.line)
    _tell(source, proof)
    source.faults.settle()
    source.notices.add("answer cites nothing", silent, where=source.name)
    nowhere, none = UNKNOWN, float("nan")
    listed = [
        (topic, place.document, "", place.start, place.end, True, nowhere, none, line)
        for (topic, place), line in rows.items()
    ]
    return Results.of(listed).to_run(source, min(names, key=names.__getitem__, default=source.name), "spans")


def _places(source: Source, record: Record, sent: Sent, citation: Citation, proof: _Proof) -> list[Segment]:
    """Where the text of a citation is; a fault where that cannot be told."""
    try:
        match citation:
            case Characters():
                return _proven(source, record, [sent.characters(citation)], citation.quote, proof)
            case Blocks():
                return _proven(source, record, sent.blocks(citation), citation.quote, proof)
            case Chunk():
                return [sent.chunk(citation)]
            case Elsewhere():
                record.fault(f"a citation {citation.why}", "offsets in a document, or a placed chunk")
    except WrongPlace as wrong:
        source.faults.add(record.line, str(wrong))
    return []


def _proven(
    source: Source, record: Record, places: list[Segment], quote: str | None, proof: _Proof
) -> list[Segment]:
    """Places whose text was compared with what the citation quotes; one may be moved to its words."""
    if not quote:
        return places
    known = None if source.corpus is None else source.corpus.get(places[0].document)
    if known is None:
        proof.unread += source.corpus is not None
        length = sum(place.end - place.start for place in places)
        proof.uneven += len(places) == 1 and len(quote) != length
        return places
    text = known
    found = "".join(text[place.start : place.end] for place in places)
    if found == quote or (len(places) > 1 and squeeze(found) == squeeze(quote)):
        proof.exact += 1
        return places
    moved = find_quote(text, quote, places[0].start) if len(places) == 1 else None
    if moved is None:
        what = f"the cited text {short(quote)!r} nowhere in document {short(places[0].document)}"
        proof.lost.append((record.line, what))
        return []
    proof.moved.append(f"{short(quote, 30)!r} in line {record.line}")
    return [Segment(places[0].document, moved.start, moved.end)]


def _tell(source: Source, proof: _Proof) -> None:
    """Say how much of the cited text is where citations say."""
    counts = f"{proof.exact} exact, {len(proof.moved)} moved, {len(proof.lost)} unplaced"
    for line, what in proof.lost:
        message = f"found {what}, expected it there ({counts})"
        source.faults.add(line, message, "is the corpus another version of the text?")
    source.notices.add(
        f"citation is not where its offsets say and was moved to its words ({counts})",
        len(proof.moved),
        where=f"{short_list(proof.moved, _SHOWN)} of {source.name}",
    )
    source.notices.add("citation was not verified, since the corpus lacks its document", proof.unread)
    source.notices.add(
        "citation has more or fewer characters than its offsets say; the offsets count",
        proof.uneven,
        where=source.name,
    )


def recognise(source: Source) -> int:
    """Objects with an answer that is more than text."""
    return _FIT if answers_in(source) == "citations" else 0


register_run(
    Format(
        "citations",
        "run",
        LAYOUT,
        "saved answers with citations",
        read,
        recognise,
        example=EXAMPLE,
        reads_ids=True,
    )
)
