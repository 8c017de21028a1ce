"""excerpt evaluate: options, output formats, policies, errors."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path

import pytest

from .conftest import Excerpt


def test_json_is_the_documented_object(files: Path, excerpt: Excerpt) -> None:
    """Keys are the measures as given, undefined scores are null, topics only when asked for."""
    done = excerpt("evaluate", "qrels", "run", "-m", "MAiP", "-m", "iP@0.01", "--format", "json")
    found = json.loads(done.out)
    assert done.status == 0
    assert found["measures"] == ["MAiP", "iP@0.01"]
    (run,) = found["runs"]
    assert (run["name"], run["file"]) == ("mine", "run")
    assert run["scores"] == {"MAiP": pytest.approx(13211 / 34340), "iP@0.01": 0.65}
    assert list(run["intervals"]) == ["MAiP", "iP@0.01"]
    assert found["warnings"] == [
        "1 topic has no relevant text and is left out of the means (topic 3 of qrels)"
    ]
    assert "warning: 1 topic has no relevant text" in done.err
    with_topics = json.loads(
        excerpt("evaluate", "qrels", "run", "-m", "MAiP", "--format", "json", "--per-topic").out
    )
    assert with_topics["runs"][0]["topics"]["3"] == {"MAiP": None}
    assert with_topics["runs"][0]["topics"]["2"] == {"MAiP": pytest.approx(51 / 202)}


def test_table_csv_tsv_latex_markdown(files: Path, excerpt: Excerpt) -> None:
    """Every output format has the same numbers; csv and tsv keep every digit."""
    common = ("evaluate", "qrels", "run", "-m", "charP", "-m", "charR[1]")
    assert excerpt(*common).out.splitlines() == [
        "run    charP  charR[1]",
        "----------------------",
        "mine  0.3603    0.4500",
    ]
    exact = repr((8 / 17 + 1 / 4) / 2)
    assert excerpt(*common, "--format", "csv").out == f"run,charP,charR[1]\nmine,{exact},0.45\n"
    assert excerpt(*common, "--format", "tsv").out == f"run\tcharP\tcharR[1]\nmine\t{exact}\t0.45\n"
    assert "mine & 0.36 & 0.45 \\\\" in excerpt(*common, "--format", "latex", "--digits", "2").out
    assert excerpt(*common, "--format", "markdown").out.splitlines()[2] == "| mine | 0.3603 | 0.4500 |"
    topics = excerpt(*common, "--format", "csv", "--per-topic").out.splitlines()
    assert [line.split(",")[1] for line in topics] == ["topic", "1", "2", "3"]
    assert [line.split()[1] for line in excerpt(*common, "--per-topic").out.splitlines()[2:]][-1] == "all"
    assert topics[3] == "mine,3,,"


def test_default_measures_and_many_runs(files: Path, excerpt: Excerpt) -> None:
    """Without -m the focused measures are printed; runs of the same name get the name of their file."""
    (files / "again").write_bytes((files / "run").read_bytes())
    lines = excerpt("evaluate", "qrels", "run", "again", "--format", "csv").out.splitlines()
    assert lines[0] == "run,MAiP,iP[0.00],iP[0.01],iP[0.05],iP[0.10]"
    assert [line.split(",")[0] for line in lines[1:]] == ["mine (run)", "mine (again)"]
    assert lines[1].split(",")[1:] == lines[2].split(",")[1:]


def test_the_input_chooses_the_measures(files: Path, excerpt: Excerpt) -> None:
    """Without -m a line says which set was taken, below the table or on standard error; -m adds to a set."""
    plain = excerpt("evaluate", "qrels", "run")
    assert plain.out.endswith("\n\nmeasures: inex, since the judgments are highlighted text\n")
    (files / "run").write_text("1 Q0 A 1 9 mine 10 40\n1 Q0 A 2 8 mine 0 50\n2 Q0 D 1 1 mine 400 100\n")
    refused = excerpt("evaluate", "qrels", "run")
    assert refused.status == 2
    assert "--overlap first" in refused.err
    assert "-m rag" in refused.err
    rows = (
        '{"topic": "1", "question": "?", "document": "A", "spans": [[0, 9]]}',
        '{"topic": "2", "document": "D"',
    )
    (files / "gold.jsonl").write_text(f'{rows[0]}\n{rows[1]}, "spans": [[400, 500]]}}\n')
    chunks = excerpt("evaluate", "gold.jsonl", "run", "--format", "json")
    found = json.loads(chunks.out)
    assert chunks.status == 0
    assert "excerpt: measures: rag, since the judgments are gold of questions\n" in chunks.err
    assert found["measures"][:2] == ["recall(budget=4000)", "recall@5"]
    assert [found[name] for name in ("set", "headline")] == ["rag", "recall(budget=4000)"]
    assert found["aliases"]["recall@5"] == "charR@5"
    assert list(found["runs"][0]["scores"]) == found["measures"]
    both = excerpt("evaluate", "qrels", "run", "-m", "rag", "-m", "P@2", "--format", "csv")
    assert both.out.splitlines()[0].endswith("found@5,read@5,P@2")
    assert "measures:" not in both.err


def test_a_result_given_twice_is_read_twice(files: Path, excerpt: Excerpt) -> None:
    """With a warning that says how often, and where first; no rule is broken for measures of chunks."""
    lines = ["1 Q0 A 1 9 mine 10 40", "1 Q0 A 2 8 mine 10 40", "2 Q0 D 1 1 mine 400 100"]
    (files / "run").write_text(
        "\n".join([*lines, "2 Q0 D 2 1 mine 400 100", "2 Q0 D 3 1 mine 400 101"]) + "\n"
    )
    done = excerpt("evaluate", "qrels", "run", "-m", "precision", "--format", "json", "--per-topic")
    assert done.status == 0
    assert json.loads(done.out)["runs"][0]["topics"]["1"] == {"precision": 0.5}
    said = "2 results repeat an earlier result of their topic; their text counts as read twice"
    assert f"excerpt: warning: {said} (first: topic 1, run:2)\n" in done.err


def test_workers_change_nothing(files: Path, excerpt: Excerpt) -> None:
    """Two processes give the bytes of one."""
    names = [f"r{number}" for number in range(4)]
    for number, name in enumerate(names):
        (files / name).write_text((files / "run").read_text().replace("mine", f"mine{number}"))
    one = excerpt("evaluate", "qrels", *names, "--format", "json", "--per-topic")
    two = excerpt("evaluate", "qrels", *names, "--format", "json", "--per-topic", "--workers", "2")
    assert one.out == two.out
    (files / "r2").write_text("1 Q0 A 1 9 mine 0\n1 Q0 A 1 x mine 0 9\n" * 3)
    bad = excerpt("evaluate", "qrels", *names, "--workers", "2", "--run-format", "fol")
    assert bad.status == 2
    assert bad.err.startswith("excerpt: r2:1: found 7 columns, expected 8")


@pytest.mark.parametrize(("settings", "workers"), [("", 7), ('cluster = "tcp://a:1"\n', 1), ("corpus", 1)])
def test_large_runs_take_the_workers_that_pay(
    files: Path, excerpt: Excerpt, monkeypatch: pytest.MonkeyPatch, settings: str, workers: int
) -> None:
    """But not beside a cluster or a corpus, which excerpt.toml may name as well."""
    from excerpt import evaluation
    from excerpt.cli import evaluate as command
    from excerpt.errors import ExcerptError

    given: dict[str, object] = {}

    def stop(*_: object, **how: object) -> None:
        given.update(how)
        raise ExcerptError("stop")

    (files / "docs").mkdir()
    (files / "docs" / "A.txt").write_text("text")
    settings = '[corpus]\npath = "docs"\n' if settings == "corpus" else settings
    (files / "excerpt.toml").write_text(settings)
    monkeypatch.setenv("EXCERPT_CONFIG", str(files / "excerpt.toml"))
    monkeypatch.setattr(command, "_paying_workers", lambda _: 7)
    monkeypatch.setattr(evaluation, "evaluate", stop)
    assert excerpt("evaluate", "qrels", "run").status == 2
    assert given["workers"] == workers


def test_options_between_files(files: Path, excerpt: Excerpt) -> None:
    """Options may be anywhere between files."""
    (files / "again").write_bytes((files / "run").read_bytes())
    assert excerpt("evaluate", "-m", "charP", "qrels", "run", "-m", "charR", "again").status == 0


def test_overlap_policies(files: Path, excerpt: Excerpt) -> None:
    """A repeated result is refused, or counted as the policy says."""
    (files / "run").write_text("1 Q0 A 1 9 mine 10 40\n1 Q0 A 2 8 mine 0 50\n2 Q0 D 1 1 mine 400 100\n")
    refused = excerpt("evaluate", "qrels", "run", "-m", "MAiP")
    assert refused.status == 2
    assert refused.out == ""
    assert refused.err == (
        "excerpt: run:2: topic 1, document A: found result [0, 50) overlapping [10, 50) of line 1, "
        "expected no common text; try --overlap first (count each character once), penalise or allow, "
        "or -m rag (measures of results that may overlap)\n"
    )
    scores = {}
    for policy in ("first", "penalise", "allow"):
        measures = ("-m", "iP[0.40]", "-m", "iP[0.41]", "-m", "charP")
        options = ("--overlap", policy, "--format", "json", "--per-topic")
        done = excerpt("evaluate", "qrels", "run", *measures, *options)
        scores[policy] = json.loads(done.out)["runs"][0]["topics"]["1"]
    assert scores["first"] == {"iP[0.40]": 1.0, "iP[0.41]": 0.0, "charP": 40 / 90}
    assert scores["penalise"] == {"iP[0.40]": 1.0, "iP[0.41]": 0.0, "charP": 40 / 90}
    assert scores["allow"] == {"iP[0.40]": 1.0, "iP[0.41]": 80 / 90, "charP": 40 / 90}
    assert excerpt("evaluate", "qrels", "run", "-m", "charP").status == 0


def test_interleaved_policies(files: Path, excerpt: Excerpt) -> None:
    """A document that comes back is refused by in-context measures, or regrouped."""
    refused = excerpt("evaluate", "qrels", "run", "-m", "MAgP")
    assert refused.status == 2
    assert refused.err.startswith("excerpt: run:4: topic 1: found document A again after another one")
    done = excerpt(
        "evaluate",
        "qrels",
        "run",
        "-m",
        "MAgP",
        "--interleaved",
        "regroup",
        "--format",
        "json",
        "--per-topic",
    )
    assert json.loads(done.out)["runs"][0]["topics"]["1"]["MAgP"] == pytest.approx(7 / 12, rel=1e-15)


def test_limit_order_and_topics(files: Path, excerpt: Excerpt) -> None:
    """Results beyond the limit are cut with a warning; order and topics follow the options."""
    cut = excerpt("evaluate", "qrels", "run", "-m", "charR", "--limit", "1", "--format", "json")
    assert json.loads(cut.out)["runs"][0]["scores"]["charR"] == (40 / 100 + 50 / 100) / 2
    assert (
        "2 topics have more results than the limit of 1; further results are left out (first: run)" in cut.err
    )
    (files / "run").write_text("1 Q0 A 2 1 mine 150 10\n1 Q0 B 1 9 mine 0 40\n")
    for order, best in (("file", 0.0), ("rank", 1.0), ("score", 1.0)):
        done = excerpt(
            "evaluate",
            "qrels",
            "run",
            "-m",
            "charP[1]",
            "--order",
            order,
            "--only-run-topics",
            "--format",
            "json",
        )
        assert json.loads(done.out)["runs"][0]["scores"]["charP[1]"] == best
        assert ("not sorted by rank" in done.err) == (order == "file")
    every = excerpt("evaluate", "qrels", "run", "-m", "charR", "--include-empty", "--format", "json")
    assert json.loads(every.out)["runs"][0]["scores"]["charR"] == pytest.approx(0.4 / 3)
    unlimited = excerpt("evaluate", "qrels", "run", "-m", "charR", "--limit", "none")
    assert unlimited.status == 0


def test_unknown_results(files: Path, excerpt: Excerpt) -> None:
    """Results beyond the end or that do not exist are counted with a warning, or refused."""
    (files / "run").write_text("1 Q0 B 1 9 mine 0 400\n1 Q0 A 2 8 mine X 9\n")
    done = excerpt("evaluate", "qrels", "run", "-m", "charP", "--only-run-topics", "--format", "json")
    assert json.loads(done.out)["runs"][0]["scores"]["charP"] == 40 / 418
    assert "1 result reaches beyond the end of its document and counts in full (run:1)" in done.err
    assert "counts as 18 non-relevant characters (run:2)" in done.err
    refused = excerpt("evaluate", "qrels", "run", "-m", "charP", "--unknown", "error")
    assert (refused.status, refused.out) == (2, "")
    assert refused.err.startswith("excerpt: run:1: topic 1, document B: result reaches beyond the end")


def test_save_and_output(files: Path, excerpt: Excerpt) -> None:
    """Scores can be kept in a file, and the table written to one; nothing else is left."""
    from excerpt import load_scores

    done = excerpt("evaluate", "qrels", "run", "-m", "MAiP", "--save", "scores.json", "-o", "table.txt")
    assert done.out == ""
    assert "mine" in (files / "table.txt").read_text()
    assert load_scores("scores.json").mean("mine", "MAiP") == pytest.approx(13211 / 34340)
    bad = excerpt("evaluate", "qrels", "run", "--save", "scores.xlsx")
    assert (bad.status, bad.out) == (2, "")
    nowhere = excerpt("evaluate", "qrels", "run", "-o", "missing/table.txt")
    assert nowhere.status == 2
    assert sorted(path.name for path in files.iterdir()) == ["qrels", "run", "scores.json", "table.txt"]


def test_folder_of_qrels(files: Path, excerpt: Excerpt) -> None:
    """Judgments may be a folder with one file per topic."""
    (files / "folder").mkdir()
    for topic in "123":
        rows = [line for line in (files / "qrels").read_text().splitlines() if line.startswith(topic)]
        (files / "folder" / topic).write_text("\n".join(rows) + "\n")
    one = excerpt("evaluate", "qrels", "run", "--format", "csv", "--per-topic")
    assert excerpt("evaluate", "folder", "run", "--format", "csv", "--per-topic").out == one.out
    (files / "folder" / "4").write_text("3 Q0 X 0 10\n")
    twice = excerpt("evaluate", "folder", "run")
    assert twice.err.startswith("excerpt: folder/4: found topic 3 again, expected it only in folder/3")


def test_trec_files_give_the_classic_measures(files: Path, excerpt: Excerpt) -> None:
    """Whole documents of equal size: precision and recall of sets; order by score, then document id."""
    (files / "trec.qrels").write_text("1 0 A 1\n1 0 B 0\n1 0 C 2\n")
    (files / "trec.run").write_text("1 Q0 A 1 0.5 t\n1 Q0 B 2 0.5 t\n1 Q0 C 3 0.9 t\n")
    done = excerpt(
        "evaluate",
        "trec.qrels",
        "trec.run",
        "-m",
        "articleAP",
        "-m",
        "charP[2]",
        "-m",
        "MAiP",
        "--format",
        "json",
    )
    scores = json.loads(done.out)["runs"][0]["scores"]
    assert scores["articleAP"] == pytest.approx((1 + 2 / 3) / 2)
    assert scores["charP[2]"] == 0.5
    assert "1 topic where scores contradict the ranks is ordered by score" in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("evaluate",),
            "excerpt: the following arguments are required: QRELS, RUN; try excerpt evaluate --help\n",
        ),
        (
            ("evaluate", "qrels", "run", "-m", "MAiPP"),
            "excerpt: unknown measure 'MAiPP'; did you mean 'MAiP'?",
        ),
        (
            ("evaluate", "qrels", "run", "-m", "iP"),
            "excerpt: iP needs a cut-off, a number from 0.00 to 1.00; try iP[0.01]",
        ),
        (
            ("evaluate", "qrels", "run", "-m", "gP(betta=1)[3]"),
            "excerpt: unknown parameter of gP 'betta'; did you mean 'beta'?",
        ),
        (("evaluate", "qrels", "nothing"), "excerpt: nothing: cannot be read: no such file or directory\n"),
        (("evaluate", "qrels", "@nothing"), "excerpt: nothing: cannot be read: no such file or directory\n"),
        (
            ("evaluate", "run", "qrels"),
            "excerpt: run: found a run (fol), expected judgments; are judgments and run swapped?",
        ),
        (
            ("evaluate", "qrels", "qrels"),
            "excerpt: qrels: found judgments (fol), expected a run; are judgments and run swapped?",
        ),
        (
            ("evaluate", "qrels", "run", "--limit", "0"),
            "excerpt: argument --limit: found '0', expected a whole number of at least 1, or none",
        ),
        (("evaluate", "qrels", "run", "--limit", "-3"), "excerpt: argument --limit: found '-3'"),
        (
            ("evaluate", "qrels", "run", "--format", "xml"),
            "excerpt: argument --format: found 'xml', expected one of: ",
        ),
        (("evaluate", "qrels", "run", "--workers", "0"), "excerpt: argument --workers: found '0'"),
        (("evaluate", "qrels", "run", "--index", "qrels"), "excerpt: qrels: "),
        (
            ("evaluate", "qrels", "run", "--run-format", "foll"),
            "excerpt: unknown run format 'foll'; did you mean 'fol'?",
        ),
        (("evalute",), "excerpt: unknown command 'evalute'; did you mean 'evaluate'?"),
    ],
)
def test_mistakes_give_one_line(
    files: Path, excerpt: Excerpt, arguments: tuple[str, ...], message: str
) -> None:
    """A mistake of the user's is one line on standard error and exit status 2."""
    done = excerpt(*arguments)
    assert done.status == 2
    assert done.out == ""
    assert done.err.startswith(message)
    assert done.err.count("\n") == 1


