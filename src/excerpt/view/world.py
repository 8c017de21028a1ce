"""The evaluation behind the report and the explorer."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from itertools import count
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from excerpt.engine import Engine
from excerpt.errors import ExcerptError, short
from excerpt.evaluation.lengths import Checks
from excerpt.evaluation.reading import Judged, Measures, Runs, ViewOptions, list_runs, one_run, settings_of
from excerpt.evaluation.scoring import Progress, Scoring
from excerpt.model.join import Joined, join
from excerpt.model.judgments import Judgments
from excerpt.model.policy import Policy
from excerpt.model.spans import IntArray
from excerpt.notices import Gathering, Notices
from excerpt.placing.duplicate_evidence import MOST_TEXT, count_elsewhere
from excerpt.scores.score_table import ScoreTable
from excerpt.scores.score_views import By
from excerpt.view.funnel import funnel_table
from excerpt.view.library import LEFT_OUT, Blocks, Library
from excerpt.view.limitations import warn_byte_offsets
from excerpt.view.overview import Overview, settings
from excerpt.view.passages import MissedPassages, documents_of_run, passages_data
from excerpt.view.reasons import LABELS
from excerpt.view.run_columns import RunColumns, columns_of_run, score_run, whole_reach
from excerpt.view.text_search import search_texts
from excerpt.view.topic_rows import TopicRows
from excerpt.view.verdicts import SEED, comparison_by, verdict_on

if TYPE_CHECKING:
    from excerpt.corpus import Corpus
    from excerpt.queries import Topics


#: Folders of an absolute path.
_FOLDERS = r"(?<![\w.])(?:[A-Za-z]:)?[/\\](?:[^/\\\s:]+[/\\])*(?=[^/\\\s])"
#: Characters that may follow an id.
_ENDS = ("", " ", ",", ":", ")")


def without_folders(files: Iterable[str], ids: Sequence[str]) -> Callable[[str], str]:
    """Return a function that removes folders from a text: those of `files`, and those of absolute paths.

    >>> shorten = without_folders(["data/docs/", "."], ["/d/doc1"])
    >>> shorten("data/docs/c.txt: /d/doc1, /d/e.txt of x.fol.")
    'docs/c.txt: /d/doc1, e.txt of x.fol.'
    """
    bases = {name.rstrip("/\\"): PurePath(name).name for name in files if PurePath(name).name}
    names = "|".join(re.escape(name) for name in sorted(bases, key=len, reverse=True))
    given = rf"(?<![\w./\\-])(?:{names})(?![\w-])|" if names else ""
    pattern = re.compile(given + _FOLDERS)

    @cache
    def shown_ids() -> list[str]:
        return [short(name) for name in ids if "/" in name or "\\" in name]

    def base_name(match: re.Match[str]) -> str:
        text, at = match.string, match.start()
        for name in shown_ids():
            if text.startswith(name, at) and text[at + len(name) :][:1] in _ENDS:
                return match[0]
        return bases.get(match[0], "")

    return lambda text: pattern.sub(base_name, text)


def title_of(source: str) -> str:
    """Title of a report: the name of the folder of its judgments, but never that of the working folder.

    >>> title_of("data/cuad/qrels.fol"), title_of("../qrels.fol"), title_of("")
    ('cuad', 'qrels', '')
    """
    path, here = PurePath(source), PurePath()
    with suppress(OSError):  # the working folder was deleted
        here = Path.cwd()
    return path.stem if path.parent == here or path.parent.name in {"", ".."} else path.parent.name


#: Version of the data format; pages read only their own version.
FORMAT = 1
#: Most documents that a lazy evaluation reads for duplicate evidence and warnings.
_SEARCHED = 1000
_NOT_SEARCHED = [
    f"Duplicate evidence was not searched for: {reason}."
    for reason in ("the collection is too large", "there is no text")
]


@dataclass(eq=False)
class World:
    """Scored runs with judgments, texts and topics: the data of a report and of the explorer.

    All methods return values for JSON, with columns of integers as arrays; None is an undefined score.
    """

    scoring: Scoring
    table: ScoreTable
    kept: tuple[RunColumns, ...]
    library: Library
    topics: Topics | None = None
    title: str = ""
    #: Descriptions of runs, by name; provenance of the report.
    about: Mapping[str, str] = field(default_factory=dict)
    made: Mapping[str, Any] = field(default_factory=dict)
    #: All warnings, and the same for pages: with names of files, without their folders.
    warnings: tuple[str, ...] = ()
    page_warnings: tuple[str, ...] = ()
    #: A run of cited text, shown as a separate layer.
    cited: RunColumns | None = None
    #: The verdict of the latest overview, which is not computed again.
    said: str = ""
    #: What groups the topics, if anything.
    by: By | None = None

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
        by: By | None = None,
        notices: Notices | None = None,
        progress: Progress | None = None,
        **reading: Unpack[ViewOptions],
    ) -> World:
        """Evaluate runs as `evaluate` does, and keep the data of a report.

        With `lazy`, documents are read only when shown. Pages name `inputs` without their folders.
        """
        engine, several = Engine(workers, cluster), list_runs(runs)
        checks: Checks = "ids" if lazy else "lengths"
        policy, read = settings_of(policy, {**reading, "corpus": corpus})
        read = replace(read, corpus_checks=checks)
        with Gathering(notices) as gathered:
            read = read.aimed(topics, gathered)
            scoring = Scoring.of(judgments, measures, policy=policy, reading=read, notices=gathered)
            if topics is not None:
                topics.check(scoring.judgments.topics, gathered)
            judged = scoring.judgments.document_codes
            codes = defaultdict(count(len(judged)).__next__, judged)
            scored, kept, quoted = [], [], None if cited is None else _join_cited(scoring, cited, gathered)
            for part in scoring.map(partial(score_run, cited=quoted), several, engine, progress):
                scores, columns = part.value
                scored.append(part.having(scores))
                kept.append(columns.recoded(codes))
            table = scoring.table(scored, gathered)
            if by is not None:
                table.by_group(by)  # an error if no topic has a group
            warn_byte_offsets(scoring, gathered)
            layer = None if quoted is None else columns_of_run(quoted, whole_reach(quoted)).recoded(codes)
            library = Library.of(scoring.judgments, [*kept, *filter(None, [layer])], tuple(codes))
            library.corpus, library.text, library.blocks, library.lazy = corpus, text, blocks, lazy
            world = cls(
                scoring=scoring,
                table=table,
                kept=tuple(kept),
                library=library,
                topics=topics,
                title=title or title_of(scoring.judgments.source),
                about=about or {},
                made=made or {},
                cited=layer,
                by=by,
            )
            world.warnings = tuple(gathered)
            files = {scoring.judgments.source, *table.files, getattr(topics, "source", ""), *inputs}
            world.page_warnings = tuple(gathered.reworded(without_folders(files, library.names)))
        if corpus is not None:
            corpus.end_pass()  # from now on a document that changes is an error
        return world

    @property
    def judgments(self) -> Judgments:
        """Judgments of the evaluation."""
        return self.scoring.judgments

    @property
    def _returned(self) -> tuple[RunColumns, ...]:
        """The runs, followed by the cited text."""
        return self.kept if self.cited is None else (*self.kept, self.cited)

    @cached_property
    def _missing(self) -> MissedPassages:
        return MissedPassages(self.judgments, self.kept, self.library, self.scoring.measures)

    @property
    def _reasoned(self) -> bool:
        """Return whether the reasons for all missed passages are known."""
        return len(self.judgments.spans) > 0 and not self._large

    @property
    def _large(self) -> bool:
        """Return whether the evaluation is lazy and has too many documents to read for an overview."""
        return self.library.lazy and len(self.shown) > _SEARCHED

    @cached_property
    def shown(self) -> IntArray:
        """Sorted numbers of the documents with relevant text or results."""
        marked = np.zeros(len(self.library.names), np.bool_)
        marked[self.judgments.pair_document[self.judgments.relevant_by_pair > 0]] = True
        for run in self._returned:
            marked[run.document] = True
        return np.flatnonzero(marked)

    @property
    def document_names(self) -> tuple[str, ...]:
        """Names of the documents with relevant text or results."""
        return tuple(self.library.describe(self.shown)["id"])

    @cached_property
    def _elsewhere(self) -> IntArray | None:
        """Number of other occurrences of each passage; None if they were not searched for."""
        if self.library.corpus is None or self._large:
            return None
        once = list(self.library.once(self.shown.tolist()).values())
        return count_elsewhere(self.judgments, once, self.library.text_of)

    def comparison(self, measure: str, progress: Progress | None = None) -> dict[str, Any]:
        """Intervals, comparison and verdict by one measure."""
        return comparison_by(self.table, self.table.place("measure", measure), progress)

    def verdict(self) -> str:
        """The verdict on the runs by the measure that decides, in one sentence."""
        return self.said or verdict_on(self.table).sentence

    def overview(self, measures: int | None = None, progress: Progress | None = None) -> dict[str, Any]:
        """Data of the overview, with comparisons and verdicts by the first `measures` (None: all)."""
        shown = Overview(self.scoring, self.table, self.kept, self.topics, self.about, self.by)
        elsewhere = _NOT_SEARCHED[self.library.corpus is None] if self._elsewhere is None else self._elsewhere
        data = shown.data(elsewhere, measures, progress)
        first: dict[str, str] | None = next(iter(data["verdicts"]), None)
        self.said = first["sentence"] if first else ""
        return {
            "format": FORMAT,
            "title": self.title,
            "text": self.library.text and self.library.corpus is not None,
            **data,
            "tables": self._tables(),
            "cited": self.cited is not None and self.cited.name,
            "reasons": list(LABELS),
            "made": {"settings": settings(self.scoring), "seed": SEED, **self.made},
            "warnings": [*self.page_warnings, *self._text_warnings()],
        }

    def _tables(self) -> list[dict[str, Any]]:
        """Tables of missed passages by reason, and of cited text."""
        names, cited = self.table.runs, self.cited
        missed = [self._missing.table(names)] if self._reasoned else []
        return missed if cited is None else [*missed, funnel_table(names, self.kept, cited.name)]

    def _text_warnings(self) -> Iterable[str]:
        """Warnings about texts of a lazy evaluation; none of many documents, which are not read for it."""
        if not self.library.lazy or self._large:
            return ()
        self.library.describe(self.shown)
        return self.library.text_warnings()

    def warn_unread(self, notices: Notices) -> None:
        """Add warnings about documents that were read only when they were shown."""
        late = self.library.text_warnings()
        if new := tuple(warning for warning in late if warning not in self.warnings):
            self.warnings += new
            notices.extend(late)

    def topic(self, number: int) -> dict[str, Any]:
        """Data of one topic, by its index in the overview: documents, relevant text and results."""
        if not 0 <= number < len(self.judgments.topics):
            raise ExcerptError(
                f"found topic number {number}, expected a number below {len(self.judgments.topics)}"
            )
        data = TopicRows(self.judgments, self._returned, number).data()
        numbers = data["documents"].pop("number")
        data["documents"] |= self.library.describe(numbers)
        if self.cited is not None:
            data["cited"] = data["runs"].pop()
            data["counted"].pop(str(len(self.kept)), None)
        return data | self._missing.of_topic(number, data["relevant"].pop("passage"))

    def topic_number(self, name: str) -> int:
        """Index of a topic in the overview; raise an error for a topic that was not judged."""
        return self.table.place("topic", name)

    def passages(self) -> dict[str, Any]:
        """Data of all topics: relevant passages and the runs that found them, unjudged and repeated text."""
        data = passages_data(self.judgments, self.kept, self._elsewhere)
        tables = [data[name] for name in ("relevant", "unjudged", "again")]
        used = np.unique(np.concatenate([table["document"] for table in tables]))
        for table in tables:
            table["document"] = np.searchsorted(used, table["document"]).tolist()
        described = self.library.describe(used)
        why = self._missing.signs() if self._reasoned else []
        return {"documents": described["id"], "kinds": described["kind"], "why": why, **data}

    def run_documents(self, number: int) -> dict[str, Any]:
        """Characters found, missed and retrieved by a run, by document (as numbered in `documents`)."""
        columns = documents_of_run(self.judgments, self.kept[number], len(self.library.names))
        shown = {name: column[self.shown] for name, column in columns.items()}
        rows = np.flatnonzero(np.sum(list(shown.values()), axis=0))
        return {"document": rows, **{name: column[rows] for name, column in shown.items()}}

    def document(self, name: str) -> dict[str, Any]:
        """Data of a document by any of its names: text and structure, or the reason why there is no text."""
        return self.library.document(self.library.find(name))

    def each_document(self) -> Iterator[dict[str, Any]]:
        """Iterate over the data of all documents with relevant text or results; none without text.

        Unless it is lazy, this reads each document once for all that the evaluation says of its text.
        """
        library, numbers = self.library, self.shown.tolist()
        if library.lazy or library.corpus is None:
            yield from map(library.document, numbers if library.text else ())
            return
        survey, once = self._missing.survey(), set(library.once(numbers).values())
        texts, left = dict[int, str](), MOST_TEXT
        for number in library.ahead(numbers):
            content = library.read(number)
            if content is not None:
                survey.search(number, content.text)
                if number in once and left >= 0:
                    texts[number], left = content.text, left - len(content.text)
            if library.text:
                yield library.page(number, content)
        self._missing.positions = survey
        self._elsewhere = count_elsewhere(
            self.judgments, list(texts), lambda number: texts.get(number) or library.text_of(number)
        )

    def documents(self) -> dict[str, Any]:
        """Names of the documents with relevant text or results, and the index of every other name.

        `topic` is the first topic for which a document has relevant text, or else was returned.
        A report without text also has their lengths and the reason why there is no text.
        """
        ids, topic = self.library.describe(self.shown)["id"], self._first_topics()
        names: dict[str, int] = {}
        for place, number in enumerate(self.shown.tolist() if self.library.corpus is not None else ()):
            names |= {other: place for other in self.library.spellings(number) if other not in names}
        for name in ids:
            names.pop(name, None)
        data = {"ids": ids, "names": names, "topic": topic}
        if self.library.text:
            return data
        return {**data, "sizes": self.library.describe(self.shown)["size"].tolist(), "why": LEFT_OUT}

    def _first_topics(self) -> IntArray:
        topics, names = len(self.judgments.topics), len(self.library.names)
        relevant = self.judgments.relevant_by_pair > 0
        first = np.full(names, 2 * topics)
        np.minimum.at(first, self.judgments.pair_document[relevant], self.judgments.pair_topic[relevant])
        for run in self._returned:
            np.minimum.at(first, run.document, topics + np.repeat(np.arange(topics), np.diff(run.first)))
        return first[self.shown] % topics

    def texts(self, name: str, spans: Sequence[tuple[int, int]]) -> list[str]:
        """Texts of spans of a document; empty if it has no text."""
        return self.library.texts(self.library.find(name), spans)

    def search(self, words: str, begin: int = 0) -> dict[str, Any]:
        """A part of a search for words in the texts of `documents`, from a place in these on."""
        library = self.library
        shown: list[int] = self.shown.tolist() if library.text and library.corpus is not None else []
        return search_texts(shown, library.plain_text, words, begin)


def _join_cited(scoring: Scoring, cited: Runs, notices: Notices) -> Joined:
    """Join cited text, in any format, with the judgments; measures do not apply to it."""
    detected = replace(scoring, reading=replace(scoring.reading, run_format=None))
    read = detected.read(one_run(cited, "the cited run"), notices)
    scoring.check_ids(read, notices)
    return join(read, scoring.judgments, replace(scoring.policy, limit=None), notices)
