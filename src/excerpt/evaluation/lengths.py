"""How long documents are, from a corpus: for whole documents, and for what reaches beyond their end."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from excerpt.errors import ExcerptError, plural, short
from excerpt.model.judgments import Judgments, Unit
from excerpt.model.run import Run
from excerpt.model.spans import UNKNOWN, BoolArray, IntArray, KeyedSpans
from excerpt.notices import Notices

if TYPE_CHECKING:
    from excerpt.corpus import Corpus

#: What is compared with a corpus: all lengths, for which all documents are read; ids only; or nothing, where
#: another does it. Whole documents get their lengths in any case. With `all` a run must have some document of
#: the corpus; with `lengths` and `ids`, for what shows several runs, that it has none is only said.
Checks: TypeAlias = Literal["all", "lengths", "ids", "none"]
_READING = ("all", "lengths")

_SHOWN = 3
_LACKING = "is not in the corpus"


def size_run(run: Run, corpus: Corpus, unit: Unit, notices: Notices, *, checks: Checks = "all") -> Run:
    """A run with the lengths of its documents; those that the corpus lacks or has too short are counted."""
    if checks != "none":
        _check_ids(run, corpus, notices, needed=checks == "all")
    if checks not in _READING and run.kind != "documents":
        return run
    lengths = _lengths(corpus, run.documents, unit, notices if checks in _READING else Notices())
    if checks in _READING:
        reach = np.full(len(run.documents), UNKNOWN, np.int64)
        np.maximum.at(reach, run.document, run.end)
        too_short = (lengths >= 0) & (reach > lengths)
        message = "document of the corpus is shorter than a result in it"
        _add(notices, message, too_short, run.documents, run.source or run.name)
    return replace(run, lengths=lengths)


def _check_ids(run: Run, corpus: Corpus, notices: Notices, *, needed: bool) -> None:
    name, known = run.source or run.name, _known(corpus, run.documents)
    if needed and run.documents and not known.any():
        raise ExcerptError(
            f"found none of its documents in the corpus (such as {short(run.documents[0])}), "
            "expected the same corpus",
            path=name,
            hint=f"the corpus has documents such as {short(next(iter(corpus)))}",
        )
    _add(notices, f"document of the run {_LACKING}", ~known, run.documents, name)


def size_judgments(
    judgments: Judgments, corpus: Corpus, notices: Notices, *, checks: Checks = "all"
) -> Judgments:
    """Judgments with the lengths of documents that they do not tell; contradictions are counted.

    Relevant text beyond the end of a document is an error, but where several runs are shown (`lengths`).
    Judgments of whole documents become such of their text.
    """
    documents, name = judgments.documents, judgments.source or "the judgments"
    if checks != "none":
        _add(notices, f"judged document {_LACKING}", ~_known(corpus, documents), documents, name)
    if judgments.only_documents:
        heard = notices if checks in _READING else Notices()
        return _spread(judgments, _lengths(corpus, documents, judgments.unit, heard))
    if checks not in _READING:
        return judgments
    return _fill(judgments, corpus, notices, strict=checks == "all")


def _notice_twins(judgments: Judgments, corpus: Corpus, notices: Notices) -> None:
    """Say which documents of the corpus the judgments call by two names."""
    first: dict[str, str] = {}
    for name in judgments.documents:
        own = corpus.resolve(name)
        other = name if own is None else first.setdefault(own, name)
        if other != name:
            notices.add(
                "document has two names in the judgments and counts as two",
                where=f"{short(other)} and {short(name)} of {judgments.source or 'the judgments'}",
            )


def _fill(judgments: Judgments, corpus: Corpus, notices: Notices, *, strict: bool = False) -> Judgments:
    documents, name = judgments.documents, judgments.source or "the judgments"
    told = judgments.document_sizes
    reach = np.zeros(len(documents), np.int64)
    np.maximum.at(reach, judgments.pair_document[judgments.spans.group], judgments.spans.end)
    asked = np.flatnonzero((told == UNKNOWN) | (reach > 0))
    lengths = np.full(len(documents), UNKNOWN, np.int64)
    lengths[asked] = _lengths(corpus, [documents[row] for row in asked.tolist()], judgments.unit, notices)
    too_short = (lengths >= 0) & (reach > lengths)
    if strict and too_short.any():
        raise _beyond(judgments, np.flatnonzero(too_short), reach, lengths)
    _add(
        notices, "document of the corpus is shorter than a relevant passage in it", too_short, documents, name
    )
    other = (lengths >= 0) & (told != UNKNOWN) & (told != lengths) & ~too_short
    _add(notices, "judged document has a different length in the corpus", other, documents, name)
    unknown = (judgments.pair_size == UNKNOWN) & ~too_short[judgments.pair_document]
    size = np.where(unknown, lengths[judgments.pair_document], judgments.pair_size)
    return replace(judgments, pair_size=size)


def _beyond(judgments: Judgments, rows: IntArray, reach: IntArray, lengths: IntArray) -> ExcerptError:
    """The error for relevant text beyond the end of documents."""
    shown = ", ".join(
        f"{short(judgments.documents[row])} up to {reach[row]} of {lengths[row]}"
        for row in rows[:_SHOWN].tolist()
    )
    return ExcerptError(
        f"found relevant text beyond the end of {plural(len(rows), 'document')} of the corpus ({shown}), "
        "expected passages of its text",
        path=judgments.source or None,
        hint="are the offsets of another version? give ⟨corpus⟩, the text that they were made for",
    )


def complete(judgments: Judgments, corpus: Corpus, needs: Collection[str], notices: Notices) -> Judgments:
    """Judgments with the lengths that measures need, where nobody has told them and a corpus can.

    The mean length is that of all documents of the corpus which can be read.
    """
    _notice_twins(judgments, corpus, notices)
    if "document lengths" in needs and (judgments.pair_size == UNKNOWN).any():
        judgments = _fill(judgments, corpus, Notices())
    if "mean document length" in needs and judgments.mean_length is None:
        lengths = _lengths(corpus, corpus, judgments.unit, notices)
        known = lengths[lengths != UNKNOWN]
        if len(known):
            judgments = replace(judgments, mean_length=Fraction(int(known.sum()), len(known)))
    return judgments


def _spread(judgments: Judgments, lengths: IntArray) -> Judgments:
    """Judgments of whole documents, as an index makes them: all of a relevant document is relevant text."""
    size = np.where(lengths == UNKNOWN, 1, lengths)[judgments.pair_document]
    spans = judgments.spans
    spans = KeyedSpans.union(spans.group, spans.start, size[spans.group])
    return replace(judgments, pair_size=size, spans=spans)


def _known(corpus: Corpus, documents: Sequence[str]) -> BoolArray:
    return np.array([name in corpus for name in documents], np.bool_)


def _lengths(corpus: Corpus, documents: Iterable[str], unit: Unit, notices: Notices) -> IntArray:
    """The length of each document; -1 where the corpus lacks it or cannot read it."""
    lengths = []
    for name in documents:
        length = UNKNOWN
        try:
            if name in corpus:
                length = corpus.length(name) if unit == "char" else len(corpus[name].encode())
        except ExcerptError as error:  # broken, changed or gone
            notices.add("document of the corpus cannot be read", where=str(error))
        lengths.append(length)
    return np.array(lengths, np.int64)


def _add(notices: Notices, message: str, mask: BoolArray, documents: Sequence[str], name: str) -> None:
    """Count documents, and name the first three."""
    rows = np.flatnonzero(mask).tolist()
    where = ", ".join(short(documents[row]) for row in rows[:_SHOWN])
    notices.add(message, len(rows), where=f"{where} of {name}")
