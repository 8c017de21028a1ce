"""Saved scores where a command asks for judgments and runs: `excerpt compare scores.json -m MAiP`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, cast

from excerpt.cli.options import add_corpus, add_policies, add_reading
from excerpt.cli.topic_choice import chosen_topics
from excerpt.errors import ExcerptError

if TYPE_CHECKING:
    from excerpt.experiments.study import Evaluating
    from excerpt.model.scores import ScoreTable


def has_saved(arguments: argparse.Namespace) -> bool:
    """Whether saved scores were given; an error where anything else stands beside them."""
    from excerpt.files import is_scores

    saved = [is_scores(name) for name in (arguments.qrels, *arguments.runs)]
    if not saved[0] and not arguments.runs:
        raise ExcerptError(
            "found no RUN, expected runs after the judgments", hint="saved scores need none: they have them"
        )
    if saved[0] and not all(saved):
        raise ExcerptError(
            "found no saved scores, expected them after those of the first file",
            path=arguments.runs[saved.index(False) - 1],
        )
    if saved[0]:
        _refuse_reading(arguments)
    return saved[0]


def saved_table(arguments: argparse.Namespace) -> ScoreTable:
    """All saved scores as one table, of all measures and topics or of those asked for."""
    from excerpt.experiments.study import known_topics
    from excerpt.formats.scores import load_all
    from excerpt.measures import expand

    table = load_all([arguments.qrels, *arguments.runs])
    table = table.select(expand(arguments.measures)) if arguments.measures else table
    asked = {"topics": arguments.topics, **chosen_topics(arguments)}
    return known_topics(table, cast("Evaluating", asked))


def _refuse_reading(arguments: argparse.Namespace) -> None:
    """An error for options that say how runs are read or scored: saved scores are what they are."""
    reading = argparse.ArgumentParser(add_help=False)
    add_reading(reading, choice=False)
    for add in (add_corpus, add_policies):
        add(reading)
    for name, default in vars(reading.parse_args([])).items():
        if getattr(arguments, name, default) != default:
            option = f"--{name.replace('_', '-')}"
            raise ExcerptError(f"found {option} with saved scores, expected it only with runs to evaluate")
