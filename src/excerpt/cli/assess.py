"""excerpt assess people, status, export, agreement and rebuild: commands for an existing campaign."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from excerpt import options
from excerpt.cli import CAMPAIGN
from excerpt.cli.console import note, own_notices, show_warnings, warn
from excerpt.cli.output import chosen_format, extension_of, format_options, write_result
from excerpt.cli.parser import Arguments, command, command_of_several, reading
from excerpt.errors import ExcerptError, UnknownName, json_text, one_line, plural
from excerpt.options import Option, choice

if TYPE_CHECKING:
    from excerpt.assess.campaign import Campaign
    from excerpt.assess.export import Export

#: Formats of judgments by extension of the file.
_EXTENSIONS = {".fol": "fol", ".xml": "inex", ".jsonl": "jsonl", ".trec": "trec"}
_TOOLS = ("doccano", "label-studio", "brat", "uima", "web-annotation", "fira")
SERVED = options.CAMPAIGN_FOLDER.but(help=f"{options.CAMPAIGN_FOLDER.help}, also while it is served")
DOCUMENTS = options.CORPUS.but(help="documents, if they have moved (default: as in campaign.toml)")

MERGE = Option(
    "merge",
    "how to merge judgments of several assessors on a document: reject them (one, default), or keep text "
    "highlighted by any (union), by more than half (majority; of two assessors this is the intersection) or "
    "by all of them (intersection), or take what was decided (adjudicated); documents with one assessor are "
    "exported unchanged",
    kind=choice("one", "union", "majority", "intersection", "adjudicated"),
    default="one",
)


command_of_several("assess", "command", CAMPAIGN, 14, "excerpt assess demo")


@contextlib.contextmanager
def open_campaign(folder: str, corpus: str | None = None, *, check: bool = True) -> Iterator[Campaign]:
    """Open a campaign that is sound; a note says if its procedure has another name now."""
    from excerpt.assess.campaign import Campaign
    from excerpt.assess.store import DAMAGE, explained

    with Campaign.open(folder, corpus=corpus) as campaign:
        if campaign.renamed:
            note(campaign.renamed)
        try:
            if check:
                campaign.check()
            yield campaign
        except DAMAGE as error:
            raise explained(error, campaign.recorder.store.path) from None


@command(
    "assess people",
    options.CAMPAIGN_FOLDER,
    Option(
        "action",
        "add (prints name, tab and link of each assessor; one who has a link gets a new one, and the old "
        "one expires), remove (links expire; judgments stay), or list",
        (),
        kind=choice("add", "remove", "list"),
        metavar="ACTION",
        required=True,
    ),
    Option("names", "people to add or to remove, such as ann bob", (), metavar="NAME", many=True),
    Option(
        "role",
        "with add: assessor (default), or adjudicator, who decides between assessors",
        kind=choice("assessor", "adjudicator"),
    ),
    example="excerpt assess people campaign add ann bob > links.tsv",
)
def people_main(arguments: Arguments) -> None:
    """Add, remove or list assessors, also while the campaign is served."""
    _check_people(arguments)
    from excerpt.assess.people import ASSESSOR, check_name
    from excerpt.web.campaign_server import address_of
    from excerpt.web.server import link_to

    with open_campaign(arguments.folder) as campaign:
        if arguments.action == "list":
            for person in campaign.people():
                print(one_line(person.name), "removed" if person.removed else person.role, sep="\t")
        elif arguments.action == "remove":
            assessors = [person.name for person in campaign.people() if not person.removed]
            for name in arguments.names:  # all names, before the first is removed
                if name not in assessors:
                    raise UnknownName("assessor", name, assessors)
            for name in arguments.names:
                campaign.remove_person(name)
        else:
            names = [check_name(name) for name in arguments.names]  # all names, before the first is added
            role = arguments.role or ASSESSOR
            for name in names:
                campaign.check_role(name, role)
            address = address_of(campaign)
            for name in names:
                print(name, link_to(address, campaign.add_person(name, role)), sep="\t")
            if role == ASSESSOR and campaign.permissions.table() is not None:
                note(f"new assessors have no documents yet: excerpt assess assign {arguments.folder}")


def _check_people(arguments: Arguments) -> None:
    names = arguments.names or []
    if arguments.action == "list" and names:
        raise ExcerptError(f"list takes no names, found {names[0]}")
    if arguments.action != "list" and not names:
        raise ExcerptError(f"no NAME given to {arguments.action}")
    if arguments.role and arguments.action != "add":
        raise ExcerptError(f"--role needs add, found {arguments.action}")
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise ExcerptError(f"found {repeated[0]} twice, expected each name once")


@command("assess status", SERVED, *format_options("the progress"), example="excerpt assess status campaign")
def status_main(arguments: Arguments) -> None:
    """Print the progress."""
    format_ = chosen_format(arguments)
    from excerpt.assess.progress import CampaignProgress, status

    with open_campaign(arguments.folder) as campaign:
        progress = CampaignProgress(status(campaign))
    write_result(progress, arguments, format_)


@command(
    "assess export",
    SERVED,
    options.OUTPUT.but(
        help="file to write (- for standard output), for inex also a folder with a file per topic; "
        "FILE.about.json contains the provenance",
        default=None,
        required=True,
        companion=".about.json",
    ),
    Option(
        "to",
        "format (default: by the extension of FILE, else fol, or inex if elements are graded); those of "
        "annotation tools have the judgments of each assessor, and are a folder if FILE has no extension",
        kind=choice(*_EXTENSIONS.values(), *_TOOLS),
    ),
    MERGE,
    Option(
        "undecided",
        "with --merge adjudicated, what becomes of documents that are not decided: an error (default), "
        "what any or all of their assessors highlighted (union, intersection), or left out (leave)",
        kind=choice("error", "union", "intersection", "leave"),
    ),
    Option("assessor", "export the judgments of this assessor only (default: all)", metavar="NAME"),
    options.flag("unfinished", "include documents in progress"),
    options.NO_FINGERPRINT,
    DOCUMENTS,
    options.FORMAT,
    example="excerpt assess export campaign -o judged.fol --merge union",
    settings=False,
)
def export_main(arguments: Arguments) -> None:
    """Write the judgments, and print what is left out."""
    from excerpt.assess.export import exported, write_export

    with open_campaign(arguments.folder, arguments.corpus) as campaign:
        export = exported(
            campaign,
            to=arguments.to or _EXTENSIONS.get(extension_of(arguments.output)),
            merge=arguments.merge,
            undecided=arguments.undecided,
            assessor=arguments.assessor,
            unfinished=arguments.unfinished,
            command=arguments.parser.command(),
            fingerprint=not arguments.no_fingerprint,
        )
        notes = write_export(export, arguments.output)
    if arguments.output != "-":
        _print_summary(export, arguments.output, arguments.format)
    for each in notes:
        note(each)
    show_warnings(export.warnings)


def _print_summary(export: Export, file: str, format_: str) -> None:
    counts = export.about["counts"]
    if format_ == "json":
        print(json_text({"path": file, "format": export.format, **counts}))
    else:
        text = f"{counts['exported']} of {plural(counts['pool'], 'document')}, {counts['relevant']} relevant"
        print(one_line(f"{file}: {text}"))
    sys.stdout.flush()


@command(
    "assess agreement",
    SERVED,
    options.RUNS.but(
        help="runs to rank by the judgments of each assessor (default: the runs of the pool, if unchanged)",
        required=False,
    ),
    options.MEASURES.but(
        help="measure; may be repeated (default: MAiP and iP[0.01]; MAep if there are only grades)"
    ),
    options.SEED.but(help="seed of the intervals (default: 1)"),
    options.SAMPLES.but(help="bootstrap samples of the intervals (default: 1000)", default=1000),
    options.flag(
        "per-document", "also list the documents, worst first: characters that only some highlighted"
    ),
    options.INDEX,
    options.MAX_SIZE,
    options.RUN_FORMAT,
    DOCUMENTS,
    *format_options("the agreement"),
    options.ORDER,
    *options.POLICY,
    example="excerpt assess agreement campaign runs/*.gz -m charP",
    settings=False,
)
def agreement_main(arguments: Arguments) -> None:
    """Print the agreement of assessors."""
    format_ = chosen_format(arguments)
    from excerpt.assess.agreement import measure_agreement

    how = reading(arguments)
    with open_campaign(arguments.folder, how.pop("corpus", None)) as campaign:
        how |= {"seed": arguments.seed, "samples": arguments.samples, "notices": own_notices()}
        how["per_document"] = arguments.per_document
        agreement = measure_agreement(campaign, arguments.runs, arguments.measures, **how)
    write_result(agreement, arguments, format_)


@command(
    "assess rebuild",
    options.CAMPAIGN_FOLDER.but(help=f"{options.CAMPAIGN_FOLDER.help}, while it is not served"),
    DOCUMENTS,
    options.flag(
        "as_far_as_possible",
        "rebuild what is certain from a damaged journal, and list what is lost",
        ("--as-far-as-possible",),
    ),
    example="excerpt assess rebuild campaign",
    settings=False,
)
def rebuild_main(arguments: Arguments) -> None:
    """Rebuild the database, and print the number of events."""
    from excerpt.assess.recovery import rebuild

    lost, partly = own_notices(), arguments.as_far_as_possible
    count = rebuild(arguments.folder, corpus=arguments.corpus, as_far_as_possible=partly, notices=lost)
    for each in lost:
        warn(each, kind="lost" if partly else "warning")
    print(plural(count, "event"))
