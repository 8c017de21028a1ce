"""excerpt assess new, demo and serve: create a campaign, and serve it to the browsers of assessors."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from excerpt import options
from excerpt.assess.procedures import DEFAULT, PROCEDURES, procedure_of
from excerpt.cli import REGISTERED, Command
from excerpt.cli.console import note, own_notices, show_warnings
from excerpt.cli.parser import Arguments, Parser, chosen, command
from excerpt.errors import ExcerptError, one_line
from excerpt.options import FLAG, NUMBER, Option, input_file

if TYPE_CHECKING:
    from excerpt.assess.campaign import Campaign
    from excerpt.pooling.pools import Pool

#: Topics of the demo that need no knowledge of law, and the number of documents of each.
_TOPICS = ("CU08", "CU05", "CU16", "CU19", "CU26")
_DOCUMENTS = 8
_NAME = "you"
_PROCEDURE, _ASSIGNMENT, _EARLIER = "procedure", "assignment", "earlier judgments"
_procedure, _assignment, _earlier = (
    partial(Option, group=name) for name in (_PROCEDURE, _ASSIGNMENT, _EARLIER)
)
#: Procedures with labels.
_LABELLED = " or ".join(name for name, procedure in PROCEDURES.items() if procedure.labels)
#: Options passed on only if given, since the campaign has their defaults.
_OPTIONAL = (
    *options.CHOICE,
    input_file(
        "pool",
        "documents or passages to judge, as written by excerpt pool (default: those of --qrels, else all "
        "documents for all topics)",
    ),
    Option("title", "title of the campaign (default: the name of FOLDER)", metavar="TEXT"),
    _procedure(
        "procedure", f"one of the procedures above (default: {DEFAULT})", default=DEFAULT, metavar="NAME"
    ),
    _procedure(
        "labels",
        f"label for procedure {_LABELLED}; may be repeated (default: supports, contradicts)",
        ("--label",),
        metavar="NAME",
        many=True,
    ),
    input_file(
        "guidelines",
        "guidelines that the page shows to assessors: Markdown with paragraphs, lists, emphasis, links",
        group=_PROCEDURE,
    ),
    input_file(
        "suggestions",
        "passages, or grades of whole documents, that a machine suggests: JSON Lines, TREC qrels, or a file "
        "of an annotation tool; shown after a document is finished",
        group=_PROCEDURE,
    ),
    _procedure(
        "control",
        "proportion of documents whose suggestions are never shown (default: 0.2)",
        kind=NUMBER,
        metavar="X",
    ),
    _assignment(
        "double",
        "assign each document to one assessor, and this proportion to two, such as 0.1 (default: all "
        "documents to all assessors)",
        kind=NUMBER,
        metavar="X",
    ),
    _assignment(
        "order",
        "order of documents in a topic: pool, random, move-to-front or max-mean (default: pool)",
        metavar="NAME",
    ),
    options.SEED.but(default=None, group=_ASSIGNMENT),
    options.QRELS.but(
        help="judgments to start with; may be repeated with names, such as --qrels y1=q1.jsonl, which are "
        "those of assessors in the campaign; JSON Lines with assessors keep theirs",
        flags=("--qrels",),
        metavar="[NAME=]FILE",
        required=False,
        many=True,
        setting=None,
        group=_EARLIER,
    ),
    _earlier("again", "let assessors judge again what these judgments finish", kind=FLAG, default=False),
    _earlier(
        "qrels-as",
        "assessor that gets the judgments of a file without a name (default: imported)",
        metavar="NAME",
    ),
    _earlier(
        "qrels-format", "format of these judgments (default: detected; see excerpt formats)", metavar="FORMAT"
    ),
)

#: All procedures, one line each.
_LISTED = [f"{name:<9}  {procedure.description}" for name, procedure in PROCEDURES.items()]


def new_parser() -> Parser:
    return Parser(
        "assess new",
        options.CAMPAIGN_FOLDER.but(help="folder to create, new or empty", role="writes", holds="folder"),
        options.CORPUS.but(help=options.corpus_help("documents"), required=True),
        *options.FILES,
        options.TOPICS.but(required=True),
        *_OPTIONAL,
        example="excerpt assess new campaign --corpus docs.zip --topics topics.xml \\\n    --pool pool.tsv",
        more="\n  ".join(["\n\nprocedures:", *_LISTED]),
    )


def new_main(given: Sequence[str]) -> None:
    """Check all input, create the folder, and print the next step; `--procedure` alone lists procedures."""
    if list(given) == ["--procedure"]:
        print("\n".join(_LISTED))
        return
    arguments = new_parser().parse(given)
    _check(arguments)
    from excerpt.assess.campaign import Campaign
    from excerpt.web.campaign_server import choose_port

    notices = own_notices()
    optional = chosen(arguments, (*_OPTIONAL, *options.FILES))
    if arguments.qrels:
        optional["qrels"] = _named(arguments.parser, arguments.qrels, optional.pop("qrels_as", "imported"))
    with Campaign.create(
        arguments.folder, corpus=arguments.corpus, topics=arguments.topics, notices=notices, **optional
    ) as campaign:
        choose_port(campaign)
        describe(campaign, arguments.folder)
    show_warnings(notices)
    note(f"next: excerpt assess people {arguments.folder} add NAME…")


REGISTERED["assess new"] = Command(new_main, new_parser)


def _check(arguments: Arguments) -> None:
    """Raise an error for an option that needs another one."""
    procedure_of(arguments.procedure)
    needs = {"qrels_as": "qrels", "qrels_format": "qrels", "again": "qrels", "control": "suggestions"}
    for name, other in needs.items():
        if getattr(arguments, name) not in {None, False} and not getattr(arguments, other):
            arguments.parser.error(f"--{name.replace('_', '-')} needs --{other}")
    if arguments.labels and not procedure_of(arguments.procedure).labels:
        arguments.parser.error(f"--label needs --procedure {_LABELLED}, found {arguments.procedure}")


def _named(parser: Parser, values: Sequence[str], default: str) -> dict[str, str]:
    """Return the files of judgments by name; a file whose own name contains = has the default."""
    files: dict[str, str] = {}
    for value in values:
        name, separator, file = value.partition("=")
        name, file = (name, file) if separator and not Path(value).exists() else (default, value)
        if name in files:
            parser.error(f"found two files of {name}, expected names for all: --qrels NAME=FILE")
        files[name] = file
    return files


def describe(campaign: Campaign, folder: str) -> None:
    """Print the contents of a campaign, one line each."""
    items = len(campaign.contents.pairs) - len(campaign.permissions.taken())
    lines = {
        "campaign": one_line(folder),
        "procedure": campaign.procedure.name,
        "topics": f"{len(campaign.topics)}",
        "documents": f"{len(campaign.lengths)}",
        "to judge": f"{items}",
    }
    for name, value in lines.items():
        print(f"{name:<10} {value}")


@command(
    "assess demo",
    options.CAMPAIGN_FOLDER.but(
        help="folder to keep the campaign in (default: a temporary one, removed when the server ends)",
        required=False,
    ),
    *options.SERVER,
    example="excerpt assess demo",
)
def demo_main(arguments: Arguments) -> None:
    """Create the campaign unless it exists, add an assessor, serve it, and open the assessor's page."""
    from excerpt.assess.campaign import Campaign
    from excerpt.web.server import ended_by_signal, require_web

    require_web()
    with ended_by_signal(), ExitStack() as stack:
        kept = arguments.folder
        folder = Path(kept or stack.enter_context(tempfile.TemporaryDirectory()) + "/campaign")
        if not (folder / "campaign.toml").exists():
            _make(folder)
        campaign = stack.enter_context(Campaign.open(folder))
        if {topic.id for topic in campaign.topics} != set(_TOPICS):  # a user's own campaign
            hint = f"excerpt assess serve {folder} serves it"
            message = "found another campaign, expected that of the demo"
            raise ExcerptError(message, path=str(folder), hint=hint)
        stack.enter_context(campaign.serve_lock())
        token = campaign.add_person(_NAME)
        note(f"the campaign is in {folder}" + ("" if kept else ", which is removed when the server ends"))
        show(campaign, arguments, opened=token)


