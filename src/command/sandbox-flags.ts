/** Pure: the flags for the runtime of pods: defaults and validation. */
import { type Cidr, parseCidr } from "../base/address.ts";
import type { SandboxMeasures } from "../engine-options.ts";
import { wrong } from "./flags.ts";

/** As given: every value is text; absent if the flag was not given. */
export interface SandboxFlags {
  readonly defaultRuntime: string;
  readonly podCidr: string;
  readonly enginePodCidr: string;
  readonly sandboxShare?: readonly string[];
}

export const SANDBOX_DEFAULTS: SandboxFlags = {
  defaultRuntime: "auto",
  podCidr: "10.213.0.0/16",
  enginePodCidr: "10.215.0.0/16",
};

/** A narrower range has too few addresses; a wider one would conflict with other networks. */
const POD_PREFIX = { widest: 8, narrowest: 28 };

export function readSandbox(flags: SandboxFlags): SandboxMeasures {
  const { defaultRuntime, podCidr: given, sandboxShare: sharedPaths = [] } = flags;
  const runtimes = ["auto", "process", "sandbox", "engine", "docker", "podman"] as const;
  const chosen = runtimes.find((each) => each === defaultRuntime);
  if (chosen === undefined) {
    throw wrong("--default-runtime", defaultRuntime, `must be one of ${runtimes.join(", ")}`);
  }
  const podCidr = readPodRange("--pod-cidr", given);
  const enginePodCidr = readPodRange("--engine-pod-cidr", flags.enginePodCidr);
  const relative = sharedPaths.find((path) => !path.startsWith("/"));
  if (relative !== undefined) {
    throw wrong("--sandbox-share", relative, "must be an absolute path");
  }
  return { defaultRuntime: chosen, podCidr, enginePodCidr, sharedPaths };
}

function readPodRange(flag: string, given: string): Cidr {
  const cidr = parseCidr(given);
  const { widest, narrowest } = POD_PREFIX;
  const isFit = cidr && cidr.prefixLength >= widest && cidr.prefixLength <= narrowest;
  if (isFit && cidr.network.length === 4) return cidr;
  throw wrong(flag, given, 'must be a range such as "10.213.0.0/16"');
}
