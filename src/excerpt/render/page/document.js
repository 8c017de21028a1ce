/** The view of a document: its text painted with what is relevant and what runs returned. */
import { make } from "./dom.js";
import { bisect } from "./offsets.js";
import { passagesOf } from "./data.js";
import { runsButton } from "./bar.js";
import { layersOf, resultsIn } from "./layers.js";
import { Paper } from "./paper.js";
import { drawRail } from "./rail.js";
import { drawAbout, drawPiece, pieceAt, sayMissed } from "./inspector.js";
import { joinSpans } from "./spans.js";
import { drawLegend, drawPlace, drawSteps } from "./toolbar.js";

const SIDES_OF = { hit: "left right", missed: "left", vain: "right", unjudged: "right" };

/** What is fixed while the view is open: the document, its number in the topic, its passages, all results. */
async function load({ state, data, overview }) {
  const number = overview.topics.findIndex(({ id }) => id === state.topic),
    topic = number < 0 ? null : await data.topic(number);
  const { id: ids = [], entry = [], judged = [] } = topic?.documents ?? {},
    page = await data.document(state.doc);
  const index = ids.findIndex((id) => id === page.id || page.names.includes(id)),
    results = topic ? resultsIn(topic, index) : overview.runs.map(() => []);
  return {
    topic,
    index,
    page,
    results,
    cites: topic?.cited && resultsIn(topic, index, [topic.cited])[0],
    relevant: (topic && passagesOf(topic)[index]) ?? [],
    entry: entry[index] ?? -1,
    judged: judged[index],
  };
}

/** What the margin says: the judged entry point, returned ones, and ranks or how many runs. */
function marksOf({ entry, chosen, layers }, letters, quote) {
  const marks = entry < 0 ? [] : [{ at: entry, text: "BEP", kind: "judged" }];
  chosen.forEach((results, i) =>
    results.forEach(([at, end, rank]) => {
      if (at === end) marks.push({ at, text: letters[i] + rank, kind: "returned" });
      else if (chosen.length < 2) marks.push({ at, text: `#${rank}` });
    })
  );
  let last = 0, until = 0;
  for (const [at, end, runs] of layers.levels) {
    if (at > until) last = 0;
    until = end;
    if (runs === last || !quote([at, end]).trim()) continue;
    marks.push({ at, text: `${runs} of ${chosen.length}` });
    last = runs;
  }
  return marks;
}

/** The layers for the paper, those empty that are hidden; with several runs a lane says where any returned something. */
function painting({ layers: { levels, ...named }, judged }, hidden) {
  return [
    { name: "", spans: levels, lane: judged ? "vain" : "unjudged", map: "right" },
    ...Object.entries(named).map(([name, spans]) => ({
      name,
      spans: hidden.has(name) ? [] : spans,
      map: SIDES_OF[name],
      lane: /^runs/.test(name) ? "" : name,
    })),
  ];
}

/** The open document: `facts` are fixed but for what the chosen runs say (chosen, layers, missed). */
class DocumentView {
  constructor(context, facts) {
    const { page, topic, judged } = facts, part = (name) => (this[name] = make(`div.${name}`));
    const unjudged = topic && !judged
      ? `Nobody judged this document for ${topic.id}: unjudged is not wrong.`
      : "";
    Object.assign(this, { context, facts, title: page.id, paintedFor: "" });
    const aside = make("details.aside", make("summary", "Documents"), part("rail"));
    this.node = make(
      "div.document",
      make("h1.hidden", { tabindex: "-1" }, `${page.id} ${page.title}`),
      aside,
      make(
        "div.desk",
        part("toolbar"),
        page.why + unjudged && make("p.caution", page.why, " ", unjudged),
        part("paper"),
      ),
      make("aside.inspector", { "aria-label": "Inspector" }, part("at"), part("about")),
    );
    this.paper = new Paper(this.paper, {
      onPoint: (position) => context.state.at || this.look(pieceAt(facts, position)),
      onCursor: (position) => this.fix(pieceAt(facts, position)),
    });
    this.keys = {
      next: () => this.step(1),
      previous: () => this.step(-1),
      relevant: () => this.toggle("hit", "missed"),
      escape: () => this.fix(null),
    };
    this.watcher = new ResizeObserver(() => {
      this.node.style.setProperty("--top", `${48 + this.toolbar.offsetHeight}px`);
      if (innerWidth > 1179) aside.open = true;
    });
    this.watcher.observe(this.toolbar);
  }

