"""Options that several commands share."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

from excerpt.cli.gold import add_context, chosen_context
from excerpt.cli.ids import add_ids, chosen_ids

if TYPE_CHECKING:
    from excerpt.index import OffsetIndex
    from excerpt.model import Policy


def add_files(parser: argparse.ArgumentParser, *, elements: bool = True, saved: bool = False) -> None:
    """QRELS, RUN… and how to read them; options of graded `elements`; `saved`: scores may stand for both."""
    qrels, runs = ("; or saved scores", " (none with saved scores, or more of them)") if saved else ("", "")
    help_ = f"judgments: a file, or a folder with one file per topic{qrels}"
    parser.add_argument("qrels", metavar="QRELS", help=help_)
    help_ = f"run files, folders of them, or @LIST of their names{runs}"
    parser.add_argument("runs", metavar="RUN", nargs="*" if saved else "+", action=ExpandFiles, help=help_)
    add_reading(parser, elements=elements)
    add_engine(parser, "runs")


def add_reading(parser: argparse.ArgumentParser, *, elements: bool = True, context: bool = True) -> None:
    """How judgments and runs are read: index, limits, formats; and options of graded `elements`."""
    if context:
        add_context(parser)
    add_index(parser)
    add_limits(parser)
    if elements:
        _add_elements(parser)
    parser.add_argument(
        "--run-format", metavar="FORMAT", help="format of the runs (default: recognised; see excerpt formats)"
    )
    parser.add_argument(
        "--qrels-format",
        metavar="FORMAT",
        help="format of the judgments (default: recognised; see excerpt formats)",
    )
    add_ids(parser)


class ExpandFiles(argparse.Action):
    """Names of files, where a folder stands for the files in it and @LIST for the names in a file."""

    def __call__(self, *given: Any, **_: Any) -> None:
        """Keep the expanded names."""
        from excerpt.errors import ExcerptError
        from excerpt.files import STDIN, expand

        _parser, namespace, names, *_option = given
        files = expand(names)
        if [getattr(namespace, "qrels", None), *files].count(STDIN) > 1:
            raise ExcerptError("standard input can be read once", hint="give one of the two as a file")
        setattr(namespace, self.dest, files)


def add_limits(parser: argparse.ArgumentParser) -> None:
    """--max-size: how much a compressed file may unpack to."""
    parser.add_argument(
        "--max-size",
        action=_SetLimit,
        metavar="SIZE",
        help="refuse compressed files that unpack to more, such as 8G (or set EXCERPT_MAX_SIZE)",
    )


class _SetLimit(argparse.Action):
    """Sets the limit where the processes that share the work find it, too."""

    def __call__(self, *given: Any, **_: Any) -> None:
        """Check the size and set it."""
        from excerpt.files.compression import LIMIT, parse_size

        os.environ[LIMIT] = str(parse_size(given[2]))


def add_measures(parser: argparse.ArgumentParser, help_: str, *, required: bool = False) -> None:
    """-m NAME, as often as there are measures."""
    parser.add_argument(
        "-m",
        "--measure",
        dest="measures",
        action="append",
        required=required,
        metavar="NAME",
        help=help_,
    )


def add_engine(parser: argparse.ArgumentParser, items: str) -> None:
    """--workers or --cluster: who does the work."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--workers", type=count, default=1, metavar="N", help=f"processes that share the {items} (default: 1)"
    )
    group.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help=f"Dask cluster that shares the {items}, such as tcp://host:8786 (see the docs)",
    )


