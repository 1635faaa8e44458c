/**
 * Records what a test file currently waits for, and which processes can explain why it does not
 * happen. When a test fails, the runner (explaining-runner.ts) prints all of it. Waits have no
 * timeout of their own: the timeout of the test ends them.
 */

/** A server, agent or command under test that can describe its state. */
export interface Witness {
  readonly name: string;
  /** Never rejects, and settles within seconds. */
  describe(): Promise<string>;
}

export interface Awaited {
  /** A description, or the source code of the condition. */
  readonly what: string;
  /** Describes the current state of the awaited object. */
  readonly describe?: () => string | Promise<string>;
}

interface Wait extends Awaited {
  readonly sinceMs: number;
}

interface UnderWay {
  readonly waits: Set<Wait>;
  readonly witnesses: Set<Witness>;
}

const KEY = Symbol.for("what tests wait for");

/** Global, because the runner and the test file load this module separately. */
function underWay(): UnderWay {
  const place = globalThis as { [KEY]?: UnderWay };
  place[KEY] ??= { waits: new Set(), witnesses: new Set() };
  return place[KEY];
}

const { waits, witnesses } = underWay();

/** Returns a function that removes the witness. */
export function addWitness(witness: Witness): () => void {
  witnesses.add(witness);
  return () => void witnesses.delete(witness);
}

/** Returns the same promise; the wait is recorded until it settles. */
export async function waitingFor<T>(awaited: Awaited, promise: Promise<T>): Promise<T> {
  const wait: Wait = { ...awaited, sinceMs: performance.now() };
  waits.add(wait);
  try {
    return await promise;
  } finally {
    waits.delete(wait);
  }
}

const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 100;

/** Polls, at increasing intervals, until the condition holds. */
export function until(
  isSo: () => Promise<boolean> | boolean,
  awaited: Awaited = { what: isSo.toString() },
): Promise<void> {
  return waitingFor(awaited, poll(isSo));
}

async function poll(isSo: () => Promise<boolean> | boolean): Promise<void> {
  let pauseMs = FIRST_PAUSE_MS;
  while (!(await isSo())) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 1.5);
  }
}

/** Describes all waits and all witnesses; empty if there are none. */
export async function explain(): Promise<string> {
  const told = [...waits].map(describeWait);
  const seen = [...witnesses].map(async (each) => `${each.name}:\n${await each.describe()}`);
  return (await Promise.all([...told, ...seen])).join("\n\n");
}

async function describeWait({ what, describe, sinceMs }: Wait): Promise<string> {
  const seconds = Math.round((performance.now() - sinceMs) / 1000);
  const header = `waiting for ${seconds} s for: ${what}`;
  if (!describe) return header;
  try {
    return `${header}\n${await describe()}`;
  } catch (error) {
    return `${header}\n${error}`;
  }
}
