/** Entry module of the assessor's page: session, address, views, keys, listeners of the whole page. */
import { firstLeft, neighbour, readPlace, writePlace } from "./address.js";
import { AssessmentView } from "./assessment_view.js";
import { decides, decisionLayers, decisionMarks, drawDecisions, revealNames } from "./decisions.js";
import { areNew, openGuidelines } from "./guidelines.js";
import { drawGrades, goToUngraded, gradeKey, sayUngraded } from "./grades.js";
import { drawLabels, drawNote, goToUnlabelled, labelKey } from "./labels.js";
import { unlabelledOf } from "./rules.js";
import { Saving } from "./saving.js";
import { Session } from "./session.js";
import { askedBy, openGuide } from "./shortcuts.js";
import { drawSecond, secondLayers } from "./suggestions.js";
import { getJson, messageOf, postJson, statusOf } from "./sync.js";
import { askTerm, drawTerms, stepTerm, termLayers } from "./terms.js";
import { drawTopics, nextUp } from "./topics.js";
import { byId, find, icon, make, named } from "../dom.js";
import { button } from "../grid.js";

/** @import { Asked, EventStorage, Parts, Place, PlainView, SharedContext } from "./types.d.ts" */

const root = document.documentElement;
/** Milliseconds between attempts to reach the server at the start. */
const AGAIN = 3000;
/** The shown place and its view; `turn` counts the requested places, `shown` is the turn of the view.
 * @type {{place: Place, turn: number, shown: number, keysOn: boolean, learning: boolean, again: number,
 *   view: AssessmentView | PlainView | null}} */
const now = {
  place: readPlace(""),
  turn: 0,
  shown: 0,
  keysOn: true,
  learning: false,
  again: 0,
  view: null,
};

/** The open document, null if another view is shown. */
const openView = () => (now.view instanceof AssessmentView ? now.view : null);

/** The open document if it has this key. @param {string} key */
const viewOf = (key) => (openView()?.key === key ? openView() : null);

/** Tell screen readers something; a reason why an action is impossible is visible. @param {string} text
 * @param {boolean} visible */
const announce = (text, visible = false) => {
  Object.assign(byId("status"), { textContent: text, className: visible ? "why" : "hidden" });
};
/** @param {string} text */
const unable = (text) => announce(text, true);
/** @param {Partial<Place>} place */
const link = (place) => `#${writePlace({ topic: "", doc: "", ...place })}`;
/** Sections of the panel before and after the requirements, layers, keys of grades and labels.
 * @type {Parts} */
const PARTS = {
  before: [drawDecisions, drawGrades, drawLabels, drawTerms],
  after: [drawNote, drawSecond],
  layers: [decisionLayers, termLayers, secondLayers],
  marks: (context) => (decides(context) ? decisionMarks(context) : []),
  keys: [gradeKey, labelKey],
  sayUngraded,
  goToMissing: (context) =>
    context.procedure.labels && unlabelledOf(context.state).length
      ? goToUnlabelled(context)
      : goToUngraded(context),
};

/** A storage that lasts as long as the window, for browsers that have none for the page.
 * @returns {EventStorage} */
function windowStorage() {
  /** @type {Map<string, string>} */
  const kept = new Map();
  return {
    closed: true,
    get length() {
      return kept.size;
    },
    key: (i) => [...kept.keys()][i] ?? null,
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  };
}

/** @returns {EventStorage} */
function openStorage() {
  try {
    // A closed storage throws at the first use.
    localStorage.getItem("");
    return localStorage;
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    return windowStorage();
  }
}

const requests = { get: getJson, post: postJson };
const storage = openStorage();
const session = new Session({
  requests,
  storage,
  clock: {
    now: () => Date.now(),
    later: (act, wait) => setTimeout(act, wait),
    cancel: (timer) => clearTimeout(timer ?? undefined),
  },
  fill: (bytes) => crypto.getRandomValues(bytes),
  listener: {
    changed: (key) => viewOf(key)?.refresh(),
    learned,
    finished,
    conflict: (key) => viewOf(key)?.conflict(),
    status: () => saving.update(session),
  },
});
const saving = new Saving({
  tryNow: () => session.sync.tryNow(),
  dismiss: (id) => session.dismiss(id),
  decide,
});

/** Redraw once for several answers. @param {string} key */
function learned(key) {
  if (!viewOf(key) || now.learning) return;
  now.learning = true;
  queueMicrotask(() => {
    now.learning = false;
    viewOf(key)?.refresh();
  });
}

