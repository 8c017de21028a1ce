"""Options of judgments that are questions with evidence."""

from __future__ import annotations

import pytest

from excerpt.cli import main


def test_contexts(capsys: pytest.CaptureFixture[str]) -> None:
    """Two are known."""
    assert main(["evaluate", "q", "r", "--context", "page"]) == 2
    assert "'page'" in capsys.readouterr().err
