/**
 * Plays recorded scenarios on a server with controllers and without an agent: the tool plays the
 * node.
 */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const TOOLS = fileURLToPath(new URL("tools/", import.meta.url));
const RECORDINGS = fileURLToPath(new URL("recordings/scenarios/", import.meta.url));

export interface Played {
  readonly passed: number;
  /** For each scenario that differs from its recording: its name, and the differences. */
  readonly failures: readonly string[];
}

export interface ServerAddress {
  readonly url: string;
  readonly token: string;
  /** A file with fields that are added to every Job. */
  readonly patchJob?: string;
}

/**
 * Scenarios mostly wait, so many run concurrently. Not all of them, because some have a deadline of
 * two seconds, and opening all connections at once could take that long.
 */
const AT_ONCE = "16";

/** Recordings with their own tool, which plays all their scenarios concurrently. */
const OWN_TOOLS: { readonly [recording: string]: string } = {
  "cronjobs.json": "cronjobs.mjs",
  "endpoints.json": "endpoints.mjs",
  "statefulsets.json": "statefulsets.mjs",
};

export async function playScenarios(
  { url, token, patchJob }: ServerAddress,
  recording: string,
  /** Only scenarios whose names contain one of these; default: all. */
  only?: readonly string[],
): Promise<Played> {
  const own = OWN_TOOLS[recording];
  const choice = only === undefined ? [] : ["--only", only.join("|")];
  const added = patchJob === undefined ? [] : ["--patch-job", patchJob];
  const manner = own === undefined ? ["--jobs", AT_ONCE, "--verbose"] : [];
  const args = [
    `${TOOLS}${own ?? "scenarios.mjs"}`,
    ...["--server", url, "--token", token, ...choice, ...added, ...manner],
    `${RECORDINGS}${recording}`,
  ];
  const run = promisify(execFile)(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 });
  // If a scenario fails, the tool exits with 1 and still prints its report.
  const { stdout, stderr } = await run.catch((error: { stdout: string; stderr: string }) => error);
  if (!/^\d+ passed, \d+ failed$/m.test(stdout)) throw new Error(`the tool failed:\n${stderr}`);
  const reports = stdout.split(/^(?=ok {3}|FAIL |\d+ passed)/m);
  return {
    passed: reports.filter((report) => report.startsWith("ok ")).length,
    failures: reports.filter((report) => report.startsWith("FAIL ")),
  };
}

export async function recordedScenarios(recording: string): Promise<readonly string[]> {
  const text = await readFile(`${RECORDINGS}${recording}`, "utf8");
  const { scenarios } = JSON.parse(text) as { scenarios: readonly { readonly name: string }[] };
  return scenarios.map(({ name }) => name);
}
