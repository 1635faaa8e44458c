/** The Job controller in this process, its server in another, and a connection that may break. */
import { expect, type TestContext, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log.ts";
import { Metrics } from "../../src/base/metrics.ts";
import { systemRandom } from "../../src/base/random.ts";
import { remoteClient } from "../../src/client/remote.ts";
import {
  type JobControllerOptions,
  jobController,
} from "../../src/controllers/job/job-controller.ts";
import { playScenarios, recordedScenarios } from "../conformance/play-scenarios.ts";
import { parseMetrics, sumOf } from "../support/metrics-text.ts";
import { poll } from "../support/poll.ts";
import { startTally, type Tally } from "../support/tally.ts";
import {
  createJob,
  hasEnded,
  jobOf,
  podsOf,
  type SeenJob,
  setPhase,
  succeedAll,
} from "./job-client.ts";
import { openRelay } from "./tcp-relay.ts";

const WITHOUT_JOBS = "--controllers=garbage,namespace,rootca,serviceaccount,ttl";
const SOON = { timeout: 120_000, interval: 50 };

/** Registers what is done at the end of a test, in reverse order. */
type AtEnd = TestContext["onTestFinished"];

async function serve(atEnd: AtEnd): Promise<Tally> {
  const tally = await startTally({ args: ["--no-agent", WITHOUT_JOBS] });
  atEnd(() => tally.dispose());
  return tally;
}

async function control(
  atEnd: AtEnd,
  { token, ca }: Tally,
  server: string,
  options: JobControllerOptions = {},
): Promise<Metrics> {
  const client = remoteClient({ server, token, ca });
  const metrics = new Metrics();
  const shared = { clock: systemClock, random: systemRandom, log: silentLog };
  const running = await jobController(options).start({ client, metrics, ...shared });
  atEnd(() => {
    running.stop();
    client.close();
  });
  return metrics;
}

/** Longer than the actions during a back-off take, even on a busy machine. */
const BACKOFF = { firstMs: 20_000, maxMs: 600_000 };
const SOME = ["indexed-", "suspend-", "replacement-", "delete-", "success-policy"];

test.concurrent("Jobs match the recordings with a controller in another process", {
  timeout: 600_000,
}, async ({ onTestFinished }) => {
  const tally = await serve(onTestFinished);
  await control(onTestFinished, tally, tally.url, { backoff: BACKOFF });
  const { passed, failures } = await playScenarios(tally, "jobs.json", SOME);
  expect(failures, failures.join("\n")).toEqual([]);
  const names = await recordedScenarios("jobs.json");
  expect(passed).toBe(names.filter((name) => SOME.some((part) => name.includes(part))).length);
});

test.concurrent("without a connection syncs fail and are counted, and pods are not touched", {
  timeout: 300_000,
}, async ({ onTestFinished }) => {
  const tally = await serve(onTestFinished);
  const relay = await openRelay(tally.url);
  onTestFinished(() => relay.close());
  const metrics = await control(onTestFinished, tally, relay.url, { backoff: BACKOFF });
  const syncs = (result: "success" | "error") =>
    sumOf(parseMetrics(metrics.text()), "job_sync_total", { result });
  await createJob(tally, "j", { completionMode: "Indexed", completions: 3, parallelism: 2 });
  await poll(async () => (await podsOf(tally, "j")).length, SOON).toBe(2);
  const [first, second] = await podsOf(tally, "j");
  if (!first || !second) throw new Error("two pods were expected");
  await setPhase(tally, first, "Failed");
  await poll(async () => isSettled(await jobOf(tally, "j")), SOON).toBe(true);
  // Waits for one more sync: then the controller has seen its own writes and waits for the
  // back-off.
  const successes = syncs("success");
  await setPhase(tally, second, "Running");
  await poll(() => syncs("success"), SOON).toBeGreaterThan(successes);

  relay.cut();
  const before = await podsOf(tally, "j");
  await poll(() => syncs("error"), SOON).toBeGreaterThan(2);
  expect(await podsOf(tally, "j")).toEqual(before);
  await setPhase(tally, second, "Succeeded");
  const errors = syncs("error");
  await poll(() => syncs("error"), SOON).toBeGreaterThan(errors);
  expect((await jobOf(tally, "j")).status.succeeded).toBeUndefined();

  relay.join();
  const hasCompleted = async () => {
    await succeedAll(tally, "j");
    return hasEnded(await jobOf(tally, "j"), "Complete");
  };
  await poll(hasCompleted, SOON).toBe(true);
  const { status } = await jobOf(tally, "j");
  expect(status).toMatchObject({ succeeded: 3, failed: 1, completedIndexes: "0-2" });
});

function isSettled({ status }: SeenJob): boolean {
  const { failed, uncountedTerminatedPods: uncounted } = status;
  return failed === 1 && (uncounted?.failed ?? []).length === 0;
}
