/** View of one document: text, contents, inspector, toolbar. */
import { rows, unitOf } from "./arithmetic.js";
import { runsButton } from "./bar.js";
import { AS_MARKDOWN, copyButton } from "./clipboard.js";
import { drawCurves, sayPoint } from "./curves.js";
import { passagesOf } from "./data.js";
import { badge, find, icon, make, named } from "./dom.js";
import { count, percent, score, whole } from "./format.js";
import { button, drawGrid } from "./grid.js";
import { linkMarkdown, quoteMarkdown, tableMarkdown } from "./markdown.js";
import { makeRankBar } from "./rank_bar.js";
import {
  bisect,
  countPoints,
  joinSpans,
  layersOf,
  pairLayers,
  resultsIn,
  sharedSpans,
  spanAt,
  sweepSpans,
} from "./spans.js";
import { ranking } from "./state.js";
import { TextView } from "./text_view.js";

/** @import { Curve } from "./curves.js" */
/** @import { Child, Context, Document, Layer, Mark, Span, Topic } from "./types.d.ts" */

/** @typedef {{name: string, at: Span}} Piece text in one state
 * @typedef {{topic: Topic | null, index: number, page: Document, results: Span[][], cites?: Span[],
 *   relevant: Span[], entry: number, judged: boolean, chosen: Span[][], layers: Record<string, Span[]>,
 *   pieces: Piece[]}} Facts  the document, its number in the topic (-1: none), results of all runs and of the
 *   chosen ones (up to a rank), cited and relevant text, entry point (-1: none), layers, pieces of all states
 * @typedef {(span: Span, most?: number) => string} Quote */

// The rail: headings of the document, documents of the topic.
/** @param {Facts} facts @param {TextView} view @param {number} from where the contents begin */
function listHeadings({ page }, view, from) {
  const rows = page.blocks.filter(([kind, , start]) => kind === "heading" && start >= from).map(
    ([, , start, end, level]) => {
      const row = make(
        "li",
        button(view.quote([start, end]), () => view.reveal([start, end]), { class: "quiet" }),
      );
      row.style.paddingLeft = `${12 * Number(level) - 12}px`;
      return row;
    },
  );
  return rows.length > 1 ? [make("h2", "Contents"), make("ul.plain", rows)] : [];
}

/** The pages of a span, such as "page 3" or "pages 3–5"; empty in a document without pages.
 * @param {Pick<Document, "pages">} page @param {Span} span */
function sayPages({ pages = [] }, [start, end]) {
  const first = bisect(pages.length, (i) => pages[i][1], start + 1) + 1,
    last = bisect(pages.length, (i) => pages[i][0], Math.max(end, start + 1));
  return first > last ? "" : first === last ? `page ${first}` : `pages ${first}–${last}`;
}

/** The pages, each with the proportion of its relevant text that the chosen runs returned.
 * @param {Facts} facts @param {TextView} view */
function listPages({ page: { pages = [] }, relevant, chosen }, view) {
  const { hit, missed } = layersOf(relevant, chosen, true);
  return pages.length
    ? [
      make("h2", "Pages"),
      make(
        "ul.plain.pages",
        pages.map((span, i) => {
          const [found, lacking] = [hit, missed].map((spans) => countPoints(sharedSpans(spans, [span])));
          const results = chosen.flat().filter(([start, end]) => start < span[1] && end > span[0]).length;
          const share = found + lacking ? percent(found / (found + lacking)) : "";
          return make(
            "li",
            button(`Page ${i + 1}`, () => view.reveal(span), { class: "quiet" }),
            share && make("b", ` ${share} of its relevant text`),
            results ? make("span.note", ` ${count(results, "result")}`) : "",
          );
        }),
      ),
    ]
    : [];
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
          make("span.id", named(doc, 40)),
          make("span", topic.documents.title[i]),
          make("b", percent(proportion)),
        );
        row.style.setProperty("--share", `${88 * proportion}%`);
        return make("li", row);
      }),
    ),
  ];
}

/** The rail of a document view.
 * @param {Context} context @param {Facts} facts @param {TextView} view @param {number} from */
function drawRail(context, facts, view, from) {
  const { topic, index } = facts;
  return [
    ...topic ? listDocuments(context, topic, index) : [],
    ...listPages(facts, view),
    ...listHeadings(facts, view, from),
  ];
}

