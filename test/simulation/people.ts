/** What users do while Jobs run: create, edit, suspend, scale, delete, relabel, add pods. */
import type { Client, DeleteRequest } from "../../src/api/client.ts";
import type { Job, JobSpec } from "../../src/api/generated/batch.ts";
import type { Pod } from "../../src/api/generated/core.ts";
import { jobs, pods } from "../../src/api/resources.ts";
import type { Chance } from "./chance.ts";
import type { Surroundings } from "./connection.ts";
import type { Shape } from "./shapes.ts";

const NAMESPACE = "default";
const OWNER_LABEL = "batch.kubernetes.io/controller-uid";
const INDEX = "batch.kubernetes.io/job-completion-index";

type Deed = (chance: Chance, job: Job, ownPods: readonly Pod[]) => Asked | undefined;

interface Asked {
  readonly what: string;
  readonly ask: (client: Client) => Promise<unknown>;
}

export class People {
  /** The names of the Jobs that a user has changed. */
  readonly touched = new Set<string>();

  constructor(
    private readonly around: Surroundings,
    private readonly shapes: readonly Shape[],
  ) {}

  /** Schedules all actions, spread over the given time. */
  plan(lengthMs: number): void {
    const { clock, chance } = this.around;
    for (const { body } of this.shapes) {
      clock.schedule(chance.between(0, lengthMs / 4), () => this.#create(body));
    }
    const deeds = chance.happens(0.3) ? 0 : chance.between(1, 10);
    for (let count = 0; count < deeds; count++) {
      const deed = chance.pick(DEEDS);
      clock.schedule(chance.between(500, lengthMs), () => this.#do(deed));
    }
  }

  /** At the end most stopped Jobs are resumed, so that they can end. */
  resume(): void {
    for (const job of this.#jobs()) {
      if (this.around.chance.happens(0.15)) continue;
      const { suspend, parallelism } = job.spec;
      if (suspend) this.#ask(edit(job, { suspend: false }, "resumes"));
      const asked = parallelism === 0 ? scale(job, 2) : undefined;
      if (asked) this.#ask(asked);
    }
  }

  #create(body: Job): void {
    this.#ask({ what: "creates", ask: (client) => client.create(jobs, body) });
  }

  #do(deed: Deed): void {
    const { chance, server } = this.around;
    const known = this.#jobs();
    if (known.length === 0) return;
    const job = chance.pick(known);
    const all = (server()?.store.list("pods").items ?? []) as readonly Pod[];
    const own = all.filter(({ metadata }) => metadata.generateName?.startsWith(`${nameOf(job)}-`));
    const asked = deed(chance, job, own);
    if (!asked) return;
    this.touched.add(nameOf(job));
    this.#ask(asked);
  }

  #jobs(): readonly Job[] {
    return (this.around.server()?.store.list("jobs.batch").items ?? []) as readonly Job[];
  }

  #ask({ what, ask }: Asked): void {
    const { server, perform, note } = this.around;
    const running = server();
    if (!running) return;
    note(`a user ${what}`);
    const answer = perform("user", undefined, () => ask(running.client));
    answer.catch((error: Error) => note(`a user is refused: ${error.message}`));
  }
}

const DEEDS: readonly Deed[] = [
  (_chance, job) => edit(job, { suspend: true }, "suspends"),
  (_chance, job) => edit(job, { suspend: job.spec.suspend !== true }, "suspends or resumes"),
  (_chance, job) => edit(job, { suspend: false }, "resumes"),
  (chance, job) => scale(job, chance.between(0, 6)),
  (chance, job) => scaleElastically(job, chance.between(0, 7)),
  (chance, job) => scaleElastically(job, chance.between(1, 4)),
  (chance, job) => edit(job, { backoffLimit: chance.between(0, 6) }, "limits failures"),
  (chance, job) => edit(job, { activeDeadlineSeconds: chance.between(5, 300) }, "sets a deadline"),
  (chance, job) => changeReplacement(job, chance),
  (chance, _job, own) => deletePod(chance, own, {}),
  (chance, _job, own) => deletePod(chance, own, {}),
  (chance, _job, own) => deletePod(chance, own, { gracePeriodSeconds: 0 }),
  (chance, job) => deleteJob(chance, job),
  (chance, job, own) => relabel(chance, job, own),
  (chance, job) => addStranger(chance, job),
];

