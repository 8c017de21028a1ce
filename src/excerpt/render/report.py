"""HTML reports: one file, a folder, or a notebook cell; and their provenance."""

from __future__ import annotations

import base64
import hashlib
import html
import math
import os
import shutil
import tempfile
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, groupby
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, Unpack, cast
from urllib.parse import quote

import excerpt
from excerpt.errors import ExcerptError, listed
from excerpt.evaluation.reading import Judged, Measures, Runs, list_runs
from excerpt.experiments.study import EvaluateOptions
from excerpt.files import (
    OPENINGS,
    STDIN,
    SUFFIXES,
    Input,
    Readable,
    describe,
    display_name,
    is_input,
    keep_content,
    replacing_folder,
    require_path,
    writing,
)
from excerpt.formats.source import open_corpus
from excerpt.measures import Measure
from excerpt.notices import Gathering, Notices
from excerpt.options import BLOCKS, READING
from excerpt.queries import Topic, read_topics
from excerpt.render import layout
from excerpt.render import page as shell
from excerpt.render.blocks import blocks_of, load_blocks
from excerpt.run_labels import Labels, read_labels, with_labels
from excerpt.scores.score_table import ScoreTable
from excerpt.scores.score_views import By
from excerpt.view import World

if TYPE_CHECKING:
    from excerpt.corpus import Corpus


#: Most bytes of an input that is hashed.
_MOST = 1 << 31


def versions() -> dict[str, str]:
    """Versions of the packages that determine the scores."""
    import numpy as np

    return {"excerpt": excerpt.__version__, "numpy": np.__version__}


def base_name(given: object) -> str:
    """Name of an input without its folders.

    >>> base_name("a/b/qrels.fol"), base_name("runs/"), base_name(b"1 0 A 1")
    ('qrels.fol', 'runs', '<bytes>')
    """
    if is_input(given) and not isinstance(given, Mapping):
        return PurePath(display_name(given)).name or display_name(given)
    source = getattr(given, "source", "") or getattr(given, "name", "")
    return PurePath(str(source)).name if source else f"<{type(given).__name__}>"


def inputs(given: Iterable[object]) -> list[dict[str, str]]:
    """Name and SHA-256 of inputs; objects in memory and very large inputs have no hash."""
    return [{"name": base_name(item), "sha256": _digest(item)} for item in given if item is not None]


def corpus_input(given: object, corpus: Corpus | None) -> list[dict[str, str]]:
    """Name of a corpus and SHA-256 of its documents.

    A corpus that is too large or cannot be read completely has no hash.
    """
    if corpus is None:
        return []
    try:
        small = not isinstance(given, str | os.PathLike) or _size(Path(given)) <= _MOST
        digest = corpus.fingerprint() if small else ""
    except (ExcerptError, OSError, UnicodeError):  # faults are reported when the document is read
        digest = ""
    return [{"name": base_name(given), "sha256": digest}]


def _digest(given: Any) -> str:
    if isinstance(given, bytes | bytearray | memoryview):
        return hashlib.sha256(given).hexdigest()
    if isinstance(given, Mapping) or not is_input(given):
        return ""
    if not isinstance(given, str | os.PathLike):
        data: bytes | str = cast("Readable", given).read()  # kept content, which can be read repeatedly
        return hashlib.sha256(data if isinstance(data, bytes) else data.encode()).hexdigest()
    try:
        return _digest_path(Path(given))
    except OSError as error:
        raise ExcerptError(f"cannot be read: {describe(error)}", path=os.fspath(given)) from None


def _digest_path(path: Path) -> str:
    """Hash of a file, or of the names and hashes of all files of a folder."""
    if not path.exists() or _size(path) > _MOST:
        return ""
    if path.is_file():
        return _digest_file(path)
    total = hashlib.sha256()
    for file in _files(path):
        total.update(f"{file.relative_to(path).as_posix()}\0{_digest_file(file)}\n".encode(errors="replace"))
    return total.hexdigest()


def _size(path: Path) -> int:
    """Number of bytes of a file or of all files of a folder; 0 if it does not exist."""
    return sum(file.stat().st_size for file in _files(path)) if path.exists() else 0


def _digest_file(path: Path) -> str:
    if noted := OPENINGS.digest(str(path), unpacked=False):
        return noted
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _files(path: Path) -> list[Path]:
    return [file for file in (sorted(path.rglob("*")) if path.is_dir() else [path]) if file.is_file()]


