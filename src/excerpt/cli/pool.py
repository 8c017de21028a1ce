"""excerpt pool: build a judgment pool from runs, and describe a pool."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from excerpt import options
from excerpt.cli.console import Progress, show_warnings
from excerpt.cli.output import check_latex, chosen_format, format_options, write_result
from excerpt.cli.parser import Parser, chosen
from excerpt.errors import ExcerptError, json_text, one_line, plural
from excerpt.options import Option, choice

if TYPE_CHECKING:
    from excerpt.pooling import Pool
    from excerpt.pooling.statistics import PoolInfo


_RULE = "selection per topic"
_RUNS = "selection of runs"
_RULES = (
    Option(
        "depth",
        "pool the first N results of every run (default: 100)",
        kind=options.COUNT,
        metavar="N",
        group=_RULE,
    ),
    Option(
        "documents",
        "pool complete ranks of all runs (round robin) until there are N documents, instead of --depth",
        kind=options.COUNT,
        metavar="N",
        group=_RULE,
    ),
    Option(
        "take",
        "pool the N best by reciprocal rank fusion, instead of --depth",
        kind=options.COUNT,
        metavar="N",
        group=_RULE,
    ),
    Option(
        "floor",
        "with --take: start with the first N results of every run (default: 0)",
        kind=options.COUNT_FROM_ZERO,
        default=0,
        metavar="N",
        group=_RULE,
    ),
    Option(
        "sample",
        "also pool this proportion of the other results at random, such as 0.05 (default: 0)",
        default="0",
        metavar="X",
        group=_RULE,
    ),
    Option(
        "unit",
        "unit of the pool: documents (default), or passages with their offsets",
        kind=choice("document", "passage"),
        default="document",
        group=_RULE,
    ),
    Option(
        "order",
        "order of judging: pool (default), or an order that a campaign adapts to the judgments, without "
        "sampling probabilities (move-to-front, max-mean)",
        kind=choice("pool", "move-to-front", "max-mean"),
        default="pool",
        group=_RULE,
    ),
    options.SEED.but(group=_RULE),
)


def parser() -> Parser:
    """Return the parser of the command."""
    return Parser(
        "pool",
        options.RUNS.but(help=f"{options.RUNS.help}; with --info also a pool file"),
        *_RULES,
        Option(
            "only-runs",
            "use only these runs, such as p-bm25,sent-bm25 (default: all)",
            kind=options.NAMES,
            metavar="RUN,RUN",
            group=_RUNS,
        ),
        Option(
            "task",
            "use only runs of these tasks, such as Focused (default: all)",
            kind=options.NAMES,
            metavar="TASK,TASK",
            group=_RUNS,
        ),
        Option(
            "tasks",
            "file with a run and its task on each line (default: tasks of XML submissions)",
            metavar="FILE",
            role="reads",
            group=_RUNS,
        ),
        *options.CHOICE,
        options.TOPICS.but(help="titles of the topics, for --info (see excerpt topics)"),
        options.INDEX,
        options.MAX_SIZE,
        options.RUN_FORMAT,
        Option(
            "info",
            "print pool size by topic (of passages also their documents), overlap of runs, unique documents "
            "and the judged proportion of each run at --depth, for the given pool file or the pool just "
            "built",
            kind=options.FLAG,
            default=False,
        ),
        *format_options("the output of --info", output=False),
        options.OUTPUT.but(
            help="file for the pool; with a pool file, for the output of --info (default: standard output)"
        ),
        example="excerpt pool runs/*.fol --depth 100 --sample 0.05 -o pool.tsv",
    )


def main(given: Sequence[str]) -> None:
    """Build a pool, or describe one."""
    made = parser()
    arguments = made.parse(given)  # before anything heavy is loaded, for a fast --help
    if "topics" in made.given and not arguments.info:
        raise ExcerptError("--topics needs --info: pool files contain no titles")
    file: Any = None
    runs: list[Any] = []
    if arguments.info:
        from excerpt.pooling.pool_file import find_pool

        file, runs = find_pool(arguments.runs)
    if file is None:
        arguments.runs = runs or arguments.runs  # standard input has been read already
        _make(arguments)
    else:
        _describe(file, runs, arguments)


def _make(arguments: argparse.Namespace) -> None:
    """Build a pool from runs, write it, and describe it with --info."""
    from excerpt.evaluation.reading import Reading
    from excerpt.notices import Notices
    from excerpt.pooling.returned import RunFilter
    from excerpt.pooling.selection import Rule, make
    from excerpt.pooling.statistics import describe

    of_summary = {None, "table", "json"} if arguments.output != "-" else {None}
    if not arguments.info and arguments.format not in of_summary:
        raise ExcerptError(f"--format {arguments.format} needs --info: a pool is always written as TSV")
    check_latex(arguments, arguments.format or "table")
    rule = Rule.of(**_rule(arguments))
    reading = Reading.of(
        index=arguments.index, run_format=arguments.run_format, **chosen(arguments, options.CHOICE)
    )
    run_filter = RunFilter.of(arguments.only_runs, arguments.task, arguments.tasks)
    with Progress("pooling") as progress:
        pool, returned = make(arguments.runs, rule, reading, run_filter, notices=Notices(), progress=progress)
    to_file = arguments.output != "-"
    if to_file or not arguments.info:
        pool.write(arguments.output)
    if not arguments.info:
        _print_summary(pool, arguments.output if to_file else "", arguments.format or "table")
        return
    arguments.output = "-"
    info = _titled(describe(pool, returned, arguments.depth), arguments)
    write_result(info, arguments, arguments.format or "table")


def _rule(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the rule of the pool; with --documents or --take, --depth belongs to --info."""
    rule = {option.dest: getattr(arguments, option.dest) for option in _RULES}
    if arguments.info and (rule["documents"] or rule["take"]):
        rule["depth"] = None
    return rule


