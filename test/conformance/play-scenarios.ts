/** Plays recorded scenarios on a server with controllers and no agent: the tool is the node. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const TOOLS = fileURLToPath(new URL("tools/", import.meta.url));
const RECORDINGS = fileURLToPath(new URL("recordings/scenarios/", import.meta.url));

export interface Played {
  readonly passed: number;
  /** Of each scenario that went another way than recorded: its name, and where it differs. */
  readonly failures: readonly string[];
}

export interface ServerAddress {
  readonly url: string;
  readonly token: string;
  /** A file with what is added to every Job. */
  readonly patchJob?: string;
}

/**
 * Scenarios mostly wait: so many at once take as long as all would. Not all, because some leave
 * two seconds until a deadline, which a crowd of first connections alone can take.
 */
const AT_ONCE = "16";

/** Recordings that have a tool of their own are played all at once by it. */
const OWN_TOOLS: { readonly [recording: string]: string } = {
  "cronjobs.json": "cronjobs.mjs",
  "endpoints.json": "endpoints.mjs",
  "statefulsets.json": "statefulsets.mjs",
};

export async function playScenarios(
  { url, token, patchJob }: ServerAddress,
  recording: string,
  /** Those that have one of these in their names; absent: all. */
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
  // With a failing scenario it exits with 1 and still reports.
  const { stdout, stderr } = await run.catch((error: { stdout: string; stderr: string }) => error);
  if (!/^\d+ passed, \d+ failed$/m.test(stdout)) throw new Error(`the tool broke off:\n${stderr}`);
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