// The inspector: the passage at the cursor, facts about the document.
const QUOTE = 120, MOST_COPIED = 2000;
/** Labels of the states of text. @type {Record<string, string>} */
const STATES = { hit: "found", missed: "missed", vain: "not relevant", unjudged: "unjudged" };

/** The state of the text at a position. @param {Pick<Facts, "pieces">} facts @param {number} position */
const stateAt = ({ pieces }, position) =>
  pieces.find(({ at: [start, end] }) => start <= position && position < end)?.name;

/** The span at a position: the relevant passage, else the shortest result of the chosen runs, else null.
 * @param {Pick<Facts, "relevant" | "chosen">} facts @param {number | null} position @returns {Span | null} */
function passageAt({ relevant, chosen }, position) {
  if (position === null) return null;
  const results = chosen.flat().filter(([start, end]) => start <= position && position < end).sort((a, b) =>
    a[1] - a[0] - b[1] + b[0]
  );
  return relevant[spanAt(relevant, position)] ?? results[0]?.slice(0, 2) ?? null;
}

/** The ranks of results that touch a span, and the proportion of it that they cover (null: there are none).
 * @param {Span[]} returned @param {Span} span @returns {[ranks: string, proportion: number | null]} */
function coverageOf(returned, [start, end]) {
  const touching = returned.filter(([from, to]) =>
      from < end && (to > start || from === to && from === start)
    ),
    ranks = touching.map(([, , rank]) => rank);
  return [
    ranks.slice(0, 3).join(", ") + (ranks.length > 3 ? " …" : ""),
    ranks.length ? countPoints(sharedSpans(touching, [[start, end]])) / (end - start || 1) : null,
  ];
}

/** Every run with its coverage of a span. @param {Context} context @param {Facts} facts @param {Topic} topic
 * @param {Span} span */
function drawCoverage({ overview, measure }, { results, index, relevant, cites }, topic, [start, end]) {
  const at = relevant.findIndex((span) => span[0] === start && span[1] === end),
    place = topic.relevant.document.indexOf(index) + at;
  /** @param {string} name @param {Span[]} returned @param {number} code of the reason, -1: none */
  const row = (name, returned, code = -1) => {
    const [ranks, proportion] = coverageOf(returned, [start, end]);
    return make(
      "tr",
      { class: !ranks && "none" },
      make(
        "th",
        { scope: "row" },
        named(name, 22),
        code >= 0 && make("p.note", code > 9 ? `at rank ${Math.floor(code / 10)}` : overview.reasons[code]),
      ),
      make("td.number", ranks || "none"),
      make("td.number", percent(proportion)),
    );
  };
  const lines = ranking(overview, measure).map((run) =>
    row(overview.runs[run].name, results[run], at < 0 ? -1 : topic.why[run][place])
  );
  if (cites) lines.push(row("cited", cites));
  return drawGrid("holders", ["Run", "Rank", "Found"], lines);
}

/** A passage as Markdown: its text painted, document, and the chosen runs with ranks and scores.
 * @param {Context} context @param {Facts} facts @param {Span} span @param {Quote} quote */
function copyPassage(context, { page, topic, relevant, chosen }, span, quote) {
  const { overview: { topics, measures, scores }, measure, runs, names, address } = context,
    number = topics.findIndex(({ id }) => id === topic?.id),
    at = [span[0], Math.min(span[1], span[0] + MOST_COPIED)];
  /** @type {[string, string][]} */
  const pieces = [];
  sweepSpans([[at], relevant, chosen.flat()], (start, end, [inside, isRelevant, returned]) => {
    if (inside) pieces.push([isRelevant ? returned ? "hit" : "missed" : "", quote([start, end])]);
  });
  if (span[1] > at[1]) pieces.push(["", " …"]);
  const about = [
    [
      `${page.id}${page.title && page.title !== page.id ? ` ${page.title}` : ""}`,
      sayPages(page, span),
      `characters ${span.join("–")}`,
    ].filter(Boolean).join(", "),
    number < 0 ? "" : `topic ${topics[number].id} ${topics[number].title || topics[number].text}`,
  ];
  return [
    quoteMarkdown(pieces, [linkMarkdown(about.filter(Boolean).join(" · "), address({ at: span }))]),
    number >= 0 &&
    tableMarkdown(
      ["Run", "Rank", "Found", measures[measure].topic],
      runs.map((run, i) => {
        const [ranks, proportion] = coverageOf(chosen[i], span);
        return [names[run], ranks || "–", percent(proportion), score(scores[measure][run][number])];
      }),
    ),
  ].filter(Boolean).join("\n\n");
}

