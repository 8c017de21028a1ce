"""Options that several commands share."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from excerpt.cli.actions import ExpandFiles, Once, SetLimit
from excerpt.cli.cut_corpus import add_cutting
from excerpt.cli.gold import add_context, chosen_context
from excerpt.cli.ids import add_ids, chosen_ids
from excerpt.cli.topic_choice import add_choice, add_target, add_topics, chosen_topics

if TYPE_CHECKING:
    from excerpt.cli import Parser
    from excerpt.index import OffsetIndex
    from excerpt.model import Policy


def add_files(parser: Parser, *, elements: bool = True, saved: bool = False) -> None:
    """QRELS, RUN… and how to read them; options of graded `elements`; `saved`: scores may stand for both."""
    qrels, runs = ("; or saved scores", " (none with saved scores, or more of them)") if saved else ("", "")
    help_ = f"judgments: a file, or a folder with one file per topic{qrels}"
    parser.add_argument("qrels", metavar="QRELS", nargs="?", help=help_)
    parser.need("qrels", "QRELS, RUN" if saved else "QRELS")
    help_ = f"run files, folders of them, or @LIST of their names{runs}"
    parser.add_argument("runs", metavar="RUN", nargs="*", action=ExpandFiles, help=help_)
    if not saved:
        parser.need("runs", "RUN")
    add_reading(parser, elements=elements)
    add_engine(parser, "runs")


def add_reading(
    parser: argparse.ArgumentParser, *, elements: bool = True, context: bool = True, choice: bool = True
) -> None:
    """How judgments and runs are read: index, limits, formats, topics; and options of graded `elements`."""
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
    add_target(parser)
    if choice:
        add_choice(parser)


def add_limits(parser: argparse.ArgumentParser) -> None:
    """--max-size: how much a compressed file may unpack to."""
    parser.add_argument(
        "--max-size",
        action=SetLimit,
        metavar="SIZE",
        help="refuse compressed files that unpack to more, such as 8G (or set EXCERPT_MAX_SIZE)",
    )


def add_measures(parser: Parser, help_: str, *, required: bool = False) -> None:
    """-m NAME, as often as there are measures."""
    if required:
        parser.need("measures", "-m/--measure")
    parser.add_argument(
        "-m",
        "--measure",
        dest="measures",
        action="append",
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


def add_corpus(
    parser: argparse._ActionsContainer,
    what: str = "the documents, which tell how long they are",
    *,
    cut: bool = True,
) -> None:
    """--corpus: the text of the documents; `cut`: its files may have many each (see `chosen_corpus`)."""
    parser.add_argument(
        "--corpus",
        action=Once,
        metavar="CORPUS",
        help=f"{what}: a folder, an archive, a file, an index with text",
    )
    if cut:
        add_cutting(parser)


def add_texts(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """The text of documents and topics, for what is shown; more may join the group."""
    group = parser.add_argument_group("what is shown")
    add_corpus(group, "the documents")
    add_topics(group)
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
        **chosen_topics(arguments),
    }


#: The limit where none is given, which is read when it is needed.
_USUAL = "usual"


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
        default=_USUAL,
        metavar="N",
        help="results per topic that count, or none for all (default: 1500; none for whole documents)",
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

    asked = (item.name for item in fields(Policy) if hasattr(arguments, item.name))
    return Policy(**{name: getattr(arguments, name) for name in asked})


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
    if text == _USUAL:
        from excerpt.model.usual_limit import USUAL_LIMIT

        return USUAL_LIMIT
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
