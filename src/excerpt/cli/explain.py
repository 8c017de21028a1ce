"""excerpt explain: where a run fails, and why."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from excerpt.cli import Parser, show_warnings
from excerpt.cli.actions import ExpandOne
from excerpt.cli.cut_corpus import chosen_corpus
from excerpt.cli.options import add_corpus, add_policies, add_reading, count, limit, reading
from excerpt.cli.output import add_format, chosen_format, chosen_look
from excerpt.cli.terminal import add_terminal, chosen_colours, chosen_width
from excerpt.cli.topic_choice import add_topics
from excerpt.errors import ExcerptError

_FORMATS = {"table": ".txt", "json": ".json", "csv": ".csv", "tsv": ".tsv", "markdown": ".md"}


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser("explain", example="excerpt explain gold.json run.jsonl -m recall@5 --corpus docs | less")
    result.add_argument(
        "qrels", metavar="GOLD", help="judgments: a file, or a folder with one file per topic"
    )
    result.add_argument(
        "run", metavar="RUN", action=ExpandOne, help="run file, or the folder that it is alone in"
    )
    result.add_argument(
        "-m",
        "--measure",
        action=_One,
        metavar="MEASURE",
        help="by which questions are ordered; its cut-off says how far results are read (default: recall@5)",
    )
    result.add_argument(
        "--chunks",
        metavar="PLACED",
        help="the chunks that the run was made from, as excerpt place writes them: which passages they cut "
        "or lack",
    )
    result.add_argument(
        "--against",
        metavar="RUN",
        action=ExpandOne,
        help="another run: the questions that lose most against it come first",
    )
    result.add_argument(
        "--worst",
        type=limit,
        default=20,
        metavar="N",
        help="how many questions to show, worst first, or all (default: 20)",
    )
    group = result.add_argument_group("what is shown")
    add_corpus(group, "the documents")
    add_topics(group, "questions, where the judgments have none")
    group.add_argument(
        "--top", type=count, default=5, metavar="N", help="results shown of each question (default: 5)"
    )
    group.add_argument(
        "--passages",
        type=limit,
        default=5,
        metavar="N",
        help="missed passages shown of each question, or all; json and csv have all (default: 5)",
    )
    group.add_argument(
        "--around", type=count, default=80, metavar="N", help="characters around a passage (default: 80)"
    )
    add_terminal(group)
    add_format(result, "the reasons", known=_FORMATS, color=False)
    add_reading(result)
    add_policies(result)
    return result


class _One(argparse.Action):
    """The one measure; a second one would not count."""

    def __call__(self, *given: Any, **_: Any) -> None:
        """Keep the measure."""
        _parser, namespace, value, _option = given
        if (first := getattr(namespace, self.dest)) is not None:
            raise ExcerptError(
                f"found the measures {first} and {value}, expected one, by which questions are ordered",
                hint="explain each by itself",
            )
        setattr(namespace, self.dest, value)


def main(given: Sequence[str]) -> None:
    """Read, explain, print."""
    arguments = parser().parse(given)
    format_ = chosen_format(arguments, _FORMATS)
    read = [arguments.qrels, arguments.run, arguments.against, arguments.topics, arguments.chunks]
    if read.count("-") > 1:
        raise ExcerptError("standard input can be read once", hint="give all but one as files")
    from excerpt.files import write_bytes
    from excerpt.notices import Notices
    from excerpt.view.explaining import DEFAULT, explain

    found = explain(
        arguments.qrels,
        arguments.run,
        arguments.measure or DEFAULT,
        corpus=chosen_corpus(arguments),
        chunks=arguments.chunks,
        against=arguments.against,
        worst=arguments.worst,
        top=arguments.top,
        around=arguments.around,
        passages=arguments.passages,
        topics=arguments.topics,
        notices=Notices(),
        **reading(arguments),
    )
    if format_ == "table":
        from excerpt.render.explanations import text_of

        text = text_of(found, chosen_width(arguments), colours=chosen_colours(arguments))
    else:
        from excerpt.render.tables import show

        text = show(found, format_, chosen_look(arguments))
    write_bytes(arguments.output, text.encode(errors="backslashreplace"))
    sys.stdout.flush()
    show_warnings(found.warnings)
