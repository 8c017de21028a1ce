/** Session of an assessor: campaign, open documents, judgments, working time. No DOM. */
import { nextBase, projectState, rowOf } from "./rules.js";
import { Outbox, pairKey, RequestError, statusOf, Sync } from "./sync.js";

/** @import { Span } from "../types.d.ts" */
/** @import {
 *   AssessedDocument, Campaign, Clock, Conflict, EventFields, EventStorage, Fill, JudgmentEvent, Place,
 *   Rejection, Requests, SessionListener, State
 * } from "./types.d.ts" */

/** Working time: the time between user events that are not too far apart. */
export class Activity {
  /** @param {() => number} now in milliseconds @param {number} idle longer pauses do not count */
  constructor(now, idle = 60000) {
    this.now = now;
    this.idle = idle;
    this.last = now();
    this.total = 0;
    /** Milliseconds that were sent to the server. */
    this.sent = 0;
  }

  /** Note an event of the user. */
  note() {
    const at = this.now(), pause = at - this.last;
    if (pause > 0 && pause <= this.idle) this.total += pause;
    this.last = at;
  }

  /** Take the whole seconds that were not sent yet. */
  take() {
    const seconds = Math.floor((this.total - this.sent) / 1000);
    this.sent += 1000 * seconds;
    return seconds;
  }
}

// The session: campaign, states of the server, events without an answer.
const REMEMBERED = 5, WRITING_PAUSE = 600;

export class Session {
  /** @param {{requests: Requests, storage: EventStorage, clock: Clock, fill: Fill,
   *   listener: SessionListener}} parts */
  constructor({ requests, storage, clock, fill, listener }) {
    this.requests = requests;
    this.storage = storage;
    this.clock = clock;
    this.listener = listener;
    /** States of the server, by document. @type {Map<string, State>} */
    this.states = new Map();
    /** @type {Map<string, Rejection>} */
    this.conflicts = new Map();
    /** The last documents, for use without the server. @type {Map<string, AssessedDocument>} */
    this.documents = new Map();
    /** What was visible of each document, and documents for which the page asked whether to finish them.
     * @type {Map<string, Span[]>} */
    this.seen = new Map();
    /** @type {Set<string>} */
    this.asked = new Set();
    /** Why answers of the server are not for this page, "" if they are. */
    this.mismatch = "";
    /** @type {number | null} */
    this.writing = null;
    /** The request of `catchUp` that is under way. @type {Promise<void> | null} */
    this.catching = null;
    /** Set by `open`. @type {Campaign} */
    this.campaign = /** @type {any} */ (null);
    this.outbox = new Outbox(storage, "", { now: clock.now, fill });
    this.sync = this.startSync();
  }

  /** Read the campaign, and send the events that an earlier page left in the outbox. */
  async open() {
    this.campaign = await this.requests.get("api/pool");
    const owner = `${this.campaign.campaign}:${encodeURIComponent(this.campaign.assessor)}`;
    this.outbox = new Outbox(this.storage, owner, this.outbox);
    this.sync = this.startSync();
    this.sync.pump();
    return this.campaign;
  }

  startSync() {
    const { listener } = this;
    /** @param {JudgmentEvent[]} events */
    const send = async (events) => {
      if (this.sync.failures) await this.renew(events[0].topic);
      return this.requests.post("api/events", events.length > 1 ? events : events[0]);
    };
    return new Sync({
      outbox: this.outbox,
      send,
      clock: this.clock,
      listener: {
        answered: (event, { state }) => {
          this.mismatch = "";
          this.learn(pairKey(event), state);
          if (event.kind === "done") listener.finished(pairKey(event));
        },
        stale: (event, rejection) => this.hold(pairKey(event), rejection),
        refused: (event) => listener.changed(pairKey(event)),
        changed: listener.status,
      },
    });
  }

  /** Read the documents of a topic again, or of all: their order and states may have changed.
   * @param {string} id "" for all */
  async renew(id) {
    const { campaign } = this,
      /** @type {Campaign} */
      { topics, ...owner } = await this.requests.get(`api/pool${id && `?topic=${encodeURIComponent(id)}`}`);
    this.checkOwner(owner);
    const known = new Map(campaign.topics.map((topic) => [topic.id, topic])),
      renewed = topics.map((topic) => Object.assign(known.get(topic.id) ?? topic, topic));
    if (!id) campaign.topics = renewed;
    for (const key of this.states.keys()) this.updateRow(key);
  }

