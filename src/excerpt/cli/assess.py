"""excerpt assess: commands of a campaign that exists, but for serving it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from excerpt import options
from excerpt.cli import CAMPAIGN
from excerpt.cli.console import note
from excerpt.cli.output import chosen_format, ending_of, format_options, write_result
from excerpt.cli.parser import Parser, reading
from excerpt.errors import ExcerptError, UnknownName, json_text, one_line, plural
from excerpt.options import Option, choice

if TYPE_CHECKING:
    from excerpt.assess.export import Export
    from excerpt.assess.people import Person

#: Formats by the ending of the file that is written.
_ENDINGS = {".fol": "fol", ".xml": "inex", ".jsonl": "jsonl", ".trec": "trec"}
_SERVED = options.CAMPAIGN_FOLDER.but(help=f"{options.CAMPAIGN_FOLDER.help}; it may be served meanwhile")
_DOCUMENTS = options.CORPUS.but(help="the documents, where they are no longer there")


def assess_parser() -> Parser:
    """The arguments of excerpt assess: another command, and what it takes."""
    named = Option("command", "one of those above", (), metavar="COMMAND", required=True)
    result = Parser("assess", named, example="excerpt assess demo")
    result.usage = "excerpt assess COMMAND …"
    lines = [f"  {name:<9} {text}" for name, text in CAMPAIGN.items()]
    hint = "excerpt assess COMMAND --help explains one."
    result.description = "\n".join([f"{result.description}", "", "commands:", *lines, "", hint])
    return result


def assess_main(given: Sequence[str]) -> None:
    """Explain the commands; those that there are have been called by their own names before."""
    if not given or given[0] in {"-h", "--help"}:
        assess_parser().parse(given)
    raise UnknownName("command of assess", given[0], CAMPAIGN)


def people_parser() -> Parser:
    """The arguments of excerpt assess people."""
    return Parser(
        "assess people",
        options.CAMPAIGN_FOLDER,
        Option(
            "action",
            "add (prints a line for each name: the name, a tab, the link; who is there already gets a new "
            "link, and the old one ends), remove (their links end; what they judged stays), or list",
            (),
            kind=choice("add", "remove", "list"),
            metavar="ACTION",
            required=True,
        ),
        Option("names", "names to add or to remove", (), metavar="NAME", many=True),
        example="excerpt assess people campaign add ann bob > links.tsv",
    )


def people_main(given: Sequence[str]) -> None:
    """Add, remove or list; also while the campaign is served."""
    arguments = people_parser().parse(given)
    _check_people(arguments)
    from excerpt.assess.campaign import Campaign
    from excerpt.assess.people import check_name
    from excerpt.web.campaign_server import choose_port
    from excerpt.web.server import link_to, write_address

    with Campaign.open(arguments.folder) as campaign:
        if arguments.action == "list":
            for person in campaign.people():
                print(one_line(person.name), "removed" if person.removed else "assessor", sep="\t")
        elif arguments.action == "remove":
            _need_known(arguments.names, campaign.people())
            for name in arguments.names:
                campaign.remove_person(name)
        else:
            names = [check_name(name) for name in arguments.names]  # all of them, before the first is added
            address = write_address(campaign.settings.host, choose_port(campaign))
            for name in names:
                print(name, link_to(address, campaign.add_person(name)), sep="\t")


def _check_people(arguments: argparse.Namespace) -> None:
    """An error for names that are too many or too few."""
    names = arguments.names or []
    if arguments.action == "list" and names:
        raise ExcerptError(f"found names for list ({names[0]}), expected none")
    if arguments.action != "list" and not names:
        raise ExcerptError(f"found nobody to {arguments.action}, expected one name or more")
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ExcerptError(f"found {twice[0]} twice, expected each name once")


def _need_known(names: Sequence[str], people: Sequence[Person]) -> None:
    """An error for somebody who does not take part, before anybody is removed."""
    known = [person.name for person in people if not person.removed]
    for name in names:
        if name not in known:
            raise UnknownName("assessor", name, known)


def status_parser() -> Parser:
    """The arguments of excerpt assess status."""
    return Parser(
        "assess status", _SERVED, *format_options("the progress"), example="excerpt assess status CAMPAIGN"
    )


def status_main(given: Sequence[str]) -> None:
    """Print the progress."""
    arguments = status_parser().parse(given)
    format_ = chosen_format(arguments)
    from excerpt.assess.campaign import Campaign
    from excerpt.assess.progress import Progress, status

    with Campaign.open(arguments.folder) as campaign:
        progress = Progress(status(campaign))
    write_result(progress, arguments, format_)


def export_parser() -> Parser:
    """The arguments of excerpt assess export."""
    return Parser(
        "assess export",
        _SERVED,
        options.OUTPUT.but(
            help="the file to write (- for standard output), for inex also a folder with a file per topic; "
            "OUT.about.json tells where the judgments come from",
            default=None,
            metavar="OUT",
            required=True,
            beside=".about.json",
        ),
        Option(
            "to",
            "format (default: by the ending of OUT, else fol, or inex where elements are graded)",
            kind=choice(*_ENDINGS.values()),
        ),
        Option(
            "merge",
            "how judgments of several assessors become one: text that any (union), all (intersection) "
            "or more than half of them highlighted; what one alone finished stays as it is, entry point and "
            "all (default: one, an error where there are several)",
            kind=choice("one", "union", "majority", "intersection"),
            default="one",
        ),
        Option("assessor", "the judgments of one assessor", metavar="NAME"),
        Option("unfinished", "also what was begun and nobody finished yet", kind=options.FLAG, default=False),
        _DOCUMENTS,
        options.FORMAT,
        example="excerpt assess export CAMPAIGN -o qrels.fol --merge majority",
        settings=False,
    )


def export_main(given: Sequence[str]) -> None:
    """Write the judgments; what is left out is told."""
    made = export_parser()
    arguments = made.parse(given)
    from excerpt.assess.campaign import Campaign
    from excerpt.assess.export import exported, write_export

    with Campaign.open(arguments.folder, corpus=arguments.corpus) as campaign:
        export = exported(
            campaign,
            to=arguments.to or _ENDINGS.get(ending_of(arguments.output)),
            merge=arguments.merge,
            assessor=arguments.assessor,
            unfinished=arguments.unfinished,
            command=made.command(),
        )
        notes = write_export(export, arguments.output)
    if arguments.output != "-":
        _say(export, arguments.output, arguments.format)
    for each in notes:
        note(each)


def _say(export: Export, file: str, format_: str) -> None:
    """What was written, and how much of the pool it is."""
    counts = export.about["counts"]
    if format_ == "json":
        print(json_text({"path": file, "format": export.format, **counts}))
    else:
        found = f"{counts['exported']} of {plural(counts['pool'], 'document')}, {counts['relevant']} relevant"
        print(one_line(f"{file}: {found}"))
    sys.stdout.flush()


def agreement_parser() -> Parser:
    """The arguments of excerpt assess agreement."""
    return Parser(
        "assess agreement",
        _SERVED,
        options.RUNS.but(
            help="runs to rank by either's judgments (default: those of the pool, if they are found "
            "unchanged)",
            required=False,
        ),
        options.MEASURES.but(
            help="measure; may be repeated (default: MAiP and iP[0.01]; MAep where grades are all there is)"
        ),
        options.SEED.but(help="seed of the intervals (default: 1)"),
        options.SAMPLES.but(help="resamples for the intervals (default: 1000)", default=1000),
        options.INDEX,
        options.MAX_SIZE,
        options.RUN_FORMAT.but(help="format of the runs (default: recognised)"),
        _DOCUMENTS,
        *format_options("the agreement"),
        options.ORDER,
        *options.POLICY,
        example="excerpt assess agreement CAMPAIGN runs/*.fol -m MAiP",
        settings=False,
    )


def agreement_main(given: Sequence[str]) -> None:
    """Compare and print."""
    arguments = agreement_parser().parse(given)
    format_ = chosen_format(arguments)
    from excerpt.assess.agreement import measure_agreement
    from excerpt.assess.campaign import Campaign
    from excerpt.notices import Notices

    how = reading(arguments)
    with Campaign.open(arguments.folder, corpus=how.pop("corpus", None)) as campaign:
        found = measure_agreement(
            campaign,
            arguments.runs,
            arguments.measures,
            seed=arguments.seed,
            samples=arguments.samples,
            notices=Notices(),
            **how,
        )
    write_result(found, arguments, format_)


def rebuild_parser() -> Parser:
    """The arguments of excerpt assess rebuild."""
    return Parser(
        "assess rebuild",
        options.CAMPAIGN_FOLDER.but(help=f"{options.CAMPAIGN_FOLDER.help}; nobody may serve it"),
        _DOCUMENTS.but(help="the documents, where they have moved"),
        example="excerpt assess rebuild campaign",
        settings=False,
    )


def rebuild_main(given: Sequence[str]) -> None:
    """Rebuild, and say how much there was."""
    arguments = rebuild_parser().parse(given)
    from excerpt.assess.creation import rebuild

    print(plural(rebuild(arguments.folder, corpus=arguments.corpus), "event"))
