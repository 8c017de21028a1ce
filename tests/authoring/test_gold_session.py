"""A gold file that is being written: events, rows, other programs, drafts, copies, search."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some
from support.served_gold import DOCUMENTS, MARKDOWN, NOTICE, kept, quoted, rows_in, write_documents

import excerpt
from excerpt import Corpus, ExcerptError
from excerpt.assess.folder import InvalidEvent, NoRoom, NotFound, Overtaken
from excerpt.authoring import gold_journal
from excerpt.authoring.gold_session import GoldSession

RENT = quoted("a.md", "**rent** is due", MARKDOWN.index("**rent**"))
ROOF = quoted("roof.txt", NOTICE, DOCUMENTS["roof.txt"].index(NOTICE))
TILES = quoted("sub/b.txt", "Tiles 😀", 0)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """Documents of several kinds."""
    return write_documents(tmp_path)


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    """The name of a file."""
    return tmp_path / "gold.jsonl"


def opened(gold: Path, docs: Path, drafts: Path | None = None) -> GoldSession:
    """A session, which tests close."""
    return GoldSession(str(gold), Corpus.read(docs), None if drafts is None else str(drafts))


def test_a_question_is_a_row_of_gold(gold: Path, docs: Path) -> None:
    """With id, place and fingerprint; excerpt reads what it has written."""
    session = opened(gold, docs)
    assert rows_in(gold) == []
    answer = session.record(kept("When is it due?", [RENT], tags=["money", " money ", "easy"]))
    assert answer["question"] == "q1"
    (row,) = rows_in(gold)
    fingerprint = Corpus.read(docs).hash("a.md")[:16]
    assert row == {
        "question_id": "q1",
        "question": "When is it due?",
        **RENT,
        "fingerprint": fingerprint,
        "tags": ["money", "easy"],
    }
    session.record(
        kept(
            "Who repairs?", [ROOF, quoted("sub/b.txt", NOTICE, DOCUMENTS["sub/b.txt"].index(NOTICE))], [TILES]
        )
    )
    session.record(kept("Why?"))
    session.close()
    judgments = excerpt.read_gold(gold, corpus=docs)
    assert judgments.topics == ("q1", "q2", "q3")
    assert [span[1:] for span in judgments.highlights("q1")] == [(RENT["start"], RENT["end"])]
    assert len(judgments.alternatives["q2"]) == 2
    assert judgments.highlights("q3") == []
    assert judgments.questions["q1"].group == "money"


def test_the_rows_have_no_unknown_keys(gold: Path, docs: Path) -> None:
    """Nothing is said when the file is read."""
    session = opened(gold, docs)
    session.record(kept("When?", [RENT], tags=["money"]))
    session.close()
    notices = excerpt.Notices()
    excerpt.read_gold(gold, corpus=docs, notices=notices)
    assert [text for text in notices if "unknown" in text] == []


def test_a_question_is_changed_and_deleted(gold: Path, docs: Path) -> None:
    """In its line; a number is never used again, also after the next start."""
    session = opened(gold, docs)
    session.record(kept("One?", [RENT]))
    session.record(kept("Two?", [ROOF]))
    session.record(kept("Uno?", [TILES], question="q1", base=1))
    assert [row["question"] for row in rows_in(gold)] == ["Uno?", "Two?"]
    session.record({"id": "gone", "kind": "delete", "question": "q2", "base": 1})
    session.close()
    session = opened(gold, docs)
    session.record(kept("Three?", [ROOF]))
    assert [row["question_id"] for row in rows_in(gold)] == ["q1", "q3"]
    session.record(kept("Two?", [TILES], question="q2", base=1))
    assert [row["question_id"] for row in rows_in(gold)] == ["q1", "q3", "q2"]
    session.close()


def test_the_same_event_twice_is_one_event(gold: Path, docs: Path) -> None:
    """Also after the next start; another body with its id is refused."""
    session = opened(gold, docs)
    event = kept("One?", [RENT])
    assert session.record(event)["questions"] == session.record(event)["questions"]
    session.close()
    session = opened(gold, docs)
    session.record(event)
    assert len(rows_in(gold)) == 1
    with pytest.raises(InvalidEvent, match="another event with the id"):
        session.record({**event, "text": "Other?"})
    session.close()


def test_an_older_version_overwrites_nothing(gold: Path, docs: Path) -> None:
    """Two windows change one question."""
    session = opened(gold, docs)
    session.record(kept("One?", [RENT]))
    session.record(kept("Eins?", [RENT], question="q1", base=1))
    with pytest.raises(Overtaken, match="in another window"):
        session.record(kept("Uno?", [RENT], question="q1", base=1))
    with pytest.raises(Overtaken):
        session.record({"id": "d", "kind": "delete", "question": "q1", "base": 1})
    assert [row["question"] for row in rows_in(gold)] == ["Eins?"]
    session.close()


WRONG: dict[str, dict[str, Any]] = {
    "no words": {"text": " \n"},
    "has no quote yet": {"needs": []},
    "without an answer": {"answerable": False},
    "not that of the quote": {"needs": [[{**RENT, "start": RENT["start"] + 1}]]},
    "There is no document": {"needs": [[{**RENT, "document": "z.md"}]]},
    "whole numbers": {"needs": [[{**RENT, "start": True}]]},
    "no lists of quotes": {"needs": [[]]},
    "no object": {"needs": [["x"]]},
    "half a surrogate pair": {"text": "\ud800"},
    "at most 2000": {"text": "x" * 2001},
    "tags": {"tags": "x"},
    "in the file already": {"text": "One?"},
    "expected keep": {"kind": "drop"},
    "no id of a question": {"base": "1"},
}


@pytest.mark.parametrize("reason", WRONG)
def test_what_no_gold_file_may_have_is_refused(gold: Path, docs: Path, reason: str) -> None:
    """One line says why; neither the journal nor the file has changed."""
    session = opened(gold, docs)
    session.record(kept("One?", [RENT]))
    journal = Path(f"{gold}.journal").read_bytes()
    with pytest.raises(InvalidEvent, match=reason):
        session.record({**kept("Two?", [ROOF]), **WRONG[reason]})
    assert Path(f"{gold}.journal").read_bytes() == journal
    assert len(rows_in(gold)) == 1
    session.close()


def test_unknown_questions_and_drafts_are_said(gold: Path, docs: Path) -> None:
    """Nothing is deleted, decided or replaced that is not there."""
    session = opened(gold, docs)
    for event in (
        {"id": "1", "kind": "delete", "question": "q9", "base": 1},
        {"id": "2", "kind": "reject", "draft": "x"},
        kept("One?", [RENT], question="q9", base=1),
    ):
        with pytest.raises(NotFound):
            session.record(event)
    session.close()


def test_a_file_by_hand_is_gone_on_with(gold: Path, docs: Path) -> None:
    """Its lines stay as they are, byte for byte; a changed question keeps its other keys."""
    first = '{"query": "When?",  "doc_id":"a.md", "quote":"is due in", "level": 2}'
    second = json.dumps({"question": "Who?", "document": "roof.txt", "quote": NOTICE[:30]})
    gold.write_text(f"{first}\n\n{second}", encoding="utf-8")
    session = opened(gold, docs)
    assert [one["text"] for one in session.overview()["questions"]] == ["When?", "Who?"]
    assert gold.read_text(encoding="utf-8") == f"{first}\n\n{second}"
    session.record(kept("Why?"))
    assert gold.read_text(encoding="utf-8").splitlines()[:2] == [first, second]
    assert "question_id" not in rows_in(gold)[2]
    session.record(kept("When exactly?", [RENT], question="1", base=1))
    assert rows_in(gold)[0]["level"] == 2
    session.close()
    assert excerpt.read_gold(gold, corpus=docs).topics == ("1", "2", "3")


def test_a_file_that_another_program_changed_is_gone_on_with(gold: Path, docs: Path) -> None:
    """It is said, and nothing of it is lost; a deleted file comes back from the journal."""
    session = opened(gold, docs)
    session.record(kept("One?", [RENT]))
    session.record(kept("Two?", [ROOF]))
    session.close()
    lines = gold.read_text(encoding="utf-8").splitlines()
    gold.write_text(lines[1] + "\n", encoding="utf-8")
    session = opened(gold, docs)
    assert any("changed by another program" in text for text in session.said)
    session.record(kept("Three?", [TILES]))
    assert [row["question_id"] for row in rows_in(gold)] == ["q2", "q3"]
    session.close()
    gold.unlink()
    session = opened(gold, docs)
    assert session.said == []
    assert [row["question_id"] for row in rows_in(gold)] == ["q2", "q3"]
    session.close()


def test_a_server_that_ended_between_journal_and_file_is_made_up_for(gold: Path, docs: Path) -> None:
    """The journal has the event, the file has not."""
    session = opened(gold, docs)
    session.record(kept("One?", [RENT]))
    before = gold.read_bytes()
    session.record(kept("Two?", [ROOF]))
    session.close()
    gold.write_bytes(before)
    session = opened(gold, docs)
    assert session.said == []
    assert len(rows_in(gold)) == 2
    session.close()


def test_a_line_cut_short_is_said_and_left_out(gold: Path, docs: Path) -> None:
    """It was never confirmed; the next event is a whole line."""
    session = opened(gold, docs)
    session.record(kept("One?", [RENT]))
    session.close()
    with Path(f"{gold}.journal").open("ab") as stream:
        stream.write(b'{"kind":"keep","id"')
    session = opened(gold, docs)
    assert session.said == ["gold.jsonl.journal: 1 line cut short was left out"]
    session.record(kept("Two?", [ROOF]))
    session.close()
    session = opened(gold, docs)
    assert session.said == []
    assert len(rows_in(gold)) == 2
    session.close()


@pytest.mark.parametrize("cut", [1, 5, 40, 200])
def test_a_shorter_journal_loses_nothing_of_the_file(gold: Path, docs: Path, cut: int) -> None:
    """The file is whole by itself."""
    session = opened(gold, docs)
    session.record(kept("One?", [RENT]))
    session.record(kept("Two?", [ROOF]))
    session.close()
    journal, data = Path(f"{gold}.journal"), gold.read_bytes()
    journal.write_bytes(journal.read_bytes()[:-cut])
    session = opened(gold, docs)
    assert any("1 line cut short was left out" in text for text in session.said)
    assert gold.read_bytes() == data
    session.record(kept("Three?", [TILES]))
    assert [row["question"] for row in rows_in(gold)] == ["One?", "Two?", "Three?"]
    session.close()


def test_a_folder_is_no_gold_file(docs: Path) -> None:
    """The error says what is expected, and leaves no journal."""
    folder = docs.parent / "folder"
    folder.mkdir()
    with pytest.raises(ExcerptError, match="folder: is a directory, expected the name of a file to write"):
        opened(folder, docs)
    assert not Path(f"{folder}.journal").exists()


def test_a_damaged_line_inside_is_an_error_that_changes_nothing(gold: Path, docs: Path) -> None:
    """It names the line, and what to do."""
    session = opened(gold, docs)
    session.record(kept("One?", [RENT]))
    session.close()
    journal, data = Path(f"{gold}.journal"), gold.read_bytes()
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join([lines[0], b"oops\n", *lines[1:]]))
    with pytest.raises(ExcerptError, match="journal:2: this line of the journal cannot be read"):
        opened(gold, docs)
    assert gold.read_bytes() == data
    journal.rename(gold.with_name("away"))
    opened(gold, docs).close()


def test_a_second_session_is_refused(gold: Path, docs: Path, tmp_path: Path) -> None:
    """By the same name or through a link; after the first has ended it may."""
    session = opened(gold, docs)
    link = tmp_path / "link.jsonl"
    link.symlink_to(gold)
    for name in (gold, link):
        with pytest.raises(ExcerptError, match="is being written by another server"):
            opened(name, docs)
    session.close()
    opened(gold, docs).close()


OTHER_FILES = {
    "a table": "question,document,quote\nWhen?,a.md,rent\n",
    "a list": '[{"question": "When?",\n "document": "a.md", "quote": "rent"}]\n',
    "a run": '{"topic": "1", "document": "a.md", "start": 0, "end": 3, "score": 2}\n',
    "a fault": '{"question": "When?", "document": "a.md", "quote": "rent"}\n{"question": "Who?"}\n',
    "an object": '{"examples": [{"query": "When?", "reference_contexts": ["rent"]}]}\n',
    "no text": "\ufeff\x00\n",
}


@pytest.mark.parametrize("name", OTHER_FILES)
def test_a_file_of_another_kind_is_left_alone(gold: Path, docs: Path, name: str) -> None:
    """An error names the file; no journal is left behind."""
    gold.write_text(OTHER_FILES[name], encoding="utf-8")
    with pytest.raises(ExcerptError, match=r"gold\.jsonl"):
        opened(gold, docs)
    assert gold.read_text(encoding="utf-8") == OTHER_FILES[name]
    assert not Path(f"{gold}.journal").exists()


def test_a_full_disk_is_a_refusal_not_a_loss(gold: Path, docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The event is in neither file, and can be sent again when there is room."""
    session = opened(gold, docs)
    session.record(kept("One?", [RENT]))
    event, journal = kept("Two?", [ROOF]), Path(f"{gold}.journal").read_bytes()

    def full(*_: object) -> None:
        raise ExcerptError("cannot be written: no space left on device", path=str(gold))

    with monkeypatch.context() as context:
        context.setattr(gold_journal, "write_bytes", full)
        with pytest.raises(NoRoom):
            session.record(event)
        assert Path(f"{gold}.journal").read_bytes() == journal
    assert [row["question"] for row in rows_in(gold)] == ["One?"]
    session.record(event)
    assert [row["question"] for row in rows_in(gold)] == ["One?", "Two?"]
    session.close()


