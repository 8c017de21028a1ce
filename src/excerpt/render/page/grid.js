/** What several views draw: tables whose links are one tab stop, verdicts, buttons of which one is chosen. */
import { make } from "./dom.js";

/** A button. @param {*} inside @param {function(): void} click @param {?Object} attributes @returns {HTMLElement} */
export const button = (inside, click, attributes) => make("button", { on: { click }, ...attributes }, inside);

/** Buttons of which one is chosen. @param {string} name of the class @param {Array} labels @param {number} at
 * @param {function(number): void} act @returns {HTMLElement} */
export const drawTabs = (name, labels, at, act) =>
  make(
    "div",
    { class: name, role: "group" },
    labels.map((label, i) =>
      button(label, () => act(i), { "data-key": name + i, "aria-pressed": `${i === at}` })
    ),
  );

/** What is said first. @param {string[]} about the measure and what it was taken of @param {*} headline @param {...*} more @returns {HTMLElement} */
export const verdict = (about, headline, ...more) =>
  make(
    "div.verdict",
    make("p.label", `Verdict by ${about.join(" · ")}`),
    make("h1", { tabindex: -1 }, headline),
    more,
  );

/** The heading of a section. @param {string} title @param {string} about @param {*} more @returns {HTMLElement} */
export const heading = (title, about, more) =>
  make("header.heading", make("h2", title), make("small.note", about), more);

/** What tells other programs which score an element holds. @returns {Object} attributes */
export const scoreCell = (run, topic, measure, value) => ({
  "data-run": run,
  "data-topic": topic,
  "data-measure": measure,
  "data-value": value ?? "",
});

/** The head of a row of a topic. @param {Object} topic @param {string} href @returns {HTMLElement} */
export const topicHead = ({ id, title, text }, href) =>
  make("th", { title: title || text }, make("a", { href }, make("code", id), ` ${title || text}`));

/** A table with one row of heads. Its links are one tab stop: arrows move, Enter opens.
 * @param {string} name of the class @param {Array} heads @param {Node[]} rows
 * @param {?function(HTMLElement): void} look called with the link under pointer or focus @returns {HTMLElement} */
export function drawGrid(name, heads, rows, look) {
  const stopAt = (stop) =>
    links.forEach((link) => {
      link.tabIndex = link === stop ? 0 : -1;
    });
  const focusin = ({ target }) => {
    stopAt(target);
    look?.(target);
  };
  const pointerover = ({ target }) => {
    const link = target.closest("a") ?? target.closest("tr")?.querySelector("a");
    if (link) look?.(link);
  };
  const keydown = (event) => {
    const { key, target } = event, wide = target.closest("tr").querySelectorAll("a").length;
    const next =
      links[links.indexOf(target) + { ArrowUp: -wide, ArrowDown: wide, ArrowLeft: -1, ArrowRight: 1 }[key]];
    if (!next || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    next.focus();
  };
  const table = make(
    `table.${name}`,
    { on: { focusin, pointerover, keydown } },
    make("thead", make("tr", heads.map((head) => make("th", head)))),
    make("tbody", rows),
  );
  const links = [...table.querySelectorAll("a")];
  stopAt(links[0]);
  return table;
}
