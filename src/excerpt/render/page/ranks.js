/** The first results of two runs on one topic, with lines between those that share text. */
import { passagesOf } from "./data.js";
import { make, svg } from "./dom.js";
import { middle } from "./format.js";
import { heading } from "./grid.js";
import { sharedText } from "./results.js";
import { sharedSpans } from "./spans.js";

const FIRST_RANKS = 20, ENDS = [122, 222];
const heightOf = (rank) => 22 * (rank + 1.5);

/** The pairs of results that share text, as ranks from 0.
 * @param {Object} topic @param {number[][]} lists results of two runs @returns {{ranks: number[], relevant: boolean}[]} */
export function sharedOf(topic, [first, second]) {
  const passages = passagesOf(topic), { spans } = topic;
  return first.flatMap((one, i) =>
    second.flatMap((two, j) => {
      const shared = sharedText(spans, one, two);
      return shared.length
        ? { ranks: [i, j], relevant: sharedSpans(shared, passages[spans.document[one]]).length > 0 }
        : [];
    })
  );
}

const label = (side, y, words) =>
  svg(
    "text",
    { x: ENDS[side] + (side ? 12 : -12), y, "data-side": side },
    (side ? words : words.reverse()).join(" "),
  );

/** The picture of a topic, and the same in words. @param {import("./explore.js").Context} context @param {string[]} names
 * @param {number[]} runs @param {Object} topic @returns {Node[]} */
export function drawTwoRanks({ link }, names, runs, topic) {
  const { spans, documents, id } = topic,
    lists = runs.map((run) => [...topic.runs[run].slice(0, FIRST_RANKS)]),
    pairs = sharedOf(topic, lists).sort((a, b) => a.relevant - b.relevant);
  const lines = pairs.map(({ ranks, relevant }) => {
    const [a, b] = ranks.map(heightOf);
    return svg("path", { "data-relevant": relevant, d: `M126 ${a}C172 ${a} 172 ${b} 218 ${b}` });
  });
  const ends = lists.map((
    list,
    side,
  ) => [
    label(side, 14, [`${"AB"[side]} ${middle(names[side], 15)}`]),
    list.map((span, rank) => {
      const found = spans.relevant[span] ?? 0,
        name = middle(documents.id[spans.document[span]] ?? "?", found ? 9 : 15),
        y = heightOf(rank);
      return [
        svg("circle", { cx: ENDS[side], cy: y, r: 4, "data-relevant": found > 0 }),
        label(side, y + 4, [
          rank + 1,
          found ? `${name} ${found}/${spans.end[span] - spans.start[span]}` : name,
        ]),
      ];
    }),
  ]);
  return [
    heading("Same text, two ranks", id, make("a", { href: link({ topic: id, runs: names }) }, "Open topic")),
    svg(
      "svg",
      {
        viewBox: `0 0 344 ${heightOf(Math.max(...lists.map(({ length }) => length)))}`,
        "aria-hidden": "true",
      },
      lines,
      ends,
    ),
    make(
      "p.note",
      `First ${FIRST_RANKS} results. ● holds relevant text, with relevant and all its characters. Solid line: shared text is relevant.`,
    ),
    make(
      "ul.hidden",
      { "aria-label": "Ranks of the same text" },
      pairs.map(({ ranks: [a, b], relevant }) =>
        make("li", `A ${a + 1}, B ${b + 1}${relevant ? ", relevant" : ""}`)
      ),
    ),
  ];
}
