"""The collections that ship with the package: all of each is there, and fits together."""

from __future__ import annotations

import csv
import re
import zipfile
from pathlib import Path

import pytest

import excerpt
from excerpt import collection
from excerpt.errors import UnknownName

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


def test_the_page_of_the_articles_counts_what_is_there(index: excerpt.OffsetIndex) -> None:
    """The numbers of its README."""
    page = (collection.folder("articles") / "README.md").read_text(encoding="utf-8")
    judgments = excerpt.read_judgments(collection.qrels("articles"))
    runs = collection.runs(name="articles")
    topics = excerpt.read_topics(collection.topics("articles"))
    spans = (collection.folder("articles") / "spans.tsv").read_text(encoding="utf-8").splitlines()
    counts = index.statistics()
    relevant = int(judgments.relevant_by_topic.sum())
    for said in (
        f"| {counts.documents} in JATS XML, together {counts.characters:,} characters, {counts.elements:,}",
        f"| {len(topics)}, of which {sum(bool(topic.castitle) for topic in topics.values())} also ask",
        f"| {len(judgments.pair_topic)}, all relevant |",
        f"| {len(judgments.spans)}, together {relevant:,} characters ({len(spans)} highlights",
        f"| {len(runs)}, of which {sum(run.with_paths is not None for run in runs)} also with",
    ):
        assert said in page
    assert set(topics) == set(judgments.topics)
