/**
 * The items of a Job that refers to a work list. The objects of the list are read when pods are to
 * be created, and only a few are kept in memory. If a needed object does not exist yet, no pods are
 * created for its indexes, because a client may create the list just after the Job.
 */
import type { Client } from "../../api/client.ts";
import { ApiError } from "../../api/errors.ts";
import type { Job } from "../../api/generated/batch.ts";
import type { Pod } from "../../api/generated/core.ts";
import { controllerOf } from "../../api/owner-reference.ts";
import { configMaps, secrets } from "../../api/resources.ts";
import { WORK_LIST } from "../../api/work-list/names.ts";
import { type ListObjectName, parseListName } from "../../api/work-list/opened-list.ts";
import {
  type Chunk,
  chunkAt,
  chunkName,
  type ListHeader,
  type ListObject,
  openChunk,
  parseHeader,
} from "../../api/work-list/stored-list.ts";
import { findObject } from "../../client/find.ts";
import type { JobDecision } from "./decide.ts";
import { isIndexed } from "./job-facts.ts";
import type { PlannedPod } from "./pod-changes.ts";
import { type AppendedParameters, appendedOf, withItem } from "./work-list-pod.ts";

/** What is remembered about the work list of one Job. */
export interface ListMemory {
  readonly annotation: string;
  readonly place: Place;
  header?: ListHeader;
  /** By number, the most recently used one last. */
  readonly chunks: Map<number, Chunk>;
  /** How many reads in a row failed, and whether an event was recorded about it. */
  misses: number;
  hasComplained: boolean;
}

interface Place extends ListObjectName {
  readonly namespace: string;
}

/** Adds the item of its index to a pod of the Job. */
export type Dress = (pod: Pod, index: number) => Pod;

export interface Dressed {
  readonly decision: JobDecision;
  readonly dress?: Dress;
  /** The message of an event to record once. */
  readonly complaint?: string;
}

/** Enough that retries and re-runs of early indexes do not evict the chunk in use. */
const CHUNKS_KEPT = 4;
const FIRST_LOOK_MS = 10;
const LAST_LOOK_MS = 5_000;
/** Failed reads before an event is recorded: about a second. */
const PATIENCE = 7;

export function hasWorkList({ metadata }: Job): boolean {
  return metadata.annotations?.[WORK_LIST] !== undefined;
}

/** Returns the same decision, without the pods whose items are not available yet. */
export async function dressPods(
  client: Client,
  job: Job,
  memory: { list?: ListMemory },
  decision: JobDecision,
): Promise<Dressed> {
  const { podChanges } = decision;
  if (podChanges.kind !== "create") return { decision };
  const list = recall(job, memory);
  const found = await findItems(client, job, list, podChanges.pods);
  if (found.pods.length === podChanges.pods.length) {
    list.misses = 0;
    list.hasComplained = false;
    return { decision, dress: found.dress };
  }
  const complaint = complain(list, found.problem);
  const delayMs = Math.min(LAST_LOOK_MS, FIRST_LOOK_MS * 2 ** list.misses++);
  // If more pods are missing, do not sync earlier for them: their items are not available either.
  const { againInMs: planned = delayMs } = podChanges.hasMore ? {} : decision;
  const againInMs = Math.min(planned, delayMs);
  const fewer =
    found.pods.length > 0
      ? { ...podChanges, pods: found.pods, hasMore: false }
      : { kind: "wait" as const, delayMs };
  return {
    decision: { ...decision, podChanges: fewer, againInMs },
    dress: found.dress,
    ...(complaint === undefined ? {} : { complaint }),
  };
}

function recall(job: Job, memory: { list?: ListMemory }): ListMemory {
  const annotation = job.metadata.annotations?.[WORK_LIST] ?? "";
  if (memory.list?.annotation === annotation) return memory.list;
  const place: Place = {
    namespace: job.metadata.namespace ?? "",
    ...parseListName(annotation),
  };
  memory.list = { annotation, place, chunks: new Map(), misses: 0, hasComplained: false };
  return memory.list;
}

function complain(list: ListMemory, problem: string | undefined): string | undefined {
  if (list.hasComplained || list.misses < PATIENCE) return undefined;
  list.hasComplained = true;
  return `${WORK_LIST} ${problem ?? "cannot be read"}; pods are created when it is there`;
}

interface FoundItems {
  /** The pods whose items were found. */
  readonly pods: readonly PlannedPod[];
  readonly dress: Dress;
  readonly problem?: string;
}

