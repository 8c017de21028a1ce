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

#: The numbered lists of a request that a citation can refer to.
Numbered: TypeAlias = Literal["documents", "search_results"]


class Characters(NamedTuple):
    """A cited span: characters `start` to `end` of the document with a number."""

    number: Any
    start: Any
    end: Any
    quote: str | None


class Blocks(NamedTuple):
    """Cited blocks: `first` to `last` (exclusive) of the document or search result with a number."""

    of: Numbered
    number: Any
    first: Any
    last: Any
    quote: str | None


class Chunk(NamedTuple):
    """A cited chunk, by one of its names or by its number; its offsets count the answer."""

    names: tuple[Any, ...]
    why: str


class Unplaceable(NamedTuple):
    """A citation without offsets in a document, such as of a page or of the web."""

    why: str


Citation: TypeAlias = Characters | Blocks | Chunk | Unplaceable

_ANSWER = "whose offsets count the answer, not the source ({})"
_OPENAI, _COHERE, _LANGCHAIN = (_ANSWER.format(name) for name in ("OpenAI", "Cohere", "LangChain"))
_GEMINI = _ANSWER.format("Gemini, in bytes")
#: Types of citations of Anthropic and OpenAI.
_OF_PAGES = "which names pages, not characters"
_OF_WEB = "of a web page, which has no offsets"
_UNPLACEABLE = {"page_location": _OF_PAGES, "web_search_result_location": _OF_WEB}
_OF_OPENAI = {"file_citation", "url_citation", "container_file_citation", "file_path"}


#: Keys of an answer; and keys of the sentences of an answer of TREC RAG.
_ANSWERS = ("response", "content", "output", "message", "statements_with_citations", "candidates", "choices")
SENTENCES = ("responses", "answer")


def answers_in(source: Source) -> Literal["citations", "trec-rag"] | None:
    """Return the format of the answers in a file: objects, or sentences with citations; None without any."""
    first = _first(source, ("citations", *_ANSWERS))
    sentences = next((some for key in SENTENCES if isinstance(some := first.get(key), list)), [])
    if any(isinstance(one, Mapping) and "citations" in one for one in sentences):
        return "trec-rag"
    return "citations" if any(isinstance(first.get(key), list | dict) for key in _ANSWERS) else None


def _first(source: Source, keys: Sequence[str]) -> Mapping[str, Any]:
    head = source.data[:HEAD_BYTES]
    if not source.starts_with(b"{", b"[") or not any(f'"{key}"'.encode() in head for key in keys):
        return {}
    first = parse_json(head.lstrip().partition(b"\n")[0])  # so that a large file is not parsed as a whole
    first = source.gold_file.first if first is None else first
    first = first[0] if isinstance(first, list) and first else first
    return first if isinstance(first, Mapping) else {}


def find_citations(given: Any) -> Iterator[Citation]:
    """Yield all citations in an object, in their order."""
    waiting = [given]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Mapping):
            citations = _read(value)
            if citations is not None:
                yield from citations
                continue
            waiting += reversed(list(value.values()))
        elif isinstance(value, list):
            waiting += reversed(value)


def _read(value: Mapping[str, Any]) -> list[Citation] | None:
    """Return the citations that an object is; None if it is none, though it may contain some."""
    readers = (_anthropic, _bedrock, _longcite, _langchain, _openai, _cohere, _gemini)
    return next((cited for read in readers if (cited := read(value)) is not None), None)


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
    for name, span in location.items():
        if not isinstance(span, Mapping):
            continue
        number, start, end = span.get("documentIndex"), span.get("start"), span.get("end")
        if name == "documentChar":
            return [Characters(number, start, end, quote)]
        if name == "documentChunk":
            return [Blocks("documents", number, start, end, quote)]
        if name == "searchResultLocation":
            return [Blocks("search_results", span.get("searchResultIndex"), start, end, quote)]
        if name in {"documentPage", "web"}:
            return [Unplaceable(_OF_PAGES if name == "documentPage" else _OF_WEB)]
    return None


