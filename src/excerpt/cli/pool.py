"""excerpt pool: choose what is to be judged, and tell what a pool holds."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from excerpt.cli import Parser, show_warnings
from excerpt.cli.actions import ExpandFiles
from excerpt.cli.latex import check_latex
from excerpt.cli.options import add_index, add_limits, count, count_from_zero, names
from excerpt.cli.output import add_format, chosen_format, write_result
from excerpt.cli.streams import Progress
from excerpt.cli.topic_choice import add_choice, add_topics, chosen_topics
from excerpt.errors import ExcerptError, json_text, one_line, plural

if TYPE_CHECKING:
    from excerpt.pooling import Pool
    from excerpt.pooling.describing import PoolInfo


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser(
        "pool", example="excerpt pool runs/*.fol --depth 100 --sample 0.05 -o pool.tsv", own=("order",)
    )
    result.add_argument(
        "runs",
        metavar="RUN",
        nargs="*",
        action=ExpandFiles,
        help="run files, folders of them, or @LIST of their names; with --info also one pool file",
    )
    result.need("runs", "RUN")
    _add_rule(result)
    _add_runs(result)
    add_choice(result)
    add_topics(result, "titles of the topics, for --info")
    add_index(result)
    add_limits(result)
    result.add_argument(
        "--run-format", metavar="FORMAT", help="format of the runs (default: recognised; see excerpt formats)"
    )
    result.add_argument(
        "--info",
        action="store_true",
        help="print pool size by topic, overlap of runs, unique contributions and the judged share of each "
        "run at --depth: of the pool file that is given, else of the pool made",
    )
    add_format(result, "--info", output=False)
    result.add_argument(
        "-o",
        "--output",
        default="-",
        metavar="FILE",
        help="write the pool to FILE instead of standard output; of a pool file what --info says",
    )
    return result


def _add_rule(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what enters the pool, per topic")
    group.add_argument(
        "--depth", type=count, metavar="N", help="the first N results of every run (default: 100)"
    )
    group.add_argument(
        "--documents",
        type=count,
        metavar="N",
        help="whole rounds through the runs until there are N documents",
    )
    group.add_argument("--take", type=count, metavar="N", help="N by reciprocal rank fusion of the runs")
    group.add_argument(
        "--floor",
        type=count_from_zero,
        default=0,
        metavar="N",
        help="with --take: first of all the first N results of every run",
    )
    group.add_argument(
        "--sample", default="0", metavar="X", help="a share of all else that was returned, at random"
    )
    group.add_argument(
        "--unit",
        default="document",
        choices=("document", "passage"),
        help="what is pooled: documents (the default), or passages, each by its offsets",
    )
    group.add_argument(
        "--order",
        default="pool",
        choices=("pool", "move-to-front", "max-mean"),
        help="order of judging: that of the pool (the default), or one that a campaign goes on with by what "
        "was judged; then nothing has a probability",
    )
    group.add_argument(
        "--seed", type=count_from_zero, default=1, metavar="N", help="seed of the random numbers (default: 1)"
    )


def _add_runs(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("which runs count")
    group.add_argument("--only-runs", type=names, metavar="RUN,RUN", help="these runs, by name")
    group.add_argument("--task", type=names, metavar="TASK,TASK", help="the runs of these tasks")
    group.add_argument(
        "--tasks",
        metavar="FILE",
        help="file with a run and its task on each line (default: what XML submissions say)",
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
    from excerpt.pooling.describing import describe
    from excerpt.pooling.groups import Wanted
    from excerpt.pooling.making import Rule, make

    telling = {None, "table", "json"} if arguments.output != "-" else {None}
    if not arguments.info and arguments.format not in telling:
        raise ExcerptError(
            f"found --format {arguments.format}, expected --info with it: a pool is always written as TSV"
        )
    check_latex(arguments, arguments.format or "table")
    rule = Rule.of(**_rule(arguments))
    reading = Reading.of(index=arguments.index, run_format=arguments.run_format, **chosen_topics(arguments))
    wanted = Wanted.of(arguments.only_runs, arguments.task, arguments.tasks)
    with Progress("pooling") as progress:
        pool, returned = make(arguments.runs, rule, reading, wanted, notices=Notices(), progress=progress)
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
    asked = ("depth", "documents", "take", "floor", "sample", "unit", "order", "seed")
    found = {name: getattr(arguments, name) for name in asked}
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
    from excerpt.pooling.making import inspect

    format_ = chosen_format(arguments)
    unfit = {name for name, value in _rule(arguments).items() if value != parser().get_default(name)}
    unfit |= {name for name, value in chosen_topics(arguments).items() if value is not None}
    for name in sorted(unfit - {"depth"}):
        raise ExcerptError(f"found a pool file and --{name}, expected runs to make a pool from")
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
