"""A small world for trials: three documents, five questions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

DOCUMENTS = {
    "rent.md": "# Rent\n\nThe tenant pays the rent in May.\n\n"
    "## Deposit\n\nThe deposit is two months of rent.",
    "repair.md": "# Repairs\n\n"
    "The landlord repairs the roof.\n\nThe tenant repairs the lamp. Lamps are cheap.\n",
    "end.md": "# End\n\nThe lease ends in June.\n\n- keys are given back\n- walls are painted white\n",
}
GOLD = [
    ("When is the rent paid?", "rent.md", "The tenant pays the rent in May."),
    ("How much is the deposit?", "rent.md", "The deposit is two months of rent."),
    ("Who repairs the roof?", "repair.md", "The landlord repairs the roof."),
    ("When does the lease end?", "end.md", "The lease ends in June."),
    ("Which colour do walls have?", "end.md", "walls are painted white"),
]


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder with docs and gold.jsonl, made the current one."""
    (tmp_path / "docs").mkdir()
    for name, text in DOCUMENTS.items():
        (tmp_path / "docs" / name).write_text(text)
    rows = [{"question": one, "document": two, "quote": three} for one, two, three in GOLD]
    (tmp_path / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.chdir(tmp_path)
    return tmp_path
