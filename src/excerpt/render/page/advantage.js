/** Why one run scores better than another on a topic, in one sentence from the integers. No DOM. */
import { rows, stepsOf, totalOf, unitOf } from "./arithmetic.js";
import { passagesOf } from "./data.js";
import { count, whole } from "./format.js";
import { sharedSpans } from "./spans.js";

/** @import { Row, Unit } from "./arithmetic.js" */
/** @import { Measure, Score, Topic } from "./types.d.ts" */

/** @typedef {{letter: string, list: Row[], first: number, span: number, read: number, found: number}} Side
 *   a run: its results added up, the first that has relevant text (-1: none) and its span, the sums
 * @typedef {{topic: Topic, total: number, unit: Unit, better: Side, other: Side}} Case
 * @typedef {(facts: Case) => string | false | undefined} Reason a sentence if it speaks for the better */

/** What is read and what is found, by unit. @type {Record<Unit, [string, string]>} */
const NOUNS = {
  results: ["result", "judged result"],
  documents: ["document", "relevant document"],
  once: ["character", "relevant character"],
  characters: ["character", "relevant character"],
};

/** @param {Topic} topic @param {number} run @param {string} letter @param {Measure} measure
 * @returns {Side} */
function sideOf(topic, run, letter, { family, cutoff, parameters }) {
  const all = rows(topic, run, family), documents = unitOf(family) === "documents";
  const list = cutoff && Number.isInteger(cutoff) && family !== "iP" && !parameters.budget
    ? all.filter(({ read }, i) => (documents ? read : i + 1) <= cutoff)
    : all;
  const first = list.findIndex(({ relevant }) => relevant > 0), { read = 0, found = 0 } = list.at(-1) ?? {};
  return { letter, list, first, span: topic.runs[run][first] ?? -1, read, found };
}

/** The relevant passages that a result shares with another one, or has itself.
 * @param {Topic} topic @param {number[]} spans */
function sharedPassages({ spans: { document: of, start, end }, ...topic }, [one, other]) {
  const passages = passagesOf(topic)[of[one]] ?? [];
  return of[one] === of[other]
    ? passages.filter((passage) =>
      [one, other].every((span) => sharedSpans([passage], [[start[span], end[span]]]).length)
    )
    : [];
}

/** What is read before the first result with relevant text. @param {Side} side */
const before = ({ list, first }) => list[first - 1]?.read ?? 0;

/** One of the two finds nothing. @type {Reason} */
const nothing = ({ better, other, total, unit }) =>
  better.found > 0 && !other.found && [
    `${better.letter} finds ${whole(better.found)} of ${count(total, NOUNS[unit][1])}`,
    `, first at rank ${better.first + 1}; ${other.letter} `,
    other.list.length ? `finds none in ${count(other.list.length, "result")}.` : "has no results.",
  ].join("");

/** Both find the same passage first: one of them with less text around it, or earlier. @type {Reason} */
const samePassage = ({ topic, better, other, unit }) => {
  if (unit === "documents" || better.first < 0 || other.first < 0) return false;
  if (sharedPassages(topic, [better.span, other.span]).length !== 1) return false;
  const the = topic.relevant.start.length === 1 ? "the passage" : "the same passage",
    [small, large] = [better, other].map(({ list, first }) => list[first].size),
    [early, late] = [better.first + 1, other.first + 1];
  if (early === late && small < large) {
    return `Both find ${the} at rank ${early}; ${other.letter} returns ${
      count(large, "character")
    } around it, ` +
      `${better.letter} ${whole(small)}.`;
  }
  return early < late && before(better) < before(other) && small <= large &&
    `${better.letter} finds ${the} at rank ${early} in ${
        count(small, "character")
      }, ${other.letter} at rank ` +
      `${late} in ${whole(large)}, after ${count(before(other), "character")} of other text.`;
};

/** One of them reaches relevant text earlier. @type {Reason} */
const earlier = ({ better, other, unit }) =>
  better.first >= 0 && better.first < other.first && before(better) < before(other) && [
    `${better.letter} has relevant text first at rank ${better.first + 1}, ${other.letter} at rank `,
    `${other.first + 1}, after ${count(before(other), NOUNS[unit][0])}.`,
  ].join("");

/** The first result with relevant text of one of them has less other text. @type {Reason} */
const denser = ({ better, other, unit }) => {
  if (unit === "documents" || better.first < 0 || better.first !== other.first) return false;
  const [good, bad] = [better, other].map(({ list, first }) => list[first]);
  return good.relevant * bad.size > bad.relevant * good.size && [
    `At rank ${better.first + 1}, ${whole(good.relevant)} of ${
      count(good.size, "character")
    } are relevant in `,
    `${better.letter}, ${whole(bad.relevant)} of ${whole(bad.size)} in ${other.letter}.`,
  ].join("");
};

