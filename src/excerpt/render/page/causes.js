/** Bars of counterfactuals: the share of a gap that each cause closes alone. */
import { make } from "./dom.js";
import { percent } from "./format.js";

/** @import { Child } from "./types.d.ts" */

/** @param {string} words @param {{cause: string, share: number}[]} causes */
export function drawCauses(words, causes) {
  return make(
    "div.causes",
    make("p", words),
    make(
      "ul.plain",
      { "aria-label": "Share of the gap that closes, each alone" },
      make("li.note", "each alone"),
      causes.map(({ cause, share }) => {
        const bar = make("i");
        bar.style.width = `${100 * Math.min(Math.max(share, 0), 1)}%`;
        return make("li", make("span", cause), make("span.track", bar), make("b", percent(share)));
      }),
    ),
  );
}
