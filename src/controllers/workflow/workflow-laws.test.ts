/**
 * Random Workflows whose steps succeed or fail at random, with a controller that crashes at any of
 * its calls. Checked by the Jobs that were created and how they ended.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Death, mortalClient } from "../../../test/builders/mortal-client.ts";
import { aServer } from "../../../test/builders/server.ts";
import { aWorkflow, endJob, NAMESPACE, workflowOf } from "../../../test/builders/workflows.ts";
import type { Client } from "../../api/client.ts";
import type { Job } from "../../api/generated/batch.ts";
import { jobs, workflows } from "../../api/resources.ts";
import { silentLog } from "../../base/log.ts";
import { Metrics } from "../../base/metrics.ts";
import { localClient } from "../../client/local.ts";
import { endOf } from "../jobtemplate/new-job.ts";
import { STEP_LABEL } from "./step-job.ts";
import { workflowController } from "./workflow-controller.ts";

interface Life {
  readonly steps: number;
  /** Pairs of steps: the second depends on the first. */
  readonly edges: readonly (readonly [number, number])[];
  /** The number of failing attempts, per step. */
  readonly failures: readonly number[];
  readonly deaths: readonly Death[];
  readonly retries: number;
  /** If set, the Workflow is suspended for a while before the n-th Job ends. */
  readonly heldAt?: number;
  /** Which of the running Jobs ends next. */
  readonly choices: readonly number[];
}

const MAX_STEPS = 7;
const aStep = fc.integer({ min: 0, max: MAX_STEPS - 1 });
const lives: fc.Arbitrary<Life> = fc.record(
  {
    steps: fc.integer({ min: 1, max: MAX_STEPS }),
    edges: fc.array(fc.tuple(aStep, aStep), { maxLength: 12 }),
    failures: fc.array(fc.constantFrom(0, 0, 0, 1, 2), {
      minLength: MAX_STEPS,
      maxLength: MAX_STEPS,
    }),
    deaths: fc.array(
      fc.record({
        call: fc.integer({ min: 1, max: 12 }),
        moment: fc.constantFrom("before" as const, "after" as const),
      }),
      { maxLength: 4 },
    ),
    retries: fc.integer({ min: 0, max: 2 }),
    heldAt: fc.integer({ min: 0, max: 5 }),
    choices: fc.array(fc.nat(), { minLength: 8, maxLength: 8 }),
  },
  { requiredKeys: ["steps", "edges", "failures", "deaths", "retries", "choices"] },
);

test("steps start once, after all their dependencies, and end as their Jobs do", async () => {
  await fc.assert(
    fc.asyncProperty(lives, async (life) => {
      const world = await play(life);
      expect(world.offences).toEqual([]);
      expect(world.states).toEqual(expectedOf(life));
      expect(world.attempts).toEqual(expectedAttempts(life));
    }),
    { numRuns: 200 },
  );
}, 60_000);

const nameOf = (step: number) => `s${step}`;

/** Always from an earlier step to a later one, so that there is no cycle. */
function edgesOf({ steps, edges }: Life): readonly (readonly [number, number])[] {
  const forward = edges.map(
    ([one, other]) => [Math.min(one, other), Math.max(one, other)] as const,
  );
  return forward.filter(([before, after]) => before < after && after < steps);
}

/** The expected final states of the steps, computed without a controller. */
function expectedOf(life: Life): { readonly [step: string]: string } {
  const states: { [step: string]: string } = {};
  for (let step = 0; step < life.steps; step++) {
    const isStopped = edgesOf(life).some(
      ([before, after]) => after === step && states[nameOf(before)] !== "Succeeded",
    );
    const fails = (life.failures[step] ?? 0) > life.retries - failedBefore(life, step);
    states[nameOf(step)] = isStopped ? "Skipped" : fails ? "Failed" : "Succeeded";
  }
  return states;
}

/**
 * The retries used up before a step could start. Each retry applies to all steps failed by then.
 */
function failedBefore(life: Life, step: number): number {
  const own = edgesOf(life).filter(([, after]) => after === step);
  return own.reduce((most, [before]) => {
    return Math.max(most, failedBefore(life, before) + (life.failures[before] ?? 0));
  }, 0);
}

