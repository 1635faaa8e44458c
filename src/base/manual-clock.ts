/** A clock that stands still until it is advanced, for tests and simulations. */
import type { Clock, Timer } from "./clock.ts";

interface Appointment {
  readonly atMs: number;
  readonly task: () => void;
}

export class ManualClock implements Clock {
  private elapsedMs = 0;
  private startMs: number;
  private readonly appointments = new Set<Appointment>();

  constructor(start: Date | number = Date.UTC(2026, 0, 1)) {
    this.startMs = Number(start);
  }

  nowMs(): number {
    return this.startMs + this.elapsedMs;
  }

  monotonicMs(): number {
    return this.elapsedMs;
  }

  schedule(delayMs: number, task: () => void): Timer {
    const appointment = { atMs: this.elapsedMs + Math.max(0, delayMs), task };
    this.appointments.add(appointment);
    return { cancel: () => void this.appointments.delete(appointment) };
  }

  /**
   * Advances time and runs due tasks, earliest first; tasks of the same time run in the order in
   * which they were scheduled. A task sees the time it was scheduled for. Tasks that it schedules
   * also run if they fall due within the same advance.
   */
  advance(byMs: number): void {
    const endMs = this.elapsedMs + byMs;
    for (;;) {
      const next = this.earliest();
      if (next === undefined || next.atMs > endMs) break;
      this.appointments.delete(next);
      this.elapsedMs = next.atMs;
      next.task();
    }
    this.elapsedMs = endMs;
  }

  /**
   * Simulates a change of the system clock: nowMs() jumps, and no task becomes due because of it.
   */
  set(time: Date | number): void {
    this.startMs = Number(time) - this.elapsedMs;
  }

  /** How long until the next task is due; undefined if nothing is scheduled. */
  untilNextMs(): number | undefined {
    const next = this.earliest();
    return next && next.atMs - this.elapsedMs;
  }

  private earliest(): Appointment | undefined {
    let first: Appointment | undefined;
    for (const appointment of this.appointments) {
      if (first === undefined || appointment.atMs < first.atMs) first = appointment;
    }
    return first;
  }
}
