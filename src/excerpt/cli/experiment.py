"""The commands of all experiments, made from their table: options, record, rows, figure."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Sequence
from dataclasses import Field, dataclass, fields
from typing import TYPE_CHECKING, Any

from excerpt.cli import Parser
from excerpt.cli.cut_corpus import check_cutting
from excerpt.cli.figures import FIGURE_OPTIONS, add_figure, check_figure, write_figure
from excerpt.cli.options import add_corpus, add_files, add_measures, add_policies
from excerpt.cli.output import add_format, chosen_format, write_result
from excerpt.cli.saved import has_saved
from excerpt.cli.topic_choice import add_topics
from excerpt.errors import ExcerptError, plural
from excerpt.experiments.table import EXPERIMENTS

if TYPE_CHECKING:
    from excerpt.experiments.outcome import Outcome, Request


@dataclass(frozen=True)
class Command:
    """The command of one experiment."""

    name: str

    def parser(self) -> Parser:
        """The arguments of the command."""
        entry = EXPERIMENTS[self.name]
        result = Parser(self.name, example=example_of(self.name), help_=entry.help)
        add_request(result, entry.load("options"), measures=entry.measures, elements=not entry.passages)
        return result

    def main(self, given: Sequence[str]) -> None:
        """Run the experiment and print its rows."""
        arguments = self.parser().parse(given)
        format_ = chosen_format(arguments)
        check_figure(arguments)
        request = make_request(self.name, arguments)
        present(run(request.run, arguments, record=request.record()), arguments, format_)


def example_of(name: str) -> str:
    """A command that runs an experiment."""
    options = [
        f" --{option.replace('_', '-')} {value}".rstrip()
        for option, value in EXPERIMENTS[name].example.items()
    ]
    return f"excerpt {name} qrels.fol runs/*.fol -m MAiP -m iP@0.01{''.join(options)}"


def add_request(parser: Parser, options: type, *, measures: int, elements: bool = True) -> None:
    """Files, measures, the options of an experiment, how rows are printed and drawn, policies."""
    add_files(parser, elements=elements, saved=elements)
    add_corpus(parser)
    add_topics(parser)
    asked = "measure; give two or more" if measures > 1 else "measure; may be repeated"
    add_measures(parser, f"{asked} (see excerpt measures)", required=measures > 0)
    group = parser.add_argument_group("options of the experiment")
    for item in fields(options):
        _add_option(group, item)
    add_format(parser, "the rows")
    parser.add_argument(
        "--record", metavar="FILE", help="also write rows and record to FILE as JSON, for excerpt rerun"
    )
    add_figure(parser, "draw a figure")
    add_policies(parser)


def _add_option(group: argparse._ArgumentGroup, item: Field[Any]) -> None:
    """A field of an experiment's options."""
    described, default, name = item.metadata, item.default, f"--{item.name.replace('_', '-')}"
    if default is False:
        group.add_argument(name, action="store_true", help=described["help"])
        return
    shown = ",".join(map(str, default)) if isinstance(default, tuple) else default
    group.add_argument(
        name,
        default=default,
        choices=described["choices"] or None,
        metavar=described["metavar"],
        type=_checked(described["check"] or str),
        help=described["help"] + (f" (default: {shown})" if shown is not None else ""),
    )


def _checked(check: Callable[[Any], Any]) -> Callable[[str], Any]:
    """A check of an option as argparse wants it."""

    def parse(text: str) -> Any:
        try:
            return check(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return parse


#: Arguments that decide how the work is done or shown, not what it gives.
_NOT_ASKED = (
    *("max_size", "workers", "cluster", "format", "safe_csv", "color", "output", "record"),
    *FIGURE_OPTIONS,
    *("caption", "label", "siunitx"),
)


def make_request(name: str, arguments: argparse.Namespace, *, without: Collection[str] = ()) -> Request:
    """What was asked, checked before any work is done, `without` options of other experiments."""
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
    left = {*_NOT_ASKED, *without}
    asked = {key: value for key, value in vars(arguments).items() if key not in left}
    return Request.of(name, {**asked, "measures": measures})


def run(work: Callable[..., Any], arguments: argparse.Namespace, **more: Any) -> Any:
    """Do the work in the processes that the user wants, and show how far it is."""
    from excerpt.cli.streams import Progress
    from excerpt.notices import Notices

    notices = Notices()  # shown from the outcome, not by Python
    with Progress("working") as progress:
        return work(
            workers=arguments.workers, cluster=arguments.cluster, progress=progress, notices=notices, **more
        )


def present(outcome: Outcome, arguments: argparse.Namespace, format_: str) -> None:
    """Write figure and record, then the rows, then the warnings."""
    from excerpt.files import write_bytes

    write_figure(outcome, arguments)
    if arguments.record:
        write_bytes(arguments.record, outcome.to_json().encode(errors="backslashreplace"))
    write_result(outcome, arguments, format_)
