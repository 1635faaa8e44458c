/** Pure: which runtimes pods on a shared server may use, and how its nodes know. */

/** "engine" stands for Docker and Podman. */
export const RUNTIMES = ["process", "sandbox", "engine", "docker", "podman"] as const;
export type NamedRuntime = (typeof RUNTIMES)[number];

/**
 * An annotation of every Node of a shared server, which overrides any value that a client writes.
 */
export const ALLOWED_RUNTIMES = "tallyjob.io/allowed-runtimes";

const ENGINES: readonly string[] = ["docker", "podman"];

/** An engine that is allowed by its own name is also allowed as "engine", and vice versa. */
export function isAllowedRuntime(name: string, allowed: readonly string[]): boolean {
  if (allowed.includes(name)) return true;
  if (ENGINES.includes(name)) return allowed.includes("engine");
  return name === "engine" && ENGINES.some((engine) => allowed.includes(engine));
}

interface Annotated {
  readonly metadata: { readonly annotations?: { readonly [key: string]: string } };
}

/** Undefined if the server of the node is not shared: then everything is allowed. */
export function findAllowedRuntimes({ metadata }: Annotated): readonly string[] | undefined {
  return metadata.annotations?.[ALLOWED_RUNTIMES]?.split(",");
}

export function formatRuntimes(allowed: readonly string[]): string {
  return allowed.join(",");
}
