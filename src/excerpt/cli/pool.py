"""excerpt pool: choose what is to be judged, and tell what a pool holds."""

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


_RULE = "what enters the pool, per topic"
_COUNTED = "which runs count"
_RULES = (
    Option(
        "depth",
        "the first N results of every run (default: 100)",
        kind=options.COUNT,
        metavar="N",
        group=_RULE,
    ),
    Option(
        "documents",
        "whole rounds through the runs until there are N documents",
        kind=options.COUNT,
        metavar="N",
        group=_RULE,
    ),
    Option("take", "N by reciprocal rank fusion of the runs", kind=options.COUNT, metavar="N", group=_RULE),
    Option(
        "floor",
        "with --take: first of all the first N results of every run",
        kind=options.COUNT_FROM_ZERO,
        default=0,
        metavar="N",
        group=_RULE,
    ),
    Option(
        "sample", "a share of all else that was returned, at random", default="0", metavar="X", group=_RULE
    ),
    Option(
        "unit",
        "what is pooled: documents (the default), or passages, each by its offsets",
        kind=choice("document", "passage"),
        default="document",
        group=_RULE,
    ),
    Option(
        "order",
        "order of judging: that of the pool (the default), or one that a campaign goes on with by what was "
        "judged; then nothing has a probability",
        kind=choice("pool", "move-to-front", "max-mean"),
        default="pool",
        group=_RULE,
    ),
    options.SEED.but(group=_RULE),
)


def parser() -> Parser:
    """The arguments of the command."""
    return Parser(
        "pool",
        options.RUNS.but(help=f"{options.RUNS.help}; with --info also one pool file"),
        *_RULES,
        Option("only-runs", "these runs, by name", kind=options.NAMES, metavar="RUN,RUN", group=_COUNTED),
        Option("task", "the runs of these tasks", kind=options.NAMES, metavar="TASK,TASK", group=_COUNTED),
        Option(
            "tasks",
            "file with a run and its task on each line (default: what XML submissions say)",
            metavar="FILE",
            role="reads",
            group=_COUNTED,
        ),
        *options.CHOICE,
        options.TOPICS.but(help="titles of the topics, for --info (see excerpt topics)"),
        options.INDEX,
        options.MAX_SIZE,
        options.RUN_FORMAT,
        Option(
            "info",
            "print pool size by topic, overlap of runs, unique contributions and the judged share of "
            "each run at --depth: of the pool file that is given, else of the pool made",
            kind=options.FLAG,
            default=False,
        ),
        *format_options("--info", output=False),
        options.OUTPUT.but(
            help="write the pool to FILE instead of standard output; of a pool file what --info says"
        ),
        example="excerpt pool runs/*.fol --depth 100 --sample 0.05 -o pool.tsv",
    )


def main(given: Sequence[str]) -> None:
    """Make a pool, or tell about one."""
    made = parser()
    arguments = made.parse(given)  # before anything heavy is loaded: it may be help that is asked for
    if "topics" in made.given and not arguments.info:
        raise ExcerptError("found --topics without --info, expected both: a pool itself has no titles")
    file: Any = None
    runs: list[Any] = []
    if arguments.info:
        from excerpt.pooling.pool_file import find_pool

        file, runs = find_pool(arguments.runs)
    if file is None:
        arguments.runs = runs or arguments.runs  # what can be read once was read
        _make(arguments)
    else:
        _tell(file, runs, arguments)


def _make(arguments: argparse.Namespace) -> None:
    """Make a pool from runs; write it, or tell about it, or both."""
    from excerpt.evaluation.reading import Reading
    from excerpt.notices import Notices
    from excerpt.pooling.returned import RunFilter
    from excerpt.pooling.selection import Rule, make
    from excerpt.pooling.statistics import describe

    telling = {None, "table", "json"} if arguments.output != "-" else {None}
    if not arguments.info and arguments.format not in telling:
        raise ExcerptError(
            f"found --format {arguments.format}, expected --info with it: a pool is always written as TSV"
        )
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
        _say(pool, arguments.output if to_file else "", arguments.format or "table")
        return
    arguments.output = "-"
    info = _titled(describe(pool, returned, arguments.depth), arguments)
    write_result(info, arguments, arguments.format or "table")


def _rule(arguments: argparse.Namespace) -> dict[str, Any]:
    """What the options say of the rule; beside another rule the depth is that of what --info tells."""
    found = {option.dest: getattr(arguments, option.dest) for option in _RULES}
    if arguments.info and (found["documents"] or found["take"]):
        found["depth"] = None
    return found


def _say(pool: Pool, file: str, format_: str) -> None:
    """What was written, where it does not stand on standard output itself; then the warnings."""
    counts = {f"{pool.unit}s": len(pool), "topics": len(pool.topics), "runs": len(pool.inputs)}
    if file and format_ == "json":
        print(json_text({"path": file, **counts}))
    elif file:
        found = f"{plural(len(pool), pool.unit)} on {plural(len(pool.topics), 'topic')}"
        print(one_line(f"{file}: {found} from {plural(len(pool.inputs), 'run')}"))
    sys.stdout.flush()
    show_warnings(pool.warnings)


def _tell(file: Any, runs: list[Any], arguments: argparse.Namespace) -> None:
    """Tell about a pool file, with runs or without."""
    from excerpt.notices import Notices
    from excerpt.pooling import read_pool
    from excerpt.pooling.selection import inspect

    format_ = chosen_format(arguments)
    for option in sorted((*_RULES[1:], *options.CHOICE)):
        if getattr(arguments, option.dest) != option.default:
            raise ExcerptError(f"found a pool file and --{option.name}, expected runs to make a pool from")
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
    """What is told of a pool, with the titles of its topics where a file has them."""
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
