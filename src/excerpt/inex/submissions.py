"""INEX submissions in XML: reader and writer."""

from __future__ import annotations

import io
import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from excerpt.formats.reader import NameColumn, ResultRow, ResultTable
from excerpt.formats.registry import Format, register_run
from excerpt.formats.source import HEAD_BYTES, Source
from excerpt.formats.writer import blocks, need_kind, write_number
from excerpt.inex.xml_events import BLANKS, Events, escape, root_name, xml_name_error
from excerpt.model.run import Run, encode
from excerpt.model.spans import UNKNOWN
from excerpt.notices import Faults

NOWHERE = "X"  # the offset of a result that does not exist, as in runs in columns


def submission_lines(run: Run, root: str) -> Iterator[str]:
    """Yield topics and results under a root element; results keep their path if they have one."""
    for name in (run.name, run.task, *run.topics, *run.documents):
        if error := xml_name_error(name, run.source or run.name):
            raise error
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    task = f' task="{escape(run.task)}"' if run.task else ""
    yield f'<{root} run-id="{escape(run.name)}"{task} result-type="{_result_type(run)}">\n'
    topic = -1
    documents, places = [escape(name) for name in run.documents], [_path_place(path) for path in run.paths]
    for number, document, start, end, element, score, rank in itertools.chain.from_iterable(blocks(run)):
        if topic != number:
            yield "</topic>\n" if topic >= 0 else ""
            yield f'<topic topic-id="{escape(run.topics[number])}">\n'
            topic = number
        offset, length = (start, end - start) if start >= 0 else (NOWHERE, 0)
        place = places[element] if element >= 0 else f'<fol offset="{offset}" length="{length}"/>'
        yield f"<result><file>{documents[document]}</file>{place}"
        yield f"<rank>{rank}</rank>" if rank != UNKNOWN else ""
        yield f"<rsv>{write_number(score)}</rsv>" if not math.isnan(score) else ""
        yield "</result>\n"
    yield "</topic>\n" if topic >= 0 else ""
    yield f"</{root}>\n"


def _path_place(path: str) -> str:
    if " " in path:
        start, end = path.split(" ")
        return f'<passage start="{escape(start)}" end="{escape(end)}"/>'
    return f"<path>{escape(path)}</path>"


def _result_type(run: Run) -> str:
    """Return the result-type of a submission; mixed runs are named by their finest kind of result."""
    if bool((run.element < 0).any()):
        return "fol"
    return "passage" if any(" " in path for path in run.paths) else "element"


ROOT = "inex-submission"
EFFICIENCY = "efficiency-submission"
LAYOUT = f"<{ROOT} run-id=…><topic topic-id=…><result><file/> <path/>|<passage/>|<fol/> <rank/> <rsv/>"
EXAMPLE = """\
<inex-submission run-id="mine">
<topic topic-id="1">
<result><file>A</file><path>/article[1]/p[2]</path><rank>1</rank><rsv>1.5</rsv></result>
<result><file>B</file><fol offset="0" length="50"/><rank>2</rank><rsv>1.2</rsv></result>
</topic>
</inex-submission>
"""
EFFICIENCY_EXAMPLE = """\
<efficiency-submission run-id="mine" task="focused" type="element" query="automatic" sequential="yes">
<topic-fields co_title="yes" cas_title="no" xpath_title="no" text_predicates="no"/>
<topic topic-id="1" total_time_ms="35">
<result><file>A</file><path>/article[1]/p[2]</path><rank>1</rank><rsv>1.5</rsv></result>
</topic>
</efficiency-submission>
"""
_CERTAIN = 1000
#: Encodings that contain ASCII; files with other bytes are read in the first one only.
_LIKE_ASCII = ("utf-8", "us-ascii", "iso-8859-1")


@dataclass(slots=True)
class _Result:
    line: int
    document: str = ""
    path: str = ""
    start: int = UNKNOWN
    end: int = UNKNOWN
    rank: int = UNKNOWN
    score: float = math.nan
    #: Number of paths, passages and offsets; one is allowed.
    locations: int = 0


