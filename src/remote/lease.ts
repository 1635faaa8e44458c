/**
 * Pure: leader election by a Lease that all candidates can read. Clocks of machines may differ, so
 * the times in the lease are ignored: the holder is late if the lease has not changed for its
 * duration, measured by the candidate's own clock.
 */
import type { Lease, LeaseSpec } from "../api/generated/coordination.ts";
import { formatMicroTime } from "../api/time.ts";

export interface LeaseTerms {
  /** If the lease has not changed for this long, another candidate may take it. */
  readonly leaseMs: number;
  /** If no renewal succeeded for this long, the holder must stop acting as leader. */
  readonly renewDeadlineMs: number;
  readonly retryMs: number;
}

export const DEFAULT_TERMS: LeaseTerms = {
  leaseMs: 15_000,
  renewDeadlineMs: 10_000,
  retryMs: 2_000,
};

export interface Candidate {
  readonly identity: string;
  readonly namespace: string;
  readonly name: string;
  /** Information about the holder for others. */
  readonly annotations?: { readonly [name: string]: string };
}

/** The last observed change of the lease, and when it was observed by our own clock. */
export interface Observation {
  readonly lease: Lease | undefined;
  readonly sinceMs: number;
}

export function observeLease(
  before: Observation | undefined,
  lease: Lease | undefined,
  monotonicMs: number,
): Observation {
  const isSame = before && isSameRecord(before.lease, lease);
  return { lease, sinceMs: isSame ? before.sinceMs : monotonicMs };
}

function isSameRecord(one: Lease | undefined, other: Lease | undefined): boolean {
  return one?.metadata.resourceVersion === other?.metadata.resourceVersion;
}

export type Bid =
  | { readonly kind: "create"; readonly lease: Lease }
  | { readonly kind: "take"; readonly lease: Lease }
  | { readonly kind: "wait"; readonly delayMs: number };

export interface Moment {
  readonly nowMs: number;
  readonly monotonicMs: number;
}

export function bidFor(
  candidate: Candidate,
  { lease, sinceMs }: Observation,
  terms: LeaseTerms,
  { nowMs, monotonicMs }: Moment,
): Bid {
  if (!lease) return { kind: "create", lease: composeLease(candidate, undefined, terms, nowMs) };
  const { holderIdentity = "", leaseDurationSeconds } = lease.spec;
  const durationMs = (leaseDurationSeconds ?? 0) * 1000 || terms.leaseMs;
  const remainingMs = sinceMs + durationMs - monotonicMs;
  const isFree = holderIdentity === "" || holderIdentity === candidate.identity;
  if (!isFree && remainingMs > 0) return { kind: "wait", delayMs: remainingMs };
  return { kind: "take", lease: composeLease(candidate, lease, terms, nowMs) };
}

/**
 * Composes a new or renewed lease. A new term starts only if the candidate was not already the
 * holder.
 */
export function composeLease(
  { identity, namespace, name, annotations }: Candidate,
  old: Lease | undefined,
  { leaseMs }: LeaseTerms,
  nowMs: number,
): Lease {
  const time = formatMicroTime(nowMs);
  const isOurs = old?.spec.holderIdentity === identity;
  const { leaseTransitions = 0, acquireTime = time } = old?.spec ?? {};
  return leaseOf(
    {
      ...old?.metadata,
      name,
      namespace,
      ...(annotations ? { annotations: { ...old?.metadata.annotations, ...annotations } } : {}),
    },
    {
      ...old?.spec,
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(leaseMs / 1000),
      acquireTime: isOurs ? acquireTime : time,
      renewTime: time,
      leaseTransitions: old && !isOurs ? leaseTransitions + 1 : leaseTransitions,
    },
  );
}

/** A released lease, which the next candidate can take at once. */
export function composeRelease(lease: Lease, nowMs: number): Lease {
  const time = formatMicroTime(nowMs);
  const { leaseTransitions = 0 } = lease.spec;
  return leaseOf(lease.metadata, {
    holderIdentity: "",
    leaseDurationSeconds: 1,
    acquireTime: time,
    renewTime: time,
    leaseTransitions,
  });
}

function leaseOf(metadata: Lease["metadata"], spec: LeaseSpec): Lease {
  return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec };
}
