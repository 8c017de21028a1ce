/** Time spent at work: the time between signs of life that are not too far apart. No DOM. */

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
