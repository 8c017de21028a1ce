"""Commands of all experiments, made from their table; excerpt stability and rerun."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from excerpt import options
from excerpt.cli.console import Progress, show_warnings
from excerpt.cli.output import (
    check_figure,
    chosen_format,
    figure_options,
    format_options,
    has_saved,
    write_figure,
    write_result,
    write_text,
)
from excerpt.cli.parser import Parser, check_cutting, keep_inputs, read_by
from excerpt.errors import ExcerptError, UnknownName, plural
from excerpt.experiments.table import EXPERIMENTS
from excerpt.options import Option, without

if TYPE_CHECKING:
    from excerpt.experiments.outcome import Outcome, Request
    from excerpt.experiments.parameters import Options


def experiment_parser(name: str) -> Parser:
    """The arguments of the command of an experiment."""
    entry = EXPERIMENTS[name]
    taken = request_options(entry.load("options"), measures=entry.measures, passages=entry.passages)
    return Parser(name, *taken, example=example_of(name), help_=entry.help)


def experiment_main(name: str, given: Sequence[str]) -> None:
    """Run an experiment and print its rows."""
    made = experiment_parser(name)
    arguments = made.parse(given)
    format_ = chosen_format(arguments)
    check_figure(arguments)
    request = make_request(name, made, arguments)
    present(run(request.run, arguments, record=request.record()), arguments, format_)


def example_of(name: str) -> str:
    """A command that runs an experiment."""
    words = [
        f" --{option.replace('_', '-')} {value}".rstrip()
        for option, value in EXPERIMENTS[name].example.items()
    ]
    return f"excerpt {name} qrels.fol runs/*.fol -m MAiP -m iP@0.01{''.join(words)}"


def request_options(kind: type[Options], *, measures: int, passages: bool) -> tuple[Option, ...]:
    """Files, measures, the options of an experiment, how rows are printed and drawn, policies.

    Experiments on `passages` change the judgments: they take neither saved scores nor graded elements.
    """
    asked = "measure; give two or more" if measures > 1 else "measure; may be repeated"
    return (
        *(
            (options.QRELS, options.RUNS, *without(options.READING, *options.ELEMENTS))
            if passages
            else (options.SAVED_OR_QRELS, options.SAVED_OR_RUNS, *options.READING)
        ),
        options.MAX_SIZE,
        *options.ENGINE,
        options.MEASURES.but(help=f"{asked} (see excerpt measures)", required=measures > 0),
        *kind.options(),
        *format_options("the rows"),
        options.RECORD,
        *figure_options("draw a figure"),
        *options.POLICY,
    )


def make_request(
    name: str, made: Parser, arguments: argparse.Namespace, *, left: Collection[str] = ()
) -> Request:
    """What was asked, checked before any work is done; what is `left` is of other experiments."""
    from excerpt.evaluation import DEFAULT_MEASURES
    from excerpt.experiments.outcome import Request
    from excerpt.measures import expand

    least = EXPERIMENTS[name].measures
    saved = has_saved(arguments)
    check_cutting(arguments)
    if saved and EXPERIMENTS[name].passages:
        raise ExcerptError(
            "found saved scores, expected judgments and runs: this experiment changes the judgments",
            path=arguments.qrels,
        )
    measures = tuple(dict.fromkeys(expand(arguments.measures or (() if saved else DEFAULT_MEASURES))))
    if len(measures) < least:
        raise ExcerptError(
            f"found {plural(len(measures), 'measure')}, expected at least {least}", hint="try -m NAME -m NAME"
        )
    if not saved and len(arguments.runs) < 2:
        raise ExcerptError(f"found {plural(len(arguments.runs), 'run')}, expected at least 2 to compare")
    known = {option.dest for option in made.options if option.decides} - set(left)
    asked = {key: value for key, value in vars(arguments).items() if key in known}
    return Request.of(name, {**asked, "measures": measures})


def run(work: Callable[..., Any], arguments: argparse.Namespace, **more: Any) -> Any:
    """Do the work in the processes that the user wants, and show how far it is."""
    from excerpt.notices import Notices

    notices = Notices()  # shown from the outcome, not by Python
    with Progress("working") as progress:
        return work(
            workers=arguments.workers, cluster=arguments.cluster, progress=progress, notices=notices, **more
        )


def present(outcome: Outcome, arguments: argparse.Namespace, format_: str) -> None:
    """Write figure and record, then the rows, then the warnings."""
    write_figure(outcome, arguments)
    if arguments.record:
        write_text(outcome.to_json(), arguments.record)
    write_result(outcome, arguments, format_)


_PREFIX = "stability "
#: The experiments of `stability all`.
_ALL = ("pool", "topics", "errors")
_STABILITY = {
    **{
        name.removeprefix(_PREFIX): experiment.help
        for name, experiment in EXPERIMENTS.items()
        if name.startswith(_PREFIX)
    },
    "all": "pool, topics and errors, reading the runs once; each in a file of its own",
}


def stability_parser() -> Parser:
    """The arguments of excerpt stability: an experiment, and what it takes."""
    named = Option("experiment", "one of those above", (), metavar="EXPERIMENT", required=True)
    result = Parser("stability", named, example=example_of("stability pool"))
    result.usage = "excerpt stability EXPERIMENT …"
    lines = [f"  {name:<9} {text}" for name, text in _STABILITY.items()]
    hint = "excerpt stability EXPERIMENT --help explains one."
    result.description = "\n".join([f"{result.description}", "", "experiments:", *lines, "", hint])
    return result


def stability_all_parser() -> Parser:
    """The arguments of excerpt stability all."""
    from excerpt.experiments.parameters import WholeOptions

    return Parser(
        "stability all",
        *request_options(WholeOptions, measures=0, passages=True),
        example="excerpt stability all qrels.fol runs/*.fol -m MAiP -m iP@0.01 -o study.txt",
        help_=_STABILITY["all"],
    )


def stability_main(given: Sequence[str]) -> None:
    """Explain the experiments; each is a command of its own."""
    if not given or given[0] in {"-h", "--help"}:
        stability_parser().parse(given)
    raise UnknownName("experiment", given[0], _STABILITY)


def stability_all_main(given: Sequence[str]) -> None:
    """What the three commands of the paper write one after the other, from one reading of the runs."""
    from excerpt.experiments.parameters import WholeOptions
    from excerpt.experiments.stability import whole_study

    made = stability_all_parser()
    arguments = made.parse(given)
    format_ = chosen_format(arguments)
    _check_names(arguments)
    check_figure(arguments)
    named = {name: _named(arguments, name) for name in _ALL}
    for own in named.values():
        keep_inputs(made.options, own)
    values = {option.dest: getattr(arguments, option.dest) for option in WholeOptions.options()}
    requests = {}
    for name in _ALL:
        others = set(values) - {
            option.dest for option in EXPERIMENTS[_PREFIX + name].load("options").options()
        }
        requests[name] = make_request(_PREFIX + name, made, arguments, left=others)
    first = requests["pool"]
    work: Any = partial(whole_study, first.qrels, first.runs, first.measures, **values, **first.how())
    inputs = first.record().inputs
    records = {name: request.record(inputs) for name, request in requests.items()}
    for name, outcome in run(work, arguments, records=records).items():
        present(outcome, named[name], format_)


def _check_names(arguments: argparse.Namespace) -> None:
    """Three experiments cannot go to standard output, nor can a folder have their names."""
    if "-" in {arguments.output, arguments.record}:
        raise ExcerptError(
            "found standard output for three experiments, expected -o FILE",
            hint="try -o study.txt, which writes study-pool.txt, study-topics.txt and study-errors.txt",
        )
    for name in filter(None, (arguments.output, arguments.record, arguments.figure, arguments.data)):
        if name.endswith("/") or (os.path.exists(name) and not os.path.isfile(name)):  # noqa: PTH110, PTH113
            raise ExcerptError("found a folder or a device, expected the name of a file", path=name)
        if not os.path.isdir(os.path.dirname(name) or "."):  # noqa: PTH112, PTH120
            raise ExcerptError("cannot be written: no such file or directory", path=name)


def _named(arguments: argparse.Namespace, experiment: str) -> argparse.Namespace:
    """The arguments with the experiment in the names of files, before their endings."""
    from pathlib import PurePath

    own = argparse.Namespace(**vars(arguments))
    for option in ("output", "record", "figure", "data"):
        name = getattr(arguments, option)
        if name:
            place = len(name) - len("".join(PurePath(name).suffixes))
            setattr(own, option, f"{name[:place]}-{experiment}{name[place:]}")
    return own


def rerun_parser() -> Parser:
    """The arguments of excerpt rerun."""
    return Parser(
        "rerun",
        Option(
            "saved",
            "a file that an experiment wrote with --record FILE or --format json",
            (),
            metavar="RECORD",
            required=True,
            role="reads",
        ),
        Option(
            "check",
            "say whether the rows are the same; exit status 2 if they are not",
            kind=options.FLAG,
            default=False,
        ),
        *figure_options("draw the figure again"),
        options.OUTPUT,
        *options.ENGINE,
        example="excerpt rerun agreement.json --check",
    )


def rerun_main(given: Sequence[str]) -> None:
    """Read the record, check its files, run its experiment, compare."""
    made = rerun_parser()
    arguments = made.parse(given)
    check_figure(arguments)
    from excerpt import __version__
    from excerpt.experiments.outcome import SavedOutcome, first_difference

    printed = SavedOutcome.read(arguments.saved)
    if printed.record.version != __version__:
        show_warnings(
            [f"{printed.path} was written by excerpt {printed.record.version}, this is {__version__}"]
        )
    name = printed.record.experiment
    known = experiment_parser(name).options if name in EXPERIMENTS else ()
    keep_inputs(made.options, arguments, read_by(known, argparse.Namespace(**printed.record.options)))
    outcome = run(printed.run, arguments)
    write_figure(outcome, arguments)
    if not arguments.check or arguments.output != "-":
        write_text(outcome.to_json(), arguments.output)
    show_warnings(outcome.warnings)
    if arguments.check:
        difference = first_difference(SavedOutcome.parse(outcome.to_json()).rows, printed.rows)
        if difference:
            raise ExcerptError(f"the rows are not the same: {difference}", path=printed.path)
        print(f"{printed.path}: the rows are the same ({len(printed.rows)})")
