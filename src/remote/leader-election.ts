/**
 * Leader election: one of several candidates leads as long as it renews its lease in time; then
 * another one takes over. A waiting candidate watches the lease, so that a released lease is
 * acquired at once.
 */
import type { Client, Closable } from "../api/client.ts";
import { ApiError } from "../api/errors.ts";
import type { Lease } from "../api/generated/coordination.ts";
import { leases } from "../api/resources.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { findObject } from "../client/find.ts";
import {
  bidFor,
  type Candidate,
  composeLease,
  composeRelease,
  type LeaseTerms,
  type Observation,
  observeLease,
} from "./lease.ts";

/** A period of leading. */
export interface Term {
  /**
   * True as long as no other candidate can hold the lease. When it is false, the leader must not
   * act any more.
   */
  isSure(): boolean;
  /** Aborted when the term has ended. */
  readonly signal: AbortSignal;
}

export interface ElectionOptions {
  /** Its timeouts must be below the renew deadline. */
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly candidate: Candidate;
  readonly terms: LeaseTerms;
  /**
   * Must resolve when everything that was started has stopped, soon after the signal of the term.
   */
  readonly lead: (term: Term) => Promise<void>;
}

/** Resolves when `stop` is aborted and the lease is released. Rejects if `lead` failed. */
export async function standForElection(options: ElectionOptions, stop: AbortSignal): Promise<void> {
  await new Election(options, stop).run();
}

class Election {
  private observation: Observation | undefined;
  private sureUntilMs = 0;
  private shownHolder: string | undefined;

  constructor(
    private readonly options: ElectionOptions,
    private readonly stop: AbortSignal,
  ) {}

  async run(): Promise<void> {
    const { log, candidate } = this.options;
    while (!this.stop.aborted) {
      const taken = await this.acquire();
      if (!taken) return;
      log.info("leading", { lease: candidate.name, identity: candidate.identity });
      await this.leadFrom(taken);
    }
  }

  /** Returns undefined if `stop` was aborted first. */
  private async acquire(): Promise<Lease | undefined> {
    const { clock, terms, log } = this.options;
    while (!this.stop.aborted) {
      try {
        const taken = await this.tryOnce();
        if (taken) return taken;
      } catch (error) {
        log.warn("cannot acquire the lease", { error });
        await pause(clock, terms.retryMs, this.stop);
      }
    }
    return undefined;
  }

  private async tryOnce(): Promise<Lease | undefined> {
    const { client, clock, terms, candidate } = this.options;
    const found = await findObject(client, leases, candidate);
    this.observation = observeLease(this.observation, found, clock.monotonicMs());
    this.tellHolder(found);
    const moment = { nowMs: clock.nowMs(), monotonicMs: clock.monotonicMs() };
    const bid = bidFor(candidate, this.observation, terms, moment);
    if (bid.kind === "wait") {
      await this.untilChange(found, Math.min(bid.delayMs, LOOK_AGAIN_MS));
      return undefined;
    }
    try {
      return await this.write(bid.lease, bid.kind === "create");
    } catch (error) {
      if (isConflict(error)) return undefined;
      throw error;
    }
  }

  private async write(lease: Lease, isNew: boolean): Promise<Lease> {
    const { client, clock, terms } = this.options;
    const startMs = clock.monotonicMs();
    const written = await (isNew ? client.create(leases, lease) : client.update(leases, lease));
    this.sureUntilMs = startMs + terms.renewDeadlineMs;
    return written;
  }

  private async leadFrom(taken: Lease): Promise<void> {
    const { clock, lead, log } = this.options;
    const term = new AbortController();
    const isSure = () => clock.monotonicMs() < this.sureUntilMs;
    let failure: unknown;
    const led = lead({ isSure, signal: term.signal }).catch((error: unknown) => {
      failure = error;
      term.abort();
    });
    const last = await this.keep(taken, term.signal);
    if (!this.stop.aborted && failure === undefined) log.warn("no longer leading");
    term.abort();
    await led;
    if (last && isSure()) await this.release(last);
    this.sureUntilMs = 0;
    if (failure !== undefined) throw failure;
  }

