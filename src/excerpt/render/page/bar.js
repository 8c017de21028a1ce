/** Bar at the top of the page, and its dialogs. */
import { badge, icon, make, named } from "./dom.js";
import { NAMED_VIEWS, ranking, SHORTCUTS } from "./state.js";

// Dialogs of the page: the keys, the choice of runs.
function openDialog(title, closed, ...children) {
  const act = {
    close: () => [dialog.remove(), closed?.()],
    click: ({ target }) => target === dialog && dialog.close(),
  };
  const dialog = make(
    "dialog",
    { "aria-label": title, on: act },
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

/** Opens the list of keys, with a switch for all of them. @param {boolean} on @param {function(boolean): void} setOn */
export function openHelp(on, setOn) {
  const rows = SHORTCUTS.map(([keys, , help]) =>
    make("tr", make("th", { scope: "row" }, keys.map((key) => [make("kbd", key), " "])), make("td", help))
  );
  const box = make("input", { type: "checkbox", checked: on, on: { change: () => setOn(box.checked) } });
  openDialog(
    "Keys",
    null,
    make("table", make("tbody", rows)),
    make("label.check", box, "Single keys are on"),
  );
}

/** Opens the choice of runs; every change is a choice in the page at once. @param {Context} context */
export function openRuns({ overview, names, measure, latest, choose, toggle }) {
  const order = ranking(overview, measure);
  const boxes = order.map((run) =>
    make("input", { type: "checkbox", on: { change: () => refresh(toggle(run)) } })
  );
  const refresh = () =>
    order.forEach((run, i) => {
      boxes[i].checked = latest().runs.includes(run);
    });
  const pick = (
    label,
    runs,
  ) => [
    make("button", { on: { click: () => refresh(choose({ runs: runs.map((run) => names[run]) })) } }, label),
    " ",
  ];
  openDialog(
    "Runs",
    () => document.querySelector("[data-key=runs]")?.focus(),
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

// The bar at the top: where we are, and what can be chosen.
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
