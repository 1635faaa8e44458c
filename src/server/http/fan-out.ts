/**
 * Spreads notifications of many watches over turns of the event loop, so that requests are answered
 * in between. A watch that has waited then receives all events since.
 */

export interface Telling {
  /** Sends the pending events; returns the cost in bytes. */
  tell(): number;
}

/** The budget of one turn. */
const TURN_BYTES = 2 * 1024 * 1024;
/** The cost of a write, in addition to its bytes. */
export const WRITE_BYTES = 16 * 1024;

export class FanOut {
  private waiting: Telling[] = [];
  private position = 0;
  private spentBytes = 0;
  private isScheduled = false;

  /** `later` calls back in the next turn of the event loop. */
  constructor(private readonly later: (callback: () => void) => void) {}

  /**
   * Notifies the watch at once if this turn has budget left, otherwise after those already waiting.
   */
  enter(watch: Telling): void {
    if (this.position === this.waiting.length && this.spentBytes < TURN_BYTES) {
      this.spentBytes += watch.tell();
    } else this.waiting.push(watch);
    this.schedule();
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    this.later(() => {
      this.isScheduled = false;
      this.takeTurn();
    });
  }

  private takeTurn(): void {
    this.spentBytes = 0;
    while (this.spentBytes < TURN_BYTES) {
      const next = this.waiting[this.position];
      if (!next) break;
      this.position++;
      this.spentBytes += next.tell();
    }
    if (this.position === this.waiting.length) {
      this.waiting = [];
      this.position = 0;
    } else this.schedule();
  }
}
