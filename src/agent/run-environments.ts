/**
 * Which environment the processes of a pod have: that of its run, if its Job names one, else the
 * agent's own. A pod whose environment is not in the cache yet waits: it never runs with another.
 */
import type { Job } from "../api/generated/batch.ts";
import type { Pod, Secret } from "../api/generated/core.ts";
import { controllerOf } from "../api/owner-reference.ts";
import {
  environmentNameOf,
  LIMITS_NOT_RESTORED,
  parseEnvironmentSecret,
  variablesOf,
} from "../api/run-environment.ts";
import type { Clock } from "../base/clock.ts";
import type { Cache } from "../client/cache.ts";
import type { TellOfPod } from "./admit.ts";
import { allVariables } from "./environment/inherited.ts";
import { type ContainerProblem, configProblem, type Variable } from "./environment/variable.ts";
import type { Notice } from "./notice.ts";
import type { ProcessSettings } from "./runtimes/runtime.ts";

export interface Inherited {
  readonly variables: readonly Variable[];
  /** Absent: that of the agent. */
  readonly workingDirectory?: string;
  /** Absent: those of the agent. */
  readonly settings?: ProcessSettings;
}

export type FoundInherited = Inherited | { readonly problem: ContainerProblem };

export interface RunEnvironmentsOptions {
  readonly jobs: Pick<Cache<Job>, "get" | "onChange">;
  readonly secrets: Pick<Cache<Secret>, "get" | "onChange">;
  /** The agent's own, for pods without a run. */
  readonly own: readonly Variable[];
  readonly clock: Clock;
  /** A pod that had to wait may be tried again. */
  readonly retry: (uid: string) => void;
  readonly tell: TellOfPod;
  readonly tellOfJob: (job: Job, notice: Notice) => void;
}

/** An object that is created right after its Job is there by then. */
const LATE_MS = 1_000;

export class RunEnvironments {
  private readonly own: Inherited;
  private readonly read = new WeakMap<Secret, FoundInherited>();
  private readonly waiting = new Map<string, Pod>();
  /** Jobs whose limits could not be restored, and of which that was told. */
  private readonly told = new Set<string>();

  constructor(private readonly options: RunEnvironmentsOptions) {
    this.own = { variables: options.own };
    options.secrets.onChange(({ object }) => this.retryWaiting(object.metadata.namespace));
    options.jobs.onChange(({ type, object }) => {
      if (type === "DELETED") this.told.delete(object.metadata.uid ?? "");
      this.retryWaiting(object.metadata.namespace);
    });
  }

  of(pod: Pod): FoundInherited {
    const owner = controllerOf(pod);
    if (owner?.kind !== "Job" || !owner.apiVersion.startsWith("batch/")) return this.own;
    const { namespace = "" } = pod.metadata;
    const job = this.options.jobs.get(namespace, owner.name);
    // Only the Job says whether there is an environment.
    if (job?.metadata.uid !== owner.uid) return missing(`job ${JSON.stringify(owner.name)}`);
    const name = environmentNameOf(job);
    if (name === undefined) return this.own;
    const secret = this.options.secrets.get(namespace, name);
    return secret ? this.ofSecret(secret, job) : missing(`secret ${JSON.stringify(name)}`);
  }

  /** Then `retry` says when that is over. */
  mustWait(pod: Pod): boolean {
    const { uid = "" } = pod.metadata;
    if (!("problem" in this.of(pod))) {
      this.waiting.delete(uid);
      return false;
    }
    if (this.waiting.size === 0) this.options.clock.schedule(LATE_MS, () => this.tellOfWaiting());
    this.waiting.set(uid, pod);
    return true;
  }

  forget(uid: string): void {
    this.waiting.delete(uid);
  }

  private ofSecret(secret: Secret, job: Job): FoundInherited {
    const known = this.read.get(secret);
    if (known) return known;
    const found = this.parse(secret, job);
    this.read.set(secret, found);
    return found;
  }

  private parse(secret: Secret, job: Job): FoundInherited {
    const parsed = parseEnvironmentSecret(secret);
    if ("problem" in parsed) {
      return configProblem(
        `${WHAT}: secret ${JSON.stringify(secret.metadata.name)} ${parsed.problem}`,
      );
    }
    const { workingDirectory, umask, limits } = parsed;
    const onUnmet = (unmet: readonly string[]) => this.tellOfLimits(job, unmet);
    return {
      variables: allVariables(Object.fromEntries(variablesOf(parsed))),
      workingDirectory,
      settings: { umask, limits, onUnmet },
    };
  }

  private tellOfLimits(job: Job, unmet: readonly string[]): void {
    const { uid = "" } = job.metadata;
    if (this.told.has(uid)) return;
    this.told.add(uid);
    this.options.tellOfJob(job, { reason: LIMITS_NOT_RESTORED, message: limitsText(unmet) });
  }

  private retryWaiting(namespace: string | undefined): void {
    for (const [uid, pod] of this.waiting) {
      if (pod.metadata.namespace !== namespace || "problem" in this.of(pod)) continue;
      this.waiting.delete(uid);
      this.options.retry(uid);
    }
  }

  /** Of one pod, for all that wait. */
  private tellOfWaiting(): void {
    const [pod] = this.waiting.values();
    const found = pod && this.of(pod);
    if (!pod || !found || !("problem" in found)) return;
    this.options.tell(pod, "Warning", {
      reason: "Failed",
      message: `Error: ${found.problem.message}`,
    });
  }
}

const WHAT = "the environment of its run";

function missing(what: string): FoundInherited {
  return configProblem(`${WHAT}: ${what} not found`);
}

function limitsText(unmet: readonly string[]): string {
  return `the engine was started with lower limits than the run has: ${unmet.join(", ")}`;
}