function expectedAttempts(life: Life): { readonly [step: string]: number } {
  const states = expectedOf(life);
  const attempts: { [step: string]: number } = {};
  for (let step = 0; step < life.steps; step++) {
    if (states[nameOf(step)] === "Skipped") continue;
    const left = life.retries - failedBefore(life, step);
    attempts[nameOf(step)] = Math.min(life.failures[step] ?? 0, left) + 1;
  }
  return attempts;
}

async function play(life: Life) {
  const server = aServer();
  const client = localClient(server);
  const dependencies = [
    ...new Set(edgesOf(life).map(([one, two]) => `${nameOf(one)}:${nameOf(two)}`)),
  ];
  const names = Array.from({ length: life.steps }, (_, step) => nameOf(step));
  await client.create(workflows, aWorkflow(names, dependencies));
  const { resourceVersion } = await client.list(jobs);
  const offences = witness(client, resourceVersion, dependencies);
  const deaths = [...life.deaths];
  let stop = () => {};
  const begin = async (): Promise<void> => {
    const mortal = mortalClient(client, deaths.shift());
    const { clock, random } = server;
    const starting = workflowController.start({
      client: mortal,
      clock,
      random,
      log: silentLog,
      metrics: new Metrics(),
    });
    stop = () => void starting.then((running) => running.stop());
    await settle();
    if (!mortal.isDead()) return;
    await begin();
  };
  /** Starts a new controller if the previous one crashed, as after a restart. */
  const look = async (): Promise<void> => {
    stop();
    await begin();
  };
  await look();
  for (let round = 0; ; round++) {
    if (round === life.heldAt) await hold(client, look);
    const running = (await client.list(jobs)).items.filter((job) => !endOf(job));
    const chosen = running[(life.choices[round % life.choices.length] ?? 0) % running.length];
    if (!chosen) {
      if (!(await retry(client, life))) break;
    } else await endOne(client, life, chosen);
    await look();
  }
  stop();
  const { status } = await workflowOf(client);
  const attempts: { [step: string]: number } = {};
  for (const job of (await client.list(jobs)).items) {
    attempts[stepOf(job)] = (attempts[stepOf(job)] ?? 0) + 1;
  }
  const states = Object.fromEntries((status.steps ?? []).map(({ name, state }) => [name, state]));
  return { offences, states, attempts };
}

const settle = async () => {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
};

async function hold(client: Client, look: () => Promise<void>): Promise<void> {
  for (const suspend of [true, false]) {
    const body = { spec: { suspend } };
    await client.patch(workflows, { namespace: NAMESPACE, name: "w" }, { type: "merge", body });
    await look();
  }
}

/** Returns whether another retry was requested. */
async function retry(client: Client, life: Life): Promise<boolean> {
  const { spec, status } = await workflowOf(client);
  const { retries = 0 } = spec;
  if (status.phase !== "Failed" || retries >= life.retries) return false;
  const body = { spec: { retries: retries + 1 } };
  await client.patch(workflows, { namespace: NAMESPACE, name: "w" }, { type: "merge", body });
  return true;
}

async function endOne(client: Client, { failures }: Life, job: Job): Promise<void> {
  const step = Number(stepOf(job).slice(1));
  const before = (await client.list(jobs)).items.filter((each) => stepOf(each) === stepOf(job));
  const fails = before.length <= (failures[step] ?? 0);
  await endJob(client, job.metadata.name ?? "", fails ? "Failed" : "Complete");
}

function stepOf({ metadata }: Job): string {
  return metadata.labels?.[STEP_LABEL] ?? "";
}

/** Checks every Job when it is created. */
function witness(
  client: Client,
  resourceVersion: string,
  dependencies: readonly string[],
): readonly string[] {
  const offences: string[] = [];
  const known = new Map<string, Job>();
  const hasSucceeded = (step: string) =>
    [...known.values()].some((job) => stepOf(job) === step && endOf(job)?.type === "Complete");
  client.watch(
    jobs,
    { resourceVersion },
    {
      onEvent: ({ type, object }) => {
        if (type === "ADDED") {
          const step = stepOf(object);
          for (const text of dependencies) {
            const [before = "", after] = text.split(":");
            if (after === step && !hasSucceeded(before)) offences.push(`${step} before ${before}`);
          }
          const others = [...known.values()].filter((job) => stepOf(job) === step);
          if (others.some((job) => endOf(job)?.type !== "Failed")) offences.push(`${step} twice`);
        }
        known.set(object.metadata.uid ?? "", object);
      },
      onEnd: () => {},
    },
  );
  return offences;
}
