/** Slider over the ranks of results. */
import { icon, make } from "./dom.js";
import { button } from "./grid.js";

/** @import { Child } from "./types.d.ts" */

/** A slider over ranks between two buttons, and a place for words; `show` sets all of them.
 * @param {(rank: number) => unknown} move */
export function makeRankBar(move) {
  const words = make("span.note");
  /** @type {HTMLInputElement} */
  const slider = make("input", {
    type: "range",
    min: 1,
    "aria-label": "Results up to rank",
    on: { input: () => move(Number(slider.value)) },
  });
  /** @param {number} by @param {"left" | "right"} side @param {string} key @param {string} label */
  const step = (by, side, key, label) =>
    button([icon(side), make("kbd", key)], () => move(Number(slider.value) + by), { "aria-label": label });
  const node = make(
    "div.rank-bar",
    step(-1, "left", ",", "One result fewer"),
    slider,
    step(1, "right", ".", "One result more"),
    words,
  );
  return {
    node,
    /** @param {number} rank @param {number} most @param {Child} about */
    show(rank, most, about) {
      slider.max = `${most}`;
      slider.value = `${rank}`;
      slider.setAttribute("aria-valuetext", `${rank} of ${most}`);
      words.replaceChildren(make("span", about));
    },
  };
}
