/** A document that was changed in another window: both versions are quoted, and nothing is decided unasked. */
import { make } from "../dom.js";
import { button } from "../grid.js";
import { count, whole } from "../format.js";
import { sweepSpans } from "../spans.js";
import { nounOf, projectState } from "./judging.js";

const AROUND = 90, LONGEST = 420;

/** The stretches of text that show a change; the first begins with a word. */
function windowsOf([start, end], { quote, paper: { size } }) {
  const near = Math.max(0, start - AROUND),
    words = Array.from(quote([near, start])),
    cut = words.findIndex((sign) => /\s/.test(sign));
  const from = near + (near > 0 && cut >= 0 && cut < 30 ? cut + 1 : 0), to = Math.min(size, end + AROUND);
  return to - from <= LONGEST + 2 * AROUND
    ? [[from, to]]
    : [[from, start + LONGEST / 2], [end - LONGEST / 2, to]];
}

/** A stretch with what is highlighted in it, the change underlined. */
function quoteWindow(window, highlights, change, paper) {
  const nodes = [];
  sweepSpans([[window], highlights, change], (start, end, [inside, marked, changed]) => {
    if (!inside) return;
    const text = make(changed ? "u" : "span", paper.quote([start, end]));
    nodes.push(marked ? make("mark", text) : text);
  });
  return [window[0] > 0 && "… ", ...nodes, window[1] < paper.paper.size && " …"];
}

/** The whole of a version in words. */
function sayVersion({ highlights, bep, grades, done }) {
  const graded = Object.keys(grades).length;
  return [
    count(highlights.length, "passage"),
    bep === null ? "" : `entry point at ${whole(bep)}`,
    graded ? count(graded, "grade") : "",
    done ? "finished" : "not finished",
  ].filter(Boolean).join(", ");
}

/** An action that is at no place of the text, in words. */
function sayAction({ kind, path, grade, note }) {
  if (kind === "grade") return `${path}: ${[grade ?? "no grade"].flat().join(", ")}`;
  return kind === "note" ? note : `Your ${nounOf([{ kind }])}.`;
}

function quoteVersion(state, event, paper, mine) {
  const place = event.start === undefined ? null : [event.start, Math.max(event.end ?? 0, event.start + 1)];
  const spans = place ? windowsOf(place, paper) : [];
  const quotes = spans.map((window) =>
    make("p", quoteWindow(window, state.highlights, mine ? [place] : [], paper))
  );
  return [
    make(
      "blockquote.serif",
      { dir: "auto" },
      place ? quotes : mine ? sayAction(event) : event.kind === "note" && state.note,
    ),
    make("p.note", sayVersion(state)),
  ];
}

/** Ask which version shall be. Escape decides nothing.
 * @param {{state: State, refused: ?Object}} refusal `refused`: what came before @param {Object[]} events that were made here @param {Object} paper
 * @param {{keep: function(), apply: function(), closed: function()}} acts @returns {HTMLDialogElement} */
export function openConflict(refusal, events, paper, { keep, apply, closed }) {
  const { state, refused } = refusal,
    [event] = events,
    noun = nounOf(events),
    mine = projectState(state, events.map((one, i) => ({ ...one, base: state.version + i })));
  const choose = (act) => () => {
    dialog.close();
    act();
  };
  const card = (title, about, version) =>
    make(
      "section.card",
      make("h3", title, make("span.note", ` · ${about}`)),
      quoteVersion(version, event, paper, version === mine),
    );
  const dialog = make(
    "dialog.conflict",
    { "aria-labelledby": "conflict-title", on: { close: () => [dialog.remove(), closed()] } },
    make(
      "div",
      make(
        "h2",
        { id: "conflict-title", tabindex: -1 },
        refused
          ? `The server refused your ${nounOf([refused])}`
          : "This document was changed in another window",
      ),
      make(
        "p.lead",
        `Nothing has been overwritten. Your ${noun} ${events.length > 1 ? "were" : "was"} made ${
          refused ? "after that" : `on version ${event.base}`
        }; the server has version ${state.version}.`,
      ),
      make(
        "div.versions",
        card("On the server", `version ${state.version}`, state),
        card("With your action", noun, mine),
      ),
      make(
        "div.verbs",
        button("Keep the server's", choose(keep)),
        button(`Apply my ${noun} to version ${state.version}`, choose(apply), { class: "primary" }),
      ),
      make(
        "p.note",
        `“Keep the server's” gives up your ${noun}. Applied, it is one more action that can be undone. Escape decides nothing: it stays here, not saved.`,
      ),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
  dialog.querySelector("h2").focus();
  return dialog;
}
