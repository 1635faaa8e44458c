/**
 * All logs that are being written, and when they are looked at: every 100 ms while they grow, by
 * one timer; when the system tells of a change while they are quiet; and not at all where a run is
 * over before the first look, as most are.
 */

import { messageFile } from "../../api/log-files.ts";
import type { Clock, Timer } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { RunId } from "../runtimes/runtime.ts";
import { GrowingLog } from "./growing-log.ts";
import { MARK_EVERY_MS } from "./marks.ts";
import { boundMessage } from "./message-size.ts";

export interface RunningLogsOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly maxBytes: number;
  readonly onLimit: (id: RunId) => void;
  /** About once a second, while something is being written. */
  readonly onSecond: () => void;
}

/** Looks that find nothing, after which a log is watched instead. */
const QUIET_LOOKS = 5;
/** A crash loses the marks of this many looks: of what was written then only the end has a time. */
const SAVE_EVERY_LOOKS = 10;

export class RunningLogs {
  /** By pod and container: there is one run of each at a time. */
  private readonly logs = new Map<string, GrowingLog>();
  private readonly attended = new Set<GrowingLog>();
  private begun: GrowingLog[] = [];
  private looks = 0;
  private timer: Timer | undefined;
  private isClosed = false;

  constructor(private readonly options: RunningLogsOptions) {}

  begin(id: RunId, file: string): void {
    const known = this.find(id);
    if (known?.attempt === id.attempt) return;
    if (known) this.finish(known, id);
    const { maxBytes, onLimit } = this.options;
    const log = new GrowingLog(file, id.attempt, { maxBytes, onLimit: () => onLimit(id) });
    this.logs.set(keyOf(id), log);
    this.begun.push(log);
    this.schedule();
  }

  end(id: RunId): void {
    const log = this.find(id);
    if (log?.attempt === id.attempt) this.finish(log, id);
  }

  find(id: Pick<RunId, "podUid" | "container">): GrowingLog | undefined {
    return this.logs.get(keyOf(id));
  }

  /** Whoever follows a log is told of what it says without delay. */
  attend(log: GrowingLog): void {
    if (log.isOver) return;
    log.attend();
    this.attended.add(log);
    this.schedule();
  }

  podUids(): ReadonlySet<string> {
    return new Set([...this.logs.keys()].map((key) => key.slice(0, key.indexOf("/"))));
  }

  close(): void {
    this.isClosed = true;
    this.timer?.cancel();
    for (const log of this.logs.values()) {
      this.attempt(() => log.save());
      log.end();
    }
    this.logs.clear();
    this.attended.clear();
    this.begun = [];
  }

  private finish(log: GrowingLog, id: RunId): void {
    // A short run without a limit leaves nothing to do here.
    if (this.options.maxBytes > 0 || log.version > 0 || this.attended.has(log)) {
      this.attempt(() => log.look());
    }
    this.attempt(() => log.save());
    this.attended.delete(log);
    this.logs.delete(keyOf(id));
    log.end();
  }

  private schedule(): void {
    // A start that was under way when everything was closed must not keep the process alive.
    if (this.isClosed || this.attended.size + this.begun.length === 0) return;
    this.timer ??= this.options.clock.schedule(MARK_EVERY_MS, () => this.tick());
  }

  private tick(): void {
    this.timer = undefined;
    this.looks++;
    const saves = this.looks % SAVE_EVERY_LOOKS === 0;
    for (const log of this.attended) {
      this.attempt(() => this.lookAt(log));
      if (saves) this.attempt(() => log.save());
      if (saves) this.attempt(() => boundMessage(messageFile(log.file)));
    }
    for (const log of this.begun) this.meet(log);
    this.begun = [];
    if (saves) this.options.onSecond();
    this.schedule();
  }

  /** Most of those that are met are over before they are met again. */
  private meet(log: GrowingLog): void {
    if (log.isOver) return;
    this.attended.add(log);
    this.attempt(() => log.look());
  }

  private lookAt(log: GrowingLog): void {
    log.hold();
    log.quietLooks = log.look() ? 0 : log.quietLooks + 1;
    if (log.quietLooks < QUIET_LOOKS) return;
    boundMessage(messageFile(log.file));
    if (!log.rest(() => this.noticed(log))) return;
    log.save();
    this.attended.delete(log);
    // What was written before the watch began was not told.
    if (log.look()) this.attend(log);
  }

  private noticed(log: GrowingLog): void {
    if (log.isOver || this.attended.has(log)) return;
    this.attend(log);
    this.attempt(() => log.look());
  }

  /** What cannot be noted is missed by nobody but who asks for times: it stops nothing. */
  private attempt(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.options.log.warn("the times of a log could not be noted", { error });
    }
  }
}

function keyOf({ podUid, container }: Pick<RunId, "podUid" | "container">): string {
  return `${podUid}/${container}`;
}
