import { bisect } from "./offsets.js";
import { appendSpan, joinSpans, sweepSpans } from "./spans.js";

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