def _print_summary(pool: Pool, file: str, format_: str) -> None:
    """Print a summary if the pool was written to a file; then the warnings."""
    counts = {f"{pool.unit}s": len(pool), "topics": len(pool.topics), "runs": len(pool.inputs)}
    if file and format_ == "json":
        print(json_text({"path": file, **counts}))
    elif file:
        summary = f"{plural(len(pool), pool.unit)} on {plural(len(pool.topics), 'topic')}"
        print(one_line(f"{file}: {summary} from {plural(len(pool.inputs), 'run')}"))
    sys.stdout.flush()
    show_warnings(pool.warnings)


def _describe(file: Any, runs: list[Any], arguments: argparse.Namespace) -> None:
    """Describe a pool file, with runs or without."""
    from excerpt.notices import Notices
    from excerpt.pooling import read_pool
    from excerpt.pooling.selection import inspect

    format_ = chosen_format(arguments)
    for option in sorted((*_RULES[1:], *options.CHOICE)):
        if getattr(arguments, option.dest) != option.default:
            raise ExcerptError(f"--{option.name} and a pool file cannot be combined")
    with Progress("reading") as progress:
        info = inspect(
            read_pool(file),
            runs or None,
            depth=arguments.depth,
            index=arguments.index,
            run_format=arguments.run_format,
            notices=Notices(),
            progress=progress,
        )
    write_result(_titled(info, arguments), arguments, format_)


def _titled(info: PoolInfo, arguments: argparse.Namespace) -> PoolInfo:
    """Return the description of a pool with the titles of its topics from --topics."""
    if arguments.topics is None:
        return info
    from dataclasses import replace

    from excerpt.formats.topics import read_topics
    from excerpt.notices import Notices

    notices = Notices()
    topics = read_topics(arguments.topics, notices=notices)
    topics.check(info.topics, notices)
    titles = {name: topics[name].title or topics[name].text for name in info.topics if name in topics}
    return replace(info, titles=titles, warnings=(*info.warnings, *notices))
