/** Arithmetic of a topic's scores, from the integers of the evaluation. No DOM. */

/** @import { Measure, Score, Topic } from "./types.d.ts" */

/** @typedef {"results" | "documents" | "once" | "characters"} Unit `once`: characters, those found only once
 * @typedef {{size: number, relevant: number, read: number, found: number, recall: number,
 *   precision: number}} Row size and relevant part of the result at a rank; what is read and found up to it
 * @typedef {[label: string, expression: string, value: Score]} Line */

/** The unit that a family of measures counts. @param {string} family @returns {Unit} */
export function unitOf(family) {
  if (family === "judged") return "results";
  if (/^article/.test(family)) return "documents";
  return /^char|^IoU/.test(family) ? "once" : "characters";
}

/** The number of characters charged for a result that does not exist. */
export const UNPLACED_SIZE = 18;

/** A proportion, 0 of nothing. @param {number} part @param {number} all */
export const proportion = (part, all) => part / Math.max(all, 1);

/** The number of relevant documents or characters.
 * @param {Pick<Topic, "relevant">} topic @param {string} family */
export function totalOf({ relevant: { document, start, end } }, family) {
  return unitOf(family) === "documents"
    ? new Set(document).size
    : start.reduce((sum, from, n) => sum + end[n] - from, 0);
}

/** The results of a run, added up. @param {Topic} topic @param {number} run @param {string} family */
export function rows(topic, run, family) {
  const { spans, documents, counted: { [run]: counted } } = topic,
    /** @type {Set<number | undefined>} */
    seen = new Set([undefined]),
    relevantDocuments = new Set(topic.relevant.document);
  const parts = Array.from(topic.runs[run], (span, n) => {
    const doc = spans.document[span],
      fresh = !seen.has(doc),
      length = span < 0 ? UNPLACED_SIZE : spans.end[span] - spans.start[span],
      all = spans.relevant[span] ?? 0;
    seen.add(doc);
    return {
      results: [1, documents.judged[doc] ?? 0],
      documents: [fresh, fresh && relevantDocuments.has(doc)].map(Number),
      once: [length, counted ? (counted.new ?? counted.found)[n] : all],
      characters: counted ? [counted.read[n], counted.found[n]] : [length, all],
    }[unitOf(family)];
  });
  return addUp(parts, totalOf(topic, family));
}

/** The number of ranks that a measure reads: up to its cut-off, or as its budget lasts; Infinity for all.
 * @param {Pick<Measure, "family" | "cutoff" | "parameters">} measure @param {Row[]} list */
export function ranksRead({ family, cutoff, parameters: { budget, cost } }, list) {
  if (budget) {
    const at = list.findIndex(({ read }) => read >= Number(budget));
    return at < 0 || (cost && cost !== "characters") ? Infinity : at + 1;
  }
  if (!cutoff || AT_LEVELS.test(family)) return Infinity;
  return unitOf(family) === "documents" ? list.findLastIndex(({ read }) => read <= cutoff) + 1 : cutoff;
}

/** Families whose cut-off is a level of recall. */
const AT_LEVELS = /^(iP|AiP|ep|iMAep|inex_eval|inex_eval_ng|EPRUM)$/;

/** @typedef {"curve" | "recall" | "precision" | "F" | "IoU"} Drawn what the figure of a measure draws */

/** What the figure of a measure draws: interpolated precision by recall only for the measures that read it.
 * @param {Pick<Measure, "family">} measure @returns {Drawn} */
export function drawnOf({ family }) {
  if (/^(AiP|iP)$|AP$/.test(family)) return "curve";
  if (/P$|^judged|prec$/.test(family)) return "precision";
  if (/F$/.test(family)) return "F";
  return family === "IoU" ? "IoU" : "recall";
}

/** The value that a figure draws after a rank. @param {Drawn} drawn @param {Row} row
 * @param {number} total @param {number} [beta] */
export function drawnAt(drawn, { read, found, recall, precision }, total, beta = 1) {
  if (drawn === "F") return ((1 + beta ** 2) * found) / (beta ** 2 * total + read || 1);
  if (drawn === "IoU") return proportion(found, read + total - found);
  return drawn === "precision" ? precision : recall;
}

/** Sizes and relevant parts of results, added up from rank to rank.
 * @param {number[][]} parts @param {number} total @returns {Row[]} */
export function addUp(parts, total) {
  let read = 0, found = 0;
  return parts.map(([size, relevant]) => {
    read += size;
    found += relevant;
    return {
      size,
      relevant,
      read,
      found,
      recall: proportion(found, total),
      precision: proportion(found, read),
    };
  });
}

/** The highest recall level of 0 to 100 that is reached, decided on integers.
 * @param {number} found @param {number} total */
export function recallLevel(found, total) {
  const over = 100 * found;
  return Math.min(proportion(over - (over % Math.max(total, 1)), total), 100);
}

