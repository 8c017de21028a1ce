/** The view "Overview": the verdict in words, the runs, what it cannot tell, topics × runs, how it was made. */
import { make, named } from "./dom.js";
import { count } from "./format.js";
import { drawGrid, heading, verdict } from "./grid.js";
import { drawHeat } from "./heat.js";
import { drawRanking } from "./ranking.js";

const BARS =
  "Bars are of means (bootstrap over topics), tests of paired differences: runs can differ although bars overlap. Alike: no test tells them apart.";

function drawMade({ made: { command, versions, settings, seed, inputs }, warnings }) {
  const facts = Object.entries({ ...versions, ...settings, seed }).filter(([, value]) => (value ?? "") !== "")
    .map((fact) => fact.join(" "));
  const files = inputs.map(({ name, sha256 }) => [make("bdi", name), make("span.mono", ` sha256 ${sha256}`)]);
  return make(
    "details.note.made",
    make("summary", "How it was made"),
    make("p.mono", command),
    [facts.join(" · "), ...files, ...warnings].map((line) => make("p", line)),
  );
}

/** What runs missed and why, what was cited: a sentence, then numbers. */
const drawTable = ({ title, note, columns, rows }) =>
  make(
    "section",
    heading(title, note),
    make(
      "div.scroll",
      drawGrid(
        "counts",
        columns,
        rows.map(([name, ...cells]) =>
          make("tr", make("th", named(name)), cells.map((cell) => make("td", cell)))
        ),
      ),
    ),
  );

/** Draws the view. @param {import("./explore.js").Context} context @returns {Promise<import("./explore.js").View>} */
export async function drawOverview(context) {
  const { overview, overview: { runs, topics, cannot, measures, verdicts, tables }, measure, link } = context,
    { headline, lead, how } = verdicts[measure],
    node = make("div.page");
  const pair = (text) => runs[1] && make("a", { href: link({ view: "pair" }) }, text),
    counted = topics.filter((topic) => topic.counted);
  let width;
  const fill = () =>
    width !== (width = innerWidth) && node.replaceChildren(
      verdict(
        [measures[measure].name, count(runs.length, "run"), count(counted.length, "topic")],
        headline,
        make("p.lead", lead.map(([text, strong]) => make(strong ? "strong" : "span", text))),
        make("p", how, " ", pair("All pairs")),
      ),
      make(
        "div.beside",
        make(
          "section",
          heading("Runs", "mean and 95 % interval", pair("Compare two runs")),
          drawRanking(context),
          make("p.note", BARS),
        ),
        make(
          "aside.card.limits",
          make("h2", "What this cannot tell you"),
          make(
            "dl",
            cannot.map(({ figure, text }) => make("div", make("dt", figure), make("dd.note", text))),
          ),
        ),
      ),
      make("div.beside.tables", tables.map(drawTable)),
      drawHeat(context),
      drawMade(overview),
    );
  fill();
  addEventListener("resize", fill);
  return { node, title: "", dispose: () => removeEventListener("resize", fill) };
}
