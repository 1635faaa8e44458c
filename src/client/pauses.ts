/** Delays that reject when the client is closed. */
import type { Clock, Timer } from "../base/clock.ts";

export class Pauses {
  private readonly waiting = new Map<Timer, (error: Error) => void>();

  constructor(private readonly clock: Clock) {}

  wait(delayMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = this.clock.schedule(delayMs, () => {
        this.waiting.delete(timer);
        resolve();
      });
      this.waiting.set(timer, reject);
    });
  }

  close(): void {
    for (const [timer, reject] of this.waiting) {
      timer.cancel();
      reject(new Error("the client was closed"));
    }
    this.waiting.clear();
  }
}
