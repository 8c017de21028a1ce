"""excerpt assess assign, extend, adjudicate and release: what an organiser does to a campaign."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from excerpt import options
from excerpt.cli.assess import DOCUMENTS, MERGE, SERVED, open_campaign
from excerpt.cli.console import note, own_notices, show_warnings
from excerpt.cli.output import chosen_format, format_options, write_result
from excerpt.cli.parser import Arguments, command
from excerpt.errors import one_line, plural, short_list
from excerpt.options import Option, choice, input_file

if TYPE_CHECKING:
    from excerpt.assess.assignment import AssignmentTable
    from excerpt.assess.campaign import Campaign


@command(
    "assess assign",
    SERVED,
    input_file(
        "file",
        "table, a line each: topic TAB name, or topic TAB document TAB name; it replaces the present one "
        "(default: print the present one)",
        flags=(),
        metavar="FILE",
    ),
    Option("by", "deal whole topics to all assessors, as evenly as possible", kind=choice("topic")),
    Option(
        "each",
        "deal documents to N assessors each, as evenly as possible",
        kind=options.COUNT,
        metavar="N",
    ),
    Option(
        "double",
        "with --by: proportion of topics that go to two assessors (default: 0); with --each: proportion "
        "of documents that go to N, the rest to one (default: 1)",
        kind=options.NUMBER,
        metavar="X",
    ),
    example="excerpt assess assign campaign --by topic --double 0.2",
    settings=False,
)
def assign_main(arguments: Arguments) -> None:
    """Change the assignment, or print it."""
    ways = {"FILE": arguments.file, "--by": arguments.by, "--each": arguments.each}
    given_ways = [name for name, value in ways.items() if value is not None]
    if len(given_ways) > 1:
        arguments.parser.error(f"{given_ways[0]} and {given_ways[1]} cannot be combined")
    if arguments.double is not None and given_ways not in (["--by"], ["--each"]):
        arguments.parser.error("--double needs --by topic or --each N")
    from excerpt.assess.assignment import read_table, table_lines

    with open_campaign(arguments.folder) as campaign:
        if not given_ways:
            for line in table_lines(campaign.permissions.current()):
                print(line)
            if campaign.permissions.is_open:
                note("every assessor may judge every document")
            return
        if arguments.file is not None:
            table = read_table(arguments.file, campaign)
        else:
            table = _dealt(campaign, arguments.each, arguments.double)
        campaign.permissions.assign(table)
        missing = [topic.id for topic in campaign.topics if topic.id not in table]
        for name, pairs in campaign.permissions.by_assessor(campaign.contents.pairs).items():
            print(one_line(name), len(pairs), sep="\t")
    if missing:
        show_warnings([f"{plural(len(missing), 'topic')} assigned to no assessor: {short_list(missing)}"])


def _dealt(campaign: Campaign, each: int | None, double: float | None) -> AssignmentTable:
    """Deal documents to so many assessors each, or whole topics."""
    from excerpt.assess.assignment import deal_documents, deal_topics

    if each is None:
        return deal_topics(campaign, double or 0.0)
    return deal_documents(campaign, each, 1.0 if double is None else double)


@command(
    "assess extend",
    SERVED,
    input_file("pool", "further documents or passages to judge, as written by excerpt pool", required=True),
    options.TOPICS.but(help="texts of topics that the campaign does not have yet", setting=None),
    DOCUMENTS,
    example="excerpt assess extend campaign --pool pool2.tsv",
    settings=False,
)
def extend_main(arguments: Arguments) -> None:
    """Add a pool, and print what is new."""
    from excerpt.assess.extension import extend

    notices = own_notices()
    with open_campaign(arguments.folder, arguments.corpus) as campaign:
        added = extend(campaign, arguments.pool, arguments.topics, notices=notices)
        table = campaign.permissions.table()
    print(f"added      {added.pairs}\ntopics     {added.topics}\ndocuments  {added.documents}")
    print(f"known      {added.known}", flush=True)
    show_warnings(notices)
    if table is not None and added.topics:
        note(f"new topics are assigned to no assessor yet: excerpt assess assign {arguments.folder}")


@command(
    "assess adjudicate",
    SERVED,
    *format_options("the documents to decide"),
    example="excerpt assess adjudicate campaign",
)
def adjudicate_main(arguments: Arguments) -> None:
    """List the documents to decide, those on which assessors differ most first."""
    format_ = chosen_format(arguments)
    from excerpt.assess.adjudication import adjudication

    with open_campaign(arguments.folder) as campaign:
        found = adjudication(campaign)
        deciding = campaign.permissions.people().names("adjudicator")
    write_result(found, arguments, format_)
    if found.documents and not deciding:
        note(f"nobody decides yet: excerpt assess people {arguments.folder} add NAME --role adjudicator")


@command(
    "assess release",
    SERVED,
    options.OUTPUT.but(help="archive to write, such as bundle.zip", default=None, required=True),
    options.ONLY,
    options.flag("anonymous", "write letters instead of the names of assessors, and leave out their notes"),
    MERGE.but(
        help=MERGE.help.replace("(one, default)", "(one)")
        + " (default: adjudicated if every document is decided, else union)",
        default=None,
    ),
    Option("licence", "licence of the judgments, such as CC-BY-4.0", metavar="TEXT"),
    Option("citation", "how to cite them, such as 'Ann: Judgments of clauses, 2026'", metavar="TEXT"),
    DOCUMENTS,
    example="excerpt assess release campaign -o bundle.zip --anonymous",
    settings=False,
)
def release_main(arguments: Arguments) -> None:
    """Write the archive."""
    from excerpt.assess.release import released
    from excerpt.files import write_bytes

    notices = own_notices()
    with open_campaign(arguments.folder, arguments.corpus) as campaign:
        data, notes = released(
            campaign,
            only=arguments.only,
            anonymous=arguments.anonymous,
            merge=arguments.merge,
            licence=arguments.licence or "",
            citation=arguments.citation or "",
            notices=notices,
        )
    write_bytes(arguments.output, data)
    if arguments.output != "-":
        print(one_line(f"{arguments.output}: {len(data)} bytes"))
    sys.stdout.flush()
    for each in notes:
        note(each)
    show_warnings(notices)
