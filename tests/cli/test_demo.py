"""excerpt demo: the embedded collection."""

from __future__ import annotations

import json
from pathlib import Path

from .conftest import Excerpt


def test_demo(excerpt: Excerpt) -> None:
    """The embedded collection is evaluated, best run first; its folder can be asked for."""
    done = excerpt("demo")
    assert done.status == 0
    assert done.out.index("sent-bm25") < done.out.index("random-p")
    assert (Path(excerpt("demo", "--path").out.strip()) / "qrels.fol").is_file()
    assert json.loads(excerpt("demo", "--format", "json").out)["ric"]["runs"][0]["name"] == "ric-p5"
