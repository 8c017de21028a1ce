/** View of the document that is assessed. */
import { decidePassage, decides, goToUndecided, stepDecision } from "./decisions.js";
import { DocumentList, drawFacts, drawReturned, drawToFinish, drawTools } from "./document_panels.js";
import { AssessTextView, cutWhitespace, joinWhitespace } from "./highlighter.js";
import { labelOf, rowOf, sayTime, slotOf } from "./rules.js";
import { openConflict } from "./saving.js";
import { Activity } from "./session.js";
import { messageOf, pairKey, sha256 } from "./sync.js";
import { byId, find, make } from "../dom.js";
import { button } from "../grid.js";
import { countPoints, sharedSpans } from "../spans.js";
import { boxOf, rectsOf, selectionOn } from "../text_view.js";

/** @import { Span } from "../types.d.ts" */
/** @import { UnitKind } from "./highlighter.js" */
/** @import {
 *   Actions, AssessedDocument, Asked, CampaignTopic, DocumentContext, DocumentRow, EventFields, SharedContext
 * } from "./types.d.ts" */

/** Longest quote that is sent as text; seconds between reports of working time; milliseconds before the page
 * says that it waits; pixels of a wide window. */
const QUOTED = 1000, REPORT_TIME = 30, SLOW = 300, WIDE = 1179;
/** Proportion of a text below which the page asks before it is finished. */
const READ = 0.6;

/** The button beside a selection. @param {AssessmentView} view */
function makeMarker(view) {
  const { textView } = view;
  const mark = () => {
    const { kind } = marker.dataset;
    marker.hidden = true;
    view.mark(kind === "unhighlight" ? "unhighlight" : "highlight");
  };
  /** @type {HTMLButtonElement} */
  const marker = button("Mark", mark, { class: "marker", hidden: true, tabindex: -1 });
  marker.addEventListener("pointerdown", (event) => {
    textView.hold();
    event.preventDefault();
  });
  textView.margin.after(marker);
  return marker;
}

/** An open document. */
export class AssessmentView {
  /** @param {SharedContext} shared @param {CampaignTopic} topic @param {AssessedDocument} doc */
  constructor(shared, topic, doc) {
    const { session, place } = shared, topicName = topic.title || topic.text || "";
    this.session = session;
    this.title = doc.id;
    this.key = pairKey({ topic: place.topic, document: place.doc });
    this.activity = new Activity(() => performance.now());
    /** Whether results of the runs are shown, whether the menu of a narrow window is open. */
    this.runsShown = this.more = false;
    /** @type {HTMLDialogElement | null} */
    this.dialog = null;
    /** Timer of a slow answer, and whether it has run out. */
    this.slow = 0;
    this.late = this.disposed = false;
    this.rail = make("div.rail");
    this.toolbar = make("div.toolbar");
    this.sections = make("div.sections");
    this.aside = make(
      "details.aside",
      { open: innerWidth > WIDE },
      make("summary", make("bdi", `${topic.id} ${topicName}`), make("span.note", "Documents")),
      this.rail,
    );
    const host = make("div.paper");
    this.node = make(
      `div.assess${decides(shared) ? ".deciding" : ""}`,
      make(
        "h1.hidden",
        { tabindex: -1 },
        `${doc.id} ${doc.title ?? ""}, for topic ${topic.id} ${topic.title ?? ""}`,
      ),
      this.aside,
      this.toolbar,
      make("div.desk", host),
      make("aside.side", { "aria-label": "About this document" }, this.sections),
    );
    this.textView = new AssessTextView(host, {
      announce: shared.announce,
      onEntry: (at) => this.setEntry(at),
      onLook: () => this.look(),
    });
    /** @type {DocumentContext} */
    this.context = {
      ...shared,
      topic,
      doc,
      textView: this.textView,
      labels: shared.campaign.labels ?? [],
      act: (kind, fields) => this.act(kind, fields),
      write: (kind, fields) => this.act(kind, fields, "write"),
      memory: {},
      cursor: null,
      redraw: () => this.redraw(),
      show: (name) => this.show(name),
      focusText: () => this.textView.text.focus({ preventScroll: true }),
      seconds: () => (doc.seconds ?? 0) + this.activity.total / 1000,
      state: session.stateOf(this.key),
    };
    this.documentList = new DocumentList(this.rail);
    this.acts = this.makeActions();
    this.marker = makeMarker(this);
    this.offerMark = () => this.placeMarker();
    document.addEventListener("selectionchange", this.offerMark);
    this.watcher = this.watch();
    this.reports = setInterval(() => this.reportTime(), 1000 * REPORT_TIME);
  }

