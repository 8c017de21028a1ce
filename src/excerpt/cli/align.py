"""excerpt align: carry spans from one version of the documents to another."""

from __future__ import annotations

from excerpt import options
from excerpt.cli.console import note, own_notices, show_warnings
from excerpt.cli.parser import Arguments, command
from excerpt.errors import json_text, one_line
from excerpt.options import corpus_help

_CORPUS = options.CORPUS.but(required=True, setting=None)


@command(
    "align",
    options.argument(
        "input",
        "gold, a run, chunks or a pool: JSON Lines, a JSON list, CSV, TSV, FOL or a pool file",
        metavar="FILE",
    ),
    _CORPUS.but(
        name="from_",
        help=corpus_help("documents that the file was made on"),
        flags=("--from",),
        metavar="OLD",
    ),
    _CORPUS.but(name="to", help=corpus_help("the same documents in another version"), metavar="NEW"),
    options.OUTPUT.but(
        help="file for the rows with their new places, without those that are gone (default: only tell)",
        default=None,
    ),
    options.NO_FINGERPRINT,
    options.FORMAT.but(help="output format of the counts (default: table)"),
    options.CONTEXT,
    options.MAX_SIZE,
    example="excerpt align qrels.jsonl --from docs.zip --to docs.zip -o new.jsonl",
    more=" Every span\nis kept, moved, changed or gone; what is gone is left out of the "
    "output. Exit status: 0\nall kept or moved; 1 some changed or gone; 2 usage or input error.",
)
def main(arguments: Arguments) -> int:
    """Print the counts and what changed; status 1 if anything is changed or gone."""
    from excerpt.placing.aligned_files import align

    notices = own_notices()
    aligned = align(
        arguments.input,
        arguments.from_,
        arguments.to,
        arguments.output,
        fingerprint=not arguments.no_fingerprint,
        context=arguments.context or "paragraph",
        notices=notices,
    )
    if arguments.format == "json":
        shown = json_text(aligned.to_dict(), indent=1)
    else:
        shown = "\n".join(map(one_line, str(aligned).split("\n")))
    if arguments.output == "-":
        note(shown)
    else:
        print(shown)
    show_warnings(notices)
    return 0 if aligned.is_whole else 1