def test_missing_needs_name_the_remedy(files: Path, excerpt: Excerpt) -> None:
    """Paths without an index, and entry points without judged ones, say what to give."""
    (files / "paths").write_text("1 Q0 A 1 9 mine /article[1]\n")
    done = excerpt("evaluate", "qrels", "paths", "-m", "MAiP")
    assert done.err == (
        "excerpt: paths: MAiP needs spans, but the run has none; give --index INDEX for element paths, "
        "or a run with offset and length\n"
    )
    assert excerpt("evaluate", "qrels", "paths", "-m", "articleP").status == 0
    (files / "plain").write_text('{"topic": "1", "document": "A", "start": 3, "end": 9}\n')
    done = excerpt("evaluate", "plain", "run", "-m", "MAgP(score=BEP)")
    assert done.err.startswith(
        "excerpt: plain: MAgP(score=BEP) needs judged entry points, but the judgments have none"
    )


def test_standard_input(files: Path, excerpt: Excerpt, monkeypatch: pytest.MonkeyPatch) -> None:
    """`-` reads a run from standard input."""
    import io
    import sys
    from types import SimpleNamespace

    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO((files / "run").read_bytes())))
    assert "mine" in excerpt("evaluate", "qrels", "-", "-m", "MAiP").out


def test_the_standard_input_goes_with_workers(files: Path) -> None:
    """A run from standard input can be combined with others, for any number of processes."""
    import subprocess
    import sys

    command = f'"{sys.executable}" -m excerpt evaluate qrels - run -m charP --workers 2 < run'
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("mine") == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "source"),
    [
        ("evaluate qrels {} run -m charP", "<(cat other)"),
        ("evaluate qrels {} run -m charP", "pipe"),
        ("evaluate qrels {} run -m charP", "/dev/stdin"),
        ("compare qrels {} run -m charP --samples 5", "<(cat other)"),
        ("stability pool qrels {} run -m charP --samples 2 --least 1", "<(cat other)"),
    ],
)
def test_pipes_go_with_workers(files: Path, command: str, source: str) -> None:
    """A run that only this process can read, and only once, is scored as the file would be."""
    import subprocess
    import sys

    (files / "other").write_text((files / "run").read_text().replace("mine", "other"))
    os.mkfifo(files / "pipe")
    scores = []
    for given in ("other", source):
        line = f'"{sys.executable}" -m excerpt {command.format(given)} --workers 2 --format csv < other'
        line = f"cat other > pipe & {line}" if given == "pipe" else line
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == 0, done.stderr
        scores.append(done.stdout)
    assert scores[0] == scores[1]