  /** Read what other windows have changed, unless that is under way. @param {Place} place */
  catchUp(place) {
    this.catching ??= this.readChanges(place).finally(() => {
      this.catching = null;
    });
    return this.catching;
  }

  /** Read the documents of a topic, or of all; and the judgment of a document if it is newer than the known
   * one and no events of it are on their way. @param {Place} place */
  async readChanges({ topic, doc }) {
    const key = pairKey({ topic, document: doc });
    await this.renew(topic);
    const state = this.states.get(key);
    if (state && !this.outbox.of(key).length && (this.rowOf(key)?.version ?? 0) > state.version) {
      await this.document(topic, doc);
    }
  }

  /** Raise an error if the answer is of another campaign, or if another assessor has signed in.
   * @param {{campaign?: string, assessor: string}} answer */
  checkOwner({ campaign = this.campaign.campaign, assessor: name }) {
    const { assessor, campaign: own } = this.campaign;
    this.mismatch = campaign !== own
      ? "Another campaign is now served here; this page belongs to the previous one."
      : name === assessor
      ? ""
      : `${name} has signed in with this browser; this page belongs to ${assessor}.`;
    this.listener.status();
    if (this.mismatch) throw new RequestError(this.mismatch, 403);
  }

  /** @param {string} key @param {AssessedDocument} doc */
  remember(key, doc) {
    this.documents.delete(key);
    this.documents.set(key, doc);
    const [oldest] = this.documents.keys();
    if (this.documents.size > REMEMBERED) this.documents.delete(oldest);
  }

  /** A document with the judgment of this assessor, and the data named in `show`.
   * @param {string} topic @param {string} document @param {string[]} show
   * @returns {Promise<AssessedDocument>} */
  async document(topic, document, show = []) {
    const key = pairKey({ topic, document }),
      names = { topic, document, assessor: this.campaign.assessor },
      query = Object.entries(names).map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&"),
      shown = show.map((name) => `&show=${name}`).join("");
    try {
      /** @type {AssessedDocument} */
      const doc = await this.requests.get(`api/document?${query}${shown}`);
      this.checkOwner(doc);
      this.learn(key, doc.state);
      this.remember(key, doc);
      return doc;
    } catch (error) {
      const remembered = this.documents.get(key), status = statusOf(error);
      if (status === 403) await this.renew(topic);
      if (status !== undefined || shown || !remembered) throw error;
      return remembered;
    }
  }

  /** Read a document ahead, so that it opens without the server; it is not logged as opened.
   * @param {Place | null} place */
  async readAhead(place) {
    if (!place) return;
    const { topic, doc: document } = place, key = pairKey({ topic, document });
    if (this.documents.has(key)) return;
    const names = { topic, document, assessor: this.campaign.assessor, ahead: "1" },
      query = Object.entries(names).map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
    /** @type {AssessedDocument} */
    const doc = await this.requests.get(`api/document?${query}`);
    this.checkOwner(doc);
    this.learn(key, doc.state);
    this.remember(key, doc);
  }

  /** Take a state of the server, unless a newer one is known. @param {string} key @param {State} state */
  learn(key, state) {
    if (state.version >= (this.states.get(key)?.version ?? 0)) this.states.set(key, state);
    this.updateRow(key);
    this.listener.learned(key);
  }

  /** @param {string} key @param {Rejection} rejection */
  hold(key, rejection) {
    this.conflicts.set(key, rejection);
    this.listener.conflict(key);
  }

  /** The conflict of a document, if there is one. @param {string} key @returns {Conflict | undefined} */
  conflictOf(key) {
    const rejection = this.conflicts.get(key);
    return rejection && { ...rejection, state: rejection.state ?? this.serverState(key) };
  }

  /** Remove a rejected event that the assessor has read. @param {string} id */
  dismiss(id) {
    this.outbox.dismiss(id);
    this.listener.status();
  }

