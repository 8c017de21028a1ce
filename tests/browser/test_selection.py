"""The selection in a text view, in code points."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.browsing import Modules
from support.text_views import Block, pages, show

SELECTED = "selection => selection.selectionOn(view)"


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(page=pages(), data=st.data())
def test_a_selection_is_told_in_code_points(
    js: Modules, page: tuple[str, list[Block]], data: st.DataObject
) -> None:
    """Ends in text nodes and ends between elements, in either direction."""
    text, blocks = page
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    show(js, text, blocks, layers=[{"name": "mark", "spans": [[start, end]] if start < end else []}])
    select = """back => {
      const [range] = CSS.highlights.get("mark"), chosen = getSelection();
      chosen.removeAllRanges();
      if (!range) return;
      const ends = [[range.startContainer, range.startOffset], [range.endContainer, range.endOffset]];
      chosen.setBaseAndExtent(...(back ? ends.reverse() : ends).flat());
    }"""
    for back in (False, True):
        js.page.evaluate(select, back)
        assert js.run(["text_view"], SELECTED) == ([start, end] if start < end else None)
    js.page.evaluate("() => getSelection().selectAllChildren(document.getElementById('text'))")
    assert js.run(["text_view"], SELECTED) == ([0, len(text)] if text else None)
