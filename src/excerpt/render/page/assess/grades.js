/** Grades of elements: the tree of elements and its panel. */
import { drawSegments, makePart } from "./panel.js";
import { chooseBoth, gradeOfKey, isHighlighting, sayGrade } from "./rules.js";
import { find, make, named } from "../dom.js";
import { count, whole } from "../format.js";
import { button } from "../grid.js";
import { bisect } from "../spans.js";

/** @import { Block, Child, Span } from "../types.d.ts" */
/** @import { Again, AssessedDocument, DocumentContext, ElementRow, Grade, Value } from "./types.d.ts" */

// The tree of the elements of a document. No DOM.
/** The largest distance of a heading from the start of its element, which may begin with a number. */
const BEFORE_HEADING = 20;
const SNIPPET_SIZE = 60;

/** @typedef {{path: string, start: number, end: number, tag: string, parent: number, depth: number,
 *   last: number, name: string, headed: boolean, snippet: string}} TreeElement
 *   parent: number of the parent, -1 for none; last: number of the last element inside it, or its own
 * @typedef {(start: number, end: number) => string} Quote text of a span
 * @typedef {{tree: TreeElement[], numberOf: Map<string, number>}} Tree `numberOf`: the number of a path
 * @typedef {Tree & {highlighted: (start: number, end: number) => number,
 *   graded: (number: number) => Grade | null, missing: number[], rows: number[], current: number}} Facts
 *   `highlighted` counts characters; `missing` are elements whose grades are missing; `current` is the chosen
 *   row, else the first with a missing grade, -1 if there are no rows */

/** @param {string} text */
const cleanText = (text) => text.replace(/\s+/g, " ").trim();

/** The name of the last step of a path: `/article[1]/sec[2]` → "sec 2"; a single "sec" has no number.
 * @param {string} path @param {string} tag @param {Set<string>} paths */
function elementStep(path, tag, paths) {
  const [end, number] = /\[(\d+)\]$/.exec(path) ?? [];
  return end === undefined || number === "1" && !paths.has(`${path.slice(0, -end.length)}[2]`)
    ? tag
    : `${tag} ${number}`;
}

/** Elements with the numbers of their parents. @param {ElementRow[]} elements parents before children */
function linkElements(elements) {
  /** @type {Map<string, number>} */
  const numbers = new Map();
  return elements.map(([path, start, end, tag], number) => {
    const parent = numbers.get(path.slice(0, path.lastIndexOf("/"))) ?? -1;
    numbers.set(path, number);
    return { path, start, end, tag, parent, depth: 0, last: number, name: "", headed: false, snippet: "" };
  });
}

/** Name elements by their headings: a heading names the innermost element around it, if it is at its start.
 * @param {TreeElement[]} list @param {Block[]} blocks @param {Quote} quote */
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

/** The tree of a document's elements, in order; elements of one block without a heading have a snippet.
 * @param {ElementRow[]} elements @param {Block[]} blocks @param {Quote} quote
 * @returns {TreeElement[]} */