class _Submission(Events):
    roots = (ROOT, EFFICIENCY)

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.name = source.name
        self.task = ""
        self.rows: list[ResultRow] = []
        self.topic = ""
        self.opened: dict[str, None] = {}
        self.result: _Result | None = None
        self._begin: dict[str, Callable[[dict[str, str]], None]]
        self._begin = dict.fromkeys(self.roots, self._open_submission)
        self._begin |= {"topic": self._open_topic, "result": self._open_result}
        self._begin |= {"passage": self._passage, "fol": self._offset}
        self._finish: dict[str, Callable[[str], None]]
        self._finish = {"file": self._file, "path": self._path, "rank": self._rank, "rsv": self._score}
        self._finish |= {"result": self._close_result, "topic": self._close_topic}

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name in self._finish:
            self.pieces.clear()
        begin = self._begin.get(name)
        if begin:
            begin(attributes)

    def end(self, name: str) -> None:
        finish = self._finish.get(name)
        if finish:
            finish("".join(self.pieces).strip(BLANKS))

    def _open_submission(self, attributes: dict[str, str]) -> None:
        names = (attributes.get(key, "").strip(BLANKS) for key in ("run-id", "participant-id"))
        self.name = next(filter(None, names), self.name)
        self.task = attributes.get("task", "").strip(BLANKS)

    def _open_topic(self, attributes: dict[str, str]) -> None:
        self.topic = attributes.get("topic-id", "").strip(BLANKS)
        if not self.topic:
            self.faults.add(self.line, "topic-id of a topic is missing, expected <topic topic-id=…>")
            self.topic = "?"  # so that its results are not reported as outside a topic
        self.opened[self.topic] = None

    def _close_topic(self, _text: str) -> None:
        self.topic = ""

    def _open_result(self, _attributes: dict[str, str]) -> None:
        if self.result:
            self.faults.add(self.line, "found a result in a result, expected </result> before it")
        self.result = _Result(self.line)
        if not self.topic:
            self.faults.add(self.line, "found a result outside a topic, expected it in <topic topic-id=…>")

    def _file(self, text: str) -> None:
        if self.result:
            if self.result.document:
                self.faults.add(self.line, "found a second <file> in a result, expected one")
            self.result.document = text

    def _path(self, text: str) -> None:
        if self.result:
            self.result.locations += 1
            self.result.path = self.pointer(text, "path")

    def _passage(self, attributes: dict[str, str]) -> None:
        if self.result:
            self.result.locations += 1
            ends = [self.pointer(attributes.get(key), f"passage {key}") for key in ("start", "end")]
            self.result.path = " ".join(ends)

    def _offset(self, attributes: dict[str, str]) -> None:
        if self.result:
            self.result.locations += 1
            if attributes.get("offset", "").strip(BLANKS) != NOWHERE:
                self.result.start = self.whole(attributes.get("offset"), "offset")
                self.result.end = self.result.start + self.whole(attributes.get("length"), "length")

    def _rank(self, text: str) -> None:
        if self.result:
            self.result.rank = self.whole(text, "rank")

    def _score(self, text: str) -> None:
        if self.result:
            self.result.score = self.decimal(text, "rsv")

    def _close_result(self, _text: str) -> None:
        result, self.result = self.result, None
        if result is None:  # the end of a result with another inside, which is reported already
            return
        if not result.document:
            self.faults.add(result.line, "<file> is missing in a result, expected one with a document id")
        elif not result.locations:
            self.faults.add(result.line, "a result has no location, expected one <path>, <passage> or <fol>")
        elif result.locations != 1:
            number = f"found a result with {result.locations} locations"
            self.faults.add(result.line, f"{number}, expected one <path>, <passage> or <fol>")
        else:
            row = (self.topic, result.document, result.path, result.start, result.end)
            self.rows.append((*row, not result.path, result.rank, result.score, result.line))


