"""Export of judgments from a campaign, with provenance."""

from __future__ import annotations

import io
import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args
from urllib.parse import quote

from excerpt import __version__
from excerpt.assess.adjudication import Undecided, adjudicated, decisions_of, settled_counts
from excerpt.assess.events import length_of
from excerpt.assess.opinions import ADJUDICATED, MERGES, Merge, Opinion, Opinions, covered, judgments_of
from excerpt.assess.together import finished_times
from excerpt.bridges.exchange import as_moment
from excerpt.bridges.judged_rows import JudgedRow, judgments_of_rows
from excerpt.bridges.tools import TOOLS, written
from excerpt.errors import ExcerptError, MissingData, UnknownName, json_text, plural, short
from excerpt.files import STDIN, describe, read_once, replacing_folder, require_path, write_bytes, writing
from excerpt.formats.judgments import qrels
from excerpt.formats.writer import write_judgments, write_object
from excerpt.inex.assessed_elements import graded_lines, highlighted_lines
from excerpt.model.dictionaries import written_elements, written_probability
from excerpt.model.judgments import Judgments
from excerpt.notices import Notices

if TYPE_CHECKING:
    from excerpt.assess.campaign import Campaign

_OF_POOLS = ("file", "sha256", "added", "pairs")


def provenance(
    campaign: Campaign,
    opinions: Opinions,
    exported: Sequence[Opinion],
    shown: Collection[tuple[str, str]],
    options: dict[str, Any],
) -> dict[str, Any]:
    """Return the provenance of exported judgments: campaign, hashes, options, assessors, counts, machines."""
    settings = campaign.settings
    names = ("title", "procedure", "created", "order", "double", "seed")
    return {
        "excerpt": __version__,
        "campaign": {name: getattr(settings, name) for name in names}
        | {"procedure": campaign.procedure.name},
        "sha256": {
            "corpus": settings.corpus_sha256,
            "topics": settings.topics_sha256,
            "pool": settings.pool_sha256,
            **({"guidelines": settings.guidelines_sha256} if settings.guidelines_sha256 else {}),
        },
        "pools": [{name: pool[name] for name in _OF_POOLS} for pool in campaign.contents.pools],
        "runs": [{"name": run.name, "sha256": run.sha256} for run in campaign.contents.inputs],
        **options,
        "assessors": _counted(name for opinion in exported for name in opinion.assessors),
        "counts": counts_of(opinions, exported),
        "unfinished_documents": [list(opinion.pair) for opinion in exported if not opinion.done],
        "machine": _machine(campaign, exported, shown),
    }


def counts_of(opinions: Opinions, exported: Sequence[Opinion]) -> dict[str, int]:
    """Count the pairs of the pool; unjudged, unfinished and not relevant are counted apart."""
    done = [opinion for opinion in exported if opinion.done]
    return {
        "pool": len(opinions.pairs),
        "exported": len(exported),
        "relevant": sum(opinion.relevant for opinion in done),
        "irrelevant": sum(not opinion.relevant for opinion in done),
        "unfinished": len(opinions.in_progress),
        "unjudged": opinions.unjudged,
        "several": len(opinions.several),
    }


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))


def _machine(
    campaign: Campaign, exported: Sequence[Opinion], shown: Collection[tuple[str, str]]
) -> dict[str, Any]:
    """Return counts of suggestions, and of suggested text that was confirmed."""
    suggestions = campaign.contents.suggestions
    confirmed = [opinion for opinion in exported if opinion.confirmed]
    texts = [opinion.confirmed for opinion in confirmed]
    return {
        "suggestions": len(suggestions),
        "models": _counted(item.model for item in suggestions),
        "prompts": sorted({item.prompt for item in suggestions}),
        "control": campaign.settings.control,
        "shown": len(shown),
        "confirmed": {"documents": len(confirmed), "characters": sum(map(length_of, texts))},
    }


ExportFormat: TypeAlias = Literal["fol", "inex", "jsonl", "trec"]
#: Formats beside those of annotation tools, which keep every assessor apart.
FORMATS: tuple[ExportFormat, ...] = get_args(ExportFormat)
_TOPIC_FILE = ".xml"


