"""Reference pages of formats, commands and the Python API, generated from the code."""

from __future__ import annotations

import functools
import inspect
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import excerpt
from excerpt.cli import COMMANDS, FURTHER, command_of
from excerpt.cli.console import STATUSES
from excerpt.cli.parser import MESSAGES
from excerpt.formats import judgments_formats, run_formats
from excerpt.options import FLAG, Option


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


#: Groups of options that are explained on the page of every command that has them.
OWN = {"options of the experiment"}
#: Commands that must have an option in common, with the same help, for it to be a shared one.
LEAST = 3
SHARED = "commands/shared.md"
#: Every command; official tools have a usage text instead of a table of options.
ALL = [*COMMANDS, *FURTHER]


def page_of(name: str) -> str:
    """File of the page of a command: `commands/stability-pool.md`."""
    return f"commands/{name.replace(' ', '-')}.md"


@functools.cache
def parser_of(name: str) -> Any:
    """Parser of a command; None for official tools, which have a usage text."""
    found = command_of(name)
    return found.parser() if found.parser else None


@functools.cache
def shared_options() -> dict[str, Option]:
    """Options that several commands share, by their name: of several wordings the most frequent one."""
    found = Counter(
        (option.name, option.written, option.help)
        for name in ALL
        if parser_of(name)
        for option in parser_of(name).shown
        if option.written and option.group not in OWN
    )
    by_help = {
        (option.name, option.written, option.help): option
        for name in ALL
        if parser_of(name)
        for option in parser_of(name).shown
    }
    shared: dict[str, Option] = {}
    for key, count in found.most_common():
        if count >= LEAST:
            shared.setdefault(key[0], by_help[key])
    return {**{option.name: option for option in MESSAGES}, **dict(sorted(shared.items()))}


def is_shared(option: Option) -> bool:
    """Return whether an option of a command is explained on the page of shared options."""
    shared = shared_options().get(option.name)
    return bool(
        shared and option.group not in OWN and (shared.written, shared.help) == (option.written, option.help)
    )


def _plain(text: str) -> str:
    """Text without markup of reStructuredText, except that options are code."""
    return _options_as_code(re.sub(r"([\\*`|_])", r"\\\1", text), "``")


def _options_as_code(text: str, mark: str = "`") -> str:
    """Text with options between marks of code: elsewhere two hyphens become a dash."""
    return re.sub(r"(?<![\w-])(--[a-z][a-z0-9-]*)", rf"{mark}\1{mark}", text)


def _definition(option: Option) -> list[str]:
    """An option as an entry of a definition list, with an anchor."""
    value = option.metavar or "|".join(option.kind.choices)
    value = " ".join([value] * option.words) if option.kind is not FLAG else ""
    value = f"[{value}]" if option.alone is not None else value
    names = ", ".join(f"{flag} {value}".rstrip() for flag in option.written)
    repeated = " May be repeated." if option.many and "repeated" not in option.help else ""
    text = f"{option.help[:1].upper()}{option.help[1:]}."
    return ["", f".. option:: {names}", "", f"   {_plain(text)}{repeated}"]


def _definitions(program: str, options: Sequence[Option]) -> list[str]:
    lines = [line for option in options for line in _definition(option)]
    return ["", "```{eval-rst}", f".. program:: {program}", *lines, "```"]


def command_page(name: str) -> str:
    """Page of a command: its example first, then arguments, options, and the options that it shares."""
    parser = parser_of(name)
    parts = [f"# excerpt {name}"]
    if parser is None:
        return "\n".join([*parts, "", "```text", command_of(name).help().rstrip(), "```"]) + "\n"
    about, _, more = parser.description.partition("\n\n")
    example = parser.epilog.removeprefix("example:\n").strip()
    parts += ["", " ".join(about.split()), "", "```sh", example, "```"]
    if more:
        parts += ["", "```text", more.rstrip(), "```"]
    arguments = [option for option in parser.shown if not option.written]
    if arguments and not more:
        parts += ["", "## Arguments"]
        for option in arguments:
            value = f"{option.metavar}{'…' if option.many else ''}"
            text = _options_as_code(option.help)
            parts += ["", f"`{value}`", f": {text[:1].upper()}{text[1:]}."]
    groups: dict[str, list[Option]] = {}
    shared: dict[str, list[Option]] = {}
    for option in (*parser.shown, *MESSAGES):
        title = "messages" if option in MESSAGES else option.group or "input and output"
        if option in MESSAGES or is_shared(option):
            shared.setdefault(title, []).append(option)
        elif option.written:
            own = "options" if title in {*OWN, "input and output"} else title
            groups.setdefault(own, []).append(option)
    program = f"excerpt {name}"
    for title, options in groups.items():
        parts += ["", f"## {title[0].upper()}{title[1:]}", *_definitions(program, options)]
    parts += ["", "## Shared options", "", "Explained on the page of [shared options](shared.md)."]
    for title, options in shared.items():
        links = ", ".join(_link(program, option) for option in options)
        parts += ["", f"{title[0].upper()}{title[1:]}", f": {links}"]
    return "\n".join(parts) + "\n"


