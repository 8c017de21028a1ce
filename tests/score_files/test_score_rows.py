"""Scores of other tools: long and wide tables, lines of trec_eval and ir_measures, data frames."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import excerpt
from excerpt import ExcerptError, ScoreTable, load_scores
from excerpt.score_files.saved_scores import load_all
from excerpt.score_files.score_rows import is_scores

SCORES = {(run, topic, measure): 0.5 for run in "ab" for topic in ("1", "2") for measure in ("AP", "P@5")}
SCORES |= {("a", "1", "AP"): 0.25, ("b", "2", "P@5"): 1.0}
OFFICIAL = Path(__file__).parents[1] / "data" / "trec_eval" / "out.test.aq.gz"


def written(rows: list[tuple[object, ...]], delimiter: str = ",") -> bytes:
    """Rows as CSV or TSV."""
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def long(*heading: str) -> list[tuple[object, ...]]:
    """A row for each score, under a heading."""
    return [heading, *((*key, score) for key, score in SCORES.items())]


def wide() -> list[tuple[object, ...]]:
    """A row for each run and topic."""
    rows = [(run, t, SCORES[run, t, "AP"], SCORES[run, t, "P@5"]) for run in "ab" for t in ("1", "2")]
    return [("run", "topic", "AP", "P@5"), *rows]


def lines(run: str, *, first: str) -> bytes:
    """Lines of one run with the measure or the topic first, and means that do not count."""
    kept = [(measure, topic, score) for (name, topic, measure), score in SCORES.items() if name == run]
    rows = [*kept, ("AP", "all", 0.9)]
    ordered = rows if first == "measure" else [(topic, measure, score) for measure, topic, score in rows]
    return "".join("\t".join(map(str, row)) + "\n" for row in ordered).encode()


@pytest.mark.parametrize(
    "data",
    [
        written(long("run", "topic", "measure", "score")),
        written(long("run", "topic", "measure", "value"), "\t"),
        written(long("name", "qid", "measure", "value")),
        written(wide()),
        written(wide(), "\t"),
        b"\xef\xbb\xbf" + written(wide()).replace(b"\n", b"\r\n"),
        written([*wide(), ("a", "all", 0.9, 0.9), ("b", "all", 0.1, 0.1)]),
        b"runid\tall\ta\n" + lines("a", first="measure") + b"runid\tall\tb\n" + lines("b", first="measure"),
        ScoreTable.from_scores(SCORES).by_topic()._rendered("csv").encode(),
        ScoreTable.from_scores(SCORES).by_topic()._rendered("trec").encode(),
    ],
)
def test_same_scores_in_every_form(data: bytes) -> None:
    """All forms are detected, and give the same table."""
    assert is_scores(data)
    assert load_scores(data).to_csv() == ScoreTable.from_scores(SCORES).to_csv()


@pytest.mark.parametrize("first", ["measure", "topic"])
def test_a_file_for_each_run(tmp_path: Path, first: str) -> None:
    """Without a runid, a run has the name of its file; lines of trec_eval have its runid below the topics."""
    for run in "ab":
        (tmp_path / f"{run}.txt.gz").write_bytes(gzip.compress(lines(run, first=first)))
    table = load_all([tmp_path / "a.txt.gz", tmp_path / "b.txt.gz"])
    assert table.to_csv() == ScoreTable.from_scores(SCORES).to_csv()
    named = lines("a", first="measure").replace(b"AP\tall", b"runid\tall\tmine\nnum_q\tall\t2\nAP\tall")
    assert load_scores(named).runs == ("mine",)


def test_official_output_of_trec_eval() -> None:
    """The official lines of every topic: scores, without numbers of documents, strings and means."""
    table = load_scores(OFFICIAL)
    assert (table.runs, table.topics) == (("STANDARD",), ("301", "302", "303"))
    assert table["STANDARD", "301", "map"] == 0.0324
    assert round(table.mean("STANDARD", "map"), 4) == 0.1786
    assert not [name for name in table.measures if name.startswith(("num_", "runid", "relstring"))]
    assert table["STANDARD", "301", "utility"] == -358


def test_lines_of_ir_measures_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What its command prints is read as it is."""
    command = pytest.importorskip("ir_measures.__main__")
    (tmp_path / "qrels").write_text("1 0 A 1\n2 0 B 1\n")
    (tmp_path / "run").write_text("1 Q0 A 1 2 r\n1 Q0 C 2 1 r\n2 Q0 C 1 2 r\n2 Q0 B 2 1 r\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["x", str(tmp_path / "qrels"), str(tmp_path / "run"), "AP", "P@1", "-q"])
        command.main_cli()
    table = load_scores(capsys.readouterr().out.encode())
    assert dict(
        zip(table.topics, table.values[0, :, table.place("measure", "AP")].tolist(), strict=True)
    ) == {
        "1": 1.0,
        "2": 0.5,
    }


def test_data_frames() -> None:
    """Frames of pandas and tables of Arrow, long and wide, in every experiment; topics may be numbers."""
    pandas, arrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    rows: dict[str, list[object]] = {"name": ["a", "a", "b", "b"], "qid": [1, 2, 1, 2]}
    rows["P"] = [0.1, 0.4, 0.3, None]
    for frame in (pandas.DataFrame(rows), arrow.table(rows)):
        with pytest.raises(ExcerptError, match="run b has no scores on 1 of 2 topics"):
            load_scores(frame)
        assert load_scores(frame, missing="drop").topics == ("1",)
        assert load_scores(frame, missing="zero").values.tolist() == [[[0.1], [0.4]], [[0.3], [0.0]]]
    rows["P"][1] = None
    assert load_scores(pandas.DataFrame(rows)).topics == ("1", "2")  # no run has a score: undefined
    rows["P"][1] = 0.4
    rows["P"][3] = 0.9
    frame = pandas.DataFrame(rows)
    melted = frame.melt(["name", "qid"], var_name="measure", value_name="value")
    expected = excerpt.compare(ScoreTable.from_scores(_keyed(rows)), test="sign").rows
    for given_ in (frame, melted, written([tuple(melted), *melted.itertuples(index=False, name=None)])):
        assert excerpt.compare(given_, test="sign").rows == expected
    assert excerpt.compare(frame, "P", test="sign").rows == expected


def _keyed(rows: dict[str, list[object]]) -> dict[tuple[str, str, str], float]:
    cells = zip(rows["name"], rows["qid"], rows["P"], strict=True)
    return {(str(run), str(topic), "P"): float(str(score)) for run, topic, score in cells}


_HEAD = "run,topic,measure,value\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (_HEAD + "a,1,P,1\na,1,P,1\n", "x:3: found run a, topic 1, P again (first in line 2), expected one"),
        (_HEAD + "a,1,P,much\n", "x:2: found score much, expected a number (run a, topic 1, P)"),
        (_HEAD + "a,1,P\n", "x:2: found 3 columns, expected 4 as in the header"),
        (_HEAD + "a,,P,1\n", "x:2: found '' as a name, expected text"),
        (_HEAD, "x: found no scores of topics, expected those of every topic"),
        (_HEAD + 'a,1,P,"1\n', "x:2: not a table of scores: unexpected end of data"),
        ("run,topic,MAP,MAP\na,1,1,1\n", "x:1: found measure MAP in two columns, expected it once"),
        ("run,topic,MAP\na,1,1e99\n", "x:2: found score 1e99, expected a number"),
        ("map\tall\t0.5\n", "x: found no scores of topics, expected those of every topic"),
        ("map\t1\t0.5\nmap\t1\t0.6\n", "x:2: found run x, topic 1, map again"),
        ("map\t1\t0.5\nmap\t2\tx\n", "x:2: found score x, expected a number (run x, topic 2, map)"),
        ("map\t1\t0.5\nmap 2\n", "x:2: found 'map 2', expected scores"),
        (_HEAD + "a,1,P,1\na,2,P,1\nb,1,P,1\n", "x: run b has no scores on 1 of 2 topics (first: 2)"),
        (
            _HEAD + "a,1,P,1\nb,2,P,1\n",
            "1 of 2 topics (first: 2); 1 other run lacks some; expected scores of",
        ),
    ],
)
def test_bad_tables(tmp_path: Path, text: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line that names the file and, where there is one, the line."""
    monkeypatch.chdir(tmp_path)
    Path("x").write_text(text)
    with pytest.raises(ExcerptError) as caught:
        load_scores("x")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_measure_missing_on_a_topic() -> None:
    """It is noticed in a file of one run, too: an error, 0, or the topic is left out."""
    whole = b"map\t1\t0.5\nP_5\t1\t0.2\nmap\t2\t0.3\nP_5\t2\t0.1\n"
    part = b"map\t1\t0.5\nP_5\t1\t0.2\nmap\t2\t0.3\n"
    with pytest.raises(ExcerptError, match=r"no scores on 1 of 2 topics \(first: 2\)"):
        load_scores(part)
    zero = load_scores(part, missing="zero")
    assert zero.values[0, :, zero.measures.index("P_5")].tolist() == [0.2, 0.0]
    assert load_scores(part, missing="drop").topics == ("1",)
    both = load_all([whole, part], missing="zero")
    assert both.values[:, :, both.measures.index("P_5")].tolist() == [[0.2, 0.1], [0.2, 0.0]]
    with pytest.raises(ExcerptError, match="no scores on 1 of 2 topics"):
        load_all([whole, part])


def test_missing_topics() -> None:
    """They are 0 or left out, in a file and between files, with a warning; an empty score is not missing."""
    data = b"run,topic,P\na,1,0.5\na,2,0.25\nb,1,1\n"
    zero, drop = (load_scores(data, missing=missing) for missing in ("zero", "drop"))
    assert zero["b", "2", "P"] == 0
    assert drop.topics == ("1",)
    for table in (zero, drop):
        assert "run b has no scores on 1 of 2 topics (first: 2)" in table.warnings[0]
    parts = [b"run,topic,P\na,1,0.5\na,2,0.25\n", b"run,topic,P\nb,3,1\nb,1,1\n"]
    with pytest.raises(ExcerptError, match=r"run a has no scores on 1 of 3 topics \(first: 3\); 1 other run"):
        load_all(parts)
    assert load_all(parts, missing="drop").values.tolist() == [[[0.5]], [[1.0]]]
    assert load_all(parts, missing="zero").values.tolist() == [[[0.5], [0.25], [0.0]], [[1.0], [0.0], [1.0]]]
    assert np.isnan(load_scores(b"run,topic,P\na,1,0.5\na,2,\n")["a", "2", "P"])
    with pytest.raises(ExcerptError, match="unknown rule for missing topics 'none'"):
        load_scores(data, missing="none")  # type: ignore[arg-type]
    with pytest.raises(ExcerptError, match="missing needs a file of scores"):
        excerpt.compare(ScoreTable.from_scores(SCORES), missing="zero")


def test_a_measure_that_one_run_lacks() -> None:
    """It is no missing topic; other measures can be compared."""
    data = b"run,topic,measure,value\na,1,P,1\na,2,P,0\nb,1,P,0\nb,2,P,1\na,1,AP,1\na,2,AP,1\n"
    assert excerpt.compare(data, "P", test="sign").rows[0]["p"] == 1
    with pytest.raises(ExcerptError, match="found 0 topics with a score of every run by AP"):
        excerpt.compare(data, "AP", test="sign")


@pytest.mark.parametrize(
    "data",
    [
        b"1 Q0 A 1 9 mine\n",
        b"301\tQ0\tmap\t1\n",
        b"q1\tdoc@5\t1\n",
        b"query-id\tcorpus-id\tscore\n1\tA\t1\n",
        b"run,topic,document,rank,score\nr,1,A,1,9\n",
        b"topic,document,quote\n1,A,words\n",
        b"7\tWho signed?\trecall\n",
        b"run,topic\na,1\n",
        b"",
        b"\xff\xfe\x00",
    ],
)
def test_other_files_are_no_scores(data: bytes) -> None:
    """Runs, judgments, gold and topics are not taken for scores."""
    assert not is_scores(data)


@given(st.text(max_size=60), st.sampled_from([_HEAD, "run,topic,MAP\n", "map\t1\t0.5\n", ""]))
def test_any_text(text: str, head: str) -> None:
    """Any content is a table or one error."""
    data = (head + text).encode("utf-8", "surrogatepass")
    is_scores(data)
    try:
        said = repr(load_scores(data))
    except ExcerptError as error:
        said = str(error)
    assert "\n" not in said


def test_means_index_columns_and_ids_like_measures() -> None:
    """Rows of means are left out, index columns ignored, and three columns may be judgments."""
    long = b",run,topic,measure,value\n0,a,1,AP,0.5\n1,a,2,AP,0.1\n2,a,all,AP,0.3\n"
    assert is_scores(long)
    assert load_scores(long).topics == ("1", "2")
    assert not is_scores(b"1 A 1\n1 G 1\n1 B 0\n2 C 1\n2 D 0\n")
