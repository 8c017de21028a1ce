"""Inputs of the benchmarks, each generated once, at its first use, in one folder."""

from __future__ import annotations

import os
import re
import shutil
import tarfile
from dataclasses import dataclass
from functools import cache
from itertools import cycle
from pathlib import Path

import generated_elements
from corpora import write_folder
from generated_document import Written, write_document
from generated_runs import write_converted, write_documents, write_spans

#: A collection of real articles (JATS XML), if available next to the checkout.
EVIDENCE = Path(__file__).resolve().parents[2] / "shared" / "data" / "evidence" / "docs.tar.gz"
_TAG, _VALUE = re.compile(rb"<[A-Za-z][^<>]*>"), re.compile(rb"\"([^\"'<>]*)\"")


@dataclass(frozen=True)
class Scale:
    """Sizes and numbers of rounds; the defaults are those of the targets."""

    #: True for the sizes of the targets.
    full: bool = True
    rounds: int = 5
    #: Rounds of commands that take several seconds.
    few: int = 3
    spans: tuple[tuple[int, int], ...] = ((107, 1500), (1000, 1000))
    runs: int = 6
    documents: tuple[tuple[int, int], ...] = ((107, 1500), (1000, 1000))
    corpus: int = 10_000
    resolve_documents: int = 50_000
    #: Copies of the real articles, so that start-up is a small part of the time.
    copies: int = 8
    queries: int = 160_000
    study_runs: int = 62
    study_rounds: int = 2
    topics: int = 107
    results: int = 1500
    resamples: int = 10_000
    peer_pairs: int = 20
    #: Runs of which `testerror` tests all pairs.
    judged_runs: tuple[int, ...] = (62, 150, 300)
    #: Smallest sizes of the growth curves, and how many times larger the others are.
    growth_results: int = 1_500
    growth_study_results: int = 500
    growth_documents: int = 3_000
    growth_runs: int = 4
    growth_characters: int = 500_000
    growth_factors: tuple[int, ...] = (1, 4, 16)
    #: Questions with 20 results of large runs, and of the one that workers share.
    questions: tuple[int, ...] = (10_000, 100_000, 1_000_000)
    shared_questions: int = 50_000
    assessed: int = 200_000
    #: Number of assessors and seconds of load; number of kills of a server and of events.
    assessors: tuple[int, int] = (50, 60)
    kills: tuple[int, int] = (50, 10_000)
    #: Characters and relevant passages of a single long document.
    long: tuple[int, int] = (1_000_000, 5_000)
    #: Documents of a corpus of JSON Lines, and runs of its chunks.
    chunked: tuple[int, int] = (100_000, 100)


FULL = Scale()
QUICK = Scale(
    full=False,
    judged_runs=(10, 30, 60),
    rounds=2,
    few=1,
    spans=((107, 1500),),
    runs=2,
    documents=((107, 1500),),
    corpus=2_000,
    resolve_documents=3_000,
    copies=2,
    study_runs=6,
    study_rounds=1,
    peer_pairs=5,
    growth_results=100,
    growth_study_results=100,
    growth_documents=200,
    growth_runs=2,
    growth_characters=50_000,
    growth_factors=(1, 2, 4),
    questions=(2_000, 10_000, 40_000),
    shared_questions=40_000,
    assessed=20_000,
    assessors=(20, 10),
    kills=(4, 400),
    long=(200_000, 1_000),
    chunked=(10_000, 10),
)


class Inputs:
    """Generator of files in a folder; equal arguments give the same files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # Caches are per object, so that they end with it.
        self.spans = cache(self._spans)
        self.converted = cache(write_converted)
        self.documents = cache(self._documents)
        self.corpus = cache(self._corpus)
        self.evidence = cache(self._evidence)
        self.assessments = cache(self._assessments)
        self.document = cache(self._document)

    def place(self, name: str) -> Path:
        """A new folder for some files."""
        made = self.folder / name
        made.mkdir()
        return made

    def _spans(self, topics: int, results: int, runs: int) -> tuple[Path, tuple[Path, ...]]:
        folder = self.place(f"spans-{topics}x{results}x{runs}")
        qrels, written = write_spans(folder, topics=topics, results=results, runs=runs)
        return qrels, tuple(written)

    def _documents(self, topics: int, results: int) -> tuple[Path, Path]:
        folder = self.place(f"documents-{topics}x{results}")
        if topics < 1000:
            return write_documents(folder, topics=topics, results=results)
        return write_documents(folder, topics=topics, results=results, name=lambda number: f"D{number * 61}")

    def _corpus(self, documents: int, *, odd: bool = False) -> Path:
        folder = self.place(f"corpus-{documents}{'-odd' if odd else ''}")
        write_folder(folder, documents, odd=odd)
        return folder

    def _assessments(self, topics: int, results: int, elements: int) -> tuple[Path, Path]:
        folder = self.place("elements")
        return (
            generated_elements.write_assessments(folder, topics=topics, elements=elements),
            generated_elements.write_run(folder, topics=topics, results=results),
        )

    def _document(self, characters: int, passages: int, *, xml: bool = False) -> Written:
        folder = self.place(f"document-{characters}x{passages}{'-xml' if xml else ''}")
        return write_document(folder, characters=characters, passages=passages, xml=xml)

    def _evidence(self, copies: int, *, mixed: bool = False) -> Path | None:
        """Unpack the articles, with copies of each; None if they are not available.

        If `mixed`, every second value of an attribute is in single quotes.
        """
        if not EVIDENCE.is_file():
            return None
        folder = self.place(f"evidence-{copies}{'-mixed' if mixed else ''}")
        with tarfile.open(EVIDENCE) as archive:
            archive.extractall(folder, filter="data")
        for article in sorted(folder.rglob("*.xml")):
            if mixed:
                article.write_bytes(_mix_quotes(article.read_bytes()))
            for copy in range(1, copies):
                shutil.copyfile(article, article.with_stem(f"{article.stem}-{copy}"))
        return folder


def _mix_quotes(document: bytes) -> bytes:
    quotes = cycle((b"'", b'"'))

    def requoted(value: re.Match[bytes]) -> bytes:
        quote = next(quotes)
        return quote + value[1] + quote

    return _TAG.sub(lambda tag: _VALUE.sub(requoted, tag[0]), document)


def size_of(folder: Path) -> int:
    """Total bytes of all files below a folder."""
    return sum((Path(base) / name).stat().st_size for base, _, names in os.walk(folder) for name in names)
