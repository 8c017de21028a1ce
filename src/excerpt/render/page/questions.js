/** The questions that the list of passages answers: which rows they pick, in which order. No DOM. */

/** Name in the address, and words: five questions for relevant passages, two for results. */
export const QUESTIONS = [
  ["", "All"],
  ["a", "Found by A, missed by B"],
  ["b", "Found by B, missed by A"],
  ["none", "In no run"],
  ["elsewhere", "Stand elsewhere too"],
  ["unjudged", "Retrieved but unjudged"],
  ["again", "Retrieved a second time"],
];

/** The table that the answers to a question stand in. @param {Object} passages @param {string} q @returns {Object} */
export function tableOf(passages, q) {
  return passages[q] ?? passages.relevant;
}

/** The row in `hits` that says what a run found of a passage; -1: nothing.
 * @param {Object} passages @param {number} row @param {number} run @returns {number} */
export function hitOf({ relevant: { from }, hits }, row, run) {
  const at = hits.run.slice(from[row], from[row + 1]).indexOf(run);
  return at < 0 ? -1 : from[row] + at;
}

/** The first rank of a row for a question, or null where it does not answer. */
function rankFor(q, passages, row, [a, b]) {
  const { relevant, hits, unjudged, unjudgedHits, again } = passages,
    best = (ranks, from) => Math.min(...ranks.slice(from[row], from[row + 1]));
  if (q === "again") return again.rank[row];
  if (q === "unjudged") return best(unjudgedHits.rank, unjudged.from);
  if (/^[ab]$/.test(q)) {
    const [found, missed] = (q === "a" ? [a, b] : [b, a]).map((run) => hitOf(passages, row, run));
    return found < 0 || missed >= 0 ? null : hits.rank[found];
  }
  const first = best(hits.rank, relevant.from);
  return (q === "none" && first < Infinity) || (q === "elsewhere" && !relevant.elsewhere[row]) ? null : first;
}

/** Whether a number is within what a text such as 10-50, 10- or -50 says; other texts say nothing. */
function within(x, text) {
  const [, low, high] = /^(\d*)-(\d*)$/.exec(text) ?? [];
  return x >= (low || 0) && x <= (high || Infinity);
}

/** The rows that answer a question, within what the state asks of length, first rank and kind.
 * @param {Object} passages @param {string} q @param {number[]} runs @param {State} only @returns {{row: number, rank: number}[]} */
export function answers(passages, q, runs, only) {
  const { topic, document, start, end } = tableOf(passages, q);
  const rows = topic.map((_, row) => ({ row, rank: rankFor(q, passages, row, runs) })).filter((
    { row, rank },
  ) =>
    rank !== null &&
    within(end[row] - start[row], only.length) &&
    (!only.rank || (rank < Infinity && within(rank, only.rank))) &&
    (!only.kind || passages.kinds[document[row]] === only.kind)
  );
  return /^[ab]$/.test(q) ? rows.sort((one, other) => one.rank - other.rank) : rows;
}
