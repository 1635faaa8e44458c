/** Selects a backend: round-robin, or the one that the client used before. */
import type { Backend, Frontend } from "./plan.ts";

/** The maximum number of clients remembered per frontend. The least recently seen are dropped. */
const MAX_CLIENTS = 10_000;

type Choices = Pick<Frontend, "backends" | "affinitySeconds">;

export class Balancer {
  private next = 0;
  private readonly clients = new Map<string, { readonly backend: Backend; readonly ms: number }>();

  constructor(private choices: Choices) {}

  /** Clients stay with a backend that still exists. */
  update(choices: Choices): void {
    this.choices = choices;
  }

  /** The backends in the order in which they are to be tried. */
  choose(client: string, nowMs: number): readonly Backend[] {
    const { backends } = this.choices;
    const kept = this.findKept(client, nowMs);
    if (kept) return [kept, ...backends.filter((each) => each !== kept)];
    const first = this.next++ % Math.max(1, backends.length);
    return [...backends.slice(first), ...backends.slice(0, first)];
  }

  private findKept(client: string, nowMs: number): Backend | undefined {
    const { backends, affinitySeconds } = this.choices;
    const known = affinitySeconds === undefined ? undefined : this.clients.get(client);
    if (known === undefined || affinitySeconds === undefined) return undefined;
    if (nowMs - known.ms >= affinitySeconds * 1000) return undefined;
    return backends.find((each) => isSame(each, known.backend));
  }

  /** Records that a client was served by a backend, so that it gets the same one again. */
  remember(client: string, backend: Backend, nowMs: number): void {
    if (this.choices.affinitySeconds === undefined) return;
    this.clients.delete(client);
    this.clients.set(client, { backend, ms: nowMs });
    if (this.clients.size <= MAX_CLIENTS) return;
    const [oldest] = this.clients.keys();
    if (oldest !== undefined) this.clients.delete(oldest);
  }

  has(backend: Backend): boolean {
    return this.choices.backends.some((each) => isSame(each, backend));
  }
}

function isSame(one: Backend, other: Backend): boolean {
  return one.address === other.address && one.port === other.port;
}