def _longcite(value: Mapping[str, Any]) -> list[Citation] | None:
    if "start_char_idx" not in value or "end_char_idx" not in value:
        return None
    quote = _text(value.get("cite"))
    return [Characters(value.get("document_index", 0), value["start_char_idx"], value["end_char_idx"], quote)]


def _langchain(value: Mapping[str, Any]) -> list[Citation] | None:
    """Read a citation of LangChain, which may have offsets in the source among the extras."""
    if value.get("type") != "citation":
        return None
    given = value.get("extras")
    extras = given if isinstance(given, Mapping) else {}
    if "start_char_index" in extras:
        number = extras.get("document_index")
        quote = _text(value.get("cited_text"))
        return [Characters(number, extras["start_char_index"], extras.get("end_char_index"), quote)]
    return [Chunk((value.get("title"), value.get("url")), _LANGCHAIN)]


def _openai(value: Mapping[str, Any]) -> list[Citation] | None:
    kind = value.get("type")
    if not isinstance(kind, str) or kind not in _OF_OPENAI:
        return None
    inner = value.get(kind)
    fields = {**value, **inner} if isinstance(inner, Mapping) else value
    return [Chunk(tuple(fields.get(name) for name in ("file_id", "filename", "url")), _OPENAI)]


def _cohere(value: Mapping[str, Any]) -> list[Citation] | None:
    if not {"start", "end"} <= value.keys() or {"sources", "document_ids"}.isdisjoint(value):
        return None
    chunks: list[Citation] = []
    for source in _list(value.get("sources")) or _list(value.get("document_ids")) or [None]:
        document = source.get("document") if isinstance(source, Mapping) else None
        inner = document.get("id") if isinstance(document, Mapping) else None
        own = source.get("id") if isinstance(source, Mapping) else source
        chunks.append(Chunk((own, inner), _COHERE))
    return chunks


def _gemini(value: Mapping[str, Any]) -> list[Citation] | None:
    supports = value.get("groundingSupports", value.get("grounding_supports"))
    if not isinstance(supports, list):
        return None
    chunks: list[Citation] = []
    for support in supports:
        fields = support if isinstance(support, Mapping) else {}
        numbers = fields.get("groundingChunkIndices", fields.get("grounding_chunk_indices"))
        chunks += [Chunk((number,), _GEMINI) for number in _list(numbers) or (None,)]
    return chunks


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


class WrongPlace(Exception):
    """A citation of something that was not sent to the model."""


