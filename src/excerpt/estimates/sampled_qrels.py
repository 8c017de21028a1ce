"""Judgments of sampled documents in columns: prels, for statAP, and qrels with strata, for xinfAP."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from excerpt.errors import short
from excerpt.estimates.inclusion import EXPECTED, inclusion_of, probability_of, strata_of
from excerpt.formats.judgments.qrels import is_stratified, judge_documents, reject_repeats
from excerpt.formats.registry import Format, register_judgments
from excerpt.formats.source import Source
from excerpt.formats.text.columns import Columns
from excerpt.model.judgments import Judgments
from excerpt.model.spans import UNKNOWN

PRELS = "topic document grade method probability"
STRATA = "topic 0 document stratum grade"
#: The method of documents that were not drawn at random but chosen by another one.
_CHOSEN = "0"
_GRADE = re.compile("[+-]?[0-9]{1,2}")
_NUMBER = re.compile(r"[0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+/[0-9]+|-1(?:\.0*)?")


def read_prels(source: Source) -> Judgments:
    """Read grades of documents that were drawn with a probability.

    If methods differ, documents of method 0 were chosen by a rule that is not random: they are left out.
    """
    columns = Columns.of(source).without_comments().expect_width(range(5, 6), PRELS)
    methods, method = columns.names(3)
    if len(methods) > 1 and _CHOSEN in methods:
        chosen = method == methods.index(_CHOSEN)
        one = "document of method 0 was not drawn at random and is left out"
        many = "documents of method 0 were not drawn at random and are left out"
        source.notices.add_marked(one, many, chosen, lambda row: f"{source.name}:{columns.line[row]}")
        columns = columns.take(np.flatnonzero(~chosen))
    grade = columns.grades(2, "grade")
    reject_repeats(source, columns, document=1)
    texts, code = columns.names(4)
    values = [probability_of(text) for text in texts]
    wrong = np.flatnonzero(np.array([not value for value in values], np.bool_)[code])
    source.faults.add_all(
        columns.line[wrong],
        lambda at: f"found probability {short(texts[int(code[wrong[at]])])!r}, {EXPECTED}",
    )
    source.faults.settle()
    judgments = judge_documents(source, columns.names(0), columns.names(1), grade)
    topic, document = columns.names(0)[1], columns.names(1)[1]
    by_pair = dict(zip(judgments.pairs(topic, document).tolist(), code.tolist(), strict=True))
    probabilities = [values[by_pair[pair]] for pair in range(len(judgments))]
    return replace(judgments, inclusion=strata_of(judgments.pair_topic, probabilities))


def recognise_prels(source: Source) -> int:
    """Count lines of five columns that end in grade, method and a probability."""
    return sum(map(is_prel, source.head))


def is_prel(row: list[str]) -> bool:
    """Return whether a line is one of prels: its probability is a number up to 1, or -1."""
    fits = len(row) == 5 and _GRADE.fullmatch(row[2]) and row[3].isdecimal() and len(row[3]) < 3
    return bool(fits and _NUMBER.fullmatch(row[4]))


def read_strata(source: Source) -> Judgments:
    """Read grades by stratum; a grade below 0 is that of a document which was not drawn."""
    columns = Columns.of(source).without_comments().expect_width(range(5, 6), STRATA)
    grade = columns.grades(4, "grade")
    reject_repeats(source, columns)
    source.faults.settle()
    judgments = judge_documents(source, columns.names(0), columns.names(2), grade)
    strata, stratum = columns.names(3)
    pair = judgments.pairs(columns.names(0)[1], columns.names(2)[1])
    own = np.full(len(judgments), UNKNOWN, np.int64)
    own[pair] = stratum
    assert judgments.grades is not None
    named = zip(judgments.pair_topic.tolist(), (strata[code] for code in own.tolist()), strict=True)
    inclusion = inclusion_of(named, (judgments.grades >= 0).tolist())
    return replace(judgments, inclusion=inclusion)


def recognise_strata(source: Source) -> int:
    """Count lines with stratum and grade, if the lines cannot be those of FOL, whose strata are all 0."""
    if not all(map(is_stratified, source.head)):
        return 0
    plain = all((row[1], row[3]) == ("Q0", "0") for row in source.head)
    return 0 if plain else len(source.head)


for _format in (
    Format(
        "prels",
        "judgments",
        PRELS,
        "sampled documents with their probabilities (statAP)",
        read_prels,
        recognise_prels,
        example="1 A 1 1 1\n1 B 0 1 0.25\n1 C 1 1 0.25\n",
    ),
    Format(
        "strata",
        "judgments",
        STRATA,
        "sampled documents by stratum, -1 if not judged (xinfAP)",
        read_strata,
        recognise_strata,
        example="1 0 A 1 1\n1 0 B 2 -1\n1 0 C 2 0\n",
    ),
):
    register_judgments(_format)
