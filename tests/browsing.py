"""A real browser for tests: pages that may ask for nothing, modules called with cases, a server."""

from __future__ import annotations

import asyncio
import itertools
import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, Request, Route

PAGE = Path(__file__).parents[1] / "src" / "excerpt" / "render" / "page"
#: Rendering by software, and no traffic of the browser's own.
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
#: Where the modules seem to lie: requests for it are answered from the folder, by the tests themselves.
ORIGIN = "http://page.test"

Span = tuple[int, int]


class Watch:
    """What a page did that it must not do: errors, dialogs, requests beyond those that are allowed."""

    def __init__(self, page: Page, *allowed: str) -> None:
        self.faults: list[str] = []
        self._allowed = allowed
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        page.on("dialog", self._dialog)
        page.on("request", self._request)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.faults.append(f"console: {message.text}")

    def _dialog(self, dialog: Dialog) -> None:
        self.faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _request(self, request: Request) -> None:
        if not request.url.startswith(("data:", "blob:", *self._allowed)):
            self.faults.append(f"request: {request.url}")

    def take(self) -> list[str]:
        """The faults so far, which then are forgotten: for tests that provoke some."""
        faults, self.faults = self.faults, []
        return faults


class Opened:
    """Pages that are open; `close` is an error if one of them did what it must not."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._open: list[tuple[Page, Watch]] = []

    def watch(self, page: Page) -> Watch:
        """What a page did that it must not do."""
        return next(watch for opened, watch in self._open if opened is page)

    def close(self) -> None:
        """Close all pages; an error if one of them did what it must not."""
        faults = [fault for _, watch in self._open for fault in watch.faults]
        for page, _ in self._open:
            page.context.close()
        assert faults == []


class Pages(Opened):
    """Opens pages from files, offline; `close` is an error if one of them did what it must not."""

    def __init__(self, browser: Browser, folder: Path) -> None:
        super().__init__(browser)
        self._folder = folder
        self._number = itertools.count()

    def __call__(
        self,
        page: Path | str,
        hash: str = "",  # noqa: A002  the part of the address that is called so
        *,
        width: int = 1280,
        height: int = 800,
        dark: bool = False,
        ready: bool = True,
        beside: Path | None = None,
        before: str = "",
    ) -> Page:
        """A page of a file, or of HTML itself, at an address that ends in `#hash`.

        Files in the folder `beside` may be asked for, too; the script `before` runs before those of the page.
        """
        path = page if isinstance(page, Path) else self._write(page)
        context = self._browser.new_context(
            offline=True,
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
        )
        if before:
            context.add_init_script(before)
        opened = context.new_page()
        address = path.resolve().as_uri()
        allowed = [address] + ([f"{beside.resolve().as_uri()}/"] if beside else [])
        self._open.append((opened, Watch(opened, *allowed)))
        opened.goto(address + ("#" + hash.removeprefix("#") if hash else ""))
        if ready:
            until_ready(opened)
        return opened

    def _write(self, html: str) -> Path:
        path = self._folder / f"page-{next(self._number)}.html"
        path.write_text(html, encoding="utf-8")
        return path


def until_ready(page: Page) -> None:
    """Wait until the view that the address names is drawn."""
    page.wait_for_selector("html[data-state=ready]", state="attached", timeout=15_000)


def go(page: Page, hash: str) -> None:  # noqa: A002
    """Change the part of the address after `#`, as a link does, and wait for the view that it names."""
    page.evaluate(
        """hash => new Promise(done => {
          const before = location.href;
          addEventListener("hashchange", () => done(), {once: true});
          location.hash = hash;
          if (location.href === before) done();
        })""",
        hash,
    )
    until_ready(page)


def address(**state: str | Sequence[str]) -> str:
    """The part of an address after `#`: several values with commas between them, all escaped."""
    listed = {key: [value] if isinstance(value, str) else value for key, value in state.items()}
    return "&".join(f"{key}={','.join(map(_escaped, values))}" for key, values in listed.items())


def _escaped(value: str) -> str:
    return quote(value, safe="!'()*-._~")


_CALL = """async ([module, name, cases]) => {
  const plain = value => ArrayBuffer.isView(value) ? Array.from(value)
    : value instanceof Map ? Array.from(value, plain)
    : value instanceof Set ? Array.from(value)
    : Array.isArray(value) ? value.map(plain)
    : value === undefined ? null
    : value !== null && typeof value === "object" && !(value instanceof Node)
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)])) : value;
  const found = (await import(module))[name];
  if (typeof found !== "function") throw new Error(`${module} exports no function ${name}`);
  const results = [];
  for (const values of cases) results.push(plain(await found(...values)));
  return results;
}"""


class Modules:
    """Calls what the page's modules export, in an empty document."""

    def __init__(self, browser: Browser, folder: Path = PAGE) -> None:
        self._folder = folder
        context = browser.new_context(offline=True)
        context.route(f"{ORIGIN}/**", self._answer)
        self.page = context.new_page()
        self._watch = Watch(self.page, ORIGIN)
        self.page.goto(f"{ORIGIN}/")

    def _answer(self, route: Route) -> None:
        name = route.request.url.removeprefix(f"{ORIGIN}/")
        if not name:
            route.fulfill(body="<!doctype html><title>modules</title>", content_type="text/html")
        elif name == "favicon.ico" or not (self._folder / name).is_file():
            route.fulfill(status=204 if name == "favicon.ico" else 404)
        else:
            kind = "text/css" if name.endswith(".css") else "text/javascript"
            route.fulfill(body=(self._folder / name).read_text(encoding="utf-8"), content_type=kind)

    def __call__(self, module: str, name: str, cases: Sequence[Sequence[Any]]) -> list[Any]:
        """What an exported function gives for each list of arguments; typed arrays become lists.

        What the function throws is raised here, with its message.
        """
        place = f"{ORIGIN}/{module.removesuffix('.js')}.js"
        results: list[Any] = self.page.evaluate(_CALL, [place, name, [list(case) for case in cases]])
        return results

    def run(self, modules: Sequence[str], function: str, argument: Any = None) -> Any:
        """What `(modules…, argument) => …` gives, the modules' exports being its first arguments."""
        places = [f"{ORIGIN}/{module.removesuffix('.js')}.js" for module in modules]
        code = f"""async ([places, argument]) => {{
          const modules = await Promise.all(places.map(place => import(place)));
          return ({function})(...modules, argument);
        }}"""
        return self.page.evaluate(code, [places, argument])

    def close(self) -> None:
        """Close the document; an error if a module did what it must not."""
        self.page.context.close()
        assert self._watch.faults == []


