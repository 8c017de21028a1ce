"""The world as a whole: the scores of `evaluate`, names of documents, what is not there."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from support.report_parts import as_read
from support.small_world import JUDGMENTS, RUNS, SENTENCE, TEXTS, small_world

from excerpt import Corpus, ExcerptError, Judgments, Notices, Policy, Run, Span, collection, evaluate
from excerpt.queries import Topic, Topics
from excerpt.view import World
from excerpt.view.world import without_folders

MEASURES = ["MAiP", "iP[0.01]", "charP", "charR", "articleAP"]


def test_scores_are_those_of_evaluate_to_the_last_digit() -> None:
    """Scores and means of all runs, topics and measures, through JSON."""
    files = [run.path for run in collection.runs()]
    policy = Policy(overlap="penalise")
    world = World.of(collection.qrels(), files, MEASURES, policy=policy, text=False, notices=Notices())
    table = evaluate(collection.qrels(), files, MEASURES, policy=policy, notices=Notices())
    data = json.loads(json.dumps(world.overview(), allow_nan=False))
    means = table.means()
    for m in range(len(MEASURES)):
        for r in range(len(files)):
            assert data["means"][m][r] == means[r, m]
            for t, score in enumerate(data["scores"][m][r]):
                expected = table.values[r, t, m]
                assert score is None if math.isnan(expected) else repr(score) == repr(float(expected))
    assert [run["name"] for run in data["runs"]] == list(table.runs)
    assert [run["file"] for run in data["runs"]] == [path.name for path in files]
    assert [topic["id"] for topic in data["topics"]] == list(table.topics)


def test_workers_do_not_change_what_is_shown() -> None:
    """Other processes give the same data."""
    files = [run.path for run in collection.runs()][:3]
    worlds = [
        World.of(collection.qrels(), files, ["MAiP"], text=False, workers=workers, notices=Notices())
        for workers in (1, 2)
    ]
    one, two = ([world.overview(), as_read(world.topic(6)), world.passages()] for world in worlds)
    assert one == two


def test_a_document_comes_by_any_of_its_names() -> None:
    """The name of the judgments is shown; what the corpus accepts finds it; others are unknown."""
    world = small_world()
    document = world.document("a")
    assert (document["id"], document["text"], document["size"], document["why"]) == (
        "a",
        TEXTS["a"],
        len(TEXTS["a"]),
        "",
    )
    assert world.texts("a", [(5, 67), (0, 3)]) == [SENTENCE, "One"]
    with pytest.raises(ExcerptError, match="unknown document 'q'"):
        world.document("q")


@pytest.mark.parametrize("lazy", [False, True])
def test_a_document_that_changes_takes_no_other_away(tmp_path: Path, lazy: bool) -> None:
    """Its page says so; topic, passages and the other documents are there. So with one that is gone."""
    (tmp_path / "docs").mkdir()
    for name, text in TEXTS.items():
        (tmp_path / "docs" / f"{name}.txt").write_text(text)
    world = small_world(corpus=Corpus.read(tmp_path / "docs"), lazy=lazy)
    (tmp_path / "docs" / "a.txt").write_text("Other words.")
    (tmp_path / "docs" / "c.txt").unlink()
    assert as_read(world.topic(0))["documents"]["id"][0] == "a"
    assert as_read(world.topic(0))["documents"]["title"][0] == ""
    assert world.passages()["documents"] == ["a", "b", "c", "z"]
    assert world.document("b")["text"] == TEXTS["b"]
    changed, gone = world.document("a"), world.document("c")
    assert (changed["text"], gone["text"]) == (None, None)
    cannot = "This document of the corpus cannot be read: "
    assert changed["why"] == f"{cannot}it has changed since the corpus was opened."
    assert gone["why"].startswith(f"{cannot}no such file")
    assert str(tmp_path) not in json.dumps([changed, gone])
    assert world.texts("a", [(0, 3)]) == [""]


def test_names_of_files_mean_the_documents_of_the_judgments(tmp_path: Path) -> None:
    """Judgments name a document by its stem; the page finds it by its path, too."""
    (tmp_path / "docs").mkdir()
    for name, text in TEXTS.items():
        (tmp_path / "docs" / f"{name}.txt").write_text(text)
    world = small_world(corpus=Corpus.read(tmp_path / "docs"))
    assert world.document("a.txt")["id"] == "a"
    assert world.documents()["ids"] == ["a", "b", "c", "z"]
    assert world.documents()["names"]["b.txt"] == 1


def test_missing_documents_are_said_and_the_rest_works() -> None:
    """The corpus lacks z, which a run returned: a warning, a reason in the page, and all else."""
    notices = Notices()
    world = small_world(notices=notices)
    said = "1 document of a run is not in the corpus (z of two)"
    assert said in list(notices)
    assert said in world.overview()["warnings"]
    assert world.document("z")["text"] is None
    assert world.document("z")["why"] == "The corpus does not contain this document."
    assert world.document("z")["size"] == -1
    assert world.texts("z", [(0, 3)]) == [""]


def test_topics_that_do_not_fit_are_said() -> None:
    """Zeros before a number are no difference; some topics missing are a warning, all of them an error."""
    notices = Notices()
    world = small_world(
        topics=Topics.of({"001": Topic("001", "First"), "2": Topic("2", "Second")}), notices=notices
    )
    assert [topic["title"] for topic in world.overview()["topics"]] == ["First", "Second", ""]
    message = (
        "1 judged topic has neither title nor question and is shown by its id (topic 3 is not in topics)"
    )
    assert message in list(notices)
    with pytest.raises(
        ExcerptError, match="found topics CU1 and judgments of 1, 2, 3, expected the same ids"
    ):
        small_world(topics=Topics.of({"CU1": "Other?"}))


def test_text_shorter_than_spans_is_said() -> None:
    """Judged text or a result beyond the end: the text that there is, with a word on it."""
    notices = Notices()
    world = small_world(
        corpus=Corpus({**TEXTS, "a": "One.", "b": TEXTS["b"][:80], "z": "?"}), notices=notices
    )
    said = "3 documents of the corpus are shorter than a result in them (first: a of one)"
    assert said in list(notices)
    assert world.document("a")["text"] == "One."
    assert world.document("a")["why"] == "The document has 4 characters, but judged text ends at 67."
    assert world.document("b")["text"] == TEXTS["b"][:80]
    assert world.document("b")["why"].endswith("but a result ends at 99.")


def test_without_text_there_is_none() -> None:
    """Numbers stay: kind and size are shown, text and blocks are not."""
    world = small_world(text=False)
    assert world.overview()["text"] is False
    assert world.document("a")["text"] is None
    assert world.document("a")["why"] == "This report was made without text."
    assert world.texts("a", [(0, 3)]) == [""]


def test_lazy_worlds_read_nothing_before_it_is_asked_for() -> None:
    """Opening and listing reads no document but those of the list."""
    read: list[str] = []

    class Watched(Corpus):
        def document(self, identifier: str) -> object:  # type: ignore[override]
            read.append(identifier)
            return super().document(identifier)

    world = small_world(corpus=Watched(TEXTS), lazy=True)
    assert read == []
    assert as_read(world.topic(1))["documents"]["id"] == ["b", "c"]
    assert sorted(read) == ["b", "c"]


def test_one_run_or_one_topic_has_a_page_too() -> None:
    """A page without anything to compare says so."""
    world = World.of(
        JUDGMENTS, RUNS[:1], ["charP"], text=False, policy=Policy(overlap="first"), notices=Notices()
    )
    data = world.overview()
    assert data["comparisons"] == [None]
    assert data["verdicts"][0]["headline"].startswith("one reaches charP 0.")


def test_an_unknown_topic_is_an_error() -> None:
    """By number and by name."""
    world = small_world()
    assert world.topic_number("2") == 1
    with pytest.raises(ExcerptError, match="unknown topic '7'"):
        world.topic_number("7")
    with pytest.raises(ExcerptError, match="found topic number 3, expected a number below 3"):
        world.topic(3)


def test_no_folder_enters_the_data(tmp_path: Path) -> None:
    """Warnings name files without their folders; only the title is the folder of the judgments."""
    qrels, run = tmp_path / "q.fol", tmp_path / "r.fol"
    qrels.write_text("1 Q0 A 60 200 10 10:40 100:20\n2 Q0 A 0 200\n3 Q0 A 20 200 10 10:20\n")
    run.write_text("1 Q0 A 1 1 r 0 50\n9 Q0 A 1 1 r 0 50\n")
    world = World.of(qrels, [run], ["charP"], text=False, notices=Notices())
    overview = world.overview()
    assert overview.pop("title") == tmp_path.name
    said = json.dumps([overview, as_read(world.topic(0)), world.passages()])
    assert "r.fol" in said
    assert str(tmp_path) not in said
    assert tmp_path.name not in said


def test_documents_that_cannot_be_read_are_said(tmp_path: Path) -> None:
    """Damaged XML of one document: a warning, a reason in the page, and all else."""
    for name, text in TEXTS.items():
        (tmp_path / f"{name}.xml").write_text(f"<p>{text}</p>" if name != "b" else "<p>Three")
    notices = Notices()
    world = small_world(corpus=Corpus.read(tmp_path), notices=notices)
    assert any("the corpus cannot be read" in said for said in notices)
    assert world.document("a")["text"] == TEXTS["a"]
    broken = world.document("b")
    assert broken["text"] is None
    assert broken["why"].startswith("This document of the corpus cannot be read: ")
    topic = as_read(world.topic(0))
    assert str(tmp_path) not in json.dumps([world.overview(), broken, topic, world.passages()])


def test_offsets_of_bytes_are_said() -> None:
    """Text is shown by characters, so marks would be at other positions."""
    from dataclasses import replace

    notices = Notices()
    judgments = replace(JUDGMENTS, unit="byte")
    World.of(
        judgments, RUNS, ["charP"], corpus=Corpus(TEXTS), policy=Policy(overlap="first"), notices=notices
    )
    assert any(said.startswith("offsets count bytes") for said in notices)


def test_warnings_keep_ids_that_look_like_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the corpus is called: a folder with a slash behind it, or the one where one is."""
    (tmp_path / "a.txt").write_text("Some text.")
    monkeypatch.chdir(tmp_path)
    judgments = Judgments.of([("1", Span("a", 0, 5))])
    run = Run.of("r.fol", [("1", "a", 0, 5), ("1", "/data/x/doc1", 0, 5)])
    world = World.of(
        judgments, [run], ["charP"], corpus=Corpus.read("."), inputs=["."], text=True, notices=Notices()
    )
    assert world.page_warnings == ("1 document of a run is not in the corpus (/data/x/doc1 of r.fol)",)


