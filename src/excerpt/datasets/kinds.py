"""Gold files of benchmarks: their formats, and the readers of the short ones."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from excerpt.datasets import bioasq, ikat, kilt, natural_questions, nuggets, qasper, squad
from excerpt.errors import short
from excerpt.formats.judgments.gold_files import gold_format
from excerpt.formats.registry import register_judgments
from excerpt.formats.source import Source
from excerpt.gold import quote_rows
from excerpt.gold.file import NOWHERE, Gold, GoldFile, GoldFormat, GoldItem, Titles, has_record, lists, show
from excerpt.model.judgments import Question
from excerpt.model.spans import MAX_OFFSET

_REFERENCES = {"question", "references", "corpus_id"}


def read_clapnq(file: GoldFile) -> Gold:
    """Read CLAPNQ: questions with the sentences of a passage that answer them.

    A document is a passage. Its id is its title, with a number if several passages have the title. The ranges
    in ids of passages are not used, since they seldom fit the text. Text selected by any annotator is
    relevant.
    """
    gold = Gold(file)
    records = list(file.objects())
    passages = [
        [(one, one.name("title"), one.text("text")) for one in item.each("passages")] for item in records
    ]
    titles = Titles((title, text) for some in passages for _, title, text in some)
    for record, some in zip(records, passages, strict=True):
        record.note_unknown({"id", "input", "passages", "output", "doc-id-list", "doc_id_list"})
        documents = {titles.name(title, text): text for _, title, text in some if title}
        for passage, title, text in some:
            gold.add_document(passage, titles.name(title, text) if title else "", text)
        group = some[0][1] if some else ""
        topic = gold.add_question(record, record.name("id"), record.text("input"), group)
        for document in documents:
            gold.add_judged(topic, document)
        for output in record.each("output", needed=False):
            for quote in filter(str.strip, output.texts("selected_sentences")):
                _add_sentence(gold, output, topic, documents, quote)
    return gold


def _add_sentence(gold: Gold, output: GoldItem, topic: str, documents: dict[str, str], quote: str) -> None:
    if not documents:
        output.fault("selected_sentences need passages, which are missing")
        return
    document = next((name for name, text in documents.items() if quote in text), next(iter(documents)))
    start = documents[document].find(quote)
    end = start + len(quote) if start >= 0 else NOWHERE
    gold.add_evidence(output, topic, document, start, end, quote)


def read_contract_nli(file: GoldFile) -> Gold:
    """Read ContractNLI: hypotheses, each judged in every contract, with spans that entail or contradict it.

    A hypothesis is a topic, judged in all documents; a document that does not mention it has no evidence.
    """
    gold = Gold(file)
    whole = file.object()
    whole.note_unknown({"documents", "labels"})
    labels = whole.inner("labels")
    for label in labels.value:
        hypothesis = labels.inner(label)
        gold.add_question(hypothesis, label, hypothesis.text("hypothesis", "short_description"))
    for number, document in enumerate(whole.each("documents"), 1):
        name, text = document.name("id", "file_name", missing=str(number)), document.text("text")
        gold.add_document(document, name, text)
        spans = document.values("spans")
        for one in document.each("annotation_sets"):
            annotations = one.inner("annotations")
            for label in annotations.value:
                annotation = annotations.inner(label)
                _add_annotation(gold, annotation, label, name, spans)
    return gold


def _add_annotation(gold: Gold, annotation: GoldItem, label: str, document: str, spans: list[Any]) -> None:
    if label not in gold.questions:
        annotation.fault(f"found label {short(label)}, expected one of the labels of the file")
        return
    gold.judged.append((label, document))
    for number in annotation.values("spans"):
        span = spans[number] if type(number) is int and 0 <= number < len(spans) else None
        if not isinstance(span, list) or [type(offset) for offset in span] != [int, int]:
            annotation.fault(f"found span {show(number)} of {len(spans)}, expected the number of a pair")
        else:
            gold.add_evidence(annotation, label, document, *span)


_GENOMICS = "topic article start length aspects or relevance, with tabs"
_HEAD_ROWS = 20


def read_genomics(file: GoldFile) -> Gold:
    """Read TREC Genomics 2006 and 2007: passages of articles, in bytes of their HTML.

    Lines are `topic article start length aspects`, or end in a grade: `NOT` and `NOT_RELEVANT` passages are
    judged but not relevant, and so are passages of length 0; all others are relevant. Questions have no text.
    """
    gold = Gold(file, unit="byte")
    for line, row in _rows(file.text):
        item = GoldItem(file, {}, (), line)
        if len(row) < 5:
            item.fault(f"found {len(row)} columns, expected at least 5 ({_GENOMICS})")
            continue
        topic, document, start, length = row[:4]
        if not _is_offset(start) or not _is_offset(length):
            item.fault(
                f"found start {short(start)!r} and length {short(length)!r}, expected numbers of bytes"
            )
            continue
        gold.questions.setdefault(topic, Question(topic))
        gold.judged.append((topic, document))
        if int(length) and row[-1].upper() not in {"NOT", "NOT_RELEVANT"}:
            gold.add_evidence(item, topic, document, int(start), int(start) + int(length))
    return gold


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield number and cells of lines that are neither blank nor comments."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and not line.startswith("#"):
            row = line.split("\t") if "\t" in line else line.split()
            yield number, [cell.strip() for cell in row]


def _is_offset(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 11 and int(text) <= MAX_OFFSET


def _has_passages(file: GoldFile) -> bool:
    """Return whether most of the first lines are four numbers followed by words."""
    rows = [row for _, row in islice(_rows(file.head), _HEAD_ROWS)]
    passages = [row for row in rows if len(row) >= 5 and all(map(str.isdecimal, row[:4]))]
    return 2 * sum(not row[4].replace(".", "", 1).isdecimal() for row in passages) > len(rows)


KINDS: tuple[GoldFormat, ...] = (
    squad.KIND,
    GoldFormat(
        "legalbench-rag",
        '{"tests": [{"query": …, "snippets": [{"file_path": …, "span": [start, end], "answer": …}]}]}',
        "questions with spans of files (LegalBench-RAG)",
        """\
{"tests": [{"query": "When is the rent due?", "snippets": [
  {"file_path": "A", "span": [120, 126], "answer": "in May"}]}]}