_PAINTED = """() => {
  const root = document.getElementById("text");
  const starts = new Map();
  let text = "";
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    starts.set(node, text.length);
    text += node.data;
  }
  const at = (node, offset) => {
    if (!starts.has(node)) throw new Error(`a range ends outside of the text, in ${node.nodeName}`);
    return starts.get(node) + offset;
  };
  const painted = {};
  for (const [name, highlight] of CSS.highlights) painted[name] = Array.from(highlight,
    range => [at(range.startContainer, range.startOffset), at(range.endContainer, range.endOffset)]);
  return {text, painted};
}"""


def text_of(page: Page) -> str:
    """The text of the open document."""
    return str(page.evaluate(_PAINTED)["text"])


def painted(page: Page) -> dict[str, list[Span]]:
    """What is painted in the open document by name: spans in code points, in order; empty names left out."""
    found = page.evaluate(_PAINTED)
    units: Mapping[str, list[list[int]]] = found["painted"]
    points = _points(found["text"])
    return {
        name: sorted((points[start], points[end]) for start, end in spans)
        for name, spans in units.items()
        if spans
    }


def _points(text: str) -> list[int]:
    """The number of code points before each unit of UTF-16; none begins at the second half of a pair."""
    points: list[int] = []
    for at, character in enumerate(text):
        points += [at] if ord(character) < 0x10000 else [at, -1]
    return [*points, len(text)]


def painted_characters(page: Page) -> dict[str, set[int]]:
    """What is painted in the open document by name, as sets of characters; ranges of a name are disjoint."""
    sets = {}
    for name, spans in painted(page).items():
        assert all(before[1] <= after[0] for before, after in itertools.pairwise(spans)), name
        sets[name] = {at for start, end in spans for at in range(start, end)}
    return sets


class Server:
    """A command of excerpt that serves pages, as a process of its own; its first line is its address."""

    def __init__(self, folder: Path, *arguments: object) -> None:
        self._log = folder / "server.log"
        command = [sys.executable, "-m", "excerpt", *map(str, arguments)]
        environment = {name: value for name, value in os.environ.items() if name != "BROWSER"}
        with self._log.open("w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=log, env=environment, text=True
            )
        assert self.process.stdout is not None
        self.link = self.process.stdout.readline().strip()  # ends at the latest when the process does
        if not re.match(r"http://[^ ]+/login#token=\S+$", self.link):
            self.close()
            raise AssertionError(f"{' '.join(command)} gave {self.link!r}: {self.told}")
        self.address, _, self.token = self.link.partition("/login#token=")

    @property
    def told(self) -> str:
        """What the command wrote on standard error so far."""
        return self._log.read_text(encoding="utf-8")

    def stop(self) -> int:
        """Interrupt the command, as Ctrl-C does, and wait for its status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        return self.process.wait(20)

    def close(self) -> None:
        """End the process, if need be by force."""
        try:
            self.stop()
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()


class LoopAside:
    """Keeps the browser's event loop from other tests: playwright leaves it running between its calls."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None

    def back(self) -> None:
        """Before a test in the browser: its loop runs."""
        if self._loop is not None:
            asyncio._set_running_loop(self._loop)

    def aside(self) -> None:
        """After it: none runs, so that others can run theirs."""
        self._loop = asyncio._get_running_loop()
        asyncio._set_running_loop(None)
