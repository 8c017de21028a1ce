/** Grades of elements: the tree of elements and its panel. */
import { drawSegments, makePart } from "./panel.js";
import { chooseBoth, gradeOfKey, sayGrade } from "./rules.js";
import { make, named } from "../dom.js";
import { count, whole } from "../format.js";
import { button } from "../grid.js";
import { bisect } from "../spans.js";

// The elements of a document as a tree: what they are called, what they hold, which are to be graded. No DOM.
/** How far from its start the heading of an element may begin: a number or label may stand before it. */
const BEFORE_HEADING = 20;
const SNIPPET_SIZE = 60;

/** @typedef {{path: string, start: number, end: number, tag: string, parent: number, depth: number, last: number, name: string, headed: boolean,
 *   snippet: string}} Element
 *   parent: number of the parent, -1 for none; last: number of the last element inside it, or its own */

const cleanText = (text) => text.replace(/\s+/g, " ").trim();

/** What the last step of a path is called: `/article[1]/sec[2]` → "sec 2"; the only one of its kind has no number. */
function elementStep(path, tag, paths) {
  const [end, number] = /\[(\d+)\]$/.exec(path) ?? [];
  return number === undefined || number === "1" && !paths.has(`${path.slice(0, -end.length)}[2]`)
    ? tag
    : `${tag} ${number}`;
}

/** Elements with their parents, by their paths; parents come before children. */
function linkElements(elements) {
  const numbers = new Map();
  return elements.map(([path, start, end, tag], number, all) => {
    const parent = numbers.get(path.slice(0, path.lastIndexOf("/"))) ?? -1;
    numbers.set(path, number);
    return all[number] = {
      path,
      start,
      end,
      tag,
      parent,
      depth: 0,
      last: number,
      name: "",
      headed: false,
      snippet: "",
    };
  });
}

/** The heading of each element that has one: of all elements around a heading the innermost, if the heading is what it begins with. */
function nameByHeadings(list, blocks, quote) {
  for (const [kind, , start, end] of blocks) {
    let number = kind === "heading" ? bisect(list.length, (i) => list[i].start, start + 1) - 1 : -1;
    while (number >= 0 && (list[number].end <= end || list[number].start > start)) {
      number = list[number].parent;
    }
    if (number >= 0 && start - list[number].start <= BEFORE_HEADING) {
      list[number].name ||= cleanText(quote(start, end));
    }
  }
}

/** The tree of a document's elements, in their order; those of at most one block that have no heading show how they begin.
 * @param {Array[]} elements [path, start, end, tag], parents before children @param {Array[]} blocks @param {function(number, number): string} quote
 * @returns {Element[]} */
export function treeOf(elements, blocks, quote) {
  const list = linkElements([...elements]), paths = new Set(list.map(({ path }) => path));
  list.forEach((element) => {
    element.depth = element.parent < 0 ? 0 : list[element.parent].depth + 1;
  });
  for (let i = list.length - 1; i >= 0; i--) {
    if (list[i].parent >= 0) list[list[i].parent].last = Math.max(list[list[i].parent].last, list[i].last);
  }
  nameByHeadings(list, blocks, quote);
  const leaves = blocks.filter(([, depth], i) => !(blocks[i + 1]?.[1] > depth)),
    leavesBefore = (point) => bisect(leaves.length, (i) => leaves[i][2], point);
  for (const element of list) {
    const { path, tag, start, end, name } = element;
    if (!name && leavesBefore(end) - leavesBefore(start) < 2) {
      element.snippet = cleanText(quote(start, Math.min(end, start + SNIPPET_SIZE)));
    }
    element.headed = name !== "";
    element.name ||= elementStep(path, tag, paths);
  }
  return list;
}

/** The name of an element with that of the nearest one around it that has a heading.
 * @param {Element[]} tree @param {number} number @returns {string} */
export function fullName(tree, number) {
  let { headed, parent } = tree[number];
  while (!headed && parent >= 0 && !tree[parent].headed) ({ parent } = tree[parent]);
  return headed || parent < 0 ? tree[number].name : `${tree[number].name} of ${tree[parent].name}`;
}

/** A function that says how many characters of sorted disjoint spans lie in [start, end).
 * @param {number[][]} spans @returns {function(number, number): number} */
