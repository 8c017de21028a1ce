/** Finder: topics by id or words, documents, runs and views; opened by Ctrl+K or `/`. */
import { openDialog } from "./dialogs.js";
import { make, named } from "./dom.js";
import { count, whole } from "./format.js";

/** @import { Context, State } from "./types.d.ts" */

/** @typedef {{kind: string, name: string, about: string, changes: Partial<State>}} Entry what can be opened
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
    const name = entry.name.toLowerCase(), text = `${name} ${entry.about.toLowerCase()}`;
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
    ...topics.map(({ id, title, text }) => ({
      kind: "Topics",
      name: id,
      about: title && text ? `${title} – ${text}` : title || text,
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

/** Open the finder. @param {Context} context */
export function openFinder(context) {
  /** @type {Entry[]} */
  let entries = [], /** @type {Entry[]} */ shown = [], at = 0;
  const { overview: { topics, runs } } = context;
  const list = make("div.found", { id: "found", role: "listbox", "aria-label": "Found" }),
    said = make("p.note", { role: "status" });
  /** @type {HTMLInputElement} */
  const field = make("input.search", {
    type: "text",
    role: "combobox",
    placeholder: "Topic, document or run",
    "aria-label": "Find a topic, a document or a run",
    "aria-controls": "found",
    "aria-expanded": "true",
    "aria-autocomplete": "list",
    autocomplete: "off",
    spellcheck: "false",
    on: { input: () => fill(), keydown: (event) => press(event) },
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
    const found = search(entries, field.value), total = found.reduce((sum, kind) => sum + kind.total, 0);
    shown = found.flatMap((kind) => kind.shown);
    at = 0;
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
            make("span.note", entry.about),
          );
        }),
      )
    ));
    field.removeAttribute("aria-activedescendant");
    said.textContent = field.value.trim()
      ? total ? "" : "Nothing matches."
      : `${count(topics.length, "topic")}, ${count(runs.length, "run")}. Type an id, a name or words.`;
    mark();
  };
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) at = (at + by + shown.length) % (shown.length || 1);
    else if (event.key !== "Enter") return;
    event.preventDefault();
    if (by) mark();
    else if (shown[at]) open(shown[at]);
  };
  const dialog = openDialog("Find", null, field, said, list);
  dialog.classList.add("finder");
  field.focus();
  fill();
  entriesOf(context).then((all) => {
    entries = all;
    fill();
  }, () => {
    said.textContent = "The names of the documents could not be loaded.";
  });
}
