/** Measures in words: a sentence beside a name, and the view with their definitions. */
import { make } from "./dom.js";

/** @import { Context, Measure, View } from "./types.d.ts" */

/** A name or control of a measure, with a sentence on pointer and focus; Escape closes it.
 * @param {HTMLElement} node @param {Measure} measure @param {Context["link"]} link */
export function explained(node, { name, about }, link) {
  /** @type {HTMLElement | null} */
  let tip = null;
  const hide = () => {
    tip?.remove();
    tip = null;
  };
  const show = () => {
    if (tip) return;
    tip = make(
      "span.tip",
      { role: "tooltip" },
      `${about} `,
      make(
        "a",
        { href: link({ view: "measures", m: name }) },
        "Definition",
        make("span.hidden", ` of ${name}`),
      ),
    );
    box.append(tip);
    const { left, bottom } = box.getBoundingClientRect();
    tip.style.left = `${Math.max(8, Math.min(left, innerWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${bottom}px`;
  };
  /** @type {HTMLElement} */
  const box = make("span.explained", {
    on: {
      pointerenter: show,
      pointerleave: () => box.contains(document.activeElement) || hide(),
      focusin: show,
      focusout: ({ relatedTarget }) => {
        if (!(relatedTarget instanceof Node && box.contains(relatedTarget))) hide();
      },
      keydown: (event) => {
        if (event.key !== "Escape" || !tip) return;
        event.stopPropagation();
        hide();
      },
    },
  }, node);
  return box;
}

/** The name of a measure, explained. @param {Measure} measure @param {Context["link"]} link */
export const explainedName = (measure, link) =>
  explained(make("span", { tabindex: 0 }, measure.name), measure, link);

/** Draw the view "Measures". @param {Context} context @returns {View} */
export function drawMeasures({ overview: { measures }, measure }) {
  const sections = measures.map(({ name, topic, definition, formula, about }) =>
    make(
      "section.definition",
      { id: `measure-${name}` },
      make("h2", name),
      topic !== name && make("p.note", `mean of ${topic} over the topics`),
      (definition || about).split("\n\n").map((paragraph) =>
        make("p", paragraph.split("`").map((part, i) => i % 2 ? make("code", part) : part))
      ),
      formula && make("p.mono", `score of a topic = ${formula}`),
    )
  );
  return {
    title: "Measures",
    node: make("div.page", make("h1", { tabindex: -1 }, "Measures"), sections),
    shown: () => {
      if (measure > 0) sections[measure].scrollIntoView();
    },
  };
}
