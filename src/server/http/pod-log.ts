/** GET pods/NAME/log: the output of a container as text, from the node of the pod. */
import { locateLog } from "../verbs/streams.ts";
import type { Answer } from "./answer.ts";
import { parseLogQuery } from "./log-options.ts";
import type { ApiServer, NamedRequest } from "./request.ts";

export function servePodLog(server: ApiServer, request: NamedRequest): Answer {
  const options = parseLogQuery(request.query, request.name);
  const located = locateLog(server, request, options.container);
  // A pod without a node has no log yet, which is not an error.
  if (!located) return { type: "bytes", status: 204, contentType: undefined, body: "" };
  const { pod, container, source } = located;
  return {
    type: "stream",
    contentType: "text/plain",
    open: (signal) => source.open(pod, { ...options, container }, signal),
  };
}
