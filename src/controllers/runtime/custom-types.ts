/** Pure: the resources that a CustomResourceDefinition adds, as a client names them. */
import type { ResourceType } from "../../api/client.ts";
import type { CustomResourceDefinition } from "../../api/generated/apiextensions.ts";

/** One for each version that is served, the stored one first; none before it is established. */
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
