"""The page in Firefox, where it is installed: lines are painted once, as in Chromium."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.browsing import Pages
from support.firefox import Firefox, find_firefox

import excerpt
from excerpt import Judgments, Run

TEXT = "".join(f"Line {number} has words of rent.\n" for number in range(60))
#: The row of pixels of a line under text: how often it changes between line and ground.
_CHANGES = """(data, width, height) => {
  let most = 0;
  for (let y = 0; y < height; y++) {
    let changes = 0, before = false;
    for (let x = 0; x < width; x++) {
      const at = 4 * (y * width + x), [r, g, b] = [data[at], data[at + 1], data[at + 2]];
      const line = Math.abs(r - 180) < 12 && Math.abs(g - 67) < 12 && Math.abs(b - 10) < 12;
      if (line !== before) changes++;
      before = line;
    }
    most = Math.max(most, changes);
  }
  return most;
}"""


@pytest.fixture(scope="module")
def firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    """One window for all tests of this file."""
    program = find_firefox()
    if program is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(
            "no Firefox here; Debian's package is firefox-esr"
        )
    window = Firefox(program, tmp_path_factory.mktemp("firefox"))
    yield window
    window.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A document with a found and a missed line."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    judgments = Judgments.of([("t", "d", 0, 28), ("t", "d", 29, 57)], sizes={"d": len(TEXT)})
    run = Run.of("r", [("t", "d", 0, 28), ("t", "d", 100, 160)])
    excerpt.report(judgments, [run], ["charP"], corpus={"d": TEXT}).save(path)
    return path


def test_lines_are_painted_once(firefox: Firefox, report: Path, open_page: Pages) -> None:
    """Where highlights have lines of their own there are no others: dashes stay dashes."""
    firefox.open(f"{report.as_uri()}#topic=t&doc=d&runs=r")
    lines, version = firefox.run(
        "return [document.documentElement.dataset.lines,"
        " Number(/Firefox.(\\d+)/.exec(navigator.userAgent)[1])]"
    )
    assert lines == ("painted" if version >= 146 else "drawn")
    drawn = firefox.run("return document.querySelectorAll('.margin .line').length")
    assert (drawn == 0) == (lines == "painted")
    picture = firefox.picture()
    page = open_page(report, "topic=t&doc=d&runs=r")
    changes = page.evaluate(
        f"""async encoded => {{
          const bytes = Uint8Array.from(atob(encoded), sign => sign.charCodeAt(0));
          const image = await createImageBitmap(new Blob([bytes])), paper = new OffscreenCanvas(700, 400);
          const context = paper.getContext("2d");
          context.drawImage(image, 350, 140, 700, 400, 0, 0, 700, 400);
          return ({_CHANGES})(context.getImageData(0, 0, 700, 400).data, 700, 400);
        }}""",
        base64.b64encode(picture).decode(),
    )
    assert changes > 20, "a solid line where there should be dashes"


def test_keys_and_views_work(firefox: Firefox, report: Path) -> None:
    """All views are drawn without an error."""
    for view in ("", "topic=t", "topic=t&doc=d&upto=1", "view=passages"):
        firefox.open(f"{report.as_uri()}#{view}")
        assert firefox.run("return document.querySelector('main h1') !== null"), view