#: Most bytes of a report in one file, which browsers open quickly and mail servers accept.
LIMIT = 25_000_000

#: Function that scripts of a folder call with their data, and attribute that identifies such a report.
_CALL = "excerptPart"
_SOURCE = "folder"
_FOLDER, _BEGINNING = f'data-source="{_SOURCE}"'.encode(), 200
_POLICY_NAME = "excerpt-parts"
_INLINE, _DOCUMENT = {"overview", "documents"}, "document/"
#: Bytes of a file of topics or documents.
_BUNDLE = 1 << 19
#: Topics and documents that are tried to estimate the size of a report, and what is too large for sure.
_TRIED, _TOO_LARGE_FOR_SURE = 8, 1.25 * LIMIT
#: Bytes of the parts that are compressed in one go, and most of these that wait.
_BATCH, _AHEAD = 1 << 17, 2


class Saved(NamedTuple):
    """A written report: a file, or a folder with index.html."""

    path: str
    size: int
    folder: bool


class PackedPart(NamedTuple):
    """One part of the data, as compressed JSON in base64."""

    name: str
    data: bytes

    def template(self) -> bytes:
        """HTML element with the part."""
        return shell.template(self.name, self.data)

    def script(self) -> bytes:
        """Script next to the page, which passes the data to it when loaded."""
        return f'{_CALL}("{self.name}","'.encode() + self.data + b'");\n'


def pack(parts: Iterable[tuple[str, Any]], folder: str | None = None) -> Iterator[PackedPart]:
    """Compress parts; documents, which are read first, become the last ones.

    They wait in memory or, if they are large, in a temporary file in a folder.
    """
    sizes: list[int] = []
    with tempfile.SpooledTemporaryFile(LIMIT, dir=folder) as waiting:
        for part in _compressed(parts):
            if _is_document(part):
                waiting.write(part.data)
                sizes.append(len(part.data))
            else:
                yield part
        waiting.seek(0)
        for number, size in enumerate(sizes):
            yield PackedPart(f"{_DOCUMENT}{number}", waiting.read(size))


def _is_document(part: PackedPart) -> bool:
    return part.name.startswith(_DOCUMENT)


def _compressed(parts: Iterable[tuple[str, Any]]) -> Iterator[PackedPart]:
    """Compress parts of the data in a thread while the next part is computed."""
    waiting: deque[Future[list[PackedPart]]] = deque()
    with ThreadPoolExecutor(1) as thread:
        encoded = ((name, shell.encode(data)) for name, data in parts)
        for some in _grouped(encoded, _BATCH):
            waiting.append(
                thread.submit(lambda some: [PackedPart(one, _packed(two)) for one, two in some], some)
            )
            if len(waiting) > _AHEAD:
                yield from waiting.popleft().result()
        for done in waiting:
            yield from done.result()


def _packed(content: bytes) -> bytes:
    return base64.b64encode(shell.compress(content))


def save(
    path: str | os.PathLike[str],
    title: str,
    parts: Iterable[tuple[str, Any]],
    *,
    limit: int = LIMIT,
    means: str = "",
) -> Saved:
    """Write a page with its data into one file or, if too large, into a folder; `means` is as in `head`."""
    name = require_path(path, "name of a file to write")
    require_place(name)
    before, after = shell.head(title, means=means), shell.tail()
    kept: list[PackedPart] = []
    size, packed = len(before) + len(after), pack(parts, None if name == STDIN else str(Path(name).parent))
    try:
        for part in packed:
            kept.append(part)
            size += len(part.template())
            if size > limit:
                return _save_folder(name, title, chain(kept, packed), means)
    except OSError as error:
        raise ExcerptError(
            f"cannot be written: {describe(error)}", path=str(folder_of(name)), hint="nothing was left behind"
        ) from None
    with writing(name) as stream:
        stream.write(before)
        for part in kept:
            stream.write(part.template())
        stream.write(after)
    if name != STDIN and (folder := folder_of(name)) != Path(name):
        _remove_old(folder, name)
    return Saved(name, size, folder=False)


def require_place(name: str) -> None:
    """Raise an error for a path in a missing folder or with the extension of a compressed file."""
    target = Path(name)
    if (suffix := target.suffix.lower()) in SUFFIXES:
        raise ExcerptError(
            f"found extension {suffix}, expected .html or .htm",
            path=name,
            hint="reports are already compressed",
        )
    try:
        os.stat(f"{target.parent}{os.sep}")  # noqa: PTH116 - with the separator, files are rejected
    except OSError as error:
        hint = f"create {target.parent} first" if isinstance(error, FileNotFoundError) else ""
        raise ExcerptError(f"cannot be written: {describe(error)}", path=name, hint=hint) from None
    except ValueError as error:  # a NUL character in the name
        raise ExcerptError(f"is not a file name: {error}", path=name) from None


