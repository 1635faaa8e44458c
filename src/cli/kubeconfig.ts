/** "tally kubeconfig": credentials of a user that is not the administrator. */
import { join } from "node:path";
import { issueUser } from "../access/certificates.ts";
import { formatUserKubeconfig } from "../access/kubeconfig.ts";
import { readKubeconfig } from "../access/read-kubeconfig.ts";
import { systemClock } from "../base/clock.ts";
import { UsageError } from "../base/usage-error.ts";
import { dataPath } from "./data-path.ts";
import type { Machine } from "./machine.ts";

export interface KubeconfigFlags {
  readonly group: readonly string[];
  readonly days: string;
  readonly data?: string;
}

const LONGEST_DAYS = 3650;

export async function kubeconfig(
  user: string,
  flags: KubeconfigFlags,
  machine: Machine,
): Promise<void> {
  if (user === "") throw new UsageError("the name of a user must not be empty");
  if (flags.group.includes("")) throw new UsageError("--group must name a group");
  const days = readDays(flags.days);
  const data = dataPath(flags.data, machine);
  const given = join(data, "kubeconfig");
  const { home, workingDirectory } = machine;
  const server = await readKubeconfig({ given, dataDirectory: data, home, workingDirectory });
  const issued = await issueUser({
    directory: join(data, "pki"),
    name: user,
    groups: flags.group,
    days,
    clock: systemClock,
  });
  if (!server || !issued) throw new Error(`${data} is not the data directory of a server`);
  machine.writeOut(formatUserKubeconfig({ url: server.url, user, ...issued }));
}

function readDays(given: string): number {
  const days = /^\d{1,4}$/.test(given) ? Number(given) : 0;
  if (days > 0 && days <= LONGEST_DAYS) return days;
  const rule = `must be a number from 1 to ${LONGEST_DAYS}`;
  throw new UsageError(`--days ${rule}, not ${JSON.stringify(given)}`);
}
