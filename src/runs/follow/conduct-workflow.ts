/**
 * A Workflow in the foreground: followed to its end, whoever's engine it is. When that goes away
 * the next one is reached, be it our own.
 */
import type { Client, Name } from "../../api/client.ts";
import type { Workflow, WorkflowStep } from "../../api/generated/tallyjob.ts";
import { workflows } from "../../api/resources.ts";
import { type Reaching, reachEngine } from "../host/reach-engine.ts";
import type { ReachedEngine } from "../host/reached-engine.ts";

export interface WorkflowConduct {
  readonly reaching: Reaching;
  /** Called once: creates the Workflow, or takes up one that is there. */
  readonly prepare: (client: Client) => Promise<Workflow>;
  /** Of every state that is seen, with the steps that are in another state than before. */
  readonly onNews: (workflow: Workflow, changed: readonly WorkflowStep[]) => void;
  /** Called when there is something to stop; the Workflow is held, and what runs finishes. */
  readonly listen: (stop: () => void) => () => void;
}

export type WorkflowEnd = "Complete" | "Failed" | "stopped" | "gone";

export interface ConductedWorkflow {
  readonly end: WorkflowEnd;
  readonly workflow: Workflow;
}

export async function conductWorkflow(options: WorkflowConduct): Promise<ConductedWorkflow> {
  let engine = await reachEngine(options.reaching);
  let isStopping = false;
  let unlisten = () => {};
  try {
    const prepared = await options.prepare(engine.client);
    await engine.begun;
    const follower = new WorkflowFollower(prepared, options.onNews);
    unlisten = options.listen(() => {
      isStopping = true;
      // One that nobody could hear is said again when there is an engine.
      void hold(engine.client, follower.name).catch(() => {});
    });
    for (;;) {
      const end = await follower.follow(engine.client);
      if (end !== "lost") return { end, workflow: follower.workflow };
      await engine.close();
      engine = await reachEngine(options.reaching);
      await engine.begun;
      if (isStopping) await hold(engine.client, follower.name);
    }
  } finally {
    unlisten();
    await engine.close();
  }
}

export async function hold(client: Client, name: Name): Promise<Workflow> {
  return change(client, name, { suspend: true });
}

export async function release(client: Client, name: Name): Promise<Workflow> {
  return change(client, name, { suspend: false });
}

/** Runs what failed, and what depends on it, once more. */
export async function retryWorkflow(client: Client, name: Name): Promise<Workflow> {
  const { spec, status } = await client.get(workflows, name);
  const retries = Math.max(spec.retries ?? 0, status.retries ?? 0) + 1;
  return change(client, name, { retries, suspend: false });
}

function change(client: Client, name: Name, spec: object): Promise<Workflow> {
  return client.patch(workflows, name, { type: "merge", body: { spec } });
}

/** Whoever loses his engine knows what he has told already. */
class WorkflowFollower {
  readonly name: Name;
  private readonly uid: string;
  private readonly told = new Map<string, string>();

  constructor(
    public workflow: Workflow,
    private readonly onNews: WorkflowConduct["onNews"],
  ) {
    const { namespace = "", name = "", uid = "" } = workflow.metadata;
    this.name = { namespace, name };
    this.uid = uid;
  }

  async follow(client: ReachedEngine["client"]): Promise<WorkflowEnd | "lost"> {
    const { namespace = "", name } = this.name;
    const selecting = { namespace, fieldSelector: `metadata.name=${name}` };
    try {
      const { items, resourceVersion } = await client.list(workflows, selecting);
      const found = items.find(({ metadata }) => metadata.uid === this.uid);
      const end = found ? this.take(found) : "gone";
      if (end) return end;
      return await this.watch(client, { ...selecting, resourceVersion });
    } catch {
      return "lost";
    }
  }

  private watch(
    client: Client,
    request: { readonly namespace: string; readonly resourceVersion: string },
  ): Promise<WorkflowEnd | "lost"> {
    return new Promise((resolve) => {
      const watch = client.watch(workflows, request, {
        onEvent: ({ type, object }) => {
          if (object.metadata.uid !== this.uid) return;
          const end = type === "DELETED" ? "gone" : this.take(object);
          if (!end) return;
          watch.close();
          resolve(end);
        },
        onEnd: () => resolve("lost"),
      });
    });
  }

  private take(workflow: Workflow): WorkflowEnd | undefined {
    this.workflow = workflow;
    const changed = (workflow.status.steps ?? []).filter(({ name, state, job = "" }) => {
      const now = `${state} ${job}`;
      if (this.told.get(name) === now) return false;
      this.told.set(name, now);
      return true;
    });
    this.onNews(workflow, changed);
    return endOf(workflow);
  }
}

function endOf({ metadata, status }: Workflow): WorkflowEnd | undefined {
  if (status.observedGeneration !== metadata.generation) return undefined;
  const { phase, active } = status;
  if (phase === "Complete" || phase === "Failed") return phase;
  return phase === "Suspended" && active === 0 ? "stopped" : undefined;
}