def folder_of(name: str) -> Path:
    """Folder for a report that is too large for one file.

    >>> folder_of("out/x.html").as_posix(), folder_of("x").as_posix()
    ('out/x', 'x')
    """
    target = Path(name)
    return target.with_suffix("") if target.suffix.lower() in {".html", ".htm"} else target


def _save_folder(name: str, title: str, parts: Iterable[PackedPart], means: str) -> Saved:
    if name == STDIN:
        raise ExcerptError(
            "the report is too large for one file; give a file name instead of standard output"
        )
    target = folder_of(name)
    _require_ours(target)
    with replacing_folder(target) as folder:
        size = _fill(folder, title, parts, means)
    if target != Path(name):
        _remove_old(Path(name), str(target))
    return Saved(str(target), size, folder=True)


def _fill(folder: Path, title: str, parts: Iterable[PackedPart], means: str) -> int:
    """Write all files of a report; return their size in bytes."""
    (folder / "data").mkdir()
    inline, size, firsts = [], 0, dict[str, list[int]]()
    for part in _bundled(parts):
        if part.name in _INLINE:
            inline.append(part.template())
            continue
        content = part.script()
        kind, _, number = part.name.partition("/")
        firsts.setdefault(kind, []).append(int(number or 0))
        (folder / "data" / f"{part.name.replace('/', '-')}.js").write_bytes(content)
        size += len(content)
    rules = shell.policy(script="'self'", types=_POLICY_NAME)
    head = shell.head(title, attributes={"source": _SOURCE}, rules=rules, means=means)
    inline.append(PackedPart("bundles", _packed(shell.encode(firsts))).template())
    page = b"".join((head, *inline, shell.tail()))
    (folder / "index.html").write_bytes(page)
    return size + len(page)


def _bundled(parts: Iterable[PackedPart]) -> Iterator[PackedPart]:
    """Join topics, and documents, to bundles of about `_BUNDLE` bytes, named by their first parts."""
    for some in _grouped(parts, _BUNDLE):
        yield PackedPart(some[0][0], b" ".join(data for _, data in some))


def _grouped(parts: Iterable[tuple[str, bytes]], most: int) -> Iterator[list[tuple[str, bytes]]]:
    """Iterate over lists of parts of one kind, of about `most` bytes."""
    size = 0

    def group(part: tuple[str, bytes]) -> tuple[str, int]:
        nonlocal size
        size += len(part[1])
        return part[0].partition("/")[0], size // most

    return (list(some) for _, some in groupby(parts, group))


def _require_ours(target: Path) -> None:
    """Raise an error if something other than a report exists at the path."""
    if target.exists() and not (target.is_dir() and _is_ours(target)):
        raise ExcerptError(
            "exists and is not a report; a large report needs a folder of this name",
            path=str(target),
            hint="choose another name",
        )


def _is_ours(target: Path) -> bool:
    """Return whether a file or a folder is a report."""
    if target.is_dir():
        page = target / "index.html"
        names = {entry.name for entry in target.iterdir()}
        return names == {page.name, "data"} and page.is_file() and _FOLDER in _beginning(page)
    return target.is_file() and _beginning(target).startswith(shell.START)


def _beginning(page: Path) -> bytes:
    with page.open("rb") as stream:
        return stream.read(_BEGINNING)


def _remove_old(old: Path, new: str) -> None:
    """Remove an earlier report of the same name in the other form, and nothing else."""
    try:
        ours = _is_ours(old)
    except OSError:  # unreadable, so it is not removed
        return
    try:
        if ours and old.is_dir() and not old.is_symlink():
            shutil.rmtree(old)
        elif ours:
            old.unlink()
    except OSError as error:
        raise ExcerptError(
            f"is an older report and cannot be removed: {describe(error)}",
            path=str(old),
            hint=f"remove it; the new report is {new}",
        ) from None


_HEIGHT = 760
#: Arguments that are read, other than judgments, runs and corpus.
_READ = [option.dest for option in (*READING, BLOCKS) if option.role == "reads" and option.holds != "corpus"]
_READ += ["cited", "labels"]
_TOO_LARGE = (
    f"<p>This report is larger than {LIMIT // 10**6} MB, too large for a cell: "
    "<code>.save(&quot;report.html&quot;)</code> writes it, <code>excerpt.explore(…)</code> shows it in a "
    "browser.</p>"
).replace("…", "&#8230;")


