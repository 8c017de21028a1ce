/** A document with the judgments of several people, side by side in its text. */
import { request } from "./requests.js";
import { make, named, svg } from "../dom.js";
import { count, whole } from "../format.js";
import { button } from "../grid.js";
import { TextView } from "../text_view.js";

/** @import { Block, Layer, Mark, Span } from "../types.d.ts" */

/** A judgment by name. @typedef {{name: string, highlights: Span[], bep: number | null}} Judgment */
/** A document as the server sends it.
 * @typedef {{id: string, topic: string, title: string, text: string, length: number, blocks: Block[],
 *   opinions: Judgment[], disputed: [number, number, number[]][],
 *   decision: (Judgment & {state: string}) | null}} Judged */

/** Colours of people, and rows of the list. */
const TEXT_COLOURS = 4, TEXT_ROWS = 200;

/** The layers of judgments: text of one person alone in the colour of that person, of several of them, of
 * all, and what was decided. @param {Judged} doc @returns {Layer[]} */
export function judgmentLayers({ opinions, disputed, decision }) {
  /** @param {(who: number[]) => boolean} test @returns {Span[]} */
  const spans = (test) => disputed.filter(([, , who]) => test(who)).map(([start, end]) => [start, end]);
  const alone = opinions.slice(0, TEXT_COLOURS).map((_, i) => ({
    name: `only-${i + 1}`,
    spans: spans((who) => who.length === 1 && who[0] === i),
    map: i % 2 ? "right" : "left",
  }));
  return [
    ...alone,
    {
      name: "only-some",
      spans: spans((who) => who.length > 1 || who[0] >= TEXT_COLOURS),
      map: "left right",
    },
    ...opinions.slice(0, 2).map(({ highlights }, i) => ({
      name: "",
      lane: i ? "other" : "one",
      spans: highlights,
    })),
    { name: decision ? "judged" : "", spans: decision?.highlights ?? [], map: "" },
  ];
}

/** @param {Judged} doc @returns {Mark[]} */
function judgmentMarks({ opinions, disputed }) {
  return disputed.slice(0, 2000).map(([start, , who]) => ({
    at: start,
    text: who.map((number) => opinions[number]?.name ?? "?").join(", "),
    side: who.includes(0) ? "left" : "right",
  }));
}

/** @param {number} number */
const swatchOf = (number) =>
  svg(
    "svg",
    { viewBox: "0 0 16 16", "aria-hidden": "true", class: `swatch is-only-${number + 1}` },
    svg("rect", { width: 16, height: 16, rx: 3 }),
  );

/** The view of a document. @param {string} topic @param {string} name
 * @returns {Promise<{node: HTMLElement, shown: () => void, dispose: () => void}>} */
export async function openTexts(topic, name) {
  const query = `topic=${encodeURIComponent(topic)}&document=${encodeURIComponent(name)}`,
    /** @type {Judged} */
    doc = await request(`api/judgments?${query}`),
    { opinions, disputed, decision } = doc,
    host = make("div.paper"),
    view = new TextView(host, { onPoint() {}, onCursor() {} });
  /** @param {number} number */
  const who = (number) => disputed[number][2].map((one) => opinions[one]?.name ?? "?").join(", ");
  /** @param {number} number */
  const go = (number) => {
    const [start, end] = disputed[number];
    view.cursor([start, end]);
    view.reveal([start, end]);
  };
  const rows = disputed.slice(0, TEXT_ROWS).map(([start, end], number) =>
    make(
      "li",
      button(
        [
          disputed[number][2].map(swatchOf),
          " ",
          make("b", named(who(number), 40)),
          " ",
          make("q", { dir: "auto" }, view.quote([start, end], 80)),
        ],
        () => go(number),
        { class: "quiet", "data-key": `passage ${number}` },
      ),
    )
  );
  const people = opinions.map(({ name: person, highlights, bep }, i) =>
    make(
      "li",
      swatchOf(i),
      " ",
      make("b", named(person, 40)),
      ` ${count(highlights.length, "passage")}${bep === null ? "" : `, entry point at ${whole(bep)}`}`,
    )
  );
  const node = make(
    "div.texts.deciding",
    make("div.desk", host),
    make(
      "aside.side",
      { "aria-label": "Judgments" },
      make("p", make("a", { href: "#", "data-key": "back" }, "All of the campaign")),
      make("h1", { tabindex: -1 }, named(doc.id, 40)),
      make("p.note", "Topic ", make("code", named(doc.topic, 30))),
      make("ul.plain", people),
      decision &&
        make(
          "p.note",
          `Decided by `,
          make("b", named(decision.name, 30)),
          `: ${decision.state}. Underlined.`,
        ),
      make(
        "h2",
        disputed.length ? count(disputed.length, "passage") + " apart" : "All highlighted the same text",
      ),
      make("ol.plain.apart", rows),
      disputed.length > TEXT_ROWS && make("p.note", `and ${whole(disputed.length - TEXT_ROWS)} more`),
    ),
  );
  const shown = () => {
    view.show({ ...doc, size: doc.length }, { folded: doc.blocks.some(([kind]) => kind !== "text") });
    view.text.tabIndex = 0;
    view.text.setAttribute("role", "document");
    view.text.setAttribute("aria-label", `Text of ${doc.id}`);
    view.paint(judgmentLayers(doc), judgmentMarks(doc));
    rows.forEach((row, number) => {
      const quote = row.querySelector("q");
      if (quote) quote.textContent = view.quote([disputed[number][0], disputed[number][1]], 80);
    });
  };
  return { node, shown, dispose: () => view.dispose() };
}
