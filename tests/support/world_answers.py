"""Exact answers of the worlds in tests/conformance: `python tests/support/world_answers.py` writes them.

The cases of a world are written by hand. The answers come from the definitions in tests/support, in fractions
and sets of characters, on files that readers of a few lines read; scores of excerpt are not used.
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

TESTS = Path(__file__).resolve().parents[1]
sys.path.append(str(TESTS))  # for the script; tests have this folder already

from support import inex_eval_oracle, trec_eval_oracle  # noqa: E402
from support.document_oracle import DocumentTopic  # noqa: E402
from support.element_oracle import ElementTopic  # noqa: E402
from support.exact_numbers import Exact, digits, mean  # noqa: E402
from support.oracle import Asked, Refused, Topic, judged_share  # noqa: E402
from support.sample_oracle import stat_ap, xinf_ap  # noqa: E402
from support.trec_eval_oracle import Text  # noqa: E402
from support.world_files import (  # noqa: E402
    Row,
    add_results,
    columns,
    highlighted_elements,
    read_fol,
    read_gold,
    read_graded,
    read_grades,
    read_run,
    read_trees,
    records,
)
from support.world_scores import OF_ELEMENTS, asked_by, chunk_score, text_score  # noqa: E402

from excerpt import Policy, Result  # noqa: E402
from excerpt.model.elements import GradedElement  # noqa: E402

WORLDS = TESTS / "conformance" / "worlds"
COLUMNS = ("case", "measure", "topic", "exact", "value")
REFUSED = ("*", "all", "refused", "refused")

#: Measure, topic (or `all`), and the score: a number, a text, or None if it is undefined.
Line = tuple[str, str, Exact | Text | None]
#: The score of a topic by a measure.
Score = Callable[[str, Asked], Exact | None]
#: The topics of judgments, with their scores.
Scored = tuple[Iterable[str], Score]


class Case(NamedTuple):
    """One call of a tool: a line of cases.tsv, and the folder of its world."""

    folder: Path
    case: str
    tool: str
    qrels: str
    run: str
    options: str
    measures: str

    @property
    def options_by_name(self) -> dict[str, str]:
        """Values of the options by name, empty for those that have none."""
        pairs = [pair for pair in pairwise([*self.options.split(), "-"]) if pair[0][0] == "-"]
        return {word.strip("-"): "" if after[0] == "-" else after for word, after in pairs}

    @property
    def policy(self) -> Policy:
        """The policy that the options name."""
        given = self.options_by_name
        return Policy(
            overlap=given.get("overlap", "error"),  # type: ignore[arg-type]
            interleaved=given.get("interleaved", "error"),  # type: ignore[arg-type]
            limit=int(given.get("limit", 1500)),
            only_run_topics="only-run-topics" in given,
            include_empty="include-empty" in given,
        )

    def results(self, order: str = "file") -> list[Row]:
        """The results of the run, in the order that the options name or in this one."""
        return read_run(self.folder / self.run, self.options_by_name.get("order", order))


# --- scores of a world's cases -------------------------------------------------------------------------


def of_text(topics: Mapping[str, Topic], rows: Iterable[Row], case: Case, length: Fraction | None) -> Scored:
    """Scores of passages; `length` is the mean length of a document."""
    add_results(topics, rows)
    lost = any(start < 0 for topic in topics.values() for _, start, _ in topic.results)
    if lost and case.options_by_name.get("unknown") == "error":
        raise Refused
    more = (("L", str(length)),) if length else ()

    def score(name: str, asked: Asked) -> Exact | None:
        if asked.name in {"BEPD", "EPRUM"}:
            asked = asked._replace(parameters=(*more, *asked.parameters))
        return text_score(topics[name], asked, case.policy)

    return topics, score


def of_elements(scale: str, elements: list[GradedElement], rows: Iterable[Row]) -> Scored:
    """Scores of assessed elements."""
    results = [Result(row.topic, row.document, row.start, row.end, row.score, row.path) for row in rows]
    names = dict.fromkeys(element.topic for element in elements)
    topics = {name: ElementTopic.of(name, scale, elements, results) for name in names}
    return topics, lambda name, asked: topics[name].score(asked) if name in topics else None


def passages(case: Case) -> Scored:
    """Spans of FOL files."""
    return of_text(read_fol(case.folder / case.qrels), case.results(), case, None)


def quotes(case: Case) -> Scored:
    """Spans of JSON Lines, with alternatives and the texts of documents; and chunks."""
    texts = {record["id"]: record["text"] for record in records(case.folder / "docs.jsonl")}
    topics = read_gold(case.folder / case.qrels, texts)
    if case.tool != "chunks":
        return of_text(topics, case.results(), case, None)
    chunks = [(one["document"], one["start"], one["end"]) for one in records(case.folder / case.run)]
    return topics, lambda name, asked: chunk_score(topics[name], chunks, asked)


def documents(case: Case) -> Scored:
    """Ranked documents with grades; ties are in descending order of ids, a repetition does not count."""
    qrels, policy = read_grades(case.folder / case.qrels), case.policy
    rankings: dict[str, list[str]] = {}
    rows = case.results("score")
    if "order" not in case.options_by_name:
        rows.sort(key=lambda row: row.document, reverse=True)
        rows.sort(key=lambda row: -row.score)
    for row in rows:
        rankings.setdefault(row.topic, []).append(row.document)

    def score(name: str, asked: Asked) -> Exact | None:
        ranking, grades = rankings.get(name, []), qrels[name]
        first = ranking[: policy.limit]
        if asked.name == "judged":
            known = [document for document in grades if grades[document] >= 0]
            topic = Topic([(document, 0, 0) for document in first], {document: [] for document in known})
            return judged_share(topic, asked)
        value = DocumentTopic(list(dict.fromkeys(first)), grades).score(asked)
        left_out = policy.only_run_topics and not ranking
        return None if left_out else Fraction(0) if value is None and policy.include_empty else value

    return qrels, score


def elements(case: Case) -> Scored:
    """Assessed elements of any scale, in JSON Lines."""
    scale, assessed = read_graded(case.folder / case.qrels)
    return of_elements(scale, assessed, case.results())


def structure(case: Case) -> Scored:
    """Highlighted text of XML documents, and runs of element paths."""
    trees = read_trees(case.folder / "docs")
    topics = read_fol(case.folder / case.qrels)
    rows = read_run(case.folder / case.run, trees=trees)
    assessed = highlighted_elements(topics, trees)
    ends = [max(end for _, end in tree.values()) for tree in trees.values()]
    by_text = of_text(topics, rows, case, Fraction(sum(ends), len(ends)))[1]
    by_element = of_elements("highlights", assessed, rows)[1]
    return topics, lambda name, asked: (by_element if asked.name in OF_ELEMENTS else by_text)(name, asked)


def samples(case: Case) -> Scored:
    """Judgments of a sample: prels, qrels with strata, and passages with probabilities."""
    file = case.folder / case.qrels
    if case.qrels.endswith(".jsonl"):
        return _sampled_passages(case, records(file))
    rows, by_topic = columns(file), dict[str, dict[str, tuple[str, int]]]()
    drawn: dict[str, dict[str, tuple[int, Fraction]]] = {row[0]: {} for row in rows}
    if case.qrels.startswith("prels"):
        for topic, document, grade, _, chance in rows:
            drawn[topic][document] = int(grade), Fraction(chance)
    else:
        for topic, _, document, stratum, grade in rows:
            by_topic.setdefault(topic, {})[document] = stratum, int(grade)
        for topic, strata in by_topic.items():
            for document, (stratum, number) in strata.items():
                own = [grade for of, grade in strata.values() if of == stratum]
                if number >= 0:
                    drawn[topic][document] = number, Fraction(sum(one >= 0 for one in own), len(own))
    rankings: dict[str, list[str]] = {}
    for row in case.results():
        rankings.setdefault(row.topic, []).append(row.document)

    def score(name: str, asked: Asked) -> Exact | None:
        ranking = rankings.get(name, [])
        by_strata = asked.name == "xinfAP"
        value = xinf_ap(ranking, by_topic[name]) if by_strata else stat_ap(ranking, drawn[name])
        return Fraction(0) if value is None and case.policy.include_empty else value

    return drawn, score


def _sampled_passages(case: Case, rows: list[dict[str, Any]]) -> Scored:
    """Weighted characters, by sets of positions."""
    judged: dict[str, dict[str, tuple[set[int], Fraction]]] = {row["topic"]: {} for row in rows}
    for row in rows:
        inside = {place for start, end in row["spans"] for place in range(start, end)}
        judged[row["topic"]][row["document"]] = inside, 1 / Fraction(str(row["probability"]))
    results = case.results()

    def score(name: str, asked: Asked) -> Exact | None:
        own = [row for row in results if row.topic == name][: int(asked.cutoff) if asked.cutoff else None]
        total = sum((len(inside) * weight for inside, weight in judged[name].values()), Fraction(0))
        if asked.name in {"relevant", "recallbase"}:
            documents = sum((weight for inside, weight in judged[name].values() if inside), Fraction(0))
            return total if asked.name == "relevant" else documents
        shown = {(row.document, place) for row in own for place in range(row.start, row.end)}
        found = sum(
            (
                weight * len(inside & {place for document, place in shown if document == name_of})
                for name_of, (inside, weight) in judged[name].items()
            ),
            Fraction(0),
        )
        under = total if asked.name == "charR" else Fraction(sum(row.end - row.start for row in own))
        return None if not total else found / under if under else Fraction(0)

    return judged, score


KINDS: dict[str, Callable[[Case], Scored]] = {
    "passages": passages,
    "quotes": quotes,
    "documents": documents,
    "elements": elements,
    "structure": structure,
    "samples": samples,
}

# --- lines ---------------------------------------------------------------------------------------------


def of_measures(case: Case) -> Iterator[Line]:
    """The scores of every topic and their mean, by the measures of a case."""
    topics, score = KINDS[case.folder.name](case)
    for name in case.measures.split():
        scores = {topic: score(topic, asked_by(name)) for topic in topics}
        yield from ((name, topic, value) for topic, value in scores.items())
        known = [value for value in scores.values() if value is not None]
        yield name, "all", mean(known) if known else None


def of_inex_eval(case: Case) -> Iterator[Line]:
    """All lines of inex_eval."""
    given = case.options_by_name
    (task,) = [letter for letter in "tfrbi" if letter in given]
    options = inex_eval_oracle.Options(
        task,
        complete="c" in given,
        n=int(given.get("n", 500)),
        beta=Fraction(given.get("beta", "0.25")),
        irrelevant=int(given.get("irr", 300)),
    )
    qrels, run = ((case.folder / name).read_text(encoding="utf-8") for name in (case.qrels, case.run))
    return inex_eval_oracle.lines(qrels, run, options, per_topic="q" in given)


def of_trec_eval(case: Case) -> Iterator[Line]:
    """The lines of trec_eval for the measures among the options."""
    given, words = case.options_by_name, case.options.split()
    options = trec_eval_oracle.Options(
        complete="c" in given,
        judged_only="J" in given,
        level=int(given.get("l", 1)),
        most=int(given["M"]) if "M" in given else None,
        documents=int(given.get("N", 0)),
    )
    run: dict[str, list[str]] = {}
    for row in sorted(case.results(), key=lambda row: (row.score, row.document), reverse=True):
        if row.document in run.setdefault(row.topic, []):
            raise Refused
        run[row.topic].append(row.document)
    asked = [after for word, after in pairwise(words) if word == "-m"]
    measures = [each for name in asked for each in trec_eval_oracle.SETS.get(name, (name,))]
    qrels, run_id = read_grades(case.folder / case.qrels), columns(case.folder / case.run)[-1][-1]
    for line in trec_eval_oracle.lines(measures, qrels, run, run_id, options):
        if "q" in given or line[1] == "all":
            yield line


TOOLS = {
    "evaluate": of_measures,
    "chunks": of_measures,
    "inex_eval": of_inex_eval,
    "trec_eval": of_trec_eval,
}


def cases(folder: Path) -> list[Case]:
    """The cases of a world."""
    with (folder / "cases.tsv").open(encoding="utf-8", newline="") as file:
        return [Case(folder, **row) for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]


def answers(case: Case) -> Iterator[tuple[str, str, str, str]]:
    """Measure, topic, exact score and its digits, of each line that the tool should print."""
    official = case.tool.endswith("_eval")
    try:
        lines = list(TOOLS[case.tool](case))
    except (Refused, inex_eval_oracle.Rejected):
        lines = []
    for measure, topic, value in lines:
        if isinstance(value, Text):
            yield measure, topic, "text", value
        elif value is not None:
            yield measure, topic, str(value), digits(value)
        else:  # official tools print what is undefined
            yield (measure, topic, "0/0", "nan") if official else (measure, topic, "undefined", "undefined")
    if not lines:
        yield REFUSED


def expected(folder: Path) -> str:
    """The text of a world's expected.tsv."""
    text = io.StringIO()
    table = csv.writer(text, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_NONE, quotechar=None)
    table.writerow(COLUMNS)
    table.writerows((case.case, *answer) for case in cases(folder) for answer in answers(case))
    return text.getvalue()


def main() -> None:
    """Write expected.tsv of every world."""
    for folder in sorted(WORLDS.iterdir()):
        (folder / "expected.tsv").write_text(expected(folder), encoding="utf-8")


if __name__ == "__main__":
    main()
