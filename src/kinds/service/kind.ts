/**
 * Pure: Services.
 *
 * Reading order: defaults, families (which addresses a Service gets; depends on the cluster, so
 * admission calls it), validate with validate-addresses and validate-exposure, update, warnings,
 * cells. server/admission allocates addresses and node ports.
 */
import type { Service } from "../../api/generated/core.ts";
import type { Draft } from "../../api/object.ts";
import { defineKind } from "../kind.ts";
import { cells } from "./cells.ts";
import { columns } from "./columns.ts";
import { setDefaults } from "./defaults.ts";
import { prepareServiceUpdate, validateServiceUpdate } from "./update.ts";
import { validateService, validateServiceStatusUpdate } from "./validate.ts";
import { serviceWarnings } from "./warnings.ts";

export const serviceKind = defineKind<Service>({
  group: "",
  version: "v1",
  kind: "Service",
  resource: "services",
  singular: "service",
  namespaced: true,
  shortNames: ["svc"],
  categories: ["all"],
  message: "core/v1.Service",
  createsOnUpdate: true,
  subresources: [
    {
      name: "proxy",
      verbs: ["create", "delete", "get", "patch", "update"],
      kind: "ServiceProxyOptions",
    },
    { name: "status", verbs: ["get", "patch", "update"] },
  ],
  rules: {
    setDefaults,
    prepareForCreate,
    validate: validateService,
    warningsOnCreate: serviceWarnings,
    prepareForUpdate: prepareServiceUpdate,
    validateUpdate: validateServiceUpdate,
    warningsOnUpdate: serviceWarnings,
    validateStatusUpdate: validateServiceStatusUpdate,
  },
  deletion: { returnsObject: true },
  selectableFields: {
    "spec.clusterIP": ({ spec }) => spec.clusterIP ?? "",
    "spec.type": ({ spec }) => spec.type ?? "",
  },
  columns,
  cells,
});

function prepareForCreate(service: Draft<Service>): void {
  service.status = { loadBalancer: {} };
}
