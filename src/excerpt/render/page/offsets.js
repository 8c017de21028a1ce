/** Code points and UTF-16 units: the only module that knows that some characters take two units. */

/** The first of 0…count - 1 whose key is not below a limit (keys ascend), else count.
 * @param {number} count @param {function(number): number} key @param {number} limit @returns {number} */
export function bisect(count, key, limit) {
  let low = 0, high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (key(middle) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The code-point positions of the characters of a text that take two units.
 * @param {string} text @returns {Uint32Array} */
export function astralOf(text) {
  const found = [];
  for (let unit = 0; unit < text.length; unit++) {
    const code = text.charCodeAt(unit);
    if (code >= 0xd800 && code < 0xdc00) found.push(unit++ - found.length);
  }
  return Uint32Array.from(found);
}

/** The unit at which the character at a position begins.
 * @param {Uint32Array} astral @param {number} point @returns {number} */
export function toUnit(astral, point) {
  return point + bisect(astral.length, (i) => astral[i], point);
}

/** The position of the character at a unit; within a pair, that of the pair.
 * @param {Uint32Array} astral @param {number} unit @returns {number} */
export function toPoint(astral, unit) {
  return unit - bisect(astral.length, (i) => astral[i] + i, unit);
}

/** The characters from start to end of a text.
 * @param {string} text @param {Uint32Array} astral @param {number} start @param {number} end @returns {string} */
export function sliceText(text, astral, start, end) {
  return text.slice(toUnit(astral, start), toUnit(astral, end));
}