/** One of them finds more. @type {Reason} */
const more = ({ better, other, total, unit }) =>
  better.found > other.found && [
    `${better.letter} finds ${whole(better.found)} of ${count(total, NOUNS[unit][1])}, `,
    `${other.letter} ${whole(other.found)}.`,
  ].join("");

/** Of what one of them returns, more is relevant. @type {Reason} */
const purer = ({ better, other, unit }) => {
  const is = unit === "results" ? "are in judged documents" : "are relevant";
  return better.found * other.read > other.found * better.read && [
    `${whole(better.found)} of the ${
      count(better.read, NOUNS[unit][0])
    } that ${better.letter} returns ${is}, `,
    `${whole(other.found)} of ${whole(other.read)} in ${other.letter}.`,
  ].join("");
};

/** To find the same amount, one of them reads less: where the two differ most. @type {Reason} */
const cheaper = ({ better, other, unit }) => {
  let most = 1, sentence = "";
  for (const { found, read } of stepsOf(better.list)) {
    const late = other.list.find((row) => row.found >= found);
    if (!late || late.read / read <= most) continue;
    most = late.read / read;
    sentence = `To find ${count(found, NOUNS[unit][1])}, ${better.letter} reads ` +
      `${count(read, NOUNS[unit][0])}, ${other.letter} ${whole(late.read)}.`;
  }
  return sentence;
};

/** Reasons in the order in which they are tried: by family, else those of measures that look at ranks.
 * @type {Record<string, Reason[]>} */
const OF_FAMILY = {
  judged: [purer],
  charR: [nothing, more],
  articleR: [nothing, more],
  ...Object.fromEntries(["charP", "charF", "IoU", "articleP", "articleF"].map((family) => [
    family,
    [nothing, purer, more],
  ])),
};
const OF_RANKS = [nothing, samePassage, earlier, denser, cheaper, more, purer];

/** The area between two curves of interpolated precision, up to the lower one's recall and beyond it.
 * @param {Case} facts @returns {[within: number, beyond: number]} */
function areasOf({ better, other }) {
  const curves = [better, other].map(({ list }) => stepsOf(list)), last = other.found;
  const borders = [0, ...curves.flat().map(({ found }) => found)].sort((a, b) => a - b);
  /** @param {Row[]} steps @param {number} found */
  const height = (steps, found) => steps.find((row) => row.found >= found)?.precision ?? 0;
  const areas = [0, 0];
  borders.forEach((end, i) => {
    const area = (end - (borders[i - 1] ?? 0)) * (height(curves[0], end) - height(curves[1], end));
    areas[end > last ? 1 : 0] += area;
  });
  return [areas[0], areas[1]];
}

/** The reasons to try for a measure. @param {string} family @param {Case} facts @returns {Reason[]} */
function reasonsFor(family, facts) {
  const [within, beyond] = /^AiP|AP$/.test(family) ? areasOf(facts) : [1, 0];
  return OF_FAMILY[family] ?? (beyond > within ? [nothing, more, ...OF_RANKS] : OF_RANKS);
}

/** Why the first two of some runs differ on a topic; empty if their scores are undefined or nothing can be
 * said. @param {Measure} measure @param {Topic} topic @param {number[]} runs
 * @param {Score[]} values of the runs @param {string[]} letters of the runs */
export function sayAdvantage(measure, topic, runs, values, letters = ["A", "B"]) {
  const [a, b] = [0, 1].map((i) => sideOf(topic, runs[i], letters[i], measure)), [x, y] = values;
  if (x === null || y === null || x === undefined || y === undefined) return "";
  const unit = unitOf(measure.family), total = totalOf(topic, measure.family);
  if (!a.found && !b.found) return x === y && unit !== "results" ? "Neither finds relevant text." : "";
  if (x === y) return "Both score the same.";
  const facts = { topic, total, unit, better: x > y ? a : b, other: x > y ? b : a };
  for (const reason of reasonsFor(measure.family, facts)) {
    const sentence = reason(facts);
    if (sentence) return sentence;
  }
  return [a, b].map(({ letter, found, read }) =>
    `${letter} finds ${count(found, NOUNS[unit][1])} in ${count(read, NOUNS[unit][0])}`
  ).join(", ") + ".";
}
