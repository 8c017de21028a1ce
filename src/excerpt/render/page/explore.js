/** Wires the page: data, address, views, keys. The only module with listeners on the whole page. */
import { drawBar, openHelp } from "./bar.js";
import { Missing, openData } from "./data.js";
import { drawDocument } from "./document.js";
import { make } from "./dom.js";
import { drawOverview } from "./overview.js";
import { drawPair } from "./pair.js";
import { drawPassages } from "./passages.js";
import { drawProblem, drawUnknown, unknownIn } from "./problem.js";
import { actionOf, chosen, ranking, readAddress, reduce, START, writeAddress } from "./state.js";
import { drawTopic } from "./topic.js";

/** @typedef {{state: State, data: Data, overview: Object, measure: number, runs: number[], letters: string[], names: string[], go: Function, choose: Function,
 *   toggle: function(number): void, link: function(Object): string, help: Function, announce: Function, latest: function(): Context}} Context
 *   what a view is given: `letters[i]` stands for run `runs[i]`, `names` are of all runs, `go(changes)` pushes an address, `choose(changes)` replaces it,
 *   `toggle(run)` chooses a run or no longer, `latest` gives the context of this moment */
/** @typedef {{node: Element, title: string, tools: ?Node[], focus: ?Element, keys: ?Object, update: ?function(State): boolean, shown: ?Function,
 *   dispose: ?Function}} View */

const DRAW = {
  overview: drawOverview,
  pair: drawPair,
  topic: drawTopic,
  passages: drawPassages,
  document: drawDocument,
};
const root = document.documentElement;
const element = (id) => document.getElementById(id);
const now = { state: START, turn: 0, keysOn: true };

const link = (changes) => "#" + writeAddress(reduce(now.state, changes));
const announce = (text) => {
  element("status").textContent = text;
};
const help = () =>
  openHelp(now.keysOn, (on) => {
    now.keysOn = on;
  });
const go = (changes) => move("pushState", reduce(now.state, changes));
const choose = (changes) => move("replaceState", reduce(now.state, changes));
const latest = () => contextOf(now.state);

function toggle(run) {
  const { names, runs } = latest(),
    next = runs.includes(run) ? runs.filter((other) => other !== run) : [...runs, run];
  if (run >= 0 && next.length) choose({ runs: next.map((number) => names[number]) });
}

function contextOf(state) {
  const { data, overview } = now,
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
    help,
    announce,
    latest,
  };
}

/** Draws a state, or gives null if the view that stands there shows it. */
async function draw(state, same) {
  const wrong = unknownIn(state, now.overview);
  const context = contextOf(wrong ? { ...state, runs: [], m: "" } : state);
  if (wrong) return [context, drawUnknown(wrong, { ...context, state })];
  try {
    if (same && now.view.update && await now.view.update(Object.assign(now.context, context).state)) {
      return null;
    }
    return [context, await DRAW[state.view](context)];
  } catch (error) {
    if (!(error instanceof Missing)) console.error(error);
    return [context, await drawProblem(error, context)];
  }
}

function put(view) {
  now.view?.dispose?.();
  now.view = view;
  element("main").replaceChildren(view.node);
  document.title = [view.title, now.overview?.title].filter(Boolean).join(" · ");
}

/** Shows a state; of several calls the newest counts. The focus stays on what has the same key, or goes to the new view. */
async function turn(state, top = 0) {
  const number = ++now.turn,
    same = now.view && ["view", "topic", "doc"].every((key) => state[key] === now.context.state[key]);
  const active = document.activeElement, { key } = active.dataset;
  now.state = state;
  announce("");
  root.dataset.state = "loading";
  const slow = setTimeout(
    () => same || number !== now.turn || put({ node: make("p.page", "Reading the data …") }),
    300,
  );
  const drawn = await draw(state, same);
  clearTimeout(slow);
  if (number !== now.turn) return drawn?.[1].dispose?.();
  if (drawn) {
    now.context = drawn[0];
    put(drawn[1]);
  }
  element("bar").replaceChildren(...drawBar(now.context, now.view.tools));
  if (!same) scrollTo(0, top);
  const kept = key && document.querySelector(`[data-key="${CSS.escape(key)}"]`),
    first = number > 1 && (now.view.focus ?? element("main").querySelector("h1"));
  (same ? active.isConnected ? active : kept : first)?.focus?.({ preventScroll: true });
  return finish(number);
}

async function finish(number) {
  now.view.shown?.();
  await new Promise((done) => {
    requestAnimationFrame(() => setTimeout(done));
    setTimeout(done, 400);
  });
  if (number === now.turn) root.dataset.state = "ready";
}

/** Writes the address and shows its state; where the browser refuses (a page inside a notebook) the state is kept here alone. */
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

async function step(key, by) {
  const topics = now.overview.topics.map(({ id }) => id), at = topics.indexOf(now.state.topic);
  const ids = key === "topic" ? topics : at < 0 ? [] : (await now.data.topic(at)).documents.id,
    next = ids[ids.indexOf(now.state[key]) + by];
  if (next) go({ [key]: next });
}

const ACTS = {
  previousTopic: () => step("topic", -1),
  nextTopic: () => step("topic", 1),
  previousDocument: () => step("doc", -1),
  nextDocument: () => step("doc", 1),
  run: (digit) => toggle(ranking(now.overview, latest().measure)[digit - 1]),
  help,
  filter: () => go({ view: "passages" }),
};

function press(event) {
  if (!now.keysOn || event.defaultPrevented || document.querySelector("dialog[open]")) return;
  const [action, digit] =
    actionOf(event, event.target.matches?.("select"), event.getModifierState("AltGraph")) ?? [];
  const act = now.view?.keys?.[action] ?? ACTS[action];
  if (!act) return;
  event.preventDefault();
  act(digit);
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
  else move("pushState", readAddress(address));
}

function arrive({ state }) {
  const next = readAddress(location.hash);
  if (writeAddress(next) !== writeAddress(now.state)) turn(next, state?.top);
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

async function start() {
  followScheme();
  if (!CSS.highlights) {
    element("main").before(
      make("p.page", "This browser cannot paint passages in the text; the numbers are right."),
    );
  }
  try {
    now.data = openData(root);
    now.overview = await now.data.overview();
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
