"""The text view: it paints the given layers; pointer, margin and map name the right characters."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.browsing import Modules, painted, text_of
from support.span_sets import characters, spans_of
from support.text_views import Block, frame, in_pieces, pages, show, style

EASY = settings(max_examples=60, suppress_health_check=list(HealthCheck))


@pytest.fixture
def styled(js: Modules) -> Modules:
    """A window with the page's style sheets."""
    return style(js)


@EASY
@given(page=pages(), data=st.data())
def test_highlights_are_the_given_characters(
    js: Modules, page: tuple[str, list[Block]], data: st.DataObject
) -> None:
    """Ranges start and end in text nodes; their strings are Python's slices."""
    text, blocks = page
    sets = {
        name: data.draw(st.sets(st.integers(0, max(0, len(text) - 1))))
        for name in ("hit", "missed", "again", "runs-3")
    }
    wanted = {name: spans_of(chosen) if text else [] for name, chosen in sets.items()}
    show(js, text, blocks, layers=[{"name": name, "spans": spans} for name, spans in wanted.items()])
    assert painted(js.page) == {
        name: [(start, end) for start, end in spans] for name, spans in wanted.items() if spans
    }
    strings = js.page.evaluate(
        "() => Array.from(CSS.highlights, ([name, ranges]) => [name, Array.from(ranges, String)])"
    )
    assert dict(strings) == {
        name: [text[start:end] for start, end in spans] for name, spans in wanted.items()
    }


LINES = (
    "Plain words here.\nAnd 😀𝒎 more of them, é.\n\n\u05e9\u05dc\u05d5\u05dd here\n"
    + "Later lines follow.\n" * 200
)


def test_the_pointer_is_told_in_code_points(styled: Modules) -> None:
    """Positions of hovering and clicking, also after characters of two units; not while selecting."""
    show(styled, LINES, [["text", 0, 0, len(LINES)]], layers=[{"name": "at", "spans": [[26, 28]]}])
    box = styled.page.evaluate(
        "() => { const [range] = CSS.highlights.get('at'); return range.getBoundingClientRect().toJSON(); }"
    )
    assert LINES[26:28] == "or"
    styled.page.mouse.move(box["x"] + 1, box["y"] + 5)
    styled.page.wait_for_function("() => seen.length === 1")
    styled.page.mouse.click(box["x"] + 1, box["y"] + 5)
    assert styled.page.evaluate("() => seen") == [["point", 26], ["cursor", 26]]
    styled.page.mouse.move(box["x"] + 1, box["y"] + 5)
    styled.page.mouse.down()
    styled.page.mouse.move(box["x"] + 80, box["y"] + 5)
    styled.page.mouse.up()
    assert [name for name, _ in styled.page.evaluate("() => seen") if name == "cursor"] == ["cursor"]
    assert styled.page.evaluate("() => getSelection().isCollapsed") is False
    assert styled.page.evaluate("() => view.positionAt(-9, -9)") is None


