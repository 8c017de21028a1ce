/** What an adjudicator decides: text that only some assessors highlighted, and what else they differ on. */
import { drawSegments, makePart } from "./panel.js";
import { withoutSpans } from "./rules.js";
import { find, make, svg } from "../dom.js";
import { count, whole } from "../format.js";
import { button } from "../grid.js";
import { spanAt } from "../spans.js";

/** @import { Child, Layer, Mark, Span } from "../types.d.ts" */
/** @import { Again, DocumentContext, Opinion, State } from "./types.d.ts" */

/** Characters of a quoted passage, passages in the list, and colours of assessors. */
const DECISION_QUOTE = 90, DECISION_ROWS = 60, DECISION_COLOURS = 4;

/** Whether the person decides between assessors. @param {{campaign: {role?: string}}} context */
export const decides = ({ campaign }) => campaign.role === "adjudicator";

/** How a passage is decided: true and false for all of it, null for a part or nothing.
 * @param {Span} passage @param {Pick<State, "decided" | "undecided">} state */
export function decisionOn(passage, { decided = [], undecided = [] }) {
  if (withoutSpans([passage], undecided).length !== 1 || spanAt(undecided, passage[0]) >= 0) return null;
  /** @param {boolean} relevant */
  const all = (relevant) => {
    /** @type {Span[]} */
    const spans = decided.filter(([, , one]) => one === relevant).map(([start, end]) => [start, end]);
    return !withoutSpans([passage], spans).length;
  };
  return all(true) ? true : all(false) ? false : null;
}

/** The passages of a document that are disputed. @param {DocumentContext} context @returns {Span[]} */
const disputedOf = ({ doc }) => (doc.disputed ?? []).map(([start, end]) => [start, end]);

/** The number of the current passage: the chosen one, else the one at the caret, else the first undecided
 * one, else the first. @param {DocumentContext} context */
export function currentDecision(context) {
  const { memory, cursor = null, state } = context, passages = disputedOf(context);
  if (cursor !== (memory.decisionCursor ?? null)) {
    memory.decisionCursor = cursor;
    memory.decision = passages[spanAt(passages, cursor ?? -1)]?.[0] ?? memory.decision;
  }
  const chosen = passages.findIndex(([start]) => start === memory.decision),
    open = passages.findIndex((passage) => decisionOn(passage, state) === null);
  return chosen >= 0 ? chosen : Math.max(0, open);
}

/** @param {DocumentContext} context @param {number} number */
export function chooseDecision(context, number) {
  const { memory, textView, announce } = context, passages = disputedOf(context), passage = passages[number];
  if (!passage) return;
  memory.decision = memory.decisionCursor = context.cursor = passage[0];
  textView.release(passage[0]);
  textView.cursor(passage);
  textView.reveal(passage);
  announce(
    `Passage ${number + 1} of ${passages.length}, highlighted by ${whoOf(context, number)}: ${
      textView.quote(passage, 200)
    }`,
  );
}

/** Step to the next or the previous disputed passage. @param {DocumentContext} context @param {number} by */
export function stepDecision(context, by) {
  const passages = disputedOf(context);
  if (!passages.length) return context.unable("The assessors highlighted the same text.");
  const { memory } = context,
    current = currentDecision(context),
    first = memory.decision === undefined,
    next = first ? current : (current + by + passages.length) % passages.length;
  chooseDecision(context, next);
  return context.redraw();
}

/** Go to the next passage that is not decided. @param {DocumentContext} context */
export function goToUndecided(context) {
  const passages = disputedOf(context),
    current = currentDecision(context),
    order = [...passages.keys()].map((i) => (i + current) % passages.length),
    next = order.find((i) => decisionOn(passages[i], context.state) === null);
  if (next === undefined) return;
  chooseDecision(context, next);
  context.redraw();
}

/** A selection with the whitespace around it in disputed passages, so that none is left undecided.
 * @param {DocumentContext} context @param {Span} selected @returns {Span} */
function withWhitespace(context, [start, end]) {
  const passages = disputedOf(context),
    first = passages[spanAt(passages, start)],
    last = passages[spanAt(passages, end - 1)],
    { quote } = context.textView;
  const before = first ? quote([first[0], start]) : "", after = last ? quote([end, last[1]]) : "";
  return [
    start - (before.length - before.trimEnd().length),
    end + after.length - after.trimStart().length,
  ];
}

