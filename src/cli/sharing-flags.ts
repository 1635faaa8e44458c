/** Pure: the flags of a server that is shared: what they mean, and what they exclude. */
import { isAllowedRuntime, type NamedRuntime, RUNTIMES } from "../api/shared-runtimes.ts";
import { UsageError } from "../base/usage-error.ts";
import { wrong } from "../command/flags.ts";
import type { EngineOptions } from "../engine-options.ts";

/** As given: every value is text, absent where the flag was not used. */
export interface SharingFlags {
  readonly shared?: boolean;
  readonly allowedRuntimes?: string;
  readonly defaultRuntime: string;
  readonly authorizationMode: string;
  readonly insecurePort?: string;
}

export const DEFAULT_ALLOWED_RUNTIMES = "sandbox,engine";

/** Undefined for a server that is alone. */
export function readSharing(flags: SharingFlags): EngineOptions["sharing"] {
  const { shared = false, allowedRuntimes: given } = flags;
  if (!shared) {
    if (given === undefined) return undefined;
    throw new UsageError("--allowed-runtimes needs --shared");
  }
  if (flags.authorizationMode !== "RBAC") {
    throw new UsageError(
      "--shared needs --authorization-mode=RBAC: AlwaysAllow makes everybody administrator",
    );
  }
  if (flags.insecurePort !== undefined) {
    throw new UsageError(
      "--shared excludes --insecure-port: every program that reaches it is administrator",
    );
  }
  const allowedRuntimes = readRuntimes(given ?? DEFAULT_ALLOWED_RUNTIMES);
  const { defaultRuntime } = inSandboxes(flags);
  if (defaultRuntime === "process") {
    const rule = "may not be the default with --shared: such pods are privileged";
    throw wrong("--default-runtime", defaultRuntime, rule);
  }
  if (isAllowedRuntime(defaultRuntime, allowedRuntimes)) return { allowedRuntimes };
  throw wrong("--default-runtime", defaultRuntime, "must be one of --allowed-runtimes");
}

/** "auto" would make processes of the host. */
export function inSandboxes<Flags extends { readonly defaultRuntime: string }>(
  flags: Flags,
): Flags {
  return flags.defaultRuntime === "auto" ? { ...flags, defaultRuntime: "sandbox" } : flags;
}

function readRuntimes(given: string): readonly NamedRuntime[] {
  const names = given.split(",").map((name) => name.trim());
  const known = names.flatMap((name) => RUNTIMES.filter((runtime) => runtime === name));
  if (known.length === names.length) return [...new Set(known)];
  throw wrong("--allowed-runtimes", given, `must be some of ${RUNTIMES.join(", ")}`);
}
