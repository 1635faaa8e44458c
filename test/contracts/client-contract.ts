/**
 * What every Client must do, whichever way it reaches the server. To test a client, call
 * clientContract in a test file.
 *
 * Reading order: this file, client-reading, client-watching, client-writing, client-deleting,
 * client-binding.
 */
import { afterEach } from "vitest";
import type { Client } from "../../src/api/client.ts";
import { bindingContract } from "./client-binding.ts";
import { deletingContract } from "./client-deleting.ts";
import { readingContract } from "./client-reading.ts";
import { watchingContract } from "./client-watching.ts";
import { writingContract } from "./client-writing.ts";

export interface ContractServer {
  readonly client: Client;
  /** The server remembers only this many changes: keep it small. */
  readonly rememberedChanges: number;
  close(): Promise<void>;
}

/**
 * Opens a server with the namespaces "default" and "kube-public", and nothing that affects tests.
 */
export type Open = () => Promise<ContractServer>;

export function clientContract(openServer: Open): void {
  const servers: ContractServer[] = [];
  const open = async () => {
    const server = await openServer();
    servers.push(server);
    return server;
  };
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()));
  });
  readingContract(open);
  watchingContract(open);
  writingContract(open);
  deletingContract(open);
  bindingContract(open);
}