class _Rest(_Submission):
    """Parser of the rest of a submission after its regular results were cut out."""

    def __init__(self, source: Source, stand_in: str, encodings: tuple[str, ...]) -> None:
        super().__init__(source)
        #: Topic of each stand-in, and how many results were gathered before it.
        self.topics: list[str] = []
        self.before: list[int] = []
        #: True if the results that were cut out may mean something else, as in a comment.
        self.doubtful = False
        self._encodings = encodings
        self._begin[stand_in] = self._stand_in
        self._parser.XmlDeclHandler = self._declare
        self._parser.StartDoctypeDeclHandler = self._declare_type

    def _stand_in(self, _attributes: dict[str, str]) -> None:
        self.doubtful |= self.result is not None or not self.topic
        self.topics.append(self.topic)
        self.before.append(len(self.rows))

    def _declare(self, _version: str, encoding: str | None, _standalone: int) -> None:
        self.doubtful |= encoding is not None and encoding.lower() not in self._encodings

    def _declare_type(self, _name: str, _system: str | None, _public: str | None, declares: int) -> None:
        self.doubtful |= bool(declares)  # entities may contain results


def _in_bulk(source: Source) -> tuple[_Submission, ResultTable] | None:
    """Read a submission, its regular results all at once; None if that is not safe."""
    from excerpt.inex.bulk import cut_results  # imported here: other formats do not need it

    bulk = cut_results(source.data)
    if bulk is None:
        return None
    encodings = _LIKE_ASCII if source.data.isascii() else _LIKE_ASCII[:1]
    faults = Faults(source.name, keep=True)
    rest = _Rest(replace(source, data=bulk.rest, faults=faults), bulk.stand_in, encodings)
    rest.parse()
    if rest.doubtful or rest.faults or len(rest.topics) != len(bulk.counts):
        return None
    topics, topic = encode(rest.topics)
    results = bulk.results._replace(topics=NameColumn(topics, np.repeat(topic, bulk.counts)))
    before = np.repeat(np.array(rest.before, np.int64), bulk.counts)
    return rest, results.merge(ResultTable.of(rest.rows), before)


def _one_by_one(source: Source) -> tuple[_Submission, ResultTable]:
    submission = _Submission(source)
    submission.parse()
    source.faults.settle()
    return submission, ResultTable.of(submission.rows)


def read(source: Source) -> Run:
    """Read a submission; with an index, paths and passages become spans."""
    submission, results = _in_bulk(source) or _one_by_one(source)
    if not len(results.line):
        source.notices.add("the submission has no results", where=source.name)
    run = results.to_run(source, submission.name)
    empty = tuple(topic for topic in submission.opened if topic not in set(run.topics))
    return replace(run, task=submission.task, empty=empty)


def recognise(source: Source, root: str = ROOT) -> int:
    """Detect the root element of a submission that does not contain links."""
    links = root == ROOT and b"<outgoing" in source.data[:HEAD_BYTES]
    return _CERTAIN if root_name(source) == root and not links else 0


def write(run: Run, stream: io.BufferedIOBase) -> None:
    """Write a submission; results keep their path if they have one, else their offset and length."""
    hint = "give ⟨index⟩, or try ⟨format=trec⟩ or ⟨format=bep⟩"
    need_kind(run, "inex", ("spans", "elements"), "elements or text spans", hint)
    stream.writelines(line.encode() for line in submission_lines(run, ROOT))


for _format in (
    Format(
        "inex", "run", LAYOUT, "XML submissions (INEX 2003 to 2008)", read, recognise, write, example=EXAMPLE
    ),
    Format(
        "inex-efficiency",
        "run",
        LAYOUT.replace(ROOT, EFFICIENCY),
        "XML submissions (INEX efficiency track 2008 to 2010)",
        read,
        partial(recognise, root=EFFICIENCY),
        example=EFFICIENCY_EXAMPLE,
    ),
):
    register_run(_format)
