/** Pure: a probe in one line. */
import type { Probe } from "../../api/generated/core.ts";

export function probeText(probe: Probe): string {
  const { initialDelaySeconds: delay = 0, timeoutSeconds: timeout = 0 } = probe;
  const { periodSeconds: period = 0, successThreshold = 0, failureThreshold = 0 } = probe;
  const times = `delay=${delay}s timeout=${timeout}s period=${period}s`;
  return `${actionText(probe)} ${times} #success=${successThreshold} #failure=${failureThreshold}`;
}

function actionText({ exec, httpGet, tcpSocket, grpc }: Probe): string {
  if (exec) return `exec [${(exec.command ?? []).join(" ")}]`;
  if (httpGet) {
    const { scheme = "", host = "", port, path = "" } = httpGet;
    const start = path === "" || path.startsWith("/") ? path : `/${path}`;
    const name = host.includes(":") ? `[${host}]` : host;
    return `http-get ${scheme.toLowerCase()}://${name}:${port}${encodeURI(start)}`;
  }
  if (tcpSocket) return `tcp-socket ${tcpSocket.host ?? ""}:${tcpSocket.port}`;
  if (grpc) return `grpc <pod>:${grpc.port} ${grpc.service ?? ""}`;
  return "unknown";
}
