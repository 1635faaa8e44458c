import { expect, test } from "vitest";
import { aServer } from "../../../test/builders/server.ts";
import type { Lease } from "../../api/generated/coordination.ts";
import { leases } from "../../api/resources.ts";
import { formatMicroTime } from "../../api/time.ts";
import type { Connection } from "../../client/http-connection.ts";
import { localClient } from "../../client/local.ts";
import { findManager } from "./find-manager.ts";

const NOW_MS = Date.parse("2026-01-01T00:00:00Z");

interface Facts {
  readonly ageMs?: number;
  readonly holder?: string;
  readonly annotations?: { readonly [name: string]: string };
  readonly resources?: readonly string[];
  readonly asked?: string;
}

/** A cluster with the lease of a controller, and what its API has. */
async function managerOn(facts: Facts) {
  const { ageMs, holder = "one", annotations, resources, asked } = facts;
  const client = localClient(aServer());
  if (ageMs !== undefined) {
    await client.create(leases, {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name: "tallyjob-controller", namespace: "kube-system", annotations },
      spec: {
        holderIdentity: holder,
        leaseDurationSeconds: 15,
        renewTime: formatMicroTime(NOW_MS - ageMs),
      },
    } as Lease);
  }
  const text = JSON.stringify({ resources: resources?.map((name) => ({ name })) });
  const connection = {
    send: async () => ({ status: resources ? 200 : 404, whole: async () => text }),
  } as unknown as Connection;
  const question = { client, connection, namespace: "default", nowMs: NOW_MS };
  return findManager({ ...question, ...(asked === undefined ? {} : { asked }) });
}

const KUBERNETES = { kind: "kubernetes" };
const OURS = { kind: "controller", name: "tallyjob.io/job-controller" };
const OTHER = "example.com/other";

test.each<[string, Facts, object]>([
  ["nobody has a lease", {}, KUBERNETES],
  ["the lease is held", { ageMs: 2_000 }, OURS],
  ["the lease was given back", { ageMs: 2_000, holder: "" }, KUBERNETES],
  ["the holder has not been heard of for long", { ageMs: 300_000 }, KUBERNETES],
  [
    "the holder looks after Jobs of another name",
    { ageMs: 0, annotations: { "tallyjob.io/managed-by": OTHER } },
    { kind: "controller", name: OTHER },
  ],
  [
    "the holder looks into another namespace",
    { ageMs: 0, annotations: { "tallyjob.io/managed-namespace": "batch" } },
    KUBERNETES,
  ],
  ["only Tally's kinds are installed", { resources: ["workflows"] }, KUBERNETES],
  ["the server is Tally's", { resources: ["jobs/indexes"] }, { kind: "server" }],
  ["somebody decided on it", { ageMs: 0, asked: OTHER }, { kind: "controller", name: OTHER }],
  ["Kubernetes' own is asked for", { ageMs: 0, asked: "kubernetes.io/job-controller" }, KUBERNETES],
])("who looks after a run where %s", async (_, facts, manager) => {
  expect(await managerOn(facts)).toEqual(manager);
});
