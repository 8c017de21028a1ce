/** Events on their way to the server, in a storage that survives a reload. No DOM. */
import { messageOf, newId } from "../assess/sync.js";

/** @import { Answer, Clock, EventStorage, Fill } from "../assess/types.d.ts" */
/** @import { GoldEvent, GoldState } from "./types.d.ts" */

/** Milliseconds before the next attempt, by the number of failures. */
const PAUSES = [500, 1000, 2000, 4000, 8000];

/** Sends events in order, one at a time; what the server rejects is given back. */
export class GoldOutbox {
  /** @param {{storage: EventStorage, name: string, clock: Pick<Clock, "later">, fill: Fill,
   *   send: (event: GoldEvent) => Promise<Answer>,
   *   listener: {answered: (state: GoldState) => void, rejected: (event: GoldEvent, why: string) => void,
   *     changed: () => void}}} parts */
  constructor({ storage, name, clock, fill, send, listener }) {
    this.storage = storage;
    this.name = name;
    this.clock = clock;
    this.fill = fill;
    this.send = send;
    this.listener = listener;
    this.busy = false;
    this.failures = 0;
    /** Why the last attempt failed, "" if it did not. */
    this.sentence = "";
    /** @type {GoldEvent[]} */
    this.events = this.load();
  }

  /** Events that an earlier page left. @returns {GoldEvent[]} */
  load() {
    try {
      const events = JSON.parse(this.storage.getItem(this.name) ?? "[]");
      return Array.isArray(events) ? events.filter(({ id, kind }) => id && kind) : [];
    } catch (error) {
      if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
      return [];
    }
  }

  store() {
    try {
      this.storage.setItem(this.name, JSON.stringify(this.events));
    } catch (error) {
      this.sentence = `This browser keeps nothing (${messageOf(error)}).`;
    }
    this.listener.changed();
  }

  /** @param {{kind: string, [field: string]: unknown}} event */
  add(event) {
    this.events.push({ id: newId(this.fill), ...event });
    this.store();
    this.pump();
  }

  /** Send what waits, unless a request is under way. */
  async pump() {
    if (this.busy) return;
    this.busy = true;
    while (this.events.length) {
      const [event] = this.events,
        answer = await this.send(event).catch((error) => ({
          status: 0,
          body: { error: messageOf(error) },
        }));
      if (!this.settle(event, answer)) break;
    }
    this.busy = false;
    this.listener.changed();
  }

  /** Take an answer; false if the event has to be sent again. @param {GoldEvent} event
   * @param {{status: number, body: any}} answer */
  settle(event, { status, body }) {
    const done = status === 200, rejected = [400, 404, 409, 413, 422].includes(status);
    if (!done && !rejected) {
      this.sentence = body?.error ?? `The server answered ${status}.`;
      const pause = PAUSES[Math.min(this.failures++, PAUSES.length - 1)];
      this.clock.later(() => this.pump(), pause);
      return false;
    }
    this.failures = 0;
    this.sentence = "";
    this.events = this.events.filter(({ id }) => id !== event.id);
    this.store();
    if (done) this.listener.answered(body);
    else this.listener.rejected(event, body?.error ?? `The server answered ${status}.`);
    return true;
  }
}
