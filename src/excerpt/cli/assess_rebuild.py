"""excerpt assess rebuild: the database of a campaign, made again from its journal."""

from __future__ import annotations

from collections.abc import Sequence

from excerpt.cli import Parser


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser("assess rebuild", example="excerpt assess rebuild campaign", own=None)
    result.add_argument("folder", metavar="FOLDER", help="folder of the campaign; nobody may serve it")
    result.add_argument("--corpus", metavar="CORPUS", help="the documents, where they have moved")
    return result


def main(given: Sequence[str]) -> None:
    """Rebuild, and say how much there was."""
    arguments = parser().parse(given)
    from excerpt.assess.rebuilding import rebuild
    from excerpt.errors import plural

    print(plural(rebuild(arguments.folder, corpus=arguments.corpus), "event"))
