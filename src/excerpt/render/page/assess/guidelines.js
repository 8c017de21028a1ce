/** Guidelines of a campaign: the few marks of Markdown that become elements, and their dialog. */
import { make } from "../dom.js";
import { button } from "../grid.js";

/** @import { GuideBlock, Inline, ListBlock } from "./types.d.ts" */

// Parsing: paragraphs, lists, emphasis and links. Everything else stays text. No DOM.
const ITEM = /^(\s*)(?:[-*+]|(\d{1,9})[.)])\s+(\S.*)$/, HEADING = /^\s{0,3}#{1,6}\s+(.*?)(?:\s+#+)?\s*$/;
/** An escaped sign, a code span, an image, a link, strong and plain emphasis, of which only the last three
 * become elements. No part can contain its own end, so that the time is proportional to the text. */
const INLINE = new RegExp(
  [
    /\\([!-/:-@[-`{-~])/,
    /`[^`]+`/,
    /!\[[^\]]*\]\([^)]*\)/,
    /\[([^[\]]+)\]\((https?:\/\/[^\s()<>"]+)\)/,
    /\*\*(?=\S)((?:[^*]|\*(?!\*))*?\S)\*\*/,
    /(?<![\p{L}\p{N}_])__(?=\S)((?:[^_]|_(?!_))*?\S)__(?![\p{L}\p{N}_])/u,
    /\*(?=\S)([^*]*[^*\s])\*/,
    /(?<![\p{L}\p{N}_])_(?=\S)([^_]*[^_\s])_(?![\p{L}\p{N}_])/u,
  ].map(({ source }) => source).join("|"),
  "gu",
);

/** The parts of a text: strings and elements. @param {string} text @returns {Inline[]} */
export function parseInline(text) {
  /** @type {Inline[]} */
  const parts = [];
  let at = 0;
  for (const found of text.matchAll(INLINE)) {
    const [whole, sign, label, href, stars, lines, star, line] = found,
      strong = stars ?? lines,
      plain = star ?? line;
    parts.push(text.slice(at, found.index));
    if (sign) parts.push(sign);
    else if (href) parts.push({ tag: "a", href, inside: parseInline(label) });
    else if (strong) parts.push({ tag: "strong", inside: parseInline(strong) });
    else if (plain) parts.push({ tag: "em", inside: parseInline(plain) });
    else parts.push(whole);
    at = found.index + whole.length;
  }
  return [...parts, text.slice(at)].filter((part) => part !== "");
}

/** The blocks of guidelines. A heading becomes an emphasised paragraph, an indented item a list of its own
 * within the item before. @param {string} text @returns {GuideBlock[]} */
export function parseGuidelines(text) {
  /** @type {GuideBlock[]} */
  const blocks = [];
  /** Lists that are open, from the outermost, with their indents. @type {[number, ListBlock][]} */
  let open = [];
  /** Where the next line of a paragraph or an item goes. @type {{text: string} | null} */
  let last = null;
  for (const line of text.split("\n")) {
    const item = ITEM.exec(line), heading = HEADING.exec(line);
    if (item) {
      const [, { length: indent }, number, words] = item, tag = number ? "ol" : "ul";
      open = open.filter(([outer]) => outer <= indent);
      let [outer, list] = open.at(-1) ?? [-1, null];
      if (!list || outer < indent - 1 || (list.tag !== tag && outer === indent)) {
        if (list?.tag !== tag && outer === indent) open.pop();
        const parent = open.at(-1)?.[1].items.at(-1);
        list = { tag, start: Number(number ?? 1), items: [] };
        (parent?.lists ?? blocks).push(list);
        open.push([indent, list]);
      }
      last = { text: words };
      list.items.push({ line: last, lists: [] });
    } else if (!line.trim()) last = null;
    else if (heading) {
      blocks.push({ tag: "p", heading: true, line: { text: heading[1] } });
      [open, last] = [[], null];
    } else if (last) last.text += ` ${line.trim()}`;
    else {
      last = { text: line.trim() };
      if (open.length && /^\s{2,}/.test(line)) {
        open.at(-1)?.[1].items.at(-1)?.lists.push({ tag: "p", heading: false, line: last });
      } else {
        blocks.push({ tag: "p", heading: false, line: last });
        open = [];
      }
    }
  }
  return blocks;
}

// The dialog.
/** @param {Inline} part @returns {Node | string} */
function drawInline(part) {
  if (typeof part === "string") return part;
  const inside = part.inside.map(drawInline);
  return part.tag === "a"
    ? make("a", { href: part.href, target: "_blank", rel: "noopener noreferrer" }, inside)
    : make(part.tag, inside);
}

/** @param {string} text */
const drawLine = (text) => parseInline(text).map(drawInline);

/** @param {GuideBlock} block @returns {HTMLElement} */
function drawBlock(block) {
  if (block.tag === "p") {
    const inside = drawLine(block.line.text);
    return make("p", { dir: "auto" }, block.heading ? make("strong", inside) : inside);
  }
  const items = block.items.map(({ line, lists }) =>
    make("li", { dir: "auto" }, drawLine(line.text), lists.map(drawBlock))
  );
  return block.tag === "ul" ? make("ul", items) : make("ol", { start: block.start }, items);
}

/** Open the dialog of the guidelines. @param {string} text */
export function openGuidelines(text) {
  /** @type {HTMLDialogElement} */
  const dialog = make(
    "dialog.guidelines",
    {
      "aria-label": "Guidelines",
      on: { close: () => dialog.remove(), click: ({ target }) => target === dialog && dialog.close() },
    },
    make(
      "div",
      make("h2", { tabindex: -1, autofocus: true }, "Guidelines"),
      make("div.words", parseGuidelines(text).map(drawBlock)),
      make("p.note", "Press ", make("kbd", "g"), " to read them again."),
      button("Close", () => dialog.close()),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
}

/** Whether an assessor has not seen the guidelines in this browser; afterwards they have.
 * @param {Pick<Storage, "getItem" | "setItem">} storage
 * @param {{campaign: string, assessor: string, guidelines?: string}} campaign */
export function areNew(storage, { campaign, assessor, guidelines }) {
  const key = `excerpt-guidelines:${campaign}:${encodeURIComponent(assessor)}`;
  if (!guidelines || storage.getItem(key) === guidelines) return false;
  try {
    storage.setItem(key, guidelines);
  } catch {
    // A full storage: they are shown again next time.
  }
  return true;
}
