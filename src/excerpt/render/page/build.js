/** Blocks of a document → elements; every character of the text in a text node, nothing else beside them. */
import { make } from "./dom.js";
import { sliceText, toUnit } from "./offsets.js";

const TAGS = {
  section: "section",
  paragraph: "p",
  list: "ul",
  item: "li",
  table: "table",
  row: "tr",
  cell: "td",
  head: "th",
  caption: "caption",
  quote: "blockquote",
  code: "pre",
  figure: "figure",
  reference: "p",
};

/** Rows stand in tables and cells in rows only, but captions anywhere. */
function elementOf([kind, , , , extra], parent) {
  if (kind === "heading") return make(`h${Math.min(extra + 1, 6)}`);
  const [colspan, rowspan] = extra ?? [];
  return make(kind === "caption" && parent !== "table" ? "div.caption" : TAGS[kind] ?? "div", {
    colspan,
    rowspan,
  });
}

/** Fill an element with a text. `starts` and `startUnits` say where each text node begins, `pieces` are the blocks
 * [element, start, end] that the browser may leave undrawn while they are out of sight: disjoint and in order.
 * @param {HTMLElement} root @param {string} text @param {Uint32Array} astral @param {number} size @param {Array[]} blocks
 * @returns {{nodes: Text[], starts: number[], startUnits: number[], pieces: Array[]}} */
export function buildText(root, text, astral, size, blocks) {
  const nodes = [], starts = [], startUnits = [], pieces = [];
  let at = 0, next = 0;
  const write = (node, end) => {
    starts.push(at);
    startUnits.push(toUnit(astral, at));
    nodes.push(node.appendChild(document.createTextNode(sliceText(text, astral, at, end))));
    at = end;
  };
  const enlist = (node, start, end) => {
    node.classList.add("piece");
    node.style.containIntrinsicHeight = `auto ${27 * Math.ceil((end - start) / 75)}px`;
    pieces.push([node, start, end]);
  };
  const fill = (node, end, within) => {
    if (at >= end) return;
    if (node.className.includes("leaf") || !sliceText(text, astral, at, end).trim()) return write(node, end);
    const block = node.appendChild(make("div.leaf"));
    if (!within) enlist(block, at, end);
    write(block, end);
  };
  const walk = (parent, depth, limit, kind, within) => {
    while (blocks[next]?.[1] > depth) {
      const block = blocks[next++],
        [inner, deeper, start, end] = block,
        apart = inner !== "section" && !within;
      fill(parent, start, within);
      const node = elementOf(block, kind),
        outer = parent.appendChild(inner === "table" ? make("div.wide", node) : node);
      node.classList.toggle("leaf", !(blocks[next]?.[1] > deeper));
      if (apart && start < end) enlist(outer, start, end);
      walk(node, deeper, end, inner, within || apart);
    }
    fill(parent, limit, within);
  };
  walk(root, -1, size, "", false);
  return { nodes, starts, startUnits, pieces };
}