  /** The actions of keys and buttons. @returns {Actions} */
  makeActions() {
    /** @param {string} way @returns {(asked?: Asked) => void} */
    const move = (way) => (asked) => this.textView.move(way, Boolean(asked?.extend), Boolean(asked?.exact));
    /** @param {UnitKind} unit */
    const select = (unit) => () => this.selectWhole(unit);
    return {
      highlight: (asked) => this.mark("highlight", asked),
      remove: (asked) => this.mark("unhighlight", asked),
      entry: (asked) => this.entry(asked),
      phase: () => this.phase(),
      grade: () => this.context.unable(this.context.parts.sayUngraded(this.context)),
      finish: () => this.finish(),
      forward: () => decides(this.context) && stepDecision(this.context, 1),
      backward: () => decides(this.context) && stepDecision(this.context, -1),
      next: () => this.context.step(1),
      previous: () => this.context.step(-1),
      undo: () => this.undo("undo"),
      redo: () => this.undo("redo"),
      words: select("words"),
      sentences: select("sentences"),
      elements: select("elements"),
      runs: () => this.toggleRuns(),
      escape: () => this.escape(),
      left: move("left"),
      right: move("right"),
      up: move("up"),
      down: move("down"),
      more: () => this.toggleMore(),
    };
  }

  /** Put a button beside a selection, to mark it without the keyboard and the toolbar. */
  placeMarker() {
    const { marker, textView, context: { state, procedure } } = this,
      selection = procedure.marks && !state.closed && !textView.choosing ? selectionOn(textView) : null,
      target = selection && textView.target(),
      last = target && rectsOf(textView.layout, Math.max(target[0], target[1] - 1), target[1]).pop();
    marker.hidden = !last;
    if (!last || !target) return;
    const marked = countPoints(sharedSpans(state.highlights, [target])) === target[1] - target[0],
      origin = boxOf(textView.margin),
      left = Math.min(last.right - origin.left + 6, textView.margin.offsetWidth - 96);
    marker.dataset.kind = marked ? "unhighlight" : "highlight";
    marker.textContent = marked ? "Unmark" : "Mark";
    marker.style.setProperty("left", `${Math.max(0, left)}px`);
    marker.style.setProperty("top", `${last.bottom - origin.top + 4}px`);
  }

  /** Watch the heights of bars, the width of the window, and the pointer on the toolbar. */
  watch() {
    const { node, aside, toolbar } = this, head = byId("head");
    let wide = innerWidth > WIDE;
    const watcher = new ResizeObserver(() => {
      node.style.setProperty("--tools", `${toolbar.offsetHeight}px`);
      node.style.setProperty("--head", `${head.offsetHeight}px`);
      if (wide !== innerWidth > WIDE) aside.open = wide = !wide;
    });
    watcher.observe(toolbar);
    watcher.observe(head);
    toolbar.addEventListener("pointerdown", (event) => {
      this.textView.hold();
      if (event.target instanceof Element && event.target.closest("button")) event.preventDefault();
    });
    return watcher;
  }