def test_the_margin_shows_what_is_in_sight(styled: Modules) -> None:
    """A lane for each state, labels, flags and the cursor; nothing for what is far below."""
    layers = [
        {"name": "hit", "spans": [[0, 5], [3000, 3100]], "lane": "hit", "map": "left right"},
        {"name": "missed", "spans": [[18, 30]], "lane": "missed", "map": "left"},
        {"name": "", "spans": [[3200, 3300]], "lane": "vain", "map": "right"},
    ]
    marks = [
        {"at": 18, "text": "#4", "kind": "label"},
        {"at": 0, "text": "BEP", "kind": "judged"},
        {"at": 6, "text": "A2", "kind": "returned"},
        {"at": 3000, "text": "#9", "kind": "label"},
    ]
    show(
        styled,
        LINES,
        [["text", 0, 0, 2000], ["text", 0, 2000, len(LINES)]],
        layers=layers,
        marks=marks,
        cursor=[18, 30],
    )
    frame(styled)
    shown = styled.page.evaluate(
        "() => Array.from(document.querySelectorAll('.margin > *'), one => [one.className, one.textContent])"
    )
    assert sorted(map(tuple, shown)) == [
        ("caret", ""), ("flag judged", "BEP"), ("flag label", "#4"), ("flag returned", "A2"),
        ("lane is-cursor", ""), ("lane is-hit", ""), ("lane is-missed", ""),
    ]  # fmt: skip
    tops = styled.page.evaluate(
        """() => { const top = name => document.querySelector(name).getBoundingClientRect().top;
          const [second] = CSS.highlights.get("missed");
          const drawn = name => document.querySelectorAll(`.text-map ${name}`).length;
          return [second.getBoundingClientRect().top - top(".is-missed"), top(".label") - top(".judged"),
            drawn("path"), drawn("rect")]; }"""
    )
    assert abs(tops[0]) < 2
    assert tops[1] >= 14
    assert tops[2:] == [4, 1]
    styled.page.evaluate("() => view.reveal([3000, 3001])")
    frame(styled)
    assert styled.page.evaluate("() => view.sight().window[0]") > 500
    far = styled.page.evaluate(
        "() => Array.from(document.querySelector('.margin').children, node => node.className)"
    )
    assert far == ["flag label", "lane is-hit", "lane is-vain"]


def test_words_that_touch_are_shown_apart(styled: Modules) -> None:
    """Gaps are no characters: text and positions stay; a gap at the start of a block changes nothing."""
    text = "SmithJ.1s@x.edu and more"
    blocks: list[Block] = [["list", 0, 0, 24], ["item", 1, 0, 15, [0, 5, 7, 8]], ["item", 1, 15, 24]]
    show(styled, text, blocks, layers=[{"name": "hit", "spans": [[3, 9]]}])
    assert text_of(styled.page) == text
    assert painted(styled.page) == {"hit": [(3, 9)]}
    gaps = styled.page.locator("#text .gap")
    assert gaps.all_text_contents() == ["Smith", "J.", "1", "s@x.edu"]
    lefts = styled.page.evaluate(
        "() => Array.from(document.querySelectorAll('.gap'), node => node.getBoundingClientRect())"
        ".map(({left, right}) => [left, right])"
    )
    assert all(after[0] - before[1] > 3 for before, after in itertools.pairwise(lefts))


def test_lines_are_drawn_where_the_browser_does_not(styled: Modules) -> None:
    """Firefox before 146 paints no lines in highlights: borders at the same places, and never both."""
    styled.page.evaluate(
        """() => { window.kept = CSS.supports;
          CSS.supports = (name, value) => /^-moz/.test(name) || window.kept.call(CSS, name, value); }"""
    )
    show(styled, LINES, [], layers=[{"name": "missed", "spans": [[18, 30]], "lane": "missed"}])
    frame(styled)
    lines = styled.page.evaluate(
        """() => { CSS.supports = window.kept;
          const [range] = CSS.highlights.get("missed"), box = range.getBoundingClientRect();
          return Array.from(document.querySelectorAll(".line.is-missed"), node => {
            const line = node.getBoundingClientRect();
            const {borderBottomStyle} = getComputedStyle(node);
            const twice = getComputedStyle(document.querySelector("#text"), "::highlight(missed)");
            return [line.bottom - box.bottom, line.left - box.left, borderBottomStyle,
              twice.textDecorationLine]; }); }"""
    )
    assert len(lines) == 1
    assert lines[0][2:] == ["dashed", "none"]
    assert max(map(abs, lines[0][:2])) < 2


def test_a_layer_over_most_of_the_text_is_quiet(js: Modules) -> None:
    """It is said and changes the paint, never the ranges."""
    text = "abcdefghij"
    layers = [{"name": "again", "spans": [[0, 7]]}, {"name": "hit", "spans": [[0, 6]]}]
    assert show(js, text, [], layers=layers) == ["again"]
    assert js.page.evaluate("() => document.documentElement.dataset.quiet") == "again"
    assert painted(js.page) == {"again": [(0, 7)], "hit": [(0, 6)]}