def _make(folder: Path) -> None:
    from excerpt import collection
    from excerpt.assess.campaign import Campaign

    inputs = {"corpus": collection.corpus(), "topics": collection.topics(), "pool": _pool()}
    Campaign.create(folder, **inputs, title="Clauses of contracts", notices=own_notices()).close()


def _pool() -> Pool:
    """Return a pool with the first documents of some topics, in an order that mixes the runs."""
    import excerpt
    from excerpt import collection
    from excerpt.pooling.pools import Pool

    runs = [run.path for run in collection.runs("focused") if "random" not in run.name]
    full = excerpt.pool(runs, documents=_DOCUMENTS)
    items = [item for item in full.items if item.topic in _TOPICS and item.order <= _DOCUMENTS]
    items.sort(key=lambda item: (_TOPICS.index(item.topic), item.order))
    return Pool.of(items, inputs=full.inputs, settings=full.settings)


@command(
    "assess serve",
    options.CAMPAIGN_FOLDER,
    options.HOST.but(
        help="address to listen on; anything but loopback needs assessors with links (default: 127.0.0.1)"
    ),
    options.PORT.but(
        help="port to listen on, kept in the campaign since links contain it (default: that of the "
        "campaign; 0: a free port)"
    ),
    options.NO_BROWSER,
    Option(
        "names",
        "further host name of the server, such as that of a proxy; may be repeated, and is kept in the "
        "campaign (default: the names given last time)",
        ("--name",),
        metavar="HOST",
        many=True,
    ),
    Option(
        "url",
        "address of a proxy in front of the server, such as https://host/prefix, for all links; kept in "
        "the campaign (default: the one given last time; '' for none)",
        metavar="URL",
    ),
    options.CORPUS.but(help="documents, if they have moved (default: as in campaign.toml)"),
    example="excerpt assess serve campaign",
    settings=False,
)
def serve_main(arguments: Arguments) -> None:
    """Serve a campaign; standard output has the organiser's link, messages are on standard error."""
    from excerpt.cli.assess import open_campaign
    from excerpt.web.server import ended_by_signal, require_web

    require_web()
    with (
        ended_by_signal(),
        open_campaign(arguments.folder, arguments.corpus, check=False) as campaign,
        campaign.serve_lock(),
    ):
        show(campaign, arguments)


