/** Above a document: legend, which is also what is shown and how much there is of it; steps to missed passages and documents. */
import { icon, make } from "./dom.js";
import { button } from "./grid.js";
import { whole } from "./format.js";
import { STATES } from "./inspector.js";
import { countPoints, spanAt } from "./spans.js";

const ONE = { ...STATES, again: "again" };
const SEVERAL = { hit: "relevant", missed: "in no run" };

/** The legend.
 * @param {Object} facts @param {Set<string>} hidden @param {string[]} quiet shown at the margin only @param {function(string)} toggle
 * @returns {HTMLElement} */
export function drawLegend({ layers, chosen, judged }, hidden, quiet, toggle) {
  const several = chosen.length > 1,
    words = Object.entries({ ...several ? SEVERAL : ONE, ...layers.cited && { cited: "cited" } }).filter((
      [name],
    ) => name !== (judged ? "unjudged" : "vain"));
  return make(
    "div.legend",
    several && make("span.levels", `returned by 1 to ${chosen.length} runs`),
    words.map(([name, word]) =>
      button(
        [
          make(`span.sample.is-${name}`, { "aria-hidden": "true" }, "Aa"),
          make("b", word),
          whole(countPoints(layers[name])),
          quiet.includes(name) && make("span.note", "margin only"),
        ],
        () => toggle(name),
        { "data-key": name, "aria-pressed": String(!hidden.has(name)) },
      )
    ),
  );
}

/** Buttons to the next and the previous missed passage.
 * @param {Object} facts @param {?number[]} at @param {function(number)} step @returns {HTMLElement} */
export function drawSteps({ missed }, at, step) {
  const number = at ? spanAt(missed, at[0]) : -1, all = missed.length;
  const arrow = (by, word, key, side) =>
    button([icon(side), make("kbd", key)], () => step(by), {
      "data-key": key,
      disabled: !all,
      "aria-label": `${word} missed passage`,
    });
  return make(
    "div.steps",
    arrow(-1, "Previous", "k", "left"),
    !all ? "nothing missed" : number < 0 ? `${all} missed` : `missed ${number + 1} of ${all}`,
    arrow(1, "Next", "j", "right"),
  );
}

/** Where we are among the documents of the topic, for the bar.
 * @param {import("./explore.js").Context} context @param {Object} facts @returns {Node[]} */
export function drawPlace({ link }, { topic, index }) {
  if (index < 0) return [];
  const { id } = topic.documents;
  const step = (doc, word, key, arrow) =>
    doc &&
    make(
      "a.step",
      { href: link({ doc }), "aria-label": `${word} document, ${doc}` },
      icon(arrow),
      make("kbd", key),
    );
  return [
    step(id[index - 1], "Previous", "p", "left"),
    make("span.note", `document ${index + 1} of ${id.length}`),
    step(id[index + 1], "Next", "n", "right"),
  ];
}
