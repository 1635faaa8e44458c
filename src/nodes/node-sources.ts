/** Logs and streams of any pod, whether on the node of this process or on another one. */
import { ApiError } from "../api/errors.ts";
import { quote } from "../api/finding.ts";
import type { Node, Pod } from "../api/generated/core.ts";
import { findRemoteNode, type RemoteNode, type ServerIdentity } from "./remote-node.ts";

export interface NodeSourcesOptions {
  /** The agent of this process, once it has started. */
  readonly own: () => (RemoteNode & { readonly nodeName: string }) | undefined;
  readonly findNode: (name: string) => Node | undefined;
  /** Absent: agents of other nodes are not contacted. */
  readonly identity?: ServerIdentity;
}

export function nodeSources(options: NodeSourcesOptions): RemoteNode {
  return {
    logs: {
      open: async (pod, request, signal) =>
        nodeOf(options, pod, "log").logs.open(pod, request, signal),
    },
    streams: {
      exec: async (pod, request) => nodeOf(options, pod, "exec").streams.exec(pod, request),
      attach: async (pod, request) => nodeOf(options, pod, "attach").streams.attach(pod, request),
      connect: async (pod, port) => nodeOf(options, pod, "portforward").streams.connect(pod, port),
    },
  };
}

function nodeOf(
  { own, findNode, identity }: NodeSourcesOptions,
  { metadata, spec }: Pod,
  what: string,
): RemoteNode {
  const name = spec.nodeName ?? "";
  const local = own();
  if (local?.nodeName === name) return local;
  const node = findNode(name);
  const remote = node && identity && findRemoteNode(node, identity);
  if (remote) return remote;
  const subject = `${what} of pod ${quote(metadata.name ?? "")}`;
  const message = `${subject} is not available: no agent of node ${quote(name)} is connected`;
  throw new ApiError(503, "ServiceUnavailable", message);
}
