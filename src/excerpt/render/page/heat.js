/** Topics × runs: heat map of one measure's scores. */
import { picker } from "./bar.js";
import { copyTable } from "./clipboard.js";
import { make, named } from "./dom.js";
import { count, heat, score, whole } from "./format.js";
import { button, drawGrid, drawTabs, drawUnfold, heading, isFolded, scoreCell, topicHead } from "./grid.js";
import { explained } from "./measures.js";
import { ranking } from "./state.js";

/** @import { Context, Groups, Overview, Score } from "./types.d.ts" */

// Shades: the same for every collection, or by the scores of this one.
const BOUNDS = [0, 0.01, 0.05, 0.1, 0.2, 0.35, 0.55, 1], WELL = 0.55, LOW = 0.2;
const MOST_CELLS = 12_000, MOST_SORTED = 200_000;
/** @type {Record<string, string>} */
const ORDERS = { "": "by range (best − worst run)", id: "by id", hard: "hardest first" };

/** The shade of a score, 0 to 7; -1 if it is undefined.
 * @param {Score} value @param {number[]} bounds */
export const shadeOf = (value, bounds = BOUNDS) =>
  value === null ? -1 : bounds.findIndex((bound) => value <= bound);

/** The upper bounds of the shades. Those of a collection are the sevenths of its scores above 0; without a
 * choice they are taken where 95 % of the scores are below 0.2. Of very many scores every n-th one counts.
 * @param {Score[]} scores @param {string} scale "own", "fixed" or "" */
export function boundsOf(scores, scale) {
  const step = Math.ceil(scores.length / MOST_SORTED),
    some = step > 1 ? scores.filter((_, i) => i % step === 0) : scores;
  const sorted = some.filter((value) => value !== null).sort((a, b) => a - b),
    above = sorted.filter((value) => value > 0);
  const low = sorted.length > 0 && sorted[Math.ceil(0.95 * sorted.length) - 1] < LOW,
    own = above.length > 0 && (scale === "own" || (scale !== "fixed" && low));
  return {
    own,
    bounds: own
      ? [0, ...BOUNDS.slice(1).map((_, i) => above[Math.ceil(((i + 1) * above.length) / 7) - 1])]
      : BOUNDS,
  };
}

/** A bound of a shade: two digits that count. @param {number} bound */
const sayBound = (bound) => String(Number(bound.toPrecision(2))).replace(/^0\./, ".");

/** @param {HTMLElement} node @param {number} level */
function shade(node, level) {
  node.dataset.shade = `${level}`;
  node.style.background = `var(--h${level})`;
  return node;
}

/** @typedef {{topic: number, low?: number, high?: number}} TopicRow lowest and highest score of the runs */

/** The topics that count in the means, sorted.
 * @param {Pick<Overview, "topics" | "scores">} overview @param {number} measure @param {number[]} runs
 * @param {string} order one of ORDERS */
export function topicsInOrder({ topics, scores }, measure, runs, order) {
  /** @type {TopicRow[]} */
  const rows = topics.flatMap(({ counted }, topic) => {
    const values = runs.map((run) => scores[measure][run][topic]).filter((value) => value !== null);
    if (!counted) return [];
    return values.length ? { topic, low: Math.min(...values), high: Math.max(...values) } : { topic };
  });
  /** @param {TopicRow} row */
  const key = ({ low, high }) => order === "id" ? 0 : order === "hard" ? high ?? 2 : (low ?? 2) - (high ?? 0);
  return rows.sort((a, b) => key(a) - key(b));
}

/** The name of a group of topics; those without one are together. @param {string} name */
export const sayGroup = (name) => name ? named(name, 24) : "no group";

/** Rows of topics, those of a group next to each other in the order of the groups.
 * @param {TopicRow[]} rows @param {Groups} [groups] */
export const inGroups = (rows, groups) =>
  groups ? [...rows].sort((a, b) => groups.of[a.topic] - groups.of[b.topic]) : rows;

/** The sizes of the heat map in pixels. @param {number} window @param {number} runs @param {number} topics */
export function sizesOf(window, runs, topics) {
  const narrow = window < 900,
    least = narrow ? 116 : 288,
    row = topics > 150 ? 8 : topics > 60 ? 14 : 24,
    free = Math.min(window - 48, 1232) - least - 56;
  const cell = Math.max(narrow && runs <= 20 && row === 24 ? 40 : 13, Math.min(72, Math.floor(free / runs)));
  return {
    first: least + Math.max(0, Math.min(160, free - cell * runs)),
    row,
    cell,
    digits: cell >= 40 && row === 24,
    means: cell >= 40,
    rotated: cell < 64,
    wide: cell * runs > free,
  };
}

/** The heat map of runs, and a line about the cell under the cursor where cells have no digits.
 * @param {Context} context @param {TopicRow[]} rows @param {{own: boolean, bounds: number[]}} scale
 * @param {number[]} order */