@dataclass(frozen=True)
class Export:
    """Exported judgments with their provenance (`about`)."""

    campaign: Campaign
    format: str
    opinions: Sequence[Opinion]
    about: dict[str, Any]
    #: Notes on documents and data that were left out.
    notes: tuple[str, ...]
    #: Whether lines have the hash of the text of their document.
    fingerprint: bool = True
    #: When each assessor finished each document, in seconds.
    times: Mapping[tuple[str, str, str], float] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    #: Probabilities of inclusion of the documents of a sampled pool, by pair; empty for other pools.
    probabilities: Mapping[tuple[str, str], Fraction] = field(default_factory=dict)

    @property
    def judgments(self) -> Judgments:
        if self.format in TOOLS:
            return judgments_of_rows([self._row(opinion) for opinion in self.opinions])
        return judgments_of(self.campaign, self.opinions)

    def _row(self, opinion: Opinion) -> JudgedRow:
        at = [self.times.get((*opinion.pair, name)) for name in opinion.assessors]
        known = [moment for moment in at if moment is not None]
        time = as_moment(max(known)) if known and len(known) == len(at) else ""
        size = self.campaign.lengths[opinion.pair.document]
        return JudgedRow(*opinion.pair, opinion.highlights, None, opinion.assessors, time, size)

    @cached_property
    def data(self) -> bytes:
        """The file with all topics; empty if no document was judged."""
        return self._written(self.opinions)

    def by_topic(self) -> Iterator[tuple[str, bytes]]:
        for topic in dict.fromkeys(opinion.pair.topic for opinion in self.opinions):
            yield topic, self._written([one for one in self.opinions if one.pair.topic == topic])

    def _written(self, opinions: Sequence[Opinion]) -> bytes:
        if not opinions:
            return b""
        if self.format == "jsonl":
            return b"".join(self._json_lines(opinions))
        if self.format == "inex":
            return "".join(self._xml_lines(opinions)).encode()
        if self.format in TOOLS:
            return written(self.format, self.judgments, self.campaign.corpus)
        stream = io.BytesIO()
        if self.format == "fol":
            qrels.write_fol(judgments_of(self.campaign, opinions), stream)
        else:
            of_documents = [  # relevant if any of its text is
                replace(opinion, highlights=((0, 1),) if opinion.relevant else (), grades={}, inferred={})
                for opinion in opinions
            ]
            qrels.write_trec(judgments_of(self.campaign, of_documents), stream)
        return stream.getvalue()

    def _xml_lines(self, opinions: Sequence[Opinion]) -> Iterator[str]:
        judgments = judgments_of(self.campaign, opinions)
        if not self.campaign.procedure.marks:
            inferred = {
                (*opinion.pair, path)
                for opinion in opinions
                for path in opinion.inferred.keys() - opinion.grades.keys()
            }
            return graded_lines(judgments, inferred)
        return highlighted_lines(judgments, lambda name: self.campaign.material(name).document.elements)

    def _json_lines(self, opinions: Sequence[Opinion]) -> Iterator[bytes]:
        judgments = judgments_of(self.campaign, opinions)
        pairs = zip(judgments.pair_topic, judgments.pair_document, strict=True)
        written = written_elements(judgments) or [[]] * len(judgments)
        elements = dict(zip(pairs, written, strict=True))
        for opinion in opinions:
            topic, document = opinion.pair
            pair = judgments.topic_codes[topic], judgments.document_codes[document]
            yield write_object(self._fields(opinion, elements[pair]))

    def _fields(self, opinion: Opinion, elements: list[dict[str, Any]]) -> dict[str, Any]:
        fields: dict[str, Any] = {**opinion.pair._asdict()}
        length = self.campaign.lengths[opinion.pair.document]
        if self.fingerprint:
            fields["sha256"] = self.campaign.contents.records[opinion.pair.document].sha256
        if not self.campaign.procedure.marks:
            fields |= {"size": length, "elements": elements}
            derived = opinion.inferred.keys() - opinion.grades.keys()
            fields |= {"inferred": sorted(derived)} if derived else {}
        else:
            fields |= {"spans": _lists(opinion.highlights), "size": length}
            fields |= {"bep": opinion.bep} if opinion.bep is not None else {}
            fields |= {"elements": elements} if elements else {}
            fields |= {"human": _lists(opinion.human), "confirmed": _lists(opinion.confirmed)}
            suggested = self.campaign.contents.suggested.get(opinion.pair, ())
            fields["machine"] = _lists(covered([[(one.start, one.end)] for one in suggested], 1))
        if opinion.pair in self.probabilities:
            fields["probability"] = written_probability(self.probabilities[opinion.pair])
        fields["labels"] = [label._asdict() for label in opinion.labels]
        fields["notes"] = [{"assessor": name, "note": note} for name, note in opinion.notes]
        fields |= {"assessors": list(opinion.assessors), "finished": opinion.done}
        return fields | ({"adjudicator": opinion.adjudicator} if opinion.adjudicator else {})


