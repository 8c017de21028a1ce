"""Scoring: judgments, measures and policy as one value; warnings and default measures."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar, cast

import numpy as np

from excerpt._lazy import offered
from excerpt.engine import Call, Engine
from excerpt.errors import ExcerptError, OverlapError, listed, short_list
from excerpt.evaluation.matching import (
    Known,
    check_ids,
    check_match,
    check_versions,
    fold_ids,
    reject_judgments,
    with_judged_documents,
    with_judged_topics,
)
from excerpt.evaluation.needs import RunTopics, check_needs, check_text, warn_missing_topics
from excerpt.evaluation.reading import AnyRun, Judged, Named, Reading, with_questions
from excerpt.files import content_size, keep_content, read_once
from excerpt.measures import SETS, Measure, alias_of, check_names, expand, parse
from excerpt.measures.base import RANK, parameters
from excerpt.model.join import Joined, join
from excerpt.model.judgments import Judgments
from excerpt.model.policy import Policy
from excerpt.model.run import Run
from excerpt.model.spans import FloatArray, IntArray
from excerpt.notices import Notices
from excerpt.scores.score_table import NAMED_FIRST, ScoreTable

if TYPE_CHECKING:
    from excerpt.model.samples import Masks
    from excerpt.model.texts import Texts
    from excerpt.scores.score_views import DocumentScores


#: Measures that INEX reported for the focused task.
DEFAULT_MEASURES = SETS["inex"]


#: Beginning of the warning on runs whose text is shorter than a budget.
ENDS_BEFORE = "results end before the budget"
#: Measure of the second opinion: text found when the same amount is read of every run.
EQUAL_TEXT = "recall(budget=4000)"
#: Sets whose headline has a second opinion.
SECONDED = {"inex", "rag"}


class Choice(NamedTuple):
    """A default set of measures (empty if measures were given), and why its first measure decides."""

    name: str
    why: str

    @classmethod
    def of(cls, judgments: Judgments) -> Choice:
        """Choose the set by judgments as they were read, without the texts of a file of topics."""
        if judgments.scale == "documents":
            sampled = judgments.inclusion is not None
            return cls(
                "sampled" if sampled else "trec", "whole documents were judged" + ", of a sample" * sampled
            )
        if judgments.is_gold:
            return cls("rag", "the judgments are gold of questions")
        if judgments.scale == "highlights":
            return cls("inex", "the judgments are highlighted text")
        return cls("inex", "the judgments are assessed elements")

    @property
    def measures(self) -> dict[str, Measure]:
        """The measures by name."""
        return {name: parse(name, documents=self.name == "trec") for name in SETS[self.name]}


#: Measures were given: the first one decides.
GIVEN = Choice("", NAMED_FIRST)


def cutoff_of(measure: Measure) -> int | None:
    """Cut-off rank of a measure; None if it has none.

    >>> from excerpt.measures import charR, iP
    >>> cutoff_of(charR @ 5), cutoff_of(iP @ 0.1)
    (5, None)
    """
    ranks = [getattr(measure, field.name) for field, kind in parameters(type(measure)) if kind is RANK]
    return ranks[0] if ranks else None


def beside(choice: Choice, measures: Mapping[str, Measure], judgments: Judgments) -> dict[str, Measure]:
    """Measures of a second opinion on the headline: at an equal budget, and the text read at its cut-off.

    None without lengths of documents, and none for judgments of elements alone.
    """
    if judgments.only_documents or judgments.unit != "char" or not len(judgments.spans):
        return {}
    headline = next(iter(measures.values()))
    cutoff = cutoff_of(headline) if headline.is_share else None
    names = [EQUAL_TEXT] if choice.name in SECONDED or cutoff is not None else []
    names += [] if cutoff is None else [f"read@{cutoff}"]
    return {name: measures.get(name) or parse(name) for name in names}


def listed_measures(measures: Iterable[Measure | str] | Measure | str) -> tuple[Measure | str, ...]:
    """Return one or several measures, or names of measures and sets."""
    return listed(measures, Measure | str, "measure", "a measure or the name of one")


def read_names(measures: Iterable[Measure | str] | Measure | str) -> list[Measure | str]:
    """List measures and their names, with sets expanded; raise for an unknown name."""
    names = expand(listed_measures(measures))
    if not names:
        raise ExcerptError("no measure given", hint="⟨command=measures⟩ lists the measures")
    check_names(names)
    return names


#: Optional inputs of measures, each with the warning if it is missing.
OPTIONAL_INPUTS = {"text": "whitespace counts as text under {}; give a corpus to ignore whitespace"}
_SHOWN = 3


def warn_optional_inputs(measures: Mapping[str, Measure], has: Collection[str], notices: Notices) -> None:
    """Warn if an optional input of some measures is missing."""
    for wish, message in OPTIONAL_INPUTS.items():
        names = [name for name, measure in measures.items() if wish in measure.wishes and wish not in has]
        if names:
            notices.add(message.format(short_list(names, _SHOWN)))


def budget_of(measure: Measure) -> int | None:
    """Most characters, words or tokens that a measure reads; None without a budget."""
    budget: int | None = getattr(measure, "budget", None)
    return budget


def warn_unknown_lengths(measures: Mapping[str, Measure], judgments: Judgments, notices: Notices) -> None:
    """Warn if measures count the text read but document lengths are unknown."""
    names = [name for name, measure in measures.items() if not measure.is_share or budget_of(measure)]
    if names and judgments.only_documents:
        notices.add(
            f"lengths are unknown: each document counts as 1 character under {short_list(names, _SHOWN)}; "
            "give a corpus"
        )


def warn_empty_topics(judgments: Judgments, notices: Notices) -> None:
    """Count topics without relevant text."""
    of = f" of {judgments.source}" if judgments.source else ""
    notices.add_marked(
        "topic has no relevant text and is left out of the means",
        "topics have no relevant text and are left out of the means",
        ~judgments.has_relevant,
        lambda topic: f"topic {judgments.topics[topic]}{of}",
    )


def warn_repeated_results(joined: Joined, notices: Notices) -> None:
    """Count results with the text, and if they are named by path the element, of an earlier result."""
    placed = joined.placed
    if len(placed.opens) == len(placed):  # no document has two results
        return
    rows = placed.repeated
    compared = (placed.group, placed.start, placed.end, placed.run.element)
    columns = np.stack([column[rows] for column in compared])
    sorted_ = np.lexsort(columns)
    order, columns = rows[sorted_], columns[:, sorted_]
    same = (columns[:, 1:] == columns[:, :-1]).all(axis=0) & (placed.end > placed.start)[order[1:]]
    again = np.zeros(len(placed), np.bool_)
    again[order[1:][same]] = True
    notices.add_marked(
        "result repeats an earlier result of its topic; its text counts as read twice",
        "results repeat an earlier result of their topic; their text counts as read twice",
        again,
        lambda row: f"topic {placed.topics[int(placed.topic[row])]}, {placed.run.place(row)}",
    )


def warn_topics_without_gain(
    name: str, measure: Measure, scores: FloatArray, joined: RunTopics, notices: Notices
) -> None:
    """Count topics with results that have relevant text, but nothing with a gain under the measure."""
    if not measure.needs & {"graded elements", "grades of documents"} and "text" not in measure.wishes:
        return
    judgments = joined.judgments
    counts = judgments.has_relevant | ("highlights" not in measure.needs)
    lack = "no element with a gain" if "graded elements" in measure.needs else "nothing relevant"
    notices.add_marked(
        f"topic has {lack} under {name} and is left out of its mean",
        f"topics have {lack} under {name} and are left out of its mean",
        np.isnan(scores) & (joined.results > 0) & counts,
        lambda topic: f"topic {judgments.topics[topic]}",
        shared=True,
    )


Progress: TypeAlias = Callable[[int, int], None]
R = TypeVar("R")
S = TypeVar("S")

#: Bytes of a run from which on it is scored in groups of topics.
GROUPED_BYTES = 24 << 20
#: Most cells of an array for samples that are counted together: some cells per topic, or one cell per pair of
#: overlapping passage and result. Larger arrays are not faster.
_BLOCK = 1 << 18
_PER_TOPIC = 128


def _has_offsets(run: Run) -> bool:
    """Return whether results have places in texts, and are not whole documents."""
    return run.kind != "documents" and not run.whole


class Scored(NamedTuple, Generic[R]):
    """The result of work on one run, with the run's name, file and warnings."""

    name: str
    file: str
    value: R
    notices: Notices
    #: Characters, words or tokens, then results, of each topic, by the name of a measure with a budget.
    amounts: Mapping[str, IntArray] | None = None
    #: Scores by topic and measure of a second opinion.
    beside: FloatArray | None = None
    #: Judged topics with relevant text that the run does not have, not even as an empty list.
    missing: tuple[str, ...] = ()
    #: Fingerprints of the documents to which the offsets of the run belong, as far as they are known; None
    #: of a run without offsets.
    fingerprints: Mapping[str, str] | None = None

    def having(self, value: S) -> Scored[S]:
        """Return the same run with another value, such as a part of this value."""
        parts = (self.amounts, self.beside, self.missing, self.fingerprints)
        return Scored(self.name, self.file, value, self.notices, *parts)


