"""The verdict of a gate as people see it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from excerpt import ScoreTable, gate
from excerpt.model.judgments import Question
from excerpt.render.tables import show

HOSTILE = "<script>|\x1b[31m\n*Who*?" + 200 * "x"
BEFORE = ScoreTable.from_scores({("ma|in", str(topic), "AiP"): 0.5 for topic in range(12)})
AFTER = replace(
    ScoreTable.from_scores({("<new>", str(topic), "AiP"): topic / 40 for topic in range(12)}),
    questions={"0": Question("0", HOSTILE)},
    warnings=("a <doubt>",),
)
FOUND = gate(BEFORE, AFTER, questions=2)


def test_text() -> None:
    """A row per measure, the verdict, the questions."""
    lines = str(FOUND).splitlines()
    assert lines[0].split() == ["measure", "before", "after", "difference", "p", "verdict"]
    assert lines[2].split()[:3] == ["AiP", "0.5000", "0.1375"]
    assert lines[2].endswith("worse")
    assert lines[4].startswith("<new> is worse by AiP than ma|in (a drop of more than 0.01,")
    assert lines[6] == "AiP: questions that lost most (2 of 12)"
    assert lines[8].split() == ["topic", "question", "before", "after", "difference"]
    assert lines[10].startswith("0      <script>|\\x1b[31m\\n*Who*?xxx")
    assert len(lines[10]) < 160


def test_markdown_for_a_comment() -> None:
    """The verdict first; what files hold is no markup, also where HTML stands."""
    text = FOUND.to_markdown()
    assert text.startswith("**\\<new> is worse by AiP than ma\\|in (a drop")
    assert "\n| AiP | 0.5000 |" in text
    assert "<summary>AiP: questions that lost most (2 of 12)</summary>\n\n| topic |" in text
    assert "<script>" not in text.replace("\\<script>", "")
    assert text.count("<details>") == text.count("</details>") == 1
    named = gate(replace(BEFORE, measures=("<b>",)), replace(AFTER, measures=("<b>",))).to_markdown()
    assert "<summary>&lt;b&gt;: questions" in named


def test_notebook() -> None:
    """Verdict, rows, questions, warnings."""
    shown = FOUND._repr_html_()
    assert shown.startswith("<p><b>&lt;new&gt; is worse by AiP")
    assert shown.endswith("<p>warning: a &lt;doubt&gt;</p>\n")
    assert "<script>" not in shown


@pytest.mark.parametrize("format_", ["table", "markdown", "html"])
def test_notes_are_said(format_: str) -> None:
    """What is too little to see a drop is said in every form."""
    few = ScoreTable.from_scores({("r", str(topic), "AiP"): score for topic, score in enumerate((0, 1, 0.5))})
    turned = replace(few, values=few.values[:, ::-1])
    assert "AiP: 3 questions are too few to see a drop of 0.01" in show(gate(few, turned), format_)
