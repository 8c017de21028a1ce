"""Saved tables of scores: what is saved comes back, and what no table is is refused."""

from __future__ import annotations

import gzip
import io
import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scores.test_score_table import EXAMPLE

from excerpt import ExcerptError, ScoreTable, load_scores, save_scores
from excerpt.errors import json_text
from excerpt.model.judgments import Question
from excerpt.score_files.score_rows import is_scores

NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=6)
SCORES = st.one_of(st.just(math.nan), st.floats(0, 1), st.floats(0, 1e15))


@st.composite
def tables(draw: st.DrawFn, names: st.SearchStrategy[str] = NAMES) -> ScoreTable:
    """Tables with any names and any scores, some undefined."""
    axes = [tuple(draw(st.lists(names, min_size=1, max_size=3, unique=True))) for _ in range(3)]
    shape = tuple(len(axis) for axis in axes)
    values = draw(st.lists(SCORES, min_size=math.prod(shape), max_size=math.prod(shape)))
    files = tuple(f"{name}.run" for name in axes[0])
    return ScoreTable(axes[0], files, axes[1], axes[2], np.array(values).reshape(shape), ("a warning",))


def same(one: ScoreTable, two: ScoreTable) -> bool:
    """Return whether tables have the same names and, bit by bit, the same scores."""
    names = (one.runs, one.topics, one.measures) == (two.runs, two.topics, two.measures)
    return names and one.values.shape == two.values.shape and bits(one) == bits(two)


def bits(table: ScoreTable) -> list[str]:
    """Scores as exact text; undefined ones are all alike."""
    return [score.hex() for score in table.values.ravel().tolist()]


@settings(max_examples=150)
@given(tables())
def test_json_round_trip(table: ScoreTable) -> None:
    """JSON keeps everything, bit by bit."""
    again = ScoreTable.from_json(table.to_json())
    assert same(table, again)
    assert (again.files, again.warnings) == (table.files, table.warnings)


@settings(max_examples=150)
@given(tables())
def test_csv_round_trip(table: ScoreTable) -> None:
    """CSV keeps names and scores, bit by bit, whatever characters the names have."""
    assert same(table, ScoreTable.from_csv(table.to_csv()))


