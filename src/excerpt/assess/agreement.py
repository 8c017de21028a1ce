"""Agreement between assessors, of the run rankings they imply, and with a machine."""

from __future__ import annotations

import glob
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack

import numpy as np

from excerpt.assess.kappa import (
    ALL,
    AgreementSettings,
    AssessorPair,
    OpinionPair,
    assessor_pairs,
    compare_all,
    right_reasons,
)
from excerpt.assess.opinions import JudgedPair, Opinion, Opinions, covered, judgments_of, opinion_of
from excerpt.assess.together import by_document, figures, finished_times, over_time, without_each
from excerpt.errors import ExcerptError, plural, short_list
from excerpt.evaluation import evaluate
from excerpt.evaluation.reading import EvaluationOptions, Measures, Runs, list_runs
from excerpt.experiments.outcome import InputFile, Record
from excerpt.files import keep_content
from excerpt.model.display import Showable
from excerpt.model.judgments import Judgments
from excerpt.model.policy import Policy
from excerpt.model.spans import FloatArray, exact_means
from excerpt.notices import Notices
from excerpt.scores.score_table import ScoreTable
from excerpt.stats.correlation import kendall

if TYPE_CHECKING:
    from excerpt.assess.campaign import Campaign
    from excerpt.assess.contents import Suggestion
    from excerpt.assess.recorder import JudgedState
    from excerpt.pooling import PoolInput

#: Default measures for ranking runs.
MEASURES = ("MAiP", "iP[0.01]")
MEASURES_OF_ELEMENTS = ("MAep",)
_NOT_RANKED = "runs are not ranked"
#: A warning of `evaluate` that is replaced by one on topics scored by both assessors.
_REPLACED = "no relevant text"


def find_runs(campaign: Campaign) -> tuple[list[str], list[str]]:
    """Return the unchanged files of the pool's runs, and the names of runs without such a file.

    Files are searched at the pool's paths, then next to the campaign's folder and one folder deeper.
    """
    files, missing = [], []
    for run in campaign.contents.inputs:
        unchanged = (str(path) for path in _candidates(campaign, run) if _has_hash(path, run.sha256))
        if file := next(unchanged, ""):
            files.append(file)
        else:
            missing.append(run.name)
    return files, missing


def _candidates(campaign: Campaign, run: PoolInput) -> Iterator[Path]:
    """Paths at which the file of a run may be; most pools contain only its name."""
    if run.path:
        name, around = Path(run.path).name, Path(campaign.folder).absolute().parent
        yield from (Path(run.path), around / name)
        yield from sorted(around.glob(f"*/{glob.escape(name)}"))


def _has_hash(path: Path, sha256: str) -> bool:
    try:
        return path.is_file() and InputFile.of(path).sha256 == sha256
    except (ExcerptError, OSError, ValueError):
        return False


def compare_rankings(
    shared: Sequence[AssessorPair],
    judgments: Callable[[Sequence[Opinion]], Judgments],
    runs: Runs,
    measures: Measures,
    *,
    notices: Notices,
    policy: Policy | None = None,
    **how: Unpack[EvaluationOptions],
) -> list[dict[str, Any]]:
    """Rank correlation of the runs under two assessors' judgments of common documents, per measure.

    Means are over topics for which both assessors found relevant text; other topics are counted.
    """
    loaded = [keep_content(run) for run in list_runs(runs)]  # read again for every two assessors
    if len(loaded) < 2:
        raise ExcerptError(f"found {plural(len(loaded), 'run')}, expected at least 2 to rank")
    rows = []
    warnings: dict[str, None] = {}
    for two in shared:
        tables = []
        for opinions in zip(*two.opinions, strict=True):
            gathered = Notices()
            judged = judgments(opinions)
            tables.append(evaluate(judged, loaded, measures, policy=policy, notices=gathered, **how))
            warnings |= dict.fromkeys(message for message in gathered if _REPLACED not in message)
        rows += _rows(two, tables[0], tables[1], notices)
    for message in warnings:  # the same for every two assessors, so once is enough
        notices.add(message)
    return rows


def _rows(two: AssessorPair, one: ScoreTable, other: ScoreTable, notices: Notices) -> list[dict[str, Any]]:
    rows = []
    for column, measure in enumerate(one.measures):
        first, second = _common(one, other, column)
        topics = first.shape[1]
        effect = f"left out of the rankings by {measure}"
        notices.add(
            f"topic has no score from both assessors and is {effect}",
            f"topics have no score from both assessors and are {effect}",
            len({opinion.pair.topic for opinion, _ in two.opinions}) - topics,
        )
        row: dict[str, Any] = {"assessors": two.name, "measure": measure, "topics": topics}
        row |= {"runs": len(one.runs), "tau": None, "turned": 0, "pairs": []}
        if topics:
            row |= _compare(one.runs, exact_means(first), exact_means(second))
        rows.append(row)
    return rows


