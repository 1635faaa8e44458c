/**
 * Pure: what an agent knows of a pod besides the object itself.
 *
 * Facts are values: `transitions.ts` says what is known after something happened, `recall.ts` what
 * a stored status tells an agent that has just started. From object, facts and the time `plan.ts`
 * says what to do next, and `status.ts` what the pod looks like. Nothing here knows a runtime.
 */
import type { Container, Pod } from "../../api/generated/core.ts";
import type { Exit, Running } from "../runtimes/runtime.ts";

/** What is known of one container: the last run and those before it. */
export interface ContainerFacts {
  /** Of the current or the next run. */
  readonly attempt: number;
  /** Never of the same attempt as `last`. */
  readonly running?: Running;
  /** The end of the latest finished run, and what it left to say. */
  readonly last?: Exit;
  readonly terminationMessage?: string;
  /** What is told instead of what follows from `last`: it could not begin, or was condemned. */
  readonly refusal?: { readonly reason: string; readonly message: string };
  /** The end before `last`. */
  readonly before?: EndedRun;
  /** Asked of the runtime, not answered yet: there may be a process. */
  readonly isStarting?: boolean;
  /** What keeps it from being started: nothing is tried until whoever set it takes it away. */
  readonly waiting?: { readonly reason: string; readonly message?: string };
  /** As probes have it. Absent: whatever runs is started, and whatever is started is ready. */
  readonly isStarted?: boolean;
  readonly isReady?: boolean;
  /** The probe that found that it has to be started again. */
  readonly unhealthy?: "liveness" | "startup";
  /** Of the latest finished run: it was ended for that, and failed however it ended. */
  readonly wasUnhealthy?: boolean;
  /** Of what runs, until it is through: it is told of to nobody before, and ends if this failed. */
  readonly postStart?: "due" | "running" | "failed";
  /** It was asked to end: its preStop hook began, or without one it was sent its stop signal. */
  readonly stoppingSinceMs?: number;
  readonly preStop?: "running" | "over";
  /** When it was sent its stop signal. */
  readonly signalledMs?: number;
  /** When it was last sent SIGKILL. */
  readonly killedMs?: number;
  /** Back-off counts the restarts after this attempt; a long run begins anew. */
  readonly backoffFrom?: number;
  /** The first run since all containers were restarted; those before it are history. */
  readonly firstAttempt?: number;
}

/** A finished run as a status tells it. */
export interface EndedRun {
  readonly exit: Exit;
  readonly message?: string;
  readonly refusal?: { readonly reason: string; readonly message: string };
}

export interface PodFacts {
  /** Init and app containers by name. */
  readonly containers: { readonly [name: string]: ContainerFacts };
  /** Becomes status.startTime. Nothing is started before. */
  readonly acceptedMs?: number;
  /** The first container was asked to end: grace counts from here. */
  readonly stoppingSinceMs?: number;
  /** The node will not have it. Without the words "Pod was rejected: ". */
  readonly rejection?: { readonly reason: string; readonly message: string };
  /** The node ends it for reasons of its own: pressure, or because it shuts down. */
  readonly eviction?: Eviction;
  /** How it was when it was first seen to be deleted: its Job had let go of it, or had not. */
  readonly isLetGo?: boolean;
  /** The object is gone without having waited for its processes. */
  readonly isRemoved?: boolean;
  readonly addresses?: { readonly hostIp: string; readonly podIp: string };
  /** The scheme of container IDs: "process" unless said otherwise. */
  readonly runtimeName?: string;
}

export interface Eviction {
  readonly reason: string;
  readonly message: string;
  readonly sinceMs: number;
  /** Absent: that of the pod. */
  readonly graceSeconds?: number;
}

const UNKNOWN: ContainerFacts = { attempt: 0 };

export function factsOf(facts: PodFacts, name: string): ContainerFacts {
  return facts.containers[name] ?? UNKNOWN;
}

/** There is a process, or there may be one. */
export function isAlive({ running, isStarting }: ContainerFacts): boolean {
  return running !== undefined || isStarting === true;
}

export function hasLife({ containers }: PodFacts): boolean {
  for (const name in containers) if (isAlive(containers[name] ?? UNKNOWN)) return true;
  return false;
}

/** Some process of it runs or ran. */
export function hasBegun({ containers }: PodFacts): boolean {
  for (const name in containers) {
    const { running, last } = containers[name] ?? UNKNOWN;
    if (running !== undefined || last !== undefined) return true;
  }
  return false;
}

/** How it last ended since all containers were restarted, if they ever were. */
export function findEnd({ last, firstAttempt = 0 }: ContainerFacts): Exit | undefined {
  return last !== undefined && last.id.attempt >= firstAttempt ? last : undefined;
}

export function lastRun(known: ContainerFacts): EndedRun | undefined {
  const { last: exit, terminationMessage: message, refusal } = known;
  if (exit === undefined) return undefined;
  return {
    exit,
    ...(message === undefined ? {} : { message }),
    ...(refusal === undefined ? {} : { refusal }),
  };
}

/** It runs or ran since all containers were restarted, if they ever were. */
export function hasRun(facts: ContainerFacts): boolean {
  return facts.running !== undefined || findEnd(facts) !== undefined;
}

/** There is a process, and whoever asks may know. */
export function isShown({ running, postStart }: ContainerFacts): boolean {
  return running !== undefined && postStart === undefined;
}

export function isStarted(facts: ContainerFacts): boolean {
  return isShown(facts) && facts.isStarted !== false;
}

/** A run whose end nobody saw counts as killed. */
export const LOST_EXIT_CODE = 137;

export function exitCodeOf({ exitCode, isLost }: Exit): number {
  return isLost ? LOST_EXIT_CODE : exitCode;
}

export function mainsOf({ spec }: Pod): readonly Container[] {
  return spec.containers ?? [];
}

const NONE: readonly Container[] = [];

/** Added to a pod that runs, to look into it: started once, and of no account to its end. */
export function ephemeralsOf({ spec }: Pod): readonly Container[] {
  return spec.ephemeralContainers ?? NONE;
}

export function initsOf({ spec }: Pod): readonly Container[] {
  return spec.initContainers ?? NONE;
}
