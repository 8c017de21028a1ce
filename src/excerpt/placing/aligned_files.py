"""Files whose spans are carried from one version of the documents to another: gold, runs, chunks, pools."""

from __future__ import annotations

import csv
import io
import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from excerpt._lazy import offered
from excerpt.errors import ExcerptError, FormatError, json_text, short
from excerpt.files import Input, write_bytes
from excerpt.formats.registry import kind_of, run_format_of
from excerpt.formats.source import AnyCorpus, Source, open_corpus
from excerpt.formats.writer import write_beside
from excerpt.model.texts import fold_text
from excerpt.notices import Gathering, Notices
from excerpt.placing.alignment import CARRIAGES, Alignment, Carriage, Carried
from excerpt.quotes.quote_search import QuotedText
from excerpt.records.record import Odd, as_whole, name_of
from excerpt.records.spellings import NESTED, ROLES

if TYPE_CHECKING:
    from excerpt.gold.file import Context

_RESULT, _QUESTION = ROLES["result"], ROLES["question"]
_TEXTS = (*ROLES["judgment"]["quote"], *_RESULT["text"])
_QUOTES = tuple(name for name in _QUESTION["quote"] if name not in {"text", "content"})
_TOPICS = (*_RESULT["topic"], "id", *_RESULT["question"])
_GAP = " [...] "