def test_a_document_with_two_names_is_no_other_place(tmp_path: Path) -> None:
    """Another name of the document in a run does not make a passage appear elsewhere."""
    (tmp_path / "a.txt").write_text("x" + SENTENCE)
    judgments = Judgments.of([("1", Span("a", 1, 1 + len(SENTENCE)))])
    run = Run.of("r", [("1", "a", 0, 5), ("1", "a.txt", 0, 5)])
    world = World.of(
        judgments, [run], ["charP"], corpus=Corpus.read(tmp_path), notices=(notices := Notices())
    )
    assert world.passages()["relevant"]["elsewhere"] == [0]
    assert any("two ids in a run" in said for said in notices)


@pytest.mark.parametrize("lazy", [False, True])
def test_a_run_without_any_document_of_the_corpus_is_said(lazy: bool) -> None:
    """The judgments know its documents, so it has scores; the other run has its texts."""
    judgments = Judgments.of([("1", Span(name, 0, 5)) for name in "abwxyz"])
    runs = [Run.of("r", [("1", "a", 0, 5)]), Run.of("s", [("1", name, 0, 5) for name in "wxyz"])]
    world = World.of(judgments, runs, ["charP"], corpus=Corpus(TEXTS), lazy=lazy, notices=Notices())
    assert "4 documents of a run are not in the corpus (first: w, x, y of s)" in world.page_warnings
    assert world.overview()["means"] == [[1.0, 1.0]]
    assert world.document("a")["text"] == TEXTS["a"]
    assert world.document("w")["why"] == "The corpus does not contain this document."


