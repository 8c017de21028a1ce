"""The collections that ship with the package: all of each is there, and fits together."""

from __future__ import annotations

import csv
import math
import re
import zipfile
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import excerpt
from excerpt import collection
from excerpt.assess.events import WorkingState
from excerpt.assess.procedures import procedure_of
from excerpt.assess.rules import ElementTree, Rules
from excerpt.errors import UnknownName
from excerpt.model.elements import COVERAGE, TOO_SMALL, GradedElements

COUNTS = {"contracts": 40, "articles": 36}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> excerpt.OffsetIndex:
    """An index of the articles."""
    place = tmp_path_factory.mktemp("articles") / "index"
    excerpt.build_index(collection.corpus("articles"), place)
    return excerpt.OffsetIndex.open(place)


@pytest.mark.parametrize("name", collection.COLLECTIONS)
def test_everything_is_there(name: str) -> None:
    """Judgments, documents, and the files of every run that the table names, each once."""
    runs = collection.runs(name=name)
    folder = collection.folder(name)
    assert {run.path for run in runs} == set((folder / "runs").iterdir())
    assert {run.with_paths for run in runs if run.with_paths} == set((folder / "runs-xpath").iterdir())
    assert len({run.name for run in runs}) == len(runs)
    assert collection.qrels(name).is_file()
    assert collection.topics(name).is_file()
    with zipfile.ZipFile(collection.corpus(name)) as archive:
        assert sum(file.endswith(".xml") for file in archive.namelist()) == COUNTS[name]


@pytest.mark.parametrize("name", collection.COLLECTIONS)
def test_runs_by_task(name: str) -> None:
    """Every run is made for one task."""
    tasks = sorted({run.task for run in collection.runs(name=name)})
    assert {"bic", "focused", "ric"} <= set(tasks)
    assert sum(len(collection.runs(task, name)) for task in tasks) == len(collection.runs(name=name))
    assert collection.runs("nosuch", name) == []


def test_contracts_are_the_default() -> None:
    """The default collection is that of earlier versions."""
    assert collection.folder() == collection.folder("contracts")
    assert collection.runs() == collection.runs(name="contracts")


def test_an_unknown_collection_is_named_with_the_known_ones() -> None:
    """The nearest is suggested."""
    with pytest.raises(UnknownName, match=r"unknown collection 'article'.*did you mean 'articles'"):
        collection.folder("article")


