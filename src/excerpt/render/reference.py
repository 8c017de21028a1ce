"""Reference pages of measures, formats, commands and the Python API, generated from the code."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import excerpt
from excerpt.formats import judgments_formats, run_formats
from excerpt.measures import Measure, definition, parameters, registry
from excerpt.render.layout import plain


def distinct_measures() -> list[type[Measure]]:
    """All measures, each once even if it has several names."""
    return list(dict.fromkeys(registry().values()))


def spelling(measure: type[Measure]) -> str:
    """Syntax of a measure, with its parameters and their defaults."""
    keys = [
        f"{field.name}={kind.show(field.default) if field.default is not None else '…'}"
        for field, kind in parameters(measure)
        if not kind.cutoff
    ]
    cutoff = next((kind.example for _, kind in parameters(measure) if kind.cutoff), "")
    return measure.name + (f"({', '.join(keys)})" if keys else "") + (f"[{cutoff}]" if cutoff else "")


def measures_page(chosen: Sequence[type[Measure]] = ()) -> str:
    """Documentation of some or all measures: syntax, definition, reference, worked example."""
    parts = [
        "# Measures",
        "",
        "Write a measure as `Name`, `Name[cut-off]` or `Name@cut-off`, parameters as `Name(key=value, …)`.",
        "Scores are computed per topic; reports show means over topics.",
    ]
    for measure in chosen or distinct_measures():
        text, _, example = definition(measure).partition(">>>")
        also = f" Its mean over topics is `{measure.mean_name}`." if measure.mean_name else ""
        parts += ["", f"## {measure.name}", "", f"`{spelling(measure)}`.{also}", "", text.strip()]
        parts += [
            f"\n- `{field.name}`: {kind.values}" for field, kind in parameters(measure) if not kind.cutoff
        ]
        parts += ["", f"Reference: {measure.reference}."]
        if example:
            parts += ["", "```pycon", f">>>{example.rstrip()}", "```"]
    return "\n".join(parts) + "\n"


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
    from excerpt.cli import COMMANDS, FURTHER, command_of, overview

    parts = ["# Commands", "", "```text", overview(), "```"]
    for name in [*COMMANDS, *FURTHER]:
        parts += ["", f"## excerpt {name}", "", "```text", command_of(name).help().rstrip(), "```"]
    return "\n".join(parts) + "\n"


_WIDEST = 100


def listing(entries: Iterable[tuple[str, Sequence[str]]], width: int | None = None) -> str:
    """Each entry as a heading with paragraphs below it, indented.

    >>> print(listing([("fol", ["runs of passages", "read, write"])], 24), end="")
    fol
        runs of passages
        read, write
    """
    columns = min(width or _WIDEST, _WIDEST)
    parts = []
    for heading, paragraphs in entries:
        lines = [plain(heading)]
        for paragraph in paragraphs:
            lines += textwrap.wrap(
                plain(" ".join(paragraph.split())),
                max(columns, 24),
                initial_indent="    ",
                subsequent_indent="    ",
                break_on_hyphens=False,
            )
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


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
    Group("Reports and explanations", ("report", "explore", "show", "explain", "funnel")),
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
