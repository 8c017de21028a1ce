"""Run a command on small worlds and compare what it prints with exact answers; README.md says how.

Exit status: 0 if all values agree, 1 if some do not, 2 if nothing could be compared.
"""

from __future__ import annotations

import argparse
import csv
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from decimal import Decimal, InvalidOperation
from itertools import pairwise
from pathlib import Path

WORLDS = Path(__file__).resolve().parent / "worlds"
TOOLS = ("evaluate", "chunks", "inex_eval", "trec_eval")
UNDEFINED = ("undefined", "0/0")  # not printed, or printed as NaN; printed as NaN
Row = dict[str, str]
Printed = dict[tuple[str, str], str]  # values by measure and topic, `all` for means


def table(path: Path, columns: Sequence[str] | None = None) -> list[Row]:
    """Rows of a file of columns, with a header unless they are named."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, columns, delimiter="\t", quoting=csv.QUOTE_NONE))


def agrees(found: str | None, exact: str, value: str) -> bool:
    """Compare to half a unit of the last digit, from four decimals on, or to 1e-12 of the value."""
    if found is None or exact == "text":
        return found == value if exact == "text" else exact == "undefined"
    try:
        number = Decimal(found)
    except InvalidOperation:
        return False
    if exact in UNDEFINED or not number.is_finite():
        return exact in UNDEFINED and number.is_nan()
    places = -int(number.as_tuple().exponent)
    unit = Decimal(5).scaleb(-places - 1) if places >= 4 else Decimal(0)
    return abs(number - Decimal(value)) <= max(unit, abs(Decimal(value)).scaleb(-12))


def call(
    template: str, folder: Path, options: str = "", measures: Sequence[str] = (), **files: str
) -> Printed:
    """Lines of measure, topic and value; `{measure}` is repeated together with an option in front of it."""
    words: list[str] = []
    for before, word in pairwise(["", *shlex.split(template)]):
        if "{measure}" in word:
            flag = [words.pop()] if before.startswith("-") else []
            words += [part for one in measures for part in (*flag, word.replace("{measure}", one))]
        else:
            words += options.split() if word == "{options}" else [word]
    for name, path in {"folder": folder, **{name: folder / file for name, file in files.items()}}.items():
        words = [word.replace(f"{{{name}}}", str(path)) for word in words]
    text = subprocess.run(words, stdout=subprocess.PIPE, check=False).stdout.decode("utf-8", "replace")
    lines = [line.split("\t") if "\t" in line else line.split() for line in text.splitlines()]
    parts = [[part.replace(" ", "") for part in line if part.strip()] for line in lines]
    return {(part[0], part[1]): part[2] for part in parts if len(part) == 3}


def mismatches(rows: Sequence[Row], found: Printed) -> Iterator[str]:
    """What differs; if no topic is printed, means are enough, and if no mean is printed, topics."""
    refused, known = rows[0]["exact"] == "refused", {row["measure"] for row in rows}
    found = {key: value for key, value in found.items() if refused or key[0] in known}
    kinds = {topic == "all" for _, topic in found}
    if refused or not kinds:
        yield from [f"{'scores' if refused else 'no scores'} printed"] * (refused == (True in kinds))
        return
    for row in rows:
        value = found.pop((row["measure"], row["topic"]), None)
        if (row["topic"] == "all") in kinds and not agrees(value, row["exact"], row["value"]):
            expected = " = ".join(dict.fromkeys((row["exact"], row["value"])))
            yield f"{row['measure']} of topic {row['topic']}: found {value or 'nothing'}, expected {expected}"
    for (measure, topic), value in found.items():
        yield f"{measure} of topic {topic}: found {value}, expected nothing"


def run_world(folder: Path, asked: argparse.Namespace, names: dict[str, str]) -> Iterator[tuple[int, int]]:
    """Run the cases of a world and print what differs; values and mismatches of each, 0 values if skipped."""
    if asked.prepare and (folder / "docs").is_dir():
        call(asked.prepare, folder)
    for case in [case for case in table(folder / "cases.tsv") if case["tool"] == asked.tool]:
        rows = [row for row in table(folder / "expected.tsv") if row["case"] == case["case"]]
        measures = [one for one in case["measures"].split() if not names or one in names]
        other = {"*": "*", **{one: names.get(one, one) for one in measures}}
        if case["measures"]:
            rows = [{**row, "measure": other[row["measure"]]} for row in rows if row["measure"] in other]
        lacks_options = case["options"] and "{options}" not in asked.command
        lacks_index = ".index" in case["options"] and not asked.prepare
        if lacks_options or lacks_index or (case["measures"] and not measures):
            yield 0, 0
            continue
        files = {"qrels": case["qrels"], "run": case["run"]}
        found = call(asked.command, folder, case["options"], [other[one] for one in measures], **files)
        wrong = [f"{folder.name}, {case['case']}: {one}" for one in mismatches(rows, found)]
        print(*wrong, sep="\n", end="\n" * bool(wrong))
        yield len(rows), len(wrong)


def main(given: Sequence[str] | None = None) -> int:
    """Run the cases of a tool, print what differs, and count."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition(";")[0])
    worlds = sorted(path.name for path in WORLDS.iterdir())
    parser.add_argument("--command", required=True, help="with {qrels} {run} {options} {measure}")
    parser.add_argument("--tool", default="evaluate", choices=TOOLS, help="cases to run (default: evaluate)")
    parser.add_argument("--world", action="append", choices=worlds, help="may be repeated (default: all)")
    parser.add_argument("--prepare", help="command to run first in worlds with XML documents, with {folder}")
    parser.add_argument("--names", type=Path, help="file of lines: measure TAB its name for the command")
    asked = parser.parse_args(given)
    try:
        lines = table(asked.names, ("ours", "name")) if asked.names else []
        names = {line["ours"]: line["name"] or line["ours"] for line in lines}
        with tempfile.TemporaryDirectory() as scratch:
            folders = [shutil.copytree(WORLDS / name, Path(scratch) / name) for name in asked.world or worlds]
            counts = [count for folder in folders for count in run_world(folder, asked, names)]
    except (OSError, ValueError) as error:
        parser.error(str(error))
    compared, wrong = (sum(column) for column in zip((0, 0), *counts, strict=True))
    print(f"{compared} values compared; mismatches: {wrong}; skipped cases: {counts.count((0, 0))}")
    return min(wrong, 1) if compared else 2


if __name__ == "__main__":
    sys.exit(main())
