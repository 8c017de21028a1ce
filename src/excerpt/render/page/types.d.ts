/** Types of the pages: elements, spans, the data that Python sends, state and views. Never part of a page. */

/** `[start, end]` in code points, the end exclusive; results have their rank as a third number. */
export type Span = number[];

/** A list of whole numbers. */
export type Numbers = readonly number[] | Int32Array;

/** A score; null where it is undefined. */
export type Score = number | null;

// Elements.

/** A child of an element: null, undefined and false are left out, lists are flattened. */
export type Child = Node | string | number | false | null | undefined | readonly Child[];

/** Listeners of an element by the name of their event. */
export type Listeners = {
  [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K] & { target: HTMLElement }) => unknown;
};

/** Attributes of an element: null, undefined and false are left out, true is an empty attribute. */
export interface Attributes {
  on?: Listeners;
  [name: string]: string | number | boolean | null | undefined | Listeners;
}

type TagOf<S extends string> = S extends `${infer Tag}.${string}` ? Tag : S;

/** The element that a tag such as `input` or `p.note` stands for. */
export type Made<S extends string> = TagOf<S> extends keyof HTMLElementTagNameMap
  ? HTMLElementTagNameMap[TagOf<S>]
  : HTMLElement;

export type Make = <S extends string>(tag: S, first?: Attributes | Child, ...children: Child[]) => Made<S>;

export type MakeSvg = (tag: string, first?: Attributes | Child, ...children: Child[]) => SVGElement;

// Documents and the text view.

/** A block of a document: kind, depth, start, end; the level of a heading, the spans of a table cell, or the
 * offsets of gaps in other blocks. */
export type Block = [
  kind: string,
  depth: number,
  start: number,
  end: number,
  extra?: number | number[] | null,
];

/** What a text view needs of a document. */
export interface Page {
  text: string | null;
  size: number;
  blocks: Block[];
  /** Disjoint stretches of Markdown, in order, with classes such as `markup` or `code.strong`. */
  types?: [start: number, end: number, type: string][];
}

/** A document as its view reads it; `why` says why there is no text. */
export interface Document extends Page {
  id: string;
  title: string;
  why: string;
  /** Other ids of the document. */
  names: string[];
  /** Where the title of an article begins, if something such as an ISSN stands before it. */
  front?: number;
  /** The spans of its pages, if it has any. */
  pages?: Span[];
}

/** Spans painted in a text: name of the highlight ("" for none), lane at the margin, sides of the map; the
 * line under them if it is not that of the lane; a fill behind them. A silent one is not seen on screens. */
export interface Layer {
  name: string;
  /** The colour in the map, of a layer that is painted elsewhere. */
  tone?: string;
  spans: Span[];
  lane?: string;
  line?: string;
  fill?: string;
  map?: string;
  silent?: boolean;
}

/** A flag at the margin; kind: judged (an entry point), returned (an entry point, too), else a label. */
export interface Mark {
  at: number;
  text: string;
  kind?: string;
  side?: "left" | "right";
}

// The overview.

export interface Measure {
  name: string;
  /** The name of a topic's score, such as AiP for MAiP. */
  topic: string;
  family: string;
  cutoff: number | null;
  parameters: { beta?: number; budget?: unknown; overlap?: unknown; [name: string]: unknown };
  about: string;
  definition: string;
  formula: string;
}

export interface RunFacts {
  name: string;
  file: string;
  about: string;
  kind: string;
  results: number;
  topics: number;
}

export interface TopicFacts {
  id: string;
  title: string;
  text: string;
  narrative: string;
  passages: number;
  documents: number;
  characters: number;
  judged: number;
  /** Whether the topic counts in the means; `left` says why not. */
  counted: boolean;
  left: string;
}

/** Pairs of runs as columns; `first` has the higher mean. */
export interface Pairs {
  first: number[];
  second: number[];
  difference: number[];
  low: number[];
  high: number[];
  p: number[];
  adjusted: number[];
  effect: (number | null)[];
  significant: number[];
}

export interface Comparison {
  /** Sets of runs that do not differ significantly. */
  alike: number[][];
  pairs: Pairs;
  tests: number;
  alpha: number;
}

/** A table of the overview; `reasons` are the codes of the columns after the total, if it counts passages. */
export interface Table {
  title: string;
  note: string;
  columns: string[];
  reasons?: number[];
  rows: (string | number)[][];
}

/** Topics in groups: the number of the group of each topic, means by measure, run and group. */
export interface Groups {
  by: string;
  names: string[];
  of: number[];
  means: Score[][][];
}

/** The overview: lists by measure, run and topic, in this order. */
export interface Overview {
  title: string;
  /** Whether documents have text. */
  text: boolean;
  measures: Measure[];
  runs: RunFacts[];
  topics: TopicFacts[];
  scores: Score[][][];
  means: Score[][];
  groups?: Groups;
  intervals: (number[] | null)[][];
  comparisons: (Comparison | null)[];
  verdicts: { headline: string; lead: [text: string, strong: boolean][]; how: string }[];
  cannot: { figure: string; text: string }[];
  tables: Table[];
  /** Reasons for missed passages, by their codes. */
  reasons: string[];
  made: {
    command: string;
    versions: Record<string, string>;
    settings: Record<string, unknown>;
    seed: number;
    inputs: { name: string; sha256: string }[];
  };
  warnings: string[];
}

// Topics and passages.