export function treeOf(elements, blocks, quote) {
  const list = linkElements(elements), paths = new Set(list.map(({ path }) => path));
  list.forEach((element) => {
    element.depth = element.parent < 0 ? 0 : list[element.parent].depth + 1;
  });
  for (let i = list.length - 1; i >= 0; i--) {
    if (list[i].parent >= 0) list[list[i].parent].last = Math.max(list[list[i].parent].last, list[i].last);
  }
  nameByHeadings(list, blocks, quote);
  const leaves = blocks.filter(([, depth], i) => !(blocks[i + 1]?.[1] > depth));
  /** @param {number} point */
  const leavesBefore = (point) => bisect(leaves.length, (i) => leaves[i][2], point);
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

/** The name of an element, with that of the nearest element around it that has a heading.
 * @param {TreeElement[]} tree @param {number} number */
export function fullName(tree, number) {
  const { headed, name } = tree[number];
  let { parent } = tree[number];
  while (!headed && parent >= 0 && !tree[parent].headed) ({ parent } = tree[parent]);
  return headed || parent < 0 ? name : `${name} of ${tree[parent].name}`;
}

/** A function that counts the characters of sorted disjoint spans in [start, end). @param {Span[]} spans */
export function counterOf(spans) {
  const before = [0];
  for (const [start, end] of spans) before.push(before[before.length - 1] + end - start);
  /** @param {number} point */
  const upTo = (point) => {
    const complete = bisect(spans.length, (i) => spans[i][1], point + 1);
    return before[complete] + Math.max(0, point - (spans[complete]?.[0] ?? point));
  };
  /** @param {number} start @param {number} end */
  return (start, end) => upTo(end) - upTo(start);
}

/** The number of the innermost element at a position, -1 for none.
 * @param {TreeElement[]} tree @param {number | null} position */
export function elementAt(tree, position) {
  if (position === null) return -1;
  let number = bisect(tree.length, (i) => tree[i].start, position + 1) - 1;
  while (number >= 0 && tree[number].end <= position) number = tree[number].parent;
  return number;
}

/** Elements and their ancestors, in order. @param {TreeElement[]} tree @param {Iterable<number>} numbers */
export function withAncestors(tree, numbers) {
  /** @type {Set<number>} */
  const all = new Set();
  for (let number of numbers) {
    for (; number >= 0 && !all.has(number); number = tree[number].parent) all.add(number);
  }
  return [...all].sort((a, b) => a - b);
}

/** The children of an element. @param {TreeElement[]} tree @param {number} number */
export function childrenOf(tree, number) {
  const children = [];
  for (let i = number + 1; i <= tree[number].last; i = tree[i].last + 1) children.push(i);
  return children;
}

/** The element that "the rest" refers to: the innermost one around a row, or the row itself, with at least
 * two missing grades; -1 for none.
 * @param {TreeElement[]} tree @param {number[]} missing sorted numbers @param {number} number */
export function restOf(tree, missing, number) {
  /** @param {number} top */
  const within = (top) =>
    bisect(missing.length, (i) => missing[i], tree[top].last + 1) -
    bisect(missing.length, (i) => missing[i], top);
  while (number >= 0 && within(number) < 2) number = tree[number].parent;
  return number;
}

/** The next of sorted numbers after one, else the first, undefined if there are none.
 * @param {number[]} numbers @param {number} after @returns {number | undefined} */
export function nextOf(numbers, after) {
  return numbers[bisect(numbers.length, (i) => numbers[i], after + 1)] ?? numbers[0];
}

// The panel of grades: a tree of the elements that are graded, to be graded, or at the caret.
/** Rows drawn at once, indent in pixels, deepest indent. */
const GRADES_ROWS = 80, GRADES_INDENT = 12, GRADES_DEEPEST = 6;
/** @type {WeakMap<AssessedDocument, Tree>} */
const GRADES_TREES = new WeakMap();

/** @param {Grade | null} grade @returns {grade is (Value | null)[]} */
const isHalf = (grade) => Array.isArray(grade) && grade.includes(null);
/** @param {string} path */
const gradesKey = (path) => `grade ${path}`;

/** The tree of the open document, made once. @param {DocumentContext} context */
function gradesTree({ doc, textView }) {
  let made = GRADES_TREES.get(doc);
  if (!made) {
    const tree = treeOf(doc.elements ?? [], doc.blocks ?? [], (start, end) => textView.quote([start, end]));
    made = { tree, numberOf: new Map(tree.map(({ path }, number) => [path, number])) };
    GRADES_TREES.set(doc, made);
  }
  return made;
}

/** @param {DocumentContext} context @returns {Facts} */
function gradesFacts(context) {
  const { procedure: { marks }, state, memory } = context,
    { tree, numberOf } = gradesTree(context),
    highlighted = counterOf(state.highlights ?? []);
  /** @param {number} number */
  const graded = (number) => state.grades?.[tree[number].path] ?? null;
  /** @param {string[]} paths */
  const numbers = (paths = []) =>
    paths.map((path) => numberOf.get(path)).filter((number) => number !== undefined);
  const relevant = marks
    ? [...tree.keys()].filter((number) => highlighted(tree[number].start, tree[number].end))
    : [];
  const missing = (marks ? relevant : numbers(state.owed).sort((a, b) => a - b)).filter((number) =>
    graded(number) === null
  );
  const rows = marks
    ? relevant
    : gradesRows(context, tree, [...numbers(Object.keys(state.grades ?? {})), ...missing], numberOf);
  const chosen = numberOf.get(memory.row ?? "") ?? -1,
    current = rows.includes(chosen) ? chosen : missing[0] ?? rows[0] ?? -1;
  return { tree, numberOf, highlighted, graded, missing, rows, current };
}

/** The rows of a procedure without highlights: the root and its children; elements that are graded, to be
 * graded, chosen, unfolded or at the caret; and the ancestors of all these.
 * @param {DocumentContext} context @param {TreeElement[]} tree @param {number[]} known
 * @param {Map<string, number>} numberOf */
function gradesRows({ cursor = null, memory }, tree, known, numberOf) {
  if (!tree.length) return [];
  if (cursor !== (memory.gradesCursor ?? null)) {
    memory.gradesCursor = cursor;
    memory.row = tree[elementAt(tree, cursor)]?.path ?? memory.row;
  }
  const unfolded = [...memory.unfolded ?? []].map((path) => numberOf.get(path)),
    chosen = numberOf.get(memory.row ?? "");
  return withAncestors(
    tree,
    [...known, chosen, ...[0, ...unfolded].flatMap((number = 0) => childrenOf(tree, number))]
      .filter((number) => number !== undefined),
  );
}

/** The paths of the elements whose grades are missing, in order. @param {DocumentContext} context */
export function missingPaths(context) {
  if (!context.procedure.scale.length) return [];
  const { tree, missing } = gradesFacts(context);
  return missing.map((number) => tree[number].path);
}

/** Choose a row: put the cursor of the text view around its element, and show its first highlighted text.
 * @param {DocumentContext} context @param {TreeElement} element */
function gradesChoose({ memory, textView, state: { highlights = [] } }, { path, start, end }) {
  const from = Math.max(start, highlights.find((span) => span[1] > start && span[0] < end)?.[0] ?? start);
  memory.row = path;
  memory.restAsked = memory.sureAsked = null;
  if (memory.half?.path !== path) memory.half = null;
  textView.cursor([start, end]);
  textView.reveal([from, end]);
}

/** Redraw, and show the current row, or focus it. @param {DocumentContext} context @param {boolean} focus */
function gradesRedraw(context, focus) {
  context.redraw();
  const row = find(".grades [aria-current]");
  row?.scrollIntoView({ block: "nearest" });
  if (focus && row) find("button", row)?.focus({ preventScroll: true });
}

/** Why a grade contradicts the grade of an element around or inside it, "" if it does not.
 * @param {DocumentContext} context @param {Facts} facts @param {number} number @param {Grade | null} given */
function gradesConflict({ procedure: { carried, scale } }, { tree, graded }, number, given) {
  /** @param {Grade | null} grade */
  const level = (grade) => {
    const [first] = [grade].flat();
    return typeof first === "number" ? Math.min(first, carried) : 0;
  };
  /** @param {number} other @param {string} where */
  const say = (other, where) => {
    const grade = graded(other);
    return `${fullName(tree, number)} cannot have ${sayGrade(scale, given ?? 0)}: ${
      fullName(tree, other)
    }, ${where}, has ${sayGrade(scale, grade ?? 0)}.`;
  };
  for (let { parent } = tree[number]; given !== null && parent >= 0; ({ parent } = tree[parent])) {
    if (graded(parent) !== null && level(graded(parent)) < level(given)) return say(parent, "around it");
  }
  for (let inner = number + 1; given !== null && inner <= tree[number].last; inner++) {
    if (level(graded(inner)) > level(given)) return say(inner, "inside it");
  }
  return "";
}

/** Grade a row; if its grade was missing, the next row with a missing grade becomes current.
 * @param {DocumentContext} context @param {Facts} facts @param {number} number @param {Grade | null} grade
 * @param {boolean} sure whether the assessor has confirmed the grade of a long element */
function gradesGive(context, facts, number, grade, sure = false) {
  const { tree, missing } = facts,
    { path, start, end } = tree[number],
    name = fullName(tree, number),
    { procedure: { scale, rest }, memory, act, announce, unable } = context;
  memory.sureAsked = null;
  if (isHalf(grade)) {
    memory.half = { path, grade };
    return announce(`${name}: ${sayGrade(scale, grade)}`);
  }
  const conflict = gradesConflict(context, facts, number, grade);
  if (conflict) return unable(conflict);
  if (rest?.each && grade === rest.grade && end - start >= rest.least && !sure) {
    gradesChoose(context, tree[number]);
    memory.sureAsked = path;
    return announce(`${name} has ${count(end - start, "character")}. Is it ${rest.question}`);
  }
  const next = missing.includes(number)
    ? nextOf(missing.filter((other) => other !== number), number)
    : undefined;
  memory.half = null;
  if (next !== undefined) gradesChoose(context, tree[next]);
  announce(
    `${name}: ${grade === null ? "no grade" : sayGrade(scale, grade)}${
      next === undefined ? "" : `. Next: ${fullName(tree, next)}`
    }`,
  );
  return act("grade", { path, grade, ...sure && { sure } });
}

/** Give the current row the grade of a key. The key of the help takes part only if the row has the focus or
 * its grade is missing. The letter that a digit for not relevant implies may be typed, too.
 * @param {DocumentContext} context @param {string} key @returns {boolean} whether the key was a grade */
export function gradeKey(context, key) {
  const { memory, procedure: { scale } } = context, { implied } = memory;
  memory.implied = "";
  if (!scale.length || isHighlighting(context.procedure, context.state)) return false;
  if (key === implied) return true;
  const facts = gradesFacts(context), { tree, current, missing } = facts;
  if (current < 0) return false;
  const focused = Boolean(document.activeElement?.closest(".grades")),
    half = memory.half?.path === tree[current].path ? memory.half.grade : null,
    grade = gradeOfKey(scale, half ?? facts.graded(current), key);
  if (grade === undefined || key === "?" && !focused && !missing.includes(current)) return false;
  memory.row = tree[current].path;
  const [nothing, word = ""] = scale[1]?.[2][0] ?? [];
  if (Array.isArray(grade) && grade[1] === nothing && /\D/.test(word)) memory.implied = word.toLowerCase();
  gradesGive(context, facts, current, grade);
  gradesRedraw(context, focused);
  find("[data-key=sure-leave]")?.focus({ preventScroll: true });
  return true;
}

/** Why a key of a grade has no effect. @param {DocumentContext} context */
export function sayUngraded(context) {
  const { procedure, procedure: { scale, marks, labels }, state, doc } = context;
  if (labels) return state.highlights.length ? "There is no such label." : "Highlight some evidence first.";
  if (!scale.length) return "This procedure has no grades.";
  if (!doc.elements.length) return "This document is plain text: it has no elements to grade.";
  if (marks && !state.highlights.length) return "Highlight relevant text first.";
  if (isHighlighting(procedure, state)) {
    return "Elements are graded after highlighting is closed. The key c closes it.";
  }
  return `The grades are ${
    scale.map(([, , options]) => options.map(([, word]) => word).join(" ")).join(", and ")
  }.`;
}

/** Go to the next row with a missing grade. @param {DocumentContext} context */
export function goToUngraded(context) {
  const { tree, missing, current } = gradesFacts(context),
    next = nextOf(missing, context.memory.row ? current : -1);
  if (next === undefined) return;
  gradesChoose(context, tree[next]);
  gradesRedraw(context, true);
}

/** The text under the name of a row. @param {DocumentContext} context @param {Facts} facts
 * @param {number} number @param {Grade | null} half */
function gradesAbout({ procedure: { marks, scale }, state }, { tree, highlighted, graded }, number, half) {
  const { path, start, end } = tree[number],
    grade = half ?? graded(number),
    inferred = state.inferred?.[path];
  if (marks) return `specificity ${(highlighted(start, end) / (end - start)).toFixed(2)}`;
  if (grade !== null) return sayGrade(scale, grade);
  if (!inferred) return "";
  return isHalf(inferred)
    ? `at least ${sayGrade(scale, inferred).split(" · ")[0]}`
    : `follows: ${sayGrade(scale, inferred)}`;
}

/** The segments of a row, one group for each dimension of a grade. @param {DocumentContext} context
 * @param {Facts} facts @param {number} number @param {Grade | null} half @param {Again} again */
function drawGradeScale(context, facts, number, half, again) {
  const { scale } = context.procedure,
    { path } = facts.tree[number],
    name = fullName(facts.tree, number),
    grade = half ?? facts.graded(number);
  /** @param {Grade | null} value */
  const give = (value) => [
    gradesGive(context, facts, number, value),
    again(context.memory.sureAsked ? "sure-leave" : undefined),
  ];
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
          Array.isArray(grade) ? grade[at] : null,
          (value) => give(chooseBoth(scale, grade, at, value)),
          `${gradesKey(path)} ${letter}`,
        ),
      )
    ),
  );
}

