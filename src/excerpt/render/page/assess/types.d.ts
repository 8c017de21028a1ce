/** Types of the assessor's page: data of the server, events, context of the views. Never part of a page. */
import type { Block, Child, Layer, Mark, Page, Span } from "../types.d.ts";
import type { AssessTextView } from "./highlighter.js";
import type { Session } from "./session.js";

// The campaign as the server sends it.

/** A value of one dimension of a grade, such as 2, "?" or "E". */
export type Value = number | string;

/** A grade: one value, or one for each of two dimensions; null for a dimension without a value yet. */
export type Grade = Value | (Value | null)[];

/** A dimension of grades: name, letter, values with their words. */
export type Dimension = [name: string, letter: string, values: [value: Value, word: string][]];

/** An assessment procedure; `nothing` names a document without relevant text, `owed` the missing input. */
export interface Procedure {
  /** Whether text is highlighted, needs an entry point, needs labels. */
  marks: boolean;
  entry: boolean;
  labels: boolean;
  /** Whether elements are graded after highlighting is closed. */
  phases: boolean;
  scale: Dimension[];
  /** Elements that contain a graded one have at least its first grade, or this if it is less. */
  carried: number;
  about: string;
  nothing: string;
  owed: string;
  /** A grade for all ungraded elements inside an element; those of `least` characters or more need a
   * confirmation, with `each` also if they are graded alone. */
  rest: { grade: Value; word: string; least: number; question: string; each: boolean } | null;
  /** Whether the campaign has guidelines, and whether the person decides between assessors. */
  guidelines?: boolean;
  decides?: boolean;
}

/** A document in the list of a topic; `owed` counts its missing grades or labels. */
export interface DocumentRow {
  id: string;
  title: string;
  /** todo, open or done. */
  state: string;
  version: number;
  passages: number;
  characters: number;
  owed: number;
  problems: number;
  relevant: boolean;
  seconds: number;
  /** Whether there are suggestions for a second look. */
  second: boolean;
  /** Whether it has an entry point; known for documents that were opened here. */
  entry?: boolean;
  /** For adjudicators: characters on which the assessors differ, and whether it was opened again. */
  weight?: number;
  stale?: boolean;
}

export interface CampaignTopic {
  id: string;
  title: string;
  text: string;
  narrative: string;
  documents: DocumentRow[];
}

/** The campaign of an assessor; `campaign` is its id. */
export interface Campaign {
  campaign: string;
  assessor: string;
  title: string;
  procedure: string;
  asks: Procedure;
  labels: string[];
  /** "adjudicator" for those who decide between assessors. */
  role?: string;
  /** Hash of the guidelines, empty without any. */
  guidelines?: string;
  topics: CampaignTopic[];
}

/** A part of a line of guidelines: text, or an element. */
export type Inline =
  | string
  | { tag: "a"; href: string; inside: Inline[] }
  | { tag: "strong" | "em"; inside: Inline[] };

/** A list of guidelines; an item has further blocks under its line. */
export interface ListBlock {
  tag: "ul" | "ol";
  start: number;
  items: { line: { text: string }; lists: GuideBlock[] }[];
}

export type GuideBlock = ListBlock | { tag: "p"; heading: boolean; line: { text: string } };

// Documents and judgments as the server sends them.

/** An element: path, start, end, tag; parents come before their children. */
export type ElementRow = [path: string, start: number, end: number, tag: string];

export type Label = [start: number, end: number, label: string, note: string];

/** A passage; or the grade of a whole document, with start and end 0. */
export type Suggestion = [number: number, start: number, end: number, label: string | null, grade?: number];