class Showing(TypedDict, total=False):
    """Keyword arguments of `report` and `explore` for the display."""

    corpus: Any
    topics: Mapping[str, Topic | str] | Input | None
    cited: Runs | None
    title: str
    text: bool
    blocks: Mapping[str, str] | Input | None
    about: Mapping[str, str] | None
    labels: Labels | None
    command: str
    by: By | None
    lazy: bool


class Reporting(Showing, EvaluateOptions, total=False):
    """All keyword arguments of `report`."""


def report(
    judgments: Judged, runs: Runs, measures: Measures | None = None, **how: Unpack[Reporting]
) -> Report:
    """Evaluate runs and make an HTML report: scores, comparisons, topics and texts.

    `corpus` is a `Corpus`, a mapping of texts or a path; without a corpus, `text=False` makes a report of
    scores and offsets only. `topics` (texts by id, or a file) adds titles and questions. `cited` is a run of
    cited text, shown as a layer and compared with each run. `title` names the report, `blocks` maps further
    XML tags to kinds, `about` describes runs by name, `labels` (a mapping or a file) replaces their names,
    `by` (`corpus`, `group` or `document`) shows topics in groups with their means, `command` is shown as the
    origin of the report. With `lazy`, documents are read only when shown. The other arguments are those of
    `evaluate`.
    """
    return Report(open_world(judgments, runs, measures, **how), how.get("notices"))


def open_world(judgments: Judged, runs: Runs, measures: Measures | None, **how: Unpack[Reporting]) -> World:
    """Evaluation for a report or a server."""
    for name in how.keys() - Reporting.__annotations__:
        raise TypeError(f"got an unexpected keyword argument {name!r}")
    corpus, text = how.get("corpus"), how.get("text", True)
    if corpus is None and text:
        raise ExcerptError(
            "no corpus given; a report shows the text of its documents",
            hint="give ⟨corpus⟩, or leave out the text: ⟨no_text⟩",
        )
    several: list[Any] = [keep_content(run) for run in list_runs(runs)]
    judged: Any = keep_content(judgments)
    kept: dict[str, Any] = {name: keep_content(how[name]) for name in how if name in _READ}  # type: ignore[literal-required]
    topics, blocks, cited = (kept.get(name) for name in ("topics", "blocks", "cited"))
    labels = read_labels(kept.get("labels") or {})
    if measures is not None:
        measures = listed(measures, Measure | str, "measure", "a measure or its name")
    opened = open_corpus(corpus, how.get("context") or "paragraph")
    made: dict[str, Any] = {
        "command": how.get("command") or _call(judged, several, measures),
        "version": excerpt.__version__,
        "versions": versions(),
        "inputs": [],
    }
    further = load_blocks(blocks) if is_input(blocks) else blocks
    extra = {**(opened.blocks if opened else {}), **cast("Mapping[str, str]", further or {})}
    with Gathering(how.get("notices")) as notices:
        omitted = {*Showing.__annotations__, "notices"}
        evaluating: dict[str, Any] = {
            name: value for name, value in {**how, **kept}.items() if name not in omitted
        }
        world = World.of(
            judged,
            several,
            measures,
            corpus=opened,
            topics=None if topics is None else read_topics(cast("Any", topics), notices=notices),
            cited=cited,
            title=how.get("title", ""),
            text=text,
            about=how.get("about"),
            lazy=how.get("lazy", False),
            by=how.get("by"),
            made=made,
            inputs=[
                os.fspath(item) for item in (corpus, *kept.values()) if isinstance(item, str | os.PathLike)
            ],
            blocks=partial(blocks_of, extra=extra),
            notices=notices,
            **evaluating,
        )
    made["inputs"] = [  # after their reading, which notes digests
        *inputs([judged, *several, cited]),
        *corpus_input(corpus, opened),
        *inputs(value for name, value in kept.items() if name != "cited" and is_input(value)),
    ]
    if labels:
        world.table = with_labels(world.table, labels)
        world.about = {labels.get(run, run): text for run, text in world.about.items()}
    return world


