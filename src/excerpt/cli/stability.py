"""excerpt stability: the experiments of Pal et al. on pools, topics and error rates, and further ones."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, cast

from excerpt.cli import Parser
from excerpt.cli.experiment import add_outcome, check_figure, present, record
from excerpt.cli.options import (
    add_files,
    add_measures,
    add_policies,
    count,
    evaluate_runs,
    scoring,
)
from excerpt.cli.progress import Progress
from excerpt.errors import ExcerptError
from excerpt.files import require_files

if TYPE_CHECKING:
    from excerpt.experiments import Outcome, Record
    from excerpt.experiments.study import Study

_EXPERIMENTS = {
    "pool": "tau between rankings on samples of the relevant passages and the full ranking (Figure 1)",
    "topics": "the same on samples of the topics (Figure 2)",
    "errors": "how often samples of topics disagree about two systems (Figure 3)",
    "depth": "rankings with pools of the top n results of every run",
    "unpooled": "score and rank of each run when it (or its group) did not enter the pool",
    "all": "pool, topics and errors from one reading of the runs; names of files get -pool, -topics, -errors",
}
#: The experiments of `all`, and the options with the names of their files.
_ALL = ("pool", "topics", "errors")
_WRITTEN = ("-o", "--output", "--record", "--figure")


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser(
        "stability",
        example="excerpt stability pool qrels.fol runs/*.fol -m MAiP -m iP@0.01 --figure stability.svg",
    )
    listed = "; ".join(f"{name}: {text}" for name, text in _EXPERIMENTS.items())
    result.add_argument("experiment", choices=tuple(_EXPERIMENTS), metavar="EXPERIMENT", help=listed)
    add_files(result)
    add_measures(result, "may be repeated")
    group = result.add_argument_group("samples")
    group.add_argument(
        "--levels",
        type=_numbers,
        default=(80, 60, 40, 20),
        metavar="LIST",
        help="per cent (default: 80,60,40,20)",
    )
    group.add_argument("--samples", type=count, default=10, metavar="N", help="per level (default: 10)")
    group.add_argument(
        "--least",
        type=count,
        default=10,
        metavar="N",
        help="pool: leave out topics with fewer passages (default: 10)",
    )
    group.add_argument(
        "--fuzziness",
        type=float,
        default=0.05,
        metavar="X",
        help="errors: scores this close tie (default: 0.05)",
    )
    group.add_argument(
        "--absolute", action="store_true", help="errors: fuzziness is a difference, not a share of the score"
    )
    group.add_argument(
        "--disjoint", action="store_true", help="errors: samples share no topics (upper bound)"
    )
    group.add_argument(
        "--depths",
        type=_numbers,
        default=(1, 5, 10, 20, 50, 100),
        metavar="LIST",
        help="depth: pool depths (default: 1,5,10,20,50,100)",
    )
    group.add_argument(
        "--unit",
        default="document",
        choices=("document", "passage"),
        help="what enters a pool (default: document)",
    )
    group.add_argument(
        "--groups", metavar="FILE", help="unpooled: lines of run name and group, left out together"
    )
    group.add_argument(
        "--depth", type=count, default=100, metavar="N", help="unpooled: depth of the pool (default: 100)"
    )
    add_outcome(result)
    add_policies(result)
    return result


def _numbers(text: str) -> tuple[int, ...]:
    try:
        found = tuple(int(part) for part in text.split(",") if part.strip())
    except ValueError:
        found = ()
    if not found or min(found) < 1:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected whole numbers with commas between them")
    return found


def main(given: Sequence[str]) -> None:
    """Run an experiment and print its rows."""
    arguments = parser().parse(given)
    if arguments.experiment in {*_ALL, "all"} and max(arguments.levels) > 100:
        raise ExcerptError(f"found level {max(arguments.levels)}, expected per cent, up to 100")
    check_figure(arguments.figure)
    arguments.levels = tuple(dict.fromkeys(arguments.levels))
    if arguments.experiment == "all":
        _check_names(arguments, given)
    kept = record(arguments, "stability", given)
    if arguments.experiment == "all":
        _study_of_the_paper(arguments, kept)
        return
    over_topics = arguments.experiment in {"topics", "errors"}
    outcome = _over_topics(arguments, kept) if over_topics else _over_pools(arguments, kept)
    present(outcome, arguments, _figure(arguments.experiment, outcome))


def _figure(experiment: str, outcome: Outcome) -> Callable[[Any], None]:
    """What draws the rows of an experiment."""
    from excerpt.render.figures.stability import changes, lines

    if experiment == "unpooled":
        return changes(outcome)
    axes = {"errors": ("level", "error_rate"), "depth": ("depth", "tau_b")}
    return lines(outcome, *axes.get(experiment, ("level", "mean")))


def _check_names(arguments: argparse.Namespace, given: Sequence[str]) -> None:
    """Three experiments cannot go to standard output, nor can a folder have their names."""
    if given[0] != "all":
        raise ExcerptError(f"found {given[0]}, expected all as the first argument of excerpt stability")
    if "-" in {arguments.output, arguments.record}:
        raise ExcerptError(
            "found standard output for three experiments, expected -o FILE",
            hint="try -o study.txt, which writes study-pool.txt, study-topics.txt and study-errors.txt",
        )
    for name in filter(None, (arguments.output, arguments.record, arguments.figure)):
        place = Path(name)
        if name.endswith("/") or (place.exists() and not place.is_file()):
            raise ExcerptError("found a folder or a device, expected the name of a file", path=name)
        if not place.parent.is_dir():
            raise ExcerptError("cannot be written: no such file or directory", path=name)


def _study_of_the_paper(arguments: argparse.Namespace, kept: Record) -> None:
    """What `_ALL` write one after the other, from one reading of the runs."""
    from excerpt.experiments import stability

    commands = {experiment: _command(experiment, kept.arguments) for experiment in _ALL}
    study = _study(arguments)
    with cast("Progress", study.progress):
        outcomes = stability.whole(
            study,
            levels=arguments.levels,
            samples=arguments.samples,
            least=arguments.least,
            fuzziness=arguments.fuzziness,
            absolute=arguments.absolute,
            disjoint=arguments.disjoint,
            seed=arguments.seed,
            records={name: replace(kept, arguments=command) for name, command in commands.items()},
        )
    for experiment, outcome in outcomes.items():
        present(outcome, parser().parse(commands[experiment][1:]), _figure(experiment, outcome))


def _command(experiment: str, arguments: Sequence[str]) -> tuple[str, ...]:
    """The command of one experiment: what was asked of all, with a file name of its own.

    >>> _command("pool", ["stability", "all", "q", "r", "-o", "a/study.txt", "--figure=study.svg"])
    ('stability', 'pool', 'q', 'r', '-o', 'a/study-pool.txt', '--figure=study-pool.svg')
    """
    end = arguments.index("--") if "--" in arguments else len(arguments)
    found = [arguments[0], experiment]
    for before, text in pairwise(arguments[1:end]):
        option = re.match("-o|--output=|--record=|--figure=", text)
        place = 0 if before in _WRITTEN else option.end() if option else len(text)
        found.append(text[:place] + _named(text[place:], experiment))
    return (*found, *arguments[end:])


def _named(name: str, experiment: str) -> str:
    """The name of a file with the experiment before its endings."""
    if name in {"", "-"}:
        return name
    place = len(name) - len("".join(PurePath(name).suffixes))
    return f"{name[:place]}-{experiment}{name[place:]}"


def _over_topics(arguments: argparse.Namespace, kept: Record) -> Outcome:
    from excerpt.evaluation import DEFAULT_MEASURES
    from excerpt.experiments import stability

    table = evaluate_runs(arguments, arguments.measures or DEFAULT_MEASURES)
    common = {
        "levels": arguments.levels,
        "samples": arguments.samples,
        "seed": arguments.seed,
        "record": kept,
    }
    if arguments.experiment == "topics":
        return stability.topics(table, **common)
    return stability.errors(
        table,
        fuzziness=arguments.fuzziness,
        absolute=arguments.absolute,
        disjoint=arguments.disjoint,
        **common,
    )


def _over_pools(arguments: argparse.Namespace, kept: Record) -> Outcome:
    study = _study(arguments)
    with cast("Progress", study.progress):
        return _pooled(arguments, study, kept)


def _pooled(arguments: argparse.Namespace, study: Study, kept: Record) -> Outcome:
    from excerpt.experiments import stability

    if arguments.experiment == "pool":
        return stability.pool(
            study,
            levels=arguments.levels,
            samples=arguments.samples,
            least=arguments.least,
            seed=arguments.seed,
            record=kept,
        )
    require_files(*arguments.runs)  # pools are made of what all runs return, before any is scored
    if arguments.experiment == "depth":
        return stability.depth(study, depths=arguments.depths, unit=arguments.unit, record=kept)
    groups = _groups(arguments.groups)
    return stability.unpooled(study, n=arguments.depth, unit=arguments.unit, groups=groups, record=kept)


def _study(arguments: argparse.Namespace) -> Study:
    from excerpt.evaluation import DEFAULT_MEASURES
    from excerpt.experiments.study import Study
    from excerpt.notices import Notices

    return Study.of(
        arguments.qrels,
        arguments.runs,
        arguments.measures or DEFAULT_MEASURES,
        progress=Progress("scoring"),
        notices=Notices(),
        **scoring(arguments),
    )


def _groups(path: str | None) -> dict[str, str] | None:
    if path is None:
        return None
    from excerpt.files import read_bytes

    rows = [line.split() for line in read_bytes(path).decode("utf-8", "replace").splitlines() if line.strip()]
    for number, row in enumerate(rows, start=1):
        if len(row) != 2:
            raise ExcerptError(f"found {len(row)} columns, expected run and group", path=path, line=number)
    return dict(rows)