@dataclass(frozen=True)
class Scoring:
    """Judgments, measures, policy and reading settings by which runs are scored."""

    judgments: Judgments
    #: Measures by the names that were given.
    measures: dict[str, Measure]
    policy: Policy
    reading: Reading
    #: The default set of measures, and why the first one decides.
    choice: Choice = GIVEN
    #: What the judgments were read from, if that can be read again.
    file: Judged | None = None

    @classmethod
    def of(
        cls,
        judgments: Judged,
        measures: Iterable[Measure | str] | Measure | str | None,
        *,
        policy: Policy | None = None,
        reading: Reading | None = None,
        notices: Notices,
    ) -> Scoring:
        """Read the judgments and the names of the measures; without measures the judgments decide."""
        policy, reading = Policy.of(policy, {}), reading or Reading()
        given = () if measures is None else listed_measures(measures)
        names = [] if measures is None else read_names(given)  # wrong names fail before files are read
        reading = reading.aimed(reading.topics, Notices())  # titles are read below, with the same warnings
        file = judgments if isinstance(judgments, str | os.PathLike | bytes) else None
        topics, reading = reading.topics, replace(reading, topics=None)  # a stream cannot be pickled
        judgments = reading.judgments(judgments, notices)
        choice = Choice.of(judgments) if measures is None else GIVEN
        if topics is not None:  # their texts make no gold
            judgments = with_questions(judgments, topics, notices)
        documents = judgments.scale == "documents"
        named = choice.measures if choice.name else {}
        named |= {str(item): parse(item, documents=documents) for item in names}
        if "rag" in (*given, choice.name):
            named = _with_abstained(named, judgments)
        needs = _needs(named)
        if reading.corpus is not None:
            from excerpt.evaluation.lengths import complete

            judgments = complete(judgments, reading.corpus, needs, notices)
        if "graded elements" in needs:
            judgments = _with_elements(judgments, reading, notices)
        elif reading.drop_tags:
            raise ExcerptError("⟨drop_tags⟩ needs an element measure such as nxCG[10]", hint="add one")
        if "highlights" in needs and not policy.include_empty:
            warn_empty_topics(judgments, notices)
        scoring = cls(judgments, named, policy, reading, choice, file)
        warn_optional_inputs(named, () if scoring.texts is None else ("text",), notices)
        warn_unknown_lengths(named, judgments, notices)
        return scoring

    @property
    def texts(self) -> Texts | None:
        """Texts of the documents, if there is a corpus and offsets count characters."""
        return self.reading.texts if self.judgments.unit == "char" else None

    @cached_property
    def _judged_as(self) -> dict[int, str]:
        """Ids in the judgments of the corpus's documents, by their numbers in the corpus."""
        corpus, names = self.reading.corpus, self.judgments.documents
        owns = [] if corpus is None else corpus.numbers(names).tolist()
        return {own: name for own, name in zip(reversed(owns), reversed(names), strict=False) if own >= 0}

    @property
    def _judged_version(self) -> tuple[str, Mapping[str, str]]:
        return self.judgments.source or "the judgments", self.judgments.fingerprints

    @property
    def known(self) -> Known:
        """The documents of the corpus and of the index."""
        return Known(self.reading.corpus, self.reading.index)

    def read(self, given: AnyRun, notices: Notices) -> Run:
        """Read a run, with the ids of the judgments for its topics and documents."""

        def rename(run: Run) -> Run:
            run = with_judged_topics(run, self.judgments)
            if self.reading.corpus is not None and self.reading.ids != "exact":
                corpus, own = self.reading.corpus, self._judged_as
                run = with_judged_documents(run, self.judgments, corpus, own, notices)
            fold = self.reading.ids == "fold"
            return fold_ids(run, self.judgments, self.known, notices) if fold else run

        run = self.reading.run(given, notices, rename)
        if self.file is not None:
            reject_judgments(self.file, given.given if isinstance(given, Named) else given)
        return run

    def check_ids(self, run: Run, notices: Notices) -> None:
        """Raise if a rule would join many ids of a run with judged ones; warn about others."""
        if self.reading.ids is None:
            check_ids(run, self.judgments, self.known, notices)

    def join(
        self, given: AnyRun, notices: Notices, *, strangers: Literal["error", "warn"] = "error"
    ) -> Joined:
        """Join a run with the judgments; `strangers` have no topic or no document of the judgments."""
        run = self.read(given, notices)
        if run.fingerprints and self.judgments.fingerprints and _has_offsets(run):
            check_versions([self._judged_version, (run.source or run.name, run.fingerprints)])
        needs = self.needs
        if self.reading.index is not None and "element paths" in needs:
            from excerpt.index.element_spans import with_rows

            run = with_rows(run, self.reading.index, notices)
        try:
            self.check_ids(run, notices)
            check_match(run, self.judgments, self.known, notices)
        except ExcerptError as error:
            if strangers == "error":
                raise
            notices.add(error.message, where=run.source or run.name)
        check_needs(run, self.judgments, self.measures.items())
        check_text(run, self.judgments, self.measures.items(), chosen=bool(self.reading.choice))
        joined = join(run, self.judgments, self.policy, notices, lengths="spans" in needs, texts=self.texts)
        warn_repeated_results(joined, notices)
        return joined

    @property
    def needs(self) -> set[str]:
        """Needs of all measures."""
        return _needs(self.measures)

    @cached_property
    def beside(self) -> dict[str, Measure]:
        """Measures of a second opinion on the first measure."""
        return beside(self.choice, self.measures, self.judgments)

    def apply(self, work: Work[R], run: AnyRun) -> Scored[R]:
        """Read a run, join it with the judgments, and apply the work."""
        notices = Notices()
        joined = self.join(run, notices)
        amounts, value = self.amounts(joined), work(self, joined, notices)
        return self.scored(joined, value, notices, amounts, self.second(joined))

    def scored(
        self,
        joined: RunTopics,
        value: R,
        notices: Notices,
        amounts: Mapping[str, IntArray],
        second: FloatArray | None,
    ) -> Scored[R]:
        """Return what is known of a run that was joined with the judgments."""
        run, missing = joined.run, self._missing(joined)
        texts = run.fingerprints if _has_offsets(run) else None
        return Scored(run.name, run.source, value, notices, amounts, second, missing, texts)

    def amounts(self, joined: Joined) -> dict[str, IntArray]:
        """Amount read and results of each topic, by the name of a measure with a budget."""
        return {
            name: np.stack((joined.sums(measure.costs(joined)), joined.results))
            for name, measure in self.measures.items()
            if budget_of(measure)
        }

    def _missing(self, joined: RunTopics) -> tuple[str, ...]:
        """Topics with relevant text (or any, of judgments of elements) that a run does not have."""
        judgments, known = self.judgments, {*joined.run.empty}
        if known:  # a question may be named by its words
            known |= {name for name, asked in judgments.questions.items() if asked.text in known}
        lacks = joined.results == 0
        if len(judgments.spans):
            lacks = lacks & judgments.has_relevant
        topics = (judgments.topics[topic] for topic in np.flatnonzero(lacks).data)
        return tuple(topic for topic in topics if topic not in known)

    def second(self, joined: Joined) -> FloatArray | None:
        """Scores by topic and measure of a second opinion; None for a run without spans."""
        if not self.beside or joined.run.kind not in {"spans", "documents"}:
            return None
        return np.stack([topic_scores(measure, joined) for measure in self.beside.values()], axis=1)

    def _apply_or_clash(self, work: Work[R], run: AnyRun) -> Scored[R] | OverlapError:
        """Apply the work, or return the error of results that overlap, so that all such runs are named."""
        try:
            return self.apply(work, run)
        except OverlapError as error:
            return error

    def map(
        self, work: Work[R], runs: Sequence[AnyRun], engine: Engine, progress: Progress | None
    ) -> Iterator[Scored[R]]:
        """Apply the work to every run; call `progress(finished, total)` after each."""
        prepare = None
        if engine.workers > 1 or engine.cluster is not None:
            from excerpt.quantise import adopt, registered_here

            prepare = partial(adopt, registered_here())
        call, clashes = Call(partial(Scoring._apply_or_clash, self), work, prepare), list[OverlapError]()
        finished = itertools.count(1)
        large = self._is_large if work is Scoring.scores else lambda _: False
        for by_topics, several in itertools.groupby(runs, large):
            score = self._by_topics if by_topics else _in_one_piece
            with closing(score(call, list(several), engine)) as results:
                for result in results:
                    if progress is not None:
                        progress(next(finished), len(runs))
                    if isinstance(result, OverlapError):
                        clashes.append(result)
                    elif not clashes:
                        yield result
        if clashes:
            raise OverlapError.of(clashes, len(runs))

    def _is_large(self, run: AnyRun) -> bool:
        """Return whether a run is scored in groups of topics."""
        if isinstance(run, Run) or content_size(run.given if isinstance(run, Named) else run) < GROUPED_BYTES:
            return False
        groups = offered("topic_groups")
        return groups is not None and bool(groups.in_groups(self, run))

    def _by_topics(self, call: Any, runs: Sequence[AnyRun], engine: Engine) -> Generator[Any]:
        """Yield the scores of large runs, in groups of topics or, if these do not suffice, in one piece.

        Runs in one piece are shared by the workers; what an earlier run says is said before a later error.
        """
        whole: list[AnyRun] = []
        for run in runs:
            try:
                found = offered("topic_groups").score_in_groups(self, run, engine)
            except ExcerptError:
                yield from _in_one_piece(call, whole, engine)
                raise
            if found is None:
                whole.append(run)
            else:
                yield from _in_one_piece(call, whole, engine)
                whole = []
                yield found
        yield from _in_one_piece(call, whole, engine)

    def scores(self, joined: Joined, notices: Notices) -> FloatArray:
        """Scores by topic and measure; NaN if a topic is left out."""
        values = self.values(joined)
        self.warn(joined, values, notices)
        return values

    def values(self, joined: Joined) -> FloatArray:
        """Scores by topic and measure, without warnings."""
        return np.stack([topic_scores(measure, joined) for measure in self.measures.values()], axis=1)

    def warn(self, joined: RunTopics, values: FloatArray, notices: Notices) -> None:
        """Warn about topics without a gain, and without results."""
        for place, (name, measure) in enumerate(self.measures.items()):
            warn_topics_without_gain(name, measure, values[:, place], joined, notices)
        warn_missing_topics(joined, notices, values)

    def sample_scores(self, joined: Joined, notices: Notices, *, masks: Masks) -> FloatArray:
        """Scores by sample, topic and measure; a topic without relevant text in a sample scores 0 there.

        A topic without a score by the full judgments has none under measures of elements.
        """
        warn_missing_topics(joined, notices)
        measures = list(self.measures.items())
        values = np.empty((len(masks), joined.topics, len(measures)))
        one_by_one = self._sample_scores_together(joined, masks, values)
        for number in range(len(masks) if one_by_one else 0):
            smaller = masks.sample(self.judgments, number).join(joined)
            for place in one_by_one:
                values[number, :, place] = np.nan_to_num(measures[place][1].scores(smaller))
        for place, (name, measure) in enumerate(measures):
            if "graded elements" in measure.needs:
                full = topic_scores(measure, joined)
                warn_topics_without_gain(name, measure, full, joined, notices)
                values[:, np.isnan(full), place] = np.nan
        if self.policy.only_run_topics:
            values[:, joined.results == 0] = np.nan
        return values

    def _sample_scores_together(self, joined: Joined, masks: Masks, values: FloatArray) -> list[int]:
        """Fill in scores of measures that count many samples at once; return positions of the others."""
        from excerpt.model.samples import Samples, Shares

        if masks.unit == "element":
            return list(range(len(self.measures)))
        shares = Shares.of(joined)
        blocks = -(-len(masks) * max(len(shares.amount), _PER_TOPIC * joined.topics) // _BLOCK)
        left = []
        for rows in np.array_split(np.arange(len(masks)), min(max(blocks, 1), len(masks))):
            samples = Samples(shares, masks.masks[rows])
            by_measure = [measure.sample_scores(samples) for measure in self.measures.values()]
            left = [place for place, scores in enumerate(by_measure) if scores is None]
            for place, scores in enumerate(by_measure):
                if scores is not None:
                    values[rows, :, place] = np.nan_to_num(scores)
        return left

    def table(self, scored: Sequence[Scored[FloatArray]], notices: Notices) -> ScoreTable:
        """Make a table of the scores of runs; add the warnings about all runs to it and to `notices`."""
        for entry in scored:
            notices.extend(entry.notices)
        self._check_versions(scored, notices)
        self._warn_undefined_means(scored, notices)
        runs = unique_run_names([(entry.name, entry.file) for entry in scored])
        short = self._short_of_budget(scored, runs, notices)
        shape = len(scored), len(self.judgments.topics), len(self.measures)
        files = tuple(entry.file for entry in scored)
        aliases = {name: alias_of(name, measure) for name, measure in self.measures.items()}
        return ScoreTable(
            runs=runs,
            files=files,
            topics=self.judgments.topics,
            measures=tuple(self.measures),
            values=np.array([entry.value for entry in scored]).reshape(shape),
            warnings=tuple(notices),
            aliases={name: alias for name, alias in aliases.items() if alias is not None},
            set=self.choice.name,
            why=self.choice.why,
            beside=self._table_beside(scored, runs, files),
            missing={run: entry.missing for run, entry in zip(runs, scored, strict=True)},
            questions=self.judgments.questions,
            single_documents=single_documents(self.judgments),
            origin=cache(self._made_with),
            short=short,
            unplaced=self.judgments.evidence.get("unplaced", 0),
            documents_judged=self.judgments.scale == "documents",
        )

    def _check_versions(self, scored: Sequence[Scored[Any]], notices: Notices) -> None:
        """Raise if offsets belong to different texts; say which files do not name theirs.

        With a corpus, judgments and each run were compared with its texts.
        """
        texts = [(one.file or one.name, one.fingerprints) for one in scored if one.fingerprints is not None]
        if self.reading.corpus is None and self.judgments.source and len(self.judgments.spans):
            texts.insert(0, self._judged_version)
        if len(texts) > 1 and any(known for _, known in texts):
            check_versions(texts, notices)

    def _table_beside(
        self, scored: Sequence[Scored[FloatArray]], runs: tuple[str, ...], files: tuple[str, ...]
    ) -> ScoreTable | None:
        """Table of a second opinion; None if a run has no spans."""
        values = [entry.beside for entry in scored if entry.beside is not None]
        if not values or len(values) < len(scored):
            return None
        return ScoreTable(runs, files, self.judgments.topics, tuple(self.beside), np.stack(values))

    def _short_of_budget(
        self, scored: Sequence[Scored[FloatArray]], runs: Sequence[str], notices: Notices
    ) -> dict[str, dict[str, float]]:
        """Share of the questions in which results end before a budget, by run and measure; warn of them."""
        shares: dict[str, dict[str, float]] = {}
        for place, (name, measure) in enumerate(self.measures.items()):
            budget, top = budget_of(measure), getattr(measure, "top", None)
            found = []
            known = budget is not None and not self.judgments.only_documents
            for run, entry in zip(runs, scored, strict=True) if known else ():
                assert entry.amounts is not None
                amount, results = entry.amounts[name]
                counts = ~np.isnan(entry.value[:, place])
                ended = (amount < budget) & (top is None or results < top) & counts
                shares.setdefault(run, {})[name] = float(ended.sum() / max(counts.sum(), 1))
                if ended.any():
                    found.append((run, int(ended.sum()), int(counts.sum()), int(amount[ended].sum())))
            if found:
                names, ends, questions, read = zip(*found, strict=True)
                several = f" of {len(names)} runs" if len(names) > 1 else ""
                unit = getattr(measure, "cost", "characters")
                notices.add(
                    f"{ENDS_BEFORE} in {sum(ends)} of {sum(questions)} questions{several} "
                    f"({sum(read) / sum(ends):,.0f} of {budget:,} {unit} on average); retrieve more",
                    where=f"run {short_list(names, _SHOWN)}" if len(runs) > 1 else "",
                    shared=True,  # by all measures with this budget
                )
        return shares

    def _made_with(self) -> dict[str, Any]:
        """Record of the judgments, policy and measures."""
        from excerpt.scores.provenance import made_with

        policy = asdict(self.policy)
        limit, everywhere = policy.pop("limit"), policy.pop("limit_documents")
        policy |= {"target": self.reading.target, "drop_tags": list(self.reading.drop_tags)}
        texts = self.texts is not None and any("text" in one.wishes for one in self.measures.values())
        if any(getattr(one, "cost", "") == "tokens" for one in self.measures.values()):
            tokens = self.reading.tokens
            policy["tokenizer"] = tokens if tokens is None or isinstance(tokens, str) else "function"
        return made_with(
            self.judgments,
            self.measures,
            policy=policy,
            limit=None if self.judgments.scale == "documents" and not everywhere else limit,
            without_white_space=texts,
            corpus=self.reading.corpus,
        )

    def _warn_undefined_means(self, scored: Sequence[Scored[FloatArray]], notices: Notices) -> None:
        """Warn about undefined means, once for all measures with the same reason and runs."""
        undefined: dict[tuple[str, tuple[int, ...]], list[str]] = {}
        for place, (name, measure) in enumerate(self.measures.items()):
            runs = tuple(i for i, entry in enumerate(scored) if np.isnan(entry.value[:, place]).all())
            if runs:
                undefined.setdefault((self._why_undefined(measure), runs), []).append(name)
        for (why, runs), names in undefined.items():
            first = scored[runs[0]]
            fault = f"no mean of {short_list(names, 3)}, since {why}"
            notices.add(f"run has {fault}", f"runs have {fault}", len(runs), where=first.file or first.name)

    def _why_undefined(self, measure: Measure) -> str:
        if not self.judgments.topics:
            return "the judgments have no topics"
        if "highlights" in measure.needs and not self.judgments.has_relevant.any():
            return "no topic has relevant text"
        if self.policy.only_run_topics:
            return "no topic that counts has results"
        if measure.name == "abstained":
            return "every topic has relevant text"
        return "no topic has anything relevant to find"


#: Work on one joined run, such as `Scoring.scores`; its value must be picklable.
Work: TypeAlias = Callable[[Scoring, Joined, Notices], R]


def _needs(measures: dict[str, Measure]) -> set[str]:
    return set().union(*(measure.needs for measure in measures.values()))


def _in_one_piece(call: Call[Any, AnyRun, R], runs: Sequence[AnyRun], engine: Engine) -> Generator[R]:
    if runs:
        with engine.map(call, runs, here=_stays_here) as results:
            yield from results


def _stays_here(run: AnyRun) -> bool:
    """Return whether a run comes from standard input or a pipe, which other processes cannot read."""
    return not isinstance(run, Run | Named) and read_once(run)


def topic_scores(measure: Measure, joined: Joined) -> FloatArray:
    """Scores by topic: none (or 0) without anything relevant, 0 (or none) without results, by the policy."""
    scores = measure.scores(joined)
    if "highlights" in measure.needs and (measure.is_share or not joined.policy.include_empty):
        scores = np.where(joined.judgments.has_relevant, scores, np.nan)
    if joined.policy.include_empty and measure.needs:  # a measure without needs does not use judgments
        scores = np.nan_to_num(scores)
    if joined.policy.only_run_topics:
        scores = np.where(joined.results == 0, np.nan, scores)
    return scores


def single_documents(judgments: Judgments) -> dict[str, str]:
    """Document of each topic that has relevant text in one document only."""
    single = (judgments.relevant_by_pair > 0) & (judgments.relevant_documents[judgments.pair_topic] == 1)
    codes = (column[single].data for column in (judgments.pair_topic, judgments.pair_document))
    return {judgments.topics[topic]: judgments.documents[one] for topic, one in zip(*codes, strict=True)}


def unique_run_names(named: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Make names of runs unique; runs with the same name get their file's name or a number.

    >>> unique_run_names([("r", ""), ("r", ""), ("s", "a/s.fol"), ("s", "b/t.fol")])
    ('r', 'r #2', 's (s.fol)', 's (t.fol)')
    """
    names = [name for name, _ in named]
    shown: list[str] = []
    for given, file in named:
        own = os.path.basename(file)  # noqa: PTH119 - pathlib is not loaded for it
        name = f"{given} ({own})" if file and names.count(given) > 1 else given
        number, candidate = 2, name
        while candidate in shown:
            candidate, number = f"{name} #{number}", number + 1
        shown.append(candidate)
    return tuple(shown)


def _with_elements(judgments: Judgments, reading: Reading, notices: Notices) -> Judgments:
    """Turn highlighted text into elements if there is an index; leave out elements with dropped names."""
    from excerpt.index.element_spans import drop_tags, relevant_elements

    index, dropped = reading.index, reading.drop_tags
    if index is not None and judgments.scale == "highlights" and len(judgments.spans):
        return relevant_elements(index, judgments, drop_tags=dropped, notices=notices)
    return drop_tags(judgments, dropped, notices=notices) if dropped else judgments


def score_runs(
    scoring: Scoring, runs: Sequence[AnyRun], engine: Engine, progress: Progress | None, notices: Notices
) -> ScoreTable:
    """Score runs, of sampled judgments by estimates; if a measure scores documents, the table can again."""
    if scoring.judgments.inclusion is not None:
        return cast("ScoreTable", offered("estimates")(scoring, runs, engine, progress, notices))
    if not any(measure.document_score for measure in scoring.measures.values()):
        return scoring.table(list(scoring.map(Scoring.scores, runs, engine, progress)), notices)
    runs = [keep_content(run) for run in runs]  # they may be read again
    scored = list(scoring.map(Scoring.scores, runs, engine, progress))
    again = partial(_score_documents, scoring, runs, engine)
    return replace(scoring.table(scored, notices), score_documents=again)


def _score_documents(
    scoring: Scoring, runs: Sequence[AnyRun], engine: Engine, table: ScoreTable
) -> DocumentScores:
    """Score the documents of runs on the topics of their table that have a score."""
    from excerpt.scores.score_views import DocumentScore, DocumentScores

    known = {name: scoring.measures[name] for name in table.measures if name in scoring.measures}
    names = [name for name, measure in known.items() if measure.document_score]
    if len({known[name].document_score for name in names}) != 1:
        expected = "measures with one score of documents, such as gP[10]"
        raise ExcerptError(f"found {short_list(names or known, _SHOWN)}, expected {expected}")
    parts = scoring.map(partial(_by_document, measure=known[names[0]]), runs, engine, None)
    column, rows = table.measures.index(names[0]), []
    for run, part, scores in zip(table.runs, parts, table.values[:, :, column], strict=True):
        counts = set(itertools.compress(table.topics, ~np.isnan(scores)))
        rows += [DocumentScore(run, *row) for row in part.value if row[0] in counts]
    return DocumentScores(names[0], tuple(rows), table.warnings)


def _by_document(
    scoring: Scoring, joined: Joined, _: Notices, *, measure: Measure
) -> list[tuple[str, int, str, float | None, float | None, float | None, float, float]]:
    """Topic, rank and id of each document of a run, its P, R, F and score, and gP up to it."""
    articles, columns = joined.articles, measure.by_document(joined)
    return list(
        zip(
            [scoring.judgments.topics[topic] for topic in articles.topic.tolist()],
            articles.rank.tolist(),
            map(joined.placed.document_name, articles.first_result.tolist()),
            *([None if x != x else x for x in columns[name].tolist()] for name in "PRF"),  # noqa: PLR0124
            columns["score"].tolist(),
            columns["gP"].tolist(),
            strict=True,
        )
    )


def _with_abstained(measures: dict[str, Measure], judgments: Judgments) -> dict[str, Measure]:
    """Add abstained to the set rag, if there are questions without an answer."""
    unanswered = itertools.compress(judgments.topics, ~judgments.has_relevant)
    asked = any(map(judgments.questions.get, unanswered))
    return measures | ({"abstained": parse("abstained")} if asked else {})
