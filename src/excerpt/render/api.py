"""The reference page of the public names, by what one wants to do; Sphinx takes the texts from the code."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import NamedTuple

import excerpt


class Group(NamedTuple):
    """Names that belong together."""

    title: str
    names: tuple[str, ...]


GROUPS = (
    Group("Evaluating", ("evaluate", "curve", "evaluate_chunks", "inex_eval", "trec_eval", "parse_measure")),
    Group("What is evaluated", ("Run", "Result", "Judgments", "Span", "Policy", "Chunks", "place", "topics")),
    Group("Scores", ("ScoreTable", "save_scores", "load_scores", "Measure")),
    Group(
        "Is the difference real?",
        (
            *("compare", "anova", "power", "gate", "assert_not_worse"),
            *("correlate", "agreement", "testerror", "stability", "rerun"),
        ),
    ),
    Group("Looking at it", ("report", "explore", "show", "explain", "funnel")),
    Group("Documents and elements", ("Corpus", "build_index", "OffsetIndex")),
    Group(
        "Files",
        (
            *("read_run", "read_judgments", "read_gold", "read_topics", "write_run", "write_judgments"),
            *("convert", "check"),
        ),
    ),
    Group("Pools", ("pool", "Pool", "read_pool")),
    Group("In a shell", ("config", "completion")),
    Group("Mistakes and doubts", ("ExcerptError", "ExcerptWarning", "Notices")),
)


def groups() -> tuple[Group, ...]:
    """All public names, each in one group; those that no group names come last."""
    known = {name for group in GROUPS for name in group.names}
    rest = tuple(name for name in excerpt.__all__ if name not in known)
    return (*GROUPS, *([Group("More", rest)] if rest else []))


def api_page(chosen: Sequence[Group] = ()) -> str:
    """The page, for Sphinx: every public name with its signature, its text and its example."""
    parts = [
        "# Python",
        "",
        "What `import excerpt` gives. Every command has a function of the same name; options are keyword",
        "arguments. Wherever a file is read, a path, bytes, an open file or an object in memory will do.",
    ]
    for group in chosen or groups():
        parts += ["", f"## {group.title}"]
        for name in group.names:
            kind = "class" if inspect.isclass(getattr(excerpt, name)) else "function"
            parts += ["", "```{eval-rst}", f".. auto{kind}:: excerpt.{name}"]
            parts += ["   :members:", "   :undoc-members:"] if kind == "class" else []
            parts += ["```"]
    return "\n".join(parts) + "\n"
