/**
 * What the containers of a pod share: a network with an address, a hostname, a way to talk to each
 * other. A container that does nothing holds it, so that it outlives every one of them.
 */
import { addressAt, type Cidr, formatAddress } from "../../../base/address.ts";
import { holderBody } from "./container-body.ts";
import type { Containers } from "./containers.ts";
import type { EngineApi } from "./engine-api.ts";
import type { EngineNetwork, EngineRun } from "./engine-run.ts";
import { PAUSE_IMAGE, PAUSE_REPOSITORY, pauseArchive } from "./pause-image.ts";

export interface PodHoldersOptions {
  readonly api: EngineApi;
  readonly containers: Containers;
  readonly owner: string;
  /** Of the engine's network that is ours. */
  readonly range: Cidr;
}

export class PodHolders {
  private readonly holders = new Map<string, Promise<string>>();
  private ready: Promise<void> | undefined;
  /** Whether there may be something of ours at the engine. */
  wereUsed = false;

  constructor(private readonly options: PodHoldersOptions) {}

  get networkName(): string {
    return `tally-${this.options.owner}`;
  }

  /** The id of the container that holds the pod's network. */
  async find(podUid: string, run: EngineRun, network: EngineNetwork): Promise<string> {
    const known = this.holders.get(podUid);
    if (known) return known;
    const making = this.make(podUid, run, network);
    this.holders.set(podUid, making);
    // What could not be made is tried again with the next container that asks.
    making.catch(() => this.holders.delete(podUid));
    return making;
  }

  adopt(podUid: string, id: string): void {
    this.wereUsed = true;
    this.holders.set(podUid, Promise.resolve(id));
  }

  async release(podUid: string): Promise<void> {
    const holder = this.holders.get(podUid);
    if (!holder) return;
    this.holders.delete(podUid);
    const id = await holder.catch(() => undefined);
    if (id === undefined) return;
    const { containers } = this.options;
    try {
      await containers.remove(id);
    } catch {
      // Somebody of the pod still uses what it holds, though the pod is gone.
      const all = await containers.list(podUid);
      for (const each of all) if (each.run !== undefined) await containers.remove(each.id);
      await containers.remove(id);
    }
  }

  /** Nothing of ours stays at the engine that nobody uses. */
  async close(): Promise<void> {
    await Promise.all([...this.holders.keys()].map((uid) => this.release(uid)));
    const path = `/networks/${this.networkName}`;
    await this.options.api.askIfThere({ method: "DELETE", path }).catch(() => {});
    this.ready = undefined;
  }

  private async make(podUid: string, run: EngineRun, network: EngineNetwork): Promise<string> {
    this.wereUsed = true;
    this.ready ??= this.prepare();
    try {
      await this.ready;
    } catch (error) {
      this.ready = undefined;
      throw error;
    }
    const { containers, owner } = this.options;
    const { networkName } = this;
    const around = { owner, podUid, image: PAUSE_IMAGE, networkName, network };
    const id = await containers.create(`tally_${podUid}`, holderBody(run, around));
    try {
      await containers.start(id);
    } catch (error) {
      await containers.remove(id);
      throw error;
    }
    return id;
  }

  private async prepare(): Promise<void> {
    await Promise.all([this.ensureImage(), this.ensureNetwork()]);
  }

  private async ensureImage(): Promise<void> {
    const { api } = this.options;
    const name = encodeURIComponent(PAUSE_IMAGE);
    const found = await api.askIfThere({ method: "GET", path: `/images/${name}/json` });
    if (found !== undefined) return;
    const body = pauseArchive(process.arch);
    if (!body) throw new Error(`no container can hold a network on ${process.arch}`);
    const query = new URLSearchParams({ fromSrc: "-", repo: PAUSE_REPOSITORY, tag: "latest" });
    const answer = await api.follow({ method: "POST", path: `/images/create?${query}`, body });
    answer.resume();
    await new Promise<void>((resolve) => answer.once("close", resolve));
  }

  private async ensureNetwork(): Promise<void> {
    const { api, range, owner } = this.options;
    const path = `/networks/${this.networkName}`;
    if ((await api.askIfThere({ method: "GET", path })) !== undefined) return;
    const gateway = formatAddress(addressAt(range, 1));
    const subnet = `${formatAddress(range.network)}/${range.prefixLength}`;
    const body = {
      Name: this.networkName,
      Driver: "bridge",
      CheckDuplicate: true,
      Labels: { "tallyjob.io/owner": owner },
      IPAM: { Config: [{ Subnet: subnet, Gateway: gateway }] },
    };
    await api.ask({ method: "POST", path: "/networks/create", body });
  }
}
