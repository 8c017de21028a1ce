"""Questions of gold files with the places of their quotes: of a file that is gone on with, and of drafts."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from excerpt.authoring.question import MarkedQuote, WrittenQuestion
from excerpt.corpus import Corpus
from excerpt.errors import ExcerptError, FormatError, short
from excerpt.formats.judgments.gold_files import verify_in
from excerpt.formats.source import Source
from excerpt.gold.file import Evidence, Gold
from excerpt.gold.quote_rows import IDS, KIND, question_of
from excerpt.gold.quote_rows import rows as rows_of
from excerpt.gold.verification import Verification
from excerpt.model.texts import fold_text, squeeze
from excerpt.notices import Notices
from excerpt.records.rows import parse_json

_LINES = "JSON Lines of questions with quotes"


class Draft(NamedTuple):
    """A question that a model wrote; its key depends on its content alone."""

    key: str
    question: WrittenQuestion


def lines_of(data: bytes, name: str, corpus: Corpus) -> dict[str, list[str]]:
    """Return the lines of a gold file by the key of their question; raise an error for any other file."""
    try:
        lines = [line for line in data.decode("utf-8-sig").split("\n") if line.strip()]
    except UnicodeDecodeError:
        raise ExcerptError(f"found bytes that are not UTF-8, expected {_LINES}", path=name) from None
    if not lines:
        return {}
    for number, line in enumerate(lines, 1):
        if not isinstance(parse_json(line), dict):
            hint = "choose another name for a new file"
            message = f"found {short(line.strip())!r}, expected {_LINES}"
            raise FormatError(message, path=name, line=number, hint=hint)
    source = Source.open(name, kind="judgments", corpus=corpus)
    if source.gold_kind is not KIND:
        raise ExcerptError(f"found no questions with quotes, expected {_LINES}", path=name)
    KIND.read(source.gold_file)
    source.faults.settle()
    items = list(rows_of(source.gold_file))
    if len(items) != len(lines):
        raise ExcerptError(f"found a list inside of one object, expected {_LINES}", path=name)
    numbers: dict[str, str] = {}
    keyed: dict[str, list[str]] = {}
    for line, row in zip(lines, items, strict=True):
        topic = question_of(row)
        named = any(map(row.has, IDS))
        key = topic if named else numbers.setdefault(topic, str(len(numbers) + 1))
        keyed.setdefault(key, []).append(line.strip("\r"))
    return keyed


def read_questions(
    keyed: Mapping[str, Sequence[str]], corpus: Corpus, name: str
) -> dict[str, WrittenQuestion]:
    """Return the questions of lines by key, with the places of their quotes."""
    rows = []
    for key, lines in keyed.items():
        for line in lines:
            row = {name: value for name, value in json.loads(line).items() if name not in IDS}
            rows.append({"question_id": key, **row})
    if not rows:
        return {}
    source = Source.open(rows, kind="judgments", corpus=corpus, unplaced="drop", notices=Notices())
    gold = KIND.read(source.gold_file)
    try:
        source.faults.settle()
    except FormatError as error:
        raise ExcerptError(error.message, path=name, hint=error.hint) from None
    tags: dict[str, tuple[str, ...]] = {}
    for row in rows:
        tags.setdefault(row["question_id"], _tags(row.get("tags")))
    return _questions(source, gold, tags)


def read_drafts(name: str, corpus: Corpus) -> list[Draft]:
    """Return the drafts of a file, those with quotes that are not literal first, else in its order."""
    source = Source.open(name, kind="judgments", corpus=corpus, unplaced="drop", notices=Notices())
    kind = source.gold_kind
    if kind is None:
        hint = 'a line such as {"question": "…", "document": "…", "quote": "…"}'
        raise ExcerptError("found no questions with quotes", path=name, hint=hint)
    gold = kind.read(source.gold_file)
    source.faults.settle()
    if not gold.questions:
        raise ExcerptError("found no questions, expected at least one", path=name)
    tags: dict[str, tuple[str, ...]] = {}
    if kind is KIND:
        for one in gold.evidence:
            tags.setdefault(one.topic, _tags(one.item.value.get("tags")))
    questions = _questions(source, gold, tags)
    drafts = {key: Draft(key, one) for one in questions.values() if (key := _key(one))}
    return sorted(drafts.values(), key=lambda draft: draft.question.is_literal)


def _key(question: WrittenQuestion) -> str:
    quotes = [[quote.document, quote.given or quote.quote] for quote in question.quotes]
    content = [question.text, question.answerable, quotes]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]


def _tags(value: object) -> tuple[str, ...]:
    return tuple(tag for tag in value if isinstance(tag, str)) if isinstance(value, list) else ()


def _questions(source: Source, gold: Gold, tags: Mapping[str, tuple[str, ...]]) -> dict[str, WrittenQuestion]:
    """Return the questions of gold, each quote with its place or the reason why it has none."""
    corpus = source.corpus
    assert corpus is not None
    verification = verify_in(source, gold, source.text_of)
    reasons = {id(one.evidence): one.problem for one in verification.lost}
    needs: dict[str, dict[object, dict[object, list[MarkedQuote]]]] = defaultdict(dict)
    for number, evidence in enumerate(gold.evidence):
        quotes = _quotes(corpus, verification, number, evidence, reasons)
        for place, quote in enumerate(quotes):
            # Parts of a quote that leaves out text are all needed; those of an alternative are one.
            need = ("own", number, place) if evidence.need < 0 else evidence.need
            own = place if evidence.need < 0 else evidence.alternative
            needs[evidence.topic].setdefault(need, {}).setdefault(own, []).append(quote)
    found = {}
    for topic, question in gold.questions.items():
        several = needs.get(topic, {}).values()
        written = tuple(tuple(_joined(corpus, parts) for parts in need.values()) for need in several)
        text = question.text or topic
        found[topic] = WrittenQuestion(text, written, answerable=bool(written), tags=tags.get(topic, ()))
    return found


def _quotes(
    corpus: Corpus, verification: Verification, number: int, evidence: Evidence, reasons: Mapping[int, str]
) -> list[MarkedQuote]:
    spans = verification.each[number]
    if not spans:
        why = reasons.get(id(evidence), "its document is not among these documents")
        return [MarkedQuote(evidence.document, -1, -1, evidence.quote, "", why)]
    parts = []
    for span in spans:
        document = corpus.resolve(span.document)
        if document is None or span.start < 0:
            why = "its document is not among these documents"
            return [MarkedQuote(span.document, -1, -1, evidence.quote, "", why)]
        text = corpus[document][span.start : span.end]
        how = _how(text, evidence.quote) if len(spans) == 1 else "folded"
        given = "" if how == "exact" else evidence.quote
        parts.append(MarkedQuote(document, span.start, span.end, text, how, "", given))
    return parts


def _how(text: str, quote: str) -> str:
    """Say how a quote differs from the text at its place; offsets alone are exact."""
    if not quote or text == quote:
        return "exact"
    return "folded" if squeeze(fold_text(text)) == squeeze(fold_text(quote)) else "markup"


def _joined(corpus: Corpus, parts: Sequence[MarkedQuote]) -> MarkedQuote:
    """Return the parts of an alternative as one quote."""
    first, last = parts[0], parts[-1]
    if len(parts) == 1 or first.document != last.document or not all(part.is_placed for part in parts):
        return first
    end = max(part.end for part in parts)
    text = corpus[first.document][first.start : end]
    return first._replace(end=end, quote=text, how="folded")
