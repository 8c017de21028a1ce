/** Offsets, spans and layers of spans in code points. No DOM. */

// Code points and UTF-16 units: the only module that knows that some characters take two units.
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

// Sets of characters as spans [start, end) in code points: sorted, disjoint, neighbours joined.
/** Put [start, end) at the end of a sorted list, joined with a neighbour; an empty one is left out.
 * @param {number[][]} spans @param {number} start @param {number} end */
export function appendSpan(spans, start, end) {
  if (start >= end) return;
  const last = spans[spans.length - 1];
  if (last && last[1] >= start) last[1] = Math.max(last[1], end);
  else spans.push([start, end]);
}

/** The union of spans in any order, empty and overlapping ones allowed.
 * @param {number[][]} spans @returns {number[][]} */
export function joinSpans(spans) {
  const joined = [];
  for (const [start, end] of [...spans].sort((a, b) => a[0] - b[0])) appendSpan(joined, start, end);
  return joined;
}

/** Walk lists of spans at once: visit(start, end, counts) for each piece between two borders, in order;
 * counts[i] says how many spans of list i lie over it (one array, reused).
 * @param {number[][][]} lists @param {function(number, number, Int32Array)} visit */
export function sweepSpans(lists, visit) {
  const borders = [], counts = new Int32Array(lists.length);
  lists.forEach((spans, list) =>
    spans.forEach(([start, end]) => {
      if (start < end) borders.push([start, list, 1], [end, list, -1]);
    })
  );
  let from = 0;
  for (const [at, list, change] of borders.sort((a, b) => a[0] - b[0])) {
    if (at > from) visit(from, at, counts);
    from = at;
    counts[list] += change;
  }
}

/** The characters in both of two lists of spans.
 * @param {number[][]} first @param {number[][]} second @returns {number[][]} */
export function sharedSpans(first, second) {
  const found = [];
  sweepSpans(
    [first, second],
    (start, end, counts) => counts[0] && counts[1] && appendSpan(found, start, end),
  );
  return found;
}

/** How many characters disjoint spans hold.
 * @param {number[][]} spans @returns {number} */
export function countPoints(spans) {
  return spans.reduce((sum, [start, end]) => sum + end - start, 0);
}

/** Which of sorted disjoint spans holds a position; -1 for none.
 * @param {number[][]} spans @param {number} position @returns {number} */
export function spanAt(spans, position) {
  const at = bisect(spans.length, (i) => spans[i][1], position + 1);
  return at < spans.length && spans[at][0] <= position ? at : -1;
}

/** What is painted in a document: its relevant text against what the chosen runs returned. */

/** The names of all layers; each is always there, empty or not. */
export const LAYERS = [
  "hit",
  "missed",
  "vain",
  "unjudged",
  "again",
  ...Array.from({ length: 8 }, (_, i) => `runs-${i + 1}`),
];

/** Paint: hit, missed, vain and unjudged are disjoint; with one run `again` is what it returned twice, with
 * several `runs-N` says how many of them returned a character (N eighths), and nothing is vain or unjudged.
 * `levels` has [start, end, runs] wherever several runs returned something.
 * @param {number[][]} relevant @param {number[][][]} runs results of each chosen run @param {boolean} judged
 * @returns {Object<string, number[][]>} */
export function layersOf(relevant, runs, judged) {
  const layers = Object.fromEntries([...LAYERS, "levels"].map((name) => [name, []]));
  const several = runs.length > 1;
  const returned = several ? runs.flatMap(joinSpans) : runs.flat();
  sweepSpans([joinSpans(relevant), returned], (start, end, [wanted, times]) => {
    const put = (name) => appendSpan(layers[name], start, end);
    if (wanted) put(times ? "hit" : "missed");
    else if (times && !several) put(judged ? "vain" : "unjudged");
    if (!several && times > 1) put("again");
    if (!several || !times) return;
    put(`runs-${Math.ceil((8 * times) / runs.length)}`);
    const last = layers.levels[layers.levels.length - 1];
    if (last && last[1] === start && last[2] === times) last[1] = end;
    else layers.levels.push([start, end, times]);
  });
  return layers;
}

/** What runs returned of a document of a topic: [start, end, rank] in the order of ranks.
 * @param {Object} topic @param {number} document @param {Int32Array[]} runs @returns {number[][][]} */
export function resultsIn({ spans, runs: all }, document, runs = all) {
  const [low, high] = [document, document + 1].map((limit) =>
    bisect(spans.document.length, (i) => spans.document[i], limit)
  );
  return runs.map((run) => {
    const found = [];
    run.forEach((span, i) =>
      span >= low && span < high && found.push([spans.start[span], spans.end[span], i + 1])
    );
    return found;
  });
}
