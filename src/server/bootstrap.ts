/**
 * Objects that a Kubernetes server creates at start if they are missing: its namespaces and its own
 * Service.
 */
import { ApiError } from "../api/errors.ts";
import type { Json } from "../api/object.ts";
import { decodeObject } from "../api/schema/decode.ts";
import { parsed } from "../api/schema/parsed-json.ts";
import { apiVersionOf, type Kind } from "../kinds/kind.ts";
import type { Registry } from "../kinds/registry.ts";
import { keyOf, type ServerContext } from "./context.ts";
import { create } from "./verbs/create.ts";
import { patch } from "./verbs/patch.ts";

const NAMESPACES = ["default", "kube-system", "kube-public", "kube-node-lease"];

export function bootstrap(
  server: ServerContext & { readonly registry: Registry },
  endpoint: { readonly address: string; readonly port: number },
): void {
  const ensure: Ensure = (kind, namespace, fields) => {
    const typeMeta = { apiVersion: apiVersionOf(kind), kind: kind.kind };
    const { object } = decodeObject(parsed({ ...typeMeta, ...fields }), kind.message, typeMeta);
    kind.rules.setDefaults?.(object);
    try {
      create(server, kind, namespace, object, { dryRun: false });
    } catch (error) {
      const exists = error instanceof ApiError && error.reason === "AlreadyExists";
      if (!exists) throw error;
    }
  };
  const namespace = server.registry.getResource("", "v1", "namespaces");
  for (const name of NAMESPACES) ensure(namespace, "", { metadata: { name } });
  ensureService(server, ensure, endpoint.port);
  refreshNodes(server);
}

/**
 * Rewrites the Nodes, because an annotation of each tells its agent whether the server is shared,
 * which may have changed since the last start.
 */
function refreshNodes(server: ServerContext & { readonly registry: Registry }): void {
  const kind = server.registry.getResource("", "v1", "nodes");
  for (const { metadata } of server.store.list("nodes").items) {
    const target = { kind, namespace: "", name: metadata.name ?? "", part: "object" } as const;
    patch(server, target, { type: "merge", body: "{}" }, { dryRun: false }, () => {});
  }
}

type Ensure = (kind: Kind, namespace: string, fields: { [key: string]: Json }) => void;

/** The port of the Service is updated, because the server may listen on another one than before. */
function ensureService(
  server: ServerContext & { readonly registry: Registry },
  ensure: Ensure,
  targetPort: number,
): void {
  const kind = server.registry.getResource("", "v1", "services");
  const target = { kind, namespace: "default", name: "kubernetes", part: "object" } as const;
  const ports = [{ name: "https", port: 443, protocol: "TCP", targetPort }];
  if (server.store.get(keyOf(kind, target.namespace, target.name))) {
    const change = { type: "merge", body: JSON.stringify({ spec: { ports } }) } as const;
    patch(server, target, change, { dryRun: false }, () => {});
    return;
  }
  ensure(kind, target.namespace, {
    metadata: {
      name: target.name,
      labels: { component: "apiserver", provider: "kubernetes" },
    },
    spec: {
      clusterIP: server.admission.firstServiceAddress,
      ports,
      sessionAffinity: "None",
      type: "ClusterIP",
    },
  });
}
