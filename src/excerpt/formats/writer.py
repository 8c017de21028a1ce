"""Writers of runs and judgments."""

from __future__ import annotations

import io
import json
import math
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from excerpt.errors import ExcerptError, MissingData, UnknownName, short
from excerpt.files import read_once, require_path, write_bytes, writing
from excerpt.formats.registry import Format, RunOrJudgments, judgments_formats, run_formats
from excerpt.formats.source import AnyCorpus, Index, open_corpus, open_index
from excerpt.model.judgments import Judgments
from excerpt.model.run import Run
from excerpt.model.spans import UNKNOWN, FloatArray
from excerpt.notices import Gathering, Notices

if TYPE_CHECKING:
    from excerpt.corpus import Corpus
    from excerpt.index import OffsetIndex


#: Separators of columns, and halves of surrogate pairs, which cannot be encoded.
_BLANK = re.compile("[\\x00-\\x20\\ud800-\\udfff]")

#: Formats of judgments that can store graded elements, not only text.
_OF_ELEMENTS = {"inex", "inex-graded", "jsonl"}

_ROWS = 1 << 14  # results that are converted to Python objects at a time


def write_run(
    run: Run,
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002 - the users' word
    *,
    corpus: AnyCorpus | None = None,
    fingerprint: bool = True,
    notices: Notices | None = None,
) -> None:
    """Write a run in a format that `excerpt formats` lists as written.

    The default is jsonl for the extension .jsonl, else fol, or trec for a run of whole documents. All formats
    but jsonl leave out the text of results that does not occur in their documents, and the tokens and words
    of results; a warning says so. With a `corpus`, or if the run knows them, the fingerprints of its
    documents' texts are kept: in each row of jsonl, for other formats in `PATH.about.json`;
    `fingerprint=False` leaves them out.
    """
    if not isinstance(run, Run):
        raise ExcerptError(f"found {short(repr(run))}, expected a Run")
    name = format or _format_of(path, whole=run.kind == "documents")
    run = _with_fingerprints(run, open_corpus(corpus), fingerprint=fingerprint)
    with Gathering(notices) as gathered:
        _write(run, path, name, run_formats(), "run")
        if name != "jsonl":
            write_beside(path, run.fingerprints, run.documents)
            _warn_left_out(run, name, gathered)


def _with_fingerprints(
    content: RunOrJudgments, corpus: Corpus | None, *, fingerprint: bool
) -> RunOrJudgments:
    """Return content with fingerprints of its documents: by a corpus, else those that it knows, or none."""
    if not fingerprint:
        return replace(content, fingerprints={})
    return content if corpus is None else replace(content, fingerprints=corpus.hashes(content.documents))


def write_beside(
    path: str | os.PathLike[str], fingerprints: Mapping[str, str], documents: Iterable[str]
) -> None:
    """Write `PATH.about.json` with the fingerprints of documents, or remove one of an earlier file."""
    name = os.fspath(path)
    if read_once(name) or (not fingerprints and not os.path.isfile(f"{name}.about.json")):  # noqa: PTH113
        return
    from excerpt import __version__
    from excerpt.records.fingerprints import BESIDE, about_text, beside

    if fingerprints:
        write_bytes(name + BESIDE, about_text(name, fingerprints, documents, __version__))
    elif beside(name):
        Path(name + BESIDE).unlink()


def _format_of(path: str | os.PathLike[str], *, whole: bool) -> str:
    name = require_path(path, "name of a file to write")
    rest = "trec" if whole else "fol"
    return "jsonl" if re.search(r"\.jsonl(\.(gz|bz2|xz|zst))?$", name, re.IGNORECASE) else rest


