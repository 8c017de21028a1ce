"""excerpt assess export: judgments of a campaign as qrels."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from excerpt.cli import Parser
from excerpt.cli.output import ending_of
from excerpt.cli.telling import note
from excerpt.errors import ExcerptError, json_text, one_line, plural

if TYPE_CHECKING:
    from excerpt.assess.exporting import Export

_MERGES = ("one", "union", "majority", "intersection")
#: Formats by the ending of the file that is written.
_ENDINGS = {".fol": "fol", ".xml": "inex", ".jsonl": "jsonl", ".trec": "trec"}


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser(
        "assess export", example="excerpt assess export CAMPAIGN -o qrels.fol --merge majority", own=None
    )
    result.add_argument("folder", metavar="FOLDER", help="folder of the campaign; it may be served meanwhile")
    result.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="OUT",
        help="the file to write (- for standard output), for inex also a folder with a file per topic; "
        "OUT.about.json tells where the judgments come from",
    )
    result.add_argument(
        "--to",
        choices=tuple(_ENDINGS.values()),
        help="format (default: by the ending of OUT, else fol, or inex where elements are graded)",
    )
    result.add_argument(
        "--merge",
        choices=_MERGES,
        default="one",
        help="how judgments of several assessors become one: text that any (union), all (intersection) or "
        "more than half of them highlighted; what one alone finished stays as it is, entry point and all "
        "(default: one, an error where there are several)",
    )
    result.add_argument("--assessor", metavar="NAME", help="the judgments of one assessor")
    result.add_argument(
        "--unfinished", action="store_true", help="also what was begun and nobody finished yet"
    )
    result.add_argument("--corpus", metavar="CORPUS", help="the documents, where they are no longer there")
    result.add_argument(
        "--format",
        choices=("table", "json"),
        default="table",
        help="how to print what was written: in a line (table, the default) or as json",
    )
    return result


def main(given: Sequence[str]) -> None:
    """Write the judgments; what is left out is told."""
    arguments = parser().parse(given)
    _keep_campaign(arguments.folder, arguments.output)
    from excerpt.assess.campaign import Campaign
    from excerpt.assess.exporting import exported, write_export

    with Campaign.open(arguments.folder, corpus=arguments.corpus) as campaign:
        export = exported(
            campaign,
            to=arguments.to or _ENDINGS.get(ending_of(arguments.output)),
            merge=arguments.merge,
            assessor=arguments.assessor,
            unfinished=arguments.unfinished,
            command=shlex.join(["excerpt", "assess", "export", *given]),
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


def _keep_campaign(folder: str, output: str) -> None:
    """An error where a file of the campaign itself would be written over."""
    from excerpt.assess.folder import BACKUPS, DATABASE, JOURNAL, SETTINGS

    if output == "-":
        return
    home = Path(os.path.realpath(folder))
    for written in (output, f"{output}.about.json"):
        target = Path(os.path.realpath(written))
        own = {home / name for name in (BACKUPS, DATABASE, JOURNAL, SETTINGS)}
        if target == home or not own.isdisjoint({target, *target.parents}):
            raise ExcerptError("is a part of the campaign, expected another name for the output", path=output)