  /** Send the working time to the log; seconds that do not arrive are sent with the next ones. */
  reportTime() {
    const { place: { topic, doc }, campaign: { assessor }, requests } = this.context,
      seconds = this.activity.take(),
      time = find("#time");
    if (time) time.textContent = sayTime(this.context.seconds());
    const again = () => {
      this.activity.sent -= 1000 * seconds;
    };
    if (seconds > 0) {
      requests.post("api/work", { topic, document: doc, assessor, seconds })
        .then(({ status }) => status > 299 && again(), again);
    }
  }

  /** @param {string} kind @param {EventFields} fields @param {"act" | "write"} method */
  act(kind, fields = {}, method = "act") {
    const { place } = this.context,
      { start, end } = fields,
      quote = start === undefined || end === undefined ? {} : { quote: this.quoteOf(start, end) };
    this.session[method](place.topic, place.doc, kind, { ...fields, ...quote });
  }

  /** The quote of a span, as a hash if it is long. @param {number} start @param {number} end */
  quoteOf(start, end) {
    const quote = this.textView.quote([start, end]);
    return end - start > QUOTED ? sha256(quote) : quote;
  }

  /** Highlight the selection or the unit at the caret, or remove its highlights.
   * @param {"highlight" | "unhighlight"} kind @param {Asked} [asked] */
  mark(kind, asked) {
    const { textView, context: { state, procedure, announce, unable } } = this,
      target = procedure.marks ? textView.target(asked?.exact) : null,
      exact = asked?.exact || textView.exact;
    if (decides(this.context)) {
      return decidePassage(this.context, kind === "highlight", textView.selection ? target : null);
    }
    if (state.closed) {
      return unable(
        "Highlighting is closed. The key c re-opens it; grades of highlighted elements are kept.",
      );
    }
    if (!target) {
      return unable(procedure.marks ? "Select some text first." : "This procedure has no highlights.");
    }
    const adds = kind === "highlight",
      adjacent = adds
        ? state.highlights.filter((passage) => labelOf(passage, state.labels).label === null)
        : state.highlights;
    /** @type {Span} */
    const span = exact ? target : (adds ? joinWhitespace : cutWhitespace)(target, adjacent, textView.quote);
    const before = countPoints(sharedSpans(state.highlights, [adds ? span : target]));
    if (textView.choosing) textView.choose(false);
    textView.release(target[1]);
    if (before === (adds ? span[1] - span[0] : 0)) {
      return unable(before ? "This text is highlighted already." : "This text is not highlighted.");
    }
    this.act(kind, { start: span[0], end: span[1] });
    return announce(`${adds ? "Highlighted" : "Removed"}: ${textView.quote(target, 200)}`);
  }

  /** Set the entry point at the selection or the flag, else let the assessor choose.
   * @param {Asked} [asked] */
  entry(asked) {
    const { textView, context: { procedure, announce, unable } } = this;
    if (!procedure.entry) return unable("This procedure has no entry points.");
    if (textView.choosing) return this.setEntry(textView.offered);
    if (textView.selection) return this.setEntry(textView.target(asked?.exact)?.[0] ?? textView.selection[0]);
    textView.choose(true);
    this.drawToolbar();
    return announce(
      "Best entry point: move with the arrow keys or the pointer. Enter or a click sets it. Escape cancels.",
    );
  }

  /** @param {number | null} at */
  setEntry(at) {
    const { textView, context: { state, announce } } = this;
    textView.choose(false);
    if (at === null) return;
    textView.release(at);
    if (at === state.bep) this.drawToolbar();
    else this.act("bep", { start: at, end: at });
    announce(`Entry point: ${textView.quote([at, textView.layout.size], 80)}`);
  }

  /** Close highlighting and go to the grades, or re-open it. */
  phase() {
    const { context, context: { procedure, state, announce, unable } } = this;
    if (!procedure.phases) return unable("This procedure has one phase only.");
    if (state.closed) {
      this.act("reopen-phase");
      return announce("Highlighting is open again.");
    }
    if (!state.highlights.length) return unable("Highlight relevant text first.");
    this.act("close-phase");
    announce("Highlighting is closed.");
    return context.parts.goToMissing(context);
  }

