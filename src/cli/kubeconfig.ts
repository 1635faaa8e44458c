/** "tally kubeconfig": credentials of a user that is not the administrator. */
import { join, resolve } from "node:path";
import { issueUser } from "../access/certificates.ts";
import { formatUserKubeconfig } from "../access/kubeconfig.ts";
import { writePrivateFile } from "../access/private-file.ts";
import { readKubeconfig } from "../access/read-kubeconfig.ts";
import { admitGuest } from "../access/server-mode.ts";
import { systemClock } from "../base/clock.ts";
import { notePlace } from "../base/known-places.ts";
import { ensureOwnDirectory } from "../base/own-directory.ts";
import { UsageError } from "../base/usage-error.ts";
import { dataPath } from "../command/data-path.ts";
import type { Machine } from "../command/machine.ts";

export interface KubeconfigFlags {
  readonly group: readonly string[];
  readonly days: string;
  readonly trusted?: boolean;
  readonly data?: string;
  readonly output?: string;
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
  ensureOwnDirectory(data);
  const given = join(data, "kubeconfig");
  const { home, workingDirectory } = machine;
  const server = await readKubeconfig({ given, dataDirectory: data, home, workingDirectory });
  if (server) await admit(user, { isTrusted: flags.trusted ?? false, data });
  const issued = await issueUser({
    directory: join(data, "pki"),
    name: user,
    groups: flags.group,
    days,
    clock: systemClock,
  });
  if (!server || !issued) throw new Error(`${data} is not the data directory of a server`);
  await write(formatUserKubeconfig({ url: server.url, user, ...issued }), flags, machine);
}

/** It holds a key: a file that we make is for its owner alone, whatever the umask is. */
async function write(text: string, { output }: KubeconfigFlags, machine: Machine): Promise<void> {
  if (output !== undefined) {
    const file = resolve(machine.workingDirectory, output);
    await writePrivateFile(file, text);
    notePlace(file, machine);
    return;
  }
  const mode = machine.outFileMode() ?? 0;
  if ((mode & OTHERS_READ) !== 0) machine.writeError(openFileWarning(mode));
  machine.writeOut(text);
}

const OTHERS_READ = 0o044;

function openFileWarning(mode: number): string {
  return (
    `tally: others can read the file that this key is written to (mode 0${mode.toString(8)}): ` +
    "close it with chmod 600, or use -o FILE next time\n"
  );
}

/** Of components, such as the agent of a node. */
const COMPONENT = "system:";

/** Before the credentials exist: a server that was let to somebody never forgets it. */
async function admit(
  user: string,
  { isTrusted, data }: { readonly isTrusted: boolean; readonly data: string },
): Promise<void> {
  if (isTrusted || user.startsWith(COMPONENT)) return;
  if (await admitGuest(data)) return;
  throw new Error(
    "this server serves its own user alone: whoever may create pods there can run " +
      "anything as that user. Start it with tally up --shared to confine what others run, or " +
      `add --trusted if ${user} may act as that user`,
  );
}

function readDays(given: string): number {
  const days = /^\d{1,4}$/.test(given) ? Number(given) : 0;
  if (days > 0 && days <= LONGEST_DAYS) return days;
  const rule = `must be a number from 1 to ${LONGEST_DAYS}`;
  throw new UsageError(`--days ${rule}, not ${JSON.stringify(given)}`);
}