def show(campaign: Campaign, arguments: argparse.Namespace, *, opened: str | None = None) -> None:
    """Serve a locked campaign: open its port, check its documents, print its link.

    If `opened` is the token of an assessor, their link is printed first and opened in the browser.
    """
    from excerpt.web.campaign_server import UNENCRYPTED, choose_port, moved_from, open_place, serve_campaign
    from excerpt.web.server import find_address, link_to

    show_warnings(campaign.notices)
    host = arguments.host
    port = choose_port(campaign) if arguments.port is None else arguments.port
    names, url = getattr(arguments, "names", None) or (), getattr(arguments, "url", None)
    place = open_place(campaign, host, port, names, url)
    with place.listening:
        campaign.check_corpus()
        if (before := moved_from(campaign, place)) and campaign.people():
            note(f"earlier links, and unsaved work in browsers, still point to {before}")
        campaign.set_address(place.host, place.port, names=place.further, url=place.url)
        if not find_address(host).is_loopback:
            show_warnings([UNENCRYPTED])
        if not campaign.permissions.people().names():
            note(f"no assessors yet: excerpt assess people {campaign.folder} add NAME… prints their links")

        def begin(link: str) -> None:
            if opened is None:
                print(link, flush=True)
                note("this is the organiser's link; Ctrl-C ends the server")
            else:  # cookies are kept by host name, so the second link has another name of this machine
                print(link_to(place.address, opened), link.replace("//127.0.0.1:", "//localhost:"), sep="\n")
                sys.stdout.flush()
                note("first the assessor's link, then the organiser's link; Ctrl-C ends the server")

        serve_campaign(campaign, place, begin=begin, browser=not arguments.no_browser, opened=opened)
