/** Bar at the top of the page. */
import { copyButton } from "./clipboard.js";
import { openRuns } from "./dialogs.js";
import { badge, icon, make, named } from "./dom.js";
import { middle } from "./format.js";
import { explained } from "./measures.js";
import { NAMED_VIEWS } from "./state.js";

/** @import { Child, Context, State } from "./types.d.ts" */

/** Links to the previous and the next topic. @param {Context} context */
function topicSteps({ state, overview: { topics }, link }) {
  const at = topics.findIndex(({ id }) => id === state.topic);
  /** @param {number} by @param {"left" | "right"} arrow @param {string} key */
  const step = (by, arrow, key) => {
    const id = topics[at + by]?.id;
    return id &&
      make(
        "a.step",
        { href: link({ topic: id }), "aria-label": `Topic ${id}` },
        icon(arrow),
        make("kbd", key),
      );
  };
  return [step(-1, "left", "["), step(1, "right", "]")];
}

/** @param {Context} context */
function crumbTrail(context) {
  const { state: { view, topic, doc }, overview: { title, topics }, link } = context,
    open = topics.find(({ id }) => id === topic);
  /** @type {[text: string, changes: Partial<State>][]} */
  const trail = [[title || "Overview", { view: "overview" }]];
  if (!NAMED_VIEWS.includes(view) && open) trail.push([`${open.id} ${open.title}`, { topic }]);
  /** @type {Record<string, string>} */
  const ends = {
    pair: "Two runs",
    pairs: "All pairs",
    passages: "Passages",
    documents: "Documents",
    measures: "Measures",
    document: doc,
  };
  if (ends[view]) trail.push([ends[view], {}]);
  const last = trail.length - 1;
  return make(
    "nav.crumbs",
    { "aria-label": "Breadcrumb" },
    make("a.logo", { href: "#" }, icon("logo"), make("span", "excerpt")),
    make(
      "ol.plain",
      trail.map(([text, changes], i) =>
        make(
          "li",
          make(i < last ? "a" : "strong", {
            href: i < last && link(changes),
            "aria-current": i === last && "page",
          }, named(text, 36)),
        )
      ),
    ),
    view === "topic" && topicSteps(context),
  );
}

/** A select with its label, which `mark` may replace; its value is the number of an option.
 * @param {string} label @param {string[]} options @param {number} value @param {(i: number) => unknown} act
 * @param {Node} [mark] */
export function picker(label, options, value, act, mark) {
  /** @type {HTMLSelectElement} */
  const select = make(
    "select",
    {
      "data-key": label,
      "aria-label": label,
      on: { change: () => act(select.selectedIndex) },
    },
    options.map((text, i) => {
      const short = middle(text, 32), cut = short !== text && text;
      return make("option", { selected: i === value, title: cut, "aria-label": cut }, short);
    }),
  );
  select.title = options[value]?.length > 32 ? options[value] : "";
  return make("label.pick", mark ?? make("span.note", label), select, icon("down"));
}

/** Selects for the first two of some runs; choosing the run of the other select swaps the two.
 * @param {Pick<Context, "names" | "choose">} context @param {number[]} runs */
export function pairPickers({ names, choose }, runs) {
  return runs.slice(0, 2).map((run, i) =>
    picker(
      "AB"[i],
      names,
      run,
      (picked) =>
        choose({ runs: runs.map((other, j) => names[j === i ? picked : other === picked ? run : other]) }),
      badge("AB"[i]),
    )
  );
}

/** A button that opens the choice of runs. @param {Context} context */
export function runsButton(context) {
  const { runs, names } = context, one = runs.length === 1;
  return make(
    "button.pick",
    { "data-key": "runs", on: { click: () => openRuns(context) } },
    make("span.note", one ? "Run" : "Runs"),
    make("b", one ? named(names[runs[0]]) : `${runs.length} of ${names.length}`),
    icon("down"),
  );
}

/** The bar before the data has arrived. @param {string} title */
export function drawFirstBar(title) {
  return make(
    "nav.crumbs",
    { "aria-label": "Breadcrumb" },
    make("a.logo", { href: "#" }, icon("logo"), make("span", "excerpt")),
    make("ol.plain", make("li", make("strong", named(title, 36)))),
  );
}

/** The nodes of the bar for a view. @param {Context} context @param {Child} tools */
export function drawBar(context, tools) {
  const { state: { view }, overview: { measures }, measure, choose, link, help, find, announce } = context,
    scores = !/passages|document$|measures/.test(view);
  return [
    crumbTrail(context),
    make(
      "div.tools",
      tools,
      scores &&
        explained(
          picker(
            "Measure",
            measures.map(({ name }) => name),
            measure,
            (i) => choose({ m: i ? measures[i].name : "" }),
          ),
          measures[measure],
          link,
        ),
      /overview|topic/.test(view) && runsButton(context),
      scores && make("a.button", { href: link({ view: "passages" }) }, "Passages"),
      make("button", { "data-key": "find", on: { click: find } }, "Find ", make("kbd", "/")),
      view !== "overview" && copyButton(
        ["Copy link", "Link copied", "Could not copy; use the address bar"],
        () => location.href,
        announce,
        { "data-key": "copy" },
      ),
      make("button.quiet", { "data-key": "keys", on: { click: help } }, "Keys ", make("kbd", "?")),
    ),
  ];
}
