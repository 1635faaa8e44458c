/** What a Kubernetes server finds or makes when it starts: its namespaces and its own Service. */
import { ApiError } from "../api/errors.ts";
import type { Json } from "../api/object.ts";
import { decodeObject } from "../api/schema/decode.ts";
import { parsed } from "../api/schema/parsed-json.ts";
import { apiVersionOf, type Kind } from "../kinds/kind.ts";
import type { Registry } from "../kinds/registry.ts";
import type { ServerContext } from "./context.ts";
import { create } from "./verbs/create.ts";

const NAMESPACES = ["default", "kube-system", "kube-public", "kube-node-lease"];

export function bootstrap(
  server: ServerContext & { readonly registry: Registry },
  endpoint: { readonly address: string; readonly port: number },
): void {
  const ensure = (kind: Kind, namespace: string, fields: { [key: string]: Json }): void => {
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
  const service = server.registry.getResource("", "v1", "services");
  const exists = server.store.get({
    resource: "services",
    namespace: "default",
    name: "kubernetes",
  });
  if (exists) return;
  ensure(service, "default", {
    metadata: {
      name: "kubernetes",
      labels: { component: "apiserver", provider: "kubernetes" },
    },
    spec: {
      clusterIP: server.admission.firstServiceAddress,
      ports: [{ name: "https", port: 443, protocol: "TCP", targetPort: endpoint.port }],
      sessionAffinity: "None",
      type: "ClusterIP",
    },
  });
}
