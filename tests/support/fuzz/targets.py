"""Every kind of file that excerpt reads, with the commands that read it."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from support.fuzz import samples
from support.gold_files import KINDS, SAMPLES

import excerpt

_SPANS = ("-m", "MAiP", "-m", "iP@0.01", "-m", "charR@5", "-m", "charF", "-m", "articleAP", "-m", "MAgP")
_ELEMENTS = ("-m", "nxCG@3", "-m", "MAep", "-m", "inex_eval")
_DOCUMENTS = ("-m", "articleAP", "-m", "articleF")
_LENIENT = ("--overlap", "first", "--interleaved", "regroup")
_JSON = ("--format", "json", "--per-topic")
_EVALUATE = (*_LENIENT, *_JSON)
_INDEX = ("--index", "index")
_KINDS = {"inex": "xml", "graded": "xml", "coverage": "xml", "jsonl": "json"}
_KINDS |= {"table": "commas", "parquet": "parquet"}  # all others are columns


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
    #: Where the file is one of a campaign: its name there. Commands read `made`, a copy of the campaign.
    of_campaign: str = ""


def targets() -> dict[str, Target]:
    """All kinds of files, by name."""
    every = (*_runs(), *_judgments(), *_gold(), *_corpora(), *_chunks(), *_topics(), *_pools(), *_campaigns())
    return {target.name: target for target in (*every, *_scores(), *_settings())}


def _runs() -> Iterator[Target]:
    for name, text in samples.RUNS.items():
        kind = _KINDS.get(name, "columns")
        yield Target(f"run-{name}", kind, (text.encode(),), _run_commands(name, kind))
    commands = _run_commands("jsonl", "json")
    yield Target("run-table", "commas", _encoded(samples.TABLES["run"]), commands)
    yield Target("run-parquet", "parquet", (samples.parquet(samples.RUNS["jsonl"]),), commands)


def _run_commands(name: str, kind: str) -> tuple[tuple[str, ...], ...]:
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
    return commands


def _judgments() -> Iterator[Target]:
    for name, measures, run in (
        ("fol", _SPANS, "run.fol"),
        ("trec", _DOCUMENTS, "run.trec"),
        ("beir", _DOCUMENTS, "run.trec"),
        ("table", _SPANS, "run.fol"),
        ("parquet", _SPANS, "run.fol"),
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
            ("check", "{}", "--statistics", *_INDEX),
            ("evaluate", "{}", "run.path", "-m", "inex_eval_ng", "-m", "Q", *_INDEX, *_EVALUATE),
            ("convert", "{}", "made.jsonl", "--to", "jsonl"),
            ("convert", "{}", "made.fol", "--to", "fol", *_INDEX),
        )
        if name == "fol":
            commands += tuple(("inex_eval", f"-{task}", "{}", "run.fol") for task in "ftirb")
        if name == "trec":
            commands += (("trec_eval", "-q", "-m", "all_trec", "{}", "run.trec"),)
        texts = {**samples.JUDGMENTS, "table": samples.TABLES["judgments"]}
        seeds = (samples.parquet(texts["jsonl"]) if name == "parquet" else texts[name].encode(),)
        yield Target(f"judgments-{name}", _KINDS.get(name, "columns"), seeds, commands)


def _gold() -> Iterator[Target]:
    """Questions with evidence, in every format."""
    commands: tuple[tuple[str, ...], ...] = (
        ("evaluate", "{}", "run.fol", *_SPANS, *_EVALUATE),
        ("evaluate", "{}", "run.fol", *_SPANS, *_EVALUATE, "--corpus", "{}"),
        ("evaluate", "{}", "run.fol", *_EVALUATE, "--context", "article"),
        ("evaluate", "{}", "run.fol", *_SPANS, *_EVALUATE, "--corpus", "docs"),
        ("check", "{}"),
        ("convert", "{}", "made.jsonl", "--to", "jsonl"),
    )
    for kind in KINDS:
        # These samples need their corpus.
        samples_ = [
            path for path in SAMPLES.glob(f"{kind.name}.*") if path.stem not in {"hicbench", "quotes"}
        ]
        seeds = (kind.example.encode(), *(path.read_bytes() for path in samples_))
        form = "json" if kind.example.startswith("{") else "columns"
        yield Target(f"gold-{kind.name}", form, seeds, commands)


def _chunks() -> Iterator[Target]:
    """Chunks of other libraries, chunks that were located, and cited text."""
    place = tuple(
        ("place", "docs", "{}", "-o", "made", "--lost", lost) for lost in ("error", "drop", "count")
    )
    yield Target("chunks", "json", _encoded(*samples.CHUNKS), place)
    placed = (
        ("chunks", "qrels.jsonl", "{}", "--format", "json"),
        ("chunks", "qrels.jsonl", "{}", "--corpus", "docs", "--per-topic"),
        ("explain", "qrels.jsonl", "run.fol", "--corpus", "docs", "--chunks", "{}", *_LENIENT),
    )
    yield Target("placed", "json", (), placed, made="placed.jsonl")
    funnel = ("funnel", "qrels.jsonl", "run.fol", "{}", "--per-topic")
    commands = (funnel, (*funnel, "--corpus", "docs"), ("check", "{}"), ("check", "{}", "--corpus", "docs"))
    yield Target("citations", "json", _encoded(*samples.CITATIONS), commands)


def _encoded(*texts: str) -> tuple[bytes, ...]:
    return tuple(text.encode() for text in texts)


def _topics() -> Iterator[Target]:
    evaluate = ("evaluate", "qrels.fol", "run.fol", *_LENIENT, "-m", "charP", "--topics", "{}", "--target")
    commands = (
        ("topics", "{}"),
        ("topics", "{}", "--format", "json"),
        *(("topics", "{}", "--to", form, "-o", "made") for form in ("tsv", "jsonl", "trec", "inex", "indri")),
        (*evaluate, "ignore"),
        (*evaluate, "vague", *_INDEX),
        ("assess", "new", "made", "--corpus", "docs", "--topics", "{}"),
    )
    yield Target("topics", "columns", _encoded(samples.TOPICS[0]), commands)
    yield Target("topics.jsonl", "json", _encoded(samples.TOPICS[1]), commands)
    files = sorted((SAMPLES.parent / "topics").glob("*.*"))
    seeds = (*_encoded(samples.TOPICS[2]), *(path.read_bytes() for path in files))
    yield Target("topics.xml", "xml", seeds, commands)


def _pools() -> Iterator[Target]:
    new = ("assess", "new", "made", "--corpus", "docs", "--topics", "topics.tsv")
    commands = (
        ("pool", "--info", "{}"),
        ("pool", "--info", "{}", "run.fol", "other.fol", "--format", "json"),
        (*new, "--pool", "{}"),
    )
    yield Target("pool", "tabs", _encoded(*samples.POOL), commands)
    suggestions = (*new, "--pool", "pool.tsv", "--suggestions", "{}", "--procedure")
    procedures = tuple((*suggestions, name) for name in ("inex2007", "evidence"))
    yield Target("suggestions", "json", _encoded(samples.SUGGESTIONS), procedures)


def _campaigns() -> Iterator[Target]:
    """Files of a campaign."""
    commands: tuple[tuple[str, ...], ...] = (
        ("assess", "status", "made"),
        ("assess", "status", "made", "--format", "json"),
        ("assess", "people", "made", "list"),
        ("assess", "export", "made", "-o", "made.jsonl", "--unfinished", "--merge", "union"),
        ("assess", "agreement", "made", "--samples", "20"),
        ("assess", "rebuild", "made"),
    )
    for name, kind in (("campaign.toml", "toml"), ("journal.jsonl", "json"), ("judgments.sqlite", "sqlite")):
        yield Target(f"assess-{name}", kind, (), commands, made=f"campaign/{name}", of_campaign=name)


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
    how = ("-m", "charP", "--samples", "20")
    gate = (*how, "--qrels", "qrels.fol", *_LENIENT, "--baseline-name", "other", "--run-name", "other")
    commands = (
        ("compare", "{}", *how),
        ("agreement", "{}", *how),
        ("gate", "{}", "scores.json", *gate),
        ("gate", "scores.json", "{}", *gate),
    )
    for suffix, kind in ((".json", "json"), (".csv", "columns"), (".parquet", "binary")):
        made = f"scores{suffix}"
        yield Target(f"scores{suffix}", kind, made=made, call=excerpt.load_scores, suffix=suffix)
        yield Target(f"compared{suffix}", kind, (), commands, made=made, suffix=suffix, asks=True)


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
    within = ("stability", "topics", *unpooled[2:], "--samples", "3", "--within", "{}")
    yield Target("within", "columns", _encoded(*samples.WITHIN), (within,))