function drawShades({ overview, measure, link, names }, rows, { own, bounds }, order) {
  const { topics, scores, means, measures, groups } = overview,
    scored = measures[measure];
  const { first, row, cell, digits, means: said, rotated, wide } = sizesOf(
      innerWidth,
      order.length,
      rows.length,
    ),
    readout = make("p.readout", { "aria-hidden": "true", hidden: digits }),
    atOnce = Math.ceil(MOST_CELLS / (order.length || 1));
  /** @param {(run: number) => Score} scoreOf @param {boolean} shown @param {string} [id] */
  const cells = (scoreOf, shown, id) =>
    order.map((run) => {
      const name = names[run],
        value = scoreOf(run),
        text = shown && heat(value, own ? 3 : 2),
        label = [text, score(value)].filter(Boolean).join(", exactly ");
      return shade(
        make(
          "td",
          scoreCell(name, id ?? "all", scored.name, value),
          id === undefined ? text : make(
            "a",
            { href: link({ topic: id, runs: [name] }), "aria-label": label },
            text,
          ),
        ),
        shadeOf(value, bounds),
      );
    });
  /** @param {TopicRow} row */
  const drawRow = ({ topic, low, high }) => {
    const { id } = topics[topic];
    return make(
      "tr",
      topicHead(topics[topic], link({ topic: id })),
      cells((run) => scores[measure][run][topic], digits, id),
      make("td", row > 8 && heat(high === undefined || low === undefined ? null : high - low, own ? 3 : 2)),
    );
  };
  /** The heading of a group: its name and its means. @param {Groups} groups @param {number} topic */
  const drawGroupRow = ({ names: called, of, means: by }, topic) => {
    const group = of[topic], many = topics.filter((_, i) => of[i] === group).length;
    return make(
      "tr.mean.of-group",
      make("th", sayGroup(called[group]), make("span.note", ` ${count(many, "topic")}`)),
      cells((run) => by[measure][run][group], said),
      make("td"),
    );
  };
  /** @param {HTMLElement} link */
  const look = (link) => {
    const { run, topic, value = "" } = link.parentElement?.dataset ?? {};
    if (!run) return;
    readout.replaceChildren(
      make("b", `${topic} ${topics.find(({ id }) => id === topic)?.title}`),
      " · ",
      make("bdi", run),
      ` · ${scored.topic} ${score(parseFloat(value))}`,
    );
  };
  const box = make("div.scroll", { "data-wide": wide });
  /** @param {number} shown */
  const fill = (shown) => {
    const table = drawGrid(
      `heat.row${row}${rotated ? ".rotated" : ""}`,
      ["Topic", ...order.map((run) => named(names[run], 20)), "Range"],
      [
        make("tr.mean", make("th", "Mean"), cells((run) => means[measure][run], said), make("td")),
        ...rows.slice(0, shown).flatMap((row, i) => [
          groups && groups.of[row.topic] !== groups.of[rows[i - 1]?.topic]
            ? drawGroupRow(groups, row.topic)
            : [],
          drawRow(row),
        ]).flat(),
      ],
      look,
    );
    for (const [name, pixels] of Object.entries({ first, row, cell })) {
      table.style.setProperty(`--${name}`, `${pixels}px`);
    }
    box.replaceChildren(table);
    left.replaceChildren(
      ...shown < rows.length
        ? [
          `The first ${whole(shown)} of ${count(rows.length, "topic")} in this order. `,
          button(`Show ${whole(Math.min(atOnce, rows.length - shown))} more`, () => fill(shown + atOnce)),
        ]
        : [],
    );
  };
  const left = make("p.note");
  fill(atOnce);
  return [box, readout, left];
}

/** Draw the section. @param {Context} context */
export function drawHeat(context) {
  const { overview, overview: { measures, topics, scores }, measure, runs, state, choose, link } = context,
    { order, hide } = state,
    orders = Object.keys(ORDERS),
    left = topics.filter(({ counted }) => !counted);
  const ordered = topicsInOrder(overview, measure, runs, order),
    rows = inGroups(ordered.filter(({ low = 0 }) => !(hide && low > WELL)), overview.groups),
    scale = boundsOf(runs.flatMap((run) => scores[measure][run]), state.scale),
    scales = ["own", "fixed"];
  const legend = scale.bounds.map((bound, level) =>
    make("li", shade(make("i"), level), `${level ? "≤ " : ""}${sayBound(bound)}`)
  );
  /** @type {HTMLInputElement} */
  const box = make("input", {
    type: "checkbox",
    checked: hide !== "",
    "data-key": "hide",
    on: { change: () => choose({ hide: box.checked ? "well" : "" }) },
  });
  const tabs = drawTabs(
    "segments",
    measures.map(({ name }) => name),
    measure,
    (at) => choose({ m: at ? measures[at].name : "" }),
  );
  [...tabs.children].forEach((tab, i) =>
    tabs.append(explained(/** @type {HTMLElement} */ (tab), measures[i], link))
  );
  const best = ranking(overview, measure),
    among = best.filter((run) => runs.includes(run)),
    first = among.filter((run) => !isFolded(context, run, best.indexOf(run))),
    map = make("div.shades");
  /** @param {number[]} shown */
  const show = (shown) => map.replaceChildren(...drawShades(context, rows, scale, shown));
  show(first);
  const title = `Topics × runs: ${measures[measure].topic}`;
  return make(
    "section",
    heading(
      "",
      `${measures[measure].topic} of each topic`,
      [
        copyTable(context, title, () => map.querySelector("table"), rows.length + 1),
        make(
          "div.legend-scale.note",
          make("ol.scale.plain", { "data-scale": scale.own ? "own" : "fixed" }, legend),
          scale.own
            ? "Scale of this collection: each shade has a seventh of the scores above 0"
            : "Fixed scale, the same for every collection",
        ),
      ],
    ),
    make(
      "div.controls",
      tabs,
      picker("Order", Object.values(ORDERS), orders.indexOf(order), (at) => choose({ order: orders[at] })),
      picker(
        "Scale",
        ["this collection", "fixed"],
        scale.own ? 0 : 1,
        (at) => choose({ scale: scales[at] }),
      ),
      make("label.check", box, `hide topics with more than ${WELL} in every run`),
    ),
    map,
    first.length < among.length && drawUnfold(`${whole(among.length)} runs`, () => show(among)),
    left[0] && make(
      "p.note",
      `Left out of the means: ${left.slice(0, 50).map(({ id }) => id).join(", ")}`,
      left.length > 50 ? ` and ${whole(left.length - 50)} more.` : ".",
    ),
  );
}
