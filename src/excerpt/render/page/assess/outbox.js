/** Events that are not known to be on the server's disk, each under a key of its own in a storage that survives a reload. No DOM.
 * A key for each, since windows of one browser share the storage: none of them rewrites what another keeps. */

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
