"""excerpt index: where every element of an XML corpus begins and ends."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from excerpt.cli import Parser, show_warnings
from excerpt.cli.cut_corpus import add_cutting, chosen_cutting
from excerpt.cli.options import add_engine, add_limits, count
from excerpt.cli.telling import warn
from excerpt.errors import ExcerptError, one_line

if TYPE_CHECKING:
    from excerpt.index import BrokenDocument

_SHOWN = 20
_BROKEN_SHOWN = 5


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser("index", example="excerpt index corpus/ -o corpus.index --workers 2")
    result.add_argument(
        "corpus",
        metavar="CORPUS",
        nargs="?",
        help="folder, .tar, .tar.gz, .tar.zst or .zip of XML files (- for a tar on standard input)",
    )
    result.add_argument("-o", "--output", metavar="INDEX", help="folder to write the index to")
    result.add_argument("--info", metavar="INDEX", help="print statistics of an existing index")
    result.add_argument(
        "--tags",
        type=count,
        metavar="N",
        help="with --info: how many tags to list (default: 20)",
    )
    result.add_argument(
        "--ids",
        default="stem",
        choices=("stem", "path"),
        help="document ids: file names (default) or relative paths",
    )
    add_cutting(result)
    result.add_argument(
        "--unit",
        default="char",
        choices=("char", "byte"),
        help="what offsets count: code points (default) or bytes",
    )
    result.add_argument(
        "--keep-text",
        action="store_true",
        help="keep the text, too, so that the index serves as a corpus (--corpus INDEX)",
    )
    result.add_argument(
        "--stop-at-fault",
        action="store_true",
        help="stop at the first broken document; else it is left out, with a warning",
    )
    add_limits(result)
    add_engine(result, "documents")
    result.add_argument(
        "--share",
        type=_share,
        metavar="I/N",
        help="make only share I of N, in INDEX.parts; the same command without --share puts them together",
    )
    # Its name in version 0.1, which scripts may use.
    result.add_argument("--shard", type=_share, dest="share", help=argparse.SUPPRESS)
    result.add_argument(
        "--format",
        default="table",
        choices=("table", "json"),
        help="how to print the report (default: table)",
    )
    return result


def main(given: Sequence[str]) -> None:
    """Build an index, or describe one."""
    arguments = parser().parse(given)
    if arguments.info:
        _refuse_building(arguments)
        _describe(arguments)
        return
    if arguments.tags:
        raise ExcerptError("found --tags without --info", hint="try excerpt index --help")
    if not arguments.corpus or not arguments.output:
        raise ExcerptError("found no CORPUS or no -o INDEX, expected both", hint="try excerpt index --help")
    if arguments.share:
        _make_share(arguments)
        return
    from excerpt.cli.streams import Progress
    from excerpt.index import build_index

    with Progress("indexing") as progress:
        report = build_index(
            arguments.corpus,
            arguments.output,
            ids=arguments.ids,
            **chosen_cutting(arguments),
            unit=arguments.unit,
            keep_text=arguments.keep_text,
            stop_at_fault=arguments.stop_at_fault,
            workers=arguments.workers,
            cluster=arguments.cluster,
            progress=progress,
        )
    _tell_left_out(report.broken, arguments.output)
    show_warnings(report.notices)
    _print(
        {
            "index": arguments.output,
            "documents": report.documents,
            "elements": report.elements,
            "characters": report.characters,
            "broken": len(report.broken),
        },
        arguments.format,
    )


def _refuse_building(arguments: argparse.Namespace) -> None:
    """An error where an index is to be described and built at once."""
    defaults = parser()
    told = (
        "corpus",
        "output",
        "ids",
        "document_tag",
        "id_from",
        "unit",
        "keep_text",
        "stop_at_fault",
        "share",
        "workers",
        "cluster",
    )
    for name in told:
        if getattr(arguments, name) != defaults.get_default(name):
            shown = "CORPUS" if name == "corpus" else f"--{name.replace('_', '-')}"
            raise ExcerptError(f"found {shown} with --info, which only describes an index")


def _tell_left_out(broken: Sequence[BrokenDocument], index: str) -> None:
    """The first broken documents; a wrong corpus may have millions."""
    for document in broken[:_BROKEN_SHOWN]:
        place = document.path if document.line is None else f"{document.path}:{document.line}"
        warn(f"{place}: {document.message}", kind="left out")
    if (more := len(broken) - _BROKEN_SHOWN) > 0:
        warn(f"{more} more; excerpt index --info {index} --format json lists all of them", kind="left out")


def _share(text: str) -> tuple[int, int]:
    """A share of the work such as 3/16, for argparse."""
    found = re.fullmatch(r"([1-9]\d{0,8})/([1-9]\d{0,8})", text, re.ASCII)
    if found is None or int(found[1]) > int(found[2]):
        raise argparse.ArgumentTypeError(f"found {text!r}, expected I/N such as 3/16, I from 1 to N")
    return int(found[1]), int(found[2])


def _make_share(arguments: argparse.Namespace) -> None:
    if arguments.stop_at_fault:
        raise ExcerptError(
            "found --stop-at-fault with --share, expected one of them",
            hint="give --stop-at-fault to the command that puts the shares together",
        )
    from excerpt.index import build_share
    from excerpt.notices import Notices

    share, of = arguments.share
    notices = Notices()
    parts = build_share(
        arguments.corpus,
        arguments.output,
        share,
        of,
        ids=arguments.ids,
        **chosen_cutting(arguments),
        unit=arguments.unit,
        keep_text=arguments.keep_text,
        workers=arguments.workers,
        cluster=arguments.cluster,
        notices=notices,
    )
    show_warnings(tuple(notices))
    _print({"share": f"{share}/{of}", "of index": arguments.output, "parts": parts}, arguments.format)


def _describe(arguments: argparse.Namespace) -> None:
    from excerpt.index import OffsetIndex

    index = OffsetIndex.open(arguments.info)
    index.verify()
    statistics = index.statistics()
    _print(
        {
            "index": arguments.info,
            "format version": index.format_version,
            "unit": index.unit,
            "text": "kept" if index.has_text else "not kept",
            "fingerprint": index.fingerprint,
            "documents": statistics.documents,
            "broken": statistics.broken,
            **({"broken documents": list(map(vars, index.broken))} if arguments.format == "json" else {}),
            "elements": statistics.elements,
            "characters": statistics.characters,
            "mean depth": statistics.mean_depth,
            "max depth": statistics.max_depth,
            "mean length": statistics.mean_length,
            "mean elements": statistics.mean_elements,
            "tags": statistics.tags
            if arguments.format == "json"
            else _most(statistics.tags, arguments.tags or _SHOWN),
        },
        arguments.format,
    )


def _most(tags: dict[str, int], shown: int) -> str:
    listed = ", ".join(f"{tag} {number}" for tag, number in list(tags.items())[:shown])
    return listed + (f", and {len(tags) - shown} more" if len(tags) > shown else "")


def _print(facts: dict[str, object], format_: str) -> None:
    if format_ == "json":
        import json

        print(json.dumps(facts, indent=2, ensure_ascii=False))
        return
    for name, value in facts.items():
        print(one_line(f"{name:<15} {f'{value:.2f}' if isinstance(value, float) else value}"))
