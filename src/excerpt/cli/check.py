"""excerpt check and convert: faults of run and judgment files, and conversion between formats."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

from excerpt import options
from excerpt.cli.console import own_notices, show_warnings
from excerpt.cli.parser import Arguments, chosen, command, reading
from excerpt.errors import ExcerptError, one_line, plural
from excerpt.options import Option, OptionKind, as_option, choice, corpus_help, whole

if TYPE_CHECKING:
    from excerpt.checking.validation import Examination
    from excerpt.index import OffsetIndex
    from excerpt.notices import Notices
    from excerpt.view.file_versions import FileVersion, VersionMismatch

_KIND = Option("kind", "kind of the files, if the format allows both", kind=choice("run", "judgments"))
_QUOTED = options.CORPUS.but(help=corpus_help("documents, to verify quoted evidence of gold files"))
_SEVERAL = _QUOTED.but(
    help=f"{_QUOTED.help}; several, each as NAME=DOCS, say which keeps the quotes of gold",
    many=True,
    default=None,
)
_QUOTES = (options.CONTEXT, options.COPIES, options.UNPLACED)
_READING = (options.INDEX, _QUOTED, *options.OPENING, *_QUOTES, *options.IDS)
#: What a run is held against.
_HELD = (
    Option(
        "task",
        "check the rules of this task: overlap, order of documents, number of results (default: the task "
        "that an XML submission declares, else none)",
        kind=choice("thorough", "focused", "relevant-in-context", "best-in-context"),
    ),
    Option(
        "year",
        "year of INEX, for the most results of a topic: 100 in 2002, else 1500 (default: 1500 if there is a "
        "task)",
        kind=OptionKind(partial(whole, least=2002, most=2014)),
        metavar="YEAR",
    ),
)
_IN_FORMAT = "read the files as {} in this format (default: detected; see excerpt formats)"


@command(
    "check",
    options.RUNS.but(
        name="files",
        help="run or judgment files (- for standard input), folders, or @LIST for a file that lists them",
        metavar="FILE",
        setting=None,
    ),
    _KIND,
    options.RUN_FORMAT.but(help=_IN_FORMAT.format("runs"), either="format"),
    options.QRELS_FORMAT.but(help=_IN_FORMAT.format("judgments"), either="format"),
    options.count("most", "faults to list per file (default: 100)", default=100),
    options.FORMAT.but(help="output format (default: table)"),
    options.flag(
        "statistics",
        "also print statistics of the judgments, of all files together: documents, passages, characters, "
        "grades, and with --index completely highlighted elements",
    ),
    *_HELD,
    *(_SEVERAL if option is _QUOTED else option for option in _READING),
    options.MAX_SIZE,
    example="excerpt check qrels.fol runs/",
)
def check_main(arguments: Arguments) -> int:
    """List the faults of each file, or its contents if there are none."""
    if arguments.corpus is not None and (len(arguments.corpus) > 1 or _is_named(arguments.corpus[0])):
        return _compare(arguments)
    arguments.corpus = arguments.corpus[0] if arguments.corpus else None
    how = _opened(arguments)
    with how["corpus"].one_pass() if how.get("corpus") else nullcontext():
        return _examine(arguments, how)


def _examine(arguments: Arguments, how: dict[str, Any]) -> int:
    """Check the files, print what was found, and return the exit status."""
    from excerpt.view.file_versions import compare_versions

    corpus = how.get("corpus")
    results, versions, mismatches = [], [], []
    for file in arguments.files:
        result, version, differs = _examined(file, arguments, how)
        results.append(result)
        versions += [version] if version is not None else []
        mismatches += differs
        if arguments.statistics and results[-1] and results[-1].judgments is None:
            raise ExcerptError("--statistics is for judgments, but the file has a run", path=results[-1].name)
        if arguments.format == "table":
            _show(results[-1])
    together = (len(results) > 1 or corpus is not None) and not arguments.statistics
    mismatches += compare_versions(versions, corpus, arguments.corpus or "") if together else []
    if arguments.format == "table":
        _show_together(results, versions, mismatches)
    notices = own_notices()
    counted = _count(results, how.get("index"), notices) if arguments.statistics and all(results) else {}
    if arguments.format == "json":
        import json

        compared = {"together": not mismatches, "mismatches": [one.to_dict() for one in mismatches]}
        found = {
            "files": [_record(result) for result in results],
            **(compared if together else {}),
            **counted,
        }
        print(json.dumps(found, indent=1, ensure_ascii=False))
        show_warnings(warning for result in results for warning in result.warnings)
    elif counted:
        from excerpt.render.summaries import statistics_text

        print("\n" + statistics_text(counted), end="", flush=True)
    show_warnings(notices)
    return 0 if all(results) and not mismatches else 2


def _show_together(
    results: Sequence[Examination], versions: Sequence[FileVersion], mismatches: Sequence[VersionMismatch]
) -> None:
    """Print the numbers of several files, what does not belong together, and whether the rest does."""
    from excerpt.view.file_versions import say_together

    if len(results) > 1:
        print(_totals(results), flush=True)
    faulty = {result.name for result in results if not result}
    for mismatch in mismatches:
        if mismatch.file not in faulty:  # they are faults themselves
            print(one_line(str(mismatch)))
    if len(results) > 1 and (mismatches or any(one.documents for one in versions)):
        print(one_line(say_together(versions, mismatches)))
    sys.stdout.flush()


def _examined(
    file: str, arguments: Arguments, how: dict[str, Any]
) -> tuple[Examination, FileVersion | None, list[VersionMismatch]]:
    """Check a file of any kind; also return its version, and how it differs from the corpus."""
    from excerpt.checking.validation import Examination
    from excerpt.records.fingerprints import OtherVersionError
    from excerpt.view.file_versions import FileVersion, VersionMismatch, read_other

    try:
        other = None if arguments.statistics else read_other(file, how.get("corpus"))
        if other is not None:
            return Examination(other.name, other.summary, (), 0, (), None, other.documents), other, []
        result = _check(file, arguments, how)
    except OtherVersionError as error:
        if arguments.format != "json" and len(arguments.files) == 1:
            raise
        mismatch = VersionMismatch(error.file, arguments.corpus or "", error.documents, error.count)
        return Examination(error.file, "", (error,), 1, ()), None, [mismatch]
    except ExcerptError as error:
        if len(arguments.files) == 1 or error.path is None:
            raise
        return Examination(error.path, "", (error,), 1, ()), None, []
    return result, FileVersion(result.name, result.summary, result.fingerprints), []


def _is_named(corpus: str) -> bool:
    from excerpt.checking.evidence_kept import split_name

    return split_name(corpus)[1] != corpus


def _compare(arguments: Arguments) -> int:
    """Print what several corpora keep of the quotes of one gold file."""
    from excerpt.checking.evidence_kept import kept_evidence, named_corpora
    from excerpt.corpus import Corpus
    from excerpt.render.tables import show

    if len(arguments.files) != 1:
        raise ExcerptError(
            f"found {plural(len(arguments.files), 'file')}, expected one of gold for several corpora"
        )
    how = chosen(arguments, options.OPENING)
    context: Any = arguments.context or "paragraph"
    corpora = {
        name: Corpus.read(path, context=context, **how)
        for name, path in named_corpora(arguments.corpus).items()
    }
    found = kept_evidence(arguments.files[0], corpora, **chosen(arguments, (options.CONTEXT, options.COPIES)))
    print(show(found, arguments.format), end="", flush=True)
    return 0


def _count(results: Sequence[Examination], index: OffsetIndex | None, notices: Notices) -> dict[str, Any]:
    from excerpt.checking.judgment_statistics import judgment_statistics
    from excerpt.formats.reader import join_judgments

    parts = [result.judgments for result in results if result.judgments is not None]
    judgments = (
        parts[0] if len(parts) == 1 else join_judgments(parts, [result.name for result in results], "")
    )
    return judgment_statistics(judgments, index, notices=notices)


def _opened(arguments: Arguments) -> dict[str, Any]:
    """Return how files are read, with the index opened once for all files."""
    how = {**chosen(arguments, [_KIND]), **reading(arguments)}
    if "corpus" in how:  # once for all files
        from excerpt.formats.source import open_corpus

        how["corpus"] = open_corpus(how["corpus"], how.get("context") or "paragraph")
    if "index" in how:
        from excerpt.index import OffsetIndex

        how["index"] = OffsetIndex.open(how["index"])
    return how


def _check(file: str, arguments: Arguments, how: dict[str, Any]) -> Examination:
    """Check a file; one of several files that cannot be read counts as a fault."""
    from excerpt.checking.validation import Examination, check

    try:
        return check(file, most=arguments.most, **chosen(arguments, _HELD), **how)
    except ExcerptError as error:
        if len(arguments.files) == 1 or error.path is None:
            raise
        return Examination(error.path, "", (error,), 1, ())


def _show(result: Examination) -> None:
    for fault in result.faults:
        print(fault.say(as_option))
    if result.count > len(result.faults):
        print(f"... and {result.count - len(result.faults)} more")
    if result:
        print(one_line(str(result)))
    sys.stdout.flush()
    show_warnings(result.warnings)


def _totals(results: Sequence[Examination]) -> str:
    """Return one line with the numbers of runs, judgments, and files with faults."""
    sound = [result for result in results if result]
    judgments = sum(result.judgments is not None for result in sound)
    faulty, faults = len(results) - len(sound), sum(result.count for result in results)
    found = f"{faulty} with {plural(faults, 'fault')}" if faulty else "no faults"
    runs = sum(result.summary.startswith("a run of ") for result in sound)
    others = len(sound) - judgments - runs
    also = f", {plural(others, 'other')}" if others else ""
    return f"{plural(len(results), 'file')}: {plural(runs, 'run')}, {judgments} with judgments{also}, {found}"


def _record(result: Examination) -> dict[str, Any]:
    faults = [{"line": fault.line, "message": fault.say(as_option)} for fault in result.faults]
    evidence = {} if result.judgments is None else dict(result.judgments.evidence)
    found = {"file": result.name, "summary": result.summary, "faults": faults, "count": result.count}
    return {**found, **({"evidence": evidence} if evidence else {}), "warnings": list(result.warnings)}


@command(
    "convert",
    options.argument(
        "input", "run or judgment file (- for standard input), or a folder of judgments", metavar="IN"
    ),
    options.OUTPUT.but(
        help="file to write (- for standard output)", flags=(), default=None, metavar="OUT", required=True
    ),
    Option("to", "format to write, such as fol (see excerpt formats)", metavar="FORMAT", required=True),
    Option("from_", "format of IN (default: detected)", ("--from",), metavar="FORMAT"),
    _KIND.but(help="kind of IN, if the format allows both"),
    options.ORDER.but(setting=None, group=""),
    *_READING,
    *options.OF_TOOLS,
    *options.CHOICE,
    options.NO_FINGERPRINT,
    options.MAX_SIZE,
    example="excerpt convert qrels.fol qrels.jsonl --to jsonl",
)
def convert_main(arguments: Arguments) -> None:
    """Read a file in one format and write it in another."""
    from excerpt.checking.validation import convert

    notices = own_notices()
    how = {**_opened(arguments), "source_format": arguments.from_, "notices": notices}
    how["fingerprint"] = not arguments.no_fingerprint
    how |= chosen(arguments, options.OF_TOOLS)
    convert(arguments.input, arguments.output, arguments.to, **how)
    show_warnings(tuple(notices))
