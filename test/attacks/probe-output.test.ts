/** Probes whose commands print without end, while the probe runs and afterwards. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Cluster, script, until } from "../agent/cluster.ts";

const MIB = 1024 * 1024;
const SLEEP = "exec sleep 1000";

let cluster: Cluster;
beforeAll(async () => {
  cluster = await Cluster.start();
});
afterAll(() => cluster.dispose());

function probed(name: string, text: string): Promise<void> {
  const exec = { command: ["sh", "-c", text] };
  const readinessProbe = { exec, periodSeconds: 1000, timeoutSeconds: 500 };
  return cluster.createPod(name, { containers: [{ ...script(SLEEP), readinessProbe }] });
}

async function unhealthy(pod: string): Promise<string> {
  let found: string | undefined;
  await until(async () => {
    found = (await cluster.eventsOf(pod)).find((event) => event.startsWith("Unhealthy: "));
    return found !== undefined;
  });
  return found ?? "";
}

test("the event of a failed probe has the beginning of a long output", async () => {
  await probed("long", "echo beginning; head -c 50000000 /dev/zero | tr '\\0' x; exit 3");
  const told = await unhealthy("long");
  expect(told).toMatch(/^Unhealthy: Readiness probe failed: beginning\nx+$/);
  const failed = "Unhealthy: Readiness probe failed: ".length;
  expect(told.length - failed).toBeLessThanOrEqual(10 * 1024);
});

/** Prints a MiB, records how often it has done so, and repeats. */
function printing(notes: string): string {
  const print = `head -c ${MIB} /dev/zero; n=$((n+1)); echo $n > ${notes}; sleep 0.02`;
  return `n=0; while :; do ${print}; done`;
}

function written(notes: string): number {
  try {
    return Number(readFileSync(notes, "utf8"));
  } catch {
    return 0;
  }
}

test.each([
  ["running", (text: string, pid: string) => `echo $$ > ${pid}; ${text}`],
  ["left-behind", (text: string, pid: string) => `{ ${text}; } & echo $! > ${pid}; exit 0`],
])("the output of a %s probe command is cut on disk", async (name, command) => {
  const notes = path.join(cluster.tally.dataDir, `notes-${name}`);
  const pidFile = path.join(cluster.tally.dataDir, `pid-${name}`);
  await probed(name, command(printing(notes), pidFile));
  await until(async () => written(notes) >= 100);
  const pid = readFileSync(pidFile, "utf8").trim();
  // Measured through the process, because the file may already be unlinked.
  expect(statSync(`/proc/${pid}/fd/1`).blocks * 512).toBeLessThan(50 * MIB);
  expect(written(notes)).toBeGreaterThanOrEqual(100);
  const { uid = "" } = (await cluster.findPod(name))?.metadata ?? {};
  expect(outputsOf(uid)).toHaveLength(1);
  await cluster.deletePod(name, 0);
  await until(async () => outputsOf(uid).length === 0);
});

function outputsOf(podUid: string): readonly string[] {
  const directory = path.join(cluster.tally.dataDir, "agent", "probes");
  return readdirSync(directory).filter((file) => file.startsWith(podUid));
}
