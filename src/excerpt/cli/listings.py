"""excerpt measures, formats, quantisations, topics and config: lists of names, of topics, of settings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from excerpt.cli.console import print_message, show_warnings
from excerpt.cli.output import check_latex, chosen_format, format_options, print_records, write_result
from excerpt.cli.parser import Arguments, command
from excerpt.errors import ExcerptError, UnknownName
from excerpt.options import (
    CHOICE,
    FORMAT,
    MAX_SIZE,
    POLICIES,
    SETTINGS,
    Option,
    as_option,
    choice,
    input_file,
)

if TYPE_CHECKING:
    from excerpt.formats.registry import AnyFormat
    from excerpt.measures import Measure
    from excerpt.official.scorers import Scorer


@command(
    "measures",
    Option(
        "names",
        "measures, such as AgP, sets (hixeval, inex, rag, trec), or an official scorer, such as genomics "
        "(default: all measures)",
        (),
        default=(),
        metavar="MEASURE",
        many=True,
    ),
    FORMAT.but(help="output format (default: table)", kind=choice("table", "json", "markdown")),
    example="excerpt measures AgP",
)
def measures_main(arguments: Arguments) -> None:
    """Print the measures."""
    from excerpt.measures import definition
    from excerpt.placing.chunkers import DEFINITIONS
    from excerpt.render.layout import terminal_width
    from excerpt.render.reference import distinct_measures, listing, measures_page, spelling
    from excerpt.render.tables import render_records

    names = [name for name in arguments.names if name.lower() not in DEFINITIONS]
    scorers = {name: scorer for name in names if (scorer := _scorer_of(name))}
    chosen = list(dict.fromkeys(_measures_of(name for name in names if name not in scorers)))
    chosen = chosen if arguments.names else distinct_measures()
    others = [
        _Other(name, written, "chunks", meaning, reference)
        for name, (written, meaning, reference) in DEFINITIONS.items()
        if not arguments.names or name in map(str.lower, arguments.names)
    ]
    for name, scorer in scorers.items():
        others += _of_scorer(scorer, name)
    if arguments.format == "markdown":
        print(measures_page(chosen) if chosen else "# Measures", end="\n" if others else "")
        for one in others:
            by = f"`{one.written}`, by `excerpt {one.command}`."
            print(f"\n## {one.name}\n\n{by}\n\n{one.meaning}\n\nReference: {one.reference}.")
    elif arguments.format == "json":
        defined = {one: definition(one).partition(">>>")[0].strip() for one in chosen}
        rows = [(one.name, one.mean_name or "", spelling(one), defined[one], one.reference) for one in chosen]
        rows += [(one.name, "", one.written, one.meaning, one.reference) for one in others]
        print(render_records(("name", "mean", "spelling", "definition", "reference"), rows, "json"), end="")
    else:
        entries = [_entry(measure, complete=bool(arguments.names)) for measure in chosen]
        entries += [
            (f"{one.written}   (excerpt {one.command})", [one.meaning, f"[{one.reference}]"])
            for one in others
        ]
        print(listing(entries, terminal_width()))


class _Other(NamedTuple):
    """A measure of another command than evaluate."""

    name: str
    written: str
    command: str
    meaning: str
    reference: str


def _scorer_of(name: str) -> Scorer | None:
    """Return the official scorer that a name means; names of our own measures come first."""
    from excerpt.measures import SETS, kind_of
    from excerpt.official.scorers import SCORERS, scorer_of

    if name.lower() in SETS or name.lower() not in SCORERS:
        with suppress(ExcerptError):
            kind_of(name.partition("@")[0])
            return None
    return scorer_of(name)


def _of_scorer(scorer: Scorer, name: str) -> Iterator[_Other]:
    """Yield a measure of an official scorer, or all of them, and what surprises in its program."""
    command, plain = f"official {scorer.name}", name.partition("@")[0]
    for measure, meaning in scorer.measures.items():
        if name.lower() == scorer.name or plain == measure.partition("@")[0]:
            yield _Other(measure, measure, command, meaning, scorer.reference)
    surprises = f"{scorer.program} ({scorer.track}) surprises: {'; '.join(scorer.surprises)}."
    yield _Other(scorer.name, scorer.name, command, surprises, scorer.reference)


def _measures_of(names: Iterable[str]) -> Iterator[type[Measure]]:
    """Yield the measures that names mean, for judgments of text and of documents; all measures of a set."""
    from excerpt.measures import SETS, parse

    for name in names:
        if name.lower() in SETS:
            yield from (type(parse(each, documents=name.lower() == "trec")) for each in SETS[name.lower()])
        else:
            yield from _kinds_of(name)


def _kinds_of(name: str) -> list[type[Measure]]:
    """Return what a name means, also one with settings, as above a column: `recall(budget=4000)`, `P_10`."""
    from excerpt.measures import kind_of, parse

    try:
        return [kind_of(name), kind_of(name, documents=True)]
    except ExcerptError:
        found: list[type[Measure]] = []
        for documents in (False, True):
            with suppress(ExcerptError):
                found.append(type(parse(name, documents=documents)))
        if not found:
            raise
        return found


def _entry(measure: type[Measure], *, complete: bool) -> tuple[str, list[str]]:
    """Return the spelling and definition of a measure; if `complete`, also its parameters."""
    from excerpt.measures import definition, parameters
    from excerpt.render.reference import spelling

    mean = f"   (mean over topics: {measure.mean_name})" if measure.mean_name else ""
    paragraphs = definition(measure).partition(">>>")[0].strip().split("\n\n")
    lines = paragraphs if complete else paragraphs[:1]
    for field, kind in parameters(measure) if complete else ():
        lines.append(f"{'cut-off' if kind.cutoff else field.name}: {kind.values}")
    return spelling(measure) + mean, [*lines, f"[{measure.reference}]"]


@command(
    "formats",
    Option("name", "format to show with an example, such as jsonl (default: all)", (), metavar="FORMAT"),
    *format_options("the list", output=False),
    example="excerpt formats jsonl",
)
def formats_main(arguments: Arguments) -> None:
    """Print all formats, or one format with an example."""
    from excerpt.formats import judgments_formats, run_formats

    known: list[AnyFormat] = [*run_formats().values(), *judgments_formats().values()]
    format_ = chosen_format(arguments)
    content = "what it holds" if format_ in {"json", "csv", "tsv"} else "content"  # keys stay as they were
    if arguments.name is None:
        rows = [_row(item) for item in known]
        print_records(arguments, ("kind", "name", "written", content), rows)
        return
    chosen = [item for item in known if item.name == arguments.name]
    if not chosen:
        raise UnknownName("format", arguments.name, {item.name for item in known})
    if format_ == "table":
        print("\n\n".join(map(_describe, chosen)))
    else:
        names = ("kind", "name", "written", content, "layout", "example")
        shown = [(*_row(item), item.layout, item.example) for item in chosen]
        print_records(arguments, names, shown)


def _row(format_: AnyFormat) -> tuple[str, str, str, str]:
    return (format_.kind, format_.name, "yes" if format_.write else "no", format_.description)


def _describe(format_: AnyFormat) -> str:
    use = "read and written" if format_.write else "read"
    lines = [f"{format_.name} ({format_.kind}, {use}): {format_.description}", "", f"  {format_.layout}"]
    if format_.example:
        lines += ["", "example:", *(f"  {line}" for line in format_.example.splitlines())]
    return "\n".join(lines)


@command(
    "quantisations",
    Option("scale", "scale of the judgments, such as highlights (default: all)", metavar="SCALE"),
    *format_options("the list", output=False),
    example="excerpt quantisations --scale highlights",
)
def quantisations_main(arguments: Arguments) -> None:
    """Print the quantisations."""
    from excerpt.quantise import default, quantisations

    known = quantisations()
    scales = {quantisation.scale for quantisation in known}
    if arguments.scale is not None and arguments.scale not in scales:
        raise UnknownName("scale", arguments.scale, scales)
    rows = [
        (one.name, one.scale, "yes" if one.name == default(one.scale) else "", one.description)
        for one in known
        if arguments.scale in {None, one.scale}
    ]
    print_records(arguments, ("name", "scale", "default", "what"), rows)


_FORMATS = ("tsv", "jsonl", "trec", "inex", "indri")
_MOST = 1000


@command(
    "topics",
    input_file(
        "file",
        "topics: files of one kind, or folders of them",
        (),
        required=True,
        metavar="FILE",
        many=True,
    ),
    *CHOICE,
    *format_options("the topics"),
    Option("to", "convert the topics to this format, to standard output or -o FILE", kind=choice(*_FORMATS)),
    MAX_SIZE,
    example="excerpt topics topics.xml --only CU01-CU05 --to tsv -o topics.tsv",
)
def topics_main(arguments: Arguments) -> int:
    """List or convert the topics; each fault is printed in a line."""
    if arguments.to:
        for option, value in (("--format", arguments.format), ("--safe-csv", arguments.safe_csv)):
            if value:
                raise ExcerptError(f"--to and {option} cannot be combined")
        check_latex(arguments, arguments.to)
    format_ = None if arguments.to else chosen_format(arguments)
    from excerpt.queries.listing import TopicList, examine

    files = arguments.file
    parsed, faults, notices = examine(
        files[0] if len(files) == 1 else files, only=arguments.only, exclude=arguments.exclude, most=_MOST
    )
    for fault in faults:
        print_message(fault.say(as_option))
    if faults:
        return 2
    topics = TopicList(parsed, tuple(notices), notices)
    if format_ is None:
        try:
            topics.write(arguments.output, arguments.to)
        except ExcerptError as error:  # of an id that the format cannot contain
            error.path = error.path or files[0]
            raise
        show_warnings(tuple(notices))
    else:
        write_result(topics, arguments, format_)
    return 0


@command(
    "config",
    *(option.but(required=False) for option in SETTINGS.values() if option.setting in {"", POLICIES}),
    *format_options("the settings"),
    example="excerpt config --format json",
    settings=False,
)
def config_main(arguments: Arguments) -> None:
    """Print the effective settings."""
    format_ = chosen_format(arguments)
    from excerpt.project import config

    options = {
        name: tuple(value) if isinstance(value := getattr(arguments, option.dest), list) else value
        for name, option in SETTINGS.items()
        if option.dest in arguments.parser.given
    }
    write_result(config(options), arguments, format_)