/** A second question about a long element. @param {DocumentContext} context @param {Facts} facts
 * @param {number} number @param {Again} again */
function drawGradeSure(context, facts, number, again) {
  const { memory, procedure: { rest } } = context, { path, start, end } = facts.tree[number];
  if (!rest || memory.sureAsked !== path) return null;
  const leave = () => {
    memory.sureAsked = null;
    again(gradesKey(path));
  };
  const give = () => {
    gradesGive(context, facts, number, rest.grade, true);
    gradesRedraw(context, true);
  };
  return make(
    "div.question",
    { role: "group", "aria-label": `Is it ${rest.word}?` },
    make("p", "It has ", make("b", count(end - start, "character")), `. Is it ${rest.question}`),
    button("No", leave, { "data-key": "sure-leave" }),
    button(`Yes, ${rest.word}`, give, { "data-key": "sure-yes" }),
  );
}

/** @param {DocumentContext} context @param {Facts} facts @param {number} number @param {Again} again */
function drawGradeRow(context, facts, number, again) {
  const { procedure: { marks, scale }, memory } = context,
    { tree, current, rows } = facts,
    element = tree[number],
    { path, name, snippet, depth, last } = element;
  const half = memory.half?.path === path ? memory.half.grade : null,
    missing = facts.missing.includes(number),
    isCurrent = number === current,
    compact = scale.length > 1 && !isCurrent;
  const folds = !marks && last > number, about = gradesAbout(context, facts, number, half);
  const row = make(
    "li",
    { class: missing && "owed", "aria-current": isCurrent && "true" },
    button(
      [
        make("span.name", make("b", { dir: "auto" }, name), snippet && make("q", { dir: "auto" }, snippet)),
        make("small", missing && compact ? `${about && `${about} · `}missing` : about),
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
    drawGradeSure(context, facts, number, again),
  );
  row.style.setProperty("--in", `${GRADES_INDENT * Math.min(GRADES_DEEPEST, depth)}px`);
  return row;
}

/** Handle arrow keys: up and down choose rows; right and left move through the segments, or unfold a row and
 * go to the parent. @param {DocumentContext} context @param {Facts} facts @param {Again} again
 * @param {KeyboardEvent & {target: HTMLElement}} event */
function gradesMove(context, facts, again, event) {
  const { tree, rows, current } = facts, { memory, procedure } = context, at = rows.indexOf(current);
  /** @param {number} [number] */
  const to = (number) =>
    number !== undefined && [gradesChoose(context, tree[number]), again(gradesKey(tree[number].path))];
  /** @param {number} by */
  const side = (by) => {
    const row = [...event.target.closest("li")?.querySelectorAll("button") ?? []];
    row[row.findIndex((other) => other === event.target) + by]?.focus();
  };
  /** @param {boolean} open */
  const fold = (open) => {
    memory.unfolded ??= new Set();
    if (open) memory.unfolded.add(tree[current].path);
    else if (!memory.unfolded.delete(tree[current].path)) {
      return to(rows.find((number) => number === tree[current].parent));
    }
    return again(gradesKey(tree[current].path));
  };
  const inSegments = procedure.marks || event.target.closest(".segments");
  /** @type {Record<string, () => unknown>} */
  const moves = {
    ArrowDown: () => to(rows[at + 1]),
    ArrowUp: () => to(rows[at - 1]),
    Home: () => to(rows[0]),
    End: () => to(rows[rows.length - 1]),
    ArrowRight: () => (inSegments ? side(1) : fold(true)),
    ArrowLeft: () => (inSegments ? side(-1) : fold(false)),
  };
  if (!moves[event.key] || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  moves[event.key]();
}

/** One grade for all missing ones inside an element; long elements need a confirmation.
 * @param {DocumentContext} context @param {Facts} facts @param {Again} again */
function drawGradesRest(context, facts, again) {
  const { tree, missing, current } = facts,
    { memory, act, unable, procedure: { rest } } = context,
    top = rest && current >= 0 ? restOf(tree, missing, current) : -1;
  if (!rest || top < 0) return null;
  const { path, name, last } = tree[top],
    inside = missing.filter((number) => number >= top && number <= last),
    sizes = inside.map((number) => tree[number].end - tree[number].start),
    long = sizes.filter((size) => size >= rest.least).length;
  /** @param {boolean} sure */
  const give = (sure) => {
    const conflict = inside.map((one) => gradesConflict(context, facts, one, rest.grade)).find(Boolean);
    if (conflict) return unable(conflict);
    memory.restAsked = null;
    act("grade", { path, rest: true, ...sure && { sure } });
    again();
    goToUngraded(context);
  };
  /** @param {string | null} asked */
  const ask = (asked) => {
    memory.restAsked = asked;
    again(asked ? "rest-leave" : "rest");
  };
  if (memory.restAsked !== path) {
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
      make("b", `${whole(long)} of ${count(inside.length, "ungraded element")}`),
      ` in “`,
      named(name, 24),
      `” ${long === 1 ? "has" : "have"} ${rest.least} characters or more, the longest ${
        whole(Math.max(...sizes))
      }. Are they ${rest.question}`,
    ),
    button("Leave them", () => ask(null), { "data-key": "rest-leave" }),
    button(`Yes, all ${inside.length} ${rest.word}`, () => give(true), { "data-key": "rest-sure" }),
  );
}

/** Grades that the last change of highlights withdrew.
 * @param {DocumentContext} context @param {Facts} facts */
function drawGradesWithdrawn({ state }, { tree, numberOf }) {
  const names = (state.withdrawn ?? []).map((path) => {
    const number = numberOf.get(path);
    return number === undefined ? path : fullName(tree, number);
  });
  return names.length > 0 &&
    make(
      "p.withdrawn",
      { role: "status" },
      make("b", count(names.length, "grade")),
      ` withdrawn, since no highlighted text is left in `,
      names.slice(0, 4).map((name, i) => [i > 0 && ", ", named(name, 40)]),
      names.length > 4 && ` and ${names.length - 4} more`,
      ".",
    );
}

/** The rows around the current one. @param {DocumentContext} context @param {Facts} facts
 * @param {Again} again */
function drawGradeRows(context, facts, again) {
  const { tree, rows, current } = facts,
    from = Math.max(0, Math.min(rows.indexOf(current) - GRADES_ROWS / 2, rows.length - GRADES_ROWS)),
    to = Math.min(rows.length, from + GRADES_ROWS);
  /** @param {number} number @param {string} word */
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

/** Draw the grades, nothing if the procedure has none. @param {DocumentContext} context @returns {Child[]} */
export function drawGrades(context) {
  const { scale, about } = context.procedure;
  if (!scale.length) return [];
  return [makePart("grading", (again) => {
    const facts = gradesFacts(context),
      { tree, rows, missing } = facts,
      word = scale.length > 1 ? "Grades" : scale[0][0];
    const graded = rows.filter((number) => facts.graded(number) !== null).length;
    const head = make(
      "h2",
      missing.length
        ? `${word} missing: ${whole(missing.length)} of ${whole(missing.length + graded)}`
        : graded
        ? `${word}: complete`
        : word,
    );
    if (!tree.length) {
      return [head, make("p.note", "This document is plain text: it has no elements to grade.")];
    }
    if (isHighlighting(context.procedure, context.state) && rows.length) {
      return [
        make("h2", word),
        drawGradesWithdrawn(context, facts),
        make(
          "p.note",
          "Phase 1: highlight all relevant text. When it is complete, close the phase: then ",
          `${count(rows.length, "element")} with highlighted text ${
            rows.length === 1 ? "is" : "are"
          } graded here.`,
          graded > 0 && ` ${count(graded, "grade")} ${graded === 1 ? "is" : "are"} kept.`,
        ),
      ];
    }
    if (!rows.length) {
      return [
        head,
        drawGradesWithdrawn(context, facts),
        make("p.note", "Elements with highlighted text will be listed here."),
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