/** The distinct results of a topic, sorted by document and start. */
export interface ResultSpans {
  document: Int32Array;
  start: Int32Array;
  end: Int32Array;
  relevant: Int32Array;
}

/** A topic: documents as columns, relevant passages, results of runs as numbers of `spans` (-1: unplaced). */
export interface Topic {
  id: string;
  documents: {
    id: string[];
    title: string[];
    kind: string[];
    size: number[];
    judged: number[];
    entry: number[];
  };
  relevant: { document: number[]; start: number[]; end: number[] };
  spans: ResultSpans;
  runs: Int32Array[];
  /** Characters that the overlap policy counts, for runs where they differ from those of the results. */
  counted: Record<number, { read: number[]; found: number[]; new?: number[] }>;
  /** Cited text, as numbers of `spans`. */
  cited?: number[];
  /** By run and passage: -1 if found, else the reason, with the rank before its last digit. */
  why: number[][];
  notes: string[][];
}

/** A topic as it is sent: spans as counts by document, steps from start to start, and lengths. */
export interface PackedTopic extends Omit<Topic, "spans" | "runs"> {
  spans: { count: number[]; start: number[]; length: number[]; relevant: number[] };
  runs: number[][];
}

interface PassageColumns {
  topic: number[];
  document: number[];
  start: number[];
  end: number[];
  total?: number;
  elsewhere?: number[];
}

/** Passages of all topics as columns; `from` says where the hits of a row begin. */
export interface Passages {
  documents: string[];
  kinds: string[];
  /** By run: a sign for each relevant passage, `-` if it was found, else the code of the reason. */
  why: string[];
  relevant: PassageColumns & { elsewhere: number[]; from: number[] };
  hits: { run: number[]; characters: number[]; rank: number[] };
  unjudged: PassageColumns & { from: number[] };
  unjudgedHits: { run: number[]; rank: number[] };
  again: PassageColumns & { run: number[]; rank: number[]; before: number[] };
}

/** The runs compared by one measure. A server does this when the measure is opened; until then these entries
 * of its overview are null. */
export type Compared = { [K in "intervals" | "comparisons" | "verdicts"]: Overview[K][number] };

/** What a server compares at the moment, and which part of it is done, 0 to 1. */
export interface Progress {
  pairs: number;
  topics: number;
  done: number;
}

/** Characters of a run by document: relevant, found, retrieved but not relevant, retrieved but unjudged. */
export interface RunDocuments {
  document: number[];
  relevant: number[];
  found: number[];
  wasted: number[];
  unjudged: number[];
}

/** The first place of searched words in a text, with what is around it, and how often they occur. */
export interface Snippet {
  start: number;
  end: number;
  before: string;
  found: string;
  after: string;
  count: number;
}

/** A document, by its number among the names, with searched words. */
export interface TextHit extends Snippet {
  document: number;
}

/** Access to the data of a page; topics by number, documents by id. Only a server has progress. */
export interface Data {
  overview(): Promise<Overview>;
  comparison?(measure: string): Promise<Compared>;
  progress?(): Promise<Progress>;
  topic(number: number): Promise<Topic>;
  passages(): Promise<Passages>;
  /** Names of the documents, each with the number of a topic to open it with. */
  documents(): Promise<{ ids: string[]; topic: number[] }>;
  run(number: number): Promise<RunDocuments>;
  document(id: string): Promise<Document>;
  texts(id: string, spans: Span[]): Promise<(string | null)[]>;
  /** A part of a search in the documents from a number on; `next` is where the next part begins. */
  search(query: string, from: number): Promise<{ hits: TextHit[]; next: number | null }>;
}

// State, context and views.

/** What the page shows; `m` is the name of a measure, `at` the span under the cursor, `upto` the last rank
 * whose result is shown in a document. */
export interface State {
  view: string;
  topic: string;
  doc: string;
  runs: string[];
  m: string;
  at: Span | null;
  /** One run, and what it did with a passage: found, missed, or one of REASONS; `within` is a document. */
  run: string;
  reason: string;
  within: string;
  q: string;
  length: string;
  rank: string;
  kind: string;
  group: string;
  order: string;
  hide: string;
  scale: string;
  upto: string;
}

/** What a view is given: `letters[i]` stands for run `runs[i]`, `names` are those of all runs. */
export interface Context {
  state: State;
  data: Data;
  overview: Overview;
  measure: number;
  runs: number[];
  letters: string[];
  names: string[];
  /** Show a changed state under a new address. */
  go(changes: Partial<State>): void;
  /** Show a changed state in place of the present one. */
  choose(changes: Partial<State>): void;
  /** Add a run to the chosen ones, or take it away. */
  toggle(run: number): void;
  link(changes: Partial<State>): string;
  /** The whole address of a changed state where others can open it, thus on a server; else empty. */
  address(changes: Partial<State>): string;
  help(): void;
  find(): void;
  announce(text: string): void;
  /** The context of this moment. */
  latest(): Context;
}

/** A view: its node, and what the page calls; `update` returns true if it shows the new state itself. */
export interface View {
  node: Node;
  title: string;
  tools?: Child[];
  focus?: HTMLElement | null;
  keys?: Record<string, () => unknown>;
  update?(state: State): boolean | Promise<boolean>;
  /** Called when the node is in the page; `kept` says whether the page is scrolled as it was before. */
  shown?(kept: boolean): unknown;
  dispose?(): void;
}
