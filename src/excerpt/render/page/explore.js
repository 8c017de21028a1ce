/** Entry point of report and explorer: data, address, views, keys. Only this module listens to the window. */
import { drawBar, drawFirstBar } from "./bar.js";
import { Missing, openData } from "./data.js";
import { openHelp } from "./dialogs.js";
import { drawDocument } from "./document.js";
import { byId, find, make } from "./dom.js";
import { openFinder } from "./finder.js";
import { count } from "./format.js";
import { drawMeasures } from "./measures.js";
import { drawOverview } from "./overview.js";
import { drawPair } from "./pair.js";
import { drawPairs } from "./pairs.js";
import { drawPassages } from "./passages.js";
import { drawProblem, drawUnknown, unknownIn } from "./problem.js";
import { drawDocuments } from "./run_documents.js";
import { actionOf, chosen, ranking, readAddress, reduce, START, writeAddress } from "./state.js";
import { drawTopic } from "./topic.js";

/** @import { Context, Data, Overview, Progress, State, View } from "./types.d.ts" */

/** @type {Record<string, (context: Context) => View | Promise<View>>} */
const DRAW = {
  overview: drawOverview,
  pair: drawPair,
  topic: drawTopic,
  passages: drawPassages,
  pairs: drawPairs,
  documents: drawDocuments,
  measures: drawMeasures,
  document: drawDocument,
};
const root = document.documentElement;
/** The state, the number of its turn, the drawn view and its context.
 * @type {{state: State, turn: number, keysOn: boolean, view: View | null, context: Context | null}} */
const now = { state: START, turn: 0, keysOn: true, view: null, context: null };
/** The data of the page, set before anything is drawn. @type {{data: Data, overview: Overview}} */
let loaded;

/** @param {Partial<State>} changes */
const link = (changes) => "#" + writeAddress(reduce(now.state, changes));
/** @param {Partial<State>} changes */
const address = (changes) =>
  /^http/.test(location.protocol) ? new URL(link(changes), location.href).href : "";
/** @param {string} text */
const announce = (text) => {
  byId("status").textContent = text;
};
const help = () =>
  openHelp(now.keysOn, (on) => {
    now.keysOn = on;
  });
const openFind = () => openFinder(latest());
/** @param {Partial<State>} changes */
const go = (changes) => move("pushState", reduce(now.state, changes));
/** @param {Partial<State>} changes */
const choose = (changes) => move("replaceState", reduce(now.state, changes));
const latest = () => contextOf(now.state);

/** @param {number} run */
function toggle(run) {
  const { names, runs } = latest(),
    next = runs.includes(run) ? runs.filter((other) => other !== run) : [...runs, run];
  if (run >= 0 && next.length) choose({ runs: next.map((number) => names[number]) });
}

/** @param {State} state @returns {Context} */
function contextOf(state) {
  const { data, overview } = loaded,
    { measure, runs } = chosen(state, overview),
    letters = runs.map((_, i) => String.fromCharCode(65 + (i % 26)));
  return {
    state,
    measure,
    runs,
    letters,
    names: overview.runs.map(({ name }) => name),
    data,
    overview,
    go,
    choose,
    toggle,
    link,
    address,
    help,
    find: openFind,
    announce,
    latest,
  };
}

/** Whether a view shows the comparison of the runs. @param {State} state */
const compares = ({ view }) => ["overview", "pair", "pairs"].includes(view);

/** Fill in the comparison of the runs by a measure, which a server makes when it is needed.
 * @param {number} measure */
async function compare(measure) {
  const { data, overview } = loaded;
  if (overview.verdicts[measure] || !data.comparison) return;
  const { intervals, comparisons, verdicts } = await data.comparison(overview.measures[measure].name);
  overview.intervals[measure] = intervals;
  overview.comparisons[measure] = comparisons;
  overview.verdicts[measure] = verdicts;
}

/** What the page shows while it waits: what a server compares, and how far it is.
 * @param {Data} data @param {boolean} comparing */
function drawWaiting(data, comparing) {
  const node = make("p.page", "Loading …");
  /** @param {Progress} progress */
  const say = ({ pairs, topics, done }) => {
    node.replaceChildren(
      done === 1
        ? `Looking for missed passages of ${count(topics, "topic")} … `
        : `Comparing ${count(pairs, "pair")} over ${count(topics, "topic")} … `,
      make("progress", { value: done < 1 && done, "aria-label": "Progress" }),
    );
    if (node.isConnected) setTimeout(ask, 300);
  };
  const ask = () => data.progress?.().then(say, () => {});
  if (comparing) setTimeout(ask);
  return node;
}

/** Draw a state; null if the present view shows it itself.
 * @param {State} state @param {boolean} same whether view, topic and document stay
 * @returns {Promise<[Context, View] | null>} */
async function draw(state, same) {
  const wrong = unknownIn(state, loaded.overview);
  const context = contextOf(wrong ? { ...state, runs: [], m: "" } : state);
  if (wrong) return [context, drawUnknown(wrong, { ...context, state })];
  try {
    if (compares(state)) await compare(context.measure);
    if (same && now.context && now.view?.update) {
      Object.assign(now.context, context);
      if (await now.view.update(context.state)) return null;
    }
    return [context, await DRAW[state.view](context)];
  } catch (error) {
    if (!(error instanceof Missing)) console.error(error);
    return [context, await drawProblem(error, context)];
  }
}

/** @param {View} view */
function put(view) {
  now.view?.dispose?.();
  now.view = view;
  byId("main").replaceChildren(view.node);
  document.title = [view.title, loaded?.overview.title || "excerpt"].filter(Boolean).join(" · ");
}

