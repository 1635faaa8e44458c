/** Logs, exec, attach and port-forward: checked here, carried out by the node's agent. */
import { ApiError, badRequest } from "../../api/errors.ts";
import { quote } from "../../api/finding.ts";
import type { Pod } from "../../api/generated/core.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { ServerContext } from "../context.ts";
import { get } from "./get.ts";

export interface StreamRequest {
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
  readonly query: URLSearchParams;
}

/** Why the stream cannot be opened. */
export function refuseStream(
  server: ServerContext,
  request: StreamRequest,
  subresource: string,
): ApiError {
  const { kind, namespace, name } = request;
  const object = get(server, kind, namespace, name);
  if (kind.kind !== "Pod") return notServed(subresource, kind.resource);
  const pod = object as Pod;
  if (subresource === "log" || subresource === "exec" || subresource === "attach") {
    chooseContainer(pod, request.query.get("container") ?? "");
  }
  if (pod.spec.nodeName === undefined) {
    if (subresource === "log") return noLogYet();
    return badRequest(`pod ${name} does not have a host assigned`);
  }
  const node = pod.spec.nodeName;
  const what = `${subresource} of pod ${quote(name)}`;
  const message = `${what} is not available: no agent of node ${quote(node)} is connected`;
  return new ApiError(503, "ServiceUnavailable", message);
}

/** A pod without a node has no log, which is not an error. */
function noLogYet(): ApiError {
  return new ApiError(204, "", "");
}

function notServed(subresource: string, resource: string): ApiError {
  const message = `${subresource} of ${resource} is not served`;
  return new ApiError(501, "NotImplemented", message);
}

function chooseContainer(pod: Pod, asked: string): void {
  const { initContainers = [], containers, ephemeralContainers = [] } = pod.spec;
  const names = [...initContainers, ...(containers ?? []), ...ephemeralContainers].map(
    (container) => container.name,
  );
  const podName = pod.metadata.name ?? "";
  if (asked === "") {
    if (names.length === 1) return;
    const choice = names.join(" ");
    throw badRequest(
      `a container name must be specified for pod ${podName}, choose one of: [${choice}]`,
    );
  }
  if (!names.includes(asked)) {
    throw badRequest(`container ${asked} is not valid for pod ${podName}`);
  }
}
