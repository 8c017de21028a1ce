/** Finding terms in a text. No DOM. */
import { toPoint } from "../offsets.js";

/** Terms are kept without spaces around them, and those within are one. @param {string} term @returns {string} */
export const cleanTerm = (term) => term.replace(/\s+/g, " ").trim();

/** Where a term stands in a text, case and kind of white space apart: spans in code points, one after the other.
 * @param {string} text @param {Uint32Array} astral positions of its characters of two units @param {string} term @returns {number[][]} */
export function findTerm(text, astral, term) {
  const wanted = cleanTerm(term);
  if (!wanted) return [];
  const pattern = new RegExp(wanted.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&").replace(/ /g, "\\s+"), "giu"),
    found = [];
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    found.push([toPoint(astral, match.index), toPoint(astral, match.index + match[0].length)]);
  }
  return found;
}

/** The list of terms after one more: none twice, case apart. @param {string[]} terms @param {string} term @returns {string[]} */
export function addTerm(terms, term) {
  const wanted = cleanTerm(term);
  return !wanted || terms.some((other) => other.toLowerCase() === wanted.toLowerCase())
    ? terms
    : [...terms, wanted];
}

/** Terms as they were stored; what cannot be read is none. @param {?string} stored @returns {string[]} */
export function readTerms(stored) {
  try {
    const terms = JSON.parse(stored ?? "[]");
    return Array.isArray(terms) ? terms.filter((term) => typeof term === "string").reduce(addTerm, []) : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}
