/** Entry module of the page on which questions with quotes are written: state, views, keys. */
import { AssessTextView } from "../assess/highlighter.js";
import { getJson, messageOf, postJson, statusOf } from "../assess/sync.js";
import { openDialog } from "../dialogs.js";
import { byId, find, icon, make, named } from "../dom.js";
import { count } from "../format.js";
import { button } from "../grid.js";
import {
  addressOf,
  drawDocuments,
  drawDraft,
  drawDrafts,
  drawFound,
  drawQuestions,
  drawWriting,
  placeOf,
} from "./gold_lists.js";
import { GoldOutbox } from "./gold_outbox.js";
import {
  balanced,
  keepOf,
  lackOf,
  nextDraft,
  nothingIn,
  nothingWritten,
  quoteToTake,
  samePlace,
  withoutQuote,
  withQuote,
  writingOf,
  writingOfDraft,
} from "./writing.js";

/** @import { Span } from "../types.d.ts" */
/** @import {
 *   Found, GoldDraft, GoldEvent, GoldPlace, GoldState, Question, Quote, ShownDocument, Writing
 * } from "./types.d.ts" */

const goldRoot = document.documentElement, WIDE_ENOUGH = 1179, PHONE = 899;

/** Keys with their help, in the order of the dialog. @type {[keys: string, help: string][]} */
const GOLD_KEYS = [
  ["h", "mark the selection, or the word at the caret, as a quote that answers"],
  ["a", "mark it as another place that answers the same: an alternative"],
  ["u", "take back the quote at the caret, else the last one"],
  ["q Enter", "write the question; Enter keeps it"],
  ["t", "write tags; Enter keeps the question"],
  ["x", "no answer in these documents, or there is one"],
  ["/", "search all documents; Enter goes to the first place, Tab to the others"],
  ["n N", "next and previous document"],
  ["y e r", "accept, mend, reject the draft"],
  ["w s", "select whole words, sentences; Alt: exact selection"],
  ["← → ↑ ↓", "move the caret in the text; Shift: select"],
  ["Esc", "leave a field, clear the selection"],
  ["?", "this help"],
];

/** What is shown. @type {{gold: GoldState, doc: ShownDocument | null, writing: Writing, copies: Quote[],
 *   draft: string, found: {words: string, count: number, places: Found[]} | null, turn: number,
 *   keysOn: boolean, more: boolean, rejected: {event: GoldEvent, why: string} | null}} */
const shown = {
  gold: {
    file: "",
    identity: "",
    documents: [],
    questions: [],
    drafts: [],
    summary: "",
    drafts_summary: "",
  },
  doc: null,
  writing: nothingWritten(),
  copies: [],
  draft: "",
  found: null,
  turn: 0,
  keysOn: true,
  more: false,
  rejected: null,
};

/** A storage of the browser, or one that lasts as long as the window. @returns {Storage} */
function storageOfBrowser() {
  try {
    localStorage.getItem("");
    return localStorage;
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    return sessionStorage;
  }
}

/** @param {string} name */
const nameOf = (name) => `excerpt:gold:${shown.gold.identity}:${name}`;
const browserStorage = storageOfBrowser();
/** @type {GoldOutbox} */
let outbox;
/** @type {AssessTextView} */
let view;

// The parts of the page.
const lists = make("div.rail"),
  asideOfLists = make(
    "details.aside",
    { open: innerWidth > WIDE_ENOUGH },
    make("summary", "Search, questions, documents"),
    lists,
  ),
  tools = make("div.toolbar"),
  paper = make("div.paper"),
  panel = make("aside.side", { "aria-label": "Question" }),
  headline = make("h1.hidden", { tabindex: -1 }),
  page = make("div.assess.gold", headline, asideOfLists, tools, make("div.desk", paper), panel),
  savedNode = make("span", { id: "saved", role: "status" }),
  bannerNode = make("div", { id: "banner", role: "alert", hidden: true });
