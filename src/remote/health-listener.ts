/** The HTTP endpoints for operators and the kubelet: liveness, readiness and metrics. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Metrics } from "../base/metrics.ts";

export interface HealthOptions {
  readonly address: string;
  /** 0 selects any free port. */
  readonly port: number;
  readonly metrics: Metrics;
  /** Returns what is wrong, or undefined if the process is healthy. */
  readonly findIllness: () => string | undefined;
  readonly isReady: () => boolean;
}

export interface HealthListener {
  readonly url: string;
  close(): Promise<void>;
}

export async function listenForHealth(options: HealthOptions): Promise<HealthListener> {
  const { address, port, metrics, findIllness, isReady } = options;
  const server = createServer((request, response) => {
    if (request.method !== "GET" && request.method !== "HEAD") return answer(response, 405, "");
    switch (request.url?.split("?")[0]) {
      case "/healthz":
      case "/livez": {
        const illness = findIllness();
        return illness === undefined ? answer(response, 200, "ok") : answer(response, 500, illness);
      }
      case "/readyz":
        return isReady() ? answer(response, 200, "ok") : answer(response, 503, "not ready");
      case "/metrics":
        return answer(response, 200, metrics.text(), METRICS_TYPE);
      default:
        return answer(
          response,
          404,
          "not found; available: /healthz, /livez, /readyz and /metrics",
        );
    }
  });
  server.listen(port, address);
  await once(server, "listening");
  const bound = server.address() as AddressInfo;
  const host = address.includes(":") ? `[${address}]` : address;
  return {
    url: `http://${host}:${bound.port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

function answer(response: ServerResponse, status: number, text: string, type = "text/plain"): void {
  response.writeHead(status, { "Content-Type": type, "X-Content-Type-Options": "nosniff" });
  response.end(text);
}
