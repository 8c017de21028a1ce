/** View of the document that is assessed. */
import { drawFacts, drawReturned, drawToFinish, drawTools, Pile } from "./document_panels.js";
import { cutBlanks, joinBlanks, Sheet } from "./highlighter.js";
import { labelOf, rowOf, sayTime, slotOf } from "./rules.js";
import { openConflict } from "./saving.js";
import { Activity } from "./session.js";
import { pairKey, sha256 } from "./sync.js";
import { make } from "../dom.js";
import { countPoints, sharedSpans } from "../spans.js";

/** Characters up to which a quote is sent as it is; seconds between notes of time; milliseconds after which waiting is said. */
const QUOTED = 1000, BEAT = 30, SLOW = 300;

/** An open document. `context` is what the parts beside the text are given; it is kept up to date in place. */
export class Desk {
  /** @param {Object} shared what all views are given @param {Object} topic of the campaign @param {Object} doc of the server */
  constructor(shared, topic, doc) {
    const { session, place } = shared,
      part = (name) => (this[name] = make(`div.${name}`)),
      act = (kind, fields) => this.act(kind, fields),
      write = (kind, fields) => this.act(kind, fields, "write");
    this.activity = new Activity(() => performance.now());
    this.key = pairKey({ topic: place.topic, document: place.doc });
    this.context = {
      ...shared,
      topic,
      doc,
      labels: shared.campaign.labels ?? [],
      act,
      write,
      keep: {},
      cursor: null,
      redraw: () => this.redraw(),
      show: (name) => this.ask(name),
      toText: () => this.sheet.text.focus({ preventScroll: true }),
      seconds: () => (doc.seconds ?? 0) + this.activity.total / 1000,
      state: session.stateOf(this.key),
    };
    Object.assign(this, {
      session,
      title: doc.id,
      runsShown: false,
      more: false,
      dialog: null,
      slow: 0,
      late: false,
      gone: false,
    });
    const aside = make(
      "details.aside",
      { open: innerWidth > 1179 },
      make(
        "summary",
        make("bdi", `${topic.id} ${topic.title || topic.text || ""}`),
        make("span.note", "Documents"),
      ),
      part("rail"),
    );
    this.node = make(
      "div.assess",
      make(
        "h1.hidden",
        { tabindex: -1 },
        `${doc.id} ${doc.title ?? ""}, for topic ${topic.id} ${topic.title ?? ""}`,
      ),
      aside,
      part("toolbar"),
      make("div.desk", part("paper")),
      make("aside.side", { "aria-label": "Beside the text" }, part("sections")),
    );
    this.sheet = this.context.paper = new Sheet(this.paper, {
      announce: shared.announce,
      onEntry: (at) => this.setEntry(at),
      onLook: () => this.look(),
    });
    this.pile = new Pile(this.rail);
    this.acts = this.makeActs();
    this.watch(aside);
  }

  /** What keys and buttons ask for. */
  makeActs() {
    const sheet = () => this.sheet, move = (way) => (asked) => sheet().move(way, asked.extend, asked.exact);
    const snap = (name) => () => this.snapTo(name);
    return {
      highlight: (asked) => this.mark("highlight", asked),
      remove: (asked) => this.mark("unhighlight", asked),
      entry: (asked) => this.entry(asked),
      finish: () => this.finish(),
      next: () => this.context.step(1),
      previous: () => this.context.step(-1),
      undo: () => this.back("undo"),
      redo: () => this.back("redo"),
      words: snap("words"),
      sentences: snap("sentences"),
      elements: snap("elements"),
      runs: () => this.toggleRuns(),
      escape: () => this.escape(),
      left: move("left"),
      right: move("right"),
      up: move("up"),
      down: move("down"),
      more: () => this.toggleMore(),
    };
  }

  watch(aside) {
    let wide = innerWidth > 1179;
    this.watcher = new ResizeObserver(() => {
      this.node.style.setProperty("--tools", `${this.toolbar.offsetHeight}px`);
      this.node.style.setProperty("--head", `${document.getElementById("head").offsetHeight}px`);
      if (wide !== innerWidth > 1179) aside.open = wide = !wide;
    });
    this.watcher.observe(this.toolbar);
    this.watcher.observe(document.getElementById("head"));
    this.toolbar.addEventListener("pointerdown", (event) => {
      this.sheet.hold();
      if (event.target.closest("button")) event.preventDefault();
    });
    this.beat = setInterval(() => this.tell(), 1000 * BEAT);
  }

  /** Seconds of work go to the log; what does not arrive is told with the next ones. */
  tell() {
    const { place, campaign, ask } = this.context,
      seconds = this.activity.take(),
      time = document.getElementById("time");
    if (time) time.textContent = sayTime(this.context.seconds());
    const again = () => {
      this.activity.told -= 1000 * seconds;
    };
    if (seconds > 0) {
      ask.post("api/work", { topic: place.topic, document: place.doc, assessor: campaign.assessor, seconds })
        .then(({ status }) => status > 299 && again(), again);
    }
  }