def test_an_event_is_in_the_journal_before_the_file(
    gold: Path, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the file is replaced, the journal has the event on disk."""
    session = opened(gold, docs)
    seen: list[bool] = []

    def note(path: Path, data: bytes) -> None:
        seen.append(b"When?" in Path(f"{gold}.journal").read_bytes())
        path.write_bytes(data)

    monkeypatch.setattr(gold_journal, "write_bytes", note)
    session.record(kept("When?", [RENT]))
    assert seen == [True]
    session.close()


def test_the_drop_is_said_with_its_assumption(gold: Path, docs: Path) -> None:
    """Questions without an answer cannot show one."""
    session = opened(gold, docs)
    assert session.summary() == "0 questions"
    for number in range(4):
        session.record(kept(f"{number}?", [RENT]))
    session.record(kept("Why?"))
    said = "a gate sees drops from 0.37 on, assuming a spread of 0.3 between the scores of two runs"
    assert session.summary() == f"5 questions, 1 without an answer in these documents; {said}"
    session.close()


def draft_file(folder: Path) -> Path:
    """A literal draft, one but for markup, one with other white space, one made up, one without answer."""
    rows = [
        {"question": "What do tiles cost?", "document": "sub/b.txt", "quote": "Tiles 😀 cost much."},
        {"question": "When is the rent due?", "document": "a.md", "quote": "The rent is due in May"},
        {"question": "Who repairs?", "document": "roof.txt", "quote": NOTICE.replace(" ", "\n")},
        {"question": "Who pays?", "document": "a.md", "quote": "The tenant pays."},
        {"question": "Why?", "answerable": False},
    ]
    path = folder / "drafts.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_drafts_that_are_not_literal_come_first(gold: Path, docs: Path, tmp_path: Path) -> None:
    """Each has its place in the source, or the reason why it has none."""
    session = opened(gold, docs, draft_file(tmp_path))
    drafts = session.overview()["drafts"]
    assert [(draft["text"], draft["literal"]) for draft in drafts] == [
        ("When is the rent due?", False),
        ("Who repairs?", False),
        ("Who pays?", False),
        ("What do tiles cost?", True),
        ("Why?", True),
    ]
    rent, roof, made_up = (draft["needs"][0][0] for draft in drafts[:3])
    assert (rent["how"], rent["quote"]) == ("markup", "The **rent** is due in *May")
    assert MARKDOWN[rent["start"] : rent["end"]] == rent["quote"]
    assert (roof["how"], roof["quote"]) == ("folded", NOTICE)
    assert (made_up["start"], made_up["why"]) == (-1, "does not occur in document a.md")
    assert drafts[4]["answerable"] is False
    assert session.drafts_summary() == ("5 drafts, 3 not literal: 0 accepted, 0 mended, 0 rejected, 5 open")
    session.close()


def test_decisions_on_drafts_are_counted_and_kept(gold: Path, docs: Path, tmp_path: Path) -> None:
    """Accepted, mended, rejected and opened again; the next start knows them."""
    path = draft_file(tmp_path)
    session = opened(gold, docs, path)
    drafts = {draft["text"]: draft for draft in session.overview()["drafts"]}

    def keep(text: str, quote: dict[str, Any], *, mended: bool) -> None:
        own = {name: quote[name] for name in ("document", "start", "end", "quote")}
        session.record(kept(text, [own], draft=drafts[text]["key"], mended=mended))

    keep("When is the rent due?", drafts["When is the rent due?"]["needs"][0][0], mended=False)
    keep("Who pays?", RENT, mended=True)
    for number, kind in enumerate(("reject", "reopen", "reject")):
        session.record({"id": f"r{number}", "kind": kind, "draft": drafts["Why?"]["key"]})
    said = "5 drafts, 3 not literal: 1 accepted, 1 mended, 1 rejected, 2 open"
    assert session.drafts_summary() == said
    session.close()
    session = opened(gold, docs, path)
    assert session.drafts_summary() == said
    assert [row["quote"] for row in rows_in(gold)] == ["The **rent** is due in *May", RENT["quote"]]
    session.close()


@pytest.mark.parametrize("content", ["", "topic 0 a.md 1\n", '{"a": 1}\n', "x" * 30 + "\n"])
def test_drafts_of_another_kind_are_an_error(gold: Path, docs: Path, tmp_path: Path, content: str) -> None:
    """It names the file; nothing is left behind."""
    (tmp_path / "drafts").write_text(content, encoding="utf-8")
    with pytest.raises(ExcerptError, match="drafts"):
        opened(gold, docs, tmp_path / "drafts")
    assert not Path(f"{gold}.journal").exists()


def test_quotes_that_the_documents_lack_are_said(gold: Path, docs: Path) -> None:
    """The line stays as it is; the page shows it as not found."""
    row = {"question": "When?", "document": "a.md", "quote": "in June", "start": 3, "end": 10}
    gold.write_text(json.dumps(row) + "\n", encoding="utf-8")
    session = opened(gold, docs)
    assert session.said == [
        f"1 quote of {gold} not in these documents; excerpt align carries quotes to another version of them"
    ]
    ((need,),) = session.overview()["questions"][0]["needs"]
    assert (need["start"], need["quote"]) == (-1, "in June")
    session.close()


def test_copies_of_a_quote_are_found(gold: Path, docs: Path) -> None:
    """In all documents, with other white space; not of short text, and not the quote itself."""
    session = opened(gold, docs)
    found = session.copies("roof.txt", ROOF["start"], ROOF["end"])
    assert [(copy.document, DOCUMENTS[copy.document][copy.start : copy.end].split()) for copy in found] == [
        ("roof.txt", NOTICE.split()),
        ("sub/b.txt", NOTICE.split()),
    ]
    assert session.copies("roof.txt", 0, 6) == []
    session.close()


SEARCHES = {
    "rent is due": [("a.md", "rent** is due")],
    "RENT": [("a.md", "Rent"), ("a.md", "rent")],
    "the law": [("a.md", "the law")],
    "cold in": [("page.html", "cold in")],
    "within  thirty": [
        ("roof.txt", "within thirty"),
        ("roof.txt", "within\nthirty"),
        ("sub/b.txt", "within thirty"),
    ],
    "due x": [("a.md", "due")],
    "nothing such": [],
    " ": [],
}


@pytest.mark.parametrize("words", SEARCHES)
def test_documents_are_searched_as_people_read_them(gold: Path, docs: Path, words: str) -> None:
    """In any case, with any white space, without markup; words apart if they stand nowhere together."""
    session = opened(gold, docs)
    found, count = session.search(words)
    assert count == len(found)
    texts = [(place.document, session.corpus[place.document][place.start : place.end]) for place in found]
    assert texts == SEARCHES[words]
    session.close()


def test_words_are_those_that_are_seen(gold: Path, docs: Path) -> None:
    """Marks of Markdown are in no word; offsets are of the source."""
    session = opened(gold, docs)
    steps, at, words = session.units(session.document("a.md")).words, 0, []
    for gap, length in zip(steps[::2], steps[1::2], strict=True):
        words.append(MARKDOWN[at + gap : at + gap + length])
        at += gap + length
    assert words[:9] == ["Rent", "The", "rent", "is", "due", "in", "May", ",", "see"]
    session.close()


_WORD = some.text(alphabet='ab \n\u2028\u0085\r"\\<é😀', min_size=1, max_size=6)


@given(some.lists(some.tuples(_WORD, some.integers(0, 30), some.integers(1, 20)), max_size=6), some.data())
def test_state_is_what_the_journal_says(
    tmp_path_factory: pytest.TempPathFactory, written: list[tuple[str, int, int]], data: some.DataObject
) -> None:
    """Any questions, in any order, changed and deleted: file, state and next start agree."""
    folder = tmp_path_factory.mktemp("gold")
    text = "one two\nthree 😀 four\r\nfive \u2028 six seven eight nine"
    corpus, gold = Corpus({"d": text}), folder / "g"
    session = GoldSession(str(gold), corpus)
    wanted: dict[str, tuple[str, str]] = {}
    for words, start, length in written:
        quote = text[start : start + length]
        plain = " ".join(words.split())
        if not (plain and quote.strip()) or plain in {one for one, _ in wanted.values()}:
            continue
        key = data.draw(some.sampled_from(["", *wanted]))
        version = session._journal.content.questions[key].version if key else 0
        event = kept(words, [quoted("d", quote, start)], question=key, base=version)
        wanted[session.record(event)["question"]] = plain, quote
        if data.draw(some.booleans()):
            key = data.draw(some.sampled_from([*wanted]))
            version = session._journal.content.questions[key].version
            session.record({"id": f"{event['id']} off", "kind": "delete", "question": key, "base": version})
            del wanted[key]
    rows = {row["question_id"]: (row["question"], row["quote"]) for row in rows_in(gold)}
    assert rows == wanted
    before = session.overview()
    session.close()
    session = GoldSession(str(gold), corpus)
    assert session.overview() == before
    session.close()


def test_align_carries_every_form_of_a_row(gold: Path, docs: Path, tmp_path: Path) -> None:
    """One quote, several needs with alternatives, no answer; the session goes on with the carried file."""
    session = opened(gold, docs)
    session.record(kept("One?", [RENT], tags=["money"]))
    session.record(kept("Two?", [ROOF, TILES], [RENT]))
    session.record(kept("Three?"))
    session.close()
    changed = {**DOCUMENTS, "a.md": f"New words first.\n\n{MARKDOWN}", "sub/b.txt": "Slates cost much.\n"}
    (tmp_path / "later").mkdir()
    later, carried = write_documents(tmp_path / "later", changed), tmp_path / "carried.jsonl"
    aligned = excerpt.align(gold, docs, later, output=carried)
    assert aligned.counts == {"kept": 3, "moved": 0, "changed": 0, "gone": 1}
    before, (one, two, three) = rows_in(gold), rows_in(carried)
    assert changed["a.md"][one["start"] : one["end"]] == one["quote"] == RENT["quote"]
    first, second = two["evidence"]
    assert [quote["document"] for quote in first["any_of"]] == ["roof.txt"]
    assert (second["start"], three) == (one["start"], before[2])
    session = opened(carried, later)
    assert session.said == []
    assert [len(one["needs"]) for one in session.overview()["questions"]] == [1, 2, 0]
    session.close()


@pytest.mark.parametrize("name", ["gold.jsonl.gz", "docs", "nowhere/gold.jsonl"])
def test_names_that_cannot_be_written(tmp_path: Path, docs: Path, name: str) -> None:
    """Compressed files, folders, and files of no folder: one line, and nothing is left behind."""
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(ExcerptError, match=r"gold\.jsonl|docs"):
        opened(tmp_path / name, docs)
    assert sorted(tmp_path.rglob("*")) == before
