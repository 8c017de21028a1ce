"""excerpt report, explore and show: scores, topics and texts as HTML or on the terminal."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Any

from excerpt import options
from excerpt.cli.console import ProgressBar, chosen_colours, chosen_width, note, own_notices, show_warnings
from excerpt.cli.output import extension_of, write_text
from excerpt.cli.parser import Arguments, chosen, command, reading, scoring
from excerpt.errors import ExcerptError
from excerpt.files import OPENINGS
from excerpt.options import Option, choice, corpus_help, without

if TYPE_CHECKING:
    from excerpt.render.report import Report

_display = partial(Option, group=options.DISPLAY)
_CITED = _display(
    "cited",
    "run of cited text, shown as a layer and compared with each run",
    metavar="RUN",
    role="reads",
    holds="run",
)
_TITLE = _display("title", "title (default: the name of the judgments)", default="", metavar="TEXT")
_NO_TEXT = options.flag(
    "no-text", "include scores and offsets only, no text of the documents", group=options.DISPLAY
)
_BY = options.BY.but(
    help="show topics in groups with their means: by the corpus or group named in the judgments, or by the "
    "document, if each topic has relevant text in only one document"
)
_SHOWING = (_CITED, _TITLE, _BY, options.BLOCKS, options.LABELS.but(group=options.DISPLAY, decides=True))
_EVALUATION = (
    options.QRELS,
    options.RUNS,
    *(
        option.but(group=options.DISPLAY) if option in (*options.OPENING, options.TOPICS) else option
        for option in without(options.READING, options.CORPUS)
    ),
    options.MAX_SIZE,
    *options.ENGINE,
    options.MEASURES.but(help="measure, such as MAiP; may be repeated (default: as in excerpt evaluate)"),
    options.CORPUS.but(help=corpus_help("documents, to show their text"), group=options.DISPLAY),
    *_SHOWING,
    _NO_TEXT,
)


def _evaluation(arguments: Arguments) -> dict[str, Any]:
    """Return the evaluation and its display as keyword arguments of `excerpt.report`."""
    OPENINGS.note_digests()
    return {
        **scoring(arguments),
        **chosen(arguments, _SHOWING),
        "text": not arguments.no_text,
        "command": arguments.parser.command(),
        "notices": own_notices(),
    }


@command(
    "report",
    *_EVALUATION,
    options.OUTPUT.but(
        help="HTML file to write; a report of over 25 MB becomes a folder of the same name",
        default=None,
        required=True,
    ),
    options.FORMAT,
    *options.POLICY,
    example="excerpt report qrels.fol runs/*.gz -m charP --corpus docs.zip -o report.html",
)
def report_main(arguments: Arguments) -> None:
    """Write a report."""
    check_page(arguments.output)
    from excerpt.render.report import report

    how = _evaluation(arguments)
    with ProgressBar("evaluating") as progress:
        result = report(arguments.qrels, arguments.runs, arguments.measures, progress=progress, **how)
    write_report(result, arguments.output, arguments.format)
    show_warnings(result.world.warnings)


@command(
    "explore",
    *_EVALUATION,
    *options.SERVER,
    *options.POLICY,
    example="excerpt explore qrels.fol runs/*.gz -m charR --corpus docs.zip",
)
def explore_main(arguments: Arguments) -> None:
    """Serve an evaluation; standard output has the link, messages are on standard error."""
    from excerpt.render.report import open_world
    from excerpt.web.explorer import open_port, show_world

    with open_port(arguments.host, arguments.port or 0) as listening:
        how = _evaluation(arguments)
        with ProgressBar("evaluating") as progress:
            world = open_world(
                arguments.qrels, arguments.runs, arguments.measures, lazy=True, progress=progress, **how
            )
        show_warnings(world.warnings)
        note("open this link in a browser; Ctrl-C ends the server")
        show_world(world, listening, browser=not arguments.no_browser)


def check_page(name: str) -> None:
    """Raise an error if a name has the extension of another format, or if its folder is missing.

    >>> check_page("report.html"), check_page("report"), check_page("-")
    (None, None, None)
    """
    if (extension := extension_of(name)) not in {"", ".html", ".htm"}:
        raise ExcerptError(f"found extension {extension}, expected .html or .htm", path=name)
    from excerpt.render.report import require_place

    require_place(name)


def write_report(result: Report, output: str, format_: str) -> None:
    """Write a report, and print a summary."""
    from excerpt.errors import json_text, one_line, plural

    if result.becomes_folder():
        note(f"{output}: too large for one file, the report becomes a folder")
    saved = result.save(output)
    world = result.world
    counts = {
        "runs": len(world.table.runs),
        "topics": len(world.table.topics),
        "documents": len(world.document_names),
    }
    short = {"short_of_budget": world.table.short_of_budget} if world.table.short_of_budget else {}
    if output != "-" and format_ == "json":
        facts = {"path": saved.path, "bytes": saved.size, "folder": saved.folder, **counts, **short}
        print(json_text({**facts, **world.table.decided(), "verdict": world.verdict()}))
    elif output != "-":
        listed = ", ".join(plural(number, noun.removesuffix("s")) for noun, number in counts.items())
        page = os.path.join(saved.path, "index.html")  # noqa: PTH118
        more = f"; a folder, since one file would be too large: open {page}" if saved.folder else ""
        print(one_line(f"{saved.path}: {listed}, {saved.size / 1e6:.1f} MB{more}"))
        print(one_line(world.verdict()))


_OF_TEXTS = (*options.OPENING, options.TOPICS)


@command(
    "show",
    options.QRELS.but(setting=None),
    options.RUN,
    Option("topic", "id of the topic, such as CU17", (), metavar="TOPIC", required=True),
    Option("document", "show only this document, in full (default: all)", (), metavar="DOCUMENT"),
    *without(options.READING, options.CORPUS, *_OF_TEXTS, options.CONTEXT, *options.CHOICE),
    options.MAX_SIZE,
    options.MEASURES.but(help="measure, such as MAiP; may be repeated (default: AiP, charP, charR)"),
    options.CORPUS.but(help=corpus_help("documents, to print their text"), group=options.DISPLAY),
    *(option.but(group=options.DISPLAY) for option in _OF_TEXTS),
    options.BLOCKS,
    options.count(
        "top",
        "show documents without relevant text only if they are in the first N results (default: 10)",
        default=10,
        group=options.DISPLAY,
    ),
    options.count(
        "around",
        "characters of context around marked text (default: 80)",
        ("--context",),
        default=80,
        group=options.DISPLAY,
    ),
    *options.TERMINAL,
    options.FORMAT.but(
        help="output format (default: text)",
        kind=choice("text", "json"),
        default="text",
        group=options.DISPLAY,
    ),
    *options.POLICY,
    example="excerpt show qrels.fol runs/p-bm25.fol.gz CU17 --corpus docs.zip",
)
def show_main(arguments: Arguments) -> None:
    """Print the topic."""
    from excerpt.render.terminal import MEASURES as DEFAULT
    from excerpt.render.terminal import show

    shown = show(
        arguments.qrels,
        arguments.run,
        arguments.topic,
        arguments.document,
        blocks=arguments.blocks,
        measures=arguments.measures or DEFAULT,
        top=arguments.top,
        context=arguments.around,
        notices=own_notices(),
        **reading(arguments),
    )
    if arguments.format == "json":
        text = shown.to_json()
    else:
        text = shown.text(chosen_width(arguments), colours=chosen_colours(arguments))
    write_text(text, "-")
    show_warnings(shown.warnings)
