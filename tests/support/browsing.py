"""A real browser for tests: pages that may ask for nothing, modules called with cases, a server."""

from __future__ import annotations

import asyncio
import itertools
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote, urlsplit

from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, Request, Route, ViewportSize

PAGE = Path(__file__).parents[2] / "src" / "excerpt" / "render" / "page"
#: What the browser leaves out: what playwright leaves out itself, since this list takes the place of its own;
#: then a process kept in reserve, and the parts of a window around the page, which nobody sees here and which
#: cost as much as a page, in each new context.
LEFT_OUT = (
    *("AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades"),
    *("HttpsFirstBalancedModeAutoEnable", "LensOverlay", "MediaRouter", "PaintHolding", "PreconnectToSearch"),
    *("ThirdPartyStoragePartitioning", "NetworkTimeServiceQuerying", "OptimizationHints", "AimEnabled"),
    *("SpareRendererForSitePerProcess", "InitialWebUI", "PreloadTopChromeWebUI", "WebUILocationBar"),
    *("WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup", "WebUIOmniboxPopup", "WebUIReloadButton"),
    *("WebUITabStrip", "WebUIToolbar"),
)
#: Rendering by software, and no traffic of the browser's own.
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    f"--disable-features={','.join(LEFT_OUT)}",
)
#: Where the modules seem to lie: requests for it are answered from the folder, by the tests themselves.
ORIGIN = "http://page.test"

Span = tuple[int, int]


class Watch:
    """Forbidden actions of a page: errors, dialogs, requests beyond those that are allowed."""

    def __init__(self, page: Page, *allowed: str) -> None:
        self.faults: list[str] = []
        self._allowed = allowed
        self._page = page
        self._heard: dict[str, Callable[[Any], None]] = {
            "console": self._console,
            "pageerror": self._error,
            "dialog": self._dialog,
            "request": self._request,
        }
        for event, told in self._heard.items():
            page.on(event, told)  # type: ignore[call-overload]

    def end(self) -> None:
        """Watch no longer."""
        for event, told in self._heard.items():
            self._page.remove_listener(event, told)

    def _error(self, error: object) -> None:
        self.faults.append(f"error: {error}")

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


class Tabs:
    """Pages of a browser that are used again: to make one costs more than what most tests do with it.

    What is given back has left its address and forgotten its history, what it stored and how it was shown.
    """

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self._free: dict[bool, list[Page]] = {True: [], False: []}
        self._lent: dict[Page, bool] = {}

    def take(self, *, width: int, height: int, dark: bool, offline: bool) -> Page:
        """A page that shows nothing, in a context of its own."""
        if not self._free[offline]:
            self._free[offline].append(self.browser.new_context(offline=offline).new_page())
        page = self._free[offline].pop()
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme="dark" if dark else "light")
        self._lent[page] = offline
        return page

    def spoil(self, page: Page) -> None:
        """Something was done to a page that cannot be undone, so no other test gets the page."""
        del self._lent[page]

    def give_back(self, page: Page) -> None:
        """Make a page as it was before it was taken, or close its context where that cannot be."""
        offline = self._lent.pop(page, None)
        if offline is None or page.is_closed():
            if offline is not None or not page.is_closed():  # else it was closed with another of its context
                page.context.close()
            return
        for other in page.context.pages:
            if other is not page:
                other.close()
        place = urlsplit(page.url)
        page.context.unroute_all(behavior="ignoreErrors")
        page.goto("about:blank")
        page.mouse.move(0, 0)
        page.emulate_media(media="null", color_scheme="null", reduced_motion="null", forced_colors="null")
        page.context.clear_cookies()
        page.context.clear_permissions()
        session = page.context.new_cdp_session(page)
        origin = f"{place.scheme}://{place.netloc}"
        session.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
        session.send("Page.resetNavigationHistory")
        session.detach()
        self._free[offline].append(page)


