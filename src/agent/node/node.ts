/**
 * Keeps the Node of this machine: registers it, or takes over the one that is there, and reports
 * for as long as it is open: a Lease every ten seconds, the status when it changed or five minutes
 * have passed.
 *
 * Reading order: this file, compose-node with conditions and host-facts (what is reported), lease,
 * read-host. Pods are none of its business.
 */
import type { Client } from "../../api/client.ts";
import { ApiError } from "../../api/errors.ts";
import type { Lease } from "../../api/generated/coordination.ts";
import type { Node } from "../../api/generated/core.ts";
import { leases, nodes } from "../../api/resources.ts";
import type { Clock, Timer } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { findObject } from "../../client/find.ts";
import {
  composeNode,
  composeStatus,
  type NodeIdentity,
  type NodeReport,
  repairNode,
  tellsTheSame,
} from "./compose-node.ts";
import type { Readiness } from "./conditions.ts";
import type { HostFacts } from "./host-facts.ts";
import { composeLease, LEASE_NAMESPACE, RENEW_MS } from "./lease.ts";

export interface NodeOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly identity: NodeIdentity;
  readonly readHost: () => HostFacts;
}

export interface RegisteredNode {
  /** As it was last seen or written. */
  readonly current: Node;
  /**
   * Reports no more. A node that says so shuts down: nothing is scheduled to it until it is open
   * again. One that falls silent without a word is taken for ready, as it was.
   */
  close(saying?: "shutting down"): Promise<void>;
}

/** Resolves when the node is registered and ready; rejects when the server refuses it. */
export async function openNode(options: NodeOptions): Promise<RegisteredNode> {
  const node = await register(options);
  return new ReportingNode(options, node);
}

const REPORT_MS = 5 * 60 * 1000;
/** Someone else may write to the node at the same moment. */
const MAX_TRIES = 5;

class ReportingNode implements RegisteredNode {
  private node: Node;
  private lease: Lease | undefined;
  private reportedMs: number;
  private timer: Timer | undefined;
  private beat: Promise<void>;
  private isClosed = false;

  constructor(
    private readonly options: NodeOptions,
    node: Node,
  ) {
    this.node = node;
    this.reportedMs = options.clock.monotonicMs();
    this.beat = this.live();
  }

  get current(): Node {
    return this.node;
  }

  async close(saying?: "shutting down"): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    this.timer?.cancel();
    await this.beat;
    if (saying) await this.attempt("say that the node shuts down", () => this.report(saying));
  }

  /** Never rejects: what fails is tried again with the next beat. */
  private async live(): Promise<void> {
    await this.attempt("renew the lease of the node", () => this.renew());
    await this.attempt("report the status of the node", () => this.report("ready"));
    if (this.isClosed) return;
    this.timer = this.options.clock.schedule(RENEW_MS, () => {
      this.beat = this.live();
    });
  }

  private async attempt(what: string, act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.options.log.warn(`cannot ${what}`, { node: this.options.identity.name, error });
    }
  }

  private async renew(): Promise<void> {
    const { client, clock, identity } = this.options;
    const place = { namespace: LEASE_NAMESPACE, name: identity.name };
    // Whatever goes wrong, the next beat starts from what is there.
    const old = this.lease ?? (await findObject(client, leases, place));
    this.lease = undefined;
    const next = composeLease(this.node, old, clock.nowMs());
    this.lease = await (old ? client.update(leases, next) : client.create(leases, next));
  }

  private async report(readiness: Readiness): Promise<void> {
    const { client, clock, identity } = this.options;
    const found = await findObject(client, nodes, { name: identity.name });
    // Someone deleted a node that is alive.
    this.node = found ?? (await register(this.options));
    const sinceMs = clock.monotonicMs() - this.reportedMs;
    const status = composeStatus(this.node.status, reportOf(this.options, readiness));
    if (tellsTheSame(status, this.node.status) && sinceMs < REPORT_MS) return;
    this.node = await client.updateStatus(nodes, { ...this.node, status });
    this.reportedMs = clock.monotonicMs();
  }
}

async function register(options: NodeOptions): Promise<Node> {
  const { client, identity } = options;
  for (let tries = 1; ; tries++) {
    try {
      const found = await findObject(client, nodes, { name: identity.name });
      const report = reportOf(options, "ready");
      const node = found ?? (await client.create(nodes, composeNode(report)));
      const repaired = repairNode(node, report);
      const kept = repaired ? await client.update(nodes, repaired) : node;
      const status = composeStatus(kept.status, report);
      return await client.updateStatus(nodes, { ...kept, status });
    } catch (error) {
      const isRace = error instanceof ApiError && error.code === 409;
      if (!isRace || tries === MAX_TRIES) throw error;
    }
  }
}

function reportOf({ identity, readHost, clock }: NodeOptions, readiness: Readiness): NodeReport {
  return { identity, facts: readHost(), readiness, nowMs: clock.nowMs() };
}
