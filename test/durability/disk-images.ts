/**
 * Pure: what a power cut can leave of a file. Everything synced is there. Of the writes since then
 * any part may be there, in any order, and the last write may be torn.
 */
import type { DiskStep } from "./disk-trace.ts";

type Write = Extract<DiskStep, { kind: "write" | "commit" }>;

/** A file that may be much longer than the bytes written to it: the rest is zeros. */
export interface FileImage {
  readonly content: Buffer;
  readonly length: number;
}

interface State {
  readonly revision: number;
  readonly digest: string;
}

/** A moment at which the power is cut. */
export interface Moment {
  /** The file as last synced. */
  readonly synced: FileImage;
  /** The writes since then, in order. The last one is in progress. */
  readonly pending: readonly Write[];
  /** The states that may be found: the last one reported durable, and those applied since. */
  readonly states: readonly State[];
  /** Whether the database has its final name: not yet, perhaps, or certainly. */
  readonly name: "old" | "either" | "new";
  /** The transaction to which the write belongs, from 0. */
  readonly transaction: number;
}

/** One moment for every write of pages and every commit, in order. */
export function* momentsOf(steps: readonly DiskStep[]): Generator<Moment> {
  let synced: FileImage = { content: Buffer.alloc(0), length: 0 };
  let pending: Write[] = [];
  // Nothing is stored at first; the first line reports that state.
  let states = steps.flatMap((step) => stateIn(step)).slice(0, 1);
  let transaction = 0;
  let name: Moment["name"] = "old";
  for (const step of steps) {
    if (step.kind === "said") {
      states = step.text === "durable" ? states.slice(-1) : [...states, ...stateIn(step)];
    } else if (step.kind === "sync") {
      synced = withWrites(synced, pending);
      pending = [];
    } else if (step.kind === "renamed") {
      name = "either";
    } else if (step.kind === "directory synced") {
      if (name === "either") name = "new";
    } else {
      pending.push(step);
      yield { synced, pending: [...pending], states, name, transaction };
      if (step.kind !== "commit") continue;
      synced = withWrites(synced, [step]);
      pending = pending.filter((write) => write !== step);
      transaction++;
    }
  }
}

function stateIn(step: DiskStep): State[] {
  const [what, revision, digest = ""] = step.kind === "said" ? step.text.split(" ") : [];
  return what === "wrote" ? [{ revision: Number(revision), digest }] : [];
}

/** Everything before the last write, and that many bytes of it. */
export function tornAt({ synced, pending }: Moment, length: number): FileImage {
  const torn = pending.slice(-1).map(({ at, bytes }) => ({ at, bytes: bytes.subarray(0, length) }));
  return withWrites(synced, [...pending.slice(0, -1), ...torn]);
}

/** Keeps or drops each pending sector as `isKept` decides. A disk writes a sector atomically. */
export function scattered({ synced, pending }: Moment, isKept: () => boolean): FileImage {
  const kept: Part[] = [];
  for (const { at, bytes } of pending) {
    for (let from = 0; from < bytes.length; ) {
      const to = Math.min(bytes.length, from + SECTOR - ((at + from) % SECTOR));
      if (isKept()) kept.push({ at: at + from, bytes: bytes.subarray(from, to) });
      from = to;
    }
  }
  return withWrites(synced, kept);
}

const SECTOR = 512;

type Part = Pick<Write, "at" | "bytes">;

function withWrites(file: FileImage, writes: readonly Part[]): FileImage {
  let used = file.content.length;
  let { length } = file;
  for (const { at, bytes } of writes) {
    length = Math.max(length, at + bytes.length);
    if (!isZeros(bytes)) used = Math.max(used, at + bytes.length);
  }
  const content = Buffer.alloc(used);
  file.content.copy(content);
  for (const { at, bytes } of writes) bytes.copy(content, at);
  return { content, length };
}

function isZeros(bytes: Buffer): boolean {
  const zeros = ZEROS.subarray(0, bytes.length);
  return bytes.length <= ZEROS.length && bytes.equals(zeros);
}

const ZEROS = Buffer.alloc(256 * 1024);
