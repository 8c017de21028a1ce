/** Whether all is saved, in the bar and, when it is not, in a banner that says where the work is. */
import { make } from "../dom.js";
import { button } from "../grid.js";
import { count } from "../format.js";
import { nounOf } from "./judging.js";
import { signOf } from "./marks.js";

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
