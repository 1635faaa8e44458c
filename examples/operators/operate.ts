/**
 * What both operators are: something looks at a request again whenever the request or one of its
 * Jobs changes, and does what is missing. A request is a ConfigMap with a label; everything made
 * for it carries its name in the same label, and is owned by it: deleting it deletes all of it.
 */
import {
  ApiException,
  BatchV1Api,
  CoreV1Api,
  type Informer,
  type KubeConfig,
  type KubernetesObject,
  makeInformer,
  type V1ConfigMap,
  type V1Job,
  type V1ObjectMeta,
} from "@kubernetes/client-node";

export interface Access {
  readonly core: CoreV1Api;
  readonly batch: BatchV1Api;
  readonly namespace: string;
}

export interface Operator {
  /** Its value is the name of the request. */
  readonly label: string;
  reconcile(access: Access, request: V1ConfigMap): Promise<void>;
}

const RETRY_MS = 1000;

/** Works until the signal comes. */
export async function operate(
  config: KubeConfig,
  { namespace, signal }: { readonly namespace: string; readonly signal: AbortSignal },
  { label, reconcile }: Operator,
): Promise<void> {
  const core = config.makeApiClient(CoreV1Api);
  const batch = config.makeApiClient(BatchV1Api);
  const access = { core, batch, namespace };
  const due = new Set<string>();
  let isWorking = false;
  const work = async () => {
    if (isWorking) return;
    isWorking = true;
    for (const name of due) {
      due.delete(name);
      try {
        const request = await unlessAbsent(core.readNamespacedConfigMap({ namespace, name }));
        const isGoing = request?.metadata?.deletionTimestamp !== undefined;
        if (request && !isGoing) await reconcile(access, request);
      } catch (error) {
        process.stderr.write(`${name}: ${error instanceof Error ? error.message : error}\n`);
        setTimeout(() => look(name), RETRY_MS);
      }
    }
    isWorking = false;
  };
  const look = (name: string | undefined) => {
    if (name === undefined || signal.aborted) return;
    due.add(name);
    void work();
  };
  const follow = <T extends KubernetesObject>(informer: Informer<T>) => {
    const hear = ({ metadata }: T) => look(metadata?.labels?.[label]);
    for (const verb of ["add", "update", "delete"] as const) informer.on(verb, hear);
    informer.on("error", () => {
      if (!signal.aborted) setTimeout(() => void informer.start(), RETRY_MS);
    });
    return informer;
  };
  const path = (api: string, kind: string) => `/${api}/namespaces/${namespace}/${kind}`;
  const listMaps = () => core.listNamespacedConfigMap({ namespace, labelSelector: label });
  const listJobs = () => batch.listNamespacedJob({ namespace, labelSelector: label });
  const informers = [
    follow(makeInformer<V1ConfigMap>(config, path("api/v1", "configmaps"), listMaps, label)),
    follow(makeInformer<V1Job>(config, path("apis/batch/v1", "jobs"), listJobs, label)),
  ];
  await Promise.all(informers.map((informer) => informer.start()));
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
  await Promise.all(informers.map((informer) => informer.stop()));
}

/** The name, the label and the owner of what is made for a request. */
export function madeFor(request: V1ConfigMap, { label }: Operator, suffix: string): V1ObjectMeta {
  const { name = "", uid = "" } = request.metadata ?? {};
  const owner = { apiVersion: "v1", kind: "ConfigMap", name, uid, controller: true };
  return {
    name: `${name}-${suffix}`,
    labels: { [label]: name },
    ownerReferences: [{ ...owner, blockOwnerDeletion: true }],
  };
}

export async function unlessAbsent<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof ApiException && error.code === 404) return undefined;
    throw error;
  }
}

export function linesOf(text: string | undefined): readonly string[] {
  return (text ?? "").split("\n").filter((line) => line !== "");
}

/** Takes one line of a variable: that of the index, which the Job controller counts from 0. */
export const OWN_LINE = `$(printf '%s\\n' "$LINES_OF_INPUT" | sed -n "$((JOB_COMPLETION_INDEX + 1))p")`;

/** What the pods of a Job printed, by the index they had: of each the one that succeeded. */
export async function outputsOf(
  { core, namespace }: Access,
  job: string,
): Promise<ReadonlyMap<number, string>> {
  const labelSelector = `batch.kubernetes.io/job-name=${job}`;
  const fieldSelector = "status.phase=Succeeded";
  const { items } = await core.listNamespacedPod({ namespace, labelSelector, fieldSelector });
  const outputs = new Map<number, string>();
  for (const { metadata } of items) {
    const index = metadata?.annotations?.["batch.kubernetes.io/job-completion-index"];
    const name = metadata?.name;
    if (index === undefined || name === undefined) continue;
    outputs.set(Number(index), await core.readNamespacedPodLog({ namespace, name }));
  }
  return outputs;
}

export function hasCondition({ status }: V1Job, type: string): boolean {
  return (status?.conditions ?? []).some((each) => each.type === type && each.status === "True");
}
