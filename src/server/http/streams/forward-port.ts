/** Connects a port of a pod with a stream of the client, and says in kubelet's words why not. */
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

/** Settles when both sides have said all; a problem is what the client is told of. */
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
  // A side that breaks off takes the other with it: there is nobody left to be told.
  await Promise.allSettled([pipeline(data, connection), pipeline(connection, data)]);
  connection.destroy();
  return undefined;
}
