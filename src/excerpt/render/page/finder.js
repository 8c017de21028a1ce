/** Finder: topics by id or words, documents by name or text, runs and views; opened by Ctrl+K or `/`. */
import { openDialog } from "./dialogs.js";
import { make, named } from "./dom.js";
import { count, whole } from "./format.js";
import { findIn, patternOf } from "./text_search.js";

/** @import { Child, Context, Snippet, State } from "./types.d.ts" */

/** @typedef {{kind: string, name: string, about: string, text?: string, at?: Snippet,
 *   changes: Partial<State>}} Entry what can be opened: `text` is searched, too, `at` is what is shown of it
 * @typedef {{kind: string, shown: Entry[], total: number}} Found the best entries of a kind, and how many
 *   match */

const AT_MOST = 8;

/** The entries that contain all words of a query, by kind; names that equal it come first, then those that
 * begin with it, then those that contain it.
 * @param {Entry[]} entries @param {string} query @returns {Found[]} */
export function search(entries, query) {
  const asked = query.trim().toLowerCase(), words = asked.split(/\s+/);
  /** @type {Map<string, Entry[][]>} */
  const kinds = new Map();
  for (const entry of entries) {
    const name = entry.name.toLowerCase(), text = `${name} ${entry.about} ${entry.text ?? ""}`.toLowerCase();
    if (!asked || !words.every((word) => text.includes(word))) continue;
    const level = name === asked ? 0 : name.startsWith(asked) ? 1 : name.includes(asked) ? 2 : 3,
      levels = kinds.get(entry.kind) ?? [[], [], [], []];
    levels[level].push(entry);
    kinds.set(entry.kind, levels);
  }
  return [...kinds].map(([kind, levels]) => {
    const all = levels.flat();
    return { kind, shown: all.slice(0, AT_MOST), total: all.length };
  });
}

/** @type {[name: string, about: string, view: string][]} */
const VIEWS = [
  ["Overview", "runs, heat map", "overview"],
  ["Passages", "relevant passages found and missed", "passages"],
  ["All pairs", "differences between runs", "pairs"],
  ["Documents", "found, missed and wasted text of a run", "documents"],
  ["Measures", "definitions", "measures"],
];

/** @param {Context} context @returns {Promise<Entry[]>} */
async function entriesOf({ overview: { topics, runs }, data }) {
  const { ids, topic } = await data.documents();
  return [
    ...topics.map(({ id, title, text, narrative }) => ({
      kind: "Topics",
      name: id,
      about: title && text ? `${title} – ${text}` : title || text,
      text: narrative,
      changes: { topic: id },
    })),
    ...runs.map(({ name, about }) => ({
      kind: "Runs",
      name,
      about,
      changes: { view: "pair", runs: [name] },
    })),
    ...ids.map((doc, i) => ({
      kind: "Documents",
      name: doc,
      about: "",
      changes: { topic: topics[topic[i]].id, doc },
    })),
    ...VIEWS.map(([name, about, view]) => ({ kind: "Views", name, about, changes: { view } })),
  ];
}

/** How many characters of a description are seen in a line. */
const SEEN_ABOUT = 60;
/** Milliseconds after the last key until texts are searched. */
const TYPING = 120;

/** What is shown of an entry: its description, or what was found in it with the text around it.
 * @param {Entry} entry @param {string} query @returns {Child} */
function describe({ about, text = "", at }, query) {
  const pattern = patternOf(query.trim().split(/\s+/)[0] ?? ""),
    first = pattern && about.search(pattern),
    whole = text ? `${about} – ${text}` : about,
    found = at ??
      (pattern && (first === null || first < 0 || first > SEEN_ABOUT) ? findIn(whole, pattern) : null);
  return found
    ? [
      found.count > 1 && at && make("span.times", `${found.count}×`),
      found.before,
      make("strong", found.found),
      found.after,
    ]
    : about;
}

/** Documents that a search in texts reads at most. */
const MOST_READ = 2000;

/** Search the texts of the documents part by part, and show what was found until now.
 * @param {Context} context @param {string} query @param {() => boolean} wanted whether to go on
 * @param {(found: Found, said: string) => void} show with a sentence about what is not searched, or "" */
