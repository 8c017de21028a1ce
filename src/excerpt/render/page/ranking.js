/** The runs in order: intervals of their means on one axis, lines of runs that no test separates. */
import { make, named, svg } from "./dom.js";
import { score } from "./format.js";
import { button, drawGrid, scoreCell } from "./grid.js";
import { ranking } from "./state.js";

const FIRST_ROWS = 10, MANY_RUNS = 20, MANY_SETS = 24, HIGH = 32, HALF = 16;

/** Round numbers from 0 to a number, five at most. @param {number} most @returns {number[]} */
export function ticksTo(most) {
  const step = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5].find((size) => most / size < 5) ?? most;
  return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, i) => Number((i * step).toFixed(2)));
}

const picture = (words, width, ...shapes) =>
  svg("svg", { width, height: HIGH, role: "img", "aria-label": words }, shapes);
const stroke = (x1, x2, y1, y2, name) => svg("line", { class: name, x1, x2, y1, y2 });
const dot = (cx, r) => svg("circle", { cx, cy: HALF, r });

/** A line for each set of runs (as places, best first), with a dot if the run at a place is in it; with many sets, how many runs it is alike. */
function drawAlike(sets, place) {
  const mates = [...new Set(sets.filter((set) => set.includes(place)).flat())].filter((mate) =>
      mate !== place
    ),
    gap = Math.min(10, 120 / sets.length);
  const words = mates.length
    ? `cannot be told apart from place ${mates.map((mate) => mate + 1).join(", ")}`
    : "differs from all";
  return sets.length > MANY_SETS ? make("span", { title: words }, mates.length) : picture(
    words,
    gap * sets.length,
    sets.map((set, i) => {
      const x = gap * (i + 0.5), first = set[0], last = set.at(-1);
      return first <= place && place <= last &&
        [
          stroke(x, x, place === first ? HALF : 0, place === last ? HALF : HIGH),
          set.includes(place) && dot(x, 3),
        ];
    }),
  );
}

/** Draws the table of runs. @param {import("./explore.js").Context} context @returns {HTMLElement} */
export function drawRanking({ overview, measure, runs: chosen, state, link }) {
  const { measures, runs, means, intervals, comparisons } = overview,
    order = ranking(overview, measure),
    columns = [...new Set([measure, ...measures.keys()])];
  const sets = comparisons[measure]?.alike.map((set) =>
    set.map((run) => order.indexOf(run)).sort((a, b) => a - b)
  );
  const most = Math.max(...runs.map((_, run) => intervals[measure][run]?.[1] ?? means[measure][run] ?? 0)) ||
    1;
  const ticks = ticksTo(most), x = (value) => `${4 + (92 * Math.max(0, value)) / most}%`;
  const rows = order.map((run, place) => {
    const { name, about } = runs[run], ends = intervals[measure][run], value = means[measure][run];
    const [mean, ...others] = columns.map((i) =>
      make("td", scoreCell(name, "all", measures[i].name, means[i][run]), score(means[i][run]))
    );
    return make(
      "tr",
      {
        hidden: runs.length > MANY_RUNS && place >= FIRST_ROWS &&
          !(state.runs.length && chosen.includes(run)),
      },
      make("td", place + 1),
      make(
        "th",
        { title: about },
        make("a", { href: link({ view: "pair", runs: [name] }) }, named(name)),
        " ",
        make("small", about.split(":")[0]),
      ),
      mean,
      make(
        "td",
        picture(
          ends ? ends.map((end) => score(end)).join(" to ") : "no interval",
          "100%",
          ticks.map((tick) => stroke(x(tick), x(tick), 0, HIGH, "tick")),
          ends && stroke(x(ends[0]), x(ends[1]), HALF, HALF),
          value !== null && dot(x(value), 4.5),
        ),
      ),
      make("td", sets ? drawAlike(sets, place) : "–"),
      others,
    );
  });
  const scale = svg(
    "svg",
    { width: "100%", height: 16, role: "img", "aria-label": "Interval" },
    ticks.map((tick) => svg("text", { x: x(tick), y: 12 }, tick)),
  );
  const [first, ...others] = columns.map((i) => measures[i].name),
    all = button(`Show all ${runs.length}`, () => {
      for (const row of rows) row.hidden = false;
      all.remove();
    });
  return make(
    "div.scroll",
    drawGrid("ranking", ["#", "Run", first, scale, "Alike", ...others], rows),
    rows.some((row) => row.hidden) && all,
  );
}