/** @type {HTMLTextAreaElement} */
const words = make("textarea.field", {
  id: "question",
  rows: 3,
  maxlength: 2000,
  dir: "auto",
  "data-key": "question",
  placeholder: "What does this text answer?",
  on: { input: () => write({ text: words.value }), keydown: (event) => keepByEnter(event) },
});
/** @type {HTMLInputElement} */
const tagsField = make("input.field", {
  id: "tags",
  "data-key": "tags",
  placeholder: "prices, hard",
  maxlength: 1000,
  on: { input: () => write({ tags: tagsField.value }), keydown: (event) => keepByEnter(event) },
});
const searchField = make("input.search", {
  id: "search",
  type: "search",
  "data-key": "search",
  "aria-label": "Search all documents",
  placeholder: "Search all documents",
  on: { input: () => searchSoon(), keydown: (event) => searchByEnter(event) },
});
const foundBox = make("div"),
  draftsBox = make("div"),
  questionsBox = make("div"),
  documentsBox = make("div"),
  draftBox = make("div"),
  writingBox = make("div");
lists.append(searchField, foundBox, draftsBox, questionsBox, documentsBox);
panel.append(draftBox, writingBox);

/** Tell screen readers something; a reason why an action is impossible is visible.
 * @param {string} text @param {boolean} visible */
function tell(text, visible = false) {
  Object.assign(byId("status"), { textContent: text, className: visible ? "why" : "hidden" });
}

/** @param {string} text */
const refuse = (text) => tell(text, true);

// The question that is being written.
/** Change the question, and keep it in the browser. @param {Partial<Writing>} changes */
function write(changes) {
  Object.assign(shown.writing, changes);
  try {
    browserStorage.setItem(nameOf("writing"), JSON.stringify(shown.writing));
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
  }
}

/** Put another question into the fields. @param {Writing} writing */
function putWriting(writing) {
  shown.copies = [];
  write(writing);
  words.value = writing.text;
  tagsField.value = writing.tags;
  drawAll();
}

/** The question that an earlier page left. @returns {Writing} */
function leftWriting() {
  try {
    const left = JSON.parse(browserStorage.getItem(nameOf("writing")) ?? "null");
    return left && Array.isArray(left.needs) ? { ...nothingWritten(), ...left } : nothingWritten();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return nothingWritten();
  }
}

/** Mark the selection, or the unit at the caret. @param {boolean} other @param {boolean} exact */
function mark(other, exact = false) {
  const { doc, writing } = shown, target = view.target(exact);
  if (!doc || !target) return refuse("Select some text first.");
  const span = balanced(target, doc.types, view.quote),
    text = view.quote(span),
    [start, end] = [span[0] + text.length - text.trimStart().length, span[1]],
    quote = view.quote([start, end]).trimEnd();
  if (!quote) return refuse("Select some text first.");
  if (other && !writing.needs.length) return refuse("Mark the first place with h; a marks another one.");
  const kept = {
      document: doc.id,
      start,
      end: start + Array.from(quote).length,
      quote,
    },
    next = withQuote(writing, kept, other);
  view.release(span[1]);
  if (!next) return refuse("This text is marked already.");
  write(next);
  drawAll();
  tell(`Marked: ${quote.slice(0, 200)}`);
  return other ? null : offerCopies(kept);
}

/** Ask for other places of the text of a quote. @param {Quote} quote */
async function offerCopies(quote) {
  const { document: doc, start, end } = quote;
  try {
    const { copies } = await getJson(
      `api/copies?document=${encodeURIComponent(doc)}&start=${start}&end=${end}`,
    );
    if (!shown.writing.needs.at(-1)?.some((one) => samePlace(one, quote))) return;
    shown.copies = copies;
    drawPanel();
  } catch (error) {
    if (statusOf(error) !== undefined) refuse(messageOf(error));
  }
}

/** Copies that are not quotes yet. */
const copiesLeft = () =>
  shown.copies.filter((copy) => !shown.writing.needs.flat().some((one) => samePlace(one, copy)));

/** @param {Quote[]} quotes */
function addOthers(quotes) {
  for (const { document: doc, start, end, quote } of quotes) {
    write(withQuote(shown.writing, { document: doc, start, end, quote }, true) ?? {});
  }
  drawAll();
}

