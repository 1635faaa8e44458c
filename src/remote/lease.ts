/**
 * Pure: who may lead, by a Lease that all candidates can see. Clocks of machines differ: a holder
 * is late when nothing of the lease has changed for its duration by the candidate's own clock,
 * whatever times are written in it.
 */
import type { Lease, LeaseSpec } from "../api/generated/coordination.ts";
import { formatMicroTime } from "../api/time.ts";

export interface LeaseTerms {
  /** After so long without a sign of the holder, another may take the lease. */
  readonly leaseMs: number;
  /** After so long without a renewal that succeeded, the holder no longer acts as one. */
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
  /** What others should know of the holder. */
  readonly annotations?: { readonly [name: string]: string };
}

/** The lease as it was last seen to change, and when that was by our own clock. */
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

/** Taken or renewed: only one who was not the holder before begins a term of his own. */
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

/** For the next one to take at once. */
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
