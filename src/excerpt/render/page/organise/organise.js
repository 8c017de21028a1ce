/** The organiser's page: how far the campaign is, who does what, and the export. It shows no judgments. */
import { drawProgress } from "../assess/panel.js";
import { picker } from "../bar.js";
import { icon, make, named } from "../dom.js";
import { count, minutesOf, sayAgo, whole } from "../format.js";
import { drawGrid, heading } from "../grid.js";
import {
  CELL_WORDS,
  exportOf,
  figuresOf,
  firstMerge,
  FORMATS,
  MERGES,
  needsMerge,
  sayEnd,
  sayLeftOut,
} from "./status.js";

const EVERY = 30_000, NAME_LENGTH = 24;
const page = document.documentElement;
const part = (id) => document.getElementById(id);
/** What is shown, what was chosen, and the number of the newest question to the server. */
const board = {
  status: null,
  choice: { to: "fol", merge: "", assessor: "", unfinished: false },
  turn: 0,
  timer: 0,
};

function drawCautions({ cautions, assessors }) {
  const own = assessors.flatMap(({ name, cautions: list = [] }) => list.map((text) => ({ name, text })));
  const rows = [...cautions.map((text) => ({ text })), ...own.filter(({ text }) => !cautions.includes(text))];
  return rows.length > 0 &&
    make(
      "ul.plain.cautions",
      { "aria-label": "Cautions" },
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

function drawAssessors({ assessors }, now) {
  const table = drawGrid(
    "assessors",
    ["Name", "Progress", "Done", "Min. each", "Last seen", "Owed"],
    assessors.map((one) => drawAssessor(one, now)),
  );
  table.querySelectorAll("thead th").forEach((head) => head.setAttribute("scope", "col"));
  return make(
    "section",
    heading(
      "Assessors",
      assessors.length ? count(assessors.length, "person").replace("persons", "people") : "",
    ),
    assessors.length
      ? table
      : make("p.note", "Nobody yet: add people with the command “excerpt assess people”."),
  );
}

/** A cell says its state by its look and, for those who cannot see it, in a word. */
function drawCell(state) {
  return make(
    "td",
    { title: CELL_WORDS[state] ?? "not assigned" },
    make(
      "span.cell",
      { "data-state": state ?? "none" },
      make("span.hidden", CELL_WORDS[state] ?? "not assigned"),
    ),
  );
}

function drawCells({ topics, assessors, cells }) {
  const names = assessors.map(({ name }) => name),
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
        make("span.hidden", `, ${done} of ${total} documents done`),
      ),
      names.map((name) => drawCell(cells[id]?.[name])),
    )
  );
  return make(
    "section",
    heading("Topics × assessors", "", legend),
    make(
      "div.scroll",
      { tabindex: 0, role: "region", "aria-label": "Topics and assessors" },
      make(
        "table.cells",
        make("thead", make("tr", make("th", { scope: "col" }, make("span.hidden", "Topic")), heads)),
        make("tbody", rows),
      ),
    ),
  );
}

/** The choices of an export, what it leaves out, and the link that is the export. */
function drawExport(status) {
  const { choice } = board,
    names = ["", ...status.assessors.map(({ name }) => name)],
    { href, file } = exportOf(choice),
    stuck = needsMerge(status, choice);
  const set = (changes) => [Object.assign(choice, changes), show()];
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
      pick("Assessor", names.map((name) => [name, name || "all"]), "assessor"),
      make(
        "label.check",
        make("input", {
          type: "checkbox",
          "data-key": "unfinished",
          checked: choice.unfinished,
          on: { change: ({ target }) => set({ unfinished: target.checked }) },
        }),
        "with open documents",
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

function drawBoard(status, now) {
  const { title, procedure } = status,
    headline = make("h1", { tabindex: -1 }, sayEnd(status, new Date(now).getFullYear()));
  document.title = [title, "Organiser"].filter(Boolean).join(" · ");
  part("bar").replaceChildren(
    make(
      "nav.crumbs",
      { "aria-label": "Where" },
      make("span.logo", icon("logo"), make("span", "excerpt")),
      make("ol.plain", make("li", make("strong", { "aria-current": "page" }, named(title, 36)))),
    ),
    make("div.tools", make("span.note", procedure), make("b", "Organiser")),
  );
  part("main").replaceChildren(
    make(
      "div.page.board",
      headline,
      make(
        "dl.figures",
        figuresOf(status).map(([number, text]) => make("div", make("dt", number), make("dd", text))),
      ),
      drawCautions(status) || "",
      make("div.columns", make("div", drawAssessors(status, now), drawExport(status)), drawCells(status)),
    ),
  );
}

/** Shows what was answered last; the focus and the place of the page stay. */
function show() {
  const { key } = document.activeElement.dataset,
    [left, top] = [part("main").querySelector(".scroll")?.scrollLeft ?? 0, scrollY];
  drawBoard(board.status, Date.now());
  if (key) document.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
  part("main").querySelector(".scroll").scrollLeft = left;
  scrollTo(0, top);
}

/** One sentence above what was shown before, if anything was. */
function complain(sentence) {
  part("problem")?.remove();
  if (sentence) part("main").prepend(make("p.problem", { id: "problem", role: "alert" }, sentence));
}

async function ask() {
  const answer = await fetch("api/status", { headers: { Accept: "application/json" } });
  if (answer.ok) return answer.json();
  const { error = "" } = await answer.json().catch(() => ({}));
  throw new Error(
    answer.status === 401
      ? "This link has ended: open the one that the command printed last."
      : `The server answered ${answer.status}. ${error}`,
  );
}

/** Asks anew; of several questions under way the newest counts, and what is unchanged is not drawn again. */
async function refresh() {
  const turn = ++board.turn;
  clearTimeout(board.timer);
  board.timer = setTimeout(refresh, EVERY);
  try {
    const status = await ask();
    if (turn !== board.turn) return;
    board.status = status;
    board.choice.merge ||= firstMerge(status);
    show();
    complain("");
  } catch (error) {
    if (turn === board.turn) {
      complain(
        error instanceof TypeError ? "The server does not answer; what is shown may be old." : error.message,
      );
    }
  }
  page.dataset.state = "ready";
}

function followScheme() {
  const dark = matchMedia("(prefers-color-scheme:dark)");
  dark.onchange = () => {
    page.dataset.theme = dark.matches ? "dark" : "light";
  };
  dark.onchange();
}

followScheme();
addEventListener("focus", refresh);
document.addEventListener("visibilitychange", () => document.hidden || refresh());
refresh();
