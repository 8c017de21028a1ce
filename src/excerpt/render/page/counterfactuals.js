/** Why one run beats another: the worse list is changed in one cause alone, and scored again. No DOM. */
import { addUp, rows, totalOf, unitOf, UNPLACED_SIZE, valueOf } from "./arithmetic.js";
import { passagesOf } from "./data.js";
import { percent } from "./format.js";
import { appendSpan, countPoints, joinSpans, sharedSpans, sweepSpans } from "./spans.js";

/** @import { Measure, Score, Span, Topic } from "./types.d.ts" */

/** @typedef {{document: number, start: number, end: number}} Result a result that does not exist has
 *   document -1
 * @typedef {Result & {better: number, worse: number, relevant: boolean}} Segment ranks, from 0, of the first
 *   results with the text; -1 for none
 * @typedef {{cause: string, score: number, share: number}} Cause
 * @typedef {{better: number, gap: number, causes: Cause[]}} Causes `better` is 0 or 1 */

/** What each cause says of the worse list; $ is the better one. @type {Record<string, string>} */
export const CAUSES = {
  missed: "lacks relevant text that $ has",
  late: "has relevant text at later ranks than $",
  around: "returns text around relevant text",
  before: "returns results without relevant text",
  repeated: "repeats text",
};

/** Families that this arithmetic scores. */
const FAMILIES = /^(AiP|iP|char[PRF]|IoU|article(P|R|F|AP))$/;
const LEAST = 0.2;

/** The results of a run on a topic. @param {Topic} topic @param {number} run @returns {Result[]} */
const resultsOf = ({ spans, runs }, run) =>
  Array.from(runs[run], (span) =>
    span < 0 ? { document: -1, start: 0, end: 0 } : {
      document: spans.document[span],
      start: spans.start[span],
      end: spans.end[span],
    });

/** The rank of the first result that has a part of a document. @param {[Result, number][]} inside
 * @param {number} start @param {number} end */
const firstWith = (inside, start, end) =>
  inside.find(([one]) => one.start <= start && one.end >= end)?.[1] ?? -1;

/** The text of two lists and the relevant text, cut at all borders, by document and place.
 * @param {Result[][]} lists the better and the worse @param {Span[][]} passages by document */
function segmentsOf(lists, passages) {
  /** @type {Segment[]} */
  const segments = [];
  const documents = new Set(lists.flat().map(({ document }) => document));
  for (const document of documents) {
    const inside = lists.map((list) =>
      list.flatMap((one, rank) =>
        one.document === document ? /** @type {[Result, number][]} */ ([[one, rank]]) : []
      )
    );
    const relevant = passages[document] ?? [];
    const borders = [...inside.flat().map(([one]) => [one.start, one.end]), ...relevant].flat();
    const points = [...new Set(borders)].sort((a, b) => a - b);
    points.slice(1).forEach((end, n) => {
      const start = points[n], [better, worse] = inside.map((some) => firstWith(some, start, end));
      if (better < 0 && worse < 0) return;
      const marked = relevant.some(([from, to]) => from <= start && to >= end);
      segments.push({ document, start, end, better, worse, relevant: marked });
    });
  }
  return segments;
}

/** Segments as parts of their owners, in the order of these; touching ones are joined.
 * @param {Segment[]} segments @param {"better" | "worse"} side @returns {(Result & {rank: number})[]} */
function ownedParts(segments, side) {
  const order = [...segments].sort((a, b) => a[side] - b[side] || a.start - b.start);
  /** @type {(Result & {rank: number})[]} */
  const parts = [];
  for (const { document, start, end, [side]: rank } of order) {
    const last = parts.at(-1);
    if (last?.rank === rank && last.end === start) last.end = end;
    else parts.push({ document, start, end, rank });
  }
  return parts;
}

/** A list with parts of the better list at its ranks, or at the end. @param {Result[]} base
 * @param {(Result & {rank: number})[]} parts */
function inserted(base, parts) {
  const made = [...base];
  let least = 0;
  for (const part of parts) {
    const at = Math.min(Math.max(part.rank, least), made.length);
    made.splice(at, 0, part);
    least = at + 1;
  }
  return made;
}

/** What is left of a result without some spans. @param {Result} row @param {Span[]} gone */
function leftOf({ document, start, end }, gone) {
  /** @type {Result[]} */
  const left = [];
  sweepSpans([[[start, end]], gone], (from, to, [own, out]) => {
    const last = left.at(-1);
    if (!own || out) return;
    if (last?.end === from) last.end = to;
    else left.push({ document, start: from, end: to });
  });
  return left;
}

/** The worse list, changed in each cause alone. @param {Result[]} better @param {Result[]} worse
 * @param {Span[][]} passages by document @returns {Record<string, Result[]>} */
export function changedLists(better, worse, passages) {
  const segments = segmentsOf([better, worse], passages), marked = segments.filter((one) => one.relevant);
  const missed = marked.filter((one) => one.better >= 0 && one.worse < 0),
    late = marked.filter((one) => one.better >= 0 && one.better < one.worse);
  const found = new Set(marked.map((one) => one.worse));
  /** @param {Segment[]} some @param {number} rank @returns {Span[]} */
  const spansAt = (some, rank) =>
    some.filter((one) => one.worse === rank).map(({ start, end }) => [start, end]);
  return {
    missed: inserted(worse, ownedParts(missed, "better")),
    late: inserted(
      worse.flatMap((row, rank) => {
        const gone = spansAt(late, rank);
        return gone.length ? leftOf(row, gone) : [row];
      }),
      ownedParts(late, "better"),
    ),
    around: worse.flatMap((row) => {
      const { document, start, end } = row, inside = sharedSpans([[start, end]], passages[document] ?? []);
      return inside.length ? inside.map(([from, to]) => ({ document, start: from, end: to })) : [row];
    }),
    before: worse.filter((_, rank) => found.has(rank)),
    repeated: worse.flatMap((row, rank) =>
      row.start < row.end
        ? joinSpans(spansAt(segments, rank)).map(([start, end]) => ({ ...row, start, end }))
        : [row]
    ),
  };
}

