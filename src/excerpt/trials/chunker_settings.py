"""Chunkers as settings name them: those of excerpt, of libraries, and functions of the user."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from excerpt.corpus import Corpus
from excerpt.errors import ExcerptError, short
from excerpt.notices import Notices
from excerpt.placing.chunks import Chunks
from excerpt.placing.placement import place_chunks
from excerpt.trials.cutting import ChunkerName, CutSpans, CutText
from excerpt.trials.user_code import TrialSetting, UserFunction, call_of, items_of, library, version_of

#: A chunker as it is given: as a text, or in Python a function from a text to texts.
GivenChunker: TypeAlias = "str | Callable[[str], Iterable[str]]"
_Cut: TypeAlias = Callable[[str], Iterable[Any]]


class _Library(NamedTuple):
    """A library of chunkers: its package, and how a call with arguments becomes a function."""

    package: str
    load: Callable[[str, Mapping[str, Any]], _Cut]


@dataclass(frozen=True, kw_only=True)
class Chunker(TrialSetting):
    """A chunker: its setting, how to load its function, and its kind and size as factors."""

    kind: str
    size: str = ""
    #: Loads the function that cuts: of excerpt to spans, else to texts.
    spans: Callable[[CutText], CutSpans] | None = None
    load: Callable[[], _Cut] | None = None

    @classmethod
    def of(cls, given: GivenChunker, name: str = "") -> Chunker:
        """Parse a chunker; an unknown name, or a file or function that is not there, is an error.

        >>> Chunker.of("recursive:800:overlap=160").kind, Chunker.of("recursive:800").size
        ('recursive:overlap=160', '800')
        """
        own = UserFunction.of(given, name, "chunker")
        if own is not None:
            kind = own.how.get("setting", own.how["name"])
            return cls(**own.how, kind=kind, load=lambda: own.function)
        text = str(given).strip()
        how: dict[str, Any] = {"name": name or text, "setting": text}
        word, colon, call = text.partition(":")
        if colon and word in LIBRARIES:
            chunk = word == "semchunk" and call.isdecimal()
            kind, values = call_of(f"chunk(chunk_size={call})" if chunk else call)
            found = LIBRARIES[word]
            size, rest = _size_in(values)
            how |= {"kind": f"{word}:{kind}{rest}", "size": size, "identity": version_of(found.package)}
            return cls(**how, load=partial(found.load, kind, values))
        parsed = ChunkerName.of(text)
        kind = parsed.kind + (f":overlap={parsed.overlap}" if parsed.overlap else "")
        size = "" if parsed.size is None else str(parsed.size)
        return cls(**how, kind=kind, size=size, spans=parsed.cutter())

    def cut(self, corpus: Corpus) -> Chunks:
        """Cut all documents and locate the chunks; raise an error for a chunk that is not in its document."""
        rows = list(self._rows(corpus))
        if not rows:
            raise ExcerptError("the chunker returned nothing")
        return place_chunks(corpus, rows, name=self.name, notices=Notices())

    def _rows(self, corpus: Corpus) -> Iterable[dict[str, Any]]:
        if self.spans is not None:
            for name in corpus:
                document = corpus.document(name)
                text = document.text
                for start, end in self.spans(CutText(text, tuple(document.elements or ()))):
                    yield {"document": name, "text": text[start:end], "start": start, "end": end}
            return
        assert self.load is not None
        function = self.load()
        for name in corpus:
            for text in self._texts(function, name, corpus[name]):
                if text.strip():
                    yield {"document": name, "text": text}

    def _texts(self, function: _Cut, document: str, text: str) -> list[str]:
        """What a function made of a text, as texts."""
        found, parts = items_of(function, text, about=short(document))
        texts = [_text_of(part) for part in parts or ()]
        if parts is None or None in texts:
            shown = short(repr(found if parts is None else parts[texts.index(None)]))
            raise ExcerptError(f"returned {shown} for {short(document)}, expected a list of texts")
        return [one for one in texts if one is not None]


def _text_of(part: Any) -> str | None:
    """The text of a chunk of a library."""
    if isinstance(part, str):
        return part
    for name in ("text", "page_content"):
        if isinstance(found := getattr(part, name, None), str):
            return found
    return None


_SIZES = ("chunk_size", "chunk_length", "max_tokens", "size")


def _size_in(values: Mapping[str, Any]) -> tuple[str, str]:
    """The size among arguments, and the others as text."""
    name = next((one for one in _SIZES if one in values), None)
    rest = ", ".join(f"{key}={value!r}" for key, value in values.items() if key != name)
    return ("" if name is None else str(values[name])), (f"({rest})" if rest else "")


def _made(module: str, package: str, kind: str, values: Mapping[str, Any]) -> Any:
    """An object of a class of a library."""
    found = getattr(library(module, package), kind, None)
    if not callable(found):
        raise ExcerptError(f"{module} has no class {short(kind)}")
    return found(**values)


def _langchain(kind: str, values: Mapping[str, Any]) -> _Cut:
    made = _made("langchain_text_splitters", "langchain-text-splitters", kind, values)
    return made.split_text  # type: ignore[no-any-return]


def _llamaindex(kind: str, values: Mapping[str, Any]) -> _Cut:
    core = library("llama_index.core", "llama-index-core")
    made = _made("llama_index.core.node_parser", "llama-index-core", kind, values)
    return lambda text: [
        node.get_content() for node in made.get_nodes_from_documents([core.Document(text=text)])
    ]


def _chonkie(kind: str, values: Mapping[str, Any]) -> _Cut:
    made = _made("chonkie", "chonkie", kind, values)
    return made.chunk if hasattr(made, "chunk") else made  # type: ignore[no-any-return]


def _semchunk(kind: str, values: Mapping[str, Any]) -> _Cut:
    module, own = library("semchunk", "semchunk"), dict(values)
    if kind not in {"chunkerify", "chunk"}:
        raise ExcerptError(f"found {short(kind)} of semchunk, expected chunkerify or chunk")
    counter = own.pop("tokenizer_or_token_counter", own.pop("tokenizer", len))
    if kind == "chunk":
        return lambda text: module.chunk(text, token_counter=counter, **own)
    return module.chunkerify(counter, **own)  # type: ignore[no-any-return]


def _docling(kind: str, values: Mapping[str, Any]) -> _Cut:
    """A chunker of docling-core, on the text of a document that docling reads as Markdown."""
    made = _made("docling_core.transforms.chunker", "docling-core", kind, values)
    converter = library("docling.document_converter", "docling").DocumentConverter()
    base = library("docling.datamodel.base_models", "docling")

    def cut(text: str) -> list[str]:
        stream = base.DocumentStream(name="document.md", stream=io.BytesIO(text.encode()))
        return [chunk.text for chunk in made.chunk(converter.convert(stream).document)]

    return cut


LIBRARIES: Mapping[str, _Library] = {
    "langchain": _Library("langchain-text-splitters", _langchain),
    "llamaindex": _Library("llama-index-core", _llamaindex),
    "chonkie": _Library("chonkie", _chonkie),
    "semchunk": _Library("semchunk", _semchunk),
    "docling": _Library("docling-core", _docling),
}


def slug(text: str) -> str:
    """A setting as part of the name of a run and of a file.

    >>> slug("recursive:800:overlap=160"), slug("langchain:Splitter(chunk_size=800)")
    ('recursive-800-overlap-160', 'langchain-Splitter-chunk_size-800')
    """
    return re.sub(r"[^\w.]+", "-", text).strip("-.")[:120] or "setting"
