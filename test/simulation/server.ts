/**
 * The server of a world: the real store and the real verbs on a disk that can lose power. A crash
 * loses what was not synced; the next server has everything that was.
 */
import type { Client } from "../../src/api/client.ts";
import { silentLog } from "../../src/base/log.ts";
import type { ManualClock } from "../../src/base/manual-clock.ts";
import type { Random } from "../../src/base/random.ts";
import { type LocalServer, localClient } from "../../src/client/local.ts";
import { registry } from "../../src/kinds/registry.ts";
import { openAdmission } from "../../src/server/admission/admission.ts";
import { bootstrap } from "../../src/server/bootstrap.ts";
import { INDEXES } from "../../src/server/indexes.ts";
import type { Journal, JournalBatch } from "../../src/store/journal.ts";
import { openOnJournal } from "../../src/store/open.ts";
import type { Note, Store } from "../../src/store/types.ts";
import { DroppingJournal } from "../durability/dropping-journal.ts";
import type { Chance } from "./chance.ts";

export interface SimulatedServer extends LocalServer {
  readonly client: Client;
  /** Cuts the power. Resolves with the last revision on disk, and the disk. */
  kill(): Promise<{ readonly revision: number; readonly disk: DroppingJournal }>;
}

export interface ServerOptions {
  readonly clock: ManualClock;
  readonly random: Random;
  readonly chance: Chance;
  /** The duration of the slowest sync, in milliseconds. */
  readonly syncMs: number;
}

const RESERVED_AT_A_TIME = 100_000;
const PRINTED_WARNINGS = { report: () => {} };

export async function openServer(
  options: ServerOptions,
  disk: DroppingJournal = new DroppingJournal({ isAutomatic: true }),
): Promise<SimulatedServer> {
  const { clock, random } = options;
  disk.isAutomatic = true;
  const journal = new SlowJournal(disk, options);
  const indexes = { indexes: INDEXES };
  const reserve = { reserveSize: RESERVED_AT_A_TIME, ...PRINTED_WARNINGS };
  const store: Store = await openOnJournal(journal, { ...indexes, ...reserve });
  const admission = openAdmission(store, { serviceCidr: "10.96.0.0/16" });
  const context = { store, admission, registry, clock, random, log: silentLog };
  bootstrap(context, { address: "127.0.0.1", port: 6443 });
  journal.isSlow = true;
  const kill = async () => {
    const next = disk.kill({ isWritten: options.chance.happens(0.5) });
    journal.isDead = true;
    const contents = await next.load();
    return { revision: contents?.revision ?? 0, disk: next };
  };
  return { ...context, client: localClient(context), kill };
}

/** Each batch takes some time, until the power is cut. */
class SlowJournal implements Journal {
  isSlow = false;
  isDead = false;

  constructor(
    private readonly disk: DroppingJournal,
    private readonly options: ServerOptions,
  ) {}

  load() {
    return this.disk.load();
  }

  append(batch: JournalBatch): Promise<void> {
    const { clock, chance, syncMs } = this.options;
    if (this.isDead) return new Promise(() => {});
    this.disk.isAutomatic = !this.isSlow;
    const written = this.disk.append(batch);
    if (this.isSlow) {
      clock.schedule(chance.between(0, syncMs), () => {
        if (!this.isDead) this.disk.sync();
      });
    }
    return written;
  }

  findNote(key: string): Uint8Array | undefined {
    return this.disk.findNote(key);
  }

  notesFrom(key: string): Iterable<Note> {
    return this.disk.notesFrom(key);
  }

  async close(): Promise<void> {}
}
