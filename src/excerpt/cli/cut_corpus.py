"""Options of files that have many documents each: how they are cut."""

from __future__ import annotations

import argparse
from typing import Any

from excerpt.errors import ExcerptError


def add_cutting(parser: argparse._ActionsContainer) -> None:
    """--document-tag and --id-from: what is a document of a file of many, and where its id stands."""
    parser.add_argument(
        "--document-tag",
        metavar="TAG",
        help="files have many documents each: every element TAG is one (files of TREC's are known as such)",
    )
    parser.add_argument(
        "--id-from",
        metavar="PATH",
        help="with --document-tag: where the id of a document stands in it, such as header/id or @id "
        "(default: DOCNO, else @id)",
    )


def chosen_cutting(arguments: argparse.Namespace) -> dict[str, Any]:
    """What the options of `add_cutting` say: keyword arguments of `build_index` and `Corpus.read`."""
    return {"document_tag": arguments.document_tag, "id_from": arguments.id_from}


def check_cutting(arguments: argparse.Namespace) -> bool:
    """Whether a corpus is to be cut; an error where there is none."""
    given = [name for name, value in chosen_cutting(arguments).items() if value is not None]
    if given and arguments.corpus is None:
        raise ExcerptError(
            f"found --{given[0].replace('_', '-')} without --corpus, expected files to cut into documents"
        )
    return bool(given)


def chosen_corpus(arguments: argparse.Namespace) -> Any:
    """The corpus that was named; opened where it is to be cut, since its name does not say how."""
    if not check_cutting(arguments):
        return arguments.corpus
    from excerpt.corpus import Corpus

    context = getattr(arguments, "context", None)
    how: Any = context if isinstance(context, str) else "paragraph"  # `show` means something else by it
    return Corpus.read(arguments.corpus, context=how, **chosen_cutting(arguments))
