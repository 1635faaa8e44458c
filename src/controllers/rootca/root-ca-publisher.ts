/** Keeps a ConfigMap in every namespace with the CA certificate by which pods verify the server. */
import { isEqual } from "../../api/equal.ts";
import type { ConfigMap } from "../../api/generated/core.ts";
import { configMaps } from "../../api/resources.ts";
import type { Controller } from "../runtime/controller.ts";
import { keepPerNamespace } from "../runtime/per-namespace.ts";

const NAME = "kube-root-ca.crt";
const DESCRIPTION = {
  "kubernetes.io/description":
    "The CA certificate that the certificate of this API server is checked against.",
};

export function rootCaController(certificate: string): Controller {
  const data = { "ca.crt": certificate };
  return {
    name: "rootca",
    start: (context) =>
      keepPerNamespace<ConfigMap>(context, {
        type: configMaps,
        name: NAME,
        queue: "root_ca_cert_publisher",
        desired: (namespace) => ({
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name: NAME, namespace, annotations: DESCRIPTION },
          data,
        }),
        repair: (found) => repair(found, data),
      }),
  };
}

/**
 * As in Kubernetes, this controller owns all data but, of the annotations, only the description.
 */
function repair(found: ConfigMap, data: { readonly "ca.crt": string }): ConfigMap | undefined {
  const { metadata } = found;
  const isDescribed = (metadata.annotations?.["kubernetes.io/description"] ?? "") !== "";
  if (isDescribed && isEqual(found.data, data)) return undefined;
  const annotations = { ...metadata.annotations, ...DESCRIPTION };
  return { ...found, metadata: { ...metadata, annotations }, data };
}
