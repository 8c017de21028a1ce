/** The elements of a document as a tree: what they are called, what they hold, which are to be graded. No DOM. */
import { bisect } from "../offsets.js";

/** How far from its start the heading of an element may begin: a number or label may stand before it. */
const BEFORE_HEADING = 20;
const SNIPPET_SIZE = 60;

/** @typedef {{path: string, start: number, end: number, tag: string, parent: number, depth: number, last: number, name: string, headed: boolean,
 *   snippet: string}} Element
 *   parent: number of the parent, -1 for none; last: number of the last element inside it, or its own */

const cleanText = (text) => text.replace(/\s+/g, " ").trim();

/** What the last step of a path is called: `/article[1]/sec[2]` → "sec 2"; the only one of its kind has no number. */
function elementStep(path, tag, paths) {
  const [end, number] = /\[(\d+)\]$/.exec(path) ?? [];
  return number === undefined || number === "1" && !paths.has(`${path.slice(0, -end.length)}[2]`)
    ? tag
    : `${tag} ${number}`;
}

/** Elements with their parents, by their paths; parents come before children. */
function linkElements(elements) {
  const numbers = new Map();
  return elements.map(([path, start, end, tag], number, all) => {
    const parent = numbers.get(path.slice(0, path.lastIndexOf("/"))) ?? -1;
    numbers.set(path, number);
    return all[number] = {
      path,
      start,
      end,
      tag,
      parent,
      depth: 0,
      last: number,
      name: "",
      headed: false,
      snippet: "",
    };
  });
}

/** The heading of each element that has one: of all elements around a heading the innermost, if the heading is what it begins with. */
function nameByHeadings(list, blocks, quote) {
  for (const [kind, , start, end] of blocks) {
    let number = kind === "heading" ? bisect(list.length, (i) => list[i].start, start + 1) - 1 : -1;
    while (number >= 0 && (list[number].end <= end || list[number].start > start)) {
      number = list[number].parent;
    }
    if (number >= 0 && start - list[number].start <= BEFORE_HEADING) {
      list[number].name ||= cleanText(quote(start, end));
    }
  }
}

/** The tree of a document's elements, in their order; those of at most one block that have no heading show how they begin.
 * @param {Array[]} elements [path, start, end, tag], parents before children @param {Array[]} blocks @param {function(number, number): string} quote
 * @returns {Element[]} */
export function treeOf(elements, blocks, quote) {
  const list = linkElements([...elements]), paths = new Set(list.map(({ path }) => path));
  list.forEach((element) => {
    element.depth = element.parent < 0 ? 0 : list[element.parent].depth + 1;
  });
  for (let i = list.length - 1; i >= 0; i--) {
    if (list[i].parent >= 0) list[list[i].parent].last = Math.max(list[list[i].parent].last, list[i].last);
  }
  nameByHeadings(list, blocks, quote);
  const leaves = blocks.filter(([, depth], i) => !(blocks[i + 1]?.[1] > depth)),
    leavesBefore = (point) => bisect(leaves.length, (i) => leaves[i][2], point);
  for (const element of list) {
    const { path, tag, start, end, name } = element;
    if (!name && leavesBefore(end) - leavesBefore(start) < 2) {
      element.snippet = cleanText(quote(start, Math.min(end, start + SNIPPET_SIZE)));
    }
    element.headed = name !== "";
    element.name ||= elementStep(path, tag, paths);
  }
  return list;
}

/** The name of an element with that of the nearest one around it that has a heading.
 * @param {Element[]} tree @param {number} number @returns {string} */
export function fullName(tree, number) {
  let { headed, parent } = tree[number];
  while (!headed && parent >= 0 && !tree[parent].headed) ({ parent } = tree[parent]);
  return headed || parent < 0 ? tree[number].name : `${tree[number].name} of ${tree[parent].name}`;
}

/** A function that says how many characters of sorted disjoint spans lie in [start, end).
 * @param {number[][]} spans @returns {function(number, number): number} */
export function counterOf(spans) {
  const before = [0];
  for (const [start, end] of spans) before.push(before[before.length - 1] + end - start);
  const upTo = (point) => {
    const whole = bisect(spans.length, (i) => spans[i][1], point + 1);
    return before[whole] + Math.max(0, point - (spans[whole]?.[0] ?? point));
  };
  return (start, end) => upTo(end) - upTo(start);
}

/** The number of the innermost element at a position, -1 for none. @param {Element[]} tree @param {?number} position @returns {number} */
export function elementAt(tree, position) {
  let number = position === null ? -1 : bisect(tree.length, (i) => tree[i].start, position + 1) - 1;
  while (number >= 0 && tree[number].end <= position) number = tree[number].parent;
  return number;
}

/** Some elements and all around them, in order. @param {Element[]} tree @param {Iterable<number>} numbers @returns {number[]} */
export function withAncestors(tree, numbers) {
  const found = new Set();
  for (let number of numbers) {
    for (; number >= 0 && !found.has(number); number = tree[number].parent) found.add(number);
  }
  return [...found].sort((a, b) => a - b);
}

/** The elements right inside another one. @param {Element[]} tree @param {number} number @returns {number[]} */
export function childrenOf(tree, number) {
  const found = [];
  for (let i = number + 1; i <= tree[number].last; i = tree[i].last + 1) found.push(i);
  return found;
}

/** The subtree that "the rest" means at an element: the innermost around it with at least two of the owed ones, itself if it has; -1 for none.
 * @param {Element[]} tree @param {number[]} owed sorted numbers @param {number} number @returns {number} */
export function restOf(tree, owed, number) {
  const within = (top) =>
    bisect(owed.length, (i) => owed[i], tree[top].last + 1) - bisect(owed.length, (i) => owed[i], top);
  while (number >= 0 && within(number) < 2) number = tree[number].parent;
  return number;
}

/** The next of sorted numbers after one, or the first; undefined if there is none. @param {number[]} numbers @param {number} after @returns {number|undefined} */
export function nextOf(numbers, after) {
  return numbers[bisect(numbers.length, (i) => numbers[i], after + 1)] ?? numbers[0];
}
