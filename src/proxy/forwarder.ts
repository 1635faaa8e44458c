/**
 * Listens on the addresses of Services and forwards connections to their endpoints.
 *
 * Reading order: plan (which addresses map to which endpoints: pure), this file, balancer,
 * tcp-frontend and udp-frontend. main and proxy-thread run it in a separate thread, so that
 * forwarded traffic does not load the event loop of the server. It does not know Kubernetes
 * objects.
 */
import type { OpenFrontend } from "./open-frontend.ts";
import { type Frontend, keyOf } from "./plan.ts";
import { openTcp } from "./tcp-frontend.ts";
import { openUdp } from "./udp-frontend.ts";

export interface ForwarderOptions {
  /** Whether a client at this address may connect to the address of a Service. */
  readonly mayConnect: (address: string) => boolean;
  /** Called if an address cannot be listened on. It is retried with the next plan. */
  readonly onProblem: (frontend: Frontend, error: Error) => void;
}

export class Forwarder {
  private readonly open = new Map<string, Promise<OpenFrontend | undefined>>();
  private readonly planned = new Map<string, Frontend>();

  constructor(private readonly options: ForwarderOptions) {}

  /** Resolves when all available addresses are listened on. */
  async apply(plan: readonly Frontend[]): Promise<void> {
    const wanted = new Map(plan.map((frontend) => [keyOf(frontend), frontend]));
    const closing: Promise<void>[] = [];
    for (const [key, opening] of this.open) {
      if (wanted.has(key)) continue;
      this.open.delete(key);
      this.planned.delete(key);
      closing.push(opening.then((opened) => opened?.close()));
    }
    await Promise.all(closing);
    await Promise.all([...wanted].map(([key, frontend]) => this.ensure(key, frontend)));
  }

  close(): Promise<void> {
    return this.apply([]);
  }

  private async ensure(key: string, frontend: Frontend): Promise<void> {
    this.planned.set(key, frontend);
    const known = this.open.get(key);
    if (known) {
      (await known)?.update(frontend);
      return;
    }
    const opening = this.tryToOpen(frontend);
    this.open.set(key, opening);
    const opened = await opening;
    const latest = this.planned.get(key);
    if (!opened) this.open.delete(key);
    else if (latest && latest !== frontend) opened.update(latest);
  }

  private async tryToOpen(frontend: Frontend): Promise<OpenFrontend | undefined> {
    const mayConnect = frontend.isOpen ? () => true : this.options.mayConnect;
    try {
      return await (frontend.protocol === "TCP" ? openTcp : openUdp)(frontend, mayConnect);
    } catch (error) {
      this.options.onProblem(frontend, error as Error);
      return undefined;
    }
  }
}
