/** Follows a Workflow in the foreground to its end. If the engine is lost, the next one is used. */
import type { Client, Name } from "../../api/client.ts";
import type { Workflow, WorkflowStep } from "../../api/generated/tallyjob.ts";
import { workflows } from "../../api/resources.ts";
import { watchUntil } from "../../client/watch-until.ts";
import type { EngineHost } from "../host/run-host.ts";

export interface FollowWorkflowOptions {
  /** Called once: creates the Workflow, or continues an existing one. */
  readonly create: (client: Client) => Promise<Workflow>;
  /** Called for every state, with the steps whose state has changed. */
  readonly onNews: (workflow: Workflow, changed: readonly WorkflowStep[]) => void;
  /** Called when there is something to stop. Stopping suspends the Workflow; its steps finish. */
  readonly listen: (stop: () => void) => () => void;
}

export type WorkflowEnd = "Complete" | "Failed" | "stopped" | "gone";

export interface FollowedWorkflow {
  readonly end: WorkflowEnd;
  readonly workflow: Workflow;
}

/** The host is still open afterwards. */
export async function followWorkflow(
  host: EngineHost,
  options: FollowWorkflowOptions,
): Promise<FollowedWorkflow> {
  let isStopping = false;
  let unlisten = () => {};
  try {
    const created = await options.create(host.client);
    await host.started;
    const follower = new WorkflowFollower(created, options.onNews);
    unlisten = options.listen(() => {
      isStopping = true;
      // If the engine is lost meanwhile, the next engine is asked again.
      void hold(host.client, follower.name).catch(() => {});
    });
    for (;;) {
      const end = await follower.follow(host.client);
      if (end !== "lost") return { end, workflow: follower.workflow };
      await host.reconnect();
      await host.started;
      if (isStopping) await hold(host.client, follower.name);
    }
  } finally {
    unlisten();
  }
}

export async function hold(client: Client, name: Name): Promise<Workflow> {
  return change(client, name, { suspend: true });
}

export async function release(client: Client, name: Name): Promise<Workflow> {
  return change(client, name, { suspend: false });
}

/** Runs the failed steps again, and the steps that depend on them. */
export async function retryWorkflow(client: Client, name: Name): Promise<Workflow> {
  const { spec, status } = await client.get(workflows, name);
  const retries = Math.max(spec.retries ?? 0, status.retries ?? 0) + 1;
  return change(client, name, { retries, suspend: false });
}

function change(client: Client, name: Name, spec: object): Promise<Workflow> {
  return client.patch(workflows, name, { type: "merge", body: { spec } });
}

/** Remembers what it has reported, so that nothing is reported twice after a lost connection. */
class WorkflowFollower {
  readonly name: Name;
  private readonly uid: string;
  private readonly reported = new Map<string, string>();

  constructor(
    public workflow: Workflow,
    private readonly onNews: FollowWorkflowOptions["onNews"],
  ) {
    const { namespace = "", name = "", uid = "" } = workflow.metadata;
    this.name = { namespace, name };
    this.uid = uid;
  }

  async follow(client: Client): Promise<WorkflowEnd | "lost"> {
    const { namespace = "", name } = this.name;
    const selecting = { namespace, fieldSelector: `metadata.name=${name}` };
    try {
      const { items, resourceVersion } = await client.list(workflows, selecting);
      const found = items.find(({ metadata }) => metadata.uid === this.uid);
      const end = found ? this.take(found) : "gone";
      if (end) return end;
      const ended = await watchUntil(
        client,
        workflows,
        { ...selecting, resourceVersion },
        ({ type, object }) => {
          if (object.metadata.uid !== this.uid) return undefined;
          return type === "DELETED" ? "gone" : this.take(object);
        },
      );
      return ended ?? "lost";
    } catch {
      return "lost";
    }
  }

  private take(workflow: Workflow): WorkflowEnd | undefined {
    this.workflow = workflow;
    const changed = (workflow.status.steps ?? []).filter(({ name, state, job = "" }) => {
      const now = `${state} ${job}`;
      if (this.reported.get(name) === now) return false;
      this.reported.set(name, now);
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
