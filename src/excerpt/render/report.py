"""Reports: one file, a folder, or a cell of a notebook."""

from __future__ import annotations

import base64
import hashlib
import html
import os
import shutil
import stat
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, Unpack, cast
from urllib.parse import quote

import excerpt
from excerpt.errors import ExcerptError, listed
from excerpt.evaluation.reading import Judged, Measures, Runs, list_runs
from excerpt.experiments.study import Evaluating
from excerpt.files import (
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
from excerpt.formats.topics import Topic, read_topics
from excerpt.measures import Measure
from excerpt.notices import Gathering, Notices
from excerpt.options import BLOCKS, READING
from excerpt.render import page as shell
from excerpt.render.blocks import blocks_of, load_blocks
from excerpt.view import World

if TYPE_CHECKING:
    from excerpt.corpus import Corpus


#: More bytes than that are not hashed: a folder may be a whole library.
_MOST = 1 << 31


def versions() -> dict[str, str]:
    """The versions on which the figures depend."""
    import numpy as np

    return {"excerpt": excerpt.__version__, "numpy": np.__version__}


def base_name(given: object) -> str:
    """What a page calls an input: its name without folders.

    >>> base_name("a/b/qrels.fol"), base_name("runs/"), base_name(b"1 0 A 1")
    ('qrels.fol', 'runs', '<bytes>')
    """
    if is_input(given) and not isinstance(given, Mapping):
        return PurePath(display_name(given)).name or display_name(given)
    source = getattr(given, "source", "") or getattr(given, "name", "")
    return PurePath(str(source)).name if source else f"<{type(given).__name__}>"


def inputs(given: Iterable[object]) -> list[dict[str, str]]:
    """Name and SHA-256 of everything that was read; what is no file or is too large has no hash."""
    return [{"name": base_name(item), "sha256": _digest(item)} for item in given if item is not None]


def corpus_input(given: object, corpus: Corpus | None) -> list[dict[str, str]]:
    """Name and SHA-256 of a corpus: of its documents, whatever else lies in its folder.

    One that is too large or cannot be read as a whole has no hash.
    """
    if corpus is None:
        return []
    try:
        small = not isinstance(given, str | os.PathLike) or _size(Path(given)) <= _MOST
        digest = corpus.fingerprint() if small else ""
    except (ExcerptError, OSError, UnicodeError):  # what is wrong with a document is said where it is read
        digest = ""
    return [{"name": base_name(given), "sha256": digest}]


def _digest(given: Any) -> str:
    if isinstance(given, bytes | bytearray | memoryview):
        return hashlib.sha256(given).hexdigest()
    if isinstance(given, Mapping) or not is_input(given):
        return ""
    if not isinstance(given, str | os.PathLike):
        data: bytes | str = cast("Readable", given).read()  # kept content, which can be read at any time
        return hashlib.sha256(data if isinstance(data, bytes) else data.encode()).hexdigest()
    try:
        return _digest_path(Path(given))
    except OSError as error:
        raise ExcerptError(f"cannot be read: {describe(error)}", path=os.fspath(given)) from None


def _digest_path(path: Path) -> str:
    """The hash of a file, or of names and hashes of all files of a folder, in order."""
    if not path.exists() or _size(path) > _MOST:
        return ""
    if path.is_file():
        return _digest_file(path)
    whole = hashlib.sha256()
    for file in _files(path):
        whole.update(f"{file.relative_to(path).as_posix()}\0{_digest_file(file)}\n".encode(errors="replace"))
    return whole.hexdigest()


def _size(path: Path) -> int:
    """Bytes of a file or of all files of a folder; 0 for what is neither."""
    return sum(file.stat().st_size for file in _files(path)) if path.exists() else 0


def _digest_file(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield from [path] if stat.S_ISREG(path.stat().st_mode) else []
        return
    for file in sorted(path.rglob("*")):
        if file.is_file():
            yield file


#: Bytes of a report that is still one file: browsers open it at once, and mail takes it.
LIMIT = 25_000_000

#: What the data of a folder may define, and what marks a folder as a report of ours.
_CALL = "excerptPart"
_SOURCE = "folder"
_FOLDER, _BEGINNING = f'data-source="{_SOURCE}"'.encode(), 200
_POLICY_NAME = "excerpt-parts"
_INLINE = {"overview", "documents"}
#: Parts that wait to be compressed, at most.
_AHEAD = 2


class Saved(NamedTuple):
    """What was written: a file, or a folder to open by its index.html."""

    path: str
    size: int
    folder: bool


class Packed(NamedTuple):
    """One part of the data, as compressed JSON in base64."""

    name: str
    data: bytes

    def template(self) -> bytes:
        """As an element of the page."""
        return shell.template(self.name, self.data)

    def script(self) -> bytes:
        """As a script beside the page, which hands the data over when it is loaded."""
        return f'{_CALL}("{self.name}","'.encode() + self.data + b'");\n'


def pack(parts: Iterable[tuple[str, Any]]) -> Iterator[Packed]:
    """Parts of the data, compressed one after the other, beside the work that makes the next."""
    waiting: deque[tuple[str, Future[bytes]]] = deque()
    with ThreadPoolExecutor(1) as beside:
        for name, data in parts:
            waiting.append((name, beside.submit(_packed, shell.encode(data))))
            if len(waiting) > _AHEAD:
                yield Packed(waiting[0][0], waiting.popleft()[1].result())
        for name, done in waiting:
            yield Packed(name, done.result())


def _packed(content: bytes) -> bytes:
    return base64.b64encode(shell.compress(content))


def save(
    path: str | os.PathLike[str], title: str, parts: Iterable[tuple[str, Any]], *, limit: int = LIMIT
) -> Saved:
    """Write a page with its data into one file, or where that would be too large into a folder."""
    name = require_path(path, "name of a file to write")
    require_place(name)
    before, after = shell.head(title), shell.tail()
    held: list[Packed] = []
    size, packed = len(before) + len(after), pack(parts)
    for part in packed:
        held.append(part)
        size += len(part.template())
        if size > limit:
            return _save_folder(name, title, chain(held, packed))
    with writing(name) as stream:
        stream.write(before)
        for part in held:
            stream.write(part.template())
        stream.write(after)
    if name != STDIN and (folder := folder_of(name)) != Path(name):
        _remove_old(folder, name)
    return Saved(name, size, folder=False)


def require_place(name: str) -> None:
    """An error where a report cannot go: into a folder that is not there, or into a compressed file."""
    target = Path(name)
    if (suffix := target.suffix.lower()) in SUFFIXES:
        raise ExcerptError(
            f"found a name that ends in {suffix}, expected .html or .htm",
            path=name,
            hint="what a report holds is compressed already",
        )
    try:
        os.stat(f"{target.parent}{os.sep}")  # noqa: PTH116 - with the separator files are refused
    except OSError as error:
        hint = f"first make {target.parent}" if isinstance(error, FileNotFoundError) else ""
        raise ExcerptError(f"cannot be written: {describe(error)}", path=name, hint=hint) from None
    except ValueError as error:  # a NUL character in the name
        raise ExcerptError(f"is not a file name: {error}", path=name) from None


def folder_of(name: str) -> Path:
    """The folder for a report too large for the file of a name.

    >>> folder_of("out/x.html").as_posix(), folder_of("x").as_posix()
    ('out/x', 'x')
    """
    target = Path(name)
    return target.with_suffix("") if target.suffix.lower() in {".html", ".htm"} else target


def _save_folder(name: str, title: str, parts: Iterable[Packed]) -> Saved:
    if name == STDIN:
        raise ExcerptError(
            "found a report too large for one file, expected the name of a folder instead of standard output"
        )
    target = folder_of(name)
    try:
        _require_ours(target)
        with replacing_folder(target) as folder:
            size = _fill(folder, title, parts)
    except OSError as error:
        raise ExcerptError(
            f"cannot be written: {describe(error)}", path=str(target), hint="nothing was left behind"
        ) from None
    if target != Path(name):
        _remove_old(Path(name), str(target))
    return Saved(str(target), size, folder=True)


def _fill(folder: Path, title: str, parts: Iterable[Packed]) -> int:
    """Write all files of a report; returns how many bytes they have."""
    (folder / "data").mkdir()
    inline, size = [], 0
    for part in parts:
        if part.name in _INLINE:
            inline.append(part.template())
            continue
        content = part.script()
        (folder / "data" / f"{part.name.replace('/', '-')}.js").write_bytes(content)
        size += len(content)
    rules = shell.policy(script="'self'", types=_POLICY_NAME)
    head = shell.head(title, attributes={"source": _SOURCE}, rules=rules)
    page = b"".join((head, *inline, shell.tail()))
    (folder / "index.html").write_bytes(page)
    return size + len(page)


def _require_ours(target: Path) -> None:
    """An error where something else than a report of ours has the name."""
    if target.exists() and not (target.is_dir() and _is_ours(target)):
        raise ExcerptError(
            "found something else where the folder of a large report goes, expected nothing or a report",
            path=str(target),
            hint="choose another name",
        )


def _is_ours(target: Path) -> bool:
    """Whether a file or a folder is a report."""
    if target.is_dir():
        page = target / "index.html"
        names = {entry.name for entry in target.iterdir()}
        return names == {page.name, "data"} and page.is_file() and _FOLDER in _beginning(page)
    return target.is_file() and _beginning(target).startswith(shell.START)


def _beginning(page: Path) -> bytes:
    with page.open("rb") as stream:
        return stream.read(_BEGINNING)


def _remove_old(old: Path, new: str) -> None:
    """Remove the report that the name stood for before, when it had the other form; nothing else."""
    try:
        ours = _is_ours(old)
    except OSError:  # what cannot be read is left alone
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
            hint=f"remove it, the new one is {new}",
        ) from None


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
        "version": excerpt.__version__,
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
        data = self._few_templates
        if data is None:
            data = b"".join(part.template() for part in pack(self.parts()))
        return shell.head(self.world.title, attributes={"start": start}) + data + shell.tail()

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
        escaped = partial(quote, safe="!'()*-._~", errors="replace")  # as addresses of the page have values
        return View(self, "&".join(f"{key}={','.join(map(escaped, values))}" for key, values in address))

    def _repr_html_(self) -> str:
        return View(self, "")._repr_html_()


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
