"""Verification of the quoted texts of a run against the corpus."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain, groupby, islice, repeat
from typing import TYPE_CHECKING, Any

import numpy as np

from excerpt.errors import FormatError, plural, short
from excerpt.model.run import Quotes, Run, encode
from excerpt.model.spans import UNKNOWN, BoolArray, IntArray
from excerpt.model.texts import count_words, fold_characters, squeeze
from excerpt.records.record import Trimmed

if TYPE_CHECKING:
    from excerpt.corpus import Corpus
    from excerpt.model.judgments import OffsetUnit
    from excerpt.notices import Notices
    from excerpt.quotes.quote_search import QuotedText


def is_quoted(quote: str, text: str) -> bool:
    r"""Return whether a text is the text that a row quotes; whitespace and folded characters may differ.

    >>> is_quoted("one two", "one\n\ntwo "), is_quoted("one two", "one"), is_quoted(Trimmed("1. one"), "one")
    (True, False, True)
    """
    if quote == text:
        return True
    quoted, actual = (squeeze(fold_characters(part)) for part in (quote, text))
    return quoted == actual or (isinstance(quote, Trimmed) and bool(actual) and actual in quoted)


_SHOWN = 3
#: Documents whose results are compared together.
_TOGETHER = 1024
_HINT = "are they from another version of the text? ⟨command=place⟩ locates chunks"


def check_quotes(
    run: Run,
    corpus: Corpus,
    unit: OffsetUnit = "char",
    notices: Notices | None = None,
    changed: Collection[str] = (),
) -> Run:
    """Return the run without its quotes; raise if a quote differs from the corpus.

    A result with a quote but without offsets is located at the first place of the quote in its document, or
    of the quote without text of its own; in the corpus if it names no document. In a document that has
    `changed` since, a result is located at the place of its quote that is nearest to its offsets.
    """
    if run.text.quotes is None or run.kind != "spans" or run.whole:
        return run.with_text(quotes=None)
    quotes, lost = run.text.quotes, np.zeros(len(run), np.int64) if run.text.lost is None else run.text.lost
    rows = np.flatnonzero((quotes != None) & (lost == 0))  # noqa: E711 - by element
    several, wrong = np.zeros(len(run), np.bool_), []
    run = _with_documents(run, corpus, several)
    start, end, lead = run.start.copy(), run.end.copy(), np.zeros(len(run), np.int64)
    free = ~run.known | np.array([name in changed for name in run.documents], np.bool_)[run.document_code]
    for name, text, some in _not_literal(run, quotes, corpus, rows, free if unit == "char" else free | True):
        from excerpt.quotes.quote_search import QuotedText
        from excerpt.quotes.text_index import lead_of

        quoted = QuotedText(text or "", corpus.resolve(name) or name)
        for row in some:
            quote = quotes[row]
            if free[row]:
                start[row], end[row] = (quoted.find(quote, int(start[row])) or quoted.find_part(quote))[:2]
                several[row] = not run.known[row] and quoted.text.find(quote, int(start[row]) + 1) >= 0
            elif text is not None and not _is_at(quote, quoted, slice(start[row], end[row]), unit):
                start[row] = UNKNOWN
            if start[row] == UNKNOWN:
                wrong.append(row)
            elif unit == "char" and len(quote) != end[row] - start[row]:
                lead[row] = lead_of(quote, quoted.text[start[row] : end[row]])
    if wrong:
        raise _wrong(run, sorted(wrong, key=lambda row: (int(run.line[row]), row)), len(rows))
    form = "{} a text that occurs several times; its first place counts".format
    if notices is not None:
        notices.add_marked(form("result has"), form("results have"), several, run.place)
    run = replace(run, start=start, end=end).with_text(quotes=None)
    return run if unit == "byte" else _with_own_text(run, quotes, lead)


def _not_literal(
    run: Run, quotes: Any, corpus: Corpus, rows: IntArray, free: BoolArray
) -> Iterator[tuple[str, str | None, list[int]]]:
    """Yield the rows whose text is not literally at their offsets, and those that are free of offsets.

    They are together by document, each with its text, None if it is missing.
    """
    which = np.unique(run.document_code[rows])
    inverse: IntArray = which.searchsorted(run.document_code[rows])
    every = len(which) == len(run.documents)
    names = run.documents if every else [run.documents[one] for one in which.tolist()]
    numbers, counts = corpus.numbers(names)[inverse], np.bincount(inverse).tolist()
    order: IntArray = np.lexsort((inverse, numbers))  # as the texts come
    rows, code, first = rows[order], inverse[order].tolist(), int((numbers < 0).sum())
    for place, some in groupby(range(first), code.__getitem__):
        yield names[place], None if names[place] else "", rows[[*some]].tolist()
    size = np.fromiter(map(len, quotes[rows]), np.int64, len(rows))
    fixed = (~free[rows] & (size == (run.end - run.start)[rows])).tolist()
    expected = [quote if one else () for quote, one in zip(quotes[rows].tolist(), fixed, strict=True)]
    start, found = run.start[rows].tolist(), corpus.texts(names, strict=False)
    while batch := dict(islice(found, _TOGETHER)):
        by_row = map(repeat, (text or "" for text in batch.values()), map(counts.__getitem__, batch))
        last = first + sum(map(counts.__getitem__, batch))
        same = map(str.startswith, chain.from_iterable(by_row), expected[first:last], start[first:last])
        odd = [at for at, is_literal in enumerate(same, first) if not is_literal]
        for place, some in groupby(odd, code.__getitem__):
            # broken documents are reported when lengths are read
            yield names[place], batch[place], rows[[*some]].tolist()
        first = last


def _with_own_text(run: Run, quotes: Quotes, lead: IntArray) -> Run:
    """Return a run whose costs are those of the texts of its results, if some differ from their spans."""
    size = np.where(run.known, run.end - run.start, 0 if run.text.lost is None else run.text.lost)
    own = np.array([size[row] if quote is None else len(quote) for row, quote in enumerate(quotes)], np.int64)
    if (own == size).all():
        return run
    costs = {"characters": own, "lead": lead, **run.text.costs}
    if None in quotes.tolist():
        return run.with_text(costs=costs)
    costs.setdefault("words", np.array([*map(count_words, quotes)], np.int64))
    return run.with_text(costs=costs, texts=quotes.tolist(), chunk=np.arange(len(run)))


def _with_documents(run: Run, corpus: Corpus, several: BoolArray) -> Run:
    """Locate quotes without a document at their first place in the corpus; mark those with several places."""
    from excerpt.quotes.quote_search import find_everywhere

    if "" not in run.documents or run.text.quotes is None:
        return run
    documents = [run.documents[code] for code in run.document_code.tolist()]
    start, end, places = run.start.copy(), run.end.copy(), dict[str, list[tuple[str, int, int]]]()
    nameless = {row: run.text.quotes[row] for row, name in enumerate(documents) if not name}
    quotes = list(dict.fromkeys(nameless.values()))
    for number, name, matches in find_everywhere(quotes, corpus.named_texts()):
        places.setdefault(quotes[number], []).extend((name, *match[:2]) for match in matches)
    for row, quote in nameless.items():
        if quote in places:
            documents[row], start[row], end[row] = places[quote][0]
            several[row] = len(places[quote]) > 1
    names, codes = encode(documents)
    return replace(run, documents=names, document_code=codes, start=start, end=end)


def warn_lengths(run: Run, unit: OffsetUnit, notices: Notices) -> None:
    """Warn about results whose text is longer or shorter than their offsets say."""
    if run.text.quotes is None or run.kind != "spans" or run.whole:
        return
    wrong = np.zeros(len(run), np.bool_)
    sizes, known = (run.end - run.start).tolist(), run.known.tolist()
    for row, quote in enumerate(run.text.quotes.tolist()):
        if quote is None or not known[row] or (unit == "char" and len(quote) == sizes[row]):
            continue
        texts = (quote, quote.strip()) if unit == "char" else (quote.encode(), quote.strip().encode())
        wrong[row] = sizes[row] not in map(len, texts) and not isinstance(quote, Trimmed)
    one = "result has a text of another length than its offsets say; the offsets count"
    many = "results have texts of another length than their offsets say; the offsets count"
    notices.add_marked(one, many, wrong, partial(_describe_lengths, run))


def _describe_lengths(run: Run, row: int) -> str:
    assert run.text.quotes is not None
    quote, size = run.text.quotes[row], int(run.end[row] - run.start[row])
    unit = ": bytes?" if size == len(quote.encode("utf-8", "replace")) else ""
    return f"{len(quote)} characters of text, {size} by its offsets{unit}; {run.place(row)}"


def _is_at(quote: str, quoted: QuotedText, span: slice, unit: OffsetUnit) -> bool:
    """Return whether a quote occurs at its offsets; one that occurs nowhere may have text of its own."""
    from excerpt.quotes.text_index import is_part

    text = quoted.text
    passage = text[span] if unit == "char" else text.encode()[span].decode(errors="replace")
    if is_quoted(quote, passage) and (unit == "byte" or span.stop <= len(text)):
        return True
    if unit == "byte":
        return False
    near = quoted.find(quote, span.start)
    if near is not None and near.how == "markup":
        return near.start <= span.start < span.stop <= near.end or is_part(quote, passage)
    at = span.start, span.stop
    return near is None and (is_part(quote, passage) or quoted.find_part(quote) == at)


def _wrong(run: Run, rows: list[int], count: int) -> FormatError:
    assert run.text.quotes is not None
    shown = []
    for row in rows[:_SHOWN]:
        at = f" at {run.start[row]} to {run.end[row]}" if run.known[row] else ""
        document = short(run.documents[int(run.document_code[row])], 30)
        shown.append(
            f"{short(run.text.quotes[row], 30)!r}{at}" + (f" of document {document}" if document else "")
        )
    where = "its document" if run.documents[int(run.document_code[rows[0]])] else "any document"
    fault = "is not at its offsets" if run.known[rows[0]] else f"does not occur in {where}"
    message = f"the text of {len(rows)} of {plural(count, 'result')} {fault} ({'; '.join(shown)})"
    return FormatError(message, path=run.source or run.name, line=int(run.line[rows[0]]) or None, hint=_HINT)
