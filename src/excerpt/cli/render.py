"""excerpt render: print or draw what was saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from excerpt import options
from excerpt.cli import output
from excerpt.cli.console import note
from excerpt.cli.experiment import run
from excerpt.cli.parser import Arguments, command
from excerpt.errors import ExcerptError, FormatError, UnknownName

if TYPE_CHECKING:
    from excerpt.experiments.outcome import Outcome
    from excerpt.model.display import Showable

_FORMATS = {**output.SCORES, **output.FIGURES}
#: What is saved in the folder of `excerpt try`.
_SCORES_OF_FOLDER = "scores.json"
#: Experiments whose figures and pages show more than their rows, and are computed again for these.
_MORE_THAN_ROWS = {"agreement", "compare", "correlate", "power"}


@command(
    "render",
    options.argument(
        "saved",
        "saved scores (evaluate --save), several of them, the JSON with the rows of an experiment "
        "(--record or --format json), or a folder of excerpt try",
        metavar="SAVED",
        many=True,
    ),
    options.MEASURES.but(help="measure of saved scores; may be repeated (default: all)", setting=None),
    *options.CHOICE,
    options.TOPICS,
    *options.SAVED,
    *options.SCORES,
    *output.format_options("what is printed", known=_FORMATS),
    options.DIGITS,
    *output.MARKS,
    *output.figure_options("also draw a figure"),
    example="excerpt render scores.json --digits 2 -o scores.tex",
)
def main(arguments: Arguments) -> None:
    """Print or draw saved scores, or the rows of an experiment."""
    format_ = output.chosen_drawing(arguments, _FORMATS)
    output.write_drawn(_saved(arguments, format_), arguments, format_)


def _saved(arguments: Arguments, format_: str) -> Showable:
    """Return what was saved: a view of scores by the options, or the outcome of an experiment."""
    from pathlib import Path

    from excerpt.score_files.score_rows import is_scores

    files = [str(Path(name, _SCORES_OF_FOLDER)) if Path(name).is_dir() else name for name in arguments.saved]
    if is_scores(files[0]):
        output.check_intervals(arguments, format_)
        return output.chosen_view(output.saved_table(files, arguments), arguments)
    if len(files) > 1:
        message = "is not a file of saved scores, of which several can be rendered together"
        raise ExcerptError(message, path=files[0], hint="give one record")
    for option in (options.MEASURES, *options.CHOICE, options.TOPICS, *options.SAVED, *options.SCORES):
        if option.dest in arguments.parser.given:
            raise ExcerptError(f"{option.written[-1]} needs saved scores", path=files[0])
    drawn = format_ in output.FIGURES or bool(arguments.figure)
    return _outcome(files[0], format_, drawn=drawn)


def _outcome(file: str, format_: str, *, drawn: bool) -> Outcome:
    """Return the rows of an experiment; for figures and pages that need more than rows, all of it again."""
    from excerpt.experiments.outcome import TRIAL, Outcome, SavedOutcome
    from excerpt.experiments.table import EXPERIMENTS

    try:
        saved = SavedOutcome.read(file)
    except FormatError as error:
        error.hint += ", or save scores by excerpt evaluate --save"
        raise
    name = saved.record.experiment
    if name == TRIAL:
        message = f"found the record of a trial, expected its folder or its {_SCORES_OF_FOLDER}"
        raise ExcerptError(message, path=file)
    if name not in EXPERIMENTS:
        raise UnknownName("experiment", name, EXPERIMENTS, path=file)
    if name in _MORE_THAN_ROWS and (drawn or format_ in {"table", "latex", "markdown"}):
        try:
            outcome: Outcome = run(saved.run, Arguments(workers=1, cluster=None))
        except ExcerptError as error:
            if drawn:
                raise
            note(f"{error.message}; only the rows are printed")
        else:
            return outcome
    return Outcome(saved.rows, saved.record)
