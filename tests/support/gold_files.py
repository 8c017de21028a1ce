"""Helpers of the tests of gold files: files made of text, and the samples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from excerpt.datasets.kinds import KINDS as BENCHMARKS
from excerpt.gold.file import Context, Gold, GoldFile
from excerpt.gold.quote_rows import KIND
from excerpt.notices import Faults

#: All formats of gold: those of benchmarks, and rows with quotes.
KINDS = (*BENCHMARKS, KIND)
SAMPLES = Path(__file__).parents[1] / "data" / "gold"
#: The documents that samples without texts were made for.
TEXTS = {
    "leases/one.txt": "The rent is due in May. No subletting is allowed.",
    "leases/two.txt": "No pets. No subletting, either.",
}
TEXTS |= dict.fromkeys(("one", "15829955#abstract", "9063462", "9063463"), TEXTS["leases/one.txt"])


def sample(name: str) -> Path:
    """The sample of a format."""
    (found,) = SAMPLES.glob(f"{name}.*")
    return found


def sample_text(name: str) -> str:
    """Text of a sample."""
    return sample(name).read_text(encoding="utf-8")


def said(gold: Gold) -> list[tuple[str, str, str]]:
    """Topic, document, and the words that the offsets lead to in the texts of the file."""
    return [
        (one.topic, one.document, gold.documents[one.document][one.start : one.end]) for one in gold.evidence
    ]


def gold_file(content: Any, *, keep: bool = True, context: Context = "paragraph") -> GoldFile:
    """A file called `f` of text, or of a value as JSON."""
    text = content if isinstance(content, str) else json.dumps(content)
    return GoldFile("f", text, Faults("f", keep), context=context)


def faults(file: GoldFile) -> list[str]:
    """Faults of a file, with their lines."""
    assert isinstance(file.faults, Faults)
    return [str(fault) for fault in file.faults.found]