@dataclass(frozen=True)
class SentSources:
    """The documents, search results and chunks that were sent to the model for one answer."""

    documents: Sequence[Any]
    search_results: Sequence[Any]
    chunks: Mapping[str, Any]
    ids: Ids | None

    @classmethod
    def of(cls, fields: Mapping[str, Any], ids: Ids | None) -> SentSources:
        """Return the sources that are saved with an answer."""
        documents = fields.get("documents")
        if documents is None and fields.get("document") is not None:
            documents = [fields["document"]]
        chunks = fields.get("chunks")
        if isinstance(chunks, list):
            chunks = {str(number): chunk for number, chunk in enumerate(chunks)}
        return cls(
            documents if isinstance(documents, list) else [],
            results if isinstance(results := fields.get("search_results"), list) else [],
            chunks if isinstance(chunks, Mapping) else {},
            ids,
        )

    def characters(self, cited: Characters) -> Segment:
        """Return the span of cited characters."""
        name = self._name("documents", cited.number)
        segment = as_segment((name, cited.start, cited.end))
        if segment is None:
            raise WrongPlace(
                f"found a citation from {_show(cited.start)} to {_show(cited.end)}, expected whole numbers, "
                "the end not before the start"
            )
        return segment

    def blocks(self, cited: Blocks) -> list[Segment]:
        """Return the spans of cited blocks."""
        name = self._name(cited.of, cited.number)
        table = getattr(self, cited.of)[cited.number]
        listed = table.get("blocks") if isinstance(table, Mapping) else None
        if not isinstance(listed, list):
            raise WrongPlace(
                f"a citation of blocks of {short(name)} needs a table of its blocks, such as "
                '{"document": …, "blocks": [[start, end], …]} in ' + cited.of
            )
        good = _is_number(cited.first) and _is_number(cited.last) and cited.first < cited.last
        if not good or cited.last > len(listed):
            raise WrongPlace(
                f"found a citation of blocks {_show(cited.first)} to {_show(cited.last)}, "
                f"expected some of the {len(listed)} blocks of {short(name)}"
            )
        segments = []
        for block in listed[cited.first : cited.last]:
            pair = isinstance(block, list) and len(block) == 2
            segment = as_segment((name, *block) if pair else block)
            if segment is None:
                raise WrongPlace(f"found the block {_show(block)}, expected [start, end]")
            segments.append(segment)
        return segments

    def chunk(self, cited: Chunk) -> Segment:
        """Return the span of a chunk that a citation names."""
        names = [str(name) for name in cited.names if isinstance(name, str | int)]
        for name in names:
            span = self.chunks.get(name)
            segment = self.ids.find(name) if span is None and self.ids is not None else as_segment(span)
            if segment is not None:
                return segment
        of_name = f"of {short(names[0])}, " if names else ""
        raise WrongPlace(
            f"found a citation {of_name}{cited.why}, expected one that names a chunk with offsets, as in "
            '"chunks": {name: [document, start, end]}'
        )

    def _name(self, of: str, number: Any) -> str:
        listed: Sequence[Any] = getattr(self, of)
        if not _is_number(number) or number >= len(listed):
            raise WrongPlace(
                f"found a citation of number {_show(number)} of the {of}, "
                f"but the line has {len(listed)} {of}, numbered from 0"
            )
        entry = listed[number]
        fields = rename(entry) if isinstance(entry, Mapping) else {"document": entry}
        name = fields.get("document", fields.get("id"))
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
#: Keys of a line that are no part of its answer.
_NOT_ANSWER = ("topic", "run", "documents", "document", "search_results", "chunks")
_SHOWN = 3
_NO_CITATIONS = ("answer cites nothing and adds no results", "answers cite nothing and add no results")


@dataclass
class _Verification:
    """The outcome of comparing cited text with the documents."""

    exact: int = 0
    moved: list[str] = field(default_factory=list)
    #: The line of each citation that does not occur in its document, and its description.
    lost: list[tuple[int, str]] = field(default_factory=list)
    #: Citations whose document is missing; and those of them whose quote is longer or shorter than the span.
    unverified: int = 0
    wrong_length: int = 0


def read_citations(source: Source) -> Run:
    """Read the spans that answers cite, each once, in the order of first citation."""
    rows: dict[tuple[str, Segment], int] = {}
    names: list[str] = []
    answered: dict[str, int] = {}
    checked, without = _Verification(), 0
    for item in source.gold_file.objects():
        record = Record(item.line, rename(item.value), source.faults)
        topic, name = record.name("topic"), record.fields.get("run")
        names += [name] if isinstance(name, str) and name else []
        if answered.setdefault(topic, item.line) != item.line and topic:
            again = f"another answer to question {short(topic)} (first in line {answered[topic]})"
            record.fault(
                again,
                "one for each",
                "keep one of them, or save the answers of each run in a file of its own",
            )
        sent = SentSources.of(record.fields, source.ids)
        answer = [value for key, value in record.fields.items() if key not in _NOT_ANSWER]
        cited = list(find_citations(answer))
        without += not cited
        for citation in cited:
            for span in _spans(source, record, sent, citation, checked):
                rows.setdefault((topic, span._replace(text=None)), item.line)
    _report_verification(source, checked)
    source.faults.settle()
    source.notices.add(*_NO_CITATIONS, without, where=source.name)
    listed = [
        (topic, span.document, "", span.start, span.end, True, UNKNOWN, math.nan, line)
        for (topic, span), line in rows.items()
    ]
    return Results.of(listed).to_run(source, next(iter(names), source.name), "spans")


def _spans(
    source: Source, record: Record, sent: SentSources, citation: Citation, checked: _Verification
) -> list[Segment]:
    try:
        match citation:
            case Characters():
                return _verified(source, record, [sent.characters(citation)], citation.quote, checked)
            case Blocks():
                return _verified(source, record, sent.blocks(citation), citation.quote, checked)
            case Chunk():
                return [sent.chunk(citation)]
            case Unplaceable():
                record.fault(f"a citation {citation.why}", "offsets in a document, or a chunk with offsets")
    except WrongPlace as wrong:
        source.faults.add(record.line, str(wrong))
    return []


