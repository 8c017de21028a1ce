"""The documents that files of questions with evidence carry: paragraphs, papers, contracts."""

from __future__ import annotations

from dataclasses import dataclass

from excerpt.corpus.document import Document
from excerpt.corpus.source import Numbered, decode
from excerpt.documents.stored_file import StoredFile
from excerpt.errors import ExcerptError, FormatError
from excerpt.gold.file import Context, GoldFile
from excerpt.gold.kinds import kind_of

_KIND = "gold"


@dataclass
class _Raised:
    """Faults are errors here."""

    name: str
    keep: bool = False

    def add(self, line: int | None, message: str, hint: str = "") -> None:
        """Raise a fault."""
        raise FormatError(message, path=self.name, line=line, hint=hint)


class GoldDocuments(Numbered):
    """The documents of a file of questions with evidence, in memory."""

    def __init__(self, name: str, texts: dict[str, str]) -> None:
        self._name = name
        self._texts = list(texts.values())
        super().__init__(texts)

    def place(self, number: int) -> str:
        """The document, for messages."""
        return f"document {self.id(number)!r} of {self._name}"

    def document(self, number: int) -> Document:
        """A document."""
        return Document(self.id(number), self._texts[number], kind=_KIND)


def open_gold(file: StoredFile, context: Context) -> GoldDocuments | None:
    """The documents of a file of questions with evidence; None where a file is none."""
    if not _may_be_gold(file, context):
        return None
    gold_file = _gold_file(file, file.whole(), context)
    kind = kind_of(gold_file)
    if kind is None:
        return None
    if not kind.carries:
        raise ExcerptError(
            f"found questions without the text of their documents ({kind.name}), expected a corpus",
            path=file.name,
            hint="give the documents that they were made for",
        )
    if context != "paragraph" and not kind.divides:
        raise ExcerptError(
            f"found context {context} for a file without articles ({kind.name}), expected none",
            path=file.name,
            hint="leave ⟨context⟩ out",
        )
    return GoldDocuments(file.name, kind.read(gold_file).documents)


def _may_be_gold(file: StoredFile, context: Context) -> bool:
    """Whether the first line shows it, or is no JSON by itself."""
    try:
        looked = _gold_file(file, file.first_line(), context)
    except FormatError:
        return False
    return looked.first is None or kind_of(looked) is not None


def _gold_file(file: StoredFile, data: bytes, context: Context) -> GoldFile:
    text = decode(data, file.name).replace("\r\n", "\n")
    return GoldFile(file.name, text, _Raised(file.name), context=context)
