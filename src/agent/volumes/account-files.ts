/**
 * What a pod needs to speak to the server as its ServiceAccount: token, ca.crt and namespace, in a
 * directory that all pods of the account share. It is made for the first of them, and its token is
 * replaced before it expires for as long as one of them is there.
 */
import { chmodSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import type { Client } from "../../api/client.ts";
import type { Pod, ServiceAccount } from "../../api/generated/core.ts";
import { serviceAccounts } from "../../api/resources.ts";
import type { Clock, Timer } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { type Cache, openCache } from "../../client/cache.ts";
import type { TellOfPod } from "../admit.ts";
import { writeAtomically } from "./atomic-writer.ts";
import { refreshDelayMs } from "./token-refresh.ts";

export interface AccountFilesOptions {
  readonly directory: string;
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly tell: TellOfPod;
  /** PEM: what the certificate of the server is checked against. */
  readonly certificateAuthority: string;
}

/** Where containers look for it. */
export const ACCOUNT_MOUNT_PATH = "/var/run/secrets/kubernetes.io/serviceaccount";

interface Supply {
  readonly account: ServiceAccount;
  readonly directory: string;
  /** UIDs of pods. */
  readonly users: Set<string>;
  /** While the first of them waits. */
  making: Promise<void> | undefined;
  isMade: boolean;
  timer: Timer | undefined;
}

export class AccountFiles {
  private readonly supplies = new Map<string, Supply>();
  /** By the UID of a pod that has begun. */
  private readonly byPod = new Map<string, Supply>();
  private accounts: Cache<ServiceAccount> | undefined;
  private opening: Promise<unknown> | undefined;
  private isClosed = false;

  constructor(private readonly options: AccountFilesOptions) {}

  /** Undefined where there is nothing to wait for. What cannot be had is told, and that is all. */
  prepare(pod: Pod): Promise<void> | undefined {
    if (pod.spec.automountServiceAccountToken === false) return undefined;
    if (this.accounts === undefined) return this.open().then(() => this.prepare(pod));
    const { uid = "" } = pod.metadata;
    const supply = this.byPod.get(uid) ?? this.assign(pod);
    if (supply === undefined || supply.isMade) return undefined;
    supply.making ??= this.make(supply, pod).finally(() => {
      supply.making = undefined;
    });
    return supply.making;
  }

  /** Undefined: the pod has none. */
  directoryOf({ metadata }: Pod): string | undefined {
    const supply = this.byPod.get(metadata.uid ?? "");
    return supply?.isMade ? supply.directory : undefined;
  }

  release(podUid: string): void {
    this.byPod.get(podUid)?.users.delete(podUid);
    this.byPod.delete(podUid);
  }

  close(): void {
    this.isClosed = true;
    this.accounts?.close();
    for (const { timer } of this.supplies.values()) timer?.cancel();
  }

  private open(): Promise<unknown> {
    const { client, clock, log } = this.options;
    this.opening ??= openCache({ client, clock, log, type: serviceAccounts }).then((accounts) => {
      this.accounts = accounts;
      if (this.isClosed) accounts.close();
      else this.sweep(accounts.list());
    });
    return this.opening;
  }

  private sweep(accounts: readonly ServiceAccount[]): void {
    const known = new Set(accounts.map(({ metadata }) => metadata.uid));
    for (const uid of list(this.options.directory)) {
      if (known.has(uid)) continue;
      rmSync(path.join(this.options.directory, uid), { recursive: true, force: true });
    }
  }

  private assign(pod: Pod): Supply | undefined {
    const { namespace = "", uid = "" } = pod.metadata;
    const account = this.accounts?.get(namespace, pod.spec.serviceAccountName || DEFAULT_ACCOUNT);
    if (account === undefined) return undefined;
    const { automountServiceAccountToken: isMounted = true } = account;
    if (!(pod.spec.automountServiceAccountToken ?? isMounted)) return undefined;
    const accountUid = account.metadata.uid ?? "";
    const supply = this.supplies.get(accountUid) ?? this.newSupply(account);
    this.supplies.set(accountUid, supply);
    supply.users.add(uid);
    this.byPod.set(uid, supply);
    return supply;
  }

  private newSupply(account: ServiceAccount): Supply {
    const directory = path.join(this.options.directory, account.metadata.uid ?? "");
    return {
      account,
      directory,
      users: new Set(),
      making: undefined,
      isMade: false,
      timer: undefined,
    };
  }

  private async make(supply: Supply, pod: Pod): Promise<void> {
    try {
      mkdirSync(this.options.directory, { recursive: true, mode: 0o700 });
      mkdirSync(supply.directory, { recursive: true });
      chmodSync(supply.directory, 0o755);
      await this.write(supply);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const name = supply.account.metadata.name ?? "";
      const message = `the pod has no token of ServiceAccount ${JSON.stringify(name)}: ${why}`;
      this.options.tell(pod, "Warning", { reason: "TokenNotSupplied", message });
    }
  }

  private async write(supply: Supply): Promise<void> {
    const { client, clock, certificateAuthority } = this.options;
    const { namespace = "", name = "" } = supply.account.metadata;
    const issued = await client.requestToken({ namespace, name }, {});
    if (this.isClosed) return;
    const mode = 0o644;
    const contents = { token: issued.token, "ca.crt": certificateAuthority, namespace };
    const payload = Object.entries(contents).map(
      ([file, text]) => [file, { content: Buffer.from(text), mode }] as const,
    );
    const nowMs = clock.nowMs();
    writeAtomically(supply.directory, new Map(payload), { nowMs });
    supply.isMade = true;
    supply.timer?.cancel();
    supply.timer = clock.schedule(refreshDelayMs(issued, nowMs), () => void this.refresh(supply));
  }

  private async refresh(supply: Supply): Promise<void> {
    const { clock, log } = this.options;
    if (supply.users.size === 0) {
      this.supplies.delete(supply.account.metadata.uid ?? "");
      await rm(supply.directory, { recursive: true, force: true });
      return;
    }
    try {
      await this.write(supply);
    } catch (error) {
      const { namespace, name } = supply.account.metadata;
      log.warn("the token of an account could not be replaced", { namespace, name, error });
      supply.timer = clock.schedule(RETRY_MS, () => void this.refresh(supply));
    }
  }
}

const DEFAULT_ACCOUNT = "default";
const RETRY_MS = 60_000;

function list(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
