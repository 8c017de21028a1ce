"""Funnels: relevant text that was retrieved and cited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Unpack

from excerpt.errors import ExcerptError, short
from excerpt.evaluation import CorpusOptions, Reading, Scoring
from excerpt.evaluation.needs import check_topics
from excerpt.evaluation.reading import AnyRun, Judged, Named, Runs, one_run
from excerpt.files import is_input, keep_content
from excerpt.formats.source import Source
from excerpt.model.display import Showable
from excerpt.model.join import Joined
from excerpt.model.judgments import Question
from excerpt.model.policy import Policy
from excerpt.notices import Gathering, Notices
from excerpt.view.run_columns import Flow, RunColumns, count_funnel

#: Measure with the same needs as a funnel: judgments with relevant text, results with offsets.
_NEEDS = "charR"
ALL = "all"


@dataclass(frozen=True)
class Funnel(Showable):
    """Relevant text retrieved and cited, by question and in total."""

    retrieved: str
    cited: str
    topics: Mapping[str, Flow]
    questions: Mapping[str, Question] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @cached_property
    def all(self) -> Flow:
        """Sums over all questions."""
        return Flow.total(self.topics.values())

    def __repr__(self) -> str:
        return f"<Funnel {self.retrieved!r} → {self.cited!r}: {len(self.topics)} topics>"

    def to_dict(self) -> dict[str, Any]:
        """Data of the JSON output."""
        texts = {name: question.text for name, question in self.questions.items() if question.text}
        topics = {
            name: {**({"question": texts[name]} if name in texts else {}), **flow.to_dict()}
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
        """Columns and rows: one row per proportion."""
        rows = [
            (name.replace("_", " "), part, total, self.all.shares[name])
            for name, (part, total) in self.all.parts.items()
        ]
        return ("text", "characters", "of", "share"), rows

    def by_topic(self) -> FunnelByTopic:
        """Table with one row per question."""
        return FunnelByTopic(self, self.warnings)

    def to_pandas(self) -> Any:
        """Data frame with one row per question."""
        import pandas as pd

        columns, rows = self.by_topic().listed()
        return pd.DataFrame(rows[:-1], columns=list(columns))


@dataclass(frozen=True)
class FunnelByTopic(Showable):
    """Funnel with one row per question, and one for all questions."""

    funnel: Funnel
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Data of the JSON output: that of the funnel, which contains the questions."""
        return self.funnel.to_dict()

    def listed(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Columns and rows: proportions of each question, and its relevant and cited characters."""
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
    """Proportions of relevant text retrieved and cited, and of cited text not relevant or never retrieved.

    `retrieved` and `cited` are one run each, as `evaluate` takes it. The first `top` retrieved results of a
    topic count, all by default. `shares` has `found`, `cited_of_found`, `not_relevant` (cited text) and
    `never_retrieved` (cited text); None means undefined (0/0).

    >>> gold, read = [("1", "A", 0, 100)], [("1", "A", 0, 60), ("1", "B", 0, 40)]
    >>> funnel(gold, read, [("1", "A", 40, 60), ("1", "C", 0, 20)]).all.shares
    {'found': 0.6, 'cited_of_found': 0.3333333333333333, 'not_relevant': 0.5, 'never_retrieved': 0.5}
    """
    if top is not None and (not isinstance(top, int) or isinstance(top, bool) or top < 1):
        raise ExcerptError(f"found {short(repr(top))} as top, expected a whole number of at least 1")
    with Gathering(notices) as gathered:
        everything, read = Policy(limit=None, include_empty=True), Reading.of(**reading)
        scoring = Scoring.of(judgments, _NEEDS, policy=everything, reading=read, notices=gathered)
        limited = replace(scoring, policy=Policy(limit=top, include_empty=True))
        joined = [
            _join(way, run, name, gathered)
            for way, run, name in ((limited, retrieved, "retrieved"), (scoring, cited, "cited"))
        ]
        topics = dict(zip(scoring.judgments.topics, count_funnel(*joined, corpus=read.corpus), strict=True))
        names = [each.run.name for each in joined]
    return Funnel(names[0], names[1], topics, scoring.judgments.questions, tuple(gathered))


def _reject_answers(given: AnyRun) -> AnyRun:
    """Raise if the retrieved run is a file of saved answers; return the run, to be read once more."""
    named = given if isinstance(given, Named) else Named(None, given)
    named = named._replace(given=keep_content(named.given))
    if is_input(named.given):
        from excerpt.formats.runs.citations import answers_in

        source = Source.open(named.given, kind="run")
        if answers_in(source):
            raise ExcerptError(
                "found saved answers as the retrieved run, expected a run of the text that the model read",
                path=source.name,
                hint="the order is judgments, retrieved, cited; are the last two swapped?",
            )
    return named


def _join(scoring: Scoring, run: Runs, role: str, notices: Notices) -> Joined:
    given = one_run(run, f"the {role} run")
    if role == "retrieved":
        given = _reject_answers(given)
    joined = scoring.join(given, notices, strangers="warn")
    scoring.check_ids(joined.run)
    if role == "retrieved":
        check_topics(joined.run, scoring.judgments)
    topics = scoring.judgments.topics
    missing = joined.results == 0
    one, many = f"judged topic has no {role} text", f"judged topics have no {role} text"
    notices.add_marked(one, many, missing, lambda row: topics[row])
    return joined


_SHARES = ("Found", "Cited of found", "Not relevant", "Never retrieved")


def funnel_note(flow: Flow) -> str:
    """Proportions of a topic in one line."""
    named = zip(_SHARES, _shares(flow), strict=True)
    return f"Citations: {', '.join(f'{name.lower()} {share}' for name, share in named)}."


def funnel_table(names: Sequence[str], kept: Sequence[RunColumns], cited: str) -> dict[str, Any]:
    """Table of the proportions of each run for the overview."""
    counted = [(name, run.funnel) for name, run in zip(names, kept, strict=True) if run.funnel is not None]
    return {
        "title": "From retrieved to cited text",
        "note": f"{cited}; proportions of characters over all topics",
        "columns": ["Retrieved", *_SHARES],
        "rows": [[name, *_shares(Flow.total(flows))] for name, flows in counted],
    }


def _shares(flow: Flow) -> list[str]:
    """The four proportions as text; a dash if undefined."""
    return ["\u2013" if share is None else f"{share:.4f}" for share in flow.shares.values()]
