/** Finds which controller manages runs on a cluster: Tally's or Kubernetes' own. */
import type { Client } from "../../api/client.ts";
import { ApiError } from "../../api/errors.ts";
import type { Lease } from "../../api/generated/coordination.ts";
import { leases } from "../../api/resources.ts";
import { millisecondsOf } from "../../api/time.ts";
import {
  CONTROLLER_LEASE,
  MANAGED_BY,
  MANAGED_NAMESPACE,
  TALLY_MANAGER,
} from "../../api/work-list/names.ts";
import { type Connection, wholeText } from "../../client/http-connection.ts";
import type { RunManager } from "../compose/compose-cluster-run.ts";

export interface ManagerQuestion {
  readonly client: Client;
  readonly connection: Connection;
  /** The namespace of the run. */
  readonly namespace: string;
  /** The manager that the user or a manifest names, as in spec.managedBy. */
  readonly asked?: string;
  readonly nowMs: number;
}

/** The value of spec.managedBy for the built-in controller of the server. */
export const BUILT_IN_MANAGER = "kubernetes.io/job-controller";

export async function findManager(question: ManagerQuestion): Promise<RunManager> {
  const { asked } = question;
  if (asked !== undefined && asked !== BUILT_IN_MANAGER) return { kind: "controller", name: asked };
  if (await isTallyServer(question.connection)) return { kind: "server" };
  if (asked !== undefined) return { kind: "kubernetes" };
  for (const lease of await findLeases(question)) {
    const name = managerOf(lease, question);
    if (name !== undefined) return { kind: "controller", name };
  }
  return { kind: "kubernetes" };
}

const OWN_API = "/apis/tallyjob.io/v1alpha1";
const LEDGER_RESOURCE = "jobs/indexes";

/** Only a Tally server has the indexes of Jobs as a resource. */
export async function isTallyServer(connection: Connection): Promise<boolean> {
  const answer = await connection.send({ method: "GET", path: OWN_API });
  const text = await wholeText(answer);
  if (answer.status !== 200) return false;
  const { resources = [] } = JSON.parse(text) as {
    readonly resources?: readonly { readonly name: string }[];
  };
  return resources.some(({ name }) => name === LEDGER_RESOURCE);
}

/** The namespace of `tally install`, and the default of `tally controller`. */
const USUAL_NAMESPACES = ["tally-system", "kube-system"];

/** A user who may not list all namespaces looks into the usual ones. */
async function findLeases({ client, namespace }: ManagerQuestion): Promise<readonly Lease[]> {
  const fieldSelector = `metadata.name=${CONTROLLER_LEASE}`;
  const everywhere = await unlessRefused(client.list(leases, { fieldSelector }));
  if (everywhere) return everywhere.items;
  const found: Lease[] = [];
  for (const place of new Set([...USUAL_NAMESPACES, namespace])) {
    const name = { namespace: place, name: CONTROLLER_LEASE };
    const lease = await unlessRefused(client.get(leases, name));
    if (lease) found.push(lease);
  }
  return found;
}

async function unlessRefused<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiError && (error.code === 403 || error.code === 404)) return undefined;
    throw error;
  }
}

/** Allowed difference between the clocks of two machines. */
const SKEW_MS = 30_000;

/** The managedBy of the holder, if its lease is valid and it manages the namespace. */
function managerOf({ metadata, spec }: Lease, { namespace, nowMs }: ManagerQuestion) {
  const { [MANAGED_BY]: name = TALLY_MANAGER, [MANAGED_NAMESPACE]: only = namespace } =
    metadata.annotations ?? {};
  const renewedMs = spec.renewTime ? millisecondsOf(spec.renewTime) : 0;
  const lastsMs = (spec.leaseDurationSeconds ?? 0) * 1000 + SKEW_MS;
  const isHeld = Boolean(spec.holderIdentity) && nowMs - renewedMs < lastsMs;
  return isHeld && only === namespace ? name : undefined;
}
