/** The question that is being written: what marking, taking back and mending make of it. No DOM. */

/** @import { GoldDraft, Question, Quote, Writing } from "./types.d.ts" */

/** @returns {Writing} */
export const nothingWritten = () => ({
  key: "",
  base: 0,
  text: "",
  answerable: true,
  tags: "",
  needs: [],
  draft: "",
});

/** Whether two quotes have the same place. @param {Quote} one @param {Quote} other */
export const samePlace = (one, other) =>
  one.document === other.document && one.start === other.start && one.end === other.end;

/** Whether a question is empty. @param {Writing} writing */
export const nothingIn = ({ text, tags, needs, answerable, key }) =>
  !(text.trim() || tags.trim() || needs.length || key) && answerable;

/** Add a quote that is needed, or another place that answers the last need.
 * @param {Writing} writing @param {Quote} quote @param {boolean} other an alternative
 * @returns {Writing | null} null if the question has the quote already */
export function withQuote(writing, quote, other) {
  const { needs } = writing;
  if (needs.some((need) => need.some((one) => samePlace(one, quote)))) return null;
  const last = needs.length - 1,
    added = other && last >= 0
      ? needs.map((need, i) => (i === last ? [...need, quote] : need))
      : [...needs, [quote]];
  return { ...writing, answerable: true, needs: added };
}

/** Take out a quote. @param {Writing} writing @param {Quote} quote @returns {Writing} */
export const withoutQuote = (writing, quote) => ({
  ...writing,
  needs: writing.needs.map((need) => need.filter((one) => !samePlace(one, quote))).filter((need) =>
    need.length
  ),
});

/** A span with the marks of emphasis, code or links at its ends whose counterparts are inside of it.
 * @param {number[]} span @param {[number, number, string][]} types
 * @param {(span: number[]) => string} quote */
export function balanced([start, end], types, quote) {
  const marks = types.filter(([, , type]) => type === "markup"),
    inside = marks.filter(([from, to]) => from >= start && to <= end).map(([from, to]) => quote([from, to]));
  /** @param {string} mark */
  const isOdd = (mark) => mark.trim() !== "" && inside.filter((one) => one === mark).length % 2 === 1;
  const before = marks.find(([, to]) => to === start), after = marks.find(([from]) => from === end);
  return [
    before && isOdd(quote([before[0], before[1]])) ? before[0] : start,
    after && isOdd(quote([after[0], after[1]])) ? after[1] : end,
  ];
}

/** The quote to take back: one around a position in a document, else the last one.
 * @param {Writing} writing @param {string} doc @param {number | null} at @returns {Quote | undefined} */
export function quoteToTake({ needs }, doc, at) {
  const quotes = needs.flat(),
    around = quotes.filter(({ document, start, end }) =>
      at !== null && document === doc && start <= at && at <= end
    );
  return around.at(-1) ?? quotes.at(-1);
}

/** A question of the file, to be changed. @param {Question} question @returns {Writing} */
export const writingOf = ({ key, version, text, answerable, tags, needs }) => ({
  key,
  base: version,
  text,
  answerable,
  tags: tags.join(", "),
  needs: placedNeeds(needs),
  draft: "",
});

/** A draft, to be mended; quotes that are nowhere are left out. @param {GoldDraft} draft
 * @returns {Writing} */
export const writingOfDraft = ({ key, text, answerable, tags, needs }) => ({
  ...nothingWritten(),
  text,
  answerable: answerable || needs.length > 0,
  tags: tags.join(", "),
  needs: placedNeeds(needs),
  draft: key,
});

/** @param {Quote[][]} needs @returns {Quote[][]} */
const placedNeeds = (needs) =>
  needs.map((need) => need.filter(({ start }) => start >= 0)).filter((need) => need.length);

/** Tags of a field. @param {string} text */
export const tagsOf = (text) => [...new Set(text.split(",").map((tag) => tag.trim()).filter(Boolean))];

/** What a question lacks, "" if nothing.
 * @param {Writing} writing @param {Question[]} questions of the file */
export function lackOf({ key, text, needs, answerable }, questions) {
  /** @param {string} words */
  const plain = (words) => words.trim().replace(/\s+/g, " ");
  if (!plain(text)) return "Write the question first.";
  if (!needs.length && answerable) return "Mark the text that answers it with h, or say that none does.";
  const same = questions.find((one) => plain(one.text) === plain(text) && one.key !== key);
  return same ? `This question is in the file already (${same.key}).` : "";
}

/** The event that keeps a question. @param {Writing} writing @param {boolean} mended */
export const keepOf = ({ key, base, text, answerable, tags, needs, draft }, mended = true) => ({
  kind: "keep",
  question: key,
  base,
  text,
  answerable,
  tags: tagsOf(tags),
  needs: needs.map((need) =>
    need.map(({ document, start, end, quote }) => ({ document, start, end, quote }))
  ),
  ...(draft && { draft, mended }),
});

/** The next open draft after one, else the first open one. @param {GoldDraft[]} drafts @param {string} key */
export function nextDraft(drafts, key) {
  const at = drafts.findIndex((draft) => draft.key === key),
    order = [...drafts.slice(at + 1), ...drafts.slice(0, at + 1)];
  return order.find(({ state }) => state === "open") ?? null;
}

/** How a draft's quote was found, in words. @param {Quote} quote */
export function sayHow({ start, how = "exact", why = "" }) {
  if (start < 0) return `not found: ${why}`;
  if (how === "exact") return "literal";
  return how === "markup" ? "but for markup" : "with other white space or signs";
}
