/** One watch over the network: in order, but delayed, repeated or broken. */
import type {
  ObjectEvent,
  ResourceType,
  WatchHandlers,
  WatchRequest,
} from "../../src/api/client.ts";
import { expired } from "../../src/api/errors.ts";
import type { KubeObject } from "../../src/api/object.ts";
import type { Surroundings } from "./connection.ts";

export interface Stream {
  /** The watcher no longer wants events. */
  close(): void;
  /** Tells the watcher that the watch has ended. */
  end(error?: Error): void;
}

/** How long a watch lives that is going to break, and how late an event may be. */
const LIFE_MS = [1_000, 60_000] as const;
const STALL_MS = [500, 15_000] as const;

export function openStream<T extends KubeObject>(
  around: Surroundings,
  type: ResourceType<T>,
  request: WatchRequest,
  handlers: WatchHandlers<T>,
): Stream {
  return around.weather.isRemote
    ? new RemoteStream(around, type, request, handlers)
    : localStream(around, type, request, handlers);
}

function localStream<T extends KubeObject>(
  around: Surroundings,
  type: ResourceType<T>,
  request: WatchRequest,
  handlers: WatchHandlers<T>,
): Stream {
  const watch = around.server()?.client.watch(type, request, handlers);
  return { close: () => watch?.close(), end: () => watch?.close() };
}

class RemoteStream<T extends KubeObject> implements Stream {
  #isOver = false;
  #watch: { close(): void } | undefined;
  /** An event never overtakes an earlier one. */
  #lastAtMs = 0;

  constructor(
    private readonly around: Surroundings,
    private readonly type: ResourceType<T>,
    private readonly request: WatchRequest,
    private readonly handlers: WatchHandlers<T>,
  ) {
    const { clock, chance, weather, note } = around;
    clock.schedule(chance.between(0, weather.travelMs), () => this.#connect());
    if (!chance.happens(weather.breaks)) return;
    const isForgotten = chance.happens(weather.expiries);
    clock.schedule(chance.between(...LIFE_MS), () => {
      if (this.#isOver || weather.breaks === 0) return;
      note(`a watch of ${type.resource} breaks${isForgotten ? " and has to list again" : ""}`);
      this.end(isForgotten ? expired("too old resource version") : undefined);
    });
  }

  close(): void {
    this.#isOver = true;
    this.#watch?.close();
  }

  end(error?: Error): void {
    if (this.#isOver) return;
    this.close();
    this.handlers.onEnd(error);
  }

  #connect(): void {
    if (this.#isOver) return;
    const server = this.around.server();
    if (!server) {
      this.end(new Error("connect ECONNREFUSED"));
      return;
    }
    this.#watch = server.client.watch(this.type, this.request, {
      onEvent: (event) => {
        const revision = Number(event.object.metadata.resourceVersion);
        server.store.durable(revision).then(() => this.#send(event));
      },
      onEnd: (error) => this.end(error),
    });
  }

  #send(event: ObjectEvent<T>): void {
    const { clock, chance, weather } = this.around;
    if (this.#isOver) return;
    const delayMs = chance.happens(weather.stalls)
      ? chance.between(...STALL_MS)
      : chance.between(0, weather.travelMs);
    const nowMs = clock.nowMs();
    this.#lastAtMs = Math.max(this.#lastAtMs, nowMs + delayMs);
    const times = chance.happens(weather.repetitions) ? 2 : 1;
    clock.schedule(this.#lastAtMs - nowMs, () => {
      for (let time = 0; time < times && !this.#isOver; time++) this.handlers.onEvent(event);
    });
  }
}
