"""A million characters with five thousand passages: painted exactly."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from support.browsing import Pages, go, painted, text_of

import excerpt
from excerpt import Judgments, Result, Run, Span

SIZE, PASSAGES = 1_000_000, 5_000


def _text(rng: random.Random) -> str:
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(2, 9))) for _ in range(2000)]
    words += ["😀", "é", "naïve\n", "end.\n\n"]
    text = " ".join(rng.choices(words, k=SIZE // 5))
    assert len(text) > SIZE
    return text[:SIZE]


@pytest.mark.slow
def test_a_million_characters_are_painted(open_page: Pages, tmp_path: Path) -> None:
    """The whole text is there, and every character is painted as it must be."""
    rng = random.Random(1)
    text = _text(rng)
    step = SIZE // PASSAGES
    relevant = [(at, at + rng.randint(20, step - 10)) for at in range(0, SIZE, step)]
    returned = [(at + rng.randint(0, 30), at + rng.randint(40, step)) for at in range(0, SIZE, step)]
    rng.shuffle(returned)
    run = Run.of("run", [Result("1", "A", start, end) for start, end in returned[:1500]])
    judgments = Judgments.of([("1", Span("A", start, end)) for start, end in relevant])
    excerpt.report(judgments, [run], ["charP"], corpus={"A": text}).save(tmp_path / "report.html")
    page = open_page(tmp_path / "report.html")
    go(page, "topic=1&doc=A")
    page.wait_for_selector("#text")
    assert text_of(page) == text
    found = {at for start, end in returned[:1500] for at in range(start, end)}
    wanted = {at for start, end in relevant for at in range(start, end)}
    shown = {
        name: {at for start, end in spans for at in range(start, end)}
        for name, spans in painted(page).items()
    }
    assert shown["hit"] == wanted & found
    assert shown["missed"] == wanted - found
    assert shown["vain"] == found - wanted
    assert len(painted(page)["missed"]) > 3500
