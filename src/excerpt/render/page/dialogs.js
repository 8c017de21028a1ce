/** Dialogs: keyboard shortcuts, choice of runs. */
import { find, make, named } from "./dom.js";
import { count } from "./format.js";
import { ranking, SHORTCUTS } from "./state.js";

/** @import { Child, Context } from "./types.d.ts" */

/** Open a dialog; a click beside it closes it.
 * @param {string} title @param {(() => void) | null} closed @param {Child[]} children */
export function openDialog(title, closed, ...children) {
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
  return dialog;
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

/** Open the choice of runs; the page shows every change at once, except that no run is chosen.
 * @param {Context} context */
export function openRuns({ overview, names, measure, latest, choose }) {
  const order = ranking(overview, measure), chosen = new Set(latest().runs), said = make("p.note");
  const rows = order.map((run, i) => {
    /** @type {HTMLInputElement} */
    const box = make("input", { type: "checkbox", on: { change: () => set([run], box.checked) } });
    return {
      run,
      box,
      item: make("li", make("label.check", box, named(names[run], 36), i < 9 && make("kbd", i + 1))),
    };
  });
  const refresh = () => {
    for (const { run, box } of rows) box.checked = chosen.has(run);
    said.textContent = chosen.size
      ? `${chosen.size} of ${count(order.length, "run")} chosen.`
      : "Choose at least one run; the page still shows the last choice.";
  };
  /** @param {number[]} runs @param {boolean} on */
  const set = (runs, on) => {
    for (const run of runs) {
      if (on) chosen.add(run);
      else chosen.delete(run);
    }
    if (chosen.size) choose({ runs: [...chosen].map((run) => names[run]) });
    refresh();
  };
  /** The runs that the search shows. */
  const listed = () => rows.filter(({ item }) => !item.hidden).map(({ run }) => run);
  /** @type {HTMLInputElement} */
  const field = make("input.search", {
    type: "search",
    placeholder: "Search runs",
    "aria-label": "Search runs",
    on: {
      input: () => {
        const words = field.value.toLowerCase().split(/\s+/);
        for (const { run, item } of rows) {
          item.hidden = !words.every((word) => names[run].toLowerCase().includes(word));
        }
      },
    },
  });
  /** @param {string} label @param {() => void} click */
  const pick = (label, click) => [make("button", { on: { click } }, label), " "];
  openDialog(
    "Runs",
    () => find("[data-key=runs]")?.focus(),
    field,
    make(
      "p.picks",
      pick("All", () => set(listed(), true)),
      pick("None", () => set(listed(), false)),
      pick("Best two", () => {
        chosen.clear();
        set(order.slice(0, 2), true);
      }),
    ),
    said,
    make("ol.plain", rows.map(({ item }) => item)),
  );
  refresh();
}
