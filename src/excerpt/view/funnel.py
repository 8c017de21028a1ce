"""Funnels: relevant, retrieved, cited text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Unpack

from excerpt.errors import ExcerptError, short
from excerpt.evaluation import CorpusOptions, Reading, Scoring
from excerpt.evaluation.needs import check_topics
from excerpt.evaluation.reading import Judged, Runs, one_run
from excerpt.model.display import Showable
from excerpt.model.join import Joined
from excerpt.model.judgments import Question
from excerpt.model.policy import Policy
from excerpt.notices import Gathering, Notices
from excerpt.view.run_columns import Flow, Kept, count_funnel

#: The measure that asks for what is needed here: relevant text, and results with a place.
_NEEDS = "charR"
ALL = "all"


@dataclass(frozen=True)
class Funnel(Showable):
    """What became of relevant text, by question and in all."""

    retrieved: str
    cited: str
    topics: Mapping[str, Flow]
    questions: Mapping[str, Question] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @cached_property
    def all(self) -> Flow:
        """The sums over all questions."""
        return Flow.total(self.topics.values())

    def __repr__(self) -> str:
        return f"<Funnel {self.retrieved!r} → {self.cited!r}: {len(self.topics)} topics>"

    def to_dict(self) -> dict[str, Any]:
        """The object that the command line prints as JSON."""
        asked = {name: question.text for name, question in self.questions.items() if question.text}
        topics = {
            name: {**({"question": asked[name]} if name in asked else {}), **flow.to_dict()}
            for name, flow in self.topics.items()
        }
        return {
            "retrieved": self.retrieved,
            "cited": self.cited,
            **self.all.to_dict(),
            "topics": topics,
            "warnings": list(self.warnings),
        }

    def listed(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """A row for each share."""
        rows = [
            (name.replace("_", " "), part, whole, self.all.shares[name])
            for name, (part, whole) in self.all.parts.items()
        ]
        return ("text", "characters", "of", "share"), rows

    def by_topic(self) -> FunnelByTopic:
        """A row for each question."""
        return FunnelByTopic(self, self.warnings)

    def to_pandas(self) -> Any:
        """The questions as a data frame."""
        import pandas as pd

        columns, rows = self.by_topic().listed()
        return pd.DataFrame(rows[:-1], columns=list(columns))


@dataclass(frozen=True)
class FunnelByTopic(Showable):
    """A funnel with a row for each question, and one for all."""

    funnel: Funnel
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The same object: it has the questions already."""
        return self.funnel.to_dict()

    def listed(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """The shares of each question, and the characters that they are shares of."""
        flows = [*self.funnel.topics.items(), (ALL, self.funnel.all)]
        titles = {name: asked.title for name, asked in self.funnel.questions.items() if asked.title}
        rows = [
            (
                name,
                *([titles.get(name, "")] if titles else []),
                *flow.shares.values(),
                flow.relevant,
                flow.cited,
            )
            for name, flow in flows
        ]
        shares = [name.replace("_", " ") for name in self.funnel.all.parts]
        return ("topic", *(["title"] if titles else []), *shares, "relevant", "cited"), rows


def funnel(
    judgments: Judged,
    retrieved: Runs,
    cited: Runs,
    *,
    top: int | None = None,
    notices: Notices | None = None,
    **reading: Unpack[CorpusOptions],
) -> Funnel:
    """How much relevant text was retrieved, and of that cited; what was cited in vain, or never retrieved.

    Each run is one, as `evaluate` takes it; of the retrieved results the first `top` of a topic count, all by
    default. `shares` has `found`, `cited_of_found`, `not_relevant` and `never_retrieved`, each None where
    there is nothing to have a share of.

    >>> gold, read = [("1", "A", 0, 100)], [("1", "A", 0, 60), ("1", "B", 0, 40)]
    >>> funnel(gold, read, [("1", "A", 40, 60), ("1", "C", 0, 20)]).all.shares
    {'found': 0.6, 'cited_of_found': 0.3333333333333333, 'not_relevant': 0.5, 'never_retrieved': 0.5}
    """
    if top is not None and (not isinstance(top, int) or isinstance(top, bool) or top < 1):
        raise ExcerptError(f"found {short(repr(top))} as top, expected a whole number of at least 1")
    with Gathering(notices) as gathered:
        everything, read = Policy(limit=None, include_empty=True), Reading.of(**reading)
        whole = Scoring.of(judgments, _NEEDS, policy=everything, reading=read, notices=gathered)
        first = replace(whole, policy=Policy(limit=top, include_empty=True))
        joined = [
            _join(scoring, given, name, gathered)
            for scoring, given, name in ((first, retrieved, "retrieved"), (whole, cited, "cited"))
        ]
        topics = dict(zip(whole.judgments.topics, count_funnel(*joined), strict=True))
        names = [each.run.name for each in joined]
    return Funnel(names[0], names[1], topics, whole.judgments.questions, tuple(gathered))


def _join(scoring: Scoring, given: Runs, what: str, notices: Notices) -> Joined:
    run = one_run(given, f"what was {what}")
    joined = scoring.join(run, notices, strangers="warn")
    if what == "retrieved":
        check_topics(joined.run, scoring.judgments)
    topics = scoring.judgments.topics
    missing = joined.results == 0
    notices.add_marked(f"nothing was {what} for a topic of the judgments", missing, lambda row: topics[row])
    return joined


_SHARES = ("Found", "Cited of found", "Not relevant", "Never retrieved")


def funnel_note(flow: Flow) -> str:
    """What of a topic gets through to citations, in a line."""
    named = zip(_SHARES, _shares(flow), strict=True)
    return f"Citations: {', '.join(f'{name.lower()} {share}' for name, share in named)}."


def funnel_table(names: Sequence[str], kept: Sequence[Kept], cited: str) -> dict[str, Any]:
    """What gets from relevant to cited text through each run, for the overview."""
    counted = [(name, run.funnel) for name, run in zip(names, kept, strict=True) if run.funnel is not None]
    return {
        "title": "From retrieved to cited text",
        "note": f"{cited}; shares of characters, all topics together",
        "columns": ["Retrieved", *_SHARES],
        "rows": [[name, *_shares(Flow.total(flows))] for name, flows in counted],
    }


def _shares(flow: Flow) -> list[str]:
    """The four shares as text; a dash where there is nothing."""
    return ["\u2013" if share is None else f"{share:.4f}" for share in flow.shares.values()]
