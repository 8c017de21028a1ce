"""Agreement in a campaign: assessors with each other, what that does to the runs, and with the machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack

from excerpt.assess.comparing import ALL, Comparing, Shared, compare_all, pairs_of, shared_by_two
from excerpt.assess.merging import Opinion
from excerpt.assess.opinions import Opinions
from excerpt.assess.qrels import judgments_of
from excerpt.assess.rankings import LEFT_OUT, compare_rankings, default_measures, find_runs, told_missing
from excerpt.assess.second_looks import compare_with_machine
from excerpt.errors import ExcerptError, plural
from excerpt.evaluation.reading import CorpusOptions, Measures, Runs
from excerpt.experiments.outcome import Record
from excerpt.model.display import Showable
from excerpt.model.judgments import Judgments
from excerpt.model.policy import Policy
from excerpt.notices import Notices

if TYPE_CHECKING:
    from excerpt.assess.campaign import Campaign


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
        rows += [
            {"compared": "machine", "assessors": _both(row), "topic": ALL, **row} for row in self.machine
        ]
        rows += [
            {"compared": "rankings", "topic": ALL, "level": row["measure"], **row} for row in self.rankings
        ]
        columns = tuple(dict.fromkeys(key for row in rows for key in row if key not in {"pairs", "assessor"}))
        return columns, [tuple(row.get(column) for column in columns) for row in rows]

    def page(self, format_: str) -> str | None:
        """What shows the agreement to people: a table for each thing that is compared."""
        return "render.campaigns:agreement_text" if format_ == "table" else None

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


def _both(row: dict[str, Any]) -> str:
    return f"{row['assessor']}, {row['model']}"


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
    found, missing = ([], []) if given(runs) else find_runs(campaign)
    if missing:
        told.append(told_missing(missing))
    if not given(runs) and (missing or len(found) < 2):
        return []
    chosen = default_measures(campaign.procedure) if measures is None else measures
    if campaign.has_corpus:  # it knows the documents that runs return besides
        how = {"corpus": campaign.corpus, **how}
    try:
        return compare_rankings(shared, judging(campaign), runs if given(runs) else found, chosen, **how)
    except ExcerptError as error:
        if given(runs):
            raise
        told.append(f"{LEFT_OUT}: {error.message}")  # nobody asked for it
        return []


def given(runs: Runs) -> bool:
    """Whether any runs were given."""
    return runs not in ((), [])


def judging(campaign: Campaign) -> Any:
    """A function from opinions to the judgments that runs are evaluated with."""
    lengths = {name: length for name, (_, length) in campaign.documents.items()}

    def judgments(opinions: Sequence[Opinion]) -> Judgments:
        found = judgments_of(
            opinions,
            lengths,
            campaign.procedure,
            lambda name: campaign.material(name).structure.parts,
        )
        # A run may have none of the topics that two have in common, and is no run of something else.
        others = (topic.id for topic in campaign.topics if topic.id not in found.topics)
        return replace(found, topics=(*found.topics, *others))

    return judgments