/** Show a state; of several calls the newest one counts. The focus stays on the element with the same key, or
 * goes to the new view. @param {State} state @param {number} [top] where the page was scrolled to before */
async function turn(state, top) {
  const number = ++now.turn, before = now.view && now.context?.state;
  const same = !!before && state.view === before.view && state.topic === before.topic &&
    state.doc === before.doc;
  const active = /** @type {HTMLElement} */ (document.activeElement), { key } = active.dataset;
  now.state = state;
  announce("");
  root.dataset.state = "loading";
  const slow = setTimeout(
    () => same || number !== now.turn || put({ title: "", node: drawWaiting(loaded.data, compares(state)) }),
    300,
  );
  const drawn = await draw(state, same);
  clearTimeout(slow);
  if (number !== now.turn) return drawn?.[1].dispose?.();
  if (drawn) {
    now.context = drawn[0];
    put(drawn[1]);
  }
  if (now.context) byId("bar").replaceChildren(...drawBar(now.context, now.view?.tools));
  if (!same) scrollTo(0, top ?? 0);
  const kept = key ? find(`[data-key="${CSS.escape(key)}"]`) : null,
    first = number > 1 ? now.view?.focus ?? find("h1", byId("main")) : null;
  (same ? active.isConnected ? active : kept : first)?.focus({ preventScroll: true });
  return finish(number, same || top !== undefined);
}

/** @param {number} number of the turn @param {boolean} kept whether the page stays where it is */
async function finish(number, kept = false) {
  await now.view?.shown?.(kept);
  await new Promise((done) => {
    requestAnimationFrame(() => setTimeout(done));
    setTimeout(done, 400);
  });
  if (number === now.turn) root.dataset.state = "ready";
}

/** Write the address and show its state. The address stays where the browser refuses (in a notebook).
 * @param {"pushState" | "replaceState"} method @param {State} state */
function move(method, state) {
  if (writeAddress(state) === writeAddress(now.state)) return;
  try {
    if (method === "pushState") history.replaceState({ top: scrollY }, "");
    history[method](null, "", "#" + writeAddress(state));
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
  }
  turn(state);
}

/** @param {"topic" | "doc"} key @param {number} by */
async function step(key, by) {
  const { data, overview } = loaded;
  const topics = overview.topics.map(({ id }) => id), at = topics.indexOf(now.state.topic);
  const ids = key === "topic" ? topics : at < 0 ? [] : (await data.topic(at)).documents.id,
    next = ids[ids.indexOf(now.state[key]) + by];
  if (next) go({ [key]: next });
}

/** Actions of keys that a view does not override. @type {Record<string, (digit: number) => unknown>} */
const ACTS = {
  previousTopic: () => step("topic", -1),
  nextTopic: () => step("topic", 1),
  previousDocument: () => step("doc", -1),
  nextDocument: () => step("doc", 1),
  run: (digit) => toggle(ranking(loaded.overview, latest().measure)[digit - 1]),
  help,
  find: openFind,
};

/** @param {KeyboardEvent} event */
function press(event) {
  if (event.defaultPrevented || find("dialog[open]")) return;
  if (
    event.key.toLowerCase() === "k" && event.ctrlKey !== event.metaKey && !event.altKey && !event.shiftKey
  ) {
    event.preventDefault();
    return openFind();
  }
  if (!now.keysOn) return;
  const inSelect = event.target instanceof Element && event.target.matches("select");
  const [action, digit] = actionOf(event, inSelect, event.getModifierState("AltGraph")) ?? ["", 0];
  const act = now.view?.keys?.[action] ?? ACTS[action];
  if (!act) return;
  event.preventDefault();
  act(digit);
}

/** Follow a link within the page at once, so that the page is marked as `loading` before the click is over.
 * @param {MouseEvent} event */
function follow(event) {
  const link = event.target instanceof Element ? event.target.closest("a[href^='#']") : null,
    address = link?.getAttribute("href");
  if (
    !address || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey ||
    event.altKey
  ) return;
  event.preventDefault();
  if (address === "#main") (find("#text") ?? byId("main")).focus();
  else move("pushState", readAddress(address));
}

/** @param {PopStateEvent} event */
function arrive({ state }) {
  const next = readAddress(location.hash);
  if (writeAddress(next) !== writeAddress(now.state)) turn(next, state?.top);
}

/** Follow the colour scheme of the system, unless the page names one. */
function followScheme() {
  const dark = matchMedia("(prefers-color-scheme:dark)");
  if (root.dataset.theme) return;
  const adopt = () => {
    root.dataset.theme = dark.matches ? "dark" : "light";
  };
  dark.onchange = adopt;
  adopt();
}

async function start() {
  followScheme();
  if (!CSS.highlights) {
    byId("main").before(
      make("p.page", "This browser cannot highlight passages in the text; the scores are correct."),
    );
  }
  try {
    const data = openData(root);
    if (data.progress) {
      byId("bar").replaceChildren(drawFirstBar(document.title));
      byId("main").replaceChildren(drawWaiting(data, true));
    }
    loaded = { data, overview: await data.overview() };
  } catch (error) {
    put(await drawProblem(error));
    return finish(now.turn);
  }
  addEventListener("popstate", arrive);
  addEventListener("keydown", press);
  addEventListener("click", follow);
  history.scrollRestoration = "manual";
  return turn(readAddress(location.hash || root.dataset.start || ""));
}

start();
