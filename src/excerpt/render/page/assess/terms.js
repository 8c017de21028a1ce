/** Search terms, painted in every document of a topic. */
import { makePart } from "./panel.js";
import { make, svg } from "../dom.js";
import { whole } from "../format.js";
import { button } from "../grid.js";
import { astralOf, joinSpans, toPoint } from "../spans.js";

// Finding terms in a text. No DOM.
/** Terms are kept without spaces around them, and those within are one. @param {string} term @returns {string} */
export const cleanTerm = (term) => term.replace(/\s+/g, " ").trim();

/** Where a term stands in a text, case and kind of white space apart: spans in code points, one after the other.
 * @param {string} text @param {Uint32Array} astral positions of its characters of two units @param {string} term @returns {number[][]} */
export function findTerm(text, astral, term) {
  const wanted = cleanTerm(term);
  if (!wanted) return [];
  const pattern = new RegExp(wanted.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&").replace(/ /g, "\\s+"), "giu"),
    found = [];
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    found.push([toPoint(astral, match.index), toPoint(astral, match.index + match[0].length)]);
  }
  return found;
}

/** The list of terms after one more: none twice, case apart. @param {string[]} terms @param {string} term @returns {string[]} */
export function addTerm(terms, term) {
  const wanted = cleanTerm(term);
  return !wanted || terms.some((other) => other.toLowerCase() === wanted.toLowerCase())
    ? terms
    : [...terms, wanted];
}

/** Terms as they were stored; what cannot be read is none. @param {?string} stored @returns {string[]} */
export function readTerms(stored) {
  try {
    const terms = JSON.parse(stored ?? "[]");
    return Array.isArray(terms) ? terms.filter((term) => typeof term === "string").reduce(addTerm, []) : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

// Terms that are kept painted in every document of a topic.
const TERM_COLOURS = 4, TERM_LONGEST = 100, TERMS_PAINTED = 5000;
const TERMS_FOUND = new WeakMap();

const termsPlace = ({ campaign: { campaign, assessor }, topic }) =>
  `excerpt:${campaign}:${assessor}:terms:${topic.id}`;
const termsOf = (context) => context.keep.terms ?? readTerms(context.storage.getItem(termsPlace(context)));
const termColour = (number) => (number % TERM_COLOURS) + 1;

/** Where a term stands in the open document, found once. */
function termSpans({ doc }, term) {
  if (!TERMS_FOUND.has(doc)) TERMS_FOUND.set(doc, { astral: astralOf(doc.text ?? ""), terms: new Map() });
  const { astral, terms } = TERMS_FOUND.get(doc);
  if (!terms.has(term)) terms.set(term, findTerm(doc.text ?? "", astral, term));
  return terms.get(term);
}

/** The terms as layers of the paper, one for each colour. @param {Object} context @returns {Layer[]} */
export function termLayers(context) {
  const layers = Array.from({ length: TERM_COLOURS }, (_, i) => ({ name: `term-${i + 1}`, spans: [] }));
  termsOf(context).forEach((term, i) =>
    layers[i % TERM_COLOURS].spans.push(...termSpans(context, term).slice(0, TERMS_PAINTED))
  );
  return layers.map(({ name, spans }) => ({ name, spans: joinSpans(spans) }));
}

function termsKeep(context, terms) {
  context.keep.terms = terms;
  try {
    context.storage.setItem(termsPlace(context), JSON.stringify(terms));
  } catch {
    context.unable("The terms cannot be kept.");
  }
  context.keep.termAsked = false;
  context.redraw();
}

/** To the next place of a term, in a circle. */
function termStep(context, term) {
  const { keep, paper, announce } = context,
    spans = termSpans(context, term),
    steps = (keep.termSteps ??= new Map());
  if (!spans.length) return announce(`${term} does not occur here`);
  const at = ((steps.get(term) ?? -1) + 1) % spans.length;
  steps.set(term, at);
  paper.cursor(spans[at]);
  paper.reveal(spans[at]);
  return announce(`${term}: ${at + 1} of ${spans.length}`);
}

function drawTerm(context, terms, number) {
  const term = terms[number], all = termSpans(context, term).length;
  const remove = () => {
    termsKeep(context, terms.filter((other) => other !== term));
    context.announce(`${term} is no longer painted`);
  };
  return make(
    "li.term",
    { class: `term is-term-${termColour(number)}` },
    button([make("bdi", term), make("small", whole(all))], () => termStep(context, term), {
      class: "quiet",
      "data-key": `term ${term}`,
      "aria-label": `${term}, ${all} times: go to the next`,
    }),
    button(
      svg(
        "svg.icon",
        { viewBox: "0 0 16 16", "aria-hidden": "true" },
        svg("path", { d: "M5 5l6 6M11 5l-6 6" }),
      ),
      remove,
      { class: "quiet", "aria-label": `Remove ${term}` },
    ),
  );
}

/** The field for a new term; Enter keeps it, Escape and leaving it empty do not. */
function drawTermField(context, again) {
  const { keep } = context, close = () => [keep.termAsked = false, keep.termDraft = "", again("add-term")];
  const take = (value) => {
    keep.termDraft = "";
    if (!cleanTerm(value)) return close();
    field.blur();
    termsKeep(context, addTerm(termsOf(context), value));
    context.announce(
      `${cleanTerm(value)}: ${termSpans(context, cleanTerm(value)).length} times in this document`,
    );
    return document.querySelector("[data-key=add-term]")?.focus();
  };
  const keydown = (event) => {
    if (!["Enter", "Escape"].includes(event.key) || event.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Enter") take(event.target.value);
    else close();
  };
  const field = make("input.field", {
    type: "text",
    maxlength: TERM_LONGEST,
    "aria-label": "Term to find",
    placeholder: "Term, then Enter",
    "data-key": "term-field",
    on: {
      keydown,
      input: () => {
        keep.termDraft = field.value;
      },
    },
  });
  field.value = keep.termDraft ?? "";
  return field;
}

/** Asks for a term, the selected text proposed. @param {Object} context */
export function askTerm(context) {
  const selected = cleanTerm(String(getSelection() ?? ""));
  Object.assign(context.keep, {
    termAsked: true,
    termDraft: selected.length <= TERM_LONGEST ? selected : "",
  });
  context.redraw();
  const field = document.querySelector("[data-key=term-field]");
  field?.focus();
  field?.select();
}

/** Draws the terms. @param {Object} context @returns {Node[]} */
export function drawTerms(context) {
  return [makePart("terms", (again) => {
    const terms = termsOf(context);
    return [
      make("h2", "Terms"),
      make(
        "ul.plain",
        terms.map((_, i) => drawTerm(context, terms, i)),
        make(
          "li",
          context.keep.termAsked
            ? drawTermField(context, again)
            : button(["Add ", make("kbd", "/")], () => askTerm(context), {
              class: "quiet",
              "data-key": "add-term",
            }),
        ),
      ),
      terms.length > 0 && make("p.note", "Painted in all documents of this topic; only in this browser."),
    ];
  })];
}
