/**
 * A client that dies together with its owner at a chosen call, before or after the call takes
 * effect.
 */
import type { Client, ResourceType } from "../../src/api/client.ts";
import { pods, serviceAccounts } from "../../src/api/resources.ts";

export interface Death {
  /** The number of the call, counted from 1. */
  readonly call: number;
  /** Before the call is made, or after it took effect and before its answer arrives. */
  readonly moment: "before" | "after";
}

export interface MortalClient extends Client {
  calls(): number;
  isDead(): boolean;
}

/** Once dead, the client sends no requests, delivers no events, and its calls never settle. */
export function mortalClient(client: Client, death?: Death): MortalClient {
  let calls = 0;
  let isDead = false;
  const never = new Promise<never>(() => {});
  const call = <T>(type: ResourceType, make: () => Promise<T>): Promise<T> => {
    if (isDead) return never;
    // Events are not counted: they are written in the background and nobody waits for them.
    if (type.resource === "events") return make();
    calls++;
    if (calls !== death?.call) return make();
    isDead = true;
    if (death.moment === "after") void make().catch(() => {});
    return never;
  };
  return {
    calls: () => calls,
    isDead: () => isDead,
    get: (type, name) => call(type, () => client.get(type, name)),
    list: (type, request) => call(type, () => client.list(type, request)),
    create: (type, object) => call(type, () => client.create(type, object)),
    update: (type, object) => call(type, () => client.update(type, object)),
    updateStatus: (type, object) => call(type, () => client.updateStatus(type, object)),
    finalize: (type, object) => call(type, () => client.finalize(type, object)),
    patch: (type, name, request) => call(type, () => client.patch(type, name, request)),
    delete: (type, name, request) => call(type, () => client.delete(type, name, request)),
    bind: (pod, node) => call(pods, () => client.bind(pod, node)),
    requestToken: (account, spec) =>
      call(serviceAccounts, () => client.requestToken(account, spec)),
    durable: (resourceVersion) => client.durable(resourceVersion),
    watch: (type, request, { onEvent, onEnd }) =>
      client.watch(type, request, {
        onEvent: (event) => {
          if (!isDead) onEvent(event);
        },
        onEnd: (error) => {
          if (!isDead) onEnd(error);
        },
      }),
  };
}
