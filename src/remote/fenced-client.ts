/**
 * A client that writes only while its owner leads. A queued request is not sent if the lease is
 * lost meanwhile. On shutdown the owner can wait for the requests that were already sent.
 */
import type { Client } from "../api/client.ts";

export interface FencedClient {
  readonly client: Client;
  /** Rejects all further writes. Resolves when all sent requests are answered. */
  close(): Promise<void>;
}

export function fenced(client: Client, mayWrite: () => boolean): FencedClient {
  const underWay = new Set<Promise<unknown>>();
  let isClosed = false;
  const write = <T>(send: () => Promise<T>): Promise<T> => {
    if (isClosed || !mayWrite()) return Promise.reject(new Error("no longer leading"));
    const answer = send();
    underWay.add(answer);
    const forget = () => underWay.delete(answer);
    answer.then(forget, forget);
    return answer;
  };
  return {
    client: {
      ...client,
      create: (type, object) => write(() => client.create(type, object)),
      update: (type, object) => write(() => client.update(type, object)),
      updateStatus: (type, object) => write(() => client.updateStatus(type, object)),
      finalize: (type, object) => write(() => client.finalize(type, object)),
      patch: (type, name, request) => write(() => client.patch(type, name, request)),
      delete: (type, name, request) => write(() => client.delete(type, name, request)),
      bind: (pod, node) => write(() => client.bind(pod, node)),
    },
    close: async () => {
      isClosed = true;
      await Promise.allSettled(underWay);
    },
  };
}