def _warn_left_out(run: Run, format_: str, notices: Notices) -> None:
    lost = 0 if run.text.lost is None else int((run.text.lost > 0).sum())
    effect = f"format {format_} cannot store it, so it will not count as read"
    one = f"result has text that is not in its document; {effect}"
    many = f"results have text that is not in their documents; {effect}"
    notices.add(one, many, lost, where=run.name)
    for name in run.text.costs:
        notices.add(f"format {format_} cannot store the {name} of results; they are left out", where=run.name)


def write_judgments(
    judgments: Judgments,
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002 - the users' word
    *,
    index: Index | None = None,
    corpus: AnyCorpus | None = None,
    fingerprint: bool = True,
    notices: Notices | None = None,
) -> None:
    """Write judgments in a format that `excerpt formats` lists as written; inex needs an index.

    The default is jsonl for the extension .jsonl, else fol, or trec for whole documents. With a `corpus`,
    jsonl has the text of every span as `quote`, and the `sha256` of its document, so that the judgments
    survive changes of the documents; `fingerprint=False` leaves the hash out. Formats of annotation tools
    take the texts from the corpus, and write a folder if the path has no ending.
    """
    if not isinstance(judgments, Judgments):
        raise ExcerptError(f"found {short(repr(judgments))}, expected Judgments")
    format = format or _format_of(path, whole=judgments.only_documents)  # noqa: A001 - the users' word
    with Gathering(notices) as gathered:
        if judgments.inclusion is not None and format != "jsonl":
            gathered.add(f"format {format} cannot store probabilities; they are left out (jsonl has room)")
        if (tool := judgments_formats().get(format)) is not None and tool.write_files is not None:
            tool.write_files(judgments, path, open_corpus(corpus), gathered)
            return
    if judgments.elements is not None and not len(judgments.spans) and format not in _OF_ELEMENTS:
        message = f"format {format} needs highlighted text, which cannot be read without an index"
        raise MissingData(message, path=judgments.source or None, hint="give ⟨index⟩")
    if format not in {"trec", "jsonl"} and judgments.only_documents:
        message = f"format {format} needs spans; the judgments are of whole documents of unknown length"
        raise MissingData(message, path=judgments.source or None, hint="give ⟨index⟩")
    texts = open_corpus(corpus)
    judgments = _with_fingerprints(judgments, texts, fingerprint=fingerprint)
    places = texts if format == "jsonl" else _places(open_index(index))
    _write(judgments, path, format, judgments_formats(), "judgments", places)
    if format not in {"jsonl", "inex", "inex-graded"} and not judgments.only_documents:
        write_beside(path, judgments.fingerprints, judgments.documents)


def _places(index: OffsetIndex | None) -> Callable[[str], object] | None:
    if index is None:
        return None
    from excerpt.corpus.indexed import indexed_elements

    return partial(indexed_elements, index)


def _write(
    content: RunOrJudgments,
    path: str | os.PathLike[str],
    name: str,
    formats: dict[str, Format[RunOrJudgments]],
    kind: str,
    places: object = None,
) -> None:
    written = {key: format_ for key, format_ in formats.items() if format_.write}
    if name not in written:
        raise UnknownName(f"{kind} format to write", name, written)
    write, write_placed = written[name].write, written[name].write_placed
    assert write is not None
    with writing(path) as stream:
        if places is not None and write_placed is not None:
            write_placed(content, stream, places)
        else:
            write(content, stream)


def blocks(run: Run) -> Iterator[list[tuple[int, int, int, int, int, float, int]]]:
    """Yield topic, document, start, end, element, score and rank of results, many results at a time."""
    columns = (run.topic_code, run.document_code, run.start, run.end, run.element, run.score, run.rank)
    for begin in range(0, len(run), _ROWS):
        part = [column[begin : begin + _ROWS].tolist() for column in columns]
        yield list(zip(*part, strict=True))


