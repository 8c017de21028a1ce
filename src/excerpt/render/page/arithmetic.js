/** The arithmetic of a topic's scores, from the evaluation's own integers. No DOM. */

/** What a family counts; `once`: characters, those found only once. @param {string} family @returns {string} */
export const unitOf = (
  family,
) => (family === "judged"
  ? "results"
  : /^article/.test(family)
  ? "documents"
  : /^char|^IoU/.test(family)
  ? "once"
  : "characters");

/** The characters that a result is charged that names nothing that exists. */
const NOWHERE = 18;

/** A share; of nothing it is 0. @param {number} part @param {number} all @returns {number} */
export const share = (part, all) => part / Math.max(all, 1);

/** All that could be found. @param {Object} topic @param {string} family @returns {number} */
export function totalOf({ relevant: { document, start, end } }, family) {
  return unitOf(family) === "documents"
    ? new Set(document).size
    : start.reduce((sum, from, n) => sum + end[n] - from, 0);
}

/** @typedef {{size: number, relevant: number, read: number, found: number, recall: number, precision: number}} Row what a rank adds; what is
 * read and found so far */

/** The results of a run, added up. @param {Object} topic @param {number} run @param {string} family @returns {Row[]} */
export function rows(topic, run, family) {
  const { spans, documents, counted: { [run]: counted } } = topic,
    seen = new Set([undefined]),
    holding = new Set(topic.relevant.document),
    total = totalOf(topic, family);
  let read = 0, found = 0;
  return Array.from(topic.runs[run], (span, n) => {
    const place = spans.document[span],
      fresh = !seen.has(place),
      length = span < 0 ? NOWHERE : spans.end[span] - spans.start[span],
      all = spans.relevant[span] ?? 0;
    seen.add(place);
    const [size, relevant] = {
      results: [1, documents.judged[place] ?? 0],
      documents: [fresh, fresh && holding.has(place)].map(Number),
      once: [length, counted ? (counted.new ?? counted.found)[n] : all],
      characters: counted ? [counted.read[n], counted.found[n]] : [length, all],
    }[unitOf(family)];
    read += size;
    found += relevant;
    return { size, relevant, read, found, recall: share(found, total), precision: share(found, read) };
  });
}

/** The highest recall level of 0 to 100 reached, decided on integers. @param {number} found @param {number} total @returns {number} */
export function recallLevel(found, total) {
  const over = 100 * found;
  return Math.min(share(over - (over % Math.max(total, 1)), total), 100);
}

/** The ranks at which interpolated precision falls, from left to right. @param {Row[]} list @returns {Row[]} */
export function stepsOf(list) {
  const steps = [];
  for (const row of [...list].reverse()) {
    if (row.relevant && !(steps[0]?.precision >= row.precision)) steps.unshift(row);
  }
  return steps;
}

/** The least part of a total that makes up a share such as "0.01" or "1/3". */
function leastOf(text, total) {
  const [over, under = 1] = text.split("/"), [units, digits = ""] = over.split(".");
  return Math.ceil((Number(units + digits) * total) / (under * 10 ** digits.length));
}

const divide = (part, all, show = part) => [`${show} / ${all}`, share(part, all)];
const average = (sum, all) => divide(sum, all, sum.toFixed(4));

/** How a family scores: expression, value, perhaps a line before; from all rows, what is read and found where it stops, and the total. */
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
    const least = leastOf(/\[(.*)\]/.exec(topic)[1], total),
      [best] = list.filter(({ found }) => found >= least).sort((a, b) => b.precision - a.precision);
    return [...(best ? divide(best.found, best.read) : ["not reached", 0]), [
      "needs",
      `${least} of ${total}`,
      null,
    ]];
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

/** Why a run has its score, with the state at a rank: label, expression and value of each line. The last one is the score, without
 * expression where this arithmetic does not lead to it. @param {Object} measure @param {Object} topic @param {number} run
 * @param {?number} score @param {number} rank @param {Row[]} list @returns {Array[]} */
export function explain(
  measure,
  topic,
  run,
  score,
  rank = Infinity,
  list = rows(topic, run, measure.family),
) {
  const { family, cutoff, parameters } = measure,
    total = totalOf(topic, family),
    judged = family === "judged";
  const at = (place) => list[Math.min(place ?? Infinity, list.length) - 1] ?? { read: 0, found: 0 },
    { read, found } = at(rank);
  const few = cutoff && unitOf(family) === "documents" ? list.filter((row) => row.read <= cutoff) : null;
  const how = !parameters.budget && parameters.overlap !== "lambda" &&
    (SCORES[family] ?? SCORES[judged ? "charP" : family.replace("article", "char")]);
  const [expression, value, before] = how
    ? how({
      ...measure,
      list: few ?? list,
      total,
      ...at(few?.length ?? cutoff),
      ...(few && { read: cutoff }),
    })
    : [];
  return [
    [judged ? "judged" : "precision", ...divide(found, read)],
    !judged && ["recall", ...divide(found, total)],
    family === "AiP" && ["reaches", `level ${recallLevel(found, total)} of 100`, null],
    before,
    [
      measure.topic,
      ...(score !== null && Math.abs(value - score) <= 1e-12 ? [expression, value] : ["", score]),
    ],
  ].filter(Boolean);
}
