"""Tests of export: judgments read back equal those made, and runs can be evaluated with them."""

from __future__ import annotations

import json
import os
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.judged_campaign import OTHER, RUN, judge, judged_campaign
from support.judgments_said import elements_said, said
from support.small_campaign import do, small_campaign, small_pool

from excerpt import __version__
from excerpt.assess.campaign import Campaign
from excerpt.assess.export import FORMATS, counts_of, exported, write_export
from excerpt.assess.opinions import JudgedPair, Merge, Opinion, Opinions
from excerpt.assess.procedures import PROCEDURES
from excerpt.errors import ExcerptError, MissingData, UnknownName
from excerpt.evaluation import evaluate
from excerpt.formats import read_judgments
from excerpt.model import Run, Span
from excerpt.notices import Notices
from excerpt.pooling import Pool, PoolItem

GRADING = {"inex2002", "inex2004", "inex2005"}


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("procedure", PROCEDURES)
def test_what_was_judged_is_read_back(tmp_path: Path, procedure: str, name: str) -> None:
    """Every procedure works in every format that can store it, without warnings."""
    if procedure in {"inex2002", "inex2004"} and name == "fol":
        return
    with judged_campaign(tmp_path / "c", procedure) as campaign:
        for merge in ("union", "intersection"):
            export = exported(campaign, to=name, merge=merge)
            write_export(export, tmp_path / "out.x")
            notices = Notices()
            found = read_judgments(tmp_path / "out.x", notices=notices)
            assert list(notices) == []
            relevant = {opinion.pair: opinion.relevant for opinion in export.opinions}
            if name == "trec":
                assert {pair: bool(spans) for pair, (_, _, spans) in said(found).items()} == relevant
                continue
            if procedure not in {"inex2002", "inex2004"}:
                assert said(found) == said(export.judgments)
                assert {pair: bool(spans) for pair, (_, _, spans) in said(found).items()} == relevant
            assert set(said(found)) == {("7", "a"), ("7", "b"), ("8", "b")}
            if procedure in GRADING and name != "fol":
                assert elements_said(found) == elements_said(export.judgments)
                assert (found.scale, len(elements_said(found)) > 4) == (export.judgments.scale, True)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("procedure", PROCEDURES)
def test_runs_are_evaluated_without_another_step(tmp_path: Path, procedure: str, name: str) -> None:
    """An exported file gives the same scores as the judgments themselves, without an index."""
    if procedure in {"inex2002", "inex2004"} and name == "fol":
        return
    measures = ["MAiP", "charR"]
    if name == "trec":
        measures = ["articleMAP"]
    elif procedure in {"inex2002", "inex2004"}:
        measures = ["MAep"]
    run = b"".join(
        f"7 Q0 {document} {rank} {9 - rank} mine {path}\n".encode()
        for rank, (document, path) in enumerate(
            [("a", "/article[1]/body[1]/sec[1]/p[1]"), ("b", "/article[1]")], 1
        )
    )
    with judged_campaign(tmp_path / "c", procedure) as campaign:
        export = exported(campaign, to=name, merge="union")
        write_export(export, tmp_path / "out.x")
        given = run if "MAep" in measures else RUN
        if name == "trec":
            given = b"7 Q0 a 1 2.0 mine\n7 Q0 b 2 1.0 mine\n8 Q0 b 1 1.0 mine\n"
        scores = evaluate(tmp_path / "out.x", [given], measures, notices=Notices()).means()
        assert not np.isnan(scores).any()
        if name != "trec":
            again = evaluate(export.judgments, [given], measures, notices=Notices()).means()
            assert scores.tolist() == again.tolist()
            assert scores.max() > 0


