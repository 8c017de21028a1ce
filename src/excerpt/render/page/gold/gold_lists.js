/** Lists beside the text: search, drafts, questions, documents; and the question that is being written. */
import { make, named } from "../dom.js";
import { count, whole } from "../format.js";
import { button } from "../grid.js";
import { sayHow } from "./writing.js";

/** @import { Child } from "../types.d.ts" */
/** @import { Found, GoldDraft, GoldPlace, GoldState, Question, Quote, Writing } from "./types.d.ts" */

const MOST_LISTED = 200, SHOWN_QUOTE = 160;

/** The address of a place. @param {GoldPlace} place */
export const addressOf = ({ doc, span }) =>
  `#doc=${encodeURIComponent(doc)}${span ? `&at=${span[0]}-${span[1]}` : ""}`;

/** The place of an address; without a document the name is "". @param {string} address
 * @returns {GoldPlace} */
export function placeOf(address) {
  const doc = /[#&]doc=([^&]*)/.exec(address)?.[1] ?? "", at = /[#&]at=(\d{1,10})-(\d{1,10})/.exec(address);
  try {
    return { doc: decodeURIComponent(doc), span: at && [Number(at[1]), Number(at[2])] };
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return { doc: "", span: null };
  }
}

/** @param {string} text */
const shortened = (text) => {
  const words = text.replace(/\s+/g, " ").trim();
  return words.length > SHOWN_QUOTE ? `${words.slice(0, SHOWN_QUOTE - 1)}…` : words;
};

/** A quote as a link to its place. @param {Quote} quote @param {Child} [more] */
const quoteLink = ({ document, start, end, quote }, more) =>
  make(
    start < 0 ? "span.quote" : "a.quote",
    { href: start < 0 ? null : addressOf({ doc: document, span: [start, end] }) },
    make("q", { dir: "auto" }, shortened(quote)),
    make("small.note", document ? named(document, 36) : "no document", more),
  );

/** @param {string} title @param {Child} about @param {Child[]} children */
const part = (title, about, ...children) =>
  make("section.part", make("h2", title), about && make("p.note", about), children);

/** What a search has found. @param {{words: string, count: number, places: Found[]} | null} found
 * @returns {Child} */
export function drawFound(found) {
  if (!found) return null;
  const { words, count: many, places } = found;
  return part(
    "Found",
    many
      ? `${count(many, "place")} of “${words}”${many > places.length ? `, the first ${places.length}` : ""}`
      : `“${words}” is in no document.`,
    make(
      "ul.plain.rows",
      places.map(({ document, start, end, before, text, after }) =>
        make(
          "li",
          make(
            "a",
            { href: addressOf({ doc: document, span: [start, end] }) },
            make("span", { dir: "auto" }, `…${before}`, make("mark", text), `${after}…`),
            make("small.note", named(document, 36)),
          ),
        )
      ),
    ),
  );
}

/** @param {GoldDraft[]} drafts @param {string} summary @param {string} chosen
 * @param {(key: string) => void} choose @returns {Child} */
export function drawDrafts(drafts, summary, chosen, choose) {
  if (!drafts.length) return null;
  return part(
    "Drafts",
    summary,
    make(
      "ol.plain.rows",
      drafts.map(({ key, text, state, literal }) =>
        make(
          "li",
          { "data-state": state },
          button(
            [
              make("span", { dir: "auto" }, shortened(text)),
              make("small.note", state === "open" ? (literal ? "open" : "open, not literal") : state),
            ],
            () => choose(key),
            {
              class: "quiet row",
              "data-key": `draft ${key}`,
              "aria-current": key === chosen && "true",
            },
          ),
        )
      ),
    ),
  );
}

/** @param {GoldState} state @param {string} chosen @param {(question: Question) => void} change
 * @returns {Child} */
export function drawQuestions({ questions }, chosen, change) {
  return part(
    "Questions",
    questions.length ? "" : "None yet. Mark text with h, write the question, press Enter.",
    make(
      "ol.plain.rows",
      [...questions].reverse().map((question) => {
        const { key, text, answerable, needs } = question,
          lost = needs.flat().filter(({ start }) => start < 0).length;
        return make(
          "li",
          button(
            [
              make("span", { dir: "auto" }, shortened(text)),
              make(
                "small.note",
                `${key}, `,
                lost
                  ? make("b", `${count(lost, "quote")} not found`)
                  : answerable
                  ? count(needs.length, "quote")
                  : "no answer",
              ),
            ],
            () => change(question),
            {
              class: "quiet row",
              "data-key": `question ${key}`,
              "aria-current": key === chosen && "true",
            },
          ),
        );
      }),
    ),
  );
}

/** @param {string[]} documents @param {string} words that names have @param {string} open
 * @param {Map<string, number>} quoted number of quotes by document @returns {Child} */
export function drawDocuments(documents, words, open, quoted) {
  const low = words.toLowerCase().split(/\s+/),
    fitting = documents.filter((name) => low.every((word) => name.toLowerCase().includes(word))),
    shown = fitting.length ? fitting : documents,
    listed = shown.slice(0, MOST_LISTED);
  return part(
    "Documents",
    shown.length > listed.length && `${whole(listed.length)} of ${whole(shown.length)}; search by name`,
    make(
      "ul.plain.rows",
      listed.map((name) =>
        make(
          "li",
          make(
            "a",
            { href: addressOf({ doc: name, span: null }), "aria-current": name === open && "page" },
            named(name, 36),
            quoted.has(name) && make("small.note", count(quoted.get(name) ?? 0, "quote")),
          ),
        )
      ),
    ),
  );
}

/** The draft that is decided about. @param {GoldDraft} draft
 * @param {Record<"accept" | "mend" | "reject" | "reopen" | "next", () => unknown>} acts */
export function drawDraft({ text, state, needs, answerable }, acts) {
  const quotes = needs.flat(), lost = quotes.some(({ start }) => start < 0);
  return make(
    "section.part.draft",
    make("h2", `Draft, ${state}`),
    make("p.asked", { dir: "auto" }, text),
    answerable ? null : make("p.note", "No answer in these documents."),
    make(
      "ul.plain.rows",
      quotes.map((quote) =>
        make(
          "li",
          quoteLink(quote, `, ${sayHow(quote)}`),
          quote.given &&
            make("small.note.given", { dir: "auto" }, `the draft says: ${shortened(quote.given)}`),
        )
      ),
    ),
    make(
      "div.verbs",
      state === "open"
        ? [
          button(["Accept ", make("kbd", "y")], acts.accept, {
            class: lost ? "" : "primary",
            "data-key": "accept",
            "aria-disabled": lost && "true",
          }),
          button(["Mend ", make("kbd", "e")], acts.mend, {
            class: lost ? "primary" : "",
            "data-key": "mend",
          }),
          button(["Reject ", make("kbd", "r")], acts.reject, { "data-key": "reject" }),
        ]
        : [
          state === "rejected" && button("Open again", acts.reopen, { "data-key": "reopen" }),
          button("Next draft", acts.next, { "data-key": "next-draft" }),
        ],
    ),
  );
}

/** The question that is being written.
 * @param {{writing: Writing, copies: Quote[], lack: string, summary: string, words: HTMLElement,
 *   tags: HTMLElement}} about
 * @param {{take: (quote: Quote) => void, other: (quote: Quote) => void, all: () => void, none: () => void,
 *   keep: () => void, leave: () => void, remove: () => void}} acts */
export function drawWriting({ writing, copies, lack, summary, words, tags }, acts) {
  const { key, needs, answerable, draft } = writing;
  return make(
    "section.part.writing",
    make("h2", key ? `Question ${key}` : draft ? "Mend the draft" : "New question"),
    make("label.label", { for: "question" }, "Question"),
    words,
    make("p.label", { id: "answers" }, needs.length > 1 ? "Quotes, all needed" : "Quote"),
    needs.length
      ? make(
        "ol.plain.rows.needs",
        { "aria-labelledby": "answers" },
        needs.map((need) =>
          make(
            "li",
            need.map((quote, j) => [
              j > 0 && make("small.note.or", "or"),
              make(
                "div.kept",
                quoteLink(quote),
                button("×", () => acts.take(quote), {
                  class: "quiet",
                  "aria-label": "Take back this quote",
                  "data-key": `take ${quote.document} ${quote.start}`,
                }),
              ),
            ]),
          )
        ),
      )
      : make(
        "p.note",
        answerable ? ["Select the text that answers it, then ", make("kbd", "h"), "."] : "None.",
      ),
    copies.length > 0 &&
      make(
        "div.question.copies",
        make(
          "p",
          `The same text is also in ${count(copies.length, "other place")}, which ${
            copies.length > 1 ? "answer" : "answers"
          } it as well:`,
        ),
        make(
          "ul.plain.rows",
          copies.slice(0, 5).map((quote) =>
            make(
              "li.kept",
              quoteLink(quote),
              button("Or here", () => acts.other(quote), {
                "data-key": `copy ${quote.document} ${quote.start}`,
              }),
            )
          ),
        ),
        copies.length > 1 &&
          button(`All ${copies.length} are alternatives`, acts.all, { "data-key": "copies" }),
      ),
    make(
      "label.check",
      make("input", {
        type: "checkbox",
        id: "unanswerable",
        checked: !answerable,
        "data-key": "unanswerable",
        on: { change: acts.none },
      }),
      "No answer in these documents",
    ),
    make("label.label", { for: "tags" }, "Tags"),
    tags,
    make(
      "div.verbs",
      key && button("Delete", acts.remove, { "data-key": "delete" }),
      button(key || draft ? "Leave as it was" : "Clear", acts.leave, { "data-key": "leave" }),
      button(["Keep ", make("kbd", "Enter")], acts.keep, {
        class: "primary",
        "data-key": "keep",
        title: lack || null,
      }),
    ),
    make("p.note", { id: "summary" }, summary),
  );
}
