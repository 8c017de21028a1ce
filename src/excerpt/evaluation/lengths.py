"""Document lengths from a corpus: for whole documents, and to detect spans beyond a document's end."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from excerpt._lazy import offered
from excerpt.errors import ExcerptError, plural, short
from excerpt.model.judgments import Judgments, OffsetUnit
from excerpt.model.run import Run
from excerpt.model.spans import NO_PLACE, UNKNOWN, BoolArray, IntArray, KeyedSpans
from excerpt.model.texts import by_document
from excerpt.model.tokens import Tokens, count_tokens
from excerpt.notices import Notices

if TYPE_CHECKING:
    from excerpt.corpus import Corpus

#: Comparison with a corpus: all lengths, for which all documents are read; ids only; or none, if the caller
#: compares. Whole documents get their lengths in any case. With `all`, a run without any document of the
#: corpus is an error; with `lengths` and `ids`, for views of several runs, it is a warning.
Checks: TypeAlias = Literal["all", "lengths", "ids", "none"]
_READING = ("all", "lengths")

_SHOWN = 3
#: Warnings in the singular and in the plural.
_MISSING = "document of a run is not in the corpus", "documents of a run are not in the corpus"
_JUDGED_MISSING = "judged document is not in the corpus", "judged documents are not in the corpus"
_SHORTER = (
    "document of the corpus is shorter than a {} in it",
    "documents of the corpus are shorter than a {} in them",
)
_DIFFERENT = (
    "judged document has another length in the corpus; the judgments' length is used",
    "judged documents have another length in the corpus; the judgments' lengths are used",
)


def size_run(run: Run, corpus: Corpus, unit: OffsetUnit, notices: Notices, *, checks: Checks = "all") -> Run:
    """Return a run with the lengths of its documents; warn about missing and too short documents."""
    if checks != "none":
        _check_ids(run, corpus, notices, needed=checks == "all")
    if checks not in _READING and run.kind != "documents":
        return run
    lengths = _lengths(corpus, run.documents, unit, notices if checks in _READING else Notices())
    if checks in _READING:
        if unit == "char":
            offered("offset_readings").check_run(run, corpus, notices)
        reach = np.full(len(run.documents), UNKNOWN, np.int64)
        np.maximum.at(reach, run.document_code, run.end)
        too_short = (lengths >= 0) & (reach > lengths)
        _add(notices, _SHORTER, "result", too_short, run.documents, run.source or run.name)
    return replace(run, lengths=lengths)


def with_tokens(run: Run, tokens: Tokens, corpus: Corpus | None) -> Run:
    """Return a run with the tokens of its results: of its chunks, else of the corpus; -1 without a text."""
    counts = np.full(len(run), UNKNOWN, np.int64)
    if run.texts is not None and run.chunk is not None:
        counts = count_tokens(tokens, [run.texts[chunk] for chunk in run.chunk.tolist()])
    elif corpus is not None:
        whole = run.whole or run.kind == "documents"
        own = run.costs.get("characters", run.end - run.start) != run.end - run.start  # text of its own
        for name, every in by_document(run.documents, run.document_code):
            text, rows = corpus.get(name), every[(run.known & ~own)[every] | whole]
            spans = zip(run.start[rows].tolist(), run.end[rows].tolist(), strict=True)
            if text is not None:
                counts[rows] = count_tokens(tokens, [text if whole else text[one:two] for one, two in spans])
    return replace(run, costs={**run.costs, "tokens": counts})


def _check_ids(run: Run, corpus: Corpus, notices: Notices, *, needed: bool) -> None:
    name, in_corpus = run.source or run.name, _in_corpus(corpus, run.documents)
    if needed and run.documents and not in_corpus.any():
        raise ExcerptError(
            f"none of the run's documents (such as {short(run.documents[0])}) is in the corpus",
            path=name,
            hint=f"the corpus has documents such as {short(next(iter(corpus)))}",
        )
    _add(notices, _MISSING, "", ~in_corpus, run.documents, name)


def size_judgments(
    judgments: Judgments, corpus: Corpus, notices: Notices, *, checks: Checks = "all"
) -> Judgments:
    """Return judgments with the missing lengths of their documents; warn about contradictions.

    Relevant text beyond the end of a document is an error (a warning if several runs are shown: `lengths`).
    Judgments of whole documents become judgments of their text.
    """
    documents, name = judgments.documents, judgments.source or "the judgments"
    if checks != "none":
        _add(notices, _JUDGED_MISSING, "", ~_in_corpus(corpus, documents), documents, name)
    if judgments.only_documents:
        own = notices if checks in _READING else Notices()
        return _as_text(judgments, _lengths(corpus, documents, judgments.unit, own))
    if checks not in _READING:
        return judgments
    offered("offset_readings").check_judgments(judgments, corpus, notices)
    return _with_lengths(judgments, corpus, notices, strict=checks == "all")


def _warn_double_ids(judgments: Judgments, corpus: Corpus, notices: Notices) -> None:
    first: dict[int, str] = {}
    for name, number in zip(judgments.documents, corpus.numbers(judgments.documents).tolist(), strict=True):
        other = name if number < 0 else first.setdefault(number, name)
        if other != name:
            notices.add(
                "document has two ids in the judgments and counts twice",
                "documents have two ids in the judgments and count twice each",
                where=f"{short(other)} and {short(name)} of {judgments.source or 'the judgments'}",
            )


def _with_lengths(
    judgments: Judgments, corpus: Corpus, notices: Notices, *, strict: bool = False
) -> Judgments:
    documents, name = judgments.documents, judgments.source or "the judgments"
    sizes = judgments.document_sizes
    reach = np.zeros(len(documents), np.int64)
    placed = judgments.spans.start < NO_PLACE
    np.maximum.at(reach, judgments.pair_document[judgments.spans.group[placed]], judgments.spans.end[placed])
    checked = np.flatnonzero((sizes == UNKNOWN) | (reach > 0))
    lengths = np.full(len(documents), UNKNOWN, np.int64)
    lengths[checked] = _lengths(corpus, [documents[row] for row in checked.tolist()], judgments.unit, notices)
    too_short = (lengths >= 0) & (reach > lengths)
    if strict and too_short.any():
        raise _beyond(judgments, np.flatnonzero(too_short), reach, lengths)
    _add(notices, _SHORTER, "relevant passage", too_short, documents, name)
    other = (lengths >= 0) & (sizes != UNKNOWN) & (sizes != lengths) & ~too_short
    _add(notices, _DIFFERENT, "", other, documents, name)
    unknown = (judgments.pair_size == UNKNOWN) & ~too_short[judgments.pair_document]
    size = np.where(unknown, lengths[judgments.pair_document], judgments.pair_size)
    return replace(judgments, pair_size=size)


def _beyond(judgments: Judgments, rows: IntArray, reach: IntArray, lengths: IntArray) -> ExcerptError:
    shown = ", ".join(
        f"{short(judgments.documents[row])} up to {reach[row]} of {lengths[row]}"
        for row in rows[:_SHOWN].tolist()
    )
    return ExcerptError(
        f"found relevant text beyond the end of {plural(len(rows), 'document')} of the corpus ({shown}), "
        "expected passages of its text",
        path=judgments.source or None,
        hint="do the offsets belong to another version of the text? give ⟨corpus⟩ with that version",
    )


def complete(judgments: Judgments, corpus: Corpus, needs: Collection[str], notices: Notices) -> Judgments:
    """Return judgments with the lengths that measures need and the judgments lack, from the corpus.

    The mean length is the mean of all readable documents of the corpus.
    """
    _warn_double_ids(judgments, corpus, notices)
    if "document lengths" in needs and (judgments.pair_size == UNKNOWN).any():
        judgments = _with_lengths(judgments, corpus, Notices())
    if "mean document length" in needs and judgments.mean_length is None:
        lengths = _lengths(corpus, tuple(corpus), judgments.unit, notices)
        readable = lengths[lengths != UNKNOWN]
        if len(readable):
            judgments = replace(judgments, mean_length=Fraction(int(readable.sum()), len(readable)))
    return judgments


def _as_text(judgments: Judgments, lengths: IntArray) -> Judgments:
    """Turn judgments of whole documents into text: all text of a relevant document is relevant."""
    size = np.where(lengths == UNKNOWN, 1, lengths)[judgments.pair_document]
    spans = judgments.spans
    spans = KeyedSpans.union(spans.group, spans.start, size[spans.group])
    return replace(judgments, pair_size=size, spans=spans)


def _in_corpus(corpus: Corpus, documents: Sequence[str]) -> BoolArray:
    return np.asarray(corpus.numbers(documents) >= 0)


def _lengths(corpus: Corpus, documents: Sequence[str], unit: OffsetUnit, notices: Notices) -> IntArray:
    """Length of each document; -1 if it is not in the corpus or cannot be read."""
    numbers, lengths = corpus.numbers(documents), np.full(len(documents), UNKNOWN, np.int64)
    if unit == "char":
        lengths = corpus.lengths(numbers)
    for row in np.flatnonzero((numbers >= 0) & (lengths == UNKNOWN)).tolist():
        name = documents[row]
        try:
            lengths[row] = corpus.length(name) if unit == "char" else len(corpus[name].encode())
        except ExcerptError as error:  # broken, changed or gone
            one = "document of the corpus cannot be read"
            notices.add(one, "documents of the corpus cannot be read", where=str(error))
    return lengths


def _add(
    notices: Notices, forms: tuple[str, str], noun: str, mask: BoolArray, names: Sequence[str], file: str
) -> None:
    rows = np.flatnonzero(mask).tolist()
    where = ", ".join(short(names[row]) for row in rows[:_SHOWN])
    one, many = (form.format(noun) for form in forms)
    notices.add(one, many, len(rows), where=f"{where} of {file}")