def test_merging_and_single_assessors(tmp_path: Path) -> None:
    """`one` names documents with several assessors; a single assessor has only their own."""
    with judged_campaign(tmp_path / "c") as campaign:
        with pytest.raises(ExcerptError) as caught:
            exported(campaign)
        assert str(caught.value) == (
            '1 document has several assessors: topic 7 document a (ann, bob); choose merge="union", '
            'merge="majority" or merge="intersection", or one assessor="NAME"'
        )
        assert exported(campaign, merge="union").data.decode().splitlines()[0] == "7 Q0 a 35 154 5 5:25 60:10"
        assert exported(campaign, merge="majority").data.decode() == (
            "7 Q0 a 10 154 10 10:10\n7 Q0 b 0 26\n8 Q0 b 5 26 0 0:5\n"
        )
        assert exported(campaign, assessor="bob").data.decode() == "7 Q0 a 20 154 10 10:20\n"
        assert exported(campaign, assessor="bob", unfinished=True).data.decode() == (
            "7 Q0 a 20 154 10 10:20\n8 Q0 a 2 154 1 1:2\n"
        )
        with pytest.raises(UnknownName, match="unknown assessor 'bo'; did you mean 'bob'"):
            exported(campaign, assessor="bo")


def test_what_is_left_out_is_counted(tmp_path: Path) -> None:
    """Unjudged, unfinished and not relevant documents are counted apart."""
    with judged_campaign(tmp_path / "c") as campaign:
        export = exported(campaign, merge="union", command="excerpt assess export c")
        assert export.notes == (
            "4 of 8 documents are unjudged and left out",
            "1 of 8 documents is in progress and left out",
        )
        assert export.about["counts"] == {
            "pool": 8, "exported": 3, "relevant": 2, "irrelevant": 1, "unfinished": 1, "unjudged": 4,
            "several": 1,
        }  # fmt: skip
        more = exported(campaign, merge="union", unfinished=True)
        assert more.notes[1] == "1 of 8 documents is in progress and included"
        assert said(more.judgments).keys() - said(export.judgments).keys() == {("8", "a")}


def test_unfinished_documents_do_not_look_irrelevant(tmp_path: Path) -> None:
    """Documents in progress without highlights are exported in JSON Lines only."""
    with small_campaign(tmp_path / "c") as campaign:
        campaign.add_person("ann")
        do(campaign, "ann", "note", note="later", document="a")
        do(campaign, "ann", "highlight", 0, 5, document="b")
        plain = exported(campaign, unfinished=True)
        assert plain.data == b"7 Q0 b 5 26 -1 0:5\n"
        assert plain.about["unfinished_documents"] == [["7", "b"]]
        assert plain.notes[1:] == (
            "1 of 8 documents is in progress and included",
            "1 of 8 documents is in progress and left out",
        )
        lines = exported(campaign, to="jsonl", unfinished=True).data.splitlines()
        assert [json.loads(line)["finished"] for line in lines] == [False, False]


def test_nothing_finished_is_an_empty_file(tmp_path: Path) -> None:
    """The file is empty, with a note and provenance, and without an error."""
    with small_campaign(tmp_path / "c") as campaign:
        for name in FORMATS:
            out = tmp_path / f"out.{name}"
            assert write_export(exported(campaign, to=name), out) == (
                "8 of 8 documents are unjudged and left out",
            )
            assert out.read_bytes() == b""
            assert json.loads((tmp_path / f"out.{name}.about.json").read_text())["counts"]["exported"] == 0


def test_xml_goes_into_a_folder(tmp_path: Path) -> None:
    """A folder gets a file per topic; a folder with other files is not touched."""
    with judged_campaign(tmp_path / "c") as campaign:
        export = exported(campaign, to="inex", merge="union")
        for target in (tmp_path / "qrels", f"{tmp_path}/slash/"):
            write_export(export, target)
            assert sorted(path.name for path in Path(target).iterdir()) == ["7.xml", "8.xml"]
            assert said(read_judgments(target)) == said(export.judgments)
        assert json.loads((tmp_path / "slash.about.json").read_text())["format"] == "inex"
        judge(campaign, "ann", document="letter.txt")
        write_export(exported(campaign, to="inex", assessor="ann"), tmp_path / "qrels")
        assert ("7", "letter.txt") in said(read_judgments(tmp_path / "qrels"))
        (tmp_path / "qrels" / "mine.txt").write_text("keep me")
        with pytest.raises(
            ExcerptError, match=r"found mine\.txt in the folder, expected only exported topics"
        ):
            write_export(export, tmp_path / "qrels")
        assert (tmp_path / "qrels" / "mine.txt").read_text() == "keep me"
        assert not list(tmp_path.glob(".excerpt*"))


