"""excerpt gate: fail a build if a run is significantly worse than a baseline."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from excerpt import options
from excerpt.cli import REGISTERED, Command
from excerpt.cli.console import discard_output, own_notices
from excerpt.cli.output import chosen_format, extension_of, format_options, write_result, write_text
from excerpt.cli.parser import Arguments, Parser, chosen, reading
from excerpt.errors import ExcerptError
from excerpt.options import Option, choice
from excerpt.stats import TEST_NAMES

if TYPE_CHECKING:
    from excerpt.experiments.gate import Gate

_number = partial(Option, metavar="X")
_MAX_DROP = _number("max-drop", "largest allowed drop of a mean (default: 0.01)", kind=options.SHARE)
_CRITERIA = (
    _MAX_DROP,
    _number("alpha", "significance level of the test (default: 0.05)", kind=options.LEVEL, default=0.05),
    Option(
        "test",
        "one-sided paired test over topics; none: the drop alone decides (default: bootstrap)",
        kind=choice(*TEST_NAMES, "none"),
        default="bootstrap",
    ),
    Option(
        "min",
        "minimum of the mean of RUN, such as recall@5=0.8; may be repeated (default: none)",
        metavar="MEASURE=X",
        many=True,
        default=(),
    ),
    Option(
        "must",
        "questions whose scores must not fall at all: ids such as 3,7-9, a question, or a file with one "
        "per line (default: none)",
        metavar="FILE|IDS",
        role="reads",
    ),
    _number(
        "max-missing",
        "largest allowed share of questions that a run lacks, or whose judgments are gone or changed "
        "(default: 0)",
        kind=options.SHARE,
        default=0.0,
    ),
    Option(
        "if-unsure",
        "what counts if the gate cannot tell: pass or fail (default: exit status 2)",
        kind=choice("pass", "fail"),
    ),
    options.SAMPLES.but(help="resamples or permutations of the test (default: 10000)"),
    options.SEED,
)
_OPTIONAL = (
    options.QRELS.but(
        help="judgments to score runs with (not needed for saved scores)", flags=("--qrels",), required=False
    ),
    *(option.but(group="criteria for failure") for option in _CRITERIA),
    options.CHANGED_JUDGMENTS,
    Option(
        "baseline-name",
        "run to use if BASELINE contains several (default: the name of RUN)",
        ("--baseline", "--baseline-name"),
        metavar="NAME",
    ),
    Option("run-name", "run to use if RUN contains several (default: the only one)", metavar="NAME"),
    _MAX_DROP.but(
        name="tie",
        help="smallest change of a question that counts as a loss or a gain (default: 0.01)",
        kind=options.NUMBER_FROM_ZERO,
        default=0.01,
    ),
    options.SEED.but(
        name="questions",
        help="number of topics shown with the largest losses and gains (default: 5)",
        default=5,
    ),
)


def parser() -> Parser:
    return Parser(
        "gate",
        options.RUN.but(
            name="baseline",
            help="saved scores (excerpt evaluate --save FILE) or run to compare with (--baseline "
            "selects one of several)",
            metavar="BASELINE",
            holds="side",
        ),
        options.RUN.but(
            help="run to test, or its saved scores (--run-name selects one of several)", holds="side"
        ),
        options.MEASURES.but(
            help="measure, such as charR@5; may be repeated, and each can fail the gate (default: those "
            "that were named for saved scores, else the one that decides; see excerpt measures)"
        ),
        *_OPTIONAL,
        *format_options("the verdict"),
        options.LABELS,
        options.DIGITS,
        *options.READING,
        options.MAX_SIZE,
        *options.POLICY,
        example="excerpt gate runs/p-bm25.fol.gz runs/sent-bm25.fol.gz --qrels qrels.fol",
        more=" A measure\nfails if its mean drops by more than --max-drop and a one-sided paired test\n"
        "gives p below --alpha; or if its mean is below --min, or a question of --must\n"
        "falls. Exit status: 0 passed; 1 failed; 2 cannot tell, or usage or input error.",
    )


def main(given: Sequence[str]) -> int:
    """Print the verdict, and return it as the exit status; Markdown says why there is none."""
    page = ""
    try:
        arguments = parser().parse(given)
        format_ = chosen_format(arguments)
        page = arguments.output if format_ == "markdown" and arguments.output != "-" else ""
        verdict = _verdict(arguments)
    except ExcerptError as error:
        if page := page or _named_page(given):
            _write_error(page, error)
        raise
    try:
        write_result(verdict, arguments, format_)
    except BrokenPipeError:  # the exit status counts even if the output is not read
        discard_output(sys.stdout)
    return verdict.status


REGISTERED["gate"] = Command(main, parser)


def _verdict(arguments: Arguments) -> Gate:
    """The verdict, with the settings that decided scores without being given."""
    from excerpt.experiments.gate import gate

    how = {**chosen(arguments, _OPTIONAL), **reading(arguments)}
    verdict = gate(arguments.baseline, arguments.run, arguments.measures, notices=own_notices(), **how)
    settings = {
        setting.setting.name: {"value": setting.text, "from": setting.origin}
        for setting in arguments.parser.filled.values()
        if setting.setting.decides
    }
    return replace(verdict, settings=settings, write=options.as_option)


def _named_page(given: Sequence[str]) -> str:
    """The Markdown file that arguments name for the output, if nothing else names it."""
    names = [
        value
        for name, value in zip(given, [*given[1:], ""], strict=False)
        if name in options.OUTPUT.written and value
    ]
    names += [word.partition("=")[2] for word in given if word.startswith("--output=")]
    page = names[-1] if names else ""
    others = [word for word in given if word != page and not word.startswith("--output=")]
    if extension_of(page) != ".md" or given.count(page) > 1:
        return ""
    same = os.path.exists(page) and any(  # noqa: PTH110
        os.path.exists(word) and os.path.samefile(word, page)  # noqa: PTH110, PTH121
        for word in others
    )
    return "" if same else page


def _write_error(page: str, error: ExcerptError) -> None:
    """Write one paragraph with the error; a page that cannot be written hides no error."""
    from excerpt.render.layout import markdown

    with contextlib.suppress(ExcerptError):
        write_text(f"**No verdict.** {markdown(error.say(options.as_option))}\n", page)
