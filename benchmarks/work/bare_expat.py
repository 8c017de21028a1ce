"""Parse all XML files below a folder with expat, without handlers: the minimal cost of reading XML.

python bare_expat.py FOLDER
"""

from __future__ import annotations

import os
import pyexpat
import sys


def parse(folder: str) -> int:
    """Read and parse in the order of names; return the number of documents."""
    count = 0
    for item in sorted(os.scandir(folder), key=lambda item: item.name):
        if item.is_dir():
            count += parse(item.path)
        elif item.name.endswith((".xml", ".nxml")):
            with open(item.path, "rb", buffering=0) as stream:  # noqa: PTH123  a Path for each file costs
                pyexpat.ParserCreate().Parse(stream.read(), True)
            count += 1
    return count


if __name__ == "__main__":
    print(parse(sys.argv[1]))
