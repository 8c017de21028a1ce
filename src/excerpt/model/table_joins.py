"""Tables of scores put together: more runs, more measures, the same topics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from excerpt.errors import ExcerptError, short, short_list
from excerpt.model.measure_names import find_measure
from excerpt.model.scores import ScoreTable


def join_tables(first: ScoreTable, second: ScoreTable) -> ScoreTable:
    """Runs and measures of both; each run needs scores by each measure, and two scores of one must agree."""
    second, own = _aligned(first, second)
    names = (*first.measures, *(name for name, known in own.items() if known is None))
    runs = tuple(dict.fromkeys(first.runs + second.runs))
    values = np.full((len(runs), len(first.topics), len(names)), np.nan)
    filled = np.zeros((len(runs), len(names)), np.bool_)
    for table in (first, second):
        for place, name in enumerate(table.measures):
            measure = names.index(name if table is first else own[name] or name)
            for number, run in enumerate(table.runs):
                row = runs.index(run)
                scores = table.values[number, :, place]
                if filled[row, measure] and not np.array_equal(
                    values[row, :, measure], scores, equal_nan=True
                ):
                    raise ExcerptError(
                        f"found other scores of run {short(run)} by {name} in the second table, "
                        "expected the same",
                        hint='two runs need two names: table.rename({"old": "new"})',
                    )
                values[row, :, measure], filled[row, measure] = scores, True
    if not filled.all():
        row, measure = np.argwhere(~filled)[0].tolist()
        raise ExcerptError(
            f"found no scores of run {short(runs[row])} by {names[measure]}, "
            "expected scores of every run by every measure"
        )
    files = {
        **dict(zip(second.runs, second.files, strict=True)),
        **dict(zip(first.runs, first.files, strict=True)),
    }
    return ScoreTable(
        runs,
        tuple(files[run] for run in runs),
        first.topics,
        names,
        values,
        tuple(dict.fromkeys(first.warnings + second.warnings)),
        aliases={**second.aliases, **first.aliases},
        questions={**second.questions, **first.questions},
        documents={**second.documents, **first.documents},
    )


def _aligned(first: ScoreTable, second: ScoreTable) -> tuple[ScoreTable, dict[str, str | None]]:
    """The second table with the topics in the order of the first, and what the first calls its measures."""
    same_topics(first, second)
    places = {topic: place for place, topic in enumerate(second.topics)}
    own = {
        name: find_measure(name, first.measures, first.aliases, second.aliases) for name in second.measures
    }
    return second.of_topics([places[topic] for topic in first.topics]), own


def other_runs(first: ScoreTable, second: ScoreTable) -> list[str]:
    """Names of runs that have other scores in the second table: they are not the same runs."""
    second, own = _aligned(first, second)
    common = [(first.place("measure", known), place) for place, known in enumerate(own.values()) if known]
    mine, theirs = (list(columns) for columns in zip(*common, strict=True)) if common else ([], [])
    return [
        run
        for place, run in enumerate(second.runs)
        if run in first.runs
        and not np.array_equal(
            first.values[first.place("run", run)][:, mine], second.values[place][:, theirs], equal_nan=True
        )
    ]


def same_topics(first: ScoreTable, second: ScoreTable) -> None:
    """An error that names topics where two tables do not have the same."""
    for one, other, where in ((first, second, "first"), (second, first, "second")):
        known = set(other.topics)
        only = [topic for topic in one.topics if topic not in known]
        if only:
            raise ExcerptError(
                f"found topic{'s' if len(only) > 1 else ''} {short_list(only, 3)} only in the {where} table, "
                "expected the same topics in both"
            )


def rename_runs(table: ScoreTable, names: Mapping[str, str]) -> ScoreTable:
    """The table with other names of some runs."""
    for name in names:
        table.place("run", name)
    runs = tuple(names.get(run, run) for run in table.runs)
    if len(set(runs)) < len(runs):
        twice = next(name for name in runs if runs.count(name) > 1)
        raise ExcerptError(f"found the name {short(twice)} for two runs, expected a name for each")
    return replace(table, runs=runs)