def test_every_article_is_free_and_names_its_authors() -> None:
    """CC BY or CC0, as the article itself says; authors, title, DOI and address are there."""
    with (collection.folder("articles") / "articles.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    with zipfile.ZipFile(collection.corpus("articles")) as archive:
        assert [f"{row['document']}.xml" for row in rows] == archive.namelist()
        texts = {Path(name).stem: archive.read(name).decode() for name in archive.namelist()}
    for row in rows:
        assert all(row.values()), row
        assert re.fullmatch(r"CC BY [234]\.[05]|CC0 1\.0", row["licence"]), row
        link = row["address"].partition("creativecommons.org")[2].rstrip("/")
        assert link in texts[row["document"]], row
        assert row["doi"] in texts[row["document"]], row
        permissions = texts[row["document"]].partition("<permissions>")[2].partition("</permissions>")[0]
        assert "commercial" not in permissions, row


def test_paths_and_offsets_of_a_run_are_the_same_results(index: excerpt.OffsetIndex) -> None:
    """Results by path in `runs-xpath` equal those by offset and length in `runs`."""
    for run in collection.runs(name="articles"):
        if run.with_paths:
            with_paths = excerpt.read_run(run.with_paths, index=index)
            with_offsets = excerpt.read_run(run.path)
            assert len(with_paths) == len(with_offsets) > 0
            for column in ("start", "end", "rank"):
                ours, theirs = getattr(with_paths, column), getattr(with_offsets, column)
                assert ours.tolist() == theirs.tolist(), (run.name, column)


def test_highlights_are_the_text_that_was_highlighted() -> None:
    """The quoted text occurs at its offset; together the highlights are the relevant passages."""
    folder = collection.folder("articles")
    texts = excerpt.Corpus.read(collection.corpus("articles"))
    highlighted: dict[tuple[str, str], set[int]] = {}
    for line in (folder / "spans.tsv").read_text(encoding="utf-8").splitlines():
        topic, document, start, length, text = line.split("\t")
        begin, end = int(start), int(start) + int(length)
        assert texts[document][begin:end].split() == text.split()
        highlighted.setdefault((topic, document), set()).update(range(begin, end))
    judged = [line.split() for line in (folder / "qrels.fol").read_text(encoding="utf-8").splitlines()]
    assert {(row[0], row[2]) for row in judged} == highlighted.keys()
    for topic, _, document, size, length, entry, *passages in judged:
        spans = [tuple(map(int, passage.split(":"))) for passage in passages]
        relevant = {place for start, length_ in spans for place in range(start, start + length_)}
        assert relevant >= highlighted[topic, document]
        assert (len(relevant), min(relevant)) == (int(size), int(entry))
        assert len(texts[document]) == int(length)


def test_the_page_of_the_articles_counts_what_is_there(
    index: excerpt.OffsetIndex, graded: dict[int, excerpt.Judgments]
) -> None:
    """The numbers of its README."""
    page = (collection.folder("articles") / "README.md").read_text(encoding="utf-8")
    judgments = excerpt.read_judgments(collection.qrels("articles"))
    runs = collection.runs(name="articles")
    topics = excerpt.read_topics(collection.topics("articles"))
    spans = (collection.folder("articles") / "spans.tsv").read_text(encoding="utf-8").splitlines()
    counts = index.statistics()
    relevant = int(judgments.relevant_by_topic.sum())
    grades = {year: len(elements_of(judged)) for year, judged in graded.items()}
    tasks = Counter(run.task for run in collection.element_runs())
    assert grades[2002] == grades[2004]
    for said in (
        f"| {counts.documents} in JATS XML, together {counts.characters:,} characters, {counts.elements:,}",
        f"| {len(topics)}, of which {sum(bool(topic.castitle) for topic in topics.values())} also ask",
        f"| {len(judgments.pair_topic)}, all relevant |",
        f"| {len(judgments.spans)}, together {relevant:,} characters ({len(spans)} highlights",
        f"| {len(runs)}, of which {sum(run.with_paths is not None for run in runs)} also with",
        f"| {grades[2002]:,} elements by the scales of 2002 and of 2004, {grades[2005]} by that of 2005 |",
        f"| {tasks.total()}: {tasks['thorough']} thorough, {tasks['focused']} focused |",
    ):
        assert said in page
    assert set(topics) == set(judgments.topics)


YEARS = (2002, 2004, 2005)
SCALES = {2002: "relevance and coverage", 2004: "exhaustivity and specificity", 2005: "exhaustivity 0-2"}


@pytest.fixture(scope="module")
def graded() -> dict[int, excerpt.Judgments]:
    """The simulated grades by year, read without an index."""
    return {year: excerpt.read_judgments(file) for year, file in collection.assessments().items()}


def elements_of(judgments: excerpt.Judgments) -> GradedElements:
    """The graded elements, which must be there."""
    assert judgments.elements is not None
    return judgments.elements


def grades_of(judgments: excerpt.Judgments) -> dict[tuple[str, str], dict[str, str]]:
    """Grades in one word by (topic, document) and path, such as 3E, 32 or ? 300/463."""
    elements, found = elements_of(judgments), dict[tuple[str, str], dict[str, str]]()
    for row, pair in enumerate(elements.pair):
        topic = judgments.topics[judgments.pair_topic[pair]]
        document = judgments.documents[judgments.pair_document[pair]]
        first, second = int(elements.exhaustivity[row]), int(elements.specificity[row])
        if judgments.scale == SCALES[2005]:
            share = f" {elements.relevant[row]}/{elements.size[row]}"
        else:
            share = COVERAGE[second] if judgments.scale == SCALES[2002] else str(second)
        word = "?" if first == TOO_SMALL else str(first)
        found.setdefault((topic, document), {})[elements.paths[elements.path[row]]] = word + share
    return found


def test_grades_are_there_for_all_topics(graded: dict[int, excerpt.Judgments]) -> None:
    """Three files with the scales of their years, for every judged pair; the contracts have none."""
    judgments = excerpt.read_judgments(collection.qrels("articles"))
    assert {year: judged.scale for year, judged in graded.items()} == SCALES
    for judged in graded.values():
        assert judged.topics == judgments.topics
        assert set(grades_of(judged)) == {
            (judgments.topics[topic], judgments.documents[document])
            for topic, document in zip(judgments.pair_topic, judgments.pair_document, strict=True)
        }
    assert (graded[2005].relevant_by_topic == judgments.relevant_by_topic).all()
    assert collection.assessments("contracts") == {}


def test_every_level_occurs_and_no_impossible_pair(graded: dict[int, excerpt.Judgments]) -> None:
    """Relevance 0 with coverage N only and the other way round, no 3S; exhaustivity 0 with specificity 0."""
    pairs = {
        year: Counter(word for words in grades_of(judged).values() for word in words.values())
        for year, judged in graded.items()
    }
    assert pairs[2002] == {
        "0N": 2022, "1S": 137, "1L": 88, "1E": 5, "2L": 222, "2E": 9, "3L": 132, "3E": 18,
    }  # fmt: skip
    assert pairs[2004] == {
        "00": 2022, "11": 83, "12": 5, "13": 142, "21": 190, "22": 32, "23": 9, "31": 121, "32": 11, "33": 18,
    }  # fmt: skip
    levels = Counter(elements_of(graded[2005]).exhaustivity.tolist())
    assert levels == {TOO_SMALL: 137, 0: 9, 1: 214, 2: 251}


def test_grades_by_hand(graded: dict[int, excerpt.Judgments]) -> None:
    """The article with the most relevant text on anxiety: 293 characters, all in one paragraph of 463."""
    of = {year: grades_of(judged)["EI007", "PMC1914073"] for year, judged in graded.items()}
    results = "/article[1]/body[1]/sec[3]"
    for path, expected in {
        "/article[1]": ("3L", "31", "2 293/21852"),
        results: ("3L", "31", "2 293/8224"),
        f"{results}/p[6]": ("3E", "33", "2 293/463"),
        f"{results}/p[6]/xref[1]": ("1S", "13", "? 1/1"),
    }.items():
        assert tuple(of[year][path] for year in YEARS) == expected, path
    assert (of[2002][f"{results}/p[5]"], of[2004][f"{results}/p[5]"]) == ("0N", "00")
    assert f"{results}/p[5]" not in of[2005]
    assert f"{results}/p[5]/xref[1]" not in of[2002]
    touched = grades_of(graded[2005])["EI007", "PMC1501010"]  # 84 characters, less than a third of 293
    assert touched["/article[1]/body[1]/sec[3]/sec[8]"] == "1 84/107"


def test_an_element_is_at_least_as_exhaustive_as_those_inside(graded: dict[int, excerpt.Judgments]) -> None:
    """And has no fewer relevant characters; the parent of a relevant element is listed."""
    for judged in graded.values():
        elements = elements_of(judged)
        inner = elements.parents >= 0
        outer = elements.parents[inner]
        assert (elements.exhaustivity[outer] >= elements.exhaustivity[inner]).all()
        assert (elements.relevant[outer] >= elements.relevant[inner]).all()
        for words in grades_of(judged).values():
            assert all(path.rpartition("/")[0] in {"", *words} for path in words)


def test_grades_equal_what_is_highlighted(
    index: excerpt.OffsetIndex, graded: dict[int, excerpt.Judgments]
) -> None:
    """Every element with highlighted text is graded in all years; its size is that of the index."""
    judgments = excerpt.read_judgments(collection.qrels("articles"))
    base = elements_of(excerpt.index.relevant_elements(index, judgments))
    amounts = Counter(zip(base.relevant.tolist(), base.size.tolist(), strict=True))
    elements = elements_of(graded[2005])
    assert Counter(zip(elements.relevant.tolist(), elements.size.tolist(), strict=True)) == amounts
    assert ((elements.exhaustivity == TOO_SMALL) == (elements.size < 50)).all()
    of_2005 = grades_of(graded[2005])
    for year in (2002, 2004):
        for pair, words in grades_of(graded[year]).items():
            assert {path for path, word in words.items() if word[0] != "0"} == set(of_2005[pair])


@pytest.mark.parametrize("year", [2002, 2004])
def test_nothing_is_missing_by_the_procedure_of_the_year(
    graded: dict[int, excerpt.Judgments], year: int
) -> None:
    """An assessor could finish every document with these grades; no relevant element has to be inferred."""
    corpus = excerpt.Corpus.read(collection.corpus("articles"))
    for (_, document), words in grades_of(graded[year]).items():
        rules = Rules(procedure_of(f"inex{year}"), ElementTree(corpus.document(document).elements))
        work = WorkingState(
            grades={
                path: [int(word[0]), word[1] if year == 2002 else int(word[1])]
                for path, word in words.items()
            }
        )
        assert rules.missing_grades(work) == []
        assert all(grade is not None and grade[0] == 0 for grade in rules.inferred(work).values())


def test_runs_of_elements(index: excerpt.OffsetIndex) -> None:
    """At most 70 results of a topic; focused runs have no overlap, thorough ones do."""
    runs = collection.element_runs()
    assert {run.path for run in runs} == set((collection.folder("articles") / "runs-elements").iterdir())
    assert Counter(run.task for run in runs) == {"thorough": 17, "focused": 11}
    assert f"{len(runs)} runs of elements" in collection.COLLECTIONS["articles"].more
    assert not {run.name for run in runs} & {run.name for run in collection.runs(name="articles")}
    for run in runs:
        read = excerpt.read_run(run.path, index=index)
        assert read.name == run.name
        assert max(Counter(read.topic_code.tolist()).values()) <= 70
        columns = (read.topic_code, read.document_code, read.start, read.end)
        results = sorted(zip(*(column.tolist() for column in columns), strict=True))
        overlap = any(one[:2] == other[:2] and other[2] < one[3] for one, other in pairwise(results))
        assert overlap == (run.task == "thorough"), run.name


def test_runs_of_elements_differ_under_every_scale(
    index: excerpt.OffsetIndex, graded: dict[int, excerpt.Judgments]
) -> None:
    """Every run has a score by every measure of graded elements; the random one is the worst."""
    runs = [excerpt.read_run(run.path, index=index) for run in collection.element_runs()]
    for year, file in collection.assessments().items():
        asked = ["MAep", "nxCG@25", "inex_eval", *(["inex_eval_ng"] if year == 2002 else [])]
        judged = excerpt.read_judgments(file, index=index)
        table = excerpt.evaluate(judged, runs, asked, index=index)
        for number, measure in enumerate(table.measures):
            scores = dict(zip(table.runs, np.nanmean(table.values[:, :, number], axis=1), strict=True))
            assert all(map(math.isfinite, scores.values()))
            assert min(scores, key=scores.__getitem__) == "thorough-mix-random"
            assert max(scores.values()) > 0.15
            assert len(set(scores.values())) >= 24, (year, measure)


def test_licence_and_page_state_the_rule_and_that_grades_are_simulated() -> None:
    """All thresholds, in both; and that no person gave the grades."""
    folder = collection.folder("articles")
    licence = (folder / "LICENSE.txt").read_text(encoding="utf-8")
    page = (Path(__file__).parents[1] / "docs" / "elements.md").read_text(encoding="utf-8")
    for text in (licence.replace(">=", "≥"), page):
        for said in (
            *("simulated", "o person gave the", "benchmarks/evidence_elements.py", "size < 50"),
            *("relevant ≥ 2/3 most", "relevant ≥ 1/3 most", "relevant ≥ 1/2 most", "relevant ≥ 1/10 most"),
            *("relevant ≥ 1/2 size", "relevant ≥ 1/4 size", "relevant / size"),
            *(file.name for file in collection.assessments().values()),
        ):
            assert said in text, said
    assert "The grades are simulated." in (folder / "README.md").read_text(encoding="utf-8")


def test_crumbs_of_relevant_text_score_little(index: excerpt.OffsetIndex) -> None:
    """By inex_eval_ng: the elements that are too small, and all relevant paragraphs, best first."""
    judged = excerpt.read_judgments(collection.assessments()[2005])
    elements = judged.elements
    assert elements is not None
    share = elements.relevant / elements.size
    crumbs = np.flatnonzero(elements.exhaustivity == TOO_SMALL)
    last = np.array([path.rpartition("/")[2].partition("[")[0] for path in elements.paths])
    paragraphs = np.flatnonzero((last[elements.path] == "p") & (elements.relevant > 0))
    assert (len(crumbs), elements.size[crumbs].sum()) == (137, 494)
    runs = []
    for name, chosen in (
        ("crumbs", crumbs),
        ("paragraphs", paragraphs[np.argsort(-share[paragraphs], kind="stable")]),
    ):
        pairs = elements.pair[chosen].tolist()
        paths = [elements.paths[code] for code in elements.path[chosen].tolist()]
        topics = [judged.topics[code] for code in judged.pair_topic[pairs].tolist()]
        documents = [judged.documents[code] for code in judged.pair_document[pairs].tolist()]
        rows = [
            excerpt.Result(t, d, -1, -1, path=p) for t, d, p in zip(topics, documents, paths, strict=True)
        ]
        runs.append(excerpt.Run.of(name, rows, kind="elements"))
    policy, notices = excerpt.Policy(overlap="first"), excerpt.Notices()
    table = excerpt.evaluate(
        collection.qrels("articles"), runs, ["inex_eval_ng"], index=index, policy=policy, notices=notices
    )
    assert [round(value, 3) for value in table.means()[:, 0].tolist()] == [0.022, 0.422]
