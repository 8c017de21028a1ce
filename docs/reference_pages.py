"""Reference pages of formats, commands and the Python API, generated from the code."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import NamedTuple

import excerpt
from excerpt.cli import COMMANDS, FURTHER, command_of, overview
from excerpt.formats import judgments_formats, run_formats


def formats_page() -> str:
    """Documentation of all formats, each with an example."""
    parts = [
        "# Formats",
        "",
        "Formats are detected by content. Files may be compressed (gzip, bzip2, xz, zstandard).",
        "For columns in another order, name them: `columns:topic,-,document,start,length` is a format of",
        "runs and judgments. Columns are `topic`, `document`, `start`, `end` or `length`, `path`, `rank`,",
        "`score`, `tag` and `relevance`; `-` skips a column.",
    ]
    for title, formats in (("Runs", run_formats()), ("Judgments", judgments_formats())):
        parts += ["", f"## {title}", "", "| name | layout | content | written |", f"|{' --- |' * 4}"]
        for name, format_ in formats.items():
            layout = format_.layout.replace("|", "\\|")
            written = "yes" if format_.write else "no"
            parts.append(f"| `{name}` | `{layout}` | {format_.description} | {written} |")
        for name, format_ in formats.items():
            named = " Its files look like those of another format, so it must be named." * format_.by_name
            about = f"{format_.description[0].upper()}{format_.description[1:]}.{named}"
            example = f"```text\n{format_.example.rstrip()}\n```"
            parts += ["", f"### {name} ({format_.kind})", "", about, "", example]
    return "\n".join(parts) + "\n"


def commands_page() -> str:
    """Help of all commands, including those of two words."""
    parts = ["# Commands", "", "```text", overview(), "```"]
    for name in [*COMMANDS, *FURTHER]:
        parts += ["", f"## excerpt {name}", "", "```text", command_of(name).help().rstrip(), "```"]
    return "\n".join(parts) + "\n"


class Group(NamedTuple):
    """A group of public names."""

    title: str
    names: tuple[str, ...]


GROUPS = (
    Group("Evaluation", ("evaluate", "curve", "evaluate_chunks", "inex_eval", "trec_eval", "parse_measure")),
    Group("Inputs", ("Run", "Result", "Judgments", "Span", "Policy", "Chunks", "place", "topics")),
    Group("Scores", ("ScoreTable", "save_scores", "load_scores", "Measure")),
    Group(
        "Significance and experiments",
        (
            *("compare", "anova", "power", "gate", "assert_not_worse"),
            *("correlate", "agreement", "testerror", "stability", "rerun"),
        ),
    ),
    Group("Reports and explanations", ("report", "explore", "show", "explain", "funnel", "citations")),
    Group("Documents and elements", ("Corpus", "build_index", "OffsetIndex")),
    Group(
        "Files",
        (
            *("read_run", "read_judgments", "read_gold", "read_topics", "write_run", "write_judgments"),
            *("convert", "check"),
        ),
    ),
    Group("Pools", ("pool", "Pool", "read_pool")),
    Group("Shell", ("config", "completion")),
    Group("Errors and warnings", ("ExcerptError", "ExcerptWarning", "Notices")),
)


def groups() -> tuple[Group, ...]:
    """All public names, each in one group; names without a group come last."""
    grouped = {name for group in GROUPS for name in group.names}
    rest = tuple(name for name in excerpt.__all__ if name not in grouped)
    return (*GROUPS, *([Group("More", rest)] if rest else []))


def api_page(chosen: Sequence[Group] = ()) -> str:
    """Python reference for Sphinx: all public names with signature, documentation and example."""
    parts = [
        "# Python",
        "",
        "All public names of `import excerpt`. Every command has a function of the same name; options are",
        "keyword arguments. Files are given as a path, bytes, an open file or an object in memory.",
    ]
    for group in chosen or groups():
        parts += ["", f"## {group.title}"]
        for name in group.names:
            kind = "class" if inspect.isclass(getattr(excerpt, name)) else "function"
            parts += ["", "```{eval-rst}", f".. auto{kind}:: excerpt.{name}"]
            parts += ["   :members:", "   :undoc-members:"] if kind == "class" else []
            parts += ["```"]
    return "\n".join(parts) + "\n"