def test_errors_of_files_say_what_to_try(files: Path, excerpt: Excerpt) -> None:
    """A fault without advice of its own points to the command that lists every fault."""
    (files / "run").write_text("1 Q0 A 1 nan mine 0 50\n")
    done = excerpt("evaluate", "qrels", "run")
    assert (
        done.err
        == "excerpt: run:1: found score 'nan', expected a number; excerpt check run lists every fault\n"
    )
    (files / "topics").write_text("1\tstone\n2\tarch\tbridge\n")
    done = excerpt("evaluate", "qrels", "qrels", "--topics", "topics")
    assert done.err.endswith("; excerpt topics topics lists every fault\n")


def test_an_index_of_another_corpus_is_noticed(files: Path, excerpt: Excerpt) -> None:
    """Judged documents that the index lacks, or has in another length, are counted."""
    (files / "corpus").mkdir()
    (files / "corpus" / "A.xml").write_text("<a>" + "x" * 100 + "</a>")
    excerpt("index", "corpus", "-o", "idx")
    done = excerpt("evaluate", "qrels", "run", "-m", "charP", "--index", "idx")
    assert (
        "3 judged documents are not in the index; their lengths are not checked (first: document B"
        in done.err
    )
    assert (
        "1 judged document has another length in the index (in chars), which is not used; is it the same "
        "corpus? (document A of qrels)"
    ) in done.err