def _common(one: ScoreTable, other: ScoreTable, column: int) -> tuple[FloatArray, FloatArray]:
    """Scores of all runs on topics that both tables have scores for."""
    topics = [topic for topic in one.topics if topic in other.topics]
    first = one.values[:, [one.topics.index(topic) for topic in topics], column]
    second = other.values[:, [other.topics.index(topic) for topic in topics], column]
    both = ~(np.isnan(first).any(axis=0) | np.isnan(second).any(axis=0))
    return first[:, both], second[:, both]


def _compare(runs: Sequence[str], first: FloatArray, second: FloatArray) -> dict[str, Any]:
    tau = kendall(first, second)
    turned = [
        [runs[i], runs[j]] if first[i] > first[j] else [runs[j], runs[i]]
        for i, j in combinations(range(len(runs)), 2)
        if (first[i] - first[j]) * (second[i] - second[j]) < 0
    ]
    return {"tau": None if math.isnan(tau) else tau, "turned": len(turned), "pairs": turned}


_Groups: TypeAlias = dict[str, list[OpinionPair]]
#: Groups of judgments compared with a machine, in the order of the rows.
SEEN = {
    "control": "documents whose suggestions are never shown",
    "not shown": "documents whose suggestions the assessor did not open",
    "before": "judgments finished before the suggestions were shown, of documents that are finished now",
    "after": "judgments of the same documents, finished after the suggestions were shown",
    "all": "all finished documents of topics with suggestions; documents without any count as not relevant",
}


def compare_with_machine(
    campaign: Campaign, comparison: AgreementSettings, notices: Notices | None = None
) -> list[dict[str, Any]]:
    """Agreement of every assessor with every model, per group of `SEEN` and level."""
    machines = _machines(campaign.contents.suggestions)
    judged = campaign.judged() if machines else []
    if notices is not None:
        notices.add(
            "document was reopened after its suggestions were shown and is left out",
            "documents were reopened after their suggestions were shown and are left out",
            sum(item.before is not None and not item.state.done for item in judged),
        )
    rows = []
    for name, model in product(sorted({item.assessor for item in judged}), sorted(machines)):
        own = [item for item in judged if item.assessor == name]
        marks = any(opinion.highlights for opinion in machines[model].values())
        for seen, both in _by_seen(campaign, own, machines[model]).items():
            agreed, same = right_reasons(both)
            head = {"assessor": name, "model": model, "seen": seen}
            for row in _levels(comparison, name, both, marks=marks):
                del row["assessors"], row["topic"]
                rows.append({**head, **row, "agreed": agreed, "overlapping": same})
    return rows


def _machines(suggestions: Iterable[Suggestion]) -> dict[str, dict[JudgedPair, Opinion]]:
    """Return what each model suggests as its opinions."""
    found: dict[str, dict[JudgedPair, Opinion]] = {}
    for one in suggestions:
        pair = JudgedPair(one.topic, one.document)
        opinion = found.setdefault(one.model, {}).get(pair) or Opinion(pair, (one.model,))
        if one.grade is not None:
            opinion = replace(opinion, whole=one.grade)
        else:
            own = ((one.start, one.end),)
            opinion = replace(opinion, highlights=covered([opinion.highlights, own], 1))
        found[one.model][pair] = opinion
    return found


def _levels(
    comparison: AgreementSettings, assessor: str, both: Sequence[OpinionPair], *, marks: bool
) -> Iterator[dict[str, Any]]:
    """Yield rows of what a machine suggests; a grade does not say which text is relevant."""
    rows = list(comparison.rows(assessor, both))
    marked = [(one, two) for one, two in both if two.highlights or not two.relevant]
    of_text = rows if len(marked) == len(both) else list(comparison.rows(assessor, marked))
    if marks:
        yield from (row for row in of_text if row["level"] in {"character", "passage"})
    yield from (row for row in rows if row["level"] == "document")


def _by_seen(campaign: Campaign, judged: list[JudgedState], machine: dict[JudgedPair, Opinion]) -> _Groups:
    """Opinions of an assessor and a machine by group of `SEEN`; empty groups are left out."""
    groups: _Groups = {seen: [] for seen in SEEN}
    topics = {pair.topic for pair in machine}
    for item in judged:
        pair = JudgedPair(item.topic, item.document)
        if pair.topic in topics and item.state.done:
            groups["all"].append((opinion_of(item), machine.get(pair, Opinion(pair, ()))))
        if pair not in machine or not item.state.done:  # before and after are of the same documents
            continue
        if item.before is not None:
            groups["before"].append((opinion_of(item, item.before), machine[pair]))
        seen = "after" if item.before else "control" if pair in campaign.contents.control else "not shown"
        groups[seen].append((opinion_of(item), machine[pair]))
    return {seen: both for seen, both in groups.items() if both}


