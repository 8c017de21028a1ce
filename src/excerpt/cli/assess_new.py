"""excerpt assess new and demo: the folder of a campaign, from documents, topics and a pool."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from excerpt.assess.procedures import DEFAULT, PROCEDURES, procedure_of
from excerpt.cli.console import note, show_warnings
from excerpt.cli.parser import Parser, chosen
from excerpt.errors import ExcerptError, one_line
from excerpt.options import (
    CAMPAIGN_FOLDER,
    CHOICE,
    CORPUS,
    NUMBER,
    QRELS,
    SEED,
    SERVER,
    TOPICS,
    Option,
    corpus_help,
)

if TYPE_CHECKING:
    from excerpt.assess.campaign import Campaign
    from excerpt.pooling.pools import Pool

#: Topics of which a reader need not be a lawyer, and how many documents of each.
_TOPICS = ("CU08", "CU05", "CU16", "CU19", "CU26")
_DOCUMENTS = 8
_NAME = "you"
_JUDGED, _SHARED, _EARLIER = "how it is judged", "who judges what", "earlier judgments"
#: Procedures with labels.
_LABELLED = " or ".join(name for name, procedure in PROCEDURES.items() if procedure.labels)
#: Settings that are given on only where the user has named them: the campaign knows their defaults.
_ASKED = (
    *CHOICE,
    Option(
        "pool",
        "what is to be judged, as excerpt pool writes it (default: what QRELS has, else all documents "
        "for all topics)",
        metavar="FILE",
        role="reads",
    ),
    Option("title", "title (default: the name of the folder)", metavar="T"),
    Option(
        "procedure",
        f"{', '.join(list(PROCEDURES)[:-1])} or {list(PROCEDURES)[-1]} (default: {DEFAULT}: highlight, and "
        "one best entry point)",
        default=DEFAULT,
        metavar="NAME",
        group=_JUDGED,
    ),
    Option(
        "labels",
        f"label of the procedure {_LABELLED}; may be repeated (default: supports, contradicts)",
        ("--label",),
        metavar="NAME",
        many=True,
        group=_JUDGED,
    ),
    Option(
        "suggestions",
        "passages that a machine suggests, as JSON Lines: shown after a document is finished",
        metavar="FILE",
        role="reads",
        group=_JUDGED,
    ),
    Option(
        "control",
        "share of the documents whose suggestions are never shown (default: 0.2)",
        kind=NUMBER,
        metavar="X",
        group=_JUDGED,
    ),
    Option(
        "double",
        "give each document to one assessor, and this share of them to two (default: all to everybody)",
        kind=NUMBER,
        metavar="X",
        group=_SHARED,
    ),
    Option(
        "order",
        "order within a topic: pool, random, move-to-front or max-mean (default: pool)",
        metavar="NAME",
        group=_SHARED,
    ),
    SEED.but(help="seed of all that is random (default: 1)", default=None, group=_SHARED),
    QRELS.but(
        help="judgments to begin with", flags=("--qrels",), required=False, setting=None, group=_EARLIER
    ),
    Option(
        "qrels-as",
        "whose judgments these are, in the campaign (default: imported)",
        metavar="NAME",
        group=_EARLIER,
    ),
    Option(
        "qrels-format",
        "their format (default: recognised; see excerpt formats)",
        metavar="FORMAT",
        group=_EARLIER,
    ),
)


def new_parser() -> Parser:
    """The arguments of excerpt assess new."""
    return Parser(
        "assess new",
        CAMPAIGN_FOLDER.but(
            help="folder to make; it must not exist, or be empty", role="writes", holds="folder"
        ),
        CORPUS.but(help=corpus_help("the documents"), required=True),
        TOPICS.but(required=True),
        *_ASKED,
        example="excerpt assess new campaign --corpus docs.zip --topics topics.xml --pool pool.tsv",
    )


def new_main(given: Sequence[str]) -> None:
    """Check everything, make the folder, say what to do next."""
    made = new_parser()
    arguments = made.parse(given)
    _check(made, arguments)
    from excerpt.assess.campaign import Campaign
    from excerpt.notices import Notices
    from excerpt.web.campaign_server import choose_port

    notices = Notices()
    asked = chosen(arguments, _ASKED)
    with Campaign.create(
        arguments.folder, corpus=arguments.corpus, topics=arguments.topics, notices=notices, **asked
    ) as campaign:
        choose_port(campaign)
        describe(campaign, arguments.folder)
    show_warnings(notices)
    note(f"next: excerpt assess people {arguments.folder} add NAME…")


def _check(made: Parser, arguments: argparse.Namespace) -> None:
    """An error for an option that nothing would use."""
    for name, other in (("qrels_as", "qrels"), ("qrels_format", "qrels"), ("control", "suggestions")):
        if getattr(arguments, name) is not None and getattr(arguments, other) is None:
            made.error(f"found --{name.replace('_', '-')} without --{other}, expected both")
    if arguments.labels and not procedure_of(arguments.procedure).labels:
        made.error(f"found --label with procedure {arguments.procedure}, expected --procedure {_LABELLED}")


def describe(campaign: Campaign, folder: str) -> None:
    """What a campaign has, a line each, on standard output."""
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


def demo_parser() -> Parser:
    """The arguments of excerpt assess demo."""
    return Parser(
        "assess demo",
        CAMPAIGN_FOLDER.but(
            help="folder to keep the campaign in (default: a temporary one, which ends with the server)",
            required=False,
        ),
        *SERVER,
        example="excerpt assess demo",
    )


def demo_main(given: Sequence[str]) -> None:
    """Make the campaign unless it is there, add somebody who judges, serve, open their page."""
    arguments = demo_parser().parse(given)
    from excerpt.assess.campaign import Campaign
    from excerpt.cli.assess_serve import show
    from excerpt.web.server import ended_by_signal, require_web

    require_web()
    with ended_by_signal(), ExitStack() as stack:
        kept = arguments.folder
        folder = Path(kept or stack.enter_context(tempfile.TemporaryDirectory()) + "/campaign")
        if not (folder / "campaign.toml").exists():
            _make(folder)
        campaign = stack.enter_context(Campaign.open(folder))
        if {topic.id for topic in campaign.topics} != set(_TOPICS):  # nobody is added to somebody's own work
            hint = f"excerpt assess serve {folder} serves it"
            raise ExcerptError(
                "found another campaign, expected that of the demo", path=str(folder), hint=hint
            )
        stack.enter_context(campaign.serve_lock())
        token = campaign.add_person(_NAME)
        note(f"the campaign is in {folder}" + ("" if kept else ", which is removed when the server ends"))
        show(
            campaign,
            host=arguments.host,
            port=arguments.port,
            names=(),
            browser=not arguments.no_browser,
            opened=token,
        )


def _make(folder: Path) -> None:
    """The campaign: what runs of the collection found for some topics."""
    from excerpt import collection
    from excerpt.assess.campaign import Campaign
    from excerpt.notices import Notices

    Campaign.create(
        folder,
        corpus=collection.corpus(),
        topics=collection.topics(),
        pool=_pool(),
        title="Clauses of contracts",
        notices=Notices(),
    ).close()


def _pool() -> Pool:
    """The first documents of some topics, in an order that mixes the runs."""
    import excerpt
    from excerpt import collection
    from excerpt.pooling.pools import Pool

    runs = [run.path for run in collection.runs("focused") if "random" not in run.name]
    whole = excerpt.pool(runs, documents=_DOCUMENTS)
    items = [item for item in whole.items if item.topic in _TOPICS and item.order <= _DOCUMENTS]
    items.sort(key=lambda item: (_TOPICS.index(item.topic), item.order))
    return Pool.of(items, inputs=whole.inputs, settings=whole.settings)
