"""Agreement of assessors, of runs ranked by them, and with a machine."""

from __future__ import annotations

import glob
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from excerpt.assess.kappa import (
    ALL,
    Both,
    Comparing,
    Shared,
    compare_all,
    pairs_of,
    right_reasons,
    shared_by_two,
)
from excerpt.assess.opinions import Opinion, Opinions, Pair, covered, judgments_of, opinion_of
from excerpt.errors import ExcerptError, plural, short_list
from excerpt.evaluation import evaluate
from excerpt.evaluation.reading import CorpusOptions, Measures, Runs, list_runs
from excerpt.experiments.outcome import InputFile, Record
from excerpt.files import keep_content
from excerpt.model.display import Showable
from excerpt.model.judgments import Judgments
from excerpt.model.policy import Policy
from excerpt.model.scores import ScoreTable, exact_means
from excerpt.model.spans import FloatArray
from excerpt.notices import Notices
from excerpt.stats.correlation import kendall

if TYPE_CHECKING:
    from excerpt.assess.campaign import Campaign
    from excerpt.assess.recorder import Judged
    from excerpt.pooling import PoolInput


#: What runs are scored by unless somebody says otherwise.
MEASURES = ("MAiP", "iP[0.01]")
MEASURES_OF_ELEMENTS = ("MAep",)
LEFT_OUT = "the ranking of runs was left out"
#: A doubt of evaluating that is said here in another way: most topics may not be judged by both.
_OF_TOPICS = "topic has no relevant text"


def find_runs(campaign: Campaign) -> tuple[list[str], list[str]]:
    """The files of the runs that the pool was made from, as far as they are what they were; and the others.

    They are looked for where the pool says, then beside the campaign's folder and in the folders there.
    """
    found, missing = [], []
    for given in campaign.inputs:
        same = (str(place) for place in _places(campaign, given) if _is_same(place, given.sha256))
        if there := next(same, ""):
            found.append(there)
        else:
            missing.append(given.name)
    return found, missing


def _places(campaign: Campaign, given: PoolInput) -> Iterator[Path]:
    """Where the file of a run may be; most pools know its name only."""
    if given.path:
        name, around = Path(given.path).name, Path(campaign.folder).absolute().parent
        yield from (Path(given.path), around / name)
        yield from sorted(around.glob(f"*/{glob.escape(name)}"))


def _is_same(place: Path, sha256: str) -> bool:
    try:
        return place.is_file() and InputFile.of(place).sha256 == sha256
    except (ExcerptError, OSError, ValueError):
        return False


def compare_rankings(
    shared: Sequence[Shared],
    judgments: Callable[[Sequence[Opinion]], Judgments],
    runs: Runs,
    measures: Measures,
    *,
    notices: Notices,
    policy: Policy | None = None,
    **reading: Unpack[CorpusOptions],
) -> list[dict[str, Any]]:
    """For every two assessors and measure: how alike their judgments of common pairs rank the runs.

    Means are over topics for which both found something relevant; the others are counted.
    """
    several = [keep_content(run) for run in list_runs(runs)]  # read for every two
    if len(several) < 2:
        raise ExcerptError(f"found {plural(len(several), 'run')}, expected at least 2 to rank")
    rows = []
    doubts: dict[str, None] = {}
    for two in shared:
        tables = []
        for opinions in zip(*two.opinions, strict=True):
            seen = Notices()
            made = judgments(opinions)
            tables.append(evaluate(made, several, measures, policy=policy, notices=seen, **reading))
            doubts |= dict.fromkeys(doubt for doubt in seen if not doubt.startswith(_OF_TOPICS))
        rows += _rows(two, tables[0], tables[1], notices)
    for doubt in doubts:  # every two would tell them again
        notices.add(doubt)
    return rows


def _rows(two: Shared, one: ScoreTable, other: ScoreTable, notices: Notices) -> list[dict[str, Any]]:
    rows = []
    for place, measure in enumerate(one.measures):
        first, second = _common(one, other, place)
        topics = first.shape[1]
        lost = len({opinion.pair.topic for opinion, _ in two.opinions}) - topics
        notices.add(
            f"topic has no score by both assessors and was left out of the rankings by {measure}", lost
        )
        row: dict[str, Any] = {"assessors": two.name, "measure": measure, "topics": topics}
        row |= {"runs": len(one.runs), "tau": None, "turned": 0, "pairs": []}
        if topics:
            row |= _compare(one.runs, exact_means(first), exact_means(second))
        rows.append(row)
    return rows


