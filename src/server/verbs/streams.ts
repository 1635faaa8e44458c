/** Logs, exec, attach and port-forward: checked here, carried out by the node's agent. */
import { ApiError, badRequest } from "../../api/errors.ts";
import { quote } from "../../api/finding.ts";
import type { Pod } from "../../api/generated/core.ts";
import type { LogSource } from "../../api/log-source.ts";
import type { StreamSource } from "../../api/stream-source.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { ServerContext } from "../context.ts";
import { get } from "./get.ts";

export interface StreamRequest {
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
  readonly query: URLSearchParams;
}

export interface LocatedStream {
  readonly pod: Pod;
  /** "" for port-forward, which concerns the whole pod. */
  readonly container: string;
  readonly source: StreamSource;
}

/** Where to open a stream. */
export function locateStream(
  server: ServerContext & { readonly streams?: StreamSource | undefined },
  request: StreamRequest,
  subresource: string,
): LocatedStream {
  const { kind, namespace, name } = request;
  const object = get(server, kind, namespace, name);
  if (kind.kind !== "Pod") throw notServed(subresource, kind.resource);
  const pod = object as Pod;
  const isOfPod = subresource !== "exec" && subresource !== "attach";
  const container = isOfPod ? "" : chooseContainer(pod, request.query.get("container") ?? "");
  if (!pod.spec.nodeName) throw badRequest(`pod ${name} does not have a host assigned`);
  if (isOfPod && subresource !== "portforward") throw notServed(subresource, kind.resource);
  if (!server.streams) throw notConnected(subresource, pod);
  return { pod, container, source: server.streams };
}

export interface LocatedLog {
  readonly pod: Pod;
  readonly container: string;
  readonly source: LogSource;
}

/** Where to read a log; undefined if the pod has no node. */
export function locateLog(
  server: ServerContext & { readonly logs?: LogSource | undefined },
  { kind, namespace, name }: StreamRequest,
  asked: string,
): LocatedLog | undefined {
  const pod = get(server, kind, namespace, name) as Pod;
  const container = chooseContainer(pod, asked);
  if (!pod.spec.nodeName) return undefined;
  if (!server.logs) throw notConnected("log", pod);
  return { pod, container, source: server.logs };
}

function notServed(subresource: string, resource: string): ApiError {
  const message = `${subresource} of ${resource} is not served`;
  return new ApiError(501, "NotImplemented", message);
}

function notConnected(subresource: string, { metadata, spec }: Pod): ApiError {
  const what = `${subresource} of pod ${quote(metadata.name ?? "")}`;
  const node = quote(spec.nodeName ?? "");
  const message = `${what} is not available: no agent of node ${node} is connected`;
  return new ApiError(503, "ServiceUnavailable", message);
}

/** The default is the app container, if there is only one. */
function chooseContainer(pod: Pod, asked: string): string {
  const { initContainers = [], ephemeralContainers = [] } = pod.spec;
  const containers = pod.spec.containers ?? [];
  const all = [...initContainers, ...containers, ...ephemeralContainers];
  const names = all.map((container) => container.name);
  const podName = pod.metadata.name ?? "";
  if (asked !== "") {
    if (names.includes(asked)) return asked;
    throw badRequest(`container ${asked} is not valid for pod ${podName}`);
  }
  const [only, another] = containers;
  if (only && !another) return only.name;
  const choice = names.join(" ");
  throw badRequest(
    `a container name must be specified for pod ${podName}, choose one of: [${choice}]`,
  );
}