/** The judgment of a document at one version. */
export interface State {
  version: number;
  highlights: Span[];
  /** The best entry point. */
  bep: number | null;
  grades: Record<string, Grade>;
  done: boolean;
  labels: Label[];
  note: string;
  /** Paths of elements whose grades the last change took away. */
  withdrawn: string[];
  /** Paths of elements whose grades are missing. */
  owed: string[];
  /** Grades that follow from the given ones. */
  inferred: Record<string, Grade>;
  /** How many steps can be undone, and redone. */
  undo: number;
  redo: number;
  /** Text of confirmed suggestions, and the numbers of rejected ones. */
  confirmed: Span[];
  rejected: number[];
  /** Reasons why the document cannot be finished. */
  problems: string[];
  /** Whether highlighting is closed, in procedures with phases. */
  closed?: boolean;
  /** Of adjudicators: spans that are decided, with true for relevant ones, and text that is to be decided. */
  decided?: [start: number, end: number, relevant: boolean][];
  undecided?: Span[];
  /** Whether the page waits for an answer that changes the state. */
  waiting?: boolean;
}

/** The judgment of an assessor as an adjudicator sees it; the name is a letter until it is decided. */
export interface Opinion {
  name: string;
  highlights: Span[];
  bep: number | null;
  grades: Record<string, Grade>;
  labels: Label[];
}

/** A document with the judgment of the assessor; `retrieved` and `suggestions` only if asked for. */
export interface AssessedDocument extends Omit<Page, "size"> {
  id: string;
  title: string;
  kind: string;
  length: number;
  blocks: Block[];
  /** Words and sentences as gap, length, gap, length … */
  units: { words?: number[]; sentences?: number[] };
  elements: ElementRow[];
  state: State;
  seconds: number;
  second: { count: number } | null;
  assessor: string;
  retrieved?: Span[];
  suggestions?: Suggestion[];
  /** For adjudicators: the judgments of the assessors, and text that only some of them highlighted, with the
   * numbers of those. */
  opinions?: Opinion[];
  disputed?: [start: number, end: number, who: number[]][];
  stale?: boolean;
}

// Events and their answers.

/** Fields of an event; which of them it has depends on its kind. */
export interface EventFields {
  start?: number;
  end?: number;
  quote?: string;
  path?: string;
  grade?: Grade | null;
  rest?: boolean;
  sure?: boolean;
  label?: string;
  note?: string;
  suggestion?: number;
  relevant?: boolean;
}

/** An event before it has an id; it is based on the version `base` of its document. */
export interface NewEvent extends EventFields {
  assessor: string;
  topic: string;
  document: string;
  base: number;
  kind: string;
}

export interface JudgmentEvent extends NewEvent {
  id: string;
}

/** The names of a document in a topic. */
export interface Pair {
  topic: string;
  document: string;
}

/** An event in the outbox; `error` says why the server rejected it. */
export interface OutboxEntry {
  number: number;
  event: JudgmentEvent;
  error: string;
}

/** The answer to a request; `body` is JSON. */
// deno-lint-ignore no-explicit-any
export type Answer = { status: number; body: any };

/** The answer to an event: the new state, or an error. */
export interface EventAnswer {
  version: number;
  state: State;
  error?: string;
  status?: number;
}

/** An error for an event: with a state if the event is based on an old version; `refused` is an earlier event
 * of the document that was rejected. */
export interface Rejection {
  status: number;
  error?: string;
  version?: number;
  state?: State;
  refused?: JudgmentEvent;
}

/** Two versions of a document, of which the assessor chooses one. */
export interface Conflict extends Rejection {
  state: State;
}

/** The state of saving: saved, saving or waiting; `held` has the rejections by document. */
export interface SavingStatus {
  state: string;
  count: number;
  /** The time of the next attempt, 0 if there is none. */
  until: number;
  sentence: string;
  savedAt: number;
  held: Map<string, Rejection>;
  refused: OutboxEntry[];
}

// Parts of the browser, replaced in tests.

export interface Clock {
  now(): number;
  later(act: () => unknown, wait: number): number;
  cancel(timer: number | null): void;
}