function edit({ metadata }: Job, spec: Partial<JobSpec>, what: string): Asked {
  const { name = "" } = metadata;
  const request = { type: "merge", body: { spec } } as const;
  return {
    what: `${what} ${name}: ${JSON.stringify(spec)}`,
    ask: (client) => client.patch(jobs, { namespace: NAMESPACE, name }, request),
  };
}

/**
 * A smaller size followed by another parallelism would lead to a status that Kubernetes rejects: if
 * the two differ, the number of succeeded indexes may not decrease. So both change together.
 */
function scale(job: Job, to: number): Asked | undefined {
  const { completionMode, completions, parallelism } = job.spec;
  const isElastic = completionMode === "Indexed" && completions === parallelism;
  return isElastic ? scaleElastically(job, to) : edit(job, { parallelism: to }, "scales");
}

function scaleElastically(job: Job, to: number): Asked | undefined {
  if (job.spec.completionMode !== "Indexed") return undefined;
  return edit(job, { completions: to, parallelism: to }, "scales elastically");
}

function changeReplacement(job: Job, chance: Chance): Asked | undefined {
  if (job.spec.podFailurePolicy) return undefined;
  const podReplacementPolicy = chance.pick(["Failed", "TerminatingOrFailed"]);
  return edit(job, { podReplacementPolicy }, "replaces otherwise");
}

function deletePod(chance: Chance, own: readonly Pod[], request: DeleteRequest): Asked | undefined {
  if (own.length === 0) return undefined;
  const { name = "" } = chance.pick(own).metadata;
  return {
    what: `deletes pod ${name}`,
    ask: (client) => client.delete(pods, { namespace: NAMESPACE, name }, request),
  };
}

function deleteJob(chance: Chance, { metadata }: Job): Asked {
  const { name = "" } = metadata;
  const propagationPolicy = chance.pick(["Background", "Foreground", "Orphan"] as const);
  return {
    what: `deletes ${name} (${propagationPolicy})`,
    ask: (client) => client.delete(jobs, { namespace: NAMESPACE, name }, { propagationPolicy }),
  };
}

/** With another label, the Job must release the pod; with its own, it must adopt it again. */
function relabel(chance: Chance, { metadata }: Job, own: readonly Pod[]): Asked | undefined {
  if (own.length === 0) return undefined;
  const { name = "", labels = {} } = chance.pick(own).metadata;
  const value = labels[OWNER_LABEL] === metadata.uid ? "nobody" : metadata.uid;
  const body = { metadata: { labels: { [OWNER_LABEL]: value } } };
  return {
    what: `labels pod ${name} as ${value}'s`,
    ask: (client) => client.patch(pods, { namespace: NAMESPACE, name }, { type: "merge", body }),
  };
}

function addStranger(chance: Chance, job: Job): Asked {
  const { metadata, spec } = job;
  const index = chance.happens(0.7) ? { [INDEX]: String(chance.between(0, 6)) } : undefined;
  const body = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      generateName: `${nameOf(job)}-stranger-`,
      namespace: NAMESPACE,
      labels: { [OWNER_LABEL]: metadata.uid ?? "" },
      ...(index ? { annotations: index } : {}),
    },
    spec: spec.template.spec,
    status: {},
  } as Pod;
  return { what: `adds a pod to ${nameOf(job)}`, ask: (client) => client.create(pods, body) };
}

function nameOf({ metadata }: Job): string {
  return metadata.name ?? "";
}
