/** Offsets, spans and layers of spans in code points. No DOM. */

/** @import { Numbers, Span, Topic } from "./types.d.ts" */

// Positions in code points and in UTF-16 units, of which some characters take two.
/** Binary search: the first of 0…count - 1 whose key is not below a limit (keys ascend), else count.
 * @param {number} count @param {(i: number) => number} key @param {number} limit @returns {number} */
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
  const positions = [];
  for (let unit = 0; unit < text.length; unit++) {
    const code = text.charCodeAt(unit);
    if (code >= 0xd800 && code < 0xdc00) positions.push(unit++ - positions.length);
  }
  return Uint32Array.from(positions);
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
 * @param {string} text @param {Uint32Array} astral @param {number} start @param {number} end */
export function sliceText(text, astral, start, end) {
  return text.slice(toUnit(astral, start), toUnit(astral, end));
}

// Sets of characters as spans [start, end) in code points: sorted, disjoint, neighbours joined.
/** Append [start, end) to a sorted list, joined with its neighbour; an empty span is left out.
 * @param {Span[]} spans @param {number} start @param {number} end */
export function appendSpan(spans, start, end) {
  if (start >= end) return;
  const last = spans[spans.length - 1];
  if (last && last[1] >= start) last[1] = Math.max(last[1], end);
  else spans.push([start, end]);
}

/** The union of spans in any order, empty and overlapping ones allowed.
 * @param {Span[]} spans @returns {Span[]} */
export function joinSpans(spans) {
  /** @type {Span[]} */
  const joined = [];
  for (const [start, end] of [...spans].sort((a, b) => a[0] - b[0])) appendSpan(joined, start, end);
  return joined;
}

/** Sweep over lists of spans: visit(start, end, counts) for each segment between two borders, in order;
 * counts[i] is the number of spans of list i that cover it (one array, reused).
 * @param {Span[][]} lists @param {(start: number, end: number, counts: Int32Array) => unknown} visit */
export function sweepSpans(lists, visit) {
  /** @type {[position: number, list: number, change: number][]} */
  const borders = [];
  const counts = new Int32Array(lists.length);
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
 * @param {Span[]} first @param {Span[]} second @returns {Span[]} */
export function sharedSpans(first, second) {
  /** @type {Span[]} */
  const shared = [];
  sweepSpans(
    [first, second],
    (start, end, counts) => counts[0] && counts[1] && appendSpan(shared, start, end),
  );
  return shared;
}

/** The number of characters in disjoint spans.
 * @param {Span[]} spans @returns {number} */
export function countPoints(spans) {
  return spans.reduce((sum, [start, end]) => sum + end - start, 0);
}

/** The number of the sorted disjoint span that contains a position; -1 for none.
 * @param {Span[]} spans @param {number} position @returns {number} */
export function spanAt(spans, position) {
  const at = bisect(spans.length, (i) => spans[i][1], position + 1);
  return at < spans.length && spans[at][0] <= position ? at : -1;
}

// Layers painted in a document: relevant text compared with the results of the chosen runs.
/** The names of all layers; each exists always, empty or not. */
const LAYERS = [
  "hit",
  "missed",
  "vain",
  "unjudged",
  "again",
  ...Array.from({ length: 8 }, (_, i) => `runs-${i + 1}`),
];

/** Layers by name. hit, missed, vain (not relevant) and unjudged are disjoint. With one run `again` is text
 * that it returned twice; with several runs `runs-N` says how many of them returned a character (N eighths),
 * vain and unjudged are empty, and `levels` has [start, end, runs] wherever any of them returned text.
 * @param {Span[]} relevant @param {Span[][]} runs results of each chosen run @param {unknown} judged */
export function layersOf(relevant, runs, judged) {
  /** @type {Record<string, Span[]>} */
  const layers = Object.fromEntries([...LAYERS, "levels"].map((name) => [name, []]));
  const several = runs.length > 1;
  const returned = several ? runs.flatMap(joinSpans) : runs.flat();
  sweepSpans([joinSpans(relevant), returned], (start, end, [isRelevant, times]) => {
    /** @param {string} name */
    const put = (name) => appendSpan(layers[name], start, end);
    if (isRelevant) put(times ? "hit" : "missed");
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

/** The text that both of two runs returned, only the first, only the second: layers by name.
 * @param {Span[][]} runs @returns {Record<string, Span[]>} */
export function pairLayers(runs) {
  /** @type {Record<string, Span[]>} */
  const layers = { both: [], onlyA: [], onlyB: [] };
  sweepSpans(runs, (start, end, [a, b]) => {
    if (a || b) appendSpan(layers[a && b ? "both" : a ? "onlyA" : "onlyB"], start, end);
  });
  return layers;
}

/** The results of runs in one document of a topic: [start, end, rank] in the order of ranks.
 * @param {Pick<Topic, "spans" | "runs">} topic @param {number} document @param {readonly Numbers[]} runs
 * @returns {Span[][]} */
export function resultsIn({ spans, runs: all }, document, runs = all) {
  const [low, high] = [document, document + 1].map((limit) =>
    bisect(spans.document.length, (i) => spans.document[i], limit)
  );
  return runs.map((run) => {
    /** @type {Span[]} */
    const results = [];
    run.forEach((span, i) => {
      if (span >= low && span < high) results.push([spans.start[span], spans.end[span], i + 1]);
    });
    return results;
  });
}
