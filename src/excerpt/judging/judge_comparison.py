"""How far judges agree on the documents that they have in common, together and by topic."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from pathlib import PurePath
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from excerpt._lazy import offered
from excerpt.corpus import Corpus
from excerpt.errors import ExcerptError, plural, short, short_list
from excerpt.experiments.outcome import Record
from excerpt.files import Input, display_name, is_folder, is_input
from excerpt.formats import read_judgments
from excerpt.formats.source import AnyCorpus, open_corpus
from excerpt.judging.alpha import SCALES, Ratings, as_float
from excerpt.judging.confusion import WEIGHTS, Confusion
from excerpt.judging.judge_table import Judge, JudgeTable, judges_of
from excerpt.judging.unitizing import alpha_u
from excerpt.model.display import Showable
from excerpt.model.judgments import Judgments
from excerpt.model.spans import UNKNOWN, IntArray, exact_means, sums
from excerpt.model.topic_choice import TopicChoice, TopicIds
from excerpt.notices import Gathering, Notices

#: One set of judgments: a file, a folder, a campaign, or judgments.
JudgedBy: TypeAlias = "Input | Judgments"


class AlphaSettings(NamedTuple):
    """Lowest grade that is relevant; seed and number of resamples of the intervals."""

    relevant: int = 1
    seed: int = 1
    samples: int = 1000

    def check(self) -> AlphaSettings:
        """Raise an error for values that cannot be."""
        for name, least in (("relevant", -(10**15)), ("seed", 0), ("samples", 1)):
            value = getattr(self, name)
            if type(value) is not int or value < least:
                raise ExcerptError(
                    f"found {short(repr(value))} as {name}, expected a whole number of at least {least}"
                )
        return self


@dataclass(frozen=True)
class JudgesCompared(Showable):
    """Agreement of judges: of all together, of every two, and by topic."""

    found: dict[str, Any]
    #: Number of documents with two or more judges: of all topics, then of each.
    documents: tuple[int, ...]
    record: Record
    warnings: tuple[str, ...] = ()

    def listed(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        sections = [self.found, *self.found["topics"]]
        rows = [_row(section, count) for section, count in zip(sections, self.documents, strict=True)]
        pairs = [_row_of_pair(pair) for pair in self.found["pairs"]]
        every = [*rows[:1], *pairs, *rows[1:]]
        columns = tuple(rows[0])
        return columns, [tuple(row.get(column) for column in columns) for row in every]

    def __repr__(self) -> str:
        judges = plural(len(self.found["judges"]), "judge")
        return f"<JudgesCompared: {judges}, {plural(self.documents[0], 'common document')}>"

    def to_dict(self) -> dict[str, Any]:
        return {**self.found, "record": self.record.to_dict(), "warnings": list(self.warnings)}


def _row(section: Mapping[str, Any], documents: int) -> dict[str, Any]:
    row: dict[str, Any] = {"topic": section.get("topic", "all"), "judges": "all", "documents": documents}
    for scale in SCALES:
        low, high = section["alpha_interval"][scale] or (None, None)
        row |= {scale: section["alpha"][scale], f"{scale}_low": low, f"{scale}_high": high}
    return {**row, **dict.fromkeys(("kappa", "linear", "quadratic")), **section["characters"]}


def _row_of_pair(pair: Mapping[str, Any]) -> dict[str, Any]:
    kappa = pair["kappa"]
    head = {"topic": "all", "judges": ", ".join(pair["judges"]), "documents": pair["documents"]}
    return {**head, "kappa": kappa["plain"], "linear": kappa["linear"], "quadratic": kappa["quadratic"]}


def judges(
    *qrels: JudgedBy | Iterable[JudgedBy] | Mapping[str, JudgedBy],
    corpus: AnyCorpus | None = None,
    relevant: int = 1,
    qrels_format: str | None = None,
    seed: int = 1,
    samples: int = 1000,
    topic: str | None = None,
    layer: str | None = None,
    only: TopicIds = None,
    exclude: TopicIds = None,
    notices: Notices | None = None,
) -> JudgesCompared:
    """Compare judgments: files, folders or judgments, several of them, or a mapping from names to them.

    A file whose rows name assessors, and the folder of a campaign, count as that many judges. Nominal alpha
    is of relevant or not, from grade `relevant` on; ordinal alpha is of the grades. A `corpus` has the
    lengths of documents, which `alpha_u` needs, if the files lack them. Intervals contain 95 % of `samples`
    resamples of documents. Values that are undefined are None. `topic` and `layer` are for files of
    annotation tools (see `read_judgments`).

    >>> one = {"1": {"A": 1, "B": 0, "C": 2, "D": 0}}
    >>> two = {"1": {"A": 1, "B": 0, "C": 1, "D": 1}}
    >>> found = judges({"human": Judgments.of(one), "model": Judgments.of(two)}).to_dict()
    >>> round(found["alpha"]["nominal"], 4), found["pairs"][0]["kappa"]["plain"]
    (0.5333, 0.2727272727272727)
    """
    settings = AlphaSettings(relevant, seed, samples).check()
    choice = TopicChoice.of(only, exclude)
    with Gathering(notices) as gathered:
        named = _named(qrels)
        how = {"format": qrels_format, "corpus": corpus, "topic": topic, "layer": layer}
        each = [(name, _judges(name, given, how, gathered)) for name, given in named.items()]
        own = _distinct(each)
        if not own:
            message = f"found no finished judgments in {short_list(list(named), 3)}, expected two judges"
            raise ExcerptError(message, hint="give campaigns in which assessors finished documents")
        choice.mask(tuple(dict.fromkeys(topic for judge in own for topic in judge.topics)), known=True)
        table = JudgeTable.of([_chosen(judge, choice) for judge in own], gathered)
        table.check_common()
        table = table.measured(_lengths(table, corpus, gathered))
        _compare_scales(table, gathered)
        files = {name: display_name(given) for name, given in named.items() if is_input(given)}
        options = {"qrels": files, "relevant": relevant, "samples": samples}
        return compare(table, settings, Record("judges", seed, options=options), gathered)


def _named(qrels: Sequence[Any]) -> dict[str, JudgedBy]:
    """Return what was given by name: its own, that of its file, or a number."""
    pairs: list[tuple[str | None, JudgedBy]] = []
    for given in qrels:
        if isinstance(given, Mapping):
            pairs += ((str(name), one) for name, one in given.items())
        elif isinstance(given, Judgments) or is_input(given):
            pairs.append((None, given))
        else:
            pairs += ((None, one) for one in given)
    stems = [name or _stem(given) for name, given in pairs]
    named: dict[str, JudgedBy] = {}
    for (name, given), stem in zip(pairs, stems, strict=True):
        own = stem if stem and stems.count(stem) == 1 else _full(given)
        known = name or own or f"judge {len(named) + 1}"
        if known in named:
            raise ExcerptError(f"found judge {short(known)} twice, expected each name once")
        named[known] = given
    if not named:
        raise ExcerptError("no judgments given, expected two files, or one that names its assessors")
    return named


def _full(given: JudgedBy) -> str:
    return given.source if isinstance(given, Judgments) else display_name(given)


def _stem(given: JudgedBy) -> str:
    """Return the name of a file without folders and endings."""
    if isinstance(given, str | os.PathLike) and os.fspath(given) != "-":
        return PurePath(os.fspath(given)).stem
    return "" if isinstance(given, Judgments) else display_name(given)


def _judges(name: str, given: JudgedBy, how: dict[str, Any], notices: Notices) -> list[Judge]:
    if not isinstance(given, Judgments):
        campaign = offered("campaign_judges") if is_folder(given) else None
        found: list[Judge] | None = None if campaign is None else campaign(given, how["corpus"])
        if found is not None:
            return found
        given = read_judgments(given, **how, notices=notices)
    return judges_of(name, given)


def _chosen(judge: Judge, choice: TopicChoice) -> Judge:
    return judge.taken(choice.mask(judge.topics)[judge.topic]) if choice and judge.topics else judge


def _distinct(each: Sequence[tuple[str, Sequence[Judge]]]) -> list[Judge]:
    """Return all judges; those of several files with one name have the name of the file in front."""
    names = [judge.name for _, some in each for judge in some]
    return [
        judge if names.count(judge.name) == 1 else judge._replace(name=f"{name}: {judge.name}")
        for name, some in each
        for judge in some
    ]


def _lengths(table: JudgeTable, corpus: AnyCorpus | None, notices: Notices) -> IntArray:
    """Return the length of the document of each unit: from the files, else from the corpus."""
    length = table.length.copy()
    seen = sums(table.unit, table.highlighted[table.judge].astype(np.int64), len(length))
    missing = np.flatnonzero((length == UNKNOWN) & (seen > 1))
    if not len(missing):
        return length
    opened: Corpus | None = open_corpus(corpus, "paragraph")
    if opened is not None:
        for document in np.unique(table.unit_document[missing]).tolist():
            text = opened.get(table.documents[document])
            if text is not None:
                length[table.unit_document == document] = len(text)
        missing = missing[length[missing] == UNKNOWN]
    documents = np.unique(table.unit_document[missing])
    effect = "so that alpha_u is left out where it counts"
    notices.add(
        f"document has no known length, {effect}",
        f"documents have no known length, {effect}",
        len(documents),
        where=f"document {short(table.documents[documents[0]])}" if len(documents) else "",
    )
    return length


def _compare_scales(table: JudgeTable, notices: Notices) -> None:
    """Warn if the judges have different highest grades: they are compared as numbers."""
    highest = [
        (name, int(own.max()))
        for number, name in enumerate(table.judges)
        if len(own := table.grade[table.judge == number])
    ]
    most = max((grade for _, grade in highest), default=0)
    lower = [f"{short(name)} (up to {grade})" for name, grade in highest if grade < most]
    if most > 1 and lower:
        first = next(f"{short(name)} (up to {grade})" for name, grade in highest if grade == most)
        notices.add(
            f"the scales of grades may differ: {first}, but {short_list(lower, 3)}; ordinal alpha and kappas "
            "compare the grades as numbers"
        )


def compare(table: JudgeTable, settings: AlphaSettings, record: Record, notices: Notices) -> JudgesCompared:
    """Compare the judges of a table."""
    topics = list(table.by_topic())
    found = describe(table, settings)
    found["topics"] = [{"topic": name, **describe(part, settings)} for name, part in topics]
    documents = [_common(part) for part in (table, *(part for _, part in topics))]
    return JudgesCompared(found, tuple(documents), record, tuple(notices))


def _common(table: JudgeTable) -> int:
    return int((table.judged > 1).sum())


def describe(table: JudgeTable, settings: AlphaSettings) -> dict[str, Any]:
    """Return all figures on the judgments of a table."""
    present = np.unique(table.judge).tolist()
    own = {number: table.grade[table.judge == number] for number in present}
    names = {table.judges[number]: _strictness(grades, settings.relevant) for number, grades in own.items()}
    alpha, interval = alphas(table, settings)
    common = [(*two, *table.common(*two)) for two in combinations(present, 2)]
    pairs = [_pair(table, *both) for both in common if len(both[2])]
    found = {"judges": names, "alpha": alpha, "alpha_interval": interval, "pairs": pairs}
    return {**found, "characters": characters(table, [both[2:] for both in common])}


def alphas(table: JudgeTable, settings: AlphaSettings) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return nominal alpha of relevance and ordinal alpha of grades, and their intervals."""
    values = {"nominal": (table.grade >= settings.relevant).astype(np.int64), "ordinal": table.grade}
    ratings = {scale: Ratings(table.unit, values[scale]) for scale in SCALES}
    how = {"samples": settings.samples, "seed": settings.seed}
    return (
        {scale: as_float(one.alpha(scale)) for scale, one in ratings.items()},
        {scale: one.interval(scale, **how) for scale, one in ratings.items()},
    )