  /** The state of a document that was read. @param {string} key */
  serverState(key) {
    return /** @type {State} */ (this.states.get(key));
  }

  /** The state of a document, including events without an answer. @param {string} key */
  stateOf(key) {
    return projectState(this.serverState(key), this.outbox.of(key));
  }

  /** Act on a document: at once in this page, and as soon as possible on the server.
   * @param {string} topic @param {string} document @param {string} kind @param {EventFields} fields */
  act(topic, document, kind, fields) {
    this.release();
    this.add(topic, document, kind, fields);
    this.listener.changed(pairKey({ topic, document }));
    this.sync.pump();
  }

  /** @param {string} topic @param {string} document @param {string} kind @param {EventFields} fields */
  add(topic, document, kind, fields) {
    const key = pairKey({ topic, document }),
      base = nextBase(this.serverState(key).version, this.outbox.of(key));
    return this.outbox.add({ assessor: this.campaign.assessor, topic, document, base, kind, ...fields });
  }

  /** Like `act`, for text that is being typed: every character is stored in the browser; the text is sent
   * after a pause, before the next action, or when the page is left.
   * @param {string} topic @param {string} document @param {string} kind @param {EventFields} fields */
  write(topic, document, kind, fields) {
    const { outbox, clock } = this, { draft } = outbox, key = pairKey({ topic, document });
    if (draft && (pairKey(draft) !== key || draft.kind !== kind || draft.start !== fields.start)) {
      this.release();
    } else if (draft) outbox.settle(draft.id);
    outbox.drafting = kind === "note" && fields.note === this.stateOf(key).note
      ? null
      : this.add(topic, document, kind, fields).id;
    clock.cancel(this.writing);
    this.writing = clock.later(() => this.release(), WRITING_PAUSE);
    this.listener.status();
  }

  /** Send the text that is being typed. */
  release() {
    const { outbox } = this, { draft } = outbox;
    outbox.drafting = null;
    this.clock.cancel(this.writing);
    if (!draft) return;
    this.listener.changed(pairKey(draft));
    this.sync.pump();
  }

  /** End a conflict: keep the server's version, or apply the events of this page to it.
   * @param {string} key @param {boolean} mine */
  decide(key, mine) {
    const conflict = this.conflictOf(key);
    this.conflicts.delete(key);
    if (mine && conflict) this.sync.apply(key, conflict.state.version);
    else this.sync.drop(key);
    if (conflict) this.learn(key, conflict.state);
  }

  /** Update the list of documents by the state of one. @param {string} key */
  updateRow(key) {
    const row = this.rowOf(key), state = this.serverState(key);
    if (row && state.version >= row.version) Object.assign(row, rowOf(state, this.campaign.asks));
  }

  /** The document in the list of its topic, if it is there. @param {string} key */
  rowOf(key) {
    /** @type {string[]} */
    const [topic, document] = JSON.parse(key);
    return this.campaign.topics.find(({ id }) => id === topic)?.documents.find(({ id }) => id === document);
  }

  /** Follow a change of an event by another window. If it was answered there, the server can be reached.
   * @param {string} id @param {string | null} value as it is stored now */
  follow(id, value) {
    const { outbox, sync } = this,
      settled = value === null ? outbox.events.find((event) => event.id === id) : undefined;
    outbox.follow(id, value);
    if (!settled) return;
    sync.recover();
    sync.tryNow(false);
    if (this.states.has(pairKey(settled))) {
      this.document(settled.topic, settled.document).catch(this.listener.status);
    }
  }

  /** Follow a change of the storage by another window.
   * @param {string | null} key @param {string | null} value */
  followStorage(key, value) {
    const { outbox } = this, id = outbox.idOf(key);
    if (key?.startsWith(outbox.rejectedPrefix)) outbox.refused = outbox.load(outbox.rejectedPrefix);
    else if (!id || this.sync.busy) return;
    else this.follow(id, value);
    for (const held of [...this.conflicts.keys()].filter((other) => !this.outbox.of(other).length)) {
      this.decide(held, false);
      this.listener.conflict(held);
    }
    this.listener.status();
  }
}
