"""(r) Documents that change and kinds of documents: align, quotes but for markup, PDF, HTML."""

from __future__ import annotations

import random
from pathlib import Path

from generated_pages import Pages, as_html, as_pdf, plain, write_folder, write_rows
from inputs import Inputs, Scale
from measuring import Case, Samples, code, excerpt, interleave, python, ratio
from parts import alone
from results import Figure, Part, Row, Target

#: Pages of a documentation, their characters, the edits of each, and quotes in all.
PAGES, SIZE, EDITS, QUOTES = 51, 10_000, 12, 400
#: A long document: characters and edits.
LONG = (1_000_000, 1_000)
#: Documents that are read from PDF and HTML, and their characters.
FILES, FILE_SIZE = 40, 60_000
#: Limits in CPU seconds.
ALIGN_PAGES, ALIGN_LONG = 0.5, 1.0
READ = "import sys, excerpt; print(sum(map(len, excerpt.Corpus.read(sys.argv[1]).values())))"
BARE_PDF = (
    "import sys, pathlib, pypdfium2; print(sum(len(page.get_textpage().get_text_range()) "
    "for path in sorted(pathlib.Path(sys.argv[1]).iterdir()) for page in pypdfium2.PdfDocument(path)))"
)
BARE_HTML = (
    "import sys, pathlib; from selectolax.lexbor import LexborHTMLParser as Parser; "
    "print(sum(len(Parser(path.read_bytes()).body.text()) "
    "for path in sorted(pathlib.Path(sys.argv[1]).iterdir())))"
)


def part(inputs: Inputs, scale: Scale) -> Part:
    """Measure this part, and compare it with its targets."""
    folder, share = inputs.place("versions"), 1 if scale.full else 10
    done = Part(
        "r",
        "Documents that change, and their kinds",
        f"`excerpt align` carries {QUOTES // share} quotes from {PAGES} pages of Markdown of "
        f"{SIZE // share:,} characters to a version with {EDITS} edits each, then 100 spans of one document "
        f"of {LONG[0] // share:,} characters with {LONG[1] // share:,} edits, beside a script with difflib "
        "by lines, which knows nothing of what was moved or of edits inside a line. `excerpt check` places "
        "quotes as they stand, and with their markup left out, beside a script that searches each "
        "literally, then without marks. At last "
        f"{FILES // share} PDF and HTML files are read as a corpus, beside their parsers alone.",
    )
    done.rows += _aligned(done, folder, scale, share)
    done.rows += _quoted(done, folder, scale, share)
    done.rows += _read(done, folder, scale, share)
    return done


def _aligned(done: Part, folder: Path, scale: Scale, share: int) -> list[Row]:
    writer, rng = Pages(), random.Random(1)
    old = {f"page{number}.md": writer.page(SIZE // share) for number in range(PAGES)}
    new = {name: writer.edited(text, EDITS) for name, text in old.items()}
    write_rows(folder / "gold.jsonl", quotes(old, QUOTES // share, rng))
    long = {"long.md": writer.page(LONG[0] // share)}
    longer = {"long.md": writer.edited(long["long.md"], LONG[1] // share)}
    write_rows(folder / "long.jsonl", quotes(long, 100, rng))
    told: dict[str, Samples] = {}
    for name, before, after, gold in (
        ("pages", old, new, "gold.jsonl"),
        ("one long document", long, longer, "long.jsonl"),
    ):
        olds, news = (
            write_folder(folder / f"{name}-old", before),
            write_folder(folder / f"{name}-new", after),
        )
        given = (folder / gold, olds, news)
        cases = [
            Case(f"align, {name}", _either(excerpt("align", given[0], "--from", olds, "--to", news))),
            Case(f"a script with difflib, {name}", python("carry_by_difflib.py", *given), most=scale.few),
        ]
        told |= interleave(cases, scale.rounds)
    rows = []
    for name, limit in (("pages", ALIGN_PAGES), ("one long document", ALIGN_LONG)):
        ours, plainly = told[f"align, {name}"], told[f"a script with difflib, {name}"]
        rows += [Row.of(f"align, {name}", ours), Row.of(f"a script with difflib, {name}", plainly)]
        done.figures.append(Figure(f"align, {name}: CPU over that of the script", ratio(ours, plainly)))
        if scale.full:
            done.targets.append(Target(f"align, {name}: CPU", limit, ours.cpu, "s"))
    return rows


def _quoted(done: Part, folder: Path, scale: Scale, share: int) -> list[Row]:
    pages = folder / "pages-old"
    texts = {path.name: path.read_text(encoding="utf-8") for path in sorted(pages.iterdir())}
    marked = quotes(texts, 2 * QUOTES // share, random.Random(2))
    bare = [row | {"quote": plain(str(row["quote"])).strip()} for row in marked]
    files = {
        "as they stand": write_rows(folder / "marked.jsonl", marked),
        "without markup": write_rows(folder / "bare.jsonl", bare),
    }
    cases = []
    for name, file in files.items():
        cases.append(Case(f"check, quotes {name}", excerpt("check", file, "--corpus", pages)))
        cases.append(Case(f"a script, quotes {name}", python("find_quotes.py", file, pages)))
    return _beside(done, interleave(cases, scale.rounds), [f"quotes {name}" for name in files], "check, {}")


def _read(done: Part, folder: Path, scale: Scale, share: int) -> list[Row]:
    writer = Pages(3)
    texts = [writer.page(FILE_SIZE) for _ in range(FILES // share)]
    pdf, web = folder / "pdf", folder / "html"
    pdf.mkdir()
    for number, text in enumerate(texts):
        (pdf / f"{number}.pdf").write_bytes(as_pdf(text))
    write_folder(web, {f"{number}.html": as_html(text) for number, text in enumerate(texts)})
    cases = [
        Case("Corpus.read, PDF", [*code(READ), str(pdf)]),
        Case("a script, PDF", [*code(BARE_PDF), str(pdf)]),
        Case("Corpus.read, HTML", [*code(READ), str(web)]),
        Case("a script, HTML", [*code(BARE_HTML), str(web)]),
    ]
    return _beside(done, interleave(cases, scale.few), ["PDF", "HTML"], "Corpus.read, {}")


def _beside(done: Part, found: dict[str, Samples], names: list[str], ours: str) -> list[Row]:
    """Rows of all samples, and the ratio of ours to the script for each name."""
    for name in names:
        share = ratio(found[ours.format(name)], found[f"a script, {name}"])
        done.figures.append(Figure(f"{ours.format(name)}: CPU over that of the script", share))
    return [Row.of(name, samples) for name, samples in found.items()]


def quotes(texts: dict[str, str], count: int, rng: random.Random) -> list[dict[str, object]]:
    """Rows of gold: quotes of 60 to 200 characters, from word to word."""
    rows: list[dict[str, object]] = []
    names = list(texts)
    for number in range(count):
        text = texts[name := names[number % len(names)]]
        begin = text.index(" ", rng.randrange(0, len(text) - 400)) + 1
        end = text.index(" ", begin + rng.randint(60, 200))
        rows.append(
            {"question": f"Question {number}?", "document": name, "quote": text[begin:end].strip(" \n-#")}
        )
    return rows


def _either(command: list[str]) -> list[str]:
    """The command; that some spans have changed (status 1) is no failure."""
    return ["sh", "-c", '"$@" || [ $? = 1 ]', "sh", *command]


if __name__ == "__main__":
    alone(part)