export function counterOf(spans) {
  const before = [0];
  for (const [start, end] of spans) before.push(before[before.length - 1] + end - start);
  const upTo = (point) => {
    const whole = bisect(spans.length, (i) => spans[i][1], point + 1);
    return before[whole] + Math.max(0, point - (spans[whole]?.[0] ?? point));
  };
  return (start, end) => upTo(end) - upTo(start);
}

/** The number of the innermost element at a position, -1 for none. @param {Element[]} tree @param {?number} position @returns {number} */
export function elementAt(tree, position) {
  let number = position === null ? -1 : bisect(tree.length, (i) => tree[i].start, position + 1) - 1;
  while (number >= 0 && tree[number].end <= position) number = tree[number].parent;
  return number;
}

/** Some elements and all around them, in order. @param {Element[]} tree @param {Iterable<number>} numbers @returns {number[]} */
export function withAncestors(tree, numbers) {
  const found = new Set();
  for (let number of numbers) {
    for (; number >= 0 && !found.has(number); number = tree[number].parent) found.add(number);
  }
  return [...found].sort((a, b) => a - b);
}

/** The elements right inside another one. @param {Element[]} tree @param {number} number @returns {number[]} */
export function childrenOf(tree, number) {
  const found = [];
  for (let i = number + 1; i <= tree[number].last; i = tree[i].last + 1) found.push(i);
  return found;
}

/** The subtree that "the rest" means at an element: the innermost around it with at least two of the owed ones, itself if it has; -1 for none.
 * @param {Element[]} tree @param {number[]} owed sorted numbers @param {number} number @returns {number} */
export function restOf(tree, owed, number) {
  const within = (top) =>
    bisect(owed.length, (i) => owed[i], tree[top].last + 1) - bisect(owed.length, (i) => owed[i], top);
  while (number >= 0 && within(number) < 2) number = tree[number].parent;
  return number;
}

/** The next of sorted numbers after one, or the first; undefined if there is none. @param {number[]} numbers @param {number} after @returns {number|undefined} */
export function nextOf(numbers, after) {
  return numbers[bisect(numbers.length, (i) => numbers[i], after + 1)] ?? numbers[0];
}

// Grades of elements, beside the document: a tree of the elements that are graded, owed or at the cursor.
/** Rows that are drawn at once. */
const GRADES_ROWS = 80, GRADES_INDENT = 12, GRADES_DEEPEST = 6;
const GRADES_TREES = new WeakMap();

const isHalf = (grade) => Array.isArray(grade) && grade.includes(null);
const gradesKey = (path) => `grade ${path}`;

/** The tree of the open document and a number for each path, made once. */
function gradesTree({ doc, paper }) {
  if (!GRADES_TREES.has(doc)) {
    const tree = treeOf(doc.elements ?? [], doc.blocks ?? [], (start, end) => paper.quote([start, end]));
    GRADES_TREES.set(doc, { tree, numberOf: new Map(tree.map(({ path }, number) => [path, number])) });
  }
  return GRADES_TREES.get(doc);
}

/** All that the part says: the tree, what is held, graded and owed; `current` is the chosen row or the first that is owed. */
function gradesFacts(context) {
  const { procedure: { marks }, state, keep } = context,
    { tree, numberOf } = gradesTree(context),
    held = counterOf(state.highlights ?? []);
  const graded = (number) => state.grades?.[tree[number].path] ?? null;
  const numbers = (paths) =>
    (paths ?? []).map((path) => numberOf.get(path)).filter((number) => number !== undefined);
  const holding = marks
    ? [...tree.keys()].filter((number) => held(tree[number].start, tree[number].end))
    : [];
  const owed = (marks ? holding : numbers(state.owed).sort((a, b) => a - b)).filter((number) =>
    graded(number) === null
  );
  const rows = marks
    ? holding
    : gradesInterest(context, tree, [...numbers(Object.keys(state.grades ?? {})), ...owed], numberOf);
  const chosen = numberOf.get(keep.row), current = rows.includes(chosen) ? chosen : owed[0] ?? rows[0];
  return { tree, numberOf, held, graded, owed, rows, current };
}

