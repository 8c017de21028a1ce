"""Pool files: written files are read back; errors in damaged files have a line."""

from __future__ import annotations

import contextlib
import io
import tempfile
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.pools_made import SOME, pools

from excerpt import ExcerptError
from excerpt.pooling import Pool, PoolInput, read_pool, write_pool
from excerpt.pooling.pool_file import escape_name, parse_probability, probability_text, unescape_name

INPUTS = [PoolInput("a", "a run.fol", "0" * 64), PoolInput("b", "", "")]
WRITTEN = f"""\
# excerpt pool 1
# unit document
# depth 100
# seed 1
# run {"0" * 64} a a%20run.fol
# run - b -
topic\tdocument\torder\tstratum\tprobability\truns\tpassages
1\tx\t1\tdepth\t1\ta,b\t1:0-10;4:20-30,2:5-9
1\ty\t2\tdepth\t1\tb\t1:
1\tz\t3\tsample\t0.04477611940298507\t-\t-
2\tx\t1\tadaptive\t-\ta\t-
"""


def some() -> Pool:
    """A pool of a few items."""
    return Pool.of(SOME, inputs=INPUTS, settings={"depth": "100", "seed": "1"})


def test_a_file_says_everything(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """Head, columns and rows as the module describes them, in a file or on standard output."""
    some().write(tmp_path / "pool.tsv")
    assert (tmp_path / "pool.tsv").read_text() == WRITTEN
    write_pool(some(), "-")
    assert capfdbinary.readouterr().out.decode() == WRITTEN
    pool = read_pool(tmp_path / "pool.tsv")
    assert pool.items == tuple(SOME)
    assert (pool.inputs, pool.unit, pool.settings) == (
        tuple(INPUTS),
        "document",
        {"depth": "100", "seed": "1"},
    )


@given(pools())
def test_what_is_written_is_read_back(pool: Pool) -> None:
    """Names with blanks, commas and signs too, and the same bytes again."""
    written = written_bytes(pool)
    again = read_pool(written)
    assert again.items == pool.items
    assert written_bytes(again) == written


def written_bytes(pool: Pool) -> bytes:
    """Bytes that `write_pool` writes."""
    with tempfile.TemporaryDirectory() as folder:
        pool.write(Path(folder) / "pool.tsv")
        return (Path(folder) / "pool.tsv").read_bytes()


def test_rows_in_any_order_with_blank_lines_and_other_line_ends() -> None:
    """Topics keep the order in which they first appear; items are by their order."""
    text = "# made by hand\r\n\r\ndocument\torder\ttopic\r\nB\t7\t2\r\nC\t2\t1\r\n\r\nA\t3\t2\r\n"
    pool = read_pool(text.encode())
    assert [(item.topic, item.document, item.order) for item in pool.items] == [
        ("2", "A", 3),
        ("2", "B", 7),
        ("1", "C", 2),
    ]
    assert pool.settings == {"made": "by hand"}
    assert {item.stratum for item in pool.items} == {"given"}


def test_topics_that_look_like_a_head_are_rows() -> None:
    """After the names of the columns every line is a row."""
    assert read_pool(b"topic\tdocument\n# 1\t#\n").items[0][:2] == ("# 1", "#")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ((0, "# excerpt pool 2"), "pool:1: found version 2 of the format, expected 1"),
        ((1, "# unit word"), "pool:2: found unit 'word', expected document or passage"),
        ((4, "# run abc a a.fol"), "pool:5: found digest 'abc', expected 64 digits of a SHA-256, or -"),
        ((4, "# run - a"), "pool:5: found 2 words on a run, expected digest, name and file"),
        ((4, "# run - b -"), "pool:6: found run b again, expected it once"),
        ((3, "# results 1 5 5"), "pool:4: found 2 numbers of results, expected one for each of 0 runs"),
        ((3, "# results 1 many"), "pool:4: found results 'many', expected a number for each run"),
        ((6, "topic document"), "pool:7: found columns 'topic document', expected topic and document am"),
        ((6, "topic\tdocument\tstrata"), "pool:7: unknown column 'strata'; did you mean 'stratum'? known: "),
        ((6, "topic\ttopic\tdocument"), "pool:7: found a column twice, expected it once"),
        ((7, "1\tx"), "pool:8: found 2 columns, expected 7 (topic document order stratum "),
        ((7, "\tx\t1\tdepth\t1\ta\t1:0-1"), "pool:8: found an empty topic, expected a name"),
        ((7, "1\t\t1\tdepth\t1\ta\t1:0-1"), "pool:8: found an empty document, expected a name"),
        ((8, "1\tx\t2\tdepth\t1\tb\t1:"), "pool:9: found document x of topic 1 again, first in line 8, "),
        ((8, "1\ty\t1\tdepth\t1\tb\t1:"), "pool:9: found order 1 of topic 1 again, first in line 8, "),
        ((8, "1\ty\t0\tdepth\t1\tb\t1:"), "pool:9: found order '0', expected a whole number of at least 1"),
        ((8, "1\ty\t²\tdepth\t1\tb\t1:"), "pool:9: found order '²', expected a whole number of at least 1"),
        ((8, "1\ty\t2\tdepth\t2\tb\t1:"), "pool:9: found probability '2', expected a number above 0 and"),
        ((8, "1\ty\t2\tdepth\t1/0\tb\t1:"), "pool:9: found probability '1/0', expected a number above 0"),
        ((8, "1\ty\t2\tdepth\tnan\tb\t1:"), "pool:9: found probability 'nan', expected a number above 0"),
        ((8, "1\ty\t2\tdepth\t1\tc\t1:"), "pool:9: found run c, expected one of those in the head"),
        ((8, "1\ty\t2\tdepth\t1\tb,b\t1:,1:"), "pool:9: found a run twice in a row, expected it once"),
        ((8, "1\ty\t2\tdepth\t1\tb\t1:,2:"), "pool:9: found 2 groups of passages, expected one for each of"),
        ((8, "1\ty\t2\tdepth\t1\t-\t1:"), "pool:9: found 1 group of passages, expected one for each of 0"),
        ((8, "1\ty\t2\tdepth\t1\tb\t1:5"), "pool:9: found passages '1:5', expected rank:start-end"),
        ((8, "1\ty\t2\tdepth\t1\tb\t0:5-9"), "pool:9: found passages '0:5-9', expected rank:start-end"),
        ((8, "1\ty\t2\tdepth\t1\tb\t1:9-5"), "pool:9: found passage 1:9-5, expected a rank from 1 and 0 <= "),
        ((8, "1\ty\t2\tdepth\t1\tb\t9999999999:1-5"), "pool:9: found passage 9999999999:1-5, expected a "),
        ((8, "1\ty\t2\tdepth\t1\tb\t1:1-9999999999"), "pool:9: found passage 1:1-9999999999, expected a "),
        ((8, "1\ty\t2\tdepth\t1\tb\t1:1-٣"), "pool:9: found passages '1:1-٣', expected rank:start-end"),
        ((8, "1\ty\t2\tdepth\t1\tb%ff\t1:1-3"), "pool:9: found run b%ff, expected one of those in the head"),
    ],
)  # fmt: skip
def test_damage_is_located(damage: tuple[int, str], message: str) -> None:
    """One line that names the line of the file."""
    lines = WRITTEN.split("\n")
    lines[damage[0]] = damage[1]
    with pytest.raises(ExcerptError) as caught:
        read_pool(named("\n".join(lines).encode()))
    assert str(caught.value).startswith(message)


