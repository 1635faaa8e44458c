/**
 * Replays recorded requests against `tally up`, and compares its answers with those of a real
 * kube-apiserver 1.36.4.
 */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTally, type Tally } from "../support/tally.ts";
import { KEPT_DIFFERENCES } from "./differences.ts";

const REPLAY = fileURLToPath(new URL("tools/replay.mjs", import.meta.url));
const RECORDINGS = fileURLToPath(new URL("recordings/api", import.meta.url));

const SUITES = [
  "job-defaults",
  "job-invalid",
  "job-update",
  "patch",
  "list-watch",
  "table",
  "delete",
  "discovery",
  "other-kinds",
  "apply",
  "odd-requests",
  "odd-definitions",
  "odd-objects",
];

let tally: Tally;

beforeAll(async () => {
  const quiet = ["--no-agent", "--controllers=none", "--authorization-mode=AlwaysAllow"];
  tally = await startTally({ args: [...quiet, "--service-cluster-ip-range=10.96.0.0/16"] });
});

afterAll(() => tally.dispose());

test.each(SUITES)(
  "%s is answered as recorded",
  async (suite) => {
    const failures = await replay(suite);
    const known = KEPT_DIFFERENCES[suite] ?? {};
    const unexpected = failures.filter((failure) => known[failure.case] === undefined);
    expect(unexpected, JSON.stringify(unexpected, null, 1)).toEqual([]);
    const failed = new Set(failures.map((failure) => failure.case));
    const passing = Object.keys(known).filter((name) => !failed.has(name));
    expect(passing, "these pass now: remove them from the list").toEqual([]);
  },
  300_000,
);

interface Failure {
  readonly case: string;
  readonly request: string;
  readonly path: string;
  readonly expected: unknown;
  readonly got: unknown;
}

async function replay(suite: string): Promise<readonly Failure[]> {
  const args = ["--server", tally.url, "--token", tally.token, "--insecure", "--json"];
  const choice = ["--suite", suite, "--parallel", "8", "--loose-dumps"];
  const skip = ["--skip", "all-groups,compacted-history", RECORDINGS];
  const options = { maxBuffer: 64 * 1024 * 1024 };
  const run = promisify(execFile)(process.execPath, [REPLAY, ...args, ...choice, ...skip], options);
  // A failing replay exits with 1 and still prints its report.
  const { stdout } = await run.catch((error: { stdout: string }) => error);
  const report = JSON.parse(stdout) as { suites: { failures: Failure[] }[] };
  return report.suites.flatMap(({ failures }) => failures);
}
