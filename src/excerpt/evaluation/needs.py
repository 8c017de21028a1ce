"""What measures need of a run and of judgments: how it is seen to be there, and how it can be supplied."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple

from excerpt.errors import MissingData, UnknownName
from excerpt.measures import Measure
from excerpt.model.judgments import Judgments
from excerpt.model.run import Run
from excerpt.model.spans import UNKNOWN


class Need(NamedTuple):
    """Something that measures may need: who must have it, whether it is there, what to do where it is not."""

    owner: Literal["run", "judgments"]
    provided: Callable[[Run, Judgments], bool]
    lack: str
    supply: str


def _sized(_: Run, judgments: Judgments) -> bool:
    return not (judgments.pair_size[judgments.relevant_by_pair > 0] == UNKNOWN).any()


def _has_paths(run: Run, _: Judgments) -> bool:
    return run.row is not None or bool((run.element >= 0).any()) or not len(run)


def _has_sizes(_: Run, judgments: Judgments) -> bool:
    graded = judgments.elements
    return graded is not None and (not len(graded) or bool((graded.size > 0).any()))


#: Every need by its name; a measure lists the names of what it needs.
NEEDS = {
    "spans": Need(
        "run",
        lambda run, _: run.kind in {"spans", "documents"},
        "the run has none",
        "give ⟨index⟩ for element paths, or a run with offset and length",
    ),
    "entry points": Need(
        "run",
        lambda run, _: run.kind != "elements",
        "the run has none",
        "give ⟨index⟩ for element paths",
    ),
    "element paths": Need(
        "run",
        _has_paths,
        "the run names none",
        "give a run of paths, or ⟨index⟩ to find elements by span",
    ),
    "highlights": Need(
        "judgments",
        lambda _, judgments: judgments.elements is None or len(judgments.spans) > 0,
        "the judgments have graded elements only",
        "give ⟨index⟩ to place highlighted text",
    ),
    "document lengths": Need(
        "judgments",
        _sized,
        "the judgments lack some",
        "give judgments that tell the size of relevant documents",
    ),
    "judged entry points": Need(
        "judgments",
        lambda _, judgments: bool((judgments.pair_entry != UNKNOWN).any()),
        "the judgments have none",
        "give FOL qrels with a sixth column, or INEX assessments",
    ),
    "graded elements": Need(
        "judgments",
        lambda _, judgments: judgments.elements is not None,
        "the judgments have none",
        "give assessments of elements, or ⟨index⟩",
    ),
    "element sizes": Need(
        "judgments",
        _has_sizes,
        "the assessments do not tell them",
        "give ⟨index⟩",
    ),
    "mean document length": Need(
        "judgments",
        lambda _, judgments: judgments.mean_length is not None,
        "nothing tells it",
        "give ⟨index⟩, or say it as in BEPD(L=6000)",
    ),
}


def check_needs(run: Run, judgments: Judgments, measures: Iterable[tuple[str, Measure]]) -> None:
    """An error where a run or judgments lack what a measure needs, with how to supply it."""
    has = {name for name, need in NEEDS.items() if need.provided(run, judgments)}
    for shown, measure in measures:
        for name in sorted(measure.needs - has):
            if name not in NEEDS:
                raise UnknownName(f"need of {shown}", name, NEEDS)
            need = NEEDS[name]
            where = (run.source or run.name) if need.owner == "run" else judgments.source
            raise MissingData(f"{shown} needs {name}, but {need.lack}", path=where or None, hint=need.supply)