/** Read the list of documents again, whose order may have changed, and offer a second look.
 * @param {string} key */
async function finished(key) {
  try {
    await session.renew(JSON.parse(key)[0]);
  } catch (error) {
    return unable(`The list of documents is not up to date: ${messageOf(error)}`);
  }
  const view = viewOf(key);
  view?.redraw();
  await view?.offer(session.rowOf(key));
  readAhead();
  if (view) await revealNames(view.context, (topic, name) => session.document(topic, name)).catch(() => null);
}

/** Show what other windows have changed since this one was left. */
async function comeBack() {
  const before = JSON.stringify(session.campaign.topics), { turn: number } = now;
  await session.catchUp(now.place).catch(() => saving.update(session));
  if (number !== now.turn || JSON.stringify(session.campaign.topics) === before) return;
  const { key } = /** @type {HTMLElement} */ (document.activeElement).dataset, view = openView();
  if (view) view.redraw();
  else if (!now.place.topic) put(drawTopics(shared()));
  if (!view && key) find(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
}

/** Open the choice between two versions of a document. @param {string} key */
function decide(key) {
  const [topic, doc] = JSON.parse(key), view = viewOf(key);
  if (view) view.conflict();
  else go({ topic, doc });
}

/** Go to the next or the previous unfinished document. @param {number} by */
function step(by) {
  const next = neighbour(session.campaign, now.place, by);
  if (next) return go(next);
  return unable(by > 0 ? "All other documents are finished." : "All earlier documents are finished.");
}

/** Go to the next document from the list of topics. */
function goOn() {
  const next = nextUp(session.campaign);
  if (next) go({ topic: next.topic, doc: next.doc });
}

/** @returns {SharedContext} */
const shared = () => ({
  session,
  campaign: session.campaign,
  procedure: session.campaign.asks,
  place: now.place,
  link,
  step,
  announce,
  unable,
  storage,
  requests,
  parts: PARTS,
});

/** A sentence instead of a view; with `again` it can be tried again, and is after a while.
 * @param {string} sentence @param {() => unknown} [again] @returns {PlainView} */
function drawMissing(sentence, again) {
  return {
    title: sentence,
    node: make(
      "div.page",
      make("h1", { tabindex: -1 }, sentence),
      again && make("p", button("Try again", again, { class: "primary", "data-key": "again" })),
      again && make("p.note", "The page tries by itself, too. What you have done is kept."),
      make("p.lead", make("a", { href: "#" }, "My topics")),
    ),
  };
}

/** Show a place again as soon as its document can be read. @param {Place} place @param {boolean} now_ */
function retry(place, now_ = false) {
  clearTimeout(now.again);
  const attempt = async () => {
    if (writePlace(place) !== writePlace(now.place)) return;
    try {
      await session.document(place.topic, place.doc);
      turn(place);
    } catch (error) {
      if (statusOf(error) === undefined) retry(place);
      else turn(place);
    }
  };
  if (now_) attempt();
  else now.again = setTimeout(attempt, AGAIN);
}

/** Read the next document ahead, as soon as this one is shown. */
function readAhead() {
  const next = neighbour(session.campaign, now.place, 1);
  if (now.place.doc) session.readAhead(next).catch(() => null); // it is read again when it is opened
}

/** @param {Place} place */
async function drawView(place) {
  const { campaign } = session, topic = campaign.topics.find(({ id }) => id === place.topic);
  if (!place.topic) return drawTopics(shared());
  if (!topic) return drawMissing(`There is no topic “${place.topic}” here.`);
  if (!place.doc) {
    const first = firstLeft(topic);
    if (!first) return drawMissing(`Topic ${topic.id} has no documents.`);
    Object.assign(place, first);
    history.replaceState(null, "", link(place));
  }
  try {
    return new AssessmentView(shared(), topic, await session.document(place.topic, place.doc));
  } catch (error) {
    if (statusOf(error) === 404) {
      return drawMissing(`There is no document “${place.doc}” in topic ${topic.id}.`);
    }
    if (statusOf(error) === undefined && !/server/.test(messageOf(error))) console.error(error);
    if (statusOf(error) !== undefined) return drawMissing(messageOf(error));
    retry(place);
    return drawMissing(messageOf(error), () => retry(place, true));
  }
}

/** The breadcrumb trail: texts, the first one with an address. @returns {[text: string, href?: string][]} */
function crumbs() {
  const { campaign } = session,
    { topic, doc } = now.place,
    open = campaign.topics.find(({ id }) => id === topic);
  if (!topic) return [[campaign.title || "My topics"]];
  const name = open ? `${open.id} ${open.title || open.text || ""}`.trim() : topic;
  return doc ? [["My topics", "#"], [name], [doc]] : [["My topics", "#"], [name]];
}

function drawBar() {
  const trail = crumbs(), last = trail.length - 1;
  byId("bar").replaceChildren(
    make(
      "nav.crumbs",
      { "aria-label": "Breadcrumb" },
      make("a.logo", { href: "#" }, icon("logo"), make("span", "excerpt")),
      make(
        "ol.plain",
        trail.map(([text, href], i) =>
          make(
            "li",
            make(href ? "a" : i === last ? "strong" : "span", {
              href,
              "aria-current": i === last && "page",
            }, named(text, 40)),
          )
        ),
      ),
    ),
    make(
      "div.tools",
      saving.node,
      make(
        "span.note.who",
        decides(session) ? "Adjudicator " : "Assessor ",
        make("b", named(session.campaign.assessor, 18)),
      ),
      session.campaign.guidelines &&
        button(["Guidelines ", make("kbd", "g")], guide, { class: "quiet", "data-key": "guidelines" }),
      button(["Keys ", make("kbd", "?")], help, { class: "quiet keys", "data-key": "keys" }),
    ),
  );
}

/** @param {AssessmentView | PlainView} view */
function put(view) {
  openView()?.dispose();
  byId("main").inert = false;
  now.view = view;
  byId("main").replaceChildren(view.node);
  document.title = [view.title, session.campaign?.title].filter(Boolean).join(" · ");
}

/** Show a place; of several calls the last one counts. Until it is shown, the old view takes no actions.
 * @param {Place} place @param {number} top scroll position */
async function turn(place, top = 0) {
  const number = ++now.turn;
  byId("main").inert = true;
  now.place = place;
  announce("");
  root.dataset.state = "loading";
  const slow = setTimeout(
    () => number === now.turn && put({ title: "", node: make("p.page", "Loading the document …") }),
    300,
  );
  const view = await drawView(place), opened = view instanceof AssessmentView ? view : null;
  clearTimeout(slow);
  if (number !== now.turn) return opened?.dispose();
  now.shown = number;
  put(view);
  drawBar();
  opened?.shown();
  scrollTo(0, top);
  if (number > 1 && !find("dialog[open]")) find("#main h1")?.focus({ preventScroll: true });
  return finish(number);
}

/** @param {number} number of a turn */
async function finish(number) {
  await new Promise((done) => {
    requestAnimationFrame(() => setTimeout(done));
    setTimeout(done, 400);
  });
  if (number === now.turn) root.dataset.state = "ready";
  readAhead();
}

/** Show a place under a new address. @param {Place} place */
function go(place) {
  if (writePlace(place) === writePlace(now.place)) return;
  history.replaceState({ top: scrollY }, "");
  history.pushState(null, "", link(place));
  turn(place);
}

function help() {
  if (!find("dialog[open]")) {
    const guidelines = Boolean(session.campaign.guidelines);
    openGuide({ ...session.campaign.asks, guidelines, decides: decides(session) }, now.keysOn, (on) => {
      now.keysOn = on;
    });
  }
}

/** Show the guidelines of the campaign. */
async function guide() {
  if (!session.campaign.guidelines || find("dialog[open]")) return;
  try {
    const { text } = await requests.get("api/guidelines");
    if (!find("dialog[open]")) openGuidelines(text);
  } catch (error) {
    unable(messageOf(error));
  }
}

/** @param {unknown} target @param {string} selector */
const matches = (target, selector) => target instanceof Element && target.matches(selector);
/** @param {unknown} target */
const isField = (target) => matches(target, "input:not([type=checkbox],[type=radio]),textarea,select");
/** @param {unknown} target */
const isFree = (target) => target === document.body || matches(target, "#text,#main,h1");

/** Do what a key asks for; false if the browser has to handle it. @param {Asked} asked */
function perform(asked) {
  const { action } = asked, view = openView();
  if (action === "help") help();
  else if (action === "guidelines") guide();
  else if (now.shown !== now.turn) return false;
  else if (!view) {
    if (action !== "next") return false;
    goOn();
  } else if (action === "term") askTerm(view.context);
  else if (/^(left|right|up|down)$/.test(action)) {
    const { choosing, text } = view.textView, active = document.activeElement;
    if (!choosing && (isField(active) || !view.context.procedure.marks && !isFree(active))) return false;
    if (active !== text) text.focus({ preventScroll: true });
    view.acts[action](asked);
  } else if (view.acts[action]) view.acts[action](asked);
  else return false;
  return true;
}

/** @param {KeyboardEvent} event */
function press(event) {
  byId("status").className = "hidden";
  if (event.defaultPrevented || find("dialog[open]")) return;
  const view = now.shown === now.turn ? openView() : null,
    { target, key } = event,
    field = isField(target),
    graph = event.getModifierState("AltGraph"),
    lock = event.getModifierState("CapsLock");
  if (key === "Enter" && view?.textView.choosing && !field) {
    event.preventDefault();
    view.setEntry(view.textView.offered);
    return;
  }
  if (key === "Enter" && view && isFree(target) && stepTerm(view.context, event.shiftKey ? -1 : 1)) {
    event.preventDefault();
    return;
  }
  if (field && key === "Escape") {
    if (target instanceof HTMLElement) target.blur();
    return;
  }
  const single = now.keysOn && !field && key.length === 1 &&
    (graph || !(event.ctrlKey || event.altKey || event.metaKey));
  const graded = single && view &&
    PARTS.keys.some((take) => take(view.context, lock ? key.toLowerCase() : key));
  const asked = graded ? null : askedBy(event, { field, graph, singles: now.keysOn, lock });
  if (graded || (asked && perform(asked))) event.preventDefault();
}

/** Follow a link within the page at once, so that its state is `loading` when the click returns.
 * @param {MouseEvent} event */
function follow(event) {
  const { target } = event,
    address = target instanceof Element && target.closest("a[href^='#']")?.getAttribute("href");
  if (
    !address || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey ||
    event.altKey
  ) return;
  event.preventDefault();
  if (address === "#main") (find("#text") ?? byId("main")).focus();
  else go(readPlace(address));
}

/** Show the place of an address from the history. @param {PopStateEvent} event */
function arrive({ state }) {
  const place = readPlace(location.hash);
  if (writePlace(place) !== writePlace(now.place)) turn(place, state?.top);
}

/** Follow the colour scheme of the system, unless the page has one. */
function followScheme() {
  const dark = matchMedia("(prefers-color-scheme:dark)");
  if (root.dataset.theme) return;
  const set = () => {
    root.dataset.theme = dark.matches ? "dark" : "light";
  };
  dark.onchange = set;
  set();
}

/** Send the text that is being typed and the working time, since the page may be closed. */
function leave() {
  session.release();
  openView()?.reportTime();
}

function listen() {
  addEventListener("popstate", arrive);
  addEventListener("keydown", press);
  addEventListener("click", follow);
  addEventListener("online", () => session.sync.tryNow());
  addEventListener("online", () => find("[data-key=again]") && retry(now.place, true));
  addEventListener("storage", ({ key, newValue }) => session.followStorage(key, newValue));
  for (const name of ["keydown", "pointermove", "pointerdown", "scroll"]) {
    addEventListener(name, () => openView()?.activity.note(), { passive: true });
  }
  addEventListener("pagehide", leave);
  addEventListener("focus", comeBack);
  addEventListener("visibilitychange", () => document.hidden ? leave() : comeBack());
  history.scrollRestoration = "manual";
}

async function start() {
  followScheme();
  const head = make("div", { id: "head" }, byId("bar"), saving.banner);
  byId("main").before(head);
  if (!CSS.highlights) {
    head.after(
      make(
        "p.page",
        "This browser cannot highlight passages in the text. ",
        "Use Chromium 105, Firefox 140, Safari 17.2 or later.",
      ),
    );
  }
  await open();
}

/** Read the campaign and show the address; if the server does not answer, try again later. */
async function open() {
  try {
    await session.open();
  } catch (error) {
    clearTimeout(now.again);
    const isAway = statusOf(error) === undefined;
    if (!now.view) put(drawMissing(messageOf(error), isAway ? open : undefined));
    if (isAway) now.again = setTimeout(open, AGAIN);
    root.dataset.state = "ready";
    return undefined;
  }
  listen();
  await turn(readPlace(location.hash));
  if (areNew(storage, session.campaign)) await guide();
}

start();