def _verified(
    source: Source, record: Record, spans: list[Segment], quote: str | None, checked: _Verification
) -> list[Segment]:
    """Compare the text of spans with the quote of a citation; a single span may be relocated by its text."""
    if not quote:
        return spans
    document = source.text_of(spans[0].document)
    if document is None:
        checked.unverified += source.corpus is not None
        length = sum(span.end - span.start for span in spans)
        checked.wrong_length += len(spans) == 1 and len(quote) != length
        return spans
    text = "".join(document[span.start : span.end] for span in spans)
    if text == quote or (len(spans) > 1 and squeeze(text) == squeeze(quote)):
        checked.exact += 1
        return spans
    moved = find_quote(document, quote, spans[0].start) if len(spans) == 1 else None
    if moved is None:
        name = short(spans[0].document)
        checked.lost.append(
            (record.line, f"the cited text {short(quote)!r} does not occur in document {name}")
        )
        return []
    checked.moved.append(f"{short(quote, 30)!r} in line {record.line}")
    return [Segment(spans[0].document, moved.start, moved.end)]


def _report_verification(source: Source, checked: _Verification) -> None:
    counts = f"{checked.exact} exact, {len(checked.moved)} moved, {len(checked.lost)} unplaced"
    for line, message in checked.lost:
        source.faults.add(line, f"{message} ({counts})", "is the corpus another version of the text?")
    source.notices.add(
        f"citation was not at its offsets and was relocated by its text; citations: {counts}",
        f"citations were not at their offsets and were relocated by their text; citations: {counts}",
        len(checked.moved),
        where=f"{short_list(checked.moved, _SHOWN)} of {source.name}",
    )
    source.notices.add(
        "citation is not verified: its document is not in the corpus",
        "citations are not verified: their documents are not in the corpus",
        checked.unverified,
    )
    source.notices.add(
        "citation quotes more or less text than its offsets say; the offsets count",
        "citations quote more or less text than their offsets say; the offsets count",
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
    without = 0
    for item in source.gold_file.objects():
        record = Record(item.line, _fields(item.value), source.faults)
        topic, name = record.name("topic"), record.fields.get("run")
        names += [name] if isinstance(name, str) and name else []
        cited = _cited(record)
        without += not cited
        scored = all(score == score for score in cited.values())  # noqa: PLR0124 - NaN is not
        ranked = sorted(cited, key=lambda id_: -cited[id_]) if scored else list(cited)
        rows += [(topic, id_, "", 0, 1, True, UNKNOWN, cited[id_], item.line) for id_ in ranked]
    source.faults.settle()
    source.notices.add(*_NO_CITATIONS, without, where=source.name)
    return Results.of(rows).to_run(source, next(iter(names), source.name), "documents")


def _fields(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of an answer; the key of its topic may be one that only TREC RAG has."""
    fields = rename(value)
    inner = value.get("metadata")
    flat = {**inner, **value} if isinstance(inner, Mapping) else value
    topic = next((flat[key] for key in _TOPICS if flat.get(key) is not None), None)
    return fields if topic is None or fields.get("topic") is not None else {**fields, "topic": topic}


def _cited(record: Record) -> dict[str, float]:
    """Return the cited ids with their scores (NaN: none), in the order of first citation."""
    scores: dict[str, float] = {}
    key = next((key for key in SENTENCES if isinstance(record.fields.get(key), list)), None)
    if key is None:
        record.faults.add(record.line, "responses are missing, expected a list (also called answer)")
        return scores
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
            if id_ and not scores.get(id_, -math.inf) >= score:  # also true if the score is NaN
                scores[id_] = score
    return scores


def _score(record: Record, value: Any) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and value == value:  # noqa: PLR0124
        return float(value)
    record.fault(f"{short(repr(value))} as the score of a citation", "a number")
    return math.nan


def _id(record: Record, given: Any) -> str:
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
    """Detect the format of the answers in a file."""
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