def _link(program: str, option: Option) -> str:
    """Link to a shared option, which is also its anchor on the page of the command."""
    name = option.written[-1].lstrip("-")
    anchor = f"cmdoption-{program.replace(' ', '-')}-{name}"
    return f'<a id="{anchor}" href="shared.html#cmdoption-excerpt-{name}">`--{name}`</a>'


def shared_page() -> str:
    """Page of the options that several commands share, each with the number of commands."""
    parts = [
        "# Shared options",
        "",
        "Options that several commands have. The page of a [command](../commands.md) explains its own.",
    ]
    groups: dict[str, list[Option]] = {}
    for option in shared_options().values():
        title = "messages" if option in MESSAGES else option.group or "input and output"
        groups.setdefault(title, []).append(option)
    for title in sorted(groups, key=lambda title: (title != "input and output", title)):
        parts += ["", f"## {title[0].upper()}{title[1:]}", *_definitions("excerpt", groups[title])]
    return "\n".join(parts) + "\n"


def commands_page() -> str:
    """All commands, each with its help in one line and a link to its page."""
    parts = ["# Commands", "", "Each command has a page: an example, its arguments, and its own options."]
    parts += [f"Options that commands share, such as `--index`, are explained [once]({SHARED}).", ""]
    parts += ["```sh", "excerpt demo", "excerpt COMMAND --help", "```"]
    for name in ALL:
        text = {**COMMANDS, **FURTHER}[name]
        anchor = f'<span id="excerpt-{name.replace(" ", "-").replace("_", "-")}"></span>'
        parts += ["", f"{anchor}[`excerpt {name}`]({page_of(name)})", f": {text[0].upper()}{text[1:]}"]
    statuses = [f"| {status} | {_options_as_code(text)} |" for status, text in STATUSES.items()]
    parts += ["", "## Exit status", "", "| status | meaning |", "| --- | --- |", *statuses]
    parts += ["", "```{toctree}", ":hidden:", "", SHARED.removesuffix(".md")]
    parts += [*(page_of(name).removesuffix(".md") for name in ALL), "```"]
    return "\n".join(parts) + "\n"


def command_pages() -> dict[str, str]:
    """All pages of commands, by their files."""
    pages = {page_of(name): command_page(name) for name in ALL}
    return {"commands.md": commands_page(), SHARED: shared_page(), **pages}


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
    Group("Errors and warnings", ("ExcerptError", "ExcerptWarning", "Notices")),
)


def groups() -> tuple[Group, ...]:
    """All public names, each in one group; names without a group come last."""
    grouped = {name for group in GROUPS for name in group.names}
    rest = tuple(name for name in excerpt.__all__ if name not in grouped)
    return (*GROUPS, *([Group("More", rest)] if rest else []))


def api_pages() -> dict[str, str]:
    """Python reference for Sphinx: a page for each public name, and one that lists them in groups."""
    parts = [
        "# Python",
        "",
        "All public names of `import excerpt`. Every command has a function of the same name; options are",
        "keyword arguments. Files are given as a path, bytes, an open file or an object in memory.",
    ]
    listed: list[str] = []
    pages: dict[str, str] = {}
    for group in groups():
        parts += ["", f"## {group.title}", ""]
        for name in group.names:
            about = (inspect.getdoc(getattr(excerpt, name)) or name).partition("\n")[0]
            parts += [f"[`{name}`](api/{name}.md)", f": {_options_as_code(about)}", ""]
            listed.append(f"api/{name}")
            pages[f"api/{name}.md"] = _object_page(name)
    parts += ["```{toctree}", ":hidden:", "", *listed, "```"]
    return {"api.md": "\n".join(parts) + "\n", **pages}


def _object_page(name: str) -> str:
    """Page of a public name: signature, documentation and example; of a class all its methods."""
    kind = "class" if inspect.isclass(getattr(excerpt, name)) else "function"
    parts = [f"# {name}", "", "```{eval-rst}", f".. auto{kind}:: excerpt.{name}"]
    parts += ["   :members:", "   :undoc-members:"] if kind == "class" else []
    return "\n".join([*parts, "```"]) + "\n"