def named(content: bytes) -> io.BytesIO:
    """An open file called `pool`."""
    stream = io.BytesIO(content)
    stream.name = "pool"
    return stream


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "pool: the file is empty, expected a pool"),
        (b"# excerpt pool 1\n# depth 3", "pool:2: the line with the names of the columns is missing"),
        (b"topic\tdocument\n", "pool:1: rows are missing, expected a topic and a document in each"),
        (b"topic\tdocument\n1\t\xff\n", "pool:2: found byte 0xff, expected UTF-8 text"),
    ],
)
def test_files_that_are_no_pools(content: bytes, message: str) -> None:
    """Empty, without columns, without rows, not text."""
    with pytest.raises(ExcerptError) as caught:
        read_pool(named(content))
    assert str(caught.value).startswith(message)


@given(st.data())
def test_any_damage_is_a_pool_or_one_line(data: st.DataObject) -> None:
    """Bytes that are cut, doubled or changed give a pool or an error of the user's."""
    text = bytearray(WRITTEN.encode())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text) - 1))
        much = data.draw(st.integers(0, 12))
        text[at : at + much] = data.draw(st.sampled_from([b"", b"\t", b"\n", b",", b":", b"9", b";;", b"#"]))
        if not text:
            break
    with contextlib.suppress(ExcerptError):
        pool = read_pool(bytes(text))
        assert read_pool(written_bytes(pool)).items == pool.items


