"""Releases of campaigns: one archive with judgments in every format, topics, pool, guidelines, origin."""

from __future__ import annotations

import hashlib
import io
import re
import zipfile
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from excerpt.assess.adjudication import DecidedDocument, adjudicated, decisions_of, settled_counts
from excerpt.assess.export import FORMATS, Export, checked_format, of_two, provenance
from excerpt.assess.folder import MergeRequired
from excerpt.assess.kappa import AgreementSettings, assessor_pairs, compare_all
from excerpt.assess.opinions import ADJUDICATED, JudgedPair, Merge, Opinion, Opinions
from excerpt.errors import ExcerptError, MissingData, json_text, one_line, plural
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
_ADJUDICATED = (
    "Documents of several assessors are `adjudicated`: as all agree, or as an adjudicator decided what they "
    "differ on."
)
_BEFORE = "Before: the assessors with each other."
_AFTER = "After: each assessor with the adjudicated judgments."
_UNKNOWN = "No document was finished by two assessors, so their agreement cannot be measured."
#: Characters that mean something in Markdown.
_MARKS = re.compile(r"[\\`*_{}\[\]<>#|!]")


def released(
    campaign: Campaign,
    *,
    only: TopicIds = None,
    anonymous: bool = False,
    merge: Merge | None = None,
    licence: str = "",
    citation: str = "",
    notices: Notices | None = None,
) -> tuple[bytes, tuple[str, ...]]:
    """Return a release as the bytes of a ZIP archive, and notes to print; the same campaign gives the same.

    It has the finished documents of all topics or of `only` some, those with several assessors as they were
    decided if all of them are, else by union, or by `merge`. With `anonymous`, assessors are letters in the
    order of their first actions, and their notes are left out. `licence` and `citation` say how the judgments
    may be used and cited. Warnings go to `notices`.
    """
    with campaign.snapshot() as snapshot:
        opinions, shown, decisions = Opinions.of(snapshot), snapshot.shown(), decisions_of(snapshot)
        with snapshot.recorder.reading() as store:
            names = dict.fromkeys(name for _, _, name in store.judged_keys())
    campaign = snapshot  # its contents have every judged document
    topics = set(TopicChoice.of(only).kept([topic.id for topic in campaign.topics], known=True))
    letters = {name: letter_of(number) for number, name in enumerate(names)} if anonymous else {}
    pairs = [pair for pair in opinions.pairs if pair.topic in topics]
    own = (one for some in opinions.by_pair.values() for one in some if one.pair.topic in topics)
    opinions = Opinions.collect(pairs, (_anonymous(one, letters) if anonymous else one for one in own))
    merge, merged, notes = _merged(opinions, decisions, merge)
    if anonymous:
        merged = [_with_letter(opinion, letters) for opinion in merged]
    if not merged:
        raise ExcerptError("no document is finished, so nothing can be released", path=str(campaign.folder))
    campaign.check_used(opinion.pair.document for opinion in merged)
    shown = {pair for pair in shown if pair[0] in topics}
    options: dict[str, Any] = {"merge": merge, "topics": sorted(topics) if only else None}
    options["anonymous"] = anonymous
    if merge == ADJUDICATED:
        options["settled"] = settled_counts(opinions, merged)
    about = provenance(campaign, opinions, merged, shown, options)
    about["agreement"] = _agreement(campaign, opinions, merged)
    about |= {name: text for name, text in (("licence", licence), ("citation", citation)) if text}
    if anonymous:  # names of files may contain names of people
        about["pools"] = [{**pool, "file": ""} for pool in about["pools"]]
    files = dict(_judgments(campaign, merged, about))
    chosen = Topics({topic.id: topic for topic in campaign.topics if topic.id in topics})
    files["topics.jsonl"] = write(chosen, "jsonl", Notices()).encode()
    files["pool.tsv"] = _pool(campaign, topics)
    if campaign.contents.guidelines:
        files["guidelines.md"] = campaign.contents.guidelines.encode()
    files["about.json"] = (json_text(about, indent=2) + "\n").encode()
    files["README.md"] = _readme(campaign, about, {*files, "SHA256SUMS"}).encode()
    sums = (f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(files.items()))
    for warning in of_two(merged, merge):
        (Notices() if notices is None else notices).add(warning)
    return _archive({**files, "SHA256SUMS": "".join(sums).encode()}), notes


