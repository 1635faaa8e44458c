/**
 * Pure: keys of ledger notes. The notes of one Job name are adjacent: first creations and deletions
 * of Jobs, by revision, then the attempts, by index.
 */

export interface JobName {
  readonly namespace: string;
  readonly jobName: string;
}

/** Job names are never empty, so this cannot be the key of a Job's note. */
export function namespaceKey(namespace: string): string {
  return `${namespace}\0\0`;
}

export function jobPrefix({ namespace, jobName }: JobName): string {
  return `${namespace}\0${jobName}\0`;
}

/** A key after all notes of the Job name. */
export function afterJob({ namespace, jobName }: JobName): string {
  return `${namespace}\0${jobName}\x01`;
}

export function jobEventPrefix(name: JobName): string {
  return `${jobPrefix(name)}e`;
}

export function jobEventKey({ revision, ...name }: JobName & { revision: number }): string {
  return jobEventPrefix(name) + String(revision).padStart(REVISION_DIGITS, "0");
}

export function attemptsPrefix(name: JobName): string {
  return `${jobPrefix(name)}i`;
}

/** The key prefix of all attempts at the index. */
export function indexPrefix({ index, ...name }: JobName & { index: number }): string {
  return `${attemptsPrefix(name)}${String(index).padStart(INDEX_DIGITS, "0")}\0`;
}

export function attemptKey(
  place: JobName & { readonly index: number; readonly podUID: string; readonly run: string },
): string {
  const { podUID, run, ...index } = place;
  return `${indexPrefix(index)}${podUID}\0${run}`;
}

/**
 * Parses a key that starts with the attempts prefix. Faster than parseNoteKey, because there are
 * many such keys.
 */
export function placeOfAttempt(key: string, prefix: string): { index: number; podUID: string } {
  const begin = prefix.length + INDEX_DIGITS + 1;
  const index = Number(key.slice(prefix.length, begin - 1));
  return { index, podUID: key.slice(begin, key.indexOf("\0", begin)) };
}

const REVISION_DIGITS = 16;
const INDEX_DIGITS = 10;

export type ParsedKey =
  | { readonly kind: "namespace"; readonly namespace: string }
  | ({ readonly kind: "event"; readonly revision: number } & JobName)
  | ({ readonly kind: "attempt"; readonly index: number; readonly podUID: string } & JobName);

export function parseNoteKey(key: string): ParsedKey | undefined {
  const [namespace = "", jobName = "", rest = "", podUID = ""] = key.split("\0");
  const number = Number(rest.slice(1));
  if (namespace === "") return undefined;
  if (jobName === "") return { kind: "namespace", namespace };
  if (rest.startsWith("e")) return { kind: "event", namespace, jobName, revision: number };
  if (!rest.startsWith("i")) return undefined;
  return { kind: "attempt", namespace, jobName, index: number, podUID };
}
