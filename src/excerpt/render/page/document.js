/** View of one document: text, contents, inspector, toolbar. */
import { runsButton } from "./bar.js";
import { passagesOf } from "./data.js";
import { icon, make, named } from "./dom.js";
import { count, percent, whole } from "./format.js";
import { button, drawGrid } from "./grid.js";
import { bisect, countPoints, joinSpans, layersOf, resultsIn, sharedSpans, spanAt } from "./spans.js";
import { ranking } from "./state.js";
import { TextView } from "./text_view.js";

/** @import { Child, Context, Document, Layer, Mark, Span, Topic } from "./types.d.ts" */

/** @typedef {{topic: Topic | null, index: number, page: Document, results: Span[][], cites?: Span[],
 *   relevant: Span[], entry: number, judged: boolean, chosen: Span[][], layers: Record<string, Span[]>,
 *   missed: Span[]}} Facts  the document, its number in the topic (-1: none), results of all runs and of the
 *   chosen ones, cited and relevant text, entry point (-1: none), layers and missed passages
 * @typedef {(span: Span, most?: number) => string} Quote */

// The rail: headings of the document, documents of the topic.
/** @param {Facts} facts @param {TextView} view */
function listHeadings({ page }, view) {
  const rows = page.blocks.filter(([kind]) => kind === "heading").map(([, , start, end, level]) => {
    const row = make(
      "li",
      button(view.quote([start, end]), () => view.reveal([start, end]), { class: "quiet" }),
    );
    row.style.paddingLeft = `${12 * Number(level) - 12}px`;
    return row;
  });
  return rows.length > 1 ? [make("h2", "Contents"), make("ul.plain", rows)] : [];
}

/** The documents of the topic, each with the proportion of its relevant text that the chosen runs returned.
 * @param {Context} context @param {Topic} topic @param {number} index */
function listDocuments({ link, runs }, topic, index) {
  const passages = passagesOf(topic), chosen = runs.map((run) => topic.runs[run]);
  return [
    make("h2", "Documents"),
    make(
      "ul.plain",
      topic.documents.id.map((doc, i) => {
        const { hit, missed } = layersOf(passages[i], resultsIn(topic, i, chosen), true);
        const found = countPoints(hit), proportion = found / (found + countPoints(missed));
        const row = make(
          "a",
          { href: link({ doc }), "aria-current": i === index && "page" },
          make("span.id", doc),
          make("span", topic.documents.title[i]),
          make("b", percent(proportion)),
        );
        row.style.setProperty("--share", `${88 * proportion}%`);
        return make("li", row);
      }),
    ),
  ];
}

/** The rail of a document view. @param {Context} context @param {Facts} facts @param {TextView} view */
function drawRail(context, facts, view) {
  const { topic, index } = facts;
  return [...listHeadings(facts, view), ...topic ? listDocuments(context, topic, index) : []];
}

// The inspector: the passage at the cursor, facts about the document.
const QUOTE = 120;
/** Labels of the states of text. @type {Record<string, string>} */
const STATES = { hit: "found", missed: "missed", vain: "not relevant", unjudged: "unjudged" };

/** The span at a position: the relevant passage, else the shortest result of the chosen runs, else null.
 * @param {Pick<Facts, "relevant" | "chosen">} facts @param {number | null} position @returns {Span | null} */
function passageAt({ relevant, chosen }, position) {
  if (position === null) return null;
  const results = chosen.flat().filter(([start, end]) => start <= position && position < end).sort((a, b) =>
    a[1] - a[0] - b[1] + b[0]
  );
  return relevant[spanAt(relevant, position)] ?? results[0]?.slice(0, 2) ?? null;
}

/** Every run with the ranks of its results that touch a span, and the proportion of it that they cover.
 * @param {Context} context @param {Facts} facts @param {Topic} topic @param {Span} span */
