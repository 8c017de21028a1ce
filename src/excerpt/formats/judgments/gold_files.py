"""Gold files as judgments: questions with evidence, in the formats of `excerpt.gold`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from excerpt._lazy import offered
from excerpt.errors import ExcerptError, FormatError, short, short_list
from excerpt.formats.registry import Format, register_judgments
from excerpt.formats.source import Source
from excerpt.gold.file import NOWHERE, Gold, GoldFormat
from excerpt.gold.quote_rows import KIND
from excerpt.gold.verification import Verification, VerifiedSpan, verify
from excerpt.model.judgments import Judgments, Quoted, collect_judgments
from excerpt.model.run import encode
from excerpt.model.spans import UNKNOWN

#: More than any number of lines by which other formats are detected.
_FIT = 100


def read(source: Source, kind: GoldFormat) -> Judgments:
    """Read questions and evidence; compare quotes with the corpus, else with the texts in the file."""
    if source.context != "paragraph" and not kind.has_articles:
        message = f"context {source.context} needs a file with articles; {kind.name} has none"
        raise ExcerptError(message, path=source.name, hint="leave ⟨context⟩ out")
    gold = kind.read(source.gold_file)
    source.faults.settle()
    if not gold.questions:
        raise FormatError(f"questions are missing, expected {kind.layout}", path=source.name)
    _warn(source, gold)
    text_of = _texts(source, gold)
    quotes = (one for one in gold.evidence if one.document not in gold.documents)
    if source.corpus is None and not source.faults and any(q.start < 0 or not q.document for q in quotes):
        raise ExcerptError("quotes need the documents: ⟨corpus⟩", path=source.name)
    verification = verify_in(source, gold, text_of)
    fingerprints = _fingerprints(source, gold) if kind is KIND else {}
    source.faults.settle()
    for topic in verification.unknown:
        del gold.questions[topic]
    gold.judged = [pair for pair in gold.judged if pair[0] in gold.questions]
    judgments = _judgments(source, gold, verification, text_of)
    judgments = replace(judgments, fingerprints=fingerprints, quoted=quoted_by(gold, verification), gold=True)
    return replace(
        judgments, evidence={**verification.counts, **offered("copies").elsewhere(source, judgments, text_of)}
    )


def _fingerprints(source: Source, gold: Gold) -> dict[str, str]:
    """Return the fingerprints that rows name; raise if offsets alone are of another version."""
    if not any("fingerprint" in one.item.value for one in gold.evidence):
        return {}
    from excerpt.records.fingerprints import OtherVersionError, differing, in_objects

    found = in_objects((one.document, one.item.value, one.item.fault) for one in gold.evidence)
    changed = [] if source.corpus is None else differing(found, source.corpus.known_hash)
    bare = {one.document for one in gold.evidence if not one.quote}
    if differ := [name for name in changed if name in bare]:
        raise OtherVersionError(source.name, differ, len({one.document for one in gold.evidence}))
    now = {name: source.corpus.hash(name) for name in changed} if source.corpus is not None else {}
    return {**found, **now}


def verify_in(source: Source, gold: Gold, text_of: Callable[[str], str | None]) -> Verification:
    """Compare the evidence of a file with the texts; lost quotes are faults, or are left out."""
    corpus, names = source.corpus, dict[str, str]()  # a document has the first name that the file has for it
    if corpus is not None:

        def name_of(name: str) -> str:
            own = corpus.resolve(name) if name else None
            return name if own is None else names.setdefault(own, name)

        gold.evidence = [one._replace(document=name_of(one.document)) for one in gold.evidence]
        gold.judged = [(topic, name_of(name)) for topic, name in gold.judged]
    return verify(
        gold,
        text_of,
        source.notices,
        has_corpus=corpus is not None,
        id_of=str if corpus is None else lambda name: corpus.resolve(name) or name,
        documents=list(gold.documents) if corpus is None else [names.get(own, own) for own in corpus],
        unplaced=source.unplaced,
        copies=source.copies,
    )


def _texts(source: Source, gold: Gold) -> Callable[[str], str | None]:
    """Return a function from document ids to texts, of the corpus or else of the file itself."""
    corpus = source.corpus
    if corpus is None:
        return gold.documents.get
    names = {one.document for one in gold.evidence} | {document for _, document in gold.judged}
    names.discard("")
    if names and not any(name in corpus for name in names) and not gold.documents:
        raise ExcerptError(
            f"none of the file's documents (such as {short(min(names))}) is in the corpus",
            path=source.name,
            hint=f"the corpus has documents such as {short(next(iter(corpus)))}",
        )
    return lambda name: corpus[name] if name in corpus else gold.documents.get(name)


def _judgments(
    source: Source, gold: Gold, verification: Verification, text_of: Callable[[str], str | None]
) -> Judgments:
    rows = [*verification.rows, *(VerifiedSpan(*pair, 0, 0) for pair in gold.judged)]
    topics, topic = encode([*gold.questions, *(row.topic for row in rows)])
    documents, document = encode([row.document for row in rows])
    texts = map(text_of, documents)
    sizes = np.array([UNKNOWN if text is None else len(text) for text in texts], np.int64)
    converted = gold.unit == "char" or not verification.unverified
    if not converted and len(verification.unverified) < len(verification.rows):
        raise ExcerptError(
            "the offsets are bytes and the corpus has only some of the documents, expected all or none",
            path=source.name,
            hint=f"the corpus lacks {short_list({one.document for one in verification.unverified}, 3)}",
        )
    start, end, need, alternative = np.array([row[2:] for row in rows], np.int64).reshape(-1, 4).T
    return collect_judgments(
        topics,
        documents,
        topic[len(gold.questions) :],
        document,
        start,
        end,
        size=sizes[document] if rows else document,
        unit="char" if converted else gold.unit,
        source=source.name,
        questions=gold.questions,
        need=need,
        alternative=alternative,
    )


def quoted_by(gold: Gold, verification: Verification) -> tuple[Quoted, ...]:
    """Return the passages as the file has them; a quote that leaves out text is one passage."""
    found: dict[Quoted, None] = {}
    for one, spans in zip(gold.evidence, verification.each, strict=True):
        for span in spans:
            place = (NOWHERE, NOWHERE) if one.quote else (span.start, span.end)
            found.setdefault(Quoted(one.topic, span.document, *place, one.quote, *span[4:]))
    return tuple(found) if any(one.quote for one in found) else ()


def _warn(source: Source, gold: Gold) -> None:
    if gold.repeated:
        topic, first = gold.repeated[0]
        source.notices.add(
            "question repeats the words of an earlier question; each counts",
            "questions repeat the words of earlier questions; each counts",
            len(gold.repeated),
            where=f"question {short(topic)} repeats {short(first)} in {source.name}",
        )
    if source.gold_file.unknown:
        unknown = short_list(sorted(source.gold_file.unknown))
        source.notices.add(f"unknown keys are ignored: {unknown}", where=source.name)


def recognise(source: Source, kind: GoldFormat) -> int:
    """Detect a format by the keys or the first row of the file."""
    return _FIT if source.gold_kind is kind else 0


def gold_format(kind: GoldFormat) -> Format[Judgments]:
    """Return the format of judgments in gold files of a kind."""
    return Format(
        kind.name,
        "judgments",
        kind.layout,
        kind.description,
        partial(read, kind=kind),
        partial(recognise, kind=kind),
        example=kind.example,
    )


register_judgments(gold_format(KIND))
