/** The organiser's page: progress, assessors, export. It shows no judgments. */
import { drawAgreement, drawDealing, drawDecisions, drawExtend, drawPeople, drawRelease } from "./desk.js";
import { openTexts } from "./texts.js";
import { readPlace } from "../assess/address.js";
import { drawProgress } from "../assess/panel.js";
import { picker } from "../bar.js";
import { byId, find, icon, make, named } from "../dom.js";
import { count, minutesOf, sayAgo, whole } from "../format.js";
import { button, drawGrid, heading } from "../grid.js";
import {
  assignedTo,
  CELL_WORDS,
  exportOf,
  figuresOf,
  firstMerge,
  FORMATS,
  MERGES,
  needsMerge,
  sayEnd,
  sayLeftOut,
  saySingle,
  UNDECIDED,
} from "./status.js";

/** @import { Assessor, Choice, Status } from "./status.js" */

/** Milliseconds between requests, and the longest name that is not shortened. */
const EVERY = 30_000, NAME_LENGTH = 24;
const page = document.documentElement;
/** The choice of an export. @type {Choice} */
const choice = { to: "fol", merge: "", assessor: "", unfinished: false, undecided: "error" };
/** The number of the newest request, the timer of the next one, and whether the assignment is edited. */
const board = { turn: 0, timer: 0, editing: false };
/** The last status, and the open document. @type {{status: Status | null, place: string,
 * texts: {dispose: () => void} | null}} */
const shownNow = { status: null, place: "", texts: null };

/** Warnings about assessors, if there are any. @param {Status} status */
function drawCautions({ cautions, assessors }) {
  const own = assessors.flatMap(({ name, cautions: list = [] }) => list.map((text) => ({ name, text })));
  const rows = [
    ...cautions.map((text) => ({ name: "", text })),
    ...own.filter(({ text }) => !cautions.includes(text)),
  ];
  return rows.length > 0 &&
    make(
      "ul.plain.cautions",
      { "aria-label": "Warnings" },
      rows.map(({ name, text }) =>
        make(
          "li",
          make("span.sign", { "aria-hidden": "true" }, "!"),
          make(
            "span",
            { dir: "auto" },
            name && !text.includes(name) && [make("b", named(name, NAME_LENGTH)), ": "],
            text,
          ),
        )
      ),
    );
}

/** The row of an assessor. @param {Assessor} assessor @param {number} now */
function drawAssessor({ name, total, done, open, seconds_per_document: seconds, last, owed }, now) {
  return make(
    "tr",
    make("th", { scope: "row" }, named(name, NAME_LENGTH)),
    make("td", drawProgress({ total, done, open })),
    make("td.number", make("b", whole(done)), ` / ${whole(total)}`),
    make("td.number", minutesOf(seconds)),
    make("td.number", { title: last ?? "" }, sayAgo(last, now)),
    make("td.number", owed ? whole(owed) : "–"),
  );
}

/** Table of assessors. @param {Status} status @param {number} now */
function drawAssessors({ assessors }, now) {
  const table = drawGrid(
    "assessors",
    ["Name", "Progress", "Finished", "Minutes each", "Last seen", "Missing input"],
    assessors.map((one) => drawAssessor(one, now)),
  );
  table.querySelectorAll("thead th").forEach((head) => head.setAttribute("scope", "col"));
  return make(
    "section",
    heading(
      "Assessors",
      assessors.length ? count(assessors.length, "person").replace("persons", "people") : "",
    ),
    assessors.length ? table : make("p.note", "No assessors yet: invite some below."),
  );
}

/** Cell with a state, as a shape and as a hidden word. @param {string | undefined} state */
function drawCell(state) {
  const word = state && CELL_WORDS[state] || "not assigned";
  return make(
    "td",
    { title: word },
    make("span.cell", { "data-state": state ?? "none" }, make("span.hidden", word)),
  );
}

/** Cell with a box: whether a topic is assigned to an assessor.
 * @param {Status} status @param {string} topic @param {string} name */
function drawBox(status, topic, name) {
  const assigned = assignedTo(status, topic), on = assigned.includes(name);
  const change = () =>
    assign(status, topic, on ? assigned.filter((one) => one !== name) : [...assigned, name]);
  return make(
    "td",
    make("input", {
      type: "checkbox",
      checked: on,
      title: `${topic}: ${name}`,
      "aria-label": `${topic}: ${name}`,
      "data-key": JSON.stringify([topic, name]),
      on: { change },
    }),
  );
}