export type Fill = (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>;

/** The storage of the browser; `closed` if the browser has none for the page. */
export type EventStorage =
  & Pick<Storage, "length" | "key" | "getItem" | "setItem" | "removeItem">
  & { closed?: boolean };

export interface Requests {
  // deno-lint-ignore no-explicit-any
  get(path: string): Promise<any>;
  post(path: string, body: unknown): Promise<Answer>;
}

export interface SyncListener {
  /** The event is stored on the server. */
  answered(event: JudgmentEvent, answer: EventAnswer): void;
  /** The event is based on an old version, or follows a rejected one: its document is held. */
  stale(event: JudgmentEvent, rejection: Rejection): void;
  /** The server rejected the event for good. */
  refused(event: JudgmentEvent): void;
  /** The status has changed. */
  changed(): unknown;
}

/** Listener of a session; `key` is the `pairKey` of a document. */
export interface SessionListener {
  /** The assessor changed a document. */
  changed(key: string): unknown;
  /** The server sent a state. */
  learned(key: string): void;
  finished(key: string): unknown;
  /** The assessor has to choose a version, or no longer. */
  conflict(key: string): unknown;
  status(): void;
}

// Views.

/** An address: a document of a topic; without a document, the list of topics. */
export interface Place {
  topic: string;
  doc: string;
}

/** Sums over the documents of topics; `each`: mean seconds of a finished document, null if there is none. */
export interface Tally {
  total: number;
  done: number;
  open: number;
  left: number;
  seconds: number;
  each: number | null;
  owed: number;
}

/** An action of the assessor; exact: not by whole units; extend: the selection. */
export interface Asked {
  action: string;
  exact: boolean;
  extend: boolean;
}

/** What the panels remember while a document is open. */
export interface Memory {
  passagesOpen?: boolean;
  /** Path of the chosen element, and a grade of which one value is missing. */
  row?: string;
  half?: { path: string; grade: (Value | null)[] } | null;
  /** The letter that the last key implied, "" for none. */
  implied?: string;
  unfolded?: Set<string>;
  /** Path of the element whose rest the assessor is asked about. */
  restAsked?: string | null;
  /** Path of the long element that the assessor is asked about. */
  sureAsked?: string | null;
  gradesCursor?: number | null;
  labelCursor?: number | null;
  /** Start of the chosen passage. */
  passage?: number;
  terms?: string[];
  termAsked?: boolean;
  termDraft?: string;
  /** The last term, and the start of its occurrence at which the caret is. */
  term?: string;
  hit?: number;
  /** Whether suggestions are shown, and the number of the chosen one. */
  second?: boolean;
  suggestion?: number;
  /** Start of the chosen disputed passage, and the caret when it was chosen. */
  decision?: number;
  decisionCursor?: number | null;
}

type Draw = (context: DocumentContext) => Child[];

/** Parts of the panel and of the text that the procedure may need. */
export interface Parts {
  before: Draw[];
  after: Draw[];
  layers: ((context: DocumentContext) => Layer[])[];
  marks(context: DocumentContext): Mark[];
  keys: ((context: DocumentContext, key: string) => boolean)[];
  goToMissing(context: DocumentContext): unknown;
  /** Why a key of a grade or a label has no effect. */
  sayUngraded(context: DocumentContext): string;
}

/** What every view is given. */
export interface SharedContext {
  session: Session;
  campaign: Campaign;
  procedure: Procedure;
  place: Place;
  link(place: Partial<Place>): string;
  /** Open the next or the previous unfinished document. */
  step(by: number): unknown;
  announce(text: string): void;
  /** Show why an action is impossible. */
  unable(text: string): void;
  storage: EventStorage;
  requests: Requests;
  parts: Parts;
}

/** What the parts of the assessment view are given; kept up to date in place. */
export interface DocumentContext extends SharedContext {
  topic: CampaignTopic;
  doc: AssessedDocument;
  labels: string[];
  state: State;
  memory: Memory;
  /** The position of the caret. */
  cursor: number | null;
  textView: AssessTextView;
  act(kind: string, fields?: EventFields): void;
  /** Like `act`, for text that is being typed. */
  write(kind: string, fields: EventFields): void;
  redraw(): void;
  /** Ask for the results of the runs or for suggestions. */
  show(name: string): Promise<void>;
  focusText(): void;
  seconds(): number;
}

/** Draw a part of the panel again, with the focus on the element that has the key. */
export type Again = (key?: string) => void;

/** Actions of the toolbar and of keys, by name. */
export type Actions = Record<string, (asked?: Asked) => unknown>;

/** A view without a document. */
export interface PlainView {
  title: string;
  node: HTMLElement;
}
