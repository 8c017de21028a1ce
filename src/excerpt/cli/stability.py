"""excerpt stability: a command for each experiment of Pal et al., further ones, and the study as a whole."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import fields
from functools import partial
from pathlib import Path, PurePath
from typing import Any

from excerpt.cli import Parser
from excerpt.cli.experiment import (
    Command,
    add_request,
    check_figure,
    example_of,
    make_request,
    present,
    run,
)
from excerpt.cli.output import chosen_format
from excerpt.errors import ExcerptError, UnknownName
from excerpt.experiments.table import EXPERIMENTS

_PREFIX = "stability "
#: The experiments of `all`.
_ALL = ("pool", "topics", "errors")
_EXPLAINED = {
    **{
        name.removeprefix(_PREFIX): experiment.help
        for name, experiment in EXPERIMENTS.items()
        if name.startswith(_PREFIX)
    },
    "all": "pool, topics and errors from one reading of the runs, in files of their own",
}


def parser() -> Parser:
    """The arguments of the command: an experiment, and what it takes."""
    result = Parser("stability", example=example_of(EXPERIMENTS["stability pool"]))
    result.usage = "excerpt stability EXPERIMENT …"
    lines = [f"  {name:<9} {text}" for name, text in _EXPLAINED.items()]
    hint = "excerpt stability EXPERIMENT --help explains one."
    result.description = "\n".join([f"{result.description}", "", "experiments:", *lines, "", hint])
    result.add_argument("experiment", metavar="EXPERIMENT", help="one of those above")
    return result


def parser_of(experiment: str) -> Parser:
    """The arguments of one experiment."""
    if experiment != "all":
        return Command(_PREFIX + experiment).parser()
    result = Parser(
        "stability all",
        example="excerpt stability all qrels.fol runs/*.fol -m MAiP -m iP@0.01 -o study.txt",
        help_=_EXPLAINED["all"],
    )
    add_request(result, _whole_options(), measures=0, elements=False)
    return result


def _whole_options() -> type:
    """The options of the three experiments together."""
    from excerpt.experiments.options import WholeOptions

    return WholeOptions


def main(given: Sequence[str]) -> None:
    """Run an experiment and print its rows."""
    if not given or given[0] in {"-h", "--help"}:
        parser().parse(given)
    if given[0] not in _EXPLAINED:
        raise UnknownName("experiment", given[0], _EXPLAINED)
    if given[0] != "all":
        Command(_PREFIX + given[0]).main(given[1:])
        return
    _study_of_the_paper(parser_of("all").parse(given[1:]))


def _study_of_the_paper(arguments: argparse.Namespace) -> None:
    """What the three commands write one after the other, from one reading of the runs."""
    from excerpt.experiments.paper import whole_study

    format_ = chosen_format(arguments)
    _check_names(arguments)
    check_figure(arguments.figure)
    options = {item.name: getattr(arguments, item.name) for item in fields(_whole_options())}
    requests = {}
    for name in _ALL:
        own = {item.name for item in fields(EXPERIMENTS[_PREFIX + name].load("options"))}
        requests[name] = make_request(_PREFIX + name, arguments, without=set(options) - own)
    first = requests["pool"]
    work: Any = partial(whole_study, first.qrels, first.runs, first.measures, **options, **first.how())
    inputs = first.record().inputs
    records = {name: request.record(inputs) for name, request in requests.items()}
    for name, outcome in run(work, arguments, records=records).items():
        present(outcome, _named(arguments, name), format_)


def _check_names(arguments: argparse.Namespace) -> None:
    """Three experiments cannot go to standard output, nor can a folder have their names."""
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


def _named(arguments: argparse.Namespace, experiment: str) -> argparse.Namespace:
    """The arguments with names of files that have the experiment before their endings."""
    own = argparse.Namespace(**vars(arguments))
    for option in ("output", "record", "figure"):
        name = getattr(arguments, option)
        if name:
            place = len(name) - len("".join(PurePath(name).suffixes))
            setattr(own, option, f"{name[:place]}-{experiment}{name[place:]}")
    return own
