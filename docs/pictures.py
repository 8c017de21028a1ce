"""Draws the pictures of docs/measures/ from the numbers of the worked examples: `python3 docs/pictures.py`.

Plain SVG text, so that the pictures can be read, compared and kept beside the pages.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "measures"
MARKED, PLAIN, BLUE, RED, GREY = "#ffd54d", "#eeeeee", "#1f5fa8", "#b3392e", "#666666"


class Picture:
    """Shapes on white ground, in the order in which they are added."""

    def __init__(self, title: str, width: int, height: int) -> None:
        self._title, self._width, self._height = title, width, height
        self._parts: list[str] = []

    def box(self, x: float, y: float, width: float, height: float, fill: str, edge: str = "none") -> None:
        """A rectangle."""
        self._parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}" stroke="{edge}"/>'
        )

    def text(self, x: float, y: float, words: str, *, fill: str = "#222222", anchor: str = "start") -> None:
        """A line of text."""
        self._parts.append(
            f'<text x="{x:g}" y="{y:g}" fill="{fill}" text-anchor="{anchor}">{escape(words)}</text>'
        )

    def line(self, points: Sequence[tuple[float, float]], colour: str, dash: str = "none") -> None:
        """Straight lines from point to point."""
        path = " ".join(f"{x:g},{y:g}" for x, y in points)
        self._parts.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.6" '
            f'stroke-dasharray="{dash}"/>'
        )

    def dot(self, x: float, y: float, colour: str) -> None:
        """A small disc."""
        self._parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="3.5" fill="{colour}"/>')

    def svg(self) -> str:
        """The picture as text."""
        size = f'viewBox="0 0 {self._width} {self._height}" width="{self._width}" height="{self._height}"'
        style = 'font-family="sans-serif" font-size="13"'
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style} role="img">',
                f"<title>{escape(self._title)}</title>",
                f'<rect width="{self._width}" height="{self._height}" fill="white"/>',
                *self._parts,
                "</svg>\n",
            ]
        )


class Axes:
    """A frame that turns numbers into places of a picture."""

    def __init__(
        self, picture: Picture, place: tuple[float, float, float, float], most: tuple[float, float]
    ) -> None:
        self._picture, (self._x, self._y, self._width, self._height), self._most = picture, place, most
        bottom, right = self._y + self._height, self._x + self._width
        picture.line([(self._x, self._y), (self._x, bottom), (right, bottom)], GREY)

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Position of a point."""
        return (
            round(self._x + self._width * x / self._most[0], 2),
            round(self._y + self._height * (1 - y / self._most[1]), 2),
        )

    def ticks(self, across: Sequence[float], up: Sequence[float]) -> None:
        """Numbers along both axes."""
        for x in across:
            left, top = self.at(x, 0)
            self._picture.text(left, top + 16, f"{x:g}", fill=GREY, anchor="middle")
        for y in up:
            left, top = self.at(0, y)
            self._picture.text(left - 6, top + 4, f"{y:g}", fill=GREY, anchor="end")

    def names(self, across: str, up: str) -> None:
        """Labels of the axes."""
        self._picture.text(self._x + self._width / 2, self._y + self._height + 33, across, anchor="middle")
        self._picture.text(self._x + 4, self._y - 8, up)


def strip(
    picture: Picture, place: tuple[float, float], name: str, size: int, marked: Sequence[tuple[int, int]]
) -> None:
    """A document of so many characters as a band, its highlighted text yellow."""
    x, y = place
    picture.text(x - 10, y + 14, name, anchor="end")
    picture.box(x, y, size, 20, PLAIN)
    for start, end in marked:
        picture.box(x + start, y, end - start, 20, MARKED)


def bar(picture: Picture, place: tuple[float, float], span: tuple[int, int], name: str) -> None:
    """A result under its document."""
    (x, y), (start, end) = place, span
    picture.box(x + start + 0.5, y, end - start - 1, 7, BLUE)
    picture.text(x + (start + end) / 2, y + 20, name, fill=BLUE, anchor="middle")


