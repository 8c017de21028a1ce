/** Dialogs of the page: the keys, the choice of runs. */
import { make, named } from "./dom.js";
import { SHORTCUTS } from "./keys.js";
import { ranking } from "./state.js";

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
