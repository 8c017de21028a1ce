/** Makes elements, and is the only module that does; what comes from data enters as text. */
import { middle } from "./format.js";

const present = (value) => (value ?? false) !== false;

const maker = (space) => (tag, attributes, ...children) => {
  const [name, ...classes] = tag.split("."),
    node = document.createElementNS(`http://www.w3.org/${space}`, name);
  const given = attributes?.constructor === Object ? attributes : {};
  if (classes[0]) node.setAttribute("class", classes.join(" "));
  for (const [key, value] of Object.entries(given)) {
    if (key === "on") { for (const [event, act] of Object.entries(value)) node.addEventListener(event, act); }
    else if (present(value)) node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...[given === attributes ? [] : attributes, children].flat(Infinity).filter(present));
  return node;
};

/** An element, `make("p.note", {id: "x", on: {click: act}}, child, …)`; attributes may be left out, children that are null or false are.
 * @type {function(string, ?Object, ...*): HTMLElement} */
export const make = maker("1999/xhtml");

/** The same for SVG. @type {function(string, ?Object, ...*): SVGElement} */
export const svg = maker("2000/svg");

/** A name, cut in the middle if it is long, whole in its title.
 * @param {string} name @param {number} most @returns {HTMLElement} */
export function named(name, most = 28) {
  const short = middle(name, most);
  return make("bdi", { title: short !== name && name }, short);
}

/** The letter of a run in its colour.
 * @param {string} letter @returns {HTMLElement} */
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

/** A small picture without meaning of its own.
 * @param {string} name one of logo, down, left, right, link @returns {SVGElement} */
export function icon(name) {
  return svg("svg.icon", { viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));
}
