"""excerpt demo: the embedded collection."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.report_parts import parts_of

from .conftest import Excerpt


def test_demo(excerpt: Excerpt) -> None:
    """The embedded collection is evaluated, and its folder can be printed."""
    done = excerpt("demo")
    assert done.status == 0
    assert done.out.index("sent-bm25") < done.out.index("random-p")
    assert done.out.splitlines()[-1].startswith("Next: excerpt demo --report ")
    assert (Path(excerpt("demo", "--path").out.strip()) / "qrels.fol").is_file()
    assert json.loads(excerpt("demo", "--format", "json").out)["ric"]["runs"][0]["name"] == "ric-p5"


def test_three_tasks_best_run_first(excerpt: Excerpt) -> None:
    """A heading, then a table per task whose first measure falls; each warning once."""
    done = excerpt("demo")
    lines = done.out.splitlines()
    assert lines[0].startswith("CUAD mini: 40 contracts, 41 topics")
    assert [line.split(":")[0] for line in lines if ": " in line][1:-1] == [
        "Focused",
        "Relevant in context",
        "Best in context",
    ]
    found = json.loads(excerpt("demo", "--format", "json").out)
    assert sorted(found) == ["bic", "focused", "ric"]
    runs = found["focused"]["runs"]
    best = max(runs, key=lambda run: float(run["scores"]["MAiP"]))
    assert done.out.index(best["name"]) == min(done.out.index(run["name"]) for run in runs)
    assert len(done.err.splitlines()) == len(set(done.err.splitlines()))
    assert done.err.endswith("(first: topic CU25 of qrels.fol)\n")


def test_the_report_of_the_collection(excerpt: Excerpt, tmp_path: Path) -> None:
    """All runs by the default measures, with titles of topics and units of runs; the verdict is printed."""
    done = excerpt("demo", "--report", str(tmp_path / "x.html"))
    size = (tmp_path / "x.html").stat().st_size
    written, said = done.out.splitlines()
    assert written == f"{tmp_path / 'x.html'}: 14 runs, 41 topics, 40 documents, {size / 1e6:.1f} MB"
    assert said.startswith(
        "sent-bm25 is significantly better than each of the 13 other runs by MAiP over 35 "
    )
    assert said.endswith("MAiP decides, since the judgments are highlighted text.")
    assert size <= 1_200_000
    data = parts_of((tmp_path / "x.html").read_bytes())["overview"]
    assert data["title"] == "CUAD mini"
    assert [measure["name"] for measure in data["measures"]] == [
        "MAiP",
        "iP[0.00]",
        "iP[0.01]",
        "iP[0.05]",
        "iP[0.10]",
    ]
    folder = Path(excerpt("demo", "--path").out.strip())
    runs, asked = sorted(map(str, (folder / "runs").iterdir())), ("--overlap", "first", "--no-text")
    for more in (runs, [*runs, "extra.jsonl"]):  # whatever further run is added
        (tmp_path / "extra.jsonl").write_text(
            '{"topic": "CU01", "document": "C0004", "start": 0, "end": 9}\n'
        )
        files = [str(tmp_path / name) if name == "extra.jsonl" else name for name in more]
        own = excerpt("report", str(folder / "qrels.fol"), *files, *asked, "-o", str(tmp_path / "y.html"))
        assert own.status == 0
        overview = parts_of((tmp_path / "y.html").read_bytes())["overview"]
        assert [overview[name] for name in ("set", "headline", "why")] == [
            "inex",
            "MAiP",
            "the judgments are highlighted text",
        ]
        if more is runs:
            assert overview["verdicts"][0]["headline"] == data["verdicts"][0]["headline"]
    assert len(data["runs"]) == 14
    assert {run["name"]: run["about"] for run in data["runs"]}["sent-bm25"] == "sentence"
    assert data["topics"][16]["title"].startswith("Right of First Refusal")
    assert data["made"]["settings"]["overlap"] == "first"
    assert any("policy first" in doubt["text"] for doubt in data["cannot"])
    json_ = excerpt("demo", "--report", str(tmp_path / "y.html"), "--format", "json").out
    assert json.loads(json_)["documents"] == 40
    assert (tmp_path / "y.html").read_bytes() == (tmp_path / "x.html").read_bytes()


def test_the_articles(excerpt: Excerpt, tmp_path: Path) -> None:
    """Elements first: every run that names them, each task by measures of its own."""
    done = excerpt("demo", "--collection", "articles")
    assert done.out.startswith("Evidence mini: 36 articles, 20 topics (20 with relevant text), 96 high")
    assert "\nAlso in its folder: simulated grades (assessments-2002.xml" in done.out
    headings = [line for line in done.out.splitlines() if line.startswith("run ")]
    assert [heading.split()[2] for heading in headings] == ["nxCG[10]", "MAiP", "MAgP", "BEPD"]
    found = json.loads(excerpt("demo", "--collection", "articles", "--format", "json").out)
    assert list(found) == ["thorough", "focused", "ric", "bic"]
    names = {task: {run["name"] for run in table["runs"]} for task, table in found.items()}
    assert names["thorough"] >= {"thorough-bm25", "mix-bm25", "random-p"}
    assert names["ric"] == {"ric-p5", "ric-win400"}
    for table in (found["thorough"], found["focused"]):  # nothing is worse than chance
        first = table["measures"][0]
        scores = {run["name"]: run["scores"][first] for run in table["runs"]}
        assert min(scores, key=scores.__getitem__) == "random-p"
    folder = Path(excerpt("demo", "--collection", "articles", "--path").out.strip())
    assert (folder / "articles.tsv").is_file()
    assert excerpt("demo", "--collection", "articles", "--report", str(tmp_path / "x.html")).status == 0
    overview = parts_of((tmp_path / "x.html").read_bytes())["overview"]
    assert (overview["title"], len(overview["runs"]), len(overview["topics"])) == ("Evidence mini", 13, 20)
    assert overview["made"]["command"] == "excerpt demo --collection articles --report"
    wrong = excerpt("demo", "--collection", "poems")
    assert (wrong.status, wrong.err.count("\n")) == (2, 1)


def test_grades_and_runs_of_the_articles_have_no_faults(excerpt: Excerpt) -> None:
    """excerpt check finds the scale of each year, and 28 runs."""
    folder = Path(excerpt("demo", "--collection", "articles", "--path").out.strip())
    graded = excerpt("check", *(str(folder / f"assessments-{year}.xml") for year in (2002, 2004, 2005)))
    assert (graded.status, graded.err) == (0, "")
    assert [line.split(" assessed by ")[1] for line in graded.out.splitlines()[:-1]] == [
        "relevance and coverage; no faults",
        "exhaustivity and specificity; no faults",
        "exhaustivity 0-2; no faults",
    ]
    runs = excerpt("check", str(folder / "runs-elements"))
    assert (runs.status, runs.out.count("; no faults\n")) == (0, 28)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["--report", "x.html", "--format", "csv"], "--format csv and --report cannot be combined"),
        (["--report", "x.html", "--safe-csv"], "--safe-csv and --report cannot be combined"),
        (["--path", "--report", "x.html"], "--report and --path cannot be combined"),
        (["--path", "--format", "json"], "--format json and --path cannot be combined"),
        (["--report", "x.pdf"], "x.pdf: found extension .pdf, expected .html or .htm"),
    ],
)
def test_options_that_are_not_used_are_refused(
    excerpt: Excerpt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: list[str], says: str
) -> None:
    """In one line, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    done = excerpt("demo", *given)
    assert (done.status, done.out, list(tmp_path.iterdir())) == (2, "", [])
    assert done.err.startswith(f"excerpt: {says}")
    assert done.err.count("\n") == 1
