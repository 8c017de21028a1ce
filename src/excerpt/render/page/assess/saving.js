/** State of saving, and conflicts with another window. */
import { signOf } from "./panel.js";
import { nounOf, projectState } from "./rules.js";
import { make } from "../dom.js";
import { count, whole } from "../format.js";
import { button } from "../grid.js";
import { sweepSpans } from "../spans.js";

// A document that was changed in another window: both versions are quoted, and nothing is decided unasked.
const AROUND = 90, LONGEST = 420;

/** The stretches of text that show a change; the first begins with a word. */
function windowsOf([start, end], { quote, layout: { size } }) {
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
  return [window[0] > 0 && "… ", ...nodes, window[1] < paper.layout.size && " …"];
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

// Whether all is saved, in the bar and, when it is not, in a banner that says where the work is.
const SAVING_SLOW = 300;
const clockTime = (time) => new Date(time).toTimeString().slice(0, 8);

/** What stands in the bar. @param {Object} status of `Sync` @param {number} now @returns {string} */
export function saySaved({ state, count: many, until, savedAt, refused }, now) {
  if (state === "saved") return savedAt ? `Saved ${clockTime(savedAt)}` : "All is saved";
  if (state === "saving") return "Saving…";
  const seconds = Math.ceil((until - now) / 1000);
  return `${many + refused.length} not saved${
    !until ? "" : seconds > 0 ? `, retrying in ${seconds} s` : ", trying …"
  }`;
}

/** What was refused, and what it was about. */
function sayRefused({ event, error }) {
  const { document, topic, start, end, quote, path, note } = event,
    words = [end - start > 1000 ? `${start}–${end}` : quote, path, note].filter(Boolean).map((text) =>
      `“${text}”`
    ).join(", ");
  return [`Not saved: your ${nounOf([event])} in ${document} (${topic})${words && ", "}${words}.`, error];
}

/** The save state in the bar (`node`) and the banner below it. */
export class Saving {
  /** @param {{tryNow: function(), decide: function(string), dismiss: function(string)}} acts */
  constructor(acts) {
    Object.assign(this, { acts, slow: 0, tick: 0, shown: "" });
    this.node = make(
      "span",
      { id: "saved", role: "status", "data-state": "saved" },
      signOf("check"),
      make("span.words", "All is saved"),
    );
    this.banner = make("div", { id: "banner", role: "alert", hidden: true });
  }

  /** @param {Session} session */
  update({ sync: { status }, outbox, stranger }) {
    const { state } = status, still = state === "saving" && this.node.dataset.state === state;
    if (!still) clearTimeout(this.slow);
    clearInterval(this.tick);
    this.node.dataset.state = state;
    this.node.setAttribute("aria-live", state === "waiting" ? "off" : "polite");
    if (state !== "saving") this.write(status);
    else if (!still) this.slow = setTimeout(() => this.write(status), SAVING_SLOW);
    if (state === "waiting" && status.until) this.tick = setInterval(() => this.write(status), 1000);
    this.warn(status, outbox, stranger);
  }

  write(status) {
    this.node.replaceChildren(
      signOf(status.state === "waiting" ? "lost" : "check"),
      make("span.words", saySaved(status, Date.now())),
    );
  }

  /** The banner is written anew only when it says something else: it is read aloud each time. */
  warn(status, outbox, stranger) {
    const lines = this.linesOf(status, outbox, stranger),
      said = JSON.stringify(lines.map(([head, text]) => [head, text]));
    if (said === this.shown) return;
    this.shown = said;
    this.banner.hidden = !lines.length;
    this.banner.replaceChildren(
      ...lines.map(([head, text, word, act, key]) =>
        make(
          "p",
          signOf("warning"),
          make("span", make("b", head), " ", text),
          key ? button(word, act, { "data-key": key }) : make("a", { href: act }, word),
        )
      ),
    );
  }

  linesOf({ state, count: many, sentence, held, refused }, outbox, stranger) {
    const lines = refused.map((
        entry,
      ) => [...sayRefused(entry), "Understood", () => this.acts.dismiss(entry.event.id), entry.event.id]
      ),
      own = [...held];
    const kept = outbox.lasting
      ? "kept in this browser and will be sent again. You can go on; do not clear the browser’s data."
      : "kept in this window only, since the browser’s storage is full or closed. You can go on; do not close the window.";
    const last = many === 1 ? "Your last action is" : `Your last ${many} actions are`;
    if (stranger) lines.push([stranger, "", "Sign in again", `login${location.hash}`]);
    if (state === "waiting" && sentence) {
      lines.push([sentence, `${last} ${kept}`, "Try now", this.acts.tryNow, "try"]);
    }
    for (const [key, { status, error, refused: before }] of own) {
      const [topic, doc] = JSON.parse(key);
      if (status === 409) {
        lines.push([
          `${doc} (${topic}) ${before ? "has a refused action" : "was changed in another window"}.`,
          `${before ? "What you did after it" : "Your last action there"} is not saved; a decision is due.`,
          "Decide",
          () => this.acts.decide(key),
          `decide ${key}`,
        ]);
      } else {lines.push([
          `${doc} (${topic}): ${error ?? "the server refuses."}`,
          `${count(outbox.of(key).length, "action")} not saved, ${kept}`,
          "Try now",
          this.acts.tryNow,
          "try",
        ]);}
    }
    return lines;
  }
}
