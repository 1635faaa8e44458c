/** Functions with which a test creates, reads and plays Jobs and pods of a server. */
import type { Tally } from "../support/tally.ts";

export interface SeenPod {
  readonly name: string;
  readonly uid: string;
  readonly index: string | undefined;
  readonly phase: string;
  readonly resourceVersion: string;
}

export interface SeenJob {
  readonly spec: { readonly completionMode?: string };
  readonly status: {
    readonly active?: number;
    readonly succeeded?: number;
    readonly failed?: number;
    readonly completedIndexes?: string;
    readonly uncountedTerminatedPods?: { readonly failed?: readonly string[] };
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
  readonly metadata: { readonly uid: string; readonly labels?: object };
}

export const JOBS = "/apis/batch/v1/namespaces/default/jobs";
export const PODS = "/api/v1/namespaces/default/pods";
const INDEX = "batch.kubernetes.io/job-completion-index";

export async function createJob(tally: Tally, name: string, spec: object): Promise<SeenJob> {
  const podSpec = { restartPolicy: "Never", containers: [{ name: "c", image: "busybox" }] };
  const body = { metadata: { name }, spec: { template: { spec: podSpec }, ...spec } };
  const { status, json, text } = await tally.call("POST", JOBS, body);
  if (status !== 201) throw new Error(text);
  return json;
}

export async function jobOf(tally: Tally, name: string): Promise<SeenJob> {
  return (await tally.call("GET", `${JOBS}/${name}`)).json;
}

/** Sorted by index, then by name. */
export async function podsOf(tally: Tally, job: string): Promise<readonly SeenPod[]> {
  const { json } = await tally.call("GET", `${PODS}?labelSelector=job-name%3D${job}`);
  const pods: SeenPod[] = json.items.map(seenPod);
  return pods.toSorted((one, other) => sortKey(one).localeCompare(sortKey(other)));
}

interface WirePod {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly annotations?: { readonly [name: string]: string };
  };
  readonly status: { readonly phase: string };
}

function seenPod({ metadata, status }: WirePod): SeenPod {
  const { name, uid, resourceVersion, annotations = {} } = metadata;
  return { name, uid, index: annotations[INDEX], phase: status.phase, resourceVersion };
}

function sortKey({ index = "", name }: SeenPod): string {
  return `${index.padStart(9)} ${name}`;
}

export async function setPhase(tally: Tally, { name }: SeenPod, phase: string): Promise<void> {
  const merge = { "Content-Type": "application/merge-patch+json" };
  const body = { status: { phase } };
  const { status, text } = await tally.call("PATCH", `${PODS}/${name}/status`, body, merge);
  if (status !== 200) throw new Error(text);
}

/** Ends every unfinished pod of the Job. */
export async function succeedAll(tally: Tally, job: string): Promise<void> {
  for (const pod of await podsOf(tally, job)) {
    if (pod.phase !== "Succeeded" && pod.phase !== "Failed")
      await setPhase(tally, pod, "Succeeded");
  }
}

export function hasEnded({ status }: SeenJob, type: "Complete" | "Failed"): boolean {
  return (status.conditions ?? []).some((each) => each.type === type && each.status === "True");
}
