/** View of one document: text, contents, inspector, toolbar. */
import { runsButton } from "./bar.js";
import { passagesOf } from "./data.js";
import { icon, make, named } from "./dom.js";
import { count, percent, whole } from "./format.js";
import { button, drawGrid } from "./grid.js";
import { bisect, countPoints, joinSpans, layersOf, resultsIn, sharedSpans, spanAt } from "./spans.js";
import { ranking } from "./state.js";
import { TextView } from "./text_view.js";

// Beside a document: its headings, and the documents of the topic.
function listHeadings({ page }, paper) {
  const rows = page.blocks.filter(([kind]) => kind === "heading").map(([, , start, end, level]) => {
    const row = make(
      "li",
      button(paper.quote([start, end]), () => paper.reveal([start, end]), { class: "quiet" }),
    );
    row.style.paddingLeft = `${12 * level - 12}px`;
    return row;
  });
  return rows.length > 1 ? [make("h2", "Contents"), make("ul.plain", rows)] : [];
}

/** The documents of the topic, each with how much of its relevant text the chosen runs returned. */
function listDocuments({ link, runs }, { topic, index }) {
  const passages = passagesOf(topic), chosen = runs.map((run) => topic.runs[run]);
  return [
    make("h2", "Documents"),
    make(
      "ul.plain",
      topic.documents.id.map((doc, i) => {
        const { hit, missed } = layersOf(passages[i], resultsIn(topic, i, chosen), true);
        const found = countPoints(hit), share = found / (found + countPoints(missed));
        const row = make(
          "a",
          { href: link({ doc }), "aria-current": i === index && "page" },
          make("span.id", doc),
          make("span", topic.documents.title[i]),
          make("b", percent(share)),
        );
        row.style.setProperty("--share", `${88 * share}%`);
        return make("li", row);
      }),
    ),
  ];
}

/** The rail of a document view.
 * @param {import("./explore.js").Context} context @param {Object} facts @param {import("./paper.js").TextView} paper @returns {Node[]} */
export function drawRail(context, facts, paper) {
  return [...listHeadings(facts, paper), ...facts.topic ? listDocuments(context, facts) : []];
}

// Beside a document: what lies at the cursor, and facts of the document.
const QUOTE = 120;
/** The states of text, in words. */
export const STATES = { hit: "hit", missed: "missed", vain: "in vain", unjudged: "unjudged" };

/** The piece at a position: the judged passage, else the shortest result of the chosen runs, else nothing.
 * @param {Object} facts @param {?number} position @returns {?number[]} */
export function pieceAt({ relevant, chosen }, position) {
  const around = chosen.flat().filter(([start, end]) => start <= position && position < end).sort((a, b) =>
    a[1] - a[0] - b[1] + b[0]
  );
  return position === null ? null : relevant[spanAt(relevant, position)] ?? around[0]?.slice(0, 2) ?? null;
}

/** Every run with the ranks of its results that touch a span, and the share of it that they hold. */
function drawHolders({ overview, measure }, { results, topic, index, relevant, cites }, [start, end]) {
  const at = relevant.findIndex((span) => span[0] === start && span[1] === end),
    place = topic.relevant.document.indexOf(index) + at;
  const row = (name, found, code = -1) => {
    const touching = found.filter(([from, to]) =>
        from < end && (to > start || from === to && from === start)
      ),
      ranks = touching.map(([, , rank]) => rank);
    const share = ranks.length
      ? countPoints(sharedSpans(touching, [[start, end]])) / (end - start || 1)
      : null;
    return make(
      "tr",
      { class: !ranks.length && "none" },
      make(
        "th",
        { scope: "row" },
        named(name, 22),
        code >= 0 && make("p.note", code > 9 ? `at rank ${Math.floor(code / 10)}` : overview.reasons[code]),
      ),
      make("td.number", ranks.slice(0, 3).join(", ") + (ranks.length > 3 ? " …" : "") || "none"),
      make("td.number", percent(share)),
    );
  };
  const rows = ranking(overview, measure).map((run) =>
    row(overview.runs[run].name, results[run], at < 0 ? -1 : topic.why[run][place])
  );
  if (cites) rows.push(row("cited", cites));
  return drawGrid("holders", ["Run", "Rank", "Of it"], rows);
}

const describePiece = ([start, end], state) =>
  `${start}–${end} · ${count(end - start, "character")}${state ? ` · ${STATES[state]}` : ""}`;

/** What is at the cursor.
 * @param {import("./explore.js").Context} context @param {Object} facts @param {?number[]} span @param {function(number[], number): string} quote
 * @returns {Array} */
export function drawPiece(context, facts, span, quote) {
  const head = make("h2", "At the cursor");
  if (!span) return [head, make("p.note", "Point at the text, or press j.")];
  const state = Object.keys(STATES).find((name) => spanAt(facts.layers[name], span[0]) >= 0);
  return [
    head,
    make("p.mono", describePiece(span, state)),
    make(
      `blockquote.serif.is-${state}`,
      { dir: "auto" },
      quote(span, QUOTE),
      span[1] - span[0] > QUOTE && "…",
    ),
    facts.topic ? drawHolders(context, facts, span) : "",
  ];
}

