/** Second look: passages that a machine suggests after a document is finished. */
import { makePart } from "./panel.js";
import { make } from "../dom.js";
import { count, percent } from "../format.js";
import { button } from "../grid.js";
import { countPoints, sharedSpans } from "../spans.js";

const SECOND_QUOTE = 400;

/** What is still to be answered: suggestions neither confirmed nor rejected; the number of the shown one among them.
 * @param {Array[]} suggestions [number, start, end, label] @param {{rejected: number[], confirmed: number[][]}} state @param {number} shown its number, or any
 * @returns {{open: Array[], at: number}} */
export function secondOpen(suggestions, { rejected = [], confirmed = [] }, shown) {
  const isConfirmed = ([, start, end]) => countPoints(sharedSpans([[start, end]], confirmed)) === end - start;
  const open = suggestions.filter((suggestion) =>
    !rejected.includes(suggestion[0]) && !isConfirmed(suggestion)
  );
  return { open, at: Math.max(0, open.findIndex(([number]) => number === shown)) };
}

const secondShown = ({ doc, state, keep }) => {
  if (!doc.suggestions || !keep.second) return null;
  const { open, at } = secondOpen(doc.suggestions, state, keep.suggestion);
  return open[at] ?? null;
};

/** The suggestion that is looked at, as a layer. @param {Object} context @returns {Layer[]} */
export function secondLayers(context) {
  const shown = secondShown(context);
  return [{ name: "suggested", spans: shown ? [[shown[1], shown[2]]] : [], lane: "suggested", map: "right" }];
}

function secondLook(context, suggestion) {
  const { keep, paper } = context;
  keep.suggestion = suggestion?.[0];
  context.redraw();
  if (!suggestion) return;
  paper.cursor(suggestion.slice(1, 3));
  paper.reveal(suggestion.slice(1, 3));
}

/** Shows the suggestions for the first time, which the log keeps. */
async function secondBegin(context) {
  try {
    if (!context.doc.suggestions) await context.show("suggestions");
  } catch (error) {
    return context.unable(`The suggestions cannot be shown: ${error.message}`);
  }
  context.keep.second = true;
  secondLook(context, secondOpen(context.doc.suggestions ?? [], context.state).open[0]);
  document.querySelector("[data-key=second-next],[data-key=second-confirm]")?.focus({ preventScroll: true });
  return null;
}

/** The answers: one suggestion, one decision; there is no button for all of them. */
function drawSecondAnswers(context, open, at) {
  const { act, announce } = context,
    [number, start, end] = open[at],
    next = open[at + 1] ?? open[0],
    after = next?.[0] === number ? undefined : next;
  const answer = (kind, fields, said) => () => {
    context.keep.suggestion = after?.[0];
    act(kind, fields);
    announce(said);
    secondLook(context, after);
  };
  return make(
    "div.answers",
    button("Confirm", answer("highlight", { start, end, suggestion: number }, "Confirmed, and highlighted"), {
      "data-key": "second-confirm",
    }),
    button("Reject", answer("reject", { suggestion: number }, "Rejected"), { "data-key": "second-reject" }),
    after && button("Next", () => secondLook(context, after), { class: "quiet", "data-key": "second-next" }),
  );
}

function drawSecondOne(context) {
  const { doc, state, keep, paper } = context,
    { open, at } = secondOpen(doc.suggestions, state, keep.suggestion),
    all = doc.suggestions.length;
  if (!open.length) {
    return make(
      "p.note",
      `All ${count(all, "suggestion")} answered. ${
        state.done ? "" : "The document is open again: finish it when you are done."
      }`,
    );
  }
  const [, start, end, label] = open[at],
    own = countPoints(sharedSpans([[start, end]], state.highlights)) / (end - start);
  return [
    make(
      "p.note",
      `${at + 1} of ${count(open.length, "open suggestion")}${
        all > open.length ? `, ${all - open.length} answered` : ""
      }. You highlighted ${own ? percent(own) : "nothing"} of it.`,
    ),
    make(
      "blockquote.serif",
      { dir: "auto" },
      paper.quote([start, end], SECOND_QUOTE),
      end - start > SECOND_QUOTE && "…",
    ),
    label && make("p.note", "Label: ", make("bdi", label)),
    drawSecondAnswers(context, open, at),
    make(
      "p.note",
      "Confirm adds the passage to your highlights, known as suggested by a machine, and opens the document again. Reject leaves your highlights as they are.",
    ),
  ];
}

/** Draws the second look. @param {Object} context @returns {Node[]} nothing while there is none on offer */
export function drawSecond(context) {
  const { doc, state, keep } = context, all = doc.second?.count ?? 0;
  if (!all || !(state.done || keep.second)) return [];
  return [
    makePart(
      "second",
      () => [
        make("h2", "Second look"),
        keep.second && doc.suggestions ? drawSecondOne(context) : [
          make(
            "p.note",
            `${
              count(all, "suggestion")
            } of a machine for this document. Your own judgment is finished and stays in the log; looking at them is noted there, too.`,
          ),
          button("Show one at a time", () => secondBegin(context), { "data-key": "second-show" }),
        ],
      ],
    ),
  ];
}