function drawCoverage({ overview, measure }, { results, index, relevant, cites }, topic, [start, end]) {
  const at = relevant.findIndex((span) => span[0] === start && span[1] === end),
    place = topic.relevant.document.indexOf(index) + at;
  /** @param {string} name @param {Span[]} returned @param {number} code of the reason, -1: none */
  const row = (name, returned, code = -1) => {
    const touching = returned.filter(([from, to]) =>
        from < end && (to > start || from === to && from === start)
      ),
      ranks = touching.map(([, , rank]) => rank);
    const proportion = ranks.length
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
      make("td.number", percent(proportion)),
    );
  };
  const rows = ranking(overview, measure).map((run) =>
    row(overview.runs[run].name, results[run], at < 0 ? -1 : topic.why[run][place])
  );
  if (cites) rows.push(row("cited", cites));
  return drawGrid("holders", ["Run", "Rank", "Found"], rows);
}

/** @param {Span} span @param {string} [state] */
const describePassage = ([start, end], state) =>
  `${start}–${end} · ${count(end - start, "character")}${state ? ` · ${STATES[state]}` : ""}`;

/** The passage or result at the cursor.
 * @param {Context} context @param {Facts} facts @param {Span | null} span @param {Quote} quote */
function drawPassageAt(context, facts, span, quote) {
  const head = make("h2", "At the cursor");
  if (!span) return [head, make("p.note", "Point at the text, or press j to go to a missed passage.")];
  const state = Object.keys(STATES).find((name) => spanAt(facts.layers[name], span[0]) >= 0);
  return [
    head,
    make("p.mono", describePassage(span, state)),
    make(
      `blockquote.serif.is-${state}`,
      { dir: "auto" },
      quote(span, QUOTE),
      span[1] - span[0] > QUOTE && "…",
    ),
    facts.topic ? drawCoverage(context, facts, facts.topic, span) : "",
  ];
}

/** Passages in all states, each with a link to its position.
 * @param {Context} context @param {Facts} facts @param {Quote} quote */
function listPassages({ link }, { layers }, quote) {
  const passages = Object.keys(STATES).flatMap((name) => layers[name].map((at) => ({ name, at })));
  return passages.sort((a, b) => a.at[0] - b.at[0]).map(({ name, at }) =>
    make("li", make("a", { href: link({ at }) }, describePassage(at, name)), ` ${quote(at, 60)}`)
  );
}

/** Facts about the document, and the list of its passages.
 * @param {Context} context @param {Facts} facts @param {Quote} quote
 * @param {boolean} [open] whether the list is open */
function drawAbout(context, facts, quote, open) {
  const { page, relevant, entry, judged } = facts, list = make("ul.plain");
  const rows = {
    "Relevant characters": `${whole(countPoints(relevant))}${page.size < 0 ? "" : ` of ${whole(page.size)}`}`,
    Passages: whole(relevant.length),
    "Best entry point": entry < 0 ? "–" : whole(entry),
    Judged: judged ? "yes" : "no",
  };
  const toggle = () => details.open && list.replaceChildren(...listPassages(context, facts, quote));
  /** @type {HTMLDetailsElement} */
  const details = make(
    "details",
    { open: open || page.text === null, on: { toggle } },
    make("summary", "List of passages"),
    list,
  );
  return [
    make("h2", "This document"),
    make("p.serif", page.title),
    ...facts.topic
      ? [
        make("dl", Object.entries(rows).map(([name, value]) => [make("dt", name), make("dd", value)])),
        details,
      ]
      : [],
  ];
}

/** The announcement of a missed passage, after `j` or `k`.
 * @param {Pick<Facts, "missed" | "chosen">} facts @param {number} number @param {Quote} quote */
function sayMissed({ missed, chosen }, number, quote) {
  const [start, end] = missed[number];
  return [
    `missed ${number + 1} of ${missed.length}`,
    count(end - start, "character"),
    `${chosen.length === 1 ? "not returned" : `returned by none of ${chosen.length} runs`}: ${
      quote([start, end], QUOTE)
    }`,
  ].join(", ");
}

