/** The resources our own components ask for, typed. */
import type { ResourceType } from "./client.ts";
import type { ConfigMap, Namespace, ServiceAccount } from "./generated/core.ts";

export const namespaces: ResourceType<Namespace> = {
  group: "",
  version: "v1",
  resource: "namespaces",
  kind: "Namespace",
  namespaced: false,
};

export const serviceAccounts: ResourceType<ServiceAccount> = {
  group: "",
  version: "v1",
  resource: "serviceaccounts",
  kind: "ServiceAccount",
  namespaced: true,
};

export const configMaps: ResourceType<ConfigMap> = {
  group: "",
  version: "v1",
  resource: "configmaps",
  kind: "ConfigMap",
  namespaced: true,
};
