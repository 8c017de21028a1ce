"""Reports: an evaluation to look at, as one file, as a folder, or in a notebook."""

from __future__ import annotations

import html
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, TypedDict, Unpack, cast
from urllib.parse import quote

from excerpt.errors import ExcerptError, listed
from excerpt.evaluation.reading import Judged, Measures, Runs, list_runs
from excerpt.experiments.study import Evaluating
from excerpt.files import Input, is_input, keep_content
from excerpt.formats.source import open_corpus
from excerpt.formats.topics import Topic, read_topics
from excerpt.measures import Measure
from excerpt.notices import Gathering, Notices
from excerpt.options import BLOCKS, READING
from excerpt.render.blocks import blocks_of, load_blocks
from excerpt.render.making import base_name, corpus_input, inputs, versions
from excerpt.render.page import shell
from excerpt.render.saving import LIMIT, Saved, pack, save
from excerpt.view import World

_HEIGHT = 760
#: What is read beside judgments, runs and a corpus.
_READ = [option.dest for option in (*READING, BLOCKS) if option.role == "reads" and option.holds != "corpus"]
_READ += ["cited"]
_TOO_LARGE = (
    f"<p>This report has more than {LIMIT // 10**6} MB, too much for a cell: "
    "<code>.save(&quot;report.html&quot;)</code> writes it, <code>excerpt.explore(…)</code> shows the same "
    "in a browser.</p>"
).replace("…", "&#8230;")


class Showing(TypedDict, total=False):
    """What is shown beside scores: keyword arguments of `report` and of what serves the same view."""

    corpus: Any
    topics: Mapping[str, Topic | str] | Input | None
    cited: Runs | None
    title: str
    text: bool
    blocks: Mapping[str, str] | Input | None
    about: Mapping[str, str] | None
    command: str
    lazy: bool


class Reporting(Showing, Evaluating, total=False):
    """All keyword arguments of `report`."""


def report(
    judgments: Judged, runs: Runs, measures: Measures | None = None, **how: Unpack[Reporting]
) -> Report:
    """Evaluate runs, and make a report of it: scores, comparisons, topics and texts, to be looked at.

    `corpus` is a `Corpus`, what makes one, or the path of one; without it `text=False` makes a report of
    numbers and offsets only. `topics` (texts by id, or a file) gives titles and questions that the judgments
    lack, `cited` is a run of cited text, shown as a layer and counted against each run, `title` a name,
    `blocks` the kinds of further tags of XML, `about` a few words on runs by their names, `command` what the
    report says of how it was made. With `lazy` documents are read only when they are shown. All else is as in
    `evaluate`.
    """
    return Report(open_world(judgments, runs, measures, **how), how.get("notices"))


def open_world(judgments: Judged, runs: Runs, measures: Measures | None, **how: Unpack[Reporting]) -> World:
    """The evaluation that a report shows and a server answers from."""
    for name in how.keys() - Reporting.__annotations__:
        raise TypeError(f"got an unexpected keyword argument {name!r}")
    corpus, text = how.get("corpus"), how.get("text", True)
    if corpus is None and text:
        raise ExcerptError(
            "found no corpus, expected the documents whose text is shown",
            hint="give ⟨corpus⟩, or make it without text: ⟨no_text⟩",
        )
    given: list[Any] = [keep_content(run) for run in list_runs(runs)]
    judged: Any = keep_content(judgments)
    kept: dict[str, Any] = {name: keep_content(how[name]) for name in how if name in _READ}  # type: ignore[literal-required]
    topics, blocks, cited = (kept.get(name) for name in ("topics", "blocks", "cited"))
    if measures is not None:
        measures = listed(measures, Measure | str, "measure", "a measure or its name")
    opened = open_corpus(corpus, how.get("context") or "paragraph")
    made = {
        "command": how.get("command") or _call(judged, given, measures),
        "version": versions()["excerpt"],
        "versions": versions(),
        "inputs": [
            *inputs([judged, *given, cited]),
            *corpus_input(corpus, opened),
            *inputs(value for name, value in kept.items() if name != "cited" and is_input(value)),
        ],
    }
    further = load_blocks(blocks) if is_input(blocks) else blocks
    extra = {**(opened.blocks if opened else {}), **cast("Mapping[str, str]", further or {})}
    with Gathering(how.get("notices")) as notices:
        left = {*Showing.__annotations__, "notices"}
        evaluating: dict[str, Any] = {
            name: value for name, value in {**how, **kept}.items() if name not in left
        }
        return World.of(
            judged,
            given,
            measures,
            corpus=opened,
            topics=None if topics is None else read_topics(cast("Any", topics), notices=notices),
            cited=cited,
            title=how.get("title", ""),
            text=text,
            about=how.get("about"),
            lazy=how.get("lazy", False),
            made=made,
            inputs=[
                os.fspath(item) for item in (corpus, *kept.values()) if isinstance(item, str | os.PathLike)
            ],
            blocks=partial(blocks_of, extra=extra),
            notices=notices,
            **evaluating,
        )


