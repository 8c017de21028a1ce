"""excerpt assess assign, extend and release: assignments, further pools and the archive of a campaign."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from excerpt import options
from excerpt.cli.assess import DOCUMENTS, MERGE, SERVED, open_campaign
from excerpt.cli.console import note, show_warnings
from excerpt.cli.parser import Parser
from excerpt.errors import one_line, plural, short_list
from excerpt.options import Option, choice, input_file


def assign_parser() -> Parser:
    return Parser(
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
            "double",
            "with --by: proportion of topics that go to two assessors (default: 0)",
            kind=options.NUMBER,
            metavar="X",
        ),
        example="excerpt assess assign campaign --by topic --double 0.2",
        settings=False,
    )


def assign_main(given: Sequence[str]) -> None:
    """Change the assignment, or print it."""
    parser = assign_parser()
    arguments = parser.parse(given)
    if arguments.file and arguments.by:
        parser.error("FILE and --by cannot be combined")
    if arguments.double is not None and not arguments.by:
        parser.error("--double needs --by topic")
    from excerpt.assess.assignment import deal_topics, read_table, table_lines

    with open_campaign(arguments.folder) as campaign:
        if not arguments.file and not arguments.by:
            for line in table_lines(campaign.permissions.current()):
                print(line)
            if campaign.permissions.is_open:
                note("every assessor may judge every document")
            return
        table = (
            deal_topics(campaign, arguments.double or 0.0)
            if arguments.by
            else read_table(arguments.file, campaign)
        )
        campaign.permissions.assign(table)
        missing = [topic.id for topic in campaign.topics if topic.id not in table]
        for name, pairs in campaign.permissions.by_assessor(campaign.contents.pairs).items():
            print(one_line(name), len(pairs), sep="\t")
    if missing:
        show_warnings([f"{plural(len(missing), 'topic')} assigned to no assessor: {short_list(missing)}"])


def extend_parser() -> Parser:
    return Parser(
        "assess extend",
        SERVED,
        input_file(
            "pool", "further documents or passages to judge, as written by excerpt pool", required=True
        ),
        options.TOPICS.but(help="texts of topics that the campaign does not have yet", setting=None),
        DOCUMENTS,
        example="excerpt assess extend campaign --pool pool2.tsv",
        settings=False,
    )


def extend_main(given: Sequence[str]) -> None:
    """Add a pool, and print what is new."""
    arguments = extend_parser().parse(given)
    from excerpt.assess.extension import extend
    from excerpt.notices import Notices

    notices = Notices()
    with open_campaign(arguments.folder, arguments.corpus) as campaign:
        added = extend(campaign, arguments.pool, arguments.topics, notices=notices)
        table = campaign.permissions.table()
    print(f"added      {added.pairs}\ntopics     {added.topics}\ndocuments  {added.documents}")
    print(f"known      {added.known}", flush=True)
    show_warnings(notices)
    if table is not None and added.topics:
        note(f"new topics are assigned to no assessor yet: excerpt assess assign {arguments.folder}")


def release_parser() -> Parser:
    return Parser(
        "assess release",
        SERVED,
        options.OUTPUT.but(help="archive to write, such as bundle.zip", default=None, required=True),
        options.ONLY,
        options.flag(
            "anonymous", "write letters instead of the names of assessors, and leave out their notes"
        ),
        MERGE.but(
            help=MERGE.help.replace("(one, default)", "(one)").replace("(union)", "(union, default)"),
            default="union",
        ),
        DOCUMENTS,
        example="excerpt assess release campaign -o bundle.zip --anonymous",
        settings=False,
    )


def release_main(given: Sequence[str]) -> None:
    """Write the archive."""
    arguments = release_parser().parse(given)
    from excerpt.assess.release import released
    from excerpt.files import write_bytes

    with open_campaign(arguments.folder, arguments.corpus) as campaign:
        data, notes = released(
            campaign, only=arguments.only, anonymous=arguments.anonymous, merge=arguments.merge
        )
    write_bytes(arguments.output, data)
    if arguments.output != "-":
        print(one_line(f"{arguments.output}: {len(data)} bytes"))
    sys.stdout.flush()
    for each in notes:
        note(each)
