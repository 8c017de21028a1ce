"""Provenance of scores: hashes of judgments by their meaning, and tables that cannot be compared."""

from __future__ import annotations

import gzip
import json
import pickle
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt import (
    ExcerptError,
    ExcerptWarning,
    Judgments,
    Policy,
    Run,
    ScoreTable,
    __version__,
    evaluate,
    gate,
    load_scores,
    read_judgments,
    save_scores,
)
from excerpt.model.elements import GradedElement
from excerpt.model.judgments import Scale
from excerpt.scores.provenance import topic_hashes

GOLD = Judgments.of([(str(topic), f"D{topic}", 100, 200) for topic in range(9)])
CHANGED = Judgments.of([(str(topic), f"D{topic}", 100, 200 + topic // 5) for topic in range(9)])
ONE, TWO = (
    Run.of(name, [(str(topic), f"D{topic}", at, at + 100) for topic in range(9)])
    for name, at in (("one", 120), ("two", 150))
)
KEYS = ["judgments", "topics", "documents", "policy", "limit", "white_space", "measures", "excerpt"]

FOL = "1 Q0 A 60 200 10 10:40 100:20\n1 Q0 C 0 300\n2 Q0 D 100 1000 400 400:100\n2 Q0 A 10 200 5 5:10\n"
#: The same judgments in JSON Lines.
LINES = (
    '{"topic": "2", "document": "A", "spans": [[5, 15]], "bep": 5}\n'
    '{"topic": "2", "document": "D", "spans": [[400, 500]], "bep": 400}\n'
    '{"topic": "1", "document": "C", "spans": []}\n'
    '{"topic": "1", "document": "A", "spans": [[100, 120], [10, 50]], "bep": 10}\n'
)

_ROWS = st.lists(
    st.tuples(st.sampled_from("12"), st.sampled_from("AB\0é"), st.integers(0, 9), st.integers(1, 5)),
    max_size=8,
)


def _meaning(judgments: Judgments) -> dict[str, set[tuple[str, int]]]:
    """Relevant characters of each topic, and -1 for each judged document."""
    facts: dict[str, set[tuple[str, int]]] = {topic: set() for topic in judgments.topics}
    for topic, document in zip(judgments.pair_topic, judgments.pair_document, strict=True):
        facts[judgments.topics[topic]].add((judgments.documents[document], -1))
    for topic in judgments.topics:
        for span in judgments.highlights(topic):
            facts[topic] |= {(span.document, at) for at in range(span.start, span.end)}
    return facts


@given(_ROWS, _ROWS, st.randoms(use_true_random=False))
def test_equal_hashes_mean_equal_judgments(first: list[Any], second: list[Any], draw: random.Random) -> None:
    """A topic has the same hash if and only if the same text of the same documents is judged."""
    again = draw.sample(first, len(first))
    one, other, shuffled = (
        Judgments.of([(topic, document, start, start + length) for topic, document, start, length in rows])
        for rows in (first, second, again)
    )
    assert topic_hashes(one) == topic_hashes(shuffled)
    hashes, means = (topic_hashes(one), topic_hashes(other)), (_meaning(one), _meaning(other))
    for topic in set(one.topics) & set(other.topics):
        assert (hashes[0][topic] == hashes[1][topic]) == (means[0][topic] == means[1][topic])


def test_files_do_not_matter(tmp_path: Path) -> None:
    """Format, order, compression, lengths of documents and other topics do not change a hash."""
    content = {"a.fol": FOL.encode(), "a.jsonl": LINES.encode(), "b.fol.gz": gzip.compress(FOL.encode())}
    content["c.fol"] = "".join(FOL.splitlines(keepends=True)[::-1]).encode()
    for name, data in content.items():
        (tmp_path / name).write_bytes(data)
    run = Run.of("r", [("1", "A", 0, 50)])
    records: list[Any] = [evaluate(tmp_path / name, run, "charR").made_with for name in content]
    assert all(record == records[0] for record in records)
    less = read_judgments(FOL.replace("2 Q0", "3 Q0").encode())
    assert topic_hashes(less)["1"] == records[0]["topics"]["1"]


@pytest.mark.parametrize(
    ("old", "new"), [("10 10:40", "11 10:40"), ("10:40", "10:41"), ("1 Q0 C 0 300\n", "")]
)
def test_every_fact_matters(old: str, new: str) -> None:
    """Entry points, spans and documents judged irrelevant; only the topic that has them changes."""
    before, after = (topic_hashes(read_judgments(text.encode())) for text in (FOL, FOL.replace(old, new)))
    assert (before["1"] == after["1"], before["2"] == after["2"]) == (False, True)


def test_grades_matter() -> None:
    """Grades of documents and of elements, in any order of the elements."""
    one, other = (topic_hashes(Judgments.of({"1": {"A": 1, "B": grade}})) for grade in (1, 2))
    assert one != other
    elements = [GradedElement("1", "a", path, 2, 3) for path in ("/a[1]", "/a[1]/b[1]")]
    scale: Scale = "exhaustivity and specificity"
    hashes = topic_hashes(Judgments.graded(elements, scale=scale))
    assert hashes == topic_hashes(Judgments.graded(elements[::-1], scale=scale))
    assert hashes == topic_hashes(Judgments.graded([e._replace(size=7) for e in elements], scale=scale))
    for other_element in (elements[1]._replace(exhaustivity=1), elements[1]._replace(path="/a[1]/c[1]")):
        changed = Judgments.graded([elements[0], other_element], scale=scale)
        assert hashes != topic_hashes(changed)


@pytest.mark.parametrize("name", ["scores.json", "scores.parquet"])
def test_saved_and_pickled(tmp_path: Path, name: str) -> None:
    """Files, pickles and printed scores of all topics have the record; parts of a table its topics."""
    pytest.importorskip("pyarrow")
    table = evaluate(GOLD, [ONE, TWO], ["recall@5", "found"], policy=Policy(overlap="first", limit=7))
    record = table.made_with
    assert record is not None
    assert list(record) == KEYS
    assert record["measures"] == {"recall@5": "charR[5]", "found": "found"}
    assert (record["policy"]["overlap"], record["limit"], record["white_space"]) == ("first", 7, "counted")
    save_scores(table, tmp_path / name)
    assert load_scores(tmp_path / name).made_with == record
    assert pickle.loads(pickle.dumps(table)).made_with == record
    assert ScoreTable.from_json(json.dumps(table.to_dict(per_topic=True))).made_with == record
    part = table.of_topics([1]).select(["found"]).made_with
    assert part is not None
    assert (list(part["topics"]), list(part["measures"])) == (["1"], ["found"])


def test_white_space() -> None:
    """A corpus is needed, and a measure that ignores white space."""
    corpus = {f"D{topic}": "x" * 300 for topic in range(9)}
    for measure, said in (("found", "not counted"), ("charR", "counted")):
        record = evaluate(GOLD, ONE, measure, corpus=corpus).made_with
        assert record is not None
        assert record["white_space"] == said
    with pytest.raises(ExcerptError, match=r"another white-space rule \(not counted and counted\)"):
        evaluate(GOLD, ONE, "found", corpus=corpus) + evaluate(GOLD, TWO, "found")
    joined = evaluate(GOLD, ONE, "found", corpus=corpus) + evaluate(GOLD, ONE, "charR")
    assert joined.measures == ("found", "charR")


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        (Policy(overlap="first"), "another policy (overlap: error and first)"),
        (Policy(limit=10), "another limit (1500 and 10)"),
        (Policy(limit=None), "another limit (1500 and none)"),
    ],
)
def test_other_settings_cannot_be_allowed(policy: Policy, said: str) -> None:
    """Other judgments can, but not another policy."""
    first, second = evaluate(GOLD, ONE, "charR"), evaluate(CHANGED, TWO, "charR", policy=policy)
    for changed in ("error", "allow"):
        with pytest.raises(ExcerptError) as error:
            first.join(second, changed_judgments=changed)
        assert said in error.value.message
        assert ("other judgments (4 topics: 5, 6, 7 and 1 more)" in error.value.message) == (
            changed == "error"
        )


def test_changed_judgments() -> None:
    """`+` and `gate` name the first three topics; `allow` goes on with the others and counts them."""
    first, second = evaluate(GOLD, ONE, "charR"), evaluate(CHANGED, TWO, "charR")
    said = r"other judgments \(4 topics: 5, 6, 7 and 1 more\)"
    with pytest.raises(ExcerptError, match=said):
        first + second
    unsure = gate(first, second)
    assert (unsure.doubts, unsure.topics.changed) == (
        ("the judgments of 4 of 9 questions are changed since the baseline was saved (5, 6, 7, 8)",),
        tuple("5678"),
    )
    with pytest.raises(ExcerptError, match="'most'"):
        gate(first, second, changed_judgments="most")
    left = "4 topics have other judgments and are left out; 5 topics did not change (first: topic 5)"
    with pytest.warns(ExcerptWarning, match="5 topics did not change"):
        joined = first.join(second, changed_judgments="allow")
    assert (joined.topics, joined.warnings) == (tuple("01234"), (left,))
    assert joined.values[1].tolist() == evaluate(GOLD, TWO, "charR").values[0, :5].tolist()
    with pytest.warns(ExcerptWarning, match="5 topics did not change"):
        result = gate(first, second, changed_judgments="allow")
    assert ([verdict.topics for verdict in result.verdicts], result.warnings) == ([5], (left,))
    with pytest.raises(ExcerptError, match="no topic has the same judgments"):
        gate(first.of_topics([5]), second.of_topics([5]), changed_judgments="allow")


def test_unknown_provenance(tmp_path: Path) -> None:
    """Scores of 0.2.0 give a warning where they meet others; tables made by hand do not."""
    file, table = tmp_path / "old.json", evaluate(GOLD, ONE, "charR")
    save_scores(table, file)
    saved = json.loads(file.read_text())
    del saved["made_with"]
    file.write_text(json.dumps(saved))
    old = load_scores(file)
    assert old.made_with is None
    with pytest.warns(ExcerptWarning, match=r"1 table of saved scores does not say .* \(run one\)"):
        assert gate(old, evaluate(CHANGED, TWO, "charR")).worse
    with pytest.warns(ExcerptWarning, match="2 tables of saved scores do not say"):
        assert (old + old.rename({"one": "two"})).made_with is None
    by_hand = replace(table, origin=None)
    assert (by_hand + evaluate(CHANGED, TWO, "charR")).made_with is None
    assert (by_hand + by_hand).origin is None


@pytest.mark.parametrize(
    ("key", "value"),
    [("topics", []), ("topics", {"1": 1}), ("policy", 3), ("limit", "x"), ("measures", None), ("excerpt", 1)],
)
def test_damaged_records(key: str, value: object) -> None:
    """A record of another shape is not excerpt's."""
    saved = json.loads(evaluate(GOLD, ONE, "charR").to_json())
    saved["made_with"][key] = value
    with pytest.raises(ExcerptError, match="not a table of scores that excerpt saved"):
        ScoreTable.from_json(json.dumps(saved))


def rewritten(table: ScoreTable, file: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    """A file of scores with a changed record."""
    save_scores(table, file)
    if file.suffix == ".json":
        saved = json.loads(file.read_text())
        change(saved["made_with"])
        file.write_text(json.dumps(saved))
        return file
    parquet = pytest.importorskip("pyarrow.parquet", reason="Parquet files need pyarrow")
    read, key = parquet.read_table(file), b"excerpt made_with"
    made = json.loads(read.schema.metadata[key])
    change(made)
    parquet.write_table(read.replace_schema_metadata({key: json.dumps(made)}), file)
    return file


@pytest.mark.parametrize("name", ["scores.json", "scores.parquet"])
@pytest.mark.parametrize(
    "key", ["judgments", "topics", "policy", "limit", "white_space", "measures", "excerpt"]
)
def test_records_without_a_key(tmp_path: Path, name: str, key: str) -> None:
    """Another version may have dropped it: one line, with both versions."""

    def change(made: dict[str, Any]) -> None:
        made["excerpt"] = "9.1.0"
        del made[key]

    file = rewritten(evaluate(GOLD, ONE, "charR"), tmp_path / name, change)
    with pytest.raises(ExcerptError) as caught:
        load_scores(file)
    said = f"{file}: found a record of the scores without {key}, expected judgments, white_space, excerpt, "
    assert str(caught.value).startswith(said)
    wrote = f"; excerpt 9.1.0 wrote it, this is {__version__}; save the scores again, with this version"
    assert key == "excerpt" or str(caught.value).endswith(wrote)


@pytest.mark.parametrize("name", ["scores.json", "scores.parquet"])
def test_further_keys_of_a_later_version(tmp_path: Path, name: str) -> None:
    """What is not compared is said, once, and the scores are those of the file."""
    table = evaluate(GOLD, ONE, "charR")
    change = {"excerpt": "9.1.0", "budget": 7, "seed": 1}
    loaded = load_scores(rewritten(table, tmp_path / name, lambda made: made.update(change)))
    wrote = f"excerpt 9.1.0 wrote it, this is {__version__}"
    said = f"2 unknown keys of saved scores are not compared (first: budget, seed; {wrote})"
    assert loaded.warnings == (*table.warnings, said)
    assert np.array_equal(loaded.values, table.values)
    save_scores(loaded, tmp_path / "again.json")
    assert load_scores(tmp_path / "again.json").warnings == loaded.warnings


@pytest.mark.parametrize(
    ("key", "value"),
    [("topics", []), ("topics", {"1": 1}), ("policy", 3), ("limit", "x"), ("measures", None), ("excerpt", 1)],
)
def test_damaged_records_of_parquet(tmp_path: Path, key: str, value: object) -> None:
    """As those of JSON."""
    table = evaluate(GOLD, ONE, "charR")
    file = rewritten(table, tmp_path / "x.parquet", lambda made: made.update({key: value}))
    with pytest.raises(ExcerptError, match="not a table of scores that excerpt saved"):
        load_scores(file)


def test_tables_of_one_evaluation_are_not_hashed() -> None:
    """Comparing runs that were scored together costs nothing."""
    table = replace(evaluate(GOLD, [ONE, TWO], "charR"), origin=lambda: pytest.fail("hashed"))
    joined = table.of_runs([0]) + table.of_runs([1])
    assert np.array_equal(joined.values, table.values)
    assert joined.origin is table.origin
