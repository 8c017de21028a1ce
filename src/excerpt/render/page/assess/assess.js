/** Wires the assessor's page: session, address, views, keys. The only module with listeners on the whole page. */
import { firstLeft, neighbour, readPlace, writePlace } from "./address.js";
import { Desk } from "./assessment_view.js";
import { drawGrades, goOwed, gradeKey } from "./grades.js";
import { drawLabels, drawNote, goBare, labelKey } from "./labels.js";
import { bareOf } from "./rules.js";
import { Saving } from "./saving.js";
import { Session } from "./session.js";
import { askedBy, openGuide } from "./shortcuts.js";
import { drawSecond, secondLayers } from "./suggestions.js";
import { askFor, tell } from "./sync.js";
import { askTerm, drawTerms, termLayers } from "./terms.js";
import { drawTopics, nextUp } from "./topics.js";
import { icon, make, named } from "../dom.js";
import { button } from "../grid.js";

const root = document.documentElement;
const element = (id) => document.getElementById(id);
/** Milliseconds between looks for a server that was not there at the start. */
const AGAIN = 3000;
/** `turn` counts the places that were asked for, `shown` is the one that stands there. */
const now = { place: readPlace(""), turn: 0, shown: 0, keysOn: true };
/** Says something to a screen reader; to all, if it is why nothing happened. */
const announce = (text, why = false) => {
  Object.assign(element("status"), { textContent: text, className: why ? "why" : "hidden" });
};
const unable = (text) => announce(text, true);
const link = (place) => `#${writePlace({ topic: "", doc: "", ...place })}`;
/** What stands beside the text: sections before and after what is left to do, layers, keys that mean a grade or a label. */
const PARTS = {
  before: [drawGrades, drawLabels, drawTerms],
  after: [drawNote, drawSecond],
  layers: [termLayers, secondLayers],
  keys: [gradeKey, labelKey],
  askTerm,
  goOwed: (context) => (context.procedure.labels && bareOf(context.state).length ? goBare : goOwed)(context),
};

/** A storage that forgets, where the browser has none for us. */
function forgetful() {
  const kept = new Map();
  return {
    closed: true,
    get length() {
      return kept.size;
    },
    key: (i) => [...kept.keys()][i],
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => kept.set(key, value),
    removeItem: (key) => kept.delete(key),
  };
}

function openStorage() {
  try {
    return localStorage;
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    return forgetful();
  }
}

const clock = {
  now: () => Date.now(),
  later: (act, wait) => setTimeout(act, wait),
  cancel: (timer) => clearTimeout(timer),
};
const ask = { get: askFor, post: tell };
const storage = openStorage();
const session = new Session({
  ask,
  storage,
  clock,
  fill: (bytes) => crypto.getRandomValues(bytes),
  told: {
    changed: (key) => key === now.view?.key && now.view.refresh(),
    learned,
    finished,
    conflict: (key) => key === now.view?.key && now.view.conflict(),
    status: () => saving.update(session),
  },
});
const saving = new Saving({
  tryNow: () => session.sync.tryNow(),
  dismiss: (id) => session.dismiss(id),
  decide,
});

/** Many answers come at once; the view is drawn once. */
function learned(key) {
  if (key !== now.view?.key || now.learning) return;
  now.learning = true;
  queueMicrotask(() => {
    now.learning = false;
    if (key === now.view?.key) now.view.refresh();
  });
}

/** What comes next may depend on what was finished, and there may be a second look at it. */
async function finished(key) {
  try {
    await session.renew(JSON.parse(key)[0]);
  } catch (error) {
    return unable(`The list of documents is not up to date: ${error.message}`);
  }
  if (key !== now.view?.key) return null;
  now.view.redraw();
  return now.view.offer(session.rowOf(key));
}

function decide(key) {
  const [topic, doc] = JSON.parse(key);
  if (now.view?.key === key) now.view.conflict();
  else go({ topic, doc });
}

const go = (place) => move("pushState", { topic: "", doc: "", ...place });