  /** @param {string} kind @param {Object} fields @param {string} how `write` for what is being written */
  act(kind, fields = {}, how = "act") {
    const { place } = this.context,
      { start, end } = fields,
      quote = start === undefined || end === undefined ? {} : { quote: this.quoteOf(start, end) };
    this.session[how](place.topic, place.doc, kind, { ...fields, ...quote });
  }

  quoteOf(start, end) {
    const quote = this.sheet.quote([start, end]);
    return end - start > QUOTED ? sha256(quote) : quote;
  }

  /** Highlight or remove what is selected, or the unit at the caret. */
  mark(kind, asked) {
    const { sheet, context: { state, procedure, announce, unable } } = this,
      chosen = procedure.marks ? sheet.target(asked?.exact) : null,
      exact = asked?.exact || sheet.exact;
    if (!chosen) {
      return unable(procedure.marks ? "Select some text first." : "This procedure has no highlights.");
    }
    const adds = kind === "highlight",
      beside = adds
        ? state.highlights.filter((passage) => labelOf(passage, state.labels).label === null)
        : state.highlights;
    const span = exact
      ? chosen
      : (adds ? joinBlanks : cutBlanks)(chosen, beside, (part) => sheet.quote(part));
    const known = countPoints(sharedSpans(state.highlights, [adds ? span : chosen]));
    if (sheet.choosing) sheet.choose(false);
    sheet.release(chosen[1]);
    if (known === (adds ? span[1] - span[0] : 0)) {
      return unable(known ? "That is highlighted already." : "Nothing is highlighted there.");
    }
    this.act(kind, { start: span[0], end: span[1] });
    return announce(`${adds ? "Highlighted" : "Removed"}: ${sheet.quote(chosen, 200)}`);
  }

  /** Set the entry point where something is selected or the flag stands, else let a place be chosen. */
  entry(asked) {
    const { sheet, context: { procedure, announce, unable } } = this;
    if (!procedure.entry) return unable("This procedure has no entry points.");
    if (sheet.choosing) return this.setEntry(sheet.offered);
    if (sheet.selection) return this.setEntry(sheet.target(asked?.exact)?.[0] ?? sheet.selection[0]);
    sheet.choose(true);
    this.drawToolbar();
    return announce(
      "Best entry point: move with the arrows or the pointer, Enter or a click sets it, Escape leaves.",
    );
  }

  setEntry(at) {
    const { sheet, context: { state, announce } } = this;
    sheet.choose(false);
    sheet.release(at);
    if (at === state.bep) this.drawToolbar();
    else this.act("bep", { start: at, end: at });
    announce(`Entry point: ${sheet.quote([at, sheet.layout.size], 80)}`);
  }

  finish() {
    const { context: { procedure, state, announce, unable } } = this, slot = slotOf(procedure, state);
    if (slot.act === "owed") return this.context.parts.goOwed(this.context);
    if (slot.act === "entry") return this.entry();
    if (!slot.act || slot.why) return unable(slot.why);
    if (slot.act === "clear") this.act("no-bep");
    this.act(slot.act === "reopen" ? "reopen" : "done");
    return announce(slot.act !== "reopen" ? `${slot.word}.` : "Open again.");
  }

  back(kind) {
    this.session.release();
    const { state, unable } = this.context;
    if (!state[kind]) return unable(`There is nothing to ${kind}.`);
    return this.act(kind);
  }

  snapTo(name) {
    const { sheet, context: { announce, unable } } = this;
    if (!this.has(name)) return unable("This text has no elements.");
    sheet.snap = name;
    this.drawToolbar();
    return announce(`Snap to ${name}.`);
  }

  has(name) {
    return name !== "elements" || this.context.doc.elements.length > 0;
  }

  escape() {
    const { sheet } = this;
    if (this.more) this.toggleMore();
    if (sheet.choosing) sheet.choose(false);
    else sheet.release(null);
    this.drawToolbar();
  }

  toggleMore() {
    this.more = !this.more;
    this.node.classList.toggle("with-more", this.more);
    this.drawToolbar();
  }

  /** Ask for more of the document than its text: what the runs returned, what a machine suggests. The server notes it. */
  async ask(name) {
    const { place, doc } = this.context, found = await this.session.document(place.topic, place.doc, [name]);
    for (const key of ["retrieved", "suggestions", "second"]) {
      if (found[key] !== undefined) doc[key] = found[key];
    }
    this.redraw();
  }

