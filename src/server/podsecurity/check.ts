/** Pure: the interface of a Pod Security check, and functions for their messages. */
import type { Container, PodSpec } from "../../api/generated/core.ts";
import type { Level } from "./policy.ts";

/** The parts of a pod or template that checks read. */
export interface CheckedPod {
  readonly metadata?: { readonly annotations?: { readonly [key: string]: string } };
  readonly spec: PodSpec;
}

export interface Violation {
  readonly reason: string;
  /** The text in parentheses after the reason. */
  readonly detail: string;
}

export type CheckPod = (pod: CheckedPod) => Violation | undefined;

export interface Check {
  /** Checks run in the order of their ids, those of the baseline level first. */
  readonly id: string;
  readonly level: Exclude<Level, "privileged">;
  readonly versions: readonly {
    /** The first minor version of Kubernetes that includes it. */
    readonly since: number;
    readonly check: CheckPod;
    /** A baseline check that this one replaces at the restricted level. */
    readonly replaces?: string;
  }[];
}

type SecurityContext = NonNullable<Container["securityContext"]>;

export interface CheckedContainer extends Pick<Container, "name" | "image"> {
  readonly securityContext?: SecurityContext;
  readonly ports?: Container["ports"];
  readonly livenessProbe?: Container["livenessProbe"];
  readonly readinessProbe?: Container["readinessProbe"];
  readonly startupProbe?: Container["startupProbe"];
  readonly lifecycle?: Container["lifecycle"];
}

/** Init containers first, then containers, then ephemeral ones. */
export function containersOf({ spec }: CheckedPod): readonly CheckedContainer[] {
  const { initContainers = [], containers, ephemeralContainers = [] } = spec;
  return [...initContainers, ...(containers ?? []), ...ephemeralContainers];
}

export function namesOf(
  pod: CheckedPod,
  isBad: (container: CheckedContainer) => boolean,
): readonly string[] {
  return containersOf(pod)
    .filter(isBad)
    .map(({ name }) => name);
}

/** `container "a"`, `containers "a", "b"`. */
export function nameContainers(names: readonly string[]): string {
  return `${plural("container", names.length)} ${joinQuoted(names)}`;
}

/** `pod and containers "a", "b"`; empty if nothing is to be named. */
export function nameSetters(isPod: boolean, names: readonly string[]): string {
  const containers = names.length > 0 ? [nameContainers(names)] : [];
  return [...(isPod ? ["pod"] : []), ...containers].join(" and ");
}

/** Without duplicates, sorted by bytes like Go's sorted sets. */
export function sortedSet(values: Iterable<string>): readonly string[] {
  const texts = [...new Set(values)];
  return texts.sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
}

/** Values are not escaped, as in Kubernetes. */
export function joinQuoted(items: readonly string[]): string {
  return items.map((item) => `"${item}"`).join(", ");
}

export function plural(singular: string, count: number): string {
  return count === 1 ? singular : `${singular}s`;
}

/** A pod for Windows need not set Linux fields, which Windows does not have. */
export function unlessWindows(check: CheckPod): CheckPod {
  return (pod) => (pod.spec.os?.name === "windows" ? undefined : check(pod));
}

/** Root inside a user namespace has no rights outside of it. */
export function unlessOwnUsers(check: CheckPod): CheckPod {
  return (pod) => (pod.spec.hostUsers === false ? undefined : check(pod));
}
