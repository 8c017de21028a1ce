"""Funnels: relevant text that was retrieved and cited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Unpack, get_args

from excerpt.answers.citations import CitedQuote, UnplacedCitations, answers_in, list_unreal, read_answers
from excerpt.errors import ExcerptError, UnknownName, short
from excerpt.evaluation import CorpusOptions, Reading, Scoring
from excerpt.evaluation.matching import check_topics
from excerpt.evaluation.reading import Judged, Named, Runs, one_run
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
    #: Cited quotes that do not occur in their documents.
    unplaced: tuple[CitedQuote, ...] = ()
    per_topic: bool = False

    @cached_property
    def all(self) -> Flow:
        """Sums over all questions."""
        return Flow.total(self.topics.values())

    def __repr__(self) -> str:
        return f"<Funnel {self.retrieved!r} → {self.cited!r}: {len(self.topics)} topics>"

    def to_dict(self) -> dict[str, Any]:
        """Data of the JSON output."""
        texts = {name: {"question": asked.text} for name, asked in self.questions.items() if asked.text}
        topics = {name: {**texts.get(name, {}), **flow.to_dict()} for name, flow in self.topics.items()}
        return {
            "retrieved": self.retrieved,
            "cited": self.cited,
            **self.all.to_dict(),
            "topics": topics,
            "warnings": list(self.warnings),
            **({"unplaced": [one.to_dict() for one in self.unplaced]} if self.unplaced else {}),
        }

    def listed(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Columns and rows: one row per proportion, or per question and one for all."""
        if self.per_topic:
            return self._by_topic()
        rows = [
            (name.replace("_", " "), part, total, self.all.shares[name])
            for name, (part, total) in self.all.parts.items()
        ]
        return ("text", "characters", "of", "share"), rows

    def notes(self) -> tuple[str, ...]:
        """Cited quotes that do not occur in their documents."""
        return list_unreal(self.unplaced)

    def by_topic(self) -> Funnel:
        """Table with one row per question."""
        return replace(self, per_topic=True)

    def to_pandas(self) -> Any:
        """Data frame with one row per question."""
        import pandas as pd

        columns, rows = self._by_topic()
        return pd.DataFrame(rows[:-1], columns=list(columns))

    def _by_topic(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Proportions of each question, and its relevant and cited characters."""
        titles = {name: asked.title for name, asked in self.questions.items() if asked.title}
        rows = [
            (name, *[titles.get(name, "")] * bool(titles), *flow.shares.values(), flow.relevant, flow.cited)
            for name, flow in [*self.topics.items(), (ALL, self.all)]
        ]
        shares = [name.replace("_", " ") for name in self.all.parts]
        return ("topic", *["title"] * bool(titles), *shares, "relevant", "cited"), rows


def funnel(  # type: ignore[misc]  # `unplaced` is of the judgments, too
    judgments: Judged,
    retrieved: Runs,
    cited: Runs,
    *,
    top: int | None = None,
    unplaced: UnplacedCitations = "count",
    notices: Notices | None = None,
    **reading: Unpack[CorpusOptions],
) -> Funnel:
    """Proportions of relevant text retrieved and cited, and of cited text not relevant or never retrieved.

    `retrieved` and `cited` are one run each, as `evaluate` takes it. The first `top` retrieved results of a
    topic count, all by default. `shares` has `found`, `cited_of_found`, `not_relevant` (cited text) and
    `never_retrieved` (cited text); None means undefined (0/0). Cited quotes that do not occur in their
    documents count as cited, not relevant and never retrieved; `unplaced` may be `drop` or `error` instead,
    for the judgments, too.

    >>> gold, read = [("1", "A", 0, 100)], [("1", "A", 0, 60), ("1", "B", 0, 40)]
    >>> funnel(gold, read, [("1", "A", 40, 60), ("1", "C", 0, 20)]).all.shares
    {'found': 0.6, 'cited_of_found': 0.3333333333333333, 'not_relevant': 0.5, 'never_retrieved': 0.5}
    """
    if top is not None and (not isinstance(top, int) or isinstance(top, bool) or top < 1):
        raise ExcerptError(f"found {short(repr(top))} as top, expected a whole number of at least 1")
    if unplaced not in get_args(UnplacedCitations):
        raise UnknownName("unplaced", str(unplaced), get_args(UnplacedCitations))
    with Gathering(notices) as gathered:
        everything = Policy(limit=None, include_empty=True)
        read = Reading.of(**reading, unplaced=None if unplaced == "count" else unplaced)
        scoring = Scoring.of(judgments, _NEEDS, policy=everything, reading=read, notices=gathered)
        limited = replace(scoring, policy=Policy(limit=top, include_empty=True))
        seen, _ = _join(limited, retrieved, None, gathered)
        told, lost = _join(scoring, cited, unplaced, gathered)
        flows = count_funnel(seen, told, corpus=read.corpus)
    judged = scoring.judgments
    topics = dict(zip(judged.topics, flows, strict=True))
    return Funnel(seen.run.name, told.run.name, topics, judged.questions, tuple(gathered), tuple(lost))


def _join(
    scoring: Scoring, given: Runs, unplaced: UnplacedCitations | None, notices: Notices
) -> tuple[Joined, list[CitedQuote]]:
    """Join the cited run, and list its quotes without a place; or the retrieved run, without `unplaced`."""
    role, lost = "cited" if unplaced else "retrieved", list[CitedQuote]()
    run = one_run(given, f"the {role} run")
    named = run if isinstance(run, Named) else Named(None, run)
    named = named._replace(given=keep_content(named.given))
    if is_input(named.given):
        read = scoring.reading
        source = Source.open(named.given, corpus=read.corpus, notices=notices, kind="run")
        answers = answers_in(source)
        if answers not in (None, "traces") and unplaced is None:
            raise ExcerptError(
                "found saved answers as the retrieved run, expected a run of the text that the model read",
                path=source.name,
                hint="the order is judgments, retrieved, cited; are the last two swapped?",
            )
        if answers == "citations" and unplaced and not read.run_format:
            cited, lost = read_answers(replace(source, ids=read.passage_ids), unplaced)
            named = named._replace(given=cited)
    joined = scoring.join(named, notices, strangers="warn")
    scoring.check_ids(joined.run, Notices())  # its warnings were given before
    if unplaced is None:
        check_topics(joined.run, scoring.judgments)
    topics = scoring.judgments.topics
    one, many = f"judged topic has no {role} text", f"judged topics have no {role} text"
    notices.add_marked(one, many, joined.results == 0, lambda row: topics[row])
    return joined, lost


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
