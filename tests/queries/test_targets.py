"""Results that a query asks for, against what the documents themselves say."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import excerpt
from excerpt import ExcerptError, Judgments, Notices, OffsetIndex, Run
from excerpt.model.topic_choice import TopicChoice
from excerpt.nexi import Target, parse_nexi
from excerpt.queries import Topic
from excerpt.queries.targets import AIMS, TargetFilter, check_aim

DOCUMENTS = {
    "a": "<article><bdy><sec><p>one two</p></sec><sec><ss1><p>3</p><ip1>4</ip1></ss1></sec></bdy></article>",
    "b": "<article><fm>front</fm><bdy><sec><st>head</st><p>text <b>bold</b></p></sec><p/></bdy></article>",
}
TITLES = (
    *("//sec[about(., x)]", "//p[about(., x)]", "//bdy//(p|b)[about(., x)]", "//article[about(., x)]"),
    *("//sec//*[about(., x)]", "/article/bdy/p[about(., x)]", "//ss1[about(., x)]", "//figure[about(., x)]"),
)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> OffsetIndex:
    """An index of the two documents."""
    folder = tmp_path_factory.mktemp("target")
    (folder / "docs").mkdir()
    for name, text in DOCUMENTS.items():
        (folder / "docs" / f"{name}.xml").write_text(text)
    excerpt.build_index(folder / "docs", folder / "index")
    return OffsetIndex.open(folder / "index")


def elements() -> list[tuple[str, str, int, int]]:
    """Document, path and span of every element, from the documents alone."""
    found = []

    def walk(document: str, element: ET.Element, path: str, start: int) -> int:
        end, counts = start + len(element.text or ""), dict[str, int]()
        for child in element:
            counts[child.tag] = counts.get(child.tag, 0) + 1
            end = walk(document, child, f"{path}/{child.tag}[{counts[child.tag]}]", end)
            end += len(child.tail or "")
        found.append((document, path, start, end))
        return end

    for name, text in DOCUMENTS.items():
        root = ET.fromstring(text)
        walk(name, root, f"/{root.tag}[1]", 0)
    return found


@pytest.mark.parametrize("title", TITLES)
@pytest.mark.parametrize("vague", [False, True])
def test_against_the_documents(index: OffsetIndex, title: str, vague: bool) -> None:
    """By paths: those that fit. By spans: those whose text is that of an element that fits."""
    known = elements()
    target = Target.of(parse_nexi(title))
    filter_ = TargetFilter({"1": target}, vague)
    fitting = {row for row in known if target.fits(row[1], vague=vague)}
    by_path = Run.of("r", [("1", document, -1, -1, None, path) for document, path, *_ in known])
    kept = filter_.of_run(by_path, None, Notices())
    assert {(row.document, row.path) for row in kept} == {row[:2] for row in fitting}
    spans = sorted({(document, start, end) for document, _, start, end in known if end > start})
    others = [("a", 0, 2), ("b", 0, 3)]  # which are no elements
    by_span = Run.of("r", [("1", *row) for row in (*spans, *others)])
    notices = Notices()
    kept = filter_.of_run(by_span, index, notices)
    expected = [row for row in spans if any((fit[0], *fit[2:]) == row for fit in fitting)]
    assert [(row.document, row.start, row.end) for row in kept] == expected
    lost = len(spans) + len(others) - len(expected)
    assert [notice.partition(" that")[0] for notice in notices] == [f"{lost} results are not elements"]


def test_other_topics_stay(index: OffsetIndex) -> None:
    """A topic without a query takes everything; numbers with other zeros are the same topic."""
    topics = {"05": Topic("05", castitle="//p[about(., x)]"), "6": Topic("6", "words")}
    filter_ = TargetFilter.of(topics, "strict", TopicChoice(), Notices())
    rows = [("5", "a", 0, 7), ("5", "a", 0, 9), ("6", "a", 3, 5), ("7", "zzz", 0, 3)]
    kept = filter_.of_run(Run.of("r", rows), index, Notices())
    assert [(row.topic, row.start, row.end) for row in kept] == [("5", 0, 7), ("6", 3, 5), ("7", 0, 3)]
    same = Run.of("r", rows[2:])
    assert filter_.of_run(same, None, Notices()) is same


def test_evaluating(index: OffsetIndex) -> None:
    """Results that are left out are not read: precision rises, and later results move up."""
    judgments = Judgments.of([("1", "a", 0, 7)])
    run = Run.of("r", [("1", "a", 0, 9), ("1", "a", 0, 7)])
    topics = {"1": Topic("1", castitle="//p[about(., x)]")}
    notices = Notices()
    scores = {
        aim: excerpt.evaluate(
            judgments, run, "charP@1", topics=topics, target=aim, index=index, notices=notices
        ).mean("r", "charP@1")
        for aim in AIMS
    }
    assert scores == {"ignore": 7 / 9, "vague": 1.0, "strict": 1.0}
    assert "topics' queries name and are left out" in "".join(notices)


def test_whole_documents(index: OffsetIndex) -> None:
    """They are their root elements."""
    filter_ = TargetFilter({"1": Target.of(parse_nexi("//article[about(., x)]"))})
    run = Run.of("r", {"1": {"a": 2.0, "b": 1.0}})
    assert len(filter_.of_run(run, index, Notices())) == 2
    filter_ = TargetFilter({"1": Target.of(parse_nexi("//sec[about(., x)]"))})
    assert len(filter_.of_run(run, index, Notices())) == 0


@pytest.mark.parametrize(
    ("topics", "said"),
    [
        (None, "the target strict needs topics with NEXI queries; give topics=…"),
        (
            {"1": "words"},
            "topics: no topic has a castitle; a target needs topics with NEXI queries",
        ),
        (
            {"1": Topic("1", castitle="//sec[about(., )]")},
            "castitle of topic 1, column 16: found ')', expected a word or a phrase; leave it out: exclude=1",
        ),
    ],
)
def test_topics_without_targets(topics: dict[str, Topic | str] | None, said: str) -> None:
    """Nothing that could be asked for is an error."""
    judgments = Judgments.of([("1", "a", 0, 7)])
    with pytest.raises(ExcerptError) as caught:
        excerpt.evaluate(judgments, [("1", "a", 0, 7)], "charP", topics=topics, target="strict")
    assert str(caught.value) == said


def test_paths_of_text_are_no_elements() -> None:
    """Not even where anything is asked for."""
    filter_ = TargetFilter({"1": Target.of(parse_nexi("//*[about(., x)]"))})
    paths = ("/article[1]/p[1]", "/article[1]/p[1]/text()[1]")
    run = Run.of("r", [("1", "a", -1, -1, None, path) for path in paths])
    assert [row.path for row in filter_.of_run(run, None, Notices())] == ["/article[1]/p[1]"]


def test_results_that_are_no_elements(index: OffsetIndex) -> None:
    """Spans need an index, and entry points never are elements; the word must be known."""
    filter_ = TargetFilter({"1": Target.of(parse_nexi("//sec[about(., x)]"))})
    with pytest.raises(ExcerptError, match=r"a result has no element path \(r\), .*; give index="):
        filter_.of_run(Run.of("r", [("1", "a", 0, 7)]), None, Notices())
    points = Run.of("r", [("1", "a", 3, 3)], kind="entry points")
    with pytest.raises(ExcerptError, match=r"but the target of a query needs elements$"):
        filter_.of_run(points, index, Notices())
    with pytest.raises(ExcerptError, match="unknown target 'strickt'; did you mean 'strict'"):
        check_aim("strickt")


def test_on_the_embedded_articles(tmp_path: Path) -> None:
    """Elements that a path names are kept; spans also keep other elements with the same text."""
    from excerpt import collection

    excerpt.build_index(collection.corpus("articles"), tmp_path / "index")
    (entry,) = [run for run in collection.runs(None, "articles") if run.path.name == "p-bm25.fol.gz"]
    with_paths = entry.with_paths
    assert with_paths is not None
    index = OffsetIndex.open(tmp_path / "index")
    filter_ = TargetFilter.of(collection.topics("articles"), "strict", TopicChoice(), Notices())
    by_path, by_span = (
        filter_.of_run(excerpt.read_run(file, index=index), index, Notices())
        for file in (with_paths, entry.path)
    )
    kept = [{row[:4] for row in run} for run in (by_path, by_span)]
    assert len(kept[0]) > 500
    assert kept[0] < kept[1]
