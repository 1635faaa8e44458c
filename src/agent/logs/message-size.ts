/**
 * How large the termination message of a container may become. Kubernetes reads the last 4096
 * bytes; without a bound a container could fill the disk with what nobody reads.
 */
import {
  chmodSync,
  closeSync,
  constants,
  ftruncateSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from "node:fs";

/** A container may hold a lease on the file: without O_NONBLOCK the kernel would wait for it. */
export const READ = constants.O_RDONLY | constants.O_NONBLOCK;
/** What is read of it. */
export const MOST_BYTES = 4096;
/** What it may occupy while its container runs. */
const MOST_BYTES_RUNNING = 4 * MOST_BYTES;
const BYTES_PER_BLOCK = 512;

/** While the container runs: it may have the file open, so that it has to stay the same file. */
export function boundMessage(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  // Not its length: a writer that does not append leaves a hole before what it writes next.
  if (found === undefined || found.blocks * BYTES_PER_BLOCK <= MOST_BYTES_RUNNING) return;
  keepEnd(file, found.size);
}

/** After the container has ended: nobody else has to write to it any more. */
export function closeMessage(file: string): void {
  const { size } = statSync(file);
  chmodSync(file, 0o600);
  if (size > MOST_BYTES) keepEnd(file, size);
}

function keepEnd(file: string, size: number): void {
  const end = endOf(file, size);
  const descriptor = openSync(file, constants.O_RDWR | constants.O_NONBLOCK);
  try {
    ftruncateSync(descriptor, 0);
    writeSync(descriptor, end, 0, end.length, 0);
  } finally {
    closeSync(descriptor);
  }
}

export function endOf(file: string, size: number): Buffer {
  const descriptor = openSync(file, READ);
  try {
    const bytes = Buffer.alloc(MOST_BYTES);
    const length = readSync(descriptor, bytes, 0, MOST_BYTES, Math.max(0, size - MOST_BYTES));
    return bytes.subarray(0, length);
  } finally {
    closeSync(descriptor);
  }
}