/** Table of states by topic and assessor, or of the assignment. @param {Status} status */
function drawCells(status) {
  const { topics, assessors, cells } = status,
    { editing } = board,
    shown = assessors.filter(({ active = true }) => active || !editing),
    names = shown.map(({ name }) => name),
    heads = names.map((name) => make("th", { scope: "col" }, named(name, NAME_LENGTH)));
  const legend = make(
    "p.note.key",
    Object.entries(CELL_WORDS).map((
      [state, word],
    ) => [make("span.cell", { "data-state": state, "aria-hidden": "true" }), word]),
  );
  const rows = topics.map(({ id, title, total, done }) =>
    make(
      "tr",
      make(
        "th",
        { scope: "row", title: title || id },
        make("code", id),
        make("span", { dir: "auto" }, title),
        editing ? saySingle(status, id) : make("span.hidden", `, ${done} of ${total} documents finished`),
      ),
      names.map((name) => editing ? drawBox(status, id, name) : drawCell(cells[id]?.[name])),
    )
  );
  return make(
    "section",
    heading("Topics × assessors", "", editing ? null : legend),
    make(
      "div.scroll",
      { tabindex: 0, role: "region", "aria-label": "Topics and assessors" },
      make(
        "table.cells",
        make("thead", make("tr", make("th", { scope: "col" }, make("span.hidden", "Topic")), heads)),
        make("tbody", rows),
      ),
    ),
    editing && make("p.note", "Assessors see the topics that are ticked. What they have judged is kept."),
    names.length > 0 && button(
      editing ? "Show progress" : "Change assignment",
      () => {
        board.editing = !editing;
        show(status);
      },
      { "data-key": "editing", class: "editing" },
    ),
  );
}

/** Assign a topic to assessors; the page shows it at once. @param {Status} status @param {string} topic
 * @param {string[]} assessors */
async function assign(status, topic, assessors) {
  const all = status.topics.map(({ id }) => [id, { assessors: assignedTo(status, id), documents: 0 }]);
  status.assignment = {
    ...status.assignment ?? Object.fromEntries(all),
    [topic]: { assessors, documents: 0 },
  };
  show(status);
  const answer = await fetch("api/assignment", {
    method: "POST",
    body: JSON.stringify({ topic, assessors }),
    headers: { "content-type": "application/json" },
  }).catch(() => null);
  const { error = "The server does not answer." } = answer?.ok ? { error: "" } : await answer?.json() ?? {};
  await refresh();
  complain(error && `The assignment was not changed. ${error}`);
}

/** Options of an export, what it leaves out, and its link. @param {Status} status */
function drawExport(status) {
  const names = ["", ...status.assessors.map(({ name }) => name)],
    { href, file } = exportOf(choice),
    stuck = needsMerge(status, choice);
  /** @param {Partial<Choice>} changes */
  const set = (changes) => {
    Object.assign(choice, changes);
    show(status);
  };
  /** @param {string} label @param {[string, string][]} options @param {keyof Choice} name */
  const pick = (label, options, name) =>
    picker(
      label,
      options.map(([, word]) => word),
      options.findIndex(([value]) => value === choice[name]),
      (i) => set({ [name]: options[i][0] }),
    );
  return make(
    "section.exporting",
    heading("Export", ""),
    make(
      "div.tools",
      pick("Format", FORMATS, "to"),
      pick("Several assessors", MERGES, "merge"),
      choice.merge === "adjudicated" && pick("Not decided", UNDECIDED, "undecided"),
      pick("Assessor", names.map((name) => [name, name || "all"]), "assessor"),
      make(
        "label.check",
        make("input", {
          type: "checkbox",
          "data-key": "unfinished",
          checked: choice.unfinished,
          on: { change: () => set({ unfinished: !choice.unfinished }) },
        }),
        "include documents in progress",
      ),
    ),
    make("p", { id: "left-out", class: stuck && "stuck" }, sayLeftOut(status, choice)),
    stuck
      ? make(
        "a.button",
        { role: "link", "aria-disabled": "true", "aria-describedby": "left-out" },
        `Download ${file}`,
      )
      : make("a.button.primary", {
        href,
        download: file,
        "data-key": "download",
        "aria-describedby": "left-out",
      }, `Download ${file}`),
  );
}