/** @param {Quote | undefined} quote */
function takeBack(quote) {
  if (!quote) return refuse("There is no quote to take back.");
  write(withoutQuote(shown.writing, quote));
  if (!shown.writing.needs.length) shown.copies = [];
  drawAll();
  return tell("Taken back.");
}

function toggleAnswer() {
  const { writing } = shown;
  if (writing.answerable && writing.needs.length) {
    drawPanel();
    return refuse("The question has quotes; take them back first.");
  }
  write({ answerable: !writing.answerable });
  drawPanel();
  return tell(writing.answerable ? "There is an answer." : "No answer in these documents.");
}

/** Keep the question: in this browser at once, and in the file as soon as the server answers. */
function keep() {
  const { writing, gold } = shown, lack = lackOf(writing, gold.questions);
  if (lack) return refuse(lack);
  outbox.add(keepOf(writing));
  const { draft } = writing;
  putWriting(nothingWritten());
  showPanel(false);
  tell("Kept.");
  if (draft) return chooseDraft(nextDraft(withoutDraft(draft), draft)?.key ?? "");
  return focusText();
}

/** @param {KeyboardEvent} event */
function keepByEnter(event) {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  keep();
}

/** Change a question of the file. @param {Question} question */
function change(question) {
  if (!nothingIn(shown.writing) && shown.writing.key !== question.key) {
    return refuse("Keep or clear the question that you are writing first.");
  }
  shown.draft = "";
  putWriting(writingOf(question));
  showPanel(true);
  const [quote] = question.needs.flat().filter(({ start }) => start >= 0);
  return quote && goTo({ doc: quote.document, span: [quote.start, quote.end] });
}

function remove() {
  const { key, base } = shown.writing;
  outbox.add({ kind: "delete", question: key, base });
  putWriting(nothingWritten());
  showPanel(false);
  tell("Deleted.");
}

// Drafts.
/** @param {string} key @returns {GoldDraft[]} */
const withoutDraft = (key) =>
  shown.gold.drafts.map((draft) => draft.key === key ? { ...draft, state: "accepted" } : draft);

/** @returns {GoldDraft | undefined} */
const chosenDraft = () => shown.gold.drafts.find(({ key }) => key === shown.draft);

/** Show a draft and the place of its first quote. @param {string} key */
function chooseDraft(key) {
  shown.draft = key;
  drawAll();
  const quote = chosenDraft()?.needs.flat().find(({ start }) => start >= 0);
  if (quote) goTo({ doc: quote.document, span: [quote.start, quote.end] });
  else focusText();
}

/** @param {"accept" | "mend" | "reject" | "reopen" | "next"} way */
function decideDraft(way) {
  const draft = chosenDraft();
  if (!draft) return refuse("There is no draft here.");
  const next = () => chooseDraft(nextDraft(withoutDraft(draft.key), draft.key)?.key ?? "");
  if (way === "next") return next();
  if ((draft.state === "open") === (way === "reopen")) return refuse(`This draft is ${draft.state}.`);
  if (way === "mend") {
    if (!nothingIn(shown.writing)) return refuse("Keep or clear the question that you are writing first.");
    putWriting(writingOfDraft(draft));
    showPanel(true);
    return focusText();
  }
  if (way === "accept") {
    if (draft.needs.flat().some(({ start }) => start < 0)) {
      return refuse("A quote of this draft is in no document: mend it with e, or reject it.");
    }
    const writing = writingOfDraft(draft),
      lack = lackOf({ ...writing, answerable: draft.answerable }, shown.gold.questions);
    if (lack) return refuse(lack);
    outbox.add(keepOf({ ...writing, answerable: draft.answerable }, false));
  } else outbox.add({ kind: way, draft: draft.key });
  tell({ accept: "Accepted.", reject: "Rejected.", reopen: "Open again." }[way]);
  return way === "reopen" ? null : next();
}

// Search.
let searchTimer = 0;

function searchSoon() {
  clearTimeout(searchTimer);
  searchTimer = setTimeout(() => search(), 200);
}

