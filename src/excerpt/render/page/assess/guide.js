/** The keys, as a dialog with a switch for the single ones. */
import { make } from "../dom.js";
import { button } from "../grid.js";
import { ASSESS_KEYS } from "./shortcuts.js";

/** @param {boolean} on whether single keys act @param {function(boolean)} setOn */
export function openGuide(on, setOn) {
  const rows = ASSESS_KEYS.map(([keys, , help]) =>
    make(
      "tr",
      make("th", { scope: "row" }, keys.split(" ").map((key) => [make("kbd", key), " "])),
      make("td", help),
    )
  );
  const box = make("input", { type: "checkbox", checked: on, on: { change: () => setOn(box.checked) } });
  const act = { close: () => dialog.remove(), click: ({ target }) => target === dialog && dialog.close() };
  const dialog = make(
    "dialog.guide",
    { "aria-label": "Keys", on: act },
    make(
      "div",
      make("h2", "Keys"),
      make("table", make("tbody", rows)),
      make("label.check", box, "Single keys are on"),
      button("Close", () => dialog.close()),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
}
