/** State of saving, and the choice between two versions of a document. */
import { signOf } from "./panel.js";
import { nounOf, projectState } from "./rules.js";
import { find, make } from "../dom.js";
import { count, whole } from "../format.js";
import { button } from "../grid.js";
import { sweepSpans } from "../spans.js";

/** @import { Child, Span } from "../types.d.ts" */
/** @import { TextView } from "../text_view.js" */
/** @import { Outbox } from "./sync.js" */
/** @import { Session } from "./session.js" */
/** @import { Conflict, JudgmentEvent, OutboxEntry, SavingStatus, State } from "./types.d.ts" */

// Conflicts: a document that was changed in another window. Both versions are quoted; the assessor chooses.
const AROUND = 90, LONGEST = 420;

/** @typedef {Pick<TextView, "quote" | "layout">} Quotable */

/** The spans to quote for a change, with some text around it; the first one begins at a word.
 * @param {Span} change @param {Quotable} textView @returns {Span[]} */
function excerptsOf([start, end], { quote, layout: { size } }) {
  const near = Math.max(0, start - AROUND),
    before = Array.from(quote([near, start])),
    cut = before.findIndex((character) => /\s/.test(character));
  const from = near + (near > 0 && cut >= 0 && cut < 30 ? cut + 1 : 0), to = Math.min(size, end + AROUND);
  return to - from <= LONGEST + 2 * AROUND
    ? [[from, to]]
    : [[from, start + LONGEST / 2], [end - LONGEST / 2, to]];
}

/** The text of a span with its highlights marked and the change underlined.
 * @param {Span} span @param {Span[]} highlights @param {Span[]} change @param {Quotable} textView
 * @returns {Child[]} */
function quoteSpan(span, highlights, change, textView) {
  /** @type {Node[]} */
  const nodes = [];
  sweepSpans([[span], highlights, change], (start, end, [inside, marked, changed]) => {
    if (!inside) return;
    const text = make(changed ? "u" : "span", textView.quote([start, end]));
    nodes.push(marked ? make("mark", text) : text);
  });
  return [span[0] > 0 && "… ", ...nodes, span[1] < textView.layout.size && " …"];
}

/** A version in words. @param {State} state */
function sayVersion({ highlights, bep, grades, done, closed }) {
  const graded = Object.keys(grades).length;
  return [
    count(highlights.length, "passage"),
    bep === null ? "" : `entry point at ${whole(bep)}`,
    closed ? "highlighting closed" : "",
    graded ? count(graded, "grade") : "",
    done ? "finished" : "not finished",
  ].filter(Boolean).join(", ");
}

/** An event without a position, in words. @param {JudgmentEvent} event */
function sayAction({ kind, path, grade, note }) {
  if (kind === "grade") return `${path}: ${[grade ?? "no grade"].flat().join(", ")}`;
  return kind === "note" ? note : `Your ${nounOf([{ kind }])}.`;
}

/** A version around the position of an event. @param {State} state @param {JudgmentEvent} event
 * @param {Quotable} textView @param {boolean} mine whether the event is applied to the version */
function quoteVersion(state, event, textView, mine) {
  const change = event.start === undefined ? null : [event.start, Math.max(event.end ?? 0, event.start + 1)];
  const quotes = change &&
    excerptsOf(change, textView).map((span) =>
      make("p", quoteSpan(span, state.highlights, mine ? [change] : [], textView))
    );
  return [
    make(
      "blockquote.serif",
      { dir: "auto" },
      quotes ?? (mine ? sayAction(event) : event.kind === "note" && state.note),
    ),
    make("p.note", sayVersion(state)),
  ];
}

/** Ask which version to keep; Escape postpones the decision.
 * @param {Conflict} conflict @param {JudgmentEvent[]} events of this page @param {Quotable} textView
 * @param {{keep: () => void, apply: () => void, closed: () => void}} acts */