/** Search all documents. @returns {Promise<unknown>} */
async function search() {
  clearTimeout(searchTimer);
  const text = searchField.value.trim();
  shown.found = null;
  if (text) {
    try {
      const found = await getJson(`api/search?words=${encodeURIComponent(text)}`);
      if (searchField.value.trim() !== text) return;
      shown.found = found;
    } catch (error) {
      refuse(messageOf(error));
    }
  }
  drawLists();
}

/** @param {KeyboardEvent} event */
async function searchByEnter(event) {
  if (event.key !== "Enter") return;
  event.preventDefault();
  const text = searchField.value.trim();
  if (shown.found?.words !== text) await search();
  const place = shown.found?.places[0];
  if (place) goTo({ doc: place.document, span: [place.start, place.end] });
  else if (text) refuse(`“${text}” is in no document.`);
}

// Documents.
/** Go to a place under a new address. @param {GoldPlace} place */
function goTo(place) {
  const address = addressOf(place);
  if (address !== location.hash) history.pushState(null, "", address);
  return openPlace(place);
}

/** @param {number} by */
function step(by) {
  const { documents } = shown.gold, at = documents.indexOf(shown.doc?.id ?? ""), next = documents[at + by];
  if (next === undefined) {
    return refuse(by > 0 ? "This is the last document." : "This is the first document.");
  }
  return goTo({ doc: next, span: null });
}

/** Open a document at a place; of several calls the last one counts. @param {GoldPlace} place */
async function openPlace({ doc, span }) {
  const turn = ++shown.turn;
  goldRoot.dataset.state = "loading";
  try {
    if (shown.doc?.id !== doc) {
      const found = await getJson(`api/document?document=${encodeURIComponent(doc)}`);
      if (turn !== shown.turn) return;
      shown.doc = found;
      view.open({ ...found });
      view.caret = view.anchor = null;
      scrollTo(0, 0);
    }
  } catch (error) {
    if (turn === shown.turn) refuse(messageOf(error));
  }
  if (turn !== shown.turn) return;
  drawAll();
  if (span && span[1] <= (shown.doc?.length ?? 0)) {
    view.caret = span[0];
    view.reveal(span);
    view.cursor(span);
  } else view.cursor(null);
  focusText();
  await settled();
  if (turn === shown.turn) goldRoot.dataset.state = "ready";
}

const settled = () =>
  new Promise((done) => {
    requestAnimationFrame(() => setTimeout(done));
    setTimeout(done, 400);
  });

const focusText = () => view.text.focus({ preventScroll: true });

// Drawing.
/** Draw a part, with the focus on the element that has the same key as before.
 * @param {HTMLElement} part @param {() => void} draw */
function keepFocusIn(part, draw) {
  const active = document.activeElement,
    key = active instanceof HTMLElement && part.contains(active) ? active.dataset.key : undefined;
  draw();
  if (key && document.activeElement !== active) {
    find(`[data-key="${CSS.escape(key)}"]`, part)?.focus({ preventScroll: true });
  }
}

function drawLists() {
  const { gold, doc, draft, found, writing } = shown;
  /** @type {Map<string, number>} */
  const quoted = new Map();
  for (const { document: name, start } of gold.questions.flatMap(({ needs }) => needs.flat())) {
    if (start >= 0) quoted.set(name, (quoted.get(name) ?? 0) + 1);
  }
  keepFocusIn(lists, () => {
    foundBox.replaceChildren(...make("div", drawFound(found)).childNodes);
    draftsBox.replaceChildren(
      ...make("div", drawDrafts(gold.drafts, gold.drafts_summary, draft, chooseDraft)).childNodes,
    );
    questionsBox.replaceChildren(...make("div", drawQuestions(gold, writing.key, change)).childNodes);
    documentsBox.replaceChildren(
      ...make("div", drawDocuments(gold.documents, searchField.value, doc?.id ?? "", quoted)).childNodes,
    );
  });
}