/** Where nothing is highlighted: the root and what is in it, what is graded, owed, chosen, unfolded or at the cursor, and all around these. */
function gradesInterest({ cursor = null, keep }, tree, known, numberOf) {
  if (!tree.length) return [];
  if (cursor !== (keep.gradesCursor ?? null)) {
    keep.gradesCursor = cursor;
    keep.row = tree[elementAt(tree, cursor)]?.path ?? keep.row;
  }
  const unfolded = [0, ...[...keep.unfolded ?? []].map((path) => numberOf.get(path))],
    chosen = numberOf.get(keep.row);
  return withAncestors(tree, [
    ...known,
    ...chosen === undefined ? [] : [chosen],
    ...unfolded.flatMap((number) => childrenOf(tree, number)),
  ]);
}

/** The paths of the elements that owe a grade, in their order. @param {Object} context @returns {string[]} */
export function owedPaths(context) {
  if (!context.procedure.scale.length) return [];
  const { tree, owed } = gradesFacts(context);
  return owed.map((number) => tree[number].path);
}

/** A row becomes the current one: the cursor of the paper goes around its element, whose first highlighted text comes into sight. */
function gradesChoose({ keep, paper, state: { highlights = [] } }, { path, start, end }) {
  const from = Math.max(start, highlights.find((span) => span[1] > start && span[0] < end)?.[0] ?? start);
  keep.row = path;
  keep.restAsked = null;
  if (keep.half?.path !== path) keep.half = null;
  paper.cursor([start, end]);
  paper.reveal([from, end]);
}

/** Draws all anew, and brings the current row into sight, or gives it the focus. */
function gradesRedraw(context, focus) {
  context.redraw();
  const row = document.querySelector(".grades [aria-current]");
  row?.scrollIntoView({ block: "nearest" });
  if (focus) row?.querySelector("button").focus({ preventScroll: true });
}

/** A grade is given; from a row that owed one the next that does becomes current. */
function gradesGive(context, facts, number, grade) {
  const { tree, owed } = facts,
    { path } = tree[number],
    name = fullName(tree, number),
    { procedure: { scale }, keep, act, announce } = context;
  if (isHalf(grade)) {
    keep.half = { path, grade };
    return announce(`${name}: ${sayGrade(scale, grade)}`);
  }
  const next = owed.includes(number) ? nextOf(owed.filter((other) => other !== number), number) : undefined;
  keep.half = null;
  if (next !== undefined) gradesChoose(context, tree[next]);
  announce(
    `${name}: ${grade === null ? "no grade" : sayGrade(scale, grade)}${
      next === undefined ? "" : `. Next: ${fullName(tree, next)}`
    }`,
  );
  return act("grade", { path, grade });
}

/** Gives the current row the grade that a key means; one that owes nothing only if it is looked at, since the same keys ask for other things. @param {Object} context @param {string} key @returns {boolean} whether it means one */
export function gradeKey(context, key) {
  if (!context.procedure.scale.length) return false;
  const facts = gradesFacts(context),
    { tree, current, owed } = facts,
    { keep, procedure: { marks, scale } } = context;
  const looked = Boolean(document.activeElement.closest(".grades")),
    meant = looked || owed.includes(current) || !marks && keep.row;
  const half = current !== undefined && keep.half?.path === tree[current].path ? keep.half.grade : null,
    grade = gradeOfKey(scale, half, key);
  if (!meant || current === undefined || grade === undefined) return false;
  keep.row = tree[current].path;
  gradesGive(context, facts, current, grade);
  gradesRedraw(context, looked);
  return true;
}

/** Goes to the next row that owes a grade. @param {Object} context */
export function goOwed(context) {
  const { tree, owed, current = -1 } = gradesFacts(context),
    next = nextOf(owed, context.keep.row ? current : -1);
  if (next === undefined) return;
  gradesChoose(context, tree[next]);
  gradesRedraw(context, true);
}

/** What stands under the name of a row. */
function gradesAbout({ procedure: { marks, scale }, state }, { tree, held, graded }, number, half) {
  const { path, start, end } = tree[number],
    grade = half ?? graded(number),
    inferred = state.inferred?.[path];
  if (marks) return `specificity ${(held(start, end) / (end - start)).toFixed(2)}`;
  if (grade !== null) return sayGrade(scale, grade);
  if (!inferred) return "";
  return isHalf(inferred)
    ? `at least ${sayGrade(scale, inferred).split(" · ")[0]}`
    : `follows: ${sayGrade(scale, inferred)}`;
}

