/** A watch that tests can wait on. */
import type { Client, ResourceType, WatchRequest } from "../../src/api/client.ts";
import type { KubeObject } from "../../src/api/object.ts";

export interface SeenEvents<T> {
  /** All events so far. */
  readonly all: readonly { readonly type: string; readonly object: T }[];
  /** Resolves with the first `count` events, as "ADDED a", once there are that many. */
  first(count: number): Promise<readonly string[]>;
  /** The error with which the watch ended. */
  readonly end: Promise<Error | undefined>;
  close(): void;
}

export function watchEvents<T extends KubeObject>(
  client: Client,
  type: ResourceType<T>,
  request: WatchRequest,
): SeenEvents<T> {
  const all: { type: string; object: T }[] = [];
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  let tellEnd: (error: Error | undefined) => void = () => {};
  const end = new Promise<Error | undefined>((resolve) => {
    tellEnd = resolve;
  });
  const watch = client.watch(type, request, {
    onEvent: (event) => {
      all.push(event);
      for (const { count, resolve } of waiting) if (all.length >= count) resolve();
    },
    onEnd: tellEnd,
  });
  return {
    all,
    first: async (count) => {
      if (all.length < count) {
        await new Promise<void>((resolve) => waiting.push({ count, resolve }));
      }
      return all.slice(0, count).map((event) => `${event.type} ${event.object.metadata.name}`);
    },
    end,
    close: () => watch.close(),
  };
}