/** Decide on the selected text, else on the current passage. @param {DocumentContext} context
 * @param {boolean} relevant @param {Span | null} selected */
export function decidePassage(context, relevant, selected) {
  const passages = disputedOf(context),
    number = currentDecision(context),
    passage = selected ? withWhitespace(context, selected) : passages[number];
  if (!passage) return context.unable("The assessors highlighted the same text.");
  const [start, end] = passage;
  context.act("decide", { start, end, relevant });
  if (selected) context.textView.release(start);
  else goToUndecided(context);
  return context.announce(
    `${relevant ? "Relevant" : "Not relevant"}: ${context.textView.quote(passage, 200)}`,
  );
}

/** Who highlighted a passage. @param {DocumentContext} context @param {number} number */
function whoOf({ doc }, number) {
  const { opinions = [], disputed = [] } = doc;
  return (disputed[number]?.[2] ?? []).map((who) => opinions[who]?.name ?? "?").join(", ");
}

/** The highlights of assessors as layers: text of one alone in the colour of that assessor, text of several
 * of them, decided text. @param {DocumentContext} context @returns {Layer[]} */
export function decisionLayers(context) {
  const { doc, state } = context, { disputed = [], opinions = [] } = doc;
  if (!decides(context)) return [];
  const open = state.undecided ?? [];
  /** @param {(who: number[]) => boolean} test @returns {Span[]} */
  const spans = (test) => {
    const some = disputed.filter(([, , who]) => test(who)).map((
      [start, end],
    ) => /** @type {Span} */ ([start, end]));
    return withoutSpans(some, withoutSpans(some, open));
  };
  const alone = opinions.slice(0, DECISION_COLOURS).map((_, i) => ({
    name: `only-${i + 1}`,
    spans: spans((who) => who.length === 1 && who[0] === i),
    map: i % 2 ? "right" : "left",
  }));
  /** @type {Span[]} */
  const refused = (state.decided ?? []).filter(([, , relevant]) => !relevant).map(([start, end]) => [
    start,
    end,
  ]);
  const several = spans((who) => who.length > 1 || who[0] >= DECISION_COLOURS);
  return [
    ...alone,
    { name: "only-some", spans: several, map: "left right" },
    { name: "refused", spans: refused },
    ...opinions.slice(0, 2).map(({ highlights }, i) => ({
      name: "",
      lane: i ? "other" : "one",
      spans: highlights,
    })),
  ];
}

/** The names of assessors beside the text that only they highlighted. @param {DocumentContext} context
 * @returns {Mark[]} */
export function decisionMarks(context) {
  const { doc } = context, { disputed = [] } = doc;
  return disputed.slice(0, 2000).map(([start, , who], number) => ({
    at: start,
    text: whoOf(context, number),
    side: who.includes(0) ? "left" : "right",
  }));
}

/** @param {number} number of an assessor */
const swatch = (number) =>
  svg(
    "svg.swatch",
    { viewBox: "0 0 16 16", "aria-hidden": "true", class: `swatch is-only-${number + 1}` },
    svg("rect", { width: 16, height: 16, rx: 3 }),
  );

/** @param {DocumentContext} context @param {number} number @param {number} current @param {Again} again */
function drawPassage(context, number, current, again) {
  const { doc, state, textView } = context,
    passage = disputedOf(context)[number],
    long = passage[1] - passage[0] > DECISION_QUOTE,
    decision = decisionOn(passage, state),
    who = doc.disputed?.[number][2] ?? [];
  /** @param {string} value */
  const give = (value) => {
    chooseDecision(context, number);
    decidePassage(context, value === "yes", null);
    again();
  };
  const choose = () => {
    chooseDecision(context, number);
    again(`decision ${number}`);
  };
  return make(
    "li",
    { class: decision === null && "owed", "aria-current": number === current && "true" },
    button(
      [
        make("span.who-marked", who.map(swatch), " ", make("b", whoOf(context, number)), " "),
        make("q", { dir: "auto" }, textView.quote(passage, DECISION_QUOTE), long && "…"),
        make("small", decision === null ? "to decide" : decision ? "relevant" : "not relevant"),
      ],
      choose,
      { class: "quiet", "data-key": `decision ${number}` },
    ),
    number === current && drawSegments(
      "Decision",
      [["yes", ["Relevant ", make("kbd", "h")]], ["no", ["Not relevant ", make("kbd", "u")]]],
      decision === null ? "" : decision ? "yes" : "no",
      give,
      "decide",
    ),
  );
}

