/**
 * The kinds of a server: the built-in ones, and those that stored CustomResourceDefinitions
 * describe. It follows the store, so that a kind is served from the moment its definition's status
 * says so.
 *
 * Reading order: this file (served kinds), definition-keeper (the life of definitions).
 */
import type { CustomResourceDefinition } from "../../api/generated/apiextensions.ts";
import { isTrue } from "../../kinds/customresourcedefinition/conditions.ts";
import { definitionRules } from "../../kinds/customresourcedefinition/rules.ts";
import type { Kind } from "../../kinds/kind.ts";
import { type Registry, registryOf } from "../../kinds/registry.ts";
import type { Store } from "../../store/types.ts";

export const DEFINITIONS = "customresourcedefinitions.apiextensions.k8s.io";

export interface CustomRegistry extends Registry {
  close(): void;
}

/** A definition cannot replace a built-in kind. */
export function openCustomRegistry(
  store: Pick<Store, "list" | "subscribe" | "revision">,
  builtIn: Registry,
): CustomRegistry {
  const byDefinition = new Map<string, readonly Kind[]>();
  for (const object of store.list(DEFINITIONS).items) {
    byDefinition.set(
      object.metadata.name ?? "",
      servedKinds(object as CustomResourceDefinition, builtIn),
    );
  }
  let custom = registryOf([...byDefinition.values()].flat());
  let kinds: readonly Kind[] | undefined;
  const refresh = () => {
    custom = registryOf([...byDefinition.values()].flat());
    kinds = undefined;
  };
  const subscription = store.subscribe(DEFINITIONS, store.revision, ({ type, key, object }) => {
    if (type === "DELETED") byDefinition.delete(key.name);
    else byDefinition.set(key.name, servedKinds(object as CustomResourceDefinition, builtIn));
    refresh();
  });
  return {
    get kinds() {
      kinds ??= custom.kinds.length === 0 ? builtIn.kinds : [...builtIn.kinds, ...custom.kinds];
      return kinds;
    },
    hasGroup: (group) => builtIn.hasGroup(group) || custom.hasGroup(group),
    findResource: (name) => builtIn.findResource(name) ?? custom.findResource(name),
    getResource: (group, version, resource) => {
      const found = custom.findResource({ group, version, resource });
      return found ?? builtIn.getResource(group, version, resource);
    },
    findKind: (name) => builtIn.findKind(name) ?? custom.findKind(name),
    isRegistered: (name) => builtIn.isRegistered(name) || custom.isRegistered(name),
    close: () => subscription.close(),
  };
}

/** Whether the kind of the definition is built in. */
export function isBuiltIn({ spec }: CustomResourceDefinition, builtIn: Registry): boolean {
  const { group, names } = spec;
  return builtIn.kinds.some((kind) => {
    return !kind.custom && kind.group === group && kind.resource === names.plural;
  });
}

function servedKinds(definition: CustomResourceDefinition, builtIn: Registry): readonly Kind[] {
  if (!isTrue(definition.status.conditions, "Established")) return [];
  if (isBuiltIn(definition, builtIn)) return [];
  const served = (definition.spec.versions ?? []).filter((version) => version.served);
  return served.map((version) => definitionRules().customKind(definition, version));
}
