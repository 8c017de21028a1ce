"""Run the benchmarks part by part, and write the tables, the figure and `RESULTS.md`.

    python3 dev.py bench [--quick] [--only a,c] [--json FILE]

Only a complete run at full size writes `RESULTS.md` and its figure; other runs only print.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import a_spans
import b_documents
import c_index
import d_resolve
import e_study
import f_bootstrap
import g_growth
import h_start
import i_report
import j_pool
import k_assess
import l_chunks
import m_trec_eval
import machine
import n_corpus
import o_lines
import p_tracks
import q_texts
import r_versions
import s_judges
import t_trials
from figure import draw
from inputs import FULL, QUICK, Inputs, Scale
from measuring import Failed
from results import Part, markdown, targets_table

HERE = Path(__file__).resolve().parent
PARTS: dict[str, Callable[[Inputs, Scale], Part]] = {
    "a": a_spans.part,
    "b": b_documents.part,
    "c": c_index.part,
    "d": d_resolve.part,
    "e": e_study.part,
    "f": f_bootstrap.part,
    "g": g_growth.part,
    "h": h_start.part,
    "i": i_report.part,
    "j": j_pool.part,
    "k": k_assess.part,
    "l": l_chunks.part,
    "m": m_trec_eval.part,
    "n": n_corpus.part,
    "o": o_lines.part,
    "p": p_tracks.part,
    "q": q_texts.part,
    "r": r_versions.part,
    "s": s_judges.part,
    "t": t_trials.part,
}
HEAD = """# Results of the benchmarks

Written by `python3 dev.py bench`; [README.md](README.md) says how to read them. Times are medians of
interleaved rounds (with the least next to them), ratios are medians of the rounds' ratios of CPU time.

![CPU time of excerpt and its peers, measured numbers over their targets, and growth](results.svg)
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the requested parts and print their results."""
    options = parse(arguments)
    begin = time.monotonic()
    parts: list[Part] = []
    failed: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        inputs = Inputs(Path(folder))
        for letter in options.only:
            started = time.monotonic()
            try:
                parts.append(PARTS[letter](inputs, QUICK if options.quick else FULL))
            except (Failed, OSError, subprocess.SubprocessError) as error:
                failed.append(f"bench: part ({letter}) failed: {error}")
                continue
            print(f"({letter}) took {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
    about = {**machine.describe(), "took": f"{time.monotonic() - begin:.0f} s"}
    text = page(parts, about)
    print(text)
    if options.json:
        numbers = {"machine": about, "parts": [part.to_json() for part in parts]}
        options.json.write_text(json.dumps(numbers, indent=1) + "\n", encoding="utf-8")
    if failed:  # the results of other parts are printed above
        raise SystemExit("\n".join(failed))
    if not options.quick and options.only == list(PARTS):
        write(HERE, text, parts)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(prog="dev.py bench", description="Measure excerpt and its peers.")
    parser.add_argument("--quick", action="store_true", help="use smaller inputs and fewer rounds")
    parser.add_argument(
        "--only",
        type=letters,
        default=list(PARTS),
        metavar="a,c",
        help="measure only these parts (default: all)",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write all numbers to FILE")
    return parser.parse_args(arguments)


def letters(text: str) -> list[str]:
    """Parse the letters of parts, and put them in order."""
    chosen = text.split(",")
    for letter in chosen:
        if letter not in PARTS:
            raise argparse.ArgumentTypeError(f"found part {letter!r}, expected some of {','.join(PARTS)}")
    return [letter for letter in PARTS if letter in chosen]


def page(parts: Sequence[Part], about: dict[str, str]) -> str:
    """Markdown page of all results."""
    sections = [HEAD]
    if any(part.targets for part in parts):
        sections.append("## Targets\n\n" + targets_table(parts))
    sections += [markdown(part) for part in parts]
    sections.append(
        "## The machine\n\n" + "\n".join(f"- {name}: {value}" for name, value in about.items()) + "\n"
    )
    return "\n".join(sections)


def write(folder: Path, text: str, parts: Sequence[Part]) -> None:
    """Write the page and its figure."""
    (folder / "results.svg").write_bytes(draw(parts, "svg"))
    (folder / "RESULTS.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
