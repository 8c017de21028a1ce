"""Notebooks: their cells."""

from __future__ import annotations

import json

import pytest
from support.document_files import notebook

from excerpt.documents.notebook import read_notebook
from excerpt.documents.unreadable import Unreadable


def test_cells_without_outputs() -> None:
    """Sources are texts or lists of lines; there is an empty line between cells."""
    data = notebook("# Title\n", ["import os\n", "os.sep\n"], "", "last")
    assert read_notebook(data, "a.ipynb").text == "# Title\n\nimport os\nos.sep\n\nlast"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is not a notebook: not JSON"),
        (b"[" * 100_000, "is not a notebook: not JSON"),
        (b"[]", "is not a notebook: it has no list of cells"),
        (notebook(version=3), "found a notebook of version 3, expected version 4; open it in Jupyter"),
        (json.dumps({"nbformat": 4, "cells": [{"source": 7}]}).encode(), "found 7 as source of cell 1"),
        (json.dumps({"nbformat": 4, "cells": ["x"]}).encode(), "found null as source of cell 1"),
        (notebook(""), "no text: the notebook has no cells with text"),
    ],
)
def test_what_is_no_notebook(data: bytes, message: str) -> None:
    """One line each."""
    with pytest.raises(Unreadable) as caught:
        read_notebook(data, "a.ipynb")
    assert str(caught.value).startswith(f"a.ipynb: {message}")
