/** Sends what waits in the outbox: in order, one request at a time, again after a failure, and says how it stands. No DOM. */
import { fallWith } from "./judging.js";
import { pairKey } from "./outbox.js";

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