def _common(one: ScoreTable, other: ScoreTable, place: int) -> tuple[FloatArray, FloatArray]:
    """The scores of all runs on topics that have them on both sides."""
    topics = [topic for topic in one.topics if topic in other.topics]
    first = one.values[:, [one.topics.index(topic) for topic in topics], place]
    second = other.values[:, [other.topics.index(topic) for topic in topics], place]
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


def told_missing(missing: Sequence[str]) -> str:
    """Why there is no ranking of runs."""
    return f"{LEFT_OUT}: {short_list(missing, 4)} of the pool not found as they were; give the runs"


#: Which judgments are compared, in the order of the rows.
SEEN = {
    "control": "suggestions that nobody gets to see",
    "not shown": "suggestions that the assessor did not ask for",
    "before": "as finished before the suggestions were shown, of documents that are finished now",
    "after": "the same documents as finished afterwards",
    "all": "all finished documents of topics with suggestions, those without any as if none were relevant",
}


def compare_with_machine(
    campaign: Campaign, comparing: Comparing, notices: Notices | None = None
) -> list[dict[str, Any]]:
    """Rows for every assessor and model: by whether the suggestions had been seen, at every level."""
    spans: dict[str, dict[Pair, list[tuple[int, int]]]] = {}
    for given in campaign.suggestions:
        pair = Pair(given.topic, given.document)
        spans.setdefault(given.model, {}).setdefault(pair, []).append((given.start, given.end))
    judged = campaign.judged() if spans else []
    if notices is not None:
        opened = sum(item.before is not None and not item.state.done for item in judged)
        notices.add("document was opened again after its suggestions were shown and was left out", opened)
    rows = []
    for name, model in product(sorted({item.assessor for item in judged}), sorted(spans)):
        machine = {
            pair: Opinion(pair, (model,), highlights=covered([[span] for span in found], 1))
            for pair, found in spans[model].items()
        }
        own = [item for item in judged if item.assessor == name]
        for seen, both in _by_seen(campaign, own, machine).items():
            agreed, same = right_reasons(both)
            head = {"assessor": name, "model": model, "seen": seen}
            for row in comparing.rows(name, both):
                if (
                    not row["level"].startswith("element") and row["level"] != "label"
                ):  # a machine grades none
                    del row["assessors"], row["topic"]
                    rows.append({**head, **row, "agreed": agreed, "overlapping": same})
    return rows


def _by_seen(campaign: Campaign, judged: list[Judged], machine: dict[Pair, Opinion]) -> dict[str, list[Both]]:
    """What an assessor and a machine said, by whether the suggestions had been seen; groups with any."""
    groups: dict[str, list[Both]] = {seen: [] for seen in SEEN}
    topics = {pair.topic for pair in machine}
    for item in judged:
        pair = Pair(item.topic, item.document)
        if pair.topic in topics and item.state.done:
            groups["all"].append((opinion_of(item), machine.get(pair, Opinion(pair, ()))))
        if pair not in machine or not item.state.done:  # before and after are of the same documents
            continue
        if item.before is not None:
            groups["before"].append((opinion_of(item, item.before), machine[pair]))
        seen = "after" if item.before else "control" if campaign.in_control(*pair) else "not shown"
        groups[seen].append((opinion_of(item), machine[pair]))
    return {seen: both for seen, both in groups.items() if both}