class CarriedSpan(NamedTuple):
    """A span of a file, and where it stands now; `now` is the text there if it changed."""

    topic: str
    document: str
    start: int
    end: int
    carried: Carried
    now: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The object of JSON."""
        there = self.carried
        moved = {"to_document": there.document} if there.document != self.document else {}
        return {
            "topic": self.topic,
            "document": self.document,
            "from": [self.start, self.end],
            "to": None if there.how == "gone" else [there.start, there.end],
            **(moved if there.how != "gone" else {}),
            "how": there.how,
            "share": there.share,
            **({"now": self.now} if there.how == "changed" and self.now else {}),
        }

    def __str__(self) -> str:
        there = self.carried
        where = "" if there.how == "gone" else f" -> {there.start}-{there.end}"
        where += f" of {short(there.document)}" if where and there.document != self.document else ""
        share = f", {100 * there.share:.0f} % of it" if there.how == "changed" else ""
        now = f": {short(' '.join(self.now.split()))!r}" if there.how == "changed" and self.now else ""
        of = f"{short(self.topic)}: " if self.topic else ""
        return f"{of}{short(self.document)} {self.start}-{self.end}{where} ({there.how}{share}){now}"


@dataclass(eq=False)
class AlignedFile:
    """The spans of a file after they were carried, and its new content."""

    spans: list[CarriedSpan] = field(default_factory=list)
    content: bytes = b""
    #: Fingerprints of the documents now, of a file that has no place for them.
    beside: Mapping[str, str] | None = None

    @property
    def counts(self) -> dict[Carriage, int]:
        """Number of spans by how they were carried."""
        found = Counter(one.carried.how for one in self.spans)
        return {how: found[how] for how in CARRIAGES}

    @property
    def is_whole(self) -> bool:
        """Whether no span is changed or gone."""
        return not (self.counts["changed"] or self.counts["gone"])

    def to_dict(self) -> dict[str, Any]:
        """The object that `excerpt align --format json` prints."""
        counts: dict[str, Any] = dict(self.counts.items())
        return {**counts, "spans": [one.to_dict() for one in self.spans if one.carried.how != "kept"]}

    def __str__(self) -> str:
        shown = [str(one) for one in self.spans if one.carried.how in {"changed", "gone"}]
        return "\n".join([", ".join(f"{count} {how}" for how, count in self.counts.items()), *shown])

    def __repr__(self) -> str:
        return f"<AlignedFile: {str(self).splitlines()[0]}>"


def align(
    file: Input,
    old: AnyCorpus,
    new: AnyCorpus,
    output: str | os.PathLike[str] | None = None,
    *,
    fingerprint: bool = True,
    context: Context = "paragraph",
    notices: Notices | None = None,
) -> AlignedFile:
    """Carry the spans of gold, a run, chunks or a pool from one version of the documents to another.

    Files are JSON Lines, a JSON list, CSV, TSV, FOL or a pool file; the output has their form. Every span
    is `kept` (the same text in the same surroundings),
    `moved` (the same text of 40 characters or more elsewhere), `changed` (the hull of what is still there) or
    `gone`. With `output` the rows are written with their new places, without those that are gone; a text or
    quote that changed is that of now, and `was` is the old one.

    >>> row = b'{"topic": "1", "document": "A", "start": 5, "end": 9}'
    >>> print(align(row, {"A": "One. Two."}, {"A": "Zero. One. Two."}))
    1 kept, 0 moved, 0 changed, 0 gone
    """
    with Gathering(notices) as gathered:
        before, after = open_corpus(old, context), open_corpus(new, context)
        if before is None or after is None:
            raise ExcerptError("two versions of the documents are needed", hint="give both")
        source = Source.open(file, notices=gathered, expected="gold, a run, chunks or a pool")
        carrier = SpanCarrier(source, before.align(after))
        carry_pool = offered("aligned_pool")
        if carry_pool is not None and (content := carry_pool(source, carrier, fingerprint=fingerprint)):
            return _written(AlignedFile(carrier.spans, *content), output)
        if source.form in {"json", "rows", "table"}:
            content = _rows(source, carrier, fingerprint=fingerprint)
            return _written(AlignedFile(carrier.spans, content), output)
        return _columns(source, carrier, output, fingerprint=fingerprint, notices=gathered)


def _written(aligned: AlignedFile, output: str | os.PathLike[str] | None) -> AlignedFile:
    """Write the new content, and what is beside it."""
    if output is not None:
        write_bytes(output, aligned.content)
        if aligned.beside is not None:
            write_beside(output, aligned.beside, list(aligned.beside))
    return aligned


def _rows(source: Source, carrier: SpanCarrier, *, fingerprint: bool) -> bytes:
    if source.given is not None:
        rows: list[tuple[int, Mapping[str, Any]]] = list(enumerate(source.given, 1))
    else:
        rows = list(source.objects("chunk"))
    source.faults.settle()
    carrier.check_versions(rows)
    carried = [(row, carrier.row(line, dict(row), fingerprint=fingerprint)) for line, row in rows]
    if not carrier.spans:
        message = "no row has offsets or a quote, so there is nothing to carry"
        raise ExcerptError(message, path=source.name, hint="⟨command=place⟩ locates texts")
    if source.form == "table":
        return _as_table(source, carried)
    found = [new for _, new in carried if new]
    if source.is_list:
        return json.dumps(found, ensure_ascii=False, indent=1).encode() + b"\n"
    return b"".join(json_text(row, nan=False).encode() + b"\n" for row in found)


def _as_table(source: Source, carried: Sequence[tuple[Mapping[str, Any], Mapping[str, Any] | None]]) -> bytes:
    """Write rows as the table from which they come; cells with an equal value stay as they are."""
    from excerpt.records.rows import cells, delimiter_of

    head = source.text.decode().lstrip("\ufeff\n").partition("\n")[0]
    written = [row for _, row in cells(source.text.decode(), source.faults)]
    rows = [
        {key: cell[key] if key in old and old[key] == value else _cell(value) for key, value in new.items()}
        for cell, (old, new) in zip(written, carried, strict=True)
        if new
    ]
    names = list(
        dict.fromkeys([*(key for row in written[:1] for key in row), *(k for row in rows for k in row)])
    )
    stream = io.StringIO(newline="")
    table = csv.DictWriter(stream, names, delimiter=delimiter_of(head) or ",", lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    return stream.getvalue().encode()


def _cell(value: Any) -> str:
    return (
        json_text(value, nan=False) if isinstance(value, list | dict) else "" if value is None else str(value)
    )


class SpanCarrier:
    """Rows of a file carried one after the other; their spans are gathered."""

    def __init__(self, source: Source, alignment: Alignment) -> None:
        self._source, self.alignment = source, alignment
        self.spans: list[CarriedSpan] = []
        self._quoted: dict[str, QuotedText] = {}

    def check_versions(self, rows: Sequence[tuple[int, Mapping[str, Any]]]) -> None:
        """Raise if offsets of rows were not made on the old version."""
        from excerpt.records.fingerprints import compare_texts, in_objects

        def named() -> Iterator[tuple[str, Mapping[str, Any], Any]]:
            for line, row in rows:
                for part in _parts_of(row):
                    document = _name(part, row)
                    has_place = any(key in part for key in (*_RESULT["start"], "spans", "offset"))
                    if document and has_place:
                        yield (
                            document,
                            part,
                            lambda message, hint, at=line: self._source.faults.add(at, message, hint),
                        )

        found = in_objects(named())
        self._source.faults.settle()
        documents = list(dict.fromkeys(name for _, row in rows if (name := _name(row, row))))
        compare_texts(self._source.name, found, self.alignment.old.known_hash, documents)

    def row(self, line: int, row: dict[str, Any], *, fingerprint: bool) -> dict[str, Any] | None:
        """Return a row with its new places; None if nothing of it is left."""
        topic = next((str(row[key]) for key in _TOPICS if isinstance(row.get(key), str | int)), "")
        needs = _needs_key(row)
        if needs is None or isinstance(row.get("any_of"), list):
            return self._need(line, topic, row, row, fingerprint=fingerprint)
        found = [
            self._need(
                line, topic, one if isinstance(one, dict) else {"quote": one}, row, fingerprint=fingerprint
            )
            for one in row[needs]
        ]
        kept = [one for one in found if one]
        return {**row, needs: kept} if kept else None

    def _need(
        self, line: int, topic: str, need: Mapping[str, Any], row: Mapping[str, Any], *, fingerprint: bool
    ) -> dict[str, Any] | None:
        """Carry a need: its alternatives, or what has a place of its own."""
        if not isinstance(need.get("any_of"), list):
            return self._part(line, topic, dict(need), row, fingerprint=fingerprint)
        found = [
            self._alternative(line, topic, {**row, **need}, given, fingerprint=fingerprint)
            for given in need["any_of"]
        ]
        kept = [one for one in found if one]
        return {**need, "any_of": kept} if kept else None

    def _alternative(
        self, line: int, topic: str, row: Mapping[str, Any], given: Any, *, fingerprint: bool
    ) -> Any:
        """Carry an alternative, which is gone if one of its parts is."""
        parts = given if isinstance(given, list) else [given]
        texts = [{"quote": one} if isinstance(one, str) else dict(one) for one in parts]
        found = [self._part(line, topic, part, row, fingerprint=fingerprint) for part in texts]
        if not all(found):
            return None
        return found if isinstance(given, list) else found[0]

    def _part(
        self, line: int, topic: str, part: dict[str, Any], row: Mapping[str, Any], *, fingerprint: bool
    ) -> dict[str, Any] | None:
        """Carry what has a place of its own: offsets, lists of them, or quotes."""
        document = _name(part, row)
        holder = _holder(part)
        keys = _place_keys(holder)
        if isinstance(part.get("spans"), list) and part["spans"]:
            return self._spans(line, topic, part, document, fingerprint=fingerprint)
        if keys is not None:
            start, end = self._offsets(line, holder, keys)
            if start < 0:
                return part  # a text that its document does not have
            quoted = isinstance(part.get("quote"), str)
            there = self.carry(line, topic, document, start, end, quoted=quoted)
            return self._placed(part, holder, keys, document, there, fingerprint=fingerprint)
        quotes = next((key for key in _QUOTES if part.get(key)), None)
        return (
            part
            if quotes is None
            else self._quoted_row(line, topic, part, document, quotes, fingerprint=fingerprint)
        )

    def carry(
        self, line: int | None, topic: str, document: str, start: int, end: int, *, quoted: bool = False
    ) -> Carried:
        """Carry one span; it is kept for the counts."""
        if document not in self.alignment.old:
            message = f"found document {short(document)!r}, expected one of the old version"
            raise FormatError(message, path=self._source.name, line=line)
        try:
            there = self.alignment.span(document, start, end)
        except ExcerptError as error:
            raise FormatError(error.message, path=self._source.name, line=line) from None
        changed = quoted and there.how == "changed"
        now = self.alignment.new[there.document][there.start : there.end] if changed else ""
        self.spans.append(CarriedSpan(topic, document, start, end, there, now))
        return there

    def _offsets(self, line: int, holder: Mapping[str, Any], keys: tuple[str, str, bool]) -> tuple[int, int]:
        first, second, is_length = keys
        try:
            if holder[first] == -1:
                return -1, -1
            start, other = (as_whole(holder[key]) for key in (first, second))
        except Odd as odd:
            message = (
                f"found {first} {holder[first]!r} and {second} {holder[second]!r}, expected {odd.expected}"
            )
            raise FormatError(message, path=self._source.name, line=line) from None
        return start, start + other if is_length else other

    def _placed(
        self,
        part: dict[str, Any],
        holder: dict[str, Any],
        keys: tuple[str, str, bool],
        document: str,
        there: Carried,
        *,
        fingerprint: bool,
    ) -> dict[str, Any] | None:
        """Return a row with one place, at its new one."""
        if there.how == "gone":
            return None
        new = dict(part)
        inner = new if holder is part else dict(holder)
        if holder is not part:
            new[next(name for name in NESTED if part.get(name) is holder)] = inner
        inner[keys[0]] = there.start
        inner[keys[1]] = there.end - there.start if keys[2] else there.end
        self._rename(new, document, there)
        text = self.alignment.new[there.document][there.start : there.end]
        key = next((key for key in _TEXTS if isinstance(part.get(key), str)), None)
        if key is not None and there.how == "changed":
            new |= {key: text, "was": part[key]}
            if part.get("how") in {"trimmed", "folded", "markup"}:
                new["how"] = "exact"
                for name in ("lead", "characters"):
                    new.pop(name, None)
        elif key is not None and part.get("how") in {"exact", "moved"} and text != part[key]:
            new["how"] = "folded" if fold_text(text) == fold_text(part[key]) else new["how"]
        return self._signed(new, there.document, fingerprint=fingerprint)

    def _spans(
        self, line: int, topic: str, part: dict[str, Any], document: str, *, fingerprint: bool
    ) -> dict[str, Any] | None:
        """Carry the list of pairs of a judged document, its length and its entry point."""
        carried = []
        for pair in part["spans"]:
            try:
                start, end = (as_whole(one) for one in pair)
            except (Odd, TypeError, ValueError):
                message = f"found span {short(repr(pair))}, expected a pair of offsets"
                raise FormatError(message, path=self._source.name, line=line) from None
            carried.append(self.carry(line, topic, document, start, end))
        left = [one for one in carried if one.how != "gone"]
        there = {one.document for one in left}
        if not left:
            return None
        if len(there) > 1:
            message = f"found spans of document {short(document)} in {len(there)} documents now, expected one"
            raise FormatError(message, path=self._source.name, line=line)
        new = {**part, "spans": [[one.start, one.end] for one in left]}
        self._rename(new, document, left[0])
        if "size" in part:
            new["size"] = self.alignment.new.length(left[0].document)
        if isinstance(part.get("bep"), int):
            entry = self.alignment.span(
                document, part["bep"], min(part["bep"] + 40, self.alignment.old.length(document))
            )
            new["bep"] = entry.start if entry.how != "gone" else min(one.start for one in left)
        return self._signed(new, left[0].document, fingerprint=fingerprint)

    def _quoted_row(
        self, line: int, topic: str, part: dict[str, Any], document: str, key: str, *, fingerprint: bool
    ) -> dict[str, Any] | None:
        """Carry one quote, or a list of quotes."""
        given = part[key] if isinstance(part[key], list) else [part[key]]
        texts, name, changed = [], document, False
        for quote in given:
            found = self._quote(line, topic, document, str(quote))
            if found is None:
                continue
            name, text = found
            changed = changed or text != quote
            texts.append(text)
        if not texts:
            return None
        new = {**part, key: texts if isinstance(part[key], list) else texts[0]}
        if changed:
            new["was"] = part[key]
        if document and name != document:
            new[next(one for one in _QUESTION["document"] if part.get(one) == document)] = name
        return self._signed(new, name, fingerprint=fingerprint) if document else new

    def _quote(self, line: int, topic: str, document: str, quote: str) -> tuple[str, str] | None:
        """Return the document of a quote now and its words there; None if it is gone."""
        old = self.alignment.old
        names = [document] if document else list(old)
        for name in names:
            if name in old and (parts := self._text(name).find_parts(quote)):
                break
        else:
            where = f"document {short(document)} of the old version" if document else "the old version"
            message = f"the quote {short(quote)!r} does not occur in {where}"
            raise FormatError(message, path=self._source.name, line=line)
        carried = [self.alignment.span(name, one.start, one.end) for one in parts]
        left = [one for one in carried if one.how != "gone"]
        if not left:
            worst = carried[0]
        else:
            how = max((one.how for one in carried), key=CARRIAGES.index)
            share = sum(one.share for one in carried) / len(carried)
            how = "changed" if how == "gone" else how
            worst = Carried(left[0].document, left[0].start, left[-1].end, how, share)
        now = _GAP.join(self.alignment.new[one.document][one.start : one.end] for one in left)
        self.spans.append(
            CarriedSpan(
                topic, name, parts[0].start, parts[-1].end, worst, now if worst.how == "changed" else ""
            )
        )
        if worst.how == "gone":
            return None
        return worst.document, now if worst.how == "changed" else quote

    def _text(self, name: str) -> QuotedText:
        if name not in self._quoted:
            old = self.alignment.old
            self._quoted = {name: QuotedText(old[name], old.resolve(name))}
        return self._quoted[name]

    def _rename(self, new: dict[str, Any], document: str, there: Carried) -> None:
        """Write the new id of a document that was renamed."""
        if there.document == document:
            return
        for holder in (new, *(new[name] for name in NESTED if isinstance(new.get(name), dict))):
            for key in (*_RESULT["document"], "title"):
                if holder.get(key) == document:
                    holder[key] = there.document
                    return

    def _signed(self, new: dict[str, Any], document: str, *, fingerprint: bool) -> dict[str, Any]:
        """Return a row with the fingerprint of its document's text now."""
        whole = "sha256" in new
        new = {key: value for key, value in new.items() if key not in {"fingerprint", "sha256"}}
        if not fingerprint:
            return new
        digest = self.alignment.new.hash(document)
        return {**new, **({"sha256": digest} if whole else {"fingerprint": digest[:16]})}


