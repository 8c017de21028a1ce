"""excerpt explain, funnel and citations: missed passages; relevant text retrieved and cited; real quotes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from excerpt import options
from excerpt.cli import COMMANDS, output
from excerpt.cli.console import chosen_colours, chosen_width, own_notices, show_warnings
from excerpt.cli.parser import Arguments, chosen, chosen_corpus, command, reading
from excerpt.errors import ExcerptError
from excerpt.options import Option, choice, corpus_help, without

if TYPE_CHECKING:
    from excerpt.view.counterfactuals import Counterfactuals

_FORMATS = {"table": ".txt", "json": ".json", "csv": ".csv", "tsv": ".tsv", "markdown": ".md"}
_QRELS = options.QRELS.but(setting=None)
_TOP = options.count(
    "top", "number of results shown per topic (default: 5)", default=5, group=options.DISPLAY
)
_OPTIONAL = (
    Option(
        "chunks",
        "chunks that the run retrieves from, as written by excerpt place, to report passages that they split "
        "or lack",
        metavar="CHUNKS",
        role="reads",
    ),
    Option(
        "against",
        "another run to compare with: why one of the two is better on each topic, by counterfactuals; with a "
        "corpus also the topics with the largest loss first",
        metavar="RUN",
        role="reads",
        holds="run",
    ),
    _TOP,
    _TOP.but(name="around", help="characters of context around a passage (default: 80)", default=80),
)
_WRITE = Option(
    "write",
    "with --against: folder for the changed lists of the worse run, a file for each cause (default: none)",
    metavar="DIR",
    decides=False,
)
_PASSAGES = _TOP.but(
    name="passages",
    help="number of missed passages shown per topic, or none for all; json and csv contain all (default: 5)",
    kind=options.LIMITED,
)
_WORST = _PASSAGES.but(
    name="worst",
    help="number of topics to show, worst first, or none for all (default: 20)",
    default=20,
    group="",
)


@command(
    "explain",
    _QRELS,
    options.RUN,
    options.MEASURES.but(
        help="measure that ranks the topics; its cut-off limits the results examined (default: recall@5)",
        setting=None,
    ),
    *_OPTIONAL,
    _WRITE,
    options.NO_FINGERPRINT.but(help="with --write: " + options.NO_FINGERPRINT.help),
    _WORST,
    _PASSAGES,
    options.CORPUS.but(help=corpus_help("documents, to quote the passages"), group=options.DISPLAY),
    *(option.but(group=options.DISPLAY) for option in options.OPENING),
    options.TOPICS.but(
        help="questions, if the judgments contain none (see excerpt topics)", group=options.DISPLAY
    ),
    *options.TERMINAL,
    *output.format_options("the reasons", known=_FORMATS, color=False),
    options.LABELS.but(group=options.DISPLAY),
    *without(options.READING, options.CORPUS, *options.OPENING, options.TOPICS),
    options.MAX_SIZE,
    *options.POLICY,
    example="excerpt explain qrels.fol runs/p-bm25.fol.gz -m recall@5 --corpus docs.zip",
)
def explain_main(arguments: Arguments) -> None:
    """Print the worst topics with their missed passages."""
    format_ = output.chosen_format(arguments, _FORMATS)
    measures: list[str] = arguments.measures or []
    if len(measures) > 1:
        message = f"found the measures {measures[0]} and {measures[1]}, expected one that ranks the topics"
        raise ExcerptError(message, hint="run excerpt explain once for each")
    from excerpt.view.explanation import DEFAULT, explain

    measure, how = next(iter(measures), DEFAULT), {**reading(arguments), "notices": own_notices()}
    _check_folder(arguments)
    if arguments.against is not None and arguments.corpus is None:
        _print_causes(arguments, format_, measure, how)
        return
    how |= {**chosen(arguments, _OPTIONAL), "worst": arguments.worst, "passages": arguments.passages}
    explanation = explain(arguments.qrels, arguments.run, measure, **how)
    if arguments.write is not None:
        if explanation.causes is None:
            raise ExcerptError(f"{measure} has no counterfactuals, so there are no lists for --write")
        _write_lists(explanation.causes, arguments)
    if format_ == "table":
        from excerpt.render.explanations import text_of
        from excerpt.run_labels import with_labels

        labelled = with_labels(explanation, output.chosen_labels(arguments))
        text = text_of(labelled, chosen_width(arguments), colours=chosen_colours(arguments))
    else:
        from excerpt.render.tables import show

        text = show(explanation, format_, output.chosen_look(arguments))
    output.write_text(text, arguments.output)
    show_warnings(explanation.warnings)


def _check_folder(arguments: Arguments) -> None:
    """Raise an error for a folder of changed lists without another run, or of which a file would be read."""
    if arguments.write is None:
        return
    if arguments.against is None:
        raise ExcerptError("--write needs --against RUN")
    from pathlib import Path

    from excerpt.view.counterfactuals import CAUSES

    read = [arguments.qrels, arguments.run, arguments.against, arguments.chunks, arguments.topics]
    inputs = [Path(name) for name in read if isinstance(name, str)]
    for cause in CAUSES:
        file = Path(arguments.write, f"{cause}.jsonl")
        if file.exists() and any(name.exists() and file.samefile(name) for name in inputs):
            message = "is an input file, expected a folder without it for the changed lists"
            raise ExcerptError(message, path=str(file), hint="choose another folder")


def _print_causes(arguments: Arguments, format_: str, measure: str, how: dict[str, Any]) -> None:
    """Print why one of two runs beats the other; no text is needed for that."""
    from dataclasses import replace

    from excerpt.view.counterfactuals import counterfactuals

    for option in (*(one for one in _OPTIONAL if one.dest != "against"), _PASSAGES):
        if getattr(arguments, option.dest) != option.default:
            raise ExcerptError(f"--{option.name} needs --corpus")
    made = counterfactuals(arguments.qrels, arguments.run, arguments.against, measure, **how)
    if arguments.write is not None:
        _write_lists(made, arguments)
    output.write_result(replace(made, at_most=arguments.worst), arguments, format_)


def _write_lists(causes: Counterfactuals, arguments: Arguments) -> None:
    causes.write(arguments.write, fingerprint=not arguments.no_fingerprint)


@command(
    "funnel",
    _QRELS,
    options.RUN.but(name="retrieved", help="run of the text that the model read", metavar="RETRIEVED"),
    options.RUN.but(name="cited", help="cited text: a run, or saved answers", metavar="CITED"),
    _TOP.but(help="results per topic that the model read (default: all)", default=None, group=""),
    options.UNPLACED.but(
        help="cited quotes that do not occur in their documents: error, drop, or count as cited, not "
        "relevant and never retrieved (default: count)",
        kind=choice("error", "drop", "count"),
        default="count",
    ),
    options.PER_TOPIC.but(help="also print the proportions of every topic"),
    *without(options.READING, options.RUN_FORMAT, options.ORDER, *options.ELEMENTS, options.UNPLACED),
    options.MAX_SIZE,
    *output.format_options("the proportions"),
    options.DIGITS,
    help_=f"{COMMANDS['funnel']},\nand how much cited text is not relevant",
    example="excerpt funnel gold.json retrieved.jsonl answers.jsonl --corpus docs",
)
def funnel_main(arguments: Arguments) -> None:
    """Print the proportions."""
    format_ = output.chosen_format(arguments)
    from excerpt.view.funnel import funnel

    how = reading(arguments)
    how.update(top=arguments.top, unplaced=arguments.unplaced, notices=own_notices())
    result = funnel(arguments.qrels, arguments.retrieved, arguments.cited, **how)
    output.write_result(result.by_topic() if arguments.per_topic else result, arguments, format_)


@command(
    "citations",
    options.argument(
        "answers",
        "saved answers with quotes (see docs/citations.md)",
        metavar="ANSWERS",
        required=False,
    ),
    options.CORPUS.but(help=corpus_help("documents that the answers cite"), required=True),
    *options.OPENING,
    options.QRELS.but(
        help="evidence: also count the real quotes that overlap relevant text of their questions",
        name="gold",
        flags=("--gold",),
        metavar="GOLD",
        required=False,
        setting=None,
    ),
    Option(
        "max-unreal",
        "largest allowed share of quotes in another document, nowhere, or too short to be evidence, such "
        "as 0.02; above it the exit status is 1 (default: 1)",
        kind=options.SHARE,
        default=1.0,
        metavar="X",
    ),
    options.MAX_SIZE,
    *output.format_options("the counts", known=_FORMATS),
    options.DIGITS,
    example="excerpt citations answers.jsonl --corpus docs --max-unreal 0.02",
)
def citations_main(arguments: Arguments) -> int:
    """Print the counts by answer, and return 1 if too many quotes are unreal."""
    format_ = output.chosen_format(arguments, _FORMATS)
    from excerpt.answers.cited_quotes import citations
    from excerpt.experiments.drops import ratio

    corpus = chosen_corpus(arguments)
    result = citations(arguments.answers, corpus, gold=arguments.gold, notices=own_notices())
    output.write_result(result, arguments, format_)
    return int(ratio(result.counts()["unreal"] or 0.0) > ratio(arguments.max_unreal))
