/** A node whose pods end at once, so that only the cost of Jobs is measured. */
import type { Client } from "../src/api/client.ts";
import type { Pod } from "../src/api/generated/core.ts";
import { pods } from "../src/api/resources.ts";

export interface InstantNodeOptions {
  /** The phases of each pod; at least the last one. */
  readonly phases?: readonly string[];
  /** How many pods end; the others do not change. */
  readonly limit?: number;
}

export interface InstantNode {
  /** Throws if a pod could not be updated or the watch was lost. */
  stop(): void;
}

export async function startInstantNode(
  client: Client,
  { phases = ["Succeeded"], limit = Number.POSITIVE_INFINITY }: InstantNodeOptions = {},
): Promise<InstantNode> {
  const { resourceVersion } = await client.list(pods, { limit: 1 });
  const failures: Error[] = [];
  let seen = 0;
  const run = async ({ metadata }: Pod): Promise<void> => {
    const { name = "", namespace = "" } = metadata;
    for (const phase of phases) {
      // In process, the patch must not happen inside the write that showed the pod.
      await Promise.resolve();
      const body = { status: { phase, conditions: [] } };
      await client.patch(pods, { name, namespace }, { type: "merge", body, subresource: "status" });
    }
  };
  const request = { resourceVersion };
  const watch = client.watch(pods, request, {
    onEvent: ({ type, object }) => {
      if (type !== "ADDED" || seen >= limit) return;
      seen++;
      run(object).catch((error: Error) => failures.push(error));
    },
    onEnd: (error) => failures.push(error ?? new Error("the watch of pods ended")),
  });
  return {
    stop: () => {
      watch.close();
      const [error] = failures;
      if (error) throw new Error(`${failures.length} pods could not be updated`, { cause: error });
    },
  };
}