def test_odd_file_names_and_encodings(files: Path) -> None:
    """A file name that is not UTF-8, or a terminal that is not, gives no traceback."""
    import os
    import subprocess
    import sys

    name = os.fsencode("r") + b"\xff"
    (files / os.fsdecode(name)).write_bytes((files / "run").read_bytes())
    evaluate = [sys.executable, "-m", "excerpt", "evaluate", "qrels", os.fsdecode(name), "--format", "json"]
    assert json.loads(subprocess.run(evaluate, capture_output=True, check=True).stdout)["runs"]
    latin = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    for command in ("--help", "measures", "formats"):
        done = subprocess.run(
            [sys.executable, "-m", "excerpt", command], env=latin, capture_output=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, b"")


def test_a_corpus_tells_lengths(files: Path, excerpt: Excerpt) -> None:
    """A corpus gives the lengths of whole documents; missing documents are a warning."""
    (files / "docs").mkdir()
    (files / "docs" / "A.txt").write_text("x" * 200)
    (files / "docs" / "E.txt").write_text("y" * 50)
    (files / "documents").write_text("1 Q0 A 1 9 mine\n1 Q0 E 2 8 mine\n")
    without = excerpt("evaluate", "qrels", "documents", "-m", "charP")
    assert (without.status, "give --corpus CORPUS or --index INDEX" in without.err) == (2, True)
    done = excerpt(
        "evaluate", "qrels", "documents", "-m", "charP", "--corpus", "docs", "--format", "json", "--per-topic"
    )
    assert json.loads(done.out)["runs"][0]["topics"]["1"]["charP"] == 60 / 250
    assert "3 judged documents are not in the corpus (first: B, C, D of qrels)" in done.err
    assert excerpt("curve", "qrels", "documents", "-m", "charP", "--corpus", "docs").status == 0
    missing = excerpt("evaluate", "qrels", "documents", "--corpus", "nowhere")
    assert missing.err == "excerpt: nowhere: cannot be read: no such file or directory\n"