@pytest.mark.parametrize("name", ["a\tb", "a\nb", "", "\ud800"])
def test_names_that_no_line_can_hold_are_refused(name: str, tmp_path: Path) -> None:
    """Nothing is written then."""
    with pytest.raises(ExcerptError, match="which a pool file cannot contain"):
        Pool.of([SOME[0]._replace(document=name)]).write(tmp_path / "pool.tsv")
    assert list(tmp_path.iterdir()) == []


@given(st.fractions(0, 1, max_denominator=10**15).filter(bool))
def test_probabilities_are_exact(value: Fraction) -> None:
    """A decimal if it is exactly the fraction, else the fraction itself."""
    assert parse_probability(probability_text(value)) == value


def test_numbers_of_results_are_kept(tmp_path: Path) -> None:
    """The head says how long runs are, a line per topic; a topic that is cut out of the file is nothing."""
    head = "# excerpt pool 1\n# unit document\n# run - a -\n# run - b -\n# results 1 7*2\n# results 2 7 0\n"
    rows = "topic\tdocument\torder\tstratum\tprobability\truns\tpassages"
    text = f"{head}{rows}\n2\tx\t1\tgiven\t-\t-\t-\n"
    pool = read_pool(text.encode())
    assert pool.results is not None
    assert pool.results.tolist() == [[7, 0]]
    assert written_bytes(pool).decode() == text.replace("# results 1 7*2\n", "")


@given(st.text(min_size=1))
def test_names_are_words(name: str) -> None:
    """Any name is escaped as one word without a comma, and comes back."""
    assert len(escape_name(name).split()) == 1
    assert "," not in escape_name(name)
    assert unescape_name(escape_name(name)) == name


HEAD = b"topic\tdocument\truns\tpassages\n"


def test_groups_may_be_empty() -> None:
    """A run may be named without its results, alone or among others."""
    pool = read_pool(HEAD + b"1\tA\ta,b,c\t,2:;3:0-5,\n1\tB\tc\t\n1\tC\ta,b\t-\n1\tD\t\t\n1\tE\tb\t7:1-2\n")
    assert [(item.runs, item.passages) for item in pool.items] == [
        (("a", "b", "c"), ((), ((2, -1, -1), (3, 0, 5)), ())),
        (("c",), ((),)),
        (("a", "b"), ((), ())),
        ((), ()),
        (("b",), (((7, 1, 2),),)),
    ]
    assert [given.name for given in pool.inputs] == ["a", "b", "c"]


def test_probabilities_that_are_very_small_are_kept(tmp_path: Path) -> None:
    """As far as they can be written again."""
    pool = read_pool(b"topic\tdocument\tprobability\n1\tA\t1e-9\n1\tB\t0.5\n")
    assert [item.probability for item in pool.items] == [Fraction(1, 10**9), Fraction(1, 2)]
    write_pool(pool, tmp_path / "pool.tsv")
    assert read_pool(tmp_path / "pool.tsv").items == pool.items


def test_runs_of_a_row_stand_in_the_order_of_the_head() -> None:
    """However a row lists them, and results by rank."""
    head = b"# run - a -\n# run - b -\n"
    pool = read_pool(head + HEAD + b"1\tA\tb,a\t9:0-1;2:5-6,4:1-2\n")
    assert pool.items[0].runs == ("a", "b")
    assert pool.items[0].passages == (((4, 1, 2),), ((2, 5, 6), (9, 0, 1)))