def _strictness(grades: IntArray, relevant: int) -> dict[str, Any]:
    """Return what tells a lenient judge from a strict one: mean grade, and share of relevant documents."""
    count = len(grades)
    mean, share = Fraction(sum(grades.tolist()), count), Fraction(int((grades >= relevant).sum()), count)
    return {"documents": count, "mean_grade": float(mean), "share_relevant": float(share)}


def _pair(table: JudgeTable, one: int, two: int, first: IntArray, second: IntArray) -> dict[str, Any]:
    confusion = Confusion.of(table.grade[first], table.grade[second])
    return {
        "judges": [table.judges[one], table.judges[two]],
        "documents": len(first),
        "kappa": {weight: as_float(confusion.kappa(weight)) for weight in WEIGHTS},
        "confusion": confusion.to_dict(),
    }


def characters(table: JudgeTable, common: Iterable[tuple[IntArray, IntArray]]) -> dict[str, float | None]:
    """Return agreement on highlighted text: means over documents that one of two highlighted, and alpha."""
    jaccard, f = [np.zeros(0)], [np.zeros(0)]
    for first, second in common:
        if len(first) and table.highlighted[table.judge[[first[0], second[0]]]].all():
            both, sizes = _overlap(table, first, second)
            either = sizes - both
            marked = either > 0
            jaccard.append(both[marked] / either[marked])
            f.append(2 * both[marked] / sizes[marked])
    found = {"jaccard": np.concatenate(jaccard), "f": np.concatenate(f)}
    means = {name: float(exact_means(values)) if len(values) else None for name, values in found.items()}
    return {**means, "alpha_u": as_float(_alpha_u(table))}


def _overlap(table: JudgeTable, first: IntArray, second: IntArray) -> tuple[IntArray, IntArray]:
    """Characters that both highlighted in each common document, and those of the first and of the second."""
    partner = np.full(len(table.judge), UNKNOWN, np.int64)
    partner[first] = second
    spans = table.spans
    shared = spans.overlap(partner[spans.group], spans.start, spans.end)
    both = sums(spans.group, shared, len(table.judge))[first]
    total = spans.totals(len(table.judge))
    return both, total[first] + total[second]


def _alpha_u(table: JudgeTable) -> Fraction | None:
    marks = table.rows(table.highlighted[table.judge])
    units, document = np.unique(marks.unit, return_inverse=True)
    length = marks.length[units]
    if (length[np.bincount(document, minlength=len(units)) > 1] == UNKNOWN).any():
        return None
    return alpha_u(marks.judge, document, marks.spans, length)
