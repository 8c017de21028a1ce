"""Drop-in for BioASQ's Evaluation-Measures, task B, phase A: documents, concepts, snippets and triples.

Where its figures surprise, a warning says in how many questions.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeAlias

from excerpt.errors import ExcerptError, short
from excerpt.files import Input
from excerpt.gold.file import GoldItem, show
from excerpt.official.java_doubles import added, divided, double_text, exponential
from excerpt.official.printout import Printout, Printouts, each_run
from excerpt.official.track_file import TrackFile
from excerpt.records.record import is_text

_INT = 1 << 31
_NUMBER = re.compile(r"[+-]?[0-9]{1,18}(\.0*)?")
_SNIPPET = {"document", "beginSection", "endSection", "offsetInBeginSection", "offsetInEndSection", "text"}
_FILE = 'one JSON object with "questions", a list of objects'


class Snippet(NamedTuple):
    """A snippet; sections without what precedes their first point."""

    document: str
    first: str
    last: str
    begin: int
    end: int

    @property
    def name(self) -> str:
        """The part of the document after its last slash."""
        return self.document.rstrip("/").rpartition("/")[2]

    def meets(self, other: Snippet) -> bool:
        """Return whether two snippets share a character, their ends included."""
        return self.begin <= other.end and self.end >= other.begin


class Triple(NamedTuple):
    """Subject, predicate and object."""

    s: str
    p: str
    o: str


@dataclass(frozen=True)
class BioasqQuestion:
    """What the gold or a system has for a question."""

    documents: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()
    triples: tuple[Triple, ...] = ()
    snippets: tuple[Snippet, ...] = ()


@dataclass(frozen=True)
class Questions:
    """The questions of a file by id."""

    file: TrackFile
    by_id: Mapping[str, BioasqQuestion]
    #: Questions that a system answers again otherwise, which is ignored.
    again: Sequence[str]


def read_questions(given: Input, *, gold: bool) -> Questions:
    """Read the gold or a system; only a system may have a question twice, of which the first counts."""
    file = TrackFile.open(given)
    whole = file.object(_FILE)
    if "questions" not in whole.value:
        raise file.fault(f"key questions is missing, expected {_FILE}", 1)
    found: dict[str, BioasqQuestion] = {}
    again = []
    for item in whole.each("questions"):
        name = _text(item, "id", missing=None)
        question = _question(item, file)
        if name not in found:
            found[name] = question
        elif gold:
            item.fault(f"found question {short(name)} again, expected each id once")
        elif found[name] != question:
            again.append(name)
    file.settle()
    return Questions(file, found, again)


def _question(item: GoldItem, file: TrackFile) -> BioasqQuestion:
    triples = tuple(
        Triple(*(_text(one, key, missing="", null="") for key in "spo")) for one in _objects(item, "triples")
    )
    snippets = tuple(_snippet(one, file) for one in _objects(item, "snippets"))
    return BioasqQuestion(_names(item, "documents"), _names(item, "concepts"), triples, snippets)


def _snippet(item: GoldItem, file: TrackFile) -> Snippet:
    if unknown := sorted(item.value.keys() - _SNIPPET):
        one, many = (f"snippet{s} unknown keys, which stop the official program" for s in (" has", "s have"))
        file.notices.add(one, many, where=f"{short(unknown[0])} in {file.place(item.line)}")
    sections = (_text(item, key, missing="") for key in ("beginSection", "endSection"))
    first, last = (text.partition(".")[2] if "." in text else text for text in sections)
    offsets = (_whole(item, key) for key in ("offsetInBeginSection", "offsetInEndSection"))
    _text(item, "text", missing="")
    return Snippet(_text(item, "document", missing=""), first, last, *offsets)


def _objects(item: GoldItem, key: str) -> list[GoldItem]:
    return item.each(key) if key in item.value else []


def _names(item: GoldItem, key: str) -> tuple[str, ...]:
    """Return the texts of a list, each once."""
    values = item.values(key, needed=True) if key in item.value else []
    return tuple(dict.fromkeys(_as_text(item, key, value) for value in values))


def _text(item: GoldItem, key: str, *, missing: str | None, null: str | None = None) -> str:
    """Return a text, or a number as text; report all other values."""
    if key not in item.value and missing is not None:
        return missing
    value = item.value.get(key)
    return null if value is None and null is not None else _as_text(item, key, value)


def _as_text(item: GoldItem, key: str, value: Any) -> str:
    if isinstance(value, str) and is_text(value):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    what = "key id is missing" if key == "id" and value is None else f"found {key} {show(value)}"
    item.fault(f"{what}, expected a text")
    return ""


def _whole(item: GoldItem, key: str) -> int:
    """Return a whole number, possibly written as a text or as a decimal; 0 if it is missing."""
    value = item.value.get(key, 0)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    is_number = is_number or (isinstance(value, str) and _NUMBER.fullmatch(value) is not None)
    number = float(value) if is_number else math.nan
    if not abs(number) < _INT or number != int(number):
        item.fault(f"found {key} {show(value)}, expected a whole number below 2**31")
        return 0
    return int(number)


#: Versions of the challenge, which differ in the divisor of average precision.
Version: TypeAlias = Literal[2, 3, 5, 8, 9]
VERSIONS: tuple[Version, ...] = (2, 3, 5, 8, 9)
#: The version since 2020 except for Synergy, and the one of the program if none is given.
CURRENT: Version = 8
DEFAULT: Version = 2
WITHOUT_VERSION = (
    f"without -e the figures are those of years 1 and 2 (-e {DEFAULT}); since 2020 it is -e {CURRENT}"
)
MEASURES = ("MPrec", "MRec", "MF1", "MAP", "GMAP")
KINDS = ("concepts", "documents", "snippets", "triples")
_LEAST = 0.00001  # added to average precision in geometric means
_TOP = 10


class RankedFigures(NamedTuple):
    """Precision, recall, F1 and average precision of one question."""

    precision: float
    recall: float
    f1: float
    average: float


def _divisor(relevant: int, version: Version) -> int:
    """What sums of precisions are divided by, for a number of relevant items."""
    return relevant if version == 2 else _TOP if version in {3, 5} else min(_TOP, relevant)


Items: TypeAlias = "Sequence[str] | Sequence[Triple]"


def list_figures(gold: Items, found: Items, version: Version) -> RankedFigures:
    """Return the figures of a list of documents, concepts or triples."""
    wanted, total, hits = set(gold), 0.0, 0
    for rank, item in enumerate(found, 1):
        if item in wanted:
            hits += 1
            total += hits / rank
    missed = len([item for item in gold if item not in set(found)])
    precision = hits / len(found) if found else 0.0
    recall = hits / (hits + missed) if found and hits + missed else 0.0
    f1 = 2 * precision * recall / (precision + recall) if precision and recall else 0.0
    return RankedFigures(precision, recall, f1, total / _divisor(len(gold), version) if hits else 0.0)


class SnippetRules(NamedTuple):
    """How snippets are compared: as the program does, or otherwise, to see what its rules change."""

    #: Sizes count the end as a character.
    inclusive: bool = True
    #: Section `0` of an answer is the abstract of the gold.
    zero_is_abstract: bool = True
    #: Documents are the same only as whole text when pieces are merged, and in average precision.
    merges_whole_names: bool = True
    averages_whole_names: bool = True
    #: A snippet of a document with gold counts in average precision even if it shares nothing with it.
    counts_documents: bool = True


OFFICIAL = SnippetRules()


def merged(snippets: Sequence[Snippet], rules: SnippetRules = OFFICIAL) -> list[Snippet]:
    """Join snippets of a document and section that share a character, at the place of the first."""
    groups: dict[tuple[str, str, str], list[tuple[int, Snippet]]] = {}
    for place, one in enumerate(snippets):
        document = one.document if rules.merges_whole_names else one.name
        _join(groups.setdefault((document, one.first, one.last), []), place, one)
    return [one for _, one in sorted(entry for group in groups.values() for entry in group)]


def _join(group: list[tuple[int, Snippet]], place: int, one: Snippet) -> None:
    """Add a snippet to those of its section; of two that meet, the first becomes both, until none do."""
    group.append((place, one))
    while pair := next(
        ((i, j) for j in range(1, len(group)) for i in range(j) if group[i][1].meets(group[j][1])), None
    ):
        first, (_, second) = group[pair[0]], group.pop(pair[1])
        both = first[1]._replace(begin=min(first[1].begin, second.begin), end=max(first[1].end, second.end))
        group[pair[0]] = first[0], both


def _size(one: Snippet, rules: SnippetRules) -> int:
    return one.end - one.begin + rules.inclusive


def _overlap(one: Snippet, gold: Snippet, rules: SnippetRules) -> int:
    """Characters that a snippet of an answer shares with one of the gold, if their documents are the same."""
    same = (one.first, one.last) == (gold.first, gold.last)
    if not same and not (rules.zero_is_abstract and one.first == "0" and gold.first == "abstract"):
        return 0
    return min(one.end, gold.end) - max(one.begin, gold.begin) + rules.inclusive if one.meets(gold) else 0


def snippet_figures(
    gold: Sequence[Snippet],
    found: Sequence[Snippet],
    version: Version,
    rules: SnippetRules = OFFICIAL,
) -> RankedFigures:
    """Return the figures of snippets, by the characters that they share."""
    wanted, given = merged(gold, rules), merged(found, rules)
    by_name: dict[str, list[Snippet]] = {}
    for one in wanted:
        by_name.setdefault(one.name, []).append(one)
    read = shared = averaged = 0
    area = 0.0
    for one in given:
        near = by_name.get(one.name, ())
        same = [g for g in near if not rules.averages_whole_names or g.document == one.document]
        shared += sum(_overlap(one, other, rules) for other in near)
        own = sum(_overlap(one, other, rules) for other in same)
        averaged += own
        read += _size(one, rules)
        counts = bool(same and (own or rules.counts_documents))
        area += counts * divided(averaged, read)  # 0 times NaN is NaN
    divisor = _divisor(len(wanted), version)
    if not given:
        return RankedFigures(0.0, 0.0, 0.0, divided(0.0, divisor))
    relevant = sum(_size(one, rules) for one in wanted)
    precision, recall = (shared / amount if amount else 0.0 for amount in (read, relevant))
    f1 = divided(2 * precision * recall, precision + recall) if precision or recall else 0.0
    return RankedFigures(precision, recall, f1, divided(area, divisor))


#: Five figures of a kind: means of precision, recall, F1 and average precision, and the geometric mean.
Summary: TypeAlias = "tuple[float, ...]"


def _means(figures: Sequence[RankedFigures]) -> Summary:
    """Plain means over questions, in which NaN counts as 0."""
    return tuple(
        divided(added(0.0 if math.isnan(one[place]) else one[place] for one in figures), len(figures))
        for place in range(len(RankedFigures._fields))
    )


def _logarithms(figures: Sequence[RankedFigures]) -> float:
    """Sum of logarithms of average precisions, to which NaN adds nothing."""
    values = [one.average + _LEAST for one in figures if not math.isnan(one.average)]
    return added(math.log(value) if value > 0 else math.nan for value in values)


def _summary(figures: Sequence[RankedFigures]) -> Summary:
    """Means over the questions that have concepts, or triples."""
    return (*_means(figures), exponential(_logarithms(figures) / len(figures))) if figures else (0.0,) * 5


def _document_summary(figures: Sequence[RankedFigures]) -> Summary:
    return _summary(figures) if figures else (0.0, 0.0, math.nan, math.nan, math.nan)


def _snippet_summary(figures: Sequence[RankedFigures]) -> Summary:
    total = _logarithms(figures)
    has_mean = total and not math.isnan(total)
    return (*_means(figures), exponential(total / len(figures)) if has_mean else 0.0)


@dataclass(frozen=True)
class Answered:
    """A question of the gold with its answer."""

    name: str
    gold: BioasqQuestion
    answer: BioasqQuestion
    version: Version

    @property
    def in_first_pass(self) -> bool:
        """Whether the first ten figures have the question."""
        return self.version != 9 or bool(self.gold.documents)

    @property
    def in_second_pass(self) -> bool:
        """Whether the last ten figures have the question."""
        return self.version != 9 or bool(self.gold.snippets)

    def lists(self) -> Iterator[tuple[str, Items, Items]]:
        """Yield kind, gold and answer of each list that counts."""
        if self.in_first_pass:
            yield "documents", self.gold.documents, self.answer.documents
            if self.gold.concepts and self.answer.concepts:
                yield "concepts", self.gold.concepts, self.answer.concepts
        if self.in_second_pass and self.gold.triples:
            yield "triples", self.gold.triples, self.triples

    @property
    def triples(self) -> Sequence[Triple]:
        """Triples of the answer in the second pass: the first one removes those that are wrong."""
        found, right = self.answer.triples, set(self.gold.triples)
        return [one for one in found if one in right] if self.in_first_pass else found

    def snippets(self, rules: SnippetRules = OFFICIAL) -> RankedFigures:
        """Return the figures of the snippets."""
        return snippet_figures(self.gold.snippets, self.answer.snippets, self.version, rules)


def figures_of(asked: Sequence[Answered]) -> dict[str, Summary]:
    """Return the five figures of each kind."""
    found: dict[str, list[RankedFigures]] = {kind: [] for kind in KINDS}
    for one in asked:
        for kind, gold, answer in one.lists():
            found[kind].append(list_figures(gold, answer, one.version))
        if one.in_second_pass:
            found["snippets"].append(one.snippets())
    return {kind: _SUMMARIES.get(kind, _summary)(figures) for kind, figures in found.items()}


_SUMMARIES: dict[str, Callable[[Sequence[RankedFigures]], Summary]] = {
    "documents": _document_summary,
    "snippets": _snippet_summary,
}
#: Warnings about rules that change figures, after the number of questions.
_TWICE = "answered again; the first answer counts"
_MISSING = "not answered and left out of the means"
_LONG = "more right items than average precision is divided by, so that it may exceed 1"
_MIXED = "right and wrong triples, of which the wrong ones are ignored"
_PIECES = "more snippets of right documents than the gold has; each counts in average precision"
_UNDEFINED = "an undefined average precision of snippets, which counts as 1 in their geometric mean"
_OF_SNIPPETS = {
    "inclusive": "other figures because the end of a snippet counts as a character of it",
    "zero_is_abstract": "other figures because section 0 of an answer is the abstract of the gold",
    "merges_whole_names": "other figures because pieces of a document written in two ways are not merged",
    "averages_whole_names": "other figures because average precision compares documents as whole texts",
    "counts_documents": "other figures because snippets count in average precision by their document",
}
_ARE = ("is", "are")


def _note_surprises(gold: Questions, system: Questions, asked: Sequence[Answered], version: Version) -> None:
    """Note the rules that change the figures of a system, each with a count of questions and the first."""
    note = system.file.note
    note(_TWICE, [name for name in system.again if name in gold.by_id], _ARE)
    missing = [name for name in gold.by_id if name not in system.by_id]
    empty = [Answered(name, gold.by_id[name], BioasqQuestion(), version) for name in missing]
    note(_MISSING, [] if _same(figures_of([*asked, *empty]), figures_of(asked)) else missing, _ARE)
    note(_LONG, [one.name for one in asked if any(_exceeds(one, *lists) for _, *lists in one.lists())])
    second = [one for one in asked if one.in_second_pass]
    note(_MIXED, [one.name for one in second if 0 < len(one.triples) < len(one.answer.triples)])
    note(_PIECES, [one.name for one in second if _has_pieces(one)])
    undefined = [one.name for one in second if math.isnan(one.snippets().average)]
    note(_UNDEFINED, undefined if len(undefined) < len(second) else [])  # of none there is no mean
    for rule, text in _OF_SNIPPETS.items():
        rules = OFFICIAL._replace(**{rule: False})
        note(text, [one.name for one in second if not _same(one.snippets(), one.snippets(rules))])


def _same(one: object, other: object) -> bool:
    """Return whether figures are the same, NaN included."""
    return repr(one) == repr(other)


def _exceeds(one: Answered, gold: Items, found: Items) -> bool:
    """Return whether a list has more right items than its average precision is divided by."""
    right = set(gold)
    hits = sum(item in right for item in found)
    return bool(hits) and hits > _divisor(len(gold), one.version)


def _has_pieces(one: Answered) -> bool:
    """Return whether more snippets count than there are in the gold, of which ten at most count."""
    wanted = merged(one.gold.snippets)
    documents = {snippet.document for snippet in wanted}
    counted = sum(snippet.document in documents for snippet in merged(one.answer.snippets))
    return counted > min(_TOP, len(wanted))


def score_system(gold: Questions, given: Input, version: Version, *, verbose: bool = False) -> Printout:
    """Score one system."""
    system = read_questions(given, gold=False)
    both = ((name, question, system.by_id.get(name)) for name, question in gold.by_id.items())
    asked = [Answered(name, question, answer, version) for name, question, answer in both if answer]
    figures = figures_of(asked)
    _note_surprises(gold, system, asked, version)
    scores = {
        (measure, kind): value
        for kind in KINDS
        for measure, value in zip(MEASURES, figures[kind], strict=True)
    }
    values = [double_text(value) for value in scores.values()]
    lines = [" ".join(values)]
    if verbose:
        lines += [f"{' '.join(name)}: {value}" for name, value in zip(scores, values, strict=True)]
    return Printout(system.file.name, tuple(lines), tuple(system.file.notices), scores=scores)


def bioasq(
    gold: Input, systems: Iterable[Input] | Input, *, version: int | None = None, verbose: bool = False
) -> Printouts:
    """Score systems of BioASQ task B, phase A, as the organisers' program does, with its lines.

    `version` is its option -e: 2 for the years 1 and 2 (its default, with a warning), 3, 5, 8 (since 2020) or
    9 (Synergy). Warnings about the gold are those of the first system.

    >>> gold = b'{"questions": [{"id": "1", "documents": ["u/1", "u/2", "u/3"]}]}'
    >>> system = b'{"questions": [{"id": "1", "documents": ["u/1", "u/9", "u/2", "u/1"]}]}'
    >>> printed = bioasq(gold, system, version=8)
    >>> printed[0].values["MAP", "documents"]
    0.5555555555555555
    """
    checked = check_version(DEFAULT if version is None else version)
    each, judged = each_run(systems), read_questions(gold, gold=True)
    first, *others = [score_system(judged, one, checked, verbose=verbose) for one in each]
    general = (*((WITHOUT_VERSION,) if version is None else ()), *judged.file.notices)
    return Printouts([replace(first, warnings=(*general, *first.warnings)), *others])


def check_version(version: int) -> Version:
    """Return a version of the program; for others it would print average precisions of 0."""
    for known in VERSIONS:
        if version == known:
            return known
    listed = ", ".join(map(str, VERSIONS))
    hint = f"{CURRENT} is that of the years since 2020"
    raise ExcerptError(f"found version {short(str(version))}, expected one of: {listed}", hint=hint)
