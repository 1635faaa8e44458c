/**
 * Pure: how many events of the daily round are written. That a container was created, started or
 * is being stopped is worth knowing of one pod. In a Job of thousands it costs a quarter of all the
 * rest: after a burst it is told of a few in a second.
 */
const BURST = 50;
const PER_SECOND = 5;

export class EventAllowance {
  #left = BURST;
  #atMs = 0;

  /** The time only grows. */
  take(nowMs: number): boolean {
    this.#left = Math.min(BURST, this.#left + ((nowMs - this.#atMs) / 1000) * PER_SECOND);
    this.#atMs = nowMs;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
