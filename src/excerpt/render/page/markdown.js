/** Passages and tables as Markdown; their content is escaped. No DOM. */

const SIGNS = /[\\`*_[\]<>|~&#$]/g,
  LINE_START = /^([-+=]|\d+(?=[.)]))/,
  NUMERIC = /^[\s\d.,%–<>+\u2212\u202f]*$/;

/** A text as content of Markdown, in one line. @param {string} text */
export function escapeMarkdown(text) {
  return text.replace(/\s+/g, " ").replace(SIGNS, "\\$&").replace(/:(?=\/\/)/g, "\\:");
}

/** A line of Markdown that begins no list and no heading. @param {string} line */
const plainStart = (line) =>
  line.replace(LINE_START, (start) => /\d/.test(start) ? `${start}\\` : `\\${start}`);

/** A text with marks around it, without the signs at its ends: next to letters marks would not count.
 * @param {string} text @param {string} mark */
function marked(text, mark) {
  const [, before, inner, after] = /^([^\p{L}\p{N}]*)(.*?)([^\p{L}\p{N}]*)$/su.exec(text) ??
    ["", "", "", text];
  return escapeMarkdown(before) + (inner && mark + escapeMarkdown(inner) + mark) + escapeMarkdown(after);
}

/** The marks of text by its state. @type {Record<string, string>} */
const PAINT = { hit: "**", missed: "~~" };

/** A table; columns of numbers are aligned to the right. @param {string[]} heads @param {string[][]} rows */
export function tableMarkdown(heads, rows) {
  /** @param {string[]} cells */
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const kinds = heads.map((_, i) => rows.every((row) => NUMERIC.test(row[i] ?? "")) ? "--:" : ":--");
  return [line(heads.map(escapeMarkdown)), line(kinds), ...rows.map((row) => line(row.map(escapeMarkdown)))]
    .join("\n");
}

/** A link, or only its words without an address. @param {string} words @param {string} address */
export const linkMarkdown = (words, address) =>
  address
    ? `[${escapeMarkdown(words.trim())}](<${address.replace(/[<>\\]/g, encodeURIComponent)}>)`
    : plainStart(escapeMarkdown(words.trim()));

/** A passage, found text bold and missed text struck through; lines below it are Markdown already.
 * @param {[state: string, text: string][]} pieces @param {string[]} lines */
export function quoteMarkdown(pieces, lines) {
  /** @type {typeof pieces} */
  const joined = [];
  for (const [state, text] of pieces) {
    const last = joined[joined.length - 1];
    if (last && last[0] === state) last[1] += text;
    else joined.push([state, text]);
  }
  const painted = joined.map(([state, text]) =>
    PAINT[state] ? marked(text, PAINT[state]) : escapeMarkdown(text)
  );
  const used = Object.entries({ hit: "**found**", missed: "~~missed~~" })
    .filter(([state]) => pieces.some(([name]) => name === state));
  return [plainStart(painted.join("").trim()), ...lines, used.map(([, word]) => word).join(", ")].filter(
    Boolean,
  )
    .map((line) => `> ${line}`).join("\n>\n");
}