def test_documents_have_no_usual_limit(files: Path, excerpt: Excerpt) -> None:
    """A run of whole documents counts to its end, as in trec_eval, unless a limit is asked for."""
    (files / "trec").write_text("1 0 d1900 1\n")
    (files / "long").write_text("".join(f"1 Q0 d{number} 1 {-number} r\n" for number in range(2000)))
    common = ("evaluate", "trec", "long", "-m", "recall", "--format", "trec")
    assert excerpt(*common).out == "recall\tall\t1.0000\n"
    assert excerpt(*common, "--limit", "1500").out == "recall\tall\t0.0000\n"
    assert excerpt(*common, "--limit", "1950").out == "recall\tall\t1.0000\n"


def test_lines_of_trec_eval(files: Path, excerpt: Excerpt) -> None:
    """Every measure in lines; by topic where that is asked for, and by the ending of the file."""
    done = excerpt(
        "evaluate", "qrels", "run", "-m", "MAiP", "-m", "charR@1", "--format", "trec", "--per-topic"
    )
    assert [line.split("\t")[:2] for line in done.out.splitlines()] == [
        ["MAiP", "1"],
        ["charR@1", "1"],
        ["MAiP", "2"],
        ["charR@1", "2"],
        ["MAiP", "all"],
        ["charR@1", "all"],
    ]
    assert excerpt("evaluate", "qrels", "run", "-m", "MAiP", "-o", "scores.trec").status == 0
    assert (files / "scores.trec").read_text() == "MAiP\tall\t0.3847\n"
    refused = excerpt("evaluate", "qrels", "run", "-m", "MAiP", "--format", "trec", "--interval", "0.9")
    assert refused.status == 2
    assert "lines of trec_eval cannot show intervals" in refused.err