def test_the_map_jumps(styled: Modules) -> None:
    """A click and a drag on it bring that part of the text into sight."""
    text = "A line of it.\n" * 3000
    show(styled, text, in_pieces(text))
    frame(styled)
    box = styled.page.locator(".text-map").bounding_box()
    assert box is not None
    styled.page.mouse.click(box["x"] + 5, box["y"] + box["height"] / 2)
    frame(styled)
    assert 0.45 < styled.page.evaluate("() => view.sight().window[0]") / len(text) < 0.55
    sight = styled.page.locator(".sight").bounding_box()
    assert sight is not None
    assert abs(sight["y"] + sight["height"] / 2 - box["y"] - box["height"] / 2) < 0.1 * box["height"]
    styled.page.mouse.down()
    styled.page.mouse.move(box["x"] + 5, box["y"] + 0.9 * box["height"])
    styled.page.mouse.up()
    frame(styled)
    assert 0.85 < styled.page.evaluate("() => view.sight().window[0]") / len(text) < 0.95


def test_a_passage_that_begins_with_folded_white_space_comes_into_sight(styled: Modules) -> None:
    """Characters that take no place are passed over."""
    text = "word " * 3000 + " " * 40 + "here" + " word" * 3000
    show(styled, text, in_pieces(text), layers=[{"name": "at", "spans": [[15_040, 15_044]]}])
    styled.page.evaluate(
        "() => { document.getElementById('text').className = 'folded'; view.reveal([15_002, 15_044]); }"
    )
    frame(styled)
    top = styled.page.evaluate(
        "() => [...CSS.highlights.get('at')][0].getBoundingClientRect().top / innerHeight"
    )
    assert 0.2 < top < 0.4


def test_without_a_text_there_is_a_map(js: Modules) -> None:
    """Spans and marks are on the map; no character is painted."""
    layers = [{"name": "hit", "spans": [[10, 20]], "lane": "hit", "map": "left"}]
    show(js, None, [], layers=layers, marks=[{"at": 10, "text": "BEP", "kind": "judged"}], cursor=[10, 20])
    assert text_of(js.page) == ""
    assert painted(js.page) == {}
    assert js.page.locator(".text-map path").count() == 1
    assert js.page.evaluate("() => [view.quote([10, 20]), view.reveal([10, 20])]") == ["", None]


def test_spans_beyond_the_text_are_cut(js: Modules) -> None:
    """A result may end behind the text that there is."""
    show(
        js,
        "abc",
        [],
        layers=[{"name": "hit", "spans": [[1, 9], [11, 12]]}],
        marks=[{"at": 7, "text": "#1", "kind": "label"}],
    )
    frame(js)
    assert painted(js.page) == {"hit": [(1, 3)]}


def test_a_paper_leaves_no_paint_behind(js: Modules) -> None:
    """Another view has no highlights of this one."""
    show(js, "abc", [], layers=[{"name": "hit", "spans": [[0, 3]]}])
    assert js.page.evaluate("() => { view.dispose(); return CSS.highlights.size; }") == 0


def test_a_million_characters_with_five_thousand_passages(styled: Modules) -> None:
    """Every one of them is painted where it should be, and the last comes into sight."""
    chance = random.Random(5)
    text = "".join(chance.choice(["word ", "é", "😀", "\n", "of it, ", "\t"]) for _ in range(400_000))[
        :1_000_000
    ]
    step = len(text) // 5000
    spans = [[at * step + 3, at * step + 3 + chance.randrange(1, step - 3)] for at in range(5000)]
    layers = [{"name": "hit", "spans": spans, "lane": "hit", "map": "left"}]
    show(styled, text, in_pieces(text), layers=layers)
    assert text_of(styled.page) == text
    assert painted(styled.page)["hit"] == [(start, end) for start, end in spans]
    assert len(characters(spans)) == sum(end - start for start, end in spans)
    styled.page.evaluate("span => view.reveal(span)", spans[-1])
    frame(styled)
    top = styled.page.evaluate(
        "() => Array.from(CSS.highlights.get('hit')).at(-1).getBoundingClientRect().top / innerHeight"
    )
    assert 0.25 < top < 0.35
