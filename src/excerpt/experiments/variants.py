"""Scores of runs under many variants of the judgments: each run is read and joined once, a variant is a mask.

A variant keeps some of the relevant passages and drops the others; judged documents stay judged. So a run's
results never move, and only how much relevant text each of them has is counted again.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias
from zipfile import BadZipFile

import numpy as np

from excerpt import __version__
from excerpt.engine import Call, Engine
from excerpt.errors import ExcerptError
from excerpt.evaluation import check_needs, distinct, evaluate, stays_here, topic_scores
from excerpt.files import read_bytes, write_bytes
from excerpt.formats import read_run
from excerpt.measures import Measure, parse
from excerpt.model.join import join
from excerpt.model.joined import Joined
from excerpt.model.judgments import MISSING, Judgments
from excerpt.model.policy import Policy
from excerpt.model.run import Order, Run
from excerpt.model.samples import Samples, Shares, touched
from excerpt.model.scores import ScoreTable
from excerpt.model.spans import BoolArray, FloatArray, IntArray, KeyedSpans
from excerpt.notices import Notices

if TYPE_CHECKING:
    from excerpt.index import OffsetIndex

Source: TypeAlias = str | os.PathLike[str]
#: What enters a pool: passages that a result overlaps, or all passages of a document that has a result.
Pooled: TypeAlias = Literal["document", "passage"]
NEVER = np.iinfo(np.int64).max
#: Samples are counted together as long as an array of theirs has no more cells: some per topic, or one for
#: each share of a passage in a result. Larger arrays would not be faster, only larger.
_BLOCK = 1 << 18
_PER_TOPIC = 128


@dataclass(frozen=True)
class Study:
    """Runs, judgments and measures, with everything that is needed to score the runs."""

    judgments: Judgments
    runs: tuple[Run | Source, ...]
    measures: tuple[Measure | str, ...]
    policy: Policy = Policy()
    index: OffsetIndex | None = None
    order: Order | None = None
    run_format: str | None = None
    workers: int = 1
    #: The address of a Dask cluster, instead of local workers.
    cluster: str | None = None
    progress: Callable[[int, int], None] | None = None
    #: A folder for finished parts: an experiment that was interrupted goes on where it stopped.
    keep: str | None = None
    #: Doubts about the runs, counted while they are scored.
    notices: Notices = field(default_factory=Notices)

    def __post_init__(self) -> None:
        for measure in self.parsed:
            if "highlights" not in measure.needs or "graded elements" in measure.needs:
                raise ExcerptError(
                    f"found {measure}, expected measures that read highlighted text",
                    hint="pools of passages say nothing of other judgments",
                )

    @cached_property
    def parsed(self) -> tuple[Measure, ...]:
        """The measures; rows name them as they were given."""
        return tuple(parse(measure) if isinstance(measure, str) else measure for measure in self.measures)

    def scores(self, masks: BoolArray) -> tuple[tuple[str, ...], FloatArray]:
        """Names of the runs, and scores: by variant, run, topic and measure; a mask per variant."""
        found = list(self._each(_scores, masks))
        return self._names(found), np.stack([part.found for part in found], axis=1)

    def scores_and_table(
        self, masks: BoolArray, notices: Notices | None = None
    ) -> tuple[tuple[str, ...], FloatArray, ScoreTable]:
        """What `scores` gives, and what `evaluate` gives for all judgments, from one reading of the runs.

        Doubts about the judgments may come in `notices`; they are the first warnings of the table.
        """
        notices = notices if notices is not None else Notices()
        table = evaluate(self.judgments, [], self.measures, policy=self.policy, notices=notices)
        found = list(self._each(_scores_and_table, masks))
        for part in found:
            notices.extend(part.notices)
        names, scores = self._names(found), np.stack([part.found for part in found], axis=1)
        files = tuple(part.file for part in found)
        table = replace(table, runs=names, files=files, values=scores[-1], warnings=tuple(notices))
        return names, scores[:-1], table

    def reach(self, unit: Pooled) -> tuple[tuple[str, ...], IntArray]:
        """Names of the runs; and for each run and passage, the best rank at which it would enter a pool."""
        found = list(self._each(_reach, unit))
        return self._names(found), np.stack([part.found for part in found])

    def _names(self, found: list[_Part]) -> tuple[str, ...]:
        return distinct([(part.name, part.file) for part in found])

    def _each(self, work: _Work, extra: object) -> Iterator[_Part]:
        job = replace(self, runs=(), progress=None, notices=Notices())
        call = Call(_one, (job, work, extra))
        with Engine(self.workers, self.cluster).map(call, self.runs, here=stays_here) as results:
            for number, found in enumerate(results, start=1):
                if self.progress is not None:
                    self.progress(number, len(self.runs))
                self.notices.extend(found.notices)
                yield found

    def joined(self, run: Run | Source, notices: Notices) -> Joined:
        """A run beside the full judgments."""
        if not isinstance(run, Run):
            run = read_run(run, index=self.index, order=self.order, format=self.run_format, notices=notices)
        check_needs(run, self.judgments, tuple(map(str, self.measures)), self.parsed)
        return join(run, self.judgments, self.policy, notices)


_Work: TypeAlias = Callable[[Study, Joined, object], np.ndarray]


class _Part(NamedTuple):
    """What one run contributes."""

    name: str
    file: str
    found: np.ndarray
    notices: Notices


def _one(job: tuple[Study, _Work, object], run: Run | Source) -> _Part:
    study, work, extra = job
    kept = None
    if study.keep is not None and not isinstance(run, Run) and not stays_here(run):
        kept = Path(study.keep) / f"{_digest(study, run, work, extra)}.npz"
        part = _finished(kept, os.fspath(run))
        if part is not None:
            return part
    notices = Notices()
    joined = study.joined(run, notices)
    found = work(study, joined, extra)
    if kept is not None:
        data = io.BytesIO()
        said = json.dumps(notices.counted())
        np.savez(data, name=np.array(joined.run.name), found=found, notices=np.array(said))
        write_bytes(kept, data.getvalue())
    return _Part(joined.run.name, joined.run.source or joined.run.name, found, notices)


def _finished(kept: Path, file: str) -> _Part | None:
    """A part of an earlier call, None where there is none or it cannot be read."""
    try:
        with np.load(kept) as arrays:
            notices = Notices()
            for message, count, where in json.loads(str(arrays["notices"])):
                notices.add(message, count, where=where)
            return _Part(str(arrays["name"]), file, arrays["found"], notices)
    except (OSError, ValueError, KeyError, EOFError, BadZipFile):
        return None


def _digest(study: Study, run: Source, work: _Work, extra: object) -> str:
    """Names a part by everything that decides it."""
    judgments, spans = study.judgments, study.judgments.spans
    parts = (
        __version__,
        work.__name__,
        *map(str, study.measures),
        repr((study.policy, study.order, study.run_format, judgments.topics, judgments.documents)),
        os.fspath(run),  # which warnings name
        study.index.fingerprint if study.index is not None else "",
    )
    digest = hashlib.sha256("\0".join(parts).encode())
    for column in (
        spans.group,
        spans.start,
        spans.end,
        judgments.pair_topic,
        judgments.pair_document,
        judgments.pair_size,
        judgments.pair_entry,
    ):
        digest.update(column.tobytes())
    digest.update(extra.tobytes() if isinstance(extra, np.ndarray) else str(extra).encode())
    digest.update(read_bytes(run))
    return digest.hexdigest()


def sampled(judgments: Judgments, mask: BoolArray) -> Judgments:
    """The judgments with only some of their relevant passages; a document without any has no entry point."""
    spans = judgments.spans
    kept = KeyedSpans(spans.group[mask], spans.start[mask], spans.end[mask])
    has = kept.counts(len(judgments)) > 0
    return replace(judgments, spans=kept, pair_entry=np.where(has, judgments.pair_entry, MISSING))


def _scores(study: Study, joined: Joined, extra: object) -> FloatArray:
    masks = np.asarray(extra)
    values = np.empty((len(masks), joined.topics, len(study.measures)))
    left = _scores_together(study, joined, masks, values)
    _ = joined.relevant if left else None  # the full judgments first: samples only look where they have text
    for number, mask in enumerate(masks if left else ()):
        variant = joined.judged_by(sampled(study.judgments, mask))
        for place in left:
            values[number, :, place] = np.nan_to_num(study.parsed[place].scores(variant))
    if study.policy.only_run_topics:
        values[:, joined.results == 0] = np.nan
    return values


def _scores_and_table(study: Study, joined: Joined, extra: object) -> FloatArray:
    """Scores by variant, and last those that an evaluation has: NaN where a topic is left out."""
    plain = np.stack([topic_scores(measure, joined) for measure in study.parsed], axis=1)
    return np.concatenate((_scores(study, joined, extra), plain[None]))


def _scores_together(study: Study, joined: Joined, masks: BoolArray, values: FloatArray) -> list[int]:
    """Fill in the scores of measures that count many samples at once; the places of the others."""
    shares = Shares.of(joined)
    blocks = -(-len(masks) * max(len(shares.amount), _PER_TOPIC * joined.topics) // _BLOCK)
    left = []
    for rows in np.array_split(np.arange(len(masks)), min(max(blocks, 1), len(masks))):
        samples = Samples(shares, masks[rows])
        found = [measure.sample_scores(samples) for measure in study.parsed]
        left = [place for place, scores in enumerate(found) if scores is None]
        for place, scores in enumerate(found):
            if scores is not None:
                values[rows, :, place] = np.nan_to_num(scores)
    return left


def _reach(study: Study, joined: Joined, extra: object) -> IntArray:
    """The best rank (from 1) of a result in each passage's document, or of one that overlaps the passage."""
    spans = study.judgments.spans
    rank = np.arange(len(joined)) - joined.first[joined.topic] + 1
    best = np.full(len(spans), NEVER, np.int64)
    rows = np.flatnonzero(joined.pair >= 0)
    if extra == "document":
        by_pair = np.full(len(study.judgments), NEVER, np.int64)
        np.minimum.at(by_pair, joined.pair[rows], rank[rows])
        return by_pair[spans.group]
    owner, span = touched(spans, joined.pair[rows], joined.start[rows], joined.end[rows])
    np.minimum.at(best, span, rank[rows][owner])
    return best
