/** Search terms, highlighted in every document of a topic. */
import { makePart } from "./panel.js";
import { find, make, svg } from "../dom.js";
import { whole } from "../format.js";
import { button } from "../grid.js";
import { astralOf, joinSpans, toPoint } from "../spans.js";

/** @import { Child, Layer, Span } from "../types.d.ts" */
/** @import { Again, AssessedDocument, DocumentContext } from "./types.d.ts" */

// Terms in a text. No DOM.
/** A term with single spaces, and none around it. @param {string} term */
export const cleanTerm = (term) => term.replace(/\s+/g, " ").trim();

/** The occurrences of a term in a text, ignoring case and kinds of whitespace.
 * @param {string} text @param {Uint32Array} astral positions of its characters of two units
 * @param {string} term @returns {Span[]} */
export function findTerm(text, astral, term) {
  const clean = cleanTerm(term);
  if (!clean) return [];
  const pattern = new RegExp(clean.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&").replace(/ /g, "\\s+"), "giu"),
    spans = [];
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    spans.push([toPoint(astral, match.index), toPoint(astral, match.index + match[0].length)]);
  }
  return spans;
}

/** Add a term to a list, unless it is there already, ignoring case.
 * @param {string[]} terms @param {string} term @returns {string[]} */
export function addTerm(terms, term) {
  const clean = cleanTerm(term);
  return !clean || terms.some((other) => other.toLowerCase() === clean.toLowerCase())
    ? terms
    : [...terms, clean];
}

