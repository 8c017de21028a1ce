/** Tables with one tab stop, verdicts, tabs, headings: what several views draw. */
import { make, named } from "./dom.js";
import { whole } from "./format.js";

/** @import { Attributes, Child, Context, Score } from "./types.d.ts" */

/** A button.
 * @param {Child} inside @param {(event: MouseEvent) => unknown} click @param {Attributes} [attributes] */
export const button = (inside, click, attributes) => make("button", { on: { click }, ...attributes }, inside);

/** Buttons of which one is pressed.
 * @param {string} name of the class @param {Child[]} labels @param {number} at the pressed one
 * @param {(i: number) => unknown} act */
export const drawTabs = (name, labels, at, act) =>
  make(
    "div",
    { class: name, role: "group" },
    labels.map((label, i) =>
      button(label, () => act(i), { "data-key": name + i, "aria-pressed": `${i === at}` })
    ),
  );

/** A verdict: label, headline, details.
 * @param {string[]} about measure, runs, topics @param {Child} headline @param {Child[]} more */
export const verdict = (about, headline, ...more) =>
  make(
    "div.verdict",
    make("p.label", `Verdict by ${about.join(" · ")}`),
    make("h1", { tabindex: -1 }, headline),
    more,
  );

/** The heading of a section, without a title behind a door that has it.
 * @param {string} title @param {Child} about @param {Child} [more] */
export const heading = (title, about, more) =>
  make("header.heading", title && make("h2", title), make("small.note", about), more);

/** Attributes that tell other programs which score an element shows.
 * @param {string} run @param {string} topic @param {string} measure @param {Score} [value]
 * @returns {Attributes} */
export const scoreCell = (run, topic, measure, value) => ({
  "data-run": run,
  "data-topic": topic,
  "data-measure": measure,
  "data-value": value ?? "",
});

/** The header cell in the row of a topic.
 * @param {{id: string, title: string, text: string}} topic @param {string} href @param {Child} [more] */
export const topicHead = ({ id, title, text }, href, more) =>
  make(
    "th",
    { title: title || text },
    make("a", { href }, make("code", { class: !(title || text) && "alone" }, named(id)), ` ${title || text}`),
    more,
  );

/** A table with one header row. Its links are one tab stop: arrow keys move, Enter opens.
 * @param {string} name of the class @param {Child[]} heads @param {Child[]} rows
 * @param {(link: HTMLElement) => unknown} [look] called with the link under pointer or focus */
export function drawGrid(name, heads, rows, look) {
  /** @param {HTMLElement} stop */
  const stopAt = (stop) =>
    links.forEach((link) => {
      link.tabIndex = link === stop ? 0 : -1;
    });
  /** @param {{target: HTMLElement}} event */
  const focusin = ({ target }) => {
    stopAt(target);
    look?.(target);
  };
  /** @param {{target: HTMLElement}} event */
  const pointerover = ({ target }) => {
    const link = target.closest("a") ?? target.closest("tr")?.querySelector("a");
    if (link) look?.(link);
  };
  /** @param {KeyboardEvent & {target: HTMLElement}} event */
  const keydown = (event) => {
    const { key, target } = event, columns = target.closest("tr")?.querySelectorAll("a").length ?? 0;
    /** @type {Record<string, number>} */
    const steps = { ArrowUp: -columns, ArrowDown: columns, ArrowLeft: -1, ArrowRight: 1 };
    const next = links[links.findIndex((link) => link === target) + steps[key]];
    if (!next || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    next.focus();
  };
  const table = make(
    `table.${name}`,
    { on: { focusin, pointerover, keydown } },
    make(
      "thead",
      make("tr", heads.map((head) => head instanceof HTMLTableCellElement ? head : make("th", head))),
    ),
    make("tbody", rows),
  );
  const links = [...table.querySelectorAll("a")];
  stopAt(links[0]);
  return table;
}

const FIRST_RUNS = 10, MANY_RUNS = 20;

/** Whether a run of many is folded: all but the first, and those that were chosen.
 * @param {Pick<Context, "overview" | "runs" | "state">} context @param {number} run
 * @param {number} place in the ranking, from 0 */
export const isFolded = ({ overview: { runs }, runs: chosen, state }, run, place) =>
  runs.length > MANY_RUNS && place >= FIRST_RUNS && !(state.runs.length && chosen.includes(run));

/** A button that shows the runs that are folded.
 * @param {string} all number of them @param {() => unknown} show */
export function drawUnfold(all, show) {
  /** @type {HTMLButtonElement} */
  const more = button(`Show all ${all}`, () => {
    show();
    more.remove();
  });
  return more;
}

/** A button that shows the rows that are folded, if there are any. @param {HTMLElement[]} rows */
export const unfold = (rows) =>
  rows.some((row) => row.hidden) && drawUnfold(whole(rows.length), () => {
    for (const row of rows) row.hidden = false;
  });

/** @typedef {{label: Child, key: string, value?: (row: any) => number | string}} Column of a sorted table */

/** Rows sorted by the column that `order` names, downwards after `-`; as they are if it names none.
 * @template T @param {T[]} rows @param {Column[]} columns @param {string} order @returns {T[]} */
export function sortRows(rows, columns, order) {
  const value = columns.find(({ key }) => key === order.replace("-", ""))?.value;
  if (!value) return rows;
  const sign = order.startsWith("-") ? -1 : 1;
  return rows.map((row) => ({ row, by: value(row) }))
    .sort((a, b) => a.by === b.by ? 0 : a.by < b.by ? -sign : sign)
    .map(({ row }) => row);
}

/** Header cells whose buttons sort; a second press turns the order around.
 * @param {Column[]} columns @param {string} order @param {(order: string) => unknown} act */
export const sortHeads = (columns, order, act) =>
  columns.map(({ label, key, value }) => {
    const down = order === `-${key}`, up = order === key;
    return make(
      "th",
      { "aria-sort": down ? "descending" : up && "ascending" },
      value
        ? button([label, down ? " ↓" : up ? " ↑" : ""], () => act(down ? key : `-${key}`), {
          class: "sort",
          "data-key": `sort-${key}`,
        })
        : label,
    );
  });

/** A button that adds the next rows of a long table, and removes itself after the last.
 * @template T @param {Element | null} body of the table @param {T[]} rows @param {(row: T) => Child} draw
 * @param {number} atOnce */
export function drawMore(body, rows, draw, atOnce) {
  let shown = atOnce;
  const label = () => `Show ${whole(Math.min(atOnce, rows.length - shown))} more of ${whole(rows.length)}`;
  const more = button("", () => {
    body?.append(.../** @type {Node[]} */ (rows.slice(shown, shown + atOnce).map(draw)));
    shown += atOnce;
    if (shown < rows.length) more.textContent = label();
    else more.remove();
  });
  more.textContent = label();
  return shown < rows.length && more;
}