def _needs_key(row: Mapping[str, Any]) -> str | None:
    """The key of a list of needs, of which some are objects; None without one."""
    lists = (key for key in _QUOTES if isinstance(row.get(key), list))
    return next((key for key in lists if any(isinstance(one, Mapping) for one in row[key])), None)


def _parts_of(row: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The row, the objects of its needs, and those of their alternatives."""
    yield row
    needs = _needs_key(row)
    for need in row[needs] if needs else ():
        if isinstance(need, Mapping):
            yield from _parts_of(need)
    for given in row.get("any_of") or () if isinstance(row.get("any_of"), list) else ():
        yield from (
            one for one in (given if isinstance(given, list) else [given]) if isinstance(one, Mapping)
        )


def _holder(part: Mapping[str, Any]) -> Any:
    """The object that has the offsets: the row itself, or its metadata."""
    if _place_keys(part) is not None:
        return part
    inside = (part[name] for name in NESTED if isinstance(part.get(name), Mapping))
    return next((one for one in inside if _place_keys(one) is not None), part)


def _place_keys(holder: Mapping[str, Any]) -> tuple[str, str, bool] | None:
    """The keys of start and end, or of offset and length."""
    for first, second, is_length in (
        (_RESULT["start"], _RESULT["end"], False),
        (_RESULT["offset"], _RESULT["length"], True),
    ):
        one = next((key for key in first if holder.get(key) is not None), None)
        two = next((key for key in second if holder.get(key) is not None), None)
        if one is not None and two is not None:
            return one, two, is_length
    return None


def _name(part: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    """The document that a part or its row names."""
    holders = (part, *(part[name] for name in NESTED if isinstance(part.get(name), Mapping)), row)
    keys = (*_RESULT["document"], "title")
    return next(filter(None, (name_of(one.get(key)) for one in holders for key in keys)), "")


def _columns(
    source: Source,
    carrier: SpanCarrier,
    output: str | os.PathLike[str] | None,
    *,
    fingerprint: bool,
    notices: Notices,
) -> AlignedFile:
    """Carry a run or judgments in another format, and write them in it."""
    from dataclasses import replace

    from excerpt.formats.reader import judgments_from, run_from
    from excerpt.formats.registry import judgments_format_of
    from excerpt.formats.writer import write_judgments, write_run
    from excerpt.model.judgments import Judgments
    from excerpt.records.fingerprints import compare_texts

    new = carrier.alignment.new
    if kind_of(source) == "run":
        run = run_from(source)
        compare_texts(source.name, run.fingerprints, carrier.alignment.old.known_hash, run.documents)
        rows = [
            carrier.carry(int(run.line[row]), one.topic, one.document, one.start, one.end)
            for row, one in enumerate(run)
        ]
        left = np.array([row for row, one in enumerate(rows) if one.how != "gone"], np.int64)
        if output is not None:
            from excerpt.model.run import encode

            taken = run.take(left)
            names, codes = encode([rows[row].document for row in left.tolist()])
            places = [np.array([rows[row][side] for row in left.tolist()], np.int64) for side in (1, 2)]
            carried = replace(
                taken, documents=names, document_code=codes, start=places[0], end=places[1], fingerprints={}
            )
            write_run(
                carried,
                output,
                run_format_of(source).name,
                corpus=new,
                fingerprint=fingerprint,
                notices=notices,
            )
        return AlignedFile(carrier.spans)
    judgments = judgments_from(source)
    compare_texts(source.name, judgments.fingerprints, carrier.alignment.old.known_hash, judgments.documents)
    highlights = []
    for topic in judgments.topics:
        for span in judgments.highlights(topic):
            there = carrier.carry(0, topic, span.document, span.start, span.end)
            highlights += [(topic, there.document, there.start, there.end)] if there.how != "gone" else []
    if output is not None:
        judged = zip(judgments.pair_topic, judgments.pair_document, judgments.relevant_by_pair, strict=True)
        irrelevant = [(judgments.topics[t], judgments.documents[d]) for t, d, count in judged if not count]
        carried_ = Judgments.of(
            highlights,
            irrelevant=irrelevant,
            sizes={name: new.length(name) for name in {row[1] for row in highlights}},
        )
        name = judgments_format_of(source).name
        write_judgments(carried_, output, name, corpus=new, fingerprint=fingerprint)
    return AlignedFile(carrier.spans)
