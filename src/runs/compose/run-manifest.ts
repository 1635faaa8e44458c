/** "tally run -f job.yaml": the Job of a manifest, with the other objects in it. */

import type { Job } from "../../api/generated/batch.ts";
import type { KubeObject } from "../../api/object.ts";
import { SURPLUS_PODS } from "../../api/work-list/names.ts";
import { systemRandom } from "../../base/random.ts";
import { UsageError } from "../../base/usage-error.ts";
import type { Machine } from "../../command/machine.ts";
import { readObjects } from "../../command/read-objects.ts";
import type { RequestedRun } from "./requested-run.ts";
import type { RunCommandFlags, RunWords } from "./run-flags.ts";

/** The kinds that a manifest may contain besides its Job. */
const SUPPORTING = ["ConfigMap", "Secret", "Service"];
const NAMESPACE = "default";

export async function readJobManifest(
  { name, words }: RunWords,
  flags: RunCommandFlags,
  machine: Machine,
): Promise<RequestedRun> {
  if (words.length > 0) throw new UsageError("-f has its own command: give one or the other");
  const filename = [flags.filename ?? ""];
  const objects = (await readObjects({ filename }, machine)).map(({ object }) => object);
  const jobs = objects.filter(({ kind }) => kind === "Job") as Job[];
  const [job, second] = jobs;
  if (!job || second) {
    throw new UsageError(`${flags.filename} must have one Job, and has ${jobs.length}`);
  }
  const support = objects.filter((object) => object !== job);
  const strange = support.find(({ kind }) => !SUPPORTING.includes(kind ?? ""));
  if (strange) {
    throw new UsageError(
      `${flags.filename} has a ${strange.kind}: with a Job there may be ${SUPPORTING.join(", ")}`,
    );
  }
  const namespace = flags.namespace ?? job.metadata.namespace ?? NAMESPACE;
  return {
    job: prepared(job, { name: name ?? nameOf(job), namespace }, flags),
    before: support.map((object) => placed(object, namespace)),
    support: () => [],
    notices: [],
  };
}

/** The name is generated here and not by the server: other objects are named after the Job. */
function nameOf({ metadata }: Job): string {
  const { name, generateName = "" } = metadata;
  if (name !== undefined) return name;
  return `${generateName.slice(0, LONGEST_PREFIX)}${systemRandom.suffix()}`;
}

const LONGEST_PREFIX = 58;

/** A run needs separate stdout and stderr, and running pods must finish when it is paused. */
function prepared(
  job: Job,
  place: { readonly name: string; readonly namespace: string },
  flags: RunCommandFlags,
): Job {
  const { metadata, spec } = job;
  const { template } = spec;
  const podAnnotations = {
    "tallyjob.io/split-output": "true",
    ...template.metadata?.annotations,
  };
  const parallelism = flags.jobs === undefined ? {} : { parallelism: Number(flags.jobs) };
  return {
    ...job,
    metadata: {
      ...metadata,
      ...place,
      annotations: { [SURPLUS_PODS]: "finish", ...metadata.annotations },
    },
    spec: {
      ...spec,
      ...parallelism,
      template: { ...template, metadata: { ...template.metadata, annotations: podAnnotations } },
    },
    status: {},
  };
}

function placed(object: KubeObject, namespace: string): KubeObject {
  return { ...object, metadata: { namespace, ...object.metadata } };
}
