// Order of the search: definitions of measures, options, formats and names of Python before pages that mention
// them. Sphinx calls `score` for each place that it found.
var Scorer = {
  score: function ([page, title, _anchor, _description, score, _file, kind]) {
    if (page === "measures" && kind === "title") return score + 60;
    if (page === "commands/shared" && kind === "object") return score + 50;
    if (/^(formats|glossary)$/.test(page) && kind === "title") return score + 40;
    if (/^(api|commands)\//.test(page) && kind !== "text") return score + 10;
    return score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
