/** "tally install" and "tally uninstall": Tally's kinds and controllers on a cluster. */
import { readFile } from "node:fs/promises";
import { stringify } from "yaml";
import { ApiError } from "../api/errors.ts";
import { dns1123Label } from "../api/names.ts";
import { packageFile } from "../base/package-file.ts";
import { type HttpRequest, objectPath } from "../client/http-requests.ts";
import { CommandFailure } from "../command/command-failure.ts";
import { wrong } from "../command/flags.ts";
import type { Machine } from "../command/machine.ts";
import { type Cluster, type ClusterFlags, openCluster } from "./cluster/cluster.ts";
import { composeInstallation, type Installed, typeOf } from "./install-manifests.ts";

export interface InstallFlags extends ClusterFlags {
  readonly image?: string;
  readonly replicas: string;
  readonly deployment: boolean;
  readonly allowSecrets?: boolean;
  readonly watchNamespace?: string;
  readonly dryRun?: boolean;
}

export interface UninstallFlags extends ClusterFlags {
  readonly crds?: boolean;
  readonly watchNamespace?: string;
  readonly dryRun?: boolean;
}

export const INSTALL_NAMESPACE = "tally-system";

const CRDS = ["jobtemplates", "scheduledjobs", "workflows"].map(
  (name) => `crds/tallyjob.io_${name}.yaml`,
);
const BASE = ["base/namespace.yaml", "base/roles.yaml", "base/controller.yaml"];
const SECRETS = "base/secrets-role.yaml";

export async function install(flags: InstallFlags, machine: Machine): Promise<void> {
  const { image, deployment, allowSecrets, dryRun } = flags;
  const places = readPlaces(flags);
  const replicas = Number(flags.replicas);
  if (!/^\d{1,3}$/.test(flags.replicas) || replicas < 1) {
    throw wrong("--replicas", flags.replicas, "must be a number from 1 to 999");
  }
  if (deployment && image === undefined) throw new CommandFailure(NO_IMAGE);
  const files = [...CRDS, ...BASE, ...(allowSecrets ? [SECRETS] : [])];
  const chosen = { ...places, replicas, ...(deployment && image ? { image } : {}) };
  const objects = composeInstallation(await textsOf(files), chosen);
  if (dryRun) {
    machine.writeOut(objects.map((object) => stringify(object)).join("---\n"));
    return;
  }
  await withCluster(flags, machine, async (cluster) => {
    for (const object of objects) {
      await cluster.ask(applyRequest(object));
      machine.writeOut(`${nameOf(object)} applied\n`);
    }
  });
}

const NO_IMAGE =
  "error: which image is the controller? Build one with the Dockerfile of Tally's sources and " +
  "name it with --image, or run tally controller yourself and use --no-deployment";

/** With the kinds would go all objects of theirs: they stay unless that is asked for. */
export async function uninstall(flags: UninstallFlags, machine: Machine): Promise<void> {
  const chosen = { ...readPlaces(flags), image: "any", replicas: 1 };
  const texts = await textsOf([...(flags.crds ? CRDS : []), ...BASE, SECRETS]);
  const objects = composeInstallation(texts, chosen).toReversed();
  if (flags.dryRun) {
    for (const object of objects) machine.writeOut(`${nameOf(object)} would be deleted\n`);
    return;
  }
  await withCluster(flags, machine, async (cluster) => {
    for (const object of objects) {
      const isThere = await remove(cluster, object);
      if (isThere) machine.writeOut(`${nameOf(object)} deleted\n`);
    }
  });
}

function readPlaces({ namespace, watchNamespace }: InstallFlags | UninstallFlags) {
  const place = readNamespace("--namespace", namespace ?? INSTALL_NAMESPACE);
  if (watchNamespace === undefined) return { namespace: place };
  return { namespace: place, watched: readNamespace("--watch-namespace", watchNamespace) };
}

function readNamespace(flag: string, given: string): string {
  if (dns1123Label(given).length === 0) return given;
  throw wrong(flag, given, 'must be a name such as "batch"');
}

function textsOf(files: readonly string[]): Promise<readonly string[]> {
  return Promise.all(files.map((file) => readFile(packageFile("deploy", file), "utf8")));
}

async function withCluster(
  flags: ClusterFlags,
  machine: Machine,
  task: (cluster: Cluster) => Promise<void>,
): Promise<void> {
  const cluster = await openCluster(flags, machine);
  try {
    await task(cluster);
  } finally {
    cluster.close();
  }
}

/** What others have set in the objects stays; what the installation says wins. */
function applyRequest(object: Installed): HttpRequest {
  const path = objectPath(typeOf(object), object.metadata);
  return {
    method: "PATCH",
    path: `${path}?fieldManager=tally-install&force=true`,
    body: { contentType: "application/apply-patch+yaml", text: JSON.stringify(object) },
  };
}

async function remove(cluster: Cluster, object: Installed): Promise<boolean> {
  try {
    await cluster.ask({ method: "DELETE", path: objectPath(typeOf(object), object.metadata) });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return false;
    throw error;
  }
}

function nameOf({ kind, metadata }: Installed): string {
  return `${kind.toLowerCase()}/${metadata.name}`;
}
