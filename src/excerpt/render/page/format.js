/** Numbers and names as they are written on the page. */

const DASH = "–", MINUS = "\u2212";

/** A score with four digits. @param {?number} x @param {number} digits @returns {string} */
export function score(x, digits = 4) {
  return Number.isFinite(x) ? x.toFixed(digits).replace("-", MINUS) : DASH;
}

/** A score in two digits for the heat map. @param {?number} x @returns {string} */
export function heat(x) {
  if (x === 0) return "0";
  if (x > 0 && x < 0.01) return "<.01";
  return score(x, 2).replace(/\b0\./, ".").replace(".00", "");
}

/** A whole number, thin spaces that do not break between thousands. @param {number} n @returns {string} */
export function whole(n) {
  return String(n).replace("-", MINUS).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** A difference with its sign; nothing but 0 is written 0. @param {?number} x @param {number} digits @returns {string} */
export function signed(x, digits = 4) {
  return x === 0 ? "0" : (x > 0 ? "+" : "") + score(x, digits);
}

/** A share of 1 as a percentage. @param {?number} x @returns {string} */
export function percent(x) {
  if (!Number.isFinite(x)) return DASH;
  const rounded = x > 0 && x < 0.005 ? "<1" : x < 1 && x >= 0.995 ? ">99" : Math.round(x * 100);
  return `${rounded}\u00a0%`;
}

/** A number of things. @param {number} n @param {string} noun @returns {string} */
export function count(n, noun) {
  return `${whole(n)} ${noun}${n === 1 ? "" : "s"}`;
}

/** A name of at most so many characters, cut in the middle. @param {string} name @param {number} most @returns {string} */
export function middle(name, most) {
  const points = Array.from(name), half = Math.floor((most - 1) / 2);
  return points.length > most
    ? `${points.slice(0, most - 1 - half).join("")}…${points.slice(-half).join("")}`
    : name;
}
