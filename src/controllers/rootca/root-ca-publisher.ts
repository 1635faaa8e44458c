/** Every namespace has a ConfigMap with the certificate by which pods know the server. */
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

/** As Kubernetes does: the data is ours alone, of the annotations only the description is. */
function repair(found: ConfigMap, data: { readonly "ca.crt": string }): ConfigMap | undefined {
  const { metadata } = found;
  const isDescribed = (metadata.annotations?.["kubernetes.io/description"] ?? "") !== "";
  if (isDescribed && isEqual(found.data, data)) return undefined;
  const annotations = { ...metadata.annotations, ...DESCRIPTION };
  return { ...found, metadata: { ...metadata, annotations }, data };
}
