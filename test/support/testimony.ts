/**
 * Describes the state of a Tally process when a test fails: its objects with their events, the
 * queues of its controllers, what its agent knows about pods, and the end of its log.
 */
import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Event } from "../../src/api/generated/core.ts";
import type { KubeObject } from "../../src/api/object.ts";
import { DIAGNOSTICS_COMPLETE, DIAGNOSTICS_SIGNAL } from "../../src/base/diagnostics-signal.ts";
import type { Answer } from "./call-server.ts";

export interface Testifying {
  readonly process: ChildProcess;
  /** Everything it has logged. */
  log(): string;
  /** Absent if the process serves no API. */
  call?(method: string, path: string): Promise<Answer>;
}

/** Limits that keep the report short enough to read. */
const MOST_OBJECTS = 30;
const MOST_EVENTS = 60;
const MOST_LOG_LINES = 40;
const LONGEST_LINE = 2000;
const PATIENCE_MS = 10_000;

export async function testimonyOf(given: Testifying): Promise<string> {
  const { pid, exitCode, signalCode } = given.process;
  const ended = exitCode ?? signalCode;
  const log = lastLines(given.log(), MOST_LOG_LINES);
  if (ended !== null) return `it ended with ${ended}; its log:\n${log}`;
  const parts = [
    `pid ${pid}`,
    given.call ? await inTime(describeObjects(given.call.bind(given)), "its objects") : "",
    await inTime(diagnose(given), "its diagnostics"),
    `its log:\n${log}`,
  ];
  return parts.filter((part) => part !== "").join("\n");
}

/** For a wait that concerns one object: the whole object and its events. */
export async function describeObject(
  call: NonNullable<Testifying["call"]>,
  path: string,
): Promise<string> {
  const { status, text } = await call("GET", path);
  const name = path.split("/").at(-1) ?? "";
  const namespace = /\/namespaces\/([^/]+)\//.exec(path)?.[1];
  const where = namespace === undefined ? "" : `/namespaces/${namespace}`;
  const selector = `fieldSelector=involvedObject.name=${name}`;
  const events = await call("GET", `/api/v1${where}/events?${selector}`);
  return [`${path}: ${status}`, text, ...eventLines(events.json.items)].join("\n");
}

/** A server that hangs must not hold up the report. */
async function inTime(text: Promise<string>, what: string): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`${what}: no answer for ${PATIENCE_MS} ms`), PATIENCE_MS);
  });
  try {
    return await Promise.race([text, late]);
  } catch (error) {
    return `${what}: ${error}`;
  } finally {
    clearTimeout(timer);
  }
}

/** The kinds that tests wait for, and the kinds that those depend on. */
const COLLECTIONS = [
  "/apis/batch/v1/jobs",
  "/apis/batch/v1/cronjobs",
  "/apis/apps/v1/statefulsets",
  "/apis/policy/v1/poddisruptionbudgets",
  "/api/v1/pods",
  "/api/v1/persistentvolumeclaims",
  "/api/v1/persistentvolumes",
  "/api/v1/nodes",
];

async function describeObjects(call: NonNullable<Testifying["call"]>): Promise<string> {
  const lines: string[] = [];
  for (const collection of COLLECTIONS) {
    const { json } = await call("GET", collection);
    const items: readonly KubeObject[] = json.items ?? [];
    // Unfinished objects come first; finished ones are shown if there is room.
    const shown = items.toSorted(byProgress).slice(0, MOST_OBJECTS);
    lines.push(`${collection}: ${items.length}`, ...shown.map(describeBriefly));
  }
  const { json } = await call("GET", "/api/v1/events");
  return [...lines, ...eventLines(json.items)].join("\n");
}

function byProgress(one: KubeObject, other: KubeObject): number {
  return Number(isOver(one)) - Number(isOver(other));
}

function isOver(object: KubeObject): boolean {
  const { status } = object as { status?: { phase?: string; completionTime?: string } };
  return /Succeeded|Failed/.test(status?.phase ?? "") || status?.completionTime !== undefined;
}

function describeBriefly(object: KubeObject): string {
  const { namespace, name, uid, deletionTimestamp, finalizers, ownerReferences } = object.metadata;
  const owners = ownerReferences?.map((owner) => `${owner.kind}/${owner.name} ${owner.uid}`);
  const metadata = { uid, deletionTimestamp, finalizers, owners };
  const { status } = object as { status?: unknown };
  return `  ${namespace ?? ""}/${name} ${shorten(JSON.stringify({ ...metadata, status }))}`;
}

function eventLines(events: readonly Event[]): readonly string[] {
  const timeOf = ({ lastTimestamp, eventTime, metadata }: Event) =>
    lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? "";
  const sorted = events.toSorted((one, other) => (timeOf(one) < timeOf(other) ? -1 : 1));
  const lines = sorted.slice(-MOST_EVENTS).map((event) => {
    const { involvedObject: about, type, reason, message, count = 1 } = event;
    const object = `${about.kind} ${about.namespace ?? ""}/${about.name}`;
    return `  ${timeOf(event)} ${type} ${object} ${reason}: ${shorten(message ?? "")} (x${count})`;
  });
  return [`events: ${events.length}`, ...lines];
}

/** The queues and the book of the agent, which the process logs when it gets the signal. */
async function diagnose({ process: { pid }, log }: Testifying): Promise<string> {
  if (pid === undefined || !catchesSignal(pid)) return "it gives no diagnostics";
  const from = log().length;
  process.kill(pid, DIAGNOSTICS_SIGNAL);
  while (!log().slice(from).includes(DIAGNOSTICS_COMPLETE)) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const records = log().slice(from).trimEnd().split("\n");
  return ["its diagnostics:", ...records.map(shorten)].join("\n");
}

const SIGUSR2_BIT = 1n << 11n;

/** A process without a handler for the signal would be killed by it. */
export function catchesSignal(pid: number): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const [, mask = "0"] = /^SigCgt:\s*([0-9a-f]+)$/m.exec(status) ?? [];
    return (BigInt(`0x${mask}`) & SIGUSR2_BIT) !== 0n;
  } catch {
    return false;
  }
}

function lastLines(text: string, count: number): string {
  return text.trimEnd().split("\n").slice(-count).map(shorten).join("\n");
}

function shorten(line: string): string {
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line;
}
