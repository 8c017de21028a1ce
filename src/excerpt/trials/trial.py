"""Trials of many settings: the table, the effects of factors, and what they say together."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, cast

import numpy as np

from excerpt import __version__
from excerpt.corpus import Corpus
from excerpt.errors import ExcerptError, json_text, plural, short, short_list
from excerpt.evaluation import evaluate
from excerpt.evaluation.reading import Judged, Named, Reading
from excerpt.evaluation.scoring import Progress
from excerpt.experiments.comparison import compare
from excerpt.experiments.curves import Curve, curve
from excerpt.experiments.outcome import InputFile, Outcome, Record
from excerpt.formats.source import AnyCorpus, Copies, Unplaced, open_corpus
from excerpt.model.run import Run
from excerpt.notices import Gathering, Notices
from excerpt.options import whole
from excerpt.scores.score_table import ScoreTable
from excerpt.scores.score_views import Estimate
from excerpt.trials.advice import MissedQuestion, advise, gate_command, missed_questions
from excerpt.trials.chunker_settings import Chunker, GivenChunker
from excerpt.trials.cutting import DEFAULT as CHUNKERS
from excerpt.trials.retriever_settings import DEFAULT as RETRIEVERS
from excerpt.trials.retriever_settings import GivenRetriever, Retriever
from excerpt.trials.trial_cells import REACH, CellResult, Kitchen, Rendering, TrialCell, grid
from excerpt.trials.trial_folder import TrialFolder
from excerpt.trials.user_code import is_file_setting

#: Documents: a corpus, its path or texts by id; or several renderings of the same documents.
GivenDocuments: TypeAlias = "AnyCorpus | Sequence[AnyCorpus]"
#: Settings: names or functions; functions may have names.
GivenChunkers: TypeAlias = "GivenChunker | Iterable[GivenChunker] | Mapping[str, GivenChunker]"
GivenRetrievers: TypeAlias = "GivenRetriever | Iterable[GivenRetriever] | Mapping[str, GivenRetriever]"

BUDGET, SECONDS = 4000, 300.0
_LEVEL = 0.95
_POINTS = 8  # of the curve below the budget
_COLUMNS = (
    "run", "chunker", "retriever", "recall", "low", "high", "found", "read", "chunks", "lost", "ceiling",
    "seconds", "error",
)  # fmt: skip


@dataclass(frozen=True)
class Trial(Outcome):
    """Settings of chunkers and retrievers, best first, with the effects of factors and what they say."""

    #: Scores of the settings that were tried; None if read from a record.
    scores: ScoreTable | None = field(default=None, compare=False)
    #: Runs by their names.
    runs: Mapping[str, Run | str] = field(default_factory=dict, compare=False, repr=False)

    @property
    def budget(self) -> int:
        """Characters that a model reads for each question."""
        return int(self.record.options["budget"])

    @property
    def effects(self) -> tuple[dict[str, Any], ...]:
        """Effects of the levels of the factors: chunker, size, retriever, documents."""
        return tuple(self.details["effects"])

    @property
    def sentences(self) -> tuple[str, ...]:
        """What the trial says, at most four sentences."""
        return tuple(self.details["advice"])

    @property
    def missed(self) -> tuple[MissedQuestion, ...]:
        """Examples of questions whose evidence no setting finds."""
        return tuple(MissedQuestion(**one) for one in self.details["missed"])

    @property
    def curve(self) -> Curve | None:
        """Recall by characters read, of every setting; None if no setting was scored."""
        return _curve_of(self.details["curve"]) if self.details.get("curve") else None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of `table.csv`."""
        return tuple(self.rows[0]) if self.rows else _COLUMNS

    def listed(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """The table for people: recall with its interval."""
        shown = ("found", "read", "chunks", "lost", "ceiling", "seconds")
        failed = any(row["error"] for row in self.rows)
        heading = ("run", "recall", *shown, *(("error",) if failed else ()))
        rows = []
        for row in self.rows:
            recall = None if row["recall"] is None else Estimate(row["recall"], row["low"], row["high"])
            rest = [row[name] for name in heading[2:]]
            rows.append((row["run"], recall, *rest))
        return heading, rows

    def shown_as(self) -> tuple[str, ...]:
        return ("Trial",)

    def drawn_as(self) -> str:
        return "Trial"

    def __repr__(self) -> str:
        return f"<Trial: {plural(len(self.rows), 'setting')}>"

    def to_csv(self) -> str:
        """CSV with a row per setting and all digits."""
        from excerpt.score_files.saved_scores import csv_line

        def text(value: Any) -> str:
            return "" if value is None else value if isinstance(value, str) else repr(value)

        rows = [[text(row[name]) for name in self.columns] for row in self.rows]
        return "".join(map(csv_line, [list(self.columns), *rows]))

    def to_dict(self) -> dict[str, Any]:
        """The object of `record.json`; seconds are beside the rows, which a repetition gives again."""
        rows = [{name: value for name, value in row.items() if name != "seconds"} for row in self.rows]
        seconds = {row["run"]: row["seconds"] for row in self.rows}
        record, warnings = self.record.to_dict(), list(self.warnings)
        return {"rows": rows, "record": record, "warnings": warnings, "seconds": seconds, **self.details}

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Trial:
        """Read what `to_dict` gave."""
        details = dict(saved)
        rows, record, warnings, seconds = (
            details.pop(name) for name in ("rows", "record", "warnings", "seconds")
        )
        inputs = tuple(InputFile(**one) for one in record["inputs"])
        kept = Record(record["experiment"], record["seed"], inputs, record["options"], record["version"])
        order = [name for name in (*rows[0], "seconds") if name != "error"] if rows else []
        filled = [
            {name: ({**row, "seconds": seconds[row["run"]]})[name] for name in (*order, "error")}
            for row in rows
        ]
        return cls(tuple(filled), kept, tuple(warnings), details)


def try_out(
    docs: GivenDocuments,
    gold: Judged,
    *,
    chunkers: GivenChunkers = CHUNKERS,
    retrievers: GivenRetrievers = RETRIEVERS,
    budget: int = BUDGET,
    seconds: float | None = None,
    output: str | os.PathLike[str] | None = None,
    unplaced: Unplaced | None = None,
    copies: Copies | None = None,
    notices: Notices | None = None,
    progress: Progress | None = None,
) -> Trial:
    """Try every chunker with every retriever on documents and questions, and compare what they find.

    `docs` are a corpus, its path or texts by id, or a list of renderings of the same documents, such as
    `["docs@pypdfium2", "docs@markitdown"]`. `gold` are questions with quotes, in any format. A chunker is a
    name, such as `recursive:800`, or a function from a text to texts; a retriever is a name, such as `bm25`,
    or a function of a question and texts that returns texts or their numbers, best first. Mappings name
    functions. The `budget` is the number of characters that a model reads. After `seconds` no further
    setting is begun. `output` is a folder for all files, which also keeps what was computed.

    >>> import excerpt
    >>> docs = {"A": "Rain fell.\\n\\nThe river rose.", "B": "It was dry in May."}
    >>> gold = [{"question": "What did the river do?", "document": "A", "quote": "The river rose."}]
    >>> trial = excerpt.try_out(docs, gold, chunkers="paragraphs")
    >>> [(row["run"], row["recall"]) for row in trial.rows]
    [('paragraphs-bm25', 1.0)]
    """
    budget, limit = _budget(budget), _seconds(seconds)
    cutters = [Chunker.of(one, name) for name, one in _settings(chunkers, "chunker")]
    finders = [Retriever.of(one, name) for name, one in _settings(retrievers, "retriever")]
    folder = None if output is None else TrialFolder(output)
    with Gathering(notices) as gathered, folder or nullcontext():
        renderings = _renderings(docs, gold, gathered, unplaced=unplaced, copies=copies)
        cells = grid(renderings, cutters, finders, budget)
        named = _options(docs, gold, cutters, finders, budget, unplaced, copies)
        whole_key = _whole_key(cells, named, limit)
        if folder is not None and whole_key and (made := folder.made(whole_key)):
            return Trial.from_dict(json.loads(made))
        results, left = _results(cells, folder, limit, progress)
        record = Record("try", None, _inputs(docs, gold, renderings, cutters, finders), named)
        trial = _trial(results, left, renderings, record, gathered, None if output is None else str(output))
        if folder is not None:
            from excerpt.trials.trial_files import files_of

            complete = not left and all(not one.error for one in results)
            folder.write(files_of(trial, results, str(output)), whole_key if complete else None)
        return trial


def _budget(budget: object) -> int:
    try:
        return whole(budget, most=100_000_000)
    except ValueError as error:
        raise ExcerptError(f"budget: {error}") from None


def _seconds(seconds: float | None) -> float | None:
    if seconds is not None and not (isinstance(seconds, int | float) and seconds > 0):
        raise ExcerptError(f"found {short(repr(seconds))} as seconds, expected a number above 0")
    return seconds


def _settings(given: Any, what: str) -> list[tuple[str, Any]]:
    """Settings with their names, each once; empty names for those that name themselves."""
    if isinstance(given, Mapping):
        found = [(str(name), one) for name, one in given.items()]
    elif isinstance(given, str) or callable(given):
        found = [("", given)]
    elif isinstance(given, Iterable):
        found = [("", one) for one in given]
    else:
        raise ExcerptError(f"found {short(repr(given))} as {what}s, expected names or functions")
    if not found:
        raise ExcerptError(f"no {what} given")
    return list(dict.fromkeys(found))


def _renderings(docs: GivenDocuments, gold: Judged, notices: Notices, **how: Any) -> list[Rendering]:
    several: list[Any] = list(docs) if isinstance(docs, list | tuple) else [docs]
    if not several:
        raise ExcerptError("no documents given")
    if isinstance(docs, list | tuple) and several and isinstance(several[0], Mapping | tuple):
        several = [docs] if not isinstance(several[0], Corpus) else several
    found = []
    for one in several:
        corpus = cast("Corpus", open_corpus(one))
        found.append(Rendering.of(_name(one), corpus, gold, notices, **how))
    names = [one.name for one in found]
    if len(set(names)) < len(names):
        raise ExcerptError(f"found the documents {short_list(names, 3)}, expected each rendering once")
    return found


def _name(given: object) -> str:
    if isinstance(given, str | os.PathLike):
        return os.fspath(given).rstrip("/\\") or os.fspath(given)
    return "documents"


def _options(
    docs: GivenDocuments,
    gold: Judged,
    chunkers: Sequence[Chunker],
    retrievers: Sequence[Retriever],
    budget: int,
    unplaced: str | None,
    copies: str | None,
) -> dict[str, Any]:
    """Options as a record keeps them: what a repetition needs."""
    several = list(docs) if isinstance(docs, list | tuple) else [docs]
    named = [os.fspath(one) if isinstance(one, str | os.PathLike) else "" for one in several]
    return {
        "documents": named,
        "gold": os.fspath(gold) if isinstance(gold, str | os.PathLike) else "",
        "chunkers": [one.recorded for one in chunkers],
        "retrievers": [one.recorded for one in retrievers],
        "budget": budget,
        "unplaced": unplaced,
        "copies": copies,
    }


def _whole_key(cells: Sequence[TrialCell], named: Mapping[str, Any], seconds: float | None) -> str | None:
    """Hash of all that the files of a trial depend on; None if it cannot be known."""
    keys = [cell.key for cell in cells]
    if None in keys:
        return None
    return hashlib.sha256(json.dumps([keys, named, seconds, __version__]).encode()).hexdigest()


def _results(
    cells: Sequence[TrialCell], folder: TrialFolder | None, seconds: float | None, progress: Progress | None
) -> tuple[list[CellResult], list[TrialCell]]:
    """Results of the cells, from the folder or computed, and the cells for which there was no time."""
    begin, kitchen = time.monotonic(), Kitchen(measure_of(cells[0].budget))
    results, left, scored = list[CellResult](), list[TrialCell](), 0
    for number, cell in enumerate(cells):
        found = None if folder is None else folder.known(cell)
        late = seconds is not None and scored and time.monotonic() - begin >= seconds
        if found is None and late:
            left.append(cell)
            continue
        if found is None:
            found = kitchen.result(cell)
            found = found if folder is None else folder.keep(found)
        scored += not found.error
        results.append(found)
        if progress is not None:
            progress(number + 1, len(cells))
    return results, left


def measure_of(budget: int) -> str:
    """The measure that a trial compares by."""
    return f"recall(budget={budget})"


def _inputs(
    docs: GivenDocuments,
    gold: Judged,
    renderings: Sequence[Rendering],
    chunkers: Sequence[Chunker],
    retrievers: Sequence[Retriever],
) -> tuple[InputFile, ...]:
    """Files of the trial with their hashes, as far as they are files."""
    several = list(docs) if isinstance(docs, list | tuple) else [docs]
    found = [
        InputFile(os.fspath(one), rendering.corpus.fingerprint())
        for one, rendering in zip(several, renderings, strict=False)
        if isinstance(one, str | os.PathLike)
    ]
    if isinstance(gold, str | os.PathLike):
        found.append(InputFile.of(gold))
    settings = [one.setting for one in chunkers] + [one.setting for one in retrievers]
    code = [one.rpartition(":")[0] for one in settings if is_file_setting(one)]
    return (*found, *map(InputFile.of, dict.fromkeys(code)))


def _trial(
    results: Sequence[CellResult],
    left: Sequence[TrialCell],
    renderings: Sequence[Rendering],
    record: Record,
    notices: Notices,
    output: str | None,
) -> Trial:
    """Score the runs together, test the factors, and say what follows."""
    scored = [one for one in results if one.run is not None]
    if not scored:
        failed = [f"{one.cell.run}: {one.error}" for one in results]
        message = f"none of {plural(len(results), 'setting')} could be scored ({failed[0]})"
        raise ExcerptError(message)
    budget = int(record.options["budget"])
    measure = measure_of(budget)
    table, drawn, runs = _scores(scored, renderings, budget)
    limits = table.with_intervals(_LEVEL).limits()[:, 0].tolist()
    rows = _rows(results, table, limits, several=len(renderings) > 1)
    effects, notes = _effects(table, scored)
    nothing, examples = missed_questions(table, runs)
    curves = {
        run: list(zip(map(int, drawn.x.tolist()), values, strict=True))
        for run, values in zip(drawn.runs, drawn.values.tolist(), strict=True)
    }
    docs, gold = record.options["documents"][0], record.options["gold"]
    gate = gate_command(output, gold, docs, measure, rows[0]["run"]) if output and gold and docs else ""
    facts = {one.cell.run: one.facts for one in scored if one.facts is not None}
    advice = advise(table, effects, facts=facts, curve=curves, nothing=nothing, budget=budget, gate=gate)
    if left:
        every = plural(len(results) + len(left), "setting")
        names = short_list([cell.run for cell in left], 3)
        notes.insert(0, f"{len(left)} of {every} were left out, since the time was over ({names})")
    details = {
        "measure": measure,
        "questions": int((~np.isnan(table.values[:, :, 0])).any(axis=0).sum()),
        "effects": effects,
        "advice": advice,
        "missed": [one._asdict() for one in examples],
        "notes": notes,
        "left_out": [cell.run for cell in left],
        "curve": {**drawn.to_dict(), "x_label": drawn.x_label, "y_label": drawn.y_label},
    }
    details = json.loads(json_text(details))  # as it is read again
    kept = {one.cell.run: one.run for one in scored if one.run is not None}
    return Trial(tuple(rows), record, tuple(notices), details, scores=table, runs=kept)


def _scores(
    scored: Sequence[CellResult], renderings: Sequence[Rendering], budget: int
) -> tuple[ScoreTable, Curve, dict[str, tuple[Run, Rendering]]]:
    """Scores and curves of all runs, each with the judgments of its rendering."""
    points = sorted({budget, 2 * budget, *(budget * at // _POINTS for at in range(1, _POINTS * REACH + 1))})
    tables, curves, runs = [], [], dict[str, tuple[Run, Rendering]]()
    for rendering in renderings:
        own = [one for one in scored if one.cell.rendering is rendering]
        if not own:
            continue
        reading = Reading.of(corpus=rendering.corpus)
        read = {
            one.cell.run: reading.run(Named(one.cell.run, cast("Any", one.run)), Notices()) for one in own
        }
        runs |= {name: (run, rendering) for name, run in read.items()}
        measures = [measure_of(budget), f"found(budget={budget})"]
        judgments, corpus = rendering.judgments, rendering.corpus
        table = evaluate(judgments, list(read.values()), measures, corpus=corpus, notices=Notices())
        tables.append(replace(table, files=tuple(f"runs/{name}.jsonl" for name in read)))
        points = [point for point in points if point > 0]
        curves.append(curve(judgments, list(read.values()), points=points, corpus=corpus, notices=Notices()))
    table = tables[0]
    for other in tables[1:]:
        table = table.join(other)
    first = curves[0]
    drawn = replace(
        first,
        runs=tuple(name for one in curves for name in one.runs),
        files=tuple(name for one in curves for name in one.files),
        values=np.concatenate([one.values for one in curves]),
    )
    return table, drawn, runs


def _rows(
    results: Sequence[CellResult], table: ScoreTable, limits: Sequence[Sequence[float]], *, several: bool
) -> list[dict[str, Any]]:
    """A row per setting, the best first, those that failed last."""
    places = {name: place for place, name in enumerate(table.runs)}
    means, rows = table.means().tolist(), []
    for one in results:
        cell, facts = one.cell, one.facts
        place = places.get(cell.run)
        row: dict[str, Any] = {
            "run": cell.run,
            "chunker": cell.chunker.name,
            "retriever": cell.retriever.name,
        }
        row |= {"documents": cell.rendering.name} if several else {}
        if place is None or facts is None:
            row |= dict.fromkeys(_COLUMNS[3:-1])
        else:
            recall, found = map(_defined, means[place])
            low, high = map(_defined, limits[place])
            row |= {"recall": recall, "low": low, "high": high, "found": found, "read": facts.read}
            row |= {"chunks": facts.chunks, "lost": facts.lost, "ceiling": facts.ceiling}
            row |= {"seconds": facts.seconds}
        rows.append({**row, "error": one.error})
    return sorted(rows, key=lambda row: (bool(row["error"]), -(row["recall"] or 0.0)))


def _defined(value: float) -> float | None:
    return None if np.isnan(value) else value


def _effects(table: ScoreTable, scored: Sequence[CellResult]) -> tuple[list[dict[str, Any]], list[str]]:
    """Effects of the factors with at least two levels, and what is said of them."""
    cells = {one.cell.run: one.cell for one in scored}
    levels = {
        "chunker": {run: cell.chunker.name for run, cell in cells.items()},
        "retriever": {run: cell.retriever.name for run, cell in cells.items()},
        "documents": {run: cell.rendering.name for run, cell in cells.items()},
    }
    rows, notes = _tested(table, levels)
    sized = {run: cell for run, cell in cells.items() if cell.chunker.size}
    kinds: dict[str, set[str]] = {}
    for cell in sized.values():
        kinds.setdefault(cell.chunker.kind, set()).add(cell.chunker.size)
    sized = {run: cell for run, cell in sized.items() if len(kinds[cell.chunker.kind]) > 1}
    others = {
        "kind": {run: cell.chunker.kind for run, cell in sized.items()},
        "retriever": {run: cell.retriever.name for run, cell in sized.items()},
        "documents": {run: cell.rendering.name for run, cell in sized.items()},
    }
    sizes = {"size": {run: cell.chunker.size for run, cell in sized.items()}}
    found, _ = _tested(table, {**sizes, **others}) if sized else ([], [])
    size_rows = [row for row in found if row["factor"] == "size"]
    place = next((at for at, row in enumerate(rows) if row["factor"] != "chunker"), len(rows))
    return [*rows[:place], *size_rows, *rows[place:]], notes


def _tested(
    table: ScoreTable, levels: Mapping[str, Mapping[str, str]]
) -> tuple[list[dict[str, Any]], list[str]]:
    """Rows of the effects of factors that have at least two levels; none if there are too few questions."""
    factors = {name: own for name, own in levels.items() if len(set(own.values())) > 1}
    runs = list(next(iter(levels.values())))
    if not factors:
        return [], []
    design = {run: {name: own[run] for name, own in factors.items()} for run in runs}
    own = table.of_runs([table.place("run", run) for run in runs]).select(table.measures[:1])
    try:
        found = compare(own, factors=design, notices=Notices())
    except ExcerptError as error:
        return [], [f"effects of factors are not tested: {error.message}"]
    return [dict(row) for row in found.rows], list(found.notes())


def _curve_of(saved: Mapping[str, Any]) -> Curve:
    values = [[np.nan if value is None else value for value in run["values"]] for run in saved["runs"]]
    return Curve(
        measure=saved["measure"],
        x=np.array(saved["x"], np.int64),
        runs=tuple(run["name"] for run in saved["runs"]),
        files=tuple(run["file"] for run in saved["runs"]),
        values=np.array(values, np.float64).reshape(len(saved["runs"]), len(saved["x"])),
        x_label=saved["x_label"],
        y_label=saved["y_label"],
    )