async function searchTexts({ data, overview: { topics } }, query, wanted, show) {
  const { ids, topic } = await data.documents();
  /** @type {Entry[]} */
  const entries = [];
  /** @type {number | null} */
  let from = 0;
  while (from !== null) {
    /** @type {Awaited<ReturnType<typeof data.search>>} */
    const { hits, next } = await data.search(query, from);
    if (!wanted()) return;
    entries.push(...hits.map(({ document: number, ...at }) => ({
      kind: "Texts",
      name: ids[number],
      about: "",
      at,
      changes: { topic: topics[topic[number]].id, doc: ids[number], at: [at.start, at.end] },
    })));
    const stops = next !== null && (next >= MOST_READ || entries.length >= AT_MOST * 6);
    show(
      { kind: "Texts", shown: entries.slice(0, AT_MOST * 2), total: entries.length },
      stops
        ? `Texts of the first ${whole(next)} of ${count(ids.length, "document")} were searched.`
        : next === null
        ? ""
        : "Searching the texts …",
    );
    from = stops ? null : next;
    await new Promise((done) => setTimeout(done));
  }
}

/** Open the finder. @param {Context} context */
export function openFinder(context) {
  /** @type {Entry[]} */
  let entries = [], /** @type {Entry[]} */ shown = [], at = 0, timer = 0, asked = "", said = "";
  /** What was found in texts. @type {Found | null} */
  let texts = null;
  const { overview, overview: { topics, runs } } = context;
  const list = make("div.found", { id: "found", role: "listbox", "aria-label": "Found" }),
    status = make("p.note", { role: "status" });
  /** @type {HTMLInputElement} */
  const field = make("input.search", {
    type: "text",
    role: "combobox",
    placeholder: "Topic, document, run, or words of a text",
    "aria-label": "Find a topic, a document or a run",
    "aria-controls": "found",
    "aria-expanded": "true",
    "aria-autocomplete": "list",
    autocomplete: "off",
    spellcheck: "false",
    on: { input: () => ask(), keydown: (event) => press(event) },
  });
  const mark = () => {
    [...list.querySelectorAll("[role=option]")].forEach((node, i) => {
      node.setAttribute("aria-selected", `${i === at}`);
      if (i !== at) return;
      field.setAttribute("aria-activedescendant", node.id);
      node.scrollIntoView({ block: "nearest" });
    });
  };
  /** @param {Entry} entry */
  const open = (entry) => {
    dialog.close();
    context.latest().go(entry.changes);
  };
  const fill = () => {
    const found = [...search(entries, field.value), ...texts?.total ? [texts] : []],
      total = found.reduce((sum, kind) => sum + kind.total, 0);
    shown = found.flatMap((kind) => kind.shown);
    let number = 0;
    list.replaceChildren(...found.map(({ kind, shown: some, total: all }) =>
      make(
        "div",
        { role: "group", "aria-label": kind },
        make(
          "p.label",
          { "aria-hidden": "true" },
          kind,
          make("span.note", all > some.length && ` ${some.length} of ${whole(all)}`),
        ),
        some.map((entry) => {
          const i = number++;
          return make(
            "div.option",
            {
              role: "option",
              id: `found-${i}`,
              on: {
                click: () => open(entry),
                pointermove: () => {
                  if (at === i) return;
                  at = i;
                  mark();
                },
              },
            },
            make("b", named(entry.name, 44)),
            make(entry.at ? "span.note.place" : "span.note", describe(entry, field.value)),
          );
        }),
      )
    ));
    field.removeAttribute("aria-activedescendant");
    status.textContent = field.value.trim()
      ? said || (total ? "" : "Nothing matches.")
      : `${count(topics.length, "topic")}, ${count(runs.length, "run")}. Type an id, a name or words.`;
    mark();
  };
  const ask = () => {
    const query = field.value.trim();
    at = 0;
    if (query !== asked) {
      asked = query;
      texts = null;
      clearTimeout(timer);
      said = overview.text && patternOf(query) ? "Searching the texts …" : "";
      if (said) timer = setTimeout(() => look(query), TYPING);
    }
    fill();
  };
  /** @param {string} query */
  const look = (query) =>
    searchTexts(context, query, () => asked === query && dialog.isConnected, (found, sentence) => {
      [texts, said] = [found, sentence];
      fill();
    }).catch(() => {
      said = "The texts could not be searched.";
      fill();
    });
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) at = (at + by + shown.length) % (shown.length || 1);
    else if (event.key !== "Enter") return;
    event.preventDefault();
    if (by) mark();
    else if (shown[at]) open(shown[at]);
  };
  const dialog = openDialog("Find", null, field, status, list);
  dialog.classList.add("finder");
  field.focus();
  fill();
  entriesOf(context).then((all) => {
    entries = all;
    fill();
  }, () => {
    said = "The names of the documents could not be loaded.";
    fill();
  });
}
