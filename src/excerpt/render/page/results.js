/** Results of the chosen runs side by side, in rank order. */
import { badge, make, named } from "./dom.js";
import { count, score, whole } from "./format.js";
import { button, scoreCell } from "./grid.js";
import { sharedSpans } from "./spans.js";

const STEP = 20;

/** The text that two results share, as spans; an entry point is the character that it points at.
 * @param {Object} spans of a topic @param {number} a @param {number} b @returns {number[][]} */
export function sharedText({ document: place, start, end }, a, b) {
  const [one, other] = [a, b].map((span) => [[start[span], Math.max(end[span], start[span] + 1)]]);
  return place[a] === place[b] ? sharedSpans(one, other) : [];
}

function drawTags({ topic, columns, move }, column, span) {
  const tags = columns.flatMap(({ spans, letter, name }, n) => {
    const rank = n === column
      ? 0
      : spans.findIndex((other) => sharedText(topic.spans, span, other).length) + 1;
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

/** How much of a result is relevant. */
function drawAmount([from, to], relevant, judged) {
  const bar = make("span");
  if (from === to) return `entry point at ${whole(from)}`;
  if (!judged) return `${count(to - from, "character")}, not judged`;
  bar.style.width = `${(100 * relevant) / (to - from)}%`;
  return [make("span.share", bar), make("span", make("b", whole(relevant)), ` of ${whole(to - from)}`)];
}

/** The words of a result, from where relevant text begins; its place where there are none. */
async function drawSnippet(
  { topic: { documents: { id, size } }, passages, overview, data },
  place,
  [from, to],
) {
  const hits = sharedSpans([[from, to]], passages[place]),
    begin = Math.max(from, (hits[0]?.[0] ?? from) - 40);
  const stop = Math.min(begin + 420, to > from ? to : Infinity, size[place] < 0 ? Infinity : size[place]);
  const borders = [begin, ...hits.flat(), stop].map((at) => Math.min(at, stop)),
    ends = borders.slice(1).map((end, n) => [borders[n], end]);
  const texts = overview.text && begin < stop && await data.texts(id[place], ends).catch(() => null);
  if (!texts || !texts.join("")) return make("p.mono", `characters ${from}-${to}`);
  if (begin > from) texts[0] = `… ${texts[0].replace(/^\S*\s+/, "")}`;
  return make(
    "p.serif.snippet",
    texts.map((text, n) => (n % 2 ? make("mark", text) : text)),
    stop < to && " …",
  );
}

async function drawResult(desk, column, rank) {
  const { topic: { spans, documents }, columns, link, move } = desk,
    { spans: list, name } = columns[column],
    span = list[rank - 1],
    place = spans.document[span];
  const doc = documents.id[place],
    at = [spans.start[span], spans.end[span]],
    point = () => move(column, rank);
  const head = doc
    ? [
      make(
        "a.mono",
        { href: link({ doc, at, runs: [name] }), title: documents.title[place] },
        named(doc, 24),
      ),
      drawAmount(at, spans.relevant[span], documents.judged[place]),
    ]
    : "names nothing that exists";
  return make(
    "li.result",
    { tabindex: -1, on: { pointermove: point, focusin: point } },
    make("div.result-head.note", make("b.rank", rank), head, drawTags(desk, column, span)),
    doc && await drawSnippet(desk, place, at),
  );
}

/** The results of a run, some at first and more at a click; `mark` puts the cursor at a rank, or takes it away.
 * @param {Object} desk @param {number} column @returns {{node: HTMLElement, mark: function(number, boolean): Promise<void>}} */
export function drawColumn(desk, column) {
  const { about, scored, columns, topic } = desk,
    { run, letter, name, spans, value } = columns[column],
    list = make("ol.plain"),
    { length } = spans;
  const more = button("", () => show(shown + 1));
  let shown = 0, ready = Promise.resolve();
  const show = (rank) => (ready = ready.then(async () => {
    const from = shown;
    shown = Math.max(from, Math.min(length, Math.ceil(rank / STEP) * STEP));
    list.append(
      ...await Promise.all(
        Array.from({ length: shown - from }, (_, n) => drawResult(desk, column, from + n + 1)),
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
  const mark = async (rank, reveal) => {
    await show(rank || 1);
    node.toggleAttribute("data-current", rank > 0);
    node.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const result = list.children[rank - 1];
    result?.setAttribute("aria-current", "true");
    if (reveal) result?.focus();
  };
  return { node, mark };
}
