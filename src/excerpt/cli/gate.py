"""excerpt gate: is a run worse than the baseline? For continuous integration."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from excerpt import options
from excerpt.cli.console import forget
from excerpt.cli.output import chosen_format, format_options, write_result
from excerpt.cli.parser import Parser, chosen, reading
from excerpt.options import Kind, Option, choice, number
from excerpt.stats import TEST_NAMES

_WORSE = "when a run is worse"
_ASKED = (
    options.QRELS.but(
        help="judgments by which runs are scored; not needed for saved scores",
        flags=("--qrels",),
        metavar="GOLD",
        required=False,
    ),
    Option(
        "max-drop",
        "how far a mean may fall (default: 0.01)",
        kind=Kind(lambda text: number(text, 0)),
        default=0.01,
        metavar="D",
        group=_WORSE,
    ),
    Option(
        "alpha",
        "p-value below which it counts (default: 0.05)",
        kind=options.LEVEL,
        default=0.05,
        metavar="A",
        group=_WORSE,
    ),
    Option(
        "test",
        "one-sided paired test (default: bootstrap)",
        kind=choice(*TEST_NAMES),
        default="bootstrap",
        group=_WORSE,
    ),
    options.SAMPLES.but(group=_WORSE),
    options.SEED.but(group=_WORSE),
    Option(
        "baseline-name", "the run of a baseline that has several (default: of RUN's name)", metavar="NAME"
    ),
    Option("run-name", "the run of saved scores that have several", metavar="NAME"),
    Option(
        "questions",
        "how many questions that lost and won most are shown (default: 5)",
        kind=options.COUNT_FROM_ZERO,
        default=5,
        metavar="N",
    ),
)


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser(
        "gate",
        options.RUN.but(
            name="baseline",
            help="saved scores (excerpt evaluate --save FILE), or a run; of a folder or @LIST the one of "
            "--baseline-name",
            metavar="BASELINE",
            holds="side",
        ),
        options.RUN.but(
            help="the run that is to pass, or its saved scores; of a folder or @LIST the one of --run-name",
            holds="side",
        ),
        options.MEASURES.but(
            help="measure; may be repeated; any may fail (default: those of saved scores; see excerpt "
            "measures)"
        ),
        *_ASKED,
        *format_options("the verdict"),
        options.DIGITS,
        *options.READING,
        options.MAX_SIZE,
        *options.POLICY,
        example="excerpt gate baseline.json run.fol --qrels qrels.fol -m charR@5",
    )
    result.description = (
        "Is a run worse than the baseline? Exit status 0: not worse; 1: worse by some measure, which means\n"
        "that its mean fell by more than --max-drop and that a one-sided paired test gives p below --alpha;\n"
        "2: a mistake, such as other topics on both sides."
    )
    return result


def main(given: Sequence[str]) -> int:
    """Compare, print, and say it by the exit status."""
    arguments = parser().parse(given)
    format_ = chosen_format(arguments)
    from excerpt.experiments.gate import gate
    from excerpt.notices import Notices

    how = {**chosen(arguments, _ASKED), **reading(arguments)}
    found = gate(arguments.baseline, arguments.run, arguments.measures, notices=Notices(), **how)
    try:
        write_result(found, arguments, format_)
    except BrokenPipeError:  # nobody reads what is said, but somebody may ask for the status
        forget(sys.stdout)
    return 1 if found.worse else 0
