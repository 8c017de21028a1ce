/** What the page says when it cannot show what was asked: what was found, what exists, the nearest guess. */
import { Missing } from "./data.js";
import { make } from "./dom.js";
import { count } from "./format.js";

const pairsOf = (name) => [...name.toLowerCase(), "."].map((sign, i, signs) => sign + signs[i + 1]);

/** The name that shares most pairs of signs with a wrong one; nothing where there is none.
 * @param {string} wrong @param {string[]} names @returns {?string} */
export function nearest(wrong, names) {
  const asked = pairsOf(wrong),
    alike = names.map((name) =>
      pairsOf(name).filter((pair) => asked.includes(pair)).length / (asked.length + name.length)
    );
  return names[alike.indexOf(Math.max(...alike))] ?? null;
}

/** What a state names that is not there, with its key in the state and the names that are; nothing if all is well.
 * @param {State} state @param {Object} overview @returns {?Object} */
export function unknownIn(state, { topics, measures, runs }) {
  for (
    const [key, what, list] of [["topic", "topic", topics], ["m", "measure", measures], ["runs", "run", runs]]
  ) {
    const names = list.map(({ id, name }) => id ?? name),
      wrong = [state[key]].flat().find((name) => name && !names.includes(name));
    if (wrong) return { key, what, wrong, names };
  }
  return null;
}

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

/** A view that says what is not there. @param {Object} unknown @param {Context} context @returns {View} */
export function drawUnknown({ key, what, wrong, names }, { state, link }) {
  const guess = nearest(wrong, names),
    mended = key === "runs" ? state.runs.map((name) => (name === wrong ? guess : name)) : guess;
  return problemView(
    `There is no ${what} “${wrong}” here.`,
    guess !== null &&
      [
        `Nearest of ${count(names.length, what)}: `,
        make("a.button", { href: link({ [key]: mended }) }, guess),
        " · ",
      ],
  );
}

/** A view that says why another could not be drawn. @param {Error} error @param {?Context} context @returns {Promise<View>} */
export async function drawProblem(error, context) {
  if (error instanceof Missing && context?.state.doc) {
    const { state, overview, data } = context,
      topic = overview.topics.findIndex(({ id }) => id === state.topic);
    const names = topic < 0 ? [] : (await data.topic(topic)).documents.id;
    if (!names.includes(state.doc)) {
      return drawUnknown({ key: "doc", what: "document", wrong: state.doc, names }, context);
    }
  }
  return problemView(`This view could not be drawn: ${error.message}`);
}
