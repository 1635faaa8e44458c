/**
 * Port forwarding over SPDY, on the socket itself or inside a WebSocket. For each connection the
 * client opens two streams with the same request ID: one for data, one for errors.
 */
import type { Duplex } from "node:stream";
import { SpdyConnection, type SpdyStream } from "../spdy/connection.ts";
import { forwardPort, type PortOfPod } from "./forward-port.ts";

export const PORT_PROTOCOL = "portforward.k8s.io";

interface Pair {
  readonly error?: SpdyStream;
  readonly data?: SpdyStream;
}

/** Two streams per connection. */
const MOST_STREAMS = 1024;
const LARGEST_PORT = 65_535;

export async function spdyPorts(carrier: Duplex, to: Omit<PortOfPod, "port">): Promise<void> {
  const pairs = new Map<string, Pair>();
  const connection = new SpdyConnection(carrier, {
    mostStreams: MOST_STREAMS,
    onStream: (stream) => {
      const port = Number(stream.headers.get("port"));
      const type = stream.headers.get("streamtype");
      if (!Number.isInteger(port) || port < 1 || port > LARGEST_PORT) return false;
      if (type !== "error" && type !== "data") return false;
      // Old clients send no request ID: the port then identifies the pair.
      const number = stream.headers.get("requestid") ?? `port ${port}`;
      const pair = { ...pairs.get(number), [type]: stream };
      pairs.set(number, pair);
      stream.once("close", () => pairs.delete(number));
      if (pair.error && pair.data) {
        pairs.delete(number);
        const { error, data } = pair;
        forward({ ...to, port }, error, data).catch((cause) => carrier.destroy(cause));
      }
      return true;
    },
  });
  await connection.closed;
}

async function forward(to: PortOfPod, error: SpdyStream, data: SpdyStream): Promise<void> {
  error.resume();
  const problem = await forwardPort(to, data);
  if (problem === undefined) {
    error.end();
    return;
  }
  await new Promise<void>((resolve) => error.end(problem, resolve));
  data.end();
  data.resume();
}
