/** Events on their way to the server: outbox, requests, retries. No DOM. */
import { undoesOf } from "./rules.js";

/** @import {
 *   Answer, Clock, EventAnswer, EventStorage, Fill, JudgmentEvent, NewEvent, OutboxEntry, Pair, Rejection,
 *   SavingStatus, SyncListener
 * } from "./types.d.ts" */

// Requests to the server of the page, as JSON.
const REQUEST_TIMEOUT = 20000;

/** An error that the server answered, with its HTTP status. */
export class RequestError extends Error {
  /** @param {string} message @param {number} status */
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/** The HTTP status of an error, undefined if the server did not answer. @param {unknown} error */
export const statusOf = (error) => (error instanceof RequestError ? error.status : undefined);

/** @param {unknown} error */
export const messageOf = (error) => (error instanceof Error ? error.message : String(error));

/** The answer to a request; an error if there is none in time.
 * @param {string} path @param {RequestInit} options @returns {Promise<Answer>} */
async function answerTo(path, options = {}) {
  const control = new AbortController(), timer = setTimeout(() => control.abort(), REQUEST_TIMEOUT);
  try {
    const answer = await fetch(path, { ...options, signal: control.signal });
    return { status: answer.status, body: answer.status === 204 ? null : await answer.json() };
  } catch (error) {
    throw new Error(
      error instanceof SyntaxError ? "The server's answer cannot be read." : "The server does not answer.",
    );
  } finally {
    clearTimeout(timer);
  }
}

/** Get data of the server. @param {string} path @returns {Promise<any>} */
export async function getJson(path) {
  const { status, body } = await answerTo(path);
  if (status === 200) return body;
  throw new RequestError(body?.error ?? `The server answered ${status}.`, status);
}

/** Send data to the server. @param {string} path @param {unknown} body @returns {Promise<Answer>} */
export function postJson(path, body) {
  return answerTo(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

// SHA-256 for quotes that are too long to send; browsers have it only over TLS and for localhost.
/** The first prime numbers. @param {number} count */
const primes = (count) => {
  /** @type {number[]} */
  const list = [];
  for (let n = 2; list.length < count; n++) if (list.every((prime) => n % prime)) list.push(n);
  return list;
};
/** @param {number} root */
const fraction = (root) => ((root - Math.floor(root)) * 2 ** 32) | 0;
const ROUNDS = primes(64).map((prime) => fraction(Math.cbrt(prime))),
  INITIAL = primes(8).map((prime) => fraction(Math.sqrt(prime)));
/** @param {number} word @param {number} by */
const rotate = (word, by) => (word >>> by) | (word << (32 - by));

/** @param {Int32Array} hash @param {Int32Array} words */
function mix(hash, words) {
  for (let i = 16; i < 64; i++) {
    const one = words[i - 15], two = words[i - 2];
    words[i] = words[i - 16] + (rotate(one, 7) ^ rotate(one, 18) ^ (one >>> 3)) + words[i - 7] +
      (rotate(two, 17) ^ rotate(two, 19) ^ (two >>> 10));
  }
  let [a, b, c, d, e, f, g, h] = hash;
  for (let i = 0; i < 64; i++) {
    const first =
      (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + ROUNDS[i] + words[i]) | 0;
    const second = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => {
    hash[i] += word;
  });
}

/** The SHA-256 of a text in UTF-8, in hexadecimal digits. @param {string} text */
export function sha256(text) {
  const bytes = new TextEncoder().encode(text),
    size = (((bytes.length + 8) >> 6) + 1) << 6,
    padded = new Uint8Array(size),
    view = new DataView(padded.buffer);
  padded.set(bytes);
  padded[bytes.length] = 128;
  view.setUint32(size - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(size - 4, bytes.length << 3);
  const hash = Int32Array.from(INITIAL), words = new Int32Array(64);
  for (let at = 0; at < size; at += 64) {
    for (let i = 0; i < 16; i++) words[i] = view.getInt32(at + 4 * i);
    mix(hash, words);
  }
  return Array.from(hash, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

// The outbox: events that the server has not confirmed, in a storage that survives a reload. Each event has
// its own key, since the windows of a browser share the storage and must not overwrite each other's events.
/** A random UUID. @param {Fill} fill fills an array with random bytes */
export function newId(fill) {
  const bytes = fill(new Uint8Array(16));
  bytes[6] = (bytes[6] & 15) | 64;
  bytes[8] = (bytes[8] & 63) | 128;
  return Array.from(
    bytes,
    (byte, i) => ([4, 6, 8, 10].includes(i) ? "-" : "") + byte.toString(16).padStart(2, "0"),
  ).join("");
}

/** The key of a document in a topic. @param {Pair} pair */
export const pairKey = ({ topic, document }) => JSON.stringify([topic, document]);

/** The events of an assessor that the server has not confirmed, in order; and the rejected ones until the
 * assessor has read about them. */
export class Outbox {
  /** @param {EventStorage} storage @param {string} owner campaign and assessor
   * @param {{now: () => number, fill: Fill}} tools */
  constructor(storage, owner, { now, fill }) {
    this.storage = storage;
    this.now = now;
    this.fill = fill;
    this.prefix = `excerpt:${owner}:outbox:`;
    this.rejectedPrefix = `excerpt:${owner}:refused:`;
    /** The id of the event whose text is being typed. @type {string | null} */
    this.drafting = null;
    /** Whether all events are in the storage, and not in this window only. */
    this.lasting = !storage.closed;
    this.entries = this.load(this.prefix);
    this.refused = this.load(this.rejectedPrefix);
    this.last = this.entries.at(-1)?.number ?? 0;
  }

  /** The entries under a prefix of keys, in order; unreadable ones are left out.
   * @param {string} prefix @returns {OutboxEntry[]} */
  load(prefix) {
    const { storage } = this,
      keys = Array.from({ length: storage.length }, (_, i) => storage.key(i) ?? "").filter((key) =>
        key.startsWith(prefix)
      );
    return keys.flatMap((key) => {
      try {
        /** @type {OutboxEntry} */
        const entry = JSON.parse(storage.getItem(key) ?? "");
        return entry.event.id === key.slice(prefix.length) ? [entry] : [];
      } catch (error) {
        if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
        return [];
      }
    }).sort((one, other) => one.number - other.number);
  }

  /** Events that are not confirmed. */
  get events() {
    return this.entries.map(({ event }) => event);
  }

  /** The event whose text is being typed. */
  get draft() {
    return this.events.find(({ id }) => id === this.drafting);
  }

  /** Events of one document. @param {string} key */
  of(key) {
    return this.events.filter((event) => pairKey(event) === key);
  }

  /** Store an entry; if the storage is full or closed, the entry is in this window only.
   * @param {OutboxEntry} entry @param {string} prefix */
  keep(entry, prefix = this.prefix) {
    try {
      this.storage.setItem(prefix + entry.event.id, JSON.stringify(entry));
    } catch {
      this.lasting = false;
    }
  }

  /** Add an event; it gets an id. @param {NewEvent} event @returns {JudgmentEvent} */
  add(event) {
    this.last = Math.max(this.now(), this.last + 1);
    const entry = { number: this.last, event: { id: newId(this.fill), ...event }, error: "" };
    this.entries.push(entry);
    this.keep(entry);
    return entry.event;
  }

  /** Base an event on another version. @param {string} id @param {number} base */
  rebase(id, base) {
    const entry = this.entries.find(({ event }) => event.id === id);
    if (!entry) return;
    entry.event = { ...entry.event, base };
    this.keep(entry);
  }

  /** Remove an event. @param {string} id */
  settle(id) {
    this.entries = this.entries.filter(({ event }) => event.id !== id);
    this.storage.removeItem(this.prefix + id);
    if (!this.entries.length) this.lasting = !this.storage.closed;
  }

  /** Move an event to the rejected ones. @param {JudgmentEvent} event @param {string} error */
  refuse(event, error) {
    const entry = { number: this.now(), event, error };
    this.refused.push(entry);
    this.keep(entry, this.rejectedPrefix);
    this.settle(event.id);
  }

  /** Remove a rejected event. @param {string} id */
  dismiss(id) {
    this.refused = this.refused.filter(({ event }) => event.id !== id);
    this.storage.removeItem(this.rejectedPrefix + id);
  }

  /** Follow a change of an event by another window: it was removed, or based on another version.
   * @param {string} id @param {string | null} value as it is stored now */
  follow(id, value) {
    const entry = this.entries.find(({ event }) => event.id === id);
    if (value === null) this.entries = this.entries.filter((other) => other !== entry);
    else if (entry) entry.event = JSON.parse(value).event;
  }

  /** The id of the event under a key of the storage, null for other keys. @param {string | null} key */
  idOf(key) {
    return key?.startsWith(this.prefix) ? key.slice(this.prefix.length) : null;
  }
}

// Sending the events of the outbox: in order, one request at a time, again after failures.
/** Milliseconds before the next attempt, by the number of failures. */
const WAITS = [1000, 2000, 4000, 8000, 15000, 30000];
const MOST_EVENTS = 100, MOST_CHARACTERS = 200000;
/** Statuses that concern one document, while others can be saved. */
const HELD = [403, 404, 409];

/** The error at the end of an answer, null if there is none.
 * @param {number} status @param {(EventAnswer | null)[]} results @returns {Rejection | null} */
const rejectionIn = (status, results) => {
  const last = results[results.length - 1];
  return status !== 200 || last?.error !== undefined ? { ...last, status: last?.status || status } : null;
};

export class Sync {
  /** @param {{outbox: Outbox, send: (events: JudgmentEvent[]) => Promise<Answer>, clock: Clock,
   *   listener: SyncListener}} parts */
  constructor({ outbox, send, clock, listener }) {
    this.outbox = outbox;
    this.send = send;
    this.clock = clock;
    this.listener = listener;
    this.busy = false;
    this.failures = 0;
    this.until = 0;
    /** @type {number | null} */
    this.timer = null;
    this.most = MOST_EVENTS;
    this.sentence = "";
    /** Documents whose events are not sent, with the reason. @type {Map<string, Rejection>} */
    this.held = new Map();
    this.savedAt = 0;
  }

  /** @returns {SavingStatus} */
  get status() {
    const { outbox: { entries: { length: count }, refused }, until, sentence, savedAt, held } = this;
    return {
      state: count ? until || held.size ? "waiting" : "saving" : refused.length ? "waiting" : "saved",
      count,
      until,
      sentence,
      savedAt,
      held,
      refused,
    };
  }

  /** The events of the next request. */
  batch() {
    /** @type {JudgmentEvent[]} */
    const events = [];
    let characters = 0;
    for (const event of this.outbox.events) {
      if (this.held.has(pairKey(event)) || event.id === this.outbox.drafting) continue;
      characters += JSON.stringify(event).length;
      if (events.length === this.most || (events.length && characters > MOST_CHARACTERS)) break;
      events.push(event);
    }
    return events;
  }

  /** Send all events that can be sent, unless a request is under way. */
  async pump() {
    if (this.busy || this.timer !== null) return this.listener.changed();
    for (let events = this.batch(); events.length && this.timer === null; events = this.batch()) {
      this.busy = true;
      this.listener.changed();
      const answer = await this.send(events).catch((error) => ({
        status: 0,
        body: { error: messageOf(error) },
      }));
      this.busy = false;
      this.take(events, answer);
    }
    return this.listener.changed();
  }

  /** Settle exactly the events that were answered. @param {JudgmentEvent[]} events @param {Answer} answer */
  take(events, { status, body }) {
    /** @type {(EventAnswer | null)[]} */
    const results = [body].flat();
    const rejection = rejectionIn(status, results),
      answers = (rejection ? results.slice(0, -1) : results).filter((answer) => answer !== null)
        .filter(({ version }) => Number.isInteger(version)).slice(0, events.length);
    for (const [i, answer] of answers.entries()) {
      this.outbox.settle(events[i].id);
      this.savedAt = this.clock.now();
      this.listener.answered(events[i], answer);
    }
    if (rejection && events[answers.length]) this.refuse(events[answers.length], rejection, events.length);
    else if (answers.length) this.recover();
    else this.fail("The server's answer cannot be read.");
  }

  /** Handle an error. Only an error of the campaign itself is final; all others may pass.
   * @param {JudgmentEvent} event @param {Rejection} rejection @param {number} many events of the request */
  refuse(event, rejection, many) {
    const { status, error, state } = rejection, large = status === 413, key = pairKey(event);
    if (error && large && many > 1) this.most = 1;
    else if (error && (status === 422 || large)) {
      this.recover();
      this.giveUp(key, event, error);
    } else if (status === 409 ? state : HELD.includes(status)) {
      this.recover();
      this.held.set(key, rejection);
      if (state) this.listener.stale(event, rejection);
    } else this.fail(error ?? `The server answered ${status}.`);
  }

  /** Give up an event that was rejected for good. Later events of its document assumed that it was valid: the
   * assessor decides about them. An undo or redo is rejected only if there is nothing left: it is dropped,
   * and changes nothing for later events.
   * @param {string} key @param {JudgmentEvent} event @param {string} error */
  giveUp(key, event, error) {
    if (event.kind === "undo" || event.kind === "redo") {
      this.outbox.settle(event.id);
      this.outbox.of(key).forEach(({ id }, i) => this.outbox.rebase(id, event.base + i));
      return this.listener.refused(event);
    }
    const undoes = undoesOf(event, this.outbox.of(key));
    this.outbox.refuse(event, error);
    for (const { id } of undoes) this.outbox.settle(id);
    if (this.outbox.of(key).length) {
      const rejection = { status: 409, refused: event };
      this.held.set(key, rejection);
      this.listener.stale(event, rejection);
    }
    return this.listener.refused(event);
  }

  /** Forget earlier failures. */
  recover() {
    this.failures = this.until = 0;
    this.sentence = "";
    this.most = MOST_EVENTS;
  }

  /** Try again later. @param {string} sentence */
  fail(sentence) {
    const wait = WAITS[Math.min(this.failures, WAITS.length - 1)];
    this.failures += 1;
    this.sentence = sentence;
    this.until = this.clock.now() + wait;
    this.timer = this.clock.later(() => this.tryNow(false), wait);
    this.listener.changed();
  }

  /** Try again at once. @param {boolean} all also held documents that have no conflict */
  tryNow(all = true) {
    if (this.timer !== null) this.clock.cancel(this.timer);
    this.timer = null;
    if (all) { for (const [key, { status }] of this.held) if (status !== 409) this.held.delete(key); }
    return this.pump();
  }

  /** Apply the events of a held document to a version, in order.
   * @param {string} key @param {number} version */
  apply(key, version) {
    this.outbox.of(key).forEach(({ id }, i) => this.outbox.rebase(id, version + i));
    this.held.delete(key);
    return this.pump();
  }

  /** Give up the events of a document. @param {string} key */
  drop(key) {
    for (const { id } of this.outbox.of(key)) this.outbox.settle(id);
    this.held.delete(key);
    this.listener.changed();
  }
}