  get hidden() {
    return new Set(this.context.state.hide.split("-").filter(Boolean));
  }

  /** Hide the named parts, or show them if all are hidden. */
  toggle(...names) {
    const { hidden } = this, off = names.every((name) => hidden.has(name));
    for (const name of names) hidden[off ? "delete" : "add"](name);
    this.context.choose({ hide: [...hidden].sort().join("-") });
  }

  look(span) {
    this.paper.cursor(span);
    this.at.replaceChildren(...drawPiece(this.context, this.facts, span, this.paper.quote));
  }

  /** The cursor stays at a piece, without a jump, or is free. */
  fix(at) {
    this.revealed = String(at);
    this.context.choose({ at });
  }

  /** To the next or the previous missed passage, from the cursor or from what is in sight. */
  step(by) {
    const { context, facts: { missed }, paper } = this,
      { at } = context.state,
      from = at ? at[0] : paper.sight().window[0];
    if (!missed.length) return context.announce("nothing missed");
    const next = bisect(missed.length, (i) => missed[i][0], at && by > 0 ? from + 1 : from) - (by < 0);
    const number = (next + missed.length) % missed.length;
    context.choose({ at: missed[number] });
    paper.reveal(missed[number]);
    context.announce(sayMissed(this.facts, number, paper.quote));
  }

  repaint() {
    const { context, facts, paper, hidden, about } = this,
      { page } = facts,
      folded = page.blocks.some(([kind]) => kind !== "text") !== hidden.has("space");
    facts.chosen = context.runs.map((run) => facts.results[run]);
    facts.layers = layersOf(facts.relevant, facts.chosen, facts.judged);
    if (facts.cites) facts.layers.cited = joinSpans(facts.cites);
    paper.show(page, { folded });
    facts.missed = facts.layers.missed.filter((span) => page.text === null || paper.quote(span).trim());
    this.quiet = paper.paint(painting(facts, hidden), marksOf(facts, context.letters, paper.quote));
    this.rail.replaceChildren(...drawRail(context, facts, paper));
    about.replaceChildren(
      ...drawAbout(context, facts, paper.quote, about.querySelector("details")?.open),
      make(
        "label.check",
        make("input", {
          type: "checkbox",
          "data-key": "fold",
          checked: folded,
          on: { change: () => this.toggle("space") },
        }),
        "Fold white space",
      ),
    );
  }

  update() {
    const { context, facts } = this,
      { state, runs, measure } = context,
      wanted = [runs, state.hide, measure].join(" ");
    if (wanted !== this.paintedFor) this.repaint();
    this.paintedFor = wanted;
    if (facts.topic) {
      this.toolbar.replaceChildren(
        runsButton(context),
        drawLegend(facts, this.hidden, this.quiet, (name) => this.toggle(name)),
        drawSteps(facts, state.at, (by) => this.step(by)),
      );
    }
    this.look(state.at);
    return true;
  }

  get tools() {
    return drawPlace(this.context, this.facts);
  }

  /** The node stands in the page, and the view before it is gone: paint, and bring what the address names into sight, once. */
  shown() {
    const { at } = this.context.state;
    if (!this.paintedFor) this.update();
    if (at && String(at) !== this.revealed) this.paper.reveal(at);
    this.revealed = String(at);
  }

  dispose() {
    this.watcher.disconnect();
    this.paper.dispose();
  }
}

/** Draws the view.
 * @param {import("./explore.js").Context} context @returns {Promise<import("./explore.js").View>} */
export async function drawDocument(context) {
  return new DocumentView(context, await load(context));
}