  /** Do what the button at the end of the toolbar says. */
  finish() {
    const { context: { procedure, state, doc, announce, unable } } = this, slot = slotOf(procedure, state);
    if (slot.act === "close") return this.phase();
    if (slot.act === "undecided") return goToUndecided(this.context);
    if (slot.act === "missing") return this.context.parts.goToMissing(this.context);
    if (slot.act === "entry") return this.entry();
    if (!slot.act || slot.why) return unable(slot.why);
    if (slot.act !== "reopen" && this.asksForReading()) return undefined;
    if (slot.act === "clear") this.act("no-bep");
    if (slot.act === "nothing") {
      this.act("grade", { path: doc.elements[0][0], grade: procedure.scale.map(([, , [[none]]]) => none) });
    }
    this.act(slot.act === "reopen" ? "reopen" : "done");
    return announce(slot.act !== "reopen" ? `${slot.word}.` : "Open again.");
  }

  /** Whether to ask, once, since little of the text has been seen. */
  asksForReading() {
    const { textView, session, key, context } = this, share = textView.seenShare;
    if (share >= READ || session.asked.has(key) || decides(context)) return false;
    session.asked.add(key);
    context.unable(
      `You have seen ${Math.floor(100 * share)} % of this text. To finish it all the same, press f again.`,
    );
    return true;
  }

  /** @param {"undo" | "redo"} kind */
  undo(kind) {
    this.session.release();
    const { state, unable } = this.context;
    if (!state[kind]) return unable(`There is nothing to ${kind}.`);
    return this.act(kind);
  }

  /** @param {UnitKind} unit */
  selectWhole(unit) {
    const { textView, context: { procedure, announce, unable } } = this;
    if (!procedure.marks) return unable("This procedure has no highlights.");
    if (!this.has(unit)) return unable("This text has no elements.");
    textView.unit = unit;
    this.drawToolbar();
    return announce(`Select whole ${unit}.`);
  }

  /** Whether the document has units of a kind. @param {string} unit */
  has(unit) {
    return unit !== "elements" || this.context.doc.elements.length > 0;
  }

  escape() {
    const { textView } = this;
    if (this.more) this.toggleMore();
    if (textView.choosing) textView.choose(false);
    else textView.release(null);
    this.drawToolbar();
  }

  toggleMore() {
    this.more = !this.more;
    this.node.classList.toggle("with-more", this.more);
    this.drawToolbar();
  }

  /** Ask for the results of the runs, or for suggestions; the server logs it. @param {string} name */
  async show(name) {
    const { place, doc } = this.context,
      { retrieved, suggestions, second } = await this.session.document(place.topic, place.doc, [name]);
    if (retrieved !== undefined) doc.retrieved = retrieved;
    if (suggestions !== undefined) doc.suggestions = suggestions;
    if (second !== undefined) doc.second = second;
    this.redraw();
  }

