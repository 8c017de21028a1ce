/** The scales of the procedures that grade elements, and how a grade of two parts comes about. No DOM. */

/** Words of the first and, where there are two, the second part of a grade, and what the options are. */
export const SCALES = {
  inex2005: {about: "Every element that holds highlighted text. 2 = discusses the topic fully, 1 = partly, ? = too small.",
    parts: [["Exhaustivity", "", [[2, "2"], [1, "1"], ["?", "?"]]]]},
  inex2004: {about: "How exhaustively an element discusses the topic, and how much of it is about nothing else; 0 with 0 only. Keys: two digits.",
    parts: [["Exhaustivity", "E", [0, 1, 2, 3].map((n) => [n, `${n}`])], ["Specificity", "S", [0, 1, 2, 3].map((n) => [n, `${n}`])]]},
  inex2002: {about: "Relevance, and coverage: N none, L too large, S too small, E exact; 0 with N only. Keys: two digits, coverage by 0 1 2 3.",
    parts: [["Relevance", "R", [0, 1, 2, 3].map((n) => [n, `${n}`])], ["Coverage", "C", ["N", "L", "S", "E"].map((c) => [c, c])]]},
};

/** A grade of two parts after one part was chosen: nothing relevant is both at once, and what was nothing has to be said anew.
 * @param {Array} parts of the scale @param {?Array} grade with null for what is not said @param {number} at which part @param {*} value
 * @returns {Array} complete if it holds no null */
export function chooseBoth(parts, grade, at, value) {
  const nothing = parts.map(([, , options]) => options[0][0]), other = grade?.[1 - at] ?? null;
  if (value === nothing[at]) return nothing;
  const rest = other === nothing[1 - at] ? null : other;
  return at ? [rest, value] : [value, rest];
}

/** What a key means for a row: the grade, complete or with a part that is still to come; undefined if it means nothing.
 * @param {string} procedure @param {?Array} half what was begun @param {string} key @returns {*} */
export function gradeOfKey(procedure, half, key) {
  const {parts} = SCALES[procedure] ?? {parts: []};
  if (parts.length === 1) return parts[0][2].find(([, word]) => word === key)?.[0];
  const at = half && half[1] === null ? 1 : 0, value = /^[0-3]$/.test(key) ? parts[at]?.[2][key]?.[0] : undefined;
  return value === undefined ? undefined : chooseBoth(parts, at ? half : null, at, value);
}

/** A grade in words. @param {string} procedure @param {*} grade @returns {string} */
export function sayGrade(procedure, grade) {
  const {parts} = SCALES[procedure];
  return parts.length === 1 ? String(grade) : parts.map(([, letter], i) => `${letter} ${[grade].flat()[i] ?? "…"}`).join(" · ");
}
