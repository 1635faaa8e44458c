/**
 * Spreads what many watches are told over turns of the event loop: requests are answered in
 * between, however many watch. Whoever waits for his turn is then told of all that happened
 * meanwhile.
 */

export interface Telling {
  /** Tells what there is to tell; answers what that took, in bytes. */
  tell(): number;
}

/** What may be told in one turn. */
const TURN_BYTES = 2 * 1024 * 1024;
/** A write takes as long as so many bytes more. */
export const WRITE_BYTES = 16 * 1024;

export class FanOut {
  private waiting: Telling[] = [];
  private position = 0;
  private spentBytes = 0;
  private isScheduled = false;

  /** Later is a turn of the event loop. */
  constructor(private readonly later: (callback: () => void) => void) {}

  /** At once if this turn has room left, otherwise after those who came before. */
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
