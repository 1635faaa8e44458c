/** Pods as the Job controller finds them: a test names only the fields that matter to it. */
import type { Job } from "../../src/api/generated/batch.ts";
import type { ContainerStatus, Pod, PodStatus } from "../../src/api/generated/core.ts";
import type { ObjectMeta } from "../../src/api/generated/meta.ts";
import { podFactory } from "../../src/controllers/job/new-pod.ts";

export interface JobPodFields {
  readonly uid?: string;
  readonly index?: number;
  /** Default: Pending. */
  readonly phase?: string;
  readonly isReady?: boolean;
  readonly isDeleting?: boolean;
  readonly isTracked?: boolean;
  /** The exit code of its only container, if the pod has finished. */
  readonly exitCode?: number;
  readonly finishedAt?: string;
  readonly failures?: { readonly counted: number; readonly ignored: number };
  readonly metadata?: ObjectMeta;
  readonly status?: PodStatus;
}

let made = 0;

export function aJobPod(job: Job, fields: JobPodFields = {}): Pod {
  const { uid = `uid-${++made}`, index, failures, isTracked = true } = fields;
  const { finalizers = [], ...metadata } = podFactory(job)({
    ...(index === undefined ? {} : { index }),
    ...(failures ? { failures } : {}),
  }).metadata;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...metadata,
      name: `${metadata.generateName}${uid}`,
      uid,
      creationTimestamp: "2026-01-01T00:00:00Z",
      ...(isTracked ? { finalizers } : {}),
      ...(fields.isDeleting ? { deletionTimestamp: "2026-01-01T00:00:30Z" } : {}),
      ...fields.metadata,
    },
    spec: { containers: [] },
    status: { ...statusOf(fields), ...fields.status },
  };
}

function statusOf({ phase = "Pending", isReady, exitCode, finishedAt }: JobPodFields): PodStatus {
  const conditions = [{ type: "Ready", status: "True" }];
  const isOver = exitCode !== undefined || finishedAt !== undefined;
  return {
    phase,
    ...(isReady ? { conditions } : {}),
    ...(isOver ? { containerStatuses: [exited("c", exitCode ?? 0, finishedAt)] } : {}),
  };
}

export function exited(name: string, exitCode: number, finishedAt?: string): ContainerStatus {
  const terminated = { exitCode, ...(finishedAt === undefined ? {} : { finishedAt }) };
  return {
    name,
    state: { terminated },
    lastState: {},
    ready: false,
    restartCount: 0,
    image: "",
    imageID: "",
  };
}
