"""excerpt pool: build a judgment pool from runs, and describe a pool."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from excerpt import options
from excerpt.cli.console import ProgressBar, note, own_notices, show_warnings
from excerpt.cli.output import check_latex, chosen_format, format_options, write_result
from excerpt.cli.parser import Arguments, chosen, command
from excerpt.errors import ExcerptError, json_text, one_line, plural
from excerpt.options import Option, choice

if TYPE_CHECKING:
    from excerpt.pooling.returned import Gathered
    from excerpt.pooling.selection import JudgedPairs
    from excerpt.pooling.statistics import PoolInfo

_RULE = "selection per topic"
_RUNS = "selection of runs"
_rule, _of_runs = partial(Option, group=_RULE), partial(Option, group=_RUNS)
_RULES = (
    options.count("depth", "pool the first N results of every run (default: 100)", group=_RULE),
    options.count(
        "documents",
        "pool complete ranks of all runs (round robin) until there are N documents, instead of --depth",
        group=_RULE,
    ),
    options.count("take", "pool the N best by reciprocal rank fusion, instead of --depth", group=_RULE),
    _rule(
        "floor",
        "with --take: start with the first N results of every run (default: 0)",
        kind=options.COUNT_FROM_ZERO,
        default=0,
        metavar="N",
    ),
    _rule(
        "sample",
        "also pool this proportion of the other results at random, such as 0.05 (default: 0)",
        default="0",
        metavar="X",
    ),
    _rule(
        "unit",
        "unit of the pool: documents (default), or passages with their offsets",
        kind=choice("document", "passage"),
        default="document",
    ),
    _rule(
        "order",
        "order of judging: pool (default), or an order that a campaign adapts to the judgments, without "
        "sampling probabilities (move-to-front, max-mean)",
        kind=choice("pool", "move-to-front", "max-mean"),
        default="pool",
    ),
    options.SEED.but(group=_RULE),
)


@command(
    "pool",
    options.RUNS.but(help=f"{options.RUNS.help}; with --info also a pool file"),
    *_RULES,
    _of_runs(
        "only-runs",
        "use only these runs, such as p-bm25,sent-bm25 (default: all)",
        kind=options.NAMES,
        metavar="RUN,RUN",
    ),
    _of_runs(
        "task",
        "use only runs of these tasks, such as Focused (default: all)",
        kind=options.NAMES,
        metavar="TASK,TASK",
    ),
    options.input_file(
        "tasks",
        "file with a run and its task on each line (default: tasks of XML submissions)",
        group=_RUNS,
    ),
    *options.CHOICE,
    options.input_file("judged", "judgments: documents that they contain are left out of the pool"),
    options.TOPICS.but(help="titles of the topics, for --info (see excerpt topics)"),
    options.INDEX,
    options.MAX_SIZE,
    options.RUN_FORMAT,
    options.IDS_MATCH.but(
        help="exact: keep ids as they are (default: two runs that name a document by two ids, such as "
        "D01 and D01.txt, are an error)",
        kind=choice("exact"),
    ),
    options.flag(
        "info",
        "print pool size by topic (of passages also their documents), overlap of runs, unique documents "
        "and the judged proportion of each run at --depth, for the given pool file or the pool just "
        "built",
    ),
    *format_options("the output of --info", output=False),
    options.LABELS.but(help="with --info: " + options.LABELS.help),
    options.OUTPUT.but(
        help="file for the pool; with a pool file, for the output of --info (default: standard output)"
    ),
    options.NO_FINGERPRINT,
    example="excerpt pool runs/*.gz --depth 100 --sample 0.05 -o pool.tsv",
)
def main(arguments: Arguments) -> None:
    """Build a pool, or describe one."""
    if "topics" in arguments.parser.given and not arguments.info:
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


def _make(arguments: Arguments) -> None:
    from excerpt.evaluation.reading import Reading
    from excerpt.pooling.returned import RunFilter, gather
    from excerpt.pooling.selection import JudgedPairs, SelectionRule
    from excerpt.pooling.statistics import describe

    notices = own_notices()
    of_summary = {None, "table", "json"} if arguments.output != "-" else {None}
    if not arguments.info and arguments.format not in of_summary:
        raise ExcerptError(f"--format {arguments.format} needs --info: a pool is always written as TSV")
    check_latex(arguments, arguments.format or "table")
    given = {option.dest: getattr(arguments, option.dest) for option in _RULES}
    if arguments.info and (given["documents"] or given["take"]):
        given["depth"] = None  # it belongs to --info
    rule = SelectionRule.of(**given)
    reading = Reading.of(
        index=arguments.index,
        run_format=arguments.run_format,
        ids=arguments.ids,
        **chosen(arguments, options.CHOICE),
    )
    run_filter = RunFilter.of(arguments.only_runs, arguments.task, arguments.tasks)
    judged = None if arguments.judged is None else JudgedPairs(arguments.judged, notices)
    with ProgressBar("pooling") as progress:
        gathered = gather(
            arguments.runs, reading, run_filter, rule.unit, rule.top, notices=notices, progress=progress
        )
    file = "" if arguments.output == "-" else arguments.output
    if not arguments.info:
        items = rule.write(gathered, notices, arguments.output, judged)
        _write_versions(gathered, arguments)
        counts = {rule.unit: items, "topic": len(gathered.topics), "run": len(gathered.inputs)}
        _print_summary(file, counts, arguments.format or "table")
        _note_judged(judged, rule.unit)
        show_warnings(notices)
        return
    pool, returned = rule.make(gathered, notices, judged)
    _note_judged(judged, rule.unit)
    if file:
        pool.write(file)
        _write_versions(gathered, arguments)
    arguments.output = "-"
    info = _titled(describe(pool, returned, arguments.depth), arguments)
    write_result(info, arguments, arguments.format or "table")


def _write_versions(gathered: Gathered, arguments: Arguments) -> None:
    """Write the fingerprints of the documents beside the file of a pool."""
    if arguments.output != "-":
        from excerpt.formats.writer import write_beside

        known = {} if arguments.no_fingerprint else gathered.fingerprints
        write_beside(arguments.output, known, gathered.documents)


def _note_judged(judged: JudgedPairs | None, unit: str) -> None:
    if judged is not None:
        verb = "was" if judged.count == 1 else "were"
        note(f"{plural(judged.count, f'judged {unit}')} {verb} left out")


def _print_summary(file: str, counts: Mapping[str, int], format_: str) -> None:
    """Print a summary if the pool was written to a file: numbers of items, topics and runs."""
    if file and format_ == "json":
        print(json_text({"path": file, **{f"{noun}s": count for noun, count in counts.items()}}))
    elif file:
        items, topics, runs = (plural(count, noun) for noun, count in counts.items())
        print(one_line(f"{file}: {items} on {topics} from {runs}"))
    sys.stdout.flush()


def _describe(file: Any, runs: list[Any], arguments: Arguments) -> None:
    from excerpt.pooling import read_pool
    from excerpt.pooling.selection import inspect

    format_ = chosen_format(arguments)
    for option in sorted((*_RULES[1:], *options.CHOICE)):
        if getattr(arguments, option.dest) != option.default:
            raise ExcerptError(f"--{option.name} and a pool file cannot be combined")
    with ProgressBar("reading") as progress:
        how = {name: getattr(arguments, name) for name in ("depth", "index", "run_format")}
        info = inspect(read_pool(file), runs or None, notices=own_notices(), progress=progress, **how)
    write_result(_titled(info, arguments), arguments, format_)


def _titled(info: PoolInfo, arguments: Arguments) -> PoolInfo:
    """Return the description of a pool with the titles of its topics from --topics."""
    if arguments.topics is None:
        return info
    from dataclasses import replace

    from excerpt.queries import read_topics

    notices = own_notices()
    topics = read_topics(arguments.topics, notices=notices)
    topics.check(info.topics, notices)
    titles = {name: topics[name].title or topics[name].text for name in info.topics if name in topics}
    return replace(info, titles=titles, warnings=(*info.warnings, *notices))