// The toolbar: legend with counts, which shows and hides layers; steps to missed passages and documents.
/** @type {Record<string, string>} */
const ONE_RUN = { ...STATES, again: "repeated" };
/** @type {Record<string, string>} */
const SEVERAL_RUNS = { hit: "relevant", missed: "found by no run" };

/** The legend.
 * @param {Pick<Facts, "layers" | "chosen" | "judged">} facts @param {Set<string>} hidden
 * @param {string[]} quiet layers at the margin only @param {(name: string) => unknown} toggle */
function drawLegend({ layers, chosen, judged }, hidden, quiet, toggle) {
  const several = chosen.length > 1, words = { ...several ? SEVERAL_RUNS : ONE_RUN };
  delete words[judged ? "unjudged" : "vain"];
  if (layers.cited) words.cited = "cited";
  return make(
    "div.legend",
    several && make("span.levels", `returned by 1 to ${chosen.length} runs`),
    Object.entries(words).map(([name, word]) =>
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
 * @param {Pick<Facts, "missed">} facts @param {Span | null} at @param {(by: number) => unknown} step */
function drawSteps({ missed }, at, step) {
  const number = at ? spanAt(missed, at[0]) : -1, all = missed.length;
  /** @param {number} by @param {string} word @param {string} key @param {"left" | "right"} side */
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

/** The number of the document in the topic, with links to its neighbours.
 * @param {Context} context @param {Pick<Facts, "topic" | "index">} facts @returns {Child[]} */
function drawNeighbours({ link }, { topic, index }) {
  if (!topic || index < 0) return [];
  const { id } = topic.documents;
  /** @param {string} doc @param {string} word @param {string} key @param {"left" | "right"} arrow */
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

// The view of a document: text with relevant passages and results.
/** Sides of the map by layer. @type {Record<string, string>} */
const SIDES_OF = { hit: "left right", missed: "left", vain: "right", unjudged: "right" };

/** @param {Context} context @returns {Promise<Facts>} */
async function load({ state, data, overview }) {
  const number = overview.topics.findIndex(({ id }) => id === state.topic),
    topic = number < 0 ? null : await data.topic(number);
  const documents = topic?.documents, page = await data.document(state.doc);
  const index = documents?.id.findIndex((id) => id === page.id || page.names.includes(id)) ?? -1,
    results = topic ? resultsIn(topic, index) : overview.runs.map(() => []);
  return {
    topic,
    index,
    page,
    results,
    cites: topic?.cited && resultsIn(topic, index, [topic.cited])[0],
    relevant: (topic && passagesOf(topic)[index]) ?? [],
    entry: documents?.entry[index] ?? -1,
    judged: !!documents?.judged[index],
    chosen: [],
    layers: {},
    missed: [],
  };
}

/** Flags of the margin: best entry point, returned entry points, ranks or numbers of runs.
 * @param {Facts} facts @param {string[]} letters @param {Quote} quote */
function marksOf({ entry, chosen, layers }, letters, quote) {
  /** @type {Mark[]} */
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

/** The layers of the text view, hidden ones empty; with several runs a lane shows where any returned text.
 * @param {Facts} facts @param {Set<string>} hidden @returns {Layer[]} */
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

/** The open document. Of `facts` only chosen, layers and missed change with the chosen runs. */
class DocumentView {
  /** @param {Context} context @param {Facts} facts */
  constructor(context, facts) {
    const { page, topic, judged } = facts, host = make("div.paper");
    const unjudged = topic && !judged
      ? `This document is not judged for ${topic.id}; unjudged does not mean not relevant.`
      : "";
    this.context = context;
    this.facts = facts;
    this.title = page.id;
    this.paintedFor = "";
    /** The span that was revealed last, as text. */
    this.revealed = "";
    /** Layers that only the margin shows. @type {string[]} */
    this.quiet = [];
    this.rail = make("div.rail");
    this.toolbar = make("div.toolbar");
    this.at = make("div.at");
    this.about = make("div.about");
    const aside = make("details.aside", make("summary", "Documents"), this.rail);
    this.node = make(
      "div.document",
      make("h1.hidden", { tabindex: "-1" }, `${page.id} ${page.title}`),
      aside,
      make(
        "div.desk",
        this.toolbar,
        page.why + unjudged && make("p.caution", page.why, " ", unjudged),
        host,
      ),
      make("aside.inspector", { "aria-label": "Inspector" }, this.at, this.about),
    );
    this.text = new TextView(host, {
      onPoint: (position) => context.state.at || this.look(passageAt(facts, position)),
      onCursor: (position) => this.fix(passageAt(facts, position)),
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

  /** Hide the named layers, or show them if all are hidden. @param {string[]} names */
  toggle(...names) {
    const { hidden } = this, off = names.every((name) => hidden.has(name));
    for (const name of names) hidden[off ? "delete" : "add"](name);
    this.context.choose({ hide: [...hidden].sort().join("-") });
  }

  /** Show a span in the inspector. @param {Span | null} span */
  look(span) {
    this.text.cursor(span);
    this.at.replaceChildren(...drawPassageAt(this.context, this.facts, span, this.text.quote));
  }

  /** Pin the cursor to a span without scrolling, or release it. @param {Span | null} at */
  fix(at) {
    this.revealed = String(at);
    this.context.choose({ at });
  }

  /** Go to the next or the previous missed passage, from the cursor or from the visible text.
   * @param {number} by 1 or -1 */
  step(by) {
    const { context, facts: { missed }, text } = this,
      { at } = context.state,
      from = at ? at[0] : text.sight().window[0];
    if (!missed.length) return context.announce("nothing missed");
    const next = bisect(missed.length, (i) => missed[i][0], at && by > 0 ? from + 1 : from) -
      (by < 0 ? 1 : 0);
    const number = (next + missed.length) % missed.length;
    context.choose({ at: missed[number] });
    text.reveal(missed[number]);
    context.announce(sayMissed(this.facts, number, text.quote));
  }

  repaint() {
    const { context, facts, text, hidden, about } = this,
      { page } = facts,
      folded = page.blocks.some(([kind]) => kind !== "text") !== hidden.has("space");
    facts.chosen = context.runs.map((run) => facts.results[run]);
    facts.layers = layersOf(facts.relevant, facts.chosen, facts.judged);
    if (facts.cites) facts.layers.cited = joinSpans(facts.cites);
    text.show(page, { folded });
    facts.missed = facts.layers.missed.filter((span) => page.text === null || text.quote(span).trim());
    this.quiet = text.paint(painting(facts, hidden), marksOf(facts, context.letters, text.quote));
    this.rail.replaceChildren(...drawRail(context, facts, text));
    about.replaceChildren(
      ...drawAbout(context, facts, text.quote, about.querySelector("details")?.open),
      make(
        "label.check",
        make("input", {
          type: "checkbox",
          "data-key": "fold",
          checked: folded,
          on: { change: () => this.toggle("space") },
        }),
        "Fold whitespace",
      ),
    );
  }

  update() {
    const { context, facts } = this,
      { state, runs, measure } = context,
      key = [runs, state.hide, measure].join(" ");
    if (key !== this.paintedFor) this.repaint();
    this.paintedFor = key;
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
    return drawNeighbours(this.context, this.facts);
  }

  /** Called when the node is in the page and the previous view is gone: paint, and scroll once to the span of
   * the address. */
  shown() {
    const { at } = this.context.state;
    if (!this.paintedFor) this.update();
    if (at && String(at) !== this.revealed) this.text.reveal(at);
    this.revealed = String(at);
  }

  dispose() {
    this.watcher.disconnect();
    this.text.dispose();
  }
}

/** Draw the view. @param {Context} context */
export async function drawDocument(context) {
  return new DocumentView(context, await load(context));
}
