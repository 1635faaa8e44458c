/** Connects a port of a pod with a stream of the client, with kubelet's error messages. */
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Pod } from "../../../api/generated/core.ts";
import type { StreamSource } from "../../../api/stream-source.ts";
import { describeError } from "../../../base/describe-error.ts";

export interface PortOfPod {
  readonly pod: Pod;
  readonly port: number;
  readonly source: Pick<StreamSource, "connect">;
}

/** Settles when both directions have ended; returns the problem to report to the client. */
export async function forwardPort(to: PortOfPod, data: Duplex): Promise<string | undefined> {
  const { pod, port, source } = to;
  let connection: Duplex;
  try {
    connection = await source.connect(pod, port);
  } catch (error) {
    const { name, namespace, uid } = pod.metadata;
    const where = `pod ${name}_${namespace}, uid ${uid}`;
    return `error forwarding port ${port} to ${where}: ${describeError(error)}`;
  }
  const sent = pipeline(data, connection).catch(() => {});
  await pipeline(connection, data).catch(() => {});
  // A side that closed rarely sends more, and not every client can signal its end: wait only
  // briefly.
  await Promise.race([sent, pause(LAST_WORDS_MS)]);
  connection.destroy();
  return undefined;
}

const LAST_WORDS_MS = 1000;

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
}