@dataclass(frozen=True)
class Agreement(Showable):
    """Agreement of every two assessors, of their run rankings, and of every assessor with every machine."""

    rows: tuple[dict[str, Any], ...]
    #: Agreement per topic: of the only two assessors, or of all assessors together.
    topics: tuple[dict[str, Any], ...]
    rankings: tuple[dict[str, Any], ...]
    machine: tuple[dict[str, Any], ...]
    record: Record
    warnings: tuple[str, ...] = ()
    #: Number of documents that two or more assessors finished.
    pairs: int = 0
    #: Agreement of the others without each assessor, and by the day and the hundred documents.
    leave_one_out: tuple[dict[str, Any], ...] = ()
    over_time: tuple[dict[str, Any], ...] = ()
    #: A row per document, worst first, if asked for.
    documents: tuple[dict[str, Any], ...] | None = None

    def listed(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        rows = [{"compared": "assessors", **row} for row in (*self.rows, *self.topics)]
        for row in self.machine:
            both = f"{row['assessor']}, {row['model']}"
            rows.append({"compared": "machine", "assessors": both, "topic": ALL, **row})
        rows += [{"compared": "rankings", "topic": ALL, "level": r["measure"], **r} for r in self.rankings]
        columns = tuple(dict.fromkeys(key for row in rows for key in row if key not in {"pairs", "assessor"}))
        return columns, [tuple(row.get(column) for column in columns) for row in rows]

    def __repr__(self) -> str:
        return f"<Agreement on {plural(self.pairs, 'document')}: {plural(len(self.rows), 'row')}>"

    def to_dict(self) -> dict[str, Any]:
        names = ("rows", "topics", "rankings", "machine", "leave_one_out", "over_time")
        tables = {name: list(getattr(self, name)) for name in names}
        tables |= {} if self.documents is None else {"documents": list(self.documents)}
        about = {"record": self.record.to_dict(), "warnings": list(self.warnings)}
        return {"pairs": self.pairs, **tables, **about}


def measure_agreement(
    campaign: Campaign,
    runs: Runs = (),
    measures: Measures | None = None,
    *,
    seed: int = 1,
    samples: int = 1000,
    per_document: bool = False,
    rank: bool = True,
    policy: Policy | None = None,
    notices: Notices | None = None,
    **how: Unpack[EvaluationOptions],
) -> Agreement:
    """Measure the agreement of a campaign's assessors on documents that two of them finished.

    Per character and passage, Jaccard and F are means over documents in which either assessor highlighted
    text (the others are `left_out`); per document they are of all documents. Kappa, of two assessors, is over
    all characters or documents, and so is Krippendorff's alpha of any number of assessors. Intervals contain
    95 % of resamples of documents. The default runs are those of the pool, if their files are unchanged.
    `per_document` adds a row for each document, worst first; without `rank`, runs are not ranked.
    """
    gathered = Notices() if notices is None else notices
    comparison = AgreementSettings(campaign.procedure, campaign.lengths, seed, samples)
    with campaign.snapshot() as snapshot:
        opinions = Opinions.of(snapshot)
        machine = compare_with_machine(snapshot, comparison, gathered)
        times = finished_times(snapshot)
    campaign.check_used(pair.document for pair in opinions.finished)
    shared = assessor_pairs(opinions)
    rows, topics = compare_all(comparison, shared)
    notes: list[str] = []
    options = {"notices": gathered, "policy": policy, **how}
    rankings = _rankings(campaign, shared, runs, measures, notes, options) if rank else []
    several = list(opinions.several.values())
    measure = figures(campaign.lengths, marks=campaign.procedure.marks)
    return Agreement(
        tuple(rows),
        tuple(topics),
        tuple(rankings),
        tuple(machine),
        Record("assess agreement", seed, options={"campaign": str(campaign.folder), "samples": samples}),
        (*notes, *gathered),
        len(several),
        tuple(without_each(several, measure)),
        tuple(over_time(several, times, measure)),
        tuple(by_document(several)) if per_document else None,
    )


def _rankings(
    campaign: Campaign,
    shared: Sequence[AssessorPair],
    runs: Runs,
    measures: Measures | None,
    notes: list[str],
    options: dict[str, Any],
) -> list[dict[str, Any]]:
    """Compare rankings of the given or the pool's runs; the reason for an empty result goes to `notes`."""
    if not shared:
        notes.append("no document was finished by two assessors, so their agreement cannot be measured")
        return []
    requested = runs not in ((), [])
    if not requested:
        runs, missing = find_runs(campaign)
        if missing:
            files = f"files of {short_list(missing, 4)} are missing or have changed; give the runs"
            notes.append(f"{_NOT_RANKED}: {files}")
        if missing or len(runs) < 2:
            return []
    if measures is None:
        measures = MEASURES if campaign.procedure.marks else MEASURES_OF_ELEMENTS
    if campaign.has_corpus:  # for documents that runs return and that are not in the pool
        options = {"corpus": campaign.corpus, **options}

    def judgments(opinions: Sequence[Opinion]) -> Judgments:
        common = judgments_of(campaign, opinions)
        # All topics count as known: a run need not have any topic that both assessors judged.
        others = (topic.id for topic in campaign.topics if topic.id not in common.topics)
        return replace(common, topics=(*common.topics, *others))

    try:
        return compare_rankings(shared, judgments, runs, measures, **options)
    except ExcerptError as error:
        if requested:
            raise
        notes.append(f"{_NOT_RANKED}: {error.message}")
        return []
