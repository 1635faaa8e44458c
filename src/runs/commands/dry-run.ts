/** "tally run --dry-run=client": prints the manifests of a run for any Kubernetes. */
import { formatYaml } from "../../api/schema/yaml-format.ts";
import { UsageError } from "../../base/usage-error.ts";
import { formatJson } from "../../command/json-format.ts";
import type { Machine } from "../../command/machine.ts";
import { composeManifests } from "../compose/compose-manifests.ts";
import type { RunCommandFlags } from "../compose/run-flags.ts";
import type { RunRequest } from "../compose/run-request.ts";

type DryFlags = Pick<RunCommandFlags, "dryRun" | "output" | "runAt" | "asTemplate">;

export function printManifests(
  request: RunRequest | undefined,
  { dryRun, output = "yaml", runAt, asTemplate }: DryFlags,
  { writeOut, writeError }: Pick<Machine, "writeOut" | "writeError">,
): number {
  if (dryRun !== "client") {
    throw new UsageError(`--dry-run must be client, not ${JSON.stringify(dryRun)}`);
  }
  const kept = runAt !== undefined ? "--runAt" : asTemplate ? "--asTemplate" : undefined;
  if (kept) throw new UsageError(`--dry-run does not go with ${kept}: it prints what runs now`);
  if (!request) throw new UsageError("--dry-run is for commands: a manifest is there already");
  if (output !== "yaml" && output !== "json") {
    throw new UsageError(`--output must be yaml or json here, not ${JSON.stringify(output)}`);
  }
  const { objects, notices } = composeManifests(request);
  for (const text of notices) writeError(`tally: ${text}\n`);
  if (output === "yaml") {
    writeOut(objects.map(formatYaml).join("---\n"));
    return 0;
  }
  const [only, second] = objects;
  writeOut(formatJson(second ? { apiVersion: "v1", items: objects, kind: "List" } : only));
  return 0;
}
