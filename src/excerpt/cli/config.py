"""excerpt config: which settings hold here, and where each comes from."""

from __future__ import annotations

from collections.abc import Sequence

from excerpt.cli import Parser
from excerpt.cli.actions import ExpandFiles
from excerpt.cli.options import add_corpus, add_index, add_measures, add_policies
from excerpt.cli.output import add_format, chosen_format, write_result
from excerpt.cli.topic_choice import add_topics


def parser() -> Parser:
    """The arguments of the command: what others take, to see what it would change."""
    result = Parser("config", example="excerpt config --format json", own=None)
    result.add_argument("qrels", metavar="QRELS", nargs="?", help="judgments")
    result.add_argument("runs", metavar="RUN", nargs="*", action=ExpandFiles, help="runs")
    add_index(result)
    add_corpus(result, cut=False)
    add_topics(result)
    add_measures(result, "measure; may be repeated")
    add_format(result, "the settings")
    add_policies(result)
    return result


def main(given: Sequence[str]) -> None:
    """Look, print."""
    made = parser()
    arguments = made.parse(given)
    format_ = chosen_format(arguments)
    from excerpt.project.holding import config
    from excerpt.project.settings import SETTINGS

    options = {
        name: tuple(value) if isinstance(value := getattr(arguments, setting.dest), list) else value
        for name, setting in SETTINGS.items()
        if setting.dest in made.given
        or (setting.dest in {"qrels", "runs"} and getattr(arguments, setting.dest))
    }
    write_result(config(options), arguments, format_)
