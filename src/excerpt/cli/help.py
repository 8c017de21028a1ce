"""First page of a command's help: at most twelve options, each in a few words, and an example."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence

from excerpt.options import FLAG, TABLE, Option

#: Columns of a first page, and of the longest name of a value in it.
_COLUMNS, _VALUE = 80, 16
#: What only the folder of the example collection has.
_OF_DEMO = re.compile(r"qrels\.fol|runs/|docs\.zip|topics\.xml")

#: The most options that a command's first page shows, and how many of the usual ones have room in any case.
MOST, _ROOM = 12, 5
#: Shared options in the order in which a first page shows them, after those of the command alone.
_USUAL = ("measures", "corpus", "index", "only", "overlap", "format", "output", "record", "figure", "workers")
#: The first options of commands with more than twelve, if they are not those of the command alone.
_FIRST: dict[str, tuple[str, ...]] = {
    "evaluate": (
        *("measures", "corpus", "index", "only", "overlap", "per-topic", "by", "interval", "ceiling", "save"),
        *("output", "figure"),
    ),
    "chunks": ("measures", "corpus", "per-topic", "by", "interval", "only", "format", "output", "figure"),
    "report": ("measures", "corpus", "topics", "output", "title", "labels", "cited", "no-text", "overlap"),
    "explore": ("measures", "corpus", "topics", "title", "labels", "cited", "overlap", "port", "no-browser"),
    "explain": (
        *("measures", "corpus", "topics", "against", "write", "worst", "passages", "chunks", "only"),
        *("overlap", "format", "output"),
    ),
    "gate": (
        *("measures", "qrels", "corpus", "max-drop", "min", "must", "test", "max-missing", "if-unsure"),
        *("overlap", "format", "output"),
    ),
    "assess new": ("corpus", "topics", "pool", "procedure", "title", "double", "guidelines", "suggestions"),
    "render": (
        *("measures", "per-topic", "by", "interval", "baseline", "digits", "labels", "caption", "format"),
        *("output", "width", "highlight"),
    ),
}

#: Helps of a few words, by option or by command and option, where the beginning of the help is none.
_BRIEF = {
    "qrels": "judgments: a file, or a folder with a file per topic",
    "runs": "run files, or folders of run files",
    "measures": "measure or set, such as MAiP or rag; repeatable",
    "corpus": "documents: folder, archive, file or index",
    "index": "index of the corpus, to resolve element paths",
    "only": "use only these topics, such as 201,205-210",
    "overlap": "overlapping results: error, first, penalise, allow",
    "format": "such as table, json, csv, latex, markdown",
    "output": "file to write (default: standard output)",
    "figure": "draw a figure into FILE (.svg, .pdf, .png)",
    "interval": "confidence level of intervals, such as 0.95",
    "by": "means by corpus, group or document",
    "labels": "file with labels instead of the runs' names",
    "ranks": "only the runs with these ranks, such as 1-5",
    "record": "also write rows and settings, for excerpt rerun",
    "title": "title (default: the name of the judgments)",
    "cited": "run of cited text, shown as a layer",
    "no-text": "scores and offsets only, no text of documents",
    "no-fingerprint": "leave out the fingerprints of documents",
    "port": "port to listen on (default: a free one)",
    "caption": "caption of the table in LaTeX",
    "digits": "decimal places (default: 4)",
    "alpha": "significance level (default: 0.05)",
    "strict": "treat warnings as errors (exit status 3)",
    "demo collection": "contracts (default) or articles, in deep XML",
    "demo report": "write an HTML report instead of scores",
    "evaluate ceiling": "best score of any list of such units; losses",
    "evaluate save": "save all scores, as .json, .csv or .parquet",
    "show top": "only documents among the first N results",
    "place output": "file for the chunks with their offsets",
    "place lost": "chunks that are nowhere: error, drop or count",
    "align from_": "the old documents",
    "align to": "the new documents",
    "align output": "file for the rows with their new places",
    "chunks chunks": "located chunks, a file per chunker (excerpt place)",
    "explain write": "with --against: folder for the changed lists",
    "explain passages": "missed passages shown per topic (default: 5)",
    "explain chunks": "all chunks, to find passages that they split",
    "gate baseline": "saved scores (evaluate --save), or a run",
    "gate max-missing": "largest share of missing questions (default: 0)",
    "gate min": "minimum of a mean, such as recall@5=0.8",
    "citations gold": "evidence: count the quotes that overlap it",
    "citations max-unreal": "largest share of quotes that are not real (default: 1)",
    "citations id-from": "element or attribute with the document id",
    "citations include": "further files that are documents: '*.py'",
    "index keep-text": "include the text: the index serves as corpus",
    "index tags": "with --info: list the tags",
    "pool take": "pool the N best by fusion, instead of --depth",
    "pool floor": "with --take: also the first N of every run",
    "pool sample": "pool this share of the other results, drawn",
    "gold new gold": "gold file to write; an existing one is gone on with",
    "gold new drafts": "questions that a model wrote, to accept or reject",
    "gold new port": "port to listen on (default: that of the last time)",
    "judges topic": "topic of highlights that name none",
    "judges layer": "layer of the highlights in XMI",
    "compare sides": "sides of the test: 2 (default) or 1",
    "compare plus-one": "p of (count + 1) / (samples + 1)",
    "correlate drop-tags2": "tags left out in the second evaluation",
    "correlate by-rank": "fit and draw ranks, instead of scores",
    "stability sampled rates": "shares of the other documents to draw",
    "common-topics": "only topics with scores by every measure",
    "agreement min-difference": "least difference of two means that counts",
    "agreement all-pairs": "draw all pairs, also those that none separates",
    "testerror tests": "tests to judge, such as bootstrap,t",
    "rerun saved": "record of an experiment (--record FILE)",
    "rerun figure": "draw the experiment's figure into FILE",
    "render saved": "saved scores, an experiment's JSON, a try folder",
    "render baseline": "mark runs that differ from this run",
    "topics to": "format to convert the topics to",
    "check statistics": "also print statistics of the judgments",
    "assess new procedure": "rules of assessment (default: inex2007)",
    "assess new suggestions": "passages or grades that a machine suggests",
    "assess export merge": "how to merge judgments of several assessors",
    "assess export undecided": "with --merge adjudicated: what is not decided",
    "assess new double": "share of documents that two people judge",
    "assess serve port": "port to listen on, kept in the campaign",
    "assess people action": "add, remove or list",
    "assess assign double": "with --by: share that two people judge",
    "assess extend pool": "further documents to judge (excerpt pool)",
    "assess release anonymous": "letters instead of names, no notes",
    "assess rebuild as_far_as_possible": "rebuild what is certain, and list what is lost",
    "stability errors replacement": "draw topics with replacement",
    "try docs": "documents (or DOCS@PARSER), then questions",
    "try chunker": "such as recursive:800 or my.py:cut; repeatable",
    "try retriever": "such as bm25 or my.py:search; repeatable",
    "try output": "folder for table, report, runs and scores",
    "official genomics gold": "gold standard of passages",
    "official bioasq phase-b": "refused: phase B is not scored",
    "official epicqa judgments": "judgments of sentences, as JSON",
}


def first_options(command: str, shown: Sequence[Option]) -> list[Option]:
    """Return the options of a command's first page, from all that the command shows."""
    named = {option.name: option for option in shown if option.written}
    if len(named) <= MOST:
        return [*named.values()]
    wanted = _FIRST.get(command) or _balanced(named)
    return [named[name] for name in wanted if name in named][:MOST]


