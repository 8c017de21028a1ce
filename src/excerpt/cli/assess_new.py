"""excerpt assess new: the folder of a campaign, from documents, topics and a pool."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from excerpt.assess.procedures import DEFAULT, PROCEDURES, procedure_of
from excerpt.cli import Parser, show_warnings
from excerpt.cli.options import add_corpus
from excerpt.cli.telling import note
from excerpt.cli.topic_choice import add_choice, add_topics

if TYPE_CHECKING:
    from excerpt.assess.campaign import Campaign

#: Procedures with labels.
_LABELLED = " or ".join(name for name, procedure in PROCEDURES.items() if procedure.labels)


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser(
        "assess new",
        example="excerpt assess new campaign --corpus docs.zip --topics topics.xml --pool pool.tsv",
        own=("order", "qrels"),
    )
    result.add_argument("folder", metavar="FOLDER", help="folder to make; it must not exist, or be empty")
    add_corpus(result, "the documents", cut=False)
    add_topics(result)
    add_choice(result)
    result.add_argument(
        "--pool",
        metavar="FILE",
        help="what is to be judged, as excerpt pool writes it (default: what QRELS has, else all documents "
        "for all topics)",
    )
    result.add_argument("--title", metavar="T", help="title (default: the name of the folder)")
    _add_procedure(result)
    _add_sharing(result)
    _add_earlier(result)
    return result


def _add_procedure(parser: argparse.ArgumentParser) -> None:
    *others, last = PROCEDURES
    group = parser.add_argument_group("how it is judged")
    group.add_argument(
        "--procedure",
        default=DEFAULT,
        metavar="NAME",
        help=f"{', '.join(others)} or {last} (default: {DEFAULT}: highlight, and one best entry point)",
    )
    group.add_argument(
        "--label",
        action="append",
        dest="labels",
        metavar="NAME",
        help=f"label of the procedure {_LABELLED}; may be repeated (default: supports, contradicts)",
    )
    group.add_argument(
        "--suggestions",
        metavar="FILE",
        help="passages that a machine suggests, as JSON Lines: shown after a document is finished",
    )
    group.add_argument(
        "--control",
        type=float,
        metavar="X",
        help="share of the documents whose suggestions are never shown (default: 0.2)",
    )


def _add_sharing(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("who judges what")
    group.add_argument(
        "--double",
        type=float,
        metavar="X",
        help="give each document to one assessor, and this share of them to two (default: all to everybody)",
    )
    group.add_argument(
        "--order",
        metavar="NAME",
        help="order within a topic: pool, random, move-to-front or max-mean (default: pool)",
    )
    group.add_argument("--seed", type=int, metavar="N", help="seed of all that is random (default: 1)")


def _add_earlier(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("earlier judgments")
    group.add_argument("--qrels", metavar="QRELS", help="judgments to begin with")
    group.add_argument(
        "--qrels-as", metavar="NAME", help="whose judgments these are, in the campaign (default: imported)"
    )
    group.add_argument(
        "--qrels-format", metavar="FORMAT", help="their format (default: recognised; see excerpt formats)"
    )


#: Settings that are given on only where the user has named them: the campaign knows their defaults.
_SETTINGS = (
    *("pool", "title", "procedure", "labels", "suggestions", "control"),
    *("double", "order", "seed", "qrels", "qrels_as", "qrels_format"),
    *("only", "exclude"),
)


def main(given: Sequence[str]) -> None:
    """Check everything, make the folder, say what to do next."""
    made = parser()
    arguments = made.parse(given)
    _check(made, arguments)
    from excerpt.assess.campaign import Campaign
    from excerpt.notices import Notices
    from excerpt.web.campaign_server import choose_port

    asked: dict[str, Any] = {
        name: getattr(arguments, name) for name in _SETTINGS if getattr(arguments, name) is not None
    }
    notices = Notices()
    with Campaign.create(
        arguments.folder, corpus=arguments.corpus, topics=arguments.topics, notices=notices, **asked
    ) as campaign:
        choose_port(campaign)
        describe(campaign, arguments.folder)
    show_warnings(notices)
    note(f"next: excerpt assess people {arguments.folder} add NAME…")


def _check(made: Parser, arguments: argparse.Namespace) -> None:
    """An error for what is missing, and for an option that nothing would use."""
    for name in ("corpus", "topics"):
        if getattr(arguments, name) is None:
            made.error(f"the following arguments are required: --{name}")
    for name, other in (("qrels_as", "qrels"), ("qrels_format", "qrels"), ("control", "suggestions")):
        if getattr(arguments, name) is not None and getattr(arguments, other) is None:
            made.error(f"found --{name.replace('_', '-')} without --{other}, expected both")
    if arguments.labels and not procedure_of(arguments.procedure).labels:
        made.error(f"found --label with procedure {arguments.procedure}, expected --procedure {_LABELLED}")


def describe(campaign: Campaign, folder: str) -> None:
    """What a campaign has, a line each, on standard output."""
    from excerpt.errors import one_line

    items = len(campaign.contents.pairs)
    lines = {
        "campaign": one_line(folder),
        "procedure": campaign.settings.procedure,
        "topics": f"{len(campaign.topics)}",
        "documents": f"{len(campaign.documents)}",
        "to judge": f"{items}",
    }
    for name, value in lines.items():
        print(f"{name:<10} {value}")