async function findItems(
  client: Client,
  job: Job,
  list: ListMemory,
  planned: readonly PlannedPod[],
): Promise<FoundItems> {
  const opened = await openList(client, job, list);
  if ("problem" in opened) return { pods: [], dress: (pod) => pod, ...opened };
  const { header, appended } = opened;
  const { kind, name } = list.place;
  let problem: string | undefined;
  const pods: PlannedPod[] = [];
  const dressed = new Map<number, Parameters<typeof withItem>[1]>();
  for (const plan of planned) {
    const index = plan.index ?? 0;
    const at = chunkAt(header, index);
    const chunk = await findChunk(client, job, list, header, at);
    const values = "problem" in chunk ? undefined : chunk.valuesAt(index);
    if (!values) {
      problem ??= "problem" in chunk ? chunk.problem : `has no item for index ${index}`;
      continue;
    }
    pods.push(plan);
    const secret = kind === "Secret" ? { secretName: chunkName(name, at) } : {};
    dressed.set(index, { shape: header, values, index, appended, ...secret });
  }
  const dress: Dress = (pod, index) => {
    const item = dressed.get(index);
    return item ? withItem(pod, item) : pod;
  };
  return { pods, dress, ...(problem === undefined ? {} : { problem }) };
}

type OpenedList =
  | { readonly header: ListHeader; readonly appended: AppendedParameters }
  | { readonly problem: string };

async function openList(client: Client, job: Job, list: ListMemory): Promise<OpenedList> {
  if (!isIndexed(job.spec)) return { problem: "is for Indexed Jobs only" };
  if (!list.header) {
    const object = await findListObject(client, job, list.place, 0);
    if ("problem" in object) return object;
    const parsed = parseHeader(object);
    if ("problem" in parsed) return { problem: `${nameOf(list.place, 0)} ${parsed.problem}` };
    list.header = parsed.header;
    keep(list, 0, openChunk(parsed.header, 0, object));
  }
  const { header } = list;
  const completions = job.spec.completions ?? 0;
  if (header.items < completions) {
    // Forget the header: a correct list may replace this one.
    delete list.header;
    return {
      problem: `${nameOf(list.place, 0)} has ${header.items} items, and the Job has ${completions}`,
    };
  }
  const appended = appendedOf(job, header);
  return "problem" in appended ? appended : { header, appended: appended.parameters };
}

async function findChunk(
  client: Client,
  job: Job,
  list: ListMemory,
  header: ListHeader,
  at: number,
): Promise<Chunk | { readonly problem: string }> {
  const known = list.chunks.get(at);
  if (known) return keep(list, at, known);
  const object = await findListObject(client, job, list.place, at);
  return "problem" in object ? object : keep(list, at, openChunk(header, at, object));
}

function keep({ chunks }: ListMemory, at: number, chunk: Chunk): Chunk {
  chunks.delete(at);
  chunks.set(at, chunk);
  for (const oldest of chunks.keys()) {
    if (chunks.size <= CHUNKS_KEPT) break;
    chunks.delete(oldest);
  }
  return chunk;
}

/**
 * The object must be immutable and must not belong to another Job. Otherwise pods of one Job could
 * get items of different lists.
 */
async function findListObject(
  client: Client,
  job: Job,
  place: Place,
  at: number,
): Promise<ListObject | { readonly problem: string }> {
  const { kind, namespace, name } = place;
  const named = { namespace, name: chunkName(name, at) };
  let object: ListObject | undefined;
  try {
    object =
      kind === "Secret"
        ? await findObject(client, secrets, named)
        : await findObject(client, configMaps, named);
  } catch (error) {
    // On a cluster this controller may lack permission to read the object. The user must be told.
    if (!(error instanceof ApiError) || error.code !== 403) throw error;
    return { problem: `${nameOf(place, at)} may not be read: ${error.message}` };
  }
  if (!object) return { problem: `${nameOf(place, at)} not found` };
  const owner = controllerOf(object);
  if (owner && owner.uid !== job.metadata.uid) {
    return { problem: `${nameOf(place, at)} belongs to another ${owner.kind}` };
  }
  if (object.immutable !== true) return { problem: `${nameOf(place, at)} must be immutable` };
  return object;
}

function nameOf({ kind, name }: Place, at: number): string {
  return `${kind.toLowerCase()} ${JSON.stringify(chunkName(name, at))}`;
}