def test_names_of_topics_are_no_paths(tmp_path: Path) -> None:
    """Any topic id becomes a file in the folder, which can be read."""
    topics = {"../x": "Up?", ".hid": "Hidden?", "a/b": "Slash?"}
    with small_campaign(tmp_path / "c", topics=topics, pool=None) as campaign:
        campaign.add_person("ann")
        for topic in topics:
            judge(campaign, "ann", (0, 4), topic=topic)
        (tmp_path / "deep").mkdir()
        write_export(exported(campaign, to="inex"), tmp_path / "deep" / "qrels")
        files = sorted(path.name for path in (tmp_path / "deep" / "qrels").iterdir())
        assert files == ["%2E%2E%2Fx.xml", "%2Ehid.xml", "a%2Fb.xml"]
        assert set(read_judgments(tmp_path / "deep" / "qrels").topics) == topics.keys()


def line(data: bytes, document: str) -> dict[str, Any]:
    """The line of a document."""
    (found,) = [json.loads(text) for text in data.splitlines() if json.loads(text)["document"] == document]
    return dict(found)


SUGGESTIONS = b"".join(
    json.dumps(
        {"topic": "7", "document": "a", "start": start, "end": end, "model": "m-1", "prompt": "ab"}
    ).encode()
    + b"\n"
    for start, end in ((0, 8), (40, 50), (45, 60))
)


def test_lines_tell_human_machine_and_confirmed(tmp_path: Path) -> None:
    """Text confirmed after a suggestion is distinguished from text highlighted without one."""
    with small_campaign(tmp_path / "c", suggestions=SUGGESTIONS, control=0) as campaign:
        campaign.add_person("ann")
        judge(campaign, "ann", (5, 20))
        campaign.document_for("ann", "7", "a", show=("suggestions",))
        number = campaign.contents.suggestions[1].number
        do(campaign, "ann", "highlight", 40, 50, suggestion=number)
        do(campaign, "ann", "done")
        export = exported(campaign, to="jsonl")
        found = line(export.data, "a")
        assert found["spans"] == [[5, 20], [40, 50]]
        assert (found["human"], found["confirmed"]) == ([[5, 20]], [[40, 50]])
        assert found["machine"] == [[0, 8], [40, 60]]
        assert (found["assessors"], found["finished"]) == (["ann"], True)
        assert found["notes"] == [{"assessor": "ann", "note": "of ann"}]
        assert export.about["machine"] == {
            "suggestions": 3, "models": {"m-1": 3}, "prompts": ["ab"], "control": 0, "shown": 1,
            "confirmed": {"documents": 1, "characters": 10},
        }  # fmt: skip


def test_what_was_found_before_a_suggestion_stays_human(tmp_path: Path) -> None:
    """Only text added by the confirmation counts as confirmed."""
    with small_campaign(tmp_path / "c", suggestions=SUGGESTIONS, control=0) as campaign:
        campaign.add_person("ann")
        judge(campaign, "ann", (40, 45))
        campaign.document_for("ann", "7", "a", show=("suggestions",))
        do(campaign, "ann", "highlight", 40, 50, suggestion=campaign.contents.suggestions[1].number)
        do(campaign, "ann", "done")
        found = line(exported(campaign, to="jsonl").data, "a")
        assert (found["human"], found["confirmed"]) == ([[40, 45]], [[45, 50]])


