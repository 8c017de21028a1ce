"""excerpt official: scorers of other focused tracks, with the lines of their official programs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from excerpt.cli import OFFICIAL
from excerpt.cli.console import print_message, show_warnings, warn
from excerpt.cli.output import format_options, print_records
from excerpt.cli.parser import Arguments, CommandWork, command
from excerpt.errors import ExcerptError, UnknownName
from excerpt.options import FLAG, MAX_SIZE, NAMES, Option, argument, as_option, choice

if TYPE_CHECKING:
    from excerpt.official.printout import Printout

_gold = argument("gold", "gold of the track", metavar="GOLD")


def _files(what: str, metavar: str = "RUN") -> Option:
    """Return the argument for the files that are scored."""
    help_ = f"{what}, folders of them, or @LIST for a file that lists their names"
    kind = argument("runs", help_, metavar=metavar)
    return kind.but(many=True, holds="files", default=())


@command(
    "official",
    Option("name", "scorer to run, such as genomics (default: list all)", (), metavar="NAME"),
    *format_options("the list", output=False),
    example="excerpt official genomics gold.tsv run.txt",
    settings=False,
)
def official_main(arguments: Arguments) -> None:
    """List the scorers."""
    if arguments.name is not None:
        raise UnknownName("official scorer", arguments.name, {*OFFICIAL, *_OWN})
    from excerpt.official.scorers import SCORERS

    rows = [
        (f"excerpt official {one.name}", one.track, one.program, _first(one.measures))
        for one in SCORERS.values()
    ]
    rows += [(f"excerpt {name}", *described) for name, described in _OWN.items()]
    print_records(arguments, ("command", "track", "program", "measures"), rows)


def _first(names: Iterable[str], most: int = 5) -> str:
    """Return the first names of a list."""
    listed = list(names)
    return ", ".join([*listed[:most], *(["…"] if listed[most:] else [])])


#: Official tools with commands of their own: track, program, measures.
_OWN = {
    "inex_eval": ("INEX 2007 to 2010", "inex_eval 3.1", "iP, AiP, gP, AgP"),
    "trec_eval": ("TREC, whole documents", "trec_eval 10", "map, P, ndcg_cut, recip_rank, …"),
}


def _scorer(name: str, *given: Option, example: str) -> Callable[[CommandWork], CommandWork]:
    """Make a function the command of a scorer, with its files and options."""
    return command(f"official {name}", *given, MAX_SIZE, example=example, settings=False)


def _print_each(files: Sequence[str], score: Callable[[str], Printout]) -> int:
    """Score and print file after file; after one that cannot be read the next one is scored."""
    status = 0
    for file in files:
        try:
            printed = score(file)
        except ExcerptError as error:
            sys.stdout.flush()
            print_message(error.say(as_option))
            status = 2
        else:
            print(printed)
            show_warnings(printed.warnings)
    return status


@_scorer(
    "genomics",
    _gold.but(help="gold: topic, document, offset, length, aspects, with tabs"),
    _files("run files"),
    example="excerpt official genomics gold.tsv run.txt",
)
def official_genomics_main(arguments: Arguments) -> int:
    """Score runs of TREC Genomics."""
    from excerpt.official.trecgen2007 import read_gold, score_run

    gold, printed = read_gold(arguments.gold), False

    def score(file: str) -> Printout:
        nonlocal printed
        found = score_run(gold, file, head=not printed)
        printed = True
        return found

    return _print_each(arguments.runs, score)


@_scorer(
    "bioasq",
    _gold.but(help="gold: JSON with questions"),
    _files("answers of systems", "SYSTEM"),
    Option(
        "edition",
        "version of the measures: 2 (years 1 and 2; default), 3, 5, 8 (since 2020) or 9 (Synergy)",
        ("-e",),
        kind=choice("2", "3", "5", "8", "9"),
    ),
    Option("verbose", "also print every figure with its name", ("-verbose",), kind=FLAG, default=False),
    Option("phase-a", "accepted, since phase A is all there is", ("-phaseA",), kind=FLAG, default=False),
    Option("phase-b", "refused: phase B is not scored", ("-phaseB",), kind=FLAG, default=False),
    example="excerpt official bioasq -e 8 gold.json system.json",
)
def official_bioasq_main(arguments: Arguments) -> int:
    """Score systems of BioASQ."""
    if arguments.phase_b:
        raise ExcerptError(
            "-phaseB is not supported; only documents, concepts, snippets and triples are scored"
        )
    from excerpt.official.bioasq_phase_a import (
        DEFAULT,
        WITHOUT_VERSION,
        check_version,
        read_questions,
        score_system,
    )

    if arguments.edition is None:
        warn(WITHOUT_VERSION)
    version = check_version(int(arguments.edition or DEFAULT))
    gold = read_questions(arguments.gold, gold=True)
    show_warnings(gold.file.notices)
    return _print_each(
        arguments.runs, lambda file: score_system(gold, file, version, verbose=arguments.verbose)
    )


@_scorer(
    "kilt",
    _gold.but(help="gold: JSON Lines with id, input and output"),
    _files("guesses", "GUESS"),
    Option(
        "ks",
        "cut-offs, such as 1,5 (default: 1,5,10,20)",
        kind=NAMES,
        default=("1", "5", "10", "20"),
        metavar="K,K",
    ),
    Option(
        "rank-keys",
        "keys of a provenance that are the id of a page, such as title,section (default: wikipedia_id)",
        ("--rank_keys",),
        kind=NAMES,
        default=("wikipedia_id",),
        metavar="KEY,KEY",
    ),
    example="excerpt official kilt gold.jsonl guess.jsonl",
)
def official_kilt_main(arguments: Arguments) -> int:
    """Score retrieved provenance of KILT."""
    from excerpt.official.kilt_retrieval import options_of, read_gold, score_guess

    options = options_of(arguments.ks, arguments.rank_keys)
    gold = read_gold(arguments.gold)
    return _print_each(arguments.runs, lambda file: score_guess(gold, file, options))


@_scorer(
    "nuggets",
    _files("assignments of nuggets: JSON Lines", "ASSIGNMENTS"),
    example="excerpt official nuggets assignments.jsonl",
)
def official_nuggets_main(arguments: Arguments) -> int:
    """Score assignments of nuggets."""
    from excerpt.official.nuggetizer import score_assignments

    return _print_each(arguments.runs, score_assignments)


@_scorer(
    "epicqa",
    argument("judgments", "judgments: a JSON list of questions with annotations", metavar="JUDGMENTS"),
    _files("run files"),
    Option(
        "task",
        "questions to score: those that begin with E (expert), with C (consumer), or all",
        kind=choice("all", "expert", "consumer"),
        required=True,
    ),
    example="excerpt official epicqa --task expert judgments.json run.txt",
)
def official_epicqa_main(arguments: Arguments) -> int:
    """Score ranked answers of EPIC-QA."""
    from excerpt.official.epic_eval import read_judgments, score_run

    judgments = read_judgments(arguments.judgments, arguments.task)
    return _print_each(arguments.runs, lambda file: score_run(judgments, file))
