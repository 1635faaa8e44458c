/** A clock that stands still until it is told to move: for tests and for simulation. */
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
   * Moves time forward and runs what falls due, earliest first and in order of scheduling where
   * two fall together. A task sees the time it was scheduled for, and what it schedules in turn
   * runs too if it falls due within the same advance.
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

  /** Somebody sets the clock: it shows another time, and nothing falls due any earlier or later. */
  set(time: Date | number): void {
    this.startMs = Number(time) - this.elapsedMs;
  }

  /** How long until the next task falls due, undefined when nothing is scheduled. */
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
