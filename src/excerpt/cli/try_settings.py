"""excerpt try: many settings of chunkers and retrievers on one's own documents and questions."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Any

from excerpt import options
from excerpt.cli import output
from excerpt.cli.console import ProgressBar, chosen_colours, note, own_notices, show_warnings
from excerpt.cli.parser import Arguments, command
from excerpt.errors import ExcerptError, one_line
from excerpt.files import split_parser
from excerpt.options import NUMBER, Option, corpus_help

_INIT = options.flag(
    "init",
    "write try.toml with all settings and comments beside DOCS, such as docs, and try nothing",
    decides=False,
)
_DOCS = options.argument(
    "docs",
    corpus_help("documents")
    + "; then GOLD: questions with quotes, in any format of judgments; DOCS may be several renderings of the "
    "same documents (DOCS@PARSER), or a file try.toml that names all",
    metavar="DOCS … GOLD",
    many=True,
    required=True,
    holds="corpus",
)
_CHUNKER = Option(
    "chunker",
    "chunker, such as recursive:800, my.py:cut or "
    "'langchain:RecursiveCharacterTextSplitter(chunk_size=800)'; may be repeated (default: eight of excerpt)",
    metavar="SPEC",
    many=True,
)
_RETRIEVER = Option(
    "retriever",
    "retriever, such as bm25, bm25s, sentence-transformers:MODEL, my.py:search or 'hybrid(A,B)'; may be "
    "repeated (default: bm25)",
    metavar="SPEC",
    many=True,
)
_BUDGET = options.count("budget", "characters that a model reads for each question (default: 4000)")
_SECONDS = Option(
    "seconds",
    "begin no further setting after so many seconds; each chunker and retriever has its turn first (default: "
    "300)",
    kind=NUMBER,
    metavar="SECONDS",
)
_FOLDER = options.OUTPUT.but(
    help="folder for table, report, runs and scores, such as tried; a second call computes only what changed",
    default=None,
    metavar="FOLDER",
    holds="folder",
)


@command(
    "try",
    _DOCS,
    _CHUNKER,
    _RETRIEVER,
    _BUDGET,
    _SECONDS,
    _INIT,
    options.COPIES,
    options.UNPLACED,
    _FOLDER,
    options.FORMAT.but(
        help="what is printed: tables and sentences (table, default), or json, as in record.json"
    ),
    options.COLOR,
    options.MAX_SIZE,
    example="excerpt try docs gold.jsonl -o tried",
    settings=False,
)
def try_main(arguments: Arguments) -> None:
    """Try the settings, write the folder, and print the table and what it says."""
    if arguments.init:
        _write_example(arguments.docs)
        return
    docs, settings = _settings(arguments.docs)
    options_ = {
        "chunkers": arguments.chunker,
        "retrievers": arguments.retriever,
        **{name: getattr(arguments, name) for name in ("budget", "seconds", "copies", "unplaced", "output")},
    }
    chosen = {**settings, **{name: value for name, value in options_.items() if value is not None}}
    gold = chosen.pop("gold", None)
    if gold is None:
        message = "no GOLD given, expected questions with quotes after the documents"
        raise ExcerptError(message, hint="try excerpt try docs gold.jsonl -o tried")
    if "output" not in chosen:
        raise ExcerptError("the following arguments are required: -o/--output", hint="try -o tried")
    _keep_inputs(docs, gold, chosen["output"])
    from excerpt.trials.trial import SECONDS, try_out

    notices = own_notices()
    with ProgressBar("trying") as progress:
        trial = try_out(
            docs if len(docs) > 1 else docs[0],
            gold,
            notices=notices,
            progress=progress,
            **{"seconds": SECONDS, **chosen},
        )
    from excerpt.render.layout import terminal_width
    from excerpt.render.tables import Look, show

    look = Look(digits=3, width=terminal_width("-"), colours=chosen_colours(arguments))
    output.write_text(show(trial, arguments.format, look), "-")
    show_warnings(trial.warnings)
    note(f"{chosen['output']}: report.html, table.csv, scores.json, runs; README.md says how to go on")


def _settings(names: Sequence[str]) -> tuple[list[str], dict[str, Any]]:
    """The documents, and the settings of the arguments and of the file beside them, with the gold."""
    from excerpt.trials.try_file import NAME, beside, foreign_beside, read_settings, settings_beside

    if len(names) == 1 and PurePath(names[0]).name == NAME:
        settings = read_settings(Path(names[0]))
        if "documents" not in settings:
            raise ExcerptError('has no documents, expected documents = ["docs"]', path=names[0])
        note(f"settings from {names[0]}")
    else:
        settings = settings_beside(names[0])
        if ignored := foreign_beside(names[0]):
            note(f"{ignored} belongs to another user and is ignored; excerpt try {ignored} uses it")
        elif settings:
            note(f"settings from {beside(names[0])}")
        alone = len(names) == 1
        settings |= {"documents": list(names if alone else names[:-1])}
        settings |= {} if alone else {"gold": names[-1]}
    return settings.pop("documents"), settings


def _write_example(names: Sequence[str]) -> None:
    from excerpt.trials.try_file import write_example

    if len(names) != 1:
        raise ExcerptError(f"found {len(names)} paths, expected the documents alone", hint="try --init docs")
    print(one_line(str(write_example(names[0]))))


def _keep_inputs(docs: Sequence[str], gold: str, folder: str) -> None:
    """Raise an error if the folder of a trial is an input, has one, or lies in the documents."""
    target = os.path.realpath(folder)
    for given in (*docs, gold):
        source = os.path.realpath(split_parser(given)[0])
        if target == source or source.startswith(os.path.join(target, "")):  # noqa: PTH118
            raise ExcerptError("is an input or has one; choose another name for the output", path=folder)
        if target.startswith(os.path.join(source, "")):  # noqa: PTH118
            raise ExcerptError("lies in the documents; choose a folder beside them", path=folder)