class Opened:
    """Pages that are open; `close` is an error if one of them did what it must not."""

    def __init__(self, tabs: Tabs) -> None:
        self._tabs = tabs
        self._open: list[tuple[Page, Watch]] = []

    def watch(self, page: Page) -> Watch:
        """Forbidden actions of a page."""
        return next(watch for opened, watch in self._open if opened is page)

    def spoil(self, page: Page) -> None:
        """Something was done to a page that cannot be undone: no other test gets it."""
        self._tabs.spoil(page)

    def leave(self, page: Page) -> None:
        """Give a page back before the others; an error if it did what it must not."""
        watch = self.watch(page)
        self._open.remove((page, watch))
        watch.end()
        self._tabs.give_back(page)
        assert watch.faults == []

    def close(self) -> None:
        """Give all pages back; an error if one of them did what it must not."""
        faults = [fault for _, watch in self._open for fault in watch.faults]
        for page, watch in self._open:
            watch.end()
            self._tabs.give_back(page)
        assert faults == []


#: Opens all doors of an overview, which stay open.
OPEN = """() => Promise.all(Array.from(document.querySelectorAll("details.door"), (door) => door.open || (
  door.open = true,
  new Promise((done) => door.addEventListener("toggle", done, {once: true})))))"""


class Pages(Opened):
    """Opens pages from files, offline; `close` is an error if one of them did what it must not."""

    def __init__(self, tabs: Tabs, folder: Path) -> None:
        super().__init__(tabs)
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
        doors: bool = True,
    ) -> Page:
        """A page of a file, or of HTML itself, at an address that ends in `#hash`; its `doors` are opened.

        Files in the folder `beside` may be asked for, too; the script `before` runs before those of the page.
        """
        path = page if isinstance(page, Path) else self._write(page)
        opened = self._page(width, height, dark, before)
        address = path.resolve().as_uri()
        allowed = [address] + ([f"{beside.resolve().as_uri()}/"] if beside else [])
        self._open.append((opened, Watch(opened, *allowed)))
        opened.goto(address + ("#" + hash.removeprefix("#") if hash else ""))
        if ready:
            until_ready(opened)
        if ready and doors:
            opened.evaluate(OPEN)
        return opened

    def _page(self, width: int, height: int, dark: bool, before: str) -> Page:
        if not before:
            return self._tabs.take(width=width, height=height, dark=dark, offline=True)
        size: ViewportSize = {"width": width, "height": height}
        scheme: Literal["dark", "light"] = "dark" if dark else "light"
        context = self._tabs.browser.new_context(offline=True, viewport=size, color_scheme=scheme)
        context.add_init_script(before)
        return context.new_page()

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

    def __init__(
        self, tabs: Tabs, folder: Path = PAGE, *, width: int = 1280, height: int = 720, dark: bool = False
    ) -> None:
        self._folder = folder
        self._tabs = tabs
        self.page = tabs.take(width=width, height=height, dark=dark, offline=True)
        self.page.context.route(f"{ORIGIN}/**", self._answer)
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
        """Results of an exported function for each list of arguments; typed arrays become lists.

        What the function throws is raised here, with its message.
        """
        place = f"{ORIGIN}/{module.removesuffix('.js')}.js"
        results: list[Any] = self.page.evaluate(_CALL, [place, name, [list(case) for case in cases]])
        return results

    def run(self, modules: Sequence[str], function: str, argument: Any = None) -> Any:
        """Result of `(modules…, argument) => …`; its first arguments are the exports of the modules."""
        places = [f"{ORIGIN}/{module.removesuffix('.js')}.js" for module in modules]
        code = f"""async ([places, argument]) => {{
          const modules = await Promise.all(places.map(place => import(place)));
          return ({function})(...modules, argument);
        }}"""
        return self.page.evaluate(code, [places, argument])

    def close(self) -> None:
        """Leave the document; an error if a module did what it must not."""
        self._watch.end()
        self._tabs.give_back(self.page)
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
    """Painted spans of the open document by name, in code points and in order; empty names left out."""
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
    """Painted text of the open document by name, as sets of characters; ranges of a name are disjoint."""
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
        """Standard error of the command so far."""
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
