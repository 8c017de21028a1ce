"""excerpt chunks: score chunkers."""

from __future__ import annotations

from excerpt import options
from excerpt.cli import output
from excerpt.cli.console import own_notices
from excerpt.cli.parser import Arguments, command, reading
from excerpt.errors import one_line
from excerpt.options import corpus_help


@command(
    "chunks",
    options.QRELS.but(setting=None),
    options.RUNS.but(
        name="chunks",
        help="located chunks of one chunker per file, as written by excerpt place; folders, or @LIST",
        metavar="CHUNKS",
        setting=None,
    ),
    options.CORPUS.but(help=corpus_help("documents, to verify chunks and ignore whitespace")),
    *options.OPENING,
    options.MEASURES.but(
        help="ceiling (recall if every chunk were retrieved), cut (passages in no single chunk), "
        "omega (precision of the chunks with relevant text) or omega(legacy=true) (also of chunks that "
        "only touch it), or a measure of runs such as recall(budget=4000): the best score of "
        "any retriever with these chunks; may be repeated (default: the first three)",
        setting=None,
    ),
    *options.SCORES,
    *output.format_options("the scores", known=output.SCORES),
    options.DIGITS,
    *output.MARKS,
    options.QRELS_FORMAT,
    options.CONTEXT,
    options.TOPICS,
    *options.CHOICE,
    options.MAX_SIZE,
    *output.figure_options("also draw the scores"),
    help_="score chunkers without a retriever: text lost, passages split, precision",
    example="excerpt chunks qrels.fol placed.jsonl --corpus docs.zip",
)
def main(arguments: Arguments) -> None:
    """Print the scores of the chunkers."""
    format_ = output.chosen_format(arguments, output.SCORES)
    output.check_intervals(arguments, format_)
    output.check_figure(arguments)
    from excerpt.ceilings.losses import evaluate_chunks, limits_said
    from excerpt.placing.chunkers import MEASURES as DEFAULT

    how = reading(arguments)
    measures = arguments.measures or DEFAULT
    table = evaluate_chunks(
        arguments.qrels, arguments.chunks, measures=measures, notices=own_notices(), **how
    )
    view = output.chosen_view(table, arguments)
    output.write_figure(view, arguments)
    output.write_result(view, arguments, format_)
    if format_ == "table" and arguments.output == "-":
        for limit in limits_said(table):
            print(f"\n{one_line(limit)}", flush=True)