def focused() -> Picture:
    """Topic 1 of the example: three documents, four results, precision against recall."""
    picture = Picture("Results, highlighted text, and interpolated precision", 720, 250)
    strip(picture, (40, 30), "A", 200, [(10, 50), (100, 120)])
    strip(picture, (40, 100), "B", 100, [(0, 40)])
    strip(picture, (40, 170), "C", 300, [])
    for y, span, name in (
        (52, (0, 50), "1"),
        (52, (100, 150), "4"),
        (122, (20, 60), "3"),
        (192, (0, 30), "2"),
    ):
        bar(picture, (40, y), span, name)
    axes = Axes(picture, (430, 35, 260, 165), (1.0, 1.0))
    axes.ticks((0, 0.2, 0.4, 0.6, 0.8, 1), (0.5, 1))
    axes.names("recall", "precision")
    steps = [(0.0, 4 / 5), (2 / 5, 4 / 5), (2 / 5, 1 / 2), (3 / 5, 1 / 2), (3 / 5, 8 / 17), (4 / 5, 8 / 17)]
    picture.line([axes.at(*point) for point in (*steps, (4 / 5, 0.0), (1.0, 0.0))], RED)
    for rank, point in enumerate(((2 / 5, 4 / 5), (2 / 5, 1 / 2), (3 / 5, 1 / 2), (4 / 5, 8 / 17)), start=1):
        left, top = axes.at(*point)
        picture.dot(left, top, BLUE)
        picture.text(left + 7, top - 6, str(rank), fill=BLUE)
    return picture


def in_context() -> Picture:
    """Topic 1 of the example: each document with its results, its score and generalised precision."""
    picture = Picture("Documents in rank order with their results and scores", 720, 230)
    for x, words in ((60, "what was returned of each document"), (430, "F"), (530, "gP"), (630, "gR")):
        picture.text(x, 22, words, fill=GREY)
    strip(picture, (60, 40), "1  A", 200, [(10, 50), (100, 120)])
    strip(picture, (60, 105), "2  C", 300, [])
    strip(picture, (60, 170), "3  B", 100, [(0, 40)])
    for y, span in ((62, (0, 50)), (62, (100, 150)), (127, (0, 30)), (192, (20, 60))):
        bar(picture, (60, y), span, "")
    for y, cells in ((55, ("3/4", "3/4", "1/2")), (120, ("0", "3/8", "1/2")), (185, ("1/2", "5/12", "1"))):
        for x, cell in zip((430, 530, 630), cells, strict=True):
            picture.text(x, y, cell)
    return picture


def characters() -> Picture:
    """A section and then its paragraph: the paragraph shows nothing new."""
    picture = Picture("A section, then a paragraph of it that was seen before", 600, 160)
    picture.text(
        60, 22, "60 of 100 characters are highlighted; 20 more are in B, which is not returned", fill=GREY
    )
    picture.text(50, 54, "A", anchor="end")
    picture.box(60, 40, 400, 20, PLAIN)
    picture.box(60, 40, 240, 20, MARKED)
    picture.box(60, 75, 400, 8, BLUE)
    picture.text(470, 84, "1: section", fill=BLUE)
    picture.box(60, 105, 160, 8, "white", BLUE)
    picture.text(470, 114, "2: paragraph", fill=BLUE)
    picture.text(230, 114, "read again, nothing new", fill=GREY)
    picture.text(60, 146, "read 100 + 40, found 60", fill="#222222")
    return picture


def articles() -> Picture:
    """Results collapse into documents, each where it first occurs."""
    picture = Picture("Results become documents in order of first occurrence", 560, 150)
    picture.text(20, 40, "results")
    for rank, name in enumerate("ACBA"):
        picture.box(110 + 90 * rank, 22, 70, 28, MARKED if name in "AB" else PLAIN, GREY)
        picture.text(145 + 90 * rank, 41, name, anchor="middle")
    picture.text(20, 105, "documents")
    for rank, (name, words) in enumerate((("A", "1/1"), ("C", ""), ("B", "2/3"))):
        picture.box(110 + 90 * rank, 87, 70, 28, MARKED if name in "AB" else PLAIN, GREY)
        picture.text(145 + 90 * rank, 106, name, anchor="middle")
        picture.text(145 + 90 * rank, 135, words, fill=BLUE, anchor="middle")
    picture.text(390, 106, "A again: not counted", fill=GREY)
    return picture


