"""Answers with citations, as runs of the cited text."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from excerpt._lazy import offered
from excerpt.errors import short, short_list
from excerpt.formats.passage_ids import PassageIds, Segment, as_segment
from excerpt.formats.reader import ResultRow, ResultTable
from excerpt.formats.registry import RECORDS, Format, register_run
from excerpt.formats.source import HEAD_BYTES, Source
from excerpt.gold.file import GoldItem
from excerpt.model.run import Run
from excerpt.model.spans import UNKNOWN
from excerpt.model.texts import squeeze
from excerpt.quotes.quote_search import QuotedText, QuoteOccurrence
from excerpt.records.record import by_role, is_text, missing
from excerpt.records.rows import parse_json
from excerpt.records.spellings import ROLES, RowKeys

#: The numbered lists of a request that a citation can refer to.
NumberedList: TypeAlias = Literal["documents", "search_results"]


class Citation(NamedTuple):
    """A citation of characters or blocks of a source by its number or id, or of a chunk by its names."""

    number: Any = None
    start: Any = None
    end: Any = None
    quote: Any = None
    #: List of the request that has the source; and whether start and end are numbers of its blocks.
    of: NumberedList = "documents"
    blocks: bool = False
    names: tuple[Any, ...] = ()
    #: Reason why the citation itself has no offsets in a document.
    why: str = ""


_WORDS = RowKeys("answer")
#: Keys of a quote, and keys of the citations of an answer.
_QUOTES, _CITED = ROLES["answer"]["quote"], ("citations", "claims")

_ANSWER = "whose offsets count the answer, not the source ({})"
_OPENAI, _COHERE, _LANGCHAIN = (_ANSWER.format(name) for name in ("OpenAI", "Cohere", "LangChain"))
_GEMINI = _ANSWER.format("Gemini, in bytes")
_OF_OPENAI = {"file_citation", "url_citation", "container_file_citation", "file_path"}
_OF_PAGES = "which names pages, not characters"
_OF_WEB = "of a web page, which has no offsets"
_Locations: TypeAlias = Mapping[str, tuple[NumberedList, bool, str, str, str] | str]
#: Locations by kind: list of the request, whether blocks count, keys of number, start and end; or a reason.
_ANTHROPIC: _Locations = {
    "char_location": ("documents", False, "document_index", "start_char_index", "end_char_index"),
    "content_block_location": ("documents", True, "document_index", "start_block_index", "end_block_index"),
    "search_result_location": (
        *("search_results", True, "search_result_index", "start_block_index", "end_block_index"),
    ),
    "page_location": _OF_PAGES,
    "web_search_result_location": _OF_WEB,
}
_BEDROCK: _Locations = {
    "documentChar": ("documents", False, "documentIndex", "start", "end"),
    "documentChunk": ("documents", True, "documentIndex", "start", "end"),
    "searchResultLocation": ("search_results", True, "searchResultIndex", "start", "end"),
    "documentPage": _OF_PAGES,
    "web": _OF_WEB,
}


#: Keys of an answer; and keys of the sentences of an answer of TREC RAG.
_ANSWERS = ("response", "content", "output", "message", "statements_with_citations", "candidates", "choices")
SENTENCES = ("responses", "answer")
#: Keys of which every file of answers has one.
_KEYS = (*_QUOTES, *_CITED, *_ANSWERS, *SENTENCES)


def answers_in(source: Source) -> Literal["citations", "trec-rag", "traces"] | None:
    """Return the format of the answers in a file: objects, or sentences with citations; None without any."""
    from excerpt.answers.traces import has_traces

    if has_traces(source):  # what an application retrieved, next to its answers
        return "traces"
    first = _first(source, (*_QUOTES, *_CITED, *_ANSWERS))
    sentences = next((some for key in SENTENCES if isinstance(some := first.get(key), list)), [])
    if any(isinstance(one, Mapping) and "citations" in one for one in sentences):
        return "trec-rag"
    known = any(isinstance(first.get(key), list | dict) for key in _ANSWERS)
    cited = [first.get(key) for key in _CITED]
    return "citations" if known or [] in cited or _read(first) or any(find_citations(cited)) else None


def _first(source: Source, keys: Sequence[str]) -> Mapping[str, Any]:
    """Return the first object with one of the keys, else the first one; some answers cite nothing."""
    head = source.data[:HEAD_BYTES]
    given: Any = source.given
    if given is None:
        if not source.starts_with(b"{", b"[") or not any(f'"{key}"'.encode() in head for key in keys):
            return {}
        lines = head.lstrip().split(b"\n")
        given = parse_json(lines[0])  # so that a large file is not parsed as a whole
        given = source.gold_file.first if given is None else given
        given = given if isinstance(given, list) else [given, *map(parse_json, lines[1:])]
    objects = _objects(list(given))
    first = next((one for one in objects if not one.keys().isdisjoint(keys)), (objects or [{}])[0])
    return {} if "sha256" in first else first  # judgments with quotes have the hash of the document


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
            for one in (one for key in _CITED for one in _objects(value.get(key)) if "document" in one):
                if _read(one) is None:
                    yield _plain(one)  # without its quote, which is a fault
            waiting += reversed(list(value.values()))
        elif isinstance(value, list):
            waiting += reversed(value)


def _read(value: Mapping[str, Any]) -> list[Citation] | None:
    """Return the citations that an object is; None if it is none, though it may contain some."""
    readers = (_anthropic, _bedrock, _longcite, _langchain, _openai, _cohere, _gemini)
    known = next((cited for read in readers if (cited := read(value)) is not None), None)
    return [_plain(value)] if known is None and any(key in value for key in _QUOTES) else known


def _plain(value: Mapping[str, Any]) -> Citation:
    fields, quote = by_role(value, _WORDS), next((value[key] for key in _QUOTES if key in value), None)
    number = fields.get("document", value.get("document_index"))
    return Citation(number, fields.get("start"), fields.get("end"), quote)


def _located(
    locations: _Locations, kind: Any, span: Mapping[str, Any], quote: str | None
) -> list[Citation] | None:
    """Read a citation whose location is of a known kind."""
    known = locations.get(kind) if isinstance(kind, str) else None
    if isinstance(known, str):
        keys = ("document_index", "documentIndex", "url")
        number = next((span[key] for key in keys if span.get(key) is not None), None)
        return [Citation(number, quote=quote, why=known)]
    if known is None:
        return None
    of, blocks, number, start, end = known
    return [Citation(span.get(number), span.get(start), span.get(end), quote, of, blocks)]


def _anthropic(value: Mapping[str, Any]) -> list[Citation] | None:
    return _located(_ANTHROPIC, value.get("type"), value, _text(value.get("cited_text")))


def _bedrock(value: Mapping[str, Any]) -> list[Citation] | None:
    location = value.get("location")
    if not isinstance(location, Mapping):
        return None
    parts = [_text(part.get("text")) for part in _objects(value.get("sourceContent"))]
    quote = "".join(filter(None, parts)) or None
    spans = ((kind, span) for kind, span in location.items() if isinstance(span, Mapping))
    return next(filter(None, (_located(_BEDROCK, kind, span, quote) for kind, span in spans)), None)


def _longcite(value: Mapping[str, Any]) -> list[Citation] | None:
    if "start_char_idx" not in value or "end_char_idx" not in value:
        return None
    quote = _text(value.get("cite"))
    return [Citation(value.get("document_index", 0), value["start_char_idx"], value["end_char_idx"], quote)]


def _langchain(value: Mapping[str, Any]) -> list[Citation] | None:
    """Read a citation of LangChain, which may have offsets in the source among the extras."""
    if value.get("type") != "citation":
        return None
    (extras,) = _objects([value.get("extras")]) or [{}]
    if "start_char_index" in extras:
        return _located(_ANTHROPIC, "char_location", extras, _text(value.get("cited_text")))
    return [Citation(names=(value.get("title"), value.get("url")), why=_LANGCHAIN)]


def _openai(value: Mapping[str, Any]) -> list[Citation] | None:
    kind = value.get("type")
    if not isinstance(kind, str) or kind not in _OF_OPENAI:
        return None
    inner = value.get(kind)
    fields = {**value, **inner} if isinstance(inner, Mapping) else value
    return [Citation(names=tuple(map(fields.get, ("file_id", "filename", "url"))), why=_OPENAI)]


def _cohere(value: Mapping[str, Any]) -> list[Citation] | None:
    if not {"start", "end"} <= value.keys() or {"sources", "document_ids"}.isdisjoint(value):
        return None
    chunks = []
    for source in _list(value.get("sources")) or _list(value.get("document_ids")) or [None]:
        fields = source if isinstance(source, Mapping) else {"id": source}
        (document,) = _objects([fields.get("document")]) or [{}]
        chunks.append(Citation(names=(fields.get("id"), document.get("id")), why=_COHERE))
    return chunks


def _gemini(value: Mapping[str, Any]) -> list[Citation] | None:
    supports = value.get("groundingSupports", value.get("grounding_supports"))
    if not isinstance(supports, list):
        return None
    chunks = []
    for support in supports:
        fields = support if isinstance(support, Mapping) else {}
        numbers = fields.get("groundingChunkIndices", fields.get("grounding_chunk_indices"))
        chunks += [Citation(names=(number,), why=_GEMINI) for number in _list(numbers) or (None,)]
    return chunks


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [one for one in _list(value) if isinstance(one, Mapping)]


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
    ids: PassageIds | None

    @classmethod
    def of(cls, fields: Mapping[str, Any], ids: PassageIds | None) -> SentSources:
        """Return the sources that are saved with an answer."""
        documents, only, chunks = map(fields.get, ("documents", "document", "chunks"))
        documents = [only] if documents is None and only is not None else documents
        if isinstance(chunks, list):
            chunks = {str(number): chunk for number, chunk in enumerate(chunks)}
        chunks = chunks if isinstance(chunks, Mapping) else {}
        return cls(_list(documents), _list(fields.get("search_results")), chunks, ids)

    def segments(self, cited: Citation) -> list[Segment]:
        """Return the spans of a citation; the end is unknown if only the quote says where it is."""
        if cited.names:
            return [self._chunk(cited)]
        if cited.why:
            raise WrongPlace(
                f"found a citation {cited.why}, expected offsets in a document, or a chunk with offsets"
            )
        if cited.blocks:
            return self._blocks(cited)
        if cited.end is None and cited.quote is not None:
            name = self.quoted(cited) or self._name(cited)
            return [Segment(name, cited.start if _is_number(cited.start) else UNKNOWN, UNKNOWN)]
        segment = as_segment((self._name(cited), cited.start, cited.end))
        if segment is None:
            raise WrongPlace(
                f"found a citation from {_show(cited.start)} to {_show(cited.end)}, expected whole numbers, "
                "the end not before the start"
            )
        return [segment]

    def quoted(self, cited: Citation) -> str:
        """Return the document of a citation, which must have a quote; "" if it names none."""
        if not isinstance(cited.quote, str) or not cited.quote.strip():
            found = "without a quote" if cited.quote is None else f"with the quote {_show(cited.quote)}"
            raise WrongPlace(f"found a citation {found}, expected the cited text (quote or cited_text)")
        return "" if cited.number is None and len(getattr(self, cited.of)) != 1 else self._name(cited)

    def _blocks(self, cited: Citation) -> list[Segment]:
        name = self._name(cited)
        table = dict(enumerate(getattr(self, cited.of))).get(cited.number or 0)
        listed = table.get("blocks") if isinstance(table, Mapping) else None
        if not isinstance(listed, list):
            raise WrongPlace(
                f"a citation of blocks of {short(name)} needs a table of its blocks, such as "
                '{"document": …, "blocks": [[start, end], …]} in ' + cited.of
            )
        good = _is_number(cited.start) and _is_number(cited.end) and cited.start < cited.end
        if not good or cited.end > len(listed):
            raise WrongPlace(
                f"found a citation of blocks {_show(cited.start)} to {_show(cited.end)}, "
                f"expected some of the {len(listed)} blocks of {short(name)}"
            )
        segments = []
        for block in listed[cited.start : cited.end]:
            pair = isinstance(block, list) and len(block) == 2
            segment = as_segment((name, *block) if pair else block)
            if segment is None:
                raise WrongPlace(f"found the block {_show(block)}, expected [start, end]")
            segments.append(segment)
        return segments

    def _chunk(self, cited: Citation) -> Segment:
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

    def _name(self, cited: Citation) -> str:
        of, number = cited.of, cited.number
        listed: Sequence[Any] = getattr(self, of)
        if isinstance(number, str) and is_text(number):
            return number
        if number is None and len(listed) != 1:
            raise WrongPlace(f"found a citation without a document, expected its id or its number in {of}")
        number = 0 if number is None else number
        if not _is_number(number) or number >= len(listed):
            raise WrongPlace(
                f"found a citation of number {_show(number)} of the {of}, "
                f"but the line has {len(listed)} {of}, numbered from 0"
            )
        entry = listed[number]
        fields = by_role(entry, _WORDS) if isinstance(entry, Mapping) else {"document": entry}
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
_NOT_ANSWER = ("topic", "question", "run", "documents", "document", "search_results", "chunks")
#: Most quotes in a warning, and below a table.
_SHOWN, _LISTED = 3, 10
_NO_CITATIONS = ("answer cites nothing and adds no results", "answers cite nothing and add no results")


#: What happens to quotes that do not occur in their documents, and the effect.
UnplacedCitations: TypeAlias = Literal["error", "drop", "count"]
_EFFECTS = {"drop": "left out", "count": "counted as cited, not relevant and never retrieved"}


class CitedQuote(NamedTuple):
    """A quote that an answer cites, and how it was found in its document; None if it was not."""

    topic: str
    document: str
    quote: str
    line: int
    how: str | None
    #: The document that has it, and whether it overlaps relevant text; None if unknown.
    found_in: str | None = None
    relevant: bool | None = None
    #: The place of its document that is nearest to a quote that occurs nowhere.
    nearest: str | None = None

    def __str__(self) -> str:
        return f"{short(self.quote, 30)!r} in line {self.line}"

    def to_dict(self) -> dict[str, Any]:
        """The quote as an object of JSON."""
        return {name: value for name, value in self._asdict().items() if value is not None}


def list_unreal(quotes: Sequence[CitedQuote]) -> tuple[str, ...]:
    """Lines about quotes that do not occur in their documents, or are too short, for a table."""
    lines = [
        f"{short(one.topic)}: {short(one.quote)!r} is "
        + ("too short to be evidence" if one.how == "too_short" else _missing(one))
        + (f"; {one.nearest}" if one.nearest else "")
        for one in quotes[:_LISTED]
    ]
    return (*lines, *([f"and {len(quotes) - _LISTED} more"] if len(quotes) > _LISTED else []))


def _missing(quote: CitedQuote) -> str:
    place = f"not in {short(quote.document)}" if quote.document else "in no document"
    return place + (f", but in {short(quote.found_in)}" if quote.found_in else "")


@dataclass
class _Verification:
    """The outcome of comparing cited text with the documents."""

    quotes: list[CitedQuote] = field(default_factory=list)
    #: Citations whose document is missing; and those of them whose quote is longer or shorter than the span.
    unverified: int = 0
    wrong_length: int = 0
    #: Documents that were searched.
    texts: dict[str, QuotedText | None] = field(default_factory=dict)


def read_answers(source: Source, unplaced: UnplacedCitations = "error") -> tuple[Run, list[CitedQuote]]:
    """Read the spans that answers cite, in the order of first citation, and the quotes without a place."""
    rows: dict[tuple[str, Segment], int] = {}
    names: list[str] = []
    checked, without = _Verification(), 0
    for record, sent, citations in _answers(source):
        name = record.value.get("run")
        names += [name] if isinstance(name, str) and name else []
        without += not citations
        for citation in citations:
            try:
                spans = _verified(source, record, sent.segments(citation), citation.quote, checked)
            except WrongPlace as wrong:
                record.fault(str(wrong))
                continue
            for span in spans:
                rows.setdefault((record.value["topic"], span._replace(text=None)), record.line)
    lost = list({one[:3]: one for one in checked.quotes if one.how is None}.values())
    _report_verification(source, checked, lost, unplaced)
    source.faults.settle()
    source.notices.add(*_NO_CITATIONS, without, where=source.name)
    for one in lost if unplaced == "count" else ():
        rows[one.topic, Segment(one.document, UNKNOWN, UNKNOWN, one.quote)] = one.line
    rows = dict(sorted(rows.items(), key=lambda item: item[1]))
    listed = [
        (topic, span.document, "", span.start, span.end, True, UNKNOWN, math.nan, line)
        for (topic, span), line in rows.items()
    ]
    lengths = np.array([UNKNOWN if span.text is None else len(span.text) for _, span in rows], np.int64)
    results = ResultTable.of(listed)._replace(extra={"lost": lengths} if (lengths > 0).any() else {})
    return results.to_run(source, next(iter(names), source.name), "spans"), lost


def read_quotes(source: Source) -> tuple[list[str], list[CitedQuote]]:
    """Read the questions of answers and the quotes that they cite; every citation must have one."""
    topics: dict[str, None] = {}
    checked = _Verification()
    for record, sent, citations in _answers(source):
        topics[record.value["topic"]] = None
        for citation in citations:
            try:
                span = Segment(sent.quoted(citation), UNKNOWN, UNKNOWN)
            except WrongPlace as wrong:
                record.fault(str(wrong))
                continue
            _verified(source, record, [span], citation.quote, checked)
            if citation.blocks and checked.quotes[-1].how is None:
                with suppress(WrongPlace):  # without a table of blocks
                    blocks = sent.segments(citation)
                    if checked.texts[blocks[0].document] is not None:
                        _verified(source, record, blocks, checked.quotes.pop().quote, checked)
    source.faults.settle()
    return list(topics), checked.quotes


def _answers(source: Source) -> Iterator[tuple[GoldItem, SentSources, list[Citation]]]:
    """Yield the lines of answers with their citations; a line that is a quote is a part of its answer."""
    answered: dict[str, int] = {}
    for item in source.gold_file.objects():
        record = item.here(by_role(item.value, _WORDS))
        topic = record.value["topic"] = _topic(record)
        own = _read(item.value)
        if own is None and answered.setdefault(topic, item.line) != item.line and topic:
            again = f"another answer to question {short(topic)} (first in line {answered[topic]})"
            hint = "keep one of them, or save the answers of each run in a file of its own"
            record.fault(f"found {again}, expected one for each", hint)
        answer = {key: value for key, value in record.value.items() if key not in _NOT_ANSWER}
        yield record, SentSources.of(record.value, source.ids), own or list(find_citations(answer))


def _topic(record: GoldItem) -> str:
    if not record.has("topic"):
        record.fault(missing("topic", _WORDS, record.value))
        return ""
    return record.name("topic")


def _verified(
    source: Source, record: GoldItem, spans: list[Segment], quote: str | None, checked: _Verification
) -> list[Segment]:
    """Compare the text of spans with the quote of a citation; a single span may be relocated by its text."""
    if not quote:
        return spans
    name, start, end, _ = spans[0]
    if name not in checked.texts:
        content = source.text_of(name)
        own = name if source.corpus is None else source.corpus.resolve(name) or name
        checked.texts[name] = None if content is None else QuotedText(content, own)
    document = checked.texts[name]
    if document is None and end != UNKNOWN:
        checked.unverified += source.corpus is not None
        length = sum(span.end - span.start for span in spans)
        checked.wrong_length += len(spans) == 1 and len(quote) != length
        return spans
    if source.corpus is None:
        raise WrongPlace("quotes need the documents: ⟨corpus⟩")
    text = "".join(document.text[span.start : span.end] for span in spans) if document else ""
    how: QuoteOccurrence | None = None
    if end != UNKNOWN and (text == quote or (len(spans) > 1 and squeeze(text) == squeeze(quote))):
        how = "exact"
    elif document and len(spans) == 1 and (parts := document.find_parts(quote, start)):
        spans = [Segment(name, part.start, part.end) for part in parts]
        how = parts[0].how if start == UNKNOWN or parts[0].how in {"exact", "markup"} else "moved"
    checked.quotes.append(CitedQuote(record.value["topic"], name, quote, record.line, how))
    return [] if how is None else spans


def _report_verification(
    source: Source, checked: _Verification, lost: list[CitedQuote], unplaced: UnplacedCitations
) -> None:
    moved = [one for one in checked.quotes if one.how == "moved"]
    exact, folded, marked = (
        sum(one.how == how for one in checked.quotes) for how in ("exact", "folded", "markup")
    )
    counts = f"{exact} exact, {len(moved)} moved, " + f"{folded} folded, " * bool(folded)
    counts += f"{marked} markup, " * bool(marked)
    counts += f"{len(lost)} unplaced"
    for cited in lost if unplaced == "error" else ():
        message = f"the cited text {short(cited.quote)!r} does not occur in document {short(cited.document)}"
        source.faults.add(cited.line, f"{message} ({counts})", "is the corpus another version of the text?")
    notices, effect = source.notices, _EFFECTS.get(unplaced)
    form = "not at {0} offsets and {1} relocated by {0} text; citations: " + counts
    one, many = f"citation was {form.format('its', 'was')}", f"citations were {form.format('their', 'were')}"
    notices.add(one, many, len(moved), where=f"{short_list(map(str, moved), _SHOWN)} of {source.name}")
    notices.add(
        f"cited quote does not occur in its document and is {effect}",
        f"cited quotes do not occur in their documents and are {effect}",
        len(lost) if effect else 0,
        where=f"{short_list(map(str, lost), _SHOWN)} of {source.name}",
    )
    one = "citation is not verified: its document is not in the corpus"
    many = "citations are not verified: their documents are not in the corpus"
    notices.add(one, many, checked.unverified)
    form = "more or less text than {} offsets say; the offsets count"
    one, many = f"citation quotes {form.format('its')}", f"citations quote {form.format('their')}"
    notices.add(one, many, checked.wrong_length, where=source.name)


TREC_RAG_LAYOUT = (
    '{"metadata": {"run_id": …, "topic_id": …}, "responses": [{"text": …, "citations": [id, …]}]}'
)
TREC_RAG_EXAMPLE = (
    '{"metadata": {"run_id": "mine", "topic_id": "1"}, "references": ["A", "B"], '
    '"responses": [{"text": "Yes.", "citations": ["A"]}, {"text": "No.", "citations": ["B", "A"]}]}\n'
)
_TOPICS = ROLES["answer"]["further_topic"]


def read_trec_rag(source: Source) -> Run:
    """Read the passages that answers cite, each once."""
    names: list[str] = []
    rows: list[ResultRow] = []
    without = 0
    for item in source.gold_file.objects():
        record = item.here(_fields(item.value))
        topic, name = _topic(record), record.value.get("run")
        names += [name] if isinstance(name, str) and name else []
        cited = _cited(record)
        without += not cited
        scored = all(score == score for score in cited.values())  # noqa: PLR0124 - NaN is not
        ranked = sorted(cited, key=lambda id_: -cited[id_]) if scored else list(cited)
        rows += [(topic, id_, "", 0, 1, True, UNKNOWN, cited[id_], item.line) for id_ in ranked]
    source.faults.settle()
    source.notices.add(*_NO_CITATIONS, without, where=source.name)
    return ResultTable.of(rows).to_run(source, next(iter(names), source.name), "documents")


def _fields(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of an answer; the key of its topic may be one that only TREC RAG has."""
    fields = by_role(value, _WORDS)
    inner = value.get("metadata")
    flat = {**inner, **value} if isinstance(inner, Mapping) else value
    topic = next((flat[key] for key in _TOPICS if flat.get(key) is not None), None)
    return fields if topic is None or fields.get("topic") is not None else {**fields, "topic": topic}


