/** A controller on a server in process, and a way to wait until it is idle. */
import type { Client } from "../../src/api/client.ts";
import { silentLog } from "../../src/base/log.ts";
import type { ManualClock } from "../../src/base/manual-clock.ts";
import { Metrics } from "../../src/base/metrics.ts";
import { localClient } from "../../src/client/local.ts";
import type { Controller } from "../../src/controllers/runtime/controller.ts";
import { aServer, type TestServer } from "./server.ts";

export interface AtWork {
  readonly server: TestServer;
  readonly client: Client;
  /** Resolves when the controller has done everything it can do without time passing. */
  settle(): Promise<void>;
  stop(): void;
}

export async function startController(
  controller: Controller,
  prepare: (client: Client, clock: ManualClock) => Promise<void> = async () => {},
): Promise<AtWork> {
  const server = aServer();
  const client = localClient(server);
  const { clock, random } = server;
  await prepare(client, clock);
  const metrics = new Metrics();
  const running = await controller.start({ client, clock, random, log: silentLog, metrics });
  const settle = async () => {
    // The local client only awaits promises, all of which are settled by then.
    await new Promise((resolve) => setImmediate(resolve));
  };
  await settle();
  return { server, client, settle, stop: () => running.stop() };
}