def _lists(spans: Sequence[tuple[int, int]]) -> list[list[int]]:
    return [list(span) for span in spans]


def exported(
    campaign: Campaign,
    *,
    to: str | None = None,
    merge: Merge = "one",
    undecided: Undecided | None = None,
    assessor: str | None = None,
    unfinished: bool = False,
    command: str = "",
    fingerprint: bool = True,
) -> Export:
    """Export the judgments of a campaign (default: FOL; for procedures that grade elements, INEX XML).

    Only finished documents are exported, unless `unfinished`; of all assessors, merged, or of one `assessor`.
    With `merge="adjudicated"`, documents are as decided; `undecided` says what becomes of the others.
    A document that has changed is an error; a missing corpus is one only if its text is needed.
    """
    format_ = checked_format(campaign, to)
    if merge not in {*MERGES, ADJUDICATED}:
        raise UnknownName("merge", merge, (*MERGES, ADJUDICATED))
    if undecided is not None and merge != ADJUDICATED:
        raise ExcerptError("⟨undecided⟩ needs ⟨merge=adjudicated⟩")
    if assessor is not None and merge == ADJUDICATED:
        raise ExcerptError("⟨assessor⟩ and ⟨merge=adjudicated⟩ cannot be combined")
    with campaign.snapshot() as snapshot:
        opinions, shown = Opinions.of(snapshot, assessor), snapshot.shown()
        decisions = decisions_of(snapshot) if merge == ADJUDICATED else {}
        times = finished_times(snapshot) if format_ in TOOLS else {}
    campaign = snapshot  # its contents have every judged document
    if format_ in TOOLS and merge == "one":
        groups = (opinions.finished, opinions.in_progress if unfinished else {})
        chosen = [one for group in groups for several in group.values() for one in several]
    elif merge == ADJUDICATED:
        chosen = adjudicated(opinions, decisions, undecided or "error", unfinished=unfinished)
    else:
        chosen = opinions.merged(merge, unfinished=unfinished)
    if format_ != "jsonl":  # other formats cannot tell unfinished from not relevant
        chosen = [opinion for opinion in chosen if opinion.done or opinion.relevant]
    campaign.check_used(opinion.pair.document for opinion in chosen)
    options: dict[str, Any] = {"format": format_, "merge": merge}
    options |= {"assessor": assessor, "unfinished": unfinished}
    if merge == ADJUDICATED:
        options |= {"undecided": undecided or "error", "settled": settled_counts(opinions, chosen)}
    about = provenance(campaign, opinions, chosen, shown, {**options, "command": command})
    notes = (*_left_out(opinions, chosen), *_not_in_format(format_, chosen))
    if fingerprint and format_ in {"fol", "trec"}:
        records, names = campaign.contents.records, sorted({one.pair.document for one in chosen})
        about["documents"] = {name: records[name].sha256[:16] for name in names}
    drawn, said = _probabilities(campaign, chosen, format_)
    notes, merged = (*notes, *said), tuple(of_two(chosen, merge))
    return Export(campaign, format_, chosen, about, notes, fingerprint, times, merged, drawn)


def _probabilities(
    campaign: Campaign, exported: Sequence[Opinion], format_: str
) -> tuple[Mapping[tuple[str, str], Fraction], tuple[str, ...]]:
    """Probabilities of the exported documents, if their pool is a sample, and a note if they are left out."""
    contents = campaign.contents
    if contents.unit == "passage" or not contents.is_sampled:
        return {}, ()
    drawn: dict[tuple[str, str], Fraction | None] = {
        one.pair: contents.item(one.pair).probability for one in exported
    }
    certain = {pair: probability for pair, probability in drawn.items() if probability is not None}
    why = "" if format_ == "jsonl" else f"{format_} cannot store them, jsonl can"
    if count := len(drawn) - len(certain):
        why = f"{plural(count, 'document')} of the pool {'lacks' if count == 1 else 'lack'} one"
    if why:
        return {}, (f"probabilities are not exported: {why}",)
    return certain, ()