/** @param {Document} page @param {Span} span @param {string} [state] */
const describePassage = (page, [start, end], state) =>
  [`${start}–${end}`, sayPages(page, [start, end]), count(end - start, "character"), state && STATES[state]]
    .filter(Boolean).join(" · ");

/** The passage or result at the cursor.
 * @param {Context} context @param {Facts} facts @param {Span | null} span @param {Quote} quote */
function drawPassageAt(context, facts, span, quote) {
  const head = make("h2", "At the cursor");
  if (!span) return [head, make("p.note", "Point at the text, or press j for the next passage.")];
  const state = stateAt(facts, span[0]);
  return [
    head,
    make("p.mono", describePassage(facts.page, span, state)),
    make(
      `blockquote.serif.is-${state}`,
      { dir: "auto" },
      quote(span, QUOTE),
      span[1] - span[0] > QUOTE && "…",
    ),
    facts.topic ? drawCoverage(context, facts, facts.topic, span) : "",
    copyButton(AS_MARKDOWN, () => copyPassage(context, facts, span, quote), context.announce, {
      class: "quiet",
      "data-key": "copy-passage",
    }),
  ];
}

/** The curves of the chosen runs with their points at a rank, and in words.
 * @param {Context} context @param {Facts} facts @param {number} rank */
function drawPoints(
  { overview: { topics, measures }, measure, letters, names, runs, go },
  { topic, index },
  rank,
) {
  if (!topic) return [];
  const { family } = measures[measure], about = topics.find(({ id }) => id === topic.id);
  /** @type {(Curve & {spans: Int32Array})[]} */
  const curves = runs.slice(0, 3).map((run, n) => ({
    letter: letters[n],
    name: names[run],
    spans: topic.runs[run],
    rows: rows(topic, run, family),
  }));
  return [
    make("h2", `Results 1 to ${whole(rank)}`),
    unitOf(family) !== "results" && about?.documents ? drawCurves(curves, curves, rank) : "",
    curves.map(({ letter, name, rows: list, spans }) => {
      const at = Math.min(rank, list.length),
        doc = topic.spans.document[spans[at - 1]],
        id = topic.documents.id[doc];
      return make(
        "p.note",
        curves.length > 1 && [badge(letter), " "],
        at ? sayPoint(at, list[at - 1]) : `${name} has no results`,
        id && doc !== index && [
          "; this result is in ",
          button(named(id, 24), () => go({ doc: id, upto: `${rank}` }), { class: "quiet" }),
        ],
      );
    }),
  ].flat();
}

/** Passages in all states, each with a link to its position.
 * @param {Context} context @param {Facts} facts @param {Quote} quote */
function listPassages({ link }, { pieces, page }, quote) {
  return pieces.map(({ name, at }) =>
    make("li", make("a", { href: link({ at }) }, describePassage(page, at, name)), ` ${quote(at, 60)}`)
  );
}

/** How much text both of two runs returned, one of them, and neither; and how much of it is relevant.
 * @param {Context} context @param {Facts} facts */
function drawShares({ names, runs }, { layers: { both, onlyA, onlyB, missed }, relevant, page: { size } }) {
  const returned = [both, onlyA, onlyB], rest = size - countPoints(returned.flat());
  const only = runs.map((run, i) => [badge("AB"[i]), " only ", named(names[run], 12)]);
  /** @param {Child} name @param {number} all @param {number} found */
  const row = (name, all, found) =>
    make(
      "tr",
      make("th", { scope: "row" }, name),
      make("td.number", size < 0 && name === "Neither" ? "–" : whole(all)),
      make("td.number", whole(found)),
    );
  return drawGrid("holders", ["Returned by", "Characters", "Relevant"], [
    ...returned.map((spans, i) =>
      row(["Both", ...only][i], countPoints(spans), countPoints(sharedSpans(spans, relevant)))
    ),
    row("Neither", rest, countPoints(missed)),
  ]);
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
    make("p.serif", page.title || page.id),
    ...facts.topic
      ? [
        make("dl", Object.entries(rows).map(([name, value]) => [make("dt", name), make("dd", value)])),
        facts.layers.both ? drawShares(context, facts) : "",
        details,
      ]
      : [],
  ];
}

/** The announcement of a piece, after a key.
 * @param {Piece[]} pieces @param {number} number @param {number} runs chosen ones @param {Quote} quote */