/** The segments of a row, one group for each part of a grade. */
function drawGradeScale(context, facts, number, half, again) {
  const { scale } = context.procedure,
    { path } = facts.tree[number],
    name = fullName(facts.tree, number),
    grade = half ?? facts.graded(number);
  const give = (value) => [gradesGive(context, facts, number, value), again()];
  if (scale.length === 1) {
    return drawSegments(
      `${scale[0][0]} of ${name}`,
      scale[0][2],
      grade,
      (value) => give(value === grade ? null : value),
      `${gradesKey(path)} `,
    );
  }
  return make(
    "div.axes",
    scale.map(([word, letter, options], at) =>
      make(
        "span.axis",
        make("abbr", { title: word, "aria-hidden": "true" }, letter),
        drawSegments(
          `${word} of ${name}`,
          options,
          grade?.[at] ?? null,
          (value) => give(chooseBoth(scale, grade, at, value)),
          `${gradesKey(path)} ${letter}`,
        ),
      )
    ),
  );
}

function drawGradeRow(context, facts, number, again) {
  const { procedure: { marks, scale }, keep } = context,
    { tree, owed, current, rows } = facts,
    element = tree[number],
    { path, name, snippet, depth, last } = element;
  const half = keep.half?.path === path ? keep.half.grade : null,
    isCurrent = number === current,
    compact = scale.length > 1 && !isCurrent;
  const folds = !marks && last > number, about = gradesAbout(context, facts, number, half);
  const row = make(
    "li",
    { class: owed.includes(number) && "owed", "aria-current": isCurrent && "true" },
    button(
      [
        make("span.name", make("b", { dir: "auto" }, name), snippet && make("q", { dir: "auto" }, snippet)),
        make("small", owed.includes(number) && compact ? `${about && `${about} · `}owed` : about),
      ],
      () => [gradesChoose(context, element), again(gradesKey(path))],
      {
        class: "quiet",
        title: path,
        "data-key": gradesKey(path),
        tabindex: isCurrent ? 0 : -1,
        "aria-expanded": folds && String(rows.some((other) => tree[other].parent === number)),
      },
    ),
    !compact && drawGradeScale(context, facts, number, half, again),
  );
  row.style.setProperty("--in", `${GRADES_INDENT * Math.min(GRADES_DEEPEST, depth)}px`);
  return row;
}

