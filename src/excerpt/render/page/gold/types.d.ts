/** Types of the page on which questions with quotes are written. Never part of a page. */
import type { Block, Span } from "../types.d.ts";

/** A quote at its place; `start` is -1 if its document does not have it, and `why` says so. */
export interface Quote {
  document: string;
  start: number;
  end: number;
  quote: string;
  how?: string;
  why?: string;
  given?: string;
}

/** A question: every need counts, one quote of each is enough. */
export interface Question {
  key: string;
  version: number;
  text: string;
  answerable: boolean;
  tags: string[];
  needs: Quote[][];
}

/** A question that a model wrote. */
export interface GoldDraft extends Omit<Question, "version"> {
  state: "open" | "accepted" | "mended" | "rejected";
  literal: boolean;
}

/** The file on the server. */
export interface GoldState {
  file: string;
  identity: string;
  documents: string[];
  questions: Question[];
  drafts: GoldDraft[];
  summary: string;
  drafts_summary: string;
}

/** The question that is being written; `base` is the version that it replaces. */
export interface Writing {
  key: string;
  base: number;
  text: string;
  answerable: boolean;
  tags: string;
  needs: Quote[][];
  draft: string;
}

/** A place that a search has found, with the words around it. */
export interface Found {
  document: string;
  start: number;
  end: number;
  before: string;
  text: string;
  after: string;
}

/** An event on its way to the server. */
export interface GoldEvent {
  id: string;
  kind: string;
  [field: string]: unknown;
}

/** A document as the server sends it. */
export interface ShownDocument {
  id: string;
  title: string;
  kind: string;
  text: string;
  length: number;
  blocks: Block[];
  types: [number, number, string][];
  units: { words: number[]; sentences: number[] };
  elements: never[];
}

/** A document and a span in it. */
export interface GoldPlace {
  doc: string;
  span: Span | null;
}