  /** Renews the lease until the term must end. Returns undefined if the lease is lost. */
  private async keep(taken: Lease, term: AbortSignal): Promise<Lease | undefined> {
    const { clock, terms, log } = this.options;
    const ended = AbortSignal.any([this.stop, term]);
    let lease = taken;
    for (;;) {
      await pause(clock, terms.retryMs, ended);
      if (ended.aborted) return lease;
      try {
        lease = await this.beforeDeadline(this.renew(lease));
      } catch (error) {
        log.warn("the lease was not renewed", { error });
        if (error instanceof LeaseLost || clock.monotonicMs() >= this.sureUntilMs) return undefined;
      }
    }
  }

  private async renew(lease: Lease): Promise<Lease> {
    const { client, clock, terms, candidate } = this.options;
    try {
      return await this.write(composeLease(candidate, lease, terms, clock.nowMs()), false);
    } catch (error) {
      if (!isConflict(error)) throw error;
      // The conflict may be harmless, for example if somebody added a label.
      const found = await findObject(client, leases, candidate);
      if (found?.spec.holderIdentity !== candidate.identity) throw new LeaseLost();
      return this.write(composeLease(candidate, found, terms, clock.nowMs()), false);
    }
  }

  private async beforeDeadline<T>(renewal: Promise<T>): Promise<T> {
    const { clock } = this.options;
    const waiting = new AbortController();
    const late = pause(clock, this.sureUntilMs - clock.monotonicMs(), waiting.signal).then(() => {
      throw new Error("no answer before the deadline");
    });
    late.catch(() => {});
    try {
      return await Promise.race([renewal, late]);
    } finally {
      waiting.abort();
      renewal.catch(() => {});
    }
  }

  private async release(lease: Lease): Promise<void> {
    const { client, clock, log } = this.options;
    try {
      await client.update(leases, composeRelease(lease, clock.nowMs()));
    } catch (error) {
      log.warn("cannot release the lease", { error });
    }
  }

  private async untilChange(lease: Lease | undefined, delayMs: number): Promise<void> {
    const { client, clock, candidate } = this.options;
    const changed = new AbortController();
    let watch: Closable | undefined;
    const resourceVersion = lease?.metadata.resourceVersion;
    if (resourceVersion !== undefined) {
      const { namespace, name } = candidate;
      const request = { namespace, fieldSelector: `metadata.name=${name}`, resourceVersion };
      const isGivenBack = (seen: Lease) => !seen.spec.holderIdentity;
      watch = client.watch(leases, request, {
        onEvent: ({ type, object }) => {
          if (type === "DELETED" || isGivenBack(object)) changed.abort();
          else this.observation = observeLease(this.observation, object, clock.monotonicMs());
        },
        // The next attempt opens a new watch.
        onEnd: () => {},
      });
    }
    await pause(clock, delayMs, AbortSignal.any([this.stop, changed.signal]));
    watch?.close();
  }

  private tellHolder(lease: Lease | undefined): void {
    const holder = lease?.spec.holderIdentity ?? "";
    if (holder === this.shownHolder) return;
    this.shownHolder = holder;
    if (holder !== "" && holder !== this.options.candidate.identity) {
      this.options.log.info("another candidate leads", { holder });
    }
  }
}

/** The watch may have ended without notice, so the lease is read again after this time. */
const LOOK_AGAIN_MS = 10_000;

class LeaseLost extends Error {
  constructor() {
    super("another candidate holds the lease");
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.code === 409;
}

/** Resolves after the delay, or immediately when the signal is aborted. */
function pause(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const end = () => {
      timer.cancel();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = clock.schedule(Math.max(0, delayMs), end);
    signal.addEventListener("abort", end);
  });
}