/** To the next or the previous document that is to be assessed. */
function step(by) {
  const next = neighbour(session.campaign, now.place, by);
  if (next) return go(next);
  return unable(by > 0 ? "Nothing else is left to assess." : "Nothing before this is left to assess.");
}

/** From the list of topics: what its button says. */
function goOn() {
  const next = nextUp(session.campaign);
  if (next) go({ topic: next.topic, doc: next.doc });
}

const shared = () => ({
  session,
  campaign: session.campaign,
  procedure: session.campaign.asks,
  place: now.place,
  go,
  link,
  step,
  announce,
  unable,
  storage,
  ask,
  parts: PARTS,
});

function drawMissing(sentence) {
  return {
    title: sentence,
    node: make(
      "div.page",
      make("h1", { tabindex: -1 }, sentence),
      make("p.lead", make("a", { href: "#" }, "My topics")),
    ),
  };
}

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
    return new Desk(shared(), topic, await session.document(place.topic, place.doc));
  } catch (error) {
    if (error.status === undefined && !/server/.test(error.message)) console.error(error);
    return drawMissing(error.message);
  }
}

function drawBar() {
  const { campaign } = session,
    { topic, doc } = now.place,
    open = campaign.topics.find(({ id }) => id === topic);
  const trail = topic
    ? [
      ["My topics", "#"],
      [open ? `${open.id} ${open.title || open.text || ""}`.trim() : topic],
      doc && [doc],
    ].filter(Boolean)
    : [[campaign.title || "My topics"]];
  element("bar").replaceChildren(
    make(
      "nav.crumbs",
      { "aria-label": "Where" },
      make("a.logo", { href: "#" }, icon("logo"), make("span", "excerpt")),
      make(
        "ol.plain",
        trail.map(([text, href], i) =>
          make(
            "li",
            make(href ? "a" : i === trail.length - 1 ? "strong" : "span", {
              href,
              "aria-current": i === trail.length - 1 && "page",
            }, named(text, 40)),
          )
        ),
      ),
    ),
    make(
      "div.tools",
      saving.node,
      make("span.note.who", "Assessor ", make("b", named(campaign.assessor, 18))),
      button(["Keys ", make("kbd", "?")], help, { class: "quiet keys", "data-key": "keys" }),
    ),
  );
}

function put(view) {
  now.view?.dispose?.();
  element("main").inert = false;
  now.view = view;
  element("main").replaceChildren(view.node);
  document.title = [view.title, session.campaign?.title].filter(Boolean).join(" · ");
}

/** Shows a place; of several calls the newest counts. What stands there meanwhile is left and takes no more actions. */
async function turn(place, top = 0) {
  const number = ++now.turn;
  element("main").inert = true;
  now.place = place;
  announce("");
  root.dataset.state = "loading";
  const slow = setTimeout(
    () => number === now.turn && put({ node: make("p.page", "Reading the document …") }),
    300,
  );
  const view = await drawView(place);
  clearTimeout(slow);
  if (number !== now.turn) return view.dispose?.();
  now.shown = number;
  put(view);
  drawBar();
  view.shown?.();
  scrollTo(0, top);
  if (number > 1 && !document.querySelector("dialog[open]")) {
    element("main").querySelector("h1")?.focus({ preventScroll: true });
  }
  return finish(number);
}

async function finish(number) {
  await new Promise((done) => {
    requestAnimationFrame(() => setTimeout(done));
    setTimeout(done, 400);
  });
  if (number === now.turn) root.dataset.state = "ready";
}

function move(method, place) {
  if (writePlace(place) === writePlace(now.place)) return;
  if (method === "pushState") history.replaceState({ top: scrollY }, "");
  history[method](null, "", link(place));
  turn(place);
}

function help() {
  if (!document.querySelector("dialog[open]")) {
    openGuide(now.keysOn, (on) => {
      now.keysOn = on;
    });
  }
}

const isField = (target) => target.matches?.("input:not([type=checkbox],[type=radio]),textarea,select");
const isFree = (target) => target === document.body || target.matches?.("#text,#main,h1");