""",
        quote_rows.read_benchmark,
        lambda value: lists(value, "tests", "query", "snippets"),
        keys=("tests", "query"),
    ),
    GoldFormat(
        "chunking-evaluation",
        "question,references,corpus_id with references as JSON: [{content, start_index, end_index}, …]",
        "questions with references in a table (chunking_evaluation)",
        """\
question,references,corpus_id
When is the rent due?,"[{""content"": ""in May"", ""start_index"": 120, ""end_index"": 126}]",A
""",
        quote_rows.read_benchmark,
        looks=lambda file: quote_rows.first_keys(file) >= _REFERENCES,
    ),
    qasper.KIND,
    GoldFormat(
        "clapnq",
        '{"id": …, "input": …, "passages": [{"title": …, "text": …, "sentences": […]}], '
        '"output": [{"selected_sentences": […]}]}',
        "questions with selected sentences of passages (CLAPNQ)",
        '{"id": "1", "input": "when is the rent due", "passages": [{"title": "Leases", "text": '
        '"The rent is due in May . Pets are allowed . ", "sentences": ["The rent is due in May .", '
        '"Pets are allowed ."]}], "output": [{"answer": "In May.", "selected_sentences": '
        '["The rent is due in May ."], "meta": {"skip": false}}]}\n',
        read_clapnq,
        lambda value: has_record(value, "input", "passages"),
        keys=("input", "passages"),
        has_texts=True,
    ),
    GoldFormat(
        "contract-nli",
        '{"documents": [{"id": …, "text": …, "spans": [[start, end], …], "annotation_sets": '
        '[{"annotations": {label: {"choice": …, "spans": [number, …]}}}]}], '
        '"labels": {label: {"hypothesis": …}}}',
        "hypotheses with spans of contracts (ContractNLI)",
        """\
{"documents": [{"id": "A", "text": "The rent is due in May. Pets are allowed.", "spans": [[0, 23], [24, 41]],
  "annotation_sets": [{"annotations": {"1": {"choice": "Entailment", "spans": [0]}}}]}],
 "labels": {"1": {"short_description": "Rent", "hypothesis": "The rent is due in spring."}}}
""",
        read_contract_nli,
        lambda value: lists(value, "documents", "annotation_sets") and isinstance(value.get("labels"), dict),
        keys=("documents", "annotation_sets"),
        has_texts=True,
    ),
    GoldFormat(
        "hicbench",
        '{"_id": …, "input": …, "answers": […], "facts": […], "evidences": [quote, …]}',
        "questions with quotes of documents (HiCBench)",
        '{"_id": "A", "input": "When is the rent due?", "answers": ["In May."], "facts": [], "evidences": '
        '["The rent is due in May."], "context": "The rent is due in May. Pets are allowed."}\n',
        quote_rows.read_benchmark,
        lambda value: has_record(value, "input", "evidences"),
        keys=("input", "evidences"),
        has_texts=True,
    ),
    natural_questions.KIND,
    bioasq.KIND,
    GoldFormat(
        "trec-genomics",
        _GENOMICS,
        "passages in bytes of HTML (TREC Genomics 2006, 2007)",
        "1\t12345678\t120\t100\tRELEVANT\n1\t12345679\t0\t80\tNOT_RELEVANT\n",
        read_genomics,
        looks=_has_passages,
    ),
)


def is_of_track(source: Source) -> bool:
    """Return whether rows are nuggets, or runs or gold of a track, whose rows are neither of ours."""
    tracks = (kilt.recognise, nuggets.recognise, ikat.recognise, ikat.recognise_2025)
    return any(recognise(source) for recognise in tracks)


for _kind in KINDS:
    register_judgments(gold_format(_kind))
for _format in (kilt.GOLD, nuggets.GOLD):
    register_judgments(_format)
