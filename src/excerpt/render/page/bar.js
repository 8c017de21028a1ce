/** The bar at the top: where we are, and what can be chosen. */
import { badge, icon, make, named } from "./dom.js";
import { openRuns } from "./help.js";
import { NAMED_VIEWS } from "./state.js";

function topicSteps({ state, overview: { topics }, link }) {
  const at = topics.findIndex(({ id }) => id === state.topic);
  return [[-1, "left", "["], [1, "right", "]"]].map(([by, arrow, key]) => {
    const { id } = topics[at + by] ?? {};
    return id &&
      make(
        "a.step",
        { href: link({ topic: id }), "aria-label": `Topic ${id}` },
        icon(arrow),
        make("kbd", key),
      );
  });
}

function crumbTrail(context) {
  const { state: { view, topic, doc }, overview: { title, topics }, link } = context,
    open = topics.find(({ id }) => id === topic);
  const trail = [
      [title || "Overview", { view: "overview" }],
      !NAMED_VIEWS.includes(view) && open && [`${open.id} ${open.title}`, { topic }],
      { pair: ["Two runs"], passages: ["Passages"], document: [doc] }[view],
    ].filter(Boolean),
    last = trail.length - 1;
  return make(
    "nav.crumbs",
    { "aria-label": "Where" },
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

/** A select with its label, which `mark` may stand for; its value is the number of an option.
 * @param {string} label @param {string[]} options @param {number} value @param {function(number): void} act @param {?Node} mark @returns {HTMLElement} */
export function picker(label, options, value, act, mark) {
  const select = make("select", {
    "data-key": label,
    "aria-label": label,
    on: { change: () => act(select.selectedIndex) },
  }, options.map((text, i) => make("option", { selected: i === value }, text)));
  return make("label.pick", mark ?? make("span.note", label), select, icon("down"));
}

/** Selects for the first two of some runs; one that takes the other's run gives its own for it.
 * @param {Context} context @param {number[]} runs @returns {HTMLElement[]} */
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

/** A button that opens the choice of runs. @param {Context} context @returns {HTMLElement} */
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

function copyButton({ announce }) {
  const word = make("span.word", "Copy link"), say = (text) => () => announce(word.textContent = text);
  const click = () =>
    navigator.clipboard.writeText(location.href).then(say("Link copied"), say("The address is the link"));
  return make("button", { "data-key": "copy", on: { click } }, icon("link"), word);
}

/** The nodes of the bar for a view. @param {Context} context @param {Node[]} tools @returns {Node[]} */
export function drawBar(context, tools) {
  const { state: { view }, overview: { measures }, measure, choose, link, help } = context,
    scores = !/passages|document/.test(view);
  return [
    crumbTrail(context),
    make(
      "div.tools",
      tools,
      scores &&
        picker(
          "Measure",
          measures.map(({ name }) => name),
          measure,
          (i) => choose({ m: i ? measures[i].name : "" }),
        ),
      scores && view !== "pair" && runsButton(context),
      scores && make("a.button", { href: link({ view: "passages" }) }, "Filter ", make("kbd", "/")),
      view !== "overview" && copyButton(context),
      make("button.quiet", { "data-key": "keys", on: { click: help } }, "Keys ", make("kbd", "?")),
    ),
  ];
}