/** What a key does in the view that stands there; true if it is no longer the browser's. */
function perform(asked) {
  const { action } = asked, { context, acts = {}, sheet } = now.view ?? {};
  if (action === "help") help();
  else if (now.shown !== now.turn) return false;
  else if (action === "term" && context) askTerm(context);
  else if (/^(left|right|up|down)$/.test(action)) {
    const text = element("text"), active = document.activeElement;
    if (
      !acts[action] || !(sheet.choosing || isFree(active)) ||
      (/up|down/.test(action) && active !== text && !sheet.choosing)
    ) return false;
    if (active !== text) text.focus({ preventScroll: true });
    acts[action](asked);
  } else if (acts[action]) acts[action](asked);
  else if (action === "next" && !context) goOn();
  else return false;
  return true;
}

function press(event) {
  element("status").className = "hidden";
  if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
  const view = now.shown === now.turn && now.view,
    field = isField(event.target),
    graph = event.getModifierState("AltGraph");
  if (event.key === "Enter" && view.sheet?.choosing && !field) {
    event.preventDefault();
    view.setEntry(view.sheet.offered);
    return;
  }
  if (field && event.key === "Escape") {
    event.target.blur();
    return;
  }
  const single = now.keysOn && !field && event.key.length === 1 &&
    (graph || !(event.ctrlKey || event.altKey || event.metaKey));
  const graded = single && view.context && PARTS.keys.some((take) => take(view.context, event.key));
  const asked = !graded &&
    askedBy(event, { field, graph, singles: now.keysOn, lock: event.getModifierState("CapsLock") });
  if (graded || (asked && perform(asked))) event.preventDefault();
}

/** Follows a link within the page at once, so that the state is `loading` before anyone can look. */
function follow(event) {
  const address = event.target.closest?.("a[href^='#']")?.getAttribute("href");
  if (
    !address || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey ||
    event.altKey
  ) return;
  event.preventDefault();
  if (address === "#main") (element("text") ?? element("main")).focus();
  else move("pushState", readPlace(address));
}

function arrive({ state }) {
  const place = readPlace(location.hash);
  if (writePlace(place) !== writePlace(now.place)) turn(place, state?.top);
}

/** Follows the scheme of the system, unless the page was told one. */
function followScheme() {
  const dark = matchMedia("(prefers-color-scheme:dark)");
  if (root.dataset.theme) return;
  dark.onchange = () => {
    root.dataset.theme = dark.matches ? "dark" : "light";
  };
  dark.onchange();
}

/** Nobody may come back: what is being written is sent, and the time told. */
function leave() {
  session.release();
  now.view?.tell?.();
}

function listen() {
  addEventListener("popstate", arrive);
  addEventListener("keydown", press);
  addEventListener("click", follow);
  addEventListener("online", () => session.sync.tryNow());
  addEventListener("storage", ({ key, newValue }) => session.notice(key, newValue));
  for (const sign of ["keydown", "pointermove", "pointerdown", "scroll"]) {
    addEventListener(sign, () => now.view?.activity?.note(), { passive: true });
  }
  addEventListener("pagehide", leave);
  addEventListener("visibilitychange", () => document.hidden && leave());
  history.scrollRestoration = "manual";
}

async function start() {
  followScheme();
  const head = make("div", { id: "head" }, element("bar"), saving.banner);
  element("main").before(head);
  if (!CSS.highlights) {
    head.after(
      make(
        "p.page",
        "This browser cannot paint passages in the text. Use Chromium 105, Firefox 140, Safari 17.2 or later.",
      ),
    );
  }
  await open();
}

/** Begins with the list of documents; without a server, when it is there. */
async function open() {
  try {
    await session.open();
  } catch (error) {
    if (!now.view) put(drawMissing(error.message));
    if (error.status === undefined) setTimeout(open, AGAIN);
    return finish(now.turn);
  }
  listen();
  return turn(readPlace(location.hash));
}

start();
