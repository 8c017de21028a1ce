"""Saved scores read back."""

from __future__ import annotations

import gzip
import io
from dataclasses import replace
from pathlib import Path

import pytest

from excerpt.errors import ExcerptError, json_text
from excerpt.files import is_scores
from excerpt.formats.scores import load_scores, save_scores
from excerpt.model import ScoreTable

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
    with pytest.raises(ExcerptError, match=r"cannot save scores as \.xls; known suffixes: \.json"):
        save_scores(ScoreTable.from_scores(TABLE), tmp_path / "scores.xls")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "content", [b"{", b"hello\nworld\n", b"\xff\xfe", b"{}", b"[]", b'{"a": [1]}', b"PAR1x"]
)
def test_other_files(tmp_path: Path, content: bytes) -> None:
    """What excerpt did not save is an error that names the file."""
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
    """What was printed with all topics is a table again; means alone are none, and say so."""
    table = replace(ScoreTable.from_scores({**TABLE, ("s", "2", "MAiP"): None}), warnings=("a doubt",))
    again = load_scores(json_text(table.to_dict(per_topic=True)).encode())
    assert again.to_csv() == table.to_csv()
    assert again.warnings == table.warnings
    with pytest.raises(
        ExcerptError, match="found means without the scores of topics, expected a saved table"
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
    """What is not as it was printed is no table."""
    printed = ScoreTable.from_scores(TABLE).to_dict(per_topic=True)
    with pytest.raises(ExcerptError, match="found no table of scores, expected one that excerpt saved"):
        load_scores(json_text({**printed, **damage}).encode())
