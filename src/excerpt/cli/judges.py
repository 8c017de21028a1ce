"""excerpt judges: how far judgments agree."""

from __future__ import annotations

from pathlib import Path

from excerpt import options
from excerpt.cli.console import own_notices
from excerpt.cli.output import chosen_format, format_options, write_result
from excerpt.cli.parser import Arguments, chosen, command, keep_inputs
from excerpt.errors import ExcerptError, one_line, short

_NAMED = options.QRELS.but(
    help="judgments to compare: files, folders with a file per topic, or the folder of a campaign; rows that "
    "name their assessors count as that many judges",
    metavar="[NAME=]QRELS",
    many=True,
    setting=None,
)


@command(
    "judges",
    _NAMED,
    options.CORPUS.but(help=options.corpus_help("documents, for their lengths, which alpha_u needs")),
    options.Option(
        "relevant",
        "lowest grade of a relevant document (default: 1)",
        kind=options.COUNT_FROM_ZERO,
        default=1,
        metavar="N",
    ),
    options.QRELS_FORMAT,
    *options.OF_TOOLS,
    *options.CHOICE,
    options.SEED.but(help="seed of the intervals (default: 1)"),
    options.SAMPLES.but(help="resamples of documents for the intervals (default: 1000)", default=1000),
    options.MAX_SIZE,
    *format_options("the agreement"),
    example="excerpt judges human=qrels.txt model=umbrela.txt",
)
def main(arguments: Arguments) -> None:
    """Print the agreement of the judges, and how to see what it does to rankings."""
    format_ = chosen_format(arguments)
    files = [_split(text) for text in arguments.qrels]
    keep_inputs(arguments.parser.options, arguments, (("file", file) for _, file in files))
    from excerpt.judging.judge_comparison import judges

    names = [name for name, _ in files if name]
    for name in names:
        if names.count(name) > 1:
            raise ExcerptError(f"found two files of {one_line(short(name))}, expected each name once")
    given_ = [{name: file} if name else file for name, file in files]
    how = chosen(
        arguments,
        (
            *options.CHOICE,
            *options.OF_TOOLS,
            options.CORPUS,
            options.QRELS_FORMAT,
            options.SEED,
            options.SAMPLES,
        ),
    )
    result = judges(*given_, relevant=arguments.relevant, notices=own_notices(), **how)
    write_result(result, arguments, format_)
    if format_ == "table" and arguments.output == "-":
        print("\nWhat the judges do to rankings: excerpt correlate QRELS RUN… --qrels2 QRELS", flush=True)


def _split(text: str) -> tuple[str, str]:
    """Return the name, empty if none is given, and the file; a file whose own name contains = has none."""
    name, separator, file = text.partition("=")
    return (name, file) if separator and not Path(text).exists() else ("", text)
