"""From one format to another: between run formats and between judgment formats."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from excerpt.errors import UnknownName
from excerpt.files import Input, is_folder
from excerpt.formats.ids import Ids, Segments
from excerpt.formats.reading import judgments_from, read_judgments, run_from
from excerpt.formats.registry import Kind, is_named, judgments_formats, kind_of, run_format_of, run_formats
from excerpt.formats.source import AnyCorpus, Index, Source
from excerpt.formats.write import score_documents, write_judgments, write_run
from excerpt.model.run import Order
from excerpt.model.topic_choice import TopicChoice, TopicIds
from excerpt.notices import Gathering, Notices

if TYPE_CHECKING:
    from excerpt.gold.file import Context

#: What the formats that know places in the text write where a result has none.
_NOWHERE = {"fol": "offset X", "bep": "offset X", "inex": "offset X", "jsonl": "start -1"}


def convert(
    source: Input,
    target: str | os.PathLike[str],
    format: str,  # noqa: A002 - the users' word
    *,
    source_format: str | None = None,
    kind: Kind | None = None,
    order: Order | None = None,
    index: Index | None = None,
    corpus: AnyCorpus | None = None,
    context: Context | None = None,
    id_pattern: str | re.Pattern[str] | None = None,
    segments: Segments | None = None,
    only: TopicIds = None,
    exclude: TopicIds = None,
    notices: Notices | None = None,
) -> None:
    """Read a run or judgments (a path, bytes or an open file; judgments may be a folder), write a file.

    `kind` (run or judgments) and `source_format` are needed only if the content does not show them; `corpus`
    and `context` are for questions with evidence (see `read_gold`), `id_pattern` and `segments` for ids of
    passages (see `read_run`); `only` and `exclude` choose topics.
    """
    known = {*run_formats(), *judgments_formats()}
    for name in filter(None, (format, source_format)):
        if name not in known and (name is format or not is_named(name)):
            raise UnknownName("format", name, known)
    choice = TopicChoice.of(only, exclude)
    how: dict[str, Any] = {"index": index, "corpus": corpus, "context": context}
    ids = Ids.of(id_pattern, segments)
    with Gathering(notices) as gathered:
        if is_folder(source):
            judgments = read_judgments(source, format=source_format, segments=ids, notices=gathered, **how)
            write_judgments(choice.of_judgments(judgments), target, format, index=index)
            return
        opened = Source.open(source, notices=gathered, kind=kind, **how)
        if kind_of(opened, kind=kind, name=source_format) == "judgments":
            judgments = choice.of_judgments(judgments_from(opened, source_format, ids))
            write_judgments(judgments, target, format, index=opened.index)
            return
        run = run_from(opened, source_format, order, ids)
        choice.mask(run.topics, known=True)
        run = choice.of_run(run)
        if (order or run_format_of(opened, source_format).order) == "score":
            run = run.ranked_anew()
        if format in _NOWHERE and run.kind != "elements":
            opened.notices.add(
                f"result {'is not in the index' if index else 'has no place in the text'}, "
                f"written with {_NOWHERE[format]}",
                int((~run.known).sum()),
                where=opened.name,
            )
        if format in run_formats() and run_formats()[format].order == "score":
            opened.notices.add(
                "topic's scores do not give its order and were replaced by descending numbers",
                score_documents(run).replaced,
                where=opened.name,
            )
        write_run(run, target, format, notices=gathered)
