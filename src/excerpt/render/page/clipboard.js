/** Buttons that copy links and Markdown. */
import { icon, make } from "./dom.js";
import { button } from "./grid.js";
import { tableMarkdown } from "./markdown.js";

/** @import { Attributes } from "./types.d.ts" */

/** Words of a button that copies Markdown: before, after, and if the browser refuses. */
export const AS_MARKDOWN = ["Copy as Markdown", "Copied as Markdown", "Could not copy"];

/** A button that copies a text; its words say what came of it, and are announced.
 * @param {string[]} words before, after, and if the browser refuses
 * @param {() => string | Promise<string>} write @param {(words: string) => void} announce
 * @param {Attributes} [attributes] */
export function copyButton([before, after, refused], write, announce, attributes) {
  const word = make("span.word", before);
  /** @param {string} text */
  const say = (text) => () => announce(word.textContent = text);
  const copy = async () => navigator.clipboard.writeText(await write());
  return button(
    [/link/.test(before) && icon("link"), word],
    () => copy().then(say(after), say(refused)),
    attributes,
  );
}

/** The text of a node; names that are cut are whole. @param {Node} node @returns {string} */
function textOf(node) {
  if (node instanceof Element && node.matches(".advantage,bdi[title]")) {
    return node.getAttribute("title") ?? "";
  }
  return node instanceof Text ? node.data : [...node.childNodes].map(textOf).join(" ");
}

/** A table as Markdown, without columns that are empty. @param {HTMLTableElement} table */
export function copyOf(table) {
  const [heads, ...rows] = [...table.rows].map((row) =>
    [...row.cells].map((cell) => textOf(cell).replace(/\s+/g, " ").trim())
  );
  const used = heads.map((_, i) => rows.some((row) => row[i]));
  /** @param {string[]} row */
  const only = (row) => row.filter((_, i) => used[i]);
  return tableMarkdown(only(heads), rows.map(only));
}
