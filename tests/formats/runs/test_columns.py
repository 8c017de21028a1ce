"""What runs in columns share: tags, faults of the first six columns."""

from __future__ import annotations

from collections.abc import Callable

from excerpt.formats.runs import fol, trec
from excerpt.formats.source import Source

Open = Callable[..., Source]


def test_the_first_tag_is_the_name(opened: Open) -> None:
    """Further tags are mentioned."""
    source = opened("1 Q0 A 1 1 one\n1 Q0 B 2 0.5 two\n")
    assert trec.read(source).name == "one"
    assert list(source.notices) == ["run has 2 tags; the first is its name (f)"]


def test_all_faults_of_a_line_are_found(opened: Open) -> None:
    """Rank, score and place are all looked at."""
    source = opened("1 Q0 A x nan r -5 y\n1 Q0 A 1 1 r 0\n1 Q0 A 1 1 r 0 5\n", keep=True)
    run = fol.read(source)
    source.faults.settle()
    assert [str(fault) for fault in source.faults.found] == [
        "f:1: found offset '-5', expected a number that is not negative",
        "f:1: found length 'y', expected a whole number",
        "f:1: found rank 'x', expected a whole number",
        "f:1: found score 'nan', expected a number",
        "f:2: found 7 columns, expected 8 (topic Q0 document rank score tag offset length)",
    ]
    assert run[len(run) - 1].end == 5
