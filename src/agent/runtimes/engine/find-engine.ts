/** Asks at sockets which container engine answers there. */
import { describeError } from "../../../base/describe-error.ts";
import { EngineApi } from "./engine-api.ts";
import type { EngineName } from "./engine-run.ts";

export interface FoundEngine {
  /** "docker" or "podman" */
  readonly name: EngineName;
  /** "4.3.1" */
  readonly version: string;
  readonly socketPath: string;
}

export interface EngineSearch {
  readonly found: readonly FoundEngine[];
  /** What was tried in vain, and why. */
  readonly problems: readonly string[];
}

/** All that answer, one of each name: the first. */
export async function findEngines(paths: readonly string[]): Promise<EngineSearch> {
  const found: FoundEngine[] = [];
  const problems: string[] = [];
  for (const socketPath of paths) {
    const api = new EngineApi(socketPath);
    try {
      const engine = { ...(await askVersion(api)), socketPath };
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
  readonly Components?: readonly { readonly Name: string; readonly Version: string }[] | null;
}

/** One that takes connections and says nothing is none. */
const LONGEST_ANSWER_MS = 5_000;

async function askVersion(api: EngineApi): Promise<Pick<FoundEngine, "name" | "version">> {
  const signal = AbortSignal.timeout(LONGEST_ANSWER_MS);
  const answer = await api.ask<Version>({ method: "GET", path: "/version", signal });
  const podman = answer.Components?.find(({ Name }) => Name.startsWith("Podman"));
  if (podman) return { name: "podman", version: podman.Version };
  return { name: "docker", version: answer.Version ?? "" };
}
