/** Waits for a change of objects: until one event decides, or until they are deleted. */
import type {
  Client,
  ListRequest,
  ObjectEvent,
  ResourceType,
  WatchRequest,
} from "../api/client.ts";
import type { KubeObject } from "../api/object.ts";

/** Watches until `decide` returns something; resolves with undefined if the watch ends before. */
export function watchUntil<T extends KubeObject, R>(
  client: Client,
  type: ResourceType<T>,
  request: WatchRequest,
  decide: (event: ObjectEvent<T>) => R | undefined,
): Promise<R | undefined> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const end = (settle: () => void) => {
      isOver = true;
      settle();
      watch?.close();
    };
    let watch: { close(): void } | undefined;
    watch = client.watch(type, request, {
      onEvent: (event) => {
        if (isOver) return;
        try {
          const decided = decide(event);
          if (decided !== undefined) end(() => resolve(decided));
        } catch (error) {
          end(() => reject(error));
        }
      },
      onEnd: () => end(() => resolve(undefined)),
    });
    // Earlier events may arrive before the call returns.
    if (isOver) watch.close();
  });
}

/**
 * Resolves when no object that the request selects is left. With a uid only that object counts, so
 * that a later object of the same name is ignored.
 */
export async function untilGone<T extends KubeObject>(
  client: Client,
  type: ResourceType<T>,
  request: ListRequest,
  uid?: string,
): Promise<void> {
  for (;;) {
    const { items, resourceVersion } = await client.list(type, request);
    const isMeant = ({ metadata }: T) => uid === undefined || metadata.uid === uid;
    const left = new Set(items.filter(isMeant).map(({ metadata }) => metadata.uid));
    if (left.size === 0) return;
    const isGone = await watchUntil(client, type, { ...request, resourceVersion }, (event) => {
      const { object } = event;
      if (event.type === "DELETED") left.delete(object.metadata.uid);
      else if (isMeant(object)) left.add(object.metadata.uid);
      return left.size === 0 ? true : undefined;
    });
    if (isGone) return;
  }
}
