/** Results of the chosen runs side by side, in rank order. */
import { ranksRead } from "./arithmetic.js";
import { badge, make, named } from "./dom.js";
import { count, score, whole } from "./format.js";
import { button, scoreCell } from "./grid.js";
import { sharedSpans } from "./spans.js";

/** @import { Row, Unit } from "./arithmetic.js" */
/** @import { Context, Measure, ResultSpans, Score, Span, Topic, TopicFacts } from "./types.d.ts" */

/** @typedef {{run: number, letter: string, name: string, spans: Int32Array, value: Score,
 *   rows: Row[]}} Column a run on the topic: its results, its score, and the results added up
 * @typedef {(column: number, rank: number, reveal?: boolean) => unknown} Move puts the cursor at a rank
 * @typedef {Context & {topic: Topic, about: TopicFacts, scored: Measure, columns: Column[],
 *   passages: Span[][], unit: Unit, move: Move, column: number, rank: number, all: boolean}} TopicContext
 *   `column` and `rank` are the cursor, `all` says whether every rank is listed */

const STEP = 20;

/** The text that two results share, as spans; an entry point counts as one character.
 * @param {Pick<ResultSpans, "document" | "start" | "end">} spans @param {number} a @param {number} b */
export function sharedText({ document: documents, start, end }, a, b) {
  const [one, other] = [a, b].map((span) => [[start[span], Math.max(end[span], start[span] + 1)]]);
  return documents[a] === documents[b] ? sharedSpans(one, other) : [];
}

/** Buttons to the same text in other runs.
 * @param {TopicContext} context @param {number} column @param {number} span */
function drawTags({ topic, columns, move }, column, span) {
  const tags = columns.flatMap(({ spans, letter, name }, n) => {
    const rank = n === column
      ? 0
      : spans.findIndex((other) => sharedText(topic.spans, span, other).length > 0) + 1;
    return rank
      ? button(`= ${letter}${rank}`, () => move(n, rank, true), {
        class: "tag",
        title: `the same text in ${name}`,
      })
      : [];
  });
  return make(
    "span.tags",
    tags[0] ? tags : columns[1] && make("span.tag.only", `only ${columns[column].letter}`),
  );
}

/** The relevant part of a result. @param {Span} span @param {number} relevant @param {unknown} judged */
function drawAmount([from, to], relevant, judged) {
  const bar = make("span");
  if (from === to) return `entry point at ${whole(from)}`;
  if (!judged) return `${count(to - from, "character")}, unjudged`;
  bar.style.width = `${(100 * relevant) / (to - from)}%`;
  return [make("span.share", bar), make("span", make("b", whole(relevant)), ` of ${whole(to - from)}`)];
}

/** The text of a result from shortly before its first relevant text; its offsets if there is no text.
 * @param {TopicContext} context @param {number} index of the document @param {Span} span */
async function drawSnippet(
  { topic: { documents: { id, size } }, passages, overview, data },
  index,
  [from, to],
) {
  const hits = sharedSpans([[from, to]], passages[index]),
    begin = Math.max(from, (hits[0]?.[0] ?? from) - 40);
  const stop = Math.min(begin + 420, to > from ? to : Infinity, size[index] < 0 ? Infinity : size[index]);
  const borders = [begin, ...hits.flat(), stop].map((at) => Math.min(at, stop)),
    ends = borders.slice(1).map((end, n) => [borders[n], end]);
  const texts = overview.text && begin < stop && await data.texts(id[index], ends).catch(() => null);
  if (!texts || !texts.join("")) return make("p.mono", `characters ${from}-${to}`);
  if (begin > from) texts[0] = `… ${(texts[0] ?? "").replace(/^\S*\s+/, "")}`;
  return make(
    "p.serif.snippet",
    texts.map((text, n) => (n % 2 ? make("mark", text) : text)),
    stop < to && " …",
  );
}

/** @param {TopicContext} context @param {number} column @param {number} rank */
async function drawResult(context, column, rank) {
  const { topic: { spans, documents }, columns, link, move, scored } = context,
    { spans: list, name, rows } = columns[column],
    read = ranksRead(scored, rows),
    cut = `${scored.topic} stops reading here`,
    span = list[rank - 1],
    index = spans.document[span];
  const doc = documents.id[index],
    at = [spans.start[span], spans.end[span]],
    point = () => move(column, rank);
  const head = doc
    ? [
      make(
        "a.mono",
        { href: link({ doc, at, runs: [name] }), title: documents.title[index] },
        named(doc, 24),
      ),
      drawAmount(at, spans.relevant[span], documents.judged[index]),
    ]
    : "does not exist in the corpus";
  return make(
    "li.result",
    { tabindex: -1, "data-behind": rank > read && "", on: { pointermove: point, focusin: point } },
    rank === read + 1 && make("p.cut", cut),
    make("div.result-head.note", make("b.rank", rank), head, drawTags(context, column, span)),
    doc && await drawSnippet(context, index, at),
  );
}

/** The results of a run, more of them after a click; `mark` moves the cursor to a rank (0: removes it).
 * @param {TopicContext} context @param {number} column */
export function drawColumn(context, column) {
  const { about, scored, columns, topic } = context,
    { run, letter, name, spans, value } = columns[column],
    list = make("ol.plain"),
    { length } = spans;
  const more = button("", () => show(shown + 1));
  let shown = 0, ready = Promise.resolve();
  /** @param {number} rank */
  const show = (rank) => (ready = ready.then(async () => {
    const from = shown;
    shown = Math.max(from, Math.min(length, Math.ceil(rank / STEP) * STEP));
    list.append(
      ...await Promise.all(
        Array.from({ length: shown - from }, (_, n) => drawResult(context, column, from + n + 1)),
      ),
    );
    more.hidden = shown === length;
    more.textContent = `Show more of ${whole(length)}`;
  }));
  const node = make(
    "section.column",
    { "aria-label": `Results of ${name}` },
    make(
      "h2.heading",
      badge(letter),
      named(name),
      make(
        "span.note",
        scored.topic,
        " ",
        make("b", scoreCell(name, about.id, scored.name, value), score(value)),
        ` · ${count(length, "result")}`,
      ),
    ),
    topic.notes[run].map((line) => make("p.note", line)),
    list,
    more,
    !length && make("p.note", `${name} has no results for this topic.`),
  );
  /** @param {number} rank @param {boolean} [reveal] */
  const mark = async (rank, reveal) => {
    await show(rank || 1);
    node.toggleAttribute("data-current", rank > 0);
    node.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const result = list.children[rank - 1];
    result?.setAttribute("aria-current", "true");
    if (reveal && result instanceof HTMLElement) result.focus();
  };
  return { node, mark };
}