def test_scores_of_every_document(files: Path, excerpt: Excerpt, monkeypatch: pytest.MonkeyPatch) -> None:
    """--per-document prints a row per returned document; a run on standard input is read once."""
    common = ("evaluate", "qrels", "run", "--interleaved", "regroup", "-m", "gP@10", "--per-document")
    done = excerpt(*common, "--quiet")
    heading, _, first, *_ = done.out.splitlines()
    assert " ".join(heading.split()) == "run topic rank document P R F score gP"
    assert " ".join(first.split()) == "mine 1 1 A 0.6000 1.0000 0.7500 0.7500 0.7500"
    lines = excerpt(*common, "--format", "csv").out.splitlines()
    assert lines[:2] == ["run,topic,rank,document,P,R,F,score,gP", "mine,1,1,A,0.6,1.0,0.75,0.75,0.75"]
    read = json.loads(excerpt(*common, "--format", "json").out)
    assert list(read["rows"][0]) == lines[0].split(",")
    assert [",".join(map(str, row.values())) for row in read["rows"]] == lines[1:]
    piped = (*common[:2], "-", *common[3:])
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO((files / "run").read_bytes())))
    assert excerpt(*piped, "--quiet").out == done.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("-m", "MAiP"), "found MAiP, expected a measure that scores documents: gP or AgP"),
        (("-m", "gR@5"), "found gR@5, expected a measure that scores documents: gP or AgP"),
        (("-m", "gP@5", "-m", "AgP(beta=2)"), "found gP@5, AgP(beta=2), expected measures with one score"),
        (("-m", "gP@5", "--per-topic"), "--per-document and --per-topic cannot be combined"),
        (("-m", "gP@5", "--interval", "0.9"), "--per-document and --interval cannot be combined"),
        (("-m", "gP@5", "--format", "trec"), "--per-document and --format trec cannot be combined"),
        (("-m", "gP@5", "--figure", "a.svg"), "--per-document and --figure cannot be combined"),
    ],
)
def test_documents_that_cannot_be_scored(
    files: Path, excerpt: Excerpt, options: tuple[str, ...], message: str
) -> None:
    """One line, and nothing is saved."""
    common = ("evaluate", "qrels", "run", "--interleaved", "regroup", "--per-document", "--save", "s.json")
    done = excerpt(*common, *options)
    assert (done.status, done.out) == (2, "")
    assert message in done.err
    assert not (files / "s.json").exists()


def test_saved_scores_have_no_documents(files: Path, excerpt: Excerpt) -> None:
    excerpt("evaluate", "qrels", "run", "--interleaved", "regroup", "-m", "gP@5", "--save", "s.json")
    done = excerpt("evaluate", "s.json", "--per-document")
    assert (done.status, done.out) == (2, "")
    assert done.err == (
        "excerpt: saved scores do not include those of documents; give the judgments and the runs\n"
    )


def test_saved_scores_are_no_run(files: Path, excerpt: Excerpt) -> None:
    """Saved scores where a run or judgments belong are named, with what prints them."""
    assert excerpt("evaluate", "qrels", "run", "-m", "charP", "--save", "s.json").status == 0
    done = excerpt("evaluate", "qrels", "s.json")
    said = "excerpt: s.json: found saved scores, expected a run; excerpt render prints them\n"
    assert (done.status, done.out, done.err) == (2, "", said)
    done = excerpt("convert", "s.json", "out", "--to", "fol", "--kind", "judgments")
    assert (done.status, done.err) == (2, said.replace("a run", "judgments"))
