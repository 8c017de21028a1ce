"""Tables in print: LaTeX of every experiment, compiled in two columns."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import excerpt
from excerpt import ScoreTable, collection
from excerpt.model.display import Showable

RUNS = tuple(f"run-{kind}-{n:02}" for n, kind in enumerate(("bm25", "dense", "hybrid", "rm3") * 3))
MEASURES = ("MAiP", "iP[0.01]", "charF", "nDCG@10", "AP")
TOPICS = tuple(map(str, range(1, 31)))
DOCUMENT = r"""\documentclass[twocolumn]{article}
\usepackage[T1]{fontenc}
\usepackage{booktabs,siunitx,longtable,graphicx}
\begin{document}
%s
\end{document}
"""


def scores() -> ScoreTable:
    """Twelve runs by five measures, with differences of which some are significant."""
    values = np.random.default_rng(4).random((12, 30, 5)) * 0.6 + np.arange(12)[:, None, None] / 36
    return ScoreTable(RUNS, RUNS, TOPICS, MEASURES, values, aliases={"AP": "articleAP"})


def results() -> dict[str, Showable]:
    """Results of every kind that has a table in LaTeX."""
    table = scores()
    runs = [run.path for run in collection.runs("focused")]
    policy = excerpt.Policy(overlap="first")
    return {
        "evaluate": table,
        "intervals": table.with_intervals(),
        "topics": table.by_topic(),
        "compare": excerpt.compare(table, test="t"),
        "baseline": excerpt.compare(table, test="t", baseline=RUNS[3]),
        "per topic": excerpt.compare(table, measures="MAiP", test="t", baseline=RUNS[3], per_topic=True),
        "anova": excerpt.anova(table),
        "power": excerpt.power(table),
        "power of runs": excerpt.power(table, baseline=RUNS[3]),
        "correlate": excerpt.correlate(table),
        "agreement": excerpt.agreement(table, test="t"),
        "testerror": excerpt.testerror(table, tests=("t", "sign"), splits=2),
        "stability topics": excerpt.stability("topics", table),
        "stability errors": excerpt.stability("errors", table),
        **{
            f"stability {kind}": excerpt.stability(
                kind, collection.qrels(), runs, ["MAiP", "charF"], policy=policy, notices=excerpt.Notices()
            )
            for kind in ("pool", "depth", "unpooled")
        },
    }


def require_latex() -> str:
    """The compiler; without one the test is skipped, except under CI."""
    program = shutil.which("pdflatex")
    if program is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("no pdflatex for the tests of printed tables")
    return program


def compiled(text: str, folder: Path) -> str:
    """The log of the compiler; an error of LaTeX fails the test."""
    (folder / "page.tex").write_text(DOCUMENT % text, encoding="utf-8")
    command = [require_latex(), "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    return (folder / "page.log").read_text(encoding="utf-8", errors="replace")


def test_every_table_fits_a_column(tmp_path: Path) -> None:
    """Twelve runs and five measures, in every form: nothing is wider than a column of two."""
    require_latex()
    captions: dict[str, object] = {"caption": "50% of $\\tau_b$ & more", "label": "tab:x"}
    forms: list[dict[str, object]] = [{}, captions, {**captions, "wide": True}, {**captions, "siunitx": True}]
    texts = [
        f"\\typeout{{== {name} {place}}}\n{result.to_latex(**form)}\\clearpage\n"
        for name, result in results().items()
        for place, form in enumerate(forms)
    ]
    log = compiled("".join(texts), tmp_path)
    assert "Overfull" not in log, [line for line in log.splitlines() if line.startswith(("==", "Overfull"))]
    assert log.count("\n== ") >= len(texts) - 1


def test_no_table_has_names_of_code_or_of_our_measures() -> None:
    """Headings are words and symbols; aliases are only in comments."""
    for name, result in results().items():
        text = "\n".join(line for line in result.to_latex().splitlines() if not line.startswith("%"))
        assert "\\_" not in text, name
        assert "articleAP" not in text or name.startswith("stability"), name
    assert "% AP is articleAP\n" in scores().to_latex()
    anova = excerpt.anova(scores()).to_latex()
    assert all(head in anova for head in ("sum of squares", "mean square", "$\\eta^2$", "$F$", "df"))
    assert "$\\tau_b$" in excerpt.correlate(scores()).to_latex()


def test_long_tables_have_pages() -> None:
    """Up to 40 rows are one box; more rows are a longtable with the heading on every page."""
    few, many = (scores().of_topics(range(count)).by_topic() for count in (2, 4))
    assert "longtable" not in few.to_latex(marks=False)
    text = many.to_latex(marks=False, caption="x", label="tab:x", wide=True)
    assert text.count("run & topic") == 2
    assert "\\caption{x}\\label{tab:x} \\\\\n\\toprule" in text
    assert "\\begin{table" not in text
    assert "% needs \\usepackage{booktabs,longtable}\n" in text


def test_a_comparison_of_many_runs_lists_ranks() -> None:
    """A matrix of more than 40 runs would not fit a page."""
    names = tuple(f"r{n:02}" for n in range(41))
    values = np.arange(41)[:, None, None] / 50 + np.arange(6)[:, None] / 900
    table = ScoreTable(names, names, tuple("123456"), ("A",), values)
    text = excerpt.compare(table, test="sign", correction="none").to_latex()
    assert "1 & r40 & 0.8028 & 2\N{EN DASH}41 \\\\" in text
    assert "Better than: ranks of the runs that are significantly worse (two-sided sign test" in text