def _merged(
    opinions: Opinions, decisions: Mapping[JudgedPair, DecidedDocument], merge: Merge | None
) -> tuple[Merge, list[Opinion], tuple[str, ...]]:
    """Return the rule that was taken, the judgments, and a note on why it was."""
    if merge == ADJUDICATED:
        try:
            return merge, adjudicated(opinions, decisions), ()
        except MergeRequired as error:
            hint = "decide them (excerpt assess adjudicate lists them), or choose ⟨merge=union⟩"
            raise MergeRequired(error.message, hint=hint) from None
    if merge is not None:
        return merge, opinions.merged(merge), ()
    undecided = len(opinions.finished) - len(adjudicated(opinions, decisions, "leave"))
    if undecided:
        verb = "is" if undecided == 1 else "are"
        note = f"the union was taken: {plural(undecided, 'document')} of several assessors {verb} not decided"
        return "union", opinions.merged("union"), (note,)
    if opinions.several or decisions:
        note = "the adjudicated judgments were taken: every document of several assessors is decided"
        return "adjudicated", adjudicated(opinions, decisions), (note,)
    return "union", opinions.merged("union"), ()


def _agreement(campaign: Campaign, opinions: Opinions, merged: Sequence[Opinion]) -> dict[str, Any]:
    """Return the agreement of the assessors before, and of each with the decided judgments after."""
    settings = AgreementSettings(campaign.procedure, campaign.lengths, samples=1)
    rows, _ = compare_all(settings, assessor_pairs(opinions))
    found = {"before": [row for row in rows if row["assessors"] == rows[-1]["assessors"]], "after": []}
    if any(opinion.adjudicator for opinion in merged):
        after = [(own, decided) for decided in merged for own in opinions.several.get(decided.pair, ())]
        found["after"] = list(settings.rows("each assessor with the decided judgments", after))
    return {when: [{name: row[name] for name in _LEVELS} for row in some] for when, some in found.items()}


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


def _with_letter(opinion: Opinion, letters: Mapping[str, str]) -> Opinion:
    """Return an opinion with a letter for the adjudicator, whose labels and notes it has."""
    if not opinion.adjudicator:
        return opinion
    letter = letters[opinion.adjudicator]
    labels = (label._replace(assessor=letter, note="") for label in opinion.labels)
    return replace(opinion, labels=tuple(labels), notes=(), adjudicator=letter)


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
        order: defaultdict[str, count[int]] = defaultdict(lambda: count(1))
        passages = (passage for item in items for passage in _passages(item))
        items = [passage._replace(order=next(order[passage.topic])) for passage in passages]
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


def _readme(campaign: Campaign, about: Mapping[str, Any], files: Collection[str]) -> str:
    """Return a text for readers: counts, merging, agreement, files."""
    procedure, counts, merge = campaign.procedure, about["counts"], about["merge"]
    title, several = _MARKS.sub(r"\\\g<0>", one_line(campaign.settings.title)), counts["several"]
    lines = [f"# Judgments: {title}", "", f"Procedure `{procedure.name}`: {procedure.description}.", ""]
    lines += ["| documents, each for a topic | |", "| --- | --- |"]
    lines += [f"| {words} | {counts[name]} |" for name, words in _COUNTS.items()]
    merged = f"Documents of several assessors: `{merge}` of their judgments."
    how = _ADJUDICATED if merge == ADJUDICATED else merged
    lines += ["", how if several else _SINGLE]
    before, after = about["agreement"]["before"], about["agreement"]["after"]
    lines += ["", "## Agreement", ""]
    lines += [_BEFORE, "", *_table(before), "", _AFTER, "", *_table(after)] if after else _table(before)
    for name in ("licence", "citation"):
        if text := about.get(name):
            lines += ["", f"## {name.capitalize()}", "", _MARKS.sub(r"\\\g<0>", one_line(text))]
    lines += ["", "## Files", "", *(f"- `{name}`: {text}" for name, text in _ABOUT.items() if name in files)]
    return "\n".join([*lines, "", "`excerpt evaluate` takes this archive as judgments.", ""])


def _table(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    if not rows:
        return [_UNKNOWN]
    head = ["| " + " | ".join(_LEVELS) + " |", "| --- " * len(_LEVELS) + "|"]
    return head + ["| " + " | ".join(_cell(row[name]) for name in _LEVELS) + " |" for row in rows]


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