def _balanced(names: Iterable[str]) -> list[str]:
    """Return the measures, then options of a command alone, then the usual ones, of which some have room."""
    known = {*names}
    first, *rest = [name for name in _USUAL if name in known]
    own = [name for name in names if name not in {*TABLE, "quiet", "strict"}]
    return [first, *own[: MOST - 1 - min(len(rest), _ROOM)], *rest]


def _brief(command: str, option: Option) -> str:
    """Return the help of an option in a few words: from the table, or the beginning of its help."""
    written = _BRIEF.get(f"{command} {option.name}") or _BRIEF.get(option.name)
    return written or re.split(r" \(|; |: |, such as", option.help, maxsplit=1)[0].strip()


def _invocation(option: Option) -> str:
    """Return an option as a first page shows it: `-m, --measure MEASURE`."""
    value = option.metavar or ""
    if option.kind is not FLAG and not 0 < len(value) <= _VALUE:
        value = option.name.rpartition("-")[2].upper()
    if not option.written:
        return option.metavar or option.name.upper()
    value = " ".join([value] * option.words)
    return f"{', '.join(option.written)} {f'[{value}]' if option.alone is not None else value}".rstrip()


def _fitted(text: str, room: int) -> str:
    return text if len(text) <= room else f"{text[: room - 1].rsplit(' ', 1)[0]}…"


def first_page(command: str, usage: str, about: str, shown: Sequence[Option], example: str) -> str:
    """Return the first page of a command's help: at most thirty lines of eighty columns."""
    files = [option for option in shown if not option.written]
    listed = [
        (_invocation(option), _brief(command, option)) for option in (*files, *first_options(command, shown))
    ]
    column = max(len(name) for name, _ in listed) + 2
    lines = [f"  {name:<{column}}{_fitted(text, _COLUMNS - column - 2)}" for name, text in listed]
    more = f"excerpt {command} --help all lists every option."
    about = textwrap.fill(about, _COLUMNS)
    where = " (in a copy of the folder that excerpt demo --path prints)" if _OF_DEMO.search(example) else ""
    shows = f"example{where}:\n  {example}"
    parts = [f"usage: {usage}", about, "\n".join(lines), shows, more]
    return "\n\n".join(parts) + "\n"