  /** Offer a second look at a finished document, if there are suggestions. @param {DocumentRow} [row] */
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
      if (this.runsShown && !doc.retrieved) await this.show("runs");
    } catch (error) {
      this.runsShown = false;
      return unable(`The results of the runs cannot be shown: ${messageOf(error)}`);
    }
    this.redraw();
    return announce(
      this.runsShown
        ? `${doc.retrieved?.length ?? 0} passages that the runs returned are shown.`
        : "The passages that the runs returned are hidden.",
    );
  }

  /** Follow the caret. */
  look() {
    const { textView, context } = this;
    context.cursor = textView.placed;
    if (!context.procedure.marks || context.procedure.labels) this.drawSections();
  }

  /** Show a new state; that the page waits for the server is said only if it takes long. */
  refresh() {
    const state = (this.context.state = this.session.stateOf(this.key));
    clearTimeout(this.slow);
    this.late = false;
    if (state.waiting) {
      this.slow = setTimeout(() => {
        this.late = true;
        this.drawToolbar();
      }, SLOW);
    }
    this.redraw();
  }

  redraw() {
    if (this.disposed) return;
    this.context.cursor = this.textView.placed;
    this.paintLayers();
    this.drawToolbar();
    this.drawRail();
    this.drawSections();
  }

  paintLayers() {
    const { context, textView } = this, { state, doc, parts } = context;
    const returned = this.runsShown ? doc.retrieved ?? [] : [];
    textView.paintAll(
      [
        { name: "returned", spans: returned, lane: "vain", map: "right" },
        { name: "judged", spans: state.highlights, lane: "judged", map: "left" },
        ...parts.layers.flatMap((layers) => layers(context)),
      ],
      [
        ...state.bep === null ? [] : [{ at: state.bep, text: "BEP", kind: "judged" }],
        ...parts.marks(context),
      ],
    );
  }

  drawToolbar() {
    const { textView: { unit, choosing }, acts, more, context } = this,
      { state } = context,
      shown = { ...context, state: { ...state, waiting: state.waiting && this.late } };
    this.keepFocus(
      this.toolbar,
      () =>
        this.toolbar.replaceChildren(
          ...drawTools(shown, { unit, choosing, acts, more, has: (name) => this.has(name) }),
        ),
    );
  }

  drawRail() {
    const { context } = this, row = context.topic.documents.find(({ id }) => id === context.place.doc);
    if (row) Object.assign(row, rowOf(context.state, context.procedure));
    this.keepFocus(this.rail, () => this.documentList.update(context));
  }

  /** Draw the sections of the panel; one with a field that has the focus is left alone. */
  drawSections() {
    const { context, sections } = this,
      { parts } = context,
      runs = { shown: this.runsShown, toggle: () => this.toggleRuns() },
      active = document.activeElement;
    const drawn = [
      drawFacts,
      ...parts.before,
      drawToFinish,
      ...parts.after,
      () => drawReturned(context, runs),
    ];
    this.keepFocus(sections, () =>
      drawn.forEach((draw, i) => {
        const section = sections.children[i] ?? sections.appendChild(make("div"));
        if (!(active && section.contains(active) && active.matches("input,textarea,select"))) {
          section.replaceChildren(...make("div", draw(context)).childNodes);
        }
      }));
  }

  /** Draw a part, with the focus on the element that has the same key as before.
   * @param {HTMLElement} part @param {() => void} draw */
  keepFocus(part, draw) {
    const active = document.activeElement,
      key = active instanceof HTMLElement && part.contains(active) ? active.dataset.key : undefined;
    draw();
    if (key && !active?.isConnected) {
      find(`[data-key="${CSS.escape(key)}"]`, part)?.focus({ preventScroll: true });
    }
  }

  /** Ask which version of the document to keep, if there is a conflict. */
  conflict() {
    const { session, key, textView } = this, conflict = session.conflictOf(key);
    const events = session.outbox.of(key);
    if (!conflict) return this.dialog?.close();
    if (this.dialog || !events.length) return;
    const closed = () => {
      this.dialog = null;
      textView.text.focus({ preventScroll: true });
    };
    this.dialog = openConflict(conflict, events, textView, {
      keep: () => session.decide(key, false),
      apply: () => session.decide(key, true),
      closed,
    });
  }

  /** Paint the view when it is in the page. */
  shown() {
    const { textView, session, key } = this;
    textView.open(this.context.doc);
    textView.seen = session.seen.get(key) ?? [];
    this.redraw();
    if (this.context.procedure.marks) requestAnimationFrame(() => this.disposed || textView.rest());
    this.documentList.seek(this.aside);
    this.conflict();
  }

  dispose() {
    this.disposed = true;
    this.session.release();
    this.session.seen.set(this.key, this.textView.seen);
    document.removeEventListener("selectionchange", this.offerMark);
    this.reportTime();
    clearInterval(this.reports);
    clearTimeout(this.slow);
    this.watcher.disconnect();
    this.textView.dispose();
    this.dialog?.remove();
  }
}
