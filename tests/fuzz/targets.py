"""Every kind of file that excerpt reads, with the commands that read it."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from fuzz import samples
from gold_files import SAMPLES

import excerpt
from excerpt.gold.kinds import KINDS

_SPANS = ("-m", "MAiP", "-m", "iP@0.01", "-m", "charR@5", "-m", "charF", "-m", "articleAP", "-m", "MAgP")
_ELEMENTS = ("-m", "nxCG@3", "-m", "MAep", "-m", "inex_eval")
_DOCUMENTS = ("-m", "articleAP", "-m", "articleF")
_LENIENT = ("--overlap", "first", "--interleaved", "regroup")
_JSON = ("--format", "json", "--per-topic")
_EVALUATE = (*_LENIENT, *_JSON)
_INDEX = ("--index", "index")
_KINDS = {"inex": "xml", "graded": "xml", "coverage": "xml", "jsonl": "json"}  # all others are columns


@dataclass(frozen=True)
class Target:
    """A kind of file: what it looks like, and the commands that read it (`{}` is its name)."""

    name: str
    kind: str
    seeds: tuple[bytes, ...] = ()
    commands: tuple[tuple[str, ...], ...] = ()
    #: Where excerpt itself makes a valid one: its name in the folder of the harness.
    made: str = ""
    #: For what no command reads.
    call: Callable[[str], object] | None = None
    suffix: str = ""
    #: Whether the file also says what to do: much work, and mistakes in other files, are no fault then.
    asks: bool = False


def targets() -> dict[str, Target]:
    """All kinds of files, by name."""
    every = (*_runs(), *_judgments(), *_gold(), *_corpora(), *_scores(), *_settings())
    return {target.name: target for target in every}


def _runs() -> Iterator[Target]:
    for name, text in samples.RUNS.items():
        kind = _KINDS.get(name, "columns")
        commands: tuple[tuple[str, ...], ...] = (
            ("evaluate", "qrels.fol", "{}", *_SPANS, *_INDEX, *_EVALUATE),
            ("evaluate", "qrels.fol", "{}", *_EVALUATE),
            ("evaluate", "qrels.jsonl", "{}", *_INDEX, *_SPANS, *_JSON),
            ("evaluate", "qrels.trec", "{}", *_DOCUMENTS, *_JSON),
            ("trec_eval", "-q", "-c", "-m", "all_trec", "qrels.trec", "{}"),
            ("evaluate", "qrels.fol", "{}", "-m", "BEPD", "-m", "EPRUM", *_INDEX, *_EVALUATE),
            ("evaluate", "qrels.graded", "{}", *_ELEMENTS, *_INDEX, *_EVALUATE),
            ("evaluate", "qrels.fol", "{}", "--run-format", name, *_INDEX, *_EVALUATE),
            ("check", "{}"),
            ("check", "{}", *_INDEX),
            ("convert", "{}", "made.jsonl", "--to", "jsonl"),
            ("convert", "{}", "made.fol", "--to", "fol", *_INDEX),
            ("convert", "{}", "made.xml", "--to", "inex", *_INDEX),
            ("curve", "qrels.fol", "{}", "-m", "iP", *_INDEX, *_LENIENT, "--format", "json"),
        )
        if kind == "columns":
            commands += tuple(("inex_eval", f"-{task}", "qrels.fol", "{}") for task in "ftirb")
        yield Target(f"run-{name}", kind, (text.encode(),), commands)


def _judgments() -> Iterator[Target]:
    for name, measures, run in (
        ("fol", _SPANS, "run.fol"),
        ("trec", _DOCUMENTS, "run.trec"),
        ("beir", _DOCUMENTS, "run.trec"),
        ("jsonl", _SPANS, "run.fol"),
        ("inex", (*_SPANS, *_INDEX), "run.fol"),
        ("graded", _ELEMENTS, "run.path"),
        ("coverage", _ELEMENTS, "run.path"),
    ):
        commands: tuple[tuple[str, ...], ...] = (
            ("evaluate", "{}", run, *measures, *_EVALUATE),
            ("evaluate", "{}", run, *_EVALUATE),
            ("evaluate", "{}", "run.path", *_ELEMENTS, *_INDEX, *_EVALUATE),
            ("check", "{}"),
            ("check", "{}", *_INDEX),
            ("convert", "{}", "made.jsonl", "--to", "jsonl"),
            ("convert", "{}", "made.fol", "--to", "fol", *_INDEX),
        )
        if name == "fol":
            commands += tuple(("inex_eval", f"-{task}", "{}", "run.fol") for task in "ftirb")
        if name == "trec":
            commands += (("trec_eval", "-q", "-m", "all_trec", "{}", "run.trec"),)
        seeds = (samples.JUDGMENTS[name].encode(),)
        yield Target(f"judgments-{name}", _KINDS.get(name, "columns"), seeds, commands)


def _gold() -> Iterator[Target]:
    """Questions with evidence: all formats together, which start alike."""
    commands: tuple[tuple[str, ...], ...] = (
        ("evaluate", "{}", "run.fol", *_SPANS, *_EVALUATE),
        ("evaluate", "{}", "run.fol", *_SPANS, *_EVALUATE, "--corpus", "{}"),
        ("evaluate", "{}", "run.fol", *_EVALUATE, "--context", "article"),
        ("evaluate", "{}", "run.fol", *_SPANS, *_EVALUATE, "--corpus", "docs"),
        ("check", "{}"),
        ("convert", "{}", "made.jsonl", "--to", "jsonl"),
    )
    seeds = {kind: kind.example.encode() for kind in KINDS}
    trees = tuple(seed for seed in seeds.values() if seed.startswith(b"{"))
    tables = tuple(seed for seed in seeds.values() if not seed.startswith(b"{"))
    yield Target("gold", "json", (*trees, *_samples("json*")), commands)
    yield Target("gold-table", "columns", (*tables, *_samples("[ct]sv")), commands)


def _samples(ending: str) -> tuple[bytes, ...]:
    """Samples that can be read without a corpus."""
    paths = sorted(SAMPLES.glob(f"*.{ending}"))
    return tuple(path.read_bytes() for path in paths if path.stem != "hicbench")


def _corpora() -> Iterator[Target]:
    commands = (
        ("index", "{}", "-o", "made"),
        ("index", "{}", "-o", "made", "--unit", "byte", "--ids", "path"),
        ("index", "{}", "-o", "made", "--strict"),
        ("index", "{}", "-o", "made", "--keep-text"),
        ("evaluate", "qrels.fol", "run.fol", "--corpus", "{}", *_SPANS, *_EVALUATE),
        ("evaluate", "qrels.trec", "run.trec", "--corpus", "{}", *_SPANS, *_EVALUATE),
    )
    for suffix, mode in ((".tar", "w"), (".tar.gz", "w:gz"), (".tar.bz2", "w:bz2")):
        yield Target(f"corpus{suffix}", "binary", (samples.tar(mode),), commands, suffix=suffix)
    zips = (samples.zipped(zipfile.ZIP_STORED), samples.zipped(zipfile.ZIP_DEFLATED))
    yield Target("corpus.zip", "binary", zips, commands, suffix=".zip")
    lines = (samples.LINES.encode(),)
    yield Target("corpus.jsonl", "json", lines, commands[-2:], suffix=".jsonl")
    documents = tuple(text.encode() for text in samples.DOCUMENTS.values())
    yield Target("document", "xml", documents, call=_index_document, suffix=".xml")


def _index_document(name: str) -> None:
    """Index a folder with the document in it, look at the index, and compare it with the corpus."""
    folder = Path("made-corpus")
    folder.mkdir()
    shutil.move(name, folder / name)
    excerpt.build_index(folder, "made")
    index = excerpt.OffsetIndex.open("made")
    index.verify()
    index.resolve(index.document_codes(["damaged"]), ["/article[1]"])
    corpus = excerpt.Corpus.read(folder)
    assert len(corpus["damaged"]) == index.document_sizes([0])[0]
    assert len(corpus.document("damaged").elements or ()) == index.statistics().elements


def _scores() -> Iterator[Target]:
    for suffix, kind in ((".json", "json"), (".csv", "columns"), (".parquet", "binary")):
        made = f"scores{suffix}"
        yield Target(f"scores{suffix}", kind, made=made, call=excerpt.load_scores, suffix=suffix)


def _settings() -> Iterator[Target]:
    """Files that say how, not what."""
    rerun = (("rerun", "{}"), ("rerun", "{}", "--check"))
    yield Target("record", "json", (), rerun, made="record.json", asks=True)
    evaluate = ("evaluate", "qrels.graded", "run.path", "-m", "nxCG(quantisation=steep)@3")
    tables = (samples.QUANTISATIONS.encode(),)
    yield Target("quantisations", "toml", tables, ((*evaluate, "--quantisations", "{}"),), asks=True)
    unpooled = (
        "stability",
        "unpooled",
        "qrels.fol",
        "run.fol",
        "other.fol",
        "--overlap",
        "first",
        "-m",
        "charP",
    )
    yield Target("groups", "columns", (samples.GROUPS.encode(),), ((*unpooled, "--groups", "{}"),))
