/** Session of an assessor: campaign, open documents, judgments, time at work. No DOM. */
import { nextBase, projectState, rowOf } from "./rules.js";
import { Outbox, pairKey, Sync } from "./sync.js";

// Time spent at work: the time between signs of life that are not too far apart. No DOM.
export class Activity {
  /** @param {function(): number} now milliseconds @param {number} idle longer pauses are no work */
  constructor(now, idle = 60000) {
    Object.assign(this, { now, idle, last: now(), total: 0, told: 0 });
  }

  /** Somebody is there. */
  note() {
    const at = this.now(), pause = at - this.last;
    if (pause > 0 && pause <= this.idle) this.total += pause;
    this.last = at;
  }

  /** Whole seconds of work that were not taken yet. @returns {number} */
  take() {
    const seconds = Math.floor((this.total - this.told) / 1000);
    this.told += 1000 * seconds;
    return seconds;
  }
}

// What an assessor's page knows: the campaign, open documents, judgments with what was not answered yet. No DOM.
const REMEMBERED = 5, WRITING_PAUSE = 600;

/** @typedef {{changed: function(string), learned: function(string), finished: function(string), conflict: function(string), status: function()}} SessionTold
 *   `changed(key)` something was done to a document here; `learned(key)` the server said something of it; `finished(key)`; `conflict(key)` a decision is due; `status()` look at `sync.status` and `stranger` again */
export class Session {
  /** @param {{ask: {get: Function, post: Function}, storage: Storage, clock: Object, fill: Function, told: SessionTold}} parts */
  constructor({ ask, storage, clock, fill, told }) {
    Object.assign(this, {
      ask,
      storage,
      clock,
      fill,
      told,
      states: new Map(),
      conflicts: new Map(),
      texts: new Map(),
      stranger: "",
      writing: null,
    });
  }

  /** Read the campaign, and send what waits from before. @returns {Promise<Object>} */
  async open() {
    this.campaign = await this.ask.get("api/pool");
    this.owner = `${this.campaign.campaign}:${encodeURIComponent(this.campaign.assessor)}`;
    this.outbox = new Outbox(this.storage, this.owner, { now: this.clock.now, fill: this.fill });
    const send = async (events) => {
      if (this.sync.failures) await this.renew(events[0].topic);
      return this.ask.post("api/events", events.length > 1 ? events : events[0]);
    };
    this.sync = new Sync({
      outbox: this.outbox,
      send,
      clock: this.clock,
      told: {
        answered: (event, answer) => {
          this.stranger = "";
          this.learn(pairKey(event), answer.state);
          if (event.kind === "done") this.told.finished(pairKey(event));
        },
        stale: (event, refusal) => this.hold(pairKey(event), refusal),
        refused: (event) => this.told.changed(pairKey(event)),
        changed: this.told.status,
      },
    });
    this.sync.pump();
    return this.campaign;
  }

  /** Read the list of documents of a topic again: others may come next now. @param {string} id @returns {Promise} */
  async renew(id) {
    const found = await this.ask.get(`api/pool?topic=${encodeURIComponent(id)}`);
    this.recognise(found);
    for (const topic of this.campaign.topics) if (topic.id === id) Object.assign(topic, found.topics[0]);
    for (const key of this.states.keys()) this.tally(key);
  }

  /** An answer is of no use here if another campaign is served meanwhile, or another person has signed in in this browser: `stranger` says so.
   * @param {Object} found an answer that says whose it is */
  recognise({ campaign = this.campaign.campaign, assessor: name }) {
    const { assessor, campaign: own } = this.campaign;
    this.stranger = campaign !== own
      ? "Another campaign is served here now; this page is of the one before."
      : name === assessor
      ? ""
      : `${name} has signed in in this browser since; this page is of ${assessor}.`;
    this.told.status();
    if (this.stranger) throw Object.assign(new Error(this.stranger), { status: 403 });
  }

  /** The last documents can be gone on with while the server does not answer. */
  remember(key, found) {
    this.texts.delete(key);
    this.texts.set(key, found);
    if (this.texts.size > REMEMBERED) this.texts.delete(this.texts.keys().next().value);
  }

  /** A document with the judgments of this assessor. @param {string} topic @param {string} document @param {string[]} show
   * @returns {Promise<Object>} */
  async document(topic, document, show = []) {
    const asked = show.map((name) => `&show=${name}`).join(""), key = pairKey({ topic, document });
    try {
      const found = await this.ask.get(
        `api/document?topic=${encodeURIComponent(topic)}&document=${encodeURIComponent(document)}&assessor=${
          encodeURIComponent(this.campaign.assessor)
        }${asked}`,
      );
      this.recognise(found);
      this.learn(key, found.state);
      this.remember(key, found);
      return found;
    } catch (error) {
      if (error.status === 403) await this.renew(topic);
      if (error.status !== undefined || asked || !this.texts.has(key)) throw error;
      return this.texts.get(key);
    }
  }

