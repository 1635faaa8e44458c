/** Where the children that hold streams listen. The number is that of what is spoken there. */
import { socketAddress } from "../../base/socket-address.ts";
import type { StreamOrder } from "./orders.ts";

/**
 * One child starts commands, the other opens terminals and starts nothing. A terminal is opened by
 * a native module, without close-on-exec: the commands of others would inherit it.
 */
export type StreamsKind = "streams" | "terminals";

export const KINDS: readonly StreamsKind[] = ["streams", "terminals"];

export function kindOf(order: Exclude<StreamOrder, { order: "release" }>): StreamsKind {
  const isStarted = order.order === "exec" && order.terminal !== undefined;
  return order.tty && !isStarted ? "terminals" : "streams";
}

export function streamsSocket(kind: StreamsKind): string {
  return `${kind}-1.sock`;
}

export function streamsAddress(directory: string, kind: StreamsKind): string {
  return socketAddress(directory, streamsSocket(kind));
}