/** The ranks at which interpolated precision falls, from left to right. @param {Row[]} list */
export function stepsOf(list) {
  /** @type {Row[]} */
  const steps = [];
  for (const row of [...list].reverse()) {
    if (row.relevant && !(steps[0]?.precision >= row.precision)) steps.unshift(row);
  }
  return steps;
}

/** The least part of a total that reaches a proportion. @param {string} text such as "0.01" or "1/3"
 * @param {number} total */
function leastOf(text, total) {
  const [over, under = "1"] = text.split("/"), [units, digits = ""] = over.split(".");
  return Math.ceil((Number(units + digits) * total) / (Number(under) * 10 ** digits.length));
}

/** @typedef {[expression: string, value: number, before?: Line]} Scored
 * @typedef {{list: Row[], total: number, read: number, found: number, topic: string,
 *   parameters: Measure["parameters"]}} Counts `read` and `found` up to the cut-off */

/** @param {number} part @param {number} all @param {number | string} shown @returns {Scored} */
const divide = (part, all, shown = part) => [`${shown} / ${all}`, proportion(part, all)];
/** @param {number} sum @param {number} all */
const average = (sum, all) => divide(sum, all, sum.toFixed(4));

/** Score of a topic by family: expression, value, perhaps a line before them.
 * @type {Record<string, (counts: Counts) => Scored>} */
const SCORES = {
  AiP({ list, total }) {
    let sum = 0, next = 0;
    for (const { found, precision } of stepsOf(list)) {
      const level = recallLevel(found, total);
      sum += (level + 1 - next) * precision;
      next = level + 1;
    }
    return average(sum, 101);
  },
  iP({ list, total, topic }) {
    const least = leastOf(/\[(.*)\]/.exec(topic)?.[1] ?? "", total),
      [best] = list.filter(({ found }) => found >= least).sort((a, b) => b.precision - a.precision),
      [expression, value] = best ? divide(best.found, best.read) : ["not reached", 0];
    return [expression, value, ["needs", `${least} of ${total}`, null]];
  },
  articleAP: ({ list, total }) =>
    average(list.reduce((sum, { relevant, precision }) => sum + relevant * precision, 0), total),
  charP: ({ read, found }) => divide(found, read),
  charR: ({ found, total }) => divide(found, total),
  charF({ read, found, total, parameters: { beta = 1 } }) {
    const weight = beta ** 2, under = weight === 1 ? total : `${weight} × ${total}`;
    return [
      `${1 + weight} × ${found} / (${under} + ${read})`,
      ((1 + weight) * found) / (weight * total + read || 1),
    ];
  },
  IoU: ({ read, found, total }) =>
    divide(found, read + total - found, `${found} / (${read} + ${total} - ${found}) = ${found}`),
};

/** The rows up to a cut-off that a measure of documents reads; null for others.
 * @param {Measure} measure @param {Row[]} list */
const fewOf = ({ family, cutoff }, list) =>
  cutoff && unitOf(family) === "documents" ? list.filter((row) => row.read <= cutoff) : null;

/** The score of a topic from its rows: expression, value, perhaps a line before them; undefined for families
 * without this arithmetic. @param {Measure} measure @param {Topic} topic @param {Row[]} list */
export function valueOf(measure, topic, list) {
  const { family, cutoff, parameters } = measure,
    how = SCORES[family] ?? SCORES[family === "judged" ? "charP" : family.replace("article", "char")],
    few = fewOf(measure, list),
    { read, found } = list[Math.min(few?.length ?? cutoff ?? Infinity, list.length) - 1] ??
      { read: 0, found: 0 };
  return how?.({
    topic: measure.topic,
    parameters,
    list: few ?? list,
    total: totalOf(topic, family),
    found,
    read: few && cutoff ? cutoff : read,
  });
}

/** The computation of a run's score, and the counts at a rank: label, expression and value of each line. The
 * last line is the score, without an expression where this arithmetic does not lead to it.
 * @param {Measure} measure @param {Topic} topic @param {number} run @param {Score} score @param {number} rank
 * @param {Row[]} list @returns {Line[]} */
export function explain(
  measure,
  topic,
  run,
  score,
  rank = Infinity,
  list = rows(topic, run, measure.family),
) {
  const { family, parameters } = measure,
    total = totalOf(topic, family),
    judged = family === "judged",
    { read, found } = list[Math.min(rank, list.length) - 1] ?? { read: 0, found: 0 },
    plain = !parameters.budget && parameters.overlap !== "lambda";
  const [expression, value, before] = (plain && valueOf(measure, topic, list)) || ["", NaN];
  /** @type {(Line | false | undefined)[]} */
  const lines = [
    [judged ? "judged" : "precision", `${found} / ${read}`, proportion(found, read)],
    !judged && ["recall", `${found} / ${total}`, proportion(found, total)],
    family === "AiP" && ["reaches", `level ${recallLevel(found, total)} of 100`, null],
    before,
    score !== null && Math.abs(value - score) <= 1e-12
      ? [measure.topic, expression, value]
      : [measure.topic, "", score],
  ];
  return lines.filter((line) => line !== undefined && line !== false);
}