def test_labels_are_in_the_lines(tmp_path: Path) -> None:
    """Labels are exported with their assessors."""
    with judged_campaign(tmp_path / "c", "evidence") as campaign:
        found = line(exported(campaign, to="jsonl", assessor="bob").data, "a")
        assert found["labels"] == [
            {"start": 10, "end": 30, "label": "supports", "note": "", "assessor": "bob"}
        ]


def test_formats_that_cannot_hold_a_procedure(tmp_path: Path) -> None:
    """FOL cannot store grades, so XML is the default for them."""
    with judged_campaign(tmp_path / "c", "inex2004") as campaign:
        with pytest.raises(
            MissingData, match="format fol needs highlighted text, but procedure inex2004 grades"
        ):
            exported(campaign, to="fol", merge="union")
        assert exported(campaign, merge="union").format == "inex"
        with pytest.raises(
            UnknownName, match="unknown format of an export 'xml'; known: brat, doccano, fira, fol, "
        ):
            exported(campaign, to="xml")


def test_standard_output_has_no_file_beside_it(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Provenance is not written to standard output, and a note says so."""
    with judged_campaign(tmp_path / "c") as campaign:
        notes = write_export(exported(campaign, assessor="bob"), "-")
        assert notes[-1] == "OUT.about.json, the origin of the judgments, is not written to standard output"
        assert capfdbinary.readouterr().out == b"7 Q0 a 20 154 10 10:20\n"


def test_both_runs_can_be_compared(tmp_path: Path) -> None:
    """`evaluate` accepts exported judgments with runs of several formats."""
    with judged_campaign(tmp_path / "c") as campaign:
        write_export(exported(campaign, merge="union"), tmp_path / "qrels.fol")
        table = evaluate(tmp_path / "qrels.fol", [RUN, OTHER], ["MAiP"], notices=Notices())
        assert table.means()[0, 0] > table.means()[1, 0] > 0
        assert read_judgments(tmp_path / "qrels.fol").highlights("8") == [Span("b", 0, 5)]


@pytest.mark.parametrize(
    ("procedure", "name", "message"),
    [
        ("inex2005", None, []),
        ("inex2005", "fol", ["grades of elements are not exported: fol cannot store them, inex and"]),
        ("inex2004", "trec", ["grades of elements are not exported: trec"]),
        ("evidence", None, ["labels are not exported: fol cannot store them, jsonl can"]),
        ("evidence", "inex", ["labels are not exported: inex"]),
        ("evidence", "jsonl", []),
        ("inex2007", "trec", []),
    ],
)
def test_what_a_format_has_no_place_for_is_told(
    tmp_path: Path, procedure: str, name: str | None, message: list[str]
) -> None:
    """A note names grades and labels that a format cannot store."""
    with judged_campaign(tmp_path / "c", procedure) as campaign:
        export = exported(campaign, to=name, merge="majority")
    assert export.format == name or (export.format == "inex") == (procedure == "inex2005")
    found = [note for note in export.notes if " document" not in note]
    assert [note[: len(start)] for note, start in zip(found, message, strict=True)] == message


@pytest.mark.parametrize("name", ["fol", "jsonl", "trec", "inex"])
def test_a_changed_text_is_not_exported(tmp_path: Path, name: str) -> None:
    """A changed document is an error that names it, unless it was not judged."""
    judged_campaign(tmp_path / "c").close()
    documents = tmp_path / "c-documents"
    (documents / "plain.txt").write_text("Another text.")
    with Campaign.open(tmp_path / "c") as campaign:
        before = exported(campaign, to=name, merge="union").data
    assert before
    (documents / "b.xml").write_text("<article><p>Another text.</p></article>")
    with (
        Campaign.open(tmp_path / "c") as campaign,
        pytest.raises(ExcerptError, match=r"1 document has changed .*: b;"),
    ):
        exported(campaign, to=name, merge="union")


def test_without_the_corpus_what_needs_no_text_is_exported(tmp_path: Path) -> None:
    """Only elements of INEX XML need the corpus."""
    judged_campaign(tmp_path / "c").close()
    (tmp_path / "c-documents").rename(tmp_path / "gone")
    with Campaign.open(tmp_path / "c") as campaign:
        for name in ("fol", "jsonl", "trec"):
            assert exported(campaign, to=name, merge="union").data
        with pytest.raises(ExcerptError, match="the campaign's documents are missing"):
            assert exported(campaign, to="inex", merge="union").data


@pytest.mark.parametrize("name", ["q.fol", "q"])
def test_judgments_and_where_they_come_from_are_written_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """If either file cannot be written, the old files stay."""
    with judged_campaign(tmp_path / "c") as campaign:
        export = exported(campaign, to="inex" if name == "q" else "fol", merge="union")
        listed = sorted(tmp_path.iterdir())

        def full(_: int) -> None:
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patched:
            patched.setattr(os, "fsync", full)
            with pytest.raises(ExcerptError, match=r"q.*about.json: cannot be written: no space left"):
                write_export(export, tmp_path / name)
        assert sorted(tmp_path.iterdir()) == listed
        (tmp_path / name).mkdir()
        (tmp_path / name / "strange").touch()
        with pytest.raises(ExcerptError):
            write_export(export, tmp_path / name)
        assert not (tmp_path / f"{name}.about.json").exists()


@pytest.mark.parametrize(("procedure", "nothing"), [("inex2002", [0, "N"]), ("inex2004", [0, 0])])
def test_pooled_elements_are_exported(tmp_path: Path, procedure: str, nothing: list[Any]) -> None:
    """Those that are not relevant have 0 with 0, or 0 with N; inferred ones are marked."""
    pool = small_pool(("a",), "passage")
    with small_campaign(tmp_path / "c", procedure=procedure, pool=pool) as campaign:
        owed = campaign.document_for("ann", "7", "a")["state"]["owed"]
        assert owed == ["/article[1]/title[1]", "/article[1]/body[1]/sec[1]"]
        assert do(campaign, "ann", "grade", path=owed[0], grade=nothing)["owed"] == owed[1:]
        body = "/article[1]/body[1]"
        assert do(campaign, "ann", "grade", path=body, grade=nothing)["problems"] == []
        do(campaign, "ann", "done")
        export = exported(campaign)
    lines = [line for line in export.data.decode().splitlines() if line.startswith("<path")]
    assert [line.split('"')[1] for line in lines] == [owed[0], body, owed[1]]
    assert all(f'="{nothing[0]}" ' in line and f'="{nothing[1]}"' in line for line in lines)
    assert ["inferred" in line for line in lines] == [False, False, True]
    assert export.about["counts"]["irrelevant"] == 1


@pytest.mark.parametrize("rule", ["majority", "intersection"])
def test_text_that_is_not_common_makes_no_document_relevant(tmp_path: Path, rule: Merge) -> None:
    """Grades alone do not make a merged document relevant."""
    with small_campaign(tmp_path / "c", procedure="inex2005") as campaign:
        judge(campaign, "ann", (5, 10), document="a")
        judge(campaign, "bob", (60, 70), document="a")
        export = exported(campaign, to="trec", merge=rule)
        assert export.data == b"7 0 a 0\n"
        assert (export.about["counts"]["relevant"], export.about["counts"]["irrelevant"]) == (0, 1)


def test_what_stands_beside_the_judgments(tmp_path: Path) -> None:
    """Provenance has the campaign, its hashes, the options and the assessors."""
    with judged_campaign(tmp_path / "c", title="Rents") as campaign:
        settings = campaign.settings
        export = exported(campaign, merge="majority", command="excerpt assess export c -o qrels.fol")
        write_export(export, tmp_path / "qrels.fol")
    about = json.loads((tmp_path / "qrels.fol.about.json").read_text())
    assert about["excerpt"] == __version__
    assert about["campaign"] == {
        "title": "Rents", "procedure": "inex2007", "created": settings.created, "order": "pool",
        "double": None, "seed": 1,
    }  # fmt: skip
    assert about["sha256"] == {
        "corpus": settings.corpus_sha256,
        "topics": settings.topics_sha256,
        "pool": settings.pool_sha256,
    }
    assert [run["name"] for run in about["runs"]] == ["one", "two"]
    assert (about["format"], about["merge"], about["assessor"]) == ("fol", "majority", None)
    assert about["command"] == "excerpt assess export c -o qrels.fol"
    assert about["assessors"] == {"ann": 3, "bob": 1}
    assert about["machine"]["suggestions"] == 0


def test_the_same_judgments_have_the_same_file(tmp_path: Path) -> None:
    """Provenance contains no time of export."""
    with judged_campaign(tmp_path / "c") as campaign:
        for name in ("one", "two"):
            write_export(exported(campaign, merge="union"), tmp_path / f"{name}.fol")
    assert (tmp_path / "one.fol.about.json").read_bytes() == (tmp_path / "two.fol.about.json").read_bytes()


def test_hostile_names_are_data(tmp_path: Path) -> None:
    """Escape sequences in a title do not reach a terminal."""
    with small_campaign(tmp_path / "c", title="x\x9b31my") as campaign:
        write_export(exported(campaign), tmp_path / "q.fol")
    text = (tmp_path / "q.fol.about.json").read_text(encoding="utf-8")
    assert "\x9b" not in text
    assert json.loads(text)["campaign"]["title"] == "x\x9b31my"


def test_counts() -> None:
    """An unfinished document counts neither as relevant nor as not relevant."""
    pairs = [JudgedPair("1", document) for document in "ABCDE"]
    said = [
        Opinion(pairs[0], ("ann",), highlights=((0, 1),)),
        Opinion(pairs[0], ("bob",)),
        Opinion(pairs[1], ("ann",)),
        Opinion(pairs[2], ("ann",), done=False, highlights=((0, 1),)),
    ]
    opinions = Opinions.collect(pairs, said)
    assert counts_of(opinions, opinions.merged("union", unfinished=True)) == {
        "pool": 5, "exported": 3, "relevant": 1, "irrelevant": 1, "unfinished": 1, "unjudged": 2,
        "several": 1,
    }  # fmt: skip


def test_probabilities_of_a_sampled_pool_travel(tmp_path: Path) -> None:
    """Rows of jsonl have them, and are estimates; other formats say that they cannot store them."""
    items = [
        PoolItem("7", name, order, "sample" if order > 1 else "depth", chance, (), ())
        for order, (name, chance) in enumerate(
            [("a", Fraction(1)), ("plain.txt", Fraction(2, 21)), ("b", Fraction(2, 21))], start=1
        )
    ]
    with small_campaign(tmp_path / "c", pool=Pool.of(items), procedure="highlight") as campaign:
        campaign.add_person("ann")
        for name in ("a", "plain.txt", "b"):
            do(campaign, "ann", "highlight", 2, 12, document=name)
            do(campaign, "ann", "done", document=name)
        export = exported(campaign, to="jsonl")
        assert [line(export.data, name)["probability"] for name in ("a", "b")] == [1, 2 / 21]
        assert not [note for note in export.notes if "probabilities" in note]
        (tmp_path / "j.jsonl").write_bytes(export.data)
        run = Run.of("r", [("7", "a", 2, 12)])
        table = evaluate(tmp_path / "j.jsonl", run, "recallbase", notices=Notices())
        assert table.gaps["r"]["estimate"] == {"recallbase": 22}
        assert "probabilities are not exported: fol cannot store them, jsonl can" in exported(campaign).notes
    unknown = Pool.of([*items[:2], items[2]._replace(probability=None)])
    with small_campaign(tmp_path / "d", pool=unknown, procedure="highlight") as campaign:
        campaign.add_person("ann")
        do(campaign, "ann", "done", document="b")
        export = exported(campaign, to="jsonl")
        assert "probability" not in line(export.data, "b")
        assert "probabilities are not exported: 1 document of the pool lacks one" in export.notes
