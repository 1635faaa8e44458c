/** A CronJob on the real clock, whose Jobs are processes. */
import { expect, test } from "vitest";
import { Cluster, script, until } from "../agent/cluster.ts";

const CRON_JOBS = "/apis/batch/v1/namespaces/default/cronjobs";
const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const MINUTE_MS = 60_000;

test("a Job runs in each of two minutes", { timeout: 240_000 }, async () => {
  const cluster = await Cluster.start();
  try {
    const template = { spec: { restartPolicy: "Never", containers: [script("date +%s")] } };
    const spec = { schedule: "* * * * *", jobTemplate: { spec: { template } } };
    await cluster.create(CRON_JOBS, { metadata: { name: "c" }, spec });
    const finished = async () => {
      const { json } = await cluster.tally.call("GET", JOBS);
      return json.items.filter((job: { status: { succeeded?: number } }) => job.status.succeeded);
    };
    await until(async () => (await finished()).length === 2);
    const names = (await finished()).map(
      (job: { metadata: { name: string } }) => job.metadata.name,
    );
    const minutes = names.map((name: string) => Number(name.slice("c-".length)));
    expect(minutes[1]).toBe(minutes[0] + 1);
    for (const [at, name] of names.entries()) {
      const [pod] = await cluster.podsOf(name);
      const ranMs = 1000 * Number(await cluster.log(pod?.metadata.name ?? ""));
      expect(Math.floor(ranMs / MINUTE_MS)).toBe(minutes[at]);
    }
    const { json } = await cluster.tally.call("GET", `${CRON_JOBS}/c`);
    expect(Date.parse(json.status.lastScheduleTime) / MINUTE_MS).toBe(minutes[1]);
  } finally {
    await cluster.dispose();
  }
});
