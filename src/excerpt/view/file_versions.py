"""The version of the documents that files of every kind were made on, and whether files belong together."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from excerpt.corpus import Corpus
from excerpt.errors import ExcerptError, plural, short_list
from excerpt.files import is_folder, read_beginning
from excerpt.records.fingerprints import are_same, beside, other_version
from excerpt.records.rows import parse_json
from excerpt.scores.score_rows import is_scores

#: Most documents that a message names.
_SHOWN = 3


@dataclass(frozen=True)
class FileVersion:
    """A file, what it is, and the fingerprints of the documents that it names, as far as it has them."""

    name: str
    summary: str = ""
    documents: Mapping[str, str] = field(default_factory=dict)
    #: Files from which it was made, by name, with the SHA-256 of their bytes.
    inputs: Mapping[str, str] = field(default_factory=dict)


class VersionMismatch(NamedTuple):
    """Documents of which a file was made on another version than another file, or than the corpus."""

    file: str
    other: str
    documents: tuple[str, ...]
    #: Number of documents that both name.
    common: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The object of JSON."""
        return {"file": self.file, "other": self.other, "documents": list(self.documents)}

    def __str__(self) -> str:
        if not self.documents:
            return f"{self.file} was made from another version of {self.other}"
        return other_version(self.file, self.documents, self.common, self.other)


def read_other(file: str, corpus: Corpus | None) -> FileVersion | None:
    """Return the version of a file that is neither a run nor judgments; None for these.

    These are saved scores, records of experiments, pools, placed chunks and folders of campaigns.
    """
    if is_folder(file):
        return _campaign(file)
    if file == "-":
        return None
    if is_scores(file):
        from excerpt.scores.saved_scores import load_scores

        table = load_scores(file)
        what = f"scores of {plural(len(table.runs), 'run')} on {plural(len(table.topics), 'topic')}"
        return FileVersion(file, what, (table.made_with or {}).get("documents", {}))
    head = read_beginning(file)
    if head.startswith(b"# excerpt pool"):
        return _pool(file)
    if head.lstrip()[:1] == b"{":
        return _record(file, head) or _chunks(file, head, corpus)
    return None


def _campaign(folder: str) -> FileVersion | None:
    from excerpt.assess.folder import SETTINGS

    if not (Path(folder) / SETTINGS).is_file():
        return None
    from excerpt.assess.campaign import Campaign

    with Campaign.open(folder) as campaign:
        records = campaign.contents.records
        summary = f"a campaign with {plural(len(records), 'document')}"
        return FileVersion(folder, summary, {name: one.sha256 for name, one in records.items()})


def _pool(file: str) -> FileVersion:
    from excerpt.pooling import read_pool

    pool = read_pool(file)
    inputs = {one.path: one.sha256 for one in pool.inputs if one.path and one.sha256}
    return FileVersion(file, f"a pool of {plural(len(pool), pool.unit)}", beside(file), inputs)


def _record(file: str, head: bytes) -> FileVersion | None:
    if not (b'"experiment"' in head and b'"rows"' in head):
        return None
    from excerpt.experiments.outcome import SavedOutcome

    record = SavedOutcome.read(file).record
    inputs = {os.path.basename(one.path): one.sha256 for one in record.inputs}  # noqa: PTH119
    return FileVersion(file, f"a record of {record.experiment}", {}, inputs)


def _chunks(file: str, head: bytes, corpus: Corpus | None) -> FileVersion | None:
    """Placed chunks; those of a run have topics."""
    first = parse_json(head.lstrip().split(b"\n", 1)[0])
    if not isinstance(first, dict) or "how" not in first:
        return None
    from excerpt.records.spellings import ROLES

    asked = (*ROLES["result"]["topic"], *ROLES["result"]["question"], "quote")
    if any(key in first for key in asked):
        return None
    from excerpt.placing.chunks import Chunks

    chunks = Chunks.read(file, None)
    known = dict(chunks.fingerprints)
    same = corpus is not None and all(
        (now := corpus.known_hash(name)) is None or are_same(one, now) for name, one in known.items()
    )
    if same:
        chunks = Chunks.read(file, corpus)  # texts are compared with their places
    of = plural(len(chunks.documents), "document")
    return FileVersion(file, f"{plural(len(chunks), 'chunk')} of {of}", known)


def compare_versions(
    files: Sequence[FileVersion], corpus: Corpus | None, corpus_name: str = ""
) -> list[VersionMismatch]:
    """List pairs of files, and of a file and the corpus, that do not belong together."""
    found = []
    for number, one in enumerate(files):
        if corpus is not None and one.documents:
            now = {name: corpus.known_hash(name) for name in one.documents}
            known = {name: text for name, text in now.items() if text is not None}
            found += _between(one, FileVersion(corpus_name, documents=known))
        for other in files[:number]:
            found += _between(one, other)
            found += _inputs(one, other) + _inputs(other, one)
    return found


def _between(one: FileVersion, other: FileVersion) -> list[VersionMismatch]:
    common = [name for name in one.documents if name in other.documents]
    differ = tuple(name for name in common if not are_same(one.documents[name], other.documents[name]))
    return [VersionMismatch(one.name, other.name, differ, len(common))] if differ else []


def _inputs(made: FileVersion, other: FileVersion) -> list[VersionMismatch]:
    """A record or a pool that was made from a file of this name with other bytes."""
    digest = made.inputs.get(os.path.basename(other.name))  # noqa: PTH119
    if digest is None or is_folder(other.name):
        return []
    import hashlib

    from excerpt.files import read_bytes

    try:
        same = hashlib.sha256(read_bytes(other.name)).hexdigest() == digest
    except ExcerptError:
        return []
    return [] if same else [VersionMismatch(made.name, other.name, ())]


def say_together(files: Sequence[FileVersion], mismatches: Sequence[VersionMismatch]) -> str:
    """Return one line: whether files belong together, and which cannot be compared.

    >>> say_together([FileVersion("a", "", {"A": "0" * 16}), FileVersion("b")], [])
    'the files belong together, as far as they say; without fingerprints: b'
    """
    unknown = [one.name for one in files if not one.documents and not one.inputs]
    said = "the files do not belong together" if mismatches else "the files belong together"
    if not unknown or mismatches:
        return said
    if len(unknown) == len(files):
        return "the files have no fingerprints, so whether they belong together is not known"
    return f"{said}, as far as they say; without fingerprints: {short_list(unknown, _SHOWN)}"