/** Up and down go through the rows; right and left through the segments, or unfold and go to the parent. */
function gradesMove(context, facts, again, event) {
  const { tree, rows, current } = facts, { keep, procedure } = context, at = rows.indexOf(current);
  const to = (number) =>
    number !== undefined && [gradesChoose(context, tree[number]), again(gradesKey(tree[number].path))];
  const side = (by) => {
    const row = [...event.target.closest("li").querySelectorAll("button")];
    row[row.indexOf(event.target) + by]?.focus();
  };
  const fold = (open) => {
    keep.unfolded ??= new Set();
    if (open) keep.unfolded.add(tree[current].path);
    else if (!keep.unfolded.delete(tree[current].path)) {
      return to(rows.find((number) => number === tree[current].parent));
    }
    return again(gradesKey(tree[current].path));
  };
  const tall = procedure.marks || event.target.closest(".segments");
  const moves = {
    ArrowDown: () => to(rows[at + 1]),
    ArrowUp: () => to(rows[at - 1]),
    Home: () => to(rows[0]),
    End: () => to(rows[rows.length - 1]),
    ArrowRight: () => (tall ? side(1) : fold(true)),
    ArrowLeft: () => (tall ? side(-1) : fold(false)),
  };
  if (!moves[event.key] || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  moves[event.key]();
}

/** One grade for all that is owed in a subtree; longer elements need a second answer. */
function drawGradesRest(context, { tree, owed, current }, again) {
  const { keep, act, procedure: { rest } } = context,
    top = rest && current !== undefined ? restOf(tree, owed, current) : -1;
  if (top < 0) return null;
  const { path, name, last } = tree[top],
    inside = owed.filter((number) => number >= top && number <= last),
    sizes = inside.map((number) => tree[number].end - tree[number].start);
  const long = sizes.filter((size) => size > rest.most).length;
  const give = (
    sure,
  ) => [
    keep.restAsked = null,
    act("grade", { path, rest: true, ...sure && { sure } }),
    again(),
    goOwed(context),
  ];
  const ask = (answer) => [keep.restAsked = answer, again(answer ? "rest-leave" : "rest")];
  if (keep.restAsked !== path) {
    return button(
      make("span", "Rest of “", named(name, 24), `” ${rest.word}${long ? "…" : ""}`),
      () => (long ? ask(path) : give(false)),
      { class: "rest", "data-key": "rest" },
    );
  }
  return make(
    "div.question",
    { role: "group", "aria-label": `Rest ${rest.word}` },
    make(
      "p",
      make("b", `${whole(long)} of ${count(inside.length, "owed element")}`),
      ` in “`,
      named(name, 24),
      `” ${long === 1 ? "has" : "have"} more than ${rest.most} characters, the longest ${
        whole(Math.max(...sizes))
      }. ${rest.question}`,
    ),
    button("Leave them", () => ask(null), { "data-key": "rest-leave" }),
    button(`Yes, all ${inside.length} ${rest.word}`, () => give(true), { "data-key": "rest-sure" }),
  );
}

/** Grades that the last change of highlights took away. */
function drawGradesWithdrawn({ state }, { tree, numberOf }) {
  const gone = (state.withdrawn ?? []).map((
    path,
  ) => (numberOf.has(path) ? fullName(tree, numberOf.get(path)) : path));
  return gone.length > 0 &&
    make(
      "p.withdrawn",
      { role: "status" },
      make("b", count(gone.length, "grade")),
      ` withdrawn, since no highlighted text is left in `,
      gone.slice(0, 4).map((name, i) => [i > 0 && ", ", named(name, 40)]),
      gone.length > 4 && ` and ${gone.length - 4} more`,
      ".",
    );
}

/** The rows that are drawn: those around the current one, if there are many. */
function drawGradeRows(context, facts, again) {
  const { tree, rows, current } = facts,
    from = Math.max(0, Math.min(rows.indexOf(current) - GRADES_ROWS / 2, rows.length - GRADES_ROWS)),
    to = Math.min(rows.length, from + GRADES_ROWS);
  const more = (number, word) =>
    make(
      "li",
      button(word, () => [gradesChoose(context, tree[number]), again(gradesKey(tree[number].path))], {
        class: "quiet others",
        tabindex: -1,
      }),
    );
  return make(
    "ol.plain.grades",
    { on: { keydown: (event) => gradesMove(context, facts, again, event) } },
    from > 0 && more(rows[from - 1], `${whole(from)} before`),
    rows.slice(from, to).map((number) => drawGradeRow(context, facts, number, again)),
    to < rows.length && more(rows[to], `${whole(rows.length - to)} after`),
  );
}

/** Draws the grades. @param {Object} context @returns {Node[]} nothing where the procedure has none */
export function drawGrades(context) {
  const { scale, about } = context.procedure;
  if (!scale.length) return [];
  return [makePart("grading", (again) => {
    const facts = gradesFacts(context),
      { tree, rows, owed } = facts,
      word = scale.length > 1 ? "Grades" : scale[0][0];
    const graded = rows.filter((number) => facts.graded(number) !== null).length;
    const head = make(
      "h2",
      owed.length
        ? `${word} owed: ${whole(owed.length)} of ${whole(owed.length + graded)}`
        : graded
        ? `${word}: all given`
        : word,
    );
    if (!tree.length) {
      return [head, make("p.note", "This document is plain text: it has no elements to grade.")];
    }
    if (!rows.length) {
      return [
        head,
        drawGradesWithdrawn(context, facts),
        make("p.note", "Elements that hold highlighted text will be listed here."),
      ];
    }
    return [
      head,
      make("p.note", about),
      drawGradesWithdrawn(context, facts),
      drawGradeRows(context, facts, again),
      drawGradesRest(context, facts, again),
    ];
  })];
}
