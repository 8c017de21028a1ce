"""Releases of campaigns: one archive with judgments in every format, topics, pool, guidelines, origin."""

from __future__ import annotations

import hashlib
import io
import re
import zipfile
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from excerpt.assess.export import FORMATS, Export, checked_format, of_two, provenance
from excerpt.assess.kappa import AgreementSettings, assessor_pairs, compare_all
from excerpt.assess.opinions import Merge, Opinion, Opinions
from excerpt.errors import ExcerptError, MissingData, json_text, one_line
from excerpt.model.topic_choice import TopicChoice, TopicIds
from excerpt.notices import Notices
from excerpt.pooling.pool_file import encode_pool
from excerpt.pooling.pools import Passage, Pool, PoolItem
from excerpt.queries import Topics
from excerpt.queries.listing import write

if TYPE_CHECKING:
    from excerpt.assess.campaign import Campaign

#: Names of the judgments by format.
_FILES = {"fol": "qrels.fol", "inex": "qrels.xml", "jsonl": "qrels.jsonl", "trec": "qrels.trec"}
_ABOUT = {
    "qrels.fol": "judgments: topic, Q0, document, relevant characters, length, entry point, start:length",
    "qrels.xml": "judgments in the XML of INEX",
    "qrels.jsonl": "judgments with everything that the campaign knows, one JSON object per line",
    "qrels.trec": "judgments of whole documents: relevant (1) or not (0)",
    "topics.jsonl": "the topics",
    "pool.tsv": "the pooled documents with their probabilities and the runs that returned them",
    "guidelines.md": "the guidelines that the assessors read",
    "about.json": "the origin: campaign, hashes of all inputs, merging, counts",
    "SHA256SUMS": "checksums; `sha256sum -c SHA256SUMS` compares them",
}
_COUNTS = {
    "pool": "pooled",
    "exported": "judged",
    "relevant": "relevant",
    "irrelevant": "not relevant",
    "several": "judged by several assessors",
    "unfinished": "in progress, left out",
    "unjudged": "unjudged, left out",
}
_LEVELS = ("level", "documents", "left_out", "jaccard", "f", "kappa", "alpha")
_SINGLE = "No document was judged by several assessors."
_UNKNOWN = "No document was finished by two assessors, so their agreement cannot be measured."
#: Characters that mean something in Markdown.
_MARKS = re.compile(r"[\\`*_{}\[\]<>#|!]")


def released(
    campaign: Campaign, *, only: TopicIds = None, anonymous: bool = False, merge: Merge = "union"
) -> tuple[bytes, tuple[str, ...]]:
    """Return a release as the bytes of a ZIP archive, and notes to print; the same campaign gives the same.

    It has the finished documents of all topics or of `only` some, those with several assessors merged. With
    `anonymous`, assessors are letters in the order of their first actions, and their notes are left out.
    """
    with campaign.snapshot() as snapshot:
        opinions, shown = Opinions.of(snapshot), snapshot.shown()
        with snapshot.recorder.reading() as store:
            names = dict.fromkeys(name for _, _, name in store.judged_keys())
    campaign = snapshot  # its contents have every judged document
    topics = set(TopicChoice.of(only).kept([topic.id for topic in campaign.topics], known=True))
    letters = {name: letter_of(number) for number, name in enumerate(names)} if anonymous else {}
    opinions = Opinions.collect(
        [pair for pair in opinions.pairs if pair.topic in topics],
        (
            _anonymous(opinion, letters) if anonymous else opinion
            for some in opinions.by_pair.values()
            for opinion in some
            if opinion.pair.topic in topics
        ),
    )
    merged = opinions.merged(merge)
    if not merged:
        raise ExcerptError("no document is finished, so nothing can be released", path=str(campaign.folder))
    campaign.check_used(opinion.pair.document for opinion in merged)
    shown = {pair for pair in shown if pair[0] in topics}
    options = {"merge": merge, "topics": sorted(topics) if only else None, "anonymous": anonymous}
    about = provenance(campaign, opinions, merged, shown, options)
    if anonymous:  # names of files may contain names of people
        about["pools"] = [{**pool, "file": ""} for pool in about["pools"]]
    files = dict(_judgments(campaign, merged, about))
    chosen = Topics({topic.id: topic for topic in campaign.topics if topic.id in topics})
    files["topics.jsonl"] = write(chosen, "jsonl", Notices()).encode()
    files["pool.tsv"] = _pool(campaign, topics)
    if campaign.contents.guidelines:
        files["guidelines.md"] = campaign.contents.guidelines.encode()
    files["about.json"] = (json_text(about, indent=2) + "\n").encode()
    files["README.md"] = _readme(campaign, opinions, about, {*files, "SHA256SUMS"}).encode()
    sums = (f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(files.items()))
    return _archive({**files, "SHA256SUMS": "".join(sums).encode()}), tuple(of_two(merged, merge))