  /** The server's word on a document; an older one than is known changes nothing. */
  learn(key, state) {
    if (state.version >= (this.states.get(key)?.version ?? 0)) this.states.set(key, state);
    this.tally(key);
    this.told.learned(key);
  }

  hold(key, refusal) {
    this.conflicts.set(key, refusal);
    this.told.conflict(key);
  }

  /** A decision that is due, with the server's state; nothing if there is none. @param {string} key @returns {?{state: State, refused: ?Object}} */
  conflictOf(key) {
    const found = this.conflicts.get(key);
    return found && { state: this.states.get(key), ...found };
  }

  /** That an event was refused has been read. @param {string} id */
  dismiss(id) {
    this.outbox.dismiss(id);
    this.told.status();
  }

  /** The judgments of a document, with what the server has not answered. @param {string} key @returns {State} */
  stateOf(key) {
    return projectState(this.states.get(key), this.outbox.of(key));
  }

  /** Do something to a document, now here and as soon as can be on the server. @param {string} topic @param {string} document
   * @param {string} kind @param {Object} fields */
  act(topic, document, kind, fields) {
    this.release();
    this.add(topic, document, kind, fields);
    this.told.changed(pairKey({ topic, document }));
    this.sync.pump();
  }

  add(topic, document, kind, fields) {
    const key = pairKey({ topic, document }),
      base = nextBase(this.states.get(key).version, this.outbox.of(key));
    return this.outbox.add({ assessor: this.campaign.assessor, topic, document, base, kind, ...fields });
  }

  /** The same for what is being written: each sign is kept, and all is sent after a pause, before anything else is done, or when the page is left. */
  write(topic, document, kind, fields) {
    const { outbox, clock } = this,
      draft = outbox.events.find(({ id }) => id === outbox.drafting),
      key = pairKey({ topic, document });
    if (draft && (pairKey(draft) !== key || draft.kind !== kind || draft.start !== fields.start)) {
      this.release();
    } else if (draft) outbox.settle(draft.id);
    outbox.drafting = kind === "note" && fields.note === this.stateOf(key).note
      ? null
      : this.add(topic, document, kind, fields).id;
    clock.cancel(this.writing);
    this.writing = clock.later(() => this.release(), WRITING_PAUSE);
    this.told.status();
  }

  /** What is being written is sent. */
  release() {
    const { outbox } = this, draft = outbox.events.find(({ id }) => id === outbox.drafting);
    outbox.drafting = null;
    this.clock.cancel(this.writing);
    if (!draft) return;
    this.told.changed(pairKey(draft));
    this.sync.pump();
  }

  /** End a conflict: by the server's version alone, or with what was done here upon it. @param {string} key @param {boolean} mine */
  decide(key, mine) {
    const { state } = this.conflictOf(key) ?? {};
    this.conflicts.delete(key);
    if (mine) this.sync.apply(key, state.version);
    else this.sync.drop(key);
    if (state) this.learn(key, state);
  }

  /** The list of documents says what is known of one. */
  tally(key) {
    const row = this.rowOf(key), state = this.states.get(key);
    if (row && state.version >= row.version) Object.assign(row, rowOf(state, this.campaign.asks));
  }

  /** What the list says of a document. @param {string} key @returns {?Object} */
  rowOf(key) {
    const [topic, document] = JSON.parse(key);
    return this.campaign.topics.find(({ id }) => id === topic)?.documents.find(({ id }) => id === document);
  }

  /** What another window has settled is learnt, as far as it is open here; the server answers, so nothing waits any longer. */
  follow(id, value) {
    const { outbox, sync } = this, event = value === null && outbox.events.find((one) => one.id === id);
    outbox.follow(id, value);
    if (!event) return;
    sync.recover();
    sync.tryNow(false);
    if (this.states.has(pairKey(event))) this.document(event.topic, event.document).catch(this.told.status);
  }

  /** Another window has changed the storage: what it has settled or decided is settled here, too. @param {?string} key @param {?string} value */
  notice(key, value) {
    const { outbox } = this, id = outbox.idOf(key);
    if (key?.startsWith(outbox.aside)) outbox.refused = outbox.load(outbox.aside);
    else if (!id || this.sync.busy) return;
    else this.follow(id, value);
    for (const held of [...this.conflicts.keys()].filter((other) => !this.outbox.of(other).length)) {
      this.decide(held, false);
      this.told.conflict(held);
    }
    this.told.status();
  }
}