export function openConflict({ state, refused }, events, textView, { keep, apply, closed }) {
  const [event] = events,
    noun = nounOf(events),
    many = events.length > 1,
    mine = projectState(state, events.map((one, i) => ({ ...one, base: state.version + i })));
  /** @param {() => void} act */
  const choose = (act) => () => {
    dialog.close();
    act();
  };
  /** @param {string} title @param {string} about @param {State} version */
  const card = (title, about, version) =>
    make(
      "section.card",
      make("h3", title, make("span.note", ` · ${about}`)),
      quoteVersion(version, event, textView, version === mine),
    );
  /** @type {HTMLDialogElement} */
  const dialog = make(
    "dialog.conflict",
    { "aria-labelledby": "conflict-title", on: { close: () => [dialog.remove(), closed()] } },
    make(
      "div",
      make(
        "h2",
        { id: "conflict-title", tabindex: -1 },
        refused
          ? `The server rejected your ${nounOf([refused])}`
          : "This document was changed in another window",
      ),
      make(
        "p.lead",
        `Nothing was overwritten. Your ${noun} ${many ? "were" : "was"} made ${
          refused ? `after the rejected ${nounOf([refused])}` : `on version ${event.base}`
        }; the server has version ${state.version}.`,
      ),
      make(
        "div.versions",
        card("On the server", `version ${state.version}`, state),
        card(many ? "With your actions" : "With your action", noun, mine),
      ),
      make(
        "div.verbs",
        button("Keep the server's version", choose(keep)),
        button(`Apply my ${noun} to version ${state.version}`, choose(apply), { class: "primary" }),
      ),
      make(
        "p.note",
        `“Keep the server's version” discards your ${noun}. “Apply” adds ${many ? "them" : "it"} and can be `,
        `undone. Esc: decide later; until then, your ${noun} ${many ? "are" : "is"} not saved.`,
      ),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
  find("h2", dialog)?.focus();
  return dialog;
}

// The state of saving in the bar, and a banner with what is not saved.
const SAVING_SLOW = 300;
/** @param {number} time */
const clockTime = (time) => new Date(time).toTimeString().slice(0, 8);

/** The state of saving in words. @param {SavingStatus} status @param {number} now */
export function saySaved({ state, count: many, until, savedAt, refused }, now) {
  if (state === "saved") return savedAt ? `Saved ${clockTime(savedAt)}` : "All changes saved";
  if (state === "saving") return "Saving…";
  const seconds = Math.ceil((until - now) / 1000);
  return `${many + refused.length} not saved${
    !until ? "" : seconds > 0 ? `, retrying in ${seconds} s` : ", retrying …"
  }`;
}

/** A rejected event in words. @param {OutboxEntry} entry */
function sayRejected({ event }) {
  const { document, topic, start = 0, end = 0, quote, path, note } = event,
    words = [end - start > 1000 ? `${start}–${end}` : quote, path, note].filter(Boolean).map((text) =>
      `“${text}”`
    ).join(", ");
  return `Not saved: your ${nounOf([event])} in ${document} (${topic})${words && ", "}${words}.`;
}

/** @typedef {{head: string, text: string, word: string, act: string | (() => unknown), key?: string}} Line
 *   a line of the banner, with a button (by its key) or a link */

/** The state of saving in the bar (`node`) and the banner below it. */
export class Saving {
  /** @param {{tryNow: () => unknown, decide: (key: string) => void, dismiss: (id: string) => void}} acts */
  constructor(acts) {
    this.acts = acts;
    this.slow = this.tick = 0;
    this.shown = "";
    this.node = make(
      "span",
      { id: "saved", role: "status", "data-state": "saved" },
      signOf("check"),
      make("span.words", "All changes saved"),
    );
    this.banner = make("div", { id: "banner", role: "alert", hidden: true });
  }

  /** @param {Session} session */
  update({ sync: { status }, outbox, mismatch }) {
    const { state } = status, still = state === "saving" && this.node.dataset.state === state;
    if (!still) clearTimeout(this.slow);
    clearInterval(this.tick);
    this.node.dataset.state = state;
    this.node.setAttribute("aria-live", state === "waiting" ? "off" : "polite");
    if (state !== "saving") this.write(status);
    else if (!still) this.slow = setTimeout(() => this.write(status), SAVING_SLOW);
    if (state === "waiting" && status.until) this.tick = setInterval(() => this.write(status), 1000);
    this.warn(status, outbox, mismatch);
  }

  /** @param {SavingStatus} status */
  write(status) {
    this.node.replaceChildren(
      signOf(status.state === "waiting" ? "lost" : "check"),
      make("span.words", saySaved(status, Date.now())),
    );
  }

  /** Update the banner if its text changes: screen readers read it aloud each time.
   * @param {SavingStatus} status @param {Outbox} outbox @param {string} mismatch */
  warn(status, outbox, mismatch) {
    const lines = this.linesOf(status, outbox, mismatch),
      texts = JSON.stringify(lines.map(({ head, text }) => [head, text]));
    if (texts === this.shown) return;
    this.shown = texts;
    this.banner.hidden = !lines.length;
    this.banner.replaceChildren(
      ...lines.map(({ head, text, word, act, key }) =>
        make(
          "p",
          signOf("warning"),
          make("span", make("b", head), " ", text),
          typeof act === "string" ? make("a", { href: act }, word) : button(word, act, { "data-key": key }),
        )
      ),
    );
  }

  /** @param {SavingStatus} status @param {Outbox} outbox @param {string} mismatch @returns {Line[]} */
  linesOf({ state, count: many, sentence, held, refused }, outbox, mismatch) {
    /** @type {Line[]} */
    const lines = refused.map((entry) => ({
      head: sayRejected(entry),
      text: entry.error,
      word: "Understood",
      act: () => this.acts.dismiss(entry.event.id),
      key: entry.event.id,
    }));
    const kept = outbox.lasting
      ? "kept in this browser and will be sent again. You can go on; do not clear the browser’s data."
      : "kept in this window only, since the browser’s storage is full or closed. " +
        "You can go on; do not close the window.";
    const last = many === 1 ? "Your last action is" : `Your last ${many} actions are`;
    const again = { word: "Try now", act: this.acts.tryNow, key: "try" };
    if (mismatch) {
      lines.push({ head: mismatch, text: "", word: "Sign in again", act: `login${location.hash}` });
    }
    if (state === "waiting" && sentence) lines.push({ head: sentence, text: `${last} ${kept}`, ...again });
    for (const [key, { status, error, refused: before }] of held) {
      /** @type {string[]} */
      const [topic, doc] = JSON.parse(key);
      if (status === 409) {
        lines.push({
          head: `${doc} (${topic}) ${before ? "has a rejected action" : "was changed in another window"}.`,
          text: `${before ? "Your later work there" : "Your last action there"} is not saved. ` +
            "Choose which version to keep.",
          word: "Choose",
          act: () => this.acts.decide(key),
          key: `decide ${key}`,
        });
      } else {
        const actions = outbox.of(key).length;
        lines.push({
          head: `${doc} (${topic}): ${error ?? "The server rejected your action."}`,
          text: `${count(actions, "action")} not saved, ${kept}`,
          ...again,
        });
      }
    }
    return lines;
  }
}