function sayPiece(pieces, number, runs, quote) {
  const { name, at } = pieces[number], [start, end] = at;
  const how = name !== "missed" ? "" : runs === 1 ? ", not returned" : `, returned by none of ${runs} runs`;
  return `${STATES[name]} ${number + 1} of ${pieces.length}, ${count(end - start, "character")}${how}: ${
    quote(at, QUOTE)
  }`;
}

// The toolbar: legend with counts, which shows and hides layers; steps to passages and documents.
/** @type {Record<string, string>} */
const ONE_RUN = { ...STATES, again: "repeated" };
/** @type {Record<string, string>} */
const SEVERAL_RUNS = { hit: "relevant", missed: "found by no run" };
/** @type {Record<string, string>} */
const TWO_RUNS = {
  both: "both",
  onlyA: "A only",
  onlyB: "B only",
  hit: "relevant",
  missed: "neither",
};

/** The legend.
 * @param {Pick<Facts, "layers" | "chosen" | "judged">} facts @param {Set<string>} hidden
 * @param {string[]} quiet layers at the margin only @param {(name: string) => unknown} toggle */
function drawLegend({ layers, chosen, judged }, hidden, quiet, toggle) {
  const several = chosen.length > 2,
    words = { ...[ONE_RUN, TWO_RUNS, SEVERAL_RUNS][Math.min(chosen.length, 3) - 1] };
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

/** Buttons to the next and the previous passage, and to missed ones.
 * @param {Pick<Facts, "pieces" | "layers">} facts @param {Span | null} at
 * @param {(by: number, missed: boolean) => unknown} step */
function drawSteps({ pieces, layers }, at, step) {
  /** @param {boolean} missed @param {string} noun @param {string[]} keys @param {string} none */
  const group = (missed, noun, keys, none) => {
    const list = missed ? missedIn(pieces) : pieces,
      number = list.findIndex((piece) => at && piece.at[0] <= at[0] && at[0] < piece.at[1]);
    /** @param {number} i */
    const arrow = (i) =>
      button([icon(i ? "right" : "left"), make("kbd", keys[i])], () => step(2 * i - 1, missed), {
        "data-key": keys[i],
        disabled: !list.length,
        "aria-label": `${i ? "Next" : "Previous"} ${missed ? "missed " : ""}passage`,
      });
    const all = list.length;
    return make(
      "span.group",
      arrow(0),
      make(
        missed ? "span.is-missed" : "span",
        number >= 0
          ? [make("span.word", `${noun} `), `${number + 1} of ${all}`]
          : all
          ? [all, make("span.word", ` ${noun}${missed || all === 1 ? "" : "s"}`)]
          : none,
      ),
      arrow(1),
    );
  };
  return [
    group(false, "passage", ["k", "j"], "no passages"),
    group(true, "missed", ["K", "J"], layers.missed.length ? "only whitespace missed" : "nothing missed"),
  ];
}

/** @param {Piece[]} pieces */
const missedIn = (pieces) => pieces.filter(({ name }) => name === "missed");

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
    pieces: [],
  };
}

/** Flags of the margin: best entry point, returned entry points, ranks or numbers of runs, pages.
 * @param {Facts} facts @param {string[]} letters @param {Quote} quote */
function marksOf({ entry, chosen, layers, page }, letters, quote) {
  /** @type {Mark[]} */
  const marks = entry < 0 ? [] : [{ at: entry, text: "BEP", kind: "judged" }];
  chosen.forEach((results, i) =>
    results.forEach(([at, end, rank]) => {
      if (at === end) marks.push({ at, text: letters[i] + rank, kind: "returned" });
      else if (chosen.length < 2) marks.push({ at, text: `#${rank}` });
      else if (chosen.length === 2) marks.push({ at, text: letters[i] + rank, side: i ? "right" : "left" });
    })
  );
  let last = 0, until = 0;
  for (const [at, end, runs] of chosen.length > 2 ? layers.levels : []) {
    if (at > until) last = 0;
    until = end;
    if (runs === last || !quote([at, end]).trim()) continue;
    marks.push({ at, text: `${runs} of ${chosen.length}` });
    last = runs;
  }
  page.pages?.forEach(([at], i) => marks.push({ at, text: `p. ${i + 1}`, side: "right" }));
  return marks;
}

/** The lanes of two runs, A left and B right of the text: thick where they returned relevant text, else thin.
 * @param {Facts} facts @returns {Layer[]} */
