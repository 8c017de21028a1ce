"""Passages as IndriRunQuery prints them: `score document begin end`, with or without their text.

`begin` and `end` count words as Indri cuts them, which no other program does. If the passages are printed
(-printPassages) and a corpus is given, they are located by their text; else the offsets stay in words.
Queries have no ids: each begins with a line `# query: …` (-printQuery), and they are numbered. In TREC form
(-trecFormat) lines have topics but no offsets, so the text is needed, and the user must name the format.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise

from excerpt.errors import short
from excerpt.formats.judgments.qrels import ITERATIONS, is_judged
from excerpt.formats.reader import ResultTable
from excerpt.formats.registry import Format, register_run
from excerpt.formats.source import Source
from excerpt.formats.text.columns import decimal
from excerpt.model.run import Run
from excerpt.model.spans import MAX_OFFSET, UNKNOWN
from excerpt.quotes.quote_search import find_quote

LAYOUT = "score document begin end, with tabs; then the text of the passage"
EXAMPLE = "# query: rent\n-5.1\tA\t12\t52\n-5.7\tB\t0\t50\n"
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_PLAIN = re.compile(rf"({_NUMBER})\t(\S+)\t(\d{{1,10}})\t(\d{{1,10}})\s*")
_TREC = re.compile(rf"(\S+) Q0 (\S+) (\d{{1,10}}) ({_NUMBER}) (\S+)\s*")
_QUERY = "# query:"


@dataclass
class _IndriPassage:
    line: int
    topic: str
    document: str
    start: int
    end: int
    rank: int
    score: float
    text: list[str] = field(default_factory=list)


def _read(source: Source) -> tuple[list[_IndriPassage], int, str]:
    """Read all lines: queries, results, and the text below results; count the queries, and name the run."""
    passages: list[_IndriPassage] = []
    queries, name = 0, source.name
    for line, text in enumerate(source.text.decode().split("\n"), 1):
        if text.startswith(_QUERY):
            queries += 1
        elif match := _PLAIN.fullmatch(text):
            score, document, start, end = match[1], match[2], int(match[3]), int(match[4])
            topic = str(max(queries, 1))
            passages.append(_IndriPassage(line, topic, document, start, end, UNKNOWN, decimal(score)))
            if not start <= end <= MAX_OFFSET:
                source.faults.add(line, f"found words {start} to {end}, expected an end after the begin")
        elif match := _TREC.fullmatch(text):
            topic, document, rank, score, name = match.groups()
            passages.append(_IndriPassage(line, topic, document, UNKNOWN, UNKNOWN, int(rank), decimal(score)))
        elif not text.startswith("# ") and passages:
            passages[-1].text.append(text)
        elif text.strip() and not text.startswith("# "):
            source.faults.add(line, f"found {short(text)!r}, expected {LAYOUT}")
    return passages, queries, name


def read(source: Source) -> Run:
    """Read passages; with a corpus they are located by their text."""
    passages, queries, name = _read(source)
    _check_topics(source, passages, queries)
    source.faults.settle()
    printed = any("".join(passage.text).strip() for passage in passages)
    if source.corpus is not None and printed:
        _place(source, passages)
    elif any(passage.start == UNKNOWN for passage in passages):
        message = "results have no offsets; locating them needs the text of each passage and a corpus"
        source.faults.add(passages[0].line, message, "give ⟨corpus⟩, or read it as ⟨run_format=trec⟩")
    else:
        source.notices.add(
            "offsets stay in Indri's words: converting them to characters needs a corpus and passage texts",
            where=source.name,
        )
    source.faults.settle()
    rows = [
        (one.topic, one.document, "", one.start, one.end, True, one.rank, one.score, one.line)
        for one in passages
    ]
    return ResultTable.of(rows).to_run(source, name, "spans")


def _check_topics(source: Source, passages: list[_IndriPassage], queries: int) -> None:
    """Warn that queries are numbered; without lines that separate queries, report scores that rise."""
    plain = [passage for passage in passages if passage.rank == UNKNOWN]
    if plain and queries:
        source.notices.add("queries have no ids and are numbered from 1", where=source.name)
        return
    for before, after in pairwise(plain):
        if after.score > before.score:
            message = (
                "found a score that rises, expected a line '# query: …' before the results of each query"
            )
            source.faults.add(after.line, message, "let Indri print queries (-printQuery=true)")
            return


def _place(source: Source, passages: list[_IndriPassage]) -> None:
    for passage in sorted(passages, key=lambda one: one.document):
        text, quote = source.text_of(passage.document), "\n".join(passage.text).strip()
        match = find_quote(text, quote) if text is not None and quote else None
        if match is None:
            document = f"document {short(passage.document)}"
            message = (
                f"{document} is not in the corpus, expected the corpus that was searched"
                if text is None
                else f"the passage {short(quote, 40)!r} does not occur in {document}"
            )
            source.faults.add(passage.line, message)
            passage.start = passage.end = UNKNOWN
            continue
        passage.start, passage.end = match.start, match.end


def recognise(source: Source) -> int:
    """Detect the format by the first line that is no comment, since text may occur between results.

    A score of Indri is a fraction; a whole number is rather the topic of a line of qrels, whose second column
    is always 0 or Q0.
    """
    if all(is_judged(row) and row[1].lower() in ITERATIONS for row in source.head):
        return 0
    lines = source.beginning.decode("utf-8", "replace").split("\n")
    first = next((line for line in lines if line.strip() and not line.startswith("# ")), "")
    return 2 * len(source.head) if (match := _PLAIN.fullmatch(first)) and "." in match[1] else 0


register_run(
    Format("indri", "run", LAYOUT, "passages as IndriRunQuery prints them", read, recognise, example=EXAMPLE)
)
