/**
 * Pure: encodes and decodes ledger notes. An attempt is a JSON array without field names to save
 * space, because there may be a million.
 */
import type { Attempt, Outcome } from "./attempt.ts";
import type { JobEvent } from "./story.ts";

export interface AttemptRecord {
  readonly attempt: Attempt;
  /** When its pod was created, and the revision at which it ended: attempts are sorted by these. */
  readonly created: string;
  readonly revision: number;
}

export function formatAttempt({ attempt, created, revision }: AttemptRecord): Uint8Array {
  const { outcome, jobUID, pod, node, startTime, endTime, exitCode, signal } = attempt;
  const { reason, message, logFile } = attempt;
  const usual = [
    revision,
    created,
    outcome,
    jobUID,
    pod,
    node,
    startTime,
    endTime,
    exitCode,
    reason,
  ];
  const isUsual = signal === undefined && message === undefined && logFile === undefined;
  return Buffer.from(JSON.stringify(isUsual ? usual : [...usual, signal, message, logFile]));
}

/**
 * The UID of the pod is part of the key. Undefined if the bytes were not written by formatAttempt.
 */
export function parseAttempt(bytes: Uint8Array, podUID: string): AttemptRecord | undefined {
  const list = parseList(bytes);
  const [revision, created, outcome, jobUID, pod] = list;
  if (typeof revision !== "number" || typeof jobUID !== "string" || typeof pod !== "string") {
    return undefined;
  }
  const attempt: Attempt = {
    outcome: outcome as Outcome,
    startTime: text(list[6]),
    endTime: text(list[7]),
    exitCode: number(list[8]),
    signal: number(list[10]),
    reason: text(list[9]),
    message: text(list[11]),
    logFile: text(list[12]),
    node: text(list[5]),
    pod,
    podUID,
    jobUID,
  };
  return { attempt, created: String(created), revision };
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function number(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

export function formatJobEvent(event: JobEvent): Uint8Array {
  const { kind, uid } = event;
  return Buffer.from(
    JSON.stringify([kind, uid, kind === "created" ? event.continues : event.atMs]),
  );
}

export function parseJobEvent(bytes: Uint8Array): JobEvent | undefined {
  const [kind, uid, detail] = parseList(bytes);
  if (typeof uid !== "string") return undefined;
  if (kind === "created") {
    return { kind, uid, continues: detail === "moved" ? "moved" : detail === true };
  }
  return kind === "deleted" ? { kind, uid, atMs: Number(detail) } : undefined;
}

export function formatRemoval(revision: number): Uint8Array {
  return Buffer.from(JSON.stringify([revision]));
}

/** The revision at which a namespace was removed. */
export function parseRemoval(bytes: Uint8Array): number {
  return Number(parseList(bytes)[0] ?? 0);
}

function parseList(bytes: Uint8Array): readonly unknown[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
