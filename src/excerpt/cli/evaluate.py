"""excerpt evaluate: score runs against judgments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from excerpt import options
from excerpt.cli import output
from excerpt.cli.console import ProgressBar, note, note_at_the_end, own_notices
from excerpt.cli.parser import Arguments, command, scoring
from excerpt.errors import ExcerptError
from excerpt.options import Option

if TYPE_CHECKING:
    from excerpt.scores.score_table import ScoreTable

_SAVE = Option(
    "save",
    "also save the scores of all topics in a .json, .csv or .parquet file",
    metavar="FILE",
    role="writes",
    decides=False,
)
_PER_DOCUMENT = options.flag(
    "per-document",
    "print P, R, F and score of every returned document instead of the means, and gP up to its rank; needs "
    "gP or AgP",
)

_CEILING = (
    Option(
        "ceiling",
        "also print the best score that any list of such units reaches, and what each run loses by unit, "
        "choice and ranking: elements, paragraphs, sentences, lines, window:400, tag:sec, documents or "
        "chunks=FILE (a row, and columns)",
        metavar="UNIT",
        group="ceilings",
    ),
    Option(
        "ceiling-run",
        "write the list that attains the ceiling, of one measure",
        metavar="FILE",
        role="writes",
        decides=False,
        group="ceilings",
    ),
)


@command(
    "evaluate",
    options.SAVED_OR_QRELS,
    options.SAVED_OR_RUNS,
    *options.READING,
    *options.SAVED,
    options.MAX_SIZE,
    options.WORKERS.but(
        help="number of processes that share the runs (default: 1, or all processors from about 300 MB of "
        "runs on, without a corpus or an index)"
    ),
    options.CLUSTER,
    options.MEASURES.but(
        help="measure, such as MAiP, or a set: hixeval, inex, rag, trec; may be repeated (default: by "
        "the judgments; see excerpt measures)"
    ),
    *options.SCORES,
    _PER_DOCUMENT,
    *output.format_options("the scores", known=output.SCORES),
    options.DIGITS,
    *output.MARKS,
    _SAVE,
    options.NO_FINGERPRINT.but(help="with --save or --ceiling-run: " + options.NO_FINGERPRINT.help),
    *_CEILING,
    *output.figure_options("also draw the scores (means with intervals, or scores per topic or group)"),
    *options.POLICY,
    example="excerpt evaluate qrels.fol runs/*.gz -m charP --save scores.json",
)
def main(arguments: Arguments) -> None:
    """Print the scores."""
    format_ = output.chosen_format(arguments, output.SCORES)
    output.check_intervals(arguments, format_)
    output.check_figure(arguments)
    if arguments.per_document:
        _check_alone(arguments, format_)
    if arguments.ceiling:
        _check_ceiling(arguments)
        table = _with_ceiling(arguments)
    elif arguments.ceiling_run:
        raise ExcerptError("--ceiling-run needs --ceiling UNIT")
    else:
        table = _saved(arguments) if output.has_saved(arguments) else _evaluated(arguments)
    view = table.documents() if arguments.per_document else output.chosen_view(table, arguments)
    if arguments.save:
        from excerpt.score_files.saved_scores import save_scores

        save_scores(table, arguments.save, fingerprint=not arguments.no_fingerprint)
    if table.measure_note and format_ not in {"table", "markdown"}:  # these print it below the table
        note(table.measure_note)
    output.write_figure(view, arguments)
    output.write_result(view, arguments, format_)


#: Bytes of runs that one process scores in about two seconds; below, more of them do not pay.
_PAYS = 300 << 20


def _paying_workers(runs: Sequence[str]) -> int:
    """Return as many processes as pay for these runs, and as this one may use."""
    from excerpt.engine import paying_workers
    from excerpt.files import content_size

    return paying_workers(sum(map(content_size, runs)), _PAYS)


def _check_alone(arguments: Arguments, format_: str) -> None:
    """Raise an error for options that scores of documents do not have."""
    if format_ == "trec":
        raise ExcerptError("--per-document and --format trec cannot be combined")
    for option in (*options.SCORES, *output.MARKS, options.FIGURE):
        if option.dest in arguments.parser.given:
            raise ExcerptError(f"--per-document and --{option.name} cannot be combined")


def _saved(arguments: Arguments) -> ScoreTable:
    note_at_the_end(
        "saved scores are printed by excerpt render; excerpt evaluate takes them in this version only"
    )
    return output.saved_table([arguments.qrels, *arguments.runs], arguments)


def _evaluated(arguments: Arguments) -> ScoreTable:
    from excerpt.evaluation import evaluate

    how = scoring(arguments)
    if "workers" not in arguments.parser.given and how.keys().isdisjoint(("cluster", "corpus", "index")):
        how["workers"] = _paying_workers(arguments.runs)
    with ProgressBar("evaluating") as progress:
        return evaluate(
            arguments.qrels,
            arguments.runs,
            arguments.measures,
            notices=own_notices(),
            progress=progress,
            **how,
        )


def _check_ceiling(arguments: Arguments) -> None:
    """Raise an error for inputs that have no ceiling, before any file is read."""
    from excerpt.score_files.score_rows import is_scores

    if is_scores(arguments.qrels) or any(map(is_scores, arguments.runs)):
        raise ExcerptError("--ceiling and saved scores cannot be combined: it needs judgments and runs")
    if not arguments.measures:
        raise ExcerptError("--ceiling needs a measure", hint="try -m charF")
    if arguments.per_document:
        raise ExcerptError("--ceiling and --per-document cannot be combined")


def _with_ceiling(arguments: Arguments) -> ScoreTable:
    from excerpt.ceilings.losses import ceiling

    how = scoring(arguments)
    with ProgressBar("evaluating") as progress:
        return ceiling(
            arguments.qrels,
            arguments.runs,
            arguments.measures,
            unit=arguments.ceiling,
            ceiling_run=arguments.ceiling_run,
            fingerprint=not arguments.no_fingerprint,
            notices=own_notices(),
            progress=progress,
            **how,
        )
