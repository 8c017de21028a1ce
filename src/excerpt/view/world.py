"""The evaluation behind report and explorer."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from itertools import count
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from excerpt.engine import Engine
from excerpt.errors import ExcerptError, short
from excerpt.evaluation.lengths import Checks
from excerpt.evaluation.reading import GoldOptions, Judged, Measures, Reading, Runs, list_runs, one_run
from excerpt.evaluation.scoring import Progress, Scoring, decide_first
from excerpt.model.duplicate_evidence import count_elsewhere
from excerpt.model.join import Joined, join
from excerpt.model.judgments import Judgments
from excerpt.model.policy import Policy
from excerpt.model.scores import ScoreTable
from excerpt.model.spans import IntArray
from excerpt.notices import Gathering, Notices
from excerpt.view.funnel import funnel_table
from excerpt.view.library import Blocks, Library
from excerpt.view.limitations import notice_bytes
from excerpt.view.overview import Overview, settings
from excerpt.view.passages import Missing, passages_data
from excerpt.view.reasons import REASONS
from excerpt.view.run_columns import Kept, keep, keep_results, whole_reach
from excerpt.view.topic_rows import TopicRows
from excerpt.view.verdicts import SEED

if TYPE_CHECKING:
    from excerpt.corpus import Corpus
    from excerpt.formats.topics import Topics


#: The folders of a file that is named from the root on.
_FOLDERS = r"(?<![\w.])(?:[A-Za-z]:)?[/\\](?:[^/\\\s:]+[/\\])*(?=[^/\\\s])"
#: What may stand behind an id.
_ENDS = ("", " ", ",", ":", ")")


def without_folders(files: Iterable[str], ids: Sequence[str]) -> Callable[[str], str]:
    """A function that takes folders out of a text: those of `files`, and those of all paths from the root on.

    >>> tell = without_folders(["data/docs/", "."], ["/d/doc1"])
    >>> tell("data/docs/c.txt: /d/doc1, /d/e.txt of x.fol.")
    'docs/c.txt: /d/doc1, e.txt of x.fol.'
    """
    bases = {name.rstrip("/\\"): PurePath(name).name for name in files if PurePath(name).name}
    names = "|".join(re.escape(name) for name in sorted(bases, key=len, reverse=True))
    known = rf"(?<![\w./\\-])(?:{names})(?![\w-])|" if names else ""
    pattern = re.compile(known + _FOLDERS)

    @cache
    def shown_ids() -> list[str]:
        return [short(name) for name in ids if "/" in name or "\\" in name]

    def tell(match: re.Match[str]) -> str:
        text, at = match.string, match.start()
        for name in shown_ids():
            if text.startswith(name, at) and text[at + len(name) :][:1] in _ENDS:
                return match[0]
        return bases.get(match[0], "")

    return lambda text: pattern.sub(tell, text)


#: The form of the data; a page reads the one that it was made for.
FORMAT = 1
#: Documents that are looked through for evidence elsewhere and for doubts, where reading waits.
_SEARCHED = 1000
_NOT_LOOKED = [
    f"Whether evidence stands at other places too was not looked for: {reason}."
    for reason in ("the collection is too large", "there is no text")
]


@dataclass(eq=False)
class World:
    """Runs beside judgments, scored, with texts and topics: what a report shows and a server answers.

    All methods give values that JSON knows; None stands for a score that is not defined.
    """

    scoring: Scoring
    table: ScoreTable
    kept: tuple[Kept, ...]
    library: Library
    topics: Topics | None = None
    title: str = ""
    #: What is known of runs, by name; how it was made.
    about: Mapping[str, str] = field(default_factory=dict)
    made: Mapping[str, Any] = field(default_factory=dict)
    #: All doubts, and the same as pages tell them: with names of files, without their folders.
    warnings: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    #: A run of cited text, shown as a layer of its own.
    cited: Kept | None = None

    @classmethod
    def of(
        cls,
        judgments: Judged,
        runs: Runs,
        measures: Measures | None,
        *,
        corpus: Corpus | None = None,
        topics: Topics | None = None,
        cited: Runs | None = None,
        title: str = "",
        policy: Policy | None = None,
        text: bool = True,
        about: Mapping[str, str] | None = None,
        made: Mapping[str, Any] | None = None,
        inputs: Iterable[str] = (),
        blocks: Blocks | None = None,
        lazy: bool = False,
        workers: int = 1,
        cluster: str | None = None,
        notices: Notices | None = None,
        progress: Progress | None = None,
        **reading: Unpack[GoldOptions],
    ) -> World:
        """Evaluate as `evaluate` does, and keep what can be shown.

        With `lazy` no document is read before it is asked for. Pages tell `inputs` without their folders.
        """
        engine, several = Engine(workers, cluster), list_runs(runs)
        checks: Checks = "ids" if lazy else "lengths"
        read = replace(Reading.of(corpus=corpus, **reading), corpus_checks=checks)
        with Gathering(notices) as gathered:
            read = read.aimed(topics, gathered)
            scoring = Scoring.of(judgments, measures, policy=policy, reading=read, notices=gathered)
            scoring = decide_first(scoring, several, engine, gathered)
            if topics is not None:
                topics.check(scoring.judgments.topics, gathered)
            known = scoring.judgments.document_codes
            codes = defaultdict(count(len(known)).__next__, known)
            scored, kept, told = [], [], None if cited is None else _join_cited(scoring, cited, gathered)
            for part in scoring.map(partial(keep, cited=told), several, engine, progress):
                scores, columns = part.value
                scored.append(part.having(scores))
                kept.append(columns.recoded(codes))
            table = scoring.table(scored, gathered)
            notice_bytes(scoring, gathered)
            layer = None if told is None else keep_results(told, whole_reach(told)).recoded(codes)
            library = Library.of(scoring.judgments, [*kept, *filter(None, [layer])], tuple(codes))
            library.corpus, library.text, library.blocks, library.lazy = corpus, text, blocks, lazy
            world = cls(
                scoring=scoring,
                table=table,
                kept=tuple(kept),
                library=library,
                topics=topics,
                title=title or PurePath(scoring.judgments.source).stem,
                about=about or {},
                made=made or {},
                cited=layer,
            )
            world.warnings = tuple(gathered)
            files = {scoring.judgments.source, *table.files, getattr(topics, "source", ""), *inputs}
            world.told = tuple(gathered.reworded(without_folders(files, library.names)))
        return world

    @property
    def judgments(self) -> Judgments:
        """The judgments that runs were scored against."""
        return self.scoring.judgments

    @property
    def _returned(self) -> tuple[Kept, ...]:
        """The runs and, behind them, what was cited."""
        return self.kept if self.cited is None else (*self.kept, self.cited)

    @cached_property
    def _missing(self) -> Missing:
        return Missing(self.judgments, self.kept, self.library, self.scoring.measures)

    @property
    def _large(self) -> bool:
        """Whether reading waits, and there is too much to read all of it for an overview."""
        return self.library.lazy and len(self.shown) > _SEARCHED

    @cached_property
    def shown(self) -> IntArray:
        """Numbers of the documents with relevant text or results, in the order of the library."""
        marked = np.zeros(len(self.library.names), np.bool_)
        marked[self.judgments.pair_document[self.judgments.relevant_by_pair > 0]] = True
        for run in self._returned:
            marked[run.document] = True
        return np.flatnonzero(marked)

    @property
    def document_names(self) -> tuple[str, ...]:
        """The names of the documents whose text is shown: with relevant text, or returned by some run."""
        return tuple(self.library.describe(self.shown)["id"])

    @cached_property
    def _elsewhere(self) -> IntArray | None:
        """At how many other places each passage stands; None where nobody looked."""
        if self.library.corpus is None or self._large:
            return None
        once = list(self.library.once(self.shown.tolist()).values())
        return count_elsewhere(self.judgments, once, self.library.text_of)

    def overview(self) -> dict[str, Any]:
        """Scores, means, intervals, comparisons, verdicts and doubts, of all runs and topics."""
        shown = Overview(self.scoring, self.table, self.kept, self.topics, self.about)
        elsewhere = _NOT_LOOKED[self.library.corpus is None] if self._elsewhere is None else self._elsewhere
        return {
            "format": FORMAT,
            "title": self.title,
            "text": self.library.text and self.library.corpus is not None,
            **shown.data(elsewhere),
            "tables": self._tables(),
            "cited": self.cited is not None and self.cited.name,
            "reasons": list(REASONS),
            "made": {"settings": settings(self.scoring), "seed": SEED, **self.made},
            "warnings": [*self.told, *self._doubts()],
        }

    def _tables(self) -> list[dict[str, Any]]:
        """What runs missed and why, and what of it was cited."""
        names, cited = self.table.runs, self.cited
        some = [self._missing.table(names)] if len(self.judgments.spans) and not self._large else []
        return some if cited is None else [*some, funnel_table(names, self.kept, cited.name)]

    def _doubts(self) -> Iterable[str]:
        """What is wrong with texts, where nobody has read them before; of many only those that were shown."""
        if not self.library.lazy:
            return ()
        if len(self.shown) <= _SEARCHED:
            self.library.describe(self.shown)
        return self.library.doubts()

    def tell_unread(self, notices: Notices) -> None:
        """Say what was found out about documents only when they were to be shown."""
        found = self.library.doubts()
        if new := tuple(said for said in found if said not in self.warnings):
            self.warnings += new
            notices.extend(found)

    def topic(self, number: int) -> dict[str, Any]:
        """Documents, relevant text and results of one topic, by its place in the overview."""
        data: dict[str, Any] = _lists(self.topic_columns(number))
        return data

    def topic_columns(self, number: int) -> dict[str, Any]:
        """The same with columns of whole numbers as arrays, which are many where runs are."""
        if not 0 <= number < len(self.judgments.topics):
            raise ExcerptError(
                f"found topic number {number}, expected one below {len(self.judgments.topics)}"
            )
        data = TopicRows(self.judgments, self._returned, number).data()
        numbers = data["documents"].pop("number")
        data["documents"] |= self.library.describe(numbers)
        if self.cited is not None:
            data["cited"] = data["runs"].pop()
            data["counted"].pop(str(len(self.kept)), None)
        return data | self._missing.of_topic(number, data["relevant"].pop("passage"))

    def topic_number(self, name: str) -> int:
        """The place of a topic in the overview; an error for one that was not judged."""
        return self.table.place("topic", name)

    def passages(self) -> dict[str, Any]:
        """Relevant passages with who found them, unjudged text and repeated text of all topics."""
        data = passages_data(self.judgments, self.kept, self._elsewhere)
        tables = [data[name] for name in ("relevant", "unjudged", "again")]
        used = np.unique(np.concatenate([table["document"] for table in tables]))
        for table in tables:
            table["document"] = np.searchsorted(used, table["document"]).tolist()
        told = self.library.describe(used)
        return {"documents": told["id"], "kinds": told["kind"], **data}

    def document(self, name: str) -> dict[str, Any]:
        """A document by any of its names: its text with its structure, or why there is none."""
        return self.library.document(self.library.find(name))

    def each_document(self) -> Iterator[dict[str, Any]]:
        """Every document that is shown, one after the other."""
        return map(self.library.document, self.shown.tolist())

    def documents(self) -> dict[str, Any]:
        """The names of the documents that are shown, and the number of every other spelling.

        Where no text is shown there are lengths, too, and why that is so.
        """
        ids = self.library.describe(self.shown)["id"]
        names: dict[str, int] = {}
        for place, number in enumerate(self.shown.tolist() if self.library.corpus is not None else ()):
            names |= {other: place for other in self.library.spellings(number) if other not in names}
        for name in ids:
            names.pop(name, None)
        if self.library.text:
            return {"ids": ids, "names": names}
        return {"ids": ids, "names": names, **self.library.without_text(self.shown)}

    def texts(self, name: str, spans: Sequence[tuple[int, int]]) -> list[str]:
        """The text of spans of a document, nothing where there is none."""
        return self.library.texts(self.library.find(name), spans)


def _join_cited(scoring: Scoring, cited: Runs, notices: Notices) -> Joined:
    """Cited text beside the judgments, in whatever format; no measure asks anything of it."""
    read = replace(scoring.reading, run_format=None).run(one_run(cited, "what was cited"), notices)
    return join(read, scoring.judgments, replace(scoring.policy, limit=None), notices)


def _lists(data: Any) -> Any:
    """Data with lists instead of arrays."""
    if isinstance(data, np.ndarray):
        return data.tolist()
    if isinstance(data, dict):
        return {name: _lists(value) for name, value in data.items()}
    arrays = isinstance(data, list) and data and isinstance(data[0], np.ndarray)
    return [column.tolist() for column in data] if arrays else data
