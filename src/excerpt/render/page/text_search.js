/** Search in the texts of documents: words next to each other, in any case. Texts are data, never markup. */
import { astralOf, toPoint } from "./spans.js";

/** @import { Snippet } from "./types.d.ts" */

/** Fewest characters of a search in texts, characters shown around what was found. */
const LEAST_ASKED = 2, AROUND = 48;

/** The pattern of words that follow each other, null if they are too short to search texts for.
 * @param {string} query */
export function patternOf(query) {
  const words = query.trim().split(/\s+/).map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  return query.trim().length < LEAST_ASKED ? null : new RegExp(words.join("\\s+"), "giu");
}

/** A part of a text in one line, without halves of characters at its ends. @param {string} text */
const oneLine = (text) =>
  text.replace(/^[\udc00-\udfff]/, "").replace(/[\ud800-\udbff]$/, "").replace(/\s+/g, " ");

/** The first place of a pattern in a text with what is around it, and how often it occurs; null: nowhere.
 * @param {string} text @param {RegExp} pattern with the flag g @returns {Snippet | null} */
export function findIn(text, pattern) {
  pattern.lastIndex = 0;
  const first = pattern.exec(text);
  if (!first) return null;
  const from = first.index, to = from + first[0].length, astral = astralOf(text.slice(0, to));
  let count = 1;
  while (pattern.exec(text)) count++;
  return {
    start: toPoint(astral, from),
    end: toPoint(astral, to),
    before: (from > AROUND ? "…" : "") + oneLine(text.slice(Math.max(0, from - AROUND), from)),
    found: oneLine(first[0]),
    after: oneLine(text.slice(to, to + AROUND)) + (to + AROUND < text.length ? "…" : ""),
    count,
  };
}

/** How many documents with what is searched are enough, and how many characters one part of a search reads. */
export const ENOUGH = 50, READ_AT_ONCE = 4_000_000;