function drawPanel() {
  const { writing, gold } = shown, draft = chosenDraft();
  /** @param {"accept" | "mend" | "reject" | "reopen" | "next"} way */
  const decide = (way) => () => decideDraft(way);
  keepFocusIn(panel, () => {
    draftBox.replaceChildren(
      ...(draft && writing.draft !== draft.key
        ? [
          drawDraft(draft, {
            accept: decide("accept"),
            mend: decide("mend"),
            reject: decide("reject"),
            reopen: decide("reopen"),
            next: decide("next"),
          }),
        ]
        : []),
    );
    writingBox.replaceChildren(
      drawWriting({
        writing,
        copies: copiesLeft(),
        lack: lackOf(writing, gold.questions),
        summary: gold.summary,
        words,
        tags: tagsField,
      }, {
        take: takeBack,
        other: (quote) => addOthers([quote]),
        all: () => addOthers(copiesLeft()),
        none: toggleAnswer,
        keep,
        leave: () => putWriting(nothingWritten()),
        remove,
      }),
    );
  });
}

function drawTools() {
  const { unit } = view ?? { unit: "words" }, many = shown.writing.needs.flat().length;
  /** @param {string} word @param {string} key @param {string} name @param {() => unknown} act */
  const tool = (word, key, name, act) => button([word, make("kbd", key)], act, { "data-key": name });
  /** @param {"words" | "sentences"} name */
  const pick = (name) =>
    button(name === "words" ? "Words" : "Sentences", () => select(name), {
      "aria-pressed": String(unit === name),
      "data-key": name,
    });
  keepFocusIn(tools, () =>
    tools.replaceChildren(
      make(
        "div.group.main-tools",
        tool("Mark", "h", "mark", () => mark(false)),
        tool("Or here", "a", "other", () => mark(true)),
        tool("Take back", "u", "take-back", () => takeBack(quoteToTake(shown.writing, "", null))),
      ),
      make("div.group.more-tools", pick("words"), pick("sentences")),
      make(
        "div.group.ends",
        button([make("span", many ? `Question (${many})` : "Question"), make("kbd", "q")], togglePanel, {
          class: "slot primary",
          "data-key": "ask",
          "aria-expanded": innerWidth <= PHONE && String(shown.more),
        }),
      ),
    ));
}

function drawHead() {
  const { gold, doc } = shown;
  headline.textContent = doc ? `${doc.id} ${doc.title}` : gold.file;
  document.title = [doc?.id, gold.file].filter(Boolean).join(" · ");
  byId("bar").replaceChildren(
    make(
      "nav.crumbs",
      { "aria-label": "Where" },
      make("span.logo", icon("logo"), make("span", "excerpt")),
      make(
        "ol.plain",
        make("li", make("span", named(gold.file.split(/[\\/]/).at(-1) ?? "", 32))),
        doc && make("li", make("strong", { "aria-current": "page" }, named(doc.id, 40))),
      ),
    ),
    make(
      "div.tools",
      savedNode,
      make("span.note.who", count(gold.questions.length, "question")),
      button(["Keys ", make("kbd", "?")], help, { class: "quiet keys", "data-key": "keys" }),
    ),
  );
}

function drawSaved() {
  const { length } = outbox.events, { sentence } = outbox, rejected = shown.rejected;
  savedNode.dataset.state = length ? (sentence ? "waiting" : "saving") : "saved";
  savedNode.textContent = length ? (sentence ? `${length} not saved` : "Saving …") : "Saved";
  const lines = [
    sentence &&
    make("p", make("span", make("b", "Not saved yet. "), `${sentence} It is kept in this browser.`)),
    rejected &&
    make(
      "p",
      make("span", make("b", "Not kept. "), rejected.why),
      rejected.event.kind === "keep" && button("Back to the question", () => putBack(rejected.event)),
      button("Dismiss", () => {
        shown.rejected = null;
        drawSaved();
      }),
    ),
  ].filter((line) => line !== null && line !== "");
  bannerNode.hidden = !lines.length;
  bannerNode.replaceChildren(.../** @type {Node[]} */ (lines));
}

