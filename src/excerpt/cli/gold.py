"""excerpt gold: questions with quotes, written in the browser beside one's own documents."""

from __future__ import annotations

from excerpt import options
from excerpt.cli import FURTHER
from excerpt.cli.console import note, show_warnings
from excerpt.cli.parser import Arguments, chosen_corpus, command, command_of_several
from excerpt.errors import ExcerptError
from excerpt.options import Option, corpus_help

WRITING = {"new": FURTHER["gold new"]}


command_of_several("gold", "command", WRITING, 9, "excerpt gold new gold.jsonl --corpus docs")


@command(
    "gold new",
    Option(
        "gold",
        "gold file to write: JSON Lines of questions with quotes; one that exists is gone on with",
        (),
        metavar="GOLD",
        required=True,
        role="writes",
        companion=".journal",
    ),
    options.CORPUS.but(help=corpus_help("documents to quote"), required=True, metavar="DOCS"),
    Option(
        "drafts",
        "gold file of questions with quotes that a model wrote, to accept, mend or reject",
        metavar="FILE",
        role="reads",
    ),
    *options.OPENING,
    options.HOST,
    options.PORT.but(help="port to listen on (default: that of the last time, else a free one)"),
    options.NO_BROWSER,
    options.MAX_SIZE,
    example="excerpt gold new gold.jsonl --corpus docs",
)
def gold_new_main(arguments: Arguments) -> None:
    """Serve a gold file; standard output has the link, messages are on standard error."""
    if arguments.gold == "-":
        raise ExcerptError("found - as GOLD, expected the name of a file")
    from excerpt.authoring.gold_session import GoldSession
    from excerpt.formats.source import open_corpus
    from excerpt.web.gold_server import open_gold_port, serve_gold
    from excerpt.web.server import ended_by_signal, listen, require_web

    require_web()
    listen(arguments.host, arguments.port or 0).close()  # errors show before any file is written
    corpus = open_corpus(chosen_corpus(arguments))
    assert corpus is not None
    with ended_by_signal():
        session = GoldSession(arguments.gold, corpus, arguments.drafts)
        try:
            show_warnings(session.said)
            note(f"{arguments.gold}: {session.summary()}")
            if drafts := session.drafts_summary():
                note(drafts)

            def begin(link: str) -> None:
                print(link, flush=True)
                note("open the link in a browser of this machine; Ctrl-C ends the server")

            with open_gold_port(session, arguments.host, arguments.port) as listening:
                serve_gold(session, listening, begin=begin, browser=not arguments.no_browser)
        finally:
            note(f"{arguments.gold}: {session.summary()}")
            session.close()
