"""The data of the page: unpacked from templates or asked of a server, decoded, kept."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playwright.sync_api import Route
from support.browsing import ORIGIN, Modules

TEXT = "a😀b é\r\nc\U00010000d"
SPANS = [[0, 2], [1, 3], [0, len(TEXT)], [4, 4], [len(TEXT) - 1, len(TEXT)]]
DOCUMENTS = {"ids": ["D 1", "__proto__", "D3"], "names": {"d1.xml": 0, "toString": 2}}


def document(name: str, text: str | None) -> dict[str, Any]:
    """A document as the page gets it."""
    return {
        "id": name,
        "title": "",
        "kind": "",
        "size": -1,
        "text": text,
        "why": "",
        "blocks": [],
        "names": [name],
    }


PARTS = {
    "overview": {"topics": [{"id": "T&1"}]},
    "documents": DOCUMENTS,
    "document/0": document("D 1", TEXT),
    "document/1": document("__proto__", "x"),
    "document/2": document("D3", None),
}
#: Makes an element with the parts as templates, opens it, and gives what the function of it gives.
OPEN = """async (data, parts) => {
  const root = document.createElement("div");
  for (const [name, packed] of Object.entries(parts)) {
    const template = document.createElement("template");
    template.dataset.part = name;
    template.content.append(packed);
    root.append(template);
  }
  return (ACT)(data.openData(root));
}"""


def ask(js: Modules, act: str, parts: dict[str, Any] = PARTS) -> Any:
    """Return the result of a function of the data, with the data in templates."""
    packed = {
        name: base64.b64encode(gzip.compress(json.dumps(part).encode(), mtime=0)).decode()
        for name, part in parts.items()
    }
    return js.run(["data"], OPEN.replace("ACT", act), packed)


def test_texts_are_cut_at_code_points(js: Modules) -> None:
    """As Python cuts them, with characters of two units before, in and behind."""
    texts = ask(js, f"data => data.texts('d1.xml', {json.dumps(SPANS)})")
    assert texts == [TEXT[start:end] for start, end in SPANS]


@pytest.mark.parametrize(
    ("name", "found"), [("D 1", "D 1"), ("d1.xml", "D 1"), ("__proto__", "__proto__"), ("toString", "D3")]
)
def test_a_document_is_found_by_each_of_its_names(js: Modules, name: str, found: str) -> None:
    """Names that every object has are names like others."""
    assert ask(js, f"async data => (await data.document({json.dumps(name)})).id") == found


@pytest.mark.parametrize("name", ["D2", "constructor", "valueOf", ""])
def test_an_unknown_document_is_one_sentence(js: Modules, name: str) -> None:
    """It says the name, and is known as missing."""
    told = ask(js, f"data => data.document({json.dumps(name)}).catch(error => error.message)")
    assert told == f"The document “{name}” is not in this report."


def test_a_document_without_text_has_no_pieces(js: Modules) -> None:
    """Its offsets are all that is known."""
    assert ask(js, "data => data.texts('D3', [[0, 2], [2, 3]])") == [None, None]


def test_a_part_is_unpacked_once(js: Modules) -> None:
    """The second asking gives the same object; a part that is not there is one sentence."""
    assert ask(js, "async data => await data.overview() === await data.overview()")
    assert (
        ask(js, "data => data.passages().catch(error => error.message)") == "the page has no part passages."
    )


@settings(deadline=None, max_examples=20)
@given(st.lists(st.lists(st.tuples(st.integers(0, 99), st.integers(0, 9)), max_size=4), max_size=4))
def test_results_are_decoded_as_they_were_coded(js: Modules, documents: list[list[tuple[int, int]]]) -> None:
    """Starts are differences within a document, ends are lengths."""
    ordered = [sorted(spans) for spans in documents]
    topic = {
        "id": "T&1",
        "documents": {},
        "relevant": {"document": [0], "start": [3], "end": [5]},
        "spans": {
            "count": [len(spans) for spans in ordered],
            "start": [
                start - before
                for spans in ordered
                for (start, _), (before, _) in zip(spans, [(0, 0), *spans], strict=False)
            ],
            "length": [length for spans in ordered for _, length in spans],
            "relevant": [1 for spans in ordered for _ in spans],
        },
        "runs": [[0, -1], []],
        "counted": {},
    }
    columns = "({document, start, end, relevant}) => [document, start, end, relevant].map(x => Array.from(x))"
    act = f"""async data => {{
      const {{spans, runs, relevant}} = await data.topic(0);
      return [({columns})(spans), Array.from(runs[0]), Array.from(relevant.end)];
    }}"""
    [document, start, end, relevant], run, ends = ask(js, act, {"topic/0": topic})
    rows = [(number, *span) for number, spans in enumerate(ordered) for span in spans]
    assert list(zip(document, start, end, relevant, strict=True)) == [
        (number, at, at + length, 1) for number, at, length in rows
    ]
    assert (run, ends) == ([0, -1], [5])


def test_a_server_is_asked_by_names(js: Modules) -> None:
    """The same data by requests; each is made once, and what the server refuses is its sentence."""
    asked = []

    def answer(route: Route) -> None:
        path = route.request.url.removeprefix(ORIGIN)
        asked.append(path)
        if path.startswith("/api/overview"):
            route.fulfill(json=PARTS["overview"])
        elif path.startswith("/api/texts"):
            route.fulfill(json={"texts": ["x"]})
        else:
            route.fulfill(status=404, json={"error": "There is no such thing."})

    js.page.route(f"{ORIGIN}/api/**", answer)
    act = """async data => {
      const texts = [];
      for (const spans of [[[0, 2]], [[0, 2]], []]) texts.push(await data.texts("D 1", spans));
      const told = await data.topic(0).catch(error => error.message);
      return [texts, told, (await data.overview()).topics.length];
    }"""
    source = f"""async (data) => {{
      const root = document.createElement("div");
      root.dataset.source = "server";
      return ({act})(data.openData(root));
    }}"""
    assert js.run(["data"], source) == [[["x"], ["x"], []], "There is no such thing.", 1]
    assert asked == ["/api/texts?document=D%201&spans=0-2", "/api/overview", "/api/topic?topic=T%261"]
    js.page.unroute(f"{ORIGIN}/api/**")
    [fault] = js._watch.take()
    assert "404" in fault  # browsers report a refused request by themselves