/** Put a rejected question back into the fields. @param {GoldEvent} event */
function putBack(event) {
  const { text, answerable, tags, needs, question, draft } = /** @type {any} */ (event),
    known = shown.gold.questions.find(({ key }) => key === question);
  shown.rejected = null;
  putWriting({
    key: known ? question : "",
    base: known?.version ?? 0,
    text,
    answerable,
    tags: tags.join(", "),
    needs,
    draft: draft ?? "",
  });
  drawSaved();
  ask();
}

/** Paint the quotes of the open document. */
function paintQuotes() {
  const { doc, writing, gold } = shown;
  if (!doc) return;
  /** @param {Quote[]} quotes @returns {Span[]} */
  const here = (quotes) =>
    quotes.filter(({ document: name, start }) => name === doc.id && start >= 0)
      .map(({ start, end }) => [start, end]).sort((one, other) => one[0] - other[0]);
  view.paintAll([
    {
      name: "returned",
      spans: here(
        gold.questions.filter(({ key }) => key !== writing.key).flatMap(({ needs }) => needs.flat()),
      ),
      lane: "vain",
      map: "right",
    },
    { name: "judged", spans: here(writing.needs.flat()), lane: "judged", map: "left" },
    { name: "suggested", spans: here(chosenDraft()?.needs.flat() ?? []), line: "suggested" },
  ], []);
}

function drawAll() {
  drawHead();
  drawLists();
  drawPanel();
  drawTools();
  drawSaved();
  paintQuotes();
}

// Keys.
/** @param {"words" | "sentences"} unit */
function select(unit) {
  view.unit = unit;
  drawTools();
  tell(`Select whole ${unit}.`);
}

/** Show or hide the panel of a narrow window. @param {boolean} on */
function showPanel(on) {
  shown.more = on;
  page.classList.toggle("with-more", on);
  drawTools();
}

/** Go to a field of the question; on a narrow window its panel opens. @param {HTMLElement} field */
function ask(field = words) {
  showPanel(true);
  field.focus();
}

/** The button of the panel, which on a narrow window opens and closes it. */
function togglePanel() {
  if (!shown.more || innerWidth > PHONE) return ask();
  showPanel(false);
  return focusText();
}

function help() {
  if (find("dialog[open]")) return;
  /** @type {HTMLInputElement} */
  const box = make("input", {
    type: "checkbox",
    checked: shown.keysOn,
    on: {
      change: () => {
        shown.keysOn = box.checked;
      },
    },
  });
  openDialog(
    "Keys",
    null,
    make(
      "table",
      make(
        "tbody",
        GOLD_KEYS.map(([keys, text]) =>
          make(
            "tr",
            make("th", { scope: "row" }, keys.split(" ").map((key) => [make("kbd", key), " "])),
            make("td", text),
          )
        ),
      ),
    ),
    make("label.check", box, "Single-key shortcuts are on"),
  );
}

