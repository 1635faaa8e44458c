/** "tally version": which Tally this is, and which Kubernetes it speaks. */

import { readFile } from "node:fs/promises";
import { packageFile } from "../base/package-file.ts";
import { UsageError } from "../base/usage-error.ts";
import type { Machine } from "../command/machine.ts";

const KUBERNETES = "1.36";

export interface VersionFlags {
  readonly output: string;
}

export async function version({ output }: VersionFlags, machine: Machine): Promise<void> {
  if (output !== "text" && output !== "json") {
    throw new UsageError(`--output must be text or json, not ${JSON.stringify(output)}`);
  }
  const manifest = await readFile(packageFile("package.json"), "utf8");
  const tally: string = JSON.parse(manifest).version;
  const facts = {
    tally,
    kubernetes: KUBERNETES,
    node: process.version,
    platform: `${process.platform}/${process.arch}`,
  };
  const text = `tally ${tally} (Kubernetes ${KUBERNETES}, Node ${facts.node}, ${facts.platform})`;
  machine.writeOut(`${output === "json" ? JSON.stringify(facts, null, 2) : text}\n`);
}
