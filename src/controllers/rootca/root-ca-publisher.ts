/** Every namespace has a ConfigMap with the certificate by which pods know the server. */
import type { ConfigMap } from "../../api/generated/core.ts";
import { configMaps } from "../../api/resources.ts";
import type { Controller } from "../runtime/controller.ts";
import { keepPerNamespace } from "../runtime/per-namespace.ts";

const NAME = "kube-root-ca.crt";
const DESCRIPTION =
  "The CA certificate that the certificate of this API server is checked against.";

export function rootCaController(certificate: string): Controller {
  return {
    name: "rootca",
    start: (context) =>
      keepPerNamespace<ConfigMap>(context, {
        type: configMaps,
        name: NAME,
        desired: (namespace) => ({
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: {
            name: NAME,
            namespace,
            annotations: { "kubernetes.io/description": DESCRIPTION },
          },
          data: { "ca.crt": certificate },
        }),
        content: (object) => object.data,
      }),
  };
}
