"""Names and texts that would like to be markup: they are shown, and do nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.browsing import Pages, address, go, text_of
from support.payloads import PAYLOADS

import excerpt
from excerpt import Judgments, Result, Run, Span


@pytest.mark.parametrize("payload", PAYLOADS)
def test_names_and_text_are_only_text(open_page: Pages, tmp_path: Path, payload: str) -> None:
    """A run, topic, document, title, question and text of this name: visible, inert, and to be linked to."""
    text = f"before {payload} after\n{payload}"
    judgments = Judgments.of([(payload, Span(payload, 0, 10)), ("2", Span(payload, 3, 9))])
    runs = [
        Run.of(name, [Result(payload, payload, 5, len(text)), Result("2", payload, 0, 8)])
        for name in (payload, f"{payload}2")
    ]
    topics = tmp_path / "topics.jsonl"
    row = {"id": payload, "title": f"title {payload}", "text": payload, "narrative": payload}
    topics.write_text(json.dumps(row) + "\n", encoding="utf-8")
    made = excerpt.report(
        judgments, runs, ["charP", "charR"], corpus={payload: text}, topics=topics, title=payload
    )
    made.save(tmp_path / "report.html")
    page = open_page(tmp_path / "report.html")
    both = [payload, f"{payload}2"]
    views = [
        "",
        address(view="pair", runs=both),
        address(topic=payload, runs=both),
        address(topic=payload, doc=payload, runs=[payload]),
        address(topic=payload, doc=payload, runs=both),
        address(view="passages"),
    ]
    for view in views:
        go(page, view)
        seen = page.locator("body").inner_text()
        shown = payload.replace("\u202e", "").replace("\u202c", "")
        assert shown[:6] in seen.replace("\u202e", ""), view
        assert (
            page.locator("main img, main script, main style, main iframe, main object, main [onload]").count()
            == 0
        )
        assert (
            page.locator("[onerror], [onclick], [onmouseover], [style*=alert], a[href^=javascript]").count()
            == 0
        )
        if "doc=" in view:
            assert text_of(page) == text
    page.keyboard.press("?")
    page.wait_for_timeout(20)