/** The whole page. @param {Status} status @param {number} now */
function drawBoard(status, now) {
  const { title, procedure } = status,
    headline = make("h1", { tabindex: -1 }, sayEnd(status, new Date(now).getFullYear()));
  document.title = [title, "Organiser"].filter(Boolean).join(" · ");
  byId("bar").replaceChildren(
    make(
      "nav.crumbs",
      { "aria-label": "Where" },
      make("span.logo", icon("logo"), make("span", "excerpt")),
      make("ol.plain", make("li", make("strong", { "aria-current": "page" }, named(title, 36)))),
    ),
    make("div.tools", make("span.note", procedure), make("b", "Organiser")),
  );
  byId("main").replaceChildren(
    make(
      "div.page.board",
      headline,
      make(
        "dl.figures",
        figuresOf(status).map(([number, text]) => make("div", make("dt", number), make("dd", text))),
      ),
      drawCautions(status) || "",
      make(
        "div.columns",
        make(
          "div",
          drawAssessors(status, now),
          drawPeople(status, around),
          drawAgreement(around),
          drawDecisions(status, around),
        ),
        make(
          "div",
          drawCells(status),
          drawDealing(around),
          drawExtend(around),
          drawExport(status),
          drawRelease(status, around),
        ),
      ),
    ),
  );
}

/** What the sections of the desk call when something has changed. */
const around = {
  redraw: () => {
    if (shownNow.status && !shownNow.texts) show(shownNow.status);
  },
  refresh: async () => {
    await refresh();
  },
};

/** Show the document of the address, or the board. */
async function arrive() {
  const { topic, doc } = readPlace(location.hash);
  if (shownNow.place === location.hash && !!doc === !!shownNow.texts) return;
  shownNow.place = location.hash;
  shownNow.texts?.dispose();
  shownNow.texts = null;
  complain("");
  if (!doc) {
    around.redraw();
    return;
  }
  page.dataset.state = "loading";
  try {
    const texts = await openTexts(topic, doc);
    if (shownNow.place !== location.hash) return texts.dispose();
    shownNow.texts = texts;
    byId("main").replaceChildren(texts.node);
    texts.shown();
    scrollTo(0, 0);
    find("#main h1")?.focus({ preventScroll: true });
  } catch (error) {
    complain(/** @type {Error} */ (error).message);
  }
  page.dataset.state = "ready";
}

/** Draw a status; focus and scroll position stay. @param {Status} status */
function show(status) {
  shownNow.status = status;
  if (shownNow.texts) return;
  const { key } = /** @type {HTMLElement} */ (document.activeElement).dataset,
    [left, top] = [find(".scroll", byId("main"))?.scrollLeft ?? 0, scrollY];
  drawBoard(status, Date.now());
  if (key) find(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
  const table = find(".scroll", byId("main"));
  if (table) table.scrollLeft = left;
  scrollTo(0, top);
}

/** Put an error above the page, or remove it. @param {string} sentence */
function complain(sentence) {
  find("#problem")?.remove();
  if (sentence) byId("main").prepend(make("p.problem", { id: "problem", role: "alert" }, sentence));
}

/** Ask the server for the status. @returns {Promise<Status>} */
async function ask() {
  const answer = await fetch("api/status", { headers: { Accept: "application/json" } });
  if (answer.ok) return answer.json();
  const { error = "" } = await answer.json().catch(() => ({}));
  throw new Error(
    answer.status === 401
      ? "This link has expired. Open the one that “excerpt assess serve” printed last."
      : `The server answered ${answer.status}. ${error}`,
  );
}

/** Ask again. If several requests are under way, only the newest answer counts. */
async function refresh() {
  const turn = ++board.turn;
  clearTimeout(board.timer);
  board.timer = setTimeout(refresh, EVERY);
  try {
    const status = await ask();
    if (turn !== board.turn) return;
    choice.merge ||= firstMerge(status);
    show(status);
    complain("");
  } catch (error) {
    if (turn === board.turn) {
      complain(
        error instanceof TypeError
          ? "The server does not answer. The page may be out of date."
          : /** @type {Error} */ (error).message,
      );
    }
  }
  if (readPlace(location.hash).doc) return arrive();
  page.dataset.state = "ready";
}

/** Follow the colour scheme of the system. */
function followScheme() {
  const dark = matchMedia("(prefers-color-scheme:dark)");
  const follow = () => {
    page.dataset.theme = dark.matches ? "dark" : "light";
  };
  dark.addEventListener("change", follow);
  follow();
}

followScheme();
addEventListener("hashchange", arrive);
addEventListener("focus", refresh);
document.addEventListener("visibilitychange", () => document.hidden || refresh());
refresh();
