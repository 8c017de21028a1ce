"""excerpt stability: what its experiments are, and those of the paper together (`stability all`)."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import fields
from functools import partial
from pathlib import Path, PurePath
from typing import Any

from excerpt.cli import Parser
from excerpt.cli.experiment import add_request, example_of, make_request, present, run
from excerpt.cli.figures import check_figure
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
    "all": "pool, topics and errors, reading the runs once; each in a file of its own",
}


def parser() -> Parser:
    """The arguments of the command: an experiment, and what it takes."""
    result = Parser("stability", example=example_of("stability pool"))
    result.usage = "excerpt stability EXPERIMENT …"
    lines = [f"  {name:<9} {text}" for name, text in _EXPLAINED.items()]
    hint = "excerpt stability EXPERIMENT --help explains one."
    result.description = "\n".join([f"{result.description}", "", "experiments:", *lines, "", hint])
    result.add_argument("experiment", metavar="EXPERIMENT", help="one of those above")
    return result


def parser_of_all() -> Parser:
    """The arguments of `stability all`."""
    from excerpt.experiments.options import WholeOptions

    result = Parser(
        "stability all",
        example="excerpt stability all qrels.fol runs/*.fol -m MAiP -m iP@0.01 -o study.txt",
        help_=_EXPLAINED["all"],
    )
    add_request(result, WholeOptions, measures=0, elements=False)
    return result


def main(given: Sequence[str]) -> None:
    """Explain the experiments, or do those of the paper; each alone is a command of its own."""
    if not given or given[0] in {"-h", "--help"}:
        parser().parse(given)
    if given[0] != "all":
        raise UnknownName("experiment", given[0], _EXPLAINED)
    _study_of_the_paper(parser_of_all().parse(given[1:]))


def _study_of_the_paper(arguments: argparse.Namespace) -> None:
    """What the three commands write one after the other, from one reading of the runs."""
    from excerpt.experiments.options import WholeOptions
    from excerpt.experiments.paper import whole_study

    format_ = chosen_format(arguments)
    _check_names(arguments)
    check_figure(arguments)
    options = {item.name: getattr(arguments, item.name) for item in fields(WholeOptions)}
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
    for name in filter(None, (arguments.output, arguments.record, arguments.figure, arguments.data)):
        place = Path(name)
        if name.endswith("/") or (place.exists() and not place.is_file()):
            raise ExcerptError("found a folder or a device, expected the name of a file", path=name)
        if not place.parent.is_dir():
            raise ExcerptError("cannot be written: no such file or directory", path=name)


def _named(arguments: argparse.Namespace, experiment: str) -> argparse.Namespace:
    """The arguments with the experiment in the names of files, before their endings."""
    own = argparse.Namespace(**vars(arguments))
    for option in ("output", "record", "figure", "data"):
        name = getattr(arguments, option)
        if name:
            place = len(name) - len("".join(PurePath(name).suffixes))
            setattr(own, option, f"{name[:place]}-{experiment}{name[place:]}")
    return own
