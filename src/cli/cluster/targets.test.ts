import { expect, test } from "vitest";
import { CommandFailure } from "../../command/command-failure.ts";
import type { Cluster } from "./cluster.ts";
import { offeredBy } from "./discovery.ts";
import { findTargets } from "./targets.ts";

function resource(plural: string, kind: string, more: object = {}) {
  const singularResource = kind.toLowerCase();
  return {
    ...{ resource: plural, responseKind: { kind }, scope: "Namespaced", singularResource },
    ...more,
  };
}

const OFFERED = offeredBy([
  {
    items: [
      {
        versions: [
          {
            version: "v1",
            resources: [
              resource("pods", "Pod", { shortNames: ["po"], categories: ["all"] }),
              resource("nodes", "Node", { scope: "Cluster" }),
              resource("events", "Event"),
            ],
          },
        ],
      },
    ],
  },
  {
    items: [
      {
        metadata: { name: "batch" },
        versions: [
          { version: "v1", resources: [resource("jobs", "Job", { categories: ["all"] })] },
          { version: "v1beta1", resources: [resource("jobs", "Job", { categories: ["all"] })] },
        ],
      },
      {
        metadata: { name: "events.k8s.io" },
        versions: [{ version: "v1", resources: [resource("events", "Event")] }],
      },
    ],
  },
]);

const cluster = { namespace: "ns", offered: async () => OFFERED } as unknown as Cluster;

async function meant(words: string, isEverywhere = false): Promise<readonly string[]> {
  const { targets } = await findTargets(cluster, words.split(" "), { isEverywhere });
  return targets.map(({ type, namespace = "", name = "" }) => {
    const { group, version, resource: plural } = type;
    return [group, version, plural, namespace, name].join("/");
  });
}

test.each([
  ["pods", ["/v1/pods/ns/"]],
  ["pod a b", ["/v1/pods/ns/a", "/v1/pods/ns/b"]],
  ["po,job a", ["/v1/pods/ns/a", "batch/v1/jobs/ns/a"]],
  ["Pod/a job/b", ["/v1/pods/ns/a", "batch/v1/jobs/ns/b"]],
  ["a", ["batch/v1/jobs/ns/a"]],
  ["a b", ["batch/v1/jobs/ns/a", "batch/v1/jobs/ns/b"]],
  ["a po/b", ["batch/v1/jobs/ns/a", "/v1/pods/ns/b"]],
  ["nodes", ["/v1/nodes//"]],
  ["events", ["/v1/events/ns/"]],
  ["events.events.k8s.io", ["events.k8s.io/v1/events/ns/"]],
  ["jobs.v1beta1.batch x", ["batch/v1beta1/jobs/ns/x"]],
  ["all", ["/v1/pods/ns/", "batch/v1/jobs/ns/"]],
])('"%s" means %j', async (words, targets) => {
  expect(await meant(words)).toEqual(targets);
});

test("everywhere there is no namespace, and no name", async () => {
  expect(await meant("pods", true)).toEqual(["/v1/pods//"]);
  await expect(meant("pods a", true)).rejects.toThrow(CommandFailure);
});

test.each(["pods,wrong", "wrong/a", "pods pod/a", "a/b/c", "pods/"])(
  '"%s" is refused',
  async (words) => {
    await expect(meant(words)).rejects.toThrow(CommandFailure);
  },
);
