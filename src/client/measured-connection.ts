/** A connection that counts its requests, with the metric names of Kubernetes' own clients. */
import type { Clock } from "../base/clock.ts";
import { exponentialBuckets, type Metrics } from "../base/metrics.ts";
import type { Connection } from "./http-connection.ts";

const SECONDS = [0.005, ...exponentialBuckets(0.025, 2, 12)];

export function measured(
  connection: Connection,
  server: string,
  { metrics, clock }: { readonly metrics: Metrics; readonly clock: Clock },
): Connection {
  const { host } = new URL(server);
  const requests = metrics.counter(
    "rest_client_requests_total",
    "Number of HTTP requests, partitioned by status code, method, and host.",
    ["code", "host", "method"],
  );
  const seconds = metrics.histogram(
    "rest_client_request_duration_seconds",
    "Request latency in seconds. Broken down by verb, and host.",
    ["host", "verb"],
    SECONDS,
  );
  return {
    send: async (request) => {
      const { method } = request;
      const startMs = clock.monotonicMs();
      let code = "<error>";
      try {
        const answer = await connection.send(request);
        code = String(answer.status);
        return answer;
      } finally {
        requests.add({ code, host, method });
        seconds.observe({ host, verb: method }, (clock.monotonicMs() - startMs) / 1000);
      }
    },
    stream: async (request, signal) => {
      const answer = await connection.stream(request, signal);
      requests.add({ code: String(answer.status), host, method: request.method });
      return answer;
    },
    close: () => connection.close(),
  };
}
