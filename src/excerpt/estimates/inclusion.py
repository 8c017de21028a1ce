"""Probabilities of inclusion of judged documents: in their rows, or in the pool they were drawn from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from excerpt.errors import ExcerptError, plural, short
from excerpt.files import Input, display_name
from excerpt.model.judgments import Inclusion, Judgments
from excerpt.model.run import encode
from excerpt.model.spans import IntArray
from excerpt.notices import Notices
from excerpt.pooling import Pool, read_pool
from excerpt.pooling.pool_file import parse_probability
from excerpt.records.judged import JudgedColumns
from excerpt.records.record import Records, show
from excerpt.records.rows import is_absent

EXPECTED = "expected a number above 0 and up to 1"


def probability_of(value: Any) -> Fraction:
    """Return a probability that is written as a number or a text; 0 if it is none.

    >>> probability_of(0.09523809523809523), probability_of("1/3"), probability_of(1), probability_of("most")
    (Fraction(2, 21), Fraction(1, 3), Fraction(1, 1), Fraction(0, 1))
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float | np.integer | np.floating):
        return Fraction(0)
    plain = value.item() if isinstance(value, np.generic) else value
    found = parse_probability(str(plain).strip())
    return found if found is not None and 0 < found <= 1 else Fraction(0)


def strata_of(topic: IntArray, probabilities: Sequence[Fraction]) -> Inclusion:
    """Return the sampling of pairs of which those of a topic with one probability are a stratum."""
    strata, stratum = encode(list(zip(topic.tolist(), probabilities, strict=True)))
    return Inclusion(tuple(probability for _, probability in strata), stratum)


def with_inclusion(records: Records, found: JudgedColumns, judgments: Judgments) -> Judgments:
    """Return judgments with the probabilities in their rows; report rows without one, and wrong ones."""
    by_line = _by_line(records)
    if records.faults or records.present("any_of").any():
        rows = records.present("any_of")
        records.report(rows, "found a probability and alternatives, expected one of the two")
        records.faults.settle()
        return judgments
    topics, documents = found.topics.names(), found.documents.names()
    codes = judgments.topic_codes, judgments.document_codes
    topic, document = (
        np.array([known.get(name, -1) for name in names], np.int64)
        for known, names in zip(codes, (topics, documents), strict=True)
    )
    pair = judgments.pairs(topic, np.where(topic < 0, -1, document))
    by_pair: dict[int, Fraction] = {}
    for number, line in zip(pair.tolist(), found.line.tolist(), strict=True):
        own = by_line.get(line)
        if number < 0 or own is None:
            continue
        if by_pair.setdefault(number, own) != own:
            name = short(judgments.documents[int(judgments.pair_document[number])])
            said = (
                f"found document {name} again with probability {own}, expected {by_pair[number]}, as before"
            )
            records.faults.add(line, said)
    records.faults.settle()
    if records.faults:
        return judgments
    lacks = [number for number in range(len(judgments)) if number not in by_pair]
    if lacks:
        raise _incomplete(judgments, lacks, judgments.source)
    probabilities = [by_pair[number] for number in range(len(judgments))]
    return replace(judgments, inclusion=strata_of(judgments.pair_topic, probabilities))


def _by_line(records: Records) -> dict[int, Fraction]:
    """Return the probability of each row by its line; report rows without one, and wrong ones."""
    by_line: dict[int, Fraction] = {}
    asked = records.present("document") | records.present("spans") | records.present("start")
    for row, (value, line) in enumerate(
        zip(records.values("probability"), records.line.tolist(), strict=True)
    ):
        if is_absent(value):
            if asked[row]:
                said = "found a row without a probability among rows with one"
                records.fault(row, f"{said}, expected one in every row or in none")
            continue
        probability = probability_of(value)
        if not probability:
            records.fault(row, f"found probability {show(value)}, {EXPECTED}")
        by_line[line] = probability
    records.faults.settle()
    return by_line


def _incomplete(judgments: Judgments, pairs: Sequence[int], path: str | None) -> ExcerptError:
    first = pairs[0]
    topic = judgments.topics[int(judgments.pair_topic[first])]
    document = judgments.documents[int(judgments.pair_document[first])]
    some = f"{len(pairs)} of {plural(len(judgments), 'judged document')} without a probability"
    where = f"(first: topic {topic}, document {short(document)})"
    return ExcerptError(f"found {some} {where}, expected one for every document", path=path or None)


def of_pool(judgments: Judgments, given: Pool | Input, notices: Notices) -> Judgments:
    """Return judgments with the probabilities of the pool that was judged.

    Documents of the pool that are not judged are counted in a warning: the estimates take them for documents
    that were not drawn.
    """
    pool = given if isinstance(given, Pool) else read_pool(given)
    path = None if isinstance(given, Pool) else display_name(given)
    if pool.unit == "passage":
        message = (
            "found a pool of passages, expected one of documents: of passages not drawn nothing is known"
        )
        raise ExcerptError(message, path=path)
    topics, documents = judgments.topic_codes, judgments.document_codes
    by_pair: dict[int, Fraction | None] = {}
    codes = [(topics.get(item.topic, -1), documents.get(item.document, -1)) for item in pool.items]
    topic, document = np.array(codes, np.int64).reshape(-1, 2).T
    pair = judgments.pairs(topic, np.where(topic < 0, -1, document))
    for number, item in zip(pair.tolist(), pool.items, strict=True):
        if number >= 0:
            by_pair[number] = item.probability
    if not by_pair:
        message = "no document of the pool is judged, expected the pool of these judgments"
        raise ExcerptError(message, path=path)
    if lacks := [number for number in range(len(judgments)) if number not in by_pair]:
        error = _incomplete(judgments, lacks, path)
        error.hint = "is it the pool of these judgments?"
        raise error
    probabilities = [by_pair[number] for number in range(len(judgments))]
    known = [probability for probability in probabilities if probability is not None]
    if len(known) < len(probabilities):
        message = f"found {plural(len(probabilities) - len(known), 'document')} of unknown probability"
        hint = "an adaptive order gives none; pool with ⟨sample⟩"
        raise ExcerptError(f"{message}, expected a sampled pool", path=path, hint=hint)
    _warn_unjudged(pair, pool, notices)
    return replace(judgments, inclusion=strata_of(judgments.pair_topic, known))


def _warn_unjudged(pair: IntArray, pool: Pool, notices: Notices) -> None:
    judged = {pool.topics[code] for code in np.unique(pool.topic[pair >= 0]).tolist()}
    counted = np.array([pool.topics[code] in judged for code in pool.topic.tolist()], np.bool_)
    notices.add_marked(
        "document of the pool is not judged and counts as not drawn",
        "documents of the pool are not judged and count as not drawn",
        (pair < 0) & counted,
        lambda row: f"topic {pool.items[row].topic}, document {pool.items[row].document}",
    )


def inclusion_of(strata: Iterable[object], judged: Sequence[bool]) -> Inclusion:
    """Return the sampling of strata of which all documents are listed, judged or not.

    >>> inclusion_of(["a", "a", "b"], [True, False, True]).probability
    (Fraction(1, 2), Fraction(1, 1))
    """
    names, stratum = encode(list(strata))
    size = np.bincount(stratum, minlength=len(names)).tolist()
    drawn = np.bincount(stratum[np.array(judged, np.bool_)], minlength=len(names)).tolist()
    return Inclusion(tuple(map(Fraction, drawn, size)), stratum)