function lanesOf({ relevant, chosen }) {
  return chosen.flatMap((results, i) => {
    const all = joinSpans(results), letter = "AB"[i];
    return [
      { name: "", spans: all, lane: `${letter}.thin`, map: i ? "second" : "first" },
      { name: "", spans: sharedSpans(all, relevant), lane: letter },
    ];
  });
}

/** The layers of the text view, hidden ones empty; with several runs a lane shows where any returned text.
 * @param {Facts} facts @param {Set<string>} hidden @returns {Layer[]} */
function painting(facts, hidden) {
  const { layers: { levels, ...named }, judged, chosen } = facts;
  if (chosen.length === 2) {
    const { both, onlyA, onlyB, ...others } = named;
    return [
      ...lanesOf(facts),
      ...Object.entries({ onlyA, onlyB }).map(([fill, spans]) => ({
        name: "",
        fill,
        spans: hidden.has(fill) ? [] : spans,
      })),
      ...Object.entries({ ...others, "runs-8": hidden.has("both") ? [] : both }).map(([name, spans]) => ({
        name,
        spans: hidden.has(name) ? [] : spans,
        silent: name === "runs-4",
        lane: /^(missed|cited)$/.test(name) ? name : "",
        line: name,
        map: /^(hit|missed)$/.test(name) ? "middle" : "",
      })),
    ];
  }
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

/** The open document. Of `facts` only chosen, layers and pieces change with runs and ranks. */
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
    this.listedFor = "";
    /** The span that was revealed last, as text. */
    this.revealed = "";
    /** Layers that only the margin shows. @type {string[]} */
    this.quiet = [];
    this.rail = make("div.rail");
    this.legend = make("div.toolbar-line");
    this.steps = make("div.steps");
    this.ranks = makeRankBar((rank) => this.upTo(rank));
    this.toolbar = make(
      "div.toolbar",
      this.legend,
      topic && make("div.toolbar-line", this.ranks.node, this.steps),
    );
    this.points = make("div.points");
    this.fold = make("div.fold");
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
        this.fold,
        host,
      ),
      make("aside.inspector", { "aria-label": "Inspector" }, this.points, this.at, this.about),
    );
    this.host = host;
    this.text = new TextView(host, {
      onPoint: (position) => context.state.at || this.look(passageAt(facts, position)),
      onCursor: (position) => this.fix(passageAt(facts, position)),
    });
    this.keys = {
      next: () => this.step(1),
      previous: () => this.step(-1),
      nextMissed: () => this.step(1, true),
      previousMissed: () => this.step(-1, true),
      later: () => this.upTo(this.rank === this.most ? 1 : this.rank + 1),
      earlier: () => this.upTo(this.rank - 1),
      copy: () => find("[data-key=copy-passage]", this.at)?.click(),
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

  /** The characters of the front matter that is folded: not if it is asked for, or the cursor is in it. */
  get front() {
    const { context: { state: { at } }, facts: { page: { front = 0 } }, hidden } = this;
    return hidden.has("front") || (at && at[1] <= front) ? 0 : front;
  }

  /** Fold the front matter or show it, with a button for the other. */
  foldFront() {
    const { facts: { page: { front = 0 } }, text } = this,
      some = text.fold(this.front, front);
    this.fold.replaceChildren(
      some
        ? button(this.front ? "Show front matter" : "Fold front matter", () => this.turnFront(), {
          class: "quiet",
          "data-key": "front",
          "aria-expanded": String(!this.front),
        })
        : "",
    );
  }

  turnFront() {
    const { context, hidden, front } = this;
    hidden[front ? "add" : "delete"]("front");
    context.choose({ hide: [...hidden].sort().join("-"), ...(front ? {} : { at: null }) });
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

  /** Go to the next or the previous piece, from the cursor or from the visible text.
   * @param {number} by 1 or -1 @param {boolean} [missed] whether only missed ones count */
  step(by, missed) {
    const { context, facts, text } = this,
      { at } = context.state,
      list = missed ? missedIn(facts.pieces) : facts.pieces,
      from = at ? at[0] : text.sight().window[0];
    if (!list.length) return context.announce(missed ? "nothing missed" : "no passages");
    const next = bisect(list.length, (i) => list[i].at[0], at && by > 0 ? from + 1 : from) - (by < 0 ? 1 : 0);
    const number = (next + list.length) % list.length, span = list[number].at;
    context.choose({ at: span });
    text.reveal(span);
    context.announce(sayPiece(list, number, facts.chosen.length, text.quote));
  }

  /** The number of results of the longest chosen run. */
  get most() {
    const { topic } = this.facts;
    return Math.max(0, ...this.context.runs.map((run) => topic?.runs[run].length ?? 0));
  }

  /** The last rank whose result is shown. */
  get rank() {
    const upto = Math.floor(Number(this.context.state.upto));
    return upto >= 1 ? Math.min(upto, this.most) : this.most;
  }

  /** Show the results up to a rank, and the one at it if it is in this document. @param {number} rank */
  upTo(rank) {
    const { context, facts, text, most } = this, to = Math.max(1, Math.min(rank, most));
    if (!facts.topic || !most) return;
    context.choose({ upto: to === most ? "" : `${to}` });
    const [result] = context.runs.flatMap((run) => facts.results[run].filter((span) => span[2] === to));
    if (result && !text.shows(result[0])) text.reveal(result);
    context.announce(`Results 1 to ${to} of ${most}${result ? "" : "; this one is in another document"}`);
  }

  repaint() {
    const { context, facts, text, hidden, about, rank } = this,
      { page, relevant, judged } = facts,
      folded = page.blocks.some(([kind]) => kind !== "text") !== hidden.has("space");
    facts.chosen = context.runs.map((run) => facts.results[run].filter((span) => span[2] <= rank));
    facts.layers = layersOf(relevant, facts.chosen, judged);
    if (facts.chosen.length === 2) Object.assign(facts.layers, pairLayers(facts.chosen));
    if (facts.cites) facts.layers.cited = joinSpans(facts.cites);
    this.host.classList.toggle("pair", facts.chosen.length === 2);
    text.show(page, { folded });
    this.foldFront();
    facts.pieces = this.pieces();
    const marks = marksOf(facts, context.letters, text.quote).map((mark) => ({
      ...mark,
      at: Math.max(mark.at, this.front),
    }));
    this.quiet = text.paint(painting(facts, hidden), marks);
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

  /** The text in all states, in order, without whitespace alone. */
  pieces() {
    const { facts: { relevant, chosen, judged, page }, text, hidden } = this,
      layers = layersOf(relevant, [chosen.flat()], judged);
    const names = Object.keys(STATES).filter((name) => !hidden.has(name)),
      pieces = names.flatMap((name) => layers[name].map((at) => ({ name, at })));
    return pieces.filter(({ at }) => page.text === null || text.quote(at).trim())
      .sort((a, b) => a.at[0] - b.at[0]);
  }

  /** List documents and contents, the open document in view. */
  list() {
    this.rail.replaceChildren(...drawRail(this.context, this.facts, this.text, this.front));
    const current = find("[aria-current]", this.rail), box = current?.closest("ul");
    if (current && box) box.scrollTop = current.offsetTop - box.offsetTop - box.clientHeight / 2;
  }

  update() {
    const { context, facts, rank, most } = this,
      { state, runs, measure } = context,
      listed = [runs, measure].join(" "),
      shown = [listed, this.front].join(" "),
      key = [shown, state.hide, rank].join(" ");
    if (key !== this.paintedFor) this.repaint();
    if (shown !== this.listedFor) this.list();
    this.paintedFor = key;
    this.listedFor = shown;
    if (facts.topic) {
      this.legend.replaceChildren(
        runsButton(context),
        drawLegend(facts, this.hidden, this.quiet, (name) => this.toggle(name)),
      );
      this.steps.replaceChildren(...drawSteps(facts, state.at, (by, missed) => this.step(by, missed)));
      this.ranks.show(
        rank,
        most,
        rank < most ? `results 1 to ${whole(rank)} of ${whole(most)}` : `all ${count(most, "result")}`,
      );
      this.points.replaceChildren(...rank < most ? drawPoints(context, facts, rank) : []);
    }
    this.look(state.at);
    return true;
  }

  get tools() {
    return drawNeighbours(this.context, this.facts);
  }

  /** Called when the node is in the page and the previous view is gone: paint, and scroll once to the span of
   * the address, else to where the document is best entered.
   * @param {boolean} kept whether the place is known */
  shown(kept) {
    const { context: { state: { at } }, facts, text } = this, first = !this.paintedFor;
    if (first) this.update();
    if (at && String(at) !== this.revealed) text.reveal(at);
    else if (first && !kept) {
      const { entry, relevant, chosen } = facts,
        [result] = chosen.flat().sort((a, b) => a[2] - b[2]),
        start = entry >= 0 ? entry : (relevant[0] ?? result)?.[0];
      if (start !== undefined && !text.shows(start)) text.reveal([start, start + 1]);
    }
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