@dataclass(frozen=True)
class Agreement(Showable):
    """Rows for every two assessors and level; of rankings of runs; and of every assessor and machine."""

    rows: tuple[dict[str, Any], ...]
    #: For each topic: of the two assessors, or of all together.
    topics: tuple[dict[str, Any], ...]
    rankings: tuple[dict[str, Any], ...]
    machine: tuple[dict[str, Any], ...]
    record: Record
    warnings: tuple[str, ...] = ()
    #: Pairs that two or more finished.
    pairs: int = 0

    def listed(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Everything in one table, by what is compared; for spreadsheets."""
        rows = [{"compared": "assessors", **row} for row in (*self.rows, *self.topics)]
        for row in self.machine:
            both = f"{row['assessor']}, {row['model']}"
            rows.append({"compared": "machine", "assessors": both, "topic": ALL, **row})
        rows += [{"compared": "rankings", "topic": ALL, "level": r["measure"], **r} for r in self.rankings]
        columns = tuple(dict.fromkeys(key for row in rows for key in row if key not in {"pairs", "assessor"}))
        return columns, [tuple(row.get(column) for column in columns) for row in rows]

    def page(self, format_: str) -> str | None:
        """What shows the agreement to people: a table for each thing that is compared."""
        return "render.summaries:agreement_text" if format_ == "table" else None

    def __repr__(self) -> str:
        return f"<Agreement on {plural(self.pairs, 'document')}: {plural(len(self.rows), 'row')}>"

    def to_dict(self) -> dict[str, Any]:
        """The object that the command line prints as JSON."""
        return {
            "pairs": self.pairs,
            "rows": list(self.rows),
            "topics": list(self.topics),
            "rankings": list(self.rankings),
            "machine": list(self.machine),
            "record": self.record.to_dict(),
            "warnings": list(self.warnings),
        }


def measure_agreement(
    campaign: Campaign,
    runs: Runs = (),
    measures: Measures | None = None,
    *,
    seed: int = 1,
    samples: int = 1000,
    policy: Policy | None = None,
    notices: Notices | None = None,
    **reading: Unpack[CorpusOptions],
) -> Agreement:
    """How far the assessors of a campaign agree, over pairs that two of them finished.

    Per character and passage Jaccard and F are means over documents in which either highlighted something
    (the others are `left_out`), per document they are of all documents; kappa is over all characters, or
    documents. Intervals hold 95 of 100 resamples of topics. Runs are those given, else those of the pool
    where their files are what they were.
    """
    doubts = Notices() if notices is None else notices
    lengths = {name: length for name, (_, length) in campaign.documents.items()}
    comparing = Comparing(campaign.procedure, lengths, seed, samples)
    with campaign.at_one_moment() as still:
        opinions = Opinions.of(still)
        machine = compare_with_machine(still, comparing, doubts)
    campaign.check_used(pair.document for pair in opinions.finished)
    shared = shared_by_two(opinions)
    rows, topics = compare_all(comparing, shared)
    told: list[str] = []
    how = {"notices": doubts, "policy": policy, **reading}
    rankings = _rankings(campaign, shared, runs, measures, told, how)
    return Agreement(
        tuple(rows),
        tuple(topics),
        tuple(rankings),
        tuple(machine),
        Record("assess agreement", seed, options={"campaign": str(campaign.folder), "samples": samples}),
        (*told, *doubts),
        len(pairs_of(shared)),
    )


def _rankings(
    campaign: Campaign,
    shared: Sequence[Shared],
    runs: Runs,
    measures: Measures | None,
    told: list[str],
    how: dict[str, Any],
) -> list[dict[str, Any]]:
    """Rows of rankings of the runs that were given, else of the pool's; why there are none goes to `told`."""
    if not shared:
        told.append("no document was finished by two assessors: there is nothing to compare them on")
        return []
    asked = runs not in ((), [])
    if not asked:
        runs, missing = find_runs(campaign)
        if missing:
            told.append(told_missing(missing))
        if missing or len(runs) < 2:
            return []
    if measures is None:
        measures = MEASURES if campaign.procedure.marks else MEASURES_OF_ELEMENTS
    if campaign.has_corpus:  # it knows the documents that runs return besides
        how = {"corpus": campaign.corpus, **how}

    def judgments(opinions: Sequence[Opinion]) -> Judgments:
        found = judgments_of(campaign, opinions)
        # A run may have none of the topics that two have in common, and is no run of something else.
        others = (topic.id for topic in campaign.topics if topic.id not in found.topics)
        return replace(found, topics=(*found.topics, *others))

    try:
        return compare_rankings(shared, judgments, runs, measures, **how)
    except ExcerptError as error:
        if asked:
            raise
        told.append(f"{LEFT_OUT}: {error.message}")  # nobody asked for it
        return []
