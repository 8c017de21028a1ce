"""Answers with citations, as runs of the cited text."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias

from excerpt.errors import short, short_list
from excerpt.formats.ids import Ids, Segment, as_segment
from excerpt.formats.reader import ResultRow, Results
from excerpt.formats.registry import Format, register_run
from excerpt.formats.source import HEAD_BYTES, Source
from excerpt.formats.text.json_lines import Record, is_text
from excerpt.gold.file import parse_json
from excerpt.gold.verification import find_quote
from excerpt.model.field_names import rename
from excerpt.model.run import Run
from excerpt.model.spans import UNKNOWN
from excerpt.model.texts import squeeze

#: Which of the numbered things of a request a citation speaks of.
Numbered: TypeAlias = Literal["documents", "search_results"]


class Characters(NamedTuple):
    """Text of the document with a number: characters `start` to `end`."""

    number: Any
    start: Any
    end: Any
    quote: str | None


class Blocks(NamedTuple):
    """Blocks `first` up to, but not with, `last` of what has a number."""

    of: Numbered
    number: Any
    first: Any
    last: Any
    quote: str | None


class Chunk(NamedTuple):
    """A chunk by one of its names, or by its number; what is counted besides is the answer."""

    names: tuple[Any, ...]
    why: str


class Unplaceable(NamedTuple):
    """Something that is no stretch of a text that we have."""

    why: str


Citation: TypeAlias = Characters | Blocks | Chunk | Unplaceable

_ANSWER = "whose offsets count the answer, not the source ({})"
_OPENAI, _COHERE, _LANGCHAIN = (_ANSWER.format(name) for name in ("OpenAI", "Cohere", "LangChain"))
_GEMINI = _ANSWER.format("Gemini, in bytes")
#: Citations of Anthropic and OpenAI that say by their type what they are.
_OF_PAGES = "which names pages, not characters"
_OF_WEB = "of a page of the web, which has no offsets in it"
_UNPLACEABLE = {"page_location": _OF_PAGES, "web_search_result_location": _OF_WEB}
_OF_OPENAI = {"file_citation", "url_citation", "container_file_citation", "file_path"}


#: What an answer may stand under; and what the sentences of an answer of TREC RAG do.
_ANSWERS = ("response", "content", "output", "message", "statements_with_citations", "candidates", "choices")
SENTENCES = ("responses", "answer")


def answers_in(source: Source) -> Literal["citations", "trec-rag"] | None:
    """Of which format the answers in a file are: more than text, or sentences with citations; if any."""
    first = _first(source, ("citations", *_ANSWERS))
    sentences = next((some for key in SENTENCES if isinstance(some := first.get(key), list)), [])
    if any(isinstance(one, Mapping) and "citations" in one for one in sentences):
        return "trec-rag"
    return "citations" if any(isinstance(first.get(key), list | dict) for key in _ANSWERS) else None


def _first(source: Source, keys: Sequence[str]) -> Mapping[str, Any]:
    """The first object of a file of JSON that has one of these keys near its beginning; else nothing."""
    head = source.data[:HEAD_BYTES]
    if not source.starts_with(b"{", b"[") or not any(f'"{key}"'.encode() in head for key in keys):
        return {}
    first = parse_json(head.lstrip().partition(b"\n")[0])  # a large file need not be looked at as a whole
    first = source.gold_file.first if first is None else first
    first = first[0] if isinstance(first, list) and first else first
    return first if isinstance(first, Mapping) else {}


def find_citations(given: Any) -> Iterator[Citation]:
    """All citations in an object, in the order in which they stand."""
    waiting = [given]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Mapping):
            found = _read(value)
            if found is not None:
                yield from found
                continue
            waiting += reversed(list(value.values()))
        elif isinstance(value, list):
            waiting += reversed(value)


def _read(value: Mapping[str, Any]) -> list[Citation] | None:
    """What an object cites; None where it is no citation, but may have some in it."""
    readers = (_anthropic, _bedrock, _longcite, _langchain, _openai, _cohere, _gemini)
    return next((found for read in readers if (found := read(value)) is not None), None)


def _anthropic(value: Mapping[str, Any]) -> list[Citation] | None:
    kind, quote = value.get("type"), _text(value.get("cited_text"))
    if not isinstance(kind, str):
        return None
    if kind in _UNPLACEABLE:
        return [Unplaceable(_UNPLACEABLE[kind])]
    if kind == "char_location":
        start, end = value.get("start_char_index"), value.get("end_char_index")
        return [Characters(value.get("document_index"), start, end, quote)]
    if kind in {"content_block_location", "search_result_location"}:
        of: Numbered = "documents" if kind == "content_block_location" else "search_results"
        number = value.get("document_index" if of == "documents" else "search_result_index")
        return [Blocks(of, number, value.get("start_block_index"), value.get("end_block_index"), quote)]
    return None


def _bedrock(value: Mapping[str, Any]) -> list[Citation] | None:
    location = value.get("location")
    if not isinstance(location, Mapping):
        return None
    parts = [part.get("text") for part in _list(value.get("sourceContent")) if isinstance(part, Mapping)]
    quote = "".join(filter(None, map(_text, parts))) or None
    for name, place in location.items():
        if not isinstance(place, Mapping):
            continue
        number, start, end = place.get("documentIndex"), place.get("start"), place.get("end")
        if name == "documentChar":
            return [Characters(number, start, end, quote)]
        if name == "documentChunk":
            return [Blocks("documents", number, start, end, quote)]
        if name == "searchResultLocation":
            return [Blocks("search_results", place.get("searchResultIndex"), start, end, quote)]
        if name in {"documentPage", "web"}:
            return [Unplaceable(_OF_PAGES if name == "documentPage" else _OF_WEB)]
    return None


def _longcite(value: Mapping[str, Any]) -> list[Citation] | None:
    if "start_char_idx" not in value or "end_char_idx" not in value:
        return None
    quote = _text(value.get("cite"))
    return [Characters(value.get("document_index", 0), value["start_char_idx"], value["end_char_idx"], quote)]


def _langchain(value: Mapping[str, Any]) -> list[Citation] | None:
    """LangChain keeps the offsets in the source among the extras, where it keeps them."""
    if value.get("type") != "citation":
        return None
    extras = value.get("extras")
    known = extras if isinstance(extras, Mapping) else {}
    if "start_char_index" in known:
        number = known.get("document_index")
        quote = _text(value.get("cited_text"))
        return [Characters(number, known["start_char_index"], known.get("end_char_index"), quote)]
    return [Chunk((value.get("title"), value.get("url")), _LANGCHAIN)]


def _openai(value: Mapping[str, Any]) -> list[Citation] | None:
    kind = value.get("type")
    if not isinstance(kind, str) or kind not in _OF_OPENAI:
        return None
    inner = value.get(kind)
    known = {**value, **inner} if isinstance(inner, Mapping) else value
    return [Chunk(tuple(known.get(name) for name in ("file_id", "filename", "url")), _OPENAI)]


def _cohere(value: Mapping[str, Any]) -> list[Citation] | None:
    if not {"start", "end"} <= value.keys() or {"sources", "document_ids"}.isdisjoint(value):
        return None
    found: list[Citation] = []
    for source in _list(value.get("sources")) or _list(value.get("document_ids")) or [None]:
        document = source.get("document") if isinstance(source, Mapping) else None
        inner = document.get("id") if isinstance(document, Mapping) else None
        own = source.get("id") if isinstance(source, Mapping) else source
        found.append(Chunk((own, inner), _COHERE))
    return found


def _gemini(value: Mapping[str, Any]) -> list[Citation] | None:
    supports = value.get("groundingSupports", value.get("grounding_supports"))
    if not isinstance(supports, list):
        return None
    found: list[Citation] = []
    for support in supports:
        known = support if isinstance(support, Mapping) else {}
        numbers = known.get("groundingChunkIndices", known.get("grounding_chunk_indices"))
        found += [Chunk((number,), _GEMINI) for number in _list(numbers) or (None,)]
    return found


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


class WrongPlace(Exception):
    """A citation of something that was not sent; the message says what was found and expected."""


@dataclass(frozen=True)
class SentSources:
    """The tables of one answer."""

    documents: Sequence[Any]
    search_results: Sequence[Any]
    chunks: Mapping[str, Any]
    ids: Ids | None

    @classmethod
    def of(cls, fields: Mapping[str, Any], ids: Ids | None) -> SentSources:
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


CITATIONS_LAYOUT = '{"topic": …, "documents": [id, …], "response": {… citations …}}'
CITATIONS_EXAMPLE = (
    '{"topic": "1", "documents": ["A", "B"], "response": {"content": [{"type": "text", "text": "Yes.", '
    '"citations": [{"type": "char_location", "document_index": 0, "start_char_index": 0, '
    '"end_char_index": 4, "cited_text": "Yes,"}]}]}}\n'
)
_FIT = 100
#: What stands beside an answer.
_NOT_ANSWER = ("topic", "run", "documents", "document", "search_results", "chunks")
_SHOWN = 3


@dataclass
class _Verification:
    """What came of comparing cited text with the documents."""

    exact: int = 0
    moved: list[str] = field(default_factory=list)
    #: The line of each that stands nowhere, and what is to be said of it.
    lost: list[tuple[int, str]] = field(default_factory=list)
    #: Of documents that are not there: unverified; and of those, longer or shorter than the offsets say.
    unverified: int = 0
    wrong_length: int = 0


def read_citations(source: Source) -> Run:
    """Read the spans that answers cite; each once, where it is cited first."""
    rows: dict[tuple[str, Segment], int] = {}
    names: list[str] = []
    answered: dict[str, int] = {}
    checked, silent = _Verification(), 0
    for item in source.gold_file.objects():
        record = Record(item.line, rename(item.value), source.faults)
        topic, name = record.name("topic"), record.fields.get("run")
        names += [name] if isinstance(name, str) and name else []
        if answered.setdefault(topic, item.line) != item.line and topic:
            again = f"another answer to question {short(topic)} (first in line {answered[topic]})"
            record.fault(
                again, "one for each", "keep one of them, or save the answers of each run by themselves"
            )
        sent = SentSources.of(record.fields, source.ids)
        answer = [value for key, value in record.fields.items() if key not in _NOT_ANSWER]
        cited = list(find_citations(answer))
        silent += not cited
        for citation in cited:
            for place in _places(source, record, sent, citation, checked):
                rows.setdefault((topic, place._replace(text=None)), item.line)
    _report_verification(source, checked)
    source.faults.settle()
    source.notices.add("answer cites nothing", silent, where=source.name)
    listed = [
        (topic, place.document, "", place.start, place.end, True, UNKNOWN, math.nan, line)
        for (topic, place), line in rows.items()
    ]
    return Results.of(listed).to_run(source, next(iter(names), source.name), "spans")


def _places(source: Source, record: Record, sent: SentSources, citation: Citation, checked: _Verification) -> list[Segment]:
    """Where the text of a citation is; a fault where that cannot be told."""
    try:
        match citation:
            case Characters():
                return _verified(source, record, [sent.characters(citation)], citation.quote, checked)
            case Blocks():
                return _verified(source, record, sent.blocks(citation), citation.quote, checked)
            case Chunk():
                return [sent.chunk(citation)]
            case Unplaceable():
                record.fault(f"a citation {citation.why}", "offsets in a document, or a placed chunk")
    except WrongPlace as wrong:
        source.faults.add(record.line, str(wrong))
    return []


def _verified(
    source: Source, record: Record, places: list[Segment], quote: str | None, checked: _Verification
) -> list[Segment]:
    """Places whose text was compared with what the citation quotes; one may be moved to its words."""
    if not quote:
        return places
    known = source.text_of(places[0].document)
    if known is None:
        checked.unverified += source.corpus is not None
        length = sum(place.end - place.start for place in places)
        checked.wrong_length += len(places) == 1 and len(quote) != length
        return places
    found = "".join(known[place.start : place.end] for place in places)
    if found == quote or (len(places) > 1 and squeeze(found) == squeeze(quote)):
        checked.exact += 1
        return places
    moved = find_quote(known, quote, places[0].start) if len(places) == 1 else None
    if moved is None:
        what = f"the cited text {short(quote)!r} nowhere in document {short(places[0].document)}"
        checked.lost.append((record.line, what))
        return []
    checked.moved.append(f"{short(quote, 30)!r} in line {record.line}")
    return [Segment(places[0].document, moved.start, moved.end)]


def _report_verification(source: Source, checked: _Verification) -> None:
    """Say how much of the cited text is where citations say."""
    counts = f"{checked.exact} exact, {len(checked.moved)} moved, {len(checked.lost)} unplaced"
    for line, what in checked.lost:
        message = f"found {what}, expected it there ({counts})"
        source.faults.add(line, message, "is the corpus another version of the text?")
    source.notices.add(
        f"citation is not where its offsets say and was moved to its words ({counts})",
        len(checked.moved),
        where=f"{short_list(checked.moved, _SHOWN)} of {source.name}",
    )
    source.notices.add("citation was not verified, since the corpus lacks its document", checked.unverified)
    source.notices.add(
        "citation has more or fewer characters than its offsets say; the offsets count",
        checked.wrong_length,
        where=source.name,
    )


TREC_RAG_LAYOUT = (
    '{"metadata": {"run_id": …, "topic_id": …}, "responses": [{"text": …, "citations": [id, …]}]}'
)
TREC_RAG_EXAMPLE = (
    '{"metadata": {"run_id": "mine", "topic_id": "1"}, "references": ["A", "B"], '
    '"responses": [{"text": "Yes.", "citations": ["A"]}, {"text": "No.", "citations": ["B", "A"]}]}\n'
)
_TOPICS = ("request_id", "narrative_id")


def read_trec_rag(source: Source) -> Run:
    """Read the passages that answers cite, each once."""
    names: list[str] = []
    rows: list[ResultRow] = []
    silent = 0
    for item in source.gold_file.objects():
        record = Record(item.line, _fields(item.value), source.faults)
        topic, name = record.name("topic"), record.fields.get("run")
        names += [name] if isinstance(name, str) and name else []
        cited = _cited(record)
        silent += not cited
        scored = all(score == score for score in cited.values())  # noqa: PLR0124 - NaN is not
        ranked = sorted(cited, key=lambda id_: -cited[id_]) if scored else list(cited)
        rows += [(topic, id_, "", 0, 1, True, UNKNOWN, cited[id_], item.line) for id_ in ranked]
    source.faults.settle()
    source.notices.add("answer cites nothing", silent, where=source.name)
    return Results.of(rows).to_run(source, next(iter(names), source.name), "documents")


def _fields(value: Mapping[str, Any]) -> dict[str, Any]:
    """The values of an answer; what it answers may have names of its own."""
    fields = rename(value)
    inner = value.get("metadata")
    told = {**inner, **value} if isinstance(inner, Mapping) else value
    own = next((told[key] for key in _TOPICS if told.get(key) is not None), None)
    return fields if own is None or fields.get("topic") is not None else {**fields, "topic": own}


def _cited(record: Record) -> dict[str, float]:
    """Ids with their scores (NaN: none), in the order of first citation."""
    found: dict[str, float] = {}
    key = next((key for key in SENTENCES if isinstance(record.fields.get(key), list)), None)
    if key is None:
        record.fault("no list of responses", "one (also called answer)")
        return found
    for sentence in record.fields[key]:
        citations = sentence.get("citations") if isinstance(sentence, Mapping) else None
        if isinstance(citations, Mapping):
            pairs = [(id_, _score(record, score)) for id_, score in citations.items()]
        elif isinstance(citations, list):
            pairs = [(id_, math.nan) for id_ in citations]
        elif citations is None and isinstance(sentence, Mapping):
            continue
        else:
            record.fault(f"{short(repr(sentence))} among the {key}", "a text with its citations")
            continue
        for given, score in pairs:
            id_ = _id(record, given)
            if id_ and not found.get(id_, -math.inf) >= score:  # also where it is NaN
                found[id_] = score
    return found


def _score(record: Record, value: Any) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and value == value:  # noqa: PLR0124
        return float(value)
    record.fault(f"{short(repr(value))} as the score of a citation", "a number")
    return math.nan


def _id(record: Record, given: Any) -> str:
    """An id, or the one that is so far down the references."""
    if isinstance(given, str) and given and is_text(given):
        return given
    references = record.fields.get("references")
    listed = references if isinstance(references, list) else []
    if type(given) is int and 0 <= given < len(listed) and isinstance(listed[given], str):
        return str(listed[given])
    record.fault(
        f"{short(repr(given))} as a citation", f"an id, or the number of one of {len(listed)} references"
    )
    return ""


def recognise(source: Source, name: str) -> int:
    """Whether the answers in a file are of a format."""
    return _FIT if answers_in(source) == name else 0


for _format in (
    Format(
        "citations",
        "run",
        CITATIONS_LAYOUT,
        "saved answers with citations",
        read_citations,
        partial(recognise, name="citations"),
        example=CITATIONS_EXAMPLE,
        reads_ids=True,
    ),
    Format(
        "trec-rag",
        "run",
        TREC_RAG_LAYOUT,
        "passages that answers cite (TREC RAG)",
        read_trec_rag,
        partial(recognise, name="trec-rag"),
        example=TREC_RAG_EXAMPLE,
    ),
):
    register_run(_format)
