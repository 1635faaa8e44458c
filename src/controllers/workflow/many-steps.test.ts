/** The number of calls for Workflows with many steps: one Job per step, and little more. */
import { expect, test } from "vitest";
import { startController } from "../../../test/builders/controller.ts";
import { aWorkflow, endJob, workflowOf } from "../../../test/builders/workflows.ts";
import type { Client } from "../../api/client.ts";
import { jobs, workflows } from "../../api/resources.ts";
import { endOf } from "../jobtemplate/new-job.ts";
import type { Controller } from "../runtime/controller.ts";
import { workflowController } from "./workflow-controller.ts";

const STEPS = 300;
const NAMES = Array.from({ length: STEPS }, (_, at) => `s${at}`);

interface Counted {
  creates: number;
  statusWrites: number;
  reads: number;
}

/** The same controller with counted calls. */
function counting(counted: Counted): Controller {
  const wrapped = (client: Client): Client => ({
    ...client,
    get: (type, name) => {
      counted.reads++;
      return client.get(type, name);
    },
    create: (type, object) => {
      if (type.resource !== "events") counted.creates++;
      return client.create(type, object);
    },
    updateStatus: (type, object) => {
      counted.statusWrites++;
      return client.updateStatus(type, object);
    },
  });
  return {
    name: workflowController.name,
    start: (context) => workflowController.start({ ...context, client: wrapped(context.client) }),
  };
}

async function play(dependencies: readonly string[], isWide: boolean): Promise<Counted> {
  const counted: Counted = { creates: 0, statusWrites: 0, reads: 0 };
  const work = await startController(counting(counted), async (client) => {
    await client.create(workflows, aWorkflow(NAMES, dependencies));
  });
  const { client } = work;
  for (let round = 0; round <= STEPS; round++) {
    for (let turn = 0; turn < (isWide ? 20 : 1); turn++) await work.settle();
    const { status } = await workflowOf(client);
    if (status.phase === "Complete") break;
    const running = (status.steps ?? []).filter(({ state }) => state === "Running");
    for (const { job = "" } of running) await endJob(client, job, "Complete");
  }
  expect((await workflowOf(client)).status).toMatchObject({ phase: "Complete", succeeded: STEPS });
  expect((await client.list(jobs)).items.every((job) => endOf(job) !== undefined)).toBe(true);
  work.stop();
  return counted;
}

test("a chain of steps takes one Job and one status write per step", async () => {
  const chain = NAMES.slice(1).map((name, at) => `${NAMES[at]}:${name}`);
  const { creates, statusWrites, reads } = await play(chain, false);
  expect(creates).toBe(STEPS);
  expect(statusWrites).toBe(STEPS + 1);
  expect(reads).toBe(0);
}, 60_000);

test("independent steps are started together, with few status writes", async () => {
  const last = NAMES.at(-1);
  const fan = NAMES.slice(0, -1).map((name) => `${name}:${last}`);
  const { creates, statusWrites, reads } = await play(fan, true);
  expect(creates).toBe(STEPS);
  expect(statusWrites).toBeLessThan(STEPS);
  expect(reads).toBe(0);
}, 60_000);
