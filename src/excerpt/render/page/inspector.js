/** Beside a document: what lies at the cursor, and facts of the document. */
import { make, named } from "./dom.js";
import { drawGrid } from "./grid.js";
import { count, percent, whole } from "./format.js";
import { countPoints, sharedSpans, spanAt } from "./spans.js";
import { ranking } from "./state.js";

const QUOTE = 120;
/** The states of text, in words. */
export const STATES = { hit: "hit", missed: "missed", vain: "in vain", unjudged: "unjudged" };

/** The piece at a position: the judged passage, else the shortest result of the chosen runs, else nothing.
 * @param {Object} facts @param {?number} position @returns {?number[]} */
export function pieceAt({ relevant, chosen }, position) {
  const around = chosen.flat().filter(([start, end]) => start <= position && position < end).sort((a, b) =>
    a[1] - a[0] - b[1] + b[0]
  );
  return position === null ? null : relevant[spanAt(relevant, position)] ?? around[0]?.slice(0, 2) ?? null;
}

/** Every run with the ranks of its results that touch a span, and the share of it that they hold. */
function drawHolders({ overview, measure }, { results, topic, index, relevant, cites }, [start, end]) {
  const at = relevant.findIndex((span) => span[0] === start && span[1] === end),
    place = topic.relevant.document.indexOf(index) + at;
  const row = (name, found, code = -1) => {
    const touching = found.filter(([from, to]) =>
        from < end && (to > start || from === to && from === start)
      ),
      ranks = touching.map(([, , rank]) => rank);
    const share = ranks.length
      ? countPoints(sharedSpans(touching, [[start, end]])) / (end - start || 1)
      : null;
    return make(
      "tr",
      { class: !ranks.length && "none" },
      make(
        "th",
        { scope: "row" },
        named(name, 22),
        code >= 0 && make("p.note", code > 9 ? `at rank ${Math.floor(code / 10)}` : overview.reasons[code]),
      ),
      make("td.number", ranks.slice(0, 3).join(", ") + (ranks.length > 3 ? " …" : "") || "none"),
      make("td.number", percent(share)),
    );
  };
  const rows = ranking(overview, measure).map((run) =>
    row(overview.runs[run].name, results[run], at < 0 ? -1 : topic.why[run][place])
  );
  if (cites) rows.push(row("cited", cites));
  return drawGrid("holders", ["Run", "Rank", "Of it"], rows);
}

const describePiece = ([start, end], state) =>
  `${start}–${end} · ${count(end - start, "character")}${state ? ` · ${STATES[state]}` : ""}`;

/** What is at the cursor.
 * @param {import("./explore.js").Context} context @param {Object} facts @param {?number[]} span @param {function(number[], number): string} quote
 * @returns {Array} */
export function drawPiece(context, facts, span, quote) {
  const head = make("h2", "At the cursor");
  if (!span) return [head, make("p.note", "Point at the text, or press j.")];
  const state = Object.keys(STATES).find((name) => spanAt(facts.layers[name], span[0]) >= 0);
  return [
    head,
    make("p.mono", describePiece(span, state)),
    make(
      `blockquote.serif.is-${state}`,
      { dir: "auto" },
      quote(span, QUOTE),
      span[1] - span[0] > QUOTE && "…",
    ),
    facts.topic ? drawHolders(context, facts, span) : "",
  ];
}

/** The pieces of a document in words, each a link to its place. */
function listPieces({ link }, { layers }, quote) {
  const pieces = Object.keys(STATES).flatMap((name) => layers[name].map((at) => ({ name, at })));
  return pieces.sort((a, b) => a.at[0] - b.at[0]).map(({ name, at }) =>
    make("li", make("a", { href: link({ at }) }, describePiece(at, name)), ` ${quote(at, 60)}`)
  );
}

/** Facts of the document, and its pieces in words.
 * @param {import("./explore.js").Context} context @param {Object} facts @param {function(number[], number): string} quote
 * @param {boolean} open whether the pieces are unfolded @returns {Node[]} */
export function drawAbout(context, facts, quote, open) {
  const { page, relevant, entry, judged } = facts, list = make("ul.plain");
  const rows = {
    Relevant: `${whole(countPoints(relevant))}${page.size < 0 ? "" : ` of ${whole(page.size)}`}`,
    Passages: whole(relevant.length),
    "Best entry point": entry < 0 ? "–" : whole(entry),
    Judged: judged ? "yes, complete" : "no",
  };
  const toggle = ({ target }) => target.open && list.replaceChildren(...listPieces(context, facts, quote));
  return [
    make("h2", "This document"),
    make("p.serif", page.title),
    ...facts.topic
      ? [
        make("dl", Object.entries(rows).map(([name, value]) => [make("dt", name), make("dd", value)])),
        make(
          "details",
          { open: open || page.text === null, on: { toggle } },
          make("summary", "Pieces in words"),
          list,
        ),
      ]
      : [],
  ];
}

/** What `j` and `k` say of a missed passage.
 * @param {Object} facts @param {number} number @param {function(number[], number): string} quote @returns {string} */
export function sayMissed({ missed, chosen }, number, quote) {
  const [start, end] = missed[number];
  return `missed ${number + 1} of ${missed.length}, ${count(end - start, "character")}, in none of ${
    count(chosen.length, "run")
  }: ${quote([start, end], QUOTE)}`;
}
