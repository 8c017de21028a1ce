"""Commands of all experiments, built from their table; excerpt stability and rerun."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from excerpt import options
from excerpt.cli import REGISTERED, Command, output
from excerpt.cli.console import ProgressBar, note_at_the_end, own_notices, show_warnings
from excerpt.cli.parser import (
    Arguments,
    Parser,
    check_cutting,
    command,
    command_of_several,
    keep_inputs,
    read_by,
)
from excerpt.errors import ExcerptError, plural, short
from excerpt.experiments.table import EXPERIMENTS
from excerpt.files import OPENINGS
from excerpt.options import Option

if TYPE_CHECKING:
    from excerpt.experiments.outcome import Outcome, Request
    from excerpt.experiments.parameters import Options


def experiment_parser(name: str) -> Parser:
    entry = EXPERIMENTS[name]
    known = request_options(
        entry.load("options"), measures=entry.measures, passages=entry.passages, headline=entry.headline
    )
    return Parser(name, *known, example=example_of(name), help_=entry.help)


def experiment_main(name: str, given: Sequence[str]) -> None:
    """Run an experiment and print its rows."""
    arguments = experiment_parser(name).parse(given)
    format_ = output.chosen_format(arguments)
    output.check_figure(arguments)
    check_drawn(name, arguments)
    OPENINGS.note_digests()
    request = make_request(name, arguments)
    outcome = run(request.run, arguments)
    present(replace(outcome, record=request.record()), arguments, format_)


def check_drawn(name: str, arguments: argparse.Namespace) -> None:
    """Raise an error if a figure is asked for and the experiment has none."""
    if arguments.figure and name in EXPERIMENTS:
        from excerpt.render.tables import FIGURES

        if name not in FIGURES:
            hint = "--format csv prints the rows for other programs"
            raise ExcerptError(f"the experiment {name} has no figure", hint=hint)


def example_of(name: str) -> str:
    """Return an example command of an experiment."""
    options_ = EXPERIMENTS[name].example.items()
    words = [f" --{option.replace('_', '-')} {value}".rstrip() for option, value in options_]
    second = " -m charR" if name in {"correlate", "agreement"} else ""
    return f"excerpt {name} qrels.fol runs/*.gz -m charP{second}{''.join(words)}"


def request_options(
    kind: type[Options], *, measures: int, passages: bool, headline: bool = False
) -> tuple[Option, ...]:
    """Return all options of an experiment: files, measures, its own options, output, figures, policies.

    Experiments on `passages` change the judgments, so they do not accept saved scores.
    """
    count = "give two or more" if measures > 1 else "may be repeated"
    default = "those of excerpt.toml or of saved scores" if measures else "the set inex"
    if headline:
        default = "by the judgments MAiP, recall(budget=4000) or AP; of saved scores the first"
    return (
        *((options.QRELS, options.RUNS) if passages else (options.SAVED_OR_QRELS, options.SAVED_OR_RUNS)),
        *options.READING,
        *(() if passages else options.SAVED),
        options.MAX_SIZE,
        *options.ENGINE,
        options.MEASURES.but(
            help=f"measure, such as MAiP; {count} (default: {default}; see excerpt measures)",
            required=measures > 0,
        ),
        *kind.options(),
        *output.format_options("the rows"),
        options.RECORD,
        *output.figure_options("draw a figure"),
        *options.POLICY,
    )


def make_request(name: str, arguments: Arguments, *, left: Collection[str] = ()) -> Request:
    """Return the checked request of an experiment; options `left` out belong to other experiments."""
    from excerpt.evaluation import DEFAULT_MEASURES
    from excerpt.experiments.outcome import Request
    from excerpt.measures import expand

    least = EXPERIMENTS[name].measures
    saved = output.has_saved(arguments)
    check_cutting(arguments)
    if saved and EXPERIMENTS[name].passages:
        message = "found saved scores, expected judgments and runs: this experiment changes the judgments"
        raise ExcerptError(message, path=arguments.qrels)
    named = [*(arguments.measures or ()), *chain.from_iterable(getattr(arguments, "pair", None) or ())]
    open_ = saved or EXPERIMENTS[name].headline
    measures = tuple(dict.fromkeys(expand(named or (() if open_ else DEFAULT_MEASURES))))
    if len(measures) < least and named:
        hint = "try -m MAiP -m charR"
        raise ExcerptError(f"found {plural(len(measures), 'measure')}, expected at least {least}", hint=hint)
    if not saved and len(arguments.runs) < 2:
        raise ExcerptError(f"found {plural(len(arguments.runs), 'run')}, expected at least 2 to compare")
    known = {option.dest for option in arguments.parser.options if option.decides} - set(left)
    values = {key: value for key, value in vars(arguments).items() if key in known}
    return Request.of(name, {**values, "measures": measures})


def run(work: Callable[..., Any], arguments: argparse.Namespace, **more: Any) -> Any:
    """Do the work in the processes that the user chose, with a progress bar."""
    notices = own_notices()  # printed from the outcome, not by Python
    with ProgressBar("working") as progress:
        return work(
            workers=arguments.workers, cluster=arguments.cluster, progress=progress, notices=notices, **more
        )


def present(outcome: Outcome, arguments: argparse.Namespace, format_: str) -> None:
    """Write figure and record, then rows, then warnings."""
    output.write_figure(outcome, arguments)
    if arguments.record:
        output.write_text(outcome.to_json(), arguments.record)
    output.write_result(outcome, arguments, format_)


_PREFIX = "stability "
#: The experiments of `stability all`.
_ALL = ("pool", "topics", "errors")
_STABILITY = {
    **{
        name.removeprefix(_PREFIX): experiment.help
        for name, experiment in EXPERIMENTS.items()
        if name.startswith(_PREFIX)
    },
    "all": "run pool, topics and errors together, each with its own output files",
}


command_of_several("stability", "experiment", _STABILITY, 12, example_of("stability pool"), kind="experiment")


def stability_all_parser() -> Parser:
    from excerpt.experiments.parameters import WholeOptions

    return Parser(
        "stability all",
        *request_options(WholeOptions, measures=0, passages=True),
        example="excerpt stability all qrels.fol runs/*.gz -m charP -o study.txt",
        help_=_STABILITY["all"],
    )


def stability_all_main(given: Sequence[str]) -> None:
    """Write what the three commands write one after the other, with one reading of the runs."""
    from excerpt.experiments.parameters import WholeOptions
    from excerpt.experiments.stability import whole_study

    arguments = stability_all_parser().parse(given)
    format_ = output.chosen_format(arguments)
    _check_names(arguments)
    output.check_figure(arguments)
    OPENINGS.note_digests()
    separate = {name: _with_own_files(arguments, name) for name in _ALL}
    for own in separate.values():
        keep_inputs(arguments.parser.options, own)
    values = {option.dest: getattr(arguments, option.dest) for option in WholeOptions.options()}
    requests = {}
    for name in _ALL:
        others = set(values) - {
            option.dest for option in EXPERIMENTS[_PREFIX + name].load("options").options()
        }
        others |= {"levels"} if arguments.levels is None else set()
        requests[name] = make_request(_PREFIX + name, arguments, left=others)
    first = requests["pool"]
    work: Any = partial(whole_study, first.qrels, first.runs, first.measures, **values, **first.how())
    outcomes = run(work, arguments)
    inputs = first.record().inputs
    for name, outcome in outcomes.items():
        present(replace(outcome, record=requests[name].record(inputs)), separate[name], format_)


REGISTERED["stability all"] = Command(stability_all_main, stability_all_parser)


def _check_names(arguments: argparse.Namespace) -> None:
    """Raise an error for outputs that cannot become three files: standard output, folders, devices."""
    if "-" in {arguments.output, arguments.record}:
        hint = "-o study.txt writes study-pool.txt, study-topics.txt and study-errors.txt"
        raise ExcerptError("stability all writes three files: give -o FILE", hint=hint)
    for name in filter(None, (arguments.output, arguments.record, arguments.figure, arguments.data)):
        if name.endswith("/") or (os.path.exists(name) and not os.path.isfile(name)):  # noqa: PTH110, PTH113
            raise ExcerptError("found a folder or a device, expected the name of a file", path=name)
        if not os.path.isdir(os.path.dirname(name) or "."):  # noqa: PTH112, PTH120
            raise ExcerptError("cannot be written: no such file or directory", path=name)


def _with_own_files(arguments: argparse.Namespace, experiment: str) -> argparse.Namespace:
    """Return the arguments with the experiment in the names of files, before their extensions."""
    from pathlib import PurePath

    own = argparse.Namespace(**vars(arguments))
    for option in ("output", "record", "figure", "data"):
        name = getattr(arguments, option)
        if name:
            end = len(name) - len("".join(PurePath(name).suffixes))
            setattr(own, option, f"{name[:end]}-{experiment}{name[end:]}")
    return own


@command(
    "rerun",
    options.argument(
        "saved", "file written by an experiment with --record FILE or --format json", metavar="RECORD"
    ),
    options.flag(
        "check", "compare the rows with the record instead of printing them; exit status 2 if they differ"
    ),
    *output.figure_options("draw the figure of the experiment"),
    options.OUTPUT,
    *options.ENGINE,
    example="excerpt rerun agreement.json --check",
)
def rerun_main(arguments: Arguments) -> None:
    """Repeat the experiment of a record, and compare the rows with --check."""
    output.check_figure(arguments)
    output.chosen_labels(arguments)
    if arguments.figure:
        note_at_the_end("excerpt rerun takes --figure in this version only; instead: excerpt render")
    from excerpt import __version__
    from excerpt.experiments.outcome import SavedOutcome, first_difference

    printed = SavedOutcome.read(arguments.saved)
    if printed.record.version != __version__:
        show_warnings(
            [f"{printed.path} was written by excerpt {short(printed.record.version)}, this is {__version__}"]
        )
    name = printed.record.experiment
    check_drawn(name, arguments)
    known = experiment_parser(name).options if name in EXPERIMENTS else ()
    keep_inputs(
        arguments.parser.options, arguments, read_by(known, argparse.Namespace(**printed.record.options))
    )
    outcome = run(printed.run, arguments)
    output.write_figure(outcome, arguments)
    if not arguments.check or arguments.output != "-":
        output.write_text(outcome.to_json(), arguments.output)
    show_warnings(outcome.warnings)
    if arguments.check:
        columns = outcome.columns if not printed.rows else [*printed.rows[0]]  # older records have fewer
        rows = [
            {name: row[name] for name in columns if name in row}
            for row in SavedOutcome.parse(outcome.to_json()).rows
        ]
        difference = first_difference(tuple(rows), printed.rows)
        if difference:
            raise ExcerptError(f"the rows differ: {difference}", path=printed.path)
        print(f"{printed.path}: {plural(len(printed.rows), 'row')}, the same as before")