@pytest.mark.parametrize("lazy", [False, True])
def test_a_run_of_unjudged_documents_of_the_corpus_is_said(lazy: bool) -> None:
    """The warning is the same whether documents are read at once or later."""
    judgments = Judgments.of([("1", Span("a", 0, 5)), ("1", Span("b", 0, 5))])
    run = Run.of("r", [("1", "c", 0, 5)])
    world = World.of(judgments, [run], ["charP"], corpus=Corpus(TEXTS), lazy=lazy, notices=Notices())
    assert "1 run has no judged documents (r)" in world.page_warnings


def test_what_is_wrong_with_documents_that_are_read_later_is_said(tmp_path: Path) -> None:
    """Too short for what was judged or returned, or broken: in a line each."""
    for name, text in {**TEXTS, "a": "One.", "b": "\xff"}.items():
        (tmp_path / f"{name}.txt").write_text(text, encoding="latin-1")
    world = small_world(corpus=Corpus.read(tmp_path), lazy=True)
    assert world.overview()["warnings"][len(world.page_warnings) :] == [
        "1 document cannot be read: its text is missing (b)",
        "1 document ends before a relevant passage in it (a)",
        "1 document ends before a result in it (a)",
    ]


@pytest.mark.parametrize(
    ("files", "text", "shortened"),
    [
        (["."], "r.fol: line 3. ./c.txt is empty.", "r.fol: line 3. ./c.txt is empty."),
        (["/"], "a/b", "a/b"),
        (["docs/"], "docs/c.txt:1: no element found", "docs/c.txt:1: no element found"),
        (["x/docs/"], "x/docs/c.txt:1: no element", "docs/c.txt:1: no element"),
        (["a/b.fol"], "line is empty (a/b.fol:7)", "line is empty (b.fol:7)"),
        (["a/b"], "c/a/b, a/bc, a/b-c", "c/a/b, a/bc, a/b-c"),
        (["a/b", "a/b/c.fol"], "a/b/c.fol", "c.fol"),
        ([], "/data/x/c.xml:1: no element (C:\\data\\d.txt)", "c.xml:1: no element (d.txt)"),
        ([""], "and/or", "and/or"),
    ],
)
def test_folders_leave_where_a_path_begins(files: list[str], text: str, shortened: str) -> None:
    """Names of inputs become those of the files; what only contains them does not change."""
    assert without_folders(files, [])(text) == shortened


def test_ids_of_documents_stay() -> None:
    """They may look like paths, be long, or begin as an input does."""
    long = "/data/" + "x" * 80
    shorten = without_folders(["data/docs"], ["/data/x/doc1", "data/docs/a.txt", long])
    said = f"/data/x/doc1, data/docs/a.txt, /data/{'x' * 53}… of data/docs: /data/x/doc12"
    assert shorten(said) == f"/data/x/doc1, data/docs/a.txt, /data/{'x' * 53}… of docs: doc12"
