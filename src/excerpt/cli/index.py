"""excerpt index: offsets of the elements of an XML corpus."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from excerpt import options
from excerpt.cli.console import ProgressBar, own_notices, show_warnings, warn
from excerpt.cli.parser import Arguments, chosen, command
from excerpt.errors import ExcerptError, one_line
from excerpt.options import Option, OptionKind, choice

if TYPE_CHECKING:
    from excerpt.index import BrokenDocument

_TAGS_SHOWN = 20
_BROKEN_SHOWN = 5


def _share(value: Any) -> tuple[int, int]:
    """Return a shard I/N, such as 3/16, as two numbers."""
    match = re.fullmatch(r"([1-9]\d{0,8})/([1-9]\d{0,8})", str(value), re.ASCII)
    if match is None or int(match[1]) > int(match[2]):
        raise options.invalid(value, "I/N such as 3/16, I from 1 to N")
    return int(match[1]), int(match[2])


_SHARE = Option(
    "share",
    "build only shard I of N, such as 3/16, in INDEX.parts; the command without --share joins the shards",
    kind=OptionKind(_share),
    metavar="I/N",
    decides=False,
)
_BUILDING = (
    options.CORPUS.but(
        help="folder, .tar, .tar.gz, .tar.zst or .zip with XML files (- for a tar on standard input)",
        flags=(),
        setting=None,
    ),
    options.OUTPUT.but(help="folder to write the index to", default=None, metavar="INDEX"),
    Option(
        "ids",
        "document ids: file names without extension (stem, default) or relative paths (path)",
        kind=choice("stem", "path"),
        default="stem",
    ),
    *options.CUTTING,
    Option(
        "unit",
        "unit of offsets: characters, i.e. code points (char, default), or bytes (byte)",
        kind=choice("char", "byte"),
        default="char",
    ),
    options.flag("keep-text", "include the text, so that the index can be used as a corpus (--corpus INDEX)"),
    options.flag("stop-at-fault", "stop at the first broken document (default: leave it out with a warning)"),
    _SHARE,
    _SHARE.but(help=argparse.SUPPRESS, flags=("--shard",)),  # its name in version 0.1
    options.WORKERS.but(
        help="number of processes that share the documents (default: 1, or all processors from about 200 MB "
        "on; with --share 1)"
    ),
    options.CLUSTER.but(help=options.CLUSTER.help.replace("the runs", "the documents")),
)
_HOW = tuple(option for option in _BUILDING[2:] if option.name not in {"stop-at-fault", "share"})


@command(
    "index",
    *_BUILDING,
    Option("info", "print statistics of an existing index", metavar="INDEX", role="reads", holds="index"),
    options.count("tags", "with --info: number of tags to list (default: 20)"),
    options.MAX_SIZE,
    options.FORMAT.but(help="output format (default: table)"),
    example="excerpt index docs.zip -o corpus.index --workers 2",
)
def main(arguments: Arguments) -> None:
    """Build an index, or describe one."""
    if arguments.info:
        for option in _BUILDING:
            if getattr(arguments, option.dest) != option.default:
                shown = f"--{option.name}" if option.written else option.metavar
                raise ExcerptError(f"{shown} and --info cannot be combined: --info only describes an index")
        _describe(arguments)
        return
    if arguments.tags:
        raise ExcerptError("--tags needs --info INDEX", hint="try excerpt index --help")
    if not arguments.corpus or not arguments.output:
        raise ExcerptError("CORPUS and -o INDEX are required", hint="try excerpt index --help")
    if arguments.share:
        _build_shard(arguments)
        return
    from excerpt.indexing.builder import build_index

    with ProgressBar("indexing") as progress:
        how = {**chosen(arguments, _HOW), "stop_at_fault": arguments.stop_at_fault, "progress": progress}
        if "workers" not in arguments.parser.given:
            how["workers"] = None
        report = build_index(arguments.corpus, arguments.output, **how)
    _warn_broken(report.broken, arguments.output)
    show_warnings(report.notices)
    counts = {name: getattr(report, name) for name in ("documents", "elements", "characters")}
    _print({"index": arguments.output, **counts, "broken": len(report.broken)}, arguments.format)


def _warn_broken(broken: Sequence[BrokenDocument], index: str) -> None:
    """Print warnings for the first broken documents; a wrong corpus may have millions."""
    for document in broken[:_BROKEN_SHOWN]:
        where = document.path if document.line is None else f"{document.path}:{document.line}"
        warn(f"{where}: {document.message}", kind="left out")
    if (more := len(broken) - _BROKEN_SHOWN) > 0:
        warn(f"{more} more; excerpt index --info {index} --format json lists all", kind="left out")


def _build_shard(arguments: Arguments) -> None:
    if arguments.stop_at_fault:
        hint = "give --stop-at-fault to the command that joins the shards"
        raise ExcerptError("--stop-at-fault and --share cannot be combined", hint=hint)
    from excerpt.indexing.builder import build_share

    share, of = arguments.share
    notices = own_notices()
    how = chosen(arguments, _HOW)
    parts = build_share(arguments.corpus, arguments.output, share, of, notices=notices, **how)
    show_warnings(tuple(notices))
    _print({"share": f"{share}/{of}", "of index": arguments.output, "parts": parts}, arguments.format)


def _describe(arguments: Arguments) -> None:
    from excerpt.index import OffsetIndex

    index = OffsetIndex.open(arguments.info)
    index.verify()
    statistics = index.statistics()
    tags, shown = statistics.tags, arguments.tags or _TAGS_SHOWN
    listed = ", ".join(f"{tag} {number}" for tag, number in list(tags.items())[:shown])
    listed += f", and {len(tags) - shown} more" if len(tags) > shown else ""
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
            "tags": tags if arguments.format == "json" else listed,
        },
        arguments.format,
    )


def _print(facts: dict[str, object], format_: str) -> None:
    if format_ == "json":
        import json

        print(json.dumps(facts, indent=2, ensure_ascii=False))
        return
    for name, value in facts.items():
        print(one_line(f"{name:<15} {f'{value:.2f}' if isinstance(value, float) else value}"))