def precall() -> Picture:
    """Two sets of tied elements, and where a user who wants three relevant ones stops."""
    picture = Picture("Two ranks of tied elements", 640, 170)
    for x, width, title in ((20, 150, "rank 1 (score 9)"), (200, 290, "rank 2 (score 5)")):
        picture.text(x, 24, title, fill=GREY)
        picture.box(x, 34, width, 60, "white", GREY)
    for place, (name, good) in enumerate((("a", 1), ("b", 0), ("c", 1), ("d", 1), ("e", 0), ("f", 0))):
        x = 35 + 65 * place + (55 if place > 1 else 0)
        picture.box(x, 46, 50, 36, MARKED if good else PLAIN)
        picture.text(x + 25, 69, name, anchor="middle")
    picture.text(20, 124, "1 found, j = 1 not relevant")
    picture.text(215, 124, "s = 2 still wanted of R = 2, among i = 2 not relevant")
    picture.text(
        20, 152, "recall 3/4: t = 3,  NNR = 1 + 2 · 2 / (2 + 1) = 7/3,  P = 3 / (3 + 7/3) = 9/16", fill=BLUE
    )
    return picture


def ng() -> Picture:
    """Nested results of the example with what each adds."""
    picture = Picture("Four results, three of them nested", 660, 190)
    for x, words in ((40, "document d1: 100 words, relevance 3"), (440, "d2: 50 words, relevance 1")):
        picture.text(x, 24, words, fill=GREY)
    rows = (
        (1, 40, 10, 0, "(1, S)"),
        (2, 40, 40, 10, "(3, E)"),
        (3, 40, 100, 40, "(3, L)"),
        (4, 440, 50, 0, "(1, L)"),
    )
    for rank, x, size, seen, grades in rows:
        y = 14 + 32 * rank
        picture.text(x - 12, y + 14, str(rank), anchor="end")
        picture.box(x, y, 3 * size, 18, BLUE)
        picture.box(x, y, 3 * seen, 18, "#c9d8ea")
        picture.text(x + 3 * size + 8, y + 14, grades)
    picture.text(40, 182, "dark: new text; light: shown by an earlier result", fill=GREY)
    return picture


def xcg() -> Picture:
    """Cumulated gain of the run and of the ideal: nxCG compares upwards, ep sideways."""
    picture = Picture("Cumulated gain of a run and of the ideal run", 560, 300)
    axes = Axes(picture, (50, 30, 400, 220), (10.0, 20.0))
    axes.ticks(range(0, 11, 2), (5, 10, 15, 20))
    axes.names("rank", "cumulated gain")
    ideal = (0, 3, 6, 9, 11, 13, 15, 16, 17, 18, 19)
    run = (0, 3, 5, 8, 8, 8, 9, 11, 13, 16, 16)
    for gains, colour, name in ((ideal, RED, "ideal"), (run, BLUE, "run")):
        picture.line([axes.at(rank, gain) for rank, gain in enumerate(gains)], colour)
        x, y = axes.at(10, gains[-1])
        picture.text(x + 8, y + 4, name, fill=colour)
    picture.line([axes.at(6, 9), axes.at(6, 15)], GREY, "4 3")
    picture.line([axes.at(3, 9), axes.at(6, 9)], GREY, "4 3")
    for gain, words in ((5, "up: nxCG[6] = 9/15"), (3, "across: ep = 3/6")):
        x, y = axes.at(6.2, gain)
        picture.text(x, y, words)
    picture.dot(*axes.at(6, 9), BLUE)
    return picture


def best_in_context() -> Picture:
    """Score of a result by its distance from the best entry point."""
    picture = Picture("Worth of an entry point by distance", 560, 260)
    axes = Axes(picture, (60, 30, 440, 180), (500.0, 1.0))
    axes.ticks(range(0, 501, 100), (0.5, 1))
    axes.names("distance d in characters", "s = A·L / (A·L + d), with A·L = 100")
    picture.line([axes.at(d, 100 / (100 + d)) for d in range(0, 501, 10)], RED)
    for distance, words in ((0, "rank 1: 1"), (100, "rank 3: 1/2"), (300, "rank 4: 1/4")):
        x, y = axes.at(distance, 100 / (100 + distance))
        picture.dot(x, y, BLUE)
        picture.text(x + 10, y - 4 if distance else y + 12, words, fill=BLUE)
    return picture


PICTURES: tuple[Callable[[], Picture], ...] = (
    focused,
    in_context,
    characters,
    articles,
    precall,
    ng,
    xcg,
    best_in_context,
)


def main() -> None:
    """Writes every picture beside the page of its name."""
    for picture in PICTURES:
        (FOLDER / f"{picture.__name__}.svg").write_text(picture().svg(), encoding="utf-8")


if __name__ == "__main__":
    main()