def _cited(record: GoldItem) -> dict[str, float]:
    """Return the cited ids with their scores (NaN: none), in the order of first citation."""
    scores: dict[str, float] = {}
    key = next((key for key in SENTENCES if isinstance(record.value.get(key), list)), None)
    if key is None:
        record.fault("responses are missing, expected a list (also called answer)")
        return scores
    for sentence in record.value[key]:
        found = sentence.get("citations") if isinstance(sentence, Mapping) else ""
        citations = [] if found is None else found
        if not isinstance(citations, Mapping | list):
            record.fault(f"found {short(repr(sentence))} among the {key}, expected a text with its citations")
            continue
        for given in citations:
            id_ = _id(record, given)
            score = _score(record, citations[given]) if isinstance(citations, Mapping) else math.nan
            if id_ and not scores.get(id_, -math.inf) >= score:  # also true if the score is NaN
                scores[id_] = score
    return scores


def _score(record: GoldItem, value: Any) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and value == value:  # noqa: PLR0124
        return float(value)
    record.fault(f"found {short(repr(value))} as the score of a citation, expected a number")
    return math.nan


def _id(record: GoldItem, given: Any) -> str:
    if isinstance(given, str) and given and is_text(given):
        return given
    references = record.value.get("references")
    listed = references if isinstance(references, list) else []
    if type(given) is int and 0 <= given < len(listed) and isinstance(listed[given], str):
        return str(listed[given])
    expected = f"expected an id, or the number of one of {len(listed)} references"
    record.fault(f"found {short(repr(given))} as a citation, {expected}")
    return ""


def recognise(source: Source, name: str) -> int:
    """Detect the format of the answers in a file; quotes in lines of their own may be judgments as well."""
    is_of_track = offered("tracks")
    if answers_in(source) != name or (is_of_track is not None and is_of_track(source)):
        return 0
    return 1 if any(key in _first(source, _QUOTES) for key in _QUOTES) else _FIT


for _name, _layout, _about, _reader, _example in (
    (
        "citations",
        CITATIONS_LAYOUT,
        "saved answers with citations",
        lambda source: read_answers(source)[0],
        CITATIONS_EXAMPLE,
    ),
    ("trec-rag", TREC_RAG_LAYOUT, "passages that answers cite (TREC RAG)", read_trec_rag, TREC_RAG_EXAMPLE),
):
    _known = partial(recognise, name=_name)
    _with_ids = _name == "citations"
    _how: dict[str, Any] = {"reads_ids": _with_ids, "forms": RECORDS, "keys": _KEYS}
    register_run(Format(_name, "run", _layout, _about, _reader, _known, example=_example, **_how))
