"""excerpt trec_eval: options and output lines of trec_eval 10."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from getopt import GetoptError, gnu_getopt
from typing import Any

from excerpt.cli import COMMANDS, REGISTERED, Command
from excerpt.cli.console import print_message, without_verbosity
from excerpt.errors import ExcerptError
from excerpt.files import STDIN, expand

_USAGE = """usage: excerpt trec_eval [-q] [-c] [-n] [-m MEASURE] [-l N] [-M N] [-J] [-N N]
                         QRELS RUN...

{help}.
RUN is a run file, a folder of run files, or @LIST for a file that lists them.

  -m MEASURE  measure, such as map, P.5,10 or ndcg_cut.10, or a set of measures:
              official (default), all_trec, set; may be repeated
  -q          also print every topic
  -n          do not print means
  -c          mean over all topics of the qrels, not only those of the run
  -l N        lowest relevant grade (default: 1)
  -M N        use the first N documents of a topic (default: all)
  -J          leave out unjudged documents
  -N N        number of documents in the collection, for utility (default: 0)
  -v          print the version
  --max-size SIZE  reject compressed files that unpack to more, such as 8G
              (default: 100 times the packed size, from 256M to 2G)
  --quiet     print errors only: no warnings
  --strict    treat warnings as errors (exit status 3)

Long names of trec_eval also work: --measure, --query_eval_wanted, --nosummary,
--complete_rel_info_wanted, --level_for_rel, --Max_retrieved_per_topic,
--Judged_docs_only, --Number_docs_in_coll.

example:
  excerpt trec_eval -q -m official -m ndcg_cut.10 qrels.txt run.txt
"""
_LETTERS = "hvqm:cl:nD:JN:M:R:T:oZ:"
#: Letters of long names, which end in `=` if they have a value.
_LONG = {
    "help": "h",
    "version": "v",
    "query_eval_wanted": "q",
    "measure=": "m",
    "complete_rel_info_wanted": "c",
    "level_for_rel=": "l",
    "nosummary": "n",
    "Debug_level=": "D",
    "Judged_docs_only": "J",
    "Number_docs_in_coll=": "N",
    "Max_retrieved_per_topic=": "M",
    "Rel_info_format=": "R",
    "Results_format=": "T",
    "Output_old_results_format": "o",
    "Zscore=": "Z",
    "max-size=": "size",
}
_SWITCHES = {"q": ("per_topic", True), "n": ("summary", False)}
_COUNTS = {"l": ("level", 0), "M": ("most", 1), "N": ("documents", 0)}
#: Unsupported options of trec_eval, by letter.
_UNSUPPORTED = {
    "D": "debugging output",
    "Z": "z-scores",
    "o": "an old output format",
    "R": "preferences or groups of judgments",
    "T": "other formats of results",
}
_HINT = "try excerpt trec_eval --help"


def usage() -> str:
    """Return the text that --help prints."""
    return _USAGE.format(help=COMMANDS["trec_eval"][0].upper() + COMMANDS["trec_eval"][1:])


def main(given: Sequence[str]) -> int:
    """Evaluate run after run; after a run that cannot be read the next one is evaluated."""
    try:
        options, files = gnu_getopt(without_verbosity(given), _LETTERS, list(_LONG))
    except GetoptError as error:
        message = re.sub(r"^option (\S+) not recognized$", r"unknown option \1", error.msg)
        raise ExcerptError(message, hint=_HINT) from None
    long = {f"--{name.rstrip('=')}": letter for name, letter in _LONG.items()}
    letters = [(long.get(option, option[1:]), value) for option, value in options]
    if not given or any(letter == "h" for letter, _ in letters):
        print(usage(), end="")
        return 0
    if any(letter == "v" for letter, _ in letters):
        from excerpt import __version__

        print(f"excerpt {__version__}, with the lines of trec_eval 10.0")
        return 0
    measures, settings, shown = _settings(letters)
    if len(files) < 2:
        raise ExcerptError("QRELS and at least one RUN are required", hint=_HINT)
    return _evaluate(files[0], expand(files[1:]), measures, settings, shown)


def _settings(letters: list[tuple[str, str]]) -> tuple[list[str], dict[str, Any], dict[str, bool]]:
    """Return the measures, the settings of scores, and the choice of printed lines."""
    measures: list[str] = []
    settings: dict[str, Any] = {}
    shown: dict[str, bool] = {}
    for letter, value in letters:
        if letter == "m":
            measures.append(value)
        elif letter in _SWITCHES:
            name, state = _SWITCHES[letter]
            shown[name] = state
        elif letter == "size":
            from excerpt.cli.parser import set_limit

            set_limit(value)
        elif letter in "cJ":
            settings["complete" if letter == "c" else "judged_only"] = True
        elif letter in _COUNTS:
            name, least = _COUNTS[letter]
            if not (value.isascii() and value.isdecimal() and len(value) < 16 and int(value) >= least):
                expected = f"expected a whole number of at least {least}"
                raise ExcerptError(f"found {value!r} as value of -{letter}, {expected}")
            settings[name] = int(value)
        elif (letter, value) not in {("R", "qrels"), ("T", "trec_results")}:
            message = f"-{letter} {value}".strip() + f" is not supported ({_UNSUPPORTED[letter]})"
            raise ExcerptError(message, hint=_HINT)
    return measures, settings, shown


def _evaluate(
    qrels: str, runs: list[str], measures: list[str], settings: dict[str, Any], shown: dict[str, bool]
) -> int:
    if [qrels, *runs].count(STDIN) > 1:
        raise ExcerptError("standard input can only be read once", hint="give one of the two as a file")
    from excerpt.official.trec import TrecEvalOptions, ask, evaluate_run, read_qrels

    selected, options = ask(measures), TrecEvalOptions(**settings)
    judged, status = read_qrels(qrels), 0
    for run in runs:
        try:
            printed = evaluate_run(judged, run, selected, options, **shown)
        except ExcerptError as error:
            if len(runs) == 1:
                raise
            sys.stdout.flush()
            print_message(str(error))
            status = 2
        else:
            if printed.lines:
                print(printed)
    return status


REGISTERED["trec_eval"] = Command(main, None, usage)
