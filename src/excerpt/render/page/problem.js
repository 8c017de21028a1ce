/** Error views: unknown names with the nearest guess, and failures of other views. */
import { Missing } from "./data.js";
import { make } from "./dom.js";
import { count } from "./format.js";
import { REASONS } from "./state.js";

/** @import { Child, Context, Overview, State, View } from "./types.d.ts" */

/** @typedef {"topic" | "m" | "runs" | "run" | "reason" | "doc"} Key
 * @typedef {{key: Key, what: string, wrong: string, names: string[]}} Unknown a name that does not exist:
 *   its key in the state, its noun, and the names that exist */

/** @param {string} name */
const pairsOf = (name) => [...name.toLowerCase(), "."].map((sign, i, signs) => sign + signs[i + 1]);

/** The name that shares most pairs of characters with a wrong one; null if there are no names.
 * @param {string} wrong @param {string[]} names @returns {string | null} */
export function nearest(wrong, names) {
  const pairs = pairsOf(wrong),
    similarities = names.map((name) =>
      pairsOf(name).filter((pair) => pairs.includes(pair)).length / (pairs.length + name.length)
    );
  return names[similarities.indexOf(Math.max(...similarities))] ?? null;
}

/** The first unknown name in a state, null if all names exist.
 * @param {State} state @param {Pick<Overview, "topics" | "measures" | "runs">} overview
 * @returns {Unknown | null} */
export function unknownIn(state, { topics, measures, runs }) {
  /** @type {[Key, string, string[], string[]][]} */
  const lists = [
    ["topic", "topic", [state.topic], topics.map(({ id }) => id)],
    ["m", "measure", [state.m], measures.map(({ name }) => name)],
    ["runs", "run", state.runs, runs.map(({ name }) => name)],
    ["run", "run", [state.run], runs.map(({ name }) => name)],
    ["reason", "reason", [state.reason], ["found", "missed", ...REASONS]],
  ];
  for (const [key, what, used, names] of lists) {
    const wrong = used.find((name) => name && !names.includes(name));
    if (wrong) return { key, what, wrong, names };
  }
  return null;
}

/** @param {string} message @param {Child[]} children @returns {View} */
function problemView(message, ...children) {
  return {
    title: message,
    node: make(
      "div.page",
      make("h1", { tabindex: -1 }, message),
      make("p.lead", children, make("a", { href: "#" }, "Overview")),
    ),
  };
}

/** A view for an unknown name. @param {Unknown} unknown @param {Pick<Context, "state" | "link">} context */
export function drawUnknown({ key, what, wrong, names }, { state, link }) {
  const guess = nearest(wrong, names);
  /** @param {string} right */
  const fixed = (right) =>
    link(
      key === "runs" ? { runs: state.runs.map((name) => (name === wrong ? right : name)) } : { [key]: right },
    );
  return problemView(
    `There is no ${what} “${wrong}” here.`,
    guess !== null &&
      [
        `Nearest of ${count(names.length, what)}: `,
        make("a.button", { href: fixed(guess) }, guess),
        " · ",
      ],
  );
}

/** A view that says why another one failed.
 * @param {unknown} error @param {Context} [context] @returns {Promise<View>} */
export async function drawProblem(error, context) {
  if (error instanceof Missing && context?.state.doc) {
    const { state, overview, data } = context,
      topic = overview.topics.findIndex(({ id }) => id === state.topic);
    const names = topic < 0 ? [] : (await data.topic(topic)).documents.id;
    if (!names.includes(state.doc)) {
      return drawUnknown({ key: "doc", what: "document", wrong: state.doc, names }, context);
    }
  }
  return problemView(`This view could not be drawn: ${error instanceof Error ? error.message : error}`);
}
