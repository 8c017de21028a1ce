"""Runs and judgments from files, bytes and streams; runs in the order of the file, of ranks or of scores."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from excerpt.errors import ExcerptError, FormatError, short
from excerpt.files import Input, is_folder
from excerpt.formats.registry import judgments_format_of, run_format_of
from excerpt.formats.source import AnyCorpus, Index, Source, open_corpus, open_index
from excerpt.model.judgments import Judgments, Scale, Unit
from excerpt.model.run import Order, Run
from excerpt.model.spans import UNKNOWN, BoolArray, FloatArray, IntArray
from excerpt.notices import Gathering, Notices

if TYPE_CHECKING:
    from excerpt.corpus import Corpus
    from excerpt.formats.ids import Ids, Segments
    from excerpt.gold.file import Context
    from excerpt.index import OffsetIndex


def read_run(
    source: Input,
    *,
    format: str | None = None,  # noqa: A002 - the users' word
    index: Index | None = None,
    corpus: AnyCorpus | None = None,
    order: Order | None = None,
    id_pattern: str | re.Pattern[str] | None = None,
    segments: Segments | None = None,
    notices: Notices | None = None,
) -> Run:
    """Read a run: a file by its path, its bytes, or an open file; paths become spans if an index is given.

    `order` is `file`, `rank` or `score`; by default `file`, but `score` for TREC runs. Ids of passages become
    documents and offsets by `id_pattern`, a regular expression with groups `document`, `start` and `end`, or
    by `segments`, a table `id document start end`. A `corpus` tells whether texts are where a file says.
    """
    with Gathering(notices) as gathered:
        opened = Source.open(source, index=index, corpus=corpus, notices=gathered, kind="run")
        return run_from(opened, format, order, ids_of(id_pattern, segments))


def run_from(
    source: Source, name: str | None = None, order: Order | None = None, ids: Ids | None = None
) -> Run:
    """The run in a source."""
    chosen = run_format_of(source, name)
    run = chosen.read(source if ids is None else replace(source, ids=ids))
    source.faults.settle()
    if source.faults:  # kept: ranks and scores may be among what is wrong
        return run
    if ids is not None and not chosen.reads_ids:
        run = ids.place_run(run.ordered(order or chosen.order), source.corpus, source.notices)
    run = without_quotes(run, source.corpus, source.index.unit if source.index else "char")
    return arrange(run, order or chosen.order, index=source.index, notices=source.notices)


def ids_of(pattern: str | re.Pattern[str] | None, segments: Segments | None) -> Ids | None:
    """The places of ids by a pattern or by a table of segments, where there is one of them."""
    if pattern is None and segments is None:
        return None
    from excerpt.formats.ids import Ids

    return Ids.of(pattern, segments)


def without_quotes(run: Run, corpus: Corpus | None, unit: Unit) -> Run:
    """The run without its quotes, where a corpus has the texts that they should be."""
    if corpus is None or run.quotes is None:
        return run
    from excerpt.formats.quoted import check_quotes

    return check_quotes(run, corpus, unit)


def arrange(run: Run, order: Order, *, index: OffsetIndex | None, notices: Notices) -> Run:
    """Put the results of each topic into the order asked for; whole documents become spans by an index."""
    name = run.source or run.name
    if order == "rank" and bool((run.rank == UNKNOWN).any()):
        raise ExcerptError(
            "found results without a rank, expected a rank for each",
            path=name,
            hint="try ⟨order=file⟩ or ⟨order=score⟩",
        )
    if order == "score" and bool(np.isnan(run.score).any()):
        raise ExcerptError(
            "found results without a score, expected a score for each",
            path=name,
            hint="try ⟨order=file⟩ or ⟨order=rank⟩",
        )
    if order == "file":
        _count(notices, run, "ranks", np.where(run.rank == UNKNOWN, np.nan, run.rank))
        _count(notices, run, "scores", -run.score)
    return _size_documents(run.ordered(order), index)


def arrange_made(run: Run, order: Order | None, *, index: OffsetIndex | None, notices: Notices) -> Run:
    """As `arrange`, for a run that was read or made before: it may have been put in order by rank."""
    if order is not None:
        return arrange(run, order, index=index, notices=notices)
    if bool((run.rank == UNKNOWN).any()) or bool(_falls(run, run.rank).any()):
        _count(notices, run, "scores", -run.score)
    return _size_documents(run, index)


def _falls(run: Run, keys: IntArray | FloatArray) -> BoolArray:
    """Where a result has a smaller key than the one before it (NaN never has)."""
    falls: BoolArray = (keys[1:] < keys[:-1]) & (np.diff(run.topic) == 0)
    return falls  # no differences of keys: scores may be infinite


def _count(notices: Notices, run: Run, what: str, keys: FloatArray) -> None:
    """Count the topics whose results do not ascend by `keys`."""
    falling = np.zeros(len(run.topics), np.bool_)
    falling[run.topic[1:][_falls(run, keys)]] = True
    notices.add_marked(
        f"topic's results are not in the order of their {what}; the order given counts",
        falling,
        lambda topic: f"topic {short(run.topics[topic])} of {run.source or run.name}",
    )


def _size_documents(run: Run, index: OffsetIndex | None) -> Run:
    """Whole documents become spans where the index knows their length; an error where it knows none."""
    if index is None:
        return run
    codes = index.document_codes(run.documents)
    if len(codes) and not (codes >= 0).any():
        raise FormatError(
            f"found none of its documents in the index (such as {short(run.documents[0])}), "
            "expected the same corpus",
            path=run.source or run.name,
        )
    if run.kind != "documents":
        return run
    sizes = index.document_sizes(codes)
    end = sizes[run.document] if len(run) else run.document
    return replace(run, kind="spans", start=np.where(end < 0, -1, 0), end=end, whole=True)


def read_judgments(
    source: Input,
    *,
    format: str | None = None,  # noqa: A002 - the users' word
    index: Index | None = None,
    corpus: AnyCorpus | None = None,
    context: Context | None = None,
    id_pattern: str | re.Pattern[str] | None = None,
    segments: Segments | None = None,
    notices: Notices | None = None,
) -> Judgments:
    """Read judgments: a path, bytes or an open file; or all files of a folder with one file per topic.

    Questions with evidence that others made are judgments, too: their quotes are compared with the `corpus`.
    `context` says what is a document where such a file has articles of paragraphs. Ids of judged passages
    become documents and offsets as in `read_run`.
    """
    ids = ids_of(id_pattern, segments)
    with Gathering(notices) as gathered:
        how: _How = {
            "index": open_index(index),
            "corpus": open_corpus(corpus, context or "paragraph"),
            "context": context,
        }
        if isinstance(source, str | os.PathLike) and is_folder(source):
            judgments = _read_folder(os.fspath(source), format, how, gathered)
        else:
            judgments = judgments_from(Source.open(source, notices=gathered, **how), format)
    return _placed(judgments, ids, how["corpus"])


def read_gold(
    source: Input,
    corpus: AnyCorpus | None = None,
    *,
    context: Context = "paragraph",
    format: str | None = None,  # noqa: A002 - the users' word
    notices: Notices | None = None,
) -> Judgments:
    """Read questions with their evidence, in the files people have; any judgments can be read so.

    >>> gold = read_gold(b'{"tests": [{"query": "When?", "snippets": [{"file_path": "a", "span": [3, 9]}]}]}')
    >>> gold.questions["1"].text, gold.highlights("1")
    ('When?', [Span(document='a', start=3, end=9)])

    With a `corpus` (or where the file has the texts of its documents) quotes are verified: what is not where
    its offsets say is moved to its words, what stands nowhere is refused. `context` is `paragraph` or
    `article`: what a document is in the SQuAD family.
    """
    return read_judgments(source, format=format, corpus=corpus, context=context, notices=notices)


def _placed(judgments: Judgments, ids: Ids | None, corpus: Corpus | None) -> Judgments:
    return judgments if ids is None else ids.place_judgments(judgments, corpus)


def judgments_from(source: Source, name: str | None = None, ids: Ids | None = None) -> Judgments:
    """The judgments in a source."""
    judgments = judgments_format_of(source, name).read(source)
    source.faults.settle()
    # Files do not say what their offsets count; with an index they must count what it counts.
    if source.index is not None:
        _compare_lengths(judgments, source, source.index)
        judgments = replace(judgments, unit=source.index.unit, mean_length=source.index.mean_length)
    return _placed(judgments, ids, source.corpus)


def _compare_lengths(judgments: Judgments, source: Source, index: OffsetIndex) -> None:
    """Count judged documents that the index does not have, or has in another length."""
    codes = index.document_codes(judgments.documents)
    sizes = index.document_sizes(codes)
    known = judgments.document_sizes
    doubts = (
        ("judged document is not in the index", codes < 0),
        (
            f"judged document has a different length in the index ({index.unit}s); is it the same corpus?",
            (codes >= 0) & (known != UNKNOWN) & (known != sizes) & (judgments.scale != "documents"),
        ),
    )
    for message, mask in doubts:
        source.notices.add_marked(
            message, mask, lambda row: f"document {short(judgments.documents[row])} of {source.name}"
        )


class _How(TypedDict):
    """What files are read with."""

    index: OffsetIndex | None
    corpus: Corpus | None
    context: Context | None


def _read_folder(path: str, name: str | None, how: _How, notices: Notices | None) -> Judgments:
    from pathlib import Path

    folder = Path(path)
    files = sorted(file for file in folder.iterdir() if file.is_file() and not file.name.startswith("."))
    if not files:
        raise ExcerptError("found an empty folder, expected one judgments file per topic", path=str(folder))
    parts = [judgments_from(Source.open(file, notices=notices, **how), name) for file in files]
    parts = _tell_apart(parts, [file.name.partition(".")[0] for file in files])
    scale = _scale(parts, str(folder))
    return replace(Judgments.together(parts, source=str(folder)), scale=scale)


def _tell_apart(parts: list[Judgments], names: Sequence[str]) -> list[Judgments]:
    """Where the questions of several files are only numbered, each is called by its file, too."""
    numbered = [tuple(map(str, range(1, len(part.topics) + 1))) for part in parts]
    if len(parts) < 2 or any(
        part.topics != known or not part.questions for part, known in zip(parts, numbered, strict=True)
    ):
        return parts
    return [
        replace(
            part,
            topics=tuple(f"{name}-{topic}" for topic in part.topics),
            questions={
                f"{name}-{topic}": question._replace(id=f"{name}-{topic}")
                for topic, question in part.questions.items()
            },
        )
        for part, name in zip(parts, names, strict=True)
    ]


def _scale(parts: Sequence[Judgments], folder: str) -> Scale:
    """The scale of all files: a topic of graded assessments may happen to have the highest grade only."""
    scales = {part.scale for part in parts}
    if "documents" in scales and len(scales) > 1:
        raise ExcerptError(
            "found judgments of whole documents beside judgments of text, expected one kind", path=folder
        )
    # A file that assesses nothing does not show its scale.
    telling = {part.scale: part.source for part in reversed(parts) if part.elements or len(part.spans)}
    if "exhaustivity 0-2" in telling:
        telling.pop("highlights", None)
    if len(telling) > 1:
        one, other = sorted(telling, key=lambda scale: telling[scale])[:2]
        raise ExcerptError(
            f"found judgments by {one} ({telling[one]}) beside judgments by {other} ({telling[other]}), "
            "expected one scale",
            path=folder,
        )
    return next(iter(telling), parts[0].scale)