def _add_elements(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("measures of elements")
    group.add_argument(
        "--drop-tags",
        type=names,
        default=(),
        metavar="TAG,TAG",
        help="leave out elements with these tags, as INEX 2006 did with links",
    )
    group.add_argument(
        "--quantisations",
        metavar="FILE",
        help="TOML file with quantisations of your own (see the docs)",
    )


def names(text: str) -> tuple[str, ...]:
    """Names with commas between them, for argparse."""
    return tuple(filter(None, (name.strip() for name in text.split(","))))


def add_index(parser: argparse.ArgumentParser) -> None:
    """--index: where element paths become spans."""
    parser.add_argument(
        "--index", metavar="INDEX", help="index of the corpus, needed for element paths (see excerpt index)"
    )


class Once(argparse.Action):
    """An option that is refused where it is given twice: one of the two would not count."""

    def __call__(self, *given: Any, **_: Any) -> None:
        """Keep the value."""
        from excerpt.errors import ExcerptError

        _parser, namespace, value, option = given
        if (first := getattr(namespace, self.dest)) is not None:
            raise ExcerptError(
                f"found {option} {first} and {option} {value}, expected it once",
                hint="a folder, or a pattern such as 'docs/*', names several files",
            )
        setattr(namespace, self.dest, value)


def add_corpus(
    parser: argparse._ActionsContainer, what: str = "the documents, which tell how long they are"
) -> None:
    """--corpus: the text of the documents."""
    parser.add_argument(
        "--corpus",
        action=Once,
        metavar="CORPUS",
        help=f"{what}: a folder, an archive, a file, an index with text",
    )


def add_texts(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """The text of documents and topics, for what is shown; more may join the group."""
    group = parser.add_argument_group("what is shown")
    add_corpus(group, "the documents")
    group.add_argument("--topics", metavar="FILE", help="titles and questions of the topics")
    group.add_argument(
        "--blocks", metavar="FILE", help="TOML file with the blocks that further XML tags are (see the docs)"
    )
    return group


def open_index(path: str | None) -> OffsetIndex | None:
    """The index a user named, if any."""
    if path is None:
        return None
    from excerpt.index import OffsetIndex

    return OffsetIndex.open(path)


def scoring(arguments: argparse.Namespace) -> dict[str, Any]:
    """How runs are read and scored, and by whom: keyword arguments of `evaluate` and `curve`."""
    return {"workers": arguments.workers, "cluster": arguments.cluster, **reading(arguments)}


def reading(arguments: argparse.Namespace) -> dict[str, Any]:
    """How runs are read and scored: what the options of `add_reading` and `add_policies` say."""
    return {
        **chosen_context(arguments),
        "policy": chosen_policy(arguments),
        "index": open_index(arguments.index),
        "run_format": arguments.run_format,
        "qrels_format": arguments.qrels_format,
        "order": arguments.order,
        "drop_tags": arguments.drop_tags,
        "quantisations": arguments.quantisations or (),
        **chosen_ids(arguments),
    }


def add_policies(parser: argparse.ArgumentParser) -> None:
    """What to do with runs that break a task's rules, and which topics count."""
    group = parser.add_argument_group("policies")
    group.add_argument(
        "--overlap",
        default="error",
        choices=("error", "first", "penalise", "allow"),
        help="results that share text: refuse the run (error, the default), count each character once "
        "(first), count it as relevant once but as read every time (penalise), or count it every time "
        "(allow); measures that define overlap themselves, such as charP, ignore this",
    )
    group.add_argument(
        "--interleaved",
        default="error",
        choices=("error", "regroup"),
        help="documents whose results are not next to each other, for in-context measures: refuse the run "
        "(error, the default) or move them together (regroup)",
    )
    group.add_argument(
        "--unknown",
        default="count",
        choices=("count", "error"),
        help="results that do not exist or end beyond their document: count them as irrelevant (count, the "
        "default) or refuse the run (error)",
    )
    group.add_argument(
        "--unknown-length",
        type=length,
        default="error",
        metavar="error|mean|N",
        help="whole documents of unknown length, for measures of text: refuse the run (error, the default), "
        "take the mean of the known lengths (mean), or take N characters",
    )
    group.add_argument(
        "--limit",
        type=limit,
        default=1500,
        metavar="N",
        help="results per topic that count, or none for all (default: 1500)",
    )
    group.add_argument(
        "--order",
        choices=("file", "rank", "score"),
        help="order of the results (default: that of the file; TREC runs by score, then by document id, both "
        "descending)",
    )
    group.add_argument(
        "--only-run-topics", action="store_true", help="leave out topics that are not in the run"
    )
    group.add_argument("--include-empty", action="store_true", help="count topics without relevant text as 0")


def chosen_policy(arguments: argparse.Namespace) -> Policy:
    """What the options of `add_policies` say."""
    from dataclasses import fields

    from excerpt.model import Policy

    return Policy(**{item.name: getattr(arguments, item.name) for item in fields(Policy)})


def count(text: str, least: int = 1) -> int:
    """A number of at least 1, for argparse."""
    try:
        value = int(text)
    except ValueError:
        value = -1
    if value < least:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a whole number of at least {least}")
    return value


def count_from_zero(text: str) -> int:
    """A number of at least 0, for argparse."""
    return count(text, least=0)


def limit(text: str) -> int | None:
    """A number of results, or none for all, for argparse."""
    if text.lower() in {"none", "all"}:
        return None
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a whole number of at least 1, or none")
    return int(text)


def length(text: str) -> int | str:
    """A number of characters, or what to do without one, for argparse."""
    if text in {"error", "mean"}:
        return text
    if not (text.isascii() and text.isdecimal() and 1 <= int(text) < 1 << 31):
        raise argparse.ArgumentTypeError(f"found {text!r}, expected error, mean or a number of characters")
    return int(text)
