/** Runs indexes again while the controller is stopped at each of the calls it makes. */
import { expect, test } from "vitest";
import { INDEXED } from "../../../test/builders/job.ts";
import { aJobCluster, indexOf, type JobCluster } from "../../../test/builders/job-cluster.ts";
import type { Client } from "../../api/client.ts";

type When = "before" | "after" | "never";

/** Cuts the controller off at one of its calls, before or after the call had its effect. */
class Cut {
  calls = 0;
  isOpen = false;
  isOver = false;

  constructor(
    private readonly at: number,
    private readonly when: When,
  ) {}

  disturb = (client: Client): Partial<Client> => ({
    create: (type, object) =>
      type.resource === "events"
        ? client.create(type, object)
        : this.pass(() => client.create(type, object)),
    patch: (type, name, request) => this.pass(() => client.patch(type, name, request)),
    updateStatus: (type, object) => this.pass(() => client.updateStatus(type, object)),
    delete: (type, name, request) => this.pass(() => client.delete(type, name, request)),
  });

  private async pass<T>(call: () => Promise<T>): Promise<T> {
    if (!this.isOpen) return call();
    if (this.isOver) return new Promise(() => {});
    const isHere = this.calls++ === this.at && this.when !== "never";
    if (!isHere) return call();
    this.isOver = true;
    if (this.when === "after") await call();
    return new Promise(() => {});
  }

  /** Replaces the controller that was cut off. */
  async heal(cluster: JobCluster): Promise<void> {
    if (!this.isOver) return;
    this.isOver = false;
    this.isOpen = false;
    await cluster.restart();
  }
}

const SPEC = { ...INDEXED, completions: 4, parallelism: 2, backoffLimitPerIndex: 0 };
const KEPT = { "tallyjob.io/keep-pods": "all" };

/** Index 0 completed and index 1 failed; both are run again, and everything succeeds. */
async function play(cut: Cut) {
  const cluster = await aJobCluster({}, cut.disturb);
  await cluster.create(SPEC, KEPT);
  await cluster.end("Succeeded", 0);
  await cluster.end("Failed", 1);
  cut.isOpen = true;
  await cluster.annotate({ "tallyjob.io/rerun-indexes": "0-2" });
  for (let round = 0; round < 12; round++) {
    await cut.heal(cluster);
    const [index] = await cluster.running();
    if (index === undefined) break;
    await cluster.end("Succeeded", index);
  }
  await cut.heal(cluster);
  const runs = (await cluster.list()).map(indexOf).sort((one, other) => one - other);
  const { metadata, status } = await cluster.job();
  const { completedIndexes, failedIndexes, succeeded, failed } = status;
  return {
    runs,
    request: metadata.annotations?.["tallyjob.io/rerun-indexes"],
    counted: { completedIndexes, failedIndexes, succeeded, failed },
    conditions: await cluster.conditions(),
  };
}

const EXPECTED = {
  runs: [0, 0, 1, 1, 2, 3],
  request: undefined,
  counted: { completedIndexes: "0-3", failedIndexes: "", succeeded: 4, failed: 1 },
  conditions: ["SuccessCriteriaMet/CompletionsReached", "Complete/CompletionsReached"],
};

test("wherever the controller is stopped, each index is run again once", async () => {
  const whole = new Cut(0, "never");
  expect(await play(whole)).toEqual(EXPECTED);
  expect(whole.calls).toBeGreaterThan(12);
  for (let at = 0; at < whole.calls; at++) {
    for (const when of ["before", "after"] as const) {
      const result = await play(new Cut(at, when));
      expect({ at, when, ...result }).toEqual({ at, when, ...EXPECTED });
    }
  }
});
