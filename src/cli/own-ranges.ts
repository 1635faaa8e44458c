/**
 * Pure: ranges of addresses for a server or an agent beside the usual one. Two on one machine that
 * take theirs from the same range get into each other's way; one with a directory of its own
 * chooses by the name of that directory, and so always the same.
 */
import { hashText } from "../base/hash.ts";
import { SANDBOX_DEFAULTS, type SandboxFlags } from "../command/sandbox-flags.ts";

/** Flags that were given, or their defaults where nobody gave them. */
export function withOwnRange<Flags extends SandboxFlags>(flags: Flags, directory: string): Flags {
  if (flags.podCidr !== SANDBOX_DEFAULTS.podCidr) return flags;
  return { ...flags, podCidr: ownPodRange(directory) };
}

/** One of 64 between 10.64.0.0 and 10.79.255.255, each for 16,381 pods. */
function ownPodRange(directory: string): string {
  const place = hashText(directory) % 64;
  return `10.${64 + (place >> 2)}.${(place & 3) * 64}.0/18`;
}

/** One of 256 between 10.112.0.0 and 10.127.255.255, each for 4,094 Services. */
export function ownServiceRange(directory: string): string {
  const place = (hashText(directory) >>> 6) % 256;
  return `10.${112 + (place >> 4)}.${(place & 15) * 16}.0/20`;
}
