/** Elements. The only module that creates them; data enters as text, never as markup. */
import { middle } from "./format.js";

/** @import { Attributes, Child, Make, MakeSvg } from "./types.d.ts" */

/** @param {unknown} value */
const present = (value) => (value ?? false) !== false;

/** @param {Attributes | Child} first @returns {first is Attributes} */
const areAttributes = (first) => first?.constructor === Object;

/** @param {string} namespace */
const maker = (namespace) =>
/** @param {string} tag @param {Attributes | Child} [first] @param {Child[]} children */
(tag, first, ...children) => {
  const [name, ...classes] = tag.split("."),
    node = document.createElementNS(`http://www.w3.org/${namespace}`, name),
    { on = {}, ...attributes } = areAttributes(first) ? first : {};
  if (classes[0]) node.setAttribute("class", classes.join(" "));
  for (const [key, value] of Object.entries(attributes)) {
    if (present(value)) node.setAttribute(key, value === true ? "" : String(value));
  }
  for (const [event, act] of Object.entries(on)) {
    node.addEventListener(event, /** @type {EventListener} */ (act));
  }
  /** @type {unknown[]} */
  const parts = areAttributes(first) ? children : [first, children];
  node.append(.../** @type {Node[]} */ (parts.flat(Infinity).filter(present)));
  return node;
};

/** Create an element, `make("p.note", {id: "x", on: {click: act}}, child, …)`; attributes may be left out. */
export const make = /** @type {Make} */ (maker("1999/xhtml"));

/** Create an SVG element. */
export const svg = /** @type {MakeSvg} */ (maker("2000/svg"));

/** A name, cut in the middle if it is long; then the tooltip and screen readers have the whole name.
 * @param {string} name @param {number} most */
export function named(name, most = 28) {
  const short = middle(name, most);
  return make("bdi", short !== name && { title: name, role: "img", "aria-label": name }, short);
}

/** A text in which long names are cut. @param {string} text @param {string[]} names @returns {Child} */
export function withNames(text, names) {
  const long = names.find((name) => name.length > 60 && text.includes(name));
  if (!long) return text;
  const at = text.indexOf(long);
  return [
    withNames(text.slice(0, at), names),
    named(long, 60),
    withNames(text.slice(at + long.length), names),
  ];
}

/** The letter of a run in its colour.
 * @param {string} letter */
export function badge(letter) {
  const node = make("span.letter", letter);
  node.style.background = `var(--${letter},var(--ink3))`;
  return node;
}

const ICONS = {
  logo: "M1 3h14M1 13h14M1 8h14M3 7h6M3 9h6",
  down: "M4 6l4 4 4-4",
  left: "M10 3L5 8l5 5",
  right: "M6 3l5 5-5 5",
  link: "M7 9a3 3 0 0 0 4 0l2-2a3 3 0 0 0-4-4l-1 1M9 7a3 3 0 0 0-4 0L3 9a3 3 0 0 0 4 4l1-1",
};

/** A decorative icon, hidden from screen readers.
 * @param {keyof typeof ICONS} name */
export function icon(name) {
  return svg("svg.icon", { viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));
}

/** The element with an id, which the page has by its shell or its view.
 * @param {string} id @returns {HTMLElement} */
export function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/** The first element that matches a selector, if there is any.
 * @param {string} selector @param {ParentNode} within @returns {HTMLElement | null} */
export function find(selector, within = document) {
  return within.querySelector(selector);
}