def letter_of(number: int) -> str:
    """Return the letter of a number from 0, as columns of a spreadsheet are called.

    >>> letter_of(0), letter_of(25), letter_of(26), letter_of(701), letter_of(702)
    ('A', 'Z', 'AA', 'ZZ', 'AAA')
    """
    before, last = divmod(number, 26)
    return (letter_of(before - 1) if before else "") + chr(ord("A") + last)


def _anonymous(opinion: Opinion, letters: Mapping[str, str]) -> Opinion:
    """Return an opinion with letters for names and without notes, which may contain names."""
    labels = (label._replace(assessor=letters[label.assessor], note="") for label in opinion.labels)
    names = tuple(letters[name] for name in opinion.assessors)
    return replace(opinion, assessors=names, labels=tuple(labels), notes=())


def _judgments(
    campaign: Campaign, opinions: Sequence[Opinion], about: dict[str, Any]
) -> Iterator[tuple[str, bytes]]:
    """Yield the files of judgments, in the formats that the procedure allows."""
    for name in FORMATS:
        try:
            format_ = checked_format(campaign, name)
        except MissingData:
            continue
        yield _FILES[name], Export(campaign, format_, opinions, about, ()).data


def _pool(campaign: Campaign, topics: set[str]) -> bytes:
    """Return the pool file of some topics, without the folders of the runs."""
    contents = campaign.contents
    items = [item for topic in campaign.topics if topic.id in topics for item in contents.items(topic.id)]
    if contents.unit == "passage":
        passages = [passage for item in items for passage in _passages(item)]
        order: Counter[str] = Counter()
        items = []
        for passage in passages:
            order[passage.topic] += 1
            items.append(passage._replace(order=order[passage.topic]))
    inputs = [run._replace(path=Path(run.path).name) for run in contents.inputs]
    return b"".join(encode_pool(Pool.of(items, unit=contents.unit, inputs=inputs)))


def _passages(item: PoolItem) -> Iterator[PoolItem]:
    """Yield the passages of a document as items, each with the results that have its offsets."""
    results = [(run, result) for run, some in zip(item.runs, item.passages, strict=True) for result in some]
    for span in dict.fromkeys(result[1:] for _, result in results) or [()]:
        groups: dict[str, tuple[Passage, ...]] = {}
        for run, result in results:
            if result[1:] == span:
                groups[run] = (*groups.get(run, ()), result)
        yield item._replace(runs=tuple(groups), passages=tuple(groups.values()))


def _readme(campaign: Campaign, opinions: Opinions, about: Mapping[str, Any], files: Collection[str]) -> str:
    """Return a text for readers: counts, merging, agreement, files."""
    procedure, counts, merge = campaign.procedure, about["counts"], about["merge"]
    title, several = _MARKS.sub(r"\\\g<0>", one_line(campaign.settings.title)), counts["several"]
    lines = [f"# Judgments: {title}", "", f"Procedure `{procedure.name}`: {procedure.description}.", ""]
    lines += ["| documents, each for a topic | |", "| --- | --- |"]
    lines += [f"| {words} | {counts[name]} |" for name, words in _COUNTS.items()]
    lines += ["", f"Documents of several assessors: `{merge}` of their judgments." if several else _SINGLE]
    lines += ["", "## Agreement", ""]
    rows, _ = compare_all(AgreementSettings(procedure, campaign.lengths, samples=1), assessor_pairs(opinions))
    rows = [row for row in rows if row["assessors"] == rows[-1]["assessors"]]
    lines += ["| " + " | ".join(_LEVELS) + " |", "| --- " * len(_LEVELS) + "|"] if rows else [_UNKNOWN]
    lines += ["| " + " | ".join(_cell(row[name]) for name in _LEVELS) + " |" for row in rows]
    lines += ["", "## Files", "", *(f"- `{name}`: {text}" for name, text in _ABOUT.items() if name in files)]
    return "\n".join([*lines, "", "`excerpt evaluate` takes this archive as judgments.", ""])


def _cell(value: object) -> str:
    return "-" if value is None else f"{value:.4f}" if isinstance(value, float) else str(value)


def _archive(files: Mapping[str, bytes]) -> bytes:
    """Return a ZIP archive that depends on names and contents alone."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name)  # of 1980
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            entry.create_system = 3  # Unix, on every system
            archive.writestr(entry, files[name])
    return stream.getvalue()
