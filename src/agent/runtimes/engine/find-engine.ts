/** Asks at sockets which container engine answers there. */
import { describeError } from "../../../base/describe-error.ts";
import { EngineApi } from "./engine-api.ts";
import type { EngineName } from "./engine-run.ts";

export interface FoundEngine {
  /** "docker" or "podman" */
  readonly name: EngineName;
  /** "4.3.1" */
  readonly version: string;
  /** In which it is spoken to: "1.40". */
  readonly apiVersion: string;
  readonly socketPath: string;
}

export interface EngineSearch {
  readonly found: readonly FoundEngine[];
  /** What was tried in vain, and why. */
  readonly problems: readonly string[];
}

/** All that answer, one of each name: the first. */
export async function findEngines(
  paths: readonly string[],
  longestAnswerMs = LONGEST_ANSWER_MS,
): Promise<EngineSearch> {
  const found: FoundEngine[] = [];
  const problems: string[] = [];
  for (const socketPath of paths) {
    const api = new EngineApi(socketPath);
    try {
      const engine = { ...(await askVersion(api, longestAnswerMs)), socketPath };
      if (!found.some(({ name }) => name === engine.name)) found.push(engine);
    } catch (error) {
      problems.push(`${socketPath}: ${describeError(error)}`);
    } finally {
      api.close();
    }
  }
  return { found, problems };
}

interface Version {
  readonly Version?: string;
  readonly MinAPIVersion?: string;
  readonly Components?: readonly { readonly Name: string; readonly Version: string }[] | null;
}

/** One that takes connections and says nothing is none. */
const LONGEST_ANSWER_MS = 5_000;

async function askVersion(
  api: EngineApi,
  longestAnswerMs: number,
): Promise<Pick<FoundEngine, "name" | "version" | "apiVersion">> {
  const signal = AbortSignal.timeout(longestAnswerMs);
  const answer = await api.ask<Version>({ method: "GET", path: "/version", signal });
  const podman = answer.Components?.find(({ Name }) => Name.startsWith("Podman"));
  const apiVersion = apiVersionFor(answer.MinAPIVersion);
  if (podman) return { name: "podman", version: podman.Version, apiVersion };
  return { name: "docker", version: answer.Version ?? "", apiVersion };
}

/** Old enough for most engines that are in use, and new enough for what is asked of them. */
const API_VERSION = "1.40";

/** What is asked for is the same ever since: one that forgot this version hears its oldest. */
function apiVersionFor(oldest = API_VERSION): string {
  const [major = 0, minor = 0] = oldest.split(".").map(Number);
  const [ourMajor = 0, ourMinor = 0] = API_VERSION.split(".").map(Number);
  const isForgotten = major > ourMajor || (major === ourMajor && minor > ourMinor);
  return isForgotten ? oldest : API_VERSION;
}
