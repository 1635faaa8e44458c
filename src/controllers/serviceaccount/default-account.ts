/** Keeps a ServiceAccount "default" in every namespace, for pods that do not specify one. */
import type { ServiceAccount } from "../../api/generated/core.ts";
import { serviceAccounts } from "../../api/resources.ts";
import type { Controller } from "../runtime/controller.ts";
import { keepPerNamespace } from "../runtime/per-namespace.ts";

export const defaultAccountController: Controller = {
  name: "serviceaccount",
  start: (context) =>
    keepPerNamespace<ServiceAccount>(context, {
      type: serviceAccounts,
      name: "default",
      queue: "serviceaccount",
      desired: (namespace) => ({
        apiVersion: "v1",
        kind: "ServiceAccount",
        metadata: { name: "default", namespace },
      }),
    }),
};
