/** Events on their way to the server: outbox, requests, retries. No DOM. */
import { fallWith } from "./rules.js";

// Questions to the server that the page came from, as JSON.
const PATIENCE = 20000;

/** An answer of the server with its status; an error if there is none in time. */
async function answerTo(path, how = {}) {
  const control = new AbortController(), timer = setTimeout(() => control.abort(), PATIENCE);
  try {
    const answer = await fetch(path, { ...how, signal: control.signal });
    return { status: answer.status, body: answer.status === 204 ? null : await answer.json() };
  } catch (error) {
    throw new Error(
      error instanceof SyntaxError ? "The server's answer cannot be read." : "The server does not answer.",
    );
  } finally {
    clearTimeout(timer);
  }
}

/** An answer, or an error with the sentence and the status of a refusal. @param {string} path @returns {Promise<Object>} */
export async function askFor(path) {
  const { status, body } = await answerTo(path);
  if (status === 200) return body;
  throw Object.assign(new Error(body?.error ?? `The server answered ${status}.`), { status });
}

/** What the server says to something new. @param {string} path @param {*} body @returns {Promise<{status: number, body: *}>} */
export function tell(path, body) {
  return answerTo(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

// SHA-256, for quotes too long to send. Browsers have it only behind TLS and on this machine itself. No DOM.
const primes = (count) => {
  const found = [];
  for (let n = 2; found.length < count; n++) if (found.every((prime) => n % prime)) found.push(n);
  return found;
};
const fraction = (root) => ((root - Math.floor(root)) * 2 ** 32) | 0;
const ROUNDS = primes(64).map((prime) => fraction(Math.cbrt(prime))),
  INITIAL = primes(8).map((prime) => fraction(Math.sqrt(prime)));
const rotate = (word, by) => (word >>> by) | (word << (32 - by));

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

/** The SHA-256 of a text in UTF-8, in hex. @param {string} text @returns {string} */
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

// Events that are not known to be on the server's disk, each under a key of its own in a storage that survives a reload. No DOM. A key for each, since windows of one browser share the storage: none of them rewrites what another keeps.
/** An id that nobody else has (a random UUID). @param {function(Uint8Array): Uint8Array} fill puts random bytes in @returns {string} */
export function newId(fill) {
  const bytes = fill(new Uint8Array(16));
  bytes[6] = (bytes[6] & 15) | 64;
  bytes[8] = (bytes[8] & 63) | 128;
  return Array.from(
    bytes,
    (byte, i) => ([4, 6, 8, 10].includes(i) ? "-" : "") + byte.toString(16).padStart(2, "0"),
  ).join("");
}

/** What tells the judgments of one document for one topic from all others. @param {{topic: string, document: string}} event @returns {string} */
export const pairKey = ({ topic, document }) => JSON.stringify([topic, document]);

/** The events of an assessor that wait, in the order in which they were made; and those that were refused, until somebody has read that. */
export class Outbox {
  /** @param {Storage} storage @param {string} owner the campaign and the assessor @param {{now: function(): number, fill: function(Uint8Array): Uint8Array}} tools */
  constructor(storage, owner, { now, fill }) {
    const own = `excerpt:${owner}:`;
    Object.assign(this, {
      storage,
      now,
      fill,
      prefix: `${own}outbox:`,
      aside: `${own}refused:`,
      drafting: null,
      lasting: !storage.closed,
    });
    this.entries = this.load(this.prefix);
    this.refused = this.load(this.aside);
    this.last = this.entries.at(-1)?.number ?? 0;
  }

  /** What is kept under keys with the same beginning, in its order; what cannot be read is left alone. */
  load(prefix) {
    const { storage } = this,
      keys = Array.from({ length: storage.length }, (_, i) => storage.key(i)).filter((key) =>
        key.startsWith(prefix)
      );
    return keys.flatMap((key) => {
      try {
        const entry = JSON.parse(storage.getItem(key));
        return entry.event.id === key.slice(prefix.length) ? [entry] : [];
      } catch (error) {
        if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
        return [];
      }
    }).sort((one, other) => one.number - other.number);
  }

  /** Events that wait. @returns {Object[]} */
  get events() {
    return this.entries.map(({ event }) => event);
  }

  /** Events of one document that wait. @param {string} key @returns {Object[]} */
  of(key) {
    return this.events.filter((event) => pairKey(event) === key);
  }

  /** A storage that is full or forbidden loses nothing while the window is open: `lasting` tells. */
  keep(entry, prefix = this.prefix) {
    try {
      this.storage.setItem(prefix + entry.event.id, JSON.stringify(entry));
    } catch {
      this.lasting = false;
    }
  }

  /** Keep an event; it gets an id. @param {Object} event @returns {Object} */
  add(event) {
    const entry = {
      number: this.last = Math.max(this.now(), this.last + 1),
      event: { id: newId(this.fill), ...event },
    };
    this.entries.push(entry);
    this.keep(entry);
    return entry.event;
  }

  /** The same event upon another version. @param {string} id @param {number} base */
  rebase(id, base) {
    const entry = this.entries.find(({ event }) => event.id === id);
    entry.event = { ...entry.event, base };
    this.keep(entry);
  }

  /** An event waits no longer. @param {string} id */
  settle(id) {
    this.entries = this.entries.filter(({ event }) => event.id !== id);
    this.storage.removeItem(this.prefix + id);
    if (!this.entries.length) this.lasting = !this.storage.closed;
  }

  /** An event that can never be accepted waits no longer; it is kept aside. @param {Object} event @param {string} error */
  refuse(event, error) {
    const entry = { number: this.now(), event, error };
    this.refused.push(entry);
    this.keep(entry, this.aside);
    this.settle(event.id);
  }

  /** That an event was refused has been read. @param {string} id */
  dismiss(id) {
    this.refused = this.refused.filter(({ event }) => event.id !== id);
    this.storage.removeItem(this.aside + id);
  }

  /** What another window made of an event that waits here, too: nothing more to do, or another version to do it upon.
   * @param {string} id @param {?string} value as it is stored now */
  follow(id, value) {
    const entry = this.entries.find(({ event }) => event.id === id);
    if (value === null) this.entries = this.entries.filter((other) => other !== entry);
    else if (entry) entry.event = JSON.parse(value).event;
  }

  /** The id of the event that a key of the storage stands for; nothing for other keys. @param {?string} key @returns {?string} */
  idOf(key) {
    return key?.startsWith(this.prefix) ? key.slice(this.prefix.length) : null;
  }
}

// Sends what waits in the outbox: in order, one request at a time, again after a failure, and says how it stands. No DOM.
/** Milliseconds before the next try, after one failure, two, three …; the last one for all others. */
const WAITS = [1000, 2000, 4000, 8000, 15000, 30000];
const MOST_EVENTS = 100, MOST_SIGNS = 200000;
/** What is refused for one document, while others may go on. */
const HELD = [403, 404, 409];

/** A refusal that stands in an answer, at its end; nothing if there is none. */
const refusalIn = (status, results) => {
  const last = results[results.length - 1];
  return status !== 200 || last?.error !== undefined
    ? { status, ...last, ...(last?.status ? {} : { status }) }
    : null;
};

/** @typedef {{answered: function(Object, Object), stale: function(Object, Object), refused: function(Object), changed: function()}} Told
 *   `answered(event, answer)` it is on the server's disk; `stale(event, refusal)` made upon an old version, or after what was refused: its document
 *   is held until `apply` or `drop`; `refused(event)` it will never be accepted and is kept aside; `changed()` look at `status` again */
export class Sync {
  /** @param {{outbox: Outbox, send: function(Object[]): Promise<{status: number, body: *}>,
   *   clock: {now: function(): number, later: function(function(), number): *, cancel: function(*)}, told: Told}} parts */
  constructor({ outbox, send, clock, told }) {
    Object.assign(this, {
      outbox,
      send,
      clock,
      told,
      busy: false,
      failures: 0,
      until: 0,
      timer: null,
      most: MOST_EVENTS,
      sentence: "",
      held: new Map(),
      savedAt: 0,
    });
  }

  /** How it stands; `count` events wait. @returns {{state: string, count: number, until: number, sentence: string, savedAt: number, held: Map, refused: Object[]}} */
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

  batch() {
    const events = [];
    let signs = 0;
    for (const event of this.outbox.events) {
      if (this.held.has(pairKey(event)) || event.id === this.outbox.drafting) continue;
      signs += JSON.stringify(event).length;
      if (events.length === this.most || (events.length && signs > MOST_SIGNS)) break;
      events.push(event);
    }
    return events;
  }

  /** Send what can be sent, if nothing is under way. */
  async pump() {
    if (this.busy || this.timer !== null) return this.told.changed();
    for (let events = this.batch(); events.length && this.timer === null; events = this.batch()) {
      this.busy = true;
      this.told.changed();
      const answer = await this.send(events).catch((error) => ({
        status: 0,
        body: { error: error.message },
      }));
      this.busy = false;
      this.take(events, answer);
    }
    return this.told.changed();
  }

  /** Exactly the events that were answered are saved. */
  take(events, { status, body }) {
    const results = [body].flat(),
      refusal = refusalIn(status, results),
      accepted = refusal ? results.slice(0, -1) : results;
    const known = accepted.filter((answer) => Number.isInteger(answer?.version)).slice(0, events.length);
    for (const [i, answer] of known.entries()) {
      this.outbox.settle(events[i].id);
      this.savedAt = this.clock.now();
      this.told.answered(events[i], answer);
    }
    if (refusal && events[known.length]) this.refuse(events[known.length], refusal, events.length);
    else if (known.length) this.recover();
    else this.fail("The server's answer cannot be read.");
  }

  /** Only what the campaign itself says of an event ends it; all else may pass. */
  refuse(event, refusal, many) {
    const { status, error, state } = refusal, large = status === 413, key = pairKey(event);
    if (error && large && many > 1) this.most = 1;
    else if (error && (status === 422 || large)) {
      this.recover();
      this.giveUp(key, event, error);
    } else if (status === 409 ? state : HELD.includes(status)) {
      this.recover();
      this.held.set(key, refusal);
      if (state) this.told.stale(event, refusal);
    } else this.fail(error ?? `The server answered ${status}.`);
  }

  /** An event will never be accepted. What was made after it in the same document was made upon something that is not so: that is asked about. */
  giveUp(key, event, error) {
    const fallen = fallWith(event, this.outbox.of(key));
    this.outbox.refuse(event, error);
    for (const { id } of fallen) this.outbox.settle(id);
    if (this.outbox.of(key).length) {
      const refusal = { status: 409, refused: event };
      this.held.set(key, refusal);
      this.told.stale(event, refusal);
    }
    this.told.refused(event);
  }

  recover() {
    Object.assign(this, { failures: 0, until: 0, sentence: "", most: MOST_EVENTS });
  }

  fail(sentence) {
    const wait = WAITS[Math.min(this.failures, WAITS.length - 1)];
    Object.assign(this, { failures: this.failures + 1, sentence, until: this.clock.now() + wait });
    this.timer = this.clock.later(() => this.tryNow(false), wait);
    this.told.changed();
  }

  /** Do not wait any longer. @param {boolean} all try what is held for another reason than a conflict, too @returns {Promise} */
  tryNow(all = true) {
    if (this.timer !== null) this.clock.cancel(this.timer);
    this.timer = null;
    if (all) { for (const [key, { status }] of this.held) if (status !== 409) this.held.delete(key); }
    return this.pump();
  }

  /** Make the events of a held document upon a version that they were not made on, in their order. @param {string} key @param {number} version
   * @returns {Promise} */
  apply(key, version) {
    this.outbox.of(key).forEach(({ id }, i) => this.outbox.rebase(id, version + i));
    this.held.delete(key);
    return this.pump();
  }

  /** Give up the events of a document. @param {string} key */
  drop(key) {
    for (const { id } of this.outbox.of(key)) this.outbox.settle(id);
    this.held.delete(key);
    this.told.changed();
  }
}