def _call(judgments: object, runs: Sequence[object], measures: Sequence[Measure | str] | None) -> str:
    """The call of Python that made a report, with base names."""
    names = [base_name(run) for run in runs]
    asked = "" if measures is None else f"{list(map(str, measures))!r}, "
    return f"excerpt.report({base_name(judgments)!r}, {names!r}, {asked}…)"


@dataclass(frozen=True, eq=False)
class Report:
    """An evaluation to look at; in a notebook it shows itself."""

    world: World
    #: Who hears of documents that cannot be read when they are written; else it is a warning of Python.
    notices: Notices | None = None

    def __repr__(self) -> str:
        return f"<Report {self.world.title!r}: {self.world.table!r}>"

    def parts(self) -> Iterator[tuple[str, Any]]:
        """The data of the page, part by part."""
        world = self.world
        yield "overview", world.overview()
        yield "passages", world.passages()
        yield "documents", world.documents()
        for number in range(len(world.judgments.topics)):
            yield f"topic/{number}", world.topic_columns(number)
        for number, document in enumerate(world.each_document() if world.library.text else ()):
            yield f"document/{number}", document

    @cached_property
    def _templates(self) -> bytes:
        few = self._few_templates
        return b"".join(part.template() for part in pack(self.parts())) if few is None else few

    @cached_property
    def _few_templates(self) -> bytes | None:
        """All data, or None beyond the limit of one file, where no more of it is made."""
        held, size = [], 0
        for part in pack(self.parts()):
            held.append(part.template())
            size += len(held[-1])
            if size > LIMIT:
                return None
        return b"".join(held)

    @property
    def large(self) -> bool:
        """Whether there is more than one file, or a cell of a notebook, should hold."""
        return self._few_templates is None

    def html(self, start: str = "") -> bytes:
        """The whole page, however large; `start` is the address where it opens, such as `#topic=7`."""
        head = shell.head(self.world.title, attributes={"start": start})
        return head + self._templates + shell.tail()

    def save(self, path: str | os.PathLike[str], *, limit: int = LIMIT) -> Saved:
        """Write the report into one file or, beyond `limit` bytes, into a folder of the same name.

        What was written is returned: its path, its bytes, and whether it is a folder.
        """
        with Gathering(self.notices) as notices:
            saved = save(path, self.world.title, self.parts(), limit=limit)
            self.world.tell_unread(notices)
        return saved

    def show(
        self,
        topic: str | None = None,
        document: str | None = None,
        *,
        runs: Sequence[str] = (),
        measure: str | None = None,
    ) -> View:
        """A topic, or one document of it, to be shown in a notebook."""
        world, address = self.world, []
        if topic is not None:
            world.topic_number(topic)
            address.append(("topic", [topic]))
        if runs:
            named = [runs] if isinstance(runs, str) else list(runs)
            address.append(("runs", [world.table.runs[world.table.place("run", name)] for name in named]))
        if measure is not None:
            address.append(("m", [world.table.measures[world.table.place("measure", measure)]]))
        if document is not None:
            address.append(("doc", [world.library.names[world.library.find(document)]]))
        return View(self, "&".join(f"{key}={','.join(map(_escaped, values))}" for key, values in address))

    def _repr_html_(self) -> str:
        return View(self, "")._repr_html_()


def _escaped(value: str) -> str:
    """A value as addresses of the page have it."""
    return quote(value, safe="!'()*-._~", errors="replace")


@dataclass(frozen=True, eq=False)
class View:
    """A report opened at one place; in a notebook it shows itself."""

    report: Report
    address: str

    def html(self) -> bytes:
        """The whole page, which opens at the place."""
        return self.report.html(self.address and f"#{self.address}")

    def __repr__(self) -> str:
        return f"<{self.address or 'overview'} of {self.report!r}>"

    def _repr_html_(self) -> str:
        if self.report.large:
            return _TOO_LARGE
        title = html.escape(f"excerpt: {self.report.world.title}")
        cell = (
            f'<iframe title="{title}" sandbox="allow-scripts" width="100%" height="{_HEIGHT}" '
            f'style="border:0" srcdoc="{html.escape(self.html().decode())}"></iframe>'
        )
        # By references, so that it is the same page in a notebook of any encoding.
        return cell.encode("ascii", "xmlcharrefreplace").decode()
