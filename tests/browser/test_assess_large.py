"""A million characters with five thousand highlights: exact painting, and the cost of one more."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from support.browsing import Tabs, painted, text_of
from support.fake_campaign import START, Assessing, FakeCampaign, History, opened, select, until_saved

SIZE, PASSAGES = 1_000_000, 5_000


@pytest.fixture
def assess(tabs: Tabs) -> Iterator[Assessing]:
    """`assess(campaign, "topic=T1&doc=D1")`: the page of a campaign."""
    yield from opened(tabs)


class Marked(History):
    """A history that begins with many highlights."""

    def __init__(self, spans: list[list[int]]) -> None:
        super().__init__()
        self._now = {**START, "highlights": spans}


@pytest.mark.slow
def test_one_more_of_five_thousand_highlights(assess: Assessing) -> None:
    """Earlier ranges stay the same objects; the new one is added, here and on the server."""
    chance = random.Random(7)
    text = "".join(chance.choice(["word ", "é", "😀", "\r\n", "of it, ", "\t"]) for _ in range(400_000))[
        :SIZE
    ]
    step = SIZE // PASSAGES
    spans = [[at, at + chance.randrange(20, step // 2)] for at in range(0, SIZE, step)]
    campaign = FakeCampaign({"D1": text})
    campaign.histories["T1", "D1"] = Marked(spans)
    page = assess(campaign, "topic=T1&doc=D1")
    assert text_of(page) == text
    assert painted(page)["judged"] == [tuple(span) for span in spans]
    page.evaluate("() => { window.before = new Set(CSS.highlights.get('judged')); }")
    start = 10 * step + step // 2 + 10
    select(page, start, start + 20)
    page.keyboard.press("Alt+h")
    until_saved(page)
    page.wait_for_function("size => CSS.highlights.get('judged').size === size", arg=PASSAGES + 1)
    kept = "() => [...CSS.highlights.get('judged')].filter(range => window.before.has(range)).length"
    assert page.evaluate(kept) == PASSAGES
    wanted = sorted([*map(tuple, spans), (start, start + 20)])
    assert painted(page)["judged"] == wanted
    assert campaign.state("D1")["highlights"] == [list(span) for span in wanted]
