/** Beside the text: facts of this document, what the procedure asks for, what is left to do. */
import { make } from "../dom.js";
import { button } from "../grid.js";
import { count, whole } from "../format.js";
import { countPoints, joinSpans } from "../spans.js";
import { signOf } from "./marks.js";
import { sayTime, toFinish } from "./rules.js";

const LISTED = 200;

/** Passages as words, since paint is silent; each leads to its place. */
function listPassages({ state, paper, toText }) {
  const go = (span) => {
    paper.reveal(span);
    paper.release(span[0]);
    toText();
  };
  const more = state.highlights.length - LISTED;
  return [
    ...state.highlights.slice(0, LISTED).map((span) =>
      make(
        "li",
        button([make("span.mono", `${span[0]}–${span[1]}`), ` ${paper.quote(span, 60)}`], () => go(span), {
          class: "quiet",
        }),
      )
    ),
    more > 0 && make("li.note", `and ${whole(more)} more`),
  ].filter(Boolean);
}

/** Facts of the document. @param {Object} context @returns {Node[]} */
export function drawFacts(context) {
  const { state, doc, procedure, act, keep, seconds } = context,
    { highlights, bep } = state,
    list = make("ul.plain.passages");
  const fill = () => list.replaceChildren(...(keep.passagesOpen ? listPassages(context) : []));
  const toggle = ({ target }) => {
    keep.passagesOpen = target.open;
    fill();
  };
  const rows = [
    ["Length", count(doc.length, "character")],
    procedure.marks && ["Passages", whole(highlights.length)],
    procedure.marks && ["Highlighted", count(countPoints(highlights), "character")],
    procedure.entry && [
      "Entry point",
      bep === null ? "none" : [
        `set, at ${whole(bep)} `,
        button("Remove", () => act("no-bep", {}), {
          class: "link",
          "data-key": "no-bep",
          "aria-label": "Remove the entry point",
        }),
      ],
    ],
    ["Time here", make("span", { id: "time" }, sayTime(seconds()))],
  ].filter(Boolean);
  fill();
  return [
    make("h2", "This document"),
    doc.title && doc.title !== doc.id && make("p.serif", { dir: "auto" }, doc.title),
    make("dl", rows.map(([name, value]) => [make("dt", name), make("dd", value)])),
    highlights.length &&
    make(
      "details",
      { open: keep.passagesOpen, on: { toggle } },
      make("summary", { "data-key": "passages" }, "Passages in words"),
      list,
    ),
  ].filter(Boolean);
}

/** What is left to do. @param {Object} context @returns {Node[]} */
export function drawToFinish({ procedure, state }) {
  if (state.done) return [make("h2", "Finished"), make("p.note", "Any change opens the document again.")];
  return [
    make("h2", "To finish"),
    make(
      "ul.plain.to-finish",
      toFinish(procedure, state).map(({ met, text }) =>
        make(
          "li",
          { "data-met": String(met) },
          signOf(met ? "check" : "open"),
          make("span.hidden", met ? "Done: " : "Open: "),
          text,
        )
      ),
    ),
  ];
}

/** What the runs returned. @param {Object} context @param {{shown: boolean, toggle: function()}} runs @returns {Node[]} */
export function drawReturned({ doc, paper }, { shown, toggle }) {
  const key = make("kbd", "p"), found = count(joinSpans(doc.retrieved ?? []).length, "passage");
  return [
    make(
      "p.note.returned-note",
      shown
        ? `The runs returned ${found} of this document${
          paper.quiet ? ", most of it: shown at the margin only" : ""
        }. `
        : "What the runs returned is hidden. ",
      button([shown ? "Hide" : "Show", key], toggle, { class: "link", "data-key": "runs" }),
      make("br"),
      shown ? "That it was shown is noted in the log." : "Showing it is noted in the log.",
    ),
  ];
}