def write_columns(
    run: Run, stream: io.BufferedIOBase, place: Callable[[int, int, int], str] | None = None
) -> None:
    """Write lines `topic Q0 document rank score tag [place]`; missing ranks and scores follow the order."""
    need_words((*run.topics, *run.documents), run.source or run.name)
    tag, last, count = "_".join(run.name.split()) or "run", -1, 0
    for block in blocks(run):
        lines = []
        for topic, document, start, end, element, score, rank in block:
            count = count + 1 if topic == last else 1
            last = topic
            number = write_number(score) if score == score else repr(-float(count))  # noqa: PLR0124 - NaN
            lines.append(
                f"{run.topics[topic]} Q0 {run.documents[document]} {count if rank == UNKNOWN else rank} "
                f"{number} {tag}{f' {place(start, end, element)}' if place else ''}\n"
            )
        stream.write("".join(lines).encode())


class RescoredRun(NamedTuple):
    """A run whose scores keep its order, and the number of topics with new scores."""

    run: Run
    replaced: int


def score_documents(run: Run) -> RescoredRun:
    """Return each document of a topic once, where it first occurs, for formats in which scores decide.

    If sorting by score and (for ties) descending document id would change the order of a topic, or scores are
    missing, the topic gets new scores that descend by one. Ranks are removed, and counted by the writer.
    """
    first = np.sort(
        np.unique(run.topic_code * max(len(run.documents), 1) + run.document_code, return_index=True)[1]
    )
    kept = run.take(first)
    bounds = [*np.flatnonzero(np.diff(kept.topic_code, prepend=-1)).tolist(), len(kept)]
    score, replaced = kept.score.copy(), 0
    for begin, end in pairwise(bounds):
        names = [run.documents[code] for code in kept.document_code[begin:end].tolist()]
        if not _keep_order(score[begin:end], names):
            score[begin:end] = np.arange(end - begin, 0, -1)
            replaced += 1
    return RescoredRun(replace(kept, score=score, rank=np.full(len(kept), UNKNOWN)), replaced)


def _keep_order(scores: FloatArray, documents: list[str]) -> bool:
    """Return whether sorting by score keeps the order, also in a program that reads single precision."""
    with np.errstate(over="ignore"):
        single = scores.astype(np.float32)
    sorted_ = all(
        one > two
        for numbers in (scores.tolist(), single.tolist())
        for one, two in pairwise(zip(numbers, documents, strict=True))
    )
    return sorted_ and not bool(np.isnan(scores).any())


def need_words(names: Iterable[str], source: str) -> None:
    """Raise an error if a name would not be one column."""
    for name in names:
        if not name or _BLANK.search(name):
            message = f"found the id {short(name)!r}, expected an id without blanks, for text in columns"
            raise ExcerptError(message, path=source or None, hint="try ⟨format=jsonl⟩")


def write_number(score: float) -> str:
    """Return a score as text that reads back as the same number."""
    whole = math.isfinite(score) and score == int(score) and abs(score) < 1e15 and repr(score) != "-0.0"
    return repr(int(score)) if whole else repr(score)


def need_kind(run: Run, format_: str, kinds: Collection[str], needs: str, hint: str = "give ⟨index⟩") -> None:
    """Raise an error if a format cannot store the kind of results of a run."""
    if run.kind not in kinds:
        has = {"documents": "whole documents of unknown length", "elements": "element paths"}
        message = f"format {format_} needs {needs}; the run has {has.get(run.kind, run.kind)}"
        raise MissingData(message, path=run.source or run.name, hint=hint)


def quote_all(names: Iterable[str]) -> list[str]:
    """Return names as JSON strings."""
    return [json.dumps(name, ensure_ascii=False) for name in names]


def quote_number(value: float) -> str:
    """Return a number in JSON; infinity becomes a number that every reader reads as infinity."""
    return repr(value) if math.isfinite(value) else "1e999" if value > 0 else "-1e999"


def write_object(fields: dict[str, Any]) -> bytes:
    """Return an object as a line of JSON."""
    return json.dumps(fields, ensure_ascii=False).encode() + b"\n"