/** The pieces of a document in words, each a link to its place. */
function listPieces({ link }, { layers }, quote) {
  const pieces = Object.keys(STATES).flatMap((name) => layers[name].map((at) => ({ name, at })));
  return pieces.sort((a, b) => a.at[0] - b.at[0]).map(({ name, at }) =>
    make("li", make("a", { href: link({ at }) }, describePiece(at, name)), ` ${quote(at, 60)}`)
  );
}

/** Facts of the document, and its pieces in words.
 * @param {import("./explore.js").Context} context @param {Object} facts @param {function(number[], number): string} quote
 * @param {boolean} open whether the pieces are unfolded @returns {Node[]} */
export function drawAbout(context, facts, quote, open) {
  const { page, relevant, entry, judged } = facts, list = make("ul.plain");
  const rows = {
    Relevant: `${whole(countPoints(relevant))}${page.size < 0 ? "" : ` of ${whole(page.size)}`}`,
    Passages: whole(relevant.length),
    "Best entry point": entry < 0 ? "–" : whole(entry),
    Judged: judged ? "yes, complete" : "no",
  };
  const toggle = ({ target }) => target.open && list.replaceChildren(...listPieces(context, facts, quote));
  return [
    make("h2", "This document"),
    make("p.serif", page.title),
    ...facts.topic
      ? [
        make("dl", Object.entries(rows).map(([name, value]) => [make("dt", name), make("dd", value)])),
        make(
          "details",
          { open: open || page.text === null, on: { toggle } },
          make("summary", "Pieces in words"),
          list,
        ),
      ]
      : [],
  ];
}

/** What `j` and `k` say of a missed passage.
 * @param {Object} facts @param {number} number @param {function(number[], number): string} quote @returns {string} */
export function sayMissed({ missed, chosen }, number, quote) {
  const [start, end] = missed[number];
  return `missed ${number + 1} of ${missed.length}, ${count(end - start, "character")}, in none of ${
    count(chosen.length, "run")
  }: ${quote([start, end], QUOTE)}`;
}

// Above a document: legend, which is also what is shown and how much there is of it; steps to missed passages and documents.
const ONE = { ...STATES, again: "again" };
const SEVERAL = { hit: "relevant", missed: "in no run" };

/** The legend.
 * @param {Object} facts @param {Set<string>} hidden @param {string[]} quiet shown at the margin only @param {function(string)} toggle
 * @returns {HTMLElement} */
export function drawLegend({ layers, chosen, judged }, hidden, quiet, toggle) {
  const several = chosen.length > 1,
    words = Object.entries({ ...several ? SEVERAL : ONE, ...layers.cited && { cited: "cited" } }).filter((
      [name],
    ) => name !== (judged ? "unjudged" : "vain"));
  return make(
    "div.legend",
    several && make("span.levels", `returned by 1 to ${chosen.length} runs`),
    words.map(([name, word]) =>
      button(
        [
          make(`span.sample.is-${name}`, { "aria-hidden": "true" }, "Aa"),
          make("b", word),
          whole(countPoints(layers[name])),
          quiet.includes(name) && make("span.note", "margin only"),
        ],
        () => toggle(name),
        { "data-key": name, "aria-pressed": String(!hidden.has(name)) },
      )
    ),
  );
}

/** Buttons to the next and the previous missed passage.
 * @param {Object} facts @param {?number[]} at @param {function(number)} step @returns {HTMLElement} */
export function drawSteps({ missed }, at, step) {
  const number = at ? spanAt(missed, at[0]) : -1, all = missed.length;
  const arrow = (by, word, key, side) =>
    button([icon(side), make("kbd", key)], () => step(by), {
      "data-key": key,
      disabled: !all,
      "aria-label": `${word} missed passage`,
    });
  return make(
    "div.steps",
    arrow(-1, "Previous", "k", "left"),
    !all ? "nothing missed" : number < 0 ? `${all} missed` : `missed ${number + 1} of ${all}`,
    arrow(1, "Next", "j", "right"),
  );
}

/** Where we are among the documents of the topic, for the bar.
 * @param {import("./explore.js").Context} context @param {Object} facts @returns {Node[]} */
export function drawPlace({ link }, { topic, index }) {
  if (index < 0) return [];
  const { id } = topic.documents;
  const step = (doc, word, key, arrow) =>
    doc &&
    make(
      "a.step",
      { href: link({ doc }), "aria-label": `${word} document, ${doc}` },
      icon(arrow),
      make("kbd", key),
    );
  return [
    step(id[index - 1], "Previous", "p", "left"),
    make("span.note", `document ${index + 1} of ${id.length}`),
    step(id[index + 1], "Next", "n", "right"),
  ];
}

// The view of a document: its text painted with what is relevant and what runs returned.
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
    this.paper = new TextView(this.paper, {
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
