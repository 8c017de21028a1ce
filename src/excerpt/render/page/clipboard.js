/** Buttons that copy links and Markdown. */
import { icon, make } from "./dom.js";
import { score, whole } from "./format.js";
import { button } from "./grid.js";
import { linkMarkdown, tableMarkdown } from "./markdown.js";

/** @import { Attributes, Context } from "./types.d.ts" */

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

/** The text of a node: names that are cut are whole, pictures in words, scores with four digits.
 * @param {Node} node @returns {string} */
function textOf(node) {
  if (!(node instanceof Element)) return node.textContent ?? "";
  const { text, value } = /** @type {HTMLElement} */ (node).dataset;
  if (node.matches(".advantage,.tip")) return "";
  if (node.matches("bdi[title]")) return node.getAttribute("title") ?? "";
  if (node.matches("svg")) return node.getAttribute("aria-label") ?? "";
  if (value !== undefined) return score(parseFloat(value));
  return text ?? [...node.childNodes].map(textOf).join(" ");
}

/** A table as Markdown, without columns that are empty. @param {HTMLTableRowElement[]} shown its rows */
function copyOf(shown) {
  const [heads, ...rows] = shown.map((row) =>
    [...row.cells].map((cell) => textOf(cell).replace(/\s+/g, " ").trim())
  );
  const used = heads.map((_, i) => rows.some((row) => row[i]));
  /** @param {string[]} row */
  const only = (row) => row.filter((_, i) => used[i]);
  return tableMarkdown(only(heads), rows.map(only));
}

/** A button that copies a table as it is shown, after its title, which is a link in the explorer.
 * @param {Pick<Context, "address" | "announce">} context @param {string} title
 * @param {() => HTMLTableElement | null} table
 * @param {number} total all rows of the table, of which some may not be shown */
export const copyTable = ({ address, announce }, title, table, total) =>
  copyButton(
    AS_MARKDOWN,
    () => {
      const shown = [...table()?.rows ?? []].filter((row) => !row.hidden), rows = shown.length - 1;
      const part = rows < total ? ` (the first ${whole(rows)} of ${whole(total)} rows)` : "";
      return `${linkMarkdown(title, address({}))}${part}\n\n${copyOf(shown)}`;
    },
    announce,
    { class: "quiet" },
  );
