/** Bar at the top of the page, and its dialogs. */
import { badge, find, icon, make, named } from "./dom.js";
import { NAMED_VIEWS, ranking, SHORTCUTS } from "./state.js";

/** @import { Child, Context, State } from "./types.d.ts" */

// Dialogs: keyboard shortcuts, choice of runs.
/** @param {string} title @param {(() => void) | null} closed @param {Child[]} children */
function openDialog(title, closed, ...children) {
  const close = () => {
    dialog.remove();
    closed?.();
  };
  /** @type {HTMLDialogElement} */
  const dialog = make(
    "dialog",
    { "aria-label": title, on: { close, click: ({ target }) => target === dialog && dialog.close() } },
    make(
      "div",
      make("h2", title),
      children,
      make("button", { on: { click: () => dialog.close() } }, "Close"),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
}

/** Open the list of keyboard shortcuts, with a switch for all of them.
 * @param {boolean} on @param {(on: boolean) => void} setOn */
export function openHelp(on, setOn) {
  const rows = SHORTCUTS.map(([keys, , help]) =>
    make("tr", make("th", { scope: "row" }, keys.map((key) => [make("kbd", key), " "])), make("td", help))
  );
  /** @type {HTMLInputElement} */
  const box = make("input", { type: "checkbox", checked: on, on: { change: () => setOn(box.checked) } });
  openDialog(
    "Keys",
    null,
    make("table", make("tbody", rows)),
    make("label.check", box, "Single-key shortcuts are on"),
  );
}

/** Open the choice of runs; the page shows every change at once. @param {Context} context */
function openRuns({ overview, names, measure, latest, choose, toggle }) {
  const order = ranking(overview, measure);
  const boxes = order.map((run) => {
    const change = () => {
      toggle(run);
      refresh();
    };
    return make("input", { type: "checkbox", on: { change } });
  });
  const refresh = () =>
    order.forEach((run, i) => {
      boxes[i].checked = latest().runs.includes(run);
    });
  /** @param {string} label @param {number[]} runs */
  const pick = (label, runs) => {
    const click = () => {
      choose({ runs: runs.map((run) => names[run]) });
      refresh();
    };
    return [make("button", { on: { click } }, label), " "];
  };
  openDialog(
    "Runs",
    () => find("[data-key=runs]")?.focus(),
    make(
      "ol.plain",
      order.map((run, i) =>
        make("li", make("label.check", boxes[i], named(names[run], 36), i < 9 && make("kbd", i + 1)))
      ),
    ),
    pick("Best two", order.slice(0, 2)),
    pick("All", order),
  );
  refresh();
}

// The bar: breadcrumb, measure, runs, links.
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
  const ends = { pair: "Two runs", passages: "Passages", document: doc };
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
  const select = make("select", {
    "data-key": label,
    "aria-label": label,
    on: { change: () => act(select.selectedIndex) },
  }, options.map((text, i) => make("option", { selected: i === value }, text)));
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

/** @param {Context} context */
function copyButton({ announce }) {
  const word = make("span.word", "Copy link");
  /** @param {string} text */
  const say = (text) => () => announce(word.textContent = text);
  const click = () =>
    navigator.clipboard.writeText(location.href).then(
      say("Link copied"),
      say("Could not copy; use the address bar"),
    );
  return make("button", { "data-key": "copy", on: { click } }, icon("link"), word);
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
