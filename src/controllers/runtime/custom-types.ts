/** Pure: the resource types that a CustomResourceDefinition adds, in the form a client needs. */
import type { ResourceType } from "../../api/client.ts";
import type { CustomResourceDefinition } from "../../api/generated/apiextensions.ts";

/**
 * Returns one type per served version, the storage version first. Empty until the definition is
 * established.
 */
export function customTypesOf({ spec, status }: CustomResourceDefinition): readonly ResourceType[] {
  const isEstablished = (status.conditions ?? []).some((each) => {
    return each.type === "Established" && each.status === "True";
  });
  if (!isEstablished) return [];
  const { plural, kind } = status.acceptedNames;
  return (spec.versions ?? [])
    .filter(({ served }) => served)
    .sort((one, other) => Number(other.storage) - Number(one.storage))
    .map(({ name }) => ({
      group: spec.group,
      version: name,
      resource: plural,
      kind,
      namespaced: spec.scope === "Namespaced",
    }));
}
