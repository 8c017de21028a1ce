"""excerpt gate: fail a build if a run is significantly worse than a baseline."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from itertools import pairwise

from excerpt import options
from excerpt.cli.console import discard_output
from excerpt.cli.output import chosen_format, format_options, write_result
from excerpt.cli.parser import Parser, chosen, reading
from excerpt.errors import ExcerptError, one_line
from excerpt.options import Option, choice
from excerpt.stats import TEST_NAMES

_number = partial(Option, metavar="X")
_MAX_DROP = _number(
    "max-drop", "largest allowed drop of a mean (default: 0.01)", kind=options.NUMBER_FROM_ZERO, default=0.01
)
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
    options.SAMPLES.but(help="resamples or permutations of the test (default: 10000)"),
    options.SEED,
)
_MAX_MISSING = Option(
    "max-missing",
    "largest share of the questions of BASELINE whose judgments may be gone, or changed, and not compared "
    "(default: 0)",
    kind=options.SHARE,
    default=0.0,
    metavar="X",
)
_OPTIONAL = (
    options.QRELS.but(
        help="judgments to score runs with (not needed for saved scores)", flags=("--qrels",), required=False
    ),
    *(option.but(group="criteria for failure") for option in _CRITERIA),
    options.CHANGED_JUDGMENTS,
    _MAX_MISSING,
    Option(
        "baseline-name", "run to use if BASELINE contains several (default: the name of RUN)", metavar="NAME"
    ),
    Option("run-name", "run to use if RUN contains several (default: the only one)", metavar="NAME"),
    _MAX_DROP.but(
        name="tie", help="smallest change of a question that counts as a loss or a gain (default: 0.01)"
    ),
    options.SEED.but(
        name="questions",
        help="number of topics shown with the largest losses and gains (default: 5)",
        default=5,
    ),
)


def parser() -> Parser:
    result = Parser(
        "gate",
        options.RUN.but(
            name="baseline",
            help="saved scores (excerpt evaluate --save FILE) or run to compare with (--baseline-name "
            "selects one of several)",
            metavar="BASELINE",
            holds="side",
        ),
        options.RUN.but(
            help="run to test, or its saved scores (--run-name selects one of several)", holds="side"
        ),
        options.MEASURES.but(
            help="measure, such as charR@5; may be repeated, and each can fail the gate (default: those of "
            "saved scores; see excerpt measures)"
        ),
        *_OPTIONAL,
        *format_options("the verdict"),
        options.LABELS,
        options.DIGITS,
        *options.READING,
        options.MAX_SIZE,
        *options.POLICY,
        example="excerpt gate baseline.json run.fol --qrels qrels.fol -m charR@5",
    )
    result.description = (
        f"{result.description} A measure\n"
        "fails if its mean drops by more than --max-drop and a one-sided paired test\n"
        "gives p below --alpha; or if its mean is below --min, or a question of --must\n"
        "falls. Exit status: 0 passed; 1 failed; 2 usage or input error."
    )
    return result


def main(given: Sequence[str]) -> int:
    """Print the verdict, and return it as the exit status."""
    try:
        return _verdict(parser().parse(given))
    except ExcerptError as error:
        _write_error(given, error)
        raise


def _write_error(given: Sequence[str], error: ExcerptError) -> None:
    """Write an error instead of a verdict into the Markdown file that was to have it."""
    from excerpt.cli.output import extension_of
    from excerpt.files import write_bytes
    from excerpt.render.layout import markdown

    words = [
        part for word in given for part in (word.split("=", 1) if word.startswith("--output=") else [word])
    ]
    named = [two for one, two in pairwise(words) if one in {"-o", "--output"}]
    if len(named) == 1 and extension_of(named[0]) == ".md" and words.count(named[0]) == 1:
        text = markdown(one_line(error.say(options.as_option)))
        with suppress(ExcerptError, OSError):  # the error itself is printed
            write_bytes(
                named[0], f"**excerpt gate** has no verdict: {text}\n".encode(errors="backslashreplace")
            )


def _verdict(arguments: argparse.Namespace) -> int:
    format_ = chosen_format(arguments)
    from excerpt.experiments.gate import gate
    from excerpt.notices import Notices

    how = {**chosen(arguments, _OPTIONAL), **reading(arguments)}
    verdict = gate(arguments.baseline, arguments.run, arguments.measures, notices=Notices(), **how)
    try:
        write_result(verdict, arguments, format_)
    except BrokenPipeError:  # the exit status counts even if the output is not read
        discard_output(sys.stdout)
    return 1 if verdict.worse else 0