/** Read stored terms; none if they are unreadable. @param {string | null} stored @returns {string[]} */
export function readTerms(stored) {
  try {
    const terms = JSON.parse(stored ?? "[]");
    return Array.isArray(terms) ? terms.filter((term) => typeof term === "string").reduce(addTerm, []) : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

// The terms of a topic, stored in the browser.
const TERM_COLOURS = 4, TERM_LONGEST = 100, TERMS_PAINTED = 5000;
/** @type {WeakMap<AssessedDocument, {astral: Uint32Array, terms: Map<string, Span[]>}>} */
const TERM_CACHE = new WeakMap();

/** The key of the terms in the storage. @param {DocumentContext} context */
const termsKey = ({ campaign: { campaign, assessor }, topic }) =>
  `excerpt:${campaign}:${assessor}:terms:${topic.id}`;
/** @param {DocumentContext} context */
const termsOf = (context) => context.memory.terms ?? readTerms(context.storage.getItem(termsKey(context)));
/** @param {number} number */
const termColour = (number) => (number % TERM_COLOURS) + 1;

/** The occurrences of a term in the open document, cached.
 * @param {DocumentContext} context @param {string} term */
function termSpans({ doc }, term) {
  const cache = TERM_CACHE.get(doc) ?? { astral: astralOf(doc.text ?? ""), terms: new Map() },
    spans = cache.terms.get(term) ?? findTerm(doc.text ?? "", cache.astral, term);
  TERM_CACHE.set(doc, cache);
  cache.terms.set(term, spans);
  return spans;
}

/** The terms as layers of the text view, one for each colour.
 * @param {DocumentContext} context @returns {Layer[]} */
export function termLayers(context) {
  /** @type {Span[][]} */
  const colours = Array.from({ length: TERM_COLOURS }, () => []);
  termsOf(context).forEach((term, i) =>
    colours[i % TERM_COLOURS].push(...termSpans(context, term).slice(0, TERMS_PAINTED))
  );
  return colours.map((spans, i) => ({ name: `term-${i + 1}`, spans: joinSpans(spans), map: "right" }));
}

/** @param {DocumentContext} context @param {string[]} terms */
function termsKeep(context, terms) {
  context.memory.terms = terms;
  try {
    context.storage.setItem(termsKey(context), JSON.stringify(terms));
  } catch {
    context.unable("The terms cannot be stored.");
  }
  context.redraw();
}

/** The number of the next occurrence: at or after the caret, or after the one at which it is; or before.
 * @param {Span[]} spans @param {number} caret
 * @param {boolean} there whether the caret is at an occurrence that was stepped to
 * @param {number} by 1 or -1 */
export function nextHit(spans, caret, there, by) {
  const at = spans.findIndex(([start]) => start >= caret), first = at < 0 ? spans.length : at;
  const next = by < 0 ? first - 1 : there ? first + 1 : first;
  return (next + spans.length) % spans.length;
}

/** Go to the next occurrence of a term, after the last to the first; or to the one before.
 * @param {DocumentContext} context @param {string} term @param {number} by 1 or -1 */
function termStep(context, term, by = 1) {
  const { memory, textView, unable, announce } = context, spans = termSpans(context, term);
  memory.term = term;
  if (!spans.length) {
    memory.hit = undefined;
    return unable(`“${term}” does not occur in this document.`);
  }
  const caret = context.cursor ?? textView.caret ?? 0,
    there = memory.hit !== undefined && memory.hit === context.cursor,
    at = nextHit(spans, caret, there, by);
  textView.goTo(spans[at]);
  memory.hit = context.cursor = spans[at][0];
  sayHit(context);
  return announce(`${term}: ${at + 1} of ${spans.length}`);
}

/** Write which occurrence the caret is at. @param {DocumentContext} context */
function sayHit(context) {
  const place = find("#hit");
  if (place) place.textContent = hitOf(context);
}

/** Which occurrence of the last term the caret is at, "" if none. @param {DocumentContext} context */
function hitOf(context) {
  const { term, hit } = context.memory;
  if (term === undefined || hit === undefined) return "";
  /** @type {Span[]} */
  const spans = termSpans(context, term), at = spans.findIndex(([start]) => start === hit);
  return at < 0 ? "" : `${term}: ${at + 1} of ${spans.length}`;
}

/** Step among the occurrences of the last term from the text; false if there is none.
 * @param {DocumentContext} context @param {number} by */
export function stepTerm(context, by) {
  const { term } = context.memory;
  if (term === undefined || !termsOf(context).includes(term)) return false;
  termStep(context, term, by);
  return true;
}

/** @param {DocumentContext} context @param {string[]} terms @param {number} number */
function drawTerm(context, terms, number) {
  const term = terms[number], all = termSpans(context, term).length;
  const remove = () => {
    termsKeep(context, terms.filter((other) => other !== term));
    context.announce(`${term} is no longer highlighted`);
  };
  return make(
    "li.term",
    { class: `term is-term-${termColour(number)}` },
    button([make("bdi", term), make("small", whole(all))], () => termStep(context, term, 1), {
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

/** The field for a new term: Enter adds it and goes to its occurrences, with Shift backwards; Escape, and
 * Enter in an empty field, close the field.
 * @param {DocumentContext} context @param {Again} again */
function drawTermField(context, again) {
  const { memory } = context;
  const close = () => {
    memory.termAsked = false;
    memory.termDraft = "";
    again("add-term");
  };
  /** @param {number} by */
  const add = (by) => {
    const term = cleanTerm(field.value), terms = addTerm(termsOf(context), term);
    if (!term) return close();
    const known = terms.find((other) => other.toLowerCase() === term.toLowerCase()) ?? term;
    if (terms.length > termsOf(context).length) termsKeep(context, terms);
    termStep(context, known, by);
  };
  /** @param {KeyboardEvent} event */
  const keydown = (event) => {
    if (!["Enter", "Escape"].includes(event.key) || event.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Enter") add(event.shiftKey ? -1 : 1);
    else {
      close();
      context.focusText();
    }
  };
  const input = () => {
    memory.termDraft = field.value;
  };
  /** @type {HTMLInputElement} */
  const field = make("input.field", {
    type: "text",
    maxlength: TERM_LONGEST,
    "aria-label": "Term to find",
    placeholder: "Term, then Enter",
    enterkeyhint: "search",
    "data-key": "term-field",
    on: { keydown, input },
  });
  field.value = memory.termDraft ?? "";
  return field;
}

/** Ask for a term; the selected text is proposed. @param {DocumentContext} context */
export function askTerm(context) {
  const selected = cleanTerm(String(getSelection() ?? ""));
  context.memory.termAsked = true;
  context.memory.termDraft = selected.length <= TERM_LONGEST ? selected : "";
  context.redraw();
  const field = find("[data-key=term-field]");
  field?.focus();
  if (field instanceof HTMLInputElement) field.select();
}

/** Draw the terms. @param {DocumentContext} context @returns {Child[]} */
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
          context.memory.termAsked
            ? drawTermField(context, again)
            : button(["Add ", make("kbd", "/")], () => askTerm(context), {
              class: "quiet",
              "data-key": "add-term",
            }),
        ),
      ),
      make("p.note", { id: "hit" }, hitOf(context)),
      terms.length > 0 &&
      make(
        "p.note",
        "Enter and Shift+Enter step. Highlighted in all documents of this topic, in this browser only.",
      ),
    ];
  })];
}