def means_table(table: ScoreTable) -> str:
    """Means of all runs as an HTML table, best first, for browsers that run no scripts."""
    named = zip(table.runs, table.means().tolist(), strict=True)
    best = sorted(named, key=lambda row: math.inf if math.isnan(row[1][0]) else -row[1][0])
    rows = [[run, *("\u2013" if math.isnan(mean) else f"{mean:.4f}" for mean in row)] for run, row in best]
    lines = [("th", ["Mean of each run", *table.measures]), *(("td", row) for row in rows)]
    cells = ("".join(f"<{tag}>{layout.html(cell)}</{tag}>" for cell in line) for tag, line in lines)
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in cells)}</table>"


def _call(judgments: object, runs: Sequence[object], measures: Sequence[Measure | str] | None) -> str:
    """Python call that made a report, with base names."""
    names = [base_name(run) for run in runs]
    asked = "" if measures is None else f"{list(map(str, measures))!r}, "
    return f"excerpt.report({base_name(judgments)!r}, {names!r}, {asked}…)"


@dataclass(frozen=True, eq=False)
class Report:
    """A report of an evaluation, which notebooks display."""

    world: World
    #: Collects warnings about documents that cannot be read when written; None issues Python warnings.
    notices: Notices | None = None

    def __repr__(self) -> str:
        return f"<Report {self.world.title!r}: {self.world.table!r}>"

    def parts(self) -> Iterator[tuple[str, Any]]:
        """Parts of the data of the page, with their names; documents first unless they are read lazily."""
        world = self.world
        documents = ((f"{_DOCUMENT}{number}", data) for number, data in enumerate(world.each_document()))
        if not world.library.lazy:
            yield from documents
        yield "overview", world.overview()
        yield "passages", world.passages()
        yield "documents", world.documents()
        for number in range(len(world.kept)):
            yield f"run/{number}", world.run_documents(number)
        for number in range(len(world.judgments.topics)):
            yield f"topic/{number}", world.topic(number)
        yield from documents

    @cached_property
    def _few_templates(self) -> bytes | None:
        """All data as HTML; None if it exceeds the limit of one file."""
        parts, size = list[PackedPart](), 0
        for part in _compressed(self.parts()):
            parts.append(part)
            size += len(part.template())
            if size > LIMIT:
                return None
        return b"".join(part.template() for part in sorted(parts, key=_is_document))

    @property
    def large(self) -> bool:
        """Return whether the report is too large for one file or a notebook cell."""
        return self._few_templates is None

    def html(self, start: str = "") -> bytes:
        """Complete page of any size; `start` is the address where it opens, such as `#topic=7`."""
        data = self._few_templates
        if data is None:
            data = b"".join(part.template() for part in pack(self.parts()))
        means = means_table(self.world.table)
        before = shell.head(self.world.title, attributes={"start": start}, means=means)
        return before + data + shell.tail()

    def becomes_folder(self) -> bool:
        """Return whether some topics and documents show that the report is too large for one file."""
        world, size = self.world, 0
        documents = world.shown.tolist() if world.library.text else []
        kinds = (world.topic, range(len(world.judgments.topics))), (world.library.document, documents)
        for part, numbers in kinds:
            step = len(numbers) // _TRIED + 1
            size += sum(step * len(_packed(shell.encode(part(one)))) for one in numbers[::step])
        return size > _TOO_LARGE_FOR_SURE

    def save(self, path: str | os.PathLike[str], *, limit: int = LIMIT) -> Saved:
        """Write the report into one file or, beyond `limit` bytes, into a folder of the same name.

        Return its path, its size in bytes, and whether it is a folder.
        """
        with Gathering(self.notices) as notices:
            means = means_table(self.world.table)
            saved = save(path, self.world.title, self.parts(), limit=limit, means=means)
            self.world.warn_unread(notices)
        return saved

    def show(
        self,
        topic: str | None = None,
        document: str | None = None,
        *,
        runs: Sequence[str] = (),
        measure: str | None = None,
    ) -> ReportView:
        """View of a topic or of one of its documents for a notebook."""
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
        escaped = partial(quote, safe="!'()*-._~", errors="replace")  # as in the addresses of the page
        return ReportView(
            self, "&".join(f"{key}={','.join(map(escaped, values))}" for key, values in address)
        )

    def _repr_html_(self) -> str:
        return ReportView(self, "")._repr_html_()


@dataclass(frozen=True, eq=False)
class ReportView:
    """A report that opens at a topic or document, which notebooks display."""

    report: Report
    address: str

    def html(self) -> bytes:
        """Complete page, which opens at the address."""
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
        # Character references keep the page the same in a notebook of any encoding.
        return cell.encode("ascii", "xmlcharrefreplace").decode()