def checked_format(campaign: Campaign, to: str | None) -> str:
    """Return a format that the procedure of a campaign allows, else raise an error; None: the default."""
    procedure = campaign.procedure
    name = to or ("inex" if procedure.scale else "fol")
    if name not in {*FORMATS, *TOOLS}:
        raise UnknownName("format of an export", name, (*FORMATS, *TOOLS))
    if name in {"fol", *TOOLS} and not procedure.marks:
        message = f"format {name} needs highlighted text, but procedure {procedure.name} grades elements"
        raise MissingData(message, hint="try ⟨format=inex⟩, ⟨format=jsonl⟩ or ⟨format=trec⟩")
    return name


def _left_out(opinions: Opinions, exported: Sequence[Opinion]) -> Iterator[str]:
    """Notes on documents that are left out, or included although they are in progress."""
    counts = counts_of(opinions, exported)
    included = sum(not opinion.done for opinion in exported)
    left_out = counts["unfinished"] - included
    notes = {"unjudged and left out": counts["unjudged"], "in progress and included": included}
    for words, count in {**notes, "in progress and left out": left_out}.items():
        if count:
            yield f"{count} of {plural(counts['pool'], 'document')} {'is' if count == 1 else 'are'} {words}"


def _not_in_format(format_: str, exported: Sequence[Opinion]) -> Iterator[str]:
    if format_ in {"fol", "trec", *TOOLS} and any(opinion.grades for opinion in exported):
        yield f"grades of elements are not exported: {format_} cannot store them, inex and jsonl can"
    if format_ != "jsonl" and any(opinion.labels for opinion in exported):
        yield f"labels are not exported: {format_} cannot store them, jsonl can"


def of_two(exported: Sequence[Opinion], rule: Merge) -> Iterator[str]:
    """Warn that the majority of two assessors is the intersection of what they highlighted."""
    if count := sum(len(opinion.assessors) == 2 for opinion in exported) if rule == "majority" else 0:
        found = f"{plural(count, 'document')} {'has' if count == 1 else 'have'} two assessors"
        taken = "the intersection was taken; union keeps what either highlighted"
        yield f"{found}, of whom a majority is both: {taken}"


def write_export(export: Export, target: str | os.PathLike[str]) -> tuple[str, ...]:
    """Write judgments and `OUT.about.json`, both or neither; return the notes to print.

    INEX XML is written as a folder with a file per topic if the target is a folder or has no extension.
    """
    name = require_path(target, "name of a file to write")
    if name == STDIN or read_once(name):
        write_bytes(name, export.data)
        note = "OUT.about.json, the origin of the judgments, is not written to standard output"
        return (*export.notes, note)
    text = json_text(export.about, indent=2) + "\n"
    with writing(f"{name.rstrip('/' + os.sep)}.about.json") as stream:
        stream.write(text.encode(errors="backslashreplace"))
        stream.flush()  # a full disk must show before the judgments are written
        os.fsync(stream.fileno())
        path = Path(name)
        new = not path.suffix and not path.exists()
        if export.format in TOOLS:
            lost, corpus = Notices(), export.campaign.corpus
            write_judgments(export.judgments, name, export.format, corpus=corpus, notices=lost)
            return (*export.notes, *lost)
        if export.format == "inex" and (new or path.is_dir() or name.endswith(("/", os.sep))):
            _write_folder(export, path)
        else:
            write_bytes(name, export.data)
    return export.notes


def _write_folder(export: Export, target: Path) -> None:
    """Write a folder with a file per topic; a folder with other files in it is an error."""
    try:
        files = sorted(target.iterdir()) if target.is_dir() else []
        others = [file for file in files if file.suffix != _TOPIC_FILE or not file.is_file()]
        if others:
            found = f"found {short(others[0].name)} in the folder"
            message = f"{found}, expected only exported topics or a new folder"
            raise ExcerptError(message, path=str(target))
        with replacing_folder(Path(os.path.realpath(target))) as folder:
            for topic, data in export.by_topic():
                write_bytes(folder / (quote(topic, safe="").replace(".", "%2E") + _TOPIC_FILE), data)
    except OSError as error:
        hint = "nothing was left behind"
        raise ExcerptError(f"cannot be written: {describe(error)}", path=str(target), hint=hint) from None