/** Actions by key. @type {Record<string, (event: KeyboardEvent) => unknown>} */
const ACTS = {
  h: ({ altKey }) => mark(false, altKey),
  a: ({ altKey }) => mark(true, altKey),
  u: () => takeBack(quoteToTake(shown.writing, shown.doc?.id ?? "", view.caret)),
  q: () => ask(),
  t: () => ask(tagsField),
  x: () => toggleAnswer(),
  "/": () => {
    asideOfLists.open = true;
    searchField.focus();
    searchField.select();
  },
  n: () => step(1),
  N: () => step(-1),
  y: () => decideDraft("accept"),
  e: () => decideDraft("mend"),
  r: () => decideDraft("reject"),
  w: () => select("words"),
  s: () => select("sentences"),
  "?": () => help(),
};
/** @type {Record<string, string>} */
const WAYS = { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down" };

/** Whether an element takes text. @param {unknown} target */
const takesText = (target) =>
  target instanceof Element && target.matches("input:not([type=checkbox]),textarea,select");

/** @param {KeyboardEvent} event */
function pressed(event) {
  const { key, target, altKey, ctrlKey, metaKey, shiftKey } = event, field = takesText(target);
  if (event.defaultPrevented || event.isComposing || find("dialog[open]")) return;
  byId("status").className = "hidden";
  if (key === "Escape") {
    if (field) focusText();
    else view.release(null);
    return;
  }
  if (field || ctrlKey || metaKey || !shown.doc) return;
  const free = target === document.body || target === view.text ||
    (target instanceof Element && target.matches("#main,h1"));
  if (WAYS[key] && free) {
    event.preventDefault();
    focusText();
    return view.move(WAYS[key], shiftKey, altKey);
  }
  if (key === "Enter" && free) {
    event.preventDefault();
    return ask();
  }
  const letter = altKey ? event.code.replace(/^Key/, "").toLowerCase() : key;
  if (!shown.keysOn || !Object.hasOwn(ACTS, letter) || (altKey && !"ha".includes(letter))) return;
  event.preventDefault();
  return ACTS[letter](event);
}

/** Follow a link inside of the page at once. @param {MouseEvent} event */
function followLink(event) {
  const { target } = event,
    address = target instanceof Element && target.closest("a[href^='#']")?.getAttribute("href");
  if (!address || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  if (address === "#main") return focusText();
  if (innerWidth <= WIDE_ENOUGH) asideOfLists.open = false;
  return goTo(placeOf(address));
}

/** Follow the colour scheme of the system. */
function followColours() {
  const dark = matchMedia("(prefers-color-scheme:dark)");
  const set = () => {
    goldRoot.dataset.theme = dark.matches ? "dark" : "light";
  };
  dark.addEventListener("change", set);
  set();
}

/** Watch the heights of bars, and the pointer on the toolbar. */
function watchPage() {
  const head = byId("head");
  const watcher = new ResizeObserver(() => {
    page.style.setProperty("--tools", `${tools.offsetHeight}px`);
    page.style.setProperty("--head", `${head.offsetHeight}px`);
  });
  watcher.observe(tools);
  watcher.observe(head);
  tools.addEventListener("pointerdown", (event) => {
    view.hold();
    if (event.target instanceof Element && event.target.closest("button")) event.preventDefault();
  });
  addEventListener("keydown", pressed);
  addEventListener("click", followLink);
  addEventListener("popstate", () => openPlace(placeOf(location.hash)));
  addEventListener("online", () => outbox.pump());
  addEventListener("focus", refresh);
}

/** Read what other windows have changed. */
async function refresh() {
  if (outbox.events.length) return outbox.pump();
  try {
    Object.assign(shown.gold, await getJson("api/gold"));
    drawLists();
    drawPanel();
  } catch (error) {
    if (statusOf(error) === 401) refuse(messageOf(error));
  }
  return null;
}

async function startGold() {
  followColours();
  byId("main").before(make("div", { id: "head" }, byId("bar"), bannerNode));
  try {
    shown.gold = await getJson("api/gold");
  } catch (error) {
    byId("main").replaceChildren(make("div.page", make("h1", messageOf(error))));
    goldRoot.dataset.state = "ready";
    return;
  }
  outbox = new GoldOutbox({
    storage: browserStorage,
    name: nameOf("outbox"),
    clock: { later: (act, wait) => setTimeout(act, wait) },
    fill: (bytes) => crypto.getRandomValues(bytes),
    send: (event) => postJson("api/events", event),
    listener: {
      answered: (state) => {
        Object.assign(shown.gold, state);
        drawAll();
      },
      rejected: (event, why) => {
        shown.rejected = { event, why };
        drawSaved();
      },
      changed: () => drawSaved(),
    },
  });
  view = new AssessTextView(paper, { announce: tell, onEntry: () => {}, onLook: () => {} });
  shown.writing = leftWriting();
  words.value = shown.writing.text;
  tagsField.value = shown.writing.tags;
  byId("main").replaceChildren(page);
  watchPage();
  outbox.pump();
  const { drafts, documents } = shown.gold, first = nextDraft(drafts, "");
  shown.draft = first?.key ?? "";
  const quote = first?.needs.flat().find(({ start }) => start >= 0), place = placeOf(location.hash);
  if (place.doc) await openPlace(place);
  else if (quote) await openPlace({ doc: quote.document, span: [quote.start, quote.end] });
  else await openPlace({ doc: documents[0], span: null });
}

startGold();