/** The first results that a budget of characters is enough for, the last one cut. @param {Result[]} list
 * @param {number} budget */
function cutTo(list, budget) {
  let left = budget;
  return list.flatMap((row) => {
    const length = row.document < 0 ? UNPLACED_SIZE : row.end - row.start, take = Math.min(length, left);
    left -= take;
    return take > 0 ? [row.document < 0 ? row : { ...row, end: row.start + take }] : [];
  });
}

/** The score of a changed list; each character counts once. @param {Measure} measure @param {Topic} topic
 * @param {Result[]} list @param {Span[][]} passages */
function scoreOf(measure, topic, list, passages) {
  const { family, parameters: { budget } } = measure, unit = unitOf(family);
  /** @type {Record<number, Span[]>} */
  const seen = {};
  const read = typeof budget === "number" ? cutTo(list, budget) : list;
  const parts = read.map(({ document, start, end }) => {
    const before = seen[document], length = document < 0 ? UNPLACED_SIZE : end - start;
    if (unit === "documents") {
      seen[document] ??= [];
      const fresh = document >= 0 && !before;
      return [Number(fresh), Number(fresh && (passages[document] ?? []).length > 0)];
    }
    /** @type {Span[]} */
    const fresh = [];
    sweepSpans([[[start, end]], before ?? []], (from, to, [own, old]) => {
      if (own && !old) appendSpan(fresh, from, to);
    });
    seen[document] = joinSpans([...before ?? [], [start, end]]);
    const relevant = countPoints(sharedSpans(fresh, passages[document] ?? []));
    return [unit === "once" || document < 0 ? length : countPoints(fresh), relevant];
  });
  return list.length ? valueOf(measure, topic, addUp(parts, totalOf(topic, family)))?.[1] ?? NaN : 0;
}

/** The causes of the difference of two runs on a topic; null if their scores are equal, or if this arithmetic
 * does not lead to them. @param {Measure} measure @param {Topic} topic @param {number[]} runs two
 * @param {Score[]} values of the runs @returns {Causes | null} */
export function causesOf(measure, topic, runs, values) {
  const [x, y] = values,
    { family, parameters } = measure,
    plain = { ...measure, parameters: { ...parameters } };
  if (x === null || y === null || x === undefined || y === undefined || x === y) return null;
  if (!FAMILIES.test(family) || parameters.overlap === "lambda") return null;
  if (typeof parameters.budget === "number" && (parameters.cost ?? "characters") !== "characters") {
    return null;
  }
  const passages = passagesOf(topic), lists = runs.map((run) => resultsOf(topic, run));
  plain.parameters.budget = null;
  const leads = lists.every((list, i) => {
    const own = typeof parameters.budget === "number"
      ? scoreOf(measure, topic, list, passages)
      : valueOf(plain, topic, rows(topic, runs[i], family))?.[1] ?? NaN;
    return Math.abs(own - (values[i] ?? NaN)) <= 1e-9;
  });
  if (!leads) return null;
  const better = x > y ? 0 : 1, gap = Math.abs(x - y), low = Math.min(x, y);
  const changed = changedLists(lists[better], lists[1 - better], passages);
  const causes = Object.keys(CAUSES).map((cause) => {
    const score = scoreOf(measure, topic, changed[cause], passages);
    return { cause, score, share: (score - low) / gap };
  });
  return { better, gap, causes };
}

/** The causes in words: the largest, and a second one that closes at least half as much.
 * @param {Causes} found @param {string[]} [letters] of the runs */
export function sayCauses({ better, causes }, letters = ["A", "B"]) {
  const [first, second] = [...causes].sort((a, b) => b.share - a.share), worse = letters[1 - better];
  if (first.share < LEAST) return `${worse}: several small things, none of which closes 20 % of the gap.`;
  const named = 2 * second.share >= first.share ? [first, second] : [first];
  return `${worse} ${
    named.map(({ cause, share }) =>
      `${CAUSES[cause].replace("$", letters[better])} (${percent(share)} of the gap)`
    ).join("; it ")
  }.`;
}

/** How much of the mean gap each cause closes over topics where a run is worse, and on how many topics it is
 * the largest. @param {Causes[]} found @returns {{cause: string, closes: number, topics: number}[]} */
export function closures(found) {
  const gap = found.reduce((sum, one) => sum + one.gap, 0);
  const largest = found.map(({ causes }) => {
    const most = Math.max(...causes.map(({ share }) => share));
    return most < LEAST ? -1 : causes.findIndex(({ share }) => share === most);
  });
  return Object.keys(CAUSES).map((cause, n) => ({
    cause,
    closes: found.reduce((sum, { gap: own, causes }) => sum + own * causes[n].share, 0) / gap,
    topics: largest.filter((one) => one === n).length,
  }));
}
