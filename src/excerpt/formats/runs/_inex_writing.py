"""Writing INEX submissions in XML: each result by its path, else by offset and length."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

from excerpt.formats.text.xml_events import escape, outside_xml
from excerpt.formats.write import blocks, write_number
from excerpt.model.run import Run
from excerpt.model.spans import UNKNOWN

NOWHERE = "X"  # an offset as in runs in columns: this result does not exist


def submission_lines(run: Run, root: str) -> Iterator[str]:
    """Topics and results under a root; results keep their path if they have one."""
    for name in (run.name, run.task, *run.topics, *run.documents):
        if error := outside_xml(name, run.source or run.name):
            raise error
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    task = f' task="{escape(run.task)}"' if run.task else ""
    yield f'<{root} run-id="{escape(run.name)}"{task} result-type="{_result_type(run)}">\n'
    topic = -1
    documents, places = [escape(name) for name in run.documents], [_path_place(path) for path in run.paths]
    for number, document, start, end, element, score, rank in itertools.chain.from_iterable(blocks(run)):
        if topic != number:
            yield "</topic>\n" if topic >= 0 else ""
            yield f'<topic topic-id="{escape(run.topics[number])}">\n'
            topic = number
        place = places[element] if element >= 0 else _span_place(start, end)
        yield f"<result><file>{documents[document]}</file>{place}"
        yield f"<rank>{rank}</rank>" if rank != UNKNOWN else ""
        yield f"<rsv>{write_number(score)}</rsv>" if not math.isnan(score) else ""
        yield "</result>\n"
    yield "</topic>\n" if topic >= 0 else ""
    yield f"</{root}>\n"


def _path_place(path: str) -> str:
    if " " in path:
        start, end = path.split(" ")
        return f'<passage start="{escape(start)}" end="{escape(end)}"/>'
    return f"<path>{escape(path)}</path>"


def _span_place(start: int, end: int) -> str:
    offset, length = (start, end - start) if start >= 0 else (NOWHERE, 0)
    return f'<fol offset="{offset}" length="{length}"/>'


def _result_type(run: Run) -> str:
    """What most submissions consist of: one kind of result; mixed ones are named by the finest."""
    if bool((run.element < 0).any()):
        return "fol"
    return "passage" if any(" " in path for path in run.paths) else "element"