/** The entry points of the assessors, each to be taken. @param {DocumentContext} context
 * @param {Opinion[]} opinions */
function drawEntries({ procedure, textView, act, state }, opinions) {
  if (!procedure.entry || new Set(opinions.map(({ bep }) => bep)).size < 2) return [];
  return [
    make("h3", "Entry points"),
    make(
      "ul.plain.entries",
      opinions.filter(({ bep }) => bep !== null).map(({ name, bep }) => {
        const at = Number(bep);
        return make(
          "li",
          make("b", { dir: "auto" }, name),
          " ",
          make("q", { dir: "auto" }, textView.quote([at, textView.layout.size], 40), "…"),
          " ",
          button(at === state.bep ? "Taken" : "Take", () => act("bep", { start: at, end: at }), {
            class: "link",
            "data-key": `entry ${name}`,
            "aria-label": `Take the entry point of ${name}`,
            "aria-disabled": at === state.bep && "true",
          }),
        );
      }),
    ),
  ];
}

/** Grades and labels on which the assessors differ, in words. @param {DocumentContext} context
 * @param {Opinion[]} opinions */
function drawGiven({ procedure, labels }, opinions) {
  const paths = [...new Set(opinions.flatMap(({ grades }) => Object.keys(grades)))].filter((path) =>
    new Set(opinions.map(({ grades }) => JSON.stringify(grades[path] ?? null))).size > 1
  );
  /** @param {unknown} grade */
  const say = (grade) => (grade === undefined ? "none" : [grade].flat().join(" "));
  const graded = paths.slice(0, DECISION_ROWS).map((path) =>
    make(
      "li",
      make("code", path.split("/").slice(-2).join("/")),
      " ",
      opinions.map(({ name, grades }) => `${name} ${say(grades[path])}`).join(", "),
    )
  );
  const labelled = procedure.labels && labels.length > 0
    ? opinions.map(({ name, labels: own }) =>
      make(
        "li",
        make("b", { dir: "auto" }, name),
        " ",
        [...new Set(own.map(([, , label]) => label))].join(", ") || "no label",
      )
    )
    : [];
  return [
    graded.length > 0 && [make("h3", "Grades that differ"), make("ul.plain", graded)],
    labelled.length > 0 && [make("h3", "Labels given"), make("ul.plain", labelled)],
  ];
}

/** Draw what is to be decided, nothing for assessors. @param {DocumentContext} context
 * @returns {Child[]} */
export function drawDecisions(context) {
  if (!decides(context)) return [];
  const { doc, state } = context, { opinions = [], stale } = doc;
  return [makePart("decisions", (again) => {
    const passages = disputedOf(context),
      open = passages.filter((passage) => decisionOn(passage, state) === null).length,
      current = currentDecision(context),
      from = Math.max(0, current - DECISION_ROWS / 2),
      shown = passages.slice(from, from + DECISION_ROWS);
    return [
      make(
        "h2",
        open ? `To decide: ${whole(open)} of ${whole(passages.length)}` : "All passages are decided",
      ),
      stale && !state.done &&
      make("p.note.stale", "An assessor has opened this document again since it was decided."),
      make(
        "p.note.judged-by",
        state.done ? "Judged by " : "Judged by people whose names are shown when it is decided: ",
        opinions.map(({ name }, i) => [i > 0 && ", ", swatch(i), " ", make("b", { dir: "auto" }, name)]),
      ),
      passages.length > 0 &&
      make("ol.plain.passages-labelled", shown.map((_, i) => drawPassage(context, from + i, current, again))),
      shown.length < passages.length &&
      make("p.note", `${count(passages.length - shown.length, "more passage")}: keys j and k.`),
      ...drawEntries(context, opinions),
      ...drawGiven(context, opinions),
    ];
  })];
}

/** Show the names of assessors when a document is decided. @param {DocumentContext} context
 * @param {(topic: string, document: string) => Promise<DocumentContext["doc"]>} read */
export async function revealNames(context, read) {
  if (!decides(context) || !find(".decisions")) return;
  const { place: { topic, doc: name } } = context, { opinions, stale } = await read(topic, name);
  Object.assign(context.doc, { opinions, stale });
  context.redraw();
}