  /** A finished document may have suggestions to look at. @param {Object} row of the pool */
  async offer(row) {
    const { context } = this;
    if (!row?.second || context.doc.second) return;
    const { place } = context,
      { second } = await this.session.document(place.topic, place.doc).catch(() => context.doc);
    context.doc.second = second;
    this.redraw();
  }

  async toggleRuns() {
    const { announce, unable, doc } = this.context;
    this.runsShown = !this.runsShown;
    try {
      if (this.runsShown && !doc.retrieved) await this.ask("runs");
    } catch (error) {
      this.runsShown = false;
      return unable(`What the runs returned cannot be shown: ${error.message}`);
    }
    this.redraw();
    return announce(
      this.runsShown
        ? `${doc.retrieved.length} returned passages are shown.`
        : "What the runs returned is hidden.",
    );
  }

  look() {
    const { sheet, context } = this;
    context.cursor = sheet.caret;
    if (!context.procedure.marks || context.procedure.labels) this.drawSections();
  }

  /** The judgments are others. That the server is waited for is said only when it takes long. */
  refresh() {
    const state = (this.context.state = this.session.stateOf(this.key));
    clearTimeout(this.slow);
    this.late = false;
    if (state.waiting) this.slow = setTimeout(() => [this.late = true, this.drawToolbar()], SLOW);
    this.redraw();
  }

  redraw() {
    if (this.gone) return;
    this.context.cursor = this.sheet.caret;
    this.paintLayers();
    this.drawToolbar();
    this.drawRail();
    this.drawSections();
  }

  paintLayers() {
    const { context, sheet } = this, { state, doc, parts } = context;
    const returned = this.runsShown ? doc.retrieved ?? [] : [];
    sheet.lay(
      [{ name: "returned", spans: returned, lane: "vain", map: "right" }, {
        name: "judged",
        spans: state.highlights,
        lane: "judged",
        map: "left",
      }, ...parts.layers.flatMap((layers) => layers(context))],
      state.bep === null ? [] : [{ at: state.bep, text: "BEP", kind: "judged" }],
    );
  }

  drawToolbar() {
    const { sheet, acts, more, context } = this,
      { state } = context,
      shown = { ...context, state: { ...state, waiting: state.waiting && this.late } };
    this.keepFocus(
      this.toolbar,
      () =>
        this.toolbar.replaceChildren(
          ...drawTools(shown, {
            snap: sheet.snap,
            choosing: sheet.choosing,
            acts,
            more,
            has: (name) => this.has(name),
          }).filter(Boolean),
        ),
    );
  }

  drawRail() {
    const { context } = this, row = context.topic.documents.find(({ id }) => id === context.place.doc);
    if (row) Object.assign(row, rowOf(context.state, context.procedure));
    this.keepFocus(this.rail, () => this.pile.update(context));
  }

  /** Sections in their order; one in which somebody writes is left alone. */
  drawSections() {
    const { context, sections } = this,
      { parts } = context,
      runs = { shown: this.runsShown, toggle: this.acts.runs },
      active = document.activeElement;
    const drawn = [
      drawFacts,
      ...parts.before,
      drawToFinish,
      ...parts.after,
      (given) => drawReturned(given, runs),
    ];
    this.keepFocus(sections, () =>
      drawn.forEach((draw, i) => {
        const old = sections.children[i] ?? sections.appendChild(make("div"));
        if (!(old.contains(active) && active.matches("input,textarea,select"))) {
          old.replaceChildren(...draw(context).filter(Boolean));
        }
      }));
  }

  keepFocus(part, draw) {
    const active = document.activeElement,
      { key } = active?.dataset ?? {},
      inside = part.contains(active),
      { context } = this;
    draw();
    context.redrawing = true;
    if (inside && !active.isConnected && key) {
      part.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
    }
    context.redrawing = false;
  }

  /** A decision between two versions is due. */
  conflict() {
    const { session, key, sheet } = this, refusal = session.conflictOf(key), events = session.outbox.of(key);
    if (!refusal) return this.dialog?.close();
    if (this.dialog || !events.length) return;
    const closed = () => {
      this.dialog = null;
      sheet.text.focus({ preventScroll: true });
    };
    this.dialog = openConflict(refusal, events, sheet, {
      keep: () => session.decide(key, false),
      apply: () => session.decide(key, true),
      closed,
    });
  }

  /** The node stands in the page: paint it, and ask what is to be decided. */
  shown() {
    this.sheet.open(this.context.doc);
    this.redraw();
    this.pile.seek(this.rail.parentNode);
    this.conflict();
  }

  dispose() {
    this.gone = true;
    this.session.release();
    this.tell();
    clearInterval(this.beat);
    clearTimeout(this.slow);
    this.watcher.disconnect();
    this.sheet.dispose();
    this.dialog?.remove();
  }
}