@settings(max_examples=60)
@given(table=tables())
@pytest.mark.parametrize("suffix", [".json", ".csv"])
def test_saved_files_come_back(
    suffix: str, table: ScoreTable, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Saved tables are loaded unchanged; the extension decides the format."""
    path = tmp_path_factory.getbasetemp() / f"scores{suffix}"
    save_scores(table, path)
    assert same(table, load_scores(path))


def test_parquet_comes_back(tmp_path: Path) -> None:
    """Parquet keeps names and scores, bit by bit."""
    pytest.importorskip("pyarrow", reason="Parquet files need pyarrow")
    save_scores(EXAMPLE, tmp_path / "scores.parquet")
    assert same(EXAMPLE, load_scores(tmp_path / "scores.parquet"))


def test_broken_parquet_is_refused(tmp_path: Path) -> None:
    """A file that only begins like Parquet is an error that names the file."""
    pytest.importorskip("pyarrow", reason="Parquet files need pyarrow")
    (tmp_path / "x.parquet").write_bytes(b"PAR1 and nothing more")
    with pytest.raises(ExcerptError, match=r"x\.parquet"):
        load_scores(tmp_path / "x.parquet")


GOOD = json.loads(EXAMPLE.to_json())


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "{}",
        '{"runs": 3}',
        json.dumps({**GOOD, "values": []}),
        json.dumps({**GOOD, "values": None}),
        json.dumps({**GOOD, "values": GOOD["values"][:1]}),
        json.dumps({**GOOD, "values": [[[0.1, 1, 0.2], [None], [0.3, 0]], GOOD["values"][1]]}),
        json.dumps({**GOOD, "values": [[["x", 1], [0.2, None], [0.3, 0]], GOOD["values"][1]]}),
        json.dumps({**GOOD, "values": [[[{}, 1], [0.2, None], [0.3, 0]], GOOD["values"][1]]}),
        json.dumps({**GOOD, "runs": None}),
        json.dumps({**GOOD, "files": ["one"]}),
        json.dumps({**GOOD, "runs": ["r", "r"]}),
        json.dumps({**GOOD, "format": "something else"}),
        json.dumps({key: value for key, value in GOOD.items() if key != "topics"}),
        "",
        "run;topic;measure;score\n",
        "run,topic,measure,score\nr,1,AiP\n",
        "run,topic,measure,score\nr,1,AiP,x\n",
        "run,topic,measure,score\nr,1,AiP,0.5,9\n",
        "run,topic,measure,score\nr,1,AiP,0.5\nr,1,AiP,0.7\n",
        "run,topic,measure,score\nr\rs,1,AiP,0.5\n",
        "run,topic,measure,score\n" + "r" * 200_000 + ",1,AiP,0.5\n",
        "run,topic,measure,score\nr,1,AiP,inf\n",
        "run,topic,measure,score\nr,1,AiP,nan\n",
        "run,topic,measure,score\nr,1,AiP,-0.5\n",
        "run,topic,measure,score\nr,1,AiP,1e16\n",
        "run,topic,measure,score\nr,1,AiP,1_0\n",
        "run,topic,measure,score\nr,1,AiP, 0.5\n",
        "run,topic,measure,score\nr,1,AiP,1e999\n",
        "run,topic,measure,score\nr,1,AiP,...\n",
        "topic Q0 document",
        '{"a": ' * 100_000,
        json.dumps(GOOD).replace("0.2", "1" + "0" * 400),
        json.dumps(GOOD).replace("0.2", "1" + "0" * 5000),
        json.dumps(GOOD).replace("0.2", "Infinity"),
        json.dumps(GOOD).replace("0.2", "NaN"),
        json.dumps(GOOD).replace("0.2", "-0.2"),
        json.dumps(GOOD).replace("0.2", "true"),
        json.dumps(GOOD).replace("0.2", '"0.2"'),
        json.dumps(GOOD).replace("0.2", "1e16"),
        json.dumps({**GOOD, "topics": [1, 2, 3]}),
        json.dumps({**GOOD, "topics": "123"}),
        "[1, 2]",
        "\udcff\udcfe",
    ],
)
def test_files_that_are_no_scores_are_refused(text: str, tmp_path: Path) -> None:
    """A file that is not a table of scores is an ExcerptError of one line that names the file."""
    path = tmp_path / "saved.json"
    path.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(ExcerptError, match=r"saved\.json") as caught:
        load_scores(path)
    assert "\n" not in str(caught.value)


def test_line_of_a_bad_row(tmp_path: Path) -> None:
    """The message names file and line."""
    (tmp_path / "x.csv").write_text("run,topic,measure,score\nr,1,AiP,0.5\nr,2,AiP,much\n")
    with pytest.raises(ExcerptError, match=r"x\.csv:3: "):
        load_scores(tmp_path / "x.csv")


def test_parquet_of_other_things(tmp_path: Path) -> None:
    """Columns of other types or values are one line."""
    arrow = pytest.importorskip("pyarrow", reason="Parquet files need pyarrow")
    from pyarrow import parquet

    good = {"run": ["r"], "topic": ["1"], "measure": ["AiP"], "score": [0.5]}
    for column, values in (
        ("run", [None]),
        ("score", ["x"]),
        ("score", [float("inf")]),
        ("score", [-1.0]),
        ("other", [1]),
    ):
        columns = {**good, column: values} if column in good else {column: values}
        parquet.write_table(arrow.table(columns), tmp_path / "x.parquet")
        said = (
            r"x\.parquet:1: (not a table of scores: expected the columns run|found None as a name"
            r"|found score (x|inf|-1\.0), expected)"
        )
        with pytest.raises(ExcerptError, match=said):
            load_scores(tmp_path / "x.parquet")


@pytest.mark.parametrize("name", ["scores.txt", "scores", "scores.xlsx"])
def test_unknown_suffixes_are_refused(name: str, tmp_path: Path) -> None:
    """A suffix that says nothing is an error that lists those that do."""
    with pytest.raises(ExcerptError, match=r"\.json.*\.csv.*\.parquet"):
        save_scores(EXAMPLE, tmp_path / name)


def test_scores_out_of_range_are_named() -> None:
    """A score that none can be is shown, with what it is the score of."""
    with pytest.raises(
        ExcerptError, match=r"found score -0\.5, expected a number from 0 to .* \(run a, topic 1, P\)"
    ):
        ScoreTable.from_csv("run,topic,measure,score\na,1,P,-0.5\n")


def test_json_keeps_names_questions_and_documents() -> None:
    """Meanings of everyday names and questions are loaded again; older files lack them."""
    known = replace(
        EXAMPLE,
        aliases={"AiP": "MAiP"},
        questions={"1": Question("1", "Wer „fragt“?", "law")},
        single_documents={"2": "D"},
    )
    again = ScoreTable.from_json(known.to_json())
    assert (again.aliases, again.questions, again.single_documents) == (
        known.aliases,
        known.questions,
        known.single_documents,
    )
    saved = json.loads(known.to_json())
    for name in ("aliases", "questions", "documents"):
        del saved[name]
    old = ScoreTable.from_json(json.dumps(saved))
    assert (old.aliases, old.questions, old.single_documents) == ({}, {}, {})


@pytest.mark.parametrize(
    "damage",
    [
        {"aliases": []},
        {"aliases": {"a": 1}},
        {"questions": {"1": "text"}},
        {"questions": {"1": [1, 2]}},
        {"questions": {"1": ["a", "b", "c", "d"]}},
        {"documents": {"1": None}},
        {"documents": "D"},
    ],
)
def test_damage_beside_the_scores(damage: dict[str, object]) -> None:
    """Other content than excerpt writes is rejected."""
    with pytest.raises(ExcerptError, match="not a table of scores that excerpt saved"):
        ScoreTable.from_json(json.dumps({**json.loads(EXAMPLE.to_json()), **damage}))


TABLE = {("r", "1", "MAiP"): 0.1, ("r", "2", "MAiP"): 1 / 3, ("s", "1", "MAiP"): 0.0, ("s", "2", "MAiP"): 1.0}


@pytest.mark.parametrize("suffix", [".json", ".csv", ".parquet"])
def test_scores_read_back(tmp_path: Path, suffix: str) -> None:
    """Every score is the same number."""
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
    file = tmp_path / f"scores{suffix}"
    save_scores(ScoreTable.from_scores(TABLE), file)
    assert load_scores(file).to_csv() == ScoreTable.from_scores(TABLE).to_csv()


def test_unknown_suffix(tmp_path: Path) -> None:
    """The known ones are listed and no file appears."""
    with pytest.raises(ExcerptError, match=r"cannot save scores as \.xls; known extensions: \.json"):
        save_scores(ScoreTable.from_scores(TABLE), tmp_path / "scores.xls")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "content", [b"{", b"hello\nworld\n", b"\xff\xfe", b"{}", b"[]", b'{"a": [1]}', b"PAR1x"]
)
def test_other_files(tmp_path: Path, content: bytes) -> None:
    """A file that excerpt did not save gives an error that names the file."""
    if content.startswith(b"PAR1"):
        pytest.importorskip("pyarrow")
    file = tmp_path / "x"
    file.write_bytes(content)
    with pytest.raises(ExcerptError) as caught:
        load_scores(file)
    assert str(caught.value).startswith(f"{file}:")


def test_scores_are_recognised(tmp_path: Path) -> None:
    """By how a file begins; runs, folders and what can be read only once are none."""
    table = ScoreTable.from_scores(TABLE)
    for name, content in {
        "a.json": table.to_json().encode(),
        "a.csv": table.to_csv().encode(),
        "a.csv.gz": gzip.compress(table.to_csv().encode()),
        "p.json": json_text(table.to_dict(per_topic=True), indent=2).encode(),
        "means": json_text(table.to_dict()).encode(),
    }.items():
        (tmp_path / name).write_bytes(content)
        assert is_scores(tmp_path / name)
    (tmp_path / "run").write_text("1 Q0 A 1 9 mine 0 50\n")
    (tmp_path / "gold.json").write_text('{"data": []}')
    for other in ("run", "gold.json", "none", "."):
        assert not is_scores(tmp_path / other)
    assert not is_scores("-")
    assert not is_scores(io.BytesIO(table.to_csv().encode()))


def test_printed_scores_read_back() -> None:
    """Printed scores of all topics are a table again; means alone give an error."""
    table = replace(ScoreTable.from_scores({**TABLE, ("s", "2", "MAiP"): None}), warnings=("a doubt",))
    again = load_scores(json_text(table.to_dict(per_topic=True)).encode())
    assert again.to_csv() == table.to_csv()
    assert again.warnings == table.warnings
    with pytest.raises(
        ExcerptError, match="found only means, expected a table with the scores of every topic"
    ):
        load_scores(json_text(table.to_dict()).encode())


@pytest.mark.parametrize(
    "damage",
    [
        {"runs": []},
        {"runs": 1},
        {"measures": ["MAiP", "MAiP"]},
        {"measures": ["other"]},
        {"runs": [{"name": "r", "file": "r", "topics": {"1": {"MAiP": "x"}}}]},
        {"runs": [{"name": "r", "file": "r", "topics": []}]},
        {"runs": [{"name": 1, "file": "r", "topics": {"1": {"MAiP": 1}}}]},
        {"runs": [{"name": "r", "file": "r", "topics": {str(topic): {"MAiP": 1}}} for topic in (1, 2)]},
        {"runs": 2 * [{"name": "r", "file": "r", "topics": {"1": {"MAiP": 1}}}]},
    ],
)
def test_damage_of_printed_scores(damage: dict[str, object]) -> None:
    """Changed printouts are not a table."""
    printed = ScoreTable.from_scores(TABLE).to_dict(per_topic=True)
    with pytest.raises(ExcerptError, match="not a table of scores that excerpt saved"):
        load_scores(json_text({**printed, **damage}).encode())
